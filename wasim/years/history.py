"""A case's table on its way through the machine."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf

import numpy as np

from wasim.rules.compaction import LOOKBACK
from wasim.scenario import Case
from wasim.scenario.case import microseconds
from wasim.units import Floats, Ints
from wasim.workload import Schedule
from wasim.years.arrivals import Arrivals
from wasim.years.compiled import Record, as_record, compiled_run
from wasim.years.flows import WIDTH
from wasim.years.jobs import Job, jobs_of
from wasim.years.laws import laws_of
from wasim.years.machine.changes import carry_out_changes
from wasim.years.machine.files import deal_out, open_further
from wasim.years.machine.run import run, sample
from wasim.years.machine.tables import *
from wasim.years.samples import Samples
from wasim.years.shape import Shape
from wasim.years.spreading import Stage, in_buckets

# Events of a process that are stepped through as they stand, before it pays to load what was compiled, or to compile
BEFORE_LOADING, BEFORE_COMPILING = 1_000, 250_000
SAMPLES_AT_ONCE = 512
# Commits at which samples are taken whatever the horizon, so that no figure depends on which others are asked for
CHECKPOINTS_OF_ANY = np.unique(np.rint(1.07 ** np.arange(350.0)))
DENSE = 40_000  # samples on the way to a commit, until those around jobs become half as many, again and again


@dataclass(slots=True)
class _Worth:
    """How many events this process has stepped through as they stand, or meant to, and how long those took that numba,
    were it here, would have compiled.
    """

    events: float = 0.0
    missed_s: float = 0.0


_WORTH = _Worth()


def missed_s() -> float:
    """Seconds that this process has stepped through what would have been compiled, had numba been installed."""
    return _WORTH.missed_s


def steps_compiled() -> bool:
    """Whether this process steps through histories by what was compiled before, from now on."""
    return compiled_run(compiles=False) is not None


def _worth_compiling(events: float) -> Callable[..., None] | None:
    """The machine's loop compiled, where so many events more are worth it."""
    _WORTH.events += events
    if _WORTH.events <= BEFORE_LOADING:
        return None
    return compiled_run(compiles=_WORTH.events > BEFORE_COMPILING)


@dataclass(slots=True, kw_only=True)
class History:
    """Steps a case's table through its commits."""

    case: Case
    shape: Shape
    commits: float = field(init=False)
    laws: Laws | Record = field(init=False)
    _ahead: list[Stage] = field(init=False)
    table: Table | Record = field(init=False)
    taken: list[Floats] = field(init=False)
    _run: Callable[..., None] = field(init=False)
    _plan: list[Record] = field(init=False)  # its schedule and chances
    _samples: Record = field(init=False)

    def __post_init__(self) -> None:
        first, *self._ahead = self.shape.stages or (None,)
        self.commits = float(self.case.commits)
        laws, plan = self._ruled(first)
        each = (laws.merges / laws.least, laws.new_small / laws.least_files, 1 / laws.least_manifests)  # of a commit
        runs = np.isfinite(plan[0][: IDLE + 1]).sum()
        runs += sum(row[RUNS] for row in laws.changes) + laws.upserts * self.commits
        compiled = _worth_compiling(runs + self.commits * sum(each))
        self._run = compiled or run
        self._plan = [self._held(one) for one in plan]
        self._samples = np.zeros(SAMPLES_AT_ONCE * SAMPLE) if compiled else [0.0] * (SAMPLES_AT_ONCE * SAMPLE)
        is_record = compiled is not None and not laws.changes_rows
        table: Record = _new_record().copy() if is_record else new_table()
        table.compacted_more[:] = laws.compacted_more
        sample(table, laws, self._samples)
        carry_out_changes(table, laws, inf)  # what comes before the first commit
        self.taken = [np.array([self._samples[:SAMPLE]])]
        self.laws = as_record(laws) if compiled else laws
        self.table = as_record(table) if compiled and not is_record else table

    def _ruled(self, stage: Stage | None) -> tuple[Laws, tuple[Floats, Floats]]:
        """The laws of a stage, or of all of the history, with its schedule and its chances."""
        case, shape = (
            (self.case, self.shape) if stage is None else (in_buckets(self.case, stage.partitions), stage.shape)
        )
        jobs = jobs_of(case, shape.arrivals)
        chances = _chances(shape.arrivals, any(job.by_chance for job in jobs))
        return laws_of(case, shape, jobs), (_schedule(jobs), chances)

    def _begin(self, stage: Stage) -> None:
        """Goes on with the partitions of another stage."""
        deal_out(self.table, self.laws)
        laws, plan = self._ruled(stage)
        open_further(self.table, laws)
        self.laws = laws if self._run is run else as_record(laws)
        self._plan = [self._held(one) for one in plan]

    def _held(self, values: Floats) -> Record:
        """Numbers as the machine takes them: in lists where it is not compiled."""
        return values.tolist() if self._run is run else values

    @property
    def done(self) -> float:
        """The writer's commits so far."""
        return float(self.table.numbers[COMMITS])

    def run(self) -> Samples:
        """All commits; what was sampled on the way."""
        self.go_on_to(self.commits)
        return self.samples()

    def go_on_to(self, commits: float, stops: Sequence[float] = ()) -> None:
        """Makes further commits, until the table has this many; samples are taken at these `stops` too."""
        self.commits = commits
        places = np.unique(np.concatenate([CHECKPOINTS_OF_ANY, stops]))
        ahead = self._held(np.append(places[places > self.done], inf))
        numbers, left, begun = self.table.numbers, DENSE, time.perf_counter()
        numbers[NEXT_STOP], numbers[EVERY] = 0, 1
        while numbers[COMMITS] < commits:
            while self._ahead and self._ahead[0].since <= numbers[COMMITS]:
                self._begin(self._ahead.pop(0))
            until = min([float(commits), *(one.since for one in self._ahead[:1])])
            numbers[SAMPLED] = 0
            self._run(self.table, self.laws, until, ahead, *self._plan, self._samples)
            taken = int(numbers[SAMPLED])
            self.taken.append(np.array(self._samples[: taken * SAMPLE]).reshape(-1, SAMPLE))
            left -= taken
            if left <= 0:
                numbers[EVERY], left = 2 * numbers[EVERY], DENSE // 2
        if self._run is run and _WORTH.events > BEFORE_COMPILING:
            _WORTH.missed_s += time.perf_counter() - begun

    def samples(self) -> Samples:
        """What has been sampled so far."""
        columns = np.concatenate([one.T for one in self.taken], axis=1)
        return Samples.of(columns[:OF_TABLE].T, columns[OF_TABLE:].T)


def new_table() -> Table:
    """A table without a file."""
    rows = [[[0.0] * COLUMNS for _ in range(ROOM)] for _ in range(3)]
    numbers = [0.0] * NUMBERS
    numbers[EVERY] = numbers[RANDOM] = numbers[NAMED_LEFT] = 1.0
    numbers[HIT_BY_CHANCE : HIT_BY_CHANCE + UPSERT] = [0.5] * UPSERT
    return Table(
        rows=rows[:2],
        used=[0, 0],
        spare=rows[2],
        places=[0] * ROOM,
        counts=[0.0] * ROOM,
        cohorts=[[0.0] * ROW_OF_PARTITIONS for _ in range(ROOM)],
        staying=[[0.0] * ROW_OF_STAYING for _ in range(MOST_STAYING + 1)],
        counted=[[0.0] * ROW_OF_COUNTED for _ in range(MOST_COUNTED)],
        numbers=numbers,
        flows=[0.0] * WIDTH,
        before=[0.0] * 2 * COLUMNS,
        after=[0.0] * 2 * COLUMNS,
        sums=[0.0] * 14,
        done=[0.0] * DONE,
        sizes=[[0.0] * 3 for _ in range(MOST_SIZES + 2)],
        tasks=[[0.0] * 3 for _ in range(LOOKBACK + 1)],
        compacted_more=[0.0, 0.0],
        deleted=[[0.0] * 3 for _ in range(2)],
        classes=[[0.0] * 3 for _ in range(3)],
        hits=[[0.0] * 3 for _ in range(4)],
        queue=[[0.0] * 3 for _ in range(5)],
        likely=[[0.0] * 2 for _ in range(3)],
        gone=[[0.0] * 4 for _ in range(ROOM)],
        counters=[0.0] * COUNTERS,
    )


@cache
def _new_record() -> Record:
    """The same as compiled functions take it."""
    return as_record(new_table())


def _schedule(jobs: Sequence[Job]) -> Floats:
    """The rows of a schedule, as `machine.run` has them, of equal length."""
    runs = {job.operation: job.runs for job in reversed(jobs)}
    both = [_commits_of(runs.get(one)) for one in ("rewrite_data_files", "rewrite_manifests", "empty")]
    rows: list[Floats] = [commits for commits, _ in both]
    idle = [job for job in jobs if job.operation == "empty"]
    of_nothing = [np.array([job.of_nothing(commit) for commit in rows[-1]]) for job in idle]
    found = np.full((len(rows) + 4, max(map(len, rows)) + 1), inf)
    found[len(rows) :] = 0.0
    for place, row in enumerate(rows + of_nothing):
        found[place, : len(row)] = row
    for place, (_, times) in enumerate(both[:IDLE]):
        found[IDLE + 3 + place, : len(times)] = times - 1
    return found


def _commits_of(runs: Schedule | None) -> tuple[Floats, Ints]:
    """The commits of the writer that a job by time follows, ascending, with the share of the interval that has passed
    since, but for a writer that rests; how many of its runs follow each.
    """
    if runs is None:
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    every_us, interval_us = microseconds(runs.every_s), microseconds(runs.commit_interval_s)
    turns = np.arange(1, runs.count + 1)
    commits, since = runs.commits_at(turns), turns * every_us % interval_us / interval_us * (runs.rests is None)
    _, firsts, times = np.unique(commits, return_index=True, return_counts=True)
    is_there = commits[firsts] > 0
    return np.asarray((commits + since)[firsts[is_there]]), times[is_there]


def _chances(arrivals: Arrivals, by_chance: bool) -> Floats:
    """How likely it is that so many commits, 0 at first, bring 0, 1, 2 … files at least; where chance decides."""
    if not by_chance:
        return np.zeros((1, 1))
    most = len(arrivals.spread) * FEW_COMMITS
    return np.array([[arrivals.chance(commits, least) for least in range(most)] for commits in range(FEW_COMMITS + 1)])
