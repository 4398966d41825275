"""Files of older Iceberg releases, against what other people published of theirs."""

import json
from dataclasses import replace

import pytest
from support.iceberg_files import manifest_bytes, manifest_list_bytes
from support.paths import DATA

from wasim.iceberg import DataFileEntry, ManifestEntry, ManifestHeader, read_manifest_list, read_metadata_json
from wasim.iceberg.containers import read_container
from wasim.iceberg.json_text import pretty_json
from wasim.iceberg.manifest_lists import ManifestFile, ManifestListHeader
from wasim.iceberg.metadata_json import render_metadata_json
from wasim.iceberg.record_fields import V1_BLOCK_SIZE_BYTES, entry_schema_texts, manifest_file_schema_texts
from wasim.iceberg.releases import NEWEST, Release, release_named
from wasim.iceberg.schemas import NestedField, Schema, primitive_type, read_schema
from wasim.iceberg.specs import PartitionField, PartitionSpec, partition_type, read_spec_fields

PUBLISHED = json.loads((DATA / "published" / "security_lake.json").read_text())

QUICKSTART_COLUMNS = (
    ("order_id", "long"),
    ("customer_id", "long"),
    ("order_amount", "decimal(10, 2)"),
    ("order_ts", "timestamptz"),
)
# INSERT of (123, 456, 36.17, a time of 2021-01-26 08h), as the quickstart prints the entry.
QUICKSTART_BOUNDS = {
    1: (123).to_bytes(8, "little"),
    2: (456).to_bytes(8, "little"),
    3: (3617).to_bytes(2, "big"),
    4: b"\xc09\xad/\xc9\xb9\x05\x00",
}


def quickstart_manifest(release: Release) -> bytes:
    """The manifest of the quickstart's first INSERT: four columns, hour(order_ts), one file of one row."""
    fields = enumerate(QUICKSTART_COLUMNS, 1)
    schema = Schema(
        columns=tuple(NestedField(field_id=n, name=name, type=primitive_type(kind)) for n, (name, kind) in fields)
    )
    spec = PartitionSpec(fields=(PartitionField(name="order_ts_hour", transform="hour", source_id=4, field_id=1000),))
    name = "order_ts_hour=2021-01-26-08/00000-1-e1aa7b04-e8f0-4020-827e-97468f26d127-0-00001.parquet"
    file = DataFileEntry(
        file_path=f"s3://warehouse/db1/table1/data/{name}",
        partition=(447680,),
        record_count=1,
        file_size_bytes=1269,
        column_sizes=dict.fromkeys(QUICKSTART_BOUNDS, 40),
        value_counts=dict.fromkeys(QUICKSTART_BOUNDS, 1),
        null_value_counts=dict.fromkeys(QUICKSTART_BOUNDS, 0),
        nan_value_counts={},
        lower_bounds=QUICKSTART_BOUNDS,
        upper_bounds=QUICKSTART_BOUNDS,
        split_offsets=(4,),
        sort_order_id=0,
    )
    entry = ManifestEntry(status=1, snapshot_id=5032443478505933848, file=file)
    return manifest_bytes(ManifestHeader(schema=schema, spec=spec, release=release), [entry], sync_marker=bytes(16))


@pytest.mark.parametrize(
    ("release", "size"), [(Release(1, 5), 7082), (Release(1, 7), 7082), (Release(1, 8), 7436), (NEWEST, 7436)]
)
def test_the_quickstarts_manifest_has_its_published_length(release, size):
    assert len(quickstart_manifest(release)) == size


def security_lake_schema() -> tuple[Schema, PartitionSpec]:
    schema = read_schema(PUBLISHED["schema"].encode(), source="schema")
    return schema, read_spec_fields(PUBLISHED["partition-spec"].encode(), spec_id=0, source="spec")


def test_security_lakes_manifest_header_is_that_of_1_4():
    schema, spec = security_lake_schema()
    texts = entry_schema_texts(2, partition_type(spec, schema), Release(1, 4))
    assert texts == (PUBLISHED["manifest"]["avro.schema"], PUBLISHED["manifest"]["iceberg.schema"])


def test_security_lakes_list_header_is_of_iceberg_1_4():
    published = (PUBLISHED["manifest_list"]["avro.schema"], PUBLISHED["manifest_list"]["iceberg.schema"])
    assert manifest_file_schema_texts(2, Release(1, 4)) == published
    assert manifest_file_schema_texts(2, Release(1, 5)) != published


def test_manifest_lists_hold_key_metadata_since_1_6():
    with_key = [
        "key_metadata" in manifest_file_schema_texts(2, release)[0] for release in (Release(1, 5), Release(1, 6))
    ]
    assert with_key == [False, True]


def test_security_lakes_manifest_is_its_length_within_masked_names():
    schema, spec = security_lake_schema()
    bucket = "aws-security-data-lake-ap-northeast-1-".ljust(63, "x")  # S3 allows 63 letters; the page masks them
    path = f"s3://{bucket}/aws/CLOUD_TRAIL_MGMT/2.0/region=ap-northeast-1/accountId=083801292469/eventDay=20240408/"
    name = "2f0a9c1b7d3e48658a4b6c0d1e2f3a4b5c6d7e8f"
    file = DataFileEntry(
        file_path=f"{path}{name}.gz.parquet",
        partition=("2_0", "ap-northeast-1", "083801292469", 19821),
        record_count=129,
        file_size_bytes=53190,
        sort_order_id=0,
    )
    entry = ManifestEntry(status=1, snapshot_id=1000046944358792529, file=file)
    header = ManifestHeader(schema=schema, spec=spec, release=Release(1, 4))
    # The page masks some sixty letters of the path; everything else is known.
    assert abs(len(manifest_bytes(header, [entry], sync_marker=bytes(16))) - 13618) < 40


def v1_list(release: Release, snapshots: int) -> bytes:
    header = ManifestListHeader(snapshot_id=snapshots, parent_snapshot_id=None, format_version=1, release=release)
    manifests = [
        ManifestFile(manifest_path=f"m{one}", manifest_length=7000, partition_spec_id=0, added_snapshot_id=one)
        for one in range(1, snapshots + 1)
    ]
    return manifest_list_bytes(header, manifests, sync_marker=bytes(16))


def test_v1_lists_before_1_8_leave_the_adding_snapshot_optional():
    """Iceberg 1.7.2's ManifestFile says optional, 1.8.0's required: 25 B of header, and a union's byte per record."""
    old, new = (manifest_file_schema_texts(1, release) for release in (Release(1, 7), Release(1, 8)))
    snapshot = '{"name":"added_snapshot_id","type":%s,"doc":"Snapshot ID that added the manifest",%s"field-id":503}'
    assert snapshot % ('["null","long"]', '"default":null,') in old[0]
    assert snapshot % ('"long"', "") in new[0]
    assert sum(map(len, old)) - sum(map(len, new)) == 25
    containers = [read_container(v1_list(release, 3), source="list") for release in (Release(1, 7), Release(1, 8))]
    raw = [container.blocks[0].raw for container in containers]
    assert len(raw[0]) - len(raw[1]) == 3
    assert bytes([2 * len("m2")]) + b"m2" + b"\xb0\x6d\x00" + b"\x02" + b"\x04" in raw[0]  # length, spec, branch, id
    assert bytes([2 * len("m2")]) + b"m2" + b"\xb0\x6d\x00" + b"\x04" in raw[1]
    assert manifest_file_schema_texts(2, Release(1, 7)) == manifest_file_schema_texts(2, Release(1, 8))


@pytest.mark.parametrize("release", [Release(0, 12), Release(1, 7), Release(1, 8), NEWEST])
def test_v1_lists_of_every_release_are_read(release):
    found = read_manifest_list(v1_list(release, 3), source="list")
    assert [one.added_snapshot_id for one in found.manifests] == [1, 2, 3]


def test_pretty_json_is_spaced_as_the_published_sample():
    compact = '{"snapshots":[{"sequence-number":1,"summary":{"operation":"append"},"schema-id":0}],"refs":{},"log":[]}'
    assert pretty_json(compact) == (
        '{\n  "snapshots" : [ {\n    "sequence-number" : 1,\n    "summary" : {\n      "operation" : "append"\n    },\n'
        '    "schema-id" : 0\n  } ],\n  "refs" : { },\n  "log" : [ ]\n}'
    )


def test_older_metadata_json_says_the_same_as_its_release_knew():
    path = next((DATA / "tables" / "wide_v2" / "metadata").glob("*.metadata.json"))
    metadata = read_metadata_json(path.read_bytes(), source=str(path))
    for version, absent in (("1.8.1", ()), ("1.4", ("partition-statistics",)), ("1.0", ("statistics",))):
        text = render_metadata_json(metadata, release=release_named(version))
        assert text.startswith('{\n  "format-version" : 2,\n')
        assert not any(f'"{name}" :' in text for name in absent)
        assert read_metadata_json(text.encode(), source="older") == metadata
    assert render_metadata_json(metadata, release=Release(1, 9)) == path.read_text()
    assert render_metadata_json(replace(metadata, refs={}), release=Release(0, 13)).count('"refs"') == 0


@pytest.mark.parametrize("text", ["1", "newest", "1.2.3.4", "1.x"])
def test_a_version_that_is_none_is_refused(text):
    with pytest.raises(ValueError):
        release_named(text)


def test_the_newest_release_is_the_one_that_is_driven():
    pytest.importorskip("pyspark")
    from wasim.spark.pins import PINNED_JARS

    assert release_named(PINNED_JARS[0].version) == NEWEST


def test_version_1_without_a_block_size_has_icebergs_default():
    assert V1_BLOCK_SIZE_BYTES == 67_108_864  # what Iceberg's writers put there, whatever blocks there are
