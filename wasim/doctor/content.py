"""The data and delete files that a table's manifests list, each once, with the last snapshot that holds it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from wasim.doctor.lists import ManifestIndex
from wasim.doctor.table_files import FaultKind, Faults, Places
from wasim.errors import WasimError
from wasim.iceberg import IcebergFileError, ManifestFile, record_scanning
from wasim.iceberg.avro_reader import AvroRecord, field_of
from wasim.iceberg.containers import PackedContainer, inflated_blocks, read_packed
from wasim.iceberg.manifests import entry_record, parquet_manifest_from
from wasim.iceberg.parquet_manifests import PARQUET_MAGIC, read_parquet_manifest
from wasim.iceberg.record_fields import FileContent, Status
from wasim.iceberg.snapshots import Snapshot
from wasim.ledger import Kind
from wasim.storage import FileRead, StoredFile

_STATUS, _FILE = 0, 2
_PATH, _PARTITION, _ROWS, _BYTES, _CONTENT = 100, 102, 103, 104, 134
_WANTED = frozenset({_STATUS, _FILE, _PATH, _PARTITION, _ROWS, _BYTES, _CONTENT})


@dataclass(slots=True)
class ContentFiles:
    """Data and delete files by key: a row per file in equal-length columns.

    `manifests` has the place of a manifest that holds the file, `others` the places of further ones, by file.
    `last_seen` is the place of the last snapshot that holds it; `is_live` says whether the current one does.
    `partitions` number the partitions, by spec and values, as they came.
    """

    places: dict[str, int] = field(default_factory=dict)
    bytes: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    manifests: list[int] = field(default_factory=list)
    others: dict[int, list[int]] = field(default_factory=dict)
    last_seen: list[int] = field(default_factory=list)
    is_live: list[bool] = field(default_factory=list)
    partitions: list[int] = field(default_factory=list)
    partition_places: dict[tuple[int, record_scanning.Value], int] = field(default_factory=dict)
    unread_manifests: int = 0
    unread_live_manifests: int = 0
    held: dict[int, int] = field(default_factory=dict)  # entries that are not deleted, by manifest

    def __len__(self) -> int:
        return len(self.bytes)

    def live_bytes_by_partition(self) -> list[int]:
        """Bytes of live data in each partition that has any."""
        sums: dict[int, int] = {}
        for size, kind, is_live, one in zip(self.bytes, self.kinds, self.is_live, self.partitions, strict=True):
            if is_live and kind is Kind.DATA:
                sums[one] = sums.get(one, 0) + size
        return list(sums.values())

    def live_sizes(self, kind: Kind) -> list[int]:
        """Bytes of each of the current snapshot's files of a kind, as its manifests give them."""
        rows = zip(self.bytes, self.kinds, self.is_live, strict=True)
        return [size for size, one, is_live in rows if is_live and one == kind]


class Entries(NamedTuple):
    """The entries of a manifest by the wanted fields; `inner` are the places of the data file's own."""

    rows: list[record_scanning.Row]
    places: Mapping[int, int]
    inner: Mapping[int, int]


def entry_sizes(entries: Entries, places: Places) -> dict[str, int]:
    """The bytes by key of the files that a manifest lists, deleted ones too."""
    path_at, bytes_at, file_at = entries.inner[_PATH], entries.inner[_BYTES], entries.places[_FILE]
    files = (row[file_at] for row in entries.rows)
    return {places.key(str(file[path_at])): _whole(file[bytes_at]) for file in files if isinstance(file, tuple)}


ManifestRead: TypeAlias = Entries | FileNotFoundError | WasimError
"""A manifest as it was read, or why it was not."""


def read_content(
    index: ManifestIndex, *, manifests: Iterable[ManifestRead], places: Places, faults: Faults
) -> ContentFiles:
    """The files of all manifests of an index, read in its order. Manifests that cannot be read go into `faults`."""
    content, live = ContentFiles(), set(index.live)
    for place, (manifest, found) in enumerate(zip(index.manifests, manifests, strict=True)):
        key, is_live = index.keys[place], place in live
        if isinstance(found, Entries):
            content.unread_manifests += not is_whole(manifest, found, places.files.get(key), key, faults)
            _add(content, found, places, index, place, is_live=is_live)
            continue
        if isinstance(found, FileNotFoundError):
            faults.add_missing(key, "a manifest", was_listed=key in places.files)
        else:
            faults.add_unreadable(found)
        content.unread_manifests += 1
        content.unread_live_manifests += is_live
    return content


def are_complete(index: ManifestIndex, content: ContentFiles | None) -> bool:
    """Whether the manifests of each snapshot hold the files that its summary counts.

    A list cut short at a block's end reads well. Entries of a manifest are counted where its list does not count them.
    """
    changes = [0] * (len(index.snapshots) + 1)
    for place, (one, spans) in enumerate(zip(index.manifests, index.spans, strict=True)):
        added, existing = one.added_files_count, one.existing_files_count
        is_listed = added is not None and existing is not None
        files = (added or 0) + (existing or 0) if is_listed else 0 if content is None else content.held.get(place, 0)
        for first, last in spans:
            changes[first] += files
            changes[last + 1] -= files
    totals = map(_files_of, index.snapshots)
    return all(total is not None and held >= total for held, total in zip(accumulate(changes), totals, strict=False))


def _files_of(snapshot: Snapshot) -> int | None:
    """The data and delete files that a snapshot's summary counts; None where it does not."""
    summary = snapshot.summary or {}
    totals = [summary.get(key, "") for key in ("total-data-files", "total-delete-files")]
    return sum(map(int, totals)) if all(one.isdecimal() and len(one) < 19 for one in totals) else None


def read_manifests(files: Iterable[tuple[str, FileRead]]) -> Iterator[ManifestRead]:
    """The entries of manifests from keys and bytes."""
    container = None
    for key, data in files:
        try:
            if not isinstance(data, bytes):
                yield data
            elif data[:4] == PARQUET_MAGIC:
                yield _sound(_parquet_entries(data, key), key)
            else:
                container = read_packed(data, source=key, like=container)
                yield _sound(_entries(container, key), key)
        except IcebergFileError as error:
            yield error


def _parquet_entries(data: bytes, key: str) -> Entries:
    """The entries of a manifest of format version 4, as rows of the same fields."""
    parquet = read_parquet_manifest(data, source=key, wanted=_WANTED)
    rows: list[record_scanning.Row] = [
        (
            one.status,
            (
                one.file.file_path,
                tuple(one.file.partition),
                one.file.record_count,
                one.file.file_size_bytes,
                one.file.content,
            ),
        )
        for one in parquet_manifest_from(parquet, source=key).entries
    ]
    inner = {number: place for place, number in enumerate((_PATH, _PARTITION, _ROWS, _BYTES, _CONTENT))}
    return Entries(rows=rows, places={_STATUS: 0, _FILE: 1}, inner=inner)


def _entries(container: PackedContainer, key: str) -> Entries:
    try:
        scanner, inner = _scanner(container.header.get("avro.schema", b""), "iceberg.schema" in container.header)
    except IcebergFileError as error:
        raise IcebergFileError(key, error.problem) from error
    items, rows = record_scanning.allowed_items(container.file_bytes), list[record_scanning.Row]()
    for block in inflated_blocks(container):
        scanned = record_scanning.scan_records(block.raw, scanner, source=key, items=items, records=block.record_count)
        if len(scanned.rows) != block.record_count:
            raise IcebergFileError(
                key, f"has a block of {len(scanned.rows)} records that announces {block.record_count}"
            )
        rows += scanned.rows
    return Entries(rows=rows, places=scanner.places, inner=inner)


# Hundreds of manifests of a table share their schema, and checking it would cost more than their entries.
@lru_cache(maxsize=64)
def _scanner(avro_schema: bytes, is_java: bool) -> tuple[record_scanning.Scanner, Mapping[int, int]]:
    """How the entries of a manifest are read, and the places of the data file's own fields."""
    header = {"avro.schema": avro_schema} | ({"iceberg.schema": b""} if is_java else {})
    record = entry_record(header, source="")
    file = field_of(record, _FILE)
    inner = record_scanning.field_positions(file, _WANTED) if isinstance(file, AvroRecord) else {}
    return record_scanning.record_scanner(record, _WANTED), inner


def _add(
    content: ContentFiles, entries: Entries, places: Places, index: ManifestIndex, manifest: int, *, is_live: bool
) -> None:
    last_seen, spec_id = index.last_seen(manifest), index.manifests[manifest].partition_spec_id
    status_at, file_at = entries.places[_STATUS], entries.places[_FILE]
    path_at, rows_at, bytes_at = (entries.inner[number] for number in (_PATH, _ROWS, _BYTES))
    content_at, partition_at = entries.inner.get(_CONTENT), entries.inner.get(_PARTITION)
    rows = [row for row in entries.rows if row[status_at] != Status.DELETED]
    content.held[manifest] = len(rows)
    for row in rows:
        file = row[file_at]
        if not isinstance(file, tuple):
            continue
        is_data = content_at is None or file[content_at] in (None, FileContent.DATA)
        key = places.key(str(file[path_at]))
        place = content.places.get(key)
        if place is None:
            content.places[key] = len(content.bytes)
            content.bytes.append(_whole(file[bytes_at]))
            content.rows.append(_whole(file[rows_at]))
            content.kinds.append(Kind.DATA if is_data else Kind.DELETE_FILE)
            content.manifests.append(manifest)
            content.last_seen.append(last_seen)
            content.is_live.append(is_live)
            partition = (spec_id, None if partition_at is None else file[partition_at])
            content.partitions.append(content.partition_places.setdefault(partition, len(content.partition_places)))
        else:
            content.others.setdefault(place, []).append(manifest)
            content.last_seen[place] = max(content.last_seen[place], last_seen)
            content.is_live[place] = content.is_live[place] or is_live


def _sound(entries: Entries, key: str) -> Entries:
    """The entries, if none has a size below zero, with which sums would come out too small."""
    files = [file for row in entries.rows if isinstance(file := row[entries.places[_FILE]], tuple)]
    for number, what in ((_BYTES, "bytes"), (_ROWS, "rows")):
        at = entries.inner[number]
        least = min((_whole(file[at]) for file in files), default=0)
        if least < 0:
            raise IcebergFileError(key, f"has a data file of {least} {what}")
    return entries


def _whole(value: record_scanning.Value) -> int:
    return value if isinstance(value, int) else 0


def is_whole(manifest: ManifestFile, entries: Entries, stored: StoredFile | None, key: str, faults: Faults) -> bool:
    """Whether the entries are as many as the list says: one that was cut short at a block's end reads well."""
    listed = (manifest.existing_files_count, manifest.added_files_count, manifest.deleted_files_count)
    if None in listed:
        return stored is not None and stored.size_bytes == manifest.manifest_length
    statuses = [row[entries.places[_STATUS]] for row in entries.rows]
    found = tuple(map(statuses.count, (Status.EXISTING, Status.ADDED, Status.DELETED)))
    if found == listed:
        return True
    faults.add(
        FaultKind.WRONG_COUNT,
        f"{key}: holds {found[0]} existing, {found[1]} added and {found[2]} deleted entries; its list says "
        f"{listed[0]}, {listed[1]} and {listed[2]}",
    )
    return sum(found) >= sum(one or 0 for one in listed)
