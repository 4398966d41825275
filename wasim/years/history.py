"""The history of a table's manifests and data files: stepped from event to event, with leaps over cycles alike.

An event is a merge, a compaction, or a rewrite of manifests. What lies between two events is summed in closed form;
what expiry does afterwards depends on nothing here but when snapshots were made (`retention`).
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from math import ceil, inf

import numpy as np

from wasim.units import Floats
from wasim.years.changes import ChangeJob, Upserts
from wasim.years.drift import LEAST_COMMITS, Drift
from wasim.years.flows import DATA, DELETES, WIDTH, Flow
from wasim.years.jobs import Job
from wasim.years.leaps import FillingLevel, Landing, Leap, Level, Mark, mark_of
from wasim.years.state import TableState

CHECKPOINTS = 200
UNREPEATED = 30_000  # events that are stepped through before cycles that do not repeat are leapt over on average
MOST_STATEMENTS = 9_000  # that are stepped through: hourly ones of a year, in a few seconds
WITHIN_A_LEAP = 12  # samples of a leap, so that curves of second order are drawn through it
SEVERAL_TEETH = 20  # taken together where manifests of data and of deletes fill at a pace of their own: of 3, 31 % off
ALL_NAME_ONE = 1.1  # delete files for each data file that one names: each of them does
SHORT = 2e-3  # of a history: over so little, a straight line will do
MERGE, FILLED, FULL, PARTITIONS, UPSERT = "merge", "filled", "full manifest", "partitions", "upsert"
_STATE = 9  # columns of a sample before the flows
_COLUMNS = _STATE + WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Commits that a leap passed over, from the end of one cycle to that of another, `period` commits each.

    `averaged` where cycles were not alike, and what they wrote was averaged.
    """

    first: float
    last: float
    period: float
    averaged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The table after some of the writer's commits, ascending, as columns of equal length.

    `flows` has a row for each sample and a column for each Flow; all else is of the current snapshot, `scanned_…` of
    its manifests with live entries. Within the `spans` of leaps, samples are those of ends of cycles.
    """

    commits: Floats
    data_manifests: Floats
    delete_manifests: Floats
    entries: Floats
    data_manifest_bytes: Floats
    delete_manifest_bytes: Floats
    list_bytes: Floats
    scanned_manifests: Floats
    scanned_bytes: Floats
    flows: Floats
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, table: Floats, flows: Floats, spans: tuple[Span, ...] = ()) -> "Samples":
        """Samples from columns in the order of the fields."""
        names = [one.name for one in fields(cls) if one.name not in ("flows", "spans")]
        return cls(**dict(zip(names, table.T, strict=True)), flows=flows, spans=spans)

    def until(self, commits: float) -> "Samples":
        """The history up to this many commits; the last sample is drawn between two of the history's."""
        kept = self.commits < commits

        def cut(column: Floats) -> Floats:
            return np.append(column[kept], np.interp(commits, self.commits, column))

        columns = {one.name: cut(getattr(self, one.name)) for one in fields(self) if one.name not in ("flows", "spans")}
        spans = [replace(span, last=min(span.last, commits)) for span in self.spans if span.first < commits]
        flows = np.column_stack([cut(column) for column in self.flows.T])
        return Samples(**columns, flows=flows, spans=tuple(spans))


@dataclass(slots=True, kw_only=True)
class History:
    """Steps a table through its commits."""

    state: TableState
    jobs: Sequence[Job | ChangeJob]
    commits: float
    upserts: Upserts | None = None
    leaps: bool = True  # else all is stepped through: for comparison, as a year takes hours then
    rows: "array[float]" = field(default_factory=lambda: array("d"))  # of samples, one after the other
    levels: dict[str, Level] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    drifts: dict[str, Drift] = field(default_factory=dict)  # where cycles are unlike each other
    filling: FillingLevel = field(default_factory=FillingLevel)
    full: float = 0.0  # manifests that merges have filled
    filled: float = 0.0  # the commit after which compaction last made files that no other will take
    ended: dict[str, float] = field(default_factory=dict)  # the commit after which a job by count was carried out last
    counted: dict[str, float] = field(default_factory=dict)  # commits from one time to the next
    steps: int = 0  # events stepped through
    _changes_rows: bool = field(init=False)
    _by_count: list[Job] = field(init=False)
    _statements: float = field(init=False)  # that follow each commit
    _changes: float = field(init=False)  # statements in each commit, upserts among them, on average

    def __post_init__(self) -> None:
        self._changes_rows = self.upserts is not None or any(isinstance(job, ChangeJob) for job in self.jobs)
        self.state.files.changes_rows = self._changes_rows
        self._by_count = [job for job in self.jobs if isinstance(job, Job) and job.runs is None]
        of_statements = [job.per_commit for job in self.jobs if isinstance(job, ChangeJob)]
        self._statements = max([1.0, *of_statements])
        self._changes = sum(of_statements, 0.0 if self.upserts is None else 1.0)

    @property
    def done(self) -> float:
        """The writer's commits so far."""
        return self.state.commits

    def run(self) -> Samples:
        """All commits; what was sampled on the way."""
        self.go_on_to(self.commits)
        return self.samples()

    def go_on_to(self, commits: float) -> None:
        """Makes further commits, until the table has this many."""
        self.commits = commits
        state = self.state
        places = np.unique(np.rint(np.geomspace(1, self.commits, CHECKPOINTS)))
        checkpoints = iter([*places[places > state.commits].tolist(), inf])
        checkpoint = next(checkpoints)
        if not self.rows:
            self._begin()
        while state.commits < self.commits:
            self.steps += round(self._statements)
            while checkpoint <= state.commits:
                checkpoint = next(checkpoints)
            due = {id(job): job.next_commit(state) for job in self.jobs}
            stop = min(self.commits, checkpoint, *due.values())
            if self.upserts is not None and state.commits >= 1:
                self.upserts.carry_out(state)
                if state.commits < stop and self.leaps and self._end_unlike([(UPSERT, 1.0)]):
                    continue
                merged = False
            else:
                _, merged = state.append(1.0 if self.upserts is not None else stop - state.commits)
            if merged and self.leaps and (self._fills() or self._ends_cycle(MERGE)):
                continue
            if state.commits >= stop:
                self._sample()
                fired = []
                for job in self.jobs:
                    by_count = job.period == inf  # of which a statement after the same commit may bring more
                    if (by_count or due[id(job)] <= state.commits) and job.is_due(state):
                        job.carry_out(state)
                        self._sample()
                        fired += [job] if job.ends_cycle else []
                if self.leaps:
                    self._end_cycles(fired)
        self._sample()

    def _begin(self) -> None:
        """What comes before the first commit."""
        self._sample()
        for job in self.jobs:
            if isinstance(job, ChangeJob):
                job.carry_out_before(self.state)

    def _end_cycles(self, fired: Sequence[Job | ChangeJob]) -> None:
        """Ends the cycles of these jobs, and those of partitions that close and of files that compaction has filled.

        The slowest cycle comes first, and the first that leaps is all.
        """
        if self._changes_rows or self._averages:
            cycles: list[tuple[str, float]] = [(job.operation, self._measured(job)) for job in fired]
            self._end_unlike(sorted(cycles, key=lambda one: -one[1]))
            return
        slowest_first = sorted(fired, key=lambda job: -job.period)
        files = self.state.files
        ended: list[tuple[str, float | None]] = [(job.operation, _known(job.period)) for job in slowest_first]
        if fired and files.has_filled():
            ended.insert(0, (FILLED, None))
        if fired and self._has_filled_manifest():
            ended.insert(0, (FULL, None))
        if fired and files.has_rolled_over():
            ended.insert(0, (PARTITIONS, files.partition_commits))
        for name, period in ended:
            if self._ends_cycle(name, period):
                return

    def _has_filled_manifest(self) -> bool:
        """Whether merges have filled a further manifest since this was last asked."""
        full = self.state.full_manifests
        if full <= self.full + 0.5:
            return False
        self.full = full
        return True

    @property
    def _averages(self) -> bool:
        """Whether cycles are leapt over on average: where those of statements, which never repeat, are too many to be
        stepped through, and where others have not repeated for long.
        """
        if self._changes_rows:
            return self.commits * self._changes > MOST_STATEMENTS
        return self.steps > UNREPEATED

    def _end_unlike(self, ended: list[tuple[str, float]]) -> bool:
        """Ends these cycles, by name and commits, of which no two are quite alike; whether one of them leapt.

        Where partitions of one more unit of time change what statements write, and where files fill or are opened again
        only after many commits, faster cycles begin anew.
        """
        if not self._averages:
            return False
        files, commits = self.state.files, self.state.commits
        if files.has_rolled_over():
            if files.rule is None:
                self._begin_anew(PARTITIONS)
            ended = [(PARTITIONS, files.partition_commits), *ended]
        if ended and files.has_filled():
            apart, self.filled = commits - self.filled, commits
            if apart >= LEAST_COMMITS / self._statements:
                self._begin_anew(FILLED)
                ended = [(FILLED, apart), *ended]
        return any(self._drifts(name, period) for name, period in ended)

    def _measured(self, job: Job | ChangeJob) -> float:
        """Commits that its cycle, which ends here, took: what its schedule says, or since the last one ended."""
        name, commits = job.operation, self.state.commits
        if job.period < inf:
            return job.period
        if name in self.ended:  # since the last leap
            self.counted[name] = commits - self.ended[name]
        self.ended[name] = commits
        return self.counted.get(name, inf)

    def _begin_anew(self, slowest: str) -> None:
        """Forgets all such cycles but the slowest."""
        for name, drift in self.drifts.items():
            if name != slowest:
                drift.forget(self.state.commits)

    def _drifts(self, name: str, period: float) -> bool:
        """Notes the end of a cycle unlike others, and leaps over more of them; whether the table is elsewhere now.

        Faster cycles begin anew then, unless it is partitions that closed; slower ones go on, for what is leapt over is
        a part of one of theirs.
        """
        state = self.state
        drift = self.drifts.get(name)
        if drift is None:
            periods = tuple(job.period for job in self.jobs if job.period < inf)
            drift = self.drifts[name] = Drift(begun=state.commits, periods=periods, statements=self._statements)
        drift.period = period
        before, leap = drift.leapt, drift.planned(self._mark(), state, self._limit(name, period))
        for other_name, other in self.drifts.items():
            is_faster = other.period < period and name != PARTITIONS
            if other_name != name and (is_faster or (other.period <= period and leap is not None)):
                other.forget(state.commits)
        if leap is None:
            return False
        if before is not None:
            self._make_up(before, leap.short)
        self._leap(leap, Level())
        self.ended.clear()
        drift.land(self._mark())
        return True

    def _limit(self, name: str, cycle: float) -> float:
        """The commit at which something slower than cycles of this kind comes, of `cycle` commits each, or the end."""
        before = 1 if name == UPSERT else 0  # upserts are commits themselves
        return min(self.commits, self._next_slower(name, cycle) - before)

    def _next_slower(self, name: str, cycle: float) -> float:
        slower = [job for job in self.jobs if job.operation != name and self._period_of(job) > cycle]
        if self._averages:  # what is left of a count decides when it is reached: marks tell
            slower = [job for job in slower if job.period < inf]
        return min([self.state.files.next_rollover(cycle), *(job.next_commit(self.state) for job in slower)])

    def _period_of(self, job: Job | ChangeJob) -> float:
        level = self.levels.get(job.operation)
        return job.period if level is None else level.period

    def _ends_cycle(self, name: str, period: float | None = None) -> bool:
        """Notes the end of a cycle, and leaps if cycles are alike; whether the table is elsewhere now."""
        level = self.levels.setdefault(name, Level())
        if level.rests():
            return False
        mark = self._mark()
        level.note(mark, period)
        if level.pending is not None:
            level.pending.waits -= 1
            if level.pending.waits:
                return False
            landing, level.pending = level.pending, None
            if not landing.leap.is_confirmed_by(landing.landed, mark):
                self._go_back(landing.leap, level)
                return True
            level.confirm()
        faster = [1.0, *(job.period for job in self.jobs if job.operation != name and job.period < level.period)]
        leap_ahead = level.planned(partial(self._limit, name, level.period), self.state.margins, max(faster))
        if leap_ahead is None:
            return False
        self._leap(leap_ahead, level)
        return True

    def _fills(self) -> bool:
        """Leaps on average where a further manifest has been filled, and no maintenance sets the pace."""
        # where commits bring several manifests each, one is not filled by a whole number of commits
        if self.jobs or self.state.sizes.data_manifests.several or not self._has_filled_manifest():
            return False
        teeth = 1
        if self.state.deletes.runs:
            teeth, merges = SEVERAL_TEETH, sum(self.state.flows[Flow.MERGED_AGAIN + group] for group in (DATA, DELETES))
            if merges * self.commits < UNREPEATED * self.state.commits:  # soon stepped through
                return False
        leap = self.filling.planned(self._mark(), self.commits, teeth, self.state.filling_pace())
        if leap is None:
            return False
        self._leap(leap, Level())
        for level in self.levels.values():
            level.forget()
        return True

    def _leap(self, leap: Leap, level: Level) -> None:
        self._sample()
        full = self.state.full_manifests
        origin, numbers, named = leap.origin, self.state.snapshot_numbers(), sum(self.state.left.held)
        listed, there = self.state.deletes.entries, self.state.live_delete_files
        parts = min(WITHIN_A_LEAP, ceil(leap.cycles * leap.period / (SHORT * self.commits)))
        for part in range(1, parts + 1):
            cycles = leap.cycles * part / parts
            values = origin.values + (leap.values - origin.values) * part / parts
            flows = leap.flows_after(cycles)
            self.state.reshape(origin.structure)
            self.state.restore(values.tolist(), flows.tolist())
            if self.state.files.rule is not None or self._changes_rows:
                self.state.balance_files()
            if self._changes_rows:
                if self.state.files.rule is None:
                    self.state.data.hold(self.state.live_data_files)
                self.state.balance_deletes(origin.sums, named)
                if named and listed <= ALL_NAME_ONE * named:
                    self.state.deletes.hold(listed * sum(self.state.left.held) / named)
                elif there:  # most name files that were written again
                    self.state.deletes.hold(listed * self.state.live_delete_files / there)
            self.state.note_longer_numbers(float(flows[Flow.SNAPSHOTS]) - origin.sums[Flow.SNAPSHOTS], numbers)
            self._sample()
        for other in self.levels.values():
            if other.period <= level.period:  # slower ones go on: what was leapt over is a part of a cycle
                other.forget()
        if self.state.full_manifests > full + 1.5:  # what fills one is yet to be noticed
            self.full = self.state.full_manifests
        landed = self._mark()
        span = Span(first=origin.commits, last=landed.commits, period=leap.period, averaged=leap.again is not None)
        self.spans.append(span)
        level.marks.append(landed)
        level.pending = Landing(leap, landed, leap.together)

    def _make_up(self, leap: Leap, short: Floats | float) -> None:
        """Adds to the samples of a leap, and to those since, what it should have added more by its end."""
        self._sample()
        ahead = leap.cycles * leap.period
        since = self._table()[leap.origin.sample :]
        share = np.clip((since[:, :1] - leap.origin.commits) / ahead, 0.0, 1.0)
        since[:, _STATE:] += share * share * short

    def _go_back(self, leap: Leap, level: Level) -> None:
        origin = leap.origin
        self._as_it_was(origin)
        self.full = self.state.full_manifests
        del self.rows[origin.sample * _COLUMNS :]
        self.state.margins.forget_after(origin.decided)
        self.spans = [span for span in self.spans if span.last <= origin.commits]
        self._sample()
        for other in self.levels.values():
            other.rewind(origin.commits)
        self.filling.rewind(origin.commits)
        level.refuse()

    def _as_it_was(self, mark: Mark) -> None:
        """Gives the state the structure of the mark too, whatever it is now."""
        self.state.reshape(mark.structure)
        self.state.restore(mark.numbers, mark.sums)

    def _mark(self) -> Mark:
        missing = tuple(job.missing(self.state) for job in self._by_count)
        return mark_of(self.state, missing, self.sampled, self.steps)

    def _sample(self) -> None:
        state = self.state
        data, deletes = state.data.sums(), state.deletes.sums()
        of_table = [
            state.commits,
            data.manifests,
            deletes.manifests,
            data.entries + deletes.entries,
            data.bytes,
            deletes.bytes,
            state.list_bytes_of(data, deletes),
            data.scanned + deletes.scanned,
            data.scanned_bytes + deletes.scanned_bytes,
        ]
        self.rows.extend(of_table)
        self.rows.extend(state.flows)

    @property
    def sampled(self) -> int:
        """How many samples were taken."""
        return len(self.rows) // _COLUMNS

    def _table(self) -> Floats:
        """A row for each sample, to read and to write; none is taken while it is in use."""
        return np.frombuffer(self.rows).reshape(-1, _COLUMNS)

    def samples(self) -> Samples:
        """What has been sampled so far."""
        table = self._table().copy()
        return Samples.of(table[:, :_STATE], table[:, _STATE:], tuple(self.spans))


def _known(period: float) -> float | None:
    """The commits of a schedule's cycle; None where a count decides."""
    return None if period == inf else period
