"""The fields of manifest entries and of manifest-list records, per format version, in the order of writing.

Names, ids and docs are the spec's; together they are most of a small manifest's bytes. And what a manifest says of each
file: data or deletes, its place, sizes and column metrics.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import lru_cache
from typing import TypeAlias

from wasim.iceberg.avro_reader import FieldNames
from wasim.iceberg.avro_schemas import avro_schema
from wasim.iceberg.json_text import compact_json
from wasim.iceberg.releases import (
    LIST_KEY_METADATA_SINCE,
    LIST_SNAPSHOT_REQUIRED_SINCE,
    NEWEST,
    REFERENCED_FILE_SINCE,
    SHORT_COUNT_NAMES_SINCE,
    Release,
)
from wasim.iceberg.schemas import ListType, MapType, NestedField, PrimitiveType, Schema, StructType, Type, schema_json

# As Avro holds it: days of a date, micros or nanos of a time, a decimal's unscaled bytes (big end first), a uuid's 16.
PartitionValue: TypeAlias = bool | int | float | str | bytes | None
FileKey: TypeAlias = tuple[str, int | None]  # path, and of a deletion vector its offset

V1_BLOCK_SIZE_BYTES = 64 << 20


class Status(IntEnum):
    """What a manifest says of a file."""

    EXISTING = 0
    ADDED = 1
    DELETED = 2


class FileContent(IntEnum):
    """What a file holds."""

    DATA = 0
    POSITION_DELETES = 1
    EQUALITY_DELETES = 2


class ManifestContent(Enum):
    """What kind of files a manifest lists; which its name does not say."""

    DATA = "data"
    DELETES = "deletes"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFileEntry:
    """A data or delete file as a manifest describes it. Metric maps keep the writer's order."""

    file_path: str
    record_count: int
    file_size_bytes: int
    content: int = FileContent.DATA
    file_format: str = "PARQUET"
    partition: tuple[PartitionValue, ...] = ()
    block_size_bytes: int = V1_BLOCK_SIZE_BYTES
    column_sizes: Mapping[int, int] | None = None
    value_counts: Mapping[int, int] | None = None
    null_value_counts: Mapping[int, int] | None = None
    nan_value_counts: Mapping[int, int] | None = None
    lower_bounds: Mapping[int, bytes] | None = None
    upper_bounds: Mapping[int, bytes] | None = None
    key_metadata: bytes | None = None
    split_offsets: tuple[int, ...] | None = None
    equality_ids: tuple[int, ...] | None = None
    sort_order_id: int | None = None
    first_row_id: int | None = None
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size_bytes: int | None = None


def key_of(file: DataFileEntry) -> FileKey:
    """What identifies a file: its path, and for a deletion vector its place in the Puffin file too."""
    return file.file_path, file.content_offset


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One file in a manifest. A None of snapshot id or sequence numbers is inherited from the manifest list."""

    status: int
    file: DataFileEntry
    snapshot_id: int | None = None
    sequence_number: int | None = None
    file_sequence_number: int | None = None


FORMAT_VERSIONS = (1, 2, 3, 4)
_BOOLEAN, _INT, _LONG = PrimitiveType("boolean"), PrimitiveType("int"), PrimitiveType("long")
_STRING, _BINARY = PrimitiveType("string"), PrimitiveType("binary")


def _field(field_id: int, name: str, type_: Type, doc: str | None = None, *, required: bool = False) -> NestedField:
    return NestedField(field_id=field_id, name=name, type=type_, doc=doc, required=required)


def _required(field_id: int, name: str, type_: Type, doc: str | None = None) -> NestedField:
    return _field(field_id, name, type_, doc, required=True)


def _map(key_id: int, value: PrimitiveType) -> MapType:
    return MapType(key_id=key_id, key=_INT, value_id=key_id + 1, value=value, value_required=True)


def _list(element_id: int, element: Type) -> ListType:
    return ListType(element_id=element_id, element=element, element_required=True)


_PARTITION_DOC = "Partition data tuple, schema based on the partition spec"
_FILE_CONTENT = _required(134, "content", _INT, "Contents of the file: 0=data, 1=position deletes, 2=equality deletes")
_FILE_HEAD = (
    _required(100, "file_path", _STRING, "Location URI with FS scheme"),
    _required(101, "file_format", _STRING, "File format name: avro, orc, or parquet"),
)
_FILE_SIZES = (
    _required(103, "record_count", _LONG, "Number of records in the file"),
    _required(104, "file_size_in_bytes", _LONG, "Total file size in bytes"),
)
# The spec: "Deprecated. Always write a default in v1." Iceberg writes 64 MiB.
_BLOCK_SIZE = _required(105, "block_size_in_bytes", _LONG)
_FILE_STATISTICS = (
    _field(108, "column_sizes", _map(117, _LONG), "Map of column id to total size on disk"),
    _field(109, "value_counts", _map(119, _LONG), "Map of column id to total count, including null and NaN"),
    _field(110, "null_value_counts", _map(121, _LONG), "Map of column id to null value count"),
    _field(137, "nan_value_counts", _map(138, _LONG), "Map of column id to number of NaN values in the column"),
    _field(125, "lower_bounds", _map(126, _BINARY), "Map of column id to lower bound"),
    _field(128, "upper_bounds", _map(129, _BINARY), "Map of column id to upper bound"),
    _field(131, "key_metadata", _BINARY, "Encryption key metadata blob"),
    _field(132, "split_offsets", _list(133, _LONG), "Splittable offsets"),
)
_EQUALITY_IDS = _field(135, "equality_ids", _list(136, _INT), "Equality comparison field IDs")
_SORT_ORDER_ID = _field(140, "sort_order_id", _INT, "Sort order ID")
# pyiceberg's: the first doc is another field's there
_PYTHON_FILE_CONTENT = (_required(134, "content", _INT, "File format name: avro, orc, or parquet"),)
_PYTHON_FILE_TAIL = (
    _field(
        135, "equality_ids", _list(136, _LONG), "Field ids used to determine row equality in equality delete files."
    ),
    _field(140, "sort_order_id", _INT, "ID representing sort order for this file"),
)
_FILE_ROW_ID = _field(142, "first_row_id", _LONG, "The first row ID assigned to the first row in the data file")
_REFERENCED = _field(
    143,
    "referenced_data_file",
    _STRING,
    "Fully qualified location (URI with FS scheme) of a data file that all deletes reference",
)
_CONTENT_RANGE = (
    _field(144, "content_offset", _LONG, "The offset in the file where the content starts"),
    _field(145, "content_size_in_bytes", _LONG, "The length of referenced content stored in the file"),
)

_SUMMARY = StructType(
    (
        _required(509, "contains_null", _BOOLEAN, "True if any file has a null partition value"),
        _field(518, "contains_nan", _BOOLEAN, "True if any file has a nan partition value"),
        _field(510, "lower_bound", _BINARY, "Partition lower bound for all files"),
        _field(511, "upper_bound", _BINARY, "Partition upper bound for all files"),
    )
)
_LIST_HEAD = (
    _required(500, "manifest_path", _STRING, "Location URI with FS scheme"),
    _required(501, "manifest_length", _LONG, "Total file size in bytes"),
    _required(502, "partition_spec_id", _INT, "Spec ID used to write"),
)
_LIST_SEQUENCE = (
    _required(517, "content", _INT, "Contents of the manifest: 0=data, 1=deletes"),
    _required(515, "sequence_number", _LONG, "Sequence number when the manifest was added"),
    _required(516, "min_sequence_number", _LONG, "Lowest sequence number in the manifest"),
)
_LIST_SNAPSHOT = _required(503, "added_snapshot_id", _LONG, "Snapshot ID that added the manifest")
_LIST_FILES = (
    _required(504, "added_files_count", _INT, "Added entry count"),
    _required(505, "existing_files_count", _INT, "Existing entry count"),
    _required(506, "deleted_files_count", _INT, "Deleted entry count"),
)
_LIST_ROWS = (
    _required(512, "added_rows_count", _LONG, "Added rows count"),
    _required(513, "existing_rows_count", _LONG, "Existing rows count"),
    _required(514, "deleted_rows_count", _LONG, "Deleted rows count"),
)
_LIST_PARTITIONS = _field(507, "partitions", _list(508, _SUMMARY), "Summary for each partition")
_LIST_KEY = _field(519, "key_metadata", _BINARY, "Encryption key metadata blob")
_LIST_ROW_ID = _field(520, "first_row_id", _LONG, "Starting row ID to assign to new rows in ADDED data files")


def entry_struct(format_version: int, partition: StructType, release: Release = NEWEST) -> StructType:
    """A manifest entry: status, ids and the data file, whose partition is typed by the spec."""
    head = [_required(0, "status", _INT), _field(1, "snapshot_id", _LONG)]
    if format_version > 1:
        head += [_field(3, "sequence_number", _LONG), _field(4, "file_sequence_number", _LONG)]
    return StructType((*head, _required(2, "data_file", _file_struct(format_version, partition, release))))


def _file_struct(format_version: int, partition: StructType, release: Release) -> StructType:
    # Iceberg documents the partition field in v2 and v3 only.
    partition_field = _required(102, "partition", partition, _PARTITION_DOC if format_version > 1 else None)
    if format_version == 1:
        middle = (*_FILE_HEAD, partition_field, *_FILE_SIZES, _BLOCK_SIZE, *_FILE_STATISTICS)
        return StructType((*middle, _SORT_ORDER_ID))
    # Parquet knows no struct without fields, and 1.12 leaves it out of version 4, in Avro too
    given = (partition_field,) if partition.fields or format_version < 4 else ()
    middle = (_FILE_CONTENT, *_FILE_HEAD, *given, *_FILE_SIZES, *_FILE_STATISTICS)
    if release.library == "python":
        documented = (*_PYTHON_FILE_CONTENT, *_FILE_HEAD, *given, *_FILE_SIZES, *_FILE_STATISTICS)
        return StructType((*documented, *_PYTHON_FILE_TAIL))
    if format_version == 2:
        referenced = (_REFERENCED,) if release >= REFERENCED_FILE_SINCE else ()
        return StructType((*middle, _EQUALITY_IDS, _SORT_ORDER_ID, *referenced))
    return StructType((*middle, _EQUALITY_IDS, _SORT_ORDER_ID, _FILE_ROW_ID, _REFERENCED, *_CONTENT_RANGE))


def manifest_file_struct(format_version: int, release: Release) -> StructType:
    """A record of a manifest list. v1 leaves the counts optional and puts the partitions before the rows.

    Before 1.8, v1 left the id of the adding snapshot optional too.
    """
    files = (
        _LIST_FILES
        if release >= SHORT_COUNT_NAMES_SINCE
        else tuple(replace(field, name=field.name.replace("_files_", "_data_files_")) for field in _LIST_FILES)
    )
    key = (_LIST_KEY,) if release >= LIST_KEY_METADATA_SINCE else ()
    if format_version == 1:
        snapshot = (_LIST_SNAPSHOT,) if release >= LIST_SNAPSHOT_REQUIRED_SINCE else _optional((_LIST_SNAPSHOT,))
        rows = _optional(_LIST_ROWS)
        return StructType((*_LIST_HEAD, *snapshot, *_optional(files), _LIST_PARTITIONS, *rows, *key))
    fields = (*_LIST_HEAD, *_LIST_SEQUENCE, _LIST_SNAPSHOT, *files, *_LIST_ROWS, _LIST_PARTITIONS, *key)
    return StructType(fields if format_version == 2 else (*fields, _LIST_ROW_ID))


def _optional(fields: tuple[NestedField, ...]) -> tuple[NestedField, ...]:
    return tuple(replace(field, required=False) for field in fields)


def named_fields(structs: Iterable[StructType]) -> FieldNames:
    """The id of each name in these structs and those within them."""
    found: dict[str, int] = {}
    todo: list[Type] = list(structs)
    while todo:
        match nested := todo.pop():
            case StructType():
                found |= {field.name: field.field_id for field in nested.fields}
                todo += [field.type for field in nested.fields]
            case ListType():
                todo.append(nested.element)
    return tuple(sorted(found.items()))


def attribute_of(name: str) -> str:
    """The attribute that holds a field: of the same name, but for units and for what former releases called it."""
    return "file" if name == "data_file" else name.replace("_in_bytes", "_bytes").replace("_data_files_", "_files_")


@lru_cache(maxsize=256)
def entry_schema_texts(format_version: int, partition: StructType, release: Release = NEWEST) -> tuple[str, str]:
    """The `avro.schema` and `iceberg.schema` of a manifest's header."""
    return _schema_texts(entry_struct(format_version, partition, release), "manifest_entry", release)


@lru_cache(maxsize=16)
def manifest_file_schema_texts(format_version: int, release: Release = NEWEST) -> tuple[str, str]:
    """The `avro.schema` and `iceberg.schema` of a manifest list's header."""
    struct = manifest_file_struct(format_version, release)
    if release.library == "python":
        # pyiceberg documents the first field alone
        summary = _list(508, StructType(tuple(replace(field, doc=None) for field in _SUMMARY.fields)))
        first, *rest = struct.fields
        types = (summary if field.field_id == 507 else field.type for field in rest)
        undocumented = (replace(field, doc=None, type=kind) for field, kind in zip(rest, types, strict=True))
        struct = StructType((first, *undocumented))
    return _schema_texts(struct, "manifest_file", release)


def _schema_texts(struct: StructType, name: str, release: Release) -> tuple[str, str]:
    avro = avro_schema(struct, name)
    # json.dumps leaves spaces; members stand in another order, which no size depends on
    text = json.dumps(avro) if release.library == "python" else compact_json(avro)
    return text, schema_json(Schema(columns=struct.fields))
