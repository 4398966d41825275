"""The table of what S3 would charge for each case."""

from wasim.fit.report import FitReport
from wasim.ledger import RequestKind
from wasim.report.modelled import month_ahead
from wasim.report.tables import TextTable
from wasim.report.words import ABSENT, format_sum
from wasim.runs import Bill, CaseRun, Run, bill_case
from wasim.runs.bill import GIB
from wasim.scenario.prices import Prices
from wasim.units import format_figure


def bill_table(run: Run, fit: FitReport, prices: Prices) -> TextTable:
    """Requests per commit by kind and what they cost, and what is kept by month; one row per case on S3."""
    bills = [(case, bill) for case in run.cases if (bill := bill_case(case, prices)) is not None]
    kinds = [kind for kind in RequestKind if any(bill.requests_per_commit[kind] for _, bill in bills)]
    unit = prices.currency
    figures = (
        *(str(kind).upper() for kind in kinds),
        f"{unit} per 1,000 commits",
        f"requests, {unit} per month",
        f"metadata kept, {unit} per month",
        f"data kept, {unit} per month",
        f"metadata of 30 days kept, {unit} per month",
    )
    return TextTable(
        caption=f"Requests per commit and their price: {prices.source}, as of {prices.as_of}",
        head=("case", *figures),
        rows=tuple(
            (
                case.case.label,
                *(format_figure(bill.requests_per_commit[kind]) for kind in kinds),
                *_sums(case, bill, fit, prices),
            )
            for case, bill in bills
        ),
        figures=figures,
    )


def _sums(case: CaseRun, bill: Bill, fit: FitReport, prices: Prices) -> tuple[str, ...]:
    month = month_ahead(case, fit)
    return (
        format_figure(bill.price_per_commit * 1000),
        format_sum(bill.requests_price_per_month),
        format_sum(bill.metadata_price_per_month),
        format_sum(bill.data_price_per_month),
        ABSENT if month is None else format_sum(month.metadata_bytes.best / GIB * prices.storage_per_gib_month),
    )
