"""Leaps over cycles that repeat: where a table changes by the same amount from cycle to cycle, the sums of many follow.

Between two cycles alike the state changes by a constant, so what a cycle writes grows by a constant too: k cycles
write k · w + d · k(k + 1)/2, w being what the last one wrote and d how much that was more than before. A leap is
checked by the cycle after it, and taken back if that wrote something else.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import floor, inf

import numpy as np

from wasim.units import Floats
from wasim.years.flows import WIDTH, Flow
from wasim.years.margins import Margins
from wasim.years.state import Pace, TableState

PARTLY = 0.02  # of a cycle, which may lie between two statements
IN_PHASE = 2e-3  # of a cycle, which may lie between two runs of a faster job
STEADY = 1e-3  # by which changes of two cycles may differ, of themselves
AS_MANY = 1e-2  # the same of manifests written, of which one more or less decides nothing in a long cycle
TRUSTED = 2e-3  # by which the cycle after a leap may differ from what was expected of it
TRUSTED_DATA = 1e-2  # the same of bytes of data: those of files that grow from cycle to cycle are not quite linear
MOST_CYCLES = 1 << 24
PERIODS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24)
LONGEST = PERIODS[-1]
FIRST_REACH = 16  # cycles
LONGEST_WAIT = 4  # the oftener a leap was wrong, the longer none is tried: to 64 cycles
WORTH_IT = 8  # events: fewer are sooner stepped through
OFTEN, LONGEST_LOOK = 3, 15  # looks until the next ones come a cycle later each; cycles between two, at most
LOOSE = 0.1  # by which two cycles may differ that are leapt over on average
# How far to leap on average, of what was passed: the closer two cycles agree, the farther
AGREED, LEAST_AHEAD, MOST_AHEAD = 2e-4, 0.5, 8.0
NONE = 1e-9
_CHECKED = {
    Flow.LIST_BYTES: TRUSTED,
    Flow.WRITTEN_MANIFESTS: TRUSTED,
    Flow.WRITTEN_MANIFESTS + 1: TRUSTED,
    Flow.WRITTEN_MANIFESTS + 3: TRUSTED,
    Flow.WRITTEN_FILES + 1: TRUSTED_DATA,
    Flow.REPLACED_MANIFESTS + 1: TRUSTED,
}


@dataclass(frozen=True, kw_only=True)
class Mark:
    """The table at the end of a cycle: its `numbers` and `sums`, and the same as arrays of `values` and `flows`."""

    commits: float
    structure: tuple[int, ...]
    numbers: list[float]
    sums: list[float]
    missing: tuple[float, ...]  # what jobs by count yet wait for
    sample: int  # samples taken by then
    decided: int  # decisions taken by then, whose margins are known
    steps: int  # events stepped through by then

    @cached_property
    def values(self) -> Floats:
        """The numbers that make up the state."""
        return np.array(self.numbers)

    @cached_property
    def flows(self) -> Floats:
        """What has been written and removed by then."""
        return np.array(self.sums)

    def repeats(self, second: "Mark", first: "Mark") -> bool:
        """Whether the table is built as at these earlier marks, which came after as many commits each."""
        period = self.commits - second.commits
        is_alike = first.structure == second.structure == self.structure
        return is_alike and period > 0 and abs(second.commits - first.commits - period) <= STEADY * period

    def goes_on(self, second: "Mark", first: "Mark") -> bool:
        """Whether each number changed since the second mark as it had since the first, nearly, with as many manifests
        written.
        """
        for now, then, before in zip(self.numbers, second.numbers, first.numbers, strict=True):
            change = now - then
            if abs(change - (then - before)) > STEADY * abs(change) + 1e-7 * abs(now) + 1e-9:
                return False
        written = [one.sums[Flow.WRITTEN_MANIFESTS] for one in (self, second, first)]
        return abs(written[0] - 2 * written[1] + written[2]) <= AS_MANY * (written[0] - written[1])

    def room(self, second: "Mark", first: "Mark", margins: Margins) -> float:
        """How many more cycles, with one that confirms them, are like the last one: no number that falls is used up,
        and all that a cycle decides it decides as before.
        """
        falling = [now / (then - now) for now, then in zip(self.numbers, second.numbers, strict=True) if then > now]
        alike = margins.room(first.decided, second.decided, self.decided) - 1
        return min(alike, floor(min(falling))) if falling else alike


def mark_of(state: TableState, missing: tuple[float, ...], samples: int, steps: int) -> Mark:
    """The table as it is."""
    return Mark(
        commits=state.commits,
        structure=state.structure,
        numbers=state.values(),
        sums=list(state.flows),
        missing=missing,
        sample=samples,
        decided=state.margins.count,
        steps=steps,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Leap:
    """Several cycles at once, from a mark: what each flow then is, cycle by cycle, and what the next cycle should add.

    One such cycle is as many of the level's as are `together` alike, and takes `period` commits. Where manifests do
    not repeat, `values` leave them as they are.
    """

    origin: Mark
    cycles: int
    together: int
    period: float
    added: Floats
    growth: Floats
    values: Floats
    again: Callable[[float], Floats] | None = None  # what so many commits merge again, apart from what cycles add
    short: Floats | float = 0.0  # what the last leap should have added more, as its end showed

    def flows_after(self, cycles: float) -> Floats:
        """The flows after some of the cycles."""
        flows: Floats = self.origin.flows + self.short + cycles * self.added + cycles * (cycles + 1) / 2 * self.growth
        if self.again is not None:
            add_again(flows, self.again(cycles * self.period))
        return flows

    def is_confirmed_by(self, landed: Mark, after: Mark) -> bool:
        """Whether the cycle after the leap added what was expected of it."""
        if landed.structure != after.structure:
            return False
        for place, trusted in _CHECKED.items():
            expected = float(self.added[place] + (self.cycles + 1) * self.growth[place])
            found = after.sums[place] - landed.sums[place]
            if abs(found - expected) > trusted * max(abs(expected), abs(found)) + 1e-6:
                return False
        return True


@dataclass(slots=True)
class Landing:
    """A leap yet to be confirmed: where it ended, and how many cycles it is until what it expected can be seen."""

    leap: Leap
    landed: Mark
    waits: int


@dataclass(slots=True, kw_only=True)
class Level:
    """Cycles of one kind: marks at the ends of the last ones, and how far to dare leap.

    `period` are the commits that one takes: what its schedule says, or the last one took.
    """

    period: float = inf
    marks: deque[Mark] = field(default_factory=lambda: deque(maxlen=2 * LONGEST + 1))
    reach: int = FIRST_REACH
    pending: Landing | None = None
    wait: int = 0
    refused: int = 0
    looked: int = 0  # looks since the last leap

    def note(self, mark: Mark, period: float | None) -> None:
        """The end of a cycle, whose period is measured unless it is given."""
        self.period = period or (mark.commits - self.marks[-1].commits if self.marks else self.period)
        self.marks.append(mark)

    def rests(self) -> bool:
        """Whether the cycle that ends is of no use, as more end than are kept until a leap is looked for."""
        if self.pending is not None or self.wait < 2 * LONGEST + 1:
            return False
        self.wait -= 1
        self.marks.clear()
        return True

    def forget(self) -> None:
        """Begins anew: cycles so far tell nothing of those to come."""
        self.marks.clear()
        self.pending = None

    def rewind(self, commits: float) -> None:
        """Forgets what came after a commit, as the table goes back to it."""
        while self.marks and self.marks[-1].commits > commits:
            self.marks.pop()
            if self.pending is not None:
                self.pending.waits += 1
        if self.pending is not None and self.pending.landed.commits > commits:
            self.pending = None

    def confirm(self) -> None:
        """A leap was right: longer ones from now on."""
        self.reach = min(4 * self.reach, MOST_CYCLES)

    def refuse(self) -> None:
        """A leap was wrong: shorter ones from now on, and none at once."""
        self.forget()
        self.reach //= 4
        if self.reach < 2:
            self.reach, self.wait = FIRST_REACH, 4 << min(self.refused, LONGEST_WAIT)
            self.refused += 1

    def planned(self, limit: Callable[[], float], margins: Margins, between: float = 1.0) -> Leap | None:
        """A leap that ends before the commit of the `limit` and over which no decision changes; None for none.

        Cycles hold whole numbers of the `between` commits from one run of a faster job to the next. Where they differ
        by turns, several of them together may be alike. To look costs as much as to step through a short cycle, so with
        each look that finds none the next one comes later.
        """
        if self.wait:
            self.wait -= 1
            return None
        marks, last = self.marks, self.marks[-1]
        for together in PERIODS:
            if 2 * together >= len(marks):
                break
            second, first = marks[-1 - together], marks[-1 - 2 * together]
            if not holds_whole(last.commits - second.commits, between):
                continue
            if not (last.repeats(second, first) and last.goes_on(second, first)):
                continue
            room = min(self._ahead(second, limit()), last.room(second, first, margins))
            if room >= 2 and room * (last.steps - second.steps) >= WORTH_IT:
                self.looked = 0
                return self._leap(together, int(min(self.reach, room)))
        if len(marks) > 2 and last.steps - marks[-2].steps < WORTH_IT:
            self.looked += 1
            self.wait = min(self.looked // OFTEN, LONGEST_LOOK)
        return None

    def _ahead(self, second: Mark, limit: float) -> float:
        """How many cycles like that since the second mark end before the limit, with one more that confirms them."""
        last = self.marks[-1]
        period = last.commits - second.commits
        return min(MOST_CYCLES, floor((limit - last.commits) / period + NONE) - 1)

    def _leap(self, together: int, cycles: int) -> Leap:
        """A leap over cycles that each span `together` marks of this level."""
        first, second, last = self.marks[-1 - 2 * together], self.marks[-1 - together], self.marks[-1]
        added = last.flows - second.flows
        return Leap(
            origin=last,
            cycles=cycles,
            together=together,
            period=last.commits - second.commits,
            added=added,
            growth=_growth(added, second.flows - first.flows),
            values=last.values + cycles * (last.values - second.values),
        )


@dataclass(slots=True, kw_only=True)
class FillingLevel:
    """The slowest cycle: a manifest that merges fill, until the next one begins. Where manifests of data and of deletes
    fill at a pace of their own no two are alike, so leaps are on average, and the shorter the less two cycles agree.
    """

    marks: list[Mark] = field(default_factory=list)
    passed: float = 0.0  # manifests filled so far

    def rewind(self, commits: float) -> None:
        """Forgets what came after a commit, as the table goes back to it."""
        while self.marks and self.marks[-1].commits > commits:
            self.marks.pop()
            self.passed -= 1

    def planned(self, mark: Mark, limit: float, teeth: int, pace: Pace | None) -> Leap | None:
        """A leap from where another manifest is full, over `teeth` at a time, once two such were seen.

        There is no `pace` while some manifests have yet to fill for the first time.
        """
        self.marks.append(mark)
        self.passed += 1
        if pace is None or len(self.marks) <= 2 * teeth:
            return None
        first, second, last = self.marks[-1 - 2 * teeth], self.marks[-1 - teeth], mark
        early, late = second.commits - first.commits, last.commits - second.commits
        if min(early, late) <= 0:  # one commit filled two of them
            return None
        period, apart = (early + late) / 2, abs(late - early) / late
        seen = self.passed / teeth * min(MOST_AHEAD, max(LEAST_AHEAD, AGREED / (apart + NONE)))
        cycles = floor(min(seen, (limit - last.commits) / period - NONE))
        if apart > LOOSE or cycles < 1:
            return None
        self.marks.clear()
        self.passed += cycles * teeth
        growth = np.zeros(WIDTH)  # each cycle's lists have more manifests, the rest stays what it is
        growth[Flow.LIST_BYTES] = pace.list_bytes * period**2
        added = (last.flows - first.flows + growth) / 2
        added[Flow.SNAPSHOT_JSON_BYTES] = (last.flows - second.flows)[Flow.SNAPSHOT_JSON_BYTES] / late * period
        return Leap(
            origin=last,
            cycles=cycles,
            together=teeth,
            period=period,
            added=added,
            growth=growth,
            values=pace.after(last.values, cycles * period),
        )


def add_again(flows: Floats, again: Floats) -> None:
    """Adds manifests that are merged again to all flows that count them: others are written in their place."""
    for place in (Flow.WRITTEN_MANIFESTS, Flow.REPLACED_MANIFESTS, Flow.MERGED_AGAIN):
        flows[place : place + len(again)] += again


def holds_whole(commits: float, between: float) -> bool:
    """Whether so many commits are a whole number of those `between` two runs of a job, nearly."""
    return abs(commits - round(commits / between) * between) <= IN_PHASE * commits


def _growth(added: Floats, before: Floats) -> Floats:
    """By how much more a cycle adds than the one before; but for the digits of a snapshot's numbers."""
    growth = added - before
    growth[Flow.SNAPSHOT_JSON_BYTES] = 0.0  # `note_longer_numbers` counts it
    return growth
