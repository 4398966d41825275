"""The simulated writer against the real one, and the laws that any writer obeys."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agreement import CHOSEN_BY_CHANCE
from support.few import FEW
from support.recordings import RECORDED, RECORDINGS, recorded_case
from support.replay import differing, replay
from support.synthetic import resting_case, synthetic_case

from tools.comparison import compare
from wasim.errors import WasimError
from wasim.iceberg import read_manifest, read_manifest_list, read_metadata_json
from wasim.ledger import Action, CommitReports, Kind, Recording, sum_events, view_by_commit
from wasim.runs import read_recording
from wasim.scenario import Case
from wasim.scenario.changes import Evolution, Maintenance
from wasim.twin import Site, profile_named, shipped_profile, simulate_case


def recorded(name: str) -> Recording:
    return read_recording(RECORDINGS / name)


def simulate(case: Case, *, seed: int = 1, **options) -> Recording:
    return simulate_case(case, shipped_profile(case), np.random.default_rng(seed), **options)


def location_of(name: str) -> str:
    path = next((RECORDINGS / name / "table" / "metadata").glob("*.metadata.json"))
    return read_metadata_json(path.read_bytes(), source=str(path)).location


@pytest.mark.parametrize("name", RECORDED)
def test_a_real_tables_files_and_draws_make_its_bytes(name, tmp_path):
    replay(RECORDINGS / name / "table", recorded_case(name), tmp_path)
    wrong, files = differing(RECORDINGS / name / "table", tmp_path)
    assert (wrong, files) == ([], files)
    assert files > 3 * recorded_case(name).commits


@pytest.mark.parametrize("name", RECORDED)
def test_scenario_and_profile_alone_foretell_files_and_bytes(name):
    simulated = simulate(recorded_case(name), site=Site(location=location_of(name)))
    kinds = compare(recorded(name), simulated)
    assert {one.kind for one in kinds} == {Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DATA}
    assert [one for one in kinds if not one.meets_goal] == []


@pytest.mark.parametrize("name", RECORDED)
def test_events_come_in_the_real_order_under_the_real_steps(name):
    real, simulated = recorded(name).events, simulate(recorded_case(name)).events
    for column in ("step", "commit", "attempt", "operation", "action", "kind"):
        assert getattr(real, column).tolist() == getattr(simulated, column).tolist(), column


@pytest.mark.parametrize("name", RECORDED)
def test_reports_say_what_the_real_ones_say(name):
    real, simulated = recorded(name).reports, simulate(recorded_case(name)).reports
    for column in {f.name for f in fields(CommitReports)} - CHOSEN_BY_CHANCE:
        assert getattr(real, column).tolist() == getattr(simulated, column).tolist(), column


def test_the_emitted_tree_is_what_the_events_say(tmp_path):
    case = synthetic_case(writer="batch", horizon_s=12.0, properties={"commit.manifest.min-count-to-merge": "4"})
    events = simulate(case, emit=tmp_path).events
    on_disk = {str(path.relative_to(tmp_path)): path.stat().st_size for path in tmp_path.rglob("*.*") if path.is_file()}
    expected: dict[str, int] = {}
    for action, kind, file, size in zip(events.action, events.kind, events.file, events.bytes, strict=True):
        if action == Action.DELETE:
            del expected[file]
        elif kind != Kind.DATA:
            expected[file] = size
    assert on_disk == expected


def test_counted_json_is_as_long_as_the_rendered_one(tmp_path):
    case = synthetic_case(horizon_s=15.0)
    counted = simulate(case, site=Site(location=str(tmp_path))).events
    rendered = simulate(case, emit=tmp_path).events
    assert counted.bytes.tolist() == rendered.bytes.tolist()


def test_every_list_holds_every_file_once(tmp_path):
    case = synthetic_case(writer="batch", horizon_s=20.0, properties={"commit.manifest.min-count-to-merge": "3"})
    reports = simulate(case, emit=tmp_path).reports
    newest = sorted((tmp_path / "metadata").glob("*.metadata.json"))[-1]
    for snapshot in read_metadata_json(newest.read_bytes(), source="").snapshots:
        listed = read_manifest_list(Path(snapshot.manifest_list).read_bytes(), source="").manifests
        entries = [
            entry.file.file_path
            for manifest in listed
            for entry in read_manifest(Path(manifest.manifest_path).read_bytes(), source="").entries
        ]
        assert len(set(entries)) == len(entries) == reports.files_live[snapshot.sequence_number - 1]


def test_row_ids_of_a_v3_table_never_overlap(tmp_path):
    case = recorded_case("merging_v3")
    simulate(case, emit=tmp_path)
    newest = sorted((tmp_path / "metadata").glob("*.metadata.json"))[-1]
    metadata = read_metadata_json(newest.read_bytes(), source="")
    ends = [snapshot.first_row_id + snapshot.added_rows for snapshot in metadata.snapshots]
    assert [snapshot.first_row_id for snapshot in metadata.snapshots] == [0, *ends[:-1]]
    assert metadata.next_row_id == ends[-1]


def test_delete_after_commit_leaves_the_log_and_the_newest(tmp_path):
    properties = {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": "3",
        "write.metadata.compression-codec": "gzip",
    }
    simulate(synthetic_case(horizon_s=10.0, properties=properties), emit=tmp_path)
    names = sorted(path.name for path in (tmp_path / "metadata").glob("*.metadata.json"))
    assert [name[:5] for name in names] == ["00007", "00008", "00009", "00010"]
    assert all(name.endswith(".gz.metadata.json") for name in names)


@pytest.mark.parametrize(
    ("properties", "named"),
    [
        ({"write.format.default": "orc"}, "write.format.default"),
        ({"write.manifest.compression-codec": "lz4"}, "Give gzip, snappy, uncompressed or zstd"),
        ({"write.manifest.compression-level": "12"}, "no level of gzip"),
        ({"write.spark.advisory-partition-size-bytes": "1000"}, "write.spark.advisory-partition-size-bytes"),
        ({"write.spark.fanout.enabled": "false"}, "write.spark.fanout.enabled"),
        ({"write.wap.enabled": "true"}, "write.wap.enabled"),
        ({"write.parquet.compression-codec": "snappy"}, "write.parquet.compression-codec"),
    ],
)
def test_a_property_that_is_not_modelled_is_refused_by_name(properties, named):
    with pytest.raises(WasimError, match=named):
        simulate(synthetic_case(horizon_s=3.0, properties=properties))


@pytest.mark.parametrize(
    ("properties", "maintenance", "named"),
    [
        ({"gc.enabled": "false"}, {"expire_snapshots": {"every": "2s", "older_than": "1s"}}, "refuses to expire"),
        (
            {"history.expire.max-ref-age-ms": "1000"},
            {"expire_snapshots": {"every": "2s", "older_than": "1s"}},
            "tags or branches",
        ),
    ],
)
def test_a_property_that_changes_what_maintenance_does_is_refused(properties, maintenance, named):
    case = synthetic_case(horizon_s=4.0, properties=properties)
    tag = Evolution.model_validate({"at": "1s", "create_tag": "one"})
    simulate(replace(case, evolution=(tag,)))
    with pytest.raises(WasimError, match=named):
        simulate(replace(case, evolution=(tag,), maintenance=Maintenance.model_validate(maintenance)))


def test_a_writer_naming_its_own_files_takes_no_data_path():
    case = synthetic_case(horizon_s=1.0, properties={"write.data.path": "lake"})
    with pytest.raises(WasimError, match=r"write\.data\.path is not simulated for security_lake"):
        simulate_case(case, profile_named("security_lake"), np.random.default_rng(0))


def test_a_users_own_property_is_kept(tmp_path):
    simulate(synthetic_case(horizon_s=1.0, properties={"team": "metadata"}), emit=tmp_path)
    newest = sorted((tmp_path / "metadata").glob("*.metadata.json"))[-1]
    assert read_metadata_json(newest.read_bytes(), source="").properties["team"] == "metadata"


def test_a_hadoop_table_counts_its_versions_in_a_hint(tmp_path):
    case = on_hadoop(synthetic_case(horizon_s=3.0))
    events = simulate(case, emit=tmp_path).events
    hints = events.where(events.kind == Kind.VERSION_HINT)
    assert hints.action.tolist() == ["write", *["delete", "write"] * 3]
    assert (tmp_path / "metadata" / "version-hint.text").read_text() == "4"
    assert {path.name for path in (tmp_path / "metadata").glob("v*.json")} == {
        f"v{version}.metadata.json" for version in range(1, 5)
    }


def on_hadoop(case):
    return replace(case, environment=case.environment.model_copy(update={"catalog": "hadoop"}))


def test_a_spark_setting_that_changes_metadata_is_refused():
    case = synthetic_case(horizon_s=1.0)
    environment = case.environment.model_copy(update={"spark": {"spark.sql.iceberg.planning": "x"}})
    with pytest.raises(WasimError, match=r"spark\.sql\.iceberg\.planning"):
        simulate(replace(case, environment=environment))


CASES = st.builds(
    synthetic_case,
    writer=st.sampled_from(["streaming", "batch"]),
    interval_s=st.sampled_from([1.0, 2.0]),
    horizon_s=st.integers(min_value=4, max_value=24).map(float),
    files_per_commit=st.integers(min_value=1, max_value=3),
    properties=st.fixed_dictionaries(
        {
            "commit.manifest.min-count-to-merge": st.integers(min_value=2, max_value=6).map(str),
            "commit.manifest.target-size-bytes": st.sampled_from(["20000", "40000", "8388608"]),
        }
    ),
)


@FEW
@given(case=CASES, seed=st.integers(min_value=0, max_value=2**32))
def test_the_same_seed_writes_the_same_bytes(case, seed):
    first, second = simulate(case, seed=seed).events, simulate(case, seed=seed).events
    assert first.bytes.tolist() == second.bytes.tolist()
    assert first.file.tolist() == second.file.tolist()


@FEW
@given(case=CASES)
def test_metadata_json_grows_with_every_commit(case):
    sizes = view_by_commit(simulate(case)).written_bytes[Kind.METADATA_JSON]
    assert (np.diff(sizes) > 0).all()


@FEW
@given(case=CASES)
def test_merging_loses_no_file_and_no_row(case):
    ledger, reports = view_by_commit(simulate(case)), simulate(case).reports
    assert reports.files_live.tolist() == np.cumsum(ledger.entries_added).tolist()
    assert reports.records_live.tolist() == np.cumsum(reports.records_added).tolist()


@FEW
@given(case=CASES)
def test_what_lives_is_retained_and_the_retained_on_disk(case):
    reports, events = simulate(case).reports, simulate(case).events
    totals = sum_events(events)
    on_disk = totals.files_written[Kind.DATA_MANIFEST] - totals.files_deleted[Kind.DATA_MANIFEST]
    live = reports.manifests_created[-1] + reports.manifests_kept[-1]
    retained = int(reports.manifests_created.sum())
    assert live <= retained <= on_disk
    assert all(size >= 0 for size in totals.on_disk_bytes.values())


@FEW
@given(case=CASES)
def test_halving_the_interval_never_lowers_the_metadata_written(case):
    halved = replace(case, commit_interval_s=case.commit_interval_s / 2)
    assert sum_events(simulate(halved).events).metadata_bytes >= sum_events(simulate(case).events).metadata_bytes


def test_flinks_every_tenth_empty_checkpoint_is_a_snapshot(tmp_path):
    simulate(resting_case(60.0), emit=tmp_path)
    newest = max((tmp_path / "metadata").glob("*.metadata.json"), key=lambda path: path.stat().st_size)
    snapshots = read_metadata_json(newest.read_bytes(), source=str(newest)).snapshots
    checkpoints = [int(one.summary["flink.max-committed-checkpoint-id"]) for one in snapshots]
    assert checkpoints == [1, 2, 3, 4, 5, 15, 25, 31, 32, 33, 34, 35, 45, 55]
    before, empty = snapshots[4:6]
    manifests = [
        [
            manifest.manifest_path
            for manifest in read_manifest_list(Path(one.manifest_list).read_bytes(), source="").manifests
        ]
        for one in (before, empty)
    ]
    assert manifests[0] == manifests[1]
    assert not any(key.startswith("added-") for key in empty.summary)
    assert empty.summary["total-records"] == before.summary["total-records"]


def test_a_writer_that_commits_nothing_when_idle_makes_no_commit():
    case = resting_case(60.0, idle_commit_every=0)
    events = simulate(case).events
    assert case.commits_made == 10
    assert int((events.kind == Kind.METADATA_JSON).sum()) == 1 + 10
