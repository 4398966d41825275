"""A Spark of its own for a test: a standalone master with workers, on the loopback only."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

PYTHON_PATH = os.pathsep.join(str(folder) for folder in Path(__file__).parents[1:3])  # tests, and wasim


@contextmanager
def spark_process(*arguments: str) -> Iterator[None]:
    command = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": PYTHON_PATH}
    with subprocess.Popen(
        [command, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)  # by its id, and nothing else
            process.wait(60)


@contextmanager
def standalone(workers: int, folder: Path) -> Iterator[str]:
    """A master with so many workers of one core each, on the loopback only, which work below `folder`."""
    port, page = free_port(), free_port()
    master = f"spark://127.0.0.1:{port}"
    package = "org.apache.spark.deploy"
    with spark_process(
        f"{package}.master.Master", "--host", "127.0.0.1", "--port", f"{port}", "--webui-port", f"{page}"
    ):
        wait_for_workers(page, 0)
        worker = (f"{package}.worker.Worker", "--host", "127.0.0.1", "-c", "1", "-m", "1g", "-d", f"{folder}", master)
        with spark_process(*worker):
            if workers == 1:
                wait_for_workers(page, 1)
                yield master
                return
            with spark_process(*worker):
                wait_for_workers(page, 2)
                yield master


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for_workers(page: int, workers: int) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{page}/json/", timeout=5) as answer:
                if answer.read().decode().count('"state" : "ALIVE"') >= workers:
                    return
        except OSError:
            pass
        time.sleep(0.5)
    raise TimeoutError(f"the master has no {workers} workers")
