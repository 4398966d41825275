"""Avro container files: read with bounds, because files are hostile until parsed, and written exactly as Iceberg does.

"Obj\\x01" · header map · 16-byte sync marker · blocks of { record count · length · data · sync marker }
"""

import sys
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from wasim.errors import IcebergFileError, UnsupportedFile
from wasim.iceberg.avro_encoding import decode_long, encode_bytes, encode_long, encode_string
from wasim.iceberg.codecs import CODECS, CorruptBlock, inflate, pack

MAGIC = b"Obj\x01"
ENCRYPTED_MAGIC = b"AGS1"  # Iceberg's AES GCM stream
SYNC_BYTES = 16
# Avro's DEFAULT_SYNC_INTERVAL: the block closes after the record that reaches it.
BLOCK_RAW_BYTES = 64_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a file may ask for before it is refused. Iceberg's own blocks hold 64 000 raw bytes and one record more.

    Inflated bytes and records are bounded by the file's own size too: real manifests inflate seven-fold, and each of
    their records takes 40 bytes of the file. Bombs inflate a thousand-fold.
    """

    header_bytes: int = 16 << 20
    header_keys: int = 1_000
    block_raw_bytes: int = 64 << 20
    raw_bytes: int = 1 << 30
    records: int = 4_000_000
    free_raw_bytes: int = 64 << 20
    raw_bytes_per_byte: int = 32
    free_records: int = 100_000
    records_per_byte: float = 0.25

    def raw_bytes_of(self, file_bytes: int) -> int:
        """Inflated bytes allowed in a file of this size."""
        return min(self.raw_bytes, self.free_raw_bytes + self.raw_bytes_per_byte * file_bytes)

    def records_of(self, file_bytes: int) -> int:
        """Records allowed in a file of this size."""
        return min(self.records, self.free_records + int(self.records_per_byte * file_bytes))


DEFAULT_LIMITS = Limits()


class Block(NamedTuple):
    """One block's records, inflated and not yet decoded."""

    record_count: int
    raw: bytes


class PackedBlock(NamedTuple):  # a frozen dataclass takes four times as long to make
    """One block as it is stored, and the byte of the file at which it ends."""

    record_count: int
    stored: bytes
    end: int


Held = TypeVar("Held")


class Container(NamedTuple, Generic[Held]):
    """An Avro file taken apart: header values in file order, its codec of `CODECS`, and its blocks, inflated or not."""

    source: str
    header: Mapping[str, bytes]
    sync_marker: bytes
    codec: str
    blocks: tuple[Held, ...]
    file_bytes: int
    header_data: bytes
    """The file up to its sync marker."""


PackedContainer: TypeAlias = Container[PackedBlock]


class _Cursor:
    """A position in a file's bytes that never passes their end."""

    def __init__(self, data: bytes, source: str) -> None:
        self.data = data
        self.source = source
        self.position = 0

    def wrong(self, problem: str) -> IcebergFileError:
        return IcebergFileError(self.source, f"{problem} (byte {self.position})")

    def take(self, length: int) -> bytes:
        end = self.position + length
        if length < 0 or end > len(self.data):
            raise self.wrong(f"announces {length} bytes that it does not hold")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def long(self) -> int:
        byte = self.data[self.position] if self.position < len(self.data) else 0xFF
        if byte < 0x80:  # most are short, and calls cost more than arithmetic
            self.position += 1
            return byte >> 1 ^ -(byte & 1)
        try:
            value, self.position = decode_long(self.data, self.position)
        except (IndexError, ValueError):
            raise self.wrong("ends inside a number, or holds one of more than 64 bits") from None
        return value


def read_container(data: bytes, *, source: str, limits: Limits = DEFAULT_LIMITS) -> Container[Block]:
    """The parts of an Avro file. IcebergFileError when it is cut short, corrupt, too large or of an unknown codec."""
    packed = read_packed(data, source=source, limits=limits)
    header, blocks = packed.header, tuple(inflated_blocks(packed, limits=limits))
    return Container(source, header, packed.sync_marker, packed.codec, blocks, len(data), packed.header_data)


def read_packed(
    data: bytes, *, source: str, limits: Limits = DEFAULT_LIMITS, like: PackedContainer | None = None
) -> PackedContainer:
    """An Avro file taken apart and not inflated; errors as `read_container`'s, damage inside a block not among them.

    A container `like` it saves reading its header where both have the same: all manifests of most tables do.
    """
    cursor = _Cursor(data, source)
    if like is not None and data.startswith(like.header_data):
        header, header_data = like.header, like.header_data
        cursor.position = len(header_data)
    else:
        header = _read_header(cursor, limits)
        header_data = data[: cursor.position]
    sync_marker = cursor.take(SYNC_BYTES)
    codec = header.get("avro.codec", b"null")[:40].decode(errors="replace")
    if codec not in CODECS:
        known = " and ".join([", ".join(CODECS[:-1]), CODECS[-1]])
        raise cursor.wrong(f"is compressed with {codec}; only {known} are read")
    return PackedContainer(
        source=source,
        header=header,
        sync_marker=sync_marker,
        codec=codec,
        blocks=_packed_blocks(cursor, sync_marker, limits),
        file_bytes=len(data),
        header_data=header_data,
    )


def inflated_blocks(packed: PackedContainer, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Block]:
    """The container's blocks, inflated one by one. IcebergFileError where one is corrupt or too large."""
    most_raw_bytes = limits.raw_bytes_of(packed.file_bytes)
    for block in packed.blocks:
        allowed = min(limits.block_raw_bytes, most_raw_bytes)
        try:
            raw = inflate(packed.codec, block.stored, allowed)
        except CorruptBlock as error:
            raise IcebergFileError(packed.source, f"has a block {error} (byte {block.end})") from error
        # Every Iceberg record takes a byte or more, so this also bounds the work of decoding.
        if len(raw) > allowed or block.record_count > len(raw):
            sizes = f"{len(raw)} bytes for {block.record_count} records; {allowed} bytes are allowed"
            raise IcebergFileError(packed.source, f"has a block of {sizes} (byte {block.end})")
        most_raw_bytes -= len(raw)
        yield Block(record_count=block.record_count, raw=raw)


def read_container_header(data: bytes, *, source: str) -> Mapping[str, bytes]:
    """The header values alone, from an Avro file or from a beginning of it that holds them (16 KB mostly do)."""
    return _read_header(_Cursor(data, source), DEFAULT_LIMITS)


def _read_header(cursor: _Cursor, limits: Limits) -> Mapping[str, bytes]:
    if cursor.data[:4] == ENCRYPTED_MAGIC:
        raise UnsupportedFile(cursor.source, "is encrypted, and wasim holds no keys")
    if cursor.data[:4] != MAGIC:
        raise cursor.wrong("is not an Avro file: it does not begin with Obj 01")
    cursor.position = len(MAGIC)
    header: dict[str, bytes] = {}
    while count := cursor.long():
        if count < 0:
            cursor.long()  # A negative count is followed by the bytes of that part, which we need not know.
        if abs(count) + len(header) > limits.header_keys:
            raise cursor.wrong(f"announces {abs(count)} header keys; {limits.header_keys} are allowed")
        for _ in range(abs(count)):
            try:
                key = cursor.take(cursor.long()).decode()
            except UnicodeDecodeError as error:
                raise cursor.wrong("has a header key that is not UTF-8") from error
            if key in header:
                raise cursor.wrong(f"has the header key {key[:60]!r} twice")
            header[key] = cursor.take(cursor.long())
            if cursor.position > limits.header_bytes:
                raise cursor.wrong(f"has a header of more than {limits.header_bytes} bytes")
    return header


def _packed_blocks(cursor: _Cursor, sync_marker: bytes, limits: Limits) -> tuple[PackedBlock, ...]:
    blocks: list[PackedBlock] = []
    records, most_records = 0, limits.records_of(len(cursor.data))
    while cursor.position < len(cursor.data):
        count = cursor.long()
        records += count
        if count <= 0 or records > most_records:
            raise cursor.wrong(f"has a block that announces {count} records; {most_records} in all are allowed")
        blocks.append(PackedBlock(record_count=count, stored=cursor.take(cursor.long()), end=cursor.position))
        if cursor.take(SYNC_BYTES) != sync_marker:
            raise cursor.wrong("has a block without the file's sync marker after it")
    return tuple(blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How a library fills blocks: each closes after the record that brings it to so many raw bytes. Without a level it
    is Java's for the codec. pyiceberg leaves three bytes of zlib's checksum behind what it deflates.
    """

    block_raw_bytes: int = BLOCK_RAW_BYTES
    level: int | None = None
    leaves_checksum: bool = False

    def store(self, codec: str, raw: bytes, level: int | None = None) -> bytes:
        """A block's records as the file holds them."""
        stored = pack(codec, raw, self.level if level is None else level)
        return stored + zlib.adler32(raw).to_bytes(4, "big")[:3] if self.leaves_checksum else stored


JAVA = Packing()
PYTHON_ENTRIES = Packing(block_raw_bytes=1, level=-1, leaves_checksum=True)  # a block for each
PYTHON_LIST = Packing(block_raw_bytes=sys.maxsize, level=-1, leaves_checksum=True)  # one block for all


class HeaderValues(dict[str, bytes]):
    """A header's keys and values in order, and how the library that writes them packs what follows."""

    def __init__(self, values: Mapping[str, bytes], packing: Packing = JAVA) -> None:
        super().__init__(values)
        self.packing = packing


@dataclass(frozen=True, slots=True)
class EncodedHeader:
    """A header encoded once for many files: all of it before the sync marker, the codec that it names, and packing."""

    data: bytes
    codec: str
    packing: Packing = JAVA


def encoded_header(header: Mapping[str, bytes]) -> EncodedHeader:
    """The header with its keys in the order given."""
    parts = [MAGIC]
    if header:
        parts.append(encode_long(len(header)))
    for key, value in header.items():
        parts += (encode_string(key), encode_bytes(value))
    codec = header.get("avro.codec", b"null").decode()
    return EncodedHeader(b"".join([*parts, b"\x00"]), codec, packing_of(header))


def packing_of(header: Mapping[str, bytes]) -> Packing:
    """How the library that writes this header packs: Java's, if nothing says otherwise."""
    return header.packing if isinstance(header, HeaderValues) else JAVA


def header_length(header: Mapping[str, bytes]) -> int:
    """Bytes before the first block, the sync marker among them."""
    texts = [len(text) for key, value in header.items() for text in (key.encode(), value)]
    return len(MAGIC) + 1 + SYNC_BYTES + sum(len(encode_long(count)) for count in (len(header), *texts)) + sum(texts)


def container_bytes(
    header: Mapping[str, bytes] | EncodedHeader,
    records: Iterable[bytes],
    *,
    sync_marker: bytes,
    level: int | None = None,
) -> bytes:
    """A whole Avro file from encoded records, as Iceberg's writer lays it out; the header names the codec.

    Without a level it is the library's own.
    """
    if len(sync_marker) != SYNC_BYTES:
        raise ValueError(f"a sync marker has {SYNC_BYTES} bytes, not {len(sync_marker)}")
    encoded = header if isinstance(header, EncodedHeader) else encoded_header(header)
    parts = [encoded.data, sync_marker]
    for block in split_blocks(records, encoded.packing.block_raw_bytes):
        stored = encoded.packing.store(encoded.codec, block.raw, level)
        parts += (encode_long(block.record_count), encode_bytes(stored), sync_marker)
    return b"".join(parts)


def closed_blocks(header: EncodedHeader, records: Sequence[bytes], *, level: int | None) -> list[tuple[int, int]]:
    """Records and bytes of a file as its writer closes each block; the last block counts if it is full."""
    length, found, most = len(header.data) + SYNC_BYTES, [], header.packing.block_raw_bytes
    for places in block_ranges(records, most):
        raw = b"".join(records[places.start : places.stop])
        stored = header.packing.store(header.codec, raw, level)
        length += len(encode_long(len(places))) + len(encode_bytes(stored)) + SYNC_BYTES
        if len(raw) >= most:
            found.append((places.stop, length))
    return found


def split_blocks(records: Iterable[bytes], block_raw_bytes: int = BLOCK_RAW_BYTES) -> list[Block]:
    """Encoded records gathered into blocks: each closes after the record that brings it to the threshold."""
    every = list(records)
    ranges = block_ranges(every, block_raw_bytes)
    return [Block(record_count=len(one), raw=b"".join(every[one.start : one.stop])) for one in ranges]


def block_ranges(records: Sequence[bytes], block_raw_bytes: int = BLOCK_RAW_BYTES) -> list[range]:
    """The places of the records that each block holds."""
    ends = list(accumulate(map(len, records)))
    ranges: list[range] = []
    start = filled = 0
    while start < len(records):
        stop = min(bisect_left(ends, filled + block_raw_bytes, start) + 1, len(records))
        ranges.append(range(start, stop))
        start, filled = stop, ends[stop - 1]
    return ranges
