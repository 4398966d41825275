"""Tables that pyiceberg wrote, data and all: healthy ones are healthy, and twenty faults planted are twenty named."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyiceberg")

from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import IntegerType, LongType, NestedField
from support.folder_catalog import FolderCatalog
from support.iceberg_files import manifest_bytes

from wasim.doctor import Choice, InspectOptions, Severity, inspect_location
from wasim.doctor.file_view import view_file
from wasim.doctor.findings import find, measures, thresholds_with
from wasim.doctor.table_files import State
from wasim.doctor.watching import render_prometheus
from wasim.errors import UnsupportedFile
from wasim.iceberg import ManifestContent, read_manifest
from wasim.iceberg.codecs import gzip_bytes
from wasim.iceberg.parquet_manifests import parquet_manifest_bytes
from wasim.ledger import Kind
from wasim.storage.access import LocalStorage

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


def test_a_table_of_pyiceberg_is_healthy_and_adds_up(written):
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
    assert inspection.tree.opened.chosen.why == "the one that the catalog names"


def test_a_moved_table_is_understood_and_said(copied):
    inspection = inspect_location(str(copied), NOW)
    assert names(inspection) == {"moved"}
    assert inspection.totals.of(Kind.DATA, State.LIVE).files == COMMITS


def test_a_metadata_json_being_written_is_not_called_broken(copied, monkeypatch):
    path, read, times = newest(copied), LocalStorage.read, []
    path.touch()

    def read_early(storage, name, **options):
        times.append(name)
        return b"" if times.count(str(path)) == 1 and name == str(path) else read(storage, name, **options)

    monkeypatch.setattr(LocalStorage, "read", read_early)
    inspection = inspect_location(str(copied), NOW)
    assert {"under_way"} <= names(inspection) <= {"under_way", "moved", "vanished"}
    assert inspection.tree.opened.chosen.path != f"metadata/{path.name}"


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
    path = newest(root).with_name(f"00099-{UUID}.gz.metadata.json")
    path.write_bytes(gzip_bytes(b"{}")[:-9])
    os.utime(path, (0, 0))


def plant_commit_under_way(root):
    newest(root).with_name(f"00099-{UUID}.metadata.json").write_bytes(b'{"format-version": 2, "loc')


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


def plant_encrypted_list(root):
    path = lists(root)[-1]
    path.write_bytes(b"AGS1" + os.urandom(path.stat().st_size - 4))


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
    plant_commit_under_way: "under_way",
    plant_lost_current_snapshot: "inconsistent",
    plant_absent_statistics: "absent_metadata",
    plant_wrong_statistics: "wrong_statistics",
    plant_encrypted_list: "unsupported",
    plant_absent_log: "absent_logged",
    plant_outside: "outside",
    plant_orphans: "orphan_share",
}


@pytest.mark.parametrize(("plant", "name"), FAULTS.items(), ids=lambda one: getattr(one, "__name__", one))
def test_a_fault_that_was_planted_is_named(plant, name, copied):
    plant(copied)
    inspection = inspect_location(str(copied), NOW)
    assert name in names(inspection) - {"moved"}


def test_absent_live_data_is_the_first_finding(copied):
    expired = {one.key for one in inspect_location(str(copied), NOW).tree.files if one.state == "retained"}
    gone = [path for path in data(copied) if str(path.relative_to(copied)) in expired] + data(copied)[-1:]
    lists(copied)[0].unlink()
    for path in gone:
        path.unlink(missing_ok=True)
    first, *others = inspect_location(str(copied), NOW).findings
    assert (first.name, "absent_metadata" in {one.name for one in others}) == ("absent_data", True)
    assert first.text.endswith("1 of them live")
    assert "live" in first.examples[0]


def plant_all(root):
    """Twenty faults in one table: each finding's name with a word that must stand in what it says."""
    plant_orphans(root)
    cut, noise, locked, lost = lists(root)[1:5]
    live, log = manifests(root), min((root / "metadata").glob("*.metadata.json"))
    sound = read_manifest(live[4].read_bytes(), source="")
    plant_outside(root)
    statistics = [
        {"snapshot-id": 1, "statistics-path": f"{root}/metadata/{name}", "file-size-in-bytes": 9,
         "file-footer-size-in-bytes": 9, "blob-metadata": []} for name in ("gone.stats", "short.stats")
    ]  # fmt: skip
    rewrite(newest(root), lambda document: document.update({"statistics": statistics}))
    (root / "metadata" / "short.stats").write_bytes(b"PFA1")
    plant_rival(root)
    rival = min((root / "metadata").glob(f"{newest(root).name[:5]}-*"))
    plant_wrong_hint(root)
    noise.write_bytes(b"Obj\x01" + b"\xff" * 400)
    cut.write_bytes(cut.read_bytes()[:-40])
    locked.write_bytes(b"AGS1" + os.urandom(100))
    lost.unlink()
    live[0].unlink()
    live[1].write_bytes(live[1].read_bytes()[:-1])
    shutil.copy(lists(root)[-1], live[2])
    live[3].write_bytes(b"")
    twice = manifest_bytes(
        sound.header, [*sound.entries, replace(sound.entries[0], snapshot_id=1)], sync_marker=b"s" * 16
    )
    live[4].write_bytes(twice)
    gone, short = (root / "data" / Path(one).name for one in paths_of(live[5:7]))
    gone.unlink()
    short.write_bytes(b"PAR1")
    log.unlink()
    for version, text in (("99", b'{"format-version": 2}'), ("98", b"{}"), ("97", b'{"format-version": 2, "loc')):
        (root / "metadata" / f"000{version}-{UUID}.metadata.json").write_bytes(text)
    return {
        ("outside", "elsewhere/snap-1.avro"),
        ("absent_metadata", "gone.stats"),
        ("wrong_statistics", "short.stats"),
        ("rivals", rival.name),
        ("version_hint", "version 2"),
        ("unreadable", noise.name),
        ("unreadable", cut.name),
        ("unsupported", locked.name),
        ("absent_metadata", lost.name),
        ("absent_metadata", live[0].name),
        ("unreadable", live[1].name),
        ("unreadable", live[2].name),
        ("unreadable", live[3].name),
        ("wrong_count", live[4].name),
        ("wrong_manifest_length", live[4].name),
        ("absent_data", gone.name),
        ("wrong_data_size", short.name),
        ("absent_logged", log.name),
        ("unreadable", "00099-"),
        ("unreadable", "00098-"),
        ("under_way", "00097-"),
    }


def paths_of(files):
    """The data file that each manifest lists first."""
    return [read_manifest(file.read_bytes(), source="").entries[0].file.file_path for file in files]


def test_twenty_faults_in_one_table_are_named_by_file(tmp_path):
    _, table = write_table(tmp_path, commits=10)
    planted = plant_all(Path(table.location().removeprefix("file://")))
    inspection = inspect_location(table.location(), NOW)
    said = {one.name: " ".join((one.text, *one.examples)) for one in inspection.findings}
    assert len(planted) > 20
    assert {one for one in planted if one[1] not in said.get(one[0], "")} == set()
    assert inspection.totals.of_kinds(tuple(Kind), State.ORPHAN).files == 0  # a newer metadata.json cannot be read


def test_a_manifest_other_than_listed_is_named(copied):
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
    with pytest.raises(Exception, match="is cut short") as caught:
        inspect_location(str(copied), NOW)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"format-version": 5}, "format-version is 5; 1, 2, 3 and 4 are known"),
        ({"view-uuid": UUID}, "is the metadata of a view, not of a table"),
    ],
    ids=["v5", "view"],
)
def test_no_older_file_replaces_what_is_not_read(change, problem, copied):
    upgraded = newest(copied).with_name(f"00099-{UUID}.metadata.json")
    shutil.copy(newest(copied), upgraded)
    rewrite(upgraded, lambda document: document.update(change))
    with pytest.raises(UnsupportedFile, match=f"00099.*{problem}"):
        inspect_location(str(copied), NOW)


def test_live_data_is_the_summarys_where_its_list_is_unreadable(copied):
    expected = inspect_location(str(copied), NOW).live_data_bytes
    plant_encrypted_list(copied)
    assert inspect_location(str(copied), NOW).live_data_bytes == expected
    rewrite(newest(copied), lambda document: document["snapshots"][-1].pop("summary"))
    inspection = inspect_location(str(copied), NOW)
    assert (inspection.live_data_bytes, inspection.metadata_share) == (None, None)
    assert "wasim_table_live_data_bytes" not in render_prometheus(inspection)


@pytest.mark.parametrize("suffix", ["", ".metadata.json"])
def test_a_hint_may_name_the_file(suffix, copied):
    name = newest(copied).name.removesuffix(".metadata.json")
    (copied / "metadata" / "version-hint.text").write_text(f"{name}{suffix}")
    assert names(inspect_location(str(copied), NOW)) == {"moved"}


def test_data_an_unreadable_manifest_may_name_is_no_orphan(copied):
    plant_manifest_cut_short(copied)
    inspection = inspect_location(str(copied), NOW)
    assert inspection.totals.of(Kind.DATA, State.UNKNOWN).files == 1
    assert inspection.totals.of(Kind.DATA, State.ORPHAN).files == 0


def test_a_partition_that_holds_most_of_the_data_is_named(tmp_path):
    folder = FolderCatalog("local", warehouse=f"file://{tmp_path}/lake")
    folder.create_namespace("db")
    days = pa.array([day for day in range(40) for _ in range(1 if day else 40_000)], pa.int32())
    rows = pa.table({"day": days, "id": pa.array(np.random.default_rng(1).permutation(len(days)))})
    spec = PartitionSpec(PartitionField(source_id=1, field_id=1000, transform=IdentityTransform(), name="day"))
    columns = (NestedField(1, "day", IntegerType(), required=False), NestedField(2, "id", LongType(), required=False))
    table = folder.create_table("db.events", Schema(*columns), partition_spec=spec)
    table.append(rows)
    inspection = inspect_location(table.location(), NOW)
    sizes = table.inspect.partitions().column("total_data_file_size_in_bytes").to_pylist()
    assert measures(inspection.tree, inspection.totals)["partition_skew"] == max(sizes) / (sum(sizes) / len(sizes))
    assert "partition_skew" in names(inspection)


def test_manifests_in_parquet_are_read_as_those_in_avro_are(copied):
    expected = inspect_location(str(copied), NOW)
    for path in manifests(copied):
        manifest = read_manifest(path.read_bytes(), source=path.name)
        header = manifest.header
        path.write_bytes(parquet_manifest_bytes(header.schema, header.spec, header.content, manifest.entries))
    inspection = inspect_location(str(copied), NOW)
    assert names(inspection) == {"moved", "wrong_manifest_length"}  # they are longer than their lists say
    assert inspection.tree.content.places == expected.tree.content.places
    assert inspection.live_data_bytes == expected.live_data_bytes
    manifest = read_manifest((first := manifests(copied)[0]).read_bytes(), source="m")
    header = manifest.header
    deletes = parquet_manifest_bytes(header.schema, header.spec, ManifestContent.DELETES, manifest.entries)
    left = first.with_name(f"{UUID}-m1.parquet")
    left.write_bytes(deletes)
    os.utime(left, (0, 0))
    assert inspect_location(str(copied), NOW).totals.of(Kind.DELETE_MANIFEST, State.ORPHAN).files == 1
    view = view_file(manifests(copied)[0].read_bytes(), source="m")
    assert (view.kind, len(view.records)) == ("manifest", 1)


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
    for grace_s in (0, 3600):
        unread = inspect_location(str(root), replace(NOW, reads_manifests=False, grace_s=grace_s))
        assert unread.totals.of(Kind.DATA, State.UNKNOWN).files == COMMITS
