"""Flink's upserts as the simulator has them: which rows are left, what maintenance does to deletes, who reads them."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.few import FEW
from support.trees import newest_json, simulate
from support.upserts import MERGING, rows_expected, upserting_case

from wasim.errors import WasimError
from wasim.iceberg.record_fields import FileContent
from wasim.ledger import Action, Kind
from wasim.scenario.changes import Changes, Evolution
from wasim.twin import profile_named
from wasim.twin.case import Simulated, simulate_table
from wasim.twin.flink import repeated_places, subtasks_of_keys, subtasks_of_texts
from wasim.twin.scanning import live_files, scan_files


def rows_left(simulated: Simulated) -> Counter[tuple[int, int]]:
    """Number and version of each row that a reader would see."""
    return Counter(
        pair
        for file in scan_files(live_files(simulated.table), simulated.files)
        for pair in zip(file.rows.numbers[file.live].tolist(), file.rows.versions[file.live].tolist(), strict=True)
    )


COMPACTION = {"every": "3s", "min_input_files": 2}
MAINTENANCE = (
    {},
    {"rewrite_data_files": COMPACTION},
    {"rewrite_data_files": COMPACTION, "expire_snapshots": {"every": "4s", "older_than": "2s"}},
    {"rewrite_manifests": {"every": "3s"}, "rewrite_data_files": COMPACTION},
)


@FEW
@given(
    version=st.sampled_from([2, 3]),
    partitioned=st.booleans(),
    subtasks=st.integers(1, 4),
    distribution=st.sampled_from(["none", "hash"]),
    repeats=st.sampled_from([0.0, 0.25, 0.9]),
    locality=st.sampled_from(["scattered", "newest"]),
    maintenance=st.sampled_from(MAINTENANCE),
)
def test_the_newest_row_of_each_key_is_always_left(**fields):
    is_refused = fields["version"] == 3 and fields["repeats"] and "expire_snapshots" in fields["maintenance"]
    assume(not is_refused)  # tests/twin/test_flink_against_java.py
    case = upserting_case(properties=MERGING, **fields)
    simulated = simulate(case)
    assert rows_left(simulated) == rows_expected(case)
    totals = simulated.table.totals
    live = [entry.file for manifest in simulated.table.manifests for entry in manifest.live]
    deletes = [file for file in live if file.content != FileContent.DATA]
    assert totals.delete_files == len(deletes)
    assert totals.position_deletes + totals.equality_deletes == sum(file.record_count for file in deletes)


def test_rows_delete_keys_and_repeated_ones_delete_places():
    case = upserting_case(commits=3, repeats=0.25, subtasks=1)
    simulated = simulate(case)
    deletes = Counter()
    for manifest in simulated.table.manifests:
        for entry in manifest.live if manifest.has_deletes else ():
            deletes[entry.sequence_number, entry.file.content] += entry.file.record_count
    first, later, again = 40, 35, 5  # rows; half of 40 replace, a quarter of those within the commit
    assert deletes == {
        (1, FileContent.EQUALITY_DELETES): first,
        **{(number, FileContent.EQUALITY_DELETES): later for number in (2, 3)},
        **{(number, FileContent.POSITION_DELETES): again for number in (2, 3)},
    }


def test_a_row_that_comes_again_is_deleted_where_it_stood():
    assert repeated_places(np.array([7, 8, 7, 9, 7, 8])).tolist() == [0, 1, 2]


def test_a_key_goes_to_the_same_subtask_at_every_checkpoint():
    simulated = simulate(upserting_case(commits=6, subtasks=3, repeats=0.5))
    subtasks: dict[int, set[str]] = {}
    for path, rows in simulated.files.rows_in.items():
        for number in rows.numbers.tolist():
            subtasks.setdefault(number, set()).add(path.rpartition("/")[2][:5])
    assert all(len(found) == 1 for found in subtasks.values())
    assert len(set.union(*subtasks.values())) == 3


def test_rows_hashed_by_partition_keep_one_subtask_each():
    simulated = simulate(upserting_case(partitioned=True, distribution="hash", subtasks=3))
    by_partition: dict[str, set[str]] = {}
    for path in simulated.files.rows_in:
        folder, _, name = path.rpartition("/")
        by_partition.setdefault(folder, set()).add(name[:5])
    assert len(by_partition) == 3
    assert all(len(found) == 1 for found in by_partition.values())


def test_compaction_leaves_equality_deletes_of_its_planned_commit():
    case = upserting_case(maintenance={"rewrite_data_files": COMPACTION})
    summaries = [json.loads(text)["summary"] for text in simulate(case).table.json.snapshots.values()]
    rewritten = [place for place, summary in enumerate(summaries) if summary["operation"] == "replace"]
    assert rewritten == [3, 7]
    for place in rewritten:
        assert summaries[place]["total-equality-deletes"] == summaries[place - 1]["added-equality-deletes"]


def test_what_is_staged_is_deleted_after_its_commit():
    recording = simulate(upserting_case()).recording
    written, deleted = (
        [
            file
            for did, file in zip(recording.events.action, recording.events.file, strict=True)
            if did == action and file.startswith("metadata/") and "-00000-0-" in file
        ]
        for action in (Action.WRITE, Action.DELETE)
    )
    assert written == deleted
    assert len(written) == 2 * 8
    kinds = recording.events.kind[recording.events.action == Action.WRITE]
    assert (kinds == Kind.DELETE_MANIFEST).sum() == (kinds == Kind.DATA_MANIFEST).sum() == 2 * 8


@pytest.mark.parametrize(
    ("profile", "upsert", "words"),
    [
        ("spark_batch", {}, "it merges"),
        ("kafka_connect", {}, "it appends only"),
        ("flink", {"mode": "merge-on-read", "key": ("event_id",)}, "it deletes by key"),
    ],
)
def test_a_profile_refuses_upserts_that_are_not_its_own(profile, upsert, words):
    with pytest.raises(WasimError, match=words):
        simulate_table(upserting_case(**upsert), profile_named(profile), np.random.default_rng(0))


CHANGED = {"changes": Changes.model_validate({"update": {"every": "2s"}})}
EVOLVED = {"evolution": (Evolution.model_validate({"at": "3s", "set_properties": {"write.data.path": "lake"}}),)}


@pytest.mark.parametrize(
    ("others", "named"),
    [
        (CHANGED, "changes"),
        (EVOLVED, "evolution"),
        ({"evolution": (Evolution.model_validate({"at": "3s", "drop_column": "region"}),)}, "evolution"),
        (CHANGED | EVOLVED, "changes and evolution"),
    ],
)
def test_nothing_else_changes_a_table_with_deletes_by_key(others, named):
    case = replace(upserting_case(), **others)
    with pytest.raises(WasimError, match=f"^{named} with writer.upsert of mode equality-deletes is not simulated"):
        simulate(case)


@pytest.mark.parametrize(
    "others",
    [
        {"properties": {"write.parquet.page-size-bytes": "4096"}},
        {"properties": {"write.merge.distribution-mode": "range"}},
        {"properties": {"write.format.default": "orc"}},
    ],
)
def test_flinks_upserts_are_never_sent_to_spark(others):
    with pytest.raises(WasimError) as caught:
        simulate(upserting_case(**others))
    assert "spark" not in str(caught.value)


@pytest.mark.parametrize("version", [2, 3])
def test_pyiceberg_reads_what_is_emitted_but_plans_no_equality_deletes(tmp_path, version):
    simulated = simulate(upserting_case(version=version, repeats=0.25), emit=tmp_path)
    table = pytest.importorskip("pyiceberg.table").StaticTable.from_metadata(newest_json(tmp_path))
    assert table.schema().identifier_field_ids == [1]
    assert len(table.snapshots()) == 8
    totals = simulated.table.totals
    assert len(table.inspect.data_files()) == totals.files
    assert len(table.inspect.delete_files()) == totals.delete_files
    with pytest.raises(ValueError, match="equality deletes"):
        list(table.scan().plan_files())


@pytest.mark.parametrize("version", [2, 3])
def test_clickhouse_lists_data_files_and_both_kinds_of_deletes(tmp_path, version):
    simulated = simulate(upserting_case(version=version, repeats=0.25), emit=tmp_path)
    pytest.importorskip("chdb")
    pytest.importorskip("pyspark")
    from wasim.spark.probe.clickhouse import open_clickhouse

    with open_clickhouse(tmp_path) as clickhouse:
        clickhouse.ask(f"CREATE TABLE emitted ENGINE = IcebergLocal('{tmp_path.resolve()}')")
        listed = clickhouse.ask("SELECT content, sum(record_count) FROM system.iceberg_files GROUP BY content").rows
    totals = simulated.table.totals
    assert {content: int(records) for content, records in listed} == {
        "DATA": totals.records,
        "POSITION_DELETE": totals.position_deletes,
        "EQUALITY_DELETE": totals.equality_deletes,
    }


@pytest.mark.parametrize("version", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_iceberg_java_finds_the_delete_files_of_each_data_file(tmp_path, session, version):
    simulated = simulate(upserting_case(version=version, partitioned=True, repeats=0.25), emit=tmp_path)
    iceberg = session.jvm.org.apache.iceberg
    io = iceberg.hadoop.HadoopFileIO(session.jvm.org.apache.hadoop.conf.Configuration())
    table = iceberg.BaseTable(iceberg.StaticTableOperations(newest_json(tmp_path), io), "emitted")
    planned = {}
    tasks = table.newScan().planFiles().iterator()
    while tasks.hasNext():
        task = tasks.next()
        planned[task.file().location()] = {one.location() for one in task.deletes()}
    scanned = scan_files(live_files(simulated.table), simulated.files)
    assert planned.keys() == {file.entry.file.file_path for file in scanned}
    outdated = [file for file in scanned if file.outdated is not None and file.outdated.any()]
    assert outdated
    for file in outdated:
        assert planned[file.entry.file.file_path]


OF_TWO = [1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0]
KEYS = (
    (8, 1767225600160000, "0d7f0e33", 0, 20456, False),
    (86, 1767225601720000, "0d7f0e33", 3, 20454, True),
    (170, 1767225603400000, "2717ece0", 0, 20455, False),
    (33, 1767225600660000, "484aa6cc", 1, 20454, True),
    (624, 1767225612480000, "484aa6cc", 3, 20454, False),
    (38, 1767225600760000, "88a09c48", 3, 20454, True),
    (28, 1767225600560000, "e86574df", 0, 20454, False),
    (23, 1767225600460000, "ecbe93f9", 2, 20455, False),
    (82, 1767225601640000, "ecbe93f9", 3, 20455, True),
)
TYPES = ("long", "timestamptz", "string", "int", "date", "boolean")
OF_PATHS = {
    "region=0d7f0e33/level_bucket=0": 1,
    "region=0d7f0e33/level_bucket=1": 0,
    "region=2717ece0/level_bucket=1": 2,
    "region=88a09c48/level_bucket=0": 2,
    "region=e86574df/level_bucket=0": 0,
    "region=fdfc31f7/level_bucket=1": 1,
}


def test_whole_numbers_go_where_flink_sent_them():
    assert subtasks_of_keys([("long", np.arange(24))], 2).tolist() == OF_TWO


def test_keys_of_six_types_go_where_flink_sent_them():
    columns = [np.array(column, dtype=object if kind == "string" else None) for kind, column in _columns()]
    assert subtasks_of_keys(list(zip(TYPES, columns, strict=True)), 3).tolist() == [0, 1, 2, 1, 2, 0, 1, 0, 1]


def test_partitions_go_where_flink_sent_them():
    assert subtasks_of_texts(OF_PATHS, 3).tolist() == list(OF_PATHS.values())


def test_many_subtasks_share_more_key_groups():
    subtasks = subtasks_of_keys([("long", np.arange(20_000))], 200)
    assert len(np.unique(subtasks)) == 200
    assert np.bincount(subtasks).min() > 40


def _columns():
    return zip(TYPES, zip(*KEYS, strict=True), strict=True)
