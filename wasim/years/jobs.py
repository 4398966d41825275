"""When maintenance that writes snapshots falls due: by period, or once the table has come to a count."""

from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Literal

from wasim.scenario import Case
from wasim.scenario.changes import MaintenanceJob, RewriteDataFiles
from wasim.workload import Schedule, schedule
from wasim.years.compaction import MEDIAN
from wasim.years.state import TableState

SLACK = 1e-9


@dataclass(slots=True)
class Runs:
    """The commits after which a schedule runs; the next one is looked up once for all commits before it."""

    schedule: Schedule
    _asked: int = 0
    _next: float = -inf

    def next_after(self, commits: float) -> float:
        """The first commit after this one that a run follows; infinite if none does."""
        done = floor(commits + SLACK)
        if not self._asked <= done < self._next:
            turn = self.schedule.turn_after(done)
            self._asked = done
            self._next = float(self.schedule.commit_at(turn)) if turn <= self.schedule.count else inf
        return self._next


@dataclass(slots=True, kw_only=True)
class Job:
    """One kind of maintenance. With `runs` it is periodic; else due once `measure` counts `least`.

    `parts` are the commits that partial progress makes of one compaction, at most.
    """

    operation: Literal["rewrite_data_files", "rewrite_manifests"]
    runs: Runs | None
    measure: Literal["manifests", "small_files"]
    least: int
    parts: int = 1

    @property
    def period(self) -> float:
        """Commits of the writer between two firings; infinite if a count decides."""
        if self.runs is None:
            return inf
        return max(1.0, self.runs.schedule.every_s / self.runs.schedule.commit_interval_s)

    def next_commit(self, state: TableState) -> float:
        """The writer's commit after which it is due next, or has to be looked at next; infinite if never."""
        done = state.commits
        if self.runs is not None:
            return self.runs.next_after(done)
        if self.measure == "manifests":
            missing = self.least - state.manifests
            return done + max(1.0, ceil(missing / (1 if state.sizes.row_deltas is None else 2) - SLACK))
        state.files.arrive(done)
        return done + max(1.0, ceil((self.least - MEDIAN - state.files.small_files) / state.arrivals.files - SLACK))

    def is_due(self, state: TableState) -> bool:
        """Whether it is to be carried out after this commit, which it has been looked at for."""
        if self.runs is not None:
            return True
        if self.measure == "manifests":
            return state.manifests >= self.least - SLACK
        state.files.arrive(state.commits)
        return state.files.small_files >= self.least - MEDIAN

    def carry_out(self, state: TableState) -> None:
        """Does it once."""
        if self.operation == "rewrite_manifests":
            state.rewrite_manifests()
            return
        for part in range(self.parts):
            state.compact(1.0 / (self.parts - part))


def jobs_of(case: Case, open_partitions: float) -> list[Job]:
    """The maintenance of a case that makes snapshots, in the order in which it is carried out."""
    jobs = []
    compaction, rewriting = case.maintenance.rewrite_data_files, case.maintenance.rewrite_manifests
    if compaction is not None:
        jobs.append(
            Job(
                operation="rewrite_data_files",
                runs=_runs(case, compaction),
                measure="small_files",
                least=compaction.when_small_files or 0,
                parts=_parts(compaction, open_partitions),
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
    return jobs


def _runs(case: Case, job: MaintenanceJob) -> Runs | None:
    return None if job.every is None else Runs(schedule(case, job))


def _parts(compaction: RewriteDataFiles, groups: float) -> int:
    if compaction.partial_progress_commits is None:
        return 1
    each = ceil(groups / compaction.partial_progress_commits)
    return max(1, ceil(groups / each))
