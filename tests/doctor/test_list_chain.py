"""Lists inflated by their front say what lists inflated whole say."""

import os
import shutil
from dataclasses import replace

import pytest
from support.iceberg_files import manifest_list_bytes
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location, list_chain
from wasim.doctor.list_chain import read_lists
from wasim.iceberg import IcebergFileError, read_manifest_list

COMMITS = 140


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return emit_tree(tmp_path_factory.mktemp("chain") / "t", synthetic_case(horizon_s=float(COMMITS))).root


@pytest.fixture
def lists(tree):
    """Keys and bytes, oldest first."""
    read = {file.name: file.read_bytes() for file in (tree / "metadata").glob("snap-*.avro")}
    return sorted(read.items(), key=lambda one: read_manifest_list(one[1], source="").header.sequence_number)


def changed(data, last_path):
    """The list with another path in its last record."""
    found = read_manifest_list(data, source="")
    manifests = (*found.manifests[:-1], replace(found.manifests[-1], manifest_path=last_path))
    return manifest_list_bytes(found.header, manifests, sync_marker=found.sync_marker)


def damaged(data):
    """The list with sixteen bytes turned over within its one block."""
    at = len(data) - 60
    return data[:at] + bytes(255 - byte for byte in data[at : at + 16]) + data[at + 16 :]


def test_a_stream_of_appends_inflates_few_lists(lists, monkeypatch):
    inflated, blocks = [], list_chain.inflated_blocks
    monkeypatch.setattr(list_chain, "inflated_blocks", lambda one: inflated.append(one.source) or blocks(one))
    fronts = list(read_lists(lists))
    assert [(one.kept, len(one.rows)) for one in fronts] == [(place, 1) for place in range(COMMITS)]
    assert len(inflated) == 4  # the first, two of every 64th, the last


def test_fronts_are_those_of_whole_lists(lists):
    assert list(read_lists(lists)) == list(read_lists(lists, whole=True))


@pytest.mark.parametrize("place", [1, 40, 64, 65, COMMITS - 1])
def test_a_list_off_the_chain_is_read_as_is(lists, place):
    lists[place:] = [(key, changed(data, "data/other.avro")) for key, data in lists[place:]]
    assert list(read_lists(lists)) == list(read_lists(lists, whole=True))


def test_a_last_list_damaged_within_its_block_is_unreadable(lists):
    lists[-1] = (lists[-1][0], damaged(lists[-1][1]))
    *before, last = read_lists(lists)
    assert isinstance(last, IcebergFileError)
    assert len(before) == COMMITS - 1


def test_what_only_a_middle_list_names_is_no_orphan(tree, lists, tmp_path):
    root = tmp_path / "t"
    shutil.copytree(tree, root, copy_function=os.link)
    key, data = lists[40]
    path = read_manifest_list(data, source="").manifests[-1].manifest_path
    other = path.replace(path.rpartition("/")[2], "named-once-m0.avro")
    (root / "metadata" / key).unlink()
    (root / "metadata" / key).write_bytes(changed(data, other))
    (root / "metadata" / "named-once-m0.avro").write_bytes((root / "metadata" / path.rpartition("/")[2]).read_bytes())
    (root / "data").mkdir()
    (root / "data" / "lost.parquet").write_bytes(b"")  # an orphan, before which all lists are read whole
    for name in ("metadata/named-once-m0.avro", "data/lost.parquet"):
        os.utime(root / name, (0, 0))
    states = {one.key: one.state for one in inspect_location(str(root), InspectOptions(grace_s=-1)).tree.files}
    assert [states[name] for name in ("metadata/named-once-m0.avro", "data/lost.parquet")] == ["retained", "orphan"]
