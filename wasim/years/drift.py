"""Leaps over cycles of which none is quite like the one before, but all change slowly: those of statements that change
rows, and of maintenance that does not repeat.

Moments at which as many manifests wait to be merged bound a cycle, those of data at least; where no two are alike for
long, a fixed number of statements does. What the last of two cycles wrote, and by how much it changed the table's
files, goes on for a part of what has gone by; what is written grows as it has grown since the last leap. But for the
manifests that merges begin with: these grow until they are full, and the next ones begin anew.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import ceil, floor, inf, log

import numpy as np

from wasim.units import Floats
from wasim.years.flows import DATA, DELETES, LIVE_ROWS, Flow
from wasim.years.leaps import LOOSE, PARTLY, Leap, Mark, add_again
from wasim.years.manifests import ManifestRuns
from wasim.years.packing import VALUES, Run
from wasim.years.state import TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """Manifests of at most `target_bytes`, merged with `least` new ones of `new_bytes` each, or with those that fit."""

    target_bytes: float
    new_bytes: float
    least: float

    def merges(self, first: float, last: float) -> tuple[float, float]:
        """Merges on the way of one manifest after the other from the size `first` to `last`, which counts full ones
        before it, and the bytes that these merges begin with; both over those that bring as many bytes where there is
        room.
        """
        (number, size), (before, size_before) = self._from_nothing(last), self._from_nothing(first)
        return (number - before) / (last - first), (size - size_before) / (last - first)

    def _from_nothing(self, end: float) -> tuple[float, float]:
        target = self.target_bytes
        whole, part = divmod(end, target)
        full, rest = self._of_one(target), self._of_one(part)
        return whole * full[0] + rest[0], whole * full[1] + rest[1]

    def _of_one(self, size: float) -> tuple[float, float]:
        """∫ w and ∫ w · x over sizes x up to this one, where w is how much more often merges come than elsewhere."""
        part = self.new_bytes / 2  # on average, what fits is half a new manifest less than there is room for
        end, taken = self.target_bytes - part, self.least * self.new_bytes - part
        narrow = end - taken  # from here on fewer new ones fit
        if size <= narrow:
            return size, size * size / 2
        closer = log(taken / max(end - size, part))
        return narrow + taken * closer, narrow * narrow / 2 + taken * (end * closer - (size - narrow))


LEAST_COMMITS = 3_000  # before the first leap: a table's first statements are like no others
LONG = 250  # commits of a cycle at least: by default, a hundred manifests are merged
# Both count statements where several of them follow each of the writer's commits.
WINDOW = 400  # events that are a cycle where there is no other
REACH = 0.6  # of the commits since cycles began
PATIENCE = 2_500  # events: the more were stepped through, the farther each leap goes
FARTHEST = 4.0  # times what lies between two rates: so far, they tell how rates grow
UNLIKE = 2.0  # times as much, or as little, as before: farther off is no change of the table's
STEEPER = 4.0  # times as fast as since the last leap
KINDS = slice(VALUES.index("fresh"), VALUES.index("settled") + 1)
LITTLE = 1e-3  # of a file or a manifest by which a count changes from cycle to cycle
Phase = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """What each commit wrote on average over a cycle, around the commit `at`; and, with their bytes, how many manifests
    of data and of deletes it merged `again`.
    """

    at: float
    flows: Floats
    again: Floats


@dataclass(slots=True, kw_only=True)
class Drift:
    """Cycles of one kind, each `period` commits after the last, since commit `begun`."""

    begun: float
    period: float = 1.0
    periods: tuple[float, ...] = ()  # commits from one run of each job to the next
    statements: float = 1.0  # that follow each commit, where they are more
    ends: deque[tuple[Mark, Phase]] = field(default_factory=lambda: deque(maxlen=2 * WINDOW + 1))  # since the last leap
    anchor: Rate | None = None  # before the last leap
    leapt: Leap | None = None  # since cycles began
    evenly: dict[int, Floats] = field(default_factory=dict)  # merges, and their bytes, per commit while there is room

    def forget(self, commits: float) -> None:
        """Begins anew: something else has happened to the table."""
        self.begun, self.anchor, self.leapt = commits, None, None
        self.evenly.clear()
        self.ends.clear()

    @property
    def _long(self) -> float:
        return LONG / self.statements

    def land(self, mark: Mark) -> None:
        """Takes the end of a leap for that of a cycle, where cycles are long."""
        if self.period >= self._long:
            self.ends.append((mark, ()))

    def planned(self, mark: Mark, state: TableState, limit: float) -> Leap | None:
        """A leap from here that ends by commit `limit`; None while too little is known, or other files are compacted
        before long.
        """
        self.ends.append((mark, state.waiting))
        patience = max(1.0, mark.steps / PATIENCE)
        ahead = min(limit - mark.commits, patience * REACH * (mark.commits - self.begun))
        if ahead < 2 * self._long or self.statements * mark.commits < LEAST_COMMITS:
            return None
        ends = self._two_cycles()
        if ends is None or any(one.structure[2] != mark.structure[2] for one in ends):
            return None
        first, second = ends
        period, rate, before = mark.commits - second.commits, _rate(second, mark), _rate(first, second)
        anchor = self.anchor or before
        change = _changed(first, second, mark) * period
        of_files = slice(_first_of_files(mark), None)
        ahead = min(ahead, patience * FARTHEST * (rate.at - anchor.at))
        room = min(state.room(mark.values[of_files], change[of_files]), _until_counted(second, mark))
        cycles = floor(min(ahead / period, room))
        if cycles < 2:
            return None
        added, change = np.maximum(rate.flows, 0.0) * period, change * cycles
        growth = (rate.flows - anchor.flows) / (rate.at - anchor.at) * period * period
        growth[Flow.SNAPSHOT_JSON_BYTES] = 0.0  # `note_longer_numbers` counts it
        growth[_up_and_down(before, rate, anchor)] = 0.0
        short = self._short(rate, anchor)
        self.anchor = rate
        self.ends.clear()
        least = -added / (cycles + 1)  # nothing is taken back, or thrice it
        self.leapt = Leap(
            origin=mark,
            cycles=cycles,
            period=period,
            added=added,
            growth=np.clip(growth, least, -least),
            values=mark.values + np.where((mark.values + change > 0) | (mark.values < 0), change, 0.0),
            again=self._merged_again(state, rate, second, mark),
            short=short,
        )
        return self.leapt

    def _short(self, rate: Rate, anchor: Rate) -> Floats | float:
        """What the last leap should have added more, if what is written grew to the rate after it evenly."""
        if self.leapt is None:
            return 0.0
        period, cycles = self.leapt.period, self.leapt.cycles
        expected = self.leapt.added + self.leapt.growth * (rate.at - anchor.at) / period
        short: Floats = (rate.flows * period - expected) * cycles / 2
        short[Flow.SNAPSHOT_JSON_BYTES] = 0.0
        short[Flow.ROWS : Flow.MERGED_AGAIN] = 0.0  # what there is, which may become less
        short = np.maximum(short, -self.leapt.added * cycles / 2)  # no more than it added at least
        written = short[Flow.WRITTEN_FILES : Flow.WRITTEN_FILES + 4]
        short[Flow.REMOVED_FILES : Flow.REMOVED_FILES + 4] = written  # what there was is known
        return short

    def _merged_again(self, state: TableState, rate: Rate, second: Mark, mark: Mark) -> Callable[[float], Floats]:
        """What so many commits from here merge again, if those since the second mark did so at this rate.

        Where one manifest is nearly full merges are many, and how many hangs on where it is: how many they are while
        there is room differs from what it was before the last leap by no more than `UNLIKE` times.
        """
        growing = []
        for group, manifests in ((DATA, state.data), (DELETES, state.deletes)):
            held, policy, passed = manifests.filling, manifests.policy, mark.commits - second.commits
            if held is None or not held.live or not rate.again[group]:
                continue
            each = (_entries(mark, group) - _entries(second, group)) / passed * _bytes_of_entry(manifests, held)
            newest = manifests.runs[-1]  # large where statements write manifests again that wait to be merged
            written = rate.flows[Flow.WRITTEN_MANIFESTS + group : Flow.WRITTEN_MANIFESTS + group + 2]
            new_bytes = newest.bytes if newest is not held else float(written[1] / written[0])
            if each <= 0 or policy.min_count * new_bytes > policy.target_bytes:
                continue
            filling = Filling(target_bytes=policy.target_bytes, new_bytes=new_bytes, least=policy.min_count - 1.0)
            begun = held.bytes - each * passed
            begun += ceil(max(0.0, -begun / policy.target_bytes)) * policy.target_bytes  # one became full since then
            seen = np.array(filling.merges(begun, begun + each * passed))
            if not seen.all():
                continue
            evenly = rate.again[group : group + 2] / seen
            if group in self.evenly:
                evenly = np.clip(evenly, self.evenly[group] / UNLIKE, self.evenly[group] * UNLIKE)
            self.evenly[group] = evenly
            growing.append((group, filling, held.bytes, each, evenly))

        def again(commits: float) -> Floats:
            found = rate.again * commits
            for group, filling, size, each, evenly in growing:
                found[group : group + 2] = np.array(filling.merges(size, size + each * commits)) * evenly * commits
            return found

        return again

    def _two_cycles(self) -> tuple[Mark, Mark] | None:
        """Where the last two cycles began; None if that is not known yet.

        Over cycles of many commits it does not matter at which moment between two merges they end.
        """
        last, phase = self.ends[-1]
        if last.commits - self.ends[0][0].commits < 2 * self._long:
            return None
        if self.period >= self._long:
            return self._apart(mark for mark, _ in self.ends)
        structure, passed = last.structure, last.steps - self.ends[0][0].steps
        found = self._apart(mark for mark, other in self.ends if other == phase and mark.structure == structure)
        if found is None and passed > WINDOW:
            found = self._apart(
                mark for mark, other in self.ends if other[0] == phase[0] and mark.structure[0] == structure[0]
            )
        if found is None and passed >= 2 * WINDOW:
            first, second = self._before(2 * WINDOW), self._before(WINDOW)
            found = self._apart((mark for mark, _ in self.ends), WINDOW) or (
                (first, second) if first is not second else None
            )
        return found

    def _before(self, steps: int) -> Mark:
        """The last mark at least so many events before the last one."""
        last, _ = self.ends[-1]
        return next(mark for mark, _ in reversed(self.ends) if last.steps - mark.steps >= steps)

    def _apart(self, marks: Iterable[Mark], steps: int = 0) -> tuple[Mark, Mark] | None:
        """Of these marks, the last one among them, two that are so far from each other and from the last that a row, a
        file or a run of a job more or less makes no difference; and at least so many events.
        """
        later, *earlier = reversed(list(marks))
        found = list[Mark]()
        for one in earlier:
            apart = later.commits - one.commits
            if (
                apart >= self._long
                and later.steps - one.steps >= steps
                and self._holds_whole(one.commits, later.commits)
            ):
                found.append(later := one)
                if len(found) == 2:
                    return found[1], found[0]
        return None

    def _holds_whole(self, first: float, last: float) -> bool:
        """Whether a whole number of runs of each job came between, nearly."""
        apart = last - first
        for period in self.periods:
            if period <= apart and abs(apart - (last // period - first // period) * period) > PARTLY * apart:
                return False
        return True


def _up_and_down(before: Rate, rate: Rate, anchor: Rate) -> list[int]:
    """Which of the bytes of data written and removed rose or fell lately unlike since the anchor: those of files that
    compaction fills do so again and again.
    """
    found = []
    for place in (Flow.WRITTEN_FILES + DATA + 1, Flow.REMOVED_FILES + DATA + 1):
        lately = (rate.flows[place] - before.flows[place]) / (rate.at - before.at)
        since = (rate.flows[place] - anchor.flows[place]) / (rate.at - anchor.at)
        if not 0 <= lately * since <= STEEPER * since * since:
            found.append(place)
    return found


def _until_counted(second: Mark, last: Mark) -> float:
    """How many cycles like the one between the marks bring what a job by count waits for; infinite if they never do."""
    pairs = zip(second.missing, last.missing, strict=True)
    return min([now / (before - now) for before, now in pairs if before - LITTLE > now > LITTLE], default=inf)


def _rate(first: Mark, last: Mark) -> Rate:
    flows = (last.flows - first.flows) / (last.commits - first.commits)
    again = flows[Flow.MERGED_AGAIN :].copy()
    add_again(flows, -again)
    return Rate((first.commits + last.commits) / 2, flows, again)


def _bytes_of_entry(manifests: ManifestRuns, held: Run) -> float:
    """Bytes of an entry of this manifest, without its header."""
    sizes = [
        manifests.bytes_of(times * held.fresh, times * (held.partial + held.settled), times * held.sorted)
        for times in (1, 2)
    ]
    return (sizes[1] - sizes[0]) / held.live


def _entries(mark: Mark, group: int) -> float:
    """Live entries that manifests of data, or of deletes, list at a mark."""
    data, deletes, _ = mark.structure
    first, last = (0, data) if group == DATA else (data, data + deletes)
    runs = mark.values[1 + len(VALUES) * first : 1 + len(VALUES) * last].reshape(-1, len(VALUES))
    return float(runs[:, KINDS].sum())


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
