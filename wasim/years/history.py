"""The history of a table whose rows statements change: stepped from statement to statement, and with leaps over cycles
(`drift`) where these are too many.

What lies between two events is summed in closed form; what expiry does afterwards depends on nothing here but when
snapshots were made (`retention`).
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np

from wasim.units import Floats
from wasim.years.changes import ChangeJob, Upserts
from wasim.years.drift import LEAST_COMMITS, Drift
from wasim.years.flows import WIDTH, Flow
from wasim.years.jobs import Job
from wasim.years.leaps import Leap, Mark, mark_of
from wasim.years.samples import CHECKPOINTS, Samples, Span
from wasim.years.state import TableState
from wasim.years.stepped import Appends

MOST_STATEMENTS = 9_000  # that are stepped through: hourly ones of a year, in a few seconds
WITHIN_A_LEAP = 12  # samples of a leap, so that curves of second order are drawn through it
ALL_NAME_ONE = 1.1  # delete files for each data file that one names: each of them does
SHORT = 2e-3  # of a history: over so little, a straight line will do
FILLED, PARTITIONS, UPSERT = "filled", "partitions", "upsert"
_STATE = 9  # columns of a sample before the flows
_COLUMNS = _STATE + WIDTH


@dataclass(slots=True, kw_only=True)
class History:
    """Steps a table through its commits."""

    state: TableState
    jobs: Sequence[Job | ChangeJob]
    commits: float
    upserts: Upserts | None = None
    leaps: bool = True  # else all is stepped through: for comparison, as a year takes hours then
    rows: "array[float]" = field(default_factory=lambda: array("d"))  # of samples, one after the other
    spans: list[Span] = field(default_factory=list)
    drifts: dict[str, Drift] = field(default_factory=dict)  # where cycles are unlike each other
    filled: float = 0.0  # the commit after which compaction last made files that no other will take
    ended: dict[str, float] = field(default_factory=dict)  # the commit after which a job by count was carried out last
    counted: dict[str, float] = field(default_factory=dict)  # commits from one time to the next
    steps: int = 0  # events stepped through
    _by_count: list[Job] = field(init=False)
    _appends: Appends = field(init=False)
    _statements: float = field(init=False)  # that follow each commit
    _changes: float = field(init=False)  # statements in each commit, upserts among them, on average

    def __post_init__(self) -> None:
        self.state.files.changes_rows = True
        self._by_count = [job for job in self.jobs if isinstance(job, Job) and job.runs is None]
        of_statements = [job.per_commit for job in self.jobs if isinstance(job, ChangeJob)]
        self._statements = max([1.0, *of_statements])
        self._changes = sum(of_statements, 0.0 if self.upserts is None else 1.0)
        self._appends = Appends(self.state, self.commits, 1 / self._changes)

    @property
    def done(self) -> float:
        """The writer's commits so far."""
        return self.state.commits

    def run(self) -> Samples:
        """All commits; what was sampled on the way."""
        self.go_on_to(self.commits)
        return self.samples()

    def go_on_to(self, commits: float, stops: Sequence[float] = ()) -> None:
        """Makes further commits, until the table has this many; samples are taken at these `stops` too, ascending."""
        for commit in (*stops, commits):
            self._step_to(max(commit, self.done))

    def _step_to(self, commits: float) -> None:
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
                if state.commits < stop and self.leaps and self._end_cycles([(UPSERT, 1.0)]):
                    continue
            else:
                self._appends.go_on_to(1.0 if self.upserts is not None else stop)
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
                    ended = ((job.operation, self._measured(job)) for job in fired)
                    self._end_cycles(sorted(ended, key=lambda one: -one[1]))
        self._sample()

    def _begin(self) -> None:
        """What comes before the first commit."""
        self._sample()
        for job in self.jobs:
            if isinstance(job, ChangeJob):
                job.carry_out_before(self.state)

    @property
    def _averages(self) -> bool:
        """Whether cycles are leapt over on average: those of statements never repeat, and are too many."""
        return self.commits * self._changes > MOST_STATEMENTS

    def _end_cycles(self, ended: list[tuple[str, float]]) -> bool:
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
        self._leap(leap)
        self.ended.clear()
        drift.land(self._mark())
        return True

    def _limit(self, name: str, cycle: float) -> float:
        """The commit at which something slower than cycles of this kind comes, of `cycle` commits each, or the end.

        What is left of a count decides when it is reached: marks tell.
        """
        slower = [job for job in self.jobs if job.operation != name and cycle < job.period < inf]
        coming = [self.state.files.next_rollover(cycle), *(job.next_commit(self.state) for job in slower)]
        return min(self.commits, min(coming) - (name == UPSERT))  # upserts are commits themselves

    def _leap(self, leap: Leap) -> None:
        self._sample()
        state, origin = self.state, leap.origin
        numbers, named = state.snapshot_numbers(), sum(state.left.held)
        listed, there = state.deletes.entries, state.live_delete_files
        parts = min(WITHIN_A_LEAP, ceil(leap.cycles * leap.period / (SHORT * self.commits)))
        for part in range(1, parts + 1):
            values = origin.values + (leap.values - origin.values) * part / parts
            flows = leap.flows_after(leap.cycles * part / parts)
            state.reshape(origin.structure)
            state.restore(values.tolist(), flows.tolist())
            state.balance_files()
            if state.files.rule is None:
                state.data.hold(state.live_data_files)
            state.balance_deletes(origin.sums, named)
            if named and listed <= ALL_NAME_ONE * named:
                state.deletes.hold(listed * sum(state.left.held) / named)
            elif there:  # most name files that were written again
                state.deletes.hold(listed * state.live_delete_files / there)
            state.note_longer_numbers(float(flows[Flow.SNAPSHOTS]) - origin.sums[Flow.SNAPSHOTS], numbers)
            self._sample()
        self.spans.append(Span(first=origin.commits, last=state.commits, period=leap.period))

    def _make_up(self, leap: Leap, short: Floats | float) -> None:
        """Adds to the samples of a leap, and to those since, what it should have added more by its end."""
        self._sample()
        ahead = leap.cycles * leap.period
        since = self._table()[leap.origin.sample :]
        share = np.clip((since[:, :1] - leap.origin.commits) / ahead, 0.0, 1.0)
        since[:, _STATE:] += share * share * short

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
