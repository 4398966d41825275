"""Tables for a terminal; the headline is whole from 80 columns on, where bytes may take two lines."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wasim.fit.report import FitReport
from wasim.report.pages.bill_cells import bill_table
from wasim.report.pages.cells import TextTable, headline_table
from wasim.runs import Run
from wasim.scenario.prices import Prices

_SHORT = {
    "interval": "every",
    "horizon": "hori-\nzon",
    "commits": "com-\nmits",
    "manifest lists": "mani-\nfest\nlists",
    "metadata.json": "meta-\ndata\n.json",
    "manifests": "mani-\nfests",
    "other metadata": "other\nmeta-\ndata",
    "WA_data": "WA_\ndata",
    "WA_metadata": "WA_\nmeta-\ndata",
    "WA_total": "WA_\ntotal",
    "live manifests": "live\nmani-\nfests",
    "planning ms": "plan-\nning\nms",
}
"""Heads in lines, so that the columns are as narrow as their figures."""

_BYTES = ("manifest lists", "metadata.json", "manifests", "other metadata")
WIDEST_WRITER, NARROWEST_BYTES = 9, 5  # "streaming"; longer labels get lines of their own
ROOMY_COLUMNS = 12  # with more, 80 columns hold them only if bytes always take two lines


def render_headline_table(run: Run) -> RenderableType:
    """One row per case: interval, writer, commits, metadata by kind, WA with its horizon, manifests, planning.

    Where writers have long labels, each heads its rows.
    """
    text = headline_table(run)
    labels = [row[text.head.index("writer")] for row in text.rows]
    if max(map(len, labels), default=0) <= WIDEST_WRITER:
        return _headline(text, text.rows, title=text.caption)
    rows = {label: [row for row, own in zip(text.rows, labels, strict=True) if own == label] for label in labels}
    parts: list[RenderableType] = [_headline(text, (), title=text.caption, writer=False)]
    for label, mine in rows.items():
        parts += [Text(label), _headline(text, mine, writer=False)]
    return Group(*parts)


def _headline(
    text: TextTable, rows: Sequence[tuple[str, ...]], *, title: str | None = None, writer: bool = True
) -> Table:
    """The table of these rows, without its head where it has no title; columns are as wide as all rows need."""
    table = Table(
        title=title,
        show_header=title is not None,
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    kept = [place for place, head in enumerate(text.head) if writer or head != "writer"]
    for place in kept:
        head = text.head[place]
        shown, is_bytes = _SHORT.get(head, head), head in _BYTES
        width = max(len(cell) for cell in (*shown.split("\n"), *(row[place] for row in text.rows)))
        table.add_column(
            shown,
            justify="right" if head in text.figures else "left",
            no_wrap=not is_bytes,
            min_width=NARROWEST_BYTES if is_bytes else width,
            max_width=NARROWEST_BYTES if is_bytes and len(kept) > ROOMY_COLUMNS else width,
        )
    for row in rows:
        table.add_row(*(Text(row[place]) for place in kept))  # Text: a label's brackets are no markup
    return table


def render_bill(run: Run, fit: FitReport, prices: Prices) -> Table | None:
    """What S3 would charge, one row per case there; None where no case is."""
    text = bill_table(run, fit, prices)
    if not text.rows:
        return None
    table = Table(
        title=text.caption, title_justify="left", title_style="bold", box=None, padding=(0, 1, 0, 0), pad_edge=False
    )
    for head in text.head:
        table.add_column(head, justify="right" if head in text.figures else "left")
    for row in text.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
