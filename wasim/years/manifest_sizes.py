"""Bytes of manifests, by how many entries of which kind they hold: read off a few that the exact twin encodes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import ceil
from statistics import mean

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.containers import BLOCK_RAW_BYTES
from wasim.iceberg.names import manifest_name
from wasim.rules.merging import ROLLING_FILES, groups_of_new
from wasim.twin.commits import new_entries
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_identity
from wasim.twin.live_manifests import LiveEntry, LiveManifest
from wasim.twin.table import SimulatedTable
from wasim.years.growth import SizeByCount

NEW_SAMPLED = 3  # commits whose own manifests are encoded
LEAST_STATEMENTS, MOST_TOGETHER = 4, 24  # of a sample, and files of each


@dataclass(frozen=True, slots=True)
class NewManifest:
    """`count` equal manifests that a commit writes of its own files: files and bytes of each."""

    count: int
    files: float
    bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestBytes:
    """Bytes of manifests: of one commit's `files` new files, `per_new` for each, and of any number of older entries.

    A commit of very many files writes the `several` manifests, newest first; none given: one.
    `by_count` has the bytes of entries in the order of their commits; an entry of a compacted file takes
    `compacted_more`, or `together_more` as a further one of the same compaction in a partition, one that was sorted by
    partition `sorted_more`. Of delete files, once sorted, each takes the share `in_partition` of that, less
    `each_partition` of it for the first one of a statement there. The first file of a statement takes `first_more`,
    further ones of the same statement `further_more`.
    """

    new: float
    staged: float
    by_count: SizeByCount
    compacted_more: float = 0.0
    together_more: float = 0.0
    sorted_more: float = 0.0
    in_partition: float = 1.0
    each_partition: float = 1.0
    files: float = 0.0
    per_new: float = 0.0
    first_more: float = 0.0
    further_more: float = 0.0
    several: tuple[NewManifest, ...] = ()

    def of_commit(self, files: float) -> tuple[NewManifest, ...]:
        """The manifests that a commit that brings this many files writes of them, newest first."""
        return self.several or (NewManifest(1, files, self.new),)

    def new_of(self, files: float) -> float:
        """Bytes of the manifest of a commit that brings this many new files."""
        return self.new + self.per_new * (files - self.files)

    def of_files(self, files: float) -> "ManifestBytes":
        """The bytes where a commit brings this many new files."""
        staged = self.staged and self.staged + self.new_of(files) - self.new
        return replace(self, new=self.new_of(files), staged=staged, files=files)

    def between(self, other: "ManifestBytes", share: float) -> "ManifestBytes":
        """The bytes between these and others, of a commit of as many files: `share` of the way."""
        other = other.of_files(self.files)
        means = {
            one.name: (low := getattr(self, one.name)) + (getattr(other, one.name) - low) * share
            for one in fields(self)
            if one.name not in ("by_count", "several")
        }
        return ManifestBytes(by_count=self.by_count.mean(other.by_count, share), several=self.several, **means)

    def fitted(self, fixed: float, scale: float) -> "ManifestBytes":
        """The bytes of manifests of `fixed` + `scale` times as many, and what they differ by in proportion."""
        more = ("compacted_more", "together_more", "sorted_more", "per_new", "first_more", "further_more")
        return replace(
            self,
            new=fixed + scale * self.new,
            staged=self.staged and fixed + scale * self.staged,
            by_count=self.by_count.fitted(fixed, scale),
            **{name: getattr(self, name) * scale for name in more},
        )


NO_MANIFESTS = ManifestBytes(new=0.0, staged=0.0, by_count=SizeByCount([1], [0.0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedEntries:
    """Entries of a table that were not all written: of the files of each of some commits, of those that compaction made
    one by one, and `together` in one partition, and as they stand once sorted by partition, or dealt out; and of the
    files that each of some statements writes, with `between` entries of commits between two of them.
    """

    commits: Sequence[Sequence[LiveEntry]]
    compacted: Sequence[LiveEntry]
    together: Sequence[LiveEntry]
    by_partition: Sequence[LiveEntry]
    statements: Sequence[Sequence[LiveEntry]] = ()
    between: float = 0.0

    @property
    def arrived(self) -> list[LiveEntry]:
        """Entries of commits, newest first, as merges leave them."""
        return [entry for entries in reversed(self.commits) for entry in entries]


def new_manifests(
    table: SimulatedTable, commits: Sequence[Sequence[DataFileEntry]], most: int = NEW_SAMPLED
) -> list[LiveManifest]:
    """The manifests that the last of these commits write of their files, `most` of them."""
    found = []
    for number, files in enumerate(commits[-most:], 1):
        identity = draw_identity(number, table.rng)
        writer = table.writer_of(files[0])
        path = table.manifest_path(manifest_name(identity.uuid, 0))
        found.append(writer.write(path, new_entries(files, identity), identity, table.rng)[1])
    return found


def data_manifests(
    table: SimulatedTable, described: DescribedEntries, own: Sequence[LiveManifest], files: float
) -> ManifestBytes:
    """Bytes of manifests of data, of a table whose commits bring `files` files each; `own` are some of theirs."""
    arrived = described.arrived
    by_count = by_count_of(table, arrived)
    counts, lengths = zip(*((float(len(one.entries)), float(one.file.manifest_length)) for one in own), strict=True)
    shown, all_of_one = mean(counts), mean(lengths)
    per_new = by_count.slope
    if shown > 1:
        # the first ones are large: those that none shows are as the last
        few = max(1, int(shown) // 2) if files > shown else 1
        fewer = mean(written_bytes(table, manifest.entries[:few], is_new=True) for manifest in own)
        per_new = (all_of_one - fewer) / (shown - few)
        if len(own) > NEW_SAMPLED and max(counts) > min(counts):  # of as many rows, in more files or fewer
            all_of_one += (float(np.polyfit(counts, lengths, 1)[0]) - per_new) * (files - shown)
    count = min(len(arrived), len(described.compacted))
    compacted_more, together_more = (
        _compared(table, entries[:count], arrived[:count]) / max(1, count - 1)
        for entries in (described.compacted, described.together)
    )
    apart = min(len(arrived), len(described.by_partition))
    sorted_more = _compared(table, described.by_partition[:apart], arrived[:apart]) / max(1, apart)
    first_more, further_more = _of_statements(table, described, by_count.slope) if described.statements else (0.0, 0.0)
    found = ManifestBytes(
        new=all_of_one + per_new * (files - shown),
        files=files,
        per_new=per_new,
        staged=0.0,
        by_count=by_count,
        compacted_more=compacted_more,
        together_more=together_more,
        sorted_more=sorted_more,
        first_more=first_more,
        further_more=further_more,
    )
    return replace(found, several=_several(table, found, len(arrived[0].existing or b"")))


def _several(table: SimulatedTable, sizes: ManifestBytes, plain_bytes: int) -> tuple[NewManifest, ...]:
    """The manifests that a commit of very many files writes, in groups and rolled at the target; none if it is one.

    An entry takes `plain_bytes` before compression, 0 where nothing is written in blocks.
    """
    if table.rules.release.library == "python":
        return ()
    groups, target_bytes = groups_of_new(round(sizes.files)), table.rules.policy.target_bytes
    each = sizes.files / groups
    if sizes.new_of(each) < target_bytes or each <= ROLLING_FILES:
        return (NewManifest(groups, each, sizes.new_of(each)),) if groups > 1 else ()
    # what it looks at are whole blocks
    block = ceil(BLOCK_RAW_BYTES / plain_bytes) if plain_bytes else 1
    least = max(1, ceil((target_bytes - sizes.new_of(0.0)) / max(1.0, sizes.per_new) / block)) * block
    full = ceil(least / ROLLING_FILES) * ROLLING_FILES
    rolled, rest = divmod(each, full)
    found = (NewManifest(groups * int(rolled), full, sizes.new_of(full)), NewManifest(groups, rest, sizes.new_of(rest)))
    return tuple(one for one in found if one.count and one.files)


def _of_statements(table: SimulatedTable, described: DescribedEntries, each: float) -> tuple[float, float]:
    """By how many bytes the entry of a file that a statement writes is larger than `each` one of a commit's files: of
    the first one, and of further ones of the same statement.
    """
    first, _ = _among_commits(table, described, 1)
    of_several, several = _among_commits(table, described, MOST_TOGETHER)
    further = (several * of_several - first) / (several - 1) if several >= 2 else first
    return first - each, further - each


def _among_commits(table: SimulatedTable, described: DescribedEntries, most: int) -> tuple[float, float]:
    """Bytes of the entry of a file that a statement writes, `most` of each at most; how many those are."""
    arrived, found, fresh = described.arrived, list[LiveEntry](), list[LiveEntry]()
    between, count = ceil(min(described.between, len(arrived) / LEAST_STATEMENTS)), 0
    while count < len(described.statements) and len(fresh) + between <= len(arrived):
        new = arrived[len(fresh) : len(fresh) + between]
        fresh, found, count = fresh + new, [*found, *new, *described.statements[count][:most]], count + 1
    fresh = fresh or found[:1]
    more = len(found) - len(fresh)
    return (written_bytes(table, found) - written_bytes(table, fresh)) / more, more / count


def manifests_of_row_deltas(table: SimulatedTable, listed: Sequence[LiveManifest], log: EventLog) -> ManifestBytes:
    """Bytes of the manifests of data, or of deletes, of a table whose writer deletes by key; `listed` newest last."""
    kind = listed[-1].kind
    own = {table.relative(one.file.manifest_path) for one in listed}
    written = [(event[6], event[8]) for event in log.events if event[4] == "write" and event[5] == kind]
    staged = [float(size) for size, name in written if name not in own]
    by_count = by_count_of(table, [entry for manifest in reversed(listed) for entry in manifest.entries])
    return ManifestBytes(
        new=mean([float(one.file.manifest_length) for one in listed[1:]]),
        staged=mean(staged[1:]) if staged else 0.0,
        by_count=by_count,
        files=mean([float(len(one.entries)) for one in listed[1:]]),
        per_new=by_count.slope,
    )


def by_count_of(table: SimulatedTable, entries: Sequence[LiveEntry]) -> SizeByCount:
    """Bytes of manifests of one, two … of these entries, and of many more.

    A manifest is compressed in blocks of 64,000 bytes, and each begins as dear as the first one. No more entries than a
    block holds are encoded; further ones cost as much, and at each new block once more what its start cost.
    """
    first, header = written_bytes(table, entries[:1]), written_bytes(table, entries[:1], is_empty=True)
    counts, sizes = [0, 1], [header, first]
    plain = len(entries[0].existing or b"") or 1
    block = max(2, ceil(BLOCK_RAW_BYTES / plain))
    while (count := min(2 * counts[-1], len(entries), block)) > counts[-1]:
        counts.append(count)
        sizes.append(written_bytes(table, entries[:count]))
    if len(counts) == 2:  # one entry is all there is
        return SizeByCount(counts, sizes)
    # Parquet ends a column's dictionary once it pays no more, which makes a step: here or there between many entries
    since = counts[-1] // (2 if entries[0].existing else 8)
    per_entry = (sizes[-1] - written_bytes(table, entries[:since])) / (counts[-1] - since)
    start = sizes[-1] - header - per_entry * counts[-1]
    if counts[-1] < block:
        counts.append(block)
        sizes.append(header + start + per_entry * block)
    for later in (block // 2, block):  # on average over where the last block ends
        counts.append(counts[-1] + max(1, later))
        sizes.append(header + start * (counts[-1] / block + 0.5) + per_entry * counts[-1])
    return SizeByCount(counts, sizes)


def _compared(table: SimulatedTable, entries: Sequence[LiveEntry], others: Sequence[LiveEntry]) -> float:
    """By how many bytes a manifest of these entries is larger than one of the others."""
    return written_bytes(table, entries) - written_bytes(table, others) if entries else 0.0


def written_bytes(
    table: SimulatedTable, entries: Sequence[LiveEntry], *, is_new: bool = False, is_empty: bool = False
) -> float:
    """Bytes of a manifest of these entries, which its own commit adds, or which were there before; with `is_empty`, of
    one of their kind without any.
    """
    identity = draw_identity(table.commits + 1, table.rng)
    if is_new:
        identity = replace(identity, snapshot_id=entries[0].snapshot_id)
    writer = table.writer_of(entries[0].file)
    if is_empty:
        return float(writer.empty_bytes)
    path = table.manifest_path(manifest_name(identity.uuid, 0))
    _, manifest = writer.write(path, entries, identity, table.rng)
    return float(manifest.file.manifest_length)
