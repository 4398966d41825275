"""Manifests: entries of data and delete files, decoded from any writer's file and encoded byte for byte as Java's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from wasim.errors import IcebergFileError
from wasim.iceberg.avro_reader import (
    AvroOptional,
    AvroPrimitive,
    AvroRecord,
    AvroValues,
    conforms,
    decode_block,
    field_of,
    merged_records,
    read_avro_schema,
)
from wasim.iceberg.containers import (
    PYTHON_ENTRIES,
    Block,
    Container,
    HeaderValues,
    read_container,
    read_container_header,
)
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.parquet_manifests import PARQUET_MAGIC, ParquetManifest, read_parquet_manifest
from wasim.iceberg.record_encoding import PARTITION_FIELD_ID, Encoder, record_encoder
from wasim.iceberg.record_fields import (
    FORMAT_VERSIONS,
    V1_BLOCK_SIZE_BYTES,
    DataFileEntry,
    ManifestContent,
    ManifestEntry,
    Status,
    attribute_of,
    entry_schema_texts,
    entry_struct,
    named_fields,
)
from wasim.iceberg.record_scanning import check_items
from wasim.iceberg.releases import NEWEST, Release
from wasim.iceberg.schemas import Schema, StructType, read_schema, schema_json
from wasim.iceberg.specs import PartitionSpec, partition_type, read_spec_fields, spec_fields_json


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestHeader:
    """What a manifest's header is built from. `release` is the writer's, which no file says."""

    schema: Schema
    spec: PartitionSpec
    format_version: int = 2
    content: ManifestContent = ManifestContent.DATA
    release: Release = NEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest, decoded."""

    header: ManifestHeader
    entries: tuple[ManifestEntry, ...]
    sync_marker: bytes
    codec: str


_NAMES = named_fields([entry_struct(version, StructType(())) for version in (1, 3)])
_ATTRIBUTES = {number: attribute_of(name) for name, number in _NAMES}
_GETTERS = {number: attrgetter(name) for number, name in _ATTRIBUTES.items()}
_OF_FILE = [(number, name) for number, name in _ATTRIBUTES.items() if number >= 100]
_KEY_IDS = {108: 117, 109: 119, 110: 121, 137: 138, 125: 126, 128: 129}  # of maps from columns
_REQUIRED_OF_ENTRY = frozenset({0, 2})
_REQUIRED_OF_FILE = frozenset({100, 103, 104})


@lru_cache(maxsize=256)
def entry_encoder(format_version: int, partition: StructType, release: Release) -> Encoder:
    """A function from ManifestEntry to its bytes, for one format version, partition type and release."""
    avro_schema, _ = entry_schema_texts(format_version, partition, release)
    return record_encoder(read_avro_schema(avro_schema, source="avro.schema"), _GETTERS)


@lru_cache(maxsize=256)
def manifest_header_values(header: ManifestHeader, codec: str) -> Mapping[str, bytes]:
    """The header's keys and values: Java's in the order that its HashMap gives them."""
    partition = partition_type(header.spec, header.schema)
    avro_schema, iceberg_schema = entry_schema_texts(header.format_version, partition, header.release)
    texts = {
        "avro.codec": codec,
        "schema": schema_json(header.schema),
        "partition-spec": spec_fields_json(header.spec),
        "partition-spec-id": str(header.spec.spec_id),
        "format-version": str(header.format_version),
        "content": header.content.value,
        "iceberg.schema": iceberg_schema,
        "avro.schema": avro_schema,
    }
    if header.format_version == 1:
        del texts["content"]
    if header.release.library == "python":
        del texts["iceberg.schema"]
        texts["schema"] = json.dumps({"identifier-field-ids": [], **json.loads(texts["schema"])}, separators=(",", ":"))
        return HeaderValues({key: text.encode() for key, text in texts.items()}, PYTHON_ENTRIES)
    return {key: texts[key].encode(errors="replace") for key in java_map_order(texts)}


def read_manifest(data: bytes, *, source: str, known: ManifestHeader | None = None) -> Manifest:
    """The manifest in an Avro or Parquet file; IcebergFileError when it is anything else.

    `known` is what the manifest list and the table's metadata say of it, for files whose own header says nothing: those
    that went through other Avro tools. Sequence numbers and snapshot ids are inherited by `inherit`.
    """
    if data[:4] == PARQUET_MAGIC:
        return parquet_manifest_from(read_parquet_manifest(data, source=source), source=source)
    return manifest_from(read_container(data, source=source), source=source, known=known)


def parquet_manifest_from(parquet: ParquetManifest, *, source: str) -> Manifest:
    """The manifest in a Parquet file already taken apart; what was not read of its entries is left out of them."""
    header = _read_header(parquet.header, source)
    ids = parquet.partition_ids
    places = tuple(ids.index(field.field_id) if field.field_id in ids else None for field in header.spec.fields)
    missing = (_REQUIRED_OF_ENTRY | _REQUIRED_OF_FILE) - parquet.field_ids
    if missing:
        raise IcebergFileError(source, f"has a Parquet schema without the required field {min(missing)}")
    entries = tuple(_entry_from(row, places, source) for row in parquet.rows)
    return Manifest(header=header, entries=entries, sync_marker=b"", codec=parquet.codec)


def read_manifest_header(data: bytes, *, source: str) -> ManifestHeader:
    """What a manifest is, data or deletes among it, from the file or from a beginning that holds its header.

    Parquet has its header at the end, so that it takes the whole file.
    """
    if data[:4] == PARQUET_MAGIC:
        parquet = read_parquet_manifest(data, source=source, wanted=frozenset())
        return _read_header(parquet.header, source)
    return _read_header(read_container_header(data, source=source), source)


def manifest_from(container: Container[Block], *, source: str, known: ManifestHeader | None = None) -> Manifest:
    """The manifest in a container already taken apart."""
    is_silent = known is not None and "schema" not in container.header
    header = known if known is not None and is_silent else _read_header(container.header, source)
    record = entry_record(container.header, source=source)
    check_items(container.blocks, record, source=source, file_bytes=container.file_bytes)
    places = _partition_places(record, header.spec, source)
    entries = tuple(
        _entry_from(values, places, source)
        for block in container.blocks
        for values in decode_block(block, record, source=source)
    )
    return Manifest(header=header, entries=entries, sync_marker=container.sync_marker, codec=container.codec)


def _read_header(values: Mapping[str, bytes], source: str) -> ManifestHeader:
    if "schema" not in values or "partition-spec" not in values:
        raise IcebergFileError(source, "is no manifest: its header holds no schema and partition-spec")
    try:
        format_version = int(values.get("format-version", b"1"))
        spec_id = int(values.get("partition-spec-id", b"0"))
        content = ManifestContent(values.get("content", b"data").decode())
    except ValueError as error:
        raise IcebergFileError(source, f"has a manifest header that Iceberg would not write: {error}") from error
    if format_version not in FORMAT_VERSIONS:
        raise IcebergFileError(source, f"has format version {format_version}; 1, 2, 3 and 4 are known")
    try:
        schema, spec = _read_schema_and_spec(values["schema"], values["partition-spec"], spec_id)
    except IcebergFileError as error:
        raise IcebergFileError(source, error.problem) from error
    return ManifestHeader(schema=schema, spec=spec, format_version=format_version, content=content)


# Hundreds of manifests of a table share these texts, and parsing them would cost more than the entries.
@lru_cache(maxsize=64)
def _read_schema_and_spec(schema: bytes, spec: bytes, spec_id: int) -> tuple[Schema, PartitionSpec]:
    return read_schema(schema, source=""), read_spec_fields(spec, spec_id=spec_id, source="")


@lru_cache(maxsize=1)
def _expected_entry() -> AvroRecord:
    texts = [entry_schema_texts(version, StructType(()))[0] for version in (1, 3)]
    return merged_records(*[read_avro_schema(text, source="avro.schema") for text in texts])


def entry_record(header: Mapping[str, bytes], *, source: str) -> AvroRecord:
    """The Avro record of a manifest's header; IcebergFileError if it is not one of entries.

    Iceberg's Java alone puts `iceberg.schema` into the header, and alone a length before `fixed` values.
    """
    record = read_avro_schema(
        header.get("avro.schema", b""), source=source, has_bare_fixed="iceberg.schema" not in header, names=_NAMES
    )
    file = field_of(record, 2)
    if not isinstance(file, AvroRecord) or not conforms(record, _expected_entry()):
        raise IcebergFileError(source, "has an Avro schema of other records than manifest entries")
    missing = (_REQUIRED_OF_ENTRY - dict(record.fields).keys()) | (_REQUIRED_OF_FILE - dict(file.fields).keys())
    if missing:
        raise IcebergFileError(source, f"has an Avro schema without the required field {min(missing)}")
    return record


def _partition_places(record: AvroRecord, spec: PartitionSpec, source: str) -> tuple[int | None, ...]:
    """For each field of the spec, where its value stands in a file's partition; None if the file has none of it."""
    partition = field_of(field_of(record, 2), PARTITION_FIELD_ID)
    fields = partition.fields if isinstance(partition, AvroRecord) else ()
    plain = all(isinstance(part.item if isinstance(part, AvroOptional) else part, AvroPrimitive) for _, part in fields)
    if not plain or len(fields) > len(spec.fields):
        raise IcebergFileError(source, f"has {len(fields)} partition values for a spec of {len(spec.fields)} fields")
    ids = [number for number, _ in fields]
    if len(ids) == len(spec.fields) and not {field.field_id for field in spec.fields} & set(ids):
        return tuple(range(len(ids)))  # v1 counts fields afresh in every spec, and some writers number none
    return tuple(ids.index(field.field_id) if field.field_id in ids else None for field in spec.fields)


def _entry_from(values: AvroValues, places: tuple[int | None, ...], source: str) -> ManifestEntry:
    if values["f2"] is None:
        raise IcebergFileError(source, "has an entry without a file")
    if values["f0"] not in (0, 1, 2):
        raise IcebergFileError(source, f"has an entry of status {values['f0']}; 0, 1 and 2 are known")
    return ManifestEntry(
        status=Status(values["f0"]),
        snapshot_id=values.get("f1"),
        sequence_number=values.get("f3"),
        file_sequence_number=values.get("f4"),
        file=_file_from(values["f2"], places, source),
    )


def _file_from(values: AvroValues, places: tuple[int | None, ...], source: str) -> DataFileEntry:
    missing = [number for number in _REQUIRED_OF_FILE if values[f"f{number}"] is None]
    if missing:
        raise IcebergFileError(source, f"has a file whose required field {min(missing)} is null")
    partition = tuple((values.get("f102") or {}).values())
    made = {name: _value_of(values.get(f"f{number}"), number, source) for number, name in _OF_FILE}
    made |= {
        "content": made["content"] or 0,
        "file_format": made["file_format"] or "PARQUET",
        "partition": tuple(None if at is None or at >= len(partition) else partition[at] for at in places),
        "block_size_bytes": made["block_size_bytes"] or V1_BLOCK_SIZE_BYTES,
    }
    return DataFileEntry(**made)


def _value_of(value: Any, number: int, source: str) -> Any:  # noqa: ANN401 - of the field's type
    if number not in _KEY_IDS:
        return tuple(value) if isinstance(value, list) else value
    if value is None:
        return None
    pairs: list[dict[str, Any]] = value
    key_id = _KEY_IDS[number]
    key, value = f"f{key_id}", f"f{key_id + 1}"
    if pairs and key not in pairs[0]:
        key, value = "n1", "n2"  # of a writer that numbers neither
    if any(key not in pair or value not in pair for pair in pairs):
        raise IcebergFileError(source, f"has an Avro schema whose map of field {key_id} lacks its key or value")
    found = {pair[key]: pair[value] for pair in pairs}
    if len(found) != len(pairs):
        raise IcebergFileError(source, f"has an entry with one column twice in the map of field {key_id}")
    return found
