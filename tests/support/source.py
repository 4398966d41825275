"""Python modules as tests search them: each is parsed once."""

import ast
from functools import cache
from pathlib import Path


@cache
def nodes_of(module: Path) -> tuple[ast.AST, ...]:
    """Every node of its syntax tree."""
    return tuple(ast.walk(ast.parse(module.read_text())))
