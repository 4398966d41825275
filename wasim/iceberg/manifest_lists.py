"""Manifest lists: one record per manifest of a snapshot, decoded from any writer's file, encoded exactly as Java's."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from wasim.errors import IcebergFileError
from wasim.iceberg import record_fields
from wasim.iceberg.avro_reader import AvroRecord, AvroValues, conforms, decode_block, merged_records, read_avro_schema
from wasim.iceberg.containers import PYTHON_LIST, Block, Container, HeaderValues, read_container
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.property_values import LONG_RANGE
from wasim.iceberg.record_encoding import Encoder, record_encoder
from wasim.iceberg.record_scanning import check_items
from wasim.iceberg.releases import NEWEST, Release

_REQUIRED = frozenset({500, 501})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFieldSummary:
    """The range of one partition field over all entries of a manifest, deleted ones too; bounds in full length."""

    contains_null: bool
    contains_nan: bool | None = None
    lower_bound: bytes | None = None
    upper_bound: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestFile:
    """One manifest as a manifest list describes it. Counts may be absent in v1, and the snapshot before release 1.8."""

    manifest_path: str
    manifest_length: int
    partition_spec_id: int
    added_snapshot_id: int | None
    content: int = 0
    sequence_number: int = 0
    min_sequence_number: int = 0
    added_files_count: int | None = None
    existing_files_count: int | None = None
    deleted_files_count: int | None = None
    added_rows_count: int | None = None
    existing_rows_count: int | None = None
    deleted_rows_count: int | None = None
    partitions: tuple[PartitionFieldSummary, ...] | None = None
    key_metadata: bytes | None = None
    first_row_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestListHeader:
    """What a manifest list's header is built from; other writers leave some of it out."""

    snapshot_id: int | None
    parent_snapshot_id: int | None = None
    sequence_number: int | None = None
    first_row_id: int | None = None
    format_version: int = 2
    release: Release = NEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestList:
    """A manifest list, decoded."""

    header: ManifestListHeader
    manifests: tuple[ManifestFile, ...]
    sync_marker: bytes
    codec: str


_STRUCTS = [
    record_fields.manifest_file_struct(version, release) for version in (1, 3) for release in (NEWEST, Release(1, 4))
]
_NAMES = record_fields.named_fields(_STRUCTS)
_ATTRIBUTES = {number: record_fields.attribute_of(name) for name, number in _NAMES}
_GETTERS = {number: attrgetter(name) for number, name in _ATTRIBUTES.items()}
_OF_SUMMARY = (509, 510, 511, 518)
_ZERO_IF_ABSENT = ("partition_spec_id", "content", "sequence_number", "min_sequence_number")


@lru_cache(maxsize=16)
def manifest_file_encoder(format_version: int, release: Release) -> Encoder:
    """A function from ManifestFile to its bytes. They are the same in every list, so a long history may keep them."""
    avro_schema, _ = record_fields.manifest_file_schema_texts(format_version, release)
    return record_encoder(read_avro_schema(avro_schema, source="avro.schema"), _GETTERS)


def manifest_list_header_values(header: ManifestListHeader) -> Mapping[str, bytes]:
    """The header's keys and values: Java's in the order that its HashMap gives them."""
    avro_schema, iceberg_schema = record_fields.manifest_file_schema_texts(header.format_version, header.release)
    # Java prints the absent parent of a first snapshot as the word null.
    parent = "null" if header.parent_snapshot_id is None else str(header.parent_snapshot_id)
    texts = {"avro.codec": "deflate", "snapshot-id": str(header.snapshot_id), "parent-snapshot-id": parent}
    if header.format_version > 1:
        texts["sequence-number"] = str(header.sequence_number)
    if header.format_version > 2:
        texts["first-row-id"] = str(header.first_row_id)
    texts["format-version"] = str(header.format_version)
    texts["avro.schema"] = avro_schema
    if header.release.library == "python":
        return HeaderValues({key: text.encode() for key, text in texts.items()}, PYTHON_LIST)
    texts["iceberg.schema"] = iceberg_schema
    return {key: texts[key].encode(errors="replace") for key in _java_order(tuple(texts))}


@lru_cache(maxsize=16)
def _java_order(keys: tuple[str, ...]) -> list[str]:
    return java_map_order(keys)


def read_manifest_list(data: bytes, *, source: str) -> ManifestList:
    """The manifest list in an Avro file; IcebergFileError when it is anything else."""
    return manifest_list_from(read_container(data, source=source), source=source)


def manifest_list_from(container: Container[Block], *, source: str) -> ManifestList:
    """The manifest list in a container already taken apart."""
    record = list_record(container.header, source=source)
    check_items(container.blocks, record, source=source, file_bytes=container.file_bytes)
    manifests = tuple(
        _manifest_from(values, source)
        for block in container.blocks
        for values in decode_block(block, record, source=source)
    )
    header = _read_header(container.header, 515 in dict(record.fields), source)
    return ManifestList(header=header, manifests=manifests, sync_marker=container.sync_marker, codec=container.codec)


def list_record(header: Mapping[str, bytes], *, source: str) -> AvroRecord:
    """The Avro record of a list's header; IcebergFileError if it is not one of manifests."""
    record = read_avro_schema(header.get("avro.schema", b""), source=source, names=_NAMES)
    if not conforms(record, _expected_record()) or not dict(record.fields).keys() >= _REQUIRED:
        raise IcebergFileError(source, "has an Avro schema of other records than a manifest list's")
    return record


def _read_header(values: Mapping[str, bytes], has_sequence: bool, source: str) -> ManifestListHeader:
    numbers: dict[str, Any] = {}
    for key in ("format-version", "snapshot-id", "parent-snapshot-id", "sequence-number", "first-row-id"):
        text = values.get(key, b"null")
        try:
            numbers[key.replace("-", "_")] = number = None if text == b"null" else int(text)
        except ValueError as error:
            raise IcebergFileError(source, f"has a header whose {key} is no number") from error
        if number is not None and number not in LONG_RANGE:
            raise IcebergFileError(source, f"has a header whose {key} is beyond 64 bits")
    version = numbers["format_version"] or (2 if has_sequence else 1)
    if version not in record_fields.FORMAT_VERSIONS:
        raise IcebergFileError(source, f"has format version {version}; 1, 2, 3 and 4 are known")
    return ManifestListHeader(**numbers | {"format_version": version})


@lru_cache(maxsize=1)
def _expected_record() -> AvroRecord:
    texts = [record_fields.manifest_file_schema_texts(version)[0] for version in (1, 3)]
    return merged_records(*[read_avro_schema(text, source="avro.schema") for text in texts])


def _manifest_from(values: AvroValues, source: str) -> ManifestFile:
    if values["f500"] is None or values["f501"] is None:
        raise IcebergFileError(source, "has a manifest without a path or a length")
    found = ((number, name) for number, name in _ATTRIBUTES.items() if number not in _OF_SUMMARY)
    made: dict[str, Any] = {name: values.get(f"f{number}") for number, name in found}
    made |= {name: made[name] or 0 for name in _ZERO_IF_ABSENT}
    if made["partitions"] is not None:
        made["partitions"] = tuple(map(_summary_from, made["partitions"]))
    return ManifestFile(**made)


def _summary_from(values: AvroValues) -> PartitionFieldSummary:
    made: dict[str, Any] = {_ATTRIBUTES[number]: values.get(f"f{number}") for number in _OF_SUMMARY}
    return PartitionFieldSummary(**made | {"contains_null": bool(made["contains_null"])})
