"""A sweep taken apart: every combination of the swept fields' values, each a scenario of its own, each a case."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from wasim.errors import WasimError, quoted
from wasim.scenario.case import Case, covered_s
from wasim.scenario.checks import CHECKS
from wasim.scenario.examine import examine, faults_of, part_at
from wasim.scenario.faults import Check, Draft, Fault, Place, overlap, quote, suggest
from wasim.scenario.metrics import Limit
from wasim.scenario.parts import WRITER_KINDS
from wasim.scenario.scenario import Scenario

MOST_CASES = 10_000
NOT_SWEPT = ("version", "name", "question", "fit", "repetitions", "limits")
"""Fields that hold for the scenario as a whole."""

OPEN_MAPPINGS = (("table", "properties"), ("environment", "spark"))
"""Where names are Iceberg's or Spark's, which contain dots: everything after these is one name."""

Choice = tuple[int, ...]
"""One value of each axis, by index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One swept field: as written, where its value belongs, and its values."""

    field: str
    place: Place
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedScenario:
    """A sound scenario: the file as written, and what it takes apart into. `scenario` is the first combination, `path`
    None where there is no file.
    """

    path: Path | None
    text: str
    scenario: Scenario
    limits: tuple[Limit, ...]
    swept: dict[str, tuple[str, ...]]
    combinations: tuple[Case, ...]
    notes: tuple[str, ...] = ()
    """What is carried out otherwise than the file has it: sentences for people."""
    overrides: Mapping[str, str] = field(default_factory=dict)
    """Values from the command line that took the place of the file's, as YAML, by dotted field."""

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.scenario.name

    @property
    def commits(self) -> int:
        """Commits that the writers of all cases make together."""
        return sum(case.commits_made for case in self.combinations)

    def cases(self) -> tuple[Case, ...]:
        """The swept fields' values combined in the order written, all of them once before any is repeated."""
        return self.combinations

    def only(self, wanted: Sequence[str]) -> "LoadedScenario":
        """The scenario with some of its cases: each is asked for by its number, from 1, or by a part of its label.

        WasimError if nothing answers to one of `wanted`.
        """
        chosen: set[int] = set()
        for text in wanted:
            found = {
                number
                for number, case in enumerate(self.combinations, start=1)
                if (text == str(number) if text.isdecimal() else text in case.label)
            }
            if not found:
                listed = "" if self.path is None else f": `wasim validate {self.path} --cases` lists them"
                raise WasimError(
                    f"--only is {quoted(text)}, and none of the {len(self.combinations)} cases is called that. Give a"
                    f" number or a part of a label{listed}."
                )
            chosen |= found
        cases = tuple(case for number, case in enumerate(self.combinations, start=1) if number in chosen)
        return replace(self, combinations=cases)


def read_axes(document: Mapping[str, Any]) -> tuple[tuple[Axis, ...], list[Fault]]:
    """The swept fields that can be used, and faults for those that cannot."""
    sweep = document.get("sweep")
    if sweep is None:
        return (), []
    if not isinstance(sweep, dict):
        remedy = "Give fields and lists of values, such as {commit_interval: [1s, 5s]}."
        return (), [Fault(place=("sweep",), problem="is no mapping", remedy=remedy)]
    axes: list[Axis] = []
    faults: list[Fault] = []
    for name, values in sweep.items():
        found = _read_axis(document, name, values)
        clash = isinstance(found, Axis) and next((axis for axis in axes if overlap(axis.place, found.place)), None)
        if clash:
            remedy = f"Sweep only one of them; a list of whole values of {min(clash.field, name, key=len)} can say all."
            found = Fault(place=("sweep", name), problem=f"overlaps sweep.{clash.field}", remedy=remedy)
        if isinstance(found, Fault):
            faults.append(found)
        else:
            axes.append(found)
    return tuple(axes), faults


def _read_axis(document: Mapping[str, Any], field: str, values: object) -> Axis | Fault:
    here: Place = ("sweep", field)
    place = place_of(field, document, refused=NOT_SWEPT)
    if isinstance(place, Fault):
        return place
    if not isinstance(values, list) or not values:
        problem = "is an empty list" if isinstance(values, list) else "is no list"
        return Fault(place=here, problem=problem, remedy=f"Give a list, such as {field}: [a, b].")
    return Axis(field=field, place=place, values=tuple(values))


def place_of(field: str, document: Mapping[str, Any], *, refused: Container[str]) -> Place | Fault:
    """Where a dotted name such as `table.columns.payload.count` leads in this scenario. `refused` are fields of it."""
    here: Place = ("sweep", field)
    if not all(field.split(".")):
        return Fault(place=here, problem="is no field", remedy="Give names joined by dots.", at_key=True)
    place: Place = ()
    node: Any = document
    rest = field
    while rest:
        if place in OPEN_MAPPINGS or place == ("limits",):
            return (*place, rest)
        step, _, rest = rest.partition(".")
        if isinstance(node, list):
            named = _named(node)
            if step not in named:
                remedy = suggest(step, named)
                return Fault(place=here, problem=f"names {quote(step)}, which is not in its list", remedy=remedy)
            place, node = (*place, named[step]), node[named[step]]
            continue
        part = part_at(place)
        known = [name for name in (part.model_fields if part else ()) if place or name not in refused]
        if step not in known:
            problem = "cannot be swept" if step in refused and not place else "is unknown"
            return Fault(place=here, problem=problem, remedy=suggest(step, known), at_key=True)
        place = (*place, step)
        node = node.get(step) if isinstance(node, dict) else None
    return place


def _named(items: list[Any]) -> dict[str, int]:
    """Elements of a list by what they are called: a column's `name`, a partition field's `column`."""
    named: dict[str, int] = {}
    for index, item in enumerate(items):
        name = item.get("name", item.get("column")) if isinstance(item, dict) else None
        if isinstance(name, str):
            named.setdefault(name, index)
    return named


def choices(axes: tuple[Axis, ...]) -> Iterator[Choice]:
    """All combinations, the last axis fastest; above MOST_CASES only those that differ from the first in one axis."""
    sizes = [len(axis.values) for axis in axes]
    if prod(sizes) <= MOST_CASES:
        yield from product(*(range(size) for size in sizes))
        return
    yield (0,) * len(sizes)
    for number, size in enumerate(sizes):
        for index in range(1, min(size, MOST_CASES)):
            yield tuple(index if position == number else 0 for position in range(len(sizes)))


def examine_each(base: Mapping[str, Any], axes: tuple[Axis, ...]) -> Iterator[tuple[Choice, Scenario, list[Fault]]]:
    """The scenario of each combination, and its faults. Parts with the same swept values are read once, and checks look
    at the same parts once: what they found of an earlier combination is not said again.
    """
    within = {name: _within(axes, [name]) for name in dict.fromkeys(str(axis.place[0]) for axis in axes)}
    checks: dict[Choice, list[Check]] = {}
    for check in CHECKS:
        checks.setdefault(_within(axes, check.parts), []).append(check)
    like: Scenario | None = None
    sound, judged = dict[tuple[str, Choice], Any](), set[tuple[Choice, Choice]]()
    for choice in choices(axes):
        parts = {name: (name, _at(choice, numbers)) for name, numbers in within.items()}
        unjudged = {(numbers, _at(choice, numbers)) for numbers in checks} - judged
        judged |= unjudged
        if like is not None and all(key in sound for key in parts.values()):
            scenario, new = like.model_copy(update={name: sound[key] for name, key in parts.items()}), list[Check]()
            for numbers, _ in unjudged:
                new += checks[numbers]
            draft = Draft(scenario=scenario, document=settle(base, axes, choice) if new else {}, broken=frozenset())
            yield choice, scenario, faults_of(draft, new)
            continue
        scenario, faults = examine(settle(base, axes, choice))
        if not faults:
            like = scenario
            sound.update((key, getattr(scenario, name)) for name, key in parts.items())
        yield choice, scenario, faults


def _within(axes: tuple[Axis, ...], parts: Container[str]) -> Choice:
    return tuple(number for number, axis in enumerate(axes) if axis.place[0] in parts)


def _at(choice: Choice, numbers: Choice) -> Choice:
    return tuple([choice[number] for number in numbers])


def settle(base: Mapping[str, Any], axes: tuple[Axis, ...], choice: Choice) -> dict[str, Any]:
    """The document of one combination: the base with each swept field given its value."""
    settled: Any = {name: value for name, value in base.items() if name != "sweep"}
    for axis, index in zip(axes, choice, strict=True):
        settled = placed(settled, axis.place, axis.values[index])
    return settled  # type: ignore[no-any-return]


def placed(data: Any, place: Place, value: Any) -> Any:  # noqa: ANN401 - a document is dicts, lists and text
    """The data with a value at a place within it; unchanged where no such place can be, which is a fault of its own."""
    if not place:
        return value
    step, rest = place[0], place[1:]
    if isinstance(data, list):
        return [placed(item, rest, value) if index == step else item for index, item in enumerate(data)]
    if isinstance(data, str) and data in WRITER_KINDS:  # `writer: streaming` is short for a mapping
        data = {"kind": data}
    return {**data, step: placed(data.get(step, {}), rest, value)} if isinstance(data, dict) else data


def source(place: Place, axes: tuple[Axis, ...], choice: Choice) -> Place:
    """Where in the file the value at a place was written: in the sweep, or where it stands."""
    for axis, index in zip(axes, choice, strict=True):
        if place[: len(axis.place)] == axis.place:
            return ("sweep", axis.field, index, *place[len(axis.place) :])
    return place


_SHARED = [one.name for one in fields(Case) if one.name in Scenario.model_fields]


def make_case(scenario: Scenario, *, repetition: int, swept: dict[str, str]) -> Case:
    """The case that one combination of the sweep describes."""
    return Case(
        scenario=scenario.name,
        commit_interval_s=scenario.interval_s,
        horizon_s=covered_s(horizon_s=scenario.horizon, commit_interval_s=scenario.interval_s),
        repetition=repetition,
        swept=swept,
        **{name: getattr(scenario, name) for name in _SHARED},
    )
