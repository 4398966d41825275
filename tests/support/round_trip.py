"""Round-trip check: a file written by Iceberg, decoded and encoded again by this package, is the same bytes."""

import struct
from dataclasses import dataclass
from pathlib import Path

from support.iceberg_files import manifest_bytes, manifest_list_bytes
from wasim.errors import IcebergFileError
from wasim.iceberg.codecs import LEVELS, decompressed, gzip_bytes, is_gzip
from wasim.iceberg.containers import Container, read_container
from wasim.iceberg.manifest_lists import manifest_list_from
from wasim.iceberg.manifests import manifest_from
from wasim.iceberg.metadata_json import TableMetadata, read_metadata_json, render_metadata_json

_GZIP_HEADER_BYTES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """How a file differs from its re-encoding. `is_compression_only`: inflated they agree, as under another zlib."""

    source: str
    problem: str
    is_compression_only: bool = False


def check_round_trip(path: Path) -> Mismatch | None:
    """None if the file equals what this package writes for its content and its sync marker alone.

    Nothing else of the file is reused: header, schema strings, key order, blocks and compression are built from rules.
    IcebergFileError if it is no metadata.json, manifest list or manifest.
    """
    data, source = path.read_bytes(), str(path)
    if data[:3] == b"Obj":
        return _check_avro(data, source)
    return _check_metadata_json(data, source)


def _check_avro(data: bytes, source: str) -> Mismatch | None:
    found = read_container(data, source=source)
    try:
        again = _encode_avro(found, source)
    except (TypeError, ValueError, AttributeError, OverflowError, struct.error) as error:
        # The Avro schema admits values that the table schema in the header does not: no Iceberg wrote both.
        return Mismatch(source=source, problem=f"its schema, spec and records do not belong together: {error}")
    if again == data:
        return None
    mismatch = _compare(found, read_container(again, source=source), source)
    # A manifest's level is a table property that the file does not say.
    if mismatch.is_compression_only and any(
        _encode_avro(found, source, level) == data for level in LEVELS.get(found.codec, ())
    ):
        return None
    return mismatch


def _encode_avro(container: Container, source: str, level: int | None = None) -> bytes:
    if "partition-spec" in container.header:
        manifest = manifest_from(container, source=source)
        return manifest_bytes(
            manifest.header, manifest.entries, sync_marker=manifest.sync_marker, codec=manifest.codec, level=level
        )
    listing = manifest_list_from(container, source=source)
    return manifest_list_bytes(listing.header, listing.manifests, sync_marker=listing.sync_marker)


def _compare(found: Container, again: Container, source: str) -> Mismatch:
    for key in found.header.keys() | again.header.keys():
        if found.header.get(key) != again.header.get(key):
            return Mismatch(source=source, problem=f"header value {key} differs")
    if list(found.header) != list(again.header):
        return Mismatch(source=source, problem="header keys stand in another order")
    if found.blocks != again.blocks:
        return Mismatch(source=source, problem="records differ")
    return Mismatch(source=source, problem="compressed bytes differ, inflated they agree", is_compression_only=True)


def _check_metadata_json(data: bytes, source: str) -> Mismatch | None:
    metadata = read_metadata_json(data, source=source)
    if metadata.unknown_fields:
        return Mismatch(source=source, problem=f"Iceberg writes no {metadata.unknown_fields[0][0]}")
    text = decompressed(data, source=source)
    again = metadata_json_bytes(metadata)
    if again != text:
        at = next((at for at, (one, other) in enumerate(zip(text, again, strict=False)) if one != other), -1)
        return Mismatch(source=source, problem=f"JSON differs at byte {at}: {text[max(at - 20, 0) : at + 40]!r}")
    if is_gzip(data) and metadata_json_bytes(metadata, gzip_header=data[:_GZIP_HEADER_BYTES]) != data:
        return Mismatch(source=source, problem="compressed bytes differ, inflated they agree", is_compression_only=True)
    return None


def check_round_trips(folder: Path) -> tuple[int, list[Mismatch], list[IcebergFileError]]:
    """Files checked under a folder, those that differ, and those that could not be read."""
    checked, mismatches, faults = 0, [], []
    for path in sorted(folder.rglob("metadata/*")):
        if path.name.startswith(".") or not (path.suffix == ".avro" or ".metadata.json" in path.name):
            continue
        checked += 1
        try:
            mismatch = check_round_trip(path)
        except IcebergFileError as error:
            faults.append(error)
        else:
            mismatches += [mismatch] if mismatch else []
    return checked, mismatches, faults


def metadata_json_bytes(metadata: TableMetadata, *, gzip_header: bytes | None = None) -> bytes:
    """The file that Iceberg 1.12 writes; with a gzip header (GZIP_HEADER, or the one of an older JDK) compressed."""
    if metadata.unknown_fields:
        raise ValueError(
            f"Iceberg writes no {metadata.unknown_fields[0][0]}; only what it knows can be written as it would"
        )
    # Java turns half a surrogate pair, which JSON can spell and UTF-8 cannot, into a question mark.
    data = render_metadata_json(metadata).encode(errors="replace")
    return data if gzip_header is None else gzip_bytes(data, gzip_header)
