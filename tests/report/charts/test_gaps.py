"""A chart that a run cannot give is left out with a sentence why; the others are still drawn."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.forecast.ahead import forecast_run
from wasim.report.answer import Answer, answer_run
from wasim.report.charts import Chart, LeftOut, draw_figure, plan_charts
from wasim.report.series import group_cases
from wasim.runs import CaseRun, Run

NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=())


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(5.0, 60.0)))


def by_name(run: Run, fit: FitReport, answer: Answer | None = None) -> dict[str, Chart | LeftOut]:
    charts = {chart.name: chart for chart in plan_charts(run, fit, answer)}
    for chart in charts.values():
        if isinstance(chart, Chart):
            draw_figure(chart)
        else:
            assert chart.why.endswith(".")
    return charts


def swept(case: CaseRun, field: str, value: str) -> CaseRun:
    return replace(case, case=replace(case.case, swept={**case.case.swept, field: value}))


def test_no_probes_leave_planning_out(run: Run) -> None:
    unprobed = replace(run, cases=tuple(replace(case, probes=()) for case in run.cases))
    assert isinstance(by_name(unprobed, fit_run(unprobed))["planning_latency"], LeftOut)


def test_cases_of_one_commit_leave_out_what_needs_history() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(240.0,)))
    charts = by_name(run, NOTHING)
    for name in ("bytes_per_commit", "manifests_and_snapshots", "commit_latency"):
        assert isinstance(charts[name], LeftOut)


def test_a_run_without_cases_leaves_everything_out(run: Run) -> None:
    charts = by_name(replace(run, cases=()), NOTHING)
    assert all(isinstance(chart, LeftOut) for chart in charts.values())


def test_without_a_fit_measured_charts_are_drawn_without_predictions(run: Run) -> None:
    charts = by_name(run, NOTHING)
    left_out = [name for name, chart in charts.items() if isinstance(chart, LeftOut)]
    assert left_out == ["keeps_up", "day_month_year"]


def test_one_interval_leaves_out_what_compares_intervals() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(5.0,)))
    charts = by_name(run, fit_run(run))
    for name in ("freshness_and_planning", "keeps_up", "day_month_year"):
        assert isinstance(charts[name], LeftOut)


def test_one_interval_lies_at_its_reader_on_the_model_line() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(5.0,), writers=("streaming",)))
    chart = by_name(run, fit_run(run))["freshness_and_bytes"]
    assert isinstance(chart, Chart)
    (ax,) = draw_figure(chart).axes
    assert "you are here: 5s" in [text.get_text() for text in ax.texts]
    model = next(line for line in ax.lines if line.get_gid() == "model streaming")
    low, high = min(model.get_xdata()), max(model.get_xdata())
    assert low < 5 < high
    assert isinstance(by_name(run, NOTHING)["freshness_and_bytes"], LeftOut)


def test_writers_and_tables_are_lines_of_one_panel(run: Run) -> None:
    cases = tuple(swept(case, "table.columns", count) for case in run.cases for count in ("10", "100"))
    wide = replace(run, cases=cases)
    names = ["streaming columns=10", "streaming columns=100", "batch columns=10", "batch columns=100"]
    assert [group.name for group in group_cases(wide)] == names
    bytes_chart = by_name(wide, NOTHING)["freshness_and_bytes"]
    assert isinstance(bytes_chart, Chart)
    assert len(bytes_chart.panels) == 1
    drawn = {line.get_gid() for line in draw_figure(bytes_chart).axes[0].lines}
    assert set(names) <= drawn


def test_a_model_of_another_table_draws_no_line(run: Run) -> None:
    fit = fit_run(run)
    cases = tuple(swept(case, "table.columns", count) for case in run.cases for count in ("10", "100"))
    chart = by_name(replace(run, cases=cases), fit)["freshness_and_bytes"]
    assert isinstance(chart, Chart)
    drawn = [str(line.get_gid()) for line in draw_figure(chart).axes[0].lines]
    assert not [gid for gid in drawn if gid.startswith("model ")]
    assert len([gid for gid in drawn if gid.startswith("between points ")]) == 4


def test_simulated_cases_without_probes_or_times_still_have_charts(run: Run) -> None:
    cases = tuple(untimed(case) for case in run.cases)
    simulated = replace(run, cases=cases)
    fit = fit_run(simulated)
    charts = by_name(simulated, fit, answer_run(simulated, fit, forecasts=forecast_run(simulated)))
    drawn = {name for name, chart in charts.items() if isinstance(chart, Chart)}
    assert {"freshness_and_bytes", "keeps_up", "day_month_year", "bytes_per_commit"} <= drawn
    assert isinstance(charts["freshness_and_planning"], LeftOut)
    assert isinstance(charts["commit_latency"], LeftOut)


def untimed(case: CaseRun) -> CaseRun:
    nothing = np.full(len(case.ledger), np.nan)
    return replace(case, engine="sim", probes=(), ledger=replace(case.ledger, step_ms=nothing, commit_ms=nothing))
