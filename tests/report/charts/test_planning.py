"""The readers' chart and tables: each with its boundary, none ranked, no figure of one in another's place."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from support.synthetic import Sweep, synthetic_run, with_other_readers

from wasim.fit import fit_run
from wasim.ledger.readers import BOUNDARIES
from wasim.report.charts import draw_chart, plan_charts, render_chart
from wasim.report.charts.latency import draw_reader, plan_readers
from wasim.report.pages.cells import boundaries, planning_table
from wasim.report.words import ABSENT
from wasim.runs import Run, measure


@pytest.fixture(scope="module")
def alone() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(5.0, 15.0, 60.0)))


@pytest.fixture(scope="module")
def run(alone: Run) -> Run:
    return with_other_readers(alone)


def test_every_reader_has_a_panel_that_says_its_boundary(run: Run) -> None:
    (chart,) = plan_readers(run)
    assert "not panel with panel" in chart.reading
    for panel, reader in zip(chart.panels, ("iceberg_java", "pyiceberg", "clickhouse"), strict=True):
        ax = panel(Figure().subplots())
        assert ax.get_title() == reader
        assert BOUNDARIES[reader].brief in [text.get_text() for text in ax.texts]
    assert "a whole count()" in render_chart(draw_chart(chart))


def test_a_single_reader_needs_no_chart_of_readers(alone: Run) -> None:
    assert plan_readers(alone) == ()
    assert "readers" not in {chart.name for chart in plan_charts(alone, fit_run(alone))}


def test_a_panel_holds_each_variants_medians_and_what_it_opens(run: Run) -> None:
    probes = [probe for case in run.cases for probe in case.probes]
    mine = [probe for probe in probes if probe.reader == "clickhouse" and probe.query == "full_scan"]
    ax = draw_reader(Figure().subplots(), mine, "clickhouse")
    (line,) = [line for line in ax.lines if line.get_gid() == "clickhouse warm metadata cache off"]
    off = sorted((one for one in mine if one.variant == "metadata cache off"), key=lambda one: one.manifests_total)
    assert line.get_ydata() == pytest.approx([float(np.median(probe.planning_ms)) for probe in off])
    key = [text.get_text() for text in ax.get_legend().get_texts()]
    assert key == ["warm, metadata cache off, opens all", "warm, metadata cache on, opens none"]


def test_other_readers_change_nothing_of_the_first_ones_figures(alone: Run, run: Run) -> None:
    for before, after in zip(alone.cases, run.cases, strict=True):
        assert measure(after, "planning_p50_ms") == measure(before, "planning_p50_ms")
    assert fit_run(run) == fit_run(alone)


def test_tables_name_readers_and_leave_unseen_values_open(run: Run) -> None:
    table = planning_table(run, at_end=True)
    rows = [dict(zip(table.head, row[1:], strict=True)) for row in table.rows]
    clickhouse = [row for row in rows if row["reader"] == "clickhouse, metadata cache on"]
    assert clickhouse
    assert {row["load ms"] for row in clickhouse} == {row["scanned"] for row in clickhouse} == {ABSENT}
    assert {row["opened"] for row in clickhouse} == {"0"}
    assert [reader for reader, _ in boundaries(run)] == ["iceberg_java", "pyiceberg", "clickhouse"]
