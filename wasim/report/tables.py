"""A table of text, its rendering as plain lines and as Markdown; and Markdown to post under a pull request."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape


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


def table_of(
    caption: str,
    cells: Iterable[Mapping[str, str]],
    *,
    words: Collection[str] = (),
    grouped: bool = False,
    spare: tuple[str, ...] = (),
) -> TextTable:
    """The table of rows of cells by column, all columns but `words` and the first with figures. The first heads rows
    that share it when `grouped`.
    """
    rows = list(cells)
    head = tuple(rows[0])[grouped:] if rows else ()
    return TextTable(
        caption=caption,
        head=head,
        rows=tuple(tuple(row.values()) for row in rows),
        figures=tuple(name for name in head[not grouped :] if name not in words),
        grouped=grouped,
        spare=spare,
    )


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


MARKS = {True: "✓", False: "✗", None: "·"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A line of what was judged; `holds` is None where it could not be."""

    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A part that is folded under its title, as Markdown."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment. `marker` is hidden in it, so that a later one finds and replaces it; `details` are folded.

    `link` leads to a report, as an address or a path.
    """

    headline: str
    judged: Sequence[Judged] = ()
    table: TextTable | None = None
    notes: Sequence[str] = ()
    details: Sequence[TextTable | Folded] = ()
    remarks: Sequence[str] = ()  # on what all of it rests, at the end
    link: str = ""
    marker: str = ""

    @property
    def mark(self) -> str:
        """✗ if anything does not hold, ✓ if anything does, else nothing."""
        judged = {one.holds for one in self.judged} - {None}
        return f"{MARKS[False not in judged]} " if judged else ""


def render_comment(comment: Comment) -> str:
    """The comment as Markdown, without a line feed at its end."""
    return "\n\n".join(part for part in _parts(comment) if part)


def _parts(comment: Comment) -> Iterator[str]:
    hidden = f"<!-- {comment.marker} -->\n" if comment.marker else ""
    yield f"{hidden}### {comment.mark}{comment.headline}"
    yield "\n".join(f"- {MARKS[one.holds]} {one.text}" for one in comment.judged)
    if comment.table is not None and comment.table.rows:
        yield render_markdown(comment.table)
    yield "\n".join(f"* {note}" for note in comment.notes)  # another bullet begins another list: both stay tight
    for detail in comment.details:
        part = detail if isinstance(detail, Folded) else Folded(title=detail.caption, text=_lines(detail))
        yield f"<details><summary>{escape(part.title, quote=False)}</summary>\n\n{part.text}\n\n</details>"
    yield " ".join(comment.remarks)
    if comment.link:
        yield f"[Report]({comment.link})"


def render_markdown(table: TextTable) -> str:
    """The table as Markdown, its caption above it; columns of figures align right."""
    return f"**{table.caption}**\n\n{_lines(table)}" if table.caption else _lines(table)


def _lines(table: TextTable) -> str:
    lines = [table.head, tuple("--:" if name in table.figures else "---" for name in table.head), *table.rows]
    return "\n".join(map(_line, lines))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
