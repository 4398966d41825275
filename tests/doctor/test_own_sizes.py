"""Forecasts start from the table: half of one tells what the whole came to, where its writer's profile is far off."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyiceberg")

from support.folder_catalog import FolderCatalog
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.outlook import _versions_per_snapshot, observe, outlook_of
from wasim.doctor.terminal import outlook_lines
from wasim.doctor.upkeep import expiry_places, maintenance_of
from wasim.iceberg.snapshots import SnapshotRef
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario.changes import Maintenance
from wasim.scenario.parts import Writer

AT_1S = InspectOptions(grace_s=0, commit_interval_s=1.0)
HALF = 15


def commit(table, rows, first, count):
    """Commits with long summaries; each third one gets a tag, each fifth one a property."""
    for number in range(first, first + count):
        table.append(rows, snapshot_properties={"pipeline": "p" * 300, "batch": str(100 + number)})
        if number % 3 == 0:
            with table.manage_snapshots() as snapshots:
                snapshots.create_tag(table.current_snapshot().snapshot_id, f"tag{100 + number}")
        if number % 5 == 0:
            with table.transaction() as changing:
                changing.set_properties({"seen": str(100 + number)})


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    """A table half-way, in a copy, and as a whole."""
    folder = tmp_path_factory.mktemp("own")
    catalog = FolderCatalog("local", warehouse=f"file://{folder}/lake")
    rows = pa.table({"id": pa.array(range(10), pa.int64()), "name": [f"n{number}" for number in range(10)]})
    table = catalog.create_table("db.events", rows.schema)
    root, half = Path(table.location().removeprefix("file://")), folder / "half"
    commit(table, rows, 0, HALF)
    shutil.copytree(root, half)
    commit(table, rows, HALF, HALF)
    return inspect_location(str(half), AT_1S), inspect_location(str(root), AT_1S)


def on_disk(inspection):
    return sum(inspection.totals.of(kind).bytes for kind in METADATA_KINDS)


def test_half_a_table_tells_what_the_whole_comes_to(halves):
    half, whole = halves
    outlook = outlook_of(half, float(HALF))
    ahead = outlook.prospects[0]
    assert ahead.written_so_far_bytes == pytest.approx(on_disk(half), rel=0.03)
    assert ahead.on_disk_bytes == pytest.approx(on_disk(whole), rel=0.03)
    assert ahead.metadata_json_bytes == pytest.approx(len(whole.tree.opened.json_text), rel=0.02)
    by_name = {one.name: one for one in outlook.now}
    for one in outlook.now:
        # A list of fifteen manifests varies by 0.6 % with its random ids; the line through all is 0.6 % above the last.
        assert one.simulated == pytest.approx(one.found, rel=0.02), one.name
    assert by_name["metadata.json"].profile < 0.75 * by_name["metadata.json"].found
    assert outlook.band < 0.03


def test_versions_without_a_snapshot_and_tags_are_found(halves):
    half, _ = halves
    observed = observe(half)
    assert observed.versions == pytest.approx(1 + 1 / 3 + 1 / 5, abs=0.1)
    assert observed.held_share == pytest.approx(1 / 3, abs=0.03)
    assert observed.others == 0


def test_a_longer_interval_leaves_other_changes_at_their_pace(halves):
    observed = observe(halves[0])
    extra = observed.versions - 1
    assert observed.every(5.0, with_statistics=False).versions == pytest.approx(1 + 5 * extra)
    twice = replace(observed, versions=2.0)
    assert twice.every(5.0, with_statistics=True).versions == 2


def test_an_expiry_ahead_leaves_what_tags_hold(halves):
    outlook = outlook_of(halves[0], 10 * 86_400.0)
    ahead = {one.name: one for one in outlook.prospects}
    expired = ahead["+ expire snapshots older than 1d, daily"].metadata_json_bytes
    day = 86_400 / (10 * 86_400)
    assert expired == pytest.approx(
        ahead["as it is"].metadata_json_bytes * (1 / 3 + 2 / 3 * 2 * day), rel=0.1
    )  # before expiry


def test_an_expiry_ahead_goes_by_the_table_s_own_limits(tmp_path):
    limits = {"history.expire.max-snapshot-age-ms": "7200000", "history.expire.min-snapshots-to-keep": "30"}
    table = replace(base := synthetic_case(interval_s=60.0, horizon_s=1_200.0), table=with_properties(base, limits))
    inspection = inspect_location(str(emit_tree(tmp_path / "t", table).root), AT_1S)
    ahead = {one.name: one for one in outlook_of(inspection, 2 * 86_400.0).prospects}
    kept = ahead["+ expire snapshots older than 2h, daily"].metadata_json_bytes
    most = 7_200 + 86_400  # snapshots just before an expiry, a commit a second
    assert most * 900 < kept < most * 1_200


def with_properties(case, properties):
    return case.table.model_copy(update={"properties": properties})


def test_commits_that_add_no_data_are_counted(tmp_path):
    catalog = FolderCatalog("local", warehouse=f"file://{tmp_path}/lake")
    rows = pa.table({"id": pa.array(range(10), pa.int64())})
    table = catalog.create_table("db.events", rows.schema)
    for _ in range(8):
        table.append(rows)
        table.append(rows)
        table.delete("id >= 0")
    inspection = inspect_location(table.location().removeprefix("file://"), AT_1S)
    observed = observe(inspection)
    assert (observed.others, observed.made) == (0.5, 24)
    outlook = outlook_of(inspection, 100.0)
    found = {one.name: one for one in outlook.now}
    assert found["snapshots"].simulated == found["snapshots"].found == 24
    assert found["metadata.json"].simulated == pytest.approx(found["metadata.json"].found, rel=0.03)


@pytest.mark.parametrize("writer", ["trino", pytest.param("flink", marks=pytest.mark.slow)])
def test_a_writer_of_its_own_is_forecast_by_its_profile(writer, tmp_path):
    case = replace(
        synthetic_case(interval_s=1.0, horizon_s=40.0),
        writer=Writer.model_validate({"kind": "batch", "profile": writer}),
    )
    tree = emit_tree(tmp_path / "t", case)
    longer = emit_tree(tmp_path / "u", replace(case, horizon_s=80.0))
    inspection = inspect_location(str(tree.root), AT_1S)
    outlook = outlook_of(inspection, 40.0)
    expected = sum(longer.on_disk_bytes[kind] for kind in METADATA_KINDS)
    assert outlook.prospects[0].on_disk_bytes == pytest.approx(expected, rel=0.01)
    assert outlook.observed.versions == pytest.approx(2 if writer == "trino" else 1, abs=0.05)
    assert any(f"{writer}" in line for line in outlook_lines(outlook))


def test_an_expiry_is_found_by_the_versions_that_shrank(tmp_path):
    jobs = Maintenance.model_validate({"expire_snapshots": {"every": 20, "older_than": 50}})
    case = replace(synthetic_case(interval_s=1.0, horizon_s=150.0), maintenance=jobs)
    root = emit_tree(tmp_path / "t", case).root
    inspection = inspect_location(str(root), AT_1S)
    found = outlook_of(inspection, 10.0).maintenance.expire_snapshots
    assert (found.every, found.older_than) == (pytest.approx(20, abs=1), pytest.approx(50, abs=2))
    assert inspection.totals.of(Kind.MANIFEST_LIST).files == 61
    *older, _ = sorted((root / "metadata").glob("*.metadata.json"))
    for path in older:
        path.unlink()
    found = outlook_of(inspect_location(str(root), AT_1S), 10.0).maintenance.expire_snapshots
    assert (found.every, found.older_than) == (pytest.approx(15, abs=1), pytest.approx(52, abs=2))  # of a span of 60


@pytest.mark.parametrize(("horizon_s", "every_s"), [(40.0, 86_400.0), (120.0, 40.0)], ids=["one", "three"])
def test_one_expiry_says_no_period_and_older_ones_do(horizon_s, every_s, tmp_path):
    """Each leaves 20 s of snapshots: the last one alone is no younger than the oldest of these."""
    jobs = Maintenance.model_validate({"expire_snapshots": {"every": 40, "older_than": 20}})
    case = replace(synthetic_case(interval_s=1.0, horizon_s=horizon_s), maintenance=jobs)
    inspection = inspect_location(str(emit_tree(tmp_path / "t", case).root), AT_1S)
    assert maintenance_of(inspection.tree, inspection.history).expire_snapshots.every == pytest.approx(
        every_s, rel=0.05
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A table of twelve appends, for tests to change in parts."""
    return inspect_location(str(emit_tree(tmp_path_factory.mktemp("small") / "t", horizon_s=12.0).root), AT_1S)


def changed(inspection, *, index=None, history=None, json_bytes=None, **metadata):
    """The inspection with other values in its index, its history, its size or its metadata."""
    opened = inspection.tree.opened
    opened = replace(opened, metadata=replace(opened.metadata, **metadata), json_bytes=json_bytes or opened.json_bytes)
    tree = replace(inspection.tree, opened=opened, index=replace(inspection.tree.index, **(index or {})))
    return replace(inspection, tree=tree, history=replace(inspection.history, **(history or {})))


def tag(snapshot, **limits):
    return SnapshotRef(snapshot_id=snapshot.snapshot_id, type="tag", **limits)


def test_three_refs_grow_with_the_snapshots_and_two_do_not(small):
    metadata, parts = small.tree.opened.metadata, small.parts.bytes
    count, entries = len(metadata.snapshots), parts["snapshots"] + parts["snapshot-log"]
    for refs, growing in ((2, entries), (3, entries + parts["refs"])):
        named = {"main": metadata.refs["main"]} | {f"t{at}": tag(metadata.snapshots[at]) for at in range(refs - 1)}
        found = observe(changed(small, refs=named, snapshot_log=metadata.snapshot_log[-4:])).json
        unlogged = parts["snapshot-log"] * (1 / 4 - 1 / count)
        assert found.snapshot == pytest.approx(growing / count + unlogged)
        assert found.around == len(small.tree.opened.json_text) - growing - parts["metadata-log"]
        assert (found.statistics, found.snapshots, found.logged) == (0, count, len(metadata.metadata_log))


def test_statistics_of_either_kind_are_apart_from_snapshots(small):
    parts, count = small.parts.bytes, len(small.tree.opened.metadata.snapshots)
    held = parts["statistics"] + parts["partition-statistics"]
    for kind in ("statistics", "partition_statistics"):
        found = observe(changed(small, **{kind: ("one",)})).json
        assert found.statistics == held / count > 0
        assert found.around == observe(small).json.around - held


def test_a_band_is_of_the_versions_since_the_first_snapshot(small):
    opened, parts, versions = small.tree.opened, small.parts.bytes, small.history.versions
    metadata = opened.metadata
    count, stamps = len(metadata.snapshots), [one.timestamp_ms for one in metadata.snapshots]
    statistics = parts["statistics"] + parts["partition-statistics"]
    growing = parts["snapshots"] + parts["snapshot-log"] + statistics
    around = len(opened.json_text) - growing - parts["metadata-log"]
    log_entry = parts["metadata-log"] / len(metadata.metadata_log)
    log = np.arange(4.0)
    held = np.array([0, 1, 2, count])  # the second in the very millisecond of its snapshot
    sizes = 0.5 * (around + held * growing / count + log_entry * log)
    found = replace(
        versions,
        keys=tuple("abcd"),
        updated_ms=(stamps[0] - 1, stamps[0], stamps[1] + 1, stamps[-1] + 9),
        bytes=np.array([1.0, *(sizes[1:] / 1.25)]),
        log_entries=log,
    )
    half = changed(
        small, history={"versions": found}, json_bytes=len(opened.json_text) / 2, partition_statistics=("one",)
    )
    assert observe(half).json.band == pytest.approx(0.25)
    none = replace(found, bytes=np.array([1.0, np.nan, np.nan, np.nan]))
    assert observe(changed(half, history={"versions": none})).json.band == 0


def test_lists_without_manifests_or_unread_say_nothing_of_sizes(small):
    counts = [0, -1, *range(3, 13)]
    found = observe(changed(small, index={"counts": counts})).lists
    assert list(found.counts) == counts[2:]
    assert list(found.bytes) == list(small.history.ledger.written_bytes[Kind.MANIFEST_LIST][2:])


def test_manifests_of_data_with_counts_and_nothing_deleted_say_sizes(small):
    one = replace(
        small.tree.index.manifests[0],
        content=0, added_files_count=2, existing_files_count=3, deleted_files_count=0, manifest_length=700,
    )  # fmt: skip
    others = (
        {"content": 1},
        {"added_files_count": None},
        {"existing_files_count": None},
        {"deleted_files_count": 1},
        {"added_files_count": 0, "existing_files_count": 0},
        {"manifest_length": 0},
    )
    added = replace(one, existing_files_count=0, deleted_files_count=None)
    manifests = [one, *(replace(one, **other) for other in others), added]
    found = observe(changed(small, index={"manifests": manifests})).manifests
    assert (list(found.counts), list(found.new), list(found.bytes)) == ([5, 2], [2, 2], [700, 700])


def test_manifests_of_other_commits_are_a_share_of_the_simulated(small):
    operations = ("delete", "replace", "append", "append")
    empty, adds = {}, {"added-data-files": "1"}
    summaries = (adds, empty, adds, empty)
    snapshots = tuple(
        replace(one, operation=operation, summary=summary)
        for one, operation, summary in zip(small.tree.index.snapshots, operations, summaries, strict=False)
    )
    written = {kind: np.zeros(4, dtype=np.int64) for kind in Kind}
    written[Kind.DATA_MANIFEST] = np.array([10, 20, 30, 400])
    written[Kind.DELETE_MANIFEST] = np.array([1, 2, 3, 20])
    history = {"ledger": replace(small.history.ledger, written_bytes=written)}
    history["known"] = {one.value: np.ones(4, dtype=bool) for one in (Kind.MANIFEST_LIST, Kind.METADATA_JSON)}
    found = observe(changed(small, index={"snapshots": snapshots, "counts": [1, 1, 1, 1]}, history=history))
    assert found.others == pytest.approx(1 / 3)
    assert found.other_manifests == pytest.approx(420 / 66)


def test_versions_of_expiries_are_not_counted_twice(small):
    versions = small.history.versions
    sizes = np.array([200.0, 300.0, 400.0, 250.0, 350.0, 450.0, 300.0, 400.0])
    found = replace(
        versions,
        keys=tuple("abcdefgh"), updated_ms=tuple(range(8)), bytes=sizes, log_entries=np.zeros(8),
    )  # fmt: skip
    assert list(expiry_places(found)) == [3, 6]
    known = {**small.history.known, Kind.METADATA_JSON.value: np.array([True, True])}
    history = {"versions": found, "versions_per_commit": 2.5, "known": known}  # of 5 versions from place 3 on
    assert _versions_per_snapshot(changed(small, history=history), 0.5) == pytest.approx((2.5 - 2 / 2) * 1.5)
    history |= {"versions_per_commit": 2.0}
    assert _versions_per_snapshot(changed(small, history=history), 0.0) == pytest.approx(2.0 - 1 / 2)
    history["known"] = {**known, Kind.METADATA_JSON.value: np.array([False])}
    assert _versions_per_snapshot(changed(small, history=history), 0.0) is None


def test_a_tag_holds_a_snapshot_until_its_own_age(small):
    metadata, day_ms = small.tree.opened.metadata, 86_400_000
    now_ms = round(small.tree.opened.listed_at_s * 1000)
    main = replace(metadata.snapshots[-1], timestamp_ms=now_ms - 9 * day_ms, parent_snapshot_id=None)
    others = tuple(
        replace(main, snapshot_id=days, timestamp_ms=now_ms - days * day_ms, parent_snapshot_id=None)
        for days in (1, 2, 4)
    )
    refs = {f"t{one.snapshot_id}": tag(one, max_ref_age_ms=3 * day_ms) for one in others}
    found = changed(
        small, snapshots=(main, *others), refs=refs | {"main": metadata.refs["main"]}, last_sequence_number=4
    )
    assert observe(found).held_share == pytest.approx(2 / 12)  # of the twelve that its index has


def test_of_a_branch_with_equal_times_the_head_is_held(small):
    metadata = small.tree.opened.metadata
    ahead_ms = round(small.tree.opened.listed_at_s * 1000) + 60_000
    parent = replace(metadata.snapshots[0], snapshot_id=7, timestamp_ms=ahead_ms, parent_snapshot_id=None)
    head = replace(parent, snapshot_id=8, parent_snapshot_id=7)
    branch = SnapshotRef(snapshot_id=8, type="branch")
    refs = {"main": metadata.refs["main"], "b": branch}
    assert observe(changed(small, snapshots=(*metadata.snapshots, parent, head), refs=refs)).held_share == 1 / 12
