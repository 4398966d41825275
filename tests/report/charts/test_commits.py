"""Who paid, as a picture and as tables."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure
from support.synthetic import Sweep, synthetic_run

from wasim.ledger import Kind, OperationTotals, Totals
from wasim.report.charts.chart import LeftOut, styled
from wasim.report.charts.commits import draw_operations, plan_operations
from wasim.report.pages.run_page import operations_table, remains_table
from wasim.runs import CaseRun, Run
from wasim.scenario.changes import Maintenance


def totals(metadata_json: int, data: int = 0) -> Totals:
    none = dict.fromkeys(Kind, 0)
    written = none | {Kind.METADATA_JSON: metadata_json, Kind.DATA: data}
    return Totals(written_bytes=written, deleted_bytes=none, files_written=none, files_deleted=none)


def maintained(case: CaseRun) -> CaseRun:
    upkeep = Maintenance.model_validate({"expire_snapshots": {"every": "1m", "older_than": "30s"}})
    operations = (
        OperationTotals(operation="append", steps=1, commits=9, totals=totals(3000, 50_000), wall_s=2.0),
        OperationTotals(operation="expire_snapshots", steps=4, commits=0, totals=totals(1000), wall_s=0.5),
    )
    return replace(case, case=replace(case.case, maintenance=upkeep), operations=operations)


@pytest.fixture(scope="module")
def run() -> Run:
    plain = synthetic_run(sweep=Sweep(intervals_s=(1.0, 4.0), writers=("streaming",)))
    return replace(plain, cases=tuple(maintained(case) for case in plain.cases))


def test_a_run_of_appends_has_neither_chart_nor_table() -> None:
    plain = synthetic_run(sweep=Sweep(intervals_s=(1.0,)))
    assert plan_operations(plain) == ()
    assert operations_table(plain).rows == ()
    assert len(remains_table(plain).rows) == len(plain.cases)


def test_sums_that_tell_no_operations_apart_leave_the_chart_out(run: Run) -> None:
    summed = replace(run, cases=tuple(replace(case, operations=()) for case in run.cases))
    (left_out,) = plan_operations(summed)
    assert isinstance(left_out, LeftOut)


def test_bars_are_cut_where_one_operation_ends(run: Run) -> None:
    with styled():
        axes = draw_operations(Figure().add_axes((0, 0, 1, 1)), run.cases, ("append", "expire_snapshots"), 4000)
    bars = [(bar.get_x(), bar.get_width()) for bar in axes.patches]  # type: ignore[attr-defined]
    assert bars == [(0, 3000), (0, 3000), (3000, 1000), (3000, 1000)]


def test_the_table_says_who_paid_by_case(run: Run) -> None:
    rows = operations_table(run).rows
    assert [row[1] for row in rows] == ["append", "expire snapshots"] * 2
    assert rows[0][2:5] == ("9", "9", "2.93 KiB")  # of appends, commits are counted: a stream is one step
    assert rows[1][2:5] == ("4", "0", "0.98 KiB")
    assert rows[1][-1] == "0.500"
