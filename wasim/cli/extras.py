"""Optional packages, found before a verb imports them, and Spark as a master for work in processes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from wasim.errors import EnvironmentFault

_SPARK = {"pyspark": "Spark", "py4j": "Spark's gateway", "pandas": "pandas"}


def require_spark(use: str, extra: str = "bench") -> None:
    """EnvironmentFault naming the first of Spark's packages that `use`, a verb, misses and the extra brings."""
    for module, name in _SPARK.items():
        if find_spec(module) is None:
            raise EnvironmentFault(f'{use} needs {name}: pip install "wasim[{extra}]"')


def require_pyiceberg(use: str) -> None:
    """EnvironmentFault if `use`, a verb, misses pyiceberg."""
    if find_spec("pyiceberg") is None:
        raise EnvironmentFault(f'{use} needs pyiceberg: pip install "wasim[pyiceberg]"')


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
