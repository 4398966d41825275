"""Leaps over statements that change rows: no cycle is quite like the one before, but all change slowly.

Two moments at which as many manifests wait to be merged bound a cycle, those of data at least; where no two are alike
for long, a fixed number of statements does. What a cycle writes, and by how much the table changes, is a rate. The
rate before the last leap gives its growth, and so a leap over a part of what has gone by.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import floor

import numpy as np

from wasim.units import Floats
from wasim.years.flows import Flow
from wasim.years.leaps import LOOSE, Leap, Mark
from wasim.years.manifests import VALUES
from wasim.years.row_changes import LIVE_ROWS

LEAST_MARKS = 24  # of a cycle whose phase lasts
LEAST_COMMITS = 3_000  # before the first leap: a table's first statements are like no others
LONG = 100  # commits of a cycle at least: by default, as many manifests are merged
PARTLY = 0.02  # of a cycle, which may be between statements
FEW_RUNS = 8  # of manifests of deletes: spread over more, none of their cycles is like another
WINDOW = 400  # statements that are a cycle where there is no other
REACH = 0.4  # of the commits since cycles began
FARTHEST = 4.0  # times what lies between two rates: so far, they tell how rates grow
Phase = tuple[int, ...]
Room = Callable[[Floats, Floats], float]
"""Cycles that each change these numbers of files by as much, until compaction takes other files."""


@dataclass(frozen=True, slots=True)
class Rate:
    """By how much a table changed per commit over a cycle, around the commit `at`.

    The first `data` of `values` are those of manifests of data, the last `files` those of files.
    """

    at: float
    values: Floats
    flows: Floats
    data: int
    files: int


@dataclass(slots=True, kw_only=True)
class Drift:
    """The cycles of one kind of statement, each `period` commits after the last, since commit `begun`."""

    begun: float
    period: float = 1.0
    between: float = 1.0  # commits from one statement to the next
    seen: int = 0
    moved: int = 0  # among `marks`, the first one of the phase that lasts
    phase: Phase = ()
    marks: list[Mark] = field(default_factory=list)  # since the last leap
    alike: dict[tuple[tuple[int, ...], Phase], list[int]] = field(default_factory=dict)  # their places
    anchor: Rate | None = None  # before the last leap

    def forget(self, commits: float) -> None:
        """Begins anew: something else has happened to the table."""
        self.begun, self.seen, self.anchor = commits, 0, None
        self._clear()

    def land(self, mark: Mark) -> None:
        """Takes the end of a leap for that of a cycle, where cycles are long."""
        if self.period >= LONG:
            self.marks.append(mark)

    def _clear(self) -> None:
        self.marks.clear()
        self.alike.clear()
        self.moved = 0

    def planned(self, mark: Mark, phase: Phase, limit: float, room: Room) -> Leap | None:
        """A leap from here that ends by commit `limit`, within the `room`; None while too little is known.

        Over cycles of many commits it does not matter at which moment between two merges they end, nor into how many
        runs manifests fall: those stay as they are, and all else goes on.
        """
        ends = self._note(mark, phase)
        if any(one.structure[2] != mark.structure[2] for one in ends):  # partitions opened or were closed in between
            ends = ends[-1:] if ends[-1].structure[2] == mark.structure[2] else []
        if not ends or mark.commits < LEAST_COMMITS:
            return None
        rates = [_rate(second, first) for first, second in zip(ends, [*ends[1:], mark], strict=True)]
        rate, before = rates[-1], rates[0] if len(rates) > 1 else self.anchor
        if before is None or before.files != rate.files:
            return None
        period = mark.commits - ends[-1].commits
        anchor = self.anchor if self.anchor is not None and self.anchor.files == rate.files else before
        reach = min(REACH * (mark.commits - self.begun), FARTHEST * (rate.at - anchor.at))
        of_files = slice(-rate.files, None)
        within = room(mark.values[of_files], rate.values[of_files] * period)
        cycles = floor(min((limit - mark.commits) / period, reach / period, within))
        if cycles < 2:
            return None
        growth = _growth(rate.flows, anchor.flows, rate.at - anchor.at) * period * period
        growth[Flow.SNAPSHOT_JSON_BYTES] = 0.0  # `note_longer_numbers` counts it
        added = np.maximum(rate.flows, 0.0) * period
        values = mark.values + _changed(mark.values, rate, before, anchor, cycles * period)
        self.anchor = rate
        self._clear()
        return Leap(
            origin=mark,
            cycles=cycles,
            together=1,
            period=period,
            added=added,
            growth=np.clip(growth, -added / (cycles + 1), added / (cycles + 1)),  # nothing is taken back, or thrice it
            values=values,
        )

    def _note(self, mark: Mark, phase: Phase) -> list[Mark]:
        """Takes note of a statement's end; where the one or two last cycles began, none if that is not known."""
        self.seen += 1
        place = len(self.marks)
        if phase != self.phase:
            self.phase, self.moved = phase, place
        self.marks.append(mark)
        if self.period >= LONG:
            return self._apart(range(place))
        keys = [(mark.structure, phase)]
        if mark.structure[1] > FEW_RUNS or place > WINDOW:
            keys.append((mark.structure[:1], phase[:1]))
        for key in keys:
            same = self.alike.setdefault(key, [])
            # a phase that lasts tells nothing of the next one, unless it lasts for long
            if not same or same[-1] < self.moved or place - same[-1] >= LEAST_MARKS:
                same.append(place)
                ends = self._apart(same[:-1])
                if len(ends) > 1 or (ends and self._is_anchored(mark, key[0])):
                    return ends
        if place >= 2 * WINDOW:
            return [self.marks[-1 - 2 * WINDOW], self.marks[-1 - WINDOW]]
        return []

    def _apart(self, places: Sequence[int]) -> list[Mark]:
        """Of the marks at these places, ascending, the two last ones so far apart, and from the newest mark, that
        a row, a file or a statement more or less makes no difference; fewer if there are not as many.
        """
        found, after = list[Mark](), self.marks[-1]
        for place in reversed(places):
            one = self.marks[place]
            apart = after.commits - one.commits
            statements = after.commits // self.between - one.commits // self.between
            if apart >= LONG and abs(apart - statements * self.between) <= PARTLY * apart:
                after = one
                found.insert(0, after)
                if len(found) == 2:
                    break
        return found

    def _is_anchored(self, mark: Mark, structure: tuple[int, ...]) -> bool:
        """Whether the rate before the last leap was of as many runs of manifests: of data alone, if that is all."""
        if self.anchor is None or self.anchor.data != 1 + len(VALUES) * mark.structure[0]:
            return False
        return len(structure) == 1 or len(self.anchor.values) == len(mark.values)


def _rate(mark: Mark, earlier: Mark) -> Rate:
    """The change from one mark to another: of manifests, where they fall into as many runs."""
    period, (data, deletes, _) = mark.commits - earlier.commits, mark.structure
    of_data, runs = (1 + len(VALUES) * count for count in (data, data + deletes))
    files, changed = len(mark.values) - runs, np.zeros(len(mark.values))
    changed[-files:] = mark.values[-files:] - earlier.values[-files:]
    if data == earlier.structure[0]:
        changed[:of_data] = mark.values[:of_data] - earlier.values[:of_data]
    if mark.structure == earlier.structure:
        changed = mark.values - earlier.values
    changed[0] = period
    return Rate(
        at=(mark.commits + earlier.commits) / 2,
        values=changed / period,
        flows=(mark.flows - earlier.flows) / period,
        data=of_data,
        files=files,
    )


def _growth(rate: Floats, anchor: Floats, apart: float) -> Floats:
    """By how much a rate grows per commit, since an earlier one this many commits before."""
    growth: Floats = (rate - anchor) / apart
    return growth


def _changed(values: Floats, rate: Rate, before: Rate, anchor: Rate, length: float) -> Floats:
    """By how much values change over this many commits; what goes up and down, or would pass zero, stays as it is.

    Numbers of files may grow ever faster, where each statement finds more to change than the one before.
    """
    files, steady = slice(-rate.files, None), np.zeros(len(values), dtype=bool)
    alike = len(values) if len(before.values) == len(values) else rate.data if before.data == rate.data else 0
    steady[:alike] = np.abs(rate.values[:alike] - before.values[:alike]) <= LOOSE * np.abs(rate.values[:alike])
    steady[0], steady[files] = True, rate.values[files] * before.values[files] > 0
    change = length * rate.values
    if values[LIVE_ROWS][-1] > 0:  # of files beyond compaction: these lose what others gain
        steady[LIVE_ROWS] = steady[LIVE_ROWS].all()
    change[files] += _growth(rate.values[files], anchor.values[files], rate.at - anchor.at) * length * length / 2
    change = np.where(steady, change, 0.0)
    return np.where(values + change > 0, change, 0.0)
