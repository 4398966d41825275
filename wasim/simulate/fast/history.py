"""What becomes of a table's manifests and data files, as turns between which each snapshot lists one manifest more."""

from dataclasses import dataclass

import numpy as np

from wasim.units import Floats, Ints

REWRITE_MANIFESTS, REWRITE_DATA_FILES = 0, 1  # what a replacement is


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Snapshots whose list is not merely their parent's with one manifest more, ascending.

    `live`: manifests in the list. `written`, `dropped`: manifests beside an append's own that the snapshot wrote, and
    those of its parent that it no longer lists, with their bytes. `spared` are bytes that this list and those until the
    next turn save, as manifests of one commit are listed alike. The first turn is snapshot 1.
    """

    snapshot: Ints
    live: Ints
    written: Ints
    written_bytes: Floats
    dropped: Ints
    dropped_bytes: Floats
    spared: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacements:
    """Snapshots of `replace`, ascending: what rewrites manifests or data files makes one.

    `commits`: the writer's so far. `digits`: of the numbers in its summary that grow with the table. `removed_files`
    and `removed_bytes` are data files that it took out, `live_files` and `live_bytes` those that are there after it.
    """

    snapshot: Ints
    commits: Ints
    event_time_s: Floats
    kind: Ints
    digits: Ints
    removed_files: Ints
    removed_bytes: Floats
    live_files: Floats
    live_bytes: Floats

    def __len__(self) -> int:
        return len(self.snapshot)

    def through(self, snapshots: Ints) -> Ints:
        """Replacements among the first so many snapshots."""
        return np.searchsorted(self.snapshot, snapshots, side="right")


_NO_COUNTS, _NO_SIZES = np.zeros(0, dtype=np.int64), np.zeros(0)
NO_REPLACEMENTS = Replacements(
    snapshot=_NO_COUNTS,
    commits=_NO_COUNTS,
    event_time_s=_NO_SIZES,
    kind=_NO_COUNTS,
    digits=_NO_COUNTS,
    removed_files=_NO_COUNTS,
    removed_bytes=_NO_SIZES,
    live_files=_NO_SIZES,
    live_bytes=_NO_SIZES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHistory:
    """All that the table's snapshots did to its manifests and data files.

    `unused`: manifests that a commit wrote and deleted again. What compaction wrote is `data_…_rewritten`.
    """

    commits: int
    files_per_commit: int
    data_bytes_per_commit: float
    turns: Turns
    replacements: Replacements
    unused: int
    unused_bytes: float
    data_files_rewritten: int
    data_bytes_rewritten: float
    mean_digits: float = 0.0  # of numbers in a writer's summary that come and go with maintenance
    deletes: "TableHistory | None" = None  # the same of delete manifests, whose files are what a commit brings of them

    @property
    def snapshots(self) -> int:
        """Snapshots that were ever made."""
        return self.commits + len(self.replacements)

    def live_files_at(self, commits: Ints) -> Ints:
        """Data files that are there right after each of these commits of the writer."""
        return np.rint(self._live_at(commits, self.replacements.live_files, self.files_per_commit)).astype(np.int64)

    def live_bytes_at(self, commits: Ints) -> Floats:
        """Bytes of data files that are there right after each of these commits of the writer."""
        return self._live_at(commits, self.replacements.live_bytes, self.data_bytes_per_commit)

    @property
    def live_bytes(self) -> float:
        """Bytes of data files that are there at the end."""
        replaced = self.replacements
        left, at = (replaced.live_bytes[-1], replaced.commits[-1]) if len(replaced) else (0.0, 0)
        return float(left + self.data_bytes_per_commit * (self.commits - at))

    def _live_at(self, commits: Ints, left: Floats, each: float) -> Floats:
        earlier = np.searchsorted(self.replacements.commits, commits, side="left")
        since = np.concatenate([[0], self.replacements.commits])[earlier]
        return np.asarray(np.concatenate([[0.0], left])[earlier] + each * (commits - since))

    def live_at(self, snapshots: Ints) -> Ints:
        """Manifests that the list of each of these snapshots holds."""
        turn = np.searchsorted(self.turns.snapshot, snapshots, side="right") - 1
        of_deletes = 0 if self.deletes is None else self.deletes.live_at(snapshots)
        return np.asarray(self.turns.live[turn] + snapshots - self.turns.snapshot[turn] + of_deletes)

    def live_through(self, snapshots: int) -> int:
        """Manifests in the lists of the first so many snapshots, all together."""
        count = int(np.searchsorted(self.turns.snapshot, snapshots, side="right"))
        first, live = self.turns.snapshot[:count], self.turns.live[:count]
        length = np.diff(first, append=snapshots + 1)
        of_deletes = 0 if self.deletes is None else self.deletes.live_through(snapshots)
        return int((length * live + length * (length - 1) // 2).sum()) + of_deletes

    def spared_at(self, snapshots: Ints) -> Floats:
        """Bytes that the list of each of these snapshots saves, as manifests of one commit are listed alike."""
        of_deletes = 0.0 if self.deletes is None else self.deletes.spared_at(snapshots)
        spared = self.turns.spared[np.searchsorted(self.turns.snapshot, snapshots, side="right") - 1]
        return np.asarray(spared + of_deletes)

    def spared_through(self, snapshots: int) -> float:
        """Bytes that the lists of the first so many snapshots save, as manifests of one commit are listed alike."""
        count = int(np.searchsorted(self.turns.snapshot, snapshots, side="right"))
        length = np.diff(self.turns.snapshot[:count], append=snapshots + 1)
        of_deletes = 0.0 if self.deletes is None else self.deletes.spared_through(snapshots)
        return float((length * self.turns.spared[:count]).sum()) + of_deletes

    def dropped_through(self, snapshots: int) -> tuple[int, float]:
        """Manifests, and their bytes, that no list after so many snapshots holds any more."""
        count = int(np.searchsorted(self.turns.snapshot, snapshots, side="right"))
        return int(self.turns.dropped[:count].sum()), float(self.turns.dropped_bytes[:count].sum())

    def removed_through(self, snapshots: int) -> tuple[int, float]:
        """Data files, and their bytes, that the first so many snapshots took out."""
        count = int(np.searchsorted(self.replacements.snapshot, snapshots, side="right"))
        taken = self.replacements
        return int(taken.removed_files[:count].sum()), float(taken.removed_bytes[:count].sum())
