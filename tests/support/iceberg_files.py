"""Files of the real tables in `tests/data`, as they are and with their blocks stored."""

from support.paths import DATA
from wasim.iceberg.avro_encoding import encode_bytes, encode_long
from wasim.iceberg.containers import container_bytes, encoded_header, read_container
from wasim.iceberg.manifest_lists import manifest_file_encoder, manifest_list_header_values
from wasim.iceberg.manifests import entry_encoder, manifest_header_values
from wasim.iceberg.specs import partition_type

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


def header_bytes(header, sync_marker):
    """Everything before the first block, with the keys in the order given."""
    return encoded_header(header).data + sync_marker


def manifest_list_bytes(header, manifests, *, sync_marker):
    """The manifest list that Iceberg writes, given the sync marker that it drew."""
    encode = manifest_file_encoder(header.format_version, header.release)
    return container_bytes(manifest_list_header_values(header), map(encode, manifests), sync_marker=sync_marker)


def manifest_bytes(header, entries, *, sync_marker, codec="deflate", level=None):
    """The manifest that Iceberg writes for these entries, given the sync marker that it drew."""
    encode = entry_encoder(header.format_version, partition_type(header.spec, header.schema), header.release)
    values = manifest_header_values(header, codec)
    return container_bytes(values, map(encode, entries), sync_marker=sync_marker, level=level)
