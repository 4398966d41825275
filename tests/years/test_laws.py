"""What the machine knows of a table is what the twin's own code says of its files."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.machine import table_with
from support.synthetic import synthetic_case

from wasim.scenario import Case
from wasim.scenario.changes import Changes, Maintenance
from wasim.twin import Site, shipped_profile
from wasim.twin.summary import CommitCounts, FileCounts, TableTotals
from wasim.years import read_shape
from wasim.years.arrivals import Arrivals
from wasim.years.flows import Flow
from wasim.years.jobs import jobs_of
from wasim.years.laws import laws_of
from wasim.years.machine.appends import append
from wasim.years.machine.jobs import begin_summary, commit_nothing, note_counted
from wasim.years.machine.tables import (
    CHANGED,
    COMMITS,
    CREATED,
    GONE_BYTES,
    GONE_DELETES,
    GONE_FILES,
    GONE_POSITIONS,
    GONE_RECORDS,
    IS_DYNAMIC,
    KEPT,
    NEW_BYTES,
    NEW_DELETES,
    NEW_FILES,
    NEW_POSITIONS,
    NEW_RECORDS,
    OVERWRITE,
    REPLACED,
    ROWS_WANTED,
    UPDATE,
    Laws,
    Table,
)
from wasim.years.shape import Shape

JOBS = {"rewrite_data_files": {"every": 20.0, "min_input_files": 3}, "rewrite_manifests": {"when_manifests": 30}}


@cache
def case_and_shape(writer: str = "batch", version: int = 2) -> tuple[Case, Shape]:
    case = synthetic_case(writer=writer)
    table = case.table.model_copy(update={"format_version": version})
    case = replace(case, table=table, maintenance=Maintenance.model_validate(JOBS))
    return case, read_shape(case, shipped_profile(case), Site())


def laws(writer: str = "batch", version: int = 2) -> Laws:
    case, shape = case_and_shape(writer, version)
    return laws_of(case, shape, jobs_of(case, shape.arrivals))


def table_of(totals: TableTotals) -> Table:
    """A table of one snapshot that counts this, all that it holds written by that."""
    table = table_with([(4, 7_000, 1, 0, 0)])
    table.flows[Flow.SNAPSHOTS] = 1.0
    table.flows[Flow.WRITTEN_FILES : Flow.WRITTEN_FILES + 3] = map(
        float, [totals.files, totals.bytes, totals.delete_files]
    )
    table.flows[Flow.ROWS], table.flows[Flow.POSITION_DELETES] = float(totals.records), float(totals.position_deletes)
    return table


TOTALS = TableTotals(files=120, records=34_000, bytes=5_600_000, delete_files=17, position_deletes=890)
ADDED = FileCounts(files=3, records=4_567, bytes=78_900)
REMOVED = FileCounts(files=45, records=4_567, bytes=99_999)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("added", "removed"),
    [
        (ADDED, REMOVED),
        (ADDED, FileCounts()),
        (FileCounts(position_files=12, position_deletes=345), REMOVED),
        (ADDED, FileCounts(position_files=2, position_deletes=3)),
    ],
    ids=["compaction", "append", "position deletes", "dropped deletes"],
)
def test_a_snapshot_s_counters_take_what_the_twin_writes(version: int, added: FileCounts, removed: FileCounts):
    rules, shape = laws(version=version), case_and_shape(version=version)[1]
    counts = CommitCounts(
        manifests_created=5,
        manifests_kept=13,
        manifests_replaced=107,
        added=added,
        removed=removed,
        changed_partitions=24,
    )
    table = table_of(TOTALS)
    begin_summary(table)
    for new, gone, name in (
        (NEW_FILES, GONE_FILES, "files"),
        (NEW_RECORDS, GONE_RECORDS, "records"),
        (NEW_BYTES, GONE_BYTES, "bytes"),
        (NEW_DELETES, GONE_DELETES, "position_files"),
        (NEW_POSITIONS, GONE_POSITIONS, "position_deletes"),
    ):
        table.counters[new], table.counters[gone] = float(getattr(added, name)), float(getattr(removed, name))
    table.counters[CREATED], table.counters[KEPT], table.counters[REPLACED] = 5.0, 13.0, 107.0
    table.counters[CHANGED] = 24.0
    note_counted(table, rules, rules.compaction_json, True)
    written = shape.sizes.snapshots.of_operation("replace", counts, TOTALS)
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] == pytest.approx(written, abs=0.5)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_append_s_snapshot_takes_what_the_twin_writes(version: int):
    rules, (case, shape) = laws(version=version), case_and_shape(version=version)
    table = table_with([])
    for _ in range(3):  # whose growing numbers are of one digit but for rows and bytes
        append(table, rules, 1.0)
    size = round(rules.file_bytes)
    counts = CommitCounts(
        manifests_created=1, added=FileCounts(files=1, records=case.rows_per_commit, bytes=size), changed_partitions=1
    )
    one_digit = shape.sizes.snapshots.of_append(counts)
    rows = [case.rows_per_commit * commit for commit in (1, 2, 3)]
    longer = sum(len(str(row)) - 1 + len(str(round(row / rows[0] * rules.file_bytes))) - 1 for row in rows)
    longer += sum(len(str(row - rows[0])) - 1 for row in rows) if version > 2 else 0  # ids of rows begin there
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] == pytest.approx(3 * one_digit + longer, abs=1)


def test_a_commit_of_nothing_takes_what_the_twin_writes():
    rules, (_, shape) = laws("streaming"), case_and_shape("streaming")
    table = table_of(TOTALS)
    table.numbers[COMMITS] = 1.0
    commit_nothing(table, rules, 1.0)
    counts = CommitCounts(manifests_kept=4, totals=TOTALS)
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] == shape.sizes.snapshots.of_nothing(counts, 1)


def test_jobs_and_sizes_are_known_as_the_scenario_has_them():
    rules, (case, shape) = laws(), case_and_shape()
    assert (rules.min_input_files, rules.least_manifests, rules.least_files) == (3, 30, np.inf)
    target = case.maintenance.rewrite_data_files.target_file_size_bytes
    assert rules.compaction_target == target
    assert shape.file_bytes.of(rules.small_rows) == pytest.approx(0.75 * target, rel=1e-6)
    assert (rules.settles, rules.compacts, rules.new_share, rules.parts) == (0, 1, 1.0, 1)
    assert (rules.target, rules.least) == (8 << 20, 100)
    assert rules.list_sums[3] == pytest.approx(sum(shape.sizes.lists.by_count.at(count) for count in (1, 2, 3)))
    for share, settles, new_small in ((0.7, 0, 1.0), (0.8, 1, 0.0), (1.7, 1, 0.0), (2.0, 0, 0.0)):  # of the target
        rows = rules.small_rows * share / 0.75
        arrivals = Arrivals(files=1.0, rows_per_file=rows, partitions=1, open_partitions=1, lifetime_s=np.inf)
        found = laws_of(case, replace(shape, arrivals=arrivals), jobs_of(case, arrivals))
        assert (found.settles, found.new_small) == (settles, new_small)
    assert [laws(version=version).copies for version in (1, 2)] == [1, 0]


def test_rows_of_a_batch_fill_its_tasks_in_order():
    case, shape = case_and_shape()
    case = replace(case, workload=case.workload.model_copy(update={"files_per_commit": 3}))
    streaming = replace(case, writer=case.writer.model_copy(update={"kind": "streaming"}))
    found = [laws_of(one, shape, jobs_of(one, shape.arrivals)).tasks_in_order for one in (case, streaming)]
    assert found == [3, 1]


def test_statements_are_known_as_the_scenario_has_them():
    case, shape = case_and_shape()
    overwrite = {"every": 5.0, "rows": 7}
    for kind in ("dynamic", "static"):
        changes = Changes.model_validate({"update": {"every": 5.0, "rows": 3}, "overwrite": overwrite | {"kind": kind}})
        rules = laws_of(replace(case, changes=changes), shape, jobs_of(case, shape.arrivals))
        assert (rules.changes[UPDATE][IS_DYNAMIC], rules.changes[OVERWRITE][IS_DYNAMIC]) == (0, kind == "dynamic")
        assert rules.changes[UPDATE][ROWS_WANTED] == 3
        assert rules.file_rows < np.inf
    assert laws().file_rows == np.inf


def test_a_task_leaves_a_file_that_is_not_full():
    """Of the nine files of three tasks, six are closed for their size."""
    case, shape = case_and_shape()
    small = laws().small_rows
    for full_rows, new_small in ((2 * small, 3), (small / 2, 9)):
        arrivals = Arrivals(
            files=9.0,
            rows_per_file=(2 * full_rows + 1) / 3,
            partitions=1,
            open_partitions=1,
            lifetime_s=np.inf,
            pieces=3,
            piece_rows=full_rows,
        )
        assert laws_of(case, replace(shape, arrivals=arrivals), jobs_of(case, arrivals)).new_small == new_small
