"""ClickHouse in a process of its own: JSON lines in, JSON lines out, until the input ends.

chDB reads no file outside the folder that its process started in, so that each table needs a process; nor do 530 MB of
library and their signal handlers then share one with the bench.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from chdb.session import Session

from wasim.spark.probe.opens import OpenWatch


def answer(session: Any, sql: str) -> dict[str, Any]:
    """What a query gave: `rows` of text or an `error`, its `ms`, events counted, names opened in `metadata`."""
    before = _events(session)
    with OpenWatch(Path("metadata")) as watch:
        started_s = time.perf_counter()
        try:
            rows = _rows(session, sql)
        except RuntimeError as error:
            return {"error": str(error).splitlines()[0]}
        spent_ms = (time.perf_counter() - started_s) * 1e3
        opened = watch.opened()
    events = {name: count - before.get(name, 0) for name, count in _events(session).items()}
    return {"rows": rows, "ms": spent_ms, "opened": opened, "events": events}


def _events(session: Any) -> dict[str, int]:
    return {name: int(count) for name, count in _rows(session, "SELECT event, value FROM system.events")}


def _rows(session: Any, sql: str) -> list[list[str]]:
    return [line.split("\t") for line in session.query(sql, "TSV").bytes().decode().splitlines()]


def serve() -> None:
    """Answers every line of standard input, a JSON text of SQL, with a line of JSON."""
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)  # whatever the library prints is no answer
        session: Any = Session(":memory:")  # type: ignore[no-untyped-call]
        for line in sys.stdin:
            out.write(json.dumps(answer(session, json.loads(line))) + "\n")
            out.flush()


if __name__ == "__main__":
    serve()
