"""Forecasts start from the table: half of one tells what the whole came to, where its writer's profile is far off."""

import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("pyiceberg")

from support.folder_catalog import FolderCatalog
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.outlook import outlook_of
from wasim.doctor.own_sizes import observe
from wasim.doctor.terminal import outlook_lines
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario.changes import Maintenance
from wasim.scenario.parts import Writer

AT_1S = InspectOptions(grace_s=0, commit_interval_s=1.0)
HALF = 24


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
        assert one.simulated == pytest.approx(one.found, rel=0.01), one.name
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
    assert expired == pytest.approx(ahead["as it is"].metadata_json_bytes * (1 / 3 + 2 / 3 * day), rel=0.1)


def test_an_expiry_ahead_goes_by_the_table_s_own_limits(tmp_path):
    limits = {"history.expire.max-snapshot-age-ms": "7200000", "history.expire.min-snapshots-to-keep": "30"}
    table = replace(base := synthetic_case(interval_s=60.0, horizon_s=1_200.0), table=with_properties(base, limits))
    inspection = inspect_location(str(emit_tree(tmp_path / "t", table).root), AT_1S)
    ahead = {one.name: one for one in outlook_of(inspection, 2 * 86_400.0).prospects}
    kept = ahead["+ expire snapshots older than 2h, daily"].metadata_json_bytes
    assert 7_200 * 900 < kept < 7_200 * 1_200  # a commit a second, some 1,000 B a snapshot


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


@pytest.mark.parametrize("writer", ["trino", "flink"])
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
    jobs = Maintenance.model_validate({"expire_snapshots": {"every": 40, "older_than": 100}})
    case = replace(synthetic_case(interval_s=1.0, horizon_s=300.0), maintenance=jobs)
    root = emit_tree(tmp_path / "t", case).root
    inspection = inspect_location(str(root), AT_1S)
    found = outlook_of(inspection, 10.0).maintenance.expire_snapshots
    assert (found.every, found.older_than) == (pytest.approx(40, abs=1), pytest.approx(100, abs=2))
    assert inspection.totals.of(Kind.MANIFEST_LIST).files == 121
    *older, _ = sorted((root / "metadata").glob("*.metadata.json"))
    for path in older:
        path.unlink()
    found = outlook_of(inspect_location(str(root), AT_1S), 10.0).maintenance.expire_snapshots
    assert (found.every, found.older_than) == (pytest.approx(30, abs=1), pytest.approx(105, abs=2))  # of a span of 120
