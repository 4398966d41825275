"""Consoles: results go to stdout, all else to stderr."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from wasim.scenario import LoadedScenario


def console(*, stderr: bool = False) -> "Console":
    """A console that colours what is styled, on a terminal only, and never parts of numbers."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def print_notes(scenario: "LoadedScenario") -> None:
    """What of the scenario is carried out otherwise than written, on stderr."""
    for note in scenario.notes:
        typer.echo(f"note: {note}", err=True)
