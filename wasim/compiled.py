"""Functions compiled by numba, where that is installed: once on a computer, as what was compiled is kept next to the
sources, or in the user's cache. `python -m tools.compile` compiles them ahead.
"""

import ctypes
import hashlib
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wasim.errors import EnvironmentFault, WasimError

Compiled = Any  # numba's, and llvmlite's, which have no types
Argument = NDArray[Any] | np.void | float


def cache_folder() -> Path:
    """The folder of what is compiled or fetched once: $WASIM_CACHE, else `wasim` under the user's cache folder."""
    own = os.environ.get("WASIM_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(own) if own else Path(base, "wasim")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"{folder}: cannot be made ({error.strerror}). Set WASIM_CACHE to a folder that you may write."
        ) from error
    return folder


@cache
def compiled(modules: tuple[ModuleType, ...], name: str, *, compiles: bool) -> Callable[..., None] | None:
    """The function of that name in the last module that has it, compiled with all that it calls in these modules. They
    make no arrays and return nothing but numbers: so what was compiled is loaded without numba, in a twentieth of its
    time. It takes records, arrays whose elements follow each other, and floating-point numbers.

    None where llvmlite is missing or compiling switched off, where nothing can be kept, and where it has yet to be
    compiled and may not be: that takes up to a minute. Numbers divided by zero are infinite, or none.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}:
        return None
    try:
        from llvmlite import binding  # noqa: PLC0415
    except (ImportError, AttributeError, OSError):
        return None
    scope, functions = _scope_of(modules)
    cpu = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    of = _hash((_digest(scope, functions.values()), cpu))
    paths = [folder / f"{name}_{of}.o" for folder in _folders()]
    kept = next((path for path in paths if path.is_file()), None)
    if not paths or (kept is None and not (compiles and _has_numba())):
        return None
    found: list[Callable[..., int]] = []

    def call(*args: Argument) -> None:
        given = [one for arg in args for one in _as_passed(arg)]
        if not found:
            layout, content = _layout_of(args), kept.read_bytes() if kept else b""
            if not content.startswith(layout):  # a record has other fields than when it was compiled
                content = layout + _compile_for(args, scope, functions, name)
                _keep(paths[-1], content)
            found.append(_load(content.removeprefix(layout), [type(one) for one in given]))
        nothing = ctypes.c_void_p()
        found[0](ctypes.byref(nothing), ctypes.byref(nothing), *given)

    return call


def _has_numba() -> bool:
    try:
        import numba  # noqa: F401, PLC0415
    except (ImportError, AttributeError, OSError):
        return False
    return True


def _folders() -> list[Path]:
    """Where what was compiled may be: next to the sources, or where they may not be written to in the user's cache."""
    found = [Path(__file__).parent / "__pycache__"]
    if not os.access(found[0] if found[0].exists() else found[0].parent, os.W_OK):
        try:
            found.append(cache_folder())
        except WasimError:
            return [one for one in found if one.exists()]
    return found


def _compile_all(scope: dict[str, Any], functions: dict[str, FunctionType], **options: bool | str) -> None:
    """Makes all functions of a scope compiled ones, which call each other and are not called from outside."""
    from numba import njit  # noqa: PLC0415
    from numba.core.types import unliteral  # noqa: PLC0415

    any_njit: Compiled = njit  # its types know no such options
    for called, function in functions.items():
        inner = any_njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(_within(scope, function, called))
        scope[called] = _for_any_number(inner, unliteral)


def _compile_for(
    args: Iterable[Argument], scope: dict[str, Any], functions: dict[str, FunctionType], name: str
) -> bytes:
    """The name of the function compiled for these arguments, a line, then machine code."""
    from llvmlite import binding  # noqa: PLC0415
    from numba import typeof  # noqa: PLC0415

    # numba need not count who refers to the arrays, which it does by a call for each row that is looked at
    _compile_all(scope, functions, _nrt=False, error_model="numpy")
    found = scope[name]
    found.compile(tuple(map(typeof, args)))
    [(signature, overload)] = found.overloads.items()
    code: bytes = _machine().emit_object(binding.parse_assembly(found.inspect_llvm(signature)))
    own: str = overload.fndesc.llvm_func_name
    return own.encode() + b"\n" + code


def _keep(path: Path, content: bytes) -> None:
    """Writes the content for the next process; where it cannot be, as the disk is full, it serves this one alone."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_bytes(content)
        written.replace(path)


def _layout_of(args: Iterable[Argument]) -> bytes:
    """A line that tells arguments whose records have other fields, or whose arrays other dimensions."""
    kinds = [(str(arg.dtype), arg.ndim) if isinstance(arg, np.ndarray | np.void) else "number" for arg in args]
    return _hash(kinds).encode() + b"\n"


def _machine() -> Compiled:
    """What makes machine code for this computer, and runs it."""
    from llvmlite import binding  # noqa: PLC0415

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        reloc="static" if binding.get_default_triple().startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


def _load(content: bytes, types: list[type]) -> Callable[..., int]:
    """The function that `_compile_for` compiled, which takes where to put its result and its errors, too."""
    from llvmlite import binding  # noqa: PLC0415

    name, code = content.split(b"\n", 1)
    binding.load_library_permanently("")  # logarithms, powers: as this process has them
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    found = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *types)(
        engine.get_function_address(name.decode())
    )
    vars(found)["engine"] = engine  # lives as long
    return found


def _as_passed(arg: Argument) -> list[Any]:
    """An argument as numba's functions take it: a record by its address, an array with its size, shape and strides."""
    if isinstance(arg, np.ndarray):
        around = [ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int64(arg.size), ctypes.c_int64(arg.itemsize)]
        return [*around, ctypes.c_void_p(arg.ctypes.data), *map(ctypes.c_int64, (*arg.shape, *arg.strides))]
    if isinstance(arg, np.void):
        return [ctypes.c_void_p(np.frombuffer(arg.data, dtype=np.uint8).ctypes.data)]
    return [ctypes.c_double(arg)]


def _scope_of(modules: tuple[ModuleType, ...]) -> tuple[dict[str, Any], dict[str, FunctionType]]:
    """All names of the modules, and of these our own functions, each of which needs a name of its own."""
    scope: dict[str, Any] = {}
    for module in modules:
        for called, one in vars(module).items():
            if isinstance(one, FunctionType) and scope.get(called, one) is not one:
                msg = f"{module.__name__}.{called} is compiled with another function of that name: rename either"
                raise ValueError(msg)
        scope |= vars(module)
    ours = (one for one in scope.items() if isinstance(one[1], FunctionType))
    return scope, {called: one for called, one in ours if one.__module__.startswith("wasim.")}


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
    return _hash((numbers, [_content(one.__code__) for one in functions]))


def _content(code: CodeType) -> tuple[object, ...]:
    """What a function does, the same in each process: code within it, as of a generator, has an address else."""
    constants = [_content(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    return code.co_code, constants, code.co_names


def _hash(value: object) -> str:
    """Twelve hexadecimal digits that tell one value from others."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]
