"""Small YAML files of figures, such as prices: read and checked as scenarios are, with every fault at its place."""

import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, ValidationError

from wasim.errors import ScenarioError
from wasim.scenario.document import Refused, Wanted, read_document, read_named
from wasim.scenario.examine import explain
from wasim.scenario.faults import mark_fault
from wasim.scenario.values import Part

Read = TypeVar("Read", bound=Part)


def _version(value: object) -> object:
    if value in ("1", 1):
        return 1
    raise ValueError("1, the only version of this file")


def _day(value: object) -> str:
    try:
        return datetime.date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError("a day, such as 2026-01-31") from None


FirstVersion = Annotated[Literal[1], BeforeValidator(_version)]
Day = Annotated[str, BeforeValidator(_day)]


def load_part(path: Path, part: type[Read], what: str) -> Read:
    """The part that a file holds; `what` names it, with an article. ScenarioError with every fault, each with its
    position; a file that is something else altogether is one fault.
    """
    wanted = Wanted(name=what, remedy=f"One holds {', '.join(part.model_fields)}.", too_large=f"Give {what}.")
    content = read_named(path, what)
    try:
        document, faults = read_document(content, wanted)
    except Refused as refused:
        document, faults = None, list(refused.faults)
    found = None
    if document is not None and not part.model_fields.keys() & document.data.keys():
        raise ScenarioError([f"{path}: is not {what}. {wanted.remedy}"])
    if document is not None:
        try:
            found = part.model_validate(document.data)
        except ValidationError as errors:
            for one in errors.errors(include_url=False):
                fault = explain(one, part)
                faults.append(mark_fault(document.locate(fault.place, at_key=fault.at_key), fault))
    if faults or found is None:
        raise ScenarioError([f"{path}:{each.mark.line}:{each.mark.column}: {each.text}" for each in sorted(faults)])
    return found
