"""Digits of the numbers in snapshots' summaries, summed over the snapshots that a metadata.json holds."""

from functools import lru_cache

import numpy as np

from wasim.model import Appends, CommittedDeletes
from wasim.model.digits import MAX_DIGITS, digits_through, digits_through_all
from wasim.model.drivers import constant_digits, growing_numbers
from wasim.twin.fast.history import Turns
from wasim.twin.summary import NONE, FileCounts, changed_counters
from wasim.units import Floats, Ints

_POWERS = 10.0 ** np.arange(1, MAX_DIGITS)


def digits_of(numbers: float | Ints | Floats) -> Ints:
    """Decimal digits of whole numbers; 1 of 0."""
    return np.asarray(1 + np.searchsorted(_POWERS, np.asarray(numbers, dtype=np.float64), side="right"))


def digits_of_whole_numbers_through(numbers: int | Ints | Floats) -> Floats:
    """Digits of 1, 2, … n together, for each n: the digits that n sequence numbers take."""
    knots, sums = _whole_numbers()
    return np.asarray(np.interp(numbers, knots, sums))


@lru_cache(maxsize=1)
def _whole_numbers() -> tuple[Floats, Floats]:
    # linear between powers of ten, as far as a double counts
    knots = np.concatenate([[0], 10 ** np.arange(16, dtype=np.int64) - 1, [10**16]])
    knots = np.unique(knots)
    return knots.astype(np.float64), digits_through(1, knots).astype(np.float64)


@lru_cache(maxsize=256)
def summary_digits(appends: Appends, *, bounded: frozenset[str], mean_digits: float) -> "SummaryDigits":
    """The digits of such appends; those of like ones are found once."""
    return SummaryDigits(appends, bounded=bounded, mean_digits=mean_digits)


class SummaryDigits:
    """Digits that a writer's own snapshots have in their summaries, beside sequence numbers.

    `bounded` ones come and go with maintenance instead of growing, and are taken at their mean, `mean_digits`.
    """

    def __init__(self, appends: Appends, *, bounded: frozenset[str], mean_digits: float) -> None:
        growing = [one for one in growing_numbers(appends) if one.name not in bounded | {"sequence-number"}]
        self._growing = [(one.increment, one.lag) for one in growing]
        self._each = constant_digits(appends) + mean_digits
        self.knots, self._sums = self._at_knots()
        self._slopes = np.diff(self._sums) / np.diff(self.knots)
        self._constants = self._sums[:-1] - self._slopes * self.knots[:-1]

    def _at_knots(self) -> tuple[Floats, Floats]:
        knots = {0.0, 1e16}
        for increment, lag in self._growing:
            # the last commit before a number takes another digit, and the first with it
            firsts = np.ceil(_POWERS / increment) + lag
            knots |= {*(firsts - 1).tolist(), *firsts.tolist(), float(lag)}
        commits = np.array(sorted(knot for knot in knots if 0 <= knot <= 1e16)).astype(np.int64)
        return commits.astype(np.float64), self._exactly(commits)

    def _exactly(self, commits: Ints) -> Floats:
        total = self._each * commits
        for increment, lag in self._growing:
            total = total + digits_through(increment, commits - lag) + lag * np.minimum(commits, 1)
        return np.asarray(total, dtype=np.float64)

    def through(self, commits: Ints | Floats) -> Floats:
        """Digits of the first n of the writer's snapshots, for each n: between its knots a straight line."""
        return np.interp(commits, self.knots, self._sums)

    def lines(self) -> tuple[Floats, Floats]:
        """What `through` is between each knot and the next: a constant, and so many for each commit."""
        return self._constants, self._slopes

    def through_all(self, commits: int) -> float:
        """Σ over m = 1 … n of `through(m)`."""
        number = np.array([commits], dtype=np.int64)
        total = self._each * commits * (commits + 1) / 2
        for increment, lag in self._growing:
            total += float(digits_through_all(increment, number - lag)[0]) + lag * commits
        return float(total)


def mean_digits_of_manifests(turns: Turns, snapshots: int) -> float:
    """Digits of `manifests-kept`, one less than the list holds, in the mean over the snapshots."""
    live, length, times = turns.spans(snapshots)
    return mean_digits(live - 1, 1, length, times)


def mean_digits(first: Ints | Floats, step: int, count: Ints | Floats, times: Ints | int = 1) -> float:
    """Digits of the numbers first, first + step … of runs of so many, each so many times, in the mean over all."""
    weight = count * times
    if not weight.sum():
        return 0.0
    last = np.maximum(first + step * (count - 1), first)
    low, high = (digits_of_whole_numbers_through(np.maximum(ends, 0)) for ends in (first - 1, last))
    # a run's numbers lie evenly between its ends
    spread = np.where(last > first, last - np.maximum(first - 1, 0), 1)
    each = np.where(last > first, (high - low) / np.maximum(spread, 1), digits_of(first))
    return float((np.maximum(each, 1.0) * weight).sum() / weight.sum())


def removed_deletes_bytes(deletes: CommittedDeletes | None, commits: int) -> int:
    """Bytes that a summary takes to say that the deletes of so many commits were removed."""
    if deletes is None:
        return 0
    by_position = commits if deletes.positions else 0
    removed = FileCounts(
        equality_files=round(commits * deletes.files),
        position_files=by_position,
        position_deletes=round(commits * deletes.positions),
        equality_deletes=round(commits * deletes.keys),
    )
    return sum(len(f'"{key}":"{number}",') for key, number in changed_counters(NONE, removed).items())
