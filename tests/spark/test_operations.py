"""Changes, maintenance and evolution on real Spark and Iceberg: rows, files, snapshots, and who paid for which byte."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.contexts import events_of

from wasim.bench.probing import CaseContext
from wasim.ledger import Action, Kind
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.spark import CATALOG_NAME, drive

RunCase = Callable[[Case], tuple[CaseRun, CaseContext]]
MakeCase = Callable[..., Case]
NAME = f"{CATALOG_NAME}.{drive.TABLE_NAME}"
STREAM = "{kind: streaming}"
FOREACH = "{kind: streaming, sink: foreach_batch}"
SLOW_BUT_A_STREAM = [STREAM, *(pytest.param(writer, marks=pytest.mark.slow) for writer in ("batch", FOREACH))]


def sql(context: CaseContext, query: str) -> list[tuple[object, ...]]:
    context.session.spark.sql(f"REFRESH TABLE {NAME}")
    return [tuple(row) for row in context.session.spark.sql(query.replace("TABLE", NAME)).collect()]


def by_operation(run: CaseRun) -> dict[str, tuple[int, int]]:
    return {one.operation: (one.steps, one.commits) for one in run.operations}


def test_each_change_touches_the_rows_that_it_says(run_case: RunCase, small_case: MakeCase) -> None:
    changes = (
        "{update: {every: 4s, share: 0.5}, delete: {every: 4s, rows: 10, locality: oldest},"
        " merge: {every: 4s, rows: 5, new_rows: 3, locality: newest}}"
    )
    run, context = run_case(small_case(changes=changes))
    ids = [row[0] for row in sql(context, "SELECT event_id FROM TABLE ORDER BY 1")]
    assert ids == [-3, -2, -1, *range(10, 80)]
    assert by_operation(run) == {
        "create-table": (1, 0), "append": (4, 4), "update": (1, 1), "delete": (1, 1), "merge": (1, 1),
    }  # fmt: skip
    assert list(run.ledger.snapshot_operation) == ["append"] * 4 + ["overwrite"] * 3
    after = dict(sql(context, "SELECT event_id, reading FROM TABLE WHERE event_id >= 0"))
    appended = int(run.ledger.snapshot_id[3])
    before = dict(sql(context, f"SELECT event_id, reading FROM TABLE VERSION AS OF {appended}"))
    assert len(before) == 80
    changed = {number for number in after if after[number] != before[number]}
    assert {75, 76, 77, 78, 79} <= changed
    assert 25 <= len(changed) <= 50
    assert run.ingested_bytes > run.ledger.written_bytes[Kind.DATA][:4].sum()  # the merged rows arrived too


@pytest.mark.parametrize(("version", "suffix"), [(2, "-deletes.parquet"), (3, "-deletes.puffin")])
def test_merge_on_read_leaves_delete_files_of_its_format_version(
    version: int, suffix: str, run_case: RunCase, small_case: MakeCase
) -> None:
    table = f"{{columns: [{{name: reading, type: double}}], format_version: {version}}}"
    changes = "{delete: {every: 2s, rows: 3, locality: newest, mode: merge-on-read}}"
    run, context = run_case(small_case(table=table, changes=changes))
    events = events_of(context)
    deletes = events.where((events.kind == Kind.DELETE_FILE) & (events.action == Action.WRITE))
    assert len(deletes) == 2
    assert all(file.endswith(suffix) for file in deletes.file)
    assert set(deletes.operation) == {"delete"}
    assert run.totals.files_written[Kind.DELETE_MANIFEST] == 2
    assert list(run.ledger.delete_files_live if hasattr(run.ledger, "delete_files_live") else []) in ([], [0, 0, 1])
    assert len(sql(context, "SELECT * FROM TABLE")) == 74


def test_rows_of_whole_commits_are_deleted_by_metadata_alone(run_case: RunCase, small_case: MakeCase) -> None:
    run, context = run_case(small_case(changes="{delete: {every: 4s, rows: 50, locality: oldest_commits}}"))
    assert list(run.ledger.snapshot_operation)[-1] == "delete"
    assert run.ledger.files_written[Kind.DATA][-1] == 0
    assert [row[0] for row in sql(context, "SELECT min(event_id) FROM TABLE")] == [40]


@pytest.mark.parametrize("kind", ["static", "dynamic"])
def test_an_overwrite_replaces_the_table_or_its_rows_partitions(
    kind: str, run_case: RunCase, small_case: MakeCase
) -> None:
    table = "{columns: [{name: region, type: string, values: 4}], partition_by: [{column: region}]}"
    workload = "{rows_per_second: 20, partitions_per_commit: 1}"
    changes = f"{{overwrite: {{every: 4s, rows: 20, kind: {kind}}}}}"
    run, context = run_case(small_case(table=table, workload=workload, changes=changes))
    assert sql(context, "SELECT count(*) FROM TABLE") == [(20,) if kind == "static" else (80,)]
    assert run.ledger.snapshot_operation[-1] == "overwrite"
    assert run.ledger.files_written[Kind.DATA_MANIFEST][-1] == (5 if kind == "static" else 2)


@pytest.mark.parametrize("writer", SLOW_BUT_A_STREAM)
def test_compaction_rewrites_and_says_who_paid(writer: str, run_case: RunCase, small_case: MakeCase) -> None:
    maintenance = "{rewrite_data_files: {every: 4s, min_input_files: 2}}"
    run, context = run_case(small_case(writer=writer, horizon="6s", maintenance=maintenance))
    assert list(run.ledger.operation) == ["append"] * 4 + ["rewrite_data_files"] + ["append"] * 2
    assert run.ledger.snapshot_operation[4] == "replace"
    assert list(run.ledger.event_time_s) == [1, 2, 3, 4, 4, 5, 6]
    paid = next(one for one in run.operations if one.operation == "rewrite_data_files")
    assert paid.totals.files_written[Kind.DATA] == 1
    assert paid.wall_s > 0
    assert run.amplification.data > 1.2
    assert len(sql(context, "SELECT DISTINCT event_id FROM TABLE")) == 120


def test_partial_progress_makes_several_commits_of_one_step(run_case: RunCase, small_case: MakeCase) -> None:
    table = "{columns: [{name: region, type: string, values: 4}], partition_by: [{column: region}]}"
    maintenance = "{rewrite_data_files: {every: 4s, min_input_files: 2, partial_progress_commits: 2}}"
    run, _ = run_case(small_case(table=table, maintenance=maintenance))
    assert by_operation(run)["rewrite_data_files"] == (1, 2)
    assert len(set(zip(run.ledger.event_time_s, run.ledger.operation, strict=True))) == 5


def test_expiry_counts_event_time_and_deletes_what_it_frees(run_case: RunCase, small_case: MakeCase) -> None:
    maintenance = "{expire_snapshots: {every: 6s, older_than: 2s}}"
    run, context = run_case(small_case(horizon="8s", maintenance=maintenance, writer=STREAM))
    # at 6 s the snapshots of 4, 5 and 6 s stay
    assert list(run.ledger.snapshots_retained) == [1, 2, 3, 4, 5, 6, 4, 5]
    assert sql(context, "SELECT count(*) FROM TABLE.snapshots") == [(5,)]
    expired = next(one for one in run.operations if one.operation == "expire_snapshots")
    assert (expired.commits, expired.totals.files_written[Kind.METADATA_JSON]) == (0, 1)
    assert expired.totals.files_deleted[Kind.MANIFEST_LIST] == 3
    assert expired.totals.files_deleted[Kind.DATA] == 0


def test_orphan_removal_takes_the_metadata_files_that_left_the_log(run_case: RunCase, small_case: MakeCase) -> None:
    table = "{columns: [{name: n, type: int}], properties: {write.metadata.previous-versions-max: '2'}}"
    maintenance = "{remove_orphan_files: {every: 6s, older_than: 1s}}"
    run, _ = run_case(small_case(table=table, horizon="6s", maintenance=maintenance))
    removed = next(one for one in run.operations if one.operation == "remove_orphan_files")
    assert removed.totals.files_deleted[Kind.METADATA_JSON] == 4  # of seven, the newest and two logged ones stay
    assert sum(removed.totals.files_deleted.values()) == 4


def test_orphans_are_as_old_as_asked_whatever_snapshots_expired(run_case: RunCase, small_case: MakeCase) -> None:
    table = "{columns: [{name: n, type: int}], properties: {write.metadata.previous-versions-max: '1'}}"
    maintenance = "{expire_snapshots: {every: 3s, older_than: 1s}, remove_orphan_files: {every: 6s, older_than: 4s}}"
    run, _ = run_case(small_case(table=table, horizon="6s", maintenance=maintenance))
    removed = next(one for one in run.operations if one.operation == "remove_orphan_files")
    assert removed.totals.files_deleted[Kind.METADATA_JSON] == 2  # of CREATE TABLE and the append of 1 s


@pytest.mark.slow  # of the library alone: tests/core/test_operations.py
def test_maintenance_by_count_waits_for_the_count(run_case: RunCase, small_case: MakeCase) -> None:
    # small files are counted in another session than the stream's
    compacting = "{rewrite_data_files: {when_small_files: 3, min_input_files: 2}}"
    run, _ = run_case(small_case(writer=STREAM, horizon="6s", maintenance=compacting))
    assert list(run.ledger.operation).count("rewrite_data_files") == 2
    maintenance = "{rewrite_manifests: {when_manifests: 3}, expire_snapshots: {when_snapshots: 7, older_than: 1s}}"
    run, _ = run_case(small_case(horizon="6s", maintenance=maintenance))
    assert list(run.ledger.operation) == [
        "append", "append", "append", "rewrite_manifests", "append", "append", "rewrite_manifests", "append",
    ]  # fmt: skip
    assert list(run.ledger.live_manifests) == [1, 2, 3, 1, 2, 3, 1, 2]
    assert by_operation(run)["expire_snapshots"] == (1, 0)


@pytest.mark.parametrize("writer", SLOW_BUT_A_STREAM)
def test_a_table_evolves_under_its_writer(writer: str, run_case: RunCase, small_case: MakeCase) -> None:
    table = (
        "{columns: [{name: a, type: int}, {name: b, type: float}, {name: c, type: long, required: true},"
        ' {name: d, type: "decimal(9,2)"}]}'
    )
    evolution = (
        "[{at: 1s, add_column: {name: e, type: string}}, {at: 1s, drop_column: b},"
        " {at: 2s, rename_column: {column: a, to: z}}, {at: 2s, widen_column: {column: z, type: long}},"
        ' {at: 2s, widen_column: {column: d, type: "decimal(12,2)"}},'
        " {at: 3s, move_column: {column: e, after: event_time}}, {at: 3s, make_optional: c},"
        " {at: 4s, add_partition_field: {column: event_time, transform: day}},"
        " {at: 5s, set_properties: {write.metadata.previous-versions-max: '5'}}]"
    )
    run, context = run_case(small_case(table=table, writer=writer, horizon="6s", evolution=evolution))
    columns = [(row[0], row[1]) for row in sql(context, "DESCRIBE TABLE")][:6]
    assert columns == [
        ("event_id", "bigint"), ("event_time", "timestamp"), ("e", "string"), ("z", "bigint"),
        ("c", "bigint"), ("d", "decimal(12,2)"),
    ]  # fmt: skip
    assert len(run.ledger) == 6
    assert run.totals.files_written[Kind.METADATA_JSON] == 1 + 6 + 9
    assert sql(context, "SELECT count(*), count(e) FROM TABLE") == [(120, 100)]
    assert by_operation(run)["widen_column"] == (2, 0)
    assert len(sql(context, "SELECT * FROM TABLE.partitions")) == 2  # of the old spec, and the day
    # a stream that was stopped writes its last batch's files once more, and those have brought nothing
    assert sql(context, "SELECT sum(file_size_in_bytes) FROM TABLE.files") == [(run.ingested_bytes,)]


def test_tags_branches_and_rollback(run_case: RunCase, small_case: MakeCase) -> None:
    evolution = "[{at: 2s, create_tag: two}, {at: 3s, create_branch: audit}, {at: 4s, rollback_commits: 3}]"
    run, context = run_case(small_case(evolution=evolution))
    assert sql(context, "SELECT count(*) FROM TABLE") == [(20,)]
    assert sql(context, "SELECT count(*) FROM TABLE VERSION AS OF 'two'") == [(40,)]
    assert {row[0] for row in sql(context, "SELECT name FROM TABLE.refs")} == {"main", "two", "audit"}
    assert run.totals.files_written[Kind.METADATA_JSON] == 1 + 4 + 3


@pytest.mark.parametrize(
    ("writer", "locality"),
    [
        ("batch", "scattered"),
        ("streaming, sink: foreach_batch", "newest"),
        pytest.param("batch", "newest", marks=pytest.mark.slow),
        pytest.param("streaming, sink: foreach_batch", "scattered", marks=pytest.mark.slow),
    ],
)
def test_upserts_replace_a_share_of_the_rows(
    writer: str, locality: str, run_case: RunCase, small_case: MakeCase, tmp_path: Path
) -> None:
    upsert = f"{{kind: {writer}, upsert: {{share: 0.25, locality: {locality}, mode: merge-on-read}}}}"
    run, context = run_case(small_case(writer=upsert))
    assert [row[0] for row in sql(context, "SELECT event_id FROM TABLE ORDER BY 1")] == list(range(20 + 3 * 15))
    assert list(run.ledger.operation) == (["append"] + ["upsert"] * 3 if writer == "batch" else ["upsert"] * 4)
    assert run.totals.files_written[Kind.DELETE_FILE] > 0
