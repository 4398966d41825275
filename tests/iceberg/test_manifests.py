"""Manifests and manifest lists: what decoding says of real ones, and encoding from nothing but values."""

import io
import json
from pathlib import Path

import fastavro
import pytest
from support.iceberg_files import manifest_bytes, manifest_list_bytes
from support.paths import DATA

from wasim.iceberg import (
    DataFileEntry,
    ManifestEntry,
    ManifestHeader,
    read_manifest,
    read_manifest_header,
    read_manifest_list,
)
from wasim.iceberg.containers import read_container
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.manifest_lists import ManifestFile, ManifestListHeader, PartitionFieldSummary
from wasim.iceberg.record_fields import FileContent, ManifestContent, Status
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.specs import PartitionField, PartitionSpec

TABLES = DATA / "tables"
SYNC = bytes(range(16))
METRIC_MAPS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
REWRITTEN = {"wide_v2", "evolving_v2"}  # by rewrite_manifests


def manifests_of(table):
    found = {}
    for path in sorted((TABLES / table / "metadata").glob("*.avro")):
        if not path.name.startswith("snap-"):
            found[path.name] = read_manifest(path.read_bytes(), source=path.name)
    return found


def lists_of(table):
    paths = sorted((TABLES / table / "metadata").glob("snap-*.avro"))
    return {path.name: read_manifest_list(path.read_bytes(), source=path.name) for path in paths}


def day_table(format_version=2):
    schema = Schema(
        columns=(
            NestedField(field_id=1, name="id", type=PrimitiveType("long"), required=True),
            NestedField(field_id=2, name="day", type=PrimitiveType("date"), doc='a "doc"'),
        )
    )
    spec = PartitionSpec(fields=(PartitionField(name="day", transform="identity", source_id=2, field_id=1000),))
    return ManifestHeader(schema=schema, spec=spec, format_version=format_version)


def entry(number, **changes):
    file = DataFileEntry(
        file_path=f"s3://bucket/t/data/day=1/{number:05d}.parquet",
        record_count=10 + number,
        file_size_bytes=1000 + number,
        partition=(number % 30,),
        column_sizes={1: 50, 2: 60 + number},
        lower_bounds={1: number.to_bytes(8, "little")},
        split_offsets=(4,),
        sort_order_id=0,
        **changes,
    )
    return ManifestEntry(status=Status.ADDED, snapshot_id=-(2**62) + number, file=file)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_entries_survive_encoding(version):
    entries = tuple(entry(number) for number in range(1000))
    data = manifest_bytes(day_table(version), entries, sync_marker=SYNC)
    manifest = read_manifest(data, source="m0.avro")
    assert manifest.entries == entries
    assert manifest.header == day_table(version)
    assert len(read_container(data, source="m0.avro").blocks) > 1


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_plain_avro_reader_agrees_with_the_encoder(version):
    data = manifest_bytes(day_table(version), [entry(1), entry(2)], sync_marker=SYNC)
    rows = list(fastavro.reader(io.BytesIO(data)))
    assert [row["data_file"]["file_path"] for row in rows] == [entry(1).file.file_path, entry(2).file.file_path]
    assert rows[0]["data_file"]["column_sizes"] == [{"key": 1, "value": 50}, {"key": 2, "value": 61}]
    assert rows[0]["data_file"]["partition"]["day"].isoformat() == "1970-01-02"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_fastavros_own_encoder_yields_the_same_records(version):
    data = manifest_bytes(day_table(version), [entry(3)], sync_marker=SYNC, codec="null")
    container = read_container(data, source="m0.avro")
    row = next(iter(fastavro.reader(io.BytesIO(data))))
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(json.loads(container.header["avro.schema"])), row)
    assert stream.getvalue() == container.blocks[0].raw


@pytest.mark.parametrize("version", [1, 2, 3])
def test_manifest_files_survive_encoding(version):
    summary = PartitionFieldSummary(contains_null=False, contains_nan=False, lower_bound=b"\x01", upper_bound=None)
    newer = {"content": 1, "sequence_number": 7, "min_sequence_number": 3} if version > 1 else {}
    manifests = tuple(
        ManifestFile(
            manifest_path=f"s3://bucket/t/metadata/{number}-m0.avro",
            manifest_length=7000 + number,
            partition_spec_id=0,
            added_snapshot_id=number,
            added_files_count=1,
            existing_files_count=0,
            deleted_files_count=0,
            added_rows_count=10,
            existing_rows_count=0,
            deleted_rows_count=0,
            partitions=(summary,),
            first_row_id=number if version > 2 else None,
            **newer,
        )
        for number in range(600)
    )
    header = ManifestListHeader(
        snapshot_id=2**63 - 1,
        sequence_number=7 if version > 1 else None,
        first_row_id=0 if version > 2 else None,
        format_version=version,
    )
    listing = read_manifest_list(manifest_list_bytes(header, manifests, sync_marker=SYNC), source="snap.avro")
    assert (listing.header, listing.manifests) == (header, manifests)


def test_position_deletes_of_v2_carry_bounds_and_no_counts():
    delete = [m for m in manifests_of("evolving_v2").values() if m.header.content is ManifestContent.DELETES]
    files = [item.file for manifest in delete for item in manifest.entries]
    assert {file.content for file in files} == {FileContent.POSITION_DELETES}
    assert all(file.value_counts is None and set(file.lower_bounds) == {2147483546, 2147483545} for file in files)


def test_equality_deletes_name_their_columns():
    files = [item.file for m in manifests_of("equality_v2").values() for item in m.entries]
    assert [file.equality_ids for file in files if file.content == FileContent.EQUALITY_DELETES] == [(1, 2), (1, 2)]


def test_deletion_vectors_of_v3_point_into_puffin_files():
    vectors = [item.file for m in manifests_of("nested_v3").values() for item in m.entries if item.file.content]
    assert vectors
    for file in vectors:
        assert file.file_format == "PUFFIN"
        assert file.referenced_data_file
        assert file.content_offset == 4
        assert file.content_size_bytes > 0


def test_a_null_partition_value_of_each_type_is_none():
    (manifest,) = [m for m in manifests_of("identities").values() if len(m.entries) == 2][:1]
    assert any(item.file.partition == (None,) * 14 for item in manifest.entries)


def test_existing_entries_name_sequence_numbers_and_added_ones_inherit():
    entries = [item for table in ("wide_v2", "blocks") for m in manifests_of(table).values() for item in m.entries]
    for item in entries:
        assert (item.sequence_number is None) == (item.status == Status.ADDED)
    assert {item.status for item in entries} == {Status.ADDED, Status.EXISTING}


def test_metric_maps_come_in_a_jvm_hash_map_s_order():
    """But where Spark's rewrite_manifests has rewritten entries, which it read as maps of Scala's."""
    orders = {True: set(), False: set()}
    for table in sorted(path.name for path in TABLES.iterdir()):
        for manifest in manifests_of(table).values() if "manifest_" not in table else ():
            for item in manifest.entries:
                for keys in (list(getattr(item.file, metric) or ()) for metric in METRIC_MAPS):
                    orders[java_map_order(sorted(keys)) == keys].add(table)
    assert len(orders[True]) > 8
    assert orders[False] <= REWRITTEN


def test_lists_of_an_upgraded_table_hold_manifests_of_every_version():
    (listing,) = lists_of("upgraded").values()
    versions = {manifest.header.format_version for manifest in manifests_of("upgraded").values()}
    assert (listing.header.format_version, versions) == (3, {1, 2, 3})
    lengths = {path.name: path.stat().st_size for path in (TABLES / "upgraded" / "metadata").iterdir()}
    assert all(lengths[Path(m.manifest_path).name] == m.manifest_length for m in listing.manifests)


def test_the_beginning_of_a_manifest_tells_data_from_deletes():
    paths = list((TABLES / "nested_v3" / "metadata").glob("*-m*.avro"))
    for data in (path.read_bytes() for path in paths):
        assert read_manifest_header(data[:16_000], source="m") == read_manifest(data, source="m").header
    assert {read_manifest_header(path.read_bytes(), source="m").content for path in paths} == set(ManifestContent)


def test_a_partition_of_the_wrong_width_is_a_bug():
    broken = ManifestEntry(status=Status.ADDED, file=DataFileEntry(file_path="x", record_count=1, file_size_bytes=1))
    with pytest.raises(ValueError, match="0 values where the spec has 1"):
        manifest_bytes(day_table(), [broken], sync_marker=SYNC)
