"""Reads a scenario's file, and says everything that is wrong with it, each fault with its position and its remedy."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from pathlib import Path

from wasim.errors import ScenarioError
from wasim.scenario.case import Case
from wasim.scenario.document import Document, Refused, read_document, read_named, written
from wasim.scenario.examine import examine
from wasim.scenario.faults import ON_COMMAND_LINE, Fault, MarkedFault, format_place, mark_fault
from wasim.scenario.limits import parse_limit
from wasim.scenario.notes import take_notes
from wasim.scenario.overrides import override
from wasim.scenario.scenario import Scenario
from wasim.scenario.sweep import (
    MOST_CASES,
    Axis,
    Choice,
    LoadedScenario,
    choices,
    make_case,
    read_axes,
    settle,
    source,
)


def load_scenario(path: Path, overrides: Mapping[str, str] | None = None) -> LoadedScenario:
    """The scenario in a file, taken apart into cases. ScenarioError with every fault, in the order of the file.

    `overrides` holds values from the command line, as YAML, by dotted field: each takes the place of the file's, and
    of a sweep over that field.
    """
    content = read_named(path, "a scenario, such as scenarios/smoke.yaml")
    try:
        document, marked = read_document(content)
    except Refused as refused:
        raise ScenarioError(_lines(path, refused.faults)) from None
    for field, text in (overrides or {}).items():
        document, faults = override(document, field, text)
        marked += faults
    axes, of_sweep = read_axes(document.data)
    examined = [(choice, examine(settle(document.data, axes, choice))) for choice in choices(axes)]
    combinations = [(choice, scenario) for choice, (scenario, _) in examined]
    found: list[tuple[Choice, Fault]] = [((), fault) for fault in of_sweep]
    found += [(choice, fault) for choice, (_, faults) in examined for fault in faults]
    if not (found or marked):
        found += _whole_sweep_faults(axes, combinations)
    if found or marked:
        raise ScenarioError(_lines(path, _mark_all(document, axes, found, marked)))
    loaded = _loaded(path, content.decode("utf-8-sig"), axes, combinations)
    return replace(loaded, overrides=dict(overrides or {}))


def _lines(path: Path, faults: Iterable[MarkedFault]) -> list[str]:
    return [
        f"{path}: on the command line: {fault.text}"
        if fault.mark == ON_COMMAND_LINE
        else f"{path}:{fault.mark.line}:{fault.mark.column}: {fault.text}"
        for fault in sorted(faults)
    ]


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
        twin = seen.setdefault(json.dumps(scenario.model_dump(mode="json"), sort_keys=True), choice)
        if twin != choice:
            number = next(n for n in range(len(axes)) if twin[n] != choice[n])
            field = axes[number].field
            problem = f"is the same as sweep.{field}[{twin[number]}]"
            remedy = "Keep one; `repetitions` measures a case more than once."
            yield choice, Fault(place=("sweep", field, choice[number]), problem=problem, remedy=remedy)


def _loaded(
    path: Path, text: str, axes: tuple[Axis, ...], combinations: list[tuple[Choice, Scenario]]
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
