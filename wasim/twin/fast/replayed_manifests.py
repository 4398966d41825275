"""Manifests of one kind in a replay, as runs of like ones: how commits add to them, merge and rewrite them."""

from collections.abc import Sequence
from math import ceil, floor

from wasim.twin.fast.appended import FIRST_TURN
from wasim.twin.fast.history import TURN_WIDTH
from wasim.twin.fast.recurring import Rows
from wasim.twin.fast.rounds import Sums
from wasim.twin.fast.runs import Bin, ManifestRun, bins_due, joined, pack_runs, total_bytes, total_count
from wasim.twin.fast.sizes import Line, ManifestLaws
from wasim.twin.manifest_rewriting import refuse_several_partitioned
from wasim.twin.merging import MergePolicy

Filtered = list[tuple[ManifestRun, ManifestRun | None]]  # manifests, and what is made of each: None of what goes
NOTHING = (0, 0.0, 0, 0.0)  # manifests written and dropped, with their bytes


class ReplayedManifests:
    """The manifests of data, or those of deletes: they merge among themselves.

    `new` is one of a commit's own. `turns` hold snapshot, live manifests, manifests written beside a commit's own,
    their bytes, manifests dropped, their bytes, and bytes spared in lists.
    """

    def __init__(self, *, laws: ManifestLaws, new: ManifestRun, policy: MergePolicy, is_partitioned: bool) -> None:
        self.laws, self.new, self.policy, self.is_partitioned = laws, new, policy, is_partitioned
        self.runs: list[ManifestRun] = []
        self.sums = Sums()
        self.turns = Rows(TURN_WIDTH)
        self.turns.append(FIRST_TURN)

    @property
    def count(self) -> int:
        """How many there are."""
        return total_count(self.runs)

    def add(self, count: int) -> None:
        """So many manifests of commits, newest."""
        self.runs = joined([self.new.part(count), *self.runs])

    def quiet(self, most: int) -> int:
        """Of so many commits to come, those before the newest bin is full or counts enough; 0 where others wait."""
        if not self.runs or not all(run.live for run in self.runs):
            return 0
        if not self.policy.enabled:
            return most
        bins = pack_runs(self.runs, self.policy.target_bytes)
        if any(total_count(one) > 1 for one in bins[1:]):
            return 0
        fit = floor((self.policy.target_bytes - total_bytes(bins[0])) / self.laws.new_bytes)
        return max(0, min(most, max(self.policy.min_count, 2) - total_count(bins[0]) - 1, fit))

    def add_merging(self, snapshot: int) -> None:
        """One of that commit, which may merge, and drops what has nothing but deleted entries."""
        dead = [run for run in self.runs if not run.live]
        own = self.new.part(1)
        own.own, own.entries = True, own.live
        self.runs = [own, *(run for run in self.runs if run.live)]
        written, written_bytes, dropped, dropped_bytes = self.merge(self.laws.merged)
        if written or dropped or dead:
            self.turn(
                snapshot, (written, written_bytes, dropped + total_count(dead), dropped_bytes + total_bytes(dead))
            )

    def turn(self, snapshot: int, changed: tuple[int, float, int, float]) -> None:
        """Notes a snapshot that wrote and dropped so many, with their bytes."""
        spared = sum(run.count * run.spares for run in self.runs)
        self.turns.append((snapshot, self.count, *changed, spared))

    def merge(self, law: Line) -> tuple[int, float, int, float]:
        """Merges the bins that are due; manifests written and dropped, with their bytes. None is own afterwards."""
        bins = pack_runs(self.runs, self.policy.target_bytes) if self.policy.enabled else [self.runs]
        written, written_bytes, dropped, dropped_bytes = NOTHING
        result: list[ManifestRun] = []
        for one, due in zip(bins, self._bins_due(bins), strict=True):
            if not due:
                result += one
                continue
            own = [run for run in one if run.own]
            others = [run for run in one if not run.own]
            self.sums.unused += total_count(own)
            self.sums.unused_bytes += total_bytes(own)
            dropped += total_count(others)
            dropped_bytes += total_bytes(others)
            result.append(_merged(one, law))
            written, written_bytes = written + 1, written_bytes + result[-1].bytes
        for run in result:
            run.own, run.entries = False, 0.0
        self.runs = joined(result)
        return written, written_bytes, dropped, dropped_bytes

    def _bins_due(self, bins: Sequence[Bin]) -> list[bool]:
        if not self.policy.enabled:
            return [False] * len(bins)
        return bins_due(bins, self.policy.min_count)

    def filtered(self, run: ManifestRun, *, kept: float, small: float = 0.0) -> ManifestRun:
        """Manifests that list what is gone of these ones as deleted."""
        return ManifestRun(
            count=run.count,
            bytes=self.laws.filtered.at(run.live),
            small=small,
            kept=kept,
            entries=run.live,
            own=True,
            spares=self.laws.filtered_spares,
        )

    def change(self, snapshot: int, new: Sequence[ManifestRun], filtered: Filtered) -> int:
        """A snapshot with new manifests before what is made of each one that was there; how many it replaced."""
        gone = [before for before, after in filtered if after is not before]
        made = [after for before, after in filtered if after is not None and after is not before]
        self.runs = [*new, *(after for _, after in filtered if after is not None)]
        own, own_bytes = total_count([*made, *new]), total_bytes([*made, *new])
        written, written_bytes, dropped, dropped_bytes = self.merge(self.laws.gathered)
        dropped_now = (total_count(gone) + dropped, total_bytes(gone) + dropped_bytes)
        self.turn(snapshot, (own + written, own_bytes + written_bytes, *dropped_now))
        return total_count(made) + dropped

    def rest(self, snapshot: int) -> None:
        """A snapshot that leaves them as they are."""
        self.turn(snapshot, NOTHING)

    def is_rewritable(self) -> bool:
        """Whether rewrite_manifests would find something to do."""
        return self.count > 1 or total_bytes(self.runs) > self.policy.target_bytes

    def rewrite(self, snapshot: int) -> int:
        """All of them in as few as their bytes need; how many there were."""
        found, size = self.count, total_bytes(self.runs)
        entries = sum(run.count * run.live for run in self.runs)
        kept = sum(run.count * run.kept for run in self.runs)
        made = min(max(1, ceil(size / self.policy.target_bytes)), max(1, round(entries)))
        if made > 1 and self.is_partitioned:
            refuse_several_partitioned(size, self.policy.target_bytes)
        each = self.laws.rewritten.at(entries / made)
        spares = self.laws.rewritten_spares if made > 1 else self.laws.rewritten_alone_spares
        self.runs = [
            ManifestRun(count=made, bytes=each, small=(entries - kept) / made, kept=kept / made, spares=spares)
        ]
        written, written_bytes = made, made * each
        if self.laws.staged is not None:
            staged_bytes = made * self.laws.staged.at(entries / made)
            self.sums.unused += made
            self.sums.unused_bytes += staged_bytes
            written, written_bytes = 2 * made, written_bytes + staged_bytes
        self.turn(snapshot, (written, written_bytes, found, size))
        return found


def _merged(runs: Bin, law: Line) -> ManifestRun:
    """What a bin becomes: own manifests with their deleted entries, others with their live ones."""
    entries = sum(run.count * (run.entries if run.own else run.live) for run in runs)
    return ManifestRun(
        count=1,
        bytes=law.at(entries),
        small=sum(run.count * run.small for run in runs),
        kept=sum(run.count * run.kept for run in runs),
    )
