"""Runs of like manifests, and how they pack into bins.

A history of a year has millions of manifests and a handful of kinds of them. Packing is Iceberg's: `pack_runs` does for
runs what `wasim.twin.merging.pack_from_end` does for single manifests, and tests compare the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import NamedTuple

NEGLIGIBLE = 1e-9
KINDS = "fresh", "partial", "settled"
VALUES = ("count", "bytes", "fresh", "partial", "settled", "sorted", "siblings")


@dataclass(slots=True, kw_only=True)
class Run:
    """`count` manifests in a row that are alike.

    Each has these live entries: `fresh` ones of files that no compaction has seen, `partial` ones of compacted files
    that are still too small, `settled` ones of compacted files that stay. Of the fresh ones `sorted` are in the order
    of their partitions, not of their commits; of those of delete files, they follow another of the same statement.
    `deleted_…` entries and `is_new` are of the commit under way. `siblings` is the share of these manifests that
    another one of the same commit stands next to.
    """

    count: float
    bytes: float
    fresh: float = 0.0
    partial: float = 0.0
    settled: float = 0.0
    sorted: float = 0.0
    siblings: float = 0.0
    deleted_fresh: float = 0.0
    deleted_compacted: float = 0.0
    is_new: bool = False

    @property
    def live(self) -> float:
        """Live entries of one manifest."""
        return self.fresh + self.partial + self.settled

    def values(self) -> tuple[float, ...]:
        """Manifests, and what they have in all: where cycles add the same, sums grow evenly and means do not."""
        count = self.count
        entries = count * self.fresh, count * self.partial, count * self.settled, count * self.sorted
        return count, count * self.bytes, *entries, count * self.siblings

    def times(self, count: float) -> "Run":
        """This many manifests like these; the run itself if those are all."""
        if count == self.count:
            return self
        return Run(
            count=count,
            bytes=self.bytes,
            fresh=self.fresh,
            partial=self.partial,
            settled=self.settled,
            sorted=self.sorted,
            siblings=self.siblings,
            deleted_fresh=self.deleted_fresh,
            deleted_compacted=self.deleted_compacted,
            is_new=self.is_new,
        )

    def belongs_to(self, other: "Run") -> bool:
        """Whether the two may become one run once a commit ends."""
        if self.is_like(other):
            return True
        # on average the two are one manifest at most
        return self.count + other.count <= 1 and (self.live > NEGLIGIBLE) == (other.live > NEGLIGIBLE)

    def is_like(self, other: "Run") -> bool:
        """Whether manifests of the two may be counted together."""
        return (
            abs(self.bytes - other.bytes) <= NEGLIGIBLE * self.bytes
            and abs(self.fresh - other.fresh) <= NEGLIGIBLE
            and abs(self.partial - other.partial) <= NEGLIGIBLE
            and abs(self.settled - other.settled) <= NEGLIGIBLE
            and abs(self.sorted - other.sorted) <= NEGLIGIBLE
            and abs(self.siblings - other.siblings) <= NEGLIGIBLE
        )


class Bin(NamedTuple):
    """`repeat` bins alike, each of these manifests: pairs of a run and how many of it, `items` in all."""

    repeat: float
    parts: Sequence[tuple[Run, float]]
    items: float
    filled_bytes: float


def pack_runs(runs: Sequence[Run], target_bytes: float, *, divided: float = inf) -> list[Bin]:
    """Bins of manifests that stand oldest first, oldest bin first: an item that does not fit closes the open bin.

    Of emptied manifests a bin takes as many as fit in on average, no whole number, where as many as `divided` are left
    for the next ones: all of them are written again, and what fits in differs from cycle to cycle.
    """
    bins: list[Bin] = []
    parts: list[tuple[Run, float]] = []
    items = filled = 0.0
    for run in runs:
        left, size = run.count, run.bytes
        if parts:
            fitting = (target_bytes - filled) / size + NEGLIGIBLE
            if run.live > NEGLIGIBLE or fitting < 1.5 or left < fitting + divided:
                fitting = floor(fitting)
            else:
                fitting -= 0.5
            if fitting > 0:
                taken = left if left <= fitting else float(fitting)
                parts.append((run, taken))
                items += taken
                filled += taken * size
                left -= taken
            if left <= NEGLIGIBLE:
                continue
            bins.append(Bin(1.0, parts, items, filled))
        each = max(1.0, floor(target_bytes / size))
        full = floor(left / each + NEGLIGIBLE)
        rest = left - full * each
        if rest <= NEGLIGIBLE:  # the last full bin is the one that stays open
            full, rest = full - 1, each
        if full:
            bins.append(Bin(float(full), [(run, each)], each, each * size))
        parts, items, filled = [(run, rest)], rest, rest * size
    if parts:
        bins.append(Bin(1.0, parts, items, filled))
    return bins


def run_of(
    count: float, size: float, fresh: float, partial: float, settled: float, by_partition: float, siblings: float
) -> Run:
    """A run by its `values`."""
    if abs(count) <= NEGLIGIBLE:  # a leap may end where a run is used up
        return Run(count=count, bytes=0.0)
    return Run(
        count=count,
        bytes=size / count,
        fresh=fresh / count,
        partial=partial / count,
        settled=settled / count,
        sorted=by_partition / count,
        siblings=siblings / count,
    )


def closest(runs: Sequence[Run]) -> int:
    """The place, among the older half, of the run most like the one after it."""
    half = max(2, len(runs) // 2)
    return min(range(half - 1), key=lambda place: abs(runs[place].bytes / runs[place + 1].bytes - 1.0))


def join(first: Run, second: Run) -> None:
    """Makes the first all manifests of both, on average."""
    one, other = first.count, second.count
    count = first.count = one + other
    first.bytes = (one * first.bytes + other * second.bytes) / count
    first.fresh = (one * first.fresh + other * second.fresh) / count
    first.partial = (one * first.partial + other * second.partial) / count
    first.settled = (one * first.settled + other * second.settled) / count
    first.sorted = (one * first.sorted + other * second.sorted) / count
    first.siblings = (one * first.siblings + other * second.siblings) / count
