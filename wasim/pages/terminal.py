"""Tables for a terminal; the headline is whole from 80 columns on, where bytes may take two lines."""

from rich.table import Table
from rich.text import Text

from wasim.fit.report import FitReport
from wasim.pages.bill_cells import bill_table
from wasim.pages.cells import headline_table
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
WIDEST_WRITER, NARROWEST_WRITER, NARROWEST_BYTES = 18, 9, 5
ROOMY_COLUMNS = 12  # with more, 80 columns hold them only if bytes always take two lines


def render_headline_table(run: Run) -> Table:
    """One row per case: interval, writer, commits, metadata by kind, WA with its horizon, manifests, planning."""
    text = headline_table(run)
    table = Table(
        title=text.caption, title_justify="left", title_style="bold", box=None, padding=(0, 1, 0, 0), pad_edge=False
    )
    for position, head in enumerate(text.head):
        if head == "writer":
            # without a least width, rich shrinks what may wrap to nothing before it touches the rest
            table.add_column(head, overflow="fold", min_width=NARROWEST_WRITER, max_width=WIDEST_WRITER)
        elif head in _BYTES:
            widest = NARROWEST_BYTES if len(text.head) > ROOMY_COLUMNS else None
            table.add_column(_SHORT[head], justify="right", min_width=NARROWEST_BYTES, max_width=widest)
        else:
            table.add_column(_SHORT.get(head, head), justify="right" if position != 0 else "left", no_wrap=True)
    for row in text.rows:
        # Text: a label's brackets are no markup; and what was swept may break between its name and its value
        cells = (
            cell.replace("=", ": ") if head == "writer" else cell for head, cell in zip(text.head, row, strict=True)
        )
        table.add_row(*(Text(cell) for cell in cells))
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
