"""A chart that a run cannot give is left out with a sentence why; the others are still drawn."""

from dataclasses import replace

import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.report.charts import Chart, LeftOut, draw_chart, draw_figure, plan_charts, render_chart
from wasim.report.charts.series import group_cases
from wasim.runs import CaseRun, Run

NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=(), extrapolations=())


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(5.0, 60.0)))


def by_name(run: Run, fit: FitReport) -> dict[str, Chart | LeftOut]:
    charts = {chart.name: chart for chart in plan_charts(run, fit)}
    for chart in charts.values():
        if isinstance(chart, Chart):
            draw_figure(chart)
        else:
            assert chart.why.endswith(".")
    return charts


def swept(case: CaseRun, field: str, value: str) -> CaseRun:
    return replace(case, case=replace(case.case, swept={**case.case.swept, field: value}))


def test_without_a_fit_measured_charts_are_drawn_and_predictions_left_out(run: Run) -> None:
    charts = by_name(run, NOTHING)
    assert [name for name, chart in charts.items() if isinstance(chart, LeftOut)] == ["extrapolation"]


def test_one_interval_leaves_the_rate_out_and_lists_amplification_by_case() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(5.0,)))
    charts = by_name(run, fit_run(run))
    assert isinstance(charts["metadata_rate"], LeftOut)
    amplification = charts["write_amplification"]
    assert isinstance(amplification, Chart)
    assert amplification.title.endswith("by case")


def test_one_writer_gives_one_panel(run: Run) -> None:
    alone = replace(run, cases=tuple(case for case in run.cases if case.case.writer.kind == "batch"))
    rate = by_name(alone, fit_run(alone))["metadata_rate"]
    assert isinstance(rate, Chart)
    assert len(rate.panels) == 1


def test_a_swept_column_count_gives_a_panel_per_label(run: Run) -> None:
    cases = tuple(swept(case, "table.columns", count) for case in run.cases for count in ("10", "100"))
    wide = replace(run, cases=cases)
    assert [group.name for group in group_cases(wide)] == [
        "streaming columns=10",
        "streaming columns=100",
        "batch columns=10",
        "batch columns=100",
    ]
    rate = by_name(wide, NOTHING)["metadata_rate"]
    assert isinstance(rate, Chart)
    assert len(rate.panels) == 4


def test_no_probes_leave_planning_out(run: Run) -> None:
    unprobed = replace(run, cases=tuple(replace(case, probes=()) for case in run.cases))
    assert isinstance(by_name(unprobed, fit_run(unprobed))["planning_latency"], LeftOut)


def test_cases_of_a_single_commit_leave_out_what_needs_a_history() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(240.0,)))
    charts = by_name(run, NOTHING)
    for name in ("bytes_per_commit", "manifests_and_snapshots", "commit_latency"):
        assert isinstance(charts[name], LeftOut)


def test_a_run_without_cases_leaves_everything_out(run: Run) -> None:
    charts = by_name(replace(run, cases=()), NOTHING)
    assert all(isinstance(chart, LeftOut) for chart in charts.values())


def test_more_groups_than_panels_are_cut_and_said_so(run: Run) -> None:
    cases = tuple(swept(case, "table.columns", str(count)) for case in run.cases for count in range(10, 20))
    rate = by_name(replace(run, cases=cases), NOTHING)["metadata_rate"]
    assert isinstance(rate, Chart)
    assert len(rate.panels) == 6
    assert "The first 6 of 20 are drawn." in rate.reading


def test_a_model_of_another_table_draws_no_line(run: Run) -> None:
    fit = fit_run(run)
    cases = tuple(swept(case, "table.columns", count) for case in run.cases for count in ("10", "100"))
    rate = by_name(replace(run, cases=cases), fit)["metadata_rate"]
    assert isinstance(rate, Chart)
    assert "model" not in render_chart(draw_chart(rate))


def test_tables_that_share_a_fit_get_a_line_and_an_extrapolation_each() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(5.0, 60.0), writers=("batch",), added_columns=(10, 90)))
    charts = by_name(run, fit_run(run))
    rate, extrapolation = charts["metadata_rate"], charts["extrapolation"]
    assert isinstance(rate, Chart)
    assert isinstance(extrapolation, Chart)
    for chart in (rate, extrapolation):
        axes = draw_figure(chart).axes
        assert [ax.get_title() for ax in axes] == ["batch n.count=10", "batch n.count=90"]
    assert all("model metadata_json" in {line.get_gid() for line in ax.lines} for ax in draw_figure(rate).axes)
    assert "after 365d, batch n.count=10 would have written" in extrapolation.reading
