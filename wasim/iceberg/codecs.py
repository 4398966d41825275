"""Codecs of Avro blocks, and gzip files: packed as Iceberg packs them, inflated within bounds, for files are hostile.

Deflate and zstandard give the writer's very bytes, given the same library; snappy has no standard form, and another
release of it finds other matches: 0.1 % on manifests of Iceberg 1.12 against pyarrow 26.
"""

import struct
import zlib
from functools import cache
from typing import TYPE_CHECKING

import zstandard

from wasim.errors import IcebergFileError

if TYPE_CHECKING:
    import pyarrow

CODECS = ("null", "deflate", "snappy", "zstandard")
DEFAULT_LEVELS = {"deflate": 9, "zstandard": 1}
"""Iceberg's, for codecs that have levels. A table property replaces them in manifests, nothing in manifest lists."""

LEVELS = {"deflate": range(-1, 10), "zstandard": range(-7, 23)}
_CHECKSUM_BYTES = 4
_LENGTH_BYTES = 5  # of the number at the head of a snappy block, at most
_PIECE_BYTES = 512  # of zstandard inflated at once: four bytes may become 128 KiB, so these become 16 MiB at most
_WINDOW_BYTES = 128 << 20  # what the highest level asks of a reader
# No name, no time, and since JDK 16 "unknown" for the operating system; older ones write 00 last.
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
# 50 000 snapshots of a Spark stream take 44 MB; 250 MB have been seen (iceberg-python#3162).
MOST_JSON_BYTES = 300 << 20
# JSON of long histories shrinks nine-fold, 25-fold at most seen.
FREE_TEXT_BYTES = 16 << 20
TEXT_BYTES_PER_BYTE = 40


class CorruptBlock(ValueError):
    """A block or a file that does not inflate; the text goes on after "a block"."""


def pack(codec: str, raw: bytes, level: int | None = None) -> bytes:
    """The block as the codec of that name, one of `CODECS`, stores it; at Iceberg's level if none is given."""
    level = DEFAULT_LEVELS.get(codec, 0) if level is None else level
    match codec:
        case "null":
            return raw
        case "deflate":
            return zlib.compress(raw, level, -zlib.MAX_WBITS)  # as Java's Deflater yields it with the same zlib
        case "snappy":
            return bytes(_snappy().compress(raw, asbytes=True)) + _checksum(raw)
        case "zstandard":
            # without its size in the frame, as a stream writes it: given it, zstandard would choose other parameters
            compressor = zstandard.ZstdCompressor(level=level, write_content_size=False).compressobj()
            return bytes(compressor.compress(raw) + compressor.flush())
    raise ValueError(f"Avro's codec {codec} is none of {', '.join(CODECS)}")


@cache
def _snappy() -> "pyarrow.Codec":
    import pyarrow  # noqa: PLC0415 - all else here starts faster without it

    return pyarrow.Codec("snappy")


def _checksum(raw: bytes) -> bytes:
    """What Avro puts after a snappy block."""
    return zlib.crc32(raw).to_bytes(_CHECKSUM_BYTES, "big")


def inflate(codec: str, stored: bytes, allowed: int) -> bytes:
    """The block's records. CorruptBlock when it is damaged, or would take more than `allowed` bytes."""
    match codec:
        case "deflate":
            return _inflate_deflate(stored, allowed)
        case "snappy":
            return _inflate_snappy(stored, allowed)
        case "zstandard":
            raw, more = inflate_zstandard(stored, allowed)
            if more:
                raise CorruptBlock("with more behind its compressed data")
            return raw
    return stored


def _inflate_deflate(stored: bytes, allowed: int) -> bytes:
    inflater = zlib.decompressobj(wbits=-15)
    try:
        raw = inflater.decompress(stored, allowed + 1)
    except zlib.error as error:
        raise CorruptBlock(f"that does not inflate: {error}") from error
    if len(raw) > allowed:
        raise _too_large(allowed)
    # fastavro leaves three bytes of a checksum behind the stream; Java and Python readers pass over them, and so do we.
    if not inflater.eof:
        raise CorruptBlock("whose compressed data is cut short")
    return raw


def deflated_head(stored: bytes, length: int) -> bytes:
    """The first bytes of a deflated block, at most `length`; fewer or none where it is damaged."""
    try:
        return zlib.decompressobj(wbits=-15).decompress(stored, length)
    except zlib.error:
        return b""


def _inflate_snappy(stored: bytes, allowed: int) -> bytes:
    packed = stored[:-_CHECKSUM_BYTES]
    size = _announced(packed)
    if size > allowed:
        raise _too_large(allowed)
    try:
        raw = bytes(_snappy().decompress(packed, decompressed_size=size, asbytes=True))
    except (OSError, ValueError) as error:
        raise CorruptBlock(f"that does not inflate: {error}") from error
    if _checksum(raw) != stored[-_CHECKSUM_BYTES:]:
        raise CorruptBlock("whose records do not have the checksum behind it")
    return raw


def _announced(packed: bytes) -> int:
    """The size that a snappy block announces: a number of seven bits to a byte, the least first."""
    size = 0
    for place, byte in enumerate(packed[:_LENGTH_BYTES]):
        size |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return size
    raise CorruptBlock("that does not say how large it is")


def inflate_zstandard(stored: bytes, allowed: int) -> tuple[bytes, bool]:
    """What the first frame holds, and whether more follows it. CorruptBlock as `inflate` raises it."""
    inflater = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES).decompressobj()
    parts: list[bytes] = []
    size = at = 0
    try:
        while at < len(stored) and not inflater.eof:
            parts.append(inflater.decompress(stored[at : at + _PIECE_BYTES]))
            at, size = at + _PIECE_BYTES, size + len(parts[-1])
            if size > allowed:
                raise _too_large(allowed)
    except zstandard.ZstdError as error:
        raise CorruptBlock(f"that does not inflate: {error}") from error
    if not inflater.eof:
        raise CorruptBlock("whose compressed data is cut short")
    return b"".join(parts), bool(inflater.unused_data) or at < len(stored)


def _too_large(allowed: int) -> CorruptBlock:
    return CorruptBlock(f"that inflates to more than {allowed} bytes")


def gzip_bytes(data: bytes, header: bytes = GZIP_HEADER) -> bytes:
    """Data as Java's GZIPOutputStream compresses it: deflate at zlib's default level, 6."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    trailer = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
    return header + compressor.compress(data) + compressor.flush() + trailer


def is_gzip(data: bytes) -> bool:
    """Whether the file is compressed; by its content, for names have been spelt in two ways."""
    return data[:2] == _GZIP_MAGIC


def decompressed(data: bytes, *, source: str, most_bytes: int = MOST_JSON_BYTES) -> bytes:
    """What a file holds, whether gzip, zstandard or neither; IcebergFileError as `gunzip` raises it."""
    if is_gzip(data):
        return gunzip(data, source=source, most_bytes=most_bytes)
    if data[:4] == _ZSTANDARD_MAGIC:
        try:
            return inflate_zstandard(data, _allowed(data, most_bytes))[0]
        except CorruptBlock as error:
            raise IcebergFileError(source, f"is a zstandard file {error}") from error
    return data


def _allowed(data: bytes, most_bytes: int) -> int:
    return min(most_bytes, FREE_TEXT_BYTES + TEXT_BYTES_PER_BYTE * len(data))


def gunzip(data: bytes, *, source: str, most_bytes: int) -> bytes:
    """What a gzip file holds, all its members; IcebergFileError when it is cut short, corrupt or larger than allowed.

    A file may inflate to 16 MiB and 40 times its size.
    """
    allowed, parts, size, rest = _allowed(data, most_bytes), list[bytes](), 0, data
    while rest:
        inflater = zlib.decompressobj(wbits=31)
        try:
            parts.append(inflater.decompress(rest, allowed + 1 - size))
        except zlib.error as error:
            if parts and rest[:2] != _GZIP_MAGIC:
                break  # Java passes over what follows the last member
            raise IcebergFileError(source, f"is no sound gzip file: {error}") from error
        size += len(parts[-1])
        if size > allowed:
            raise IcebergFileError(source, f"inflates to more than {allowed} bytes")
        if not inflater.eof:
            raise IcebergFileError(source, "is a gzip file that is cut short")
        rest = inflater.unused_data
    return parts[0] if len(parts) == 1 else b"".join(parts)
