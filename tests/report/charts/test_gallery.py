"""What each chart shows is what the run and its fit say; pixels are for eyes."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from support.synthetic import Sweep, Truth, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.forecast import forecast_run
from wasim.ledger import Kind, warm_full_scans
from wasim.report.answer import answer_run
from wasim.report.charts import Chart, plan_charts
from wasim.report.charts.chart import styled
from wasim.report.charts.commits import draw_bytes_per_commit, draw_manifests_and_snapshots
from wasim.report.charts.lasting import draw_amounts, draw_keeps_up
from wasim.report.charts.latency import draw_commit_latency, draw_probed
from wasim.report.charts.trade_off import draw_bytes, draw_planning, too_short_for_a_month_s
from wasim.report.series import group_cases
from wasim.runs import Run

INTERVALS_S = (1.0, 4.0, 15.0, 60.0)


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=INTERVALS_S))


@pytest.fixture(scope="module")
def fit(run: Run) -> FitReport:
    return fit_run(run)


@pytest.fixture
def ax() -> Axes:
    with styled():
        return Figure().subplots()


def line(ax: Axes, name: str) -> Line2D:
    return next(line for line in ax.lines if line.get_gid() == name)


def test_manifests_and_snapshots_are_the_ledgers(ax: Axes, run: Run) -> None:
    batch = group_cases(run)[1]
    assert draw_manifests_and_snapshots(ax, batch) is ax
    for case in batch.cases:
        assert list(line(ax, f"manifests {case.case.label}").get_ydata()) == list(case.ledger.live_manifests)
        assert list(line(ax, f"snapshots {case.case.label}").get_ydata()) == list(case.ledger.snapshots_retained)


def test_planning_and_load_are_medians_of_the_warm_full_scans(ax: Axes, run: Run, fit: FitReport) -> None:
    probed = [(case, probe) for case in run.cases for probe in warm_full_scans(case.probes)]
    assert draw_probed(ax, probed, fit, "planning") is ax
    streaming = sorted(
        (probe for case, probe in probed if case.case.writer_name == "streaming"), key=lambda p: p.manifests_total
    )
    points = line(ax, "measured planning streaming")
    assert list(points.get_xdata()) == [probe.manifests_total for probe in streaming]
    assert points.get_ydata() == pytest.approx([float(np.median(probe.planning_ms)) for probe in streaming])
    assert line(ax, "fit planning streaming").get_ydata() == pytest.approx(points.get_ydata(), rel=0.2)


def test_table_load_is_drawn_against_the_size_of_metadata_json(ax: Axes, run: Run, fit: FitReport) -> None:
    probed = [(case, probe) for case in run.cases for probe in warm_full_scans(case.probes)]
    assert draw_probed(ax, probed, fit, "load") is ax
    sizes = sorted(probe.metadata_json_bytes for case, probe in probed if case.case.writer_name == "batch")
    assert list(line(ax, "measured load batch").get_xdata()) == sizes


def test_commit_latency_shows_step_and_commit_with_their_fits(ax: Axes, run: Run, fit: FitReport) -> None:
    case = run.cases[0]
    assert draw_commit_latency(ax, case, fit) is ax
    assert list(line(ax, "measured step").get_ydata()) == list(case.ledger.step_ms)
    assert list(line(ax, "measured commit").get_ydata()) == list(case.ledger.commit_ms)
    assert float(np.median(line(ax, "fit step").get_ydata())) == pytest.approx(np.median(case.ledger.step_ms), rel=0.1)
    assert any(text.get_text().startswith("sustainable over 1d: ") for text in ax.texts)


def test_the_trade_off_shows_every_interval_and_the_model(ax: Axes, run: Run, fit: FitReport) -> None:
    answer = answer_run(run, fit)
    assert draw_bytes(ax, answer, fit) is ax
    for group in group_cases(run):
        points, model = line(ax, group.name), line(ax, f"model {group.name}")
        assert list(points.get_xdata()) == list(INTERVALS_S)
        assert list(points.get_ydata()) == [case.totals.metadata_bytes for case in group.cases]
        at_points = np.interp(np.log(points.get_xdata()), np.log(model.get_xdata()), np.log(model.get_ydata()))
        assert np.exp(at_points) == pytest.approx(points.get_ydata(), rel=0.1)


def test_limits_are_lines_and_the_answer_is_marked(ax: Axes, run: Run, fit: FitReport) -> None:
    answer = answer_run(run, fit)
    draw_planning(ax, answer, fit, {"planning_p95_ms < 50": 50.0})
    assert set(line(ax, "limit planning_p95_ms < 50").get_ydata()) == {50.0}
    chosen = answer.swept[0].chosen
    assert chosen is not None
    assert set(line(ax, "chosen").get_xdata()) == {chosen.interval_s}


def test_what_cannot_keep_up_for_a_month_is_shaded(ax: Axes) -> None:
    slowing = synthetic_run(Truth(snapshot_ms=0.5), Sweep(intervals_s=INTERVALS_S))
    fit = fit_run(slowing)
    answer = answer_run(slowing, fit)
    draw_bytes(ax, answer, fit)
    shaded = next(patch for patch in ax.patches if patch.get_gid() == "cannot keep up")
    smallest = min(row.interval_s.best for row in fit.sustainable if row.horizon_s == 30 * 86_400)
    assert shaded.get_x() + shaded.get_width() == too_short_for_a_month_s(answer.swept, fit) == smallest
    stops = [option.interval_s for option in answer.swept[0].options if not option.keeps_up_for(30 * 86_400)]
    assert stops
    assert all(interval < smallest for interval in stops)


def test_month_lines_begin_where_the_writer_keeps_up(ax: Axes) -> None:
    slowing = synthetic_run(Truth(snapshot_ms=0.5), Sweep(intervals_s=INTERVALS_S, writers=("streaming",)))
    fit = fit_run(slowing)
    choices = answer_run(slowing, fit, (), None, forecast_run(slowing)).swept
    draw_amounts(ax, choices)
    lasting = [option.interval_s for option in choices[0].options if option.keeps_up_for(30 * 86_400)]
    assert 0 < len(lasting) < len(INTERVALS_S)
    assert list(line(ax, "month streaming").get_xdata()) == lasting


def test_keeping_up_ends_at_a_year(ax: Axes, run: Run, fit: FitReport) -> None:
    choices = answer_run(run, fit).swept
    draw_keeps_up(ax, choices)
    assert max(line(ax, "streaming").get_ydata()) <= 365 * 86_400


def test_bytes_per_commit_are_the_ledgers_on_a_linear_axis(ax: Axes, run: Run) -> None:
    streaming, batch = (group.shortest for group in group_cases(run))
    assert draw_bytes_per_commit(ax, (streaming, batch)) is ax
    assert ax.get_yscale() == "linear"
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        assert list(line(ax, kind).get_ydata()) == list(streaming.ledger.written_bytes[kind])
        assert list(line(ax, kind).get_xdata()) == list(streaming.ledger.commit)
    assert list(line(ax, batch.case.label).get_ydata()) == list(batch.ledger.metadata_bytes)


def test_every_chart_of_a_whole_run_is_drawn_in_order(run: Run, fit: FitReport) -> None:
    charts = plan_charts(run, fit, answer_run(run, fit, (), None, forecast_run(run)))
    assert [chart.name for chart in charts if isinstance(chart, Chart)] == [
        "freshness_and_bytes",
        "freshness_and_planning",
        "keeps_up",
        "day_month_year",
        "bytes_per_commit",
        "planning_latency",
        "manifests_and_snapshots",
        "commit_latency",
    ]


def test_repetitions_are_averaged_and_not_drawn_as_own_lines(ax: Axes, run: Run, fit: FitReport) -> None:
    repeated = [replace(case, case=replace(case.case, repetition=1)) for case in run.cases]
    answer = answer_run(replace(run, cases=(*run.cases, *repeated)), fit)
    assert [choice.group.name for choice in answer.swept] == ["streaming", "batch"]
    draw_bytes(ax, answer, fit)
    assert list(line(ax, "streaming").get_xdata()) == list(INTERVALS_S)
