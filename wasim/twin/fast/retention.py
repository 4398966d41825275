"""Which snapshots are left after each expiry, without looking at one of them.

Without branches and tags the retained snapshots are the newest ones. Of Q made, the expiry of age a at time t keeps
those of t − a or later, and at least R = `retain_last`, so that

    gone(t) = max(0, min(Q(t) − R, snapshots older than t − a))

whatever went before, as both grow with time: Iceberg's RemoveSnapshots, closed form. So the expiries of a table are
made in parts, each whenever something is asked of it, and only where each part ends is kept.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wasim.scenario.changes import ExpireSnapshots
from wasim.twin.fast.history import Replacements
from wasim.twin.fast.upkeep import Dues, Upkeep, dues_at
from wasim.units import Floats, Ints

DUES_AT_ONCE = 1 << 16
SNAPSHOTS_AT_ONCE = 1 << 12  # that may be the oldest, when expiries are sought by count
_SAME = 1e-6  # of a commit interval: what separates two commits is never as little


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryPart:
    """Some expiries that took something, oldest first; so many came before.

    `made`: snapshots made by then. `gone`: those expired after it. How many replacements are among the ones and the
    others stands beside.
    """

    before: int
    event_time_s: Floats
    made: Ints
    gone: Ints
    made_replaced: Ints
    gone_replaced: Ints

    def __len__(self) -> int:
        return len(self.made)

    @property
    def version(self) -> Ints:
        """Of the metadata.json that each wrote."""
        return self.made + np.arange(self.before + 1, self.before + len(self) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """Where parts begin and end: expiries and gone snapshots before each, and the last of each."""

    before: Ints
    gone: Ints
    event_time_s: Floats
    made: Ints
    version: Ints


class Expiries:
    """The expiries of a table that take something, by period or by count of snapshots."""

    def __init__(self, upkeep: Upkeep, replacements: Replacements) -> None:
        self._upkeep, self._replacements = upkeep, replacements
        self._expiry = upkeep.maintenance.expire_snapshots
        self._commits: Ints | None = None
        self._kept: tuple[int, ExpiryPart] | None = None
        dues = 0
        if self._expiry is not None and self._expiry.every is not None:
            dues = upkeep.dues_count(self._expiry.every)
        elif self._expiry is not None:
            self._commits = _commits_by_count(upkeep, self._expiry, replacements)
            dues = len(self._commits)
        self._parts = -(-dues // DUES_AT_ONCE)
        self._ends = self._find_ends()

    def __len__(self) -> int:
        return int(self._ends.before[-1])

    @property
    def gone(self) -> int:
        """Snapshots that are gone after all of them."""
        return int(self._ends.gone[-1])

    def parts(self) -> Iterator[ExpiryPart]:
        """All of them, part by part."""
        return (self.part(number) for number in range(self._parts))

    def part(self, number: int) -> ExpiryPart:
        """The part of that number, from 0 on."""
        if self._kept is None or self._kept[0] != number:
            ends = self._ends
            self._kept = number, self._make(number, int(ends.before[number]), int(ends.gone[number]))
        return self._kept[1]

    def by(self, event_time_s: float) -> int:
        """Expiries up to this time."""
        return int(self._count("event_time_s", np.array([event_time_s]), "right")[0])

    def before_snapshots(self, snapshots: Ints) -> Ints:
        """Expiries before each of these snapshots."""
        return self._count("made", snapshots, "left")

    def through_versions(self, versions: Ints) -> Ints:
        """Expiries among the metadata.json files up to each of these versions."""
        return self._count("version", versions, "right")

    def gone_after(self, expiries: Ints) -> Ints:
        """Snapshots that are gone after the first so many expiries."""
        gone = np.zeros(len(expiries), dtype=np.int64)
        number = self.part_of(expiries)
        for one in np.unique(number[expiries > 0]):
            part, chosen = self.part(int(one)), (number == one) & (expiries > 0)
            gone[chosen] = part.gone[expiries[chosen] - 1 - part.before]
        return gone

    def part_of(self, expiries: Ints) -> Ints:
        """The part that holds the last of the first so many expiries."""
        return np.searchsorted(self._ends.before, expiries, side="left") - 1

    def _count(self, name: str, values: Ints | Floats, side: str) -> Ints:
        ends = self._ends
        number = np.searchsorted(getattr(ends, name), values, side=side)  # type: ignore[call-overload]
        count = ends.before[number]
        for one in np.unique(number[number < self._parts]):
            column, chosen = getattr(self.part(int(one)), name), number == one
            count[chosen] += np.searchsorted(column, values[chosen], side=side)  # type: ignore[call-overload]
        return np.asarray(count)

    def _find_ends(self) -> _Ends:
        before, gone, last = [0], [0], [(-1.0, -1, -1)]
        for number in range(self._parts):
            part = self._make(number, before[-1], gone[-1])
            self._kept = number, part
            before.append(before[-1] + len(part))
            gone.append(int(part.gone[-1]) if len(part) else gone[-1])
            ends = (float(part.event_time_s[-1]), int(part.made[-1]), int(part.version[-1])) if len(part) else last[-1]
            last.append(ends)
        times_s, made, version = zip(*last, strict=True)
        return _Ends(
            before=np.array(before, dtype=np.int64),
            gone=np.array(gone, dtype=np.int64),
            event_time_s=np.array(times_s[1:], dtype=np.float64),
            made=np.array(made[1:], dtype=np.int64),
            version=np.array(version[1:], dtype=np.int64),
        )

    def _make(self, number: int, before: int, gone_before: int) -> ExpiryPart:
        dues = self._dues(number)
        made, gone = _made_and_gone(self._upkeep, self._replacements, dues)
        takes = np.diff(gone, prepend=gone_before) > 0
        made, gone = made[takes], gone[takes]
        return ExpiryPart(
            before=before,
            event_time_s=dues.event_time_s[takes],
            made=made,
            gone=gone,
            made_replaced=made - dues.commits[takes],
            gone_replaced=self._replacements.through(gone),
        )

    def _dues(self, number: int) -> Dues:
        past = number * DUES_AT_ONCE
        if self._commits is not None:
            return dues_at(self._upkeep, self._commits[past : past + DUES_AT_ONCE])
        every_s = self._expiry.every if self._expiry is not None else None
        return self._upkeep.dues(every_s, past=past, most=DUES_AT_ONCE)


def _made_and_gone(upkeep: Upkeep, replacements: Replacements, dues: Dues) -> tuple[Ints, Ints]:
    """Snapshots made when an expiry falls due, and those that are gone after it."""
    expiry = upkeep.maintenance.expire_snapshots
    made = snapshots_made(upkeep, replacements, dues)
    if expiry is None:
        return made, np.zeros_like(made)
    old = snapshots_before(upkeep, replacements, dues.event_time_s - expiry.older_than)
    return made, np.maximum(np.minimum(made - expiry.retain_last, old), 0)


def snapshots_before(upkeep: Upkeep, replacements: Replacements, event_time_s: Floats) -> Ints:
    """Snapshots whose event time lies before each of these times."""
    commits = upkeep.commits_before(event_time_s)
    if not len(replacements):
        return commits
    return np.asarray(commits + replacements.by(event_time_s - upkeep.at_once_s))


def snapshots_made(upkeep: Upkeep, replacements: Replacements, dues: Dues) -> Ints:
    """Snapshots ever made when something falls due that comes after replacements of the same time."""
    if not len(replacements):
        return dues.commits
    return np.asarray(dues.commits + replacements.by(dues.event_time_s + upkeep.at_once_s))


def _commits_by_count(upkeep: Upkeep, expiry: ExpireSnapshots, replacements: Replacements) -> Ints:
    """The commits after which there are too many snapshots, and some of them may go.

    How many are gone tells at which commit the next expiry finds enough, and how many are gone then: so both are found
    for all numbers of a range at once, and followed from one expiry to the next.
    """
    found = array("q")
    gone = 0
    while True:
        numbers = np.arange(gone, gone + SNAPSHOTS_AT_ONCE, dtype=np.int64)
        commits = _next_commits(upkeep, expiry, replacements, numbers)
        inside = int(np.searchsorted(commits, upkeep.commits, side="right"))
        _, then = _made_and_gone(upkeep, replacements, dues_at(upkeep, commits[:inside]))
        at, after, first = commits[:inside].tolist(), then.tolist(), gone
        while gone - first < inside:
            found.append(at[gone - first])
            gone = after[gone - first]
        if gone - first < SNAPSHOTS_AT_ONCE:
            return np.frombuffer(found, dtype=np.int64) if found else np.zeros(0, dtype=np.int64)


def _next_commits(upkeep: Upkeep, expiry: ExpireSnapshots, replacements: Replacements, gone: Ints) -> Ints:
    """The first commit that finds enough snapshots, one of which goes, for each number of those that are gone."""
    interval_s = upkeep.commit_interval_s
    enough = np.maximum((expiry.when_snapshots or 0) + gone, gone + 1 + expiry.retain_last)
    made = np.ceil(_times_made(upkeep, replacements, enough) / interval_s - _SAME)
    old = np.floor((_times_made(upkeep, replacements, gone + 1) + expiry.older_than) / interval_s + _SAME) + 1
    return np.asarray(np.maximum(made, old), dtype=np.int64)


def _times_made(upkeep: Upkeep, replacements: Replacements, snapshots: Ints) -> Floats:
    """The event time of each of these snapshots."""
    place = replacements.place(snapshots)
    count, latest = replacements.rows.count(place), replacements.rows.at(replacements.snapshot, place)
    replaced_s = replacements.rows.at(replacements.event_time_s, place)
    made_s = (snapshots - count) * upkeep.commit_interval_s
    return np.asarray(np.where((latest == snapshots) & (count > 0), replaced_s, made_s))
