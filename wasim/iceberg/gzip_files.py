"""gzip as Java's GZIPOutputStream writes it, and bounded inflation of compressed files that anyone wrote."""

import struct
import zlib

from wasim.iceberg.codecs import CorruptBlock, inflate_zstandard
from wasim.iceberg.faults import IcebergFileError

# No name, no time, and since JDK 16 "unknown" for the operating system; older ones write 00 last.
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
# JSON of long histories shrinks nine-fold, 25-fold at most seen.
FREE_TEXT_BYTES = 16 << 20
TEXT_BYTES_PER_BYTE = 40


def gzip_bytes(data: bytes, header: bytes = GZIP_HEADER) -> bytes:
    """Data as Java's GZIPOutputStream compresses it: deflate at zlib's default level, 6."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    trailer = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
    return header + compressor.compress(data) + compressor.flush() + trailer


def is_gzip(data: bytes) -> bool:
    """Whether the file is compressed; by its content, for names have been spelt in two ways."""
    return data[:2] == _GZIP_MAGIC


def decompressed(data: bytes, *, source: str, most_bytes: int) -> bytes:
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
