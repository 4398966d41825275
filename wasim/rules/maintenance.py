"""When maintenance is due, how many manifests a rewrite makes, which snapshots expire, what the metadata log drops."""

from collections.abc import Sequence
from typing import TypeVar

from wasim.units import Ints

Commits = TypeVar("Commits", int, Ints)


def is_due(count: float, least: float) -> bool:
    """Whether a table has come to a condition."""
    return count >= least


def commit_at(turn: Commits, every_us: int, interval_us: int) -> Commits:
    """The writer's commit that a periodic job's run with this number, from 1 on, follows; times in microseconds."""
    return turn * every_us // interval_us


def turn_after(commit: Commits, every_us: int, interval_us: int) -> Commits:
    """The first run of a periodic job that follows a later commit than this one."""
    return -(-(commit + 1) * interval_us // every_us)


def rewritten_manifests(total_bytes: float, entries: float, target_bytes: int) -> int:
    """How many manifests rewrite_manifests makes of some: as many as their bytes need, none without an entry."""
    return int(min(-(-total_bytes // target_bytes), entries))


def kept_of_line(timestamps: Sequence[int], oldest: int, least: int) -> int:
    """How many of a branch's snapshots stay, newest first: up to the first that is neither young nor needed."""
    old = (place for place, at in enumerate(timestamps) if place >= least and at < oldest)
    return next(old, len(timestamps))


def log_entries_dropped(entries: int, limit: int) -> int:
    """How many of the oldest entries leave the metadata log before it takes one more."""
    return max(0, entries - limit + 1)
