"""The machine's functions compiled by numba, where that is installed: once on a computer, as it keeps them beside the
sources, or in the user's cache. `python -m tools.compile` compiles them ahead.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


@cache
def compiled_run(*, compiles: bool) -> Run | None:
    """`machine.run`, compiled; None where numba is missing, broken or told not to, cannot keep what it compiles, or has
    yet to compile and is not told to: that takes a minute.
    """
    try:
        from numba import config, njit  # noqa: PLC0415 - takes a quarter of a second to import
        from numba.core.types import unliteral  # noqa: PLC0415
    except (ImportError, AttributeError, OSError):
        return None
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None
    scope: dict[str, Any] = {}
    for module in _MODULES:
        scope |= vars(module)
    functions = {name: one for name, one in scope.items() if isinstance(one, FunctionType)}
    any_njit: Record = njit  # its types know no such options; nothing but `run` is called from outside
    for name, function in functions.items():
        inner = any_njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(_within(scope, function, name))
        scope[name] = _for_any_number(inner, unliteral)
    own = _within(scope, functions["run"], f"run_{_digest(scope, functions.values())}")
    try:
        found: Record = njit(cache=True)(own)
    except RuntimeError:  # there is no folder
        return None
    is_kept = any(Path(found._cache.cache_path).glob(f"*{own.__qualname__}*"))
    return _for_any_number(found, unliteral) if is_kept or compiles else None


def _for_any_number(dispatcher: Record, unliteral: Callable[[Record], Record]) -> Record:
    """A compiled function that is compiled once, not for each number that stands in a call of it."""
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template([unliteral(one) for one in args], kws)
    return dispatcher


def _within(scope: dict[str, Any], function: FunctionType, name: str) -> FunctionType:
    """The function, which calls what it calls as it is in this scope."""
    found = FunctionType(function.__code__, scope, name)
    found.__module__, found.__qualname__ = function.__module__, name
    return found


def _digest(scope: dict[str, Any], functions: Iterable[FunctionType]) -> str:
    """Of all code and numbers that are compiled: of any other the file is another one."""
    numbers = sorted((name, value) for name, value in scope.items() if isinstance(value, int | float))
    code = [(one.__code__.co_code, one.__code__.co_consts, one.__code__.co_names) for one in functions]
    return hashlib.sha256(repr((numbers, code)).encode()).hexdigest()[:12]


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
