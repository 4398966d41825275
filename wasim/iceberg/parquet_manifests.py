"""Manifests of format version 4 as Iceberg 1.12 has it: the entries of version 3, in Parquet instead of Avro.

The format is unfinished. For Iceberg, Parquet's Java library writes these files; here Arrow does, with the same pages,
encodings and codec. Arrow's footers are longer, by what was measured on real files: docs/decisions/0023-format-v4.md.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wasim.errors import IcebergFileError
from wasim.iceberg.containers import DEFAULT_LIMITS
from wasim.iceberg.record_fields import ManifestContent, ManifestEntry, attribute_of, entry_struct
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
        use_dictionary=[path for path, width, values in _leaves(entries, partition) if _is_worth_it(values, width)],
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
    of their fields (`f0`, `f2` …), the numbers of an entry's and its file's fields, and the partition's.
    """

    header: Mapping[str, bytes]
    rows: list[dict[str, Any]]
    field_ids: frozenset[int]
    partition_ids: tuple[int, ...]
    codec: str


def read_parquet_manifest(data: bytes, *, source: str, wanted: frozenset[int] | None = None) -> ParquetManifest:
    """The manifest in a Parquet file; IcebergFileError when it is anything else, or would take more than a container's
    limits.

    Rows hold the fields of these numbers, all without `wanted`. A process of its own reads them: `parquet_process`.
    """
    from wasim.iceberg.parquet_process import ask_reader  # noqa: PLC0415 - most tables need no other process

    answer = ask_reader(
        data=data,
        wanted=wanted,
        most_texts=DEFAULT_LIMITS.header_bytes,
        most_rows=DEFAULT_LIMITS.records_of(len(data)),
        most_bytes=DEFAULT_LIMITS.raw_bytes_of(len(data)),
    )
    if isinstance(answer, str):
        raise IcebergFileError(source, answer)
    kinds = answer["kinds"]
    for number, kind in _kinds_of_entries().items():
        if kinds.get(number, kind) != kind:
            raise IcebergFileError(source, f"has a Parquet schema whose field {number} is {kinds[number]}, not {kind}")
    if any(" " in kind or kind == "struct" for _, kind in answer["partition"]):
        raise IcebergFileError(source, "has a Parquet schema whose partition holds more than single values")
    return ParquetManifest(
        header=answer["texts"],
        rows=answer["rows"],
        field_ids=frozenset(kinds),
        partition_ids=tuple(number for number, _ in answer["partition"]),
        codec=answer["codec"],
    )


@lru_cache(maxsize=1)
def _kinds_of_entries() -> dict[int, str]:
    """What each field of an entry and of its file holds, in `parquet_rows.kind_of`'s words."""
    *head, file = entry_struct(PARQUET_SINCE, StructType(())).fields
    return {field.field_id: _kind_of(field.type) for field in (*head, file, *_fields_of(file))}


def _kind_of(kind: Type) -> str:
    match kind:
        case StructType():
            return "struct"
        case ListType():
            return f"list of {_kind_of(kind.element)}"
        case MapType():
            return f"map of {_kind_of(kind.key)} to {_kind_of(kind.value)}"
        case PrimitiveType():
            return {"int": "integer", "long": "integer", "string": "text"}.get(kind.name, "bytes")


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
    values = {field.name: getattr(entry, attribute_of(field.name)) for field in head}
    return {**values, file.name: {field.name: _value(entry, field, partition) for field in _fields_of(file)}}


def _fields_of(field: NestedField) -> tuple[NestedField, ...]:
    return field.type.fields if isinstance(field.type, StructType) else ()


def _value(entry: ManifestEntry, field: NestedField, partition: StructType) -> Any:  # noqa: ANN401  of the field's type
    if field.field_id == _PARTITION:
        return dict(zip([one.name for one in partition.fields], entry.file.partition, strict=True))
    value = getattr(entry.file, attribute_of(field.name))
    return list(value.items()) if isinstance(value, Mapping) else value


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
        found = [getattr(entry, attribute_of(field.name)) for entry in entries]
        yield field.name, _width(field.type), [value for value in found if value is not None]
    for field in _fields_of(file):
        path = f"{file.name}.{field.name}"
        if field.field_id == _PARTITION:
            for place, part in enumerate(partition.fields):
                found = [entry.file.partition[place] for entry in entries]
                yield f"{path}.{part.name}", _width(part.type), [value for value in found if value is not None]
            continue
        found = [getattr(entry.file, attribute_of(field.name)) for entry in entries]
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
