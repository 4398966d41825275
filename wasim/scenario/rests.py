"""A writer that rests, by its commits with rows alone: how many there are by when, and when each comes."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from wasim.units import Floats, Ints

SECOND_US = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Rests:
    """`intervals` of which those that begin in the first `lasts_us` of every `every_us` bring rows; of those without,
    every `idle_every` that follow each other ends in a commit of nothing, None: none does. Times are microseconds.
    """

    every_us: int
    lasts_us: int
    interval_us: int
    intervals: int
    idle_every: int | None

    @property
    def turns(self) -> int:
        """Times of rows, one in each period, the last one perhaps cut."""
        return len(self._before)

    @property
    def commits(self) -> int:
        """Commits with rows."""
        return int(self._through[-1])

    @property
    def commits_of_nothing(self) -> int:
        """Commits without rows."""
        return int(self._of_nothing.sum())

    def commits_in(self, intervals: Floats) -> Floats:
        """Commits with rows in the first so many intervals."""
        turn = self._turn(intervals)
        return np.asarray(self._through[turn] - np.maximum(self._last[turn] - intervals, 0.0))

    def intervals_of(self, commits: Floats) -> Floats:
        """The interval, from 1, at whose end the commit with rows of this number comes."""
        turn = np.minimum(np.searchsorted(self._through, commits), self.turns - 1)
        return np.asarray(self._last[turn] - (self._through[turn] - commits))

    def of_nothing_after(self, commits: float) -> int:
        """Commits of nothing that follow this many with rows, the last ones of a turn."""
        return int(self._of_nothing[min(int(np.searchsorted(self._through, commits - 1e-6)), self.turns - 1)])

    def share_of_nothing(self, intervals: Floats) -> Floats:
        """Which share of the commits of nothing that follow the last rows is made in the first so many intervals."""
        turn = self._turn(intervals)
        made, all_of_them = (intervals - self._last[turn]) // (self.idle_every or 1), self._of_nothing[turn]
        is_idle = (made >= 0) & (all_of_them > 0)
        return np.where(is_idle, np.minimum(made / np.maximum(all_of_them, 1), 1.0), 1.0)

    def _turn(self, intervals: Floats) -> Ints:
        return np.clip(np.searchsorted(self._before, intervals, side="right") - 1, 0, None)

    @cached_property
    def _of_nothing(self) -> Ints:
        """Commits of nothing after each turn."""
        idle = np.append(self._before[1:], self.intervals) - self._last
        return idle // self.idle_every if self.idle_every else np.zeros_like(idle)

    def lasting_s(self, unit_s: float) -> float:
        """Seconds with rows in a unit of time that has some, on average."""
        if unit_s * SECOND_US >= self.every_us:
            return unit_s * self.commits / self.intervals
        lasts_s = self.lasts_us / SECOND_US
        return lasts_s / ceil(lasts_s / unit_s)

    @cached_property
    def _before(self) -> Ints:
        """Intervals before each turn's first."""
        starts = np.arange(-(-self.intervals * self.interval_us // self.every_us), dtype=np.int64) * self.every_us
        return np.asarray(-(-starts // self.interval_us))

    @cached_property
    def _last(self) -> Ints:
        """Intervals through each turn's last with rows."""
        ends = np.arange(self.turns, dtype=np.int64) * self.every_us + self.lasts_us
        return np.minimum(-(-ends // self.interval_us), self.intervals)

    @cached_property
    def _through(self) -> Ints:
        """Commits with rows through each turn."""
        return np.cumsum(np.maximum(self._last - self._before, 0))
