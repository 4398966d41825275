"""The encoder against fastavro's own, over schemas and values that hypothesis draws."""

import io
import json
import struct
from dataclasses import replace

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.iceberg_files import manifest_bytes

from wasim.iceberg import DataFileEntry, ManifestEntry, ManifestHeader, read_manifest
from wasim.iceberg.avro_encoding import encode_long
from wasim.iceberg.containers import BLOCK_RAW_BYTES, read_container, split_blocks
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.specs import PartitionField, PartitionSpec

SYNC = b"\x07" * 16
LONGS = st.integers(-(2**63), 2**63 - 1)
COUNTS = st.integers(0, 2**63 - 1)
IDS = st.integers(1, 2**31 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
FLOATS = st.floats(width=32, allow_nan=False)
# A logical value as Avro holds it: a type of Iceberg's and what a partition tuple may hold of it.
PARTITIONS = {
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": LONGS,
    "float": FLOATS,
    "double": st.floats(allow_nan=False),
    "date": st.integers(-(2**31), 2**31 - 1),
    "time": LONGS,
    "timestamp": LONGS,
    "timestamptz_ns": LONGS,
    "string": TEXTS,
    "uuid": st.binary(min_size=16, max_size=16),
    "fixed[3]": st.binary(min_size=3, max_size=3),
    "binary": st.binary(max_size=20),
    "decimal(9, 2)": st.binary(min_size=4, max_size=4),
    "decimal(38, 10)": st.binary(min_size=16, max_size=16),
    "unknown": st.none(),
}


def optional(strategy):
    return st.none() | strategy


FILES = st.builds(
    DataFileEntry,
    file_path=TEXTS,
    record_count=COUNTS,
    file_size_bytes=COUNTS,
    content=st.integers(0, 2),
    file_format=st.sampled_from(["PARQUET", "AVRO", "PUFFIN"]),
    column_sizes=optional(st.dictionaries(IDS, COUNTS)),
    value_counts=optional(st.dictionaries(IDS, COUNTS)),
    null_value_counts=optional(st.dictionaries(IDS, COUNTS)),
    nan_value_counts=optional(st.dictionaries(IDS, COUNTS)),
    lower_bounds=optional(st.dictionaries(IDS, st.binary(max_size=40))),
    upper_bounds=optional(st.dictionaries(IDS, st.binary(max_size=40))),
    key_metadata=optional(st.binary(max_size=9)),
    split_offsets=optional(st.lists(LONGS).map(tuple)),
    equality_ids=optional(st.lists(IDS).map(tuple)),
    sort_order_id=optional(IDS),
    first_row_id=optional(COUNTS),
    referenced_data_file=optional(TEXTS),
    content_offset=optional(COUNTS),
    content_size_bytes=optional(COUNTS),
)
ENTRIES = st.builds(ManifestEntry, status=st.integers(0, 2), file=FILES, snapshot_id=LONGS)


@st.composite
def headers_and_entries(draw):
    types = draw(st.lists(st.sampled_from(sorted(PARTITIONS)), max_size=5))
    columns = [NestedField(field_id=n, name=f"c{n}", type=PrimitiveType(name)) for n, name in enumerate(types, 1)]
    fields = [
        PartitionField(
            name=column.name, transform="identity", source_id=column.field_id, field_id=999 + column.field_id
        )
        for column in columns
    ]
    spec = PartitionSpec(fields=tuple(fields))
    header = ManifestHeader(schema=Schema(columns=tuple(columns)), spec=spec, format_version=3)
    entries = []
    for file in draw(st.lists(FILES, max_size=3)):
        partition = tuple(draw(optional(PARTITIONS[name])) for name in types)
        numbers = {name: draw(optional(LONGS)) for name in ("snapshot_id", "sequence_number", "file_sequence_number")}
        entries.append(
            ManifestEntry(status=draw(st.integers(0, 2)), file=replace(file, partition=partition), **numbers)
        )
    return header, tuple(entries)


@given(headers_and_entries())
def test_any_entries_survive_encoding(drawn):
    header, entries = drawn
    manifest = read_manifest(manifest_bytes(header, entries, sync_marker=SYNC), source="m")
    assert (manifest.header, manifest.entries) == (header, entries)


def as_fastavro(values):
    return None if values is None else [{"key": key, "value": value} for key, value in values.items()]


def as_list(values):
    return None if values is None else list(values)


def row_of(entry):
    """An entry as the dicts that fastavro takes."""
    file = entry.file
    return {
        "status": entry.status,
        "snapshot_id": entry.snapshot_id,
        "sequence_number": entry.sequence_number,
        "file_sequence_number": entry.file_sequence_number,
        "data_file": {
            "content": file.content,
            "file_path": file.file_path,
            "file_format": file.file_format,
            "partition": {},
            "record_count": file.record_count,
            "file_size_in_bytes": file.file_size_bytes,
            "column_sizes": as_fastavro(file.column_sizes),
            "value_counts": as_fastavro(file.value_counts),
            "null_value_counts": as_fastavro(file.null_value_counts),
            "nan_value_counts": as_fastavro(file.nan_value_counts),
            "lower_bounds": as_fastavro(file.lower_bounds),
            "upper_bounds": as_fastavro(file.upper_bounds),
            "key_metadata": file.key_metadata,
            "split_offsets": as_list(file.split_offsets),
            "equality_ids": as_list(file.equality_ids),
            "sort_order_id": file.sort_order_id,
            "first_row_id": file.first_row_id,
            "referenced_data_file": file.referenced_data_file,
            "content_offset": file.content_offset,
            "content_size_in_bytes": file.content_size_bytes,
        },
    }


@given(st.lists(ENTRIES, min_size=1, max_size=3))
def test_records_are_those_of_fastavros_encoder(entries):
    header = ManifestHeader(schema=Schema(columns=()), spec=PartitionSpec(), format_version=3)
    found = read_container(manifest_bytes(header, entries, sync_marker=SYNC, codec="null"), source="m")
    schema = fastavro.parse_schema(json.loads(found.header["avro.schema"]))
    stream = io.BytesIO()
    for entry in entries:
        fastavro.schemaless_writer(stream, schema, row_of(entry))
    assert b"".join(block.raw for block in found.blocks) == stream.getvalue()


@given(LONGS)
def test_a_long_is_encoded_as_avro_does(value):
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, "long", value)
    assert encode_long(value) == stream.getvalue()


@given(st.lists(st.integers(1, 70_000), max_size=20))
def test_a_block_closes_with_the_record_that_reaches_the_threshold(sizes):
    blocks = split_blocks(bytes(size) for size in sizes)
    assert sum(block.record_count for block in blocks) == len(sizes)
    left = iter(sizes)
    for number, block in enumerate(blocks, start=1):
        taken = [next(left) for _ in range(block.record_count)]
        assert len(block.raw) == sum(taken)
        assert sum(taken[:-1]) < BLOCK_RAW_BYTES
        assert sum(taken) >= BLOCK_RAW_BYTES or number == len(blocks)


def test_a_float_out_of_range_is_a_traceback():
    columns = (NestedField(field_id=1, name="f", type=PrimitiveType("float")),)
    spec = PartitionSpec(fields=(PartitionField(name="f", transform="identity", source_id=1, field_id=1000),))
    file = DataFileEntry(file_path="x", record_count=1, file_size_bytes=1, partition=(1e300,))
    header = ManifestHeader(schema=Schema(columns=columns), spec=spec)
    with pytest.raises((OverflowError, struct.error)):
        manifest_bytes(header, [ManifestEntry(status=1, file=file)], sync_marker=SYNC)
