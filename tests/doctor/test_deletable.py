"""A file may be deleted only if every file that could refer to it was read."""

import json
import os
import shutil
import time
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.iceberg_files import manifest_list_bytes
from support.paths import DATA
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import Choice, InspectOptions, inspect_location, succession
from wasim.doctor.document import file_rows
from wasim.doctor.table_files import State
from wasim.doctor.terminal import sql_lines
from wasim.errors import WasimError
from wasim.iceberg import read_manifest_list, read_metadata_json
from wasim.iceberg.codecs import decompressed
from wasim.iceberg.names import hadoop_metadata_name
from wasim.ledger import Kind
from wasim.scenario.changes import Changes, Maintenance

DAY_S = 86_400
NEEDED = (State.LIVE, State.RETAINED, State.METADATA_LOG)
UUID = "11111111-2222-3333-4444-555555555555"


def inspect(root, **choice):
    return inspect_location(str(root), InspectOptions(choice=Choice(**choice)))


def deletable(root, **choice):
    return {row["file"] for row in file_rows(inspect(root, **choice)) if row["may_delete"]}


def reasons(root, **choice):
    return {row["file"]: row["reason"] for row in file_rows(inspect(root, **choice))}


def draw_case(rng):
    """A small table: its writer, format version, properties, changes and maintenance drawn."""
    properties, version = {}, int(rng.integers(1, 4))
    if rng.random() < 0.5:
        properties["write.metadata.previous-versions-max"] = str(rng.integers(1, 5))
    if rng.random() < 0.3:
        properties["write.metadata.delete-after-commit.enabled"] = "true"
    if rng.random() < 0.5:
        properties["commit.manifest.min-count-to-merge"] = "3"
    if rng.random() < 0.3:
        properties["write.metadata.compression-codec"] = "gzip"
    writer = str(rng.choice(["streaming", "batch"]))
    case = synthetic_case(
        horizon_s=float(rng.integers(3, 9)),
        writer=writer,
        files_per_commit=int(rng.integers(1, 3)),
        properties=properties,
    )
    if rng.random() < 0.4:
        expiry = {"expire_snapshots": {"every": 3, "retain_last": 2, "older_than": 2}}
        case = replace(case, maintenance=Maintenance.model_validate(expiry))
    case = replace(case, table=case.table.model_copy(update={"format_version": version}))
    if writer == "batch" and version > 1 and rng.random() < 0.4:
        delete = {"delete": {"every": 2, "rows": 3, "mode": "merge-on-read"}}
        case = replace(case, changes=Changes.model_validate(delete))
    return case


def make_table(root, rng):
    """A drawn table with its data files, ten days old: as old as each other, or in the order of their writing."""
    emit_tree(root, draw_case(rng))
    content = inspect(root).tree.content
    for key, place in content.places.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(content.bytes[place])
    is_in_order, then = rng.random() < 0.5, time.time() - 10 * DAY_S
    written = sorted((path for path in root.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime_ns)
    for number, path in enumerate(written):
        at = then + (number if is_in_order else 0)
        os.utime(path, (at, at))
    return [str(path.relative_to(root)) for path in written]


def break_file(root, key, fault, rng):
    """Do to a file what the fault says; the key under which it is afterwards."""
    path = root / key
    match fault:
        case "removed":
            path.unlink()
        case "cut":
            os.truncate(path, int(rng.integers(0, path.stat().st_size)))
        case "dated":
            at = float(rng.choice([0.0, time.time() - 5 * DAY_S, time.time() + 5 * DAY_S]))
            os.utime(path, (at, at))
        case "renamed":
            names = [f"{path.name}.bak", f"{UUID}{''.join(path.suffixes[-2:])}", f"old-{path.name}"]
            if path.name.endswith(".metadata.json"):
                names.append(hadoop_metadata_name(0, is_gzip=".gz." in path.name))
            return str(path.rename(path.with_name(str(rng.choice(names)))).relative_to(root))
    return key


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 101), marks=pytest.mark.slow)], ids=["one", "a hundred tables"]
)
def test_one_broken_file_never_makes_a_needed_one_deletable(seeds, tmp_path):
    inspected = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        root = tmp_path / f"{seed}"
        keys = make_table(root, rng)
        needed = {file.key for file in inspect(root).tree.files if file.state in NEEDED}
        for key in keys:
            for fault in ("removed", "cut", "renamed", "dated"):
                shutil.copy2(root / key, tmp_path / "whole")
                after = break_file(root, key, fault, rng)
                false = deletable(root) & (needed | {after} if key in needed else needed)
                assert not false, (seed, key, fault, after)
                inspected += 1
                (root / after).unlink(missing_ok=True)
                shutil.copy2(tmp_path / "whole", root / key)
        shutil.rmtree(root)
    assert inspected >= 4 * 10 * len(seeds)
    print(f"{inspected:,} broken tables of {len(seeds)}")


def rewrite_json(path, change):
    stamp = path.stat().st_mtime
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    os.utime(path, (stamp, stamp))


def cut_after_header(path):
    """An Avro file as it is when it was cut at its first block: it reads well."""
    data, stamp = path.read_bytes(), path.stat().st_mtime
    path.write_bytes(data[: data.index(data[-16:]) + 16])
    os.utime(path, (stamp, stamp))


def hide_header(path):
    """Takes what a list says of its commit, as some writers leave it out."""
    stamp = path.stat().st_mtime
    path.write_bytes(path.read_bytes().replace(b"snapshot-id", b"snapshot-??").replace(b"sequence-number", b"x" * 15))
    os.utime(path, (stamp, stamp))


def stamp_all(root, order, rng):
    """Date a table's files: equally, in the order of commits or against it, or as their store would have."""
    tree = inspect(root).tree
    index, then = tree.index, time.time() - 10 * DAY_S
    at = dict.fromkeys(tree.opened.files, -100.0)
    at |= {key: index.spans[place][0][0] + 0.2 for place, key in enumerate(index.keys)}
    at |= {key: place + 0.3 for place, key in enumerate(index.list_keys)}
    numbers = {str(one.snapshot_id): place for place, one in enumerate(index.snapshots)}
    at |= {key: numbers.get(Path(key).name.partition("-")[0], -100) + 0.35 for key in at if key.endswith(".stats")}
    content = tree.content
    at |= {key: index.spans[content.manifests[place]][0][0] + 0.1 for key, place in content.places.items()}
    for path in json_files(root):
        document = read_metadata_json(decompressed(path.read_bytes(), source="j", most_bytes=1 << 20), source="j")
        at[f"metadata/{path.name}"] = len(document.snapshots) and (
            next(n for n, one in enumerate(index.snapshots) if one.snapshot_id == document.current_snapshot_id) + 0.4
            if any(one.snapshot_id == document.current_snapshot_id for one in index.snapshots)
            else -50.0
        )
    newest = at[tree.opened.chosen.path]
    for key in tree.opened.files:
        since = at.get(key, -100.0) - newest
        match order:
            case "equal":
                moment = then
            case "in order":
                moment = then + since
            case "reversed":
                moment = then - since
            case "original":
                moment = tree.opened.metadata.last_updated_ms / 1000 + since
            case "drawn":
                moment = then + float(rng.integers(0, 5))
        os.utime(root / key, (moment, moment))


def spoil(root, key, rng, *, may_date):
    """One more fault in a table: what it was, and the key of the file afterwards."""
    path, faults = root / key, ["removed", "removed", "cut", "renamed", *(["dated"] if may_date else [])]
    if path.suffix == ".avro":
        faults += ["cut after header", "cut after header", "header hidden"]
    fault = str(rng.choice(faults))
    match fault:
        case "cut after header":
            cut_after_header(path)
        case "header hidden":
            hide_header(path)
        case _:
            key = break_file(root, key, fault, rng)
    return fault, key


def embellish(root, rng):
    """Statistics of each snapshot, tags that keep some of those that went, and what other writers leave out."""
    files, sizes = json_files(root), rng.random(4)
    if any(path.name.endswith(".gz.metadata.json") for path in files):
        return
    statistics, keeps_tag = {}, sizes[0] < 0.5
    for path in files:
        document = json.loads(path.read_text())
        snapshots = document["snapshots"]
        if sizes[1] < 0.5:
            for one in snapshots:
                number = one["snapshot-id"]
                if number not in statistics:
                    name = f"metadata/{number}-{uuid.uuid5(uuid.NAMESPACE_OID, str(number))}.stats"
                    (root / name).write_bytes(b"PFA1" + b"x" * 96)
                    statistics[number] = {"snapshot-id": number, "statistics-path": str(root / name)}
                    statistics[number] |= {"file-size-in-bytes": 100, "file-footer-size-in-bytes": 10}
                    statistics[number] |= {"blob-metadata": []}
            document["statistics"] = [statistics[one["snapshot-id"]] for one in snapshots]
        if keeps_tag and len(snapshots) > 3:
            oldest = min(snapshots, key=lambda one: one["timestamp-ms"])["snapshot-id"]
            document["refs"]["audit"] = {"snapshot-id": oldest, "type": str(rng.choice(["tag", "branch"]))}
            kept = {oldest, *(one["snapshot-id"] for one in snapshots[-2:])}
            document["snapshots"] = [one for one in snapshots if one["snapshot-id"] in kept]
            document["statistics"] = [one for one in document.get("statistics", []) if one["snapshot-id"] in kept]
            document["snapshot-log"] = [one for one in document["snapshot-log"] if one["snapshot-id"] in kept]
        if sizes[2] < 0.2:
            for one in document["snapshots"]:
                one["summary"] = {k: v for k, v in one["summary"].items() if not k.startswith("total-")}
        if sizes[3] < 0.4 and document["format-version"] == 1:
            name_manifests(root, document)
        path.write_text(json.dumps(document))


def name_manifests(root, document):
    """Metadata of version 1 that names manifests itself, without lists."""
    for one in document["snapshots"]:
        path, one["manifests"] = root / "metadata" / one.pop("manifest-list").rpartition("/")[2], []
        if path.exists():
            found = read_manifest_list(path.read_bytes(), source="l")
            one["manifests"] = [manifest.manifest_path for manifest in found.manifests]


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 41), marks=pytest.mark.slow)], ids=["one", "forty tables"]
)
def test_several_faults_at_once_never_make_a_needed_file_deletable(seeds, tmp_path):
    inspected = said = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        root, work = tmp_path / f"{seed}", tmp_path / "work"
        make_table(root, rng)
        embellish(root, rng)
        (root / "data" / "lost.parquet").write_bytes(b"PAR1")
        for _ in range(25):
            shutil.copytree(root, work)
            order = str(rng.choice(["equal", "in order", "reversed", "original", "drawn"]))
            stamp_all(work, order, rng)
            files = {file.key: file.state for file in inspect(work).tree.files}
            needed = {key for key, state in files.items() if state in NEEDED}
            newest = [f"metadata/{path.name}" for path in json_files(work)[-int(rng.integers(1, 4)) :][1:]]
            others = rng.permutation(sorted(needed.difference(newest)))[: int(rng.integers(1, 4))]
            done = [spoil(work, str(key), rng, may_date=order != "original") for key in (*newest, *others)]
            try:
                found = deletable(work)
            except WasimError:
                found = set()
            false = found & (needed | {after for _, after in done})
            assert not false, (seed, order, done, false)
            inspected, said = inspected + 1, said + bool(found)
            shutil.rmtree(work)
        shutil.rmtree(root)
    print(f"{inspected:,} tables with several faults; in {said:,} a true orphan may go")


@pytest.fixture
def table(tmp_path):
    """Twelve commits, ten days old, with a data file, a manifest list and a metadata.json that nothing refers to."""
    root = tmp_path / "t"
    emit_tree(root, synthetic_case(horizon_s=12.0, properties={"write.metadata.previous-versions-max": "5"}))
    for key in inspect(root).tree.content.places:
        (root / key).parent.mkdir(exist_ok=True)
        (root / key).write_bytes(b"")
    lists = sorted((root / "metadata").glob("snap-*"), key=lambda path: path.stat().st_mtime_ns)
    shutil.copy(lists[0], lists[0].with_name(f"snap-1-1-{UUID}.avro"))
    (root / "data" / "lost.parquet").write_bytes(b"PAR1")
    for number, path in enumerate(sorted(root.rglob("*"), key=lambda path: path.stat().st_mtime_ns)):
        at = time.time() - 10 * DAY_S + number
        os.utime(path, (at, at))
    for name in ("data/lost.parquet", f"metadata/snap-1-1-{UUID}.avro"):
        os.utime(root / name, (0, 0))
    return root


def json_files(root):
    return sorted((root / "metadata").glob("*.metadata.json"))


def test_what_is_left_over_may_be_deleted(table):
    untracked = {f"metadata/{path.name}" for path in json_files(table)[:-6]}
    assert deletable(table) == {"data/lost.parquet", f"metadata/snap-1-1-{UUID}.avro", *untracked}
    assert len(untracked) == 7


def test_an_unreadable_newest_metadata_json_protects_every_file(table):
    os.truncate(json_files(table)[-1], 200)
    assert deletable(table) == set()
    inspection = inspect(table)
    assert "could not be read" in inspection.tree.opened.chosen.why
    assert "remove_orphan_files" not in [one.name for one in inspection.remedies]
    assert "may be the current metadata.json" in reasons(table)["data/lost.parquet"]


def test_an_older_metadata_json_that_is_named_is_the_past(table):
    older = json_files(table)[4]
    for root, choice in ((older, {}), (table, {"metadata_file": older.name})):
        inspection = inspect(root, **choice)
        assert deletable(root, **choice) == set()
        assert "past_version" in [one.name for one in inspection.findings]
        assert "remove_orphan_files" not in [one.name for one in inspection.remedies]
    assert "8 newer versions exist" in reasons(older)["data/lost.parquet"]


def test_metadata_copied_into_a_flat_folder_keeps_its_files(tmp_path):
    flat = tmp_path / "copied"
    flat.mkdir()
    for path in (DATA / "tables" / "evolving_v2" / "metadata").iterdir():
        shutil.copy2(path, flat)
        os.utime(flat / path.name, (1_750_000_000, 1_750_000_000))
    assert deletable(flat) == set()
    assert any("manifest list of the current snapshot" in reason for reason in reasons(flat).values())


def test_a_location_that_ends_in_metadata_is_read(tmp_path):
    root = tmp_path / "metadata"
    emit_tree(root, synthetic_case(horizon_s=4.0))
    for place in (root, root / "metadata", json_files(root)[-1]):
        inspection = inspect(place)
        assert inspection.tree.opened.root == str(root)
        assert inspection.totals.of(Kind.MANIFEST_LIST, State.LIVE).files == 1


def test_two_tables_in_one_folder_protect_each_other(table):
    own = inspect(table).tree.opened.metadata.table_uuid
    for path in json_files(table)[:3]:
        path.with_name(f"{path.name[:5]}-{UUID}.metadata.json").write_text(path.read_text().replace(own, UUID))
    assert deletable(table) == set()
    assert "shared_folder" in [one.name for one in inspect(table).findings]


def fork(table, at, commits):
    """Commits of another catalog on an earlier version of the table; what they wrote."""
    base = json_files(table)[at]
    document, written = json.loads(base.read_text()), set()
    template = next((table / "metadata").glob("snap-*.avro"))
    for commit in range(1, commits + 1):
        log = [*document["metadata-log"], {"timestamp-ms": document["last-updated-ms"], "metadata-file": str(base)}]
        new = replace_list(document["snapshots"][-1], template, commit)
        document |= {"metadata-log": log[-5:], "snapshots": [*document["snapshots"], new]}
        document |= {"last-updated-ms": document["last-updated-ms"] + 1, "current-snapshot-id": new["snapshot-id"]}
        base = base.with_name(f"{int(base.name[:5]) + 1:05d}-{uuid.UUID(int=commit)}.metadata.json")
        base.write_text(json.dumps(document))
        written |= {f"metadata/{base.name}", f"metadata/{Path(new['manifest-list']).name}"}
    for name in written:
        os.utime(table / name, (1_750_000_000, 1_750_000_000))
    return written


def replace_list(snapshot, template, commit):
    """A snapshot that follows another one, with a manifest list of its own."""
    own = template.with_name(f"snap-{commit}-1-{uuid.UUID(int=commit)}.avro")
    shutil.copy(template, own)
    return snapshot | {"snapshot-id": commit, "manifest-list": str(own)}


@pytest.mark.parametrize("at", [2, 8])  # a version that the log has let go, and one that it names
def test_what_another_catalog_commits_is_never_an_orphan(at, table):
    before = deletable(table)
    written = fork(table, at, commits=3)
    inspection = inspect(table)
    assert deletable(table) == set()
    assert "forked" in [one.name for one in inspection.findings]
    assert not [one for one in inspection.remedies if one.name.startswith("expire") and one.sql]
    assert written < reasons(table).keys()
    assert before


def test_one_commit_of_another_catalog_keeps_its_own_files(table):
    before = deletable(table)
    written = fork(table, 8, commits=1)
    assert deletable(table) == before
    assert not written & before


def test_what_too_many_versions_may_name_is_unknown(table, monkeypatch):
    monkeypatch.setattr(succession, "MOST_READ", 1)  # of seven versions that the log has let go it names five
    found = deletable(table)
    assert len(found) == 5
    assert all(name.endswith(".metadata.json") for name in found)
    assert "too many metadata.json" in reasons(table)["data/lost.parquet"]


def make_old(root, **options):
    """The same of format version 1, and its files."""
    case = synthetic_case(horizon_s=12.0)
    emit_tree(root, replace(case, table=case.table.model_copy(update={"format_version": 1})))
    for key in inspect(root).tree.content.places:
        (root / key).parent.mkdir(exist_ok=True)
        (root / key).write_bytes(b"")


def lists_of(root):
    return [root / key for key in inspect(root).tree.index.list_keys]


def first_manifest(root):
    return root / inspect(root).tree.index.keys[0]


def without_counts(path):
    found = read_manifest_list(path.read_bytes(), source="l")
    counts = dict.fromkeys(("added_files_count", "existing_files_count", "deleted_files_count"))
    manifests = [replace(one, **counts) for one in found.manifests]
    path.write_bytes(manifest_list_bytes(found.header, manifests, sync_marker=found.sync_marker))


def lists_without_header(root):
    for path in lists_of(root):
        hide_header(path)
    json_files(root)[-1].unlink()


def newest_two_gone(root):
    for path in json_files(root)[-2:]:
        path.unlink()


def newest_and_its_manifest_gone(root):
    (root / inspect(root).tree.index.keys[-1]).unlink()
    json_files(root)[-1].unlink()


def without_lists(root):
    for path in json_files(root):
        rewrite_json(path, lambda document: name_manifests(root, document))
    for path in (root / "metadata").glob("snap-*"):
        path.unlink()


def named_manifests_and_newest_gone(root):
    without_lists(root)
    json_files(root)[-1].unlink()


def named_manifest_cut(root):
    without_lists(root)
    cut_after_header(first_manifest(root))


def uncounted_manifest_cut(root):
    for path in lists_of(root):
        without_counts(path)
    cut_after_header(first_manifest(root))


def uncounted_list_cut(root):
    for path in json_files(root):
        rewrite_json(path, lambda document: [one["summary"].clear() for one in document["snapshots"]])
    cut_after_header(lists_of(root)[-1])


def foreign_json_empty(root):
    (root / "metadata" / f"00003-{UUID}.metadata.json").write_text("")


def no_uuid(root):
    for path in json_files(root):
        rewrite_json(path, lambda document: document.pop("table-uuid"))
    shutil.copy2(json_files(root)[0], root / "metadata" / f"00001-{UUID}.metadata.json")


def newer_versions_elsewhere(root):
    (root / "new" / "metadata").mkdir(parents=True)
    for path in json_files(root)[-5:]:
        path.rename(root / "new" / "metadata" / path.name)


def table_below(root):
    emit_tree(root / "below", synthetic_case(horizon_s=2.0))


def delta_beside(root):
    (root / "_delta_log").mkdir()
    (root / "_delta_log" / "00000000000000000001.json").write_text("{}")


def hudi_beside(root):
    (root / ".hoodie").mkdir()
    (root / ".hoodie" / "hoodie.properties").write_text("")


UNTOLD = (lists_without_header, newest_two_gone, newest_and_its_manifest_gone, uncounted_list_cut)
OLD_UNTOLD = (newest_two_gone, named_manifests_and_newest_gone, named_manifest_cut, uncounted_manifest_cut, no_uuid)
BLOCKED = (newer_versions_elsewhere, foreign_json_empty, table_below, delta_beside, hudi_beside)
SITUATIONS = [*((2, one) for one in (*UNTOLD, *BLOCKED)), *((1, one) for one in OLD_UNTOLD)]


@pytest.mark.parametrize(("version", "situation"), SITUATIONS)
@pytest.mark.parametrize("order", ["equal", "in order", "reversed"])
def test_what_cannot_be_told_apart_keeps_its_files(order, version, situation, table, tmp_path):
    if version == 1:
        make_old(table := tmp_path / "old")
    stamp_all(table, order, np.random.default_rng(0))
    needed = {file.key for file in inspect(table).tree.files if file.state in NEEDED}
    moments = {path.name: path.stat().st_mtime for path in table.rglob("*")}
    situation(table)
    for path in table.rglob("*"):
        os.utime(path, (moments.get(path.name, 0.0),) * 2)
    found = deletable(table)
    assert not found & needed
    if situation in (*BLOCKED, no_uuid):
        assert not found
        assert "remove_orphan_files" not in remedies(table)


def test_a_hint_at_an_absent_version_protects_every_file(table):
    (table / "metadata" / "version-hint.text").write_text("77")
    assert deletable(table) == set()


def test_files_that_a_later_commit_refers_to_are_kept(table):
    newest = json_files(table)[-1]
    needed = {file.key for file in inspect(table).tree.files if file.state in NEEDED}
    newest.unlink()
    for path in (table / "data").iterdir():
        os.utime(path, (0, 0))  # older than the metadata.json that is current now: times tell nothing
    assert deletable(table) & needed == set()
    assert "data/lost.parquet" in deletable(table)


def stage_manifest(root):
    """A manifest such as a Flink job leaves when it is stopped between two checkpoints; its key."""
    manifest = next((root / "metadata").glob("*-m0.avro"))
    staged = manifest.with_name(f"{'0' * 32}-00000000-00000-0-17-00001.avro")
    shutil.copy(manifest, staged)
    os.utime(staged, (0, 0))
    return f"metadata/{staged.name}"


def test_manifests_of_a_flink_checkpoint_are_kept(table):
    staged = stage_manifest(table)
    assert "resumes from its checkpoint" in reasons(table)[staged]


def test_a_table_that_shares_its_files_has_no_orphans(tmp_path):
    case = synthetic_case(
        horizon_s=8.0, properties={"gc.enabled": "false", "write.metadata.previous-versions-max": "2"}
    )
    root = emit_tree(tmp_path / "t", case).root
    for path in root.rglob("*"):
        os.utime(path, (0, 0))
    assert deletable(root) == set()
    assert "gc_disabled" in [one.name for one in inspect(root).findings]


@pytest.mark.parametrize("kept", [0, 1])
def test_a_list_cut_between_blocks_is_not_whole(kept, table):
    """What is left of it reads well; the summary counts more files than it lists."""
    current = inspect(table).tree
    path = table / current.index.list_keys[-1]
    found = read_manifest_list(path.read_bytes(), source="l")
    path.write_bytes(manifest_list_bytes(found.header, found.manifests[:kept], sync_marker=found.sync_marker))
    os.utime(path, (time.time() - 9 * DAY_S,) * 2)
    assert not {key for key in deletable(table) if Path(key).suffix == ".parquet"}


def remedies(root):
    return {one.name: one for one in inspect(root).remedies}


def test_an_expiry_that_would_fail_half_way_has_no_statement(table):
    (table / inspect(table).tree.index.list_keys[2]).unlink()
    found = [one for name, one in remedies(table).items() if name.startswith("expire_snapshots")]
    assert found
    assert all("fails half-way" in one.blocked and not one.sql for one in found)


def test_orphan_removal_names_what_else_it_deletes(table):
    for name in ("notes.txt", ".hidden"):
        (table / name).write_text("mine")
        os.utime(table / name, (0, 0))
    assert "also deletes 1 that are not Iceberg's, such as notes.txt" in remedies(table)["remove_orphan_files"].note
    stage_manifest(table)
    assert "it would also delete 1 that may be needed" in remedies(table)["remove_orphan_files"].blocked
    assert remedies(table)["remove_orphan_files"].sql == ""


def test_one_expiry_is_recommended_and_manifests_go_before_it(table):
    inspection = inspect(table)
    statements = [line for line in sql_lines(inspection) if "system." in line]
    assert [line.split("system.")[1].split("(")[0] for line in statements] == [
        "rewrite_manifests",
        "expire_snapshots",
        "remove_orphan_files",
    ]
    assert sum(one.is_alternative for one in inspection.remedies) >= 1


def test_every_finding_names_its_remedy(table):
    os.truncate(json_files(table)[-1], 200)
    found = inspect(table).findings
    assert found
    assert all(one.remedy for one in found)
