"""A fit report as plain JSON values. What the run could not identify, and what is not finite, is null."""

import math
from dataclasses import fields, is_dataclass

from wasim.fit.report import FitReport, HeldOut

SCHEMA_VERSION = 1


def fit_document(report: FitReport) -> dict[str, object]:
    """The report as plain JSON values under its field names, `schema_version` first, held-out errors added."""
    document: dict[str, object] = {"schema_version": SCHEMA_VERSION}
    for field in fields(report):
        document[field.name] = _plain(getattr(report, field.name))
    return document


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        plain = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return plain | _errors(value)
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _errors(value: object) -> dict[str, object]:
    return {"error": value.error, "naive_error": value.naive_error} if isinstance(value, HeldOut) else {}
