"""Runs as documents: case.json beside the Parquet files, and the one summary that `--json` prints."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from wasim.errors import SavedFileError
from wasim.ledger import (
    CommitReports,
    Contention,
    DirectoryScan,
    FileEvents,
    Kind,
    Ledger,
    OperationTotals,
    PlanningProbe,
    Recording,
    Requests,
    StepRecords,
    WriteAmplification,
    percentile_ms,
    sum_by_operation,
    sum_contention,
    sum_events,
)  # fmt: skip
from wasim.ledger.parquet import read_columns, save_columns
from wasim.runs.bill import bill_case, bill_document
from wasim.runs.files import write_atomically
from wasim.runs.values import CaseRun, Run
from wasim.scenario import case_from_document
from wasim.scenario.prices import Prices

DOCUMENT_VERSION = 3


def save_case(case: CaseRun, recording: Recording, folder: Path) -> None:
    """Writes a case's events, reports, ledger and `case.json` into `folder`, which must exist."""
    save_columns(recording.events, folder / "events.parquet")
    save_columns(recording.reports, folder / "reports.parquet")
    save_columns(recording.steps, folder / "steps.parquet")
    save_columns(case.ledger, folder / "ledger.parquet")
    if case.requests is not None:
        save_columns(case.requests, folder / "requests.parquet")
    document = {
        "schema_version": DOCUMENT_VERSION,
        "key": case.key,
        "engine": case.engine,
        "case": case.case.document(),
        "live_bytes": case.live_bytes,
        "ingested_bytes": case.ingested_bytes,
        "amplification": asdict(case.amplification),
        "probes": [_probe_document(probe) for probe in case.probes],
        "listings": [_listing_document(listing) for listing in case.listings],
        "wall_s": case.wall_s,
    }
    write_atomically(folder / "case.json", json.dumps(document, indent=1))


def read_case(folder: Path) -> CaseRun:
    """The case that `save_case` wrote. SavedFileError if a part is missing, damaged or of an unknown version."""
    document = _read_json(folder / "case.json", DOCUMENT_VERSION)
    with _not_as_saved(folder / "case.json"):
        made = _case_from(document, folder)
    failed = made.contention.failed_commits if made.contention else 0
    if made.case.only_appends and len(made.ledger) + failed != made.case.commits:
        raise SavedFileError(
            f"{folder / 'ledger.parquet'}: holds {len(made.ledger)} commits, the case has {made.case.commits}. {_AGAIN}"
        )
    return made


def read_recording(folder: Path) -> Recording:
    """The recording that `save_case` wrote into a case's folder."""
    return Recording(
        events=read_columns(folder / "events.parquet", FileEvents),
        reports=read_columns(folder / "reports.parquet", CommitReports),
        steps=read_columns(folder / "steps.parquet", StepRecords),
    )


_AGAIN = "Name the folder of a run that bench has made, or run the bench again."


@contextmanager
def _not_as_saved(path: Path) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = str(error).splitlines()[0][:120]
        raise SavedFileError(f"{path}: is not as bench saves it ({type(error).__name__}: {what}). {_AGAIN}") from error


def _case_from(document: dict[str, Any], folder: Path) -> CaseRun:
    recording = read_recording(folder)
    requests = folder / "requests.parquet"
    return CaseRun(
        key=document["key"],
        case=case_from_document(document["case"]),
        engine=document["engine"],
        ledger=read_columns(folder / "ledger.parquet", Ledger),
        totals=sum_events(recording.events),
        live_bytes={Kind(kind): size for kind, size in document["live_bytes"].items()},
        contention=sum_contention(recording),
        operations=sum_by_operation(recording),
        ingested_bytes=document["ingested_bytes"],
        amplification=WriteAmplification(**document["amplification"]),
        probes=tuple(_probe(probe) for probe in document["probes"]),
        wall_s=document["wall_s"],
        requests=read_columns(requests, Requests) if requests.exists() else None,
        listings=tuple(_listing(listing) for listing in document["listings"]),
    )


def read_run(folder: Path) -> Run:
    """A run from its folder, as far as it got. SavedFileError if it is none, or holds no finished case."""
    marker = _read_json(folder / "run.json")
    with _not_as_saved(folder / "run.json"):
        scenario, question = str(marker["scenario"]), str(marker["question"])
        keys = [key for key in marker["keys"] if (folder / "cases" / key / "case.json").exists()]
    if not keys:
        raise SavedFileError(
            f"{folder}: no case of this run is finished. Run the same bench command again; it resumes."
        )
    failures = folder / "failures.json"
    return Run(
        folder=folder,
        scenario=scenario,
        question=question,
        provenance=_read_json(folder / "provenance.json"),
        cases=tuple(read_case(folder / "cases" / key) for key in keys),
        failures=_read_json(failures) if failures.exists() else {},
    )


def _read_json(path: Path, version: int | None = None) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise SavedFileError(f"{path}: cannot be read ({error}). {_AGAIN}") from error
    if not isinstance(document, dict):
        raise SavedFileError(f"{path}: is not as bench saves it (no JSON object). {_AGAIN}")
    if version is not None and document.get("schema_version") != version:
        found = document.get("schema_version")
        raise SavedFileError(
            f"{path}: schema_version is {found}; this wasim reads {version}. Use the wasim that wrote it."
        )
    return document


_ROUNDS = ("load_ms", "planning_ms", "execution_ms")


def _probe_document(probe: PlanningProbe) -> dict[str, Any]:
    return {
        field.name: getattr(probe, field.name).round(3).tolist()
        if field.name in _ROUNDS
        else getattr(probe, field.name)
        for field in fields(probe)
    }


def _probe(document: dict[str, Any]) -> PlanningProbe:
    rounds = {key: np.array(document[key], dtype=np.float64) for key in _ROUNDS}
    return PlanningProbe(**{**document, **rounds})


def _listing_document(listing: DirectoryScan) -> dict[str, Any]:
    return {**asdict(listing), "scan_ms": listing.scan_ms.round(3).tolist()}


def _listing(document: dict[str, Any]) -> DirectoryScan:
    return DirectoryScan(**{**document, "scan_ms": np.array(document["scan_ms"], dtype=np.float64)})


def case_document(case: CaseRun) -> dict[str, Any]:
    """One case of the summary: everything by kind, with units in the names."""
    totals, commits = case.totals, case.commits
    whole = commits == len(case.ledger)
    return {
        "key": case.key,
        "label": case.case.label,
        "engine": case.engine,
        "writer": case.case.writer_name,
        "swept": case.case.swept,
        "commit_interval_s": case.case.commit_interval_s,
        "horizon_s": case.case.horizon_s,
        "commits": commits,
        "written_bytes": totals.written_bytes,
        "deleted_bytes": totals.deleted_bytes,
        "on_disk_bytes": totals.on_disk_bytes,
        "live_bytes": case.live_bytes,
        "files_written": totals.files_written,
        "files_deleted": totals.files_deleted,
        "wasted_bytes": int(case.ledger.wasted_bytes.sum()) if whole else None,
        "contention": _contention_summary(case.contention) if case.contention else None,
        "operations": [_operation_summary(one) for one in case.operations],
        "ingested_bytes": case.ingested_bytes,
        "metadata_write_rate_bytes_per_s": totals.metadata_bytes / case.case.horizon_s,
        "live_manifests": int(case.ledger.live_manifests[-1]) if commits else 0,
        "snapshots": int(case.ledger.snapshots_retained[-1]) if commits else 0,
        "wa": {
            "horizon_s": case.amplification.horizon_s,
            "data": case.amplification.data,
            "metadata": case.amplification.metadata,
            "total": case.amplification.total,
        },
        "commit_ms": _spread(case.ledger.commit_ms),
        "step_ms": _spread(case.ledger.step_ms),
        "planning": [_probe_summary(probe) for probe in case.probes],
        "listings": [
            _listing_document(listing) | {"rounds": len(listing.scan_ms), "scan_ms": _spread(listing.scan_ms)}
            for listing in case.listings
        ],
        "wall_s": round(case.wall_s, 3),
    }


def _contention_summary(one: Contention) -> dict[str, Any]:
    return {
        "attempts": one.attempts,
        "lost_attempts": one.lost_attempts,
        "failed_commits": one.failed_commits,
        "failed": one.failed,
        "lost_bytes": one.lost_bytes,
        "orphan_bytes": one.orphan_bytes,
        "orphan_files": one.orphan_files,
    }


def _operation_summary(one: OperationTotals) -> dict[str, Any]:
    return {
        "operation": one.operation,
        "steps": one.steps,
        "commits": one.commits,
        "written_bytes": one.totals.written_bytes,
        "deleted_bytes": one.totals.deleted_bytes,
        "files_written": one.totals.files_written,
        "files_deleted": one.totals.files_deleted,
        "wall_s": None if np.isnan(one.wall_s) else round(one.wall_s, 3),
    }


def _spread(values: np.ndarray) -> dict[str, float | None]:
    if not len(values) or np.isnan(values).any():  # a simulated commit takes no time
        return {"median": None, "p95": None}
    return {"median": float(np.median(values)), "p95": percentile_ms(values, 95)}


def _probe_summary(probe: PlanningProbe) -> dict[str, Any]:
    spreads = {name: _spread(getattr(probe, name)) for name in _ROUNDS}
    return (
        {key: value for key, value in _probe_document(probe).items() if key not in _ROUNDS}
        | {"rounds": len(probe.planning_ms)}
        | spreads
    )


def summary_document(
    run: Run, fit: dict[str, Any], limits: list[dict[str, Any]], prices: Prices | None = None
) -> dict[str, Any]:
    """The one document of a run: what `--json` prints and `summary.json` holds. `prices` are for cases on S3."""
    billed = prices is not None and any(case.requests is not None for case in run.cases)
    return {
        "schema_version": DOCUMENT_VERSION,
        "scenario": run.scenario,
        "question": run.question,
        "folder": run.folder.name,
        "cases": [case_document(case) | _bill(case, prices) for case in run.cases],
        "failures": run.failures,
        "limits": limits,
        "fit": fit,
        "provenance": run.provenance,
        **({"prices": prices.model_dump(mode="json")} if prices is not None and billed else {}),
    }


def _bill(case: CaseRun, prices: Prices | None) -> dict[str, Any]:
    bill = bill_case(case, prices) if prices is not None else None
    return {"s3": bill_document(bill, prices)} if bill is not None and prices is not None else {}
