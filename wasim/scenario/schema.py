"""The scenario language as JSON Schema (draft 2020-12), which editors complete and check YAML with.

It says what `parts` says, in an editor's words. What must fit together (`checks`) is beyond it.
"""

from collections.abc import Iterator
from typing import Any

from wasim.scenario.metrics import METRICS, limit_pattern
from wasim.scenario.parts import WRITER_KINDS
from wasim.scenario.scenario import Scenario
from wasim.scenario.sweep import NOT_SWEPT, OPEN_MAPPINGS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_LISTS = {
    "Columns": rf"^table\.columns\.{_NAME}(\.fields\.{_NAME})*",
    "PartitionField": rf"^table\.partition_by\.{_NAME}",
}
"""How a sweep names an element of a list: by its name."""

_SWEEP_DESCRIPTION = "Fields and the lists of values that they take; all combinations are measured, in this order."


def json_schema() -> dict[str, Any]:
    """The schema as JSON values."""
    schema: dict[str, Any] = _in_editors_words(Scenario.model_json_schema())
    properties = schema["properties"]
    writer = properties["writer"]
    kinds = [{"enum": list(WRITER_KINDS)}, {"$ref": writer["$ref"]}]
    properties["writer"] = {"description": writer["description"], "anyOf": kinds}
    metrics = {
        name: {"type": "string", "pattern": limit_pattern(name), "description": metric.meaning}
        for name, metric in METRICS.items()
    }
    limits = {"type": "object", "description": properties["limits"]["description"], "properties": metrics}
    properties["limits"] = limits | {"additionalProperties": False}
    properties["sweep"] = _sweep(schema)
    # what is required is taken out of where it stands: a sweep may give it instead
    needed = list(schema.pop("required"))
    for field in ("table", "workload", "writer"):
        part = schema["$defs"][field.capitalize()]
        needed += [f"{field}.{inner}" for inner in part.pop("required", [])]
    return {
        "$schema": DIALECT,
        "title": "wasim scenario",
        **schema,
        "required": [field for field in NOT_SWEPT if field in needed],
        "allOf": [_given_or_swept(field) for field in needed if field not in NOT_SWEPT],
    }


def _in_editors_words(schema: Any) -> Any:  # noqa: ANN401 - JSON values
    """The schema without titles and nulls (the language has no null), and with the bounds' standard names."""
    if isinstance(schema, list):
        return [_in_editors_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "anyOf" in schema and {"type": "null"} in schema["anyOf"]:
        value = next(option for option in schema["anyOf"] if option != {"type": "null"})
        schema = {**value, **{key: held for key, held in schema.items() if key not in ("anyOf", "default")}}
    return {
        _BOUNDS.get(key, key): _in_editors_words(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None)
    }


def _sweep(schema: dict[str, Any]) -> dict[str, Any]:
    exact = {field: _values(value) for field, value in _sweepable(schema)}
    patterns = {
        rf"{start}\.{field}$": _values(value)
        for part, start in _LISTS.items()
        for field, value in schema["$defs"][part]["properties"].items()
    }
    text = {"type": ["string", "number", "boolean"]}
    patterns |= {rf"^{part}\.{field}\..+$": _values(text) for part, field in OPEN_MAPPINGS}
    return {
        "type": "object",
        "description": _SWEEP_DESCRIPTION,
        "properties": exact,
        "patternProperties": patterns,
        "additionalProperties": False,
    }


def _sweepable(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field that a sweep may name, with the schema of one of its values."""
    parts = {name: definition for name, definition in schema["$defs"].items() if name not in _LISTS}
    for field, value in schema["properties"].items():
        if field in NOT_SWEPT:
            continue
        yield field, value
        part = parts.get(field.capitalize(), {})
        for inner, inner_value in part.get("properties", {}).items():
            yield f"{field}.{inner}", inner_value


def _values(value: dict[str, Any]) -> dict[str, Any]:
    """A list of such values, without their default, which a swept field does not have."""
    items = {key: held for key, held in value.items() if key not in ("default", "description")}
    described = {"description": value["description"]} if "description" in value else {}
    return {"type": "array", "minItems": 1, "items": items, **described}


def _given_or_swept(field: str) -> dict[str, Any]:
    part, _, inner = field.partition(".")
    given = {"properties": {part: {"required": [inner]}}} if inner else {"required": [part]}
    return {"anyOf": [given, {"required": ["sweep"], "properties": {"sweep": {"required": [field]}}}]}
