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
from wasim.iceberg.manifest_entries import FileContent
from wasim.ledger import Action, Kind
from wasim.scenario.changes import Changes, Evolution
from wasim.twin import profile_named
from wasim.twin.case import Simulated, simulate_table
from wasim.twin.flink import repeated_places
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
def test_the_newest_row_of_each_key_is_left_whatever_is_done_to_the_table(**fields):
    is_refused = fields["version"] == 3 and fields["repeats"] and "expire_snapshots" in fields["maintenance"]
    assume(not is_refused)  # tests/test_flink_against_java.py
    case = upserting_case(properties=MERGING, **fields)
    simulated = simulate(case)
    assert rows_left(simulated) == rows_expected(case)
    totals = simulated.table.totals
    live = [entry.file for manifest in simulated.table.manifests for entry in manifest.live]
    deletes = [file for file in live if file.content != FileContent.DATA]
    assert totals.delete_files == len(deletes)
    assert totals.position_deletes + totals.equality_deletes == sum(file.record_count for file in deletes)


def test_every_row_deletes_its_key_and_what_comes_again_deletes_its_place():
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


def test_a_row_that_comes_again_is_deleted_where_it_stood_before():
    assert repeated_places(np.array([7, 8, 7, 9, 7, 8])).tolist() == [0, 1, 2]


def test_a_key_goes_to_the_same_subtask_at_every_checkpoint():
    simulated = simulate(upserting_case(commits=6, subtasks=3, repeats=0.5))
    subtasks: dict[int, set[str]] = {}
    for path, rows in simulated.files.rows_in.items():
        for number in rows.numbers.tolist():
            subtasks.setdefault(number, set()).add(path.rpartition("/")[2][:5])
    assert all(len(found) == 1 for found in subtasks.values())
    assert len(set.union(*subtasks.values())) == 3


def test_a_partition_goes_to_one_subtask_where_rows_are_hashed_by_partition():
    simulated = simulate(upserting_case(partitioned=True, distribution="hash", subtasks=3))
    by_partition: dict[str, set[str]] = {}
    for path in simulated.files.rows_in:
        folder, _, name = path.rpartition("/")
        by_partition.setdefault(folder, set()).add(name[:5])
    assert len(by_partition) == 3
    assert all(len(found) == 1 for found in by_partition.values())


def test_compaction_leaves_the_equality_deletes_of_the_commit_that_it_was_planned_on():
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
def test_nothing_else_changes_a_table_whose_rows_are_deleted_by_key(others, named):
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


@pytest.mark.parametrize("version", [2, 3])
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
