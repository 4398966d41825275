"""When a case's maintenance falls due: event times, and the writer's commits by then, as `workload` plans its steps."""

from dataclasses import dataclass
from math import floor

import numpy as np

from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.units import Floats, Ints

AT_ONCE_S = 1e-9  # two event times that differ by no more are one: what `workload` allows for rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Dues:
    """The times at which one operation falls due, ascending, and how many commits its writer has made by each."""

    event_time_s: Floats
    commits: Ints

    def __len__(self) -> int:
        return len(self.commits)


NEVER = Dues(event_time_s=np.zeros(0), commits=np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What keeps a table in order, and the clock that it goes by."""

    maintenance: Maintenance
    commit_interval_s: float
    horizon_s: float
    commits: int

    @property
    def replaces(self) -> bool:
        """Whether anything rewrites manifests or data files, and so makes snapshots of its own."""
        return self.maintenance.rewrite_manifests is not None or self.maintenance.rewrite_data_files is not None

    @property
    def at_once_s(self) -> float:
        """Event times that differ by no more are one, however they were reckoned."""
        return AT_ONCE_S + 32 * float(np.spacing(self.horizon_s))

    def dues_count(self, every_s: float | None) -> int:
        """How often something falls due that comes back every so many seconds; never for None."""
        return 0 if every_s is None else int(np.floor(self.horizon_s / every_s + AT_ONCE_S))

    def dues(self, every_s: float | None, *, past: int = 0, most: int | None = None) -> Dues:
        """When something that comes back every so many seconds falls due, after some and at most so often."""
        if every_s is None:
            return NEVER
        last = self.dues_count(every_s)
        times_s = np.arange(past + 1, (last if most is None else min(last, past + most)) + 1) * every_s
        made = np.floor(times_s / self.commit_interval_s + AT_ONCE_S).astype(np.int64)
        return Dues(event_time_s=np.asarray(times_s, dtype=np.float64), commits=np.minimum(made, self.commits))

    def commits_by(self, event_time_s: float) -> int:
        """The writer's commits up to this time."""
        return min(floor(event_time_s / self.commit_interval_s + AT_ONCE_S), self.commits)

    def commits_before(self, event_time_s: Floats) -> Ints:
        """The writer's commits whose event time lies before each of these times."""
        near = np.ceil((event_time_s - AT_ONCE_S) / self.commit_interval_s).astype(np.int64) - 1
        # the quotient may be rounded across a commit's own time
        near -= near * self.commit_interval_s >= event_time_s - AT_ONCE_S
        near += (near + 1) * self.commit_interval_s < event_time_s - AT_ONCE_S
        return np.clip(near, 0, self.commits)


def dues_at(upkeep: Upkeep, commits: Ints) -> Dues:
    """What falls due at the time of these commits."""
    return Dues(event_time_s=np.asarray(commits * upkeep.commit_interval_s, dtype=np.float64), commits=commits)


def read_upkeep(case: Case) -> Upkeep | None:
    """The upkeep of a case; None where nothing keeps its table, and its writer only appends."""
    if not (case.has_maintenance or case.key_columns):
        return None
    return Upkeep(
        maintenance=case.maintenance,
        commit_interval_s=case.commit_interval_s,
        horizon_s=case.horizon_s,
        commits=case.commits,
    )
