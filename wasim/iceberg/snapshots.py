"""The parts of a table's metadata that grow: snapshots and the ways they change files, refs, statistics, logs."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from wasim.iceberg.json_text import (
    NUMBER,
    NUMBERS,
    OPTIONAL_NUMBER,
    OPTIONAL_TEXT,
    TEXT,
    TEXTS_BY_KEY,
    Form,
    JsonFields,
    json_array,
    json_object,
    json_text_map,
    quote,
)

_DIGITS_OF_LONG = 19
_END_MS = 253_402_300_800_000  # of the year 9999


def is_stamp(timestamp_ms: int) -> bool:
    """Whether these are milliseconds since the epoch, as the specification has them: microseconds lie beyond."""
    return 0 <= timestamp_ms < _END_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One commit. The summary leaves the operation out; its keys keep the writer's order."""

    snapshot_id: int
    timestamp_ms: int
    manifest_list: str | None = None
    parent_snapshot_id: int | None = None
    sequence_number: int = 0
    operation: str | None = None
    summary: Mapping[str, str] | None = None
    manifests: tuple[str, ...] = ()
    schema_id: int | None = None
    first_row_id: int | None = None
    added_rows: int | None = None
    key_id: str | None = None

    @property
    def adds_data(self) -> bool:
        """Whether the commit brought data files, and did not write old ones anew."""
        return self.operation != "replace" and bool(self.count_of("added-data-files"))

    @property
    def changes_rows(self) -> bool:
        """Whether the commit took data files out, or brought delete files, and not to write the same rows anew."""
        keys = ("deleted-data-files", "added-delete-files")
        return self.operation != "replace" and any(self.count_of(key) for key in keys)

    def count_of(self, key: str) -> int | None:
        """A count of the summary; None where there is none, or where it is no number that a Java long holds."""
        text = (self.summary or {}).get(key, "")
        return int(text) if text.isdecimal() and len(text) < _DIGITS_OF_LONG else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRef:
    """A branch or tag."""

    snapshot_id: int
    type: str = "branch"
    min_snapshots_to_keep: int | None = None
    max_snapshot_age_ms: int | None = None
    max_ref_age_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobMetadata:
    """One blob of a statistics file."""

    type: str
    snapshot_id: int
    sequence_number: int
    fields: tuple[int, ...]
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsFile:
    """A Puffin file of table statistics."""

    snapshot_id: int
    statistics_path: str
    file_size_bytes: int
    file_footer_size_bytes: int
    blob_metadata: tuple[BlobMetadata, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionStatisticsFile:
    """A file of statistics by partition."""

    snapshot_id: int
    statistics_path: str
    file_size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotLogEntry:
    """When main came to point at a snapshot."""

    timestamp_ms: int
    snapshot_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataLogEntry:
    """An earlier metadata.json."""

    timestamp_ms: int
    metadata_file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptedKey:
    """A key of table encryption; its bytes stay in base 64."""

    key_id: str
    encrypted_key_metadata: str
    encrypted_by_id: str | None = None
    properties: Mapping[str, str]


def snapshot_json(snapshot: Snapshot) -> str:
    """The snapshot as `SnapshotParser` writes it. It never changes after its commit, so a long history may keep it."""
    number, listed = OPTIONAL_NUMBER.text, snapshot.manifest_list
    summary = {"operation": snapshot.operation or ""} | dict(snapshot.summary or {})
    members = {
        "sequence-number": str(snapshot.sequence_number) if snapshot.sequence_number > 0 else None,
        "snapshot-id": str(snapshot.snapshot_id),
        "parent-snapshot-id": number(snapshot.parent_snapshot_id),
        "timestamp-ms": str(snapshot.timestamp_ms),
        "summary": None if snapshot.operation is None else json_text_map(summary),
        "manifest-list": None if listed is None else quote(listed),
        "manifests": json_array(map(quote, snapshot.manifests)) if listed is None else None,
        "schema-id": number(snapshot.schema_id),
        "first-row-id": number(snapshot.first_row_id),
        "added-rows": number(snapshot.added_rows),
        "key-id": OPTIONAL_TEXT.text(snapshot.key_id),
    }
    return json_object([(key, text) for key, text in members.items() if text is not None])


def snapshot_from(fields: JsonFields) -> Snapshot:
    """The snapshot in an object already parsed; a summary without operation is dropped, as Java drops it."""
    summary = fields.text_map("summary") if fields.has("summary") else None
    operation = summary.pop("operation", None) if summary else None
    return fields.made(
        Snapshot(
            snapshot_id=fields.integer("snapshot-id"),
            timestamp_ms=fields.integer("timestamp-ms"),
            manifest_list=fields.optional_text("manifest-list"),
            parent_snapshot_id=fields.optional_integer("parent-snapshot-id"),
            sequence_number=fields.integer_or("sequence-number", 0),
            operation=operation,
            summary=summary,
            manifests=fields.texts("manifests"),
            schema_id=fields.optional_integer("schema-id"),
            first_row_id=fields.optional_integer("first-row-id"),
            added_rows=fields.optional_integer("added-rows"),
            key_id=fields.optional_text("key-id"),
        )
    )


REF = Form(
    SnapshotRef,
    {
        "snapshot-id": NUMBER,
        "type": TEXT,
        "min-snapshots-to-keep": OPTIONAL_NUMBER,
        "max-snapshot-age-ms": OPTIONAL_NUMBER,
        "max-ref-age-ms": OPTIONAL_NUMBER,
    },
)
_BLOB = Form(
    BlobMetadata,
    {"type": TEXT, "snapshot-id": NUMBER, "sequence-number": NUMBER, "fields": NUMBERS, "properties": TEXTS_BY_KEY},
)
STATISTICS = Form(
    StatisticsFile,
    {
        "snapshot-id": NUMBER,
        "statistics-path": TEXT,
        "file-size-in-bytes": NUMBER,
        "file-footer-size-in-bytes": NUMBER,
        "blob-metadata": _BLOB.each,
    },
)
statistics_json = STATISTICS.json
PARTITION_STATISTICS = Form(
    PartitionStatisticsFile, {"snapshot-id": NUMBER, "statistics-path": TEXT, "file-size-in-bytes": NUMBER}
)
ENCRYPTED_KEY = Form(
    EncryptedKey,
    {"key-id": TEXT, "encrypted-key-metadata": TEXT, "encrypted-by-id": OPTIONAL_TEXT, "properties": TEXTS_BY_KEY},
)


SNAPSHOT_LOG_ENTRY = Form(SnapshotLogEntry, {"timestamp-ms": NUMBER, "snapshot-id": NUMBER})
METADATA_LOG_ENTRY = Form(MetadataLogEntry, {"timestamp-ms": NUMBER, "metadata-file": TEXT})


class Way(StrEnum):
    """By which of them files come and go."""

    APPEND = "append"
    DELETE_FILES = "delete_files"  # of all whose rows meet a filter
    OVERWRITE_FILES = "overwrite_files"  # copy-on-write
    OVERWRITE_ALL = "overwrite_all"  # by a filter that every row meets
    REPLACE_PARTITIONS = "replace_partitions"
    ROW_DELTA = "row_delta"  # merge-on-read
    REWRITE_FILES = "rewrite_files"  # compaction
