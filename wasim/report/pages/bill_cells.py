"""The table of what S3 would charge for each case."""

from wasim.ledger import RequestKind
from wasim.report.answer import Answer
from wasim.report.tables import TextTable
from wasim.report.words import ABSENT, format_sum
from wasim.runs import Bill, Run, bill_case
from wasim.runs.bill import GIB
from wasim.scenario.prices import Prices
from wasim.units import MONTH_S, format_figure


def bill_table(run: Run, answer: Answer, prices: Prices) -> TextTable:
    """Requests per commit by kind and what they cost, and what is kept by month; one row per case on S3."""
    bills = [(case, bill) for case in run.cases if (bill := bill_case(case, prices)) is not None]
    kinds = [kind for kind in RequestKind if any(bill.requests_per_commit[kind] for _, bill in bills)]
    unit = prices.currency
    options = [option for choice in answer.choices for option in choice.options]
    months = {option.run.case.label: option.by_horizon.get(MONTH_S) for option in options}
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
                *_sums(bill, months.get(case.case.label), prices),
            )
            for case, bill in bills
        ),
        figures=figures,
    )


def _sums(bill: Bill, month_bytes: float | None, prices: Prices) -> tuple[str, ...]:
    return (
        format_figure(bill.price_per_commit * 1000),
        format_sum(bill.requests_price_per_month),
        format_sum(bill.metadata_price_per_month),
        format_sum(bill.data_price_per_month),
        ABSENT if month_bytes is None else format_sum(month_bytes / GIB * prices.storage_per_gib_month),
    )
