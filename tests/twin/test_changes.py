"""Changes to the simulated table's rows: what is in it afterwards, and what its metadata says to real readers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.few import FEW
from support.synthetic import synthetic_case
from support.trees import simulate

from wasim.scenario import Case
from wasim.scenario.changes import Changes
from wasim.scenario.parts import Columns, PartitionField, Writer
from wasim.twin import Simulated
from wasim.twin.hashing import spark_xxhash64
from wasim.twin.partitions import split_by_partition
from wasim.twin.row_sets import new_rows
from wasim.twin.scanning import live_files, scan_files
from wasim.twin.statements import upserted_numbers
from wasim.workload import Append, ChangeRows, plan_steps

MODES = st.sampled_from(["copy-on-write", "merge-on-read"])
LOCALITIES = st.sampled_from(["scattered", "newest", "oldest"])
REGION = Columns(name="region", type="string", length=8, values=4)


def change(**fields):
    given_parts = {"every": st.integers(min_value=2, max_value=4).map(lambda count: f"{count}s"), **fields}
    return st.fixed_dictionaries(given_parts)


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "update": change(share=st.sampled_from([0.02, 0.3, 1.0]), locality=LOCALITIES, mode=MODES),
        "delete": change(rows=st.sampled_from([3, 40, 150]), locality=LOCALITIES, mode=MODES),
        "merge": change(rows=st.sampled_from([5, 120]), new_rows=st.integers(0, 9), locality=LOCALITIES, mode=MODES),
        "overwrite": change(rows=st.sampled_from([20, 250]), kind=st.sampled_from(["static", "dynamic"])),
    },
)


@st.composite
def changed_cases(draw) -> Case:
    case = synthetic_case(
        writer="batch",
        horizon_s=float(draw(st.integers(min_value=3, max_value=9))),
        files_per_commit=draw(st.integers(min_value=1, max_value=3)),
        properties={"commit.manifest.min-count-to-merge": draw(st.sampled_from(["2", "4", "100"]))},
    )
    partitioned = draw(st.booleans())
    table = {
        "format_version": draw(st.sampled_from([2, 3])),
        "columns": (*case.table.columns, REGION),
        "partition_by": (PartitionField(column="region", transform="identity"),) if partitioned else (),
    }
    upsert = draw(st.sampled_from([None, {"share": 0.25}, {"share": 0.5, "locality": "newest"}]))
    if upsert is not None:
        upsert = {**upsert, "mode": draw(MODES)}
    return replace(
        case,
        table=case.table.model_copy(update=table),
        # so that a row keeps its partition whatever its values
        workload=case.workload.model_copy(update={"partitions_per_commit": 2} if partitioned else {}),
        writer=Writer.model_validate({"kind": "batch", "upsert": upsert}),
        changes=Changes.model_validate(draw(CHANGES)),
    )


def rows_of(simulated: Simulated) -> dict[int, int]:
    """Live rows: their number, and of which statement their values are."""
    found: dict[int, int] = {}
    for file in scan_files(live_files(simulated.table), simulated.files):
        live = file.rows.take(file.live)
        for number, version in zip(live.numbers.tolist(), live.versions.tolist(), strict=True):
            assert number not in found
            found[number] = version
    return found


def chosen(step: ChangeRows) -> list[int]:
    rows = step.rows
    numbers = range(rows.first, rows.stop)
    if not rows.is_scattered:
        return list(numbers)
    hashes = spark_xxhash64(np.array(numbers, dtype=np.int64), rows.salt).tolist()
    return [number for number, value in zip(numbers, hashes, strict=True) if value % 1_000_000 < rows.parts]


def rows_expected(case: Case, simulated: Simulated) -> dict[int, int]:
    """The same, kept row by row."""
    there: dict[int, int] = {}
    for step in plan_steps(case):
        match step:
            case Append():
                for commit in range(step.first_commit, step.first_commit + step.commits):
                    if step.replaced_per_commit and commit > 1:
                        there |= {int(n): commit for n in upserted_numbers(case, step, commit)}
                    else:
                        first = (commit - 1) * step.rows_per_commit
                        there |= dict.fromkeys(range(first, first + step.rows_per_commit), 0)
            case ChangeRows():
                apply(case, simulated, there, step)
            case _:
                pass
    return there


def apply(case: Case, simulated: Simulated, there: dict[int, int], step: ChangeRows) -> None:
    new = dict.fromkeys((*chosen(step), *range(*step.new_rows)), step.number)
    match step.operation:
        case "update":
            pass  # the column that it changes moves no size
        case "delete":
            for number in new:
                there.pop(number, None)
        case "merge":
            there |= new
        case "overwrite":
            partition = partition_of(simulated)
            brought = {partition(number, step.number) for number in new}
            for number in [n for n, of in there.items() if not step.dynamic or partition(n, of) in brought]:
                del there[number]
            there |= new


def partition_of(simulated: Simulated):
    files = simulated.files

    def partition(number: int, version: int):
        (share,) = split_by_partition(files.rows, files.spec, files.leaves, new_rows(np.array([number]), version))
        return share.partition

    return partition


@FEW
@given(case=changed_cases().filter(lambda case: not case.only_appends))
def test_live_rows_are_those_that_the_changes_leave(case):
    simulated = simulate(case)
    expected = rows_expected(case, simulated)
    assert rows_of(simulated) == expected
    totals = simulated.table.totals
    if case.table.format_version > 2:  # in v2, position deletes outlive the files that they were of
        assert totals.records - totals.position_deletes == len(expected)


def newest(folder: Path) -> str:
    return str(max((folder / "metadata").glob("*.metadata.json"), key=lambda path: path.name))


def test_pyiceberg_reads_what_copy_on_write_leaves(tmp_path):
    simulated = simulate(changed(BY_REWRITING), emit=tmp_path)
    table = pytest.importorskip("pyiceberg.table").StaticTable.from_metadata(newest(tmp_path))
    assert table.current_snapshot().summary["total-records"] == str(len(rows_of(simulated)))
    planned = {task.file.file_path: task.file.record_count for task in table.scan().plan_files()}
    scanned = scan_files(live_files(simulated.table), simulated.files)
    assert planned == {file.entry.file.file_path: len(file.rows) for file in scanned}


def test_pyiceberg_finds_the_position_deletes_of_each_data_file(tmp_path):
    simulated = simulate(changed(BY_DELETING), emit=tmp_path)
    tasks = list(pytest.importorskip("pyiceberg.table").StaticTable.from_metadata(newest(tmp_path)).scan().plan_files())
    deleted = {task.file.file_path: sum(one.record_count for one in task.delete_files) for task in tasks}
    scanned = scan_files(live_files(simulated.table), simulated.files)
    assert sum(deleted.values()) > 0
    assert deleted == {file.entry.file.file_path: len(file.deleted) for file in scanned}


def changed(changes: Changes) -> Case:
    return replace(synthetic_case(writer="batch", horizon_s=9.0, files_per_commit=2), changes=changes)


BY_REWRITING = Changes.model_validate(
    {
        "update": {"every": "2s", "share": 0.01},
        "delete": {"every": "3s", "rows": 30, "locality": "oldest"},
        "merge": {"every": "4s", "rows": 20, "new_rows": 5, "locality": "newest"},
    }
)
BY_DELETING = Changes.model_validate(
    {name: {**part, "mode": "merge-on-read"} for name, part in BY_REWRITING.model_dump(exclude_none=True).items()}
)
