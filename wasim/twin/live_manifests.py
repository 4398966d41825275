"""Manifests of the simulated table: written from new files, or merged from others, byte for byte."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry, ManifestEntry, ManifestFile, ManifestHeader
from wasim.iceberg.containers import EncodedHeader, closed_blocks, container_bytes, encoded_header
from wasim.iceberg.manifest_lists import PartitionFieldSummary
from wasim.iceberg.manifests import entry_encoder, manifest_header_values
from wasim.iceberg.parquet_manifests import PARQUET_SINCE, parquet_manifest_length
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.record_encoding import Encoder
from wasim.iceberg.record_fields import FileKey, ManifestContent, Status, key_of
from wasim.iceberg.releases import MANIFEST_COUNTS_SINCE
from wasim.iceberg.schemas import NestedField
from wasim.iceberg.specs import partition_type
from wasim.ledger import Kind
from wasim.rules.merging import ROLLING_FILES, groups_of_new, rolls_at
from wasim.twin.bounds import decimal_bytes, single_value
from wasim.twin.identifiers import CommitIdentity

SYNC_BYTES = 16
_CODECS = {"gzip": "deflate", "uncompressed": "null", "snappy": "snappy", "zstd": "zstandard"}
DATA, DELETES = 0, 1  # content of a manifest, as lists number it


@dataclass(slots=True, kw_only=True)
class LiveEntry:
    """A file in a manifest. Once it is EXISTING its record never changes, and is kept."""

    file: DataFileEntry
    snapshot_id: int
    sequence_number: int
    file_sequence_number: int | None = None  # if it is another: of files that compaction wrote
    existing: bytes | None = None

    @property
    def key(self) -> FileKey:
        """The identity of its file."""
        return key_of(self.file)


@dataclass(slots=True, kw_only=True)
class LiveManifest:
    """A manifest that a snapshot lists. `removed` are the files of those entries that its own snapshot deleted."""

    file: ManifestFile
    entries: tuple[LiveEntry, ...]
    removed: frozenset[FileKey] = frozenset()
    record: bytes = b""  # as lists hold it, once one does

    def encoded(self, encode: Encoder) -> bytes:
        """What lists hold of it, made anew and kept."""
        self.record = encode(self.file)
        return self.record

    @property
    def live(self) -> tuple[LiveEntry, ...]:
        """Entries of files that are there."""
        if not self.removed:
            return self.entries
        return tuple(entry for entry in self.entries if entry.key not in self.removed)

    @property
    def has_deletes(self) -> bool:
        """Whether it lists delete files."""
        return self.file.content == DELETES

    @property
    def kind(self) -> Kind:
        """The kind of file that it is."""
        return Kind.DELETE_MANIFEST if self.has_deletes else Kind.DATA_MANIFEST

    @property
    def content_kind(self) -> Kind:
        """The kind of files that it lists."""
        return Kind.DELETE_FILE if self.has_deletes else Kind.DATA

    @property
    def listed_files(self) -> int:
        """How many of its entries name live files."""
        return (self.file.added_files_count or 0) + (self.file.existing_files_count or 0)


MergedBefore = dict[tuple[str, ...], LiveManifest]  # by the paths of the manifests that one was made of


@dataclass(frozen=True, kw_only=True)
class ManifestWriter:
    """Writes the manifests of one table. What derives from the header is cached here: a lookup by schema would hash it,
    which costs more than an entry.
    """

    header: ManifestHeader
    codec: str = "deflate"
    level: int | None = None  # Iceberg's for the codec
    always_avro: bool = False  # as Spark's rewrite_manifests writes, in tables of format version 4 too

    def with_properties(self, properties: TableProperties) -> "ManifestWriter":
        """The writer of the same table with other properties, which an older Iceberg does not know."""
        known = properties if self.header.release >= MANIFEST_COUNTS_SINCE else TableProperties()
        return replace(self, codec=_CODECS[known.manifest_compression], level=known.manifest_compression_level)

    @cached_property
    def _header(self) -> EncodedHeader:
        return encoded_header(manifest_header_values(self.header, self.codec))

    @cached_property
    def _partition_fields(self) -> tuple[NestedField, ...]:
        return partition_type(self.header.spec, self.header.schema).fields

    @cached_property
    def _encode(self) -> Encoder:
        header = self.header
        return entry_encoder(header.format_version, partition_type(header.spec, header.schema), header.release)

    @property
    def is_parquet(self) -> bool:
        """Whether its manifests are Parquet, whose sizes follow what was measured, and not Avro."""
        return self.header.format_version >= PARQUET_SINCE and not self.always_avro

    def _parquet_length(self, entries: Sequence[ManifestEntry]) -> int:
        header = self.header
        return parquet_manifest_length(header.schema, header.spec, header.content, entries)

    @property
    def empty_bytes(self) -> int:
        """Bytes of a manifest without any entry."""
        if self.is_parquet:
            return self._parquet_length([])
        return len(container_bytes(self._header, [], sync_marker=bytes(SYNC_BYTES), level=self.level))

    def write(
        self,
        path: str,
        entries: Sequence[LiveEntry],
        commit: CommitIdentity,
        rng: np.random.Generator,
        *,
        removed: frozenset[FileKey] = frozenset(),
    ) -> tuple[bytes | int, LiveManifest]:
        """A manifest of these entries, in order; entries of `removed` files are DELETED, those that `commit` added
        ADDED, the others EXISTING. Of one in Parquet nothing but its length is known.
        """
        data: bytes | int
        if self.is_parquet:
            version = self.header.format_version
            data = length = self._parquet_length([_stated(entry, commit, removed, version) for entry in entries])
        else:
            records = [self._record(entry, commit, removed) for entry in entries]
            data = container_bytes(self._header, records, sync_marker=rng.bytes(SYNC_BYTES), level=self.level)
            length = len(data)
        listed = self.listed(path, length, entries, commit, removed)
        return data, LiveManifest(file=listed, entries=tuple(entries), removed=removed)

    def parts(
        self, entries: Sequence[LiveEntry], commit: CommitIdentity, target_bytes: int
    ) -> list[Sequence[LiveEntry]]:
        """The entries of files that a commit adds, as manifests take them: in groups, each rolled at the target."""
        if self.header.release.library == "python":
            return [entries]
        size = -(-len(entries) // groups_of_new(len(entries)))
        groups = [entries[place : place + size] for place in range(0, len(entries), size)]
        return [part for group in groups for part in self._rolled(group, commit, target_bytes)]

    def _rolled(
        self, group: Sequence[LiveEntry], commit: CommitIdentity, target_bytes: int
    ) -> Iterator[Sequence[LiveEntry]]:
        if self.is_parquet or len(group) <= ROLLING_FILES:
            yield group
            return
        records = [self._record(entry, commit, frozenset()) for entry in group]
        start = 0
        while start < len(group):
            stop = rolls_at(closed_blocks(self._header, records[start:], level=self.level), target_bytes)
            yield group[start : None if stop is None else start + stop]
            start = len(group) if stop is None else start + stop

    def _record(self, entry: LiveEntry, commit: CommitIdentity, removed: frozenset[FileKey]) -> bytes:
        """The entry encoded; as EXISTING it is encoded once."""
        version = self.header.format_version
        if entry.snapshot_id == commit.snapshot_id or (removed and entry.key in removed):
            return self._encode(_stated(entry, commit, removed, version))
        if entry.existing is None:
            entry.existing = self._encode(_existing(entry, version))
        return entry.existing

    def listed(
        self,
        path: str,
        length: int,
        entries: Sequence[LiveEntry],
        commit: CommitIdentity,
        removed: frozenset[FileKey] = frozenset(),
    ) -> ManifestFile:
        """What lists say of a manifest of these entries and this length."""
        gone = [entry for entry in entries if entry.key in removed] if removed else []
        live = [entry for entry in entries if entry.key not in removed] if removed else entries
        added = [entry for entry in live if entry.snapshot_id == commit.snapshot_id]
        added_rows = _rows(added)
        has_sequence = self.header.format_version > 1
        # a manifest of deleted entries alone takes the number of its commit
        least = min((entry.sequence_number for entry in live), default=commit.sequence_number)
        return ManifestFile(
            manifest_path=path,
            manifest_length=length,
            partition_spec_id=self.header.spec.spec_id,
            added_snapshot_id=commit.snapshot_id,
            content=DELETES if self.header.content is ManifestContent.DELETES else DATA,
            min_sequence_number=least if has_sequence else 0,
            sequence_number=commit.sequence_number if has_sequence else 0,
            added_files_count=len(added),
            existing_files_count=len(live) - len(added),
            deleted_files_count=len(gone),
            added_rows_count=added_rows,
            existing_rows_count=_rows(live) - added_rows,
            deleted_rows_count=_rows(gone),
            partitions=self.summaries([entry.file.partition for entry in entries]),
        )

    def summaries(self, partitions: Sequence[Sequence[object]]) -> tuple[PartitionFieldSummary, ...]:
        """What lists say of a manifest of files in these partitions, a field at a time."""
        return tuple(
            PartitionFieldSummary(contains_null=False, contains_nan=False, lower_bound=low, upper_bound=high)
            for place, field in enumerate(self._partition_fields)
            for low, high in [
                partition_extremes([one[place] for one in partitions], str(getattr(field.type, "name", "")))
            ]
        )


def partition_extremes(values: Sequence[object], type_name: str) -> tuple[bytes, bytes]:
    """The least and the greatest of some partition values, as a manifest list has them."""
    kind = type_name.partition("(")[0]
    if kind == "decimal":
        numbers = [int.from_bytes(value, "big", signed=True) for value in values]  # type: ignore[arg-type]
        return decimal_bytes(min(numbers)), decimal_bytes(max(numbers))
    low, high = min(values), max(values)  # type: ignore[type-var]
    return single_value(type_name, low), single_value(type_name, high)


def _rows(entries: Sequence[LiveEntry]) -> int:
    return sum(entry.file.record_count for entry in entries)


def _stated(
    entry: LiveEntry, commit: CommitIdentity, removed: frozenset[FileKey], format_version: int
) -> ManifestEntry:
    """The entry as a manifest of the commit has it."""
    if removed and entry.key in removed:
        existing = _existing(entry, format_version)
        return replace(existing, status=Status.DELETED, snapshot_id=commit.snapshot_id)
    if entry.snapshot_id != commit.snapshot_id:
        return _existing(entry, format_version)
    # the number is inherited, but for what keeps the number of the files that it replaces
    explicit = entry.sequence_number if entry.file_sequence_number is not None else None
    return ManifestEntry(status=Status.ADDED, file=entry.file, snapshot_id=commit.snapshot_id, sequence_number=explicit)


def _existing(entry: LiveEntry, format_version: int) -> ManifestEntry:
    has_sequence = format_version > 1
    own = entry.sequence_number if entry.file_sequence_number is None else entry.file_sequence_number
    return ManifestEntry(
        status=Status.EXISTING,
        file=entry.file,
        snapshot_id=entry.snapshot_id,
        sequence_number=entry.sequence_number if has_sequence else None,
        file_sequence_number=own if has_sequence else None,
    )


def stamped(manifest: LiveManifest, commit: CommitIdentity) -> LiveManifest:
    """An own manifest of a commit as the list of its present attempt holds it, whose sequence number it takes."""
    file = manifest.file
    if file.sequence_number in (0, commit.sequence_number):
        return manifest
    least = min(file.min_sequence_number, commit.sequence_number)
    if file.min_sequence_number == file.sequence_number:  # nothing but the commit's own
        least = commit.sequence_number
    entries = tuple(
        replace(entry, sequence_number=commit.sequence_number, file=replace(entry.file, first_row_id=None))
        if entry.snapshot_id == commit.snapshot_id
        else entry
        for entry in manifest.entries
    )
    listed = replace(file, sequence_number=commit.sequence_number, min_sequence_number=least, first_row_id=None)
    return replace(manifest, file=listed, entries=entries, record=b"")


def assign_row_ids(manifest: LiveManifest, first_row_id: int) -> LiveManifest:
    """The manifest with its range of row ids (v3); its entries without one take theirs from it, in order."""
    row_id = first_row_id
    for entry in manifest.live:
        if entry.file.first_row_id is None:
            # What the manifest itself holds is null still; a rewrite of the entry writes it out.
            entry.file = replace(entry.file, first_row_id=row_id)
            row_id += entry.file.record_count
    return replace(manifest, file=replace(manifest.file, first_row_id=first_row_id), record=b"")


def refuse_rolling(new: ManifestFile, target_bytes: int) -> None:
    """When Iceberg begins another manifest in Parquet, nobody has measured."""
    files = new.added_files_count or 0
    if new.manifest_path.endswith(".parquet") and files > ROLLING_FILES and new.manifest_length >= target_bytes:
        raise WasimError(
            f"A commit of {files} files would write a manifest of {new.manifest_length} B in Parquet, more than its"
            f" target of {target_bytes} B, which is not simulated exactly. Give fewer files per commit, a larger"
            " commit.manifest.target-size-bytes, or --mode fast."
        )
