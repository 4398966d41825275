"""What each chart shows is what the run and its fit say; pixels are for eyes."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from support.synthetic import Sweep, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.ledger import METADATA_KINDS, Kind
from wasim.report.charts import Chart, plan_charts
from wasim.report.charts.amplification import draw_amplification_by_case, draw_write_amplification
from wasim.report.charts.commits import draw_bytes_per_commit, draw_manifests_and_snapshots
from wasim.report.charts.extrapolation import draw_extrapolation
from wasim.report.charts.latency import draw_commit_latency
from wasim.report.charts.palette import styled
from wasim.report.charts.planning import draw_scan_planning, draw_table_load
from wasim.report.charts.rates import draw_metadata_rate
from wasim.report.charts.series import group_cases, warm_full_scans
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


def test_metadata_rate_shows_bytes_per_event_hour_by_kind(ax: Axes, run: Run, fit: FitReport) -> None:
    streaming = group_cases(run)[0]
    assert draw_metadata_rate(ax, streaming, fit) is ax
    points = line(ax, "measured metadata_json")
    assert list(points.get_xdata()) == list(INTERVALS_S)
    expected = [case.totals.written_bytes[Kind.METADATA_JSON] * 3600 / 240 for case in streaming.cases]
    assert points.get_ydata() == pytest.approx(expected)


def test_the_models_line_runs_through_the_measured_points(ax: Axes, run: Run, fit: FitReport) -> None:
    draw_metadata_rate(ax, group_cases(run)[0], fit)
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        points, model = line(ax, f"measured {kind}"), line(ax, f"model {kind}")
        at_points = np.interp(np.log(points.get_xdata()), np.log(model.get_xdata()), np.log(model.get_ydata()))
        assert np.exp(at_points) == pytest.approx(points.get_ydata(), rel=0.1)


def test_write_amplification_shows_its_three_parts(ax: Axes, run: Run) -> None:
    batch = group_cases(run)[1]
    assert draw_write_amplification(ax, batch) is ax
    for name, part in (("WA_data", "data"), ("WA_metadata", "metadata"), ("WA_total", "total")):
        assert line(ax, name).get_ydata() == pytest.approx([getattr(case.amplification, part) for case in batch.cases])


def test_amplification_by_case_has_one_row_per_case(ax: Axes, run: Run) -> None:
    assert draw_amplification_by_case(ax, run.cases) is ax
    assert len(line(ax, "WA_total").get_xdata()) == len(run.cases)
    assert [text.get_text() for text in ax.texts] == [case.case.label for case in run.cases]


def test_bytes_per_commit_are_the_ledgers(ax: Axes, run: Run) -> None:
    case = run.cases[0]
    assert draw_bytes_per_commit(ax, case) is ax
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        assert list(line(ax, kind).get_ydata()) == list(case.ledger.written_bytes[kind])
        assert list(line(ax, kind).get_xdata()) == list(case.ledger.commit)


def test_manifests_and_snapshots_are_the_ledgers(ax: Axes, run: Run) -> None:
    batch = group_cases(run)[1]
    assert draw_manifests_and_snapshots(ax, batch) is ax
    for case in batch.cases:
        assert list(line(ax, f"manifests {case.case.label}").get_ydata()) == list(case.ledger.live_manifests)
        assert list(line(ax, f"snapshots {case.case.label}").get_ydata()) == list(case.ledger.snapshots_retained)


def test_planning_and_load_are_medians_of_the_warm_full_scans(ax: Axes, run: Run, fit: FitReport) -> None:
    probed = [(case, probe) for case in run.cases for probe in warm_full_scans(case)]
    assert draw_scan_planning(ax, probed, fit) is ax
    streaming = sorted(
        (probe for case, probe in probed if case.case.writer_name == "streaming"), key=lambda p: p.manifests_total
    )
    points = line(ax, "measured planning streaming")
    assert list(points.get_xdata()) == [probe.manifests_total for probe in streaming]
    assert points.get_ydata() == pytest.approx([float(np.median(probe.planning_ms)) for probe in streaming])
    assert line(ax, "fit planning streaming").get_ydata() == pytest.approx(points.get_ydata(), rel=0.2)


def test_table_load_stands_against_the_size_of_metadata_json(ax: Axes, run: Run, fit: FitReport) -> None:
    probed = [(case, probe) for case in run.cases for probe in warm_full_scans(case)]
    assert draw_table_load(ax, probed, fit) is ax
    sizes = sorted(probe.metadata_json_bytes for case, probe in probed if case.case.writer_name == "batch")
    assert list(line(ax, "measured load batch").get_xdata()) == sizes


def test_commit_latency_shows_step_and_commit_with_their_fits(ax: Axes, run: Run, fit: FitReport) -> None:
    case = run.cases[0]
    assert draw_commit_latency(ax, case, fit) is ax
    assert list(line(ax, "measured step").get_ydata()) == list(case.ledger.step_ms)
    assert list(line(ax, "measured commit").get_ydata()) == list(case.ledger.commit_ms)
    assert float(np.median(line(ax, "fit step").get_ydata())) == pytest.approx(np.median(case.ledger.step_ms), rel=0.1)
    assert any(text.get_text().startswith("sustainable over 1d: ") for text in ax.texts)


def test_captions_say_what_bands_and_sustainable_intervals_leave_out(run: Run, fit: FitReport) -> None:
    readings = {chart.name: chart.reading for chart in plan_charts(run, fit) if isinstance(chart, Chart)}
    assert "the coefficients' 95 % doubt alone" in readings["extrapolation"]
    floored = replace(fit, sustainable=tuple(replace(row, slope="reading") for row in fit.sustainable))
    latency = next(chart for chart in plan_charts(run, floored) if chart.name == "commit_latency")
    assert isinstance(latency, Chart)
    assert "a lower bound from reading metadata.json" in latency.reading


def test_extrapolation_has_one_line_and_one_band_per_interval(ax: Axes, fit: FitReport) -> None:
    batch = tuple(e for e in fit.extrapolations if e.writer == "batch")
    assert draw_extrapolation(ax, batch) is ax
    expected = [e.metadata_bytes.best for e in batch if e.commit_interval_s == 15.0]
    assert line(ax, "15s").get_ydata() == pytest.approx(expected)
    assert len(ax.collections) == len(INTERVALS_S)


def test_every_chart_of_a_whole_run_is_drawn(run: Run, fit: FitReport) -> None:
    charts = plan_charts(run, fit)
    assert [chart.name for chart in charts if isinstance(chart, Chart)] == [
        "metadata_rate",
        "write_amplification",
        "bytes_per_commit",
        "manifests_and_snapshots",
        "planning_latency",
        "commit_latency",
        "extrapolation",
    ]


def test_the_title_of_write_amplification_states_the_horizon(run: Run, fit: FitReport) -> None:
    assert "over 4m" in next(chart.title for chart in plan_charts(run, fit) if chart.name == "write_amplification")


def test_kinds_that_wrote_nothing_get_no_line(ax: Axes, run: Run, fit: FitReport) -> None:
    draw_metadata_rate(ax, group_cases(run)[0], fit)
    drawn = {line.get_gid() for line in ax.lines}
    silent = [kind for kind in METADATA_KINDS if not run.cases[0].totals.written_bytes[kind]]
    assert silent
    assert not drawn & {f"measured {kind}" for kind in silent}


def test_repetitions_are_averaged_and_not_drawn_as_lines_of_their_own(ax: Axes, run: Run) -> None:
    repeated = [replace(case, case=replace(case.case, repetition=1)) for case in run.cases]
    groups = group_cases(replace(run, cases=(*run.cases, *repeated)))
    assert [group.name for group in groups] == ["streaming", "batch"]
    draw_write_amplification(ax, groups[0])
    assert list(line(ax, "WA_total").get_xdata()) == list(INTERVALS_S)
