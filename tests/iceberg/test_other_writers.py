"""Files as other writers leave them, read as Iceberg's Java reads them: the ten forms found in public tables."""

import json
from dataclasses import replace

import pytest
import zstandard
from support.iceberg_files import SYNC, header_bytes, manifest_bytes, manifest_list_bytes, real_file

from wasim.iceberg import IcebergFileError, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.avro_encoding import encode_bytes, encode_long, encode_string
from wasim.iceberg.codecs import gzip_bytes
from wasim.iceberg.containers import read_container
from wasim.iceberg.manifests import ManifestHeader
from wasim.iceberg.names import parse_metadata_name
from wasim.iceberg.resolve import NewestBy, current_metadata
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.specs import PartitionField, PartitionSpec


def again(data, *, drop=(), schema=None, raw=None):
    """The file with another header or other records, uncompressed."""
    container = read_container(data, source="m")
    header = {key: value for key, value in container.header.items() if key not in drop} | {"avro.codec": b"null"}
    if schema is not None:
        header["avro.schema"] = json.dumps(schema(json.loads(header["avro.schema"]))).encode()
    parts = [header_bytes(header, SYNC)]
    for block in container.blocks:
        parts += (encode_long(block.record_count), encode_bytes(raw or block.raw), SYNC)
    return b"".join(parts)


MANIFEST = real_file("identities", "*-m0.avro")
LISTING = real_file("nested_v3", "snap-*.avro")
ICEBERG_KEYS = ("schema", "partition-spec", "partition-spec-id", "format-version", "content", "iceberg.schema")


def test_a_manifest_stripped_by_avro_tools_needs_its_list():
    known = read_manifest(MANIFEST, source="m")
    bare = again(MANIFEST, drop=ICEBERG_KEYS)
    with pytest.raises(IcebergFileError, match="no manifest"):
        read_manifest(bare, source="bare")
    assert read_manifest(bare, source="bare", known=known.header).header == known.header
    unpartitioned = real_file("blocks", "*-m0.avro")
    full = read_manifest(unpartitioned, source="m")
    found = read_manifest(again(unpartitioned, drop=ICEBERG_KEYS), source="bare", known=full.header)
    assert found.entries == full.entries


def test_a_list_stripped_by_avro_tools_is_read():
    keys = ("snapshot-id", "parent-snapshot-id", "sequence-number", "first-row-id", "format-version", "iceberg.schema")
    assert read_manifest_list(again(LISTING, drop=keys), source="bare").manifests == (
        read_manifest_list(LISTING, source="full").manifests
    )


def test_a_v1_list_whose_snapshot_id_is_optional_is_read():
    whole = read_manifest_list(real_file("old_v1", "snap-*.avro"), source="l")
    found = whole.manifests[0]
    listing = manifest_list_bytes(whole.header, [found], sync_marker=SYNC)
    container = read_container(listing, source="l")

    def optional(schema):
        for field in schema["fields"]:
            if field["field-id"] == 503:
                field |= {"type": ["null", "long"], "default": None}
        return schema

    raw = container.blocks[0].raw
    number = encode_long(found.added_snapshot_id)
    at = raw.index(number)
    assert (
        read_manifest_list(again(listing, schema=optional, raw=raw[:at] + b"\x02" + raw[at:]), source="o").manifests[0]
        == found
    )
    absent = again(listing, schema=optional, raw=raw[:at] + b"\x00" + raw[at + len(number) :])
    assert read_manifest_list(absent, source="o").manifests[0] == replace(found, added_snapshot_id=None)


def everything_optional(schema):
    """As BigQuery writes: each field optional, and maps whose key and value have no ids."""
    for field in schema["fields"]:
        kind = field["type"]
        inner = kind[1] if isinstance(kind, list) else kind
        if isinstance(inner, dict) and inner["type"] == "record":
            everything_optional(inner)
        if isinstance(inner, dict) and inner["type"] == "array" and isinstance(inner["items"], dict):
            for part in inner["items"]["fields"]:
                if part["name"] in ("key", "value"):
                    del part["field-id"]
        field["type"] = ["null", inner]
    return schema


def test_a_manifest_of_optional_fields_without_map_ids_is_read():
    path, entry = encode_string("s3://b/t/f.parquet"), b"\x02"
    counts = b"\x02" + encode_long(1) + encode_long(7) + encode_long(10) + b"\x00"
    chosen = ("status", "data_file")
    kept = ("file_path", "file_format", "partition", "record_count", "file_size_in_bytes", "value_counts")

    def schema(found):
        found = everything_optional(found)
        found["fields"] = [field for field in found["fields"] if field["name"] in chosen]
        file = found["fields"][-1]["type"][1]
        file["fields"] = [field for field in file["fields"] if field["name"] in kept]
        return found

    # status 1; file present: path, format, no partition, 10 rows, 99 bytes, value counts
    raw = entry + encode_long(1) + b"\x02" + b"\x02" + path + b"\x02" + encode_string("PARQUET") + b"\x00"
    raw += b"\x02" + encode_long(10) + b"\x02" + encode_long(99) + counts
    container = read_container(real_file("blocks", "*-m0.avro"), source="m")
    header = dict(container.header) | {"avro.codec": b"null"}
    header["avro.schema"] = json.dumps(schema(json.loads(header["avro.schema"]))).encode()
    data = header_bytes(header, SYNC) + encode_long(1) + encode_bytes(raw) + SYNC
    (found,) = read_manifest(data, source="bigquery").entries
    assert (found.file.file_path, found.file.record_count, found.file.value_counts) == (
        "s3://b/t/f.parquet",
        10,
        {7: 10},
    )
    assert found.snapshot_id is None


def fixed_manifest(value):
    schema = Schema(columns=(NestedField(field_id=1, name="f", type=PrimitiveType("fixed[11]")),))
    fields = (PartitionField(name="f", transform="identity", source_id=1, field_id=1000),)
    header = ManifestHeader(schema=schema, spec=PartitionSpec(fields=fields))
    entry = read_manifest(real_file("blocks", "*-m0.avro"), source="m").entries[0]
    entry = replace(entry, file=replace(entry.file, partition=(value,)))
    return manifest_bytes(header, [entry], sync_marker=SYNC)


@pytest.mark.parametrize("value", [b"hello world", b"\x14ello world"])
def test_fixed_partition_values_are_read_with_or_without_java_length(value):
    java = fixed_manifest(value)
    assert read_manifest(java, source="java").entries[0].file.partition == (value,)
    raw = read_container(java, source="java").blocks[0].raw
    # pyiceberg writes the bytes alone, as Avro has it, and no iceberg.schema into the header
    bare = again(java, drop=("iceberg.schema",), raw=raw.replace(b"\x16" + value, value, 1))
    assert read_manifest(bare, source="pyiceberg").entries[0].file.partition == (value,)


def test_what_a_header_schema_says_beyond_iceberg_is_passed_over():
    container = read_container(MANIFEST, source="m")
    schema = json.loads(container.header["schema"])
    schema["fields"][0] |= {"colour": "red"}
    schema["fields"].append({"id": 99, "name": "new", "required": False, "type": "timestamptz_ps"})
    header = dict(container.header) | {"schema": json.dumps(schema).encode()}
    spec = json.loads(container.header["partition-spec"])
    spec = [{**field, "source-ids": [field["source-id"]]} for field in spec]
    for field in spec:
        del field["source-id"]
    header["partition-spec"] = json.dumps(spec).encode()
    parts = [header_bytes(header | {"avro.codec": b"null"}, SYNC)]
    parts += [encode_long(b.record_count) + encode_bytes(b.raw) + SYNC for b in container.blocks]
    found = read_manifest(b"".join(parts), source="new")
    assert found.entries == read_manifest(MANIFEST, source="m").entries
    assert found.header.schema.columns[-1].type == PrimitiveType("timestamptz_ps")


def test_very_old_metadata_with_inline_manifests_is_read():
    document = {
        "format-version": 1,
        "location": "s3://b/t",
        "last-updated-ms": 5,
        "last-column-id": 1,
        "schema": {"type": "struct", "fields": [{"id": 1, "name": "d", "required": True, "type": "date"}]},
        "partition-spec": [],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": 7,
        "snapshots": [{"snapshot-id": 7, "timestamp-ms": 5, "manifests": ["s3://b/t/metadata/m0.avro"]}],
        "snapshot-log": [],
    }
    metadata = read_metadata_json(json.dumps(document).encode(), source="old")
    assert metadata.snapshots[0].manifests == ("s3://b/t/metadata/m0.avro",)
    assert (metadata.table_uuid, metadata.schemas[0].schema_id) == (None, 0)


JSON = real_file("evolving_v2", "*.metadata.json")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(json.loads(JSON), indent=4).encode() + b"\n",
        json.dumps(json.loads(JSON), indent="\t", sort_keys=True).encode(),
        b"\xef\xbb\xbf" + JSON,
        gzip_bytes(JSON[:1000]) + gzip_bytes(JSON[1000:]),
        zstandard.ZstdCompressor().compress(JSON),
        json.dumps(json.loads(JSON) | {"a": "💧"}, ensure_ascii=False).encode(),
    ],
    ids=["indented", "tabs, sorted", "byte order mark", "gzip of two members", "zstandard", "emoji"],
)
def test_metadata_json_is_read_in_every_form(text):
    expected = read_metadata_json(JSON, source="plain")
    assert replace(read_metadata_json(text, source="form"), unknown_fields=()) == expected


def test_an_id_beyond_64_bits_is_refused():
    document = json.loads(JSON)
    document["snapshots"][0]["snapshot-id"] = 2**63
    with pytest.raises(IcebergFileError, match=r"snapshots\[0\].snapshot-id is not a whole number of 64 bits"):
        read_metadata_json(json.dumps(document).encode(), source="x")


def test_names_of_zstandard_metadata_say_their_version():
    assert parse_metadata_name("00007-2ff57c8c-3d1c-4b13-8d33-9f0e0d7b9d5a.zstd.metadata.json").version == 7


@pytest.mark.parametrize("newest_by", list(NewestBy))
def test_a_file_of_no_metadata_does_not_hide_its_folder(newest_by):
    texts = {
        "t/v3.metadata.json": b"{}",
        "t/00003-a.metadata.json": json.dumps({"last-updated-ms": 3}).encode(),
        "t/v2.metadata.json": json.dumps({"last-updated-ms": 2}).encode(),
    }
    found = current_metadata(texts, texts.__getitem__, source="t", newest_by=newest_by)
    assert found.path == "t/00003-a.metadata.json"
    assert [fault.source for fault in found.unreadable] == ["t/v3.metadata.json"]


def test_text_from_a_file_reaches_no_terminal_raw_or_unbounded():
    codec = b"\x1b[2J" + b"x" * 5000
    data = header_bytes({"avro.codec": codec}, SYNC)
    with pytest.raises(IcebergFileError) as caught:
        read_manifest(data, source="s3://b/\x1b]0;owned\x07/m.avro")
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 500
