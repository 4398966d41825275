"""Runs as they are saved: a case's folder of case.json and Parquet files, and the run that holds such folders."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from wasim import ledger
from wasim.contention import ModelledLatency
from wasim.errors import SavedFileError
from wasim.ledger.parquet import read_columns, save_columns
from wasim.ledger.totals import amplification
from wasim.runs.documents import read_timed, timed_document
from wasim.runs.folder import RunFolder, make_durable, write_atomically
from wasim.runs.values import CaseRun, Run, Simulation, settled_of
from wasim.scenario import Case, case_from_document
from wasim.storage.access import read_regular


def share_denominator(cases: Iterable[CaseRun]) -> tuple[CaseRun, ...]:
    """The cases with WA over the data bytes that the same rows take at the sweep's longest interval.

    Short intervals write the same rows into more and larger files; divided by their own data bytes that would not show.
    Cases share a denominator when the same rows arrive in the same table over the same horizon; of several at the
    longest interval, the one that ingested the fewest bytes gives it. Several writers at once keep their own: commits
    that fail leave out their rows.
    """
    kept = tuple(cases)
    longest: dict[str, CaseRun] = {}
    for one in kept:
        rows = _rows_of(one.case)
        best = longest.setdefault(rows, one)
        if _order(one) < _order(best):
            longest[rows] = one
    return tuple(
        replace(
            one,
            amplification=amplification(
                one.totals,
                ingested_bytes=longest[_rows_of(one.case)].ingested_bytes,
                horizon_s=one.amplification.horizon_s,
            ),
        )
        for one in kept
    )


def _order(run: CaseRun) -> tuple[float, int]:
    return -run.case.commit_interval_s, run.ingested_bytes


def _rows_of(case: Case) -> str:
    """What decides which rows arrive and how they are encoded."""
    upsert = case.writer.upsert
    return json.dumps(
        [
            case.table.model_dump(mode="json"),
            case.workload.rows_per_second,
            case.horizon_s,
            case.changes.model_dump(mode="json", exclude_none=True),
            upsert.model_dump(mode="json") if upsert is not None else None,
            case.label if case.writer.writers > 1 else "",
        ],
        sort_keys=True,
    )


SAVED_VERSION = 3


def keep_case(folder: RunFolder, case: CaseRun, recording: ledger.Recording | None) -> None:
    """Saves a finished case in the folder of its run."""
    unfinished = folder.unfinished_case(case.key)
    unfinished.mkdir(parents=True)
    save_case(case, recording, unfinished)
    make_durable(unfinished, folder.case(case.key))


def save_case(case: CaseRun, recording: ledger.Recording | None, folder: Path) -> None:
    """Writes `case.json`, the ledger and, if there is one, the recording into `folder`, which must exist.

    Without a recording, the sums of the case are in `case.json`.
    """
    document = _case_document(case)
    if recording is None:
        document["totals"] = asdict(case.totals)
        document["contention"] = None if case.contention is None else asdict(case.contention)
        document["settled"] = dict(case.settled)
        document["operations"] = [
            asdict(one) | {"wall_s": (None if np.isnan(one.wall_s) else one.wall_s)} for one in case.operations
        ]
    else:
        save_columns(recording.events, folder / "events.parquet")
        save_columns(recording.reports, folder / "reports.parquet")
        save_columns(recording.steps, folder / "steps.parquet")
    save_columns(case.ledger, folder / "ledger.parquet")
    if case.requests is not None:
        save_columns(case.requests, folder / "requests.parquet")
    write_atomically(folder / "case.json", json.dumps(document, indent=1))


def _case_document(case: CaseRun) -> dict[str, Any]:
    return {
        "schema_version": SAVED_VERSION,
        "key": case.key,
        "engine": case.engine,
        "case": case.case.document(),
        "live_bytes": case.live_bytes,
        "ingested_bytes": case.ingested_bytes,
        "amplification": asdict(case.amplification),
        "band": case.band,
        "approximated": case.approximated,
        "location": case.location,
        "simulation": None if case.simulation is None else asdict(case.simulation),
        "latency": None if case.latency is None else asdict(case.latency),
        "probes": [timed_document(probe) for probe in case.probes],
        "listings": [timed_document(listing) for listing in case.listings],
        "wall_s": case.wall_s,
    }


def read_case(folder: Path) -> CaseRun:
    """The case that `save_case` wrote. SavedFileError if a part is missing, damaged or of an unknown version."""
    document = _read_json(folder / "case.json", SAVED_VERSION)
    with _not_as_saved(folder / "case.json"):
        made = _case_from(document, folder)
    failed = made.contention.failed_commits if made.contention else 0
    found = made.commits if "totals" in document else len(made.ledger)
    if made.case.only_appends and found + failed != made.case.commits_made:
        raise SavedFileError(
            f"{folder / 'ledger.parquet'}: holds {found} commits, the case has {made.case.commits_made}. {_AGAIN}"
        )
    return made


def read_recording(folder: Path) -> ledger.Recording:
    """The recording that `save_case` wrote into a case's folder."""
    return ledger.Recording(
        events=read_columns(folder / "events.parquet", ledger.FileEvents),
        reports=read_columns(folder / "reports.parquet", ledger.CommitReports),
        steps=read_columns(folder / "steps.parquet", ledger.StepRecords),
    )


_AGAIN = "Name the folder of a run that bench or simulate has made, or make it again."


@contextmanager
def _not_as_saved(path: Path) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = str(error).splitlines()[0][:120]
        raise SavedFileError(f"{path}: is not as wasim saves it ({type(error).__name__}: {what}). {_AGAIN}") from error


def _case_from(document: dict[str, Any], folder: Path) -> CaseRun:
    case = case_from_document(document["case"])
    recording = None if "totals" in document else read_recording(folder)
    requests, simulation = folder / "requests.parquet", document.get("simulation")
    location = document.get("location")
    if simulation is not None:
        location = simulation.pop("location", location)  # where earlier versions saved it
    made = CaseRun.of_summed(
        case,
        _summed(document, read_columns(folder / "ledger.parquet", ledger.Ledger), recording),
        key=document["key"],
        engine=document["engine"],
        wall_s=document["wall_s"],
    )
    return replace(
        made,
        contention=made.contention if recording is None else ledger.sum_contention(recording),
        is_sampled=recording is None,
        settled=document.get("settled", {}) if recording is None else settled_of(case, recording, made.live_bytes),
        location=location,
        probes=tuple(read_timed(ledger.PlanningProbe, probe) for probe in document["probes"]),
        requests=read_columns(requests, ledger.Requests) if requests.exists() else None,
        listings=tuple(read_timed(ledger.DirectoryScan, listing) for listing in document["listings"]),
        simulation=_value(Simulation | None, simulation),
        latency=_value(ModelledLatency | None, document.get("latency")),
    )


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any type
    return TypeAdapter(kind)


def _value(kind: Any, document: object) -> Any:  # noqa: ANN401 - of that type
    """A value of that type as JSON has it. ValueError if it is none."""
    return _reader(kind).validate_python(document)


def _summed(document: dict[str, Any], by_commit: ledger.Ledger, recording: ledger.Recording | None) -> ledger.Summed:
    if recording is None:
        untimed = [
            one | {"wall_s": np.nan if one["wall_s"] is None else one["wall_s"]} for one in document["operations"]
        ]
        totals, operations = (
            _value(ledger.Totals, document["totals"]),
            _value(tuple[ledger.OperationTotals, ...], untimed),
        )
    else:
        totals, operations = ledger.sum_events(recording.events), ledger.sum_by_operation(recording)
    return ledger.Summed(
        totals=totals,
        live_bytes=_value(dict[ledger.Kind, int], document["live_bytes"]),
        ledger=by_commit,
        ingested_bytes=document["ingested_bytes"],
        operations=operations,
        band=_value(dict[ledger.Kind, float], document.get("band", {})),
        approximated=tuple(document.get("approximated", ())),
        contention=_value(ledger.Contention | None, document.get("contention")),
    )


def read_run(folder: Path) -> Run:
    """A run from its folder, as far as it got. SavedFileError if it is none, or holds no finished case."""
    marker = _read_json(folder / "run.json")
    with _not_as_saved(folder / "run.json"):
        scenario, question = str(marker["scenario"]), str(marker["question"])
        overrides = {str(name): str(text) for name, text in marker.get("overrides", {}).items()}
        keys = [key for key in marker["keys"] if (folder / "cases" / key / "case.json").exists()]
    if not keys:
        raise SavedFileError(f"{folder}: no case of this run is finished. Run the same command again; it resumes.")
    failures = folder / "failures.json"
    return Run(
        folder=folder,
        scenario=scenario,
        question=question,
        provenance=_read_json(folder / "provenance.json"),
        cases=share_denominator(read_case(folder / "cases" / key) for key in keys),
        failures=_read_json(failures) if failures.exists() else {},
        overrides=overrides,
    )


def _read_json(path: Path, version: int | None = None) -> dict[str, Any]:
    try:
        document = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError) as error:
        raise SavedFileError(f"{path}: cannot be read ({error}). {_AGAIN}") from error
    if not isinstance(document, dict):
        raise SavedFileError(f"{path}: is not as wasim saves it (no JSON object). {_AGAIN}")
    if version is not None and document.get("schema_version") != version:
        found = document.get("schema_version")
        raise SavedFileError(
            f"{path}: schema_version is {found}; this wasim reads {version}. Use the wasim that wrote it."
        )
    return document
