"""Manifests of format version 4, in Parquet, as Arrow writes and reads them; tests/core has real ones."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from wasim.iceberg import DataFileEntry, IcebergFileError, ManifestContent, ManifestEntry, read_manifest
from wasim.iceberg.manifests import read_manifest_header
from wasim.iceberg.parquet_manifests import parquet_manifest_bytes, parquet_manifest_length
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.specs import PartitionField, PartitionSpec

COLUMNS = (("id", "long"), ("at", "timestamptz"), ("price", "decimal(10, 2)"), ("day", "date"))
SCHEMA = Schema(
    columns=tuple(
        NestedField(field_id=number, name=name, type=PrimitiveType(kind))
        for number, (name, kind) in enumerate(COLUMNS, 1)
    )
)
SPEC = PartitionSpec(
    spec_id=0,
    fields=(
        PartitionField(field_id=1000, name="at_hour", source_id=2, transform="hour"),
        PartitionField(field_id=1001, name="price", source_id=3, transform="identity"),
        PartitionField(field_id=1002, name="day", source_id=4, transform="identity"),
    ),
)


def entry(number: int) -> ManifestEntry:
    file = DataFileEntry(
        file_path=f"file:/w/t/data/{number:05d}.parquet",
        record_count=10,
        file_size_bytes=1000 + number,
        partition=(490_000 + number, (-1234).to_bytes(2, "big", signed=True), 20_000),
        column_sizes={1: 50, 2: 60},
        value_counts={1: 10, 2: 10},
        null_value_counts={1: 0, 2: 0},
        nan_value_counts={},
        lower_bounds={1: bytes(8), 2: bytes(8)},
        upper_bounds={1: b"\x09" + bytes(7), 2: b"\x01" * 8},
        split_offsets=(4,),
        sort_order_id=0,
    )
    return ManifestEntry(status=1, snapshot_id=2**62 + number, file=file)


def written(count: int = 3) -> bytes:
    return parquet_manifest_bytes(SCHEMA, SPEC, ManifestContent.DELETES, [entry(number) for number in range(count)])


def test_what_is_written_reads_back() -> None:
    manifest = read_manifest(written(), source="m0")
    assert manifest.entries == tuple(entry(number) for number in range(3))
    assert (manifest.header.schema, manifest.header.spec) == (SCHEMA, SPEC)
    assert (manifest.header.format_version, manifest.header.content) == (4, ManifestContent.DELETES)
    assert read_manifest_header(written(), source="m0") == manifest.header


def test_a_manifest_in_parquet_is_mostly_footer_and_a_further_entry_takes_little() -> None:
    lengths = [
        parquet_manifest_length(SCHEMA, SPEC, ManifestContent.DATA, [entry(n) for n in range(count)])
        for count in (1, 100, 200)
    ]
    assert 11_000 < lengths[0] < 14_000
    assert lengths[2] - lengths[1] < 100 * 50


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:400] + data[500:], lambda data: b"PAR1"])
def test_a_damaged_file_is_refused_by_name(damage) -> None:
    with pytest.raises(IcebergFileError, match=r"^m0: "):
        read_manifest(damage(written()), source="m0")


def test_a_parquet_file_that_is_no_manifest_is_refused() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"id": [1]}), sink)
    with pytest.raises(IcebergFileError, match="holds no schema and partition-spec"):
        read_manifest(sink.getvalue(), source="m0")


def test_a_bomb_is_refused_before_it_is_inflated() -> None:
    sink = io.BytesIO()
    values = pa.array([bytes(1 << 20)] * 300, type=pa.binary())
    pq.write_table(pa.table({"id": values}), sink, compression="gzip", use_dictionary=False)
    with pytest.raises(IcebergFileError, match="more entries or bytes"):
        read_manifest(sink.getvalue(), source="m0")
