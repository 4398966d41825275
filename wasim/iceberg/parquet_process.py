"""The process that reads Parquet files, from this side: started for the first one, bounded in memory and in time.

Arrow's library ends its process on some damaged files. There that is an answer: the file cannot be read.
"""

import atexit
import os
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any

MOST_SECONDS = 60.0
"""For one file; the largest manifests take two."""

_PROGRAM = Path(__file__).with_name("parquet_rows.py")


@dataclass(slots=True)
class _Reader:
    """The process, as long as there is one; a fork of ours has none."""

    process: "subprocess.Popen[bytes] | None" = None
    connection: Connection | None = None
    owner: int = 0

    def start(self) -> Connection:
        if self.connection is not None and self.owner == os.getpid():
            return self.connection
        ours, its = Pipe()
        environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-P", str(_PROGRAM)]
        self.process = subprocess.Popen(
            command, env=environment, stdin=its.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        its.close()
        self.connection, self.owner = ours, os.getpid()
        return ours

    def stop(self) -> None:
        if self.connection is None or self.process is None or self.owner != os.getpid():
            return
        self.connection.close()
        self.process.kill()
        self.process.wait()
        self.process = self.connection = None


_READER = _Reader()
_ONE_AT_A_TIME = Lock()
atexit.register(_READER.stop)


def ask_reader(**request: Any) -> dict[str, Any] | str:  # noqa: ANN401 - what `parquet_rows.read_rows` takes
    """What `parquet_rows.read_rows` gives in that process, or what is wrong with the file."""
    with _ONE_AT_A_TIME:
        try:
            connection = _READER.start()
            connection.send(request)
            if connection.poll(MOST_SECONDS):
                answer: dict[str, Any] | str = connection.recv()
                return answer
            problem = f"takes more than {MOST_SECONDS:g} seconds to read"
        except (EOFError, ConnectionError):
            problem = "is no Parquet file that can be read: it ends the process that reads it"
        except BaseException:
            _READER.stop()  # an answer may be under way, and would be taken for the next file's
            raise
        _READER.stop()
        return problem
