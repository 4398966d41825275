"""Consoles: results go to stdout, all else to stderr."""

from typing import TYPE_CHECKING, Any

import typer

from wasim.errors import printable_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from wasim.report.tables import TextTable
    from wasim.scenario import LoadedScenario


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Prints lines as text, whatever characters the names and values in them have."""
    typer.echo(printable_lines(text), err=err, nl=nl)


def console(*, stderr: bool = False) -> "Console":
    """A console that colours what is styled, on a terminal only, and never parts of numbers; the rest as `echo`."""
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Any:  # noqa: ANN401 - of rich's types
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(printable_lines(segment.text), segment.style)

    return PrintableConsole(stderr=stderr, highlight=False)


def print_notes(scenario: "LoadedScenario") -> None:
    """Prints, on stderr, where a scenario runs differently from its text, such as a horizon cut to whole commits."""
    for note in scenario.notes:
        echo(f"note: {note}", err=True)


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
