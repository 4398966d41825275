"""What a case on S3 would be charged: requests by commit, and the bytes that it keeps by month."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wasim.ledger import RequestKind
from wasim.ledger.vocabulary import DATA_KINDS, METADATA_KINDS
from wasim.runs.values import CaseRun
from wasim.scenario.prices import Prices
from wasim.units import MONTH_S

GIB = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """One case's prices, in the currency of the price list.

    Storage is what the table keeps at the end of the horizon, kept for a month. Requests by commit are of
    commits alone; by month they are of all steps.
    """

    requests_per_commit: dict[RequestKind, float]
    requests_outside: dict[RequestKind, int]
    price_per_commit: float
    requests_price_per_month: float  # 30 days at the case's pace
    metadata_price_per_month: float
    data_price_per_month: float


def bill_case(case: CaseRun, prices: Prices) -> Bill | None:
    """The bill of a case; None where no request was counted, as on local files."""
    if case.requests is None or not case.commits:
        return None
    per_commit = {kind: count / case.commits for kind, count in case.requests.of_commits().items()}
    on_disk = case.totals.on_disk_bytes
    kept = [sum(on_disk[kind] for kind in kinds) / GIB for kinds in (METADATA_KINDS, DATA_KINDS)]
    return Bill(
        requests_per_commit=per_commit,
        requests_outside=case.requests.outside(),
        price_per_commit=_price(per_commit, prices),
        requests_price_per_month=_price(case.requests.of_steps(), prices) * MONTH_S / case.case.horizon_s,
        metadata_price_per_month=kept[0] * prices.storage_per_gib_month,
        data_price_per_month=kept[1] * prices.storage_per_gib_month,
    )


def _price(requests: Mapping[RequestKind, float], prices: Prices) -> float:
    of_thousand: dict[str, float] = prices.per_1000_requests.model_dump()
    return sum(of_thousand[kind] / 1000 * count for kind, count in requests.items())


def bill_document(bill: Bill, prices: Prices) -> dict[str, Any]:
    """The bill as plain JSON values, with its currency in the names."""
    unit = prices.currency.lower()
    return {
        "requests_per_commit": bill.requests_per_commit,
        "requests_outside_steps": bill.requests_outside,
        f"price_per_commit_{unit}": bill.price_per_commit,
        f"requests_price_per_month_{unit}": bill.requests_price_per_month,
        f"metadata_storage_price_per_month_{unit}": bill.metadata_price_per_month,
        f"data_storage_price_per_month_{unit}": bill.data_price_per_month,
    }
