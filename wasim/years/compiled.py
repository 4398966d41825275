"""The machine as it is compiled, and its tables as compiled functions take them."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from wasim.compiled import compiled
from wasim.rules import compaction
from wasim.twin import delete_sizes
from wasim.years.machine import appends, changes, files, jobs, manifests, run, sizes, statements, taken, touched

Run = Callable[..., None]
Record = Any  # numbers and arrays by name, in one piece of memory, or what else numba has no types of
# Of names that stand twice the last one's count
_MODULES = (compaction, delete_sizes, sizes, manifests, files, appends, touched, taken, jobs, statements, changes, run)


def compiled_run(*, compiles: bool) -> Run | None:
    """`machine.run`, as `compiled` says."""
    return compiled(_MODULES, "run", compiles=compiles)


def as_record(value: Record) -> Record:
    """The same fields in a record, as compiled functions take them; lists have the shapes of arrays in it."""
    kind = type(value)
    if kind not in _KINDS:
        _KINDS[kind] = np.dtype(
            [  # numbers as they are declared: the same code serves all tables
                (one.name, np.int64 if one.type in (int, list[int]) else np.float64, np.shape(getattr(value, one.name)))
                for one in fields(value)
            ]
        )
    held = tuple(getattr(value, one.name) for one in fields(value))
    return np.array([held], dtype=_KINDS[kind]).view(np.recarray)[0]


_KINDS: dict[type, np.dtype[Any]] = {}  # of records: lists of one field are as long in all values of a class
