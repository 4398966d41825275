"""Names of files: built, parsed, distinguished."""

import pytest
from support.paths import DATA

from wasim.iceberg import Kind, kind_by_name
from wasim.iceberg import names as iceberg_names
from wasim.iceberg.names import ManifestListName, MetadataJsonName

TABLES = DATA / "tables"
UUID = "0b2c3d4e-1111-2222-3333-444455556666"


@pytest.mark.parametrize(
    ("name", "version", "uuid"),
    [
        ("v12.metadata.json", 12, None),
        ("v3.gz.metadata.json", 3, None),
        ("v3.metadata.json.gz", 3, None),
        (f"00000-{UUID}.metadata.json", 0, UUID),
        (f"123456-{UUID}.gz.metadata.json", 123456, UUID),
        ("7.metadata.json", 7, None),
        (f"{UUID}.metadata.json", None, UUID),
        ("6Vb9kQ_xZ-1.metadata.json", None, "6Vb9kQ_xZ-1"),
    ],
)
def test_a_metadata_json_name_says_version_and_uuid(name, version, uuid):
    assert iceberg_names.parse_metadata_name(name) == MetadataJsonName(version=version, uuid=uuid)


def test_built_names_parse_to_what_they_were_built_from():
    for is_gzip in (False, True):
        hadoop = iceberg_names.hadoop_metadata_name(5, is_gzip=is_gzip)
        metastore = iceberg_names.metastore_metadata_name(5, UUID, is_gzip=is_gzip)
        assert iceberg_names.parse_metadata_name(hadoop) == MetadataJsonName(version=5, uuid=None)
        assert iceberg_names.parse_metadata_name(metastore) == MetadataJsonName(version=5, uuid=UUID)
    listing = iceberg_names.manifest_list_name(2**63 - 1, 3, UUID)
    expected = ManifestListName(snapshot_id=2**63 - 1, attempt=3, commit_uuid=UUID)
    assert iceberg_names.parse_manifest_list_name(listing) == expected
    for manifest in (iceberg_names.manifest_name(UUID, 12), iceberg_names.rewritten_manifest_name(UUID)):
        assert iceberg_names.commit_of_manifest(manifest) == UUID


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("s3://b/t/metadata/v1.metadata.json", Kind.METADATA_JSON),
        (f"/t/metadata/00001-{UUID}.gz.metadata.json", Kind.METADATA_JSON),
        (f"/t/metadata/{UUID}.metadata.json", Kind.METADATA_JSON),
        ("metadata/version-hint.text", Kind.VERSION_HINT),
        (f"metadata/{UUID}-version-hint.temp", Kind.VERSION_HINT),
        (f"/t/metadata/snap-1-1-{UUID}.avro", Kind.MANIFEST_LIST),
        (f"/t/metadata/{UUID}-m0.avro", Kind.DATA_MANIFEST),
        (f"/t/metadata/optimized-m-{UUID}.avro", Kind.DATA_MANIFEST),
        (f"/t/metadata/{'a' * 32}-{'b' * 32}-00000-0-5-00001.avro", Kind.DATA_MANIFEST),
        ("/t/metadata/of-another-writer.avro", Kind.DATA_MANIFEST),
        (f"/t/metadata/123-{UUID}.stats", Kind.STATISTICS),
        (f"/t/metadata/partition-stats-1-{UUID}.parquet", Kind.STATISTICS),
        ("/t/metadata/.v1.metadata.json.crc", None),
        (f"/t/data/day=2026-01-01/00000-1-{UUID}-0-00001.parquet", Kind.DATA),
        (f"/t/data/00000-1-{UUID}-00001-deletes.parquet", Kind.DELETE_FILE),
        (f"/t/data/00000-1-{UUID}-00001-deletes.puffin", Kind.DELETE_FILE),
        ("/t/data/events.avro", Kind.DATA),
        ("/t/_SUCCESS", None),
    ],
)
def test_a_path_tells_what_its_file_is(path, kind):
    assert kind_by_name(path) is kind


def test_every_real_metadata_file_is_told_apart():
    for path in TABLES.rglob("metadata/*"):
        starts = path.read_bytes()[:3]
        kind = kind_by_name(str(path))
        assert kind is not None
        assert (kind in (Kind.DATA_MANIFEST, Kind.MANIFEST_LIST)) == (starts == b"Obj")
