"""A request for an existing table: what the doctor reads of it, as a scenario document."""

from dataclasses import replace
from typing import Any

from wasim.capacity.request import PlanRequest, Requirements, request_from_document
from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.as_case import case_of
from wasim.scenario import Case


def request_from_table(
    location: str, requirements: Requirements, horizon: str | None = None, options: InspectOptions | None = None
) -> PlanRequest:
    """The request for a table at a location, or of a catalog. WasimError if it cannot be read, or has one commit."""
    inspection = inspect_location(location, options)
    found = case_of(inspection)
    notes = (
        f"Read off {location}, which commits every {found.case.commit_interval_s:g}s now.",
        *(f"{note[:1].upper()}{note[1:]}." for note in found.notes),
    )
    request = request_from_document(location, _document(found.case), requirements, horizon, notes)
    return replace(request, location=inspection.tree.opened.metadata.location)


def _document(case: Case) -> dict[str, Any]:
    document: dict[str, Any] = {
        name: getattr(case, name).model_dump(mode="json", exclude_defaults=True)
        for name in ("table", "workload", "writer", "environment")
    }
    _drop_lengths(document["table"]["columns"])
    return {"name": "table", "question": "Which commit interval?", **document}


def _drop_lengths(columns: list[dict[str, Any]]) -> None:
    """Leaves lengths to columns that may have one."""
    for column in columns:
        if column["type"] not in ("string", "binary"):
            column.pop("length", None)
        _drop_lengths(column.get("fields", []))
