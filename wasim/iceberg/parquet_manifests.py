"""Manifests of format version 4 as Iceberg 1.12 has it: the entries of version 3, in Parquet instead of Avro.

The format is unfinished. For Iceberg, Parquet's Java library writes these files; here Arrow does, with the same pages,
encodings and codec. Arrow's footers are longer, by what was measured on real files: docs/decisions/0023-format-v4.md.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wasim.iceberg.containers import Limits
from wasim.iceberg.faults import IcebergFileError
from wasim.iceberg.manifest_entries import ManifestContent, ManifestEntry
from wasim.iceberg.record_fields import entry_struct
from wasim.iceberg.schemas import ListType, MapType, NestedField, PrimitiveType, Schema, StructType, Type, schema_json
from wasim.iceberg.specs import PartitionSpec, partition_type, spec_fields_json

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET_SINCE = 4
"""The format version from which manifests are Parquet."""
PARQUET_MAGIC = b"PAR1"
# Bytes by which Arrow's footers and page indexes are longer than Java's, ± 20: of one entry (shorter, in fact), of more
# by content, and for each partition field
_LONGER_OF_ONE, _LONGER_PER_FIELD = -72, 58
_LONGER = {ManifestContent.DATA: 283, ManifestContent.DELETES: 132}

_PARTITION = 102  # number of an entry's partition
_GZIP_LEVEL = 6  # of Java's codec for Parquet
_FIELD_ID = "PARQUET:field_id"
_FIXED_WIDTHS = {"int": 4, "long": 8, "boolean": 1, "date": 4, "time": 8, "float": 4, "double": 8, "uuid": 16}
_ATTRIBUTES = {
    0: "status",
    1: "snapshot_id",
    3: "sequence_number",
    4: "file_sequence_number",
    134: "content",
    100: "file_path",
    101: "file_format",
    103: "record_count",
    104: "file_size_bytes",
    108: "column_sizes",
    109: "value_counts",
    110: "null_value_counts",
    137: "nan_value_counts",
    125: "lower_bounds",
    128: "upper_bounds",
    131: "key_metadata",
    132: "split_offsets",
    135: "equality_ids",
    140: "sort_order_id",
    142: "first_row_id",
    143: "referenced_data_file",
    144: "content_offset",
    145: "content_size_bytes",
}


def parquet_manifest_length(
    schema: Schema, spec: PartitionSpec, content: ManifestContent, entries: Sequence[ManifestEntry]
) -> int:
    """Bytes of the manifest that Iceberg writes for these entries, within half a per cent."""
    longer = _LONGER[content] if len(entries) > 1 else _LONGER_OF_ONE
    longer += _LONGER_PER_FIELD * len(spec.fields)
    return len(parquet_manifest_bytes(schema, spec, content, entries)) - longer


def parquet_manifest_bytes(
    schema: Schema, spec: PartitionSpec, content: ManifestContent, entries: Sequence[ManifestEntry]
) -> bytes:
    """A manifest of these entries, as Arrow writes it."""
    import pyarrow as pa  # noqa: PLC0415 - all else here starts faster without it
    import pyarrow.parquet as pq  # noqa: PLC0415

    partition = partition_type(spec, schema)
    arrow = _arrow_schema(partition)
    table = pa.Table.from_pylist([_row(entry, partition) for entry in entries], schema=arrow)
    sink = io.BytesIO()
    with pq.ParquetWriter(
        sink,
        arrow,
        version="1.0",
        compression="gzip",
        compression_level=_GZIP_LEVEL,
        use_dictionary=_dictionaries(entries, partition),
        write_page_index=True,
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        if entries:
            writer.write_table(table)
        writer.add_key_value_metadata(_texts(schema, spec, content))
    return sink.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetManifest:
    """A Parquet manifest taken apart: the texts of its footer, its entries as Avro's decoder gives them, by the numbers
    of their fields (`f0`, `f2` …), the numbers of an entry's and its file's fields, and those of the partition's.
    """

    header: Mapping[str, bytes]
    rows: list[dict[str, Any]]
    field_ids: frozenset[int]
    partition_ids: tuple[int, ...]
    codec: str


def read_parquet_manifest(data: bytes, *, source: str, limits: Limits) -> ParquetManifest:
    """The manifest in a Parquet file; IcebergFileError when it is anything else, or would take more than the limits."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        file = pq.ParquetFile(pa.BufferReader(data), thrift_string_size_limit=limits.header_bytes)
        footer = file.metadata
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        values = sum(group.column(number).num_values for group in groups for number in range(footer.num_columns))
        raw = max(values, sum(group.total_byte_size for group in groups))  # a value may take less than a bit
        if footer.num_rows > limits.records_of(len(data)) or raw > limits.raw_bytes_of(len(data)):
            raise IcebergFileError(source, "holds more entries or bytes than a manifest of its size")
        table = file.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise IcebergFileError(source, "is no Parquet file that can be read") from error
    schema = table.schema
    entries = [
        {_key(field): _by_number(value, field.type) for field, value in zip(schema, row.values(), strict=True)}
        for row in table.to_pylist()
    ]
    codec = groups[0].column(0).compression.lower() if groups else "gzip"
    texts = {key.decode(errors="replace"): value for key, value in (footer.metadata or {}).items()}
    return ParquetManifest(
        header=texts,
        rows=entries,
        field_ids=frozenset((*_numbers(schema), *_numbers(_fields_numbered(schema, 2)))),
        partition_ids=tuple(_numbers(_fields_numbered(_fields_numbered(schema, 2), _PARTITION))),
        codec=codec,
    )


def _key(field: "pa.Field") -> str:
    number = (field.metadata or {}).get(_FIELD_ID.encode(), b"-1")
    return f"f{int(number)}"


def _by_number(value: Any, kind: "pa.DataType") -> Any:  # noqa: ANN401  of the type
    import pyarrow as pa  # noqa: PLC0415

    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {_key(field): _by_number(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        return [{_key(kind.key_field): key, _key(kind.item_field): item} for key, item in value]
    return _as_avro_has_it(value)


def _as_avro_has_it(value: Any) -> Any:  # noqa: ANN401  of any type
    """Days of a date, microseconds of a time, the unscaled bytes of a decimal."""
    match value:
        case datetime():
            since = value.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
            return since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds
        case date():
            return (value - date(1970, 1, 1)).days
        case Decimal():
            unscaled = int(value.scaleb(-int(value.as_tuple().exponent)))
            return unscaled.to_bytes((unscaled + (unscaled < 0)).bit_length() // 8 + 1, "big", signed=True)
        case _:
            return value


def _numbers(fields: Iterable["pa.Field"]) -> Iterator[int]:
    return (int(_key(field)[1:]) for field in fields)


def _fields_numbered(fields: Iterable["pa.Field"], number: int) -> Iterable["pa.Field"]:
    """The fields of the struct with this number; none if there is no such struct."""
    import pyarrow as pa  # noqa: PLC0415

    found = next((field for field in fields if _key(field) == f"f{number}"), None)
    return tuple(found.type) if found is not None and pa.types.is_struct(found.type) else ()


@lru_cache(maxsize=64)
def _texts(schema: Schema, spec: PartitionSpec, content: ManifestContent) -> Mapping[str, str]:
    struct = entry_struct(PARQUET_SINCE, partition_type(spec, schema))
    return {
        "schema": schema_json(schema),
        "partition-spec": spec_fields_json(spec),
        "partition-spec-id": str(spec.spec_id),
        "format-version": str(PARQUET_SINCE),
        "content": content.value,
        "iceberg.schema": schema_json(Schema(columns=struct.fields)),
    }


@lru_cache(maxsize=64)
def _arrow_schema(partition: StructType) -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415

    return pa.schema([_arrow_field(field) for field in entry_struct(PARQUET_SINCE, partition).fields])


def _arrow_field(field: NestedField) -> "pa.Field":
    return _numbered(field.name, field.type, field.field_id, required=field.required)


def _numbered(name: str, kind: Type, field_id: int, *, required: bool) -> "pa.Field":
    import pyarrow as pa  # noqa: PLC0415

    return pa.field(name, _arrow_type(kind), nullable=not required, metadata={_FIELD_ID: str(field_id)})


def _arrow_type(kind: Type) -> "pa.DataType":
    import pyarrow as pa  # noqa: PLC0415

    match kind:
        case StructType():
            return pa.struct([_arrow_field(field) for field in kind.fields])
        case ListType():
            return pa.list_(_numbered("element", kind.element, kind.element_id, required=kind.element_required))
        case MapType():
            key = _numbered("key", kind.key, kind.key_id, required=True)
            return pa.map_(key, _numbered("value", kind.value, kind.value_id, required=kind.value_required))
        case PrimitiveType():
            return _arrow_primitive(kind.name)


def _arrow_primitive(name: str) -> "pa.DataType":
    """Partition values are stored as what an entry holds of them: numbers of dates and times, bytes of decimals."""
    import pyarrow as pa  # noqa: PLC0415

    plain = {
        "boolean": pa.bool_(),
        "int": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "string": pa.string(),
    }
    if name.startswith(("time", "timestamp")):
        return pa.int64()
    return plain.get(name, pa.binary())


def _row(entry: ManifestEntry, partition: StructType) -> dict[str, Any]:
    *head, file = entry_struct(PARQUET_SINCE, partition).fields
    values = {field.name: getattr(entry, _ATTRIBUTES[field.field_id]) for field in head}
    return {**values, file.name: {field.name: _value(entry, field, partition) for field in _fields_of(file)}}


def _fields_of(field: NestedField) -> tuple[NestedField, ...]:
    return field.type.fields if isinstance(field.type, StructType) else ()


def _value(entry: ManifestEntry, field: NestedField, partition: StructType) -> Any:  # noqa: ANN401  of the field's type
    if field.field_id == _PARTITION:
        return dict(zip([one.name for one in partition.fields], entry.file.partition, strict=True))
    value = getattr(entry.file, _ATTRIBUTES[field.field_id])
    return list(value.items()) if isinstance(value, Mapping) else value


def _dictionaries(entries: Sequence[ManifestEntry], partition: StructType) -> list[str]:
    """The columns that Java gives a dictionary: where it and what refers to it take less than the values alone."""
    return [path for path, width, values in _leaves(entries, partition) if _is_worth_it(values, width)]


def _is_worth_it(values: Sequence[Any], width: int) -> bool:
    if not values:
        return False
    different = set(values)

    def plain(some: Any) -> int:  # noqa: ANN401
        return width * len(some) if width else sum(4 + len(one) for one in some)

    bits = max(1, (len(different) - 1).bit_length())
    references = 3 if len(different) == 1 else 2 + bits * -(-len(values) // 8)
    return plain(different) + references < plain(values)


def _leaves(entries: Sequence[ManifestEntry], partition: StructType) -> Iterator[tuple[str, int, list[Any]]]:
    """Primitive columns by their paths, with the width of their values (0 of texts and bytes) and all but nulls."""
    *head, file = entry_struct(PARQUET_SINCE, partition).fields
    for field in head:
        found = [getattr(entry, _ATTRIBUTES[field.field_id]) for entry in entries]
        yield field.name, _width(field.type), [value for value in found if value is not None]
    for field in _fields_of(file):
        path = f"{file.name}.{field.name}"
        if field.field_id == _PARTITION:
            for place, part in enumerate(partition.fields):
                found = [entry.file.partition[place] for entry in entries]
                yield f"{path}.{part.name}", _width(part.type), [value for value in found if value is not None]
            continue
        found = [getattr(entry.file, _ATTRIBUTES[field.field_id]) for entry in entries]
        given = [value for value in found if value is not None]
        match field.type:
            case MapType(key=key, value=value_type):
                yield f"{path}.key_value.key", _width(key), [key for one in given for key in one]
                yield f"{path}.key_value.value", _width(value_type), [value for one in given for value in one.values()]
            case ListType(element=element):
                yield f"{path}.list.element", _width(element), [value for one in given for value in one]
            case _:
                yield path, _width(field.type), given


def _width(kind: Type) -> int:
    name = kind.name if isinstance(kind, PrimitiveType) else ""
    return 8 if name.startswith("timestamp") else _FIXED_WIDTHS.get(name, 0)
