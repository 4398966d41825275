"""The headline table for a terminal, within 100 columns."""

from rich.table import Table
from rich.text import Text

from wasim.fit.report import FitReport
from wasim.pages.cells import headline_table
from wasim.runs import Run

_SHORT = {
    "manifest lists": "manifest\nlists",
    "metadata.json": "metadata\n.json",
    "manifests": "manifests",
    "other metadata": "other\nmetadata",
    "WA_data": "WA_\ndata",
    "WA_metadata": "WA_\nmetadata",
    "WA_total": "WA_\ntotal",
    "live manifests": "live\nmanif.",
    "planning ms": "planning\nms",
}
"""Heads in two lines, so that the columns are as narrow as their figures."""

WIDEST_WRITER = 18


def render_headline_table(run: Run, fit: FitReport) -> Table:
    """One row per case: interval, writer, commits, metadata by kind, WA with its horizon, manifests, planning."""
    text = headline_table(run)
    table = Table(
        title=text.caption, title_justify="left", title_style="bold", box=None, padding=(0, 1, 0, 0), pad_edge=False
    )
    for position, head in enumerate(text.head):
        if head == "writer":
            table.add_column(head, overflow="fold", max_width=WIDEST_WRITER)
        else:
            table.add_column(_SHORT.get(head, head), justify="right" if position != 0 else "left", no_wrap=True)
    for row in text.rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: a label's brackets are no markup
    return table
