"""A run, or two compared, for the terminal, whole from 80 columns on; and as a comment for a pull request."""

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wasim.report.answer import Answer, conclude, measured_line
from wasim.report.comparison import Comparison
from wasim.report.gate import Verdict
from wasim.report.pages.answer_cells import matrix_table, options_table
from wasim.report.pages.cells import bill_table, headline_table
from wasim.report.tables import Comment, Judged, TextTable, render_comment, table_of
from wasim.runs import LimitDocument, Run
from wasim.scenario.metrics import format_value
from wasim.scenario.prices import Prices
from wasim.units import format_count, format_times

COLUMNS = 80
_SHORT = {
    "interval": "every",
    "horizon": "over",
    "metadata.json": "json",
    "metadata.json size": "json\nsize",
    "manifest lists": "lists",
    "other metadata": "other",
    "live manifests": "live",
    "metadata on disk": "on disk",
    "WA_metadata": "WA_\nmetadata",
    "planning ms": "planning\nms",
}
"""Heads for 80 columns: whole words, on two lines where one is too wide for its figures."""


def render_answer(run: Run, answer: Answer) -> RenderableType:
    """The conclusion, what was measured, and a row per interval: what it costs, and which limits it keeps."""
    parts: list[RenderableType] = [Text(conclude(answer, run), style="bold"), Text(measured_line(run), style="dim")]
    parts += [render_table(table) for table in (matrix_table(answer), options_table(answer, run)) if table.rows]
    return Group(*parts)


def render_bill(run: Run, answer: Answer, prices: Prices) -> RenderableType | None:
    """What S3 would charge, one row per case there; None where no case is."""
    text = bill_table(run, answer, prices)
    return render_table(text, wrapped=True) if text.rows else None


def render_table(text: TextTable, *, wrapped: bool = False) -> RenderableType:
    """The table within 80 columns: where it is wider, each writer heads its rows instead of standing in a column.

    Where that is too wide still, columns that can be spared are left out. Where heads are long, `wrapped` lets cells
    take several lines.
    """
    if not wrapped and "writer" in text.head:
        for name in text.spare:  # they are left out as far as the others do not fit
            if _width(_without(text, text.head.index("writer"))) <= COLUMNS:
                break
            if name in text.head:
                text = _without(text, text.head.index(name))
    if wrapped or "writer" not in text.head or _width(text) <= COLUMNS:
        return Group(Text(text.caption, style="bold"), _table(text, text.rows, wrapped=wrapped))
    place = text.head.index("writer")
    others, writers = _without(text, place), [row[place] for row in text.rows]
    parts: list[RenderableType] = [Text(text.caption, style="bold"), _table(others, ())]
    for writer in dict.fromkeys(writers):
        mine = [row for row, own in zip(others.rows, writers, strict=True) if own == writer]
        parts += [Text(writer), _table(others, mine, headed=False)]
    return Group(*parts)


def _without(text: TextTable, place: int) -> TextTable:
    return replace(
        text,
        head=text.head[:place] + text.head[place + 1 :],
        rows=tuple(row[:place] + row[place + 1 :] for row in text.rows),
    )


def _width(text: TextTable) -> int:
    return sum(_column_width(text, place) + 1 for place in range(len(text.head))) - 1


def _column_width(text: TextTable, place: int) -> int:
    return max(len(cell) for cell in (*_head(text.head[place]).split("\n"), *(row[place] for row in text.rows)))


def _head(head: str) -> str:
    return _SHORT.get(head, head.replace(", ", ",\n"))


def _table(text: TextTable, rows: Sequence[tuple[str, ...]], *, headed: bool = True, wrapped: bool = False) -> Table:
    """The table of these rows; columns are as wide as all rows of `text` need."""
    table = Table(show_header=headed, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for place, head in enumerate(text.head):
        table.add_column(
            _head(head),
            justify="right" if head in text.figures else "left",
            no_wrap=not wrapped,
            min_width=None if wrapped else _column_width(text, place),
        )
    for row in rows:
        table.add_row(*map(Text, row))  # Text: a label's brackets are no markup
    return table


def run_comment(run: Run, answer: Answer, limits: Sequence[LimitDocument], link: str) -> str:
    """The comment as Markdown; `link` leads to the report, and is empty where there is none."""
    failed = [Judged(text=f"failed: {label}: {line}", holds=False) for label, line in run.failures.items()]
    judged = [Judged(text=f"`{one['limit']}`: {worst_words(one)}", holds=one["holds"]) for one in limits]
    tables = [table for table in (options_table(answer, run), headline_table(run), matrix_table(answer)) if table.rows]
    comment = Comment(
        headline=conclude(answer, run),
        judged=[*failed, *judged],
        table=tables[0],
        notes=[line] if (line := measured_line(run)) else [],
        details=tables[1:],
        link=link,
    )
    return render_comment(comment)


def worst_words(limit: LimitDocument) -> str:
    """`1.50 GiB (streaming every 1m)`: the worst value and its case, or why there is none."""
    if limit["not_judged_because"]:
        return f"not judged: {limit['not_judged_because']}"
    worst = "not measured" if limit["worst"] is None else format_value(limit["metric"], limit["worst"])
    return f"{worst} ({limit['case']})"


def comparison_table(comparison: Comparison) -> TextTable:
    """One row per matched case: the second run's figures, each with its ratio to the first's."""
    return table_of(
        f"{comparison.first} → {comparison.second}",
        ({"case": match.label} | {one.name: one.text for one in match.figures} for match in comparison.matches),
    )


def comparison_notes(comparison: Comparison) -> list[str]:
    """What the runs differ in, and which cases were not compared, a sentence each."""
    differing = [f"The runs differ in {sentence}." for sentence in comparison.differences]
    return differing + [f"Not compared: {sentence}." for sentence in comparison.unmatched]


def comparison_comment(comparison: Comparison, verdict: Verdict) -> str:
    """The comparison as a comment for a pull request."""
    judged = [Judged(text=line, holds=False) for line in verdict.lines]
    if verdict.asked:
        judged = [Judged(text=verdict.sentence, holds=verdict.passed), *judged]
    return render_comment(
        Comment(
            headline=_headline(comparison),
            judged=judged,
            table=comparison_table(comparison),
            notes=comparison_notes(comparison),
        )
    )


def _headline(comparison: Comparison) -> str:
    """`Metadata written ×0.99 to ×1.02 over 4 cases`."""
    ratios = sorted(
        one.ratio
        for match in comparison.matches
        for one in match.figures
        if one.metric == "metadata_bytes" and one.ratio is not None
    )
    cases = format_count(len(comparison.matches), "case")
    if not ratios:
        return f"{cases} compared"
    low, high = (format_times(ratio) for ratio in (ratios[0], ratios[-1]))
    return f"Metadata written {low if low == high else f'{low} to {high}'} over {cases}"


def render_comparison(comparison: Comparison) -> RenderableType:
    """The table for a terminal, then the notes."""
    notes = [Text(note) for note in comparison_notes(comparison)]
    return Group(render_table(comparison_table(comparison), wrapped=True), *notes)
