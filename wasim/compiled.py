"""Functions compiled by numba, where that is installed: once on a computer, as it keeps them next to the sources, or in
the user's cache. `python -m tools.compile` compiles them ahead.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

Compiled = Any  # numba's, which has no types
# They make no arrays: numba need not count who refers to those they take, by a call for each row that is looked at
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False, "error_model": "numpy"}


@cache
def compiled(modules: tuple[ModuleType, ...], name: str, *, compiles: bool) -> Compiled | None:
    """The function of that name in the last module that has it, compiled with all that it calls in these modules.

    None where numba is missing, broken or switched off, cannot keep what it compiles, or has yet to compile and may
    not: that takes up to a minute.
    """
    try:
        from numba import config, njit  # noqa: PLC0415 - takes a quarter of a second to import
        from numba.core.types import unliteral  # noqa: PLC0415
    except (ImportError, AttributeError, OSError):
        return None
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None
    scope: dict[str, Any] = {}
    for module in modules:
        scope |= vars(module)
    ours = (one for one in scope.items() if isinstance(one[1], FunctionType))
    functions = {called: one for called, one in ours if one.__module__.startswith("wasim.")}
    any_njit: Compiled = njit  # its types know no such options; nothing but `name` is called from outside
    for called, function in functions.items():
        try:
            inner = any_njit(**_INNER)(_within(scope, function, called))
        except KeyError:  # another numba's options
            return None
        scope[called] = _for_any_number(inner, unliteral)
    own = _within(scope, functions[name], f"{name}_{_digest(scope, functions.values())}")
    try:
        found: Compiled = njit(cache=True)(own)
    except RuntimeError:  # there is no folder
        return None
    is_kept = any(Path(found._cache.cache_path).glob(f"*{own.__qualname__}*"))
    return _for_any_number(found, unliteral) if is_kept or compiles else None


def _for_any_number(dispatcher: Compiled, unliteral: Callable[[Any], Any]) -> Compiled:
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
    """Of all code and constants that are compiled: of any other the file is another one."""
    named = ((name, value) for name, value in scope.items() if not name.startswith("__"))
    numbers = sorted((name, repr(value)) for name, value in named if isinstance(value, int | float | str | tuple))
    code = [(one.__code__.co_code, one.__code__.co_consts, one.__code__.co_names) for one in functions]
    return hashlib.sha256(repr((numbers, code)).encode()).hexdigest()[:12]
