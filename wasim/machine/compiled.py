"""The machine's functions compiled by numba, where it is installed."""

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType
from typing import Any, get_type_hints

from wasim.machine import commits, draws, files, lookups, manifests, memory, statements, stepping, touched
from wasim.machine.columns import Column, Cube, Matrix
from wasim.rules import compaction, maintenance, merging
from wasim.twin import delete_files

CACHE = "WASIM_CACHE"
"""Names the folder of compiled code; by default one of the user's."""
COMPLETE = "complete"  # a file that says that all was compiled
_MODULES = (draws, lookups, manifests, files, commits, touched, statements, stepping)
_ASKED: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (merging, ("fitting", "merges", "is_listed")),
    (
        compaction,
        ("small_file_bytes", "large_file_bytes", "is_outside", "is_much_deleted", "is_rewritten", "output_files"),
    ),
    (maintenance, ("is_due", "commit_at", "turn_after", "rewritten_manifests")),
    (delete_files, ("positions_bytes", "vector_bytes", "_container_bytes", "_bitmap_header_bytes")),
)


def is_compiled_already() -> bool:
    """Whether an earlier process compiled this source, so that it is loaded within a second."""
    folder = _cache_folder()
    return folder is not None and (folder / COMPLETE).exists()


@cache
def compiled_run() -> Callable[..., int] | None:
    """`stepping.run` compiled, for arrays in the place of lists; None where numba is missing or does not work."""
    try:
        numba: Any = import_module("numba")  # takes 0.3 s, which short histories do without
    except Exception:
        return None
    folder, before = _cache_folder(), numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        return _compile(numba, folder)
    except Exception:
        return None
    finally:
        numba.config.CACHE_DIR = before


def _compile(numba: Any, folder: Path | None) -> Callable[..., int]:
    """Each function for one kind of arguments, those that it calls first; none, if all were compiled before."""
    inner = numba.njit(error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    outer = numba.njit(error_model="numpy", _nrt=False, nogil=True, cache=folder is not None)
    scopes: dict[str, dict[str, Any]] = {}
    compiled: dict[FunctionType, Any] = {}
    for one in _callees_first():
        scope = scopes.setdefault(one.__module__, dict(one.__globals__))
        copy = FunctionType(_code_for_arrays(one), scope, one.__name__, one.__defaults__)
        compiled[one] = (outer if one is stepping.run else inner)(copy)
    for scope in scopes.values():
        for name, value in scope.items():
            if isinstance(value, FunctionType) and value in compiled:
                scope[name] = compiled[value]
    done = folder / COMPLETE if folder else None
    if done is None or not done.exists():
        level = numba.config.OPT
        for one, dispatcher in compiled.items():
            # higher levels take twice as long, and all ends in what is compiled last
            numba.config.OPT = type(level)(2 if one is stepping.run else 1)
            dispatcher.compile(_signature(numba, one))
            dispatcher.disable_compile()
        numba.config.OPT = level
        if done is not None:
            done.touch()
    run: Callable[..., int] = compiled[stepping.run]  # type: ignore[index]
    return run


class _ForArrays(ast.NodeTransformer):
    """Writes `matrix[column][row]` as `matrix[column, row]`, which arrays take in one step, and `t.state` as a view
    into the record that holds it.
    """

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        inner = node.value
        if isinstance(inner, ast.Attribute) and _is_fixed(inner):
            node.value, node.slice = _in_record(inner), self.visit(node.slice)
            return node
        self.generic_visit(node)
        inner = node.value
        if isinstance(inner, ast.Subscript) and not isinstance(inner.slice, ast.Slice):
            places = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
            node.value, node.slice = inner.value, ast.Tuple(elts=[*places, node.slice], ctx=ast.Load())
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not _is_fixed(node):
            return node
        record, upper = _in_record(node), None
        if node.attr in memory.OF_LAWS:
            upper = ast.Attribute(record.value, memory.LENGTH.format(node.attr), ast.Load())
        return ast.Subscript(record, ast.Slice(upper=upper), ast.Load())


def _is_fixed(node: ast.Attribute) -> bool:
    known = {"t": memory.OF_TABLE, "laws": memory.OF_LAWS}
    return isinstance(node.value, ast.Name) and node.attr in known.get(node.value.id, ())


def _in_record(node: ast.Attribute) -> ast.Attribute:
    return ast.Attribute(ast.Attribute(node.value, "fixed", ast.Load()), node.attr, ast.Load())


def _code_for_arrays(function: FunctionType) -> CodeType:
    tree = ast.parse(dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)  # noqa: S101 - no other functions are asked for
    definition.returns, definition.args.defaults = None, []
    for one in definition.args.args:
        one.annotation = None
    file = inspect.getsourcefile(function) or ""
    code = compile(ast.fix_missing_locations(_ForArrays().visit(tree)), file, "exec")
    return next(one for one in code.co_consts if isinstance(one, CodeType))


def _callees_first() -> Iterator[FunctionType]:
    known = {one for module in _MODULES for one in vars(module).values() if _is_of(one, module)}
    known |= {getattr(module, name) for module, names in _ASKED for name in names}
    seen: set[FunctionType] = set()

    def visit(one: FunctionType) -> Iterator[FunctionType]:
        seen.add(one)
        for name in one.__code__.co_names:
            called = one.__globals__.get(name)
            if isinstance(called, FunctionType) and called in known and called not in seen:
                yield from visit(called)
        yield one

    yield from visit(stepping.run)  # type: ignore[arg-type]


def _is_of(one: Any, module: ModuleType) -> bool:
    return isinstance(one, FunctionType) and one.__module__ == module.__name__


def _signature(numba: Any, function: FunctionType) -> tuple[Any, ...]:
    types = numba.types
    of_hint = {
        "float": types.float64,
        "int": types.int64,
        "bool": types.boolean,
        str(Column): types.Array(types.float64, 1, "C"),
        str(Matrix): types.Array(types.float64, 2, "C"),
        str(Cube): types.Array(types.float64, 3, "C"),
    }
    column, matrix, cube = of_hint[str(Column)], of_hint[str(Matrix)], of_hint[str(Cube)]
    table = [numba.from_dtype(memory.TABLE), cube, matrix, matrix, column]
    of_hint["Table"] = types.NamedTuple(table, memory.TableArrays)
    of_hint["Laws"] = types.NamedTuple([numba.from_dtype(memory.LAWS), matrix], memory.LawArrays)
    hints = {name: hint for name, hint in get_type_hints(function).items() if name != "return"}
    return tuple(of_hint.get(str(hint)) or of_hint[hint.__name__] for hint in hints.values())


@cache
def _cache_folder() -> Path | None:
    """The folder that holds what was compiled of just this source; None where none can be written to."""
    try:
        numba = version("numba")
    except PackageNotFoundError:
        return None
    sources = "".join(inspect.getsource(module) for module in (*_MODULES, *(module for module, _ in _ASKED)))
    file = Path(stepping.__file__)  # numba compiles anew where it lies elsewhere, or was written again
    origin = f"{file} {file.stat().st_mtime_ns}"
    key = hashlib.sha256(f"{sources} {origin} {numba} {sys.version}".encode()).hexdigest()[:16]
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        folder = Path(os.environ.get(CACHE) or Path(home) / "wasim") / key
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None
