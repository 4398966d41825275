"""gzip as Java's GZIPOutputStream writes it, and bounded inflation of gzip that anyone wrote."""

import struct
import zlib

from wasim.iceberg.faults import IcebergFileError

# No name, no time, and since JDK 16 "unknown" for the operating system; older ones write 00 last.
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_GZIP_MAGIC = b"\x1f\x8b"


def gzip_bytes(data: bytes, header: bytes = GZIP_HEADER) -> bytes:
    """Data as Java's GZIPOutputStream compresses it: deflate at zlib's default level, 6."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    trailer = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
    return header + compressor.compress(data) + compressor.flush() + trailer


def is_gzip(data: bytes) -> bool:
    """Whether the file is compressed; the content tells, for names have been spelt in two ways."""
    return data[:2] == _GZIP_MAGIC


def gunzip(data: bytes, *, source: str, most_bytes: int) -> bytes:
    """What a gzip file holds; IcebergFileError when it is cut short, corrupt or larger than allowed."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        text = inflater.decompress(data, most_bytes + 1)
    except zlib.error as error:
        raise IcebergFileError(source, f"is no sound gzip file: {error}") from error
    if len(text) > most_bytes:
        raise IcebergFileError(source, f"inflates to more than {most_bytes} bytes")
    if not inflater.eof:
        raise IcebergFileError(source, "is a gzip file that is cut short")
    return text
