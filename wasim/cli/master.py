"""A verb's work, run on the Spark master that the user names."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from wasim.cli.extras import require_spark


@contextmanager
def map_on(master: str, verb: str) -> Iterator[Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]]:
    """A `map` that runs on the Spark at `master`, within the block. On failure Spark's log is kept.

    EnvironmentFault if Spark is not installed.
    """
    require_spark(f"{verb} --master", "spark")
    from wasim.cluster import open_map

    folder = Path(mkdtemp(prefix=f"wasim-{verb}-"))
    with open_map(master=master, log=folder / "spark.log") as mapped:
        yield mapped
    rmtree(folder)
