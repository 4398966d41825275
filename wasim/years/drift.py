"""Leaps over statements that change rows: no cycle is quite like the one before, but all change slowly.

Moments at which as many manifests wait to be merged bound a cycle, those of data at least; where no two are alike for
long, a fixed number of statements does. What the last of two cycles wrote, and by how much it changed the table's
files, goes on for a part of what has gone by; what is written grows as it has grown since the last leap.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import floor

import numpy as np

from wasim.units import Floats
from wasim.years.flows import Flow
from wasim.years.leaps import LOOSE, Leap, Mark
from wasim.years.manifests import VALUES
from wasim.years.row_changes import LIVE_ROWS

LEAST_COMMITS = 3_000  # before the first leap: a table's first statements are like no others
LONG = 250  # commits of a cycle at least: by default, a hundred manifests are merged
PARTLY = 0.02  # of a cycle, which may be between statements
WINDOW = 400  # statements that are a cycle where there is no other
REACH = 0.4  # of the commits since cycles began
FARTHEST = 4.0  # times what lies between two rates: so far, they tell how rates grow
Phase = tuple[int, ...]
Room = Callable[[Floats, Floats], float]
"""Cycles that each change these numbers of files by as much, until compaction takes other files."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What each commit wrote on average over a cycle, around the commit `at`."""

    at: float
    flows: Floats


@dataclass(slots=True, kw_only=True)
class Drift:
    """The cycles of one kind of statement, each `period` commits after the last, since commit `begun`."""

    begun: float
    period: float = 1.0
    between: float = 1.0  # commits from one statement to the next
    ends: deque[tuple[Mark, Phase]] = field(default_factory=lambda: deque(maxlen=2 * WINDOW + 1))  # since the last leap
    anchor: Rate | None = None  # before the last leap

    def forget(self, commits: float) -> None:
        """Begins anew: something else has happened to the table."""
        self.begun, self.anchor = commits, None
        self.ends.clear()

    def land(self, mark: Mark) -> None:
        """Takes the end of a leap for that of a cycle, where cycles are long."""
        if self.period >= LONG:
            self.ends.append((mark, ()))

    def planned(self, mark: Mark, phase: Phase, limit: float, room: Room) -> Leap | None:
        """A leap from here that ends by commit `limit`, within the `room`; None while too little is known."""
        self.ends.append((mark, phase))
        ahead = min(limit - mark.commits, REACH * (mark.commits - self.begun))
        if ahead < 2 * LONG or mark.commits < LEAST_COMMITS:
            return None
        ends = self._two_cycles()
        if ends is None or any(one.structure[2] != mark.structure[2] for one in ends):
            return None
        first, second = ends
        period, rate, before = mark.commits - second.commits, _rate(second, mark), _rate(first, second)
        anchor = self.anchor or before
        change = _changed(first, second, mark) * period
        of_files = slice(_first_of_files(mark), None)
        ahead = min(ahead, FARTHEST * (rate.at - anchor.at))
        cycles = floor(min(ahead / period, room(mark.values[of_files], change[of_files])))
        if cycles < 2:
            return None
        added, change = np.maximum(rate.flows, 0.0) * period, change * cycles
        growth = (rate.flows - anchor.flows) / (rate.at - anchor.at) * period * period
        growth[Flow.SNAPSHOT_JSON_BYTES] = 0.0  # `note_longer_numbers` counts it
        self.anchor = rate
        self.ends.clear()
        return Leap(
            origin=mark,
            cycles=cycles,
            together=1,
            period=period,
            added=added,
            growth=np.clip(growth, -added / (cycles + 1), added / (cycles + 1)),  # nothing is taken back, or thrice it
            values=mark.values + np.where((mark.values + change > 0) | (mark.values < 0), change, 0.0),
        )

    def _two_cycles(self) -> tuple[Mark, Mark] | None:
        """Where the last two cycles began; None if that is not known yet.

        Over cycles of many commits it does not matter at which moment between two merges they end.
        """
        last, phase = self.ends[-1]
        if last.commits - self.ends[0][0].commits < 2 * LONG:
            return None
        if self.period >= LONG:
            return self._apart(mark for mark, _ in self.ends)
        structure, passed = last.structure, len(self.ends) - 1
        found = self._apart(mark for mark, other in self.ends if other == phase and mark.structure == structure)
        if found is None and passed > WINDOW:
            found = self._apart(
                mark for mark, other in self.ends if other[0] == phase[0] and mark.structure[0] == structure[0]
            )
        if found is None and passed >= 2 * WINDOW:
            found = self.ends[-1 - 2 * WINDOW][0], self.ends[-1 - WINDOW][0]
        return found

    def _apart(self, marks: Iterable[Mark]) -> tuple[Mark, Mark] | None:
        """Of these marks, the last one among them, two that are so far from each other and from the last that a row, a
        file or a statement more or less makes no difference.
        """
        later, *earlier = reversed(list(marks))
        found = list[Mark]()
        for one in earlier:
            apart = later.commits - one.commits
            statements = later.commits // self.between - one.commits // self.between
            if apart >= LONG and abs(apart - statements * self.between) <= PARTLY * apart:
                found.append(later := one)
                if len(found) == 2:
                    return found[1], found[0]
        return None


def _rate(first: Mark, last: Mark) -> Rate:
    apart = last.commits - first.commits
    return Rate((first.commits + last.commits) / 2, (last.flows - first.flows) / apart)


def _first_of_files(mark: Mark) -> int:
    """The place of the first number of files among the values of a mark."""
    data, deletes, _ = mark.structure
    return 1 + len(VALUES) * (data + deletes)


def _changed(first: Mark, second: Mark, last: Mark) -> Floats:
    """By how much values change with each commit; what goes up and down stays as it is.

    So do manifests that fall into another number of runs than they did.
    """
    files = len(last.values) - _first_of_files(last)
    early, late = np.zeros(len(last.values)), np.zeros(len(last.values))
    alike = len(last.values) if first.structure == second.structure == last.structure else files
    early[-alike:] = (second.values[-alike:] - first.values[-alike:]) / (second.commits - first.commits)
    late[-alike:] = (last.values[-alike:] - second.values[-alike:]) / (last.commits - second.commits)
    early[0] = late[0] = 1.0
    steady = np.abs(late - early) <= LOOSE * np.abs(late)
    steady[-files:] = late[-files:] * early[-files:] > 0
    if last.values[LIVE_ROWS][-1] > 0:  # of files beyond compaction: these lose what others gain
        fastest = np.maximum(np.abs(early), np.abs(late))[LIVE_ROWS]
        steady[LIVE_ROWS] = (steady[LIVE_ROWS] | (fastest <= LOOSE * fastest.max())).all()
    return np.where(steady, late, 0.0)
