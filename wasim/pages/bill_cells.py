"""The table of what S3 would charge for each case."""

from wasim.ledger import RequestKind
from wasim.pages.cells import TextTable, format_figure
from wasim.runs import Run, bill_case
from wasim.scenario.prices import Prices


def bill_table(run: Run, prices: Prices) -> TextTable:
    """Requests per commit by kind and what they cost, and what is kept by month; one row per case on S3."""
    unit = prices.currency
    kinds = tuple(str(kind).upper() for kind in RequestKind)
    figures = (
        *kinds,
        f"{unit} per 1,000 commits",
        f"requests, {unit} per month",
        f"metadata kept, {unit} per month",
        f"data kept, {unit} per month",
    )
    rows = []
    for case in run.cases:
        bill = bill_case(case, prices)
        if bill is not None:
            counts = (format_figure(bill.requests_per_commit[kind]) for kind in RequestKind)
            charged = (
                bill.price_per_commit * 1000,
                bill.requests_price_per_month,
                bill.metadata_price_per_month,
                bill.data_price_per_month,
            )
            rows.append((case.case.label, *counts, *map(format_figure, charged)))
    return TextTable(
        caption=f"Requests per commit and their price: {prices.source}, as of {prices.as_of}",
        head=("case", *figures),
        rows=tuple(rows),
        figures=figures,
    )
