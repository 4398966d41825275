"""The simulated table under maintenance and evolution: against real runs, and against what Iceberg's rules say."""

import json
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.agreement import CHOSEN_BY_CHANCE, steps_of
from support.paths import DATA
from support.synthetic import synthetic_case

from tools.comparison import compare
from wasim.errors import WasimError
from wasim.iceberg import TableMetadata, read_manifest, read_manifest_list, read_metadata_json
from wasim.ledger import Action, CommitReports, Kind
from wasim.runs import read_recording
from wasim.scenario import Case, case_from_document
from wasim.scenario.changes import Changes, Evolution, Maintenance
from wasim.scenario.parts import Writer
from wasim.twin import Site, shipped_profile, simulate_table

REAL = DATA / "operations"
NAMES = sorted(path.name for path in REAL.iterdir())
NO_MERGE = {"commit.manifest-merge.enabled": "false"}
SMALL = {"commit.manifest.target-size-bytes": "8000"}


def recorded(name: str) -> dict:
    return json.loads((REAL / name / "case.json").read_text())


@cache
def simulated_like(name: str):
    document = recorded(name)
    case = case_from_document(document["case"])
    site = Site(location=document["location"])
    return simulate_table(case, shipped_profile(case), np.random.default_rng(1), site=site)


def simulate(case: Case, folder: Path | None = None):
    return simulate_table(case, shipped_profile(case), np.random.default_rng(0), emit=folder)


def kept_case(**parts) -> Case:
    """A short case under maintenance or evolution."""
    made = {
        "maintenance": Maintenance.model_validate,
        "evolution": lambda listed: tuple(map(Evolution.model_validate, listed)),
        "changes": Changes.model_validate,
    }
    given = {key: made[key](value) for key, value in parts.items() if key in made}
    others = {key: value for key, value in parts.items() if key not in made}
    return replace(synthetic_case(**{"writer": "batch", "horizon_s": 12.0, **others}), **given)


def test_a_v1_commit_lists_copies_of_rewritten_manifests(tmp_path: Path) -> None:
    case = kept_case(maintenance={"rewrite_manifests": {"every": 6}}, properties=NO_MERGE)
    case = replace(case, table=case.table.model_copy(update={"format_version": 1}))
    events = simulate(case, tmp_path).recording.events
    manifests = events.where((events.operation == "rewrite_manifests") & (events.kind == Kind.DATA_MANIFEST))
    actions = [
        (str(action), "optimized" in file) for action, file in zip(manifests.action, manifests.file, strict=True)
    ]
    assert actions == [("write", True), ("write", False), ("delete", True)] * 2
    assert list(manifests.bytes[:1]) == list(manifests.bytes[2:3])


def newest(folder: Path) -> TableMetadata:
    path = max((folder / "metadata").glob("*.metadata.json"), key=lambda path: path.name)
    return read_metadata_json(path.read_bytes(), source=path.name)


@pytest.mark.parametrize("name", NAMES)
def test_scenario_and_profile_foretell_files_and_bytes_of_real_runs(name):
    kinds = compare(read_recording(REAL / name), simulated_like(name).recording)
    assert Kind.METADATA_JSON in {one.kind for one in kinds}
    assert [one for one in kinds if not one.meets_goal] == []


@pytest.mark.parametrize("name", NAMES)
def test_live_bytes_end_as_in_the_real_table(name):
    live = simulated_like(name).live_bytes
    for kind, size in recorded(name)["live_bytes"].items():
        # sizes of data and delete files follow a law; rows that were rewritten compress less than it says
        assert live[Kind(kind)] == pytest.approx(size, rel={"data": 0.1, "delete_file": 0.05}.get(kind, 0.01)), kind


@pytest.mark.parametrize("name", NAMES)
def test_each_step_writes_and_deletes_what_the_real_one_does(name):
    assert steps_of(simulated_like(name).recording.events) == steps_of(read_recording(REAL / name).events)


@pytest.mark.parametrize("name", NAMES)
def test_reports_and_steps_say_what_the_real_ones_say(name):
    real, simulated = read_recording(REAL / name), simulated_like(name).recording
    for column in sorted({f.name for f in fields(CommitReports)} - CHOSEN_BY_CHANCE):
        assert getattr(simulated.reports, column).tolist() == getattr(real.reports, column).tolist(), column


def test_lists_and_manifests_are_those_that_retained_snapshots_name(tmp_path):
    case = kept_case(
        maintenance={"expire_snapshots": {"every": "5s", "older_than": "2s"}, "rewrite_manifests": {"every": "4s"}}
    )
    simulate(case, tmp_path)
    metadata, files = newest(tmp_path), {path.name for path in (tmp_path / "metadata").iterdir()}
    lists = {Path(snapshot.manifest_list) for snapshot in metadata.snapshots}
    manifests = {
        Path(one.manifest_path) for path in lists for one in read_manifest_list(path.read_bytes(), source="").manifests
    }
    assert 1 < len(metadata.snapshots) < case.commits
    assert any(path.name.startswith("optimized-m-") for path in manifests)
    assert {path.name for path in lists | manifests} == {name for name in files if name.endswith(".avro")}
    entries = [entry for path in manifests for entry in read_manifest(path.read_bytes(), source="").entries]
    assert len({entry.file.file_path for entry in entries}) == case.commits


def test_expiry_keeps_the_newest_and_what_tags_and_branches_hold(tmp_path):
    case = kept_case(
        maintenance={"expire_snapshots": {"every": "10s", "older_than": "3s", "retain_last": 2}},
        evolution=[{"at": "2s", "create_tag": "two"}, {"at": "4s", "create_branch": "audit"}],
    )
    simulate(case, tmp_path)
    # at 10 s those of 7 to 10 s stay, the tagged one of 2 s, and of the branch of 4 s its newest two
    assert [snapshot.sequence_number for snapshot in newest(tmp_path).snapshots] == [2, 3, 4, 7, 8, 9, 10, 11, 12]


def test_expiry_of_nothing_writes_nothing():
    case = kept_case(maintenance={"expire_snapshots": {"every": "5s", "older_than": "1d"}})
    plain = replace(case, maintenance=Maintenance())
    assert len(simulate(case).recording.events) == len(simulate(plain).recording.events)


def test_the_snapshot_log_starts_after_the_newest_expired_snapshot(tmp_path):
    simulate(kept_case(maintenance={"expire_snapshots": {"every": "5s", "older_than": "2s"}}), tmp_path)
    metadata = newest(tmp_path)
    assert [one.snapshot_id for one in metadata.snapshot_log] == [one.snapshot_id for one in metadata.snapshots]


def test_a_table_goes_on_from_a_rollback(tmp_path):
    reports = simulate(
        kept_case(horizon_s=6.0, evolution=[{"at": "4s", "rollback_commits": 2}]), tmp_path
    ).recording.reports
    metadata = newest(tmp_path)
    parents = [one.parent_snapshot_id for one in metadata.snapshots]
    ids = [one.snapshot_id for one in metadata.snapshots]
    assert parents == [None, ids[0], ids[1], ids[2], ids[1], ids[4]]
    assert [one.snapshot_id for one in metadata.snapshot_log] == [*ids[:4], ids[1], *ids[4:]]
    assert reports.files_live.tolist() == [1, 2, 3, 4, 3, 4]


def test_a_schema_that_comes_back_keeps_its_id(tmp_path):
    evolution = [
        {"at": "1s", "add_column": {"name": "late", "type": "int"}},
        {"at": "2s", "rename_column": {"column": "late", "to": "later"}},
        {"at": "3s", "rename_column": {"column": "later", "to": "late"}},
        {"at": "4s", "widen_column": {"column": "late", "type": "long"}},
    ]
    simulate(kept_case(horizon_s=5.0, evolution=evolution), tmp_path)
    metadata = newest(tmp_path)
    assert [schema.schema_id for schema in metadata.schemas] == [0, 1, 2, 3]
    assert [one.schema_id for one in metadata.snapshots] == [0, 1, 2, 1, 3]
    added = metadata.current_schema().columns[-1]
    assert (added.name, str(added.type.name), added.field_id) == ("late", "long", metadata.last_column_id)


def test_properties_set_midway_are_heeded_from_then_on(tmp_path):
    properties = {"write.metadata.previous-versions-max": "3", "write.metadata.delete-after-commit.enabled": "true"}
    case = kept_case(evolution=[{"at": "8s", "set_properties": properties}])
    events = simulate(case, tmp_path).recording.events
    deleted = events.where((events.action == Action.DELETE) & (events.kind == Kind.METADATA_JSON))
    assert deleted.operation.tolist() == ["set_properties"] * 6 + ["append"] * 4
    assert len(newest(tmp_path).metadata_log) == 3


def test_rewriting_manifests_of_one_manifest_commits_nothing():
    case = kept_case(
        maintenance={"rewrite_manifests": {"every": "4s"}}, properties={"commit.manifest.min-count-to-merge": "2"}
    )
    assert set(simulate(case).recording.reports.operation) == {"append"}


def test_maintenance_by_count_waits_for_the_count():
    case = kept_case(maintenance={"rewrite_manifests": {"when_manifests": 3}}, horizon_s=6.0)
    assert simulate(case).recording.reports.operation.tolist() == [
        "append", "append", "append", "rewrite_manifests", "append", "append", "rewrite_manifests", "append",
    ]  # fmt: skip


def test_a_compacted_file_is_as_old_as_its_sources(tmp_path):
    compaction = {"every": "4s", "min_input_files": 2}
    case = kept_case(maintenance={"rewrite_data_files": compaction}, horizon_s=6.0, properties=NO_MERGE)
    reports = simulate(case, tmp_path).recording.reports
    assert reports.operation.tolist() == ["append"] * 4 + ["rewrite_data_files"] + ["append"] * 2
    assert reports.files_live.tolist() == [1, 2, 3, 4, 1, 2, 3]
    assert reports.records_live[-1] == 6 * case.rows_per_commit
    snapshot = newest(tmp_path).snapshots[4]
    new, *old = read_manifest_list(Path(snapshot.manifest_list).read_bytes(), source="").manifests
    assert [one.deleted_files_count for one in old] == [1] * 4
    (entry,) = read_manifest(Path(new.manifest_path).read_bytes(), source="").entries
    assert (new.sequence_number, new.min_sequence_number, entry.sequence_number) == (5, 4, 4)


def test_a_merging_commit_drops_manifests_of_deleted_commits():
    deletion = {"delete": {"every": "4s", "rows": 150, "locality": "oldest_commits"}}
    case = kept_case(changes=deletion, horizon_s=6.0, properties=NO_MERGE)
    reports = simulate(case).recording.reports
    assert reports.snapshot_operation.tolist() == ["append"] * 4 + ["delete"] + ["append"] * 2
    assert reports.files_live.tolist() == [1, 2, 3, 4, 3, 4, 5]
    assert (reports.manifests_created + reports.manifests_kept).tolist() == [1, 2, 3, 4, 4, 4, 5]


def test_compaction_cuts_a_large_file_into_several(small_case, tmp_path):
    """As real Spark did of such a table: 70,000 rows of 4.9 MB at a target of 1 MiB."""
    case = small_case(
        table="{columns: [{name: a, type: double, count: 8}, {name: s, type: string, length: 12}]}",
        workload="{rows_per_second: 70000}",
        writer="batch",
        horizon="2s",
        maintenance="{rewrite_data_files: {every: 2s, target_file_size_bytes: 1048576}}",
    )
    simulate(case, tmp_path)
    (new, *_) = read_manifest_list(Path(newest(tmp_path).snapshots[2].manifest_list).read_bytes(), source="").manifests
    written = read_manifest(Path(new.manifest_path).read_bytes(), source="").entries
    assert [entry.file.record_count for entry in written] == 2 * [16_000, 16_000, 16_000, 16_000, 6_000]


def test_orphan_removal_takes_the_metadata_files_that_left_the_log():
    case = kept_case(
        maintenance={"remove_orphan_files": {"every": "6s", "older_than": "1s"}},
        properties={"write.metadata.previous-versions-max": "2"},
        horizon_s=6.0,
    )
    events = simulate(case).recording.events
    deleted = events.where(events.action == Action.DELETE)
    assert deleted.kind.tolist() == [Kind.METADATA_JSON] * 4  # of seven, the newest and two logged ones stay


def test_orphans_are_as_old_as_asked_whatever_snapshots_expired():
    case = kept_case(
        maintenance={
            "expire_snapshots": {"every": "6s", "older_than": "1s"},
            "remove_orphan_files": {"every": "12s", "older_than": "8s"},
        },
        properties={"write.metadata.previous-versions-max": "1"},
        horizon_s=12.0,
    )
    events = simulate(case).recording.events
    deleted = events.where(events.action == Action.DELETE)
    # of CREATE TABLE and the appends of 1, 2 and 3 s
    assert deleted.kind.tolist().count(Kind.METADATA_JSON) == 4


def test_manifests_of_more_than_the_target_are_dealt_out_evenly(tmp_path):
    upkeep = {"rewrite_manifests": {"every": "10s"}}
    simulate(kept_case(maintenance=upkeep, properties={**NO_MERGE, **SMALL}), tmp_path)
    snapshot = newest(tmp_path).snapshots[10]
    listed = read_manifest_list(Path(snapshot.manifest_list).read_bytes(), source="").manifests
    assert snapshot.operation == "replace"
    # ten manifests of one file each, of more than 7 KB: as many as their bytes hold targets, but no more than entries
    assert [one.existing_files_count for one in listed] == [1] * 10


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        (
            {
                "changes": {"delete": {"every": "2s", "share": 0.5}},
                "properties": {"write.delete.distribution-mode": "none"},
            },
            r"write\.delete\.distribution-mode",
        ),
        (
            {
                "maintenance": {"rewrite_data_files": {"every": "4s"}},
                "evolution": [{"at": "1s", "add_partition_field": {"column": "event_time", "transform": "hour"}}],
            },
            "maintenance.rewrite_data_files with add_partition_field",
        ),
        ({"evolution": [{"at": "1s", "set_properties": {"write.format.default": "orc"}}]}, r"write\.format\.default"),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(parts, named):
    with pytest.raises(WasimError, match=named):
        simulate(kept_case(**parts))


def test_changes_with_upserts_and_an_evolution_are_refused():
    evolution = [{"at": "1s", "add_column": {"name": "first", "type": "int"}}]
    case = kept_case(changes={"update": {"every": "3s", "share": 0.5}}, evolution=evolution)
    upserting = Writer.model_validate({"kind": "batch", "upsert": {"share": 0.5}})
    with pytest.raises(WasimError, match=r"changes, writer\.upsert and evolution together are not modelled"):
        simulate(replace(case, writer=upserting))
