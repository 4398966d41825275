"""Work of a verb on the Spark at a master that the user names."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from wasim.cli.extras import require_extra


@contextmanager
def map_on(master: str, verb: str) -> Iterator[Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]]:
    """A `map` whose work the Spark at `master` does, for the block. Where something fails, Spark's log stays."""
    require_extra(f"{verb} --master", "spark")
    from wasim.cluster import open_map

    folder = Path(mkdtemp(prefix=f"wasim-{verb}-"))
    with open_map(master=master, log=folder / "spark.log") as mapped:
        yield mapped
    rmtree(folder)
