"""When maintenance that writes snapshots falls due: by period, or once the table has come to a count."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import Literal

import numpy as np

from wasim.scenario import Case
from wasim.scenario.changes import MaintenanceJob, RewriteDataFiles
from wasim.scenario.rests import SECOND_US, Rests
from wasim.workload import Schedule, schedule, schedule_of
from wasim.years.arrivals import Arrivals
from wasim.years.machine.tables import FEW_COMMITS

SLACK = 1e-9


def interval_after(schedule: Schedule, commits: float) -> float:
    """The interval at whose end its first run follows this commit; infinite where a later one comes before."""
    done = floor(commits + SLACK)
    turn = schedule.turn_after(done - 1)
    is_next = turn <= schedule.count and schedule.commit_at(turn) == done
    return schedule.event_time_s(turn) // schedule.commit_interval_s if is_next else inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One kind of maintenance. With `runs` it is periodic; else due once there are `least` small files or manifests.

    `parts` are the commits that partial progress makes of one compaction, at most. With `by_chance` how many files
    commits bring decides how many are waited for; firings then take turns at waiting for more and for fewer of them.
    """

    operation: Literal["rewrite_data_files", "rewrite_manifests", "empty"]
    runs: Schedule | None
    least: int
    parts: int = 1
    by_chance: bool = False
    rests: Rests | None = None  # which tell how many commits of nothing follow
    between: Sequence[Schedule] = ()  # other jobs, the first run of which parts those commits in two: this makes
    is_later: bool = False  # the first ones, or those that are left

    def of_nothing(self, commits: float) -> float:
        """Commits of nothing that follow this one of the writer, before or after other jobs."""
        if self.rests is None:
            return 0.0
        count, last = self.rests.of_nothing_after(commits), float(self.rests.intervals_of(np.array(commits)))
        until = min((interval_after(runs, commits) for runs in self.between), default=inf)
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
                least=(least := compaction.when_small_files or 0),
                parts=_parts(compaction, arrivals.open_partitions),
                by_chance=bool(arrivals.spread) and 0 < least <= FEW_COMMITS * arrivals.files,
            )
        )
    if rewriting is not None:
        jobs.append(
            Job(operation="rewrite_manifests", runs=_runs(case, rewriting), least=rewriting.when_manifests or 0)
        )
    rests = case.rests
    if rests is None or not rests.commits_of_nothing:
        return jobs
    # a writer that rests makes commits of nothing before and after the first of the jobs
    every_s, between = rests.every_us / SECOND_US, [job.runs for job in jobs if job.runs is not None]
    turns = replace(schedule_of(case, every_s), horizon_s=every_s * rests.turns)
    first = Job(operation="empty", runs=turns, least=0, rests=rests, between=between)
    return [first, *jobs, *([replace(first, runs=turns, is_later=True)] if between else [])]


def _runs(case: Case, job: MaintenanceJob) -> Schedule | None:
    return None if job.every is None else schedule(case, job)


def _parts(compaction: RewriteDataFiles, groups: float) -> int:
    if compaction.partial_progress_commits is None:
        return 1
    each = ceil(groups / compaction.partial_progress_commits)
    return max(1, ceil(groups / each))
