"""Consoles: results go to stdout, all else to stderr."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console(*, stderr: bool = False) -> "Console":
    """A console that colours what is styled, on a terminal only, and never parts of numbers."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)
