"""Case ─► steps. The only place that interprets what a scenario intends; engines see nothing but steps.

A run of like appends is one step with a count, so that an engine may carry it out as one streaming query, and a
simulator as one closed form. Every other step is one thing done to the table, complete: which rows it touches, and the
table as it is from then on. Steps are numbered from 1 in the order of event time, a run of appends taking as many
numbers as it has commits; CREATE TABLE is 0.

At the same event time the append comes first, then changes, evolution and maintenance, then the probe.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from wasim.rules.compaction import small_file_bytes
from wasim.rules.maintenance import commit_at, turn_after
from wasim.scenario.case import Case, microseconds, multiples_within
from wasim.scenario.change_checks import evolve
from wasim.scenario.changes import Change, Delete, Evolution, MaintenanceJob, Overwrite
from wasim.scenario.parts import Table
from wasim.scenario.rests import Rests
from wasim.units import Ints

SCATTER = 1_000_000  # scattered rows are those whose hash, modulo this, is below their share of it


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoice:
    """Rows numbered first … stop − 1; with `parts` below SCATTER, only that share of them in millionths, by hash.

    `salt` makes one scattered choice differ from the next. Merged-in rows have negative numbers and are in no choice.
    """

    first: int
    stop: int
    parts: int = SCATTER
    salt: int = 0

    @property
    def count(self) -> int:
        """The number of rows, if none are missing; of scattered ones the expected number."""
        return round((self.stop - self.first) * self.parts / SCATTER)

    @property
    def is_scattered(self) -> bool:
        """Whether not all rows of the range are meant."""
        return self.parts < SCATTER


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    """CREATE TABLE: one metadata.json, no snapshot."""

    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """`commits` commits of the writer in a row, the same but for their rows. `number` is the step number of the first.

    `table` is the table as it then is. With `replaced_per_commit`, the commits but the table's very first are
    MERGE INTO, and that many of their rows replace earlier ones. Without rows it commits nothing, once.
    """

    number: int
    first_commit: int
    commits: int
    rows_per_commit: int
    replaced_per_commit: int
    merges: bool
    table: Table

    def operation(self, commit: int) -> str:
        """What the writer does in this commit: the table's first has nothing to replace."""
        return "upsert" if self.replaced_per_commit and commit > 1 else "append"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRows:
    """UPDATE, DELETE, MERGE INTO or INSERT OVERWRITE of some rows."""

    number: int
    event_time_s: float
    operation: Literal["update", "delete", "merge", "overwrite"]
    rows: RowChoice
    table: Table
    new_rows: tuple[int, int] = (0, 0)  # first and stop of the negative numbers of the rows that a merge inserts
    dynamic: bool = False  # of an overwrite: whole partitions

    @property
    def rows_arrived(self) -> int:
        """Rows that it brings: a merge's source; what the others write was in the table before."""
        return self.rows.count + self.new_rows[1] - self.new_rows[0] if self.operation == "merge" else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must have become too much: `measure` counts at least `least`."""

    measure: Literal["small_files", "manifests", "snapshots"]
    least: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintain:
    """One maintenance operation, under a condition or without one. `age_s` is in event time."""

    number: int
    event_time_s: float
    operation: Literal["rewrite_data_files", "rewrite_manifests", "expire_snapshots", "remove_orphan_files"]
    condition: Condition | None = None
    age_s: float = 0.0
    retain_last: int = 1
    target_file_size_bytes: int = 0
    min_input_files: int = 0
    partial_progress_commits: int | None = None

    @property
    def small_file_bytes(self) -> int:
        """Data files below this are small, for rewrite_data_files and for those who wait for it."""
        return small_file_bytes(self.target_file_size_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolve:
    """One change of schema, partition spec, properties or references; `table` is the table after it."""

    number: int
    event_time_s: float
    evolution: Evolution
    table: Table

    @property
    def operation(self) -> str:
        """What of the table changes, in the scenario's word: add_column, set_properties …"""
        return next(iter(self.evolution.model_dump(exclude={"at"}, exclude_none=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Pause the writer and measure planning; writes nothing and has no number."""

    after_commit: int
    final: bool
    table: Table


Step = CreateTable | Append | ChangeRows | Evolve | Maintain | Probe

_OF_JOBS = ("retain_last", "target_file_size_bytes", "min_input_files", "partial_progress_commits")
# The order of what falls on one commit.
_CHANGE, _EVOLVE, _MAINTAIN, _PROBE = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a periodic job runs: at every multiple of its period up to the horizon, after the commit made by then.

    Runs are numbered from 1. One at the very time of a commit comes after it; several may follow the same commit, and
    those before the first commit follow commit 0.
    """

    every_s: float
    horizon_s: float
    commit_interval_s: float
    rests: Rests | None = None  # of a writer whose commits with rows alone are numbered

    @property
    def count(self) -> int:
        """How often the job runs within the horizon."""
        return multiples_within(self.horizon_s, of=self.every_s)

    def event_time_s(self, turn: int) -> float:
        """Event time of the run with this number."""
        return turn * self.every_s

    def commit_at(self, turn: int) -> int:
        """The writer's commit that the run with this number follows."""
        if self.rests is not None:
            return int(self.commits_at(np.array([turn]))[0])
        return commit_at(turn, microseconds(self.every_s), microseconds(self.commit_interval_s))

    def commits_at(self, turns: Ints) -> Ints:
        """The same of several runs."""
        intervals = commit_at(turns, microseconds(self.every_s), microseconds(self.commit_interval_s))
        return intervals if self.rests is None else self.rests.commits_in(intervals.astype(float)).astype(int)

    def turn_after(self, commit: int) -> int:
        """The first run that follows a later commit than this one; above `count` where none does."""
        if self.rests is not None:  # the run after the interval before that of the next commit
            if commit >= self.rests.commits:
                return self.count + 1
            commit = int(self.rests.intervals_of(np.array(commit + 1.0))) - 1
        return turn_after(commit, microseconds(self.every_s), microseconds(self.commit_interval_s))


def schedule(case: Case, job: Change | MaintenanceJob) -> Schedule:
    """When a change or a maintenance operation of the case runs: one under a condition looks after every commit."""
    return schedule_of(case, case.commit_interval_s if job.every is None else job.every)


def schedule_of(case: Case, every_s: float) -> Schedule:
    """When what comes so often comes in the case."""
    return Schedule(every_s=every_s, horizon_s=case.ends_s, commit_interval_s=case.commit_interval_s, rests=case.rests)


def merged_rows(case: Case) -> float:
    """Rows that its MERGE statements bring, of the table as appends alone fill it."""
    merge = case.changes.merge
    if merge is None or not (runs := schedule(case, merge)).count:
        return 0.0
    there = sum(case.rows_through(runs.commit_at(turn)) for turn in (1, runs.count)) / 2  # it grows evenly
    matched = (merge.share or 0.0) * there if merge.rows is None else min(merge.rows, there)
    return float(runs.count * (matched + merge.new_rows))


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _ScheduledStep:
    """Something that happens after the writer's commit `commit`, in the order of the fields."""

    commit: int
    event_time_s: float
    rank: int
    place: int  # among steps of one rank
    name: str = ""


def plan_steps(case: Case) -> Iterator[Step]:
    """The steps of a case, in order: CREATE, then appends with all that falls between them. Lazy, for long horizons."""
    yield CreateTable()
    planner = _Planner(case)
    for scheduled in heapq.merge(*_scheduled_steps(case)):
        if scheduled.commit > planner.done:
            yield from planner.appends(scheduled.commit)
        yield planner.step(scheduled)


def _scheduled_steps(case: Case) -> Iterator[Iterator[_ScheduledStep]]:
    for rank, jobs in ((_CHANGE, case.changes), (_MAINTAIN, case.maintenance)):
        for place, (name, job) in enumerate(jobs):
            if name == "expire_snapshots" and case.expires_itself:
                yield _after_commits(case, rank=rank, place=place, name=name)
            elif job is not None:
                yield _runs(schedule(case, job), rank=rank, place=place, name=name)
    evolutions = enumerate(case.evolution)
    yield (
        _ScheduledStep(commit=case.commits_by(one.at), event_time_s=one.at, rank=_EVOLVE, place=place)
        for place, one in evolutions
        if one.at <= case.horizon_s
    )
    yield (
        _ScheduledStep(commit=commit, event_time_s=case.horizon_s, rank=_PROBE, place=0)
        for commit in sorted({max(1, round(share * case.commits)) for share in {*case.planning.checkpoints, 1.0}})
    )


def _after_commits(case: Case, *, rank: int, place: int, name: str) -> Iterator[_ScheduledStep]:
    for first, count, _ in case.appends(1, case.commits):
        for commit in range(first, first + count):
            event_time_s = commit * case.commit_interval_s
            yield _ScheduledStep(commit=commit, event_time_s=event_time_s, rank=rank, place=place, name=name)


def _runs(schedule: Schedule, *, rank: int, place: int, name: str) -> Iterator[_ScheduledStep]:
    for turn in range(1, schedule.count + 1):
        commit, event_time_s = schedule.commit_at(turn), schedule.event_time_s(turn)
        yield _ScheduledStep(commit=commit, event_time_s=event_time_s, rank=rank, place=place, name=name)


class _Planner:
    """Follows the table as the steps go by: how many rows it has, which are gone, what it looks like."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self.done = 0  # the writer's commits so far
        self._number = 0
        self._table = case.table
        self._gone = 0  # how many of the oldest rows were deleted or overwritten
        self._inserted = 0  # rows that merges brought

    def appends(self, through: int) -> Iterator[Append]:
        case = self._case
        for first, commits, brings_rows in case.appends(self.done + 1, through):
            yield Append(
                number=self._number + 1,
                first_commit=first,
                commits=commits,
                rows_per_commit=case.rows_per_commit if brings_rows else 0,
                replaced_per_commit=case.replaced_rows_per_commit,
                merges=case.merges,
                table=self._table,
            )
            self._number += commits
        self.done = through

    def step(self, scheduled: _ScheduledStep) -> Step:
        make: tuple[Callable[[_ScheduledStep], Step], ...]  # by rank
        make = self._change, self._evolve, self._maintain, self._probe
        return make[scheduled.rank](scheduled)

    def _probe(self, scheduled: _ScheduledStep) -> Probe:
        return Probe(after_commit=scheduled.commit, final=scheduled.commit == self._case.commits, table=self._table)

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _change(self, scheduled: _ScheduledStep) -> ChangeRows:
        change: Change = getattr(self._case.changes, scheduled.name)
        step = ChangeRows(
            number=self._next_number(),
            event_time_s=scheduled.event_time_s,
            operation=scheduled.name,  # type: ignore[arg-type]  # the field of Changes is the operation
            rows=self._choose(change),
            table=self._table,
        )
        if isinstance(change, Overwrite):
            # Spark leaves a table as it is where a dynamic overwrite brings no rows
            if change.kind == "static" or (step.rows.count and not self._table.partition_by):
                self._gone = step.rows.first
            return replace(step, dynamic=change.kind == "dynamic")
        new_rows = getattr(change, "new_rows", 0)
        if new_rows:
            self._inserted += new_rows
            step = replace(step, new_rows=(-self._inserted, new_rows - self._inserted))
        if isinstance(change, Delete) and change.locality.startswith("oldest"):
            self._gone = step.rows.stop
        return step

    def _choose(self, change: Change) -> RowChoice:
        """The rows that a change touches, of those that are there."""
        first, stop = self._gone, self._case.rows_through(self.done)
        there = stop - first
        locality = getattr(change, "locality", "newest")
        wanted = min(there, change.rows if change.rows is not None else round((change.share or 0) * there))
        if locality == "scattered":
            parts = round(SCATTER * wanted / there) if there else 0
            return RowChoice(first=first, stop=stop, parts=parts, salt=self._number)
        if locality == "newest":
            return RowChoice(first=stop - wanted, stop=stop)
        if locality == "oldest_commits":
            wanted = self._whole_commits(first + wanted) - first
        return RowChoice(first=first, stop=first + wanted)

    def _whole_commits(self, stop: int) -> int:
        """The last row number, no greater than `stop`, at which a commit of the writer ends; one commit at least."""
        case = self._case
        fresh = case.rows_per_commit - case.replaced_rows_per_commit
        commits = max(1, (stop - case.replaced_rows_per_commit) // fresh)
        least = (self._gone - case.replaced_rows_per_commit) // fresh + 1
        return case.rows_through(min(self.done, max(commits, least)))

    def _evolve(self, scheduled: _ScheduledStep) -> Evolve:
        evolution = self._case.evolution[scheduled.place]
        self._table = evolve(self._table, evolution)
        return Evolve(
            number=self._next_number(), event_time_s=scheduled.event_time_s, evolution=evolution, table=self._table
        )

    def _maintain(self, scheduled: _ScheduledStep) -> Maintain:
        job = getattr(self._case.maintenance, scheduled.name)
        given = job.model_dump()
        return Maintain(
            number=self._next_number(),
            event_time_s=scheduled.event_time_s,
            operation=scheduled.name,  # type: ignore[arg-type]  # the field of Maintenance is the operation
            condition=Condition(measure=job.counted[0], least=job.counted[1]) if job.counted else None,
            age_s=given.get("older_than", 0.0),
            **{name: given[name] for name in _OF_JOBS if name in given},
        )
