"""Leaps over statements that change rows: no cycle is quite like the one before, but all change slowly.

Two moments at which as many manifests wait to be merged bound a cycle. What a cycle writes, and by how much the table
changes, is a rate. The rate before the last leap gives its growth, and so a leap over a part of what has gone by.
"""

from dataclasses import dataclass, field, replace
from math import floor

import numpy as np

from wasim.units import Floats
from wasim.years.flows import Flow
from wasim.years.leaps import LOOSE, Leap, Mark
from wasim.years.manifests import VALUES

LEAST_MARKS, LEAST_COMMITS = 24, 400  # before the first leap: a table's first statements are like no others
REACH = 0.4  # of the commits since cycles began
Phase = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """By how much a table changed per commit over a cycle, around the commit `at`."""

    at: float
    values: Floats
    flows: Floats


@dataclass(slots=True, kw_only=True)
class Drift:
    """The cycles of one kind of statement since commit `begun`."""

    begun: float
    seen: int = 0
    last: dict[tuple[tuple[int, ...], Phase], Mark] = field(default_factory=dict)
    before: dict[tuple[int, ...], Rate] = field(default_factory=dict)  # the rate of the cycle before, by structure
    anchor: Rate | None = None  # before the last leap

    def forget(self, commits: float) -> None:
        """Begins anew: something else has happened to the table."""
        self.begun, self.seen = commits, 0
        self.last.clear()
        self.before.clear()
        self.anchor = None

    def planned(self, mark: Mark, phase: Phase, limit: float) -> Leap | None:
        """A leap from here that ends by commit `limit`; None while too little is known.

        Over cycles of many commits it does not matter at which moment between two merges they end, nor into how many
        runs manifests fall: those stay as they are, and all else goes on.
        """
        self.seen += 1
        is_long = mark.commits - self.begun > LEAST_COMMITS * self.seen
        data, deletes, cohorts = mark.structure
        runs = len(VALUES) * (data + deletes)
        going = np.arange(len(mark.values))
        if is_long:
            going = np.concatenate([going[:1], going[1 + runs :]])
        key = ((cohorts,), ()) if is_long else (mark.structure, phase)
        earlier, self.last[key] = self.last.get(key), replace(mark, values=mark.values[going])
        if earlier is None or (self.seen < LEAST_MARKS and mark.commits - self.begun < LEAST_COMMITS):
            return None
        period = mark.commits - earlier.commits
        if period <= 0:
            return None
        rate = Rate(
            at=(mark.commits + earlier.commits) / 2,
            values=(mark.values[going] - earlier.values) / period,
            flows=(mark.flows - earlier.flows) / period,
        )
        before, self.before[key[0]] = self.before.get(key[0]), rate
        if before is None or rate.at - before.at < period / 2:
            return None
        cycles = floor(min(limit - mark.commits, REACH * (mark.commits - self.begun)) / period)
        if cycles < 2:
            return None
        self.last.clear()
        added = np.maximum(rate.flows, 0.0) * period
        growth = self._growth(rate, cycles * period) * period * period
        growth[Flow.SNAPSHOT_JSON_BYTES] = 0.0  # `note_longer_numbers` counts it
        values = mark.values.copy()
        values[going] += _changed(mark.values[going], rate, before, cycles * period)
        return Leap(
            origin=mark,
            cycles=cycles,
            together=1,
            period=period,
            added=added,
            growth=np.maximum(growth, -added / (cycles + 1)),  # nothing is taken back
            values=values,
        )

    def _growth(self, rate: Rate, length: float) -> Floats:
        """By how much flows per commit grow per commit, from the rate before the last leap; none over a longer leap."""
        anchor, self.anchor = self.anchor, rate
        if anchor is None or rate.at - anchor.at < length / 4:
            return np.zeros(len(rate.flows))
        growth: Floats = (rate.flows - anchor.flows) / (rate.at - anchor.at)
        return growth


def _changed(values: Floats, rate: Rate, before: Rate, length: float) -> Floats:
    """By how much values change over so many commits; what goes up and down, or would pass zero, stays as it is."""
    steady = np.abs(rate.values - before.values) <= LOOSE * np.abs(rate.values)
    change = np.where(steady, length * rate.values, 0.0)
    return np.where(values + change > 0, change, 0.0)
