"""Reads a scenario's file, and says everything that is wrong with it, each fault with its position and its remedy."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from wasim.errors import ScenarioError
from wasim.scenario import document
from wasim.scenario.case import Case
from wasim.scenario.examine import Examined, examine
from wasim.scenario.faults import ON_COMMAND_LINE, Fault, Mark, MarkedFault, format_place, mark_fault
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
    content = _read(path)
    try:
        root, marked = document.read_document(content)
    except document.Refused as refused:
        raise ScenarioError(_lines(path, refused.faults)) from None
    for field, text in (overrides or {}).items():
        root, faults_there = override(root, field, text)
        marked += faults_there
    axes, faults = read_axes(root)
    combinations = _examine_all(root, axes)
    reader = _Reader(root, axes, marked)
    for fault in faults:
        reader.add(fault)
    for choice, examined in combinations:
        for fault in examined.faults:
            reader.add(fault, choice)
    sound = [(choice, examined.scenario) for choice, examined in combinations]
    if not reader.marked:
        for choice, fault in _whole_sweep_faults(axes, sound):
            reader.add(fault, choice)
    if reader.marked:
        raise ScenarioError(_lines(path, reader.marked))
    return replace(_loaded(path, content.decode("utf-8-sig"), axes, sound), overrides=dict(overrides or {}))


class _Reader:
    """Gathers faults as they are shown, each once, wherever many combinations share it."""

    def __init__(self, root: document.Mapping, axes: tuple[Axis, ...], marked: list[MarkedFault]) -> None:
        self._root, self._axes = root, axes
        self._seen: set[tuple[Mark, str]] = set()
        self.marked = list(marked)
        self._taken = {(fault.mark, fault.text.split(" ")[0]) for fault in marked}

    def add(self, fault: Fault, choice: Choice = ()) -> None:
        """Takes up a fault, pointing into the sweep where the value came from there."""
        place = source(fault.place, self._axes, choice) if choice else fault.place
        if fault.problem == "is missing" and self._swept(format_place(fault.place)):
            return
        mark = document.locate(self._root, place, at_key=fault.at_key)
        shown = mark_fault(mark, Fault(place=place, problem=fault.problem, remedy=fault.remedy))
        name = (mark, format_place(place))
        if name not in self._taken and (mark, shown.text) not in self._seen:
            self._seen.add((mark, shown.text))
            self.marked.append(shown)

    def _swept(self, field: str) -> bool:
        """Whether the sweep names the field, if only in a way that is a fault by itself."""
        sweep = self._root.entries.get("sweep")
        return isinstance(sweep, document.Mapping) and field in sweep.entries


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(document.MOST_BYTES + 1)
    except FileNotFoundError:
        problem = "no such file. Give the path of a scenario, such as scenarios/smoke.yaml."
    except IsADirectoryError:
        problem = "is a directory. Give the path of one scenario in it."
    except PermissionError:
        problem = "may not be read. Give yourself permission: chmod u+r."
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = f"cannot be read: {reason}. Give the path of a scenario, such as scenarios/smoke.yaml."
    raise ScenarioError([f"{path}: {problem}"])


def _lines(path: Path, faults: Iterable[MarkedFault]) -> list[str]:
    return [f"{path}{_where(fault.mark)}: {fault.text}" for fault in sorted(faults)]


def _where(mark: Mark) -> str:
    return ": on the command line" if mark == ON_COMMAND_LINE else f":{mark.line}:{mark.column}"


def _examine_all(root: document.Mapping, axes: tuple[Axis, ...]) -> list[tuple[Choice, Examined]]:
    base = document.plain(root)
    return [(choice, examine(settle(base, axes, choice))) for choice in choices(axes)]


def _whole_sweep_faults(
    axes: tuple[Axis, ...], combinations: list[tuple[Choice, Scenario]]
) -> Iterable[tuple[Choice, Fault]]:
    """Faults of the sweep as a whole: too many cases, or two that are the same."""
    repetitions = combinations[0][1].repetitions
    count = repetitions
    for axis in axes:
        count *= len(axis.values)
    if count > MOST_CASES:
        yield (
            (),
            Fault(
                place=("sweep",) if axes else ("repetitions",),
                problem=f"makes {count} cases, counting {repetitions} of each",
                remedy=f"Sweep fewer values: {MOST_CASES} cases are the most.",
            ),
        )
        return
    first = combinations[0][1]
    intervals = {scenario.commit_interval for _, scenario in combinations}
    if "held_out" in first.fit.model_fields_set and first.fit.held_out == "intervals" and len(intervals) == 1:
        yield (
            (),
            Fault(
                place=("fit", "held_out"),
                problem='is "intervals", but all cases share one commit interval',
                remedy="Sweep commit_interval, or give second_half or none.",
            ),
        )
    seen: dict[str, Choice] = {}
    for choice, scenario in combinations:
        twin = seen.setdefault(json.dumps(scenario.model_dump(mode="json"), sort_keys=True), choice)
        if twin == choice:
            continue
        number = next(n for n in range(len(axes)) if twin[n] != choice[n])
        axis = axes[number]
        yield (
            choice,
            Fault(
                place=("sweep", axis.field, choice[number]),
                problem=f"is the same as sweep.{axis.field}[{twin[number]}]",
                remedy="Keep one; `repetitions` measures a case more than once.",
            ),
        )


def _loaded(
    path: Path, text: str, axes: tuple[Axis, ...], combinations: list[tuple[Choice, Scenario]]
) -> LoadedScenario:
    first = combinations[0][1]
    values = {axis.field: tuple(document.written(value) for value in axis.values) for axis in axes}
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
