"""What changed between two versions of a table's settings, and what that does to its figures and limits."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wasim.capacity.words import SHOWN_METRICS
from wasim.diff.projection import Projection, Terms, project
from wasim.diff.read import Settings, is_scenario, read_settings
from wasim.diff.sides import Pair
from wasim.errors import WasimError
from wasim.iceberg.properties import (
    FORMAT_VERSION,
    MAX_SNAPSHOT_AGE_MS,
    MIN_SNAPSHOTS_TO_KEEP,
    TableProperties,
    property_of,
)
from wasim.report.gate import Figure
from wasim.report.words import leaves, listed
from wasim.scenario.metrics import ADDING_UP, METRICS, Limit
from wasim.units import format_duration

_DURATIONS = frozenset(["every", "older_than", "takes"])
_SKIPPED = ("scenario", "swept", "repetition", "seed", "horizon_s", "planning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A limit on both sides: whether it holds there, and the value after."""

    limit: Limit
    before: bool
    after: bool
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A table's settings before and after: what changed, in words, and the figures of both.

    `not_judged` are sentences on limits that are not among these; `notes` on what was changed and is not counted, or on
    what was assumed.
    """

    name: str
    changes: tuple[str, ...]
    figures: tuple[Figure, ...]
    bands: Mapping[str, float]
    limits: tuple[Kept, ...]
    not_judged: tuple[str, ...]
    keeps_up: tuple[bool, bool]
    tables: tuple[int, int]  # of the job, whose totals the figures are
    location: str
    currency: str
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Kept, ...]:
        """The limits that the change breaks."""
        return tuple(one for one in self.limits if one.before and not one.after)


@dataclass(slots=True, kw_only=True)
class Differences:
    """All differences found among so many versions that were `compared`, sentences on what could not be read or
    matched, and what was assumed of settings.
    """

    found: list[Difference] = field(default_factory=list)
    compared: int = 0
    unread: list[str] = field(default_factory=list)
    assumed: tuple[str, ...] = ()

    def add(self, difference: Difference) -> None:
        """One more comparison, whose difference is kept where there is one."""
        self.compared += 1
        if difference.changes or difference.notes:
            self.found.append(difference)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The scenario that settings are tried on: its text, and sentences on what is assumed of it.

    If it `counts_tables`, a job has as many as its file names. `of_writers` are those for files that say whose they
    are, by the writer's profile.
    """

    text: str
    assumed: tuple[str, ...] = ()
    expires: bool = True  # whether the scenario says when snapshots expire, or that none do
    counts_tables: bool = False
    of_writers: Mapping[str, "Workload"] = field(default_factory=dict)


def find_differences(pairs: Iterable[Pair], workload: Workload, terms: Terms) -> Differences:
    """The differences of all pairs of files; settings of no scenario are tried on the workload."""
    found = Differences()
    for pair in pairs:
        try:
            _find(pair, workload, terms, found)
        except WasimError as error:
            said = str(error).replace(f"{pair.name}: ", "").replace("\n", " ").rstrip(".")
            found.unread.append(f"{pair.name}: {said}")
    return found


def _find(pair: Pair, workload: Workload, terms: Terms, found: Differences) -> None:
    suffixed, texts = pair.name.rpartition(" → ")[2], [pair.before or "", pair.after or ""]
    if any(is_scenario(suffixed, text) for text in texts):
        if pair.before is None or pair.after is None:
            found.unread.append(f"{pair.name} is {'new' if pair.before is None else 'gone'}: there is one side only")
            return
        before, after = (list(project(text, {}, terms, pair.name)) for text in texts)
        for one, other in _matched(before, after, pair.name, found):
            label = f" ({other.case.label})" if max(len(before), len(after)) > 1 else ""
            found.add(_difference(f"{pair.name}{label}", one, other))
        return
    readings = [read_settings(suffixed, text) for text in texts]
    unread, unread_then = readings[1].unread, readings[0].unread
    new = [one for one in unread if one not in unread_then]
    gone = [] if new else [f"before the change, {one}" for one in unread_then if one not in unread]
    found.unread += [f"{pair.name}: {one}" for one in (*new, *gone)]
    for side, later in _paired(readings[0].settings, readings[1].settings):
        if side == later:
            found.compared += 1
            continue
        if side.not_a_period != later.not_a_period:  # is named as unread
            continue
        writers = (side.writer or later.writer, later.writer or side.writer)
        tried = [workload.of_writers.get(writer, workload) for writer in writers]
        found.assumed = tuple(dict.fromkeys([*found.assumed, *(line for on in tried for line in on.assumed)]))
        one, other = (
            next(project(on.text, _overrides(settings, on), terms, pair.name))
            for settings, on in zip((side, later), tried, strict=True)
        )
        place = f": {later.table}" if later.table else ""
        notes, counted = [*_notes(side, later)], other.case.writer.tables
        if later.tables > counted:
            notes.append(f"The file names {later.tables:,} tables: figures are of {counted:,} (--tables gives more).")
        found.add(_difference(f"{pair.name}{place}", one, other, tuple(notes)))


def _matched(
    before: list[Projection], after: list[Projection], name: str, found: Differences
) -> Iterator[tuple[Projection, Projection]]:
    """Cases of the same label; as many others on both sides are the same cases, changed, in the sweep's order."""
    earlier, later = ({one.case.label: one for one in side} for side in (before, after))
    for label in [label for label in earlier if label in later]:
        yield earlier.pop(label), later.pop(label)
    if len(earlier) == len(later):
        yield from zip(earlier.values(), later.values(), strict=True)
        return
    for when, others in (("before", earlier), ("after", later)):
        if others:
            found.unread.append(f"{name}: only {when} the change there is {', '.join(others)}")


def _paired(before: tuple[Settings, ...], after: tuple[Settings, ...]) -> Iterator[tuple[Settings, Settings]]:
    if len(before) == len(after) == 1:
        yield before[0], after[0]
        return
    earlier = {one.table: one for one in before}
    for other in after:
        yield earlier.pop(other.table, Settings(table=other.table)), other
    for one in earlier.values():
        yield one, Settings(table=one.table)


def _overrides(side: Settings, workload: Workload) -> dict[str, str]:
    properties = {key: text for key, text in side.properties.items() if not _why_not_counted(key, text)}
    properties.pop(FORMAT_VERSION, None)
    values = TableProperties.read(properties)
    overrides = {f"table.properties.{key}": json.dumps(text) for key, text in properties.items()}
    if workload.counts_tables and side.tables > 1:
        overrides["writer.tables"] = str(side.tables)
    if side.interval_s is not None:
        overrides["commit_interval"] = format_duration(side.interval_s)
    if FORMAT_VERSION in side.properties:
        overrides["table.format_version"] = side.properties[FORMAT_VERSION]
    if not workload.expires or MAX_SNAPSHOT_AGE_MS in properties:
        expiry = {"every": "1d", "older_than": format_duration(values.max_snapshot_age_ms / 1000)}
        if MIN_SNAPSHOTS_TO_KEEP in properties:
            expiry["retain_last"] = str(values.min_snapshots_to_keep)
        overrides["maintenance.expire_snapshots"] = json.dumps(expiry)
    return overrides


def _notes(before: Settings, after: Settings) -> Iterator[str]:
    """What changed and is not counted."""
    for key in _changed_keys(before.properties, after.properties):
        texts = [side.properties[key] for side in (before, after) if key in side.properties]
        if why := next((why for text in texts if (why := _why_not_counted(key, text))), ""):
            yield f"`{key}` {why}: not counted."


def _why_not_counted(key: str, text: str) -> str:
    row = property_of(key)
    if row is None:
        return "is no table property that wasim knows"
    return "" if key == FORMAT_VERSION or row.simulates(text) else f"{text} is not simulated"


def _difference(name: str, before: Projection, after: Projection, notes: tuple[str, ...] = ()) -> Difference:
    tables = before.case.writer.tables, after.case.writer.tables
    was, is_now = before.figures, after.figures
    if max(tables) > 1:
        totals = listed(METRICS[metric].words for metric in SHOWN_METRICS if metric in ADDING_UP)
        notes += (f"{totals} are of all tables of the job, {tables[0]:,} before and {tables[1]:,} after.",)
    return Difference(
        name=name,
        changes=tuple(_changes(before.case.document(), after.case.document())),
        figures=tuple(
            Figure(metric=metric, before=was.values[metric], after=is_now.values[metric]) for metric in SHOWN_METRICS
        ),
        bands={metric: is_now.bands.get(metric, 0.0) for metric in SHOWN_METRICS},
        limits=tuple(
            Kept(
                limit=limit,
                before=limit.holds(was.judged(limit.metric)),
                after=limit.holds(is_now.judged(limit.metric)),
                value=is_now.judged(limit.metric),
            )
            for limit in after.request.limits
        ),
        not_judged=after.request.not_judged,
        keeps_up=(was.keeps_up, is_now.keeps_up),
        tables=tables,
        location=after.request.location,
        currency=after.request.prices.currency,
        notes=notes,
    )


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """`1m → 10s` for the interval, and `name before → after` for everything else, the interval first."""
    interval, later = (float(one["commit_interval_s"]) for one in (before, after))
    if interval != later:
        yield f"{format_duration(interval)} → {format_duration(later)}"
    kept = ({name: value for name, value in side.items() if name not in _SKIPPED} for side in (before, after))
    one, other = ({key: str(value) for key, value in leaves(side, lambda _, place: str(place))} for side in kept)
    for key in _changed_keys(one, other):
        if key != "commit_interval_s":
            shown = key.removeprefix("table.properties.")
            yield f"`{shown}` {_value(key, one)} → {_value(key, other)}"


def _value(key: str, values: Mapping[str, str]) -> str:
    text = values.get(key, "unset")
    is_duration = key.rpartition(".")[2] in _DURATIONS and text.replace(".", "").isdecimal()
    return format_duration(float(text)) if is_duration else text


def _changed_keys(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
