"""The machine as it is compiled, and its tables as compiled functions take them."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wasim.compiled import compiled
from wasim.rules import compaction
from wasim.twin import delete_sizes
from wasim.years.machine import appends, changes, files, jobs, manifests, run, sizes, statements, taken, touched

Run = Callable[..., None]
Record = Any  # numbers and arrays by name, in one piece of memory, or what else numba has no types of
# Of names that stand twice the last one's count
_MODULES = (
    compaction,
    delete_sizes,
    sizes,
    manifests,
    files,
    appends,
    touched,
    taken,
    jobs,
    statements,
    changes,
    run,
)


def compiled_run(*, compiles: bool) -> Run | None:
    """`machine.run`, as `compiled` says."""
    return compiled(_MODULES, "run", compiles=compiles)


def as_record(value: Record) -> Record:
    """The same fields in a record, as compiled functions take them; lists have the shapes of arrays in it."""
    columns: dict[str, NDArray[Any]] = {
        one.name: np.asarray(getattr(value, one.name), _kind_of(one.type)) for one in fields(value)
    }
    found = np.zeros(1, dtype=_record_of(tuple((name, one.dtype, one.shape) for name, one in columns.items())))
    found = found.view(np.recarray)
    for name, column in columns.items():
        found[name] = column
    return found[0]


@cache
def _record_of(kinds: tuple[tuple[str, np.dtype[Any], tuple[int, ...]], ...]) -> np.dtype[Any]:
    """The type of records with these fields; tables of one kind have the same."""
    return np.dtype([*kinds])


def _kind_of(annotation: object) -> type:
    """Of numbers as they are declared: the same code serves all tables."""
    return np.int64 if annotation in (int, list[int]) else np.float64
