"""metadata.json: read from any writer, pretty-printed or compact, and written as `TableMetadataParser` writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wasim.errors import IcebergFileError, UnsupportedFile
from wasim.iceberg import json_text
from wasim.iceberg.codecs import MOST_JSON_BYTES, decompressed
from wasim.iceberg.record_fields import FORMAT_VERSIONS
from wasim.iceberg.releases import (
    COMPACT_JSON_SINCE,
    NEWEST,
    PARTITION_STATISTICS_SINCE,
    REFS_SINCE,
    STATISTICS_SINCE,
    Release,
)
from wasim.iceberg.schemas import Schema, schema_from, schema_json
from wasim.iceberg.snapshots import (
    ENCRYPTED_KEY,
    METADATA_LOG_ENTRY,
    PARTITION_STATISTICS,
    REF,
    SNAPSHOT_LOG_ENTRY,
    STATISTICS,
    EncryptedKey,
    MetadataLogEntry,
    PartitionStatisticsFile,
    Snapshot,
    SnapshotLogEntry,
    SnapshotRef,
    StatisticsFile,
    snapshot_from,
    snapshot_json,
)
from wasim.iceberg.specs import (
    SORT_ORDER,
    PartitionSpec,
    SortOrder,
    spec_fields_from,
    spec_fields_json,
    spec_from,
    spec_json,
)

_NO_SNAPSHOT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMetadata:
    """A table's metadata. `unknown_fields` holds what Iceberg 1.12 does not know, by its place in the file."""

    format_version: int
    table_uuid: str | None
    location: str
    last_updated_ms: int
    last_column_id: int
    schemas: tuple[Schema, ...]
    current_schema_id: int
    partition_specs: tuple[PartitionSpec, ...]
    default_spec_id: int
    last_partition_id: int
    sort_orders: tuple[SortOrder, ...]
    default_sort_order_id: int
    properties: Mapping[str, str]
    last_sequence_number: int = 0
    current_snapshot_id: int | None = None
    next_row_id: int = 0
    encryption_keys: tuple[EncryptedKey, ...] = ()
    refs: Mapping[str, SnapshotRef]
    snapshots: tuple[Snapshot, ...] = ()
    statistics: tuple[StatisticsFile, ...] = ()
    partition_statistics: tuple[PartitionStatisticsFile, ...] = ()
    snapshot_log: tuple[SnapshotLogEntry, ...] = ()
    metadata_log: tuple[MetadataLogEntry, ...] = ()
    unknown_fields: tuple[tuple[str, json_text.Json], ...] = ()

    def current_schema(self) -> Schema:
        """The schema in force; ValueError if the file names one that it does not hold."""
        return next(schema for schema in self.schemas if schema.schema_id == self.current_schema_id)

    def default_spec(self) -> PartitionSpec:
        """The partition spec in force."""
        return next(spec for spec in self.partition_specs if spec.spec_id == self.default_spec_id)


def render_metadata_json(
    metadata: TableMetadata, *, snapshot_texts: Sequence[str] | None = None, release: Release = NEWEST
) -> str:
    """The JSON text. Whoever writes a long history passes its snapshots' `snapshot_json` texts, rendered once each."""
    text = _compact_metadata_json(metadata, snapshot_texts, release)
    return text if release >= COMPACT_JSON_SINCE else json_text.pretty_json(text)


def _compact_metadata_json(metadata: TableMetadata, snapshot_texts: Sequence[str] | None, release: Release) -> str:
    version, current = metadata.format_version, metadata.current_snapshot_id
    keys = metadata.encryption_keys
    snapshots = map(snapshot_json, metadata.snapshots) if snapshot_texts is None else snapshot_texts
    members = {
        "format-version": str(version),
        "table-uuid": "null" if metadata.table_uuid is None else json_text.quote(metadata.table_uuid),
        "location": json_text.quote(metadata.location),
        "last-sequence-number": str(metadata.last_sequence_number) if version > 1 else None,
        "last-updated-ms": str(metadata.last_updated_ms),
        "last-column-id": str(metadata.last_column_id),
        # For older readers, v1 repeats the schema and the spec in force.
        "schema": schema_json(metadata.current_schema()) if version == 1 else None,
        "current-schema-id": str(metadata.current_schema_id),
        "schemas": json_text.json_array(map(schema_json, metadata.schemas)),
        "partition-spec": spec_fields_json(metadata.default_spec()) if version == 1 else None,
        "default-spec-id": str(metadata.default_spec_id),
        "partition-specs": json_text.json_array(map(spec_json, metadata.partition_specs)),
        "last-partition-id": str(metadata.last_partition_id),
        "default-sort-order-id": str(metadata.default_sort_order_id),
        "sort-orders": json_text.json_array(map(SORT_ORDER.json, metadata.sort_orders)),
        "properties": json_text.json_text_map(metadata.properties),
        "current-snapshot-id": str(current) if current is not None else "null" if version > 2 else str(_NO_SNAPSHOT),
        "next-row-id": str(metadata.next_row_id) if version > 2 else None,
        "encryption-keys": json_text.json_array(map(ENCRYPTED_KEY.json, keys)) if keys else None,
        "refs": json_text.json_object((name, REF.json(ref)) for name, ref in metadata.refs.items()),
        "snapshots": json_text.json_array(snapshots),
        "statistics": json_text.json_array(map(STATISTICS.json, metadata.statistics)),
        "partition-statistics": json_text.json_array(map(PARTITION_STATISTICS.json, metadata.partition_statistics)),
        "snapshot-log": json_text.json_array(map(snapshot_log_entry_json, metadata.snapshot_log)),
        "metadata-log": json_text.json_array(map(metadata_log_entry_json, metadata.metadata_log)),
    }
    since = {"refs": REFS_SINCE, "statistics": STATISTICS_SINCE, "partition-statistics": PARTITION_STATISTICS_SINCE}
    return json_text.json_object(
        (key, text) for key, text in members.items() if text is not None and release >= since.get(key, release)
    )


def snapshot_log_entry_json(entry: SnapshotLogEntry) -> str:
    """An entry of the snapshot log as compact JSON."""
    return f'{{"timestamp-ms":{entry.timestamp_ms},"snapshot-id":{entry.snapshot_id}}}'


def metadata_log_entry_json(entry: MetadataLogEntry) -> str:
    """An entry of the metadata log as compact JSON."""
    return f'{{"timestamp-ms":{entry.timestamp_ms},"metadata-file":{json_text.quote(entry.metadata_file)}}}'


def read_metadata_json(data: bytes, *, source: str) -> TableMetadata:
    """The table metadata in a file, compressed or not; IcebergFileError when it is anything else."""
    text = decompressed(data, source=source)
    if len(text) > MOST_JSON_BYTES:
        raise IcebergFileError(source, f"is larger than {MOST_JSON_BYTES} bytes")
    unknown: list[tuple[str, json_text.Json]] = []
    fields = json_text.JsonFields(json_text.read_json(text, source=source), where="", source=source, unknown=unknown)
    try:
        return _metadata_from(fields, unknown)
    except RecursionError as error:
        raise IcebergFileError(source, "nests a schema too deeply to be Iceberg's") from error


def _version_from(fields: json_text.JsonFields) -> int:
    for key in ("view-uuid", "function-uuid"):
        if fields.has(key):
            raise UnsupportedFile(fields.source, f"is the metadata of a {key.removesuffix('-uuid')}, not of a table")
    version = fields.integer("format-version")
    if version not in FORMAT_VERSIONS:
        raise UnsupportedFile(fields.source, f"format-version is {version}; 1, 2, 3 and 4 are known")
    return version


def _metadata_from(fields: json_text.JsonFields, unknown: list[tuple[str, json_text.Json]]) -> TableMetadata:
    version = _version_from(fields)
    schemas, current_schema_id = _schemas_from(fields, version)
    specs, default_spec_id = _specs_from(fields, version)
    last_field_id = max((field.field_id for spec in specs for field in spec.fields), default=999)
    current = fields.optional_integer("current-snapshot-id")
    current = None if current == _NO_SNAPSHOT else current
    metadata = TableMetadata(
        format_version=version,
        table_uuid=fields.optional_text("table-uuid"),
        location=fields.text("location"),
        last_sequence_number=fields.integer("last-sequence-number") if version > 1 else 0,
        last_updated_ms=fields.integer("last-updated-ms"),
        last_column_id=fields.integer("last-column-id"),
        schemas=schemas,
        current_schema_id=current_schema_id,
        partition_specs=specs,
        default_spec_id=default_spec_id,
        last_partition_id=fields.integer_or("last-partition-id", last_field_id),
        sort_orders=tuple(map(SORT_ORDER.read, fields.objects("sort-orders"))) or (SortOrder(),),
        default_sort_order_id=fields.integer_or("default-sort-order-id", 0),
        properties=fields.text_map("properties"),
        current_snapshot_id=current,
        next_row_id=fields.integer_or("next-row-id", 0) if version > 2 else 0,
        encryption_keys=tuple(map(ENCRYPTED_KEY.read, fields.objects("encryption-keys"))),
        refs=_refs_from(fields, current),
        snapshots=tuple(map(snapshot_from, fields.objects("snapshots"))),
        statistics=tuple(map(STATISTICS.read, fields.objects("statistics"))),
        partition_statistics=tuple(map(PARTITION_STATISTICS.read, fields.objects("partition-statistics"))),
        snapshot_log=tuple(map(SNAPSHOT_LOG_ENTRY.read, fields.objects("snapshot-log"))),
        metadata_log=tuple(map(METADATA_LOG_ENTRY.read, fields.objects("metadata-log"))),
    )
    fields.made(metadata)
    return replace(metadata, unknown_fields=tuple(unknown)) if unknown else metadata


def _schemas_from(fields: json_text.JsonFields, version: int) -> tuple[tuple[Schema, ...], int]:
    # v1 alone repeats the schema in force, and before schemas had ids it held nothing else.
    takes_repeated = fields.has("schema") and (version == 1 or not fields.has("schemas"))
    repeated = schema_from(fields.object("schema")) if takes_repeated else None
    schemas = tuple(map(schema_from, fields.objects("schemas")))
    if not schemas and repeated:
        return (repeated,), repeated.schema_id
    if not fields.has("current-schema-id") and repeated:
        return schemas, repeated.schema_id
    current = fields.integer("current-schema-id")
    if all(schema.schema_id != current for schema in schemas):
        raise fields.wrong(f"is {current}, which no schema has", "current-schema-id")
    return schemas, current


def _specs_from(fields: json_text.JsonFields, version: int) -> tuple[tuple[PartitionSpec, ...], int]:
    takes_repeated = version == 1 or not fields.has("partition-specs")
    repeated = spec_fields_from(fields, "partition-spec") if takes_repeated else ()
    specs = tuple(map(spec_from, fields.objects("partition-specs")))
    if not specs:
        return (PartitionSpec(fields=repeated),), 0
    default = fields.integer_or("default-spec-id", 0)
    if all(spec.spec_id != default for spec in specs):
        raise fields.wrong(f"is {default}, which no partition spec has", "default-spec-id")
    return specs, default


def _refs_from(fields: json_text.JsonFields, current: int | None) -> dict[str, SnapshotRef]:
    if not fields.has("refs") and current is not None:
        return {"main": SnapshotRef(snapshot_id=current)}
    return {name: REF.read(ref) for name, ref in fields.members("refs")}
