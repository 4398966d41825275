"""The first bytes of files that no snapshot refers to: which table wrote them, and at which commit."""

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wasim.doctor.opening import OpenedTable
from wasim.iceberg import IcebergFileError
from wasim.iceberg.containers import read_container_header
from wasim.iceberg.manifests import read_manifest_header
from wasim.iceberg.parquet_manifests import PARQUET_MAGIC
from wasim.iceberg.record_fields import ManifestContent
from wasim.iceberg.resolve import read_fields
from wasim.ledger import Kind
from wasim.storage import read_each

_JSON_BYTES, _JSON_TEXT_BYTES, _AVRO_BYTES = 4_096, 16_384, 1 << 16
_UUID = re.compile(rb'"table-uuid"\s*:\s*"([^"\\]{1,100})"')
_UPDATED = re.compile(rb'"last-updated-ms"\s*:\s*(\d{1,18})\b')


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonHead:
    """What a metadata.json says of itself."""

    table_uuid: str | None
    last_updated_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroHead:
    """What a manifest or a manifest list says of itself; the numbers are a list's, None where it has none."""

    kind: Kind
    snapshot_id: int | None = None
    parent_id: int | None = None
    sequence_number: int | None = None


def read_json_heads(opened: OpenedTable, keys: Sequence[str]) -> dict[str, JsonHead | None]:
    """The head of each metadata.json; None where it cannot be read. Files that vanished meanwhile are left out."""
    heads: dict[str, JsonHead | None] = {}
    reads = read_each(opened.storage, map(opened.full, keys), head=_JSON_BYTES)
    for key, data in zip(keys, reads, strict=True):
        if isinstance(data, bytes):
            heads[key] = _json_head(data) or _whole_json_head(opened, key)
        elif not isinstance(data, FileNotFoundError):
            heads[key] = None
    return heads


def _json_head(data: bytes) -> JsonHead | None:
    try:
        text = zlib.decompressobj(31).decompress(data, _JSON_TEXT_BYTES) if data[:2] == b"\x1f\x8b" else data
    except zlib.error:
        return None
    uuid, updated = _UUID.search(text), _UPDATED.search(text)
    if uuid is None or updated is None:
        return None
    return JsonHead(table_uuid=uuid[1].decode(errors="replace"), last_updated_ms=int(updated[1]))


def _whole_json_head(opened: OpenedTable, key: str) -> JsonHead | None:
    """The head of a file that has it farther down, or no table UUID at all, as format version 1 allows."""
    (data,) = read_each(opened.storage, [opened.full(key)])
    try:
        if not isinstance(data, bytes):
            return None
        fields = read_fields(data, source=key)
        return JsonHead(
            table_uuid=fields.optional_text("table-uuid"), last_updated_ms=fields.integer("last-updated-ms")
        )
    except IcebergFileError:
        return None


def read_avro_heads(opened: OpenedTable, kinds: Iterable[tuple[str, Kind]]) -> dict[str, AvroHead]:
    """The head of each manifest and manifest list; its kind is the given one where it does not say.

    Names do not tell delete manifests from data manifests, and not every writer names lists `snap-…`.
    """
    named = dict(kinds)
    reads = read_each(opened.storage, map(opened.full, named), head=_AVRO_BYTES)
    return {
        key: _avro_head(opened, key, kind, data) if isinstance(data, bytes) else AvroHead(kind=kind)
        for (key, kind), data in zip(named.items(), reads, strict=True)
    }


def _avro_head(opened: OpenedTable, key: str, kind: Kind, data: bytes) -> AvroHead:
    try:
        if data[:4] == PARQUET_MAGIC:  # has its header at the end
            (whole,) = read_each(opened.storage, [opened.full(key)])
            if not isinstance(whole, bytes):
                return AvroHead(kind=kind)
            deletes = read_manifest_header(whole, source=key).content is ManifestContent.DELETES
            return AvroHead(kind=Kind.DELETE_MANIFEST if deletes else Kind.DATA_MANIFEST)
        header = read_container_header(data, source=key)
    except IcebergFileError:
        return AvroHead(kind=kind)
    if "partition-spec" in header or not (
        "snapshot-id" in header or b"manifest_path" in header.get("avro.schema", b"")
    ):
        deletes = header.get("content") == b"deletes"
        return AvroHead(kind=Kind.DELETE_MANIFEST if deletes else Kind.DATA_MANIFEST)
    return AvroHead(
        kind=Kind.MANIFEST_LIST,
        snapshot_id=_number(header.get("snapshot-id")),
        parent_id=_number(header.get("parent-snapshot-id")),
        sequence_number=_number(header.get("sequence-number")),
    )


def _number(text: bytes | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
