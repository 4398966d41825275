"""The machine's functions compiled by numba, where that is installed: once on a computer, as it keeps them beside the
sources, or in the user's cache. `python -m wasim.years.compiled` compiles them ahead.
"""

import hashlib
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from wasim.years import machine

Run = Callable[..., None]


@cache
def compiled_run(*, compiles: bool) -> Run | None:
    """`machine.run`, compiled; None where numba is missing, has no folder to keep what it compiled, or has yet to
    compile and is not told to: that takes half a minute.
    """
    try:
        from numba import njit  # noqa: PLC0415 - takes a quarter of a second to import
        from numba.core.types import unliteral  # noqa: PLC0415
    except ImportError:
        return None
    scope: dict[str, Any] = dict(vars(machine))
    for function in machine.FUNCTIONS:
        own = FunctionType(function.__code__, scope, function.__name__)
        own.__module__, own.__qualname__ = machine.__name__, function.__qualname__
        if function is not machine.run:
            scope[function.__name__] = _for_any_number(njit(own), unliteral)
    own.__qualname__ = f"{own.__name__}_{_digest(scope)}"
    try:
        run = njit(cache=True)(own)
    except RuntimeError:  # there is no folder
        return None
    is_kept = any(Path(run._cache.cache_path).glob(f"*{own.__qualname__}*"))  # noqa: SLF001
    found: Run = _for_any_number(run, unliteral)
    return found if is_kept or compiles else None


def _for_any_number(dispatcher: Any, unliteral: Callable[[Any], Any]) -> Any:
    """A compiled function that is compiled once, not for each number that stands in a call of it."""
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template([unliteral(one) for one in args], kws)
    return dispatcher


def _digest(scope: dict[str, Any]) -> str:
    """Of all numbers that functions read: compiled ones hold them, whatever module they are from."""
    numbers = sorted((name, value) for name, value in scope.items() if isinstance(value, int | float))
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:12]


def as_record(value: Any) -> Any:
    """The same fields in a record, as compiled functions take them; lists have the shapes of arrays in it."""
    columns = {one.name: np.asarray(getattr(value, one.name)) for one in fields(value)}
    kinds = [(name, column.dtype, column.shape) for name, column in columns.items()]
    found = np.zeros(1, dtype=kinds).view(np.recarray)
    for name, column in columns.items():
        found[name] = column
    return found[0]
