"""When a writer commits: after an interval, or as soon as so much has arrived; and in which intervals without rows."""

from collections.abc import Iterable


def first_s(interval_s: float, counts: Iterable[tuple[float, float]]) -> float:
    """Seconds between two commits: the interval, or less where one of the counts, each with how much of it arrives in a
    second, is reached earlier.
    """
    return min([interval_s, *(count / per_second for count, per_second in counts)])


def commits_when_idle(empty: int, every: int | None) -> bool:
    """Whether a writer commits at the end of an interval without rows, this many of which came in a row: every so many;
    None: never.
    """
    return every is not None and empty > 0 and empty % every == 0
