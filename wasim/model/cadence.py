"""When MergeAppend merges manifests, for commits that each add one manifest of the same size.

Iceberg packs manifests into bins of the target size, walking from the oldest (ManifestMergeManager, lookback 1). The
bin that holds the new manifest waits until it counts `min_count_to_merge`; any other bin of two or more is rewritten at
once. So a table keeps one growing tail and up to `min_count_to_merge` − 1 small manifests (merges at commits 100, 199,
298, …: measured over 400 commits, no mismatch), until the tail nears the target. There a few small manifests overflow
its bin, and each commit or two rewrites the whole tail, because a merge sheds the small ones' headers and makes room
for the next: Iceberg's near-target thrash. Then the tail is sealed, and a new one starts exactly as the first did,
which makes the cadence periodic: one cycle is simulated merge by merge, and any commit number follows from it. (A
merged manifest must not be smaller than a new one, which holds for all that Iceberg writes.)
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from wasim.units import Ints

ENDLESS = 2**62  # commits of a cycle that no commit number reaches


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestSizes:
    """Bytes of the manifests of one writer: a new one, and a merged one as `header_bytes` + `entry_bytes` × entries."""

    new_bytes: float
    header_bytes: float
    entry_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """The merges of one cycle, and its length in commits.

    A merge at `offset` (commits since the cycle began, from 1) turns `inputs` manifests into one that holds what
    `absorbed` commits added. `wastes_new` where the new commit's own manifest is among the inputs: it was written for
    nothing. An offset may be one past the cycle: the commit that starts the next one triggers it.
    """

    offset: Ints
    inputs: Ints
    absorbed: Ints
    wastes_new: Ints
    cycle_commits: int

    def _cycles(self, commits: Ints) -> tuple[Ints, Ints, Ints]:
        """For each commit: whole cycles before it, commits into its own, merges of its own cycle so far."""
        cycles = (commits - 1) // self.cycle_commits
        into = commits - cycles * self.cycle_commits
        return cycles, into, np.searchsorted(self.offset, into, side="right")

    def merges_through(self, commits: Ints, of_merge: Ints) -> Ints:
        """Σ of `of_merge` over the merges at commits 1 … n, for each n in `commits`."""
        cycles, _, count = self._cycles(commits)
        running = np.concatenate([[0], np.cumsum(of_merge)])
        return np.asarray(np.where(commits > 0, cycles * running[-1] + running[count], 0))

    def merges_at(self, commits: Ints, of_merge: Ints) -> Ints:
        """`of_merge` at each commit that merges, zero elsewhere."""
        return self.merges_through(commits, of_merge) - self.merges_through(commits - 1, of_merge)

    def live_manifests(self, commits: Ints) -> Ints:
        """Manifests in the list of each commit: one more per commit, and a merge makes one of its inputs."""
        return commits - self.merges_through(commits, self.inputs - 1)


@lru_cache(maxsize=256)
def merge_cadence(
    *, min_count: int, target_bytes: int, files_per_commit: int, sizes: ManifestSizes, commits: int
) -> Cadence:
    """The cadence of merges as far as `commits` needs it; an unfinished cycle is endless."""
    tail = _Tail(min_count=max(2, min_count), target_bytes=target_bytes, files_per_commit=files_per_commit, sizes=sizes)
    while not tail.sealed and tail.offset <= commits:
        tail.merge_once()
    columns = np.array(tail.merges, dtype=np.int64).reshape(-1, 4)
    return Cadence(
        offset=columns[:, 0],
        inputs=columns[:, 1],
        absorbed=columns[:, 2],
        wastes_new=columns[:, 3],
        cycle_commits=tail.absorbed if tail.sealed else ENDLESS,
    )


class _Tail:
    """The oldest unsealed bin: `absorbed` commits are in one manifest (0: none yet); `offset` is the last merge's."""

    def __init__(self, *, min_count: int, target_bytes: int, files_per_commit: int, sizes: ManifestSizes) -> None:
        self.min_count, self.target_bytes, self.files, self.sizes = min_count, target_bytes, files_per_commit, sizes
        self.absorbed, self.offset, self.sealed = 0, 0, False
        self.merges: list[tuple[int, int, int, int]] = []

    def merge_once(self) -> None:
        """Find the next merge, or that nothing more fits."""
        held = 1 if self.absorbed else 0
        pending = self.offset - self.absorbed  # the small one that the last overflow left, if any
        fitting = max(
            0, int((self.target_bytes - self._bytes()) // self.sizes.new_bytes)
        )  # small ones in the tail's bin
        wanted = max(self.min_count - held, pending + 1)
        overflows = fitting < wanted  # then the next small one closes the bin, and it no longer waits
        taken = fitting if overflows else wanted
        if taken + held < 2:
            self.sealed = True
            self.absorbed = max(self.absorbed, 1)  # a manifest that fits no bin stays alone
            return
        self.absorbed += taken
        self.offset = self.absorbed + overflows
        self.merges.append((self.offset, taken + held, self.absorbed, int(not overflows)))

    def _bytes(self) -> float:
        if not self.absorbed:
            return 0.0
        return self.sizes.header_bytes + self.sizes.entry_bytes * self.files * self.absorbed
