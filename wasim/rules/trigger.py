"""When a writer commits: after an interval, or as soon as so much has arrived; and in which intervals without rows."""

from collections.abc import Iterable, Iterator, Sequence


def first_s(interval_s: float, counts: Iterable[tuple[float, float]]) -> float:
    """Seconds between two commits: the interval, or less where one of the counts, each with how much of it arrives in a
    second, is reached earlier.
    """
    return min([interval_s, *(count / per_second for count, per_second in counts)])


def commits_of(
    first: int, through: int, times_us: Sequence[int], idle_every: int | None
) -> Iterator[tuple[int, int, bool]]:
    """The commits of a writer whose rows come for the first part of each period, from one number to another, both with
    it: of each run its first, how many, and whether they bring rows.

    `times_us` are the period, how long rows come in it, and the interval, in microseconds. An interval that begins
    while rows come brings as many as any. Of those without, every so many in a row end in a commit, a run of its own;
    None or 0: none does.
    """
    every_us, lasts_us, interval_us = times_us
    turn = (first - 1) * interval_us // every_us
    while (start := _begun_by(turn * every_us, interval_us) + 1) <= through:
        last = _begun_by(turn * every_us + lasts_us, interval_us)
        low, high = max(first, start), min(through, last)
        if low <= high:
            yield low, high - low + 1, True
        turn += 1
        ends = min(through, _begun_by(turn * every_us, interval_us))
        for commit in range(last + idle_every, ends + 1, idle_every) if idle_every else ():
            if commit >= first:
                yield commit, 1, False


def _begun_by(time_us: int, interval_us: int) -> int:
    """How many intervals begin before this time."""
    return -(-time_us // interval_us)
