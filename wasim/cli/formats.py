"""Results in other forms than a terminal's table: JSON, CSV and Markdown, on stdout alone."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from wasim.report.tables import TextTable


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print the result on stdout.")]


def chosen_format(form: Format, *, as_json: bool) -> Format:
    """The format that both options together ask for."""
    return Format.JSON if as_json else form


def render(form: Format, document: Mapping[str, Any], records: Sequence[Mapping[str, Any]], table: "TextTable") -> str:
    """A result as text: its document as JSON, its records as CSV, or its table as Markdown."""
    match form:
        case Format.JSON:
            return json.dumps(document)
        case Format.CSV:
            return render_csv(records)
        case _:
            return render_markdown(table)


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


def render_markdown(table: "TextTable") -> str:
    """The table as Markdown, its caption above it; columns of figures align right."""
    lines = [table.head, tuple("--:" if name in table.figures else "---" for name in table.head), *table.rows]
    return "\n".join([f"**{table.caption}**", "", *(_markdown_line(line) for line in lines)])


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
