"""Finding the current metadata.json of a table without a catalog."""

import json

import pytest

from wasim.iceberg import IcebergFileError
from wasim.iceberg.codecs import gzip_bytes
from wasim.iceberg.resolve import NewestBy, current_metadata


def folder(**files):
    """Paths of metadata files, a reader of them, and a log of what was read. Values: (table uuid, last updated)."""
    opened = []

    def read(path):
        opened.append(path)
        uuid, updated = contents[path]
        text = json.dumps({"table-uuid": uuid, "last-updated-ms": updated}).encode()
        return gzip_bytes(text) if ".gz" in path else text

    contents = {f"t/metadata/{name}": value for name, value in files.items()}
    return list(contents), read, opened


def resolve(files, **options):
    paths, read, opened = folder(**files)
    found = current_metadata(paths, read, source="t", **options)
    return found.path.removeprefix("t/metadata/"), len(opened), len(found.rivals)


def test_the_highest_version_is_current_and_nothing_is_read():
    files = {"v9.metadata.json": ("a", 9), "v10.gz.metadata.json": ("a", 1), "v2.metadata.json": ("a", 99)}
    assert resolve(files | {"version-hint.text": ("a", 0)}) == ("v10.gz.metadata.json", 0, 0)


def test_the_latest_update_is_current_when_asked():
    files = {"v9.metadata.json": ("a", 9), "v10.gz.metadata.json": ("a", 1)}
    assert resolve(files, newest_by=NewestBy.LAST_UPDATED) == ("v9.metadata.json", 2, 0)


def test_a_table_uuid_filters_in_any_case_newest_first():
    files = {
        "00003-x.metadata.json": ("B", 3),
        "00002-x.metadata.json": ("aBc", 2),
        "00001-x.metadata.json": ("aBc", 1),
    }
    assert resolve(files, table_uuid="AbC") == ("00002-x.metadata.json", 2, 0)


def test_the_later_of_two_equal_versions_is_taken():
    files = {"00003-a.metadata.json": ("a", 5), "00003-b.metadata.json": ("a", 4), "00002-c.metadata.json": ("a", 3)}
    assert resolve(files) == ("00003-a.metadata.json", 2, 1)


def test_the_version_whose_manifest_list_is_gone_lost_the_race():
    contents = {"00003-won.metadata.json": (5, "snap-5"), "00003-lost.metadata.json": (6, "snap-6")}

    def read(path):
        updated, name = contents[path]
        snapshot = {"snapshot-id": updated, "manifest-list": f"s3://b/t/metadata/{name}.avro"}
        values = {"last-updated-ms": updated, "current-snapshot-id": updated, "snapshots": [snapshot]}
        return json.dumps(values).encode()

    found = current_metadata([*contents, "snap-5.avro"], read, source="t")
    assert (found.path, found.rivals) == ("00003-won.metadata.json", ("00003-lost.metadata.json",))
    assert found.why == "the highest version, 3, of 2 files, with its manifest list, unlike 1 of the same version"
    both = current_metadata([*contents, "snap-5.avro", "snap-6.avro"], read, source="t")
    assert both.path == "00003-lost.metadata.json"  # as far as a folder can tell


def test_two_first_versions_are_rivals_like_any_others():
    assert resolve({"00000-a.metadata.json": ("a", 5), "00000-b.metadata.json": ("a", 4)})[2] == 1


def test_names_without_versions_go_by_their_update():
    files = {"random-1.metadata.json": ("a", 5), "random-2.metadata.json": ("a", 7)}
    assert resolve(files) == ("random-2.metadata.json", 2, 0)


def test_folders_without_metadata_and_unknown_uuids_are_refused():
    with pytest.raises(IcebergFileError, match=r"t: holds no metadata\.json"):
        resolve({"snap-1.avro": ("a", 1)})
    with pytest.raises(IcebergFileError, match="of the table UUID b"):
        resolve({"v1.metadata.json": ("a", 1)}, table_uuid="b")
