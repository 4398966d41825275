"""Tables with bombs in them: a partial report that names the file, soon and in little memory."""

import json
import sys
import time
import tracemalloc
import zlib
from dataclasses import replace

import pytest
from support.iceberg_files import header_bytes, manifest_bytes, manifest_list_bytes
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.document import inspection_document
from wasim.doctor.table_files import State
from wasim.iceberg import read_manifest, read_manifest_list
from wasim.iceberg.avro_encoding import encode_bytes, encode_long
from wasim.iceberg.containers import read_container
from wasim.ledger import Kind

SYNC = b"s" * 16
MOST_SECONDS, MOST_BYTES = 20, 256 << 20  # a shared machine under tracemalloc; none takes three on its own


def bomb(path, records, often, raw):
    """The file's header, and a block that inflates to `raw` that often."""
    header = dict(read_container(path.read_bytes(), source="b").header) | {"avro.codec": b"deflate"}
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    stored = b"".join([compressor.compress(raw) for _ in range(often)]) + compressor.flush()
    path.write_bytes(header_bytes(header, SYNC) + encode_long(records) + encode_bytes(stored) + SYNC)


def an_array_without_end(raw, count):
    """A record's bytes up to where its arrays begin cannot be known here; counts stand wherever one is read."""
    return encode_long(count) * 64 + raw


def newest_list(root):
    document = json.loads(max((root / "metadata").glob("*.metadata.json")).read_bytes())
    return root / "metadata" / document["snapshots"][-1]["manifest-list"].rpartition("/")[2]


def a_manifest(root):
    return min((root / "metadata").glob("*-m0.avro"))


BOMBS = {
    "list of zeros": lambda root: bomb(newest_list(root), 1, 60, b"\x00" * (1 << 20)),
    "list of counts": lambda root: bomb(newest_list(root), 1, 4, an_array_without_end(b"\x00" * (1 << 20), 15_000_000)),
    "manifest of smallest records": lambda root: bomb(a_manifest(root), 3_900_000, 60, b"\x00" * (1 << 20)),
    "manifest of smallest records, not too many": lambda root: bomb(a_manifest(root), 45_000, 1, b"\x00" * (1 << 20)),
    "manifest of one large block": lambda root: bomb(a_manifest(root), 1, 80, b"\x00" * (1 << 20)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_named_and_the_rest_is_reported(name, tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    BOMBS[name](root)
    tracemalloc.start()
    started = time.monotonic()
    try:
        inspection = inspect_location(str(root), InspectOptions(grace_s=0))
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
    assert time.monotonic() - started < MOST_SECONDS
    (finding,) = [one for one in inspection.findings if one.name == "unreadable"]
    assert finding.value == 1
    assert len(inspection.history.ledger) == 5


def test_a_metadata_json_that_inflates_to_gigabytes_is_passed_over(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = compressor.compress('{"a":"💧'.encode())
    data += b"".join([compressor.compress(b"x" * (1 << 20)) for _ in range(310)]) + compressor.flush()
    (root / "metadata" / "00099-11111111-2222-3333-4444-555555555555.gz.metadata.json").write_bytes(data)
    inspection = inspect_location(str(root), InspectOptions(grace_s=0))
    assert "inflates to more than" in next(one for one in inspection.findings if one.name == "unreadable").examples[0]
    assert inspection.tree.opened.chosen.path.startswith("metadata/00005-")


OPENED = None


@sys.addaudithook
def note_opened(event, arguments):
    if event == "open" and OPENED is not None and isinstance(arguments[0], str):
        OPENED.append(arguments[0])


def name_lists(root, paths):
    """Rewrite the newest metadata.json: these are the manifest lists of its first snapshots."""
    newest = max((root / "metadata").glob("*.metadata.json"))
    document = json.loads(newest.read_bytes())
    for snapshot, path in zip(document["snapshots"], paths, strict=False):
        snapshot["manifest-list"] = str(path)
    newest.write_text(json.dumps(document))


def test_no_path_outside_the_table_s_folder_is_opened(tmp_path, monkeypatch):
    root = emit_tree(tmp_path / "t", horizon_s=7.0).root
    climbing = f"{root}/metadata/../../../../../../../../../../etc/passwd"
    paths = (
        "/dev/zero",
        "file:///dev/stdin",
        "/etc/passwd",
        "/proc/self/environ",
        climbing,
        f"s3:/{root}/x",
        "s3://b/x",
    )
    name_lists(root, paths)
    monkeypatch.setattr(sys.modules[__name__], "OPENED", [])
    inspection = inspect_location(str(root), InspectOptions(grace_s=0))
    assert {path for path in OPENED if path.startswith(("/dev", "/etc", "/proc")) or "passwd" in path} == set()
    assert any(path.startswith(f"{root}/metadata/") for path in OPENED)
    (finding,) = [one for one in inspection.findings if one.name == "not_read"]
    assert [one.split(": ")[0] for one in finding.examples][:4] == [
        "/dev/zero",
        "/dev/stdin",
        "/etc/passwd",
        "/proc/self/environ",
    ]
    assert finding.value == len(paths)


def test_a_link_that_leads_outside_is_not_followed(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    (path := newest_list(root)).rename(tmp_path / "l")
    path.symlink_to(tmp_path / "l")
    closed, opened = (inspect_location(str(root), InspectOptions(reads_outside=one)) for one in (False, True))
    assert [closed.tree.index.counts[-1], opened.tree.index.counts[-1]] == [-1, 5]


def test_metadata_outside_the_folder_is_read_where_asked_for(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    lists = [root / one["manifest-list"].partition("/t/")[2] for one in snapshots(root)]
    outside = [list_.rename(tmp_path / list_.name) for list_ in lists]
    name_lists(root, outside)
    closed, opened = (
        inspect_location(str(root), InspectOptions(grace_s=0, reads_outside=one)) for one in (False, True)
    )
    assert closed.tree.index.counts == [-1] * 5
    assert {file.state for file in closed.tree.files if file.kind is Kind.DATA_MANIFEST} == {State.UNKNOWN}
    assert opened.tree.index.counts == [1, 2, 3, 4, 5]
    assert {one.name for one in opened.findings} & {"not_read", "unreadable", "absent_metadata"} == set()


def snapshots(root):
    return json.loads(max((root / "metadata").glob("*.metadata.json")).read_bytes())["snapshots"]


def test_a_device_outside_is_refused_even_where_outside_is_read(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    name_lists(root, ("/dev/zero", "file:///dev/stdin", "/etc/hostname", "s3://b/x"))
    inspection = inspect_location(str(root), InspectOptions(grace_s=0, reads_outside=True))
    found = {one.name: one.value for one in inspection.findings}
    assert found["unreadable"] + found.get("absent_metadata", 0) == 3
    assert found["not_read"] == 1


def edit_list(root, **values):
    """Rewrite the newest manifest list: its first manifest has these values instead."""
    path = newest_list(root)
    read = read_manifest_list(path.read_bytes(), source="l")
    first, *others = read.manifests
    path.write_bytes(manifest_list_bytes(read.header, [replace(first, **values), *others], sync_marker=SYNC))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("length", [2**63 - 1, 2**62, 2**41, -1, -(2**63)])
def test_a_manifest_length_that_none_has_makes_its_list_unreadable(length, tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    edit_list(root, manifest_length=length)
    inspection = inspect_location(str(root), InspectOptions(grace_s=0))
    (finding,) = [one for one in inspection.findings if one.name == "unreadable"]
    assert f"has a manifest of {length} bytes" in finding.examples[0]
    assert min(min(column) for column in inspection.history.ledger.written_bytes.values()) >= 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [2**31 - 1, -1, -(2**31)])
def test_counts_of_a_manifest_that_are_absurd_are_named(count, tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=8.0).root
    edit_list(root, added_files_count=count, added_rows_count=2**63 - 1, existing_rows_count=-(2**63))
    inspection = inspect_location(str(root), InspectOptions(grace_s=0))
    assert "wrong_count" in {one.name for one in inspection.findings}
    json.dumps(inspection_document(inspection, files=True), allow_nan=False)


@pytest.mark.filterwarnings("error")
def test_data_file_sizes_near_2_to_63_are_summed(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=5.0).root
    for path, size in zip(sorted((root / "metadata").glob("*-m0.avro")), (2**63 - 1, 2**63 - 1, -1), strict=False):
        read = read_manifest(path.read_bytes(), source="m")
        entries = [replace(one, file=replace(one.file, file_size_bytes=size)) for one in read.entries]
        path.write_bytes(manifest_bytes(read.header, entries, sync_marker=SYNC))
    inspection = inspect_location(str(root), InspectOptions(grace_s=0))
    content = inspection.tree.content
    assert sum(content.live_sizes(Kind.DATA)) > 2 * (2**63 - 1)
    assert content.unread_manifests == 1
    assert "has a data file of -1 bytes" in str(inspection.findings)
    inspection_document(inspection, files=True)
