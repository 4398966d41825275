"""Engine `core` changes rows: the real library commits what Spark's statements would have written."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.agreement import check_agreement, check_reports, recording_of, steps_of
from support.paths import DATA
from support.replay import differing, replay

from wasim.bench.probing import CaseContext
from wasim.iceberg import read_manifest, read_manifest_list, read_metadata_json
from wasim.runs import CaseRun, read_recording
from wasim.scenario import Case, case_from_document

MakeCase = Callable[..., Case]
RunOn = Callable[..., tuple[CaseRun, CaseContext]]
RECORDED = DATA / "operations"
CHANGED = sorted(path.name for path in RECORDED.glob("*_v[23]") if path.name != "rewrite_manifests_v3")
SLOW = {
    "changes_maintained_v3",
    "changes_partitioned_v3",
    "cow_v3",
    "mor_v2",
    "upsert_mor_v2",
    "overwrite_dynamic_v3",
    "overwrite_static_v2",
    "upsert_cow_v3",
    "whole_commits_v3",
    "copy-on-write v1",
    "deletes by partition",
    "overwrites v3",
    "upsert in foreachBatch",
    "merge-on-read v3 in manifests that merge",
    "copy-on-write v3 compacted",
    "copy-on-write v2 partitioned",
}
IN_MEMORY = "{warm_up_commits: 0, catalog: in_memory}"


def recorded_case(name: str) -> Case:
    """The case of a recorded run, in the quickest catalog, which names its files in the same way, and planned once."""
    case = case_from_document(json.loads((RECORDED / name / "case.json").read_text())["case"])
    once = {"rounds": 1, "rounds_at_end": 1, "cold": False, "execution": False, "checkpoints": (1.0,)}
    return replace(
        case,
        environment=case.environment.model_copy(update={"catalog": "in_memory", "warm_up_commits": 0}),
        planning=case.planning.model_copy(update=once),
    )


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CHANGED]
)
def test_the_library_alone_does_what_a_recorded_spark_did(name: str, run_on: RunOn) -> None:
    case = recorded_case(name)
    _, context = run_on("core", case)
    real, core = read_recording(RECORDED / name), recording_of(context)
    assert steps_of(core.events) == steps_of(real.events)
    check_reports(core.reports, real.reports)
    check_agreement(name, case, context)


def table(version: int, *, partitioned: bool = False, properties: str = "") -> str:
    columns = "{name: region, type: string, values: 2}, {name: reading, type: double}"
    by = ", partition_by: [{column: region}]" if partitioned else ""
    return f"{{columns: [{columns}], format_version: {version}, properties: {{{properties}}}{by}}}"


def changes(mode: str) -> str:
    return (
        f"{{update: {{every: 7s, rows: 9, mode: {mode}}},"
        f" delete: {{every: 11s, rows: 5, locality: newest, mode: {mode}}},"
        f" merge: {{every: 13s, rows: 6, new_rows: 3, locality: scattered, mode: {mode}}}}}"
    )


COMPACTION = "{rewrite_data_files: {every: 22s, min_input_files: 2}}"
CASES: dict[str, dict[str, str]] = {
    "copy-on-write v2 partitioned": {"table": table(2, partitioned=True), "changes": changes("copy-on-write")},
    "copy-on-write v3 compacted": {"table": table(3), "changes": changes("copy-on-write"), "maintenance": COMPACTION},
    "merge-on-read v3 compacted": {
        "table": table(3, partitioned=True),
        "changes": changes("merge-on-read"),
        "maintenance": COMPACTION,
    },
    "copy-on-write v1": {"table": table(1), "changes": changes("copy-on-write")},
    "merge-on-read v3 in manifests that merge": {
        "table": table(3, properties="commit.manifest.min-count-to-merge: '4'"),
        "changes": changes("merge-on-read"),
    },
    "deletes by partition": {
        "table": table(2, partitioned=True, properties="write.delete.granularity: partition"),
        "changes": changes("merge-on-read"),
    },
    "upsert in foreachBatch": {
        "table": table(3),
        "writer": "{kind: streaming, sink: foreach_batch,"
        " upsert: {share: 0.25, locality: newest, mode: merge-on-read}}",
    },
    "overwrites v3": {
        "table": table(3, partitioned=True),
        "changes": "{overwrite: {every: 10s, rows: 20, kind: dynamic},"
        " delete: {every: 7s, rows: 4, locality: newest, mode: merge-on-read}}",
    },
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
def test_library_and_simulator_agree_to_the_byte_given_equal_draws(
    name: str, run_on: RunOn, small_case: MakeCase, tmp_path: Path
) -> None:
    case = small_case(**{"horizon": "60s", "environment": IN_MEMORY, **CASES[name]})
    _, context = run_on("core", case)
    replay(context.table_root, case, tmp_path / "again")
    wrong, files = differing(context.table_root, tmp_path / "again")
    assert (wrong, files) == ([], files)
    assert files > 3 * case.commits
    check_agreement(name, case, context)


def test_compaction_batches_are_as_old_as_the_planned_snapshot(
    run_on: RunOn, small_case: MakeCase, tmp_path: Path
) -> None:
    compaction = "{rewrite_data_files: {every: 12s, min_input_files: 2, partial_progress_commits: 2}}"
    case = small_case(
        horizon="12s",
        environment=IN_MEMORY,
        table=table(3, partitioned=True),
        changes="{delete: {every: 7s, rows: 4, locality: newest, mode: merge-on-read}}",
        maintenance=compaction,
    )
    _, context = run_on("core", case)
    replay(context.table_root, case, tmp_path / "again")
    assert differing(context.table_root, tmp_path / "again")[0] == []
    metadata = context.table_root / "metadata"
    newest = max(metadata.glob("*.metadata.json"), key=lambda path: path.name)
    planned, *batches = read_metadata_json(newest.read_bytes(), source=newest.name).snapshots[-3:]
    for snapshot in batches:
        path = metadata / snapshot.manifest_list.rpartition("/")[2]
        listed = read_manifest_list(path.read_bytes(), source=path.name).manifests
        own = next(one for one in listed if one.added_snapshot_id == snapshot.snapshot_id and one.added_files_count)
        path = metadata / own.manifest_path.rpartition("/")[2]
        entries = read_manifest(path.read_bytes(), source=path.name).entries
        assert [entry.sequence_number for entry in entries] == [planned.sequence_number]
