"""What verbs print: results on stdout, as a terminal's table or in another form, all else on stderr; and exit codes."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wasim.errors import WasimError, printable_lines

if TYPE_CHECKING:
    from rich.console import Console

    from wasim.runner import Outcome
    from wasim.runs import LimitDocument
    from wasim.scenario import LoadedScenario

Link = Annotated[
    str,
    typer.Option("--link", metavar="URL", help="Where the report can be read, for Markdown; its path is the default."),
]
FailAbove = Annotated[
    str | None,
    typer.Option(
        metavar="RATIOS",
        help="Exit 1 if a figure is more than so many times the first's: 1.1 for bytes, or by metric, such as"
        " metadata=1.01,planning=2.",
    ),
]
FailOnMissing = Annotated[
    bool, typer.Option("--fail-on-missing", help="Exit 1 too if something of the first is not compared.")
]


class OutputClosed(Exception):
    """Nobody reads the output any more. Of a BrokenPipeError typer and rich make exit code 1, that of a limit."""


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Prints lines as text, whatever characters the names and values in them have."""
    try:
        typer.echo(printable_lines(text), err=err, nl=nl)
    except BrokenPipeError as error:
        raise OutputClosed from error


def console(*, stderr: bool = False) -> "Console":
    """A console that colours what is styled, on a terminal only, and never parts of numbers; the rest as `echo`."""
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Any:  # noqa: ANN401 - of rich's types
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(printable_lines(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise OutputClosed

    return PrintableConsole(stderr=stderr, highlight=False)


def print_notes(scenario: "LoadedScenario") -> None:
    """Prints, on stderr, where a scenario runs differently from its text, such as a horizon cut to whole commits."""
    for note in scenario.notes:
        echo(f"note: {note}", err=True)


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print the result on stdout.")]


def chosen_format(form: Format, *, as_json: bool, link: str = "") -> Format:
    """The format that both options together ask for. WasimError where they ask for two, or for a link in another."""
    if as_json and form not in (Format.TABLE, Format.JSON):
        raise WasimError(f"--json and --format {form} exclude each other: give one.")
    if link and form is not Format.MARKDOWN:
        raise WasimError("--link is of Markdown. Give --format markdown too, or leave it out.")
    return Format.JSON if as_json else form


def render(
    form: Format, document: Mapping[str, Any], records: Sequence[Mapping[str, Any]], markdown: Callable[[], str]
) -> str:
    """A result as text: its document as JSON, its records as CSV, or as Markdown."""
    match form:
        case Format.JSON:
            return json.dumps(document)
        case Format.CSV:
            return render_csv(records)
        case _:
            return markdown()


def render_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """A line per record, after a line of names; nested values by dotted name, lists left out, numbers as they are."""
    from wasim.report.words import leaves

    rows = [{name: value for name, value in leaves(one) if not isinstance(value, list | tuple)} for one in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    lines = csv.DictWriter(text, names, lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue().rstrip("\n")


def print_outcome(outcome: "Outcome", form: Format, link: str) -> None:
    """Prints what came out and ends with its exit code. In another form than a table, stdout holds nothing else.

    `link` is where the report can be read, its path if empty.
    """
    from wasim.report.pages.cells import headline_table
    from wasim.report.pages.terminal import render_answer, render_bill, render_table, run_comment
    from wasim.report.simulated import simulation_notes

    if form is not Format.TABLE:
        link = link or ("" if outcome.report is None else str(outcome.report))
        parts = outcome.run, outcome.answer, outcome.limits, link
        echo(render(form, outcome.document, outcome.document["cases"], lambda: run_comment(*parts)))
    words = console(stderr=form is not Format.TABLE)
    words.print(render_answer(outcome.run, outcome.answer))
    if outcome.remedies_line:
        words.print(outcome.remedies_line, markup=False, highlight=False)
    words.print(render_table(headline_table(outcome.run)))
    for note in dict.fromkeys((*simulation_notes(outcome.run), *outcome.ahead)):
        words.print(note, style="dim", markup=False, highlight=False)
    if (bill := render_bill(outcome.run, outcome.answer, outcome.prices)) is not None:
        words.print(bill)
    for limit in outcome.limits:
        words.print(_limit_line(limit), markup=False)
    for label, line in outcome.run.failures.items():
        words.print(f"failed: {label}: {line}", markup=False, style="red")
    if outcome.report is not None:
        words.print(f"Report: {outcome.report}", markup=False, soft_wrap=True)
    if outcome.exit_code:
        raise typer.Exit(int(outcome.exit_code))


def _limit_line(limit: "LimitDocument") -> str:
    from wasim.report.pages.terminal import worst_words

    if limit["holds"] is None:
        return f"limit {limit['limit']} is {worst_words(limit)}"
    return f"limit {limit['limit']} {'holds' if limit['holds'] else 'is breached'}: {worst_words(limit)}"
