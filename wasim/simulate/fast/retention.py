"""Which snapshots are left after each expiry, without looking at one of them.

Without branches and tags the retained snapshots are the newest ones. Of Q made, the expiry of age a at time t keeps
those of t − a or later, and at least R = `retain_last`, so that

    gone(t) = max(0, min(Q(t) − R, snapshots older than t − a))

whatever went before, as both grow with time: Iceberg's RemoveSnapshots, closed form.
"""

from dataclasses import dataclass

import numpy as np

from wasim.scenario.changes import ExpireSnapshots
from wasim.simulate.fast.history import Replacements
from wasim.simulate.fast.upkeep import AT_ONCE_S, NEVER, Dues, Upkeep, dues_at
from wasim.units import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiries:
    """Expiries that took something, oldest first. `made`: snapshots made by then. `gone`: those expired after it."""

    event_time_s: Floats
    made: Ints
    gone: Ints

    def __len__(self) -> int:
        return len(self.made)

    def gone_after(self, expiries: Ints) -> Ints:
        """Snapshots that are gone after the first so many expiries."""
        return np.concatenate([[0], self.gone])[expiries]


def snapshots_before(upkeep: Upkeep, replacements: Replacements, event_time_s: Floats) -> Ints:
    """Snapshots whose event time lies before each of these times."""
    commits = upkeep.commits_before(event_time_s)
    if not len(replacements):
        return commits
    return np.asarray(commits + np.searchsorted(replacements.event_time_s, event_time_s - AT_ONCE_S, side="left"))


def snapshots_made(replacements: Replacements, dues: Dues) -> Ints:
    """Snapshots ever made when something falls due that comes after replacements of the same time."""
    if not len(replacements):
        return dues.commits
    return np.asarray(dues.commits + np.searchsorted(replacements.event_time_s, dues.event_time_s, side="right"))


def expiries_of(upkeep: Upkeep, replacements: Replacements) -> Expiries:
    """The expiries of a table, by period or by count of snapshots."""
    expiry = upkeep.maintenance.expire_snapshots
    dues = NEVER
    if expiry is not None and expiry.every is not None:
        dues = upkeep.dues(expiry.every)
    elif expiry is not None:
        dues = _dues_by_count(upkeep, expiry, replacements)
    if expiry is None:
        return Expiries(event_time_s=dues.event_time_s, made=dues.commits, gone=dues.commits)
    made = snapshots_made(replacements, dues)
    old = snapshots_before(upkeep, replacements, dues.event_time_s - expiry.older_than)
    gone = np.maximum(np.minimum(made - expiry.retain_last, old), 0)
    takes = np.diff(gone, prepend=0) > 0
    return Expiries(event_time_s=dues.event_time_s[takes], made=made[takes], gone=gone[takes])


def _dues_by_count(upkeep: Upkeep, expiry: ExpireSnapshots, replacements: Replacements) -> Dues:
    """The commits after which there are too many snapshots, and some of them may go.

    Each follows from the one before. Where nothing but the writer makes snapshots they soon come at equal distances.
    """
    found: list[int] = []
    gone, commit = 0, 0
    while True:
        commit = _next_commit(upkeep, expiry, replacements, commit, gone)
        if commit > upkeep.commits:
            break
        found.append(commit)
        gone = _gone_at(upkeep, expiry, replacements, commit)
        if len(replacements) == 0 and len(found) > 2 and _is_steady(found):
            step = found[-1] - found[-2]
            found.extend(range(found[-1] + step, upkeep.commits + 1, step))
            break
    commits = np.array(found, dtype=np.int64)
    return dues_at(upkeep, commits)


def _is_steady(found: list[int]) -> bool:
    return found[-1] - found[-2] == found[-2] - found[-3]


def _gone_at(upkeep: Upkeep, expiry: ExpireSnapshots, replacements: Replacements, commit: int) -> int:
    time_s = np.array([commit * upkeep.commit_interval_s])
    made = snapshots_made(replacements, Dues(event_time_s=time_s, commits=np.array([commit])))
    old = snapshots_before(upkeep, replacements, time_s - expiry.older_than)
    return int(np.maximum(np.minimum(made - expiry.retain_last, old), 0)[0])


def _next_commit(upkeep: Upkeep, expiry: ExpireSnapshots, replacements: Replacements, commit: int, gone: int) -> int:
    """The first commit after this one that finds enough snapshots, one of which goes; one past the last if none."""
    low, high = commit + 1, upkeep.commits + 1
    while low < high:
        middle = (low + high) // 2
        time_s = middle * upkeep.commit_interval_s
        made = middle + int(np.searchsorted(replacements.event_time_s, time_s, side="right"))
        enough = made - gone >= (expiry.when_snapshots or 0)
        if enough and _gone_at(upkeep, expiry, replacements, middle) > gone:
            high = middle
        else:
            low = middle + 1
    return low
