"""Consoles: results go to stdout, all else to stderr."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from wasim.report.tables import TextTable
    from wasim.scenario import LoadedScenario


def console(*, stderr: bool = False) -> "Console":
    """A console that colours what is styled, on a terminal only, and never parts of numbers."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def print_notes(scenario: "LoadedScenario") -> None:
    """Prints, on stderr, where a scenario runs differently from its text, such as a horizon cut to whole commits."""
    for note in scenario.notes:
        typer.echo(f"note: {note}", err=True)


def rich_table(text: "TextTable") -> "Table":
    """The table for a terminal; columns of figures align right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=text.caption or None, title_justify="left", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in text.head:
        table.add_column(name, justify="right" if name in text.figures else "left")
    for row in text.rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: a label's brackets are no markup
    return table
