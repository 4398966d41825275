"""Reads a scenario's file, or one of figures such as prices, and says everything that is wrong with it, and where."""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, ValidationError

from wasim.errors import ScenarioError
from wasim.scenario.case import Case
from wasim.scenario.document import Document, Refused, Wanted, read_document, read_named, written
from wasim.scenario.examine import explain
from wasim.scenario.faults import (
    ON_COMMAND_LINE,
    Fault,
    Mark,
    MarkedFault,
    Place,
    format_place,
    mark_fault,
    overlap,
    quote,
)
from wasim.scenario.metrics import parse_limit
from wasim.scenario.scenario import Scenario
from wasim.scenario.sweep import (
    MOST_CASES,
    Axis,
    Choice,
    LoadedScenario,
    examine_each,
    make_case,
    place_of,
    placed,
    read_axes,
    source,
)
from wasim.scenario.values import Part
from wasim.units import format_duration

_ROUNDED = 1e-6  # share of the rows that goes without a note: rates such as 0.3333333 every 3s have few digits
_MOST_NAMED = 4
UNFINISHED_VERSION = 4  # of Iceberg's format
UNFINISHED = f"Format version {UNFINISHED_VERSION} is unfinished: files are as Iceberg 1.12 writes them."
Read = TypeVar("Read", bound=Part)


def override(document: Document, field: str, text: str) -> tuple[Document, list[MarkedFault]]:
    """The document with a value, written as YAML, at a dotted field. Faults if it is none, or there is no field.

    A sweep over the field, or over a part of it, is dropped; in a sweep over what the field is part of, each value
    takes it.
    """
    place = place_of(field, document.data, refused=())
    if isinstance(place, Fault):
        return document, [mark_fault(ON_COMMAND_LINE, replace(place, place=(field,)))]
    try:
        read, faults = read_document(f"value: {text}".encode(errors="surrogatepass"))
    except Refused:
        read, faults = Document(data={}), []
    if faults or list(read.data) != ["value"]:
        remedy = "Give it as a scenario writes it, such as 365d, [1s, 5s] or {kind: batch}."
        return document, [MarkedFault(mark=ON_COMMAND_LINE, text=f"{field}: {quote(text)} is no value. {remedy}")]
    value = read.data["value"]
    data, changed = placed(document.data, place, value), [place]
    if isinstance(data.get("sweep"), dict):
        data["sweep"] = {}
        for swept, values in document.data["sweep"].items():
            other = place_of(swept, document.data, refused=())
            if isinstance(other, Fault) or not overlap(place, other) or not isinstance(values, list):
                data["sweep"][swept] = values
            elif len(place) > len(other):
                within = place[len(other) :]
                data["sweep"][swept] = [placed(item, within, value) for item in values]
                changed += [("sweep", swept, number, *within) for number in range(len(values))]
    starts, keys = _remarked(document.starts, changed), _remarked(document.keys, changed)
    return Document(data=data, starts=starts, keys=keys), []


def _remarked(marks: dict[Place, Mark], changed: list[Place]) -> dict[Place, Mark]:
    kept = {place: mark for place, mark in marks.items() if not any(place[: len(new)] == new for new in changed)}
    return kept | dict.fromkeys(changed, ON_COMMAND_LINE)


def load_scenario(path: Path, overrides: Mapping[str, str] | None = None) -> LoadedScenario:
    """The scenario in a file, taken apart into cases. ScenarioError with every fault, in the order of the file.

    `overrides` holds values from the command line, as YAML, by dotted field: each takes the place of the file's, and
    of a sweep over that field.
    """
    return scenario_of(read_named(path, "a scenario, such as scenarios/smoke.yaml"), overrides, path)


def scenario_of(content: bytes, overrides: Mapping[str, str] | None = None, path: Path | None = None) -> LoadedScenario:
    """The scenario of a file's content, taken apart into cases; ScenarioError and `overrides` as of `load_scenario`.
    Without a `path` nobody has written it to a file, and its faults have no place.
    """
    try:
        document, marked = read_document(content)
    except Refused as refused:
        raise ScenarioError(*_lines(path, refused.args)) from None
    for field, text in (overrides or {}).items():
        document, faults = override(document, field, text)
        marked += faults
    axes, of_sweep = read_axes(document.data)
    examined = [*examine_each(document.data, axes)]
    combinations = [(choice, scenario) for choice, scenario, _ in examined]
    found: list[tuple[Choice, Fault]] = [((), fault) for fault in of_sweep]
    found += [(choice, fault) for choice, _, faults in examined for fault in faults]
    if not (found or marked):
        found += _whole_sweep_faults(axes, combinations)
    if found or marked:
        raise ScenarioError(*_lines(path, _mark_all(document, axes, found, marked)))
    loaded = _loaded(path, content.decode("utf-8-sig"), axes, combinations)
    return replace(loaded, overrides=dict(overrides or {}))


def _lines(path: Path | None, faults: Iterable[MarkedFault]) -> list[str]:
    lines = []
    for fault in sorted(faults):
        given = fault.mark == ON_COMMAND_LINE
        place = f"{path}: " if given else f"{path}:{fault.mark.line}:{fault.mark.column}: "
        lines.append(f"{'' if path is None else place}{'on the command line: ' if given else ''}{fault.text}")
    return lines


def _mark_all(
    document: Document, axes: tuple[Axis, ...], found: Iterable[tuple[Choice, Fault]], marked: Iterable[MarkedFault]
) -> set[MarkedFault]:
    """The faults that are `marked` and those `found`, once each; a value that comes from the sweep is marked there.

    A value with a fault of form has no other fault.
    """
    shown = set(marked)
    malformed = {(fault.mark, fault.text.split(" ")[0]) for fault in shown}
    swept = document.data.get("sweep")
    for choice, fault in found:
        if fault.problem == "is missing" and isinstance(swept, dict) and format_place(fault.place) in swept:
            continue  # it is swept, if only in a way that is a fault by itself
        place = source(fault.place, axes, choice) if choice else fault.place
        mark = document.locate(place, at_key=fault.at_key)
        if (mark, format_place(place)) not in malformed:
            shown.add(mark_fault(mark, replace(fault, place=place)))
    return shown


def _whole_sweep_faults(
    axes: tuple[Axis, ...], combinations: list[tuple[Choice, Scenario]]
) -> Iterator[tuple[Choice, Fault]]:
    """Faults of the sweep as a whole: too many cases, intervals held out of one, or two cases that are the same."""
    first = combinations[0][1]
    count = first.repetitions * prod(len(axis.values) for axis in axes)
    if count > MOST_CASES:
        problem = f"makes {count} cases, counting {first.repetitions} of each"
        remedy = f"Sweep fewer values: {MOST_CASES} cases are the most."
        yield (), Fault(place=("sweep",) if axes else ("repetitions",), problem=problem, remedy=remedy)
        return
    intervals = {scenario.interval_s for _, scenario in combinations}
    if "held_out" in first.fit.model_fields_set and first.fit.held_out == "intervals" and len(intervals) == 1:
        problem = 'is "intervals", but all cases share one commit interval'
        remedy = "Sweep commit_interval, or give second_half or none."
        yield (), Fault(place=("fit", "held_out"), problem=problem, remedy=remedy)
    seen: dict[str, Choice] = {}
    for choice, scenario in combinations:
        if sum(map(bool, choice)) > 1:  # values of one axis that are the same are found with the first of all others
            continue
        twin = seen.setdefault(json.dumps(scenario.model_dump(mode="json"), sort_keys=True), choice)
        if twin != choice:
            number = next(n for n in range(len(axes)) if twin[n] != choice[n])
            field = axes[number].field
            problem = f"is the same as sweep.{field}[{twin[number]}]"
            remedy = "Keep one; `repetitions` measures a case more than once."
            yield choice, Fault(place=("sweep", field, choice[number]), problem=problem, remedy=remedy)


def _loaded(
    path: Path | None, text: str, axes: tuple[Axis, ...], combinations: list[tuple[Choice, Scenario]]
) -> LoadedScenario:
    first = combinations[0][1]
    values = {axis.field: tuple(written(value) for value in axis.values) for axis in axes}
    cases: list[Case] = []
    for repetition in range(first.repetitions):
        for choice, scenario in combinations:
            swept = {field: texts[index] for (field, texts), index in zip(values.items(), choice, strict=True)}
            cases.append(make_case(scenario, repetition=repetition, swept=swept))
    return LoadedScenario(
        path=path,
        text=text,
        scenario=first,
        limits=tuple(parse_limit(metric, limit) for metric, limit in first.limits.items()),
        swept=values,
        combinations=tuple(cases),
        notes=take_notes(zip((scenario for _, scenario in combinations), cases, strict=False)),
    )


def take_notes(combinations: Iterable[tuple[Scenario, Case]]) -> tuple[str, ...]:
    """Sentences on what differs from the scenario's own words, each once."""
    noted: dict[str, list[str]] = {}
    for scenario, case in combinations:
        for note, when in _notes(case, scenario.horizon):
            whens = noted.setdefault(note, [])
            if when not in whens:
                whens.append(when)
    return tuple(note.format(_some(whens)) for note, whens in noted.items())


def _notes(case: Case, horizon_s: float) -> Iterator[tuple[str, str]]:
    """Sentences with {} where cases differ, each with what stands there for this case."""
    interval = format_duration(case.commit_interval_s)
    if case.table.format_version == UNFINISHED_VERSION:
        yield UNFINISHED, ""
    if case.horizon_s != horizon_s:
        cut = f"to {format_duration(case.horizon_s)} at {interval}"
        yield f"horizon: {format_duration(horizon_s)} is cut to whole commits, {{}}.", cut
    rows = case.workload.rows_per_second * case.commit_interval_s
    if abs(rows - case.rows_per_commit) > _ROUNDED * rows:
        rounded = f"{rows:.10g} to {case.rows_per_commit} at {interval}"
        yield "workload.rows_per_second: rows per commit are rounded, {}.", rounded
    for part in ("changes", "maintenance"):
        for name, given in getattr(case, part):
            if given is not None and given.every is not None and given.every > case.horizon_s:
                horizon = _missed(given.every, case, horizon_s)
                every = format_duration(given.every)
                yield f"{part}.{name}: every {every} is longer than the horizon of {{}}, so it never happens.", horizon
    for number, one in enumerate(case.evolution):
        if one.at > case.horizon_s:
            at, horizon = format_duration(one.at), _missed(one.at, case, horizon_s)
            yield f"evolution[{number}]: at {at} is after the horizon of {{}}, so it never happens.", horizon


def _missed(time_s: float, case: Case, horizon_s: float) -> str:
    """The horizon that a time is beyond: as written, or only as cut."""
    return format_duration(horizon_s if time_s > horizon_s else case.horizon_s)


def _some(texts: list[str]) -> str:
    """A few of the texts, and whether there are more."""
    return ", ".join([*texts[:_MOST_NAMED], *(["and so on"] if len(texts) > _MOST_NAMED else [])])


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
        document, faults = None, list(refused.args)
    found = None
    if document is not None and not part.model_fields.keys() & document.data.keys():
        raise ScenarioError(f"{path}: is not {what}. {wanted.remedy}")
    if document is not None:
        try:
            found = part.model_validate(document.data)
        except ValidationError as errors:
            for one in errors.errors(include_url=False):
                fault = explain(one, part)
                faults.append(mark_fault(document.locate(fault.place, at_key=fault.at_key), fault))
    if faults or found is None:
        raise ScenarioError(*(f"{path}:{each.mark.line}:{each.mark.column}: {each.text}" for each in sorted(faults)))
    return found
