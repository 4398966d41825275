"""A table of text, and its rendering as plain lines."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """A table of text. Columns in `figures` hold figures and align right.

    When `grouped`, a row's first cell has no column: it heads the rows that share it. Columns in `spare` are dropped,
    in that order, where the width does not suffice.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[str, ...] = ()
    grouped: bool = False
    spare: tuple[str, ...] = ()


def table_lines(table: TextTable) -> Iterator[str]:
    """The head and the rows, columns two spaces apart; without the caption."""
    cells = (table.head, *table.rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        aligned = (
            text.rjust(width) if name in table.figures else text.ljust(width)
            for text, width, name in zip(row, widths, table.head, strict=True)
        )
        yield "  ".join(aligned).rstrip()
