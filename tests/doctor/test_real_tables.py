"""Tables that pyiceberg wrote, data and all: healthy ones are healthy, and twenty faults planted are twenty named."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from support.folder_catalog import FolderCatalog

from wasim.doctor import Choice, InspectOptions, Severity, inspect_location
from wasim.doctor.findings import find, thresholds_with
from wasim.doctor.states import State
from wasim.iceberg.gzip_files import gzip_bytes
from wasim.ledger import Kind

NOW = InspectOptions(grace_s=0)
COMMITS = 6


def write_table(folder, commits=COMMITS, properties=None):
    folder.mkdir(parents=True, exist_ok=True)
    catalog = FolderCatalog("local", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    rows = pa.table({"id": pa.array(range(10), pa.int64()), "name": [f"n{n}" for n in range(10)]})
    table = catalog.create_table("db.events", rows.schema, properties=properties or {})
    for _ in range(commits):
        table.append(rows)
    return catalog, catalog.load_table("db.events")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pyiceberg")
    _, table = write_table(folder)
    return folder, Path(table.location().removeprefix("file://")), table


@pytest.fixture
def copied(written, tmp_path):
    """A copy of the table that believes that it lies where it lies."""
    root = tmp_path / "lake" / "events"
    shutil.copytree(written[1], root)
    return root


def names(inspection):
    return {finding.name for finding in inspection.findings}


def test_a_table_of_pyiceberg_is_healthy_and_its_totals_are_those_of_the_files(written):
    _, root, table = written
    inspection = inspect_location(str(root), NOW)
    assert inspection.findings == ()
    sizes = {path: path.stat().st_size for path in root.rglob("*") if path.is_file()}
    found = {kind: inspection.totals.of(kind).bytes for kind in Kind}
    assert sum(found.values()) == sum(sizes.values())
    assert found[Kind.DATA] == sum(size for path, size in sizes.items() if path.suffix == ".parquet")
    assert found[Kind.METADATA_JSON] == sum(size for path, size in sizes.items() if path.suffix == ".json")
    live = table.inspect.files()
    assert inspection.live_data_bytes == sum(live["file_size_in_bytes"].to_pylist())
    assert inspection.totals.of(Kind.DATA, State.LIVE).files == len(live)
    assert len(inspection.history.ledger) == COMMITS
    manifests = table.inspect.all_manifests()["path"].to_pylist()
    assert len(inspection.tree.index.manifests) == len(set(manifests))


def test_a_table_is_found_by_its_name_in_a_catalog(written, monkeypatch):
    folder, root, table = written
    monkeypatch.setenv("PYICEBERG_CATALOG__LOCAL__PY_CATALOG_IMPL", "support.folder_catalog.FolderCatalog")
    monkeypatch.setenv("PYICEBERG_CATALOG__LOCAL__WAREHOUSE", f"file://{folder}/lake")
    inspection = inspect_location("local.db.events", NOW)
    assert inspection.tree.opened.root == str(root)
    assert table.metadata_location.endswith(inspection.tree.opened.chosen.path)
    assert inspection.tree.opened.chosen.why == "the file that was named"


def test_a_moved_table_is_understood_and_said(copied):
    inspection = inspect_location(str(copied), NOW)
    assert names(inspection) == {"moved"}
    assert inspection.totals.of(Kind.DATA, State.LIVE).files == COMMITS


def newest(root):
    return max((root / "metadata").glob("*.metadata.json"))


def rewrite(path, change):
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))


def lists(root):
    document = json.loads(newest(root).read_bytes())
    return [root / "metadata" / Path(one["manifest-list"]).name for one in document["snapshots"]]


def manifests(root):
    return sorted(path for path in (root / "metadata").glob("*-m0.avro"))


def data(root):
    return sorted(root.rglob("*.parquet"))


def orphan_of(path, name):
    target = path.with_name(name)
    shutil.copy(path, target)
    os.utime(target, (0, 0))
    return target


UUID = "11111111-2222-3333-4444-555555555555"


def plant_absent_list(root):
    lists(root)[2].unlink()


def plant_absent_manifest(root):
    manifests(root)[0].unlink()


def plant_absent_data(root):
    data(root)[0].unlink()


def plant_short_data(root):
    data(root)[0].write_bytes(b"PAR1")


def plant_list_cut_short(root):
    path = lists(root)[-1]
    path.write_bytes(path.read_bytes()[:-40])


def plant_list_of_noise(root):
    lists(root)[0].write_bytes(b"Obj\x01" + b"\xff" * 400)


def plant_manifest_cut_short(root):
    path = manifests(root)[0]
    path.write_bytes(path.read_bytes()[:-1])


def plant_manifest_that_is_a_list(root):
    shutil.copy(lists(root)[0], manifests(root)[0])


def plant_rival(root):
    path = newest(root)
    shutil.copy(path, path.with_name(f"{path.name[:5]}-{UUID}.metadata.json"))


def plant_wrong_hint(root):
    (root / "metadata" / "version-hint.text").write_text("2")


def plant_hint_of_noise(root):
    (root / "metadata" / "version-hint.text").write_bytes(b"\x1b[2J nonsense")


def plant_unreadable_newest(root):
    newest(root).with_name(f"00099-{UUID}.metadata.json").write_bytes(b"{}")


def plant_newest_in_pieces(root):
    newest(root).with_name(f"00099-{UUID}.gz.metadata.json").write_bytes(gzip_bytes(b"{}")[:-9])


def plant_lost_current_snapshot(root):
    rewrite(newest(root), lambda document: document.update({"current-snapshot-id": 7}))


def plant_absent_statistics(root):
    statistics = {
        "snapshot-id": 1,
        "statistics-path": f"{root}/metadata/gone.stats",
        "file-size-in-bytes": 9,
        "file-footer-size-in-bytes": 9,
        "blob-metadata": [],
    }
    rewrite(newest(root), lambda document: document.update({"statistics": [statistics]}))


def plant_wrong_statistics(root):
    plant_absent_statistics(root)
    (root / "metadata" / "gone.stats").write_bytes(b"PFA1")


def plant_absent_log(root):
    min((root / "metadata").glob("*.metadata.json")).unlink()


def plant_outside(root):
    def change(document):
        document["snapshots"][0]["manifest-list"] = "file:///elsewhere/snap-1.avro"

    rewrite(newest(root), change)


def plant_orphans(root):
    for number in range(20):
        orphan_of(data(root)[0], f"lost-{number}.parquet")
    orphan_of(lists(root)[0], f"snap-1-1-{UUID}.avro").write_bytes(os.urandom(4 << 20))
    os.utime(root / "metadata" / f"snap-1-1-{UUID}.avro", (0, 0))


FAULTS = {
    plant_absent_list: "absent_metadata",
    plant_absent_manifest: "absent_metadata",
    plant_absent_data: "absent_data",
    plant_short_data: "wrong_data_size",
    plant_list_cut_short: "unreadable",
    plant_list_of_noise: "unreadable",
    plant_manifest_cut_short: "unreadable",
    plant_manifest_that_is_a_list: "unreadable",
    plant_rival: "rivals",
    plant_wrong_hint: "version_hint",
    plant_hint_of_noise: "version_hint",
    plant_unreadable_newest: "unreadable",
    plant_newest_in_pieces: "unreadable",
    plant_lost_current_snapshot: "inconsistent",
    plant_absent_statistics: "absent_metadata",
    plant_wrong_statistics: "wrong_statistics",
    plant_absent_log: "absent_logged",
    plant_outside: "outside",
    plant_orphans: "orphan_share",
}


@pytest.mark.parametrize(("plant", "name"), FAULTS.items(), ids=lambda one: getattr(one, "__name__", one))
def test_a_fault_that_was_planted_is_named(plant, name, copied):
    plant(copied)
    inspection = inspect_location(str(copied), NOW)
    assert name in names(inspection) - {"moved"}


def test_a_manifest_whose_length_and_counts_are_other_than_listed_is_named(copied):
    first, second = manifests(copied)[:2]
    swapped = first.read_bytes() + b""
    first.write_bytes(second.read_bytes())
    second.write_bytes(swapped)
    inspection = inspect_location(str(copied), NOW)
    assert names(inspection) <= {"moved", "wrong_manifest_length", "absent_data"}
    # as long, and of as many entries: two manifests that changed places are the same table
    assert inspection.live_data_bytes > 0


def test_a_table_that_nobody_can_read_is_one_line(copied):
    for path in (copied / "metadata").glob("*.metadata.json"):
        path.write_bytes(b"{")
    with pytest.raises(Exception, match="is not JSON") as caught:
        inspect_location(str(copied), NOW)
    assert "\n" not in str(caught.value)


def test_data_that_an_unreadable_manifest_may_refer_to_is_no_orphan(copied):
    plant_manifest_cut_short(copied)
    inspection = inspect_location(str(copied), NOW)
    assert inspection.totals.of(Kind.DATA, State.UNKNOWN).files == 1
    assert inspection.totals.of(Kind.DATA, State.ORPHAN).files == 0


def test_thresholds_can_be_set(written):
    inspection = inspect_location(str(written[1]), NOW)
    given = thresholds_with({"snapshots": (2, 5), "manifests": (6, 9)})
    found = {one.name: one.severity for one in find(inspection.tree, inspection.totals, given)}
    assert found == {"snapshots": Severity.CRITICAL, "manifests": Severity.WARNING}


def test_a_metadata_file_and_a_metadata_folder_name_their_table(written, monkeypatch):
    _, root, _ = written
    expected = inspect_location(str(root), NOW).tree.opened.chosen.path
    for place in (root / "metadata", root / expected, f"file://{root}"):
        assert inspect_location(str(place), NOW).tree.opened.chosen.path == expected
    older = sorted((root / "metadata").glob("*.metadata.json"))[2]
    monkeypatch.chdir(root.parent)
    for name in (older.name, f"metadata/{older.name}", str(older), f"{root.name}/metadata/{older.name}"):
        chosen = inspect_location(str(root), replace(NOW, choice=Choice(metadata_file=name))).tree.opened.chosen
        assert chosen.path == f"metadata/{older.name}"
    inspection = inspect_location(str(older), NOW)
    assert len(inspection.history.ledger) == 2
    younger = inspect_location(str(root), replace(NOW, reads_manifests=False))
    assert younger.totals.of(Kind.DATA, State.UNKNOWN).files == COMMITS
