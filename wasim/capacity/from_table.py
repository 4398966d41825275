"""A request for an existing table: what the doctor reads of it, as a scenario document."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wasim.capacity.request import PlanRequest, Requirements, now_words, request_from_document
from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.as_case import case_of
from wasim.doctor.upkeep import maintenance_of
from wasim.iceberg.metadata_json import TableMetadata
from wasim.scenario import Case
from wasim.units import DAY_S, HOUR_S

JITTER = 0.005  # of a period: commits and jobs are stamped a little after they were due
_PERIODS = frozenset(["every", "older_than"])
LEAST_INTERVAL_S = (
    1.0  # of a table in use: commits of a test follow each other sooner, and a month of them takes minutes
)


def request_from_table(
    location: str, requirements: Requirements, horizon: str | None = None, options: InspectOptions | None = None
) -> PlanRequest:
    """The request for a table at a location, or of a catalog. WasimError if it cannot be read, or has one commit."""
    inspection = inspect_location(location, options)
    found = case_of(inspection)
    interval_s = _as_set_s(found.case.commit_interval_s)
    notes = (
        f"Read off {location}, which commits every {interval_s:g}s now.",
        *(f"{note[:1].upper()}{note[1:]}." for note in found.notes),
    )
    metadata = inspection.tree.opened.metadata
    document = _document(found.at_its_pace)
    never_merges = found.case.writer.kind == "batch" and found.case.writer.append == "fast"  # as pyiceberg's
    if never_merges:
        document["writer"] = {"kind": "streaming", "append": "fast"}
    request = request_from_document(location, document, requirements, horizon, notes, metadata.properties)
    upkeep = maintenance_of(inspection.tree, inspection.history).model_dump(mode="json", exclude_none=True)
    as_it_is = {
        "commit_interval": interval_s,
        "table": {"properties": metadata.properties},
        "maintenance": {
            name: {key: _as_set_s(value) if key in _PERIODS else value for key, value in job.items()}
            for name, job in upkeep.items()
        },
    }
    return replace(
        request,
        location=metadata.location,
        writer_is_spark=not never_merges,
        now=requirements.now or (now_words(as_it_is) if interval_s >= LEAST_INTERVAL_S else None),
        warnings=tuple(_warnings(metadata, found.unread_manifests)),
    )


def _as_set_s(seconds: float) -> float:
    """The whole days, hours, minutes or seconds that a time between stamps is of, but for `JITTER`."""
    for unit_s in (DAY_S, HOUR_S, 60.0, 1.0):
        whole_s = round(seconds / unit_s) * unit_s
        if abs(whole_s - seconds) <= JITTER * seconds:
            return whole_s
    return seconds


def _warnings(metadata: TableMetadata, unread_manifests: int) -> Iterator[str]:
    if unread_manifests:
        yield f"{unread_manifests} of its manifests cannot be read: wasim inspect names them."
    current = next((one for one in metadata.snapshots if one.snapshot_id == metadata.current_snapshot_id), None)
    deletes = ((current.summary if current is not None else None) or {}).get("total-delete-files", "0")
    if deletes != "0":
        yield f"Its {deletes} delete files, and those that its writer adds, are not in these figures: compact them."


def _document(case: Case) -> dict[str, Any]:
    document: dict[str, Any] = {
        name: getattr(case, name).model_dump(mode="json", exclude_defaults=True)
        for name in ("table", "workload", "writer", "environment")
    }
    _drop_lengths(document["table"]["columns"])
    return {"name": "table", "question": "Which commit interval?", **document}


def _drop_lengths(columns: list[dict[str, Any]]) -> None:
    for column in columns:
        if column["type"] not in ("string", "binary"):
            column.pop("length", None)
        _drop_lengths(column.get("fields", []))
