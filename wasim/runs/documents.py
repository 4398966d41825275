"""Runs as documents: the one summary that `--json` prints, the parts of it that are saved too, and a case's bill."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

import numpy as np

from wasim.ledger import DirectoryScan, OperationTotals, PlanningProbe, RequestKind, percentile_ms
from wasim.ledger.vocabulary import DATA_KINDS, METADATA_KINDS
from wasim.runs.limits import measures
from wasim.runs.values import CaseRun, Run
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


DOCUMENT_VERSION = 3


Timed = TypeVar("Timed", PlanningProbe, DirectoryScan)
_ROUNDS = ("load_ms", "planning_ms", "execution_ms")
_CONTENTION = "attempts lost_attempts failed_commits failed lost_bytes orphan_bytes orphan_files"


def timed_document(timed: PlanningProbe | DirectoryScan) -> dict[str, Any]:
    """What was timed as plain JSON values; rounds to the microsecond."""
    values = ((field.name, getattr(timed, field.name)) for field in fields(timed))
    return {name: value.round(3).tolist() if isinstance(value, np.ndarray) else value for name, value in values}


def read_timed(kind: type[Timed], document: dict[str, Any]) -> Timed:
    """What `timed_document` described."""
    rounds = {key: np.array(value, dtype=np.float64) for key, value in document.items() if isinstance(value, list)}
    return kind(**document | rounds)


def case_document(case: CaseRun) -> dict[str, Any]:
    """One case of the summary: everything by kind, with units in the names; what adds up is of all tables."""
    totals, tables = case.of_all_tables, case.case.writer.tables
    return {
        "key": case.key,
        "label": case.case.label,
        "engine": case.engine,
        "writer": case.case.writer_name,
        "swept": case.case.swept,
        "commit_interval_s": case.case.commit_interval_s,
        "horizon_s": case.case.horizon_s,
        "commits": case.commits,
        "written_bytes": totals.written_bytes,
        "deleted_bytes": totals.deleted_bytes,
        "on_disk_bytes": totals.on_disk_bytes,
        "live_bytes": case.live_bytes,
        "files_written": totals.files_written,
        "files_deleted": totals.files_deleted,
        "wasted_bytes": None if case.is_sampled else int(case.ledger.wasted_bytes.sum()),
        "contention": _parts_of(case.contention, _CONTENTION) if case.contention else None,
        "operations": [_operation_summary(one, tables) for one in case.operations],
        "metrics": measures(case),
        "ingested_bytes": case.ingested_bytes * tables,
        "metadata_write_rate_bytes_per_s": totals.metadata_bytes / case.case.horizon_s,
        "live_manifests": int(case.ledger.live_manifests[-1]) if case.commits else 0,
        "snapshots": int(case.ledger.snapshots_retained[-1]) if case.commits else 0,
        "wa": asdict(case.amplification) | {"total": case.amplification.total},
        "commit_ms": _commit_ms(case),
        "step_ms": _spread(case.ledger.step_ms),
        "planning": [_probe_summary(probe) for probe in case.probes],
        "listings": [
            timed_document(one) | {"rounds": len(one.scan_ms), "scan_ms": _spread(one.scan_ms)} for one in case.listings
        ],
        "location": case.location,
        "tables": tables,
        "simulation": None if case.simulation is None else asdict(case.simulation),
        "band": case.band,
        "approximated": list(case.approximated),
        "wall_s": round(case.wall_s, 3),
    }


def _commit_ms(case: CaseRun) -> dict[str, Any]:
    """Percentiles of the commits' times: measured, or else modelled, with the band that they lie in."""
    if case.latency is None:
        spent = case.ledger.commit_ms
        spread = _spread(spent)
        return spread | {"p99": None if spread["median"] is None else percentile_ms(spent, 99), "modelled": None}
    times = {"median": case.commit_ms(50), "p95": case.commit_ms(95), "p99": case.commit_ms(99)}
    said = {name: value for name, value in asdict(case.latency).items() if name not in ("p50_ms", "p95_ms", "p99_ms")}
    return times | {"modelled": said | {"basis": list(case.latency.basis), "sustains": case.latency.sustains}}


def _parts_of(one: object, names: str) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names.split()}


def _operation_summary(one: OperationTotals, tables: int) -> dict[str, Any]:
    totals = _parts_of(one.totals.times(tables), "written_bytes deleted_bytes files_written files_deleted")
    wall_s = None if np.isnan(one.wall_s) else round(one.wall_s, 3)
    return {**_parts_of(one, "operation steps commits"), **totals, "wall_s": wall_s}


def _spread(values: np.ndarray) -> dict[str, float | None]:
    if not len(values) or np.isnan(values).any():  # a simulated commit takes no time
        return {"median": None, "p95": None}
    return {"median": float(np.median(values)), "p95": percentile_ms(values, 95)}


def _probe_summary(probe: PlanningProbe) -> dict[str, Any]:
    spreads = {name: _spread(getattr(probe, name)) for name in _ROUNDS}
    return (
        {key: value for key, value in timed_document(probe).items() if key not in _ROUNDS}
        | {"rounds": len(probe.planning_ms)}
        | spreads
    )


def summary_document(
    run: Run,
    fit: dict[str, Any],
    limits: list[dict[str, Any]],
    prices: Prices | None,
    answer: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The one document of a run: what `--json` prints and `summary.json` holds. `prices` are for cases on S3."""
    billed = prices is not None and any(case.requests is not None for case in run.cases)
    return {
        "schema_version": DOCUMENT_VERSION,
        "scenario": run.scenario,
        "question": run.question,
        "overrides": dict(run.overrides),
        "folder": None if run.folder is None else run.folder.name,
        "cases": [case_document(case) | _bill(case, prices) for case in run.cases],
        "failures": run.failures,
        "answer": answer,
        "limits": limits,
        "fit": fit,
        "provenance": run.provenance,
        **({"prices": prices.model_dump(mode="json")} if prices is not None and billed else {}),
    }


def _bill(case: CaseRun, prices: Prices | None) -> dict[str, Any]:
    bill = bill_case(case, prices) if prices is not None else None
    return {"s3": bill_document(bill, prices)} if bill is not None and prices is not None else {}
