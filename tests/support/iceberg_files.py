"""Files of the real tables in `tests/data`, as they are and with their blocks stored."""

from support.paths import DATA
from wasim.iceberg.avro_encoding import encode_bytes, encode_long
from wasim.iceberg.containers import header_bytes, read_container

TABLES = DATA / "tables"
SYNC = b"s" * 16


def real_file(table: str, pattern: str) -> bytes:
    """The first of a table's metadata files of that name."""
    return min((TABLES / table / "metadata").glob(pattern)).read_bytes()


def stored(data: bytes) -> bytes:
    """The same Avro file with its blocks stored, so that mutations reach the records."""
    container = read_container(data, source="m")
    parts = [header_bytes({**container.header, "avro.codec": b"null"}, SYNC)]
    for block in container.blocks:
        parts += (encode_long(block.record_count), encode_bytes(block.raw), SYNC)
    return b"".join(parts)
