"""A document as dicts, lists and text ─► a Scenario, or everything that is wrong with it."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from wasim.scenario.checks import CHECKS
from wasim.scenario.faults import Check, Draft, Fault, Place, quote, suggest
from wasim.scenario.scenario import Scenario
from wasim.scenario.values import Part

_SOUND: dict[str, Any] = {
    "name": "sound",
    "question": "sound",
    "table": {"columns": [{"name": "sound", "type": "long"}]},
    "workload": {"rows_per_second": "1"},
    "writer": {"kind": "batch"},
    "commit_interval": "1s",
    "horizon": "1s",
}
"""Stands in for required fields that are broken, so that the checks still judge the rest."""


def examine(document: Mapping[str, Any]) -> tuple[Scenario, list[Fault]]:
    """The scenario that a document describes, complete only if there are no faults: of single fields, and of what does
    not fit together.
    """
    faults: list[Fault] = []
    broken: set[Place] = set()
    try:
        scenario = Scenario.model_validate(document)
    except ValidationError as errors:
        faults += [explain(error) for error in errors.errors(include_url=False) if not _follows(error)]
        broken = {_field_of(fault.place, document) for fault in faults}
        scenario = Scenario.model_validate(_sound(document, broken))
    draft = Draft(scenario=scenario, document=document, broken=frozenset(broken))
    return scenario, faults + faults_of(draft, CHECKS)


def faults_of(draft: Draft, checks: Iterable[Check]) -> list[Fault]:
    """What these checks find, but for those that need what is broken."""
    return [fault for check in checks if draft.has_sound(*check.needs) for fault in check.faults(draft)]


def _follows(error: ErrorDetails) -> bool:
    """Whether a fault only follows from others: a list is short of those elements that have faults themselves."""
    return error["type"] == "too_short" and bool(error["input"])


def _field_of(place: Place, document: Mapping[str, Any]) -> Place:
    """The field to give up for a fault: `table.columns`, or all of `table` where that is no mapping."""
    return place[: 2 if isinstance(document.get(str(place[0])), dict) else 1]


def _sound(document: Mapping[str, Any], broken: set[Place]) -> dict[str, Any]:
    """The document without its broken fields, with stand-ins for those that it cannot do without."""
    sound = _SOUND | {name: value for name, value in document.items() if (name,) not in broken}
    for part in {str(field[0]) for field in broken if len(field) > 1}:
        kept = {name: value for name, value in sound[part].items() if (part, name) not in broken}
        sound[part] = _SOUND.get(part, {}) | kept
    return sound


def part_at(place: Iterable[str | int], root: type[Part] = Scenario) -> type[Part] | None:
    """The part that stands at a place below `root`, or in the list there; None for a plain value or an unknown key."""
    part: type[Part] | None = root
    for step in place:
        if isinstance(step, int):
            continue
        if part is None or step not in part.model_fields:
            return None
        part = part_in(part.model_fields[step].annotation)
    return part


def part_in(annotation: object) -> type[Part] | None:
    """The part that a field's annotation holds, alone or in a list."""
    if inspect.isclass(annotation) and issubclass(annotation, Part):
        return annotation
    return next((part for inner in get_args(annotation) if (part := part_in(inner))), None)


def explain(error: ErrorDetails, root: type[Part] = Scenario) -> Fault:
    """A fault of one field, as pydantic found it in a document that `root` describes."""
    place: Place = tuple(error["loc"])
    if error["type"] == "missing":
        return Fault(place=place, problem="is missing", remedy=f"Add it: {_description(place, root)}")
    if error["type"] == "extra_forbidden":
        part = part_at(place[:-1], root)
        known = [*(part.model_fields if part else ()), *(["sweep"] if part is Scenario else [])]
        remedy = suggest(str(place[-1]), known)
        return Fault(place=place, problem="is unknown", remedy=remedy, at_key=True)
    return Fault(place=place, problem=f"is {_shown(error['input'])}", remedy=f"Give {_wanted(error)}.")


def _description(place: Place, root: type[Part] = Scenario) -> str:
    part = part_at(place[:-1], root)
    text = (part and part.model_fields[str(place[-1])].description) or "it has no default."
    return text[0].lower() + text[1:] if text[1:2].islower() else text


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    return quote(str(value))


def _wanted(error: ErrorDetails) -> str:
    if error["type"] not in _WANTED:  # a kind that no field of the language asks for today
        return f"what belongs here: {_description(tuple(error['loc']))}".removesuffix(".")
    context = {name: _as_written(value) for name, value in error.get("ctx", {}).items()}
    return _WANTED[error["type"]].format(**context)


def _as_written(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.replace("'", "") if isinstance(value, str) else value


_MAPPING = "keys and values, indented below it"
_LIST = "a list, such as [a, b], or lines that start with -"
_WANTED = {
    "value_error": "{error}",
    "literal_error": "{expected}",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "dict_type": _MAPPING,
    "dataclass_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "too_short": "at least one",
    "string_too_short": "some text",
    "string_too_long": "at most {max_length} characters",
}
"""Ends of `Give …`, by pydantic's kind of error."""
