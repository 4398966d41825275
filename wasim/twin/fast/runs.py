"""A table's manifests as runs of like ones, newest first, and Iceberg's bins of them, run by run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor


@dataclass(slots=True, kw_only=True)
class ManifestRun:
    """So many like manifests in a row.

    `small` and `kept` are live entries of each: of files that compaction would take, and of those that it leaves alone.
    `entries` are all of each, deleted ones included, as long as they are `own`: new in the snapshot under way.
    `spares`: what a list saves on each, as it came with others.
    """

    count: int
    bytes: float
    small: float
    kept: float
    entries: float = 0.0
    own: bool = False
    spares: float = 0.0

    @property
    def live(self) -> float:
        """Live entries of each."""
        return self.small + self.kept

    def part(self, count: int) -> "ManifestRun":
        """So many of them."""
        return ManifestRun(
            count=count,
            bytes=self.bytes,
            small=self.small,
            kept=self.kept,
            entries=self.entries,
            own=self.own,
            spares=self.spares,
        )

    @property
    def each(self) -> tuple[float, ...]:
        """What like ones have in common."""
        return self.bytes, self.small, self.kept, self.entries, self.own, self.spares


Bin = list[ManifestRun]


def total_count(runs: Iterable[ManifestRun]) -> int:
    """Manifests in all runs."""
    return sum(run.count for run in runs)


def total_bytes(runs: Iterable[ManifestRun]) -> float:
    """Bytes of all runs."""
    return sum(run.count * run.bytes for run in runs)


def pack_runs(runs: Sequence[ManifestRun], target_bytes: float) -> list[Bin]:
    """Bins, newest first, packed from the oldest manifest on as `merging.pack_from_end` packs single ones."""
    bins: list[Bin] = [[]]
    filled = 0.0
    for run in reversed(runs):
        left = run.count
        while left:
            fits = left if run.bytes <= 0 else min(left, max(0, floor((target_bytes - filled) / run.bytes)))
            if not fits and not bins[-1]:
                fits = 1  # one that is larger than the target is a bin of its own
            if fits:
                bins[-1].insert(0, run if fits == run.count else run.part(fits))
                filled += fits * run.bytes
                left -= fits
            if left:
                bins.append([])
                filled = 0.0
    return bins[::-1]


def bins_due(bins: Sequence[Bin], min_count: int) -> list[bool]:
    """Which bins become one manifest: the newest once it counts enough, any other of two or more at once."""
    counts = [total_count(one) for one in bins]
    return [count > 1 and (place > 0 or count >= min_count) for place, count in enumerate(counts)]


def joined(runs: Iterable[ManifestRun]) -> list[ManifestRun]:
    """The runs with like neighbours in one."""
    result: list[ManifestRun] = []
    for run in runs:
        last = result[-1] if result else None
        if last is not None and _alike(last, run):
            last.count += run.count
        else:
            result.append(run.part(run.count))
    return result


def _alike(one: ManifestRun, other: ManifestRun) -> bool:
    return one.each == other.each
