"""Leaps over long cycles of a table whose appends merge: no two cycles begin with as many manifests that wait.

Data files repeat all the same, and each cycle holds many merges. So a cycle writes what the last ones wrote on
average, and lists as many more manifests and entries as they did.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import floor

import numpy as np

from wasim.units import Floats
from wasim.years.flows import DATA, WIDTH, Flow
from wasim.years.leaps import NONE, PERIODS, STEADY, Leap, Mark
from wasim.years.packing import VALUES
from wasim.years.state import TableState

LEAST_CYCLES, LEAST_COMMITS = 2, 8_000  # so that one merge more or less does not count
ROUNDING = 1e-6
WORTH_IT = 50_000  # commits that would be stepped through else: of fewer, the exact figures take a tenth of a second
REACH = 2.0  # of the commits so far: manifests fill on the way, and then merges write less
KINDS = slice(VALUES.index("fresh"), VALUES.index("settled") + 1)


def average_leap(marks: Iterable[Mark], limit: float, state: TableState, rewrites: float) -> Leap | None:
    """A leap from the last of the `marks`, each at the end of a cycle, that ends by the commit of the `limit`.

    `rewrites` are those of all manifests per commit. Where files change by turns, several cycles together repeat. None
    while too few were seen.
    """
    later = list(marks)
    if limit - later[-1].commits < WORTH_IT:
        return None
    later = later[len(later) // 2 :]  # a table's first cycles are not like those to come
    for together in PERIODS:
        ends = later[::-together][::-1]
        if len(ends) <= LEAST_CYCLES or ends[-1].commits - ends[0].commits < LEAST_COMMITS:
            return None
        if _repeat(ends):
            return _leap(ends, limit, state, rewrites)
    return None


def _repeat(ends: Sequence[Mark]) -> bool:
    """Whether the cycles between these ends are as long, and files change by as much in each."""
    if len({one.structure[2] for one in ends}) > 1:
        return False
    last, second = ends[-1], ends[-2]
    period, change = last.commits - second.commits, _files(last) - _files(second)
    for late, early in pairwise(reversed(ends[:-1])):
        if abs(late.commits - early.commits - period) > STEADY * period:
            return False
        if (np.abs(_files(late) - _files(early) - change) > STEADY * np.abs(change) + ROUNDING).any():
            return False
    return True


def _leap(ends: Sequence[Mark], limit: float, state: TableState, rewrites: float) -> Leap | None:
    """The leap over more cycles like those between the ends."""
    first, second, last = ends[0], ends[-2], ends[-1]
    seen, target = len(ends) - 1, state.data.policy.target_bytes
    period = (last.commits - first.commits) / seen
    gained = np.maximum(_settled(last, target) - _settled(first, target), 0.0) / seen
    ahead = min(limit - last.commits, REACH * last.commits) / period + NONE
    change = _files(last) - _files(second)
    cycles = floor(min(ahead, state.files.room(_files(last), change), state.data.room(gained[0], gained[1])))
    if cycles < 2:
        return None
    values = last.values.copy()
    values[0] += cycles * period
    values[-len(change) :] += cycles * change
    growth = _growth(gained, period, state, rewrites)
    added = (last.flows - first.flows) / seen + growth * (seen - 1) / 2
    return Leap(
        origin=last,
        cycles=cycles,
        together=1,
        period=period,
        added=added,
        growth=growth,
        values=values,
        gained=gained,
    )


def _files(mark: Mark) -> Floats:
    data, deletes, _ = mark.structure
    return mark.values[1 + len(VALUES) * (data + deletes) :]


def _settled(mark: Mark, target_bytes: float) -> Floats:
    """Manifests that no merge waits for, their bytes, and live entries of all: fresh, partial and settled ones."""
    staying = _staying(mark, target_bytes)
    settled: Floats = np.concatenate([staying[:, :2].sum(axis=0), _runs(mark)[:, KINDS].sum(axis=0)])
    return settled


def _staying(mark: Mark, target_bytes: float) -> Floats:
    """Runs of manifests with live entries that no merge waits for."""
    runs = _runs(mark)
    count, size = runs[:, 0], runs[:, 1]
    settled, live = runs[:, KINDS.stop - 1] > ROUNDING, runs[:, KINDS].sum(axis=1) > ROUNDING
    staying: Floats = runs[settled | (live & (size > count * target_bytes / 2))]
    return staying


def _runs(mark: Mark) -> Floats:
    """Runs of manifests of data, each a row of `VALUES`."""
    runs: Floats = mark.values[1 : 1 + len(VALUES) * mark.structure[0]].reshape(-1, len(VALUES))
    return runs


def _growth(gained: Floats, period: float, state: TableState, rewrites: float) -> Floats:
    """By how much more a cycle writes than the one before, as it begins with this many manifests more."""
    growth = np.zeros(WIDTH)
    growth[Flow.LIST_BYTES] = gained[0] * state.sizes.lists.slope * period
    for place in (Flow.WRITTEN_MANIFESTS + DATA, Flow.REPLACED_MANIFESTS + DATA):
        growth[place : place + 2] = rewrites * period * gained[:2]
    return growth
