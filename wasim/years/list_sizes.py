"""Sizes of manifest lists: read off a few that the exact twin encodes, of manifests like a table's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from types import MappingProxyType
from typing import Any

import numpy as np

from wasim.iceberg import ManifestFile
from wasim.iceberg.containers import BLOCK_RAW_BYTES, container_bytes
from wasim.iceberg.manifest_lists import (
    ManifestListHeader,
    PartitionFieldSummary,
    manifest_file_encoder,
    manifest_list_header_values,
)
from wasim.iceberg.names import manifest_name
from wasim.scenario import Case
from wasim.twin.identifiers import CommitIdentity, draw_identities, draw_snapshot_id
from wasim.twin.live_manifests import DELETES, SYNC_BYTES
from wasim.twin.table import SimulatedTable
from wasim.years.arrivals import Arrivals, growing_fields, whole
from wasim.years.growth import SizeByCount
from wasim.years.localities import between_statements, merges_on_read, places_of, takes_shares
from wasim.years.machine.tables import SEEN

LATER = 1_000  # commits after which sampled entries stand in manifests
LISTED = (1, 2, 4, 16, 64, 256, 512)
ENDS = (64, 256)  # of lists within a block, between which others are compared
BETWEEN_REWRITES = 30  # commits between two that rewrite files of other partitions
SOME_FILES = 8  # that a statement takes out of a manifest, or leaves in it
MOST_HIT = 32  # files that manifests of deletes list which were written again
MOST_BETWEEN = 12  # commits between two statements in a list
LEAST_SPREAD = 1.0  # of lengths of equal manifests, in bytes
NOTHING_GROWS: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBytes:
    """Bytes of a table's manifest lists.

    One is `by_count` of the writer's own manifests. It is smaller by `sibling_saving` for each manifest of the same
    commit as another one, or by the share `partly_saved` of that where these list what a job left of them; larger by
    `rewritten_more` for each of rewritten files, of other partitions than the one before, and by `deletes_more` for
    each of deletes by position.
    """

    by_count: SizeByCount
    sibling_saving: float
    partly_saved: float = 1.0
    rewritten_more: float = 0.0
    deletes_more: float = 0.0

    def fitted(self, fixed: float, scale: float) -> "ListBytes":
        """The bytes as fixed + scale · these."""
        return replace(
            self,
            by_count=self.by_count.fitted(fixed, scale),
            sibling_saving=self.sibling_saving * scale,
            rewritten_more=self.rewritten_more * scale,
            deletes_more=self.deletes_more * scale,
        )

    def mean(self, other: "ListBytes", share: float) -> "ListBytes":
        """The bytes between these and others: `share` of the way."""
        names = ("sibling_saving", "partly_saved", "rewritten_more", "deletes_more")
        each = {name: getattr(self, name) + (getattr(other, name) - getattr(self, name)) * share for name in names}
        return ListBytes(by_count=self.by_count.mean(other.by_count, share), **each)


def lists_of(case: Case, table: SimulatedTable, listed: Sequence[ManifestFile], arrivals: Arrivals) -> ListBytes:
    """Bytes of lists of such manifests."""
    growing = {place: case.commit_interval_s / lasts_s for place, lasts_s in growing_fields(case).items()}
    lists = _lists(table, listed, arrivals, growing=growing)
    is_of_some = arrivals.partitions < arrivals.open_partitions - 0.5  # of which a compaction takes some
    together = partly = _lists(table, listed, arrivals, apart=0)
    is_scattered = "scattered" in places_of(case)
    if is_of_some or is_scattered:
        partly = _lists(table, listed, arrivals, apart=0, are_partly=True)
    closed = dict.fromkeys(growing, 1.0)
    ended = _lists(table, listed[:1], arrivals, apart=BETWEEN_REWRITES, growing=closed) if growing else lists
    deletes = lists
    if merges_on_read(case):
        deletes = _lists(table, listed, arrivals, growing=growing, are_deletes=True, are_partly=is_scattered)
    each = lists.rise(*ENDS)
    saving = each - together.rise(*ENDS)
    deletes_more, rewritten_more = deletes.rise(*ENDS) - each, ended.rise(*ENDS) - each
    if merges_on_read(case) and not growing and (between := whole(between_statements(case))) > 0:
        of_one = _of_statements(table, listed, arrivals, case, min(between, MOST_BETWEEN))
        rewritten_more = of_one - 2 * each - deletes_more + SEEN * saving
    return ListBytes(
        by_count=lists,
        sibling_saving=saving,
        partly_saved=max(0.0, each - partly.rise(*ENDS)) / saving if saving > 0 else 1.0,
        rewritten_more=rewritten_more,
        deletes_more=deletes_more,
    )


def _lists(
    table: SimulatedTable,
    listed: Sequence[ManifestFile],
    arrivals: Arrivals,
    *,
    apart: int = 1,
    are_partly: bool = False,
    are_deletes: bool = False,
    growing: Mapping[int, float] = NOTHING_GROWS,
) -> SizeByCount:
    """Lists of 1, 2 … manifests like these of the table's, each so many commits `apart` from the one before, or 0: of
    the same one. Between two, `growing` partition fields grow by this many values; where `apart` is more than 1, files
    were rewritten once their partitions closed. Those that a statement takes files out of, or a compaction of some
    partitions, `differ` in how many they list, and since when; manifests of deletes do by files that a statement hits.
    """
    version, release, rng = table.rules.format_version, table.rules.release, table.rng
    encode, records = manifest_file_encoder(version, release), []
    counts: Sequence[int] = LISTED if apart == 1 else ENDS
    numbers, lengths = range(1, counts[-1] + 1), [one.manifest_length for one in listed]
    drawn = rng.normal(np.mean(lengths), max(LEAST_SPREAD, float(np.std(lengths))), len(numbers))
    identities = draw_identities([LATER + one * apart for one in numbers if apart or one == 1], rng)
    for number, length in zip(numbers, np.rint(drawn).astype(int).tolist(), strict=True):
        like, identity = listed[number % len(listed)], identities[number - 1 if apart else 0]
        file = _of_commit(
            table,
            like,
            identity,
            (LATER + number) * arrivals.rows_per_commit,
            number=0 if apart else number,
            age=int(apart > 1),
            manifest_length=length,
            partitions=_later(like, number - number % len(listed), growing),
        )
        if are_deletes:
            file = _of_deletes(file, arrivals, rng)
        if are_partly:
            file = _taken_from(file, arrivals, rng, version=version)
        records.append(encode(file))
    values, sync = _header_of_list(table, arrivals), rng.bytes(SYNC_BYTES)

    def size(count: int) -> int:
        return len(container_bytes(values, records[len(records) - count :], sync_marker=sync))

    if counts == ENDS:
        return SizeByCount(counts, [*map(size, counts)])
    block = min(len(records), ceil(BLOCK_RAW_BYTES * len(records) / sum(map(len, records))))
    counts = [*(count for count in LISTED if count < block), block]
    sizes = [*map(size, counts)]  # further blocks are compressed by themselves
    return SizeByCount([*counts, 2 * block], [*sizes, 2 * sizes[-1] - size(0)])


def _of_commit(
    table: SimulatedTable,
    like: ManifestFile,
    identity: CommitIdentity,
    row: int,
    *,
    number: int = 0,
    age: int = 0,
    **given: Any,  # noqa: ANN401 - fields of a manifest file
) -> ManifestFile:
    """A manifest like another of the table's with other fields as given, but of this commit, by its `number`, whose
    first row has this id; what it lists was written `age` commits before.
    """
    version = table.rules.format_version
    return replace(
        like,
        manifest_path=table.manifest_path(manifest_name(identity.uuid, number)),
        added_snapshot_id=identity.snapshot_id,
        sequence_number=identity.sequence_number if version > 1 else 0,
        min_sequence_number=identity.sequence_number - age if version > 1 else 0,
        first_row_id=row if version > 2 else None,
        **given,
    )


def _of_statements(
    table: SimulatedTable, listed: Sequence[ManifestFile], arrivals: Arrivals, case: Case, between: int
) -> float:
    """Bytes that lists grow by with a statement on read, one after so many commits `between`: the manifest of its data
    files is unlike the commits' around it, and that of its delete files stands behind all others.
    """
    version, release, rng = table.rules.format_version, table.rules.release, table.rng
    encode = manifest_file_encoder(version, release)
    data, others, deletes = list[bytes](), list[bytes](), list[bytes]()
    row, grows = LATER * arrivals.rows_per_commit, takes_shares(case)
    for number, identity in enumerate(draw_identities(range(LATER, LATER + ENDS[1]), rng)):
        like = listed[number % len(listed)]
        new = _of_commit(table, like, identity, row)
        row += arrivals.rows_per_commit
        if number % (between + 1) < between:
            data.append(encode(new))
            others.append(data[-1])
            continue
        rows = MOST_HIT * arrivals.rows_per_commit + number * grows
        length = like.manifest_length + int(rng.integers(like.manifest_length // SOME_FILES))
        new = replace(new, manifest_length=length, added_files_count=1, added_rows_count=rows)
        data.append(encode(new))
        path = table.manifest_path(manifest_name(identity.uuid, 1))
        deletes.append(encode(replace(new, manifest_path=path, content=DELETES, first_row_id=None)))
        row += rows
    values, sync = _header_of_list(table, arrivals), rng.bytes(SYNC_BYTES)
    with_them, without = (
        len(container_bytes(values, records, sync_marker=sync)) for records in ([*data, *deletes], others)
    )
    return (with_them - without) / len(deletes)


def _header_of_list(table: SimulatedTable, arrivals: Arrivals) -> Mapping[str, bytes]:
    version = table.rules.format_version
    header = ManifestListHeader(
        snapshot_id=draw_snapshot_id(table.rng),
        parent_snapshot_id=draw_snapshot_id(table.rng),
        sequence_number=LATER,
        first_row_id=2 * LATER * arrivals.rows_per_commit if version > 2 else None,
        format_version=version,
        release=table.rules.release,
    )
    return manifest_list_header_values(header)


def _taken_from(file: ManifestFile, arrivals: Arrivals, rng: np.random.Generator, *, version: int) -> ManifestFile:
    """A manifest that statements took files out of, some of them and some time ago."""
    gone, kept, since = (int(rng.integers(1, most)) for most in (SOME_FILES, SOME_FILES, LATER))
    rows = [whole(count * arrivals.rows_per_file) for count in (kept, gone)]
    if file.content == DELETES:  # of each file some
        gone, kept = (int(rng.integers(1, MOST_HIT)) for _ in range(2))
        rows = [count + int(rng.integers(3 * count)) for count in (kept, gone)]
    return replace(
        file,
        manifest_length=file.manifest_length + int(rng.integers(file.manifest_length // SOME_FILES)),
        min_sequence_number=file.sequence_number - since if version > 1 else 0,
        added_files_count=0,
        existing_files_count=kept,
        deleted_files_count=gone,
        added_rows_count=0,
        existing_rows_count=rows[0],
        deleted_rows_count=rows[1],
    )


def _of_deletes(file: ManifestFile, arrivals: Arrivals, rng: np.random.Generator) -> ManifestFile:
    """A manifest of deletes in the place of one of data, of a statement that hits some files or rows more or less."""
    hit = int(rng.integers(1, SOME_FILES))
    rows = hit + int(rng.integers(whole(arrivals.rows_per_file) + 1))
    return replace(
        file,
        content=DELETES,
        manifest_length=file.manifest_length + int(rng.integers(file.manifest_length // SOME_FILES)),
        added_files_count=hit,
        added_rows_count=rows,
        first_row_id=None,
    )


def _later(file: ManifestFile, commits: int, growing: Mapping[int, float]) -> tuple[PartitionFieldSummary, ...]:
    """The partitions of a manifest this many commits later, between which `growing` fields grow by so many values."""
    found = list(file.partitions or ())
    for place, each in growing.items():
        one, grown = found[place], int(commits * each)
        found[place] = replace(
            one, lower_bound=_plus(one.lower_bound, grown), upper_bound=_plus(one.upper_bound, grown)
        )
    return tuple(found)


def _plus(bound: bytes | None, values: int) -> bytes:
    low = bound or b""
    return (int.from_bytes(low, "little") + values).to_bytes(len(low) + 1, "little")[: len(low)]


def mixed(
    listed: Sequence[tuple[PartitionFieldSummary, ...]], count: int, rng: np.random.Generator
) -> list[tuple[PartitionFieldSummary, ...]]:
    """So many summaries of partitions, each bound of one of these, as chance brings them together."""
    fields = []
    for summaries in zip(*listed, strict=True):
        lows, highs = rng.integers(len(listed), size=(2, count)).tolist()
        bounds = zip(lows, highs, strict=True)
        fields.append([replace(summaries[low], upper_bound=summaries[high].upper_bound) for low, high in bounds])
    return list(zip(*fields, strict=True))
