"""When maintenance that writes snapshots falls due: by period, or once the table has come to a count."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf
from typing import Literal

import numpy as np

from wasim.scenario import Case
from wasim.scenario.changes import MaintenanceJob, RewriteDataFiles
from wasim.scenario.rests import SECOND_US, Rests
from wasim.workload import Schedule, schedule, schedule_of
from wasim.years.arrivals import Arrivals, whole
from wasim.years.compaction import MEDIAN
from wasim.years.machine.tables import FEW_COMMITS, STRIDE, TURNS
from wasim.years.state import TableState

SLACK = 1e-9


@dataclass(slots=True)
class Runs:
    """The commits after which a schedule runs, every `period` commits; the next one is looked up once for all commits
    before it.
    """

    schedule: Schedule
    period: float = field(init=False)  # until commits come after it as before: of a writer that rests, of several runs
    _asked: int = 0
    _next: float = -inf

    def __post_init__(self) -> None:
        self.period = max(1.0, self.schedule.cycle * self.schedule.commits_between)

    def next_after(self, commits: float) -> float:
        """The first commit after this one that a run follows; infinite if none does."""
        done = floor(commits + SLACK)
        if not self._asked <= done < self._next:
            turn = self.schedule.turn_after(done)
            self._asked = done
            self._next = float(self.schedule.commit_at(turn)) if turn <= self.schedule.count else inf
        return self._next

    def interval_after(self, commits: float) -> float:
        """The interval at whose end the first run follows this commit; infinite where a later one comes before."""
        schedule, done = self.schedule, floor(commits + SLACK)
        turn = schedule.turn_after(done - 1)
        is_next = turn <= schedule.count and schedule.commit_at(turn) == done
        return schedule.event_time_s(turn) // schedule.commit_interval_s if is_next else inf

    def ends_cycle(self, commits: float) -> bool:
        """Whether one of the runs that follow this commit is the last of a period."""
        if self.schedule.rests is None:
            return True
        first, later = (self.schedule.turn_after(floor(commits + SLACK) - one) for one in (1, 0))
        return (later - 1) // self.schedule.cycle * self.schedule.cycle >= first

    def after(self, commits: float) -> int:
        """How many runs follow this commit, and no later one: several where the writer commits less often."""
        done = floor(commits + SLACK)
        last = min(self.schedule.count + 1, self.schedule.turn_after(done))
        return max(1, last - self.schedule.turn_after(done - 1))


@dataclass(slots=True, kw_only=True)
class Job:
    """One kind of maintenance. With `runs` it is periodic; else due once `measure` counts `least`.

    `parts` are the commits that partial progress makes of one compaction, at most. With `by_chance` how many files
    commits bring decides how many are waited for; firings then take turns at waiting for more and for fewer of them.
    """

    operation: Literal["rewrite_data_files", "rewrite_manifests", "empty"]
    runs: Runs | None
    measure: Literal["manifests", "small_files"]
    least: int
    parts: int = 1
    by_chance: bool = False
    fired: int = 0
    fired_at: float = 0.0  # commits
    rests: Rests | None = None  # which tell how many commits of nothing follow
    between: Sequence[Runs] = ()  # other jobs, the first run of which parts those commits in two: this makes
    is_later: bool = False  # the first ones, or those that are left

    @property
    def ends_cycle(self) -> bool:
        """Whether what follows the last firing is like what followed the one before, or the first of its turns."""
        if self.runs is not None:
            return self.runs.ends_cycle(self.fired_at)
        return not self.by_chance or self.fired % TURNS == 0

    @property
    def period(self) -> float:
        """Commits of the writer between two firings; infinite if a count decides."""
        return inf if self.runs is None else self.runs.period

    def next_commit(self, state: TableState) -> float:
        """The writer's commit after which it is due next, or has to be looked at next; infinite if never."""
        done = state.commits
        if self.runs is not None:
            return self.runs.next_after(done)
        if self.measure == "manifests":
            return done + max(1.0, ceil(self.missing(state) / (1 if state.sizes.row_deltas is None else 2) - SLACK))
        state.files.arrive(done)
        more = max(1, ceil(self.missing(state) / state.arrivals.files - SLACK))
        if self.by_chance and more <= FEW_COMMITS:
            more = next((some for some in range(1, more) if self._has_enough(state, some)), more)
        return done + more

    def missing(self, state: TableState) -> float:
        """How many manifests, or small files, there have to be more until it is due by count."""
        if self.measure == "manifests":
            return self.least - state.manifests
        return self.least - MEDIAN - state.files.small_files

    def is_due(self, state: TableState) -> bool:
        """Whether it is to be carried out after this commit, which it has been looked at for."""
        if self.runs is not None:
            return True
        if self.measure == "manifests":
            return self.missing(state) <= SLACK
        state.files.arrive(state.commits)
        return self._has_enough(state)

    def _has_enough(self, state: TableState, more: int = 0) -> bool:
        """Whether this many more commits make enough small files, in as many of all cases as this firing waits for."""
        arrivals, arrived = state.arrivals, state.files.by_class[0][0]
        commits = whole(arrived / arrivals.files) + more
        if not self.by_chance or commits > FEW_COMMITS:
            return self.missing(state) <= more * arrivals.files
        share = (self.fired * STRIDE % TURNS + 0.5) / TURNS
        return arrivals.chance(commits, self.missing(state) + arrived) >= share

    def carry_out(self, state: TableState) -> None:
        """Does it once."""
        self.fired, self.fired_at = self.fired + 1, state.commits
        if self.operation == "rewrite_manifests":
            state.rewrite_manifests()
            return
        for part in range(self.parts):
            state.compact(1.0 / (self.parts - part))

    def of_nothing(self, commits: float) -> float:
        """Commits of nothing that follow this one of the writer, before or after other jobs."""
        if self.rests is None:
            return 0.0
        count, last = self.rests.of_nothing_after(commits), float(self.rests.intervals_of(np.array(commits)))
        until = min((runs.interval_after(commits) for runs in self.between), default=inf)
        first = min(count, (until - last) // (self.rests.idle_every or 1))
        return count - first if self.is_later else first


def jobs_of(case: Case, arrivals: Arrivals) -> list[Job]:
    """Maintenance of a case that makes snapshots and its commits of nothing, in the order in which they come."""
    jobs = []
    compaction, rewriting = case.maintenance.rewrite_data_files, case.maintenance.rewrite_manifests
    if compaction is not None:
        jobs.append(
            Job(
                operation="rewrite_data_files",
                runs=_runs(case, compaction),
                measure="small_files",
                least=(least := compaction.when_small_files or 0),
                parts=_parts(compaction, arrivals.open_partitions),
                by_chance=bool(arrivals.spread) and 0 < least <= FEW_COMMITS * arrivals.files,
            )
        )
    if rewriting is not None:
        jobs.append(
            Job(
                operation="rewrite_manifests",
                runs=_runs(case, rewriting),
                measure="manifests",
                least=rewriting.when_manifests or 0,
            )
        )
    return _with_commits_of_nothing(case, jobs)


def _with_commits_of_nothing(case: Case, jobs: list[Job]) -> list[Job]:
    """The jobs with the commits of nothing of a writer that rests, before and after the first of them."""
    rests = case.rests
    if rests is None or not rests.commits_of_nothing:
        return jobs
    every_s, between = rests.every_us / SECOND_US, [job.runs for job in jobs if job.runs is not None]
    turns = replace(schedule_of(case, every_s), horizon_s=every_s * rests.turns)
    first = Job(operation="empty", runs=Runs(turns), measure="manifests", least=0, rests=rests, between=between)
    return [first, *jobs, *([replace(first, runs=Runs(turns), is_later=True)] if between else [])]


def _runs(case: Case, job: MaintenanceJob) -> Runs | None:
    return None if job.every is None else Runs(schedule(case, job))


def _parts(compaction: RewriteDataFiles, groups: float) -> int:
    if compaction.partial_progress_commits is None:
        return 1
    each = ceil(groups / compaction.partial_progress_commits)
    return max(1, ceil(groups / each))
