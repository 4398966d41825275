"""One metadata file, readable: a metadata.json, a manifest list, a manifest or a Puffin file."""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from wasim.errors import UnsupportedFile, printable
from wasim.iceberg import IcebergFileError, ManifestEntry, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.avro_reader import AvroRecord, field_of
from wasim.iceberg.codecs import decompressed
from wasim.iceberg.containers import ENCRYPTED_MAGIC, Block, Container, read_container
from wasim.iceberg.json_text import JsonFields, read_json
from wasim.iceberg.manifests import Manifest, ManifestHeader, entry_record
from wasim.iceberg.parquet_manifests import PARQUET_MAGIC
from wasim.iceberg.record_encoding import PARTITION_FIELD_ID
from wasim.iceberg.schemas import PrimitiveType, Schema, decimal_digits
from wasim.iceberg.specs import PartitionField, PartitionSpec

PUFFIN_MAGIC = b"PFA1"
_MOST_FOOTER_BYTES = 64 << 20
_EPOCH = date(1970, 1, 1)
_FROM_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROS = {"timestamp": 1, "timestamptz": 1, "timestamp_ns": 1000, "timestamptz_ns": 1000}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """What a file is, its header, and its records, as values that JSON has."""

    kind: str  # metadata_json | manifest_list | manifest | puffin
    header: Mapping[str, Any]
    records: list[dict[str, Any]]


def view_file(data: bytes, *, source: str) -> FileView:
    """The file taken apart. IcebergFileError if it is none of Iceberg's metadata files."""
    if not data:
        raise IcebergFileError(source, "is empty")
    if data[:3] == b"Obj":
        return _view_avro(data, source)
    if data[:4] == PUFFIN_MAGIC:
        return _view_puffin(data, source)
    if data[:4] == PARQUET_MAGIC:
        return _view_parquet(data, source)
    if data[:4] == ENCRYPTED_MAGIC:
        raise UnsupportedFile(source, "is encrypted, and wasim holds no keys")
    return _view_json(data, source)


def file_view_document(view: FileView) -> dict[str, Any]:
    """The view as one JSON document."""
    return {"schema_version": 1, "kind": view.kind, "header": dict(view.header), "records": view.records}


def render_file_view(view: FileView, most_records: int) -> Iterator[str]:
    """The view as lines, the first records only."""
    yield f"{view.kind.replace('_', ' ')}: {len(view.records):,} records"
    for key, value in view.header.items():
        yield f"  {printable(key, 80)}: {printable(_text(value), 1_000)}"
    for number, record in enumerate(view.records[:most_records], start=1):
        yield f"record {number}"
        for key, value in record.items():
            if value is not None:
                yield f"  {printable(key, 80)}: {printable(_text(value), 1_000)}"
    if len(view.records) > most_records:
        yield f"and {len(view.records) - most_records:,} more; --json has all"


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _view_avro(data: bytes, source: str) -> FileView:
    container = read_container(data, source=source)
    header: dict[str, Any] = {key: value[:100_000].decode(errors="replace") for key, value in container.header.items()}
    header["blocks"] = len(container.blocks)
    header["inflated_bytes"] = sum(len(block.raw) for block in container.blocks)
    if b"manifest_path" in container.header.get("avro.schema", b""):
        manifests = read_manifest_list(data, source=source).manifests
        return FileView(kind="manifest_list", header=header, records=[_plain(one) for one in manifests])
    return _manifest_view(read_manifest(data, source=source, known=_bare_header(container, source)), header)


def _view_parquet(data: bytes, source: str) -> FileView:
    manifest = read_manifest(data, source=source)
    header = {"codec": manifest.codec, "bytes": len(data), "format_version": manifest.header.format_version}
    return _manifest_view(manifest, header)


def _manifest_view(manifest: Manifest, header: Mapping[str, Any]) -> FileView:
    records = [_entry(one, manifest.header.schema) for one in manifest.entries]
    return FileView(kind="manifest", header=header, records=records)


def _bare_header(container: Container[Block], source: str) -> ManifestHeader | None:
    """What stands for the header of a manifest that has none of Iceberg's keys: values without names and types."""
    if "schema" in container.header:
        return None
    partition = field_of(field_of(entry_record(container.header, source=source), 2), PARTITION_FIELD_ID)
    ids = [number for number, _ in partition.fields] if isinstance(partition, AvroRecord) else []
    spec = [PartitionField(name=f"partition_{one}", transform="identity", source_id=one, field_id=one) for one in ids]
    return ManifestHeader(schema=Schema(columns=()), spec=PartitionSpec(fields=tuple(spec)))


def _entry(entry: ManifestEntry, schema: Schema) -> dict[str, Any]:
    record: dict[str, Any] = {
        "status": ("existing", "added", "deleted")[entry.status],
        "snapshot_id": entry.snapshot_id,
        "sequence_number": entry.sequence_number,
        "file_sequence_number": entry.file_sequence_number,
    }
    for one in fields(entry.file):
        value = getattr(entry.file, one.name)
        if one.name in ("lower_bounds", "upper_bounds") and value is not None:
            record[one.name] = {str(number): read_bound(bound, schema, number) for number, bound in value.items()}
        else:
            record[one.name] = _plain(value)
    return record


def _plain(value: Any) -> Any:  # noqa: ANN401 - from any field to any JSON value
    match value:
        case bytes():
            return value.hex()
        case tuple() | list():
            return [_plain(one) for one in value]
        case dict():
            return {str(key): _plain(one) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def read_bound(bound: bytes, schema: Schema, field_id: int) -> str | int | bool:
    """A bound by the type of its column, as Iceberg's single-value serialization has it; hex where it fits none."""
    kind = schema.find_type(field_id)
    try:
        return _by_type(bound, kind.name if isinstance(kind, PrimitiveType) else "")
    except (ValueError, OverflowError, struct.error):
        return f"0x{bound.hex()}"


def _by_type(bound: bytes, kind: str) -> str | int | bool:  # noqa: PLR0911 - one return a type
    match kind:
        case "boolean":
            return bound != b"\x00"
        case "int" | "long":
            return int.from_bytes(bound, "little", signed=True)
        case "float" | "double":
            return repr(struct.unpack("<f" if len(bound) == 4 else "<d", bound)[0])
        case "date":
            return (_EPOCH + timedelta(days=int.from_bytes(bound, "little", signed=True))).isoformat()
        case "time":
            micros = int.from_bytes(bound, "little")
            return (datetime.combine(_EPOCH, time()) + timedelta(microseconds=micros)).time().isoformat()
        case "timestamp" | "timestamptz" | "timestamp_ns" | "timestamptz_ns":
            micros = int.from_bytes(bound, "little", signed=True) // _MICROS[kind]
            return (_FROM_EPOCH + timedelta(microseconds=micros)).isoformat()
        case "string":
            return bound.decode()
    if digits := decimal_digits(kind):
        return str(Decimal(int.from_bytes(bound, "big", signed=True)).scaleb(-digits[1]))
    return f"0x{bound.hex()}"


def _view_json(data: bytes, source: str) -> FileView:
    text = decompressed(data, source=source)
    metadata = read_metadata_json(text, source=source)
    header: dict[str, Any] = {
        one.name: _plain(getattr(metadata, one.name))
        for one in fields(metadata)
        if one.name not in ("snapshots", "snapshot_log", "metadata_log", "unknown_fields")
    }
    header |= {
        "bytes": len(data),
        "text_bytes": len(text),
        "snapshot_log": len(metadata.snapshot_log),
        "metadata_log": len(metadata.metadata_log),
        "unknown_fields": [name for name, _ in metadata.unknown_fields],
    }
    return FileView(kind="metadata_json", header=header, records=[_plain(one) for one in metadata.snapshots])


def _view_puffin(data: bytes, source: str) -> FileView:
    """A Puffin file's footer: magic, payload, its size, flags and magic again, as the Puffin spec has it."""
    if data[-4:] != PUFFIN_MAGIC or len(data) < 16:
        raise IcebergFileError(source, "is a Puffin file without a footer")
    size, flags = struct.unpack("<iI", data[-12:-4])
    start = len(data) - 12 - size
    if size < 0 or start < 4 or data[start - 4 : start] != PUFFIN_MAGIC:
        raise IcebergFileError(source, f"is a Puffin file whose footer cannot be {size} bytes long")
    if flags & 1:
        raise IcebergFileError(source, "is a Puffin file whose footer is compressed with lz4, which is not read")
    if size > _MOST_FOOTER_BYTES:
        raise IcebergFileError(source, f"is a Puffin file whose footer of {size} bytes is too large")
    footer = JsonFields(read_json(data[start : start + size], source=source), where="", source=source, unknown=[])
    records = []
    for blob in footer.objects("blobs"):
        record: dict[str, Any] = {
            "type": blob.text("type"),
            "fields": list(blob.integers("fields")),
            "snapshot_id": blob.optional_integer("snapshot-id"),
            "sequence_number": blob.optional_integer("sequence-number"),
            "offset": blob.integer("offset"),
            "length": blob.integer("length"),
            "compression_codec": blob.optional_text("compression-codec"),
            "properties": blob.text_map("properties"),
        }
        if record["offset"] < 4 or record["length"] < 0 or record["offset"] + record["length"] > start - 4:
            raise IcebergFileError(source, f"is a Puffin file whose blob at {record['offset']} lies outside it")
        records.append(record)
    header: dict[str, Any] = {"bytes": len(data), "footer_bytes": size, **footer.text_map("properties")}
    return FileView(kind="puffin", header=header, records=records)
