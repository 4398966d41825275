"""Results in other forms than a terminal's table: JSON, CSV and Markdown, on stdout alone."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


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
FormatOption = Annotated[Format, typer.Option("--format", help="How to print the result on stdout.")]


def chosen_format(form: Format, *, as_json: bool) -> Format:
    """The format that both options together ask for."""
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
    rows = [dict(_flat(record)) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    lines = csv.DictWriter(text, names, lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue().rstrip("\n")


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list | tuple):
            yield f"{prefix}{name}", value
