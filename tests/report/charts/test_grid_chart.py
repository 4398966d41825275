"""A grid's picture shows the least feasible setting, the median and the range at each interval."""

import pytest
from matplotlib.figure import Figure

from wasim.report.charts.chart import Chart, LeftOut, styled
from wasim.report.charts.grid import GridSetting, draw_grid, plan_grid

SETTINGS = [
    GridSetting(commit_interval_s=interval_s, metadata_bytes=size / interval_s, is_feasible=is_feasible)
    for interval_s in (5.0, 60.0)
    for size, is_feasible in ((1e6, interval_s > 5), (3e6, interval_s > 5), (9e6, False))
]


def test_lines_are_the_median_of_all_and_the_least_feasible() -> None:
    with styled():
        ax = draw_grid(Figure().subplots(), SETTINGS)
    lines = {line.get_gid(): line for line in ax.lines if line.get_gid()}
    assert list(lines["median"].get_ydata()) == pytest.approx([3e6 / 5, 3e6 / 60])
    assert list(lines["best"].get_xdata()) == [60.0]
    assert list(lines["best"].get_ydata()) == pytest.approx([1e6 / 60])


def test_one_interval_has_no_chart() -> None:
    assert isinstance(plan_grid(SETTINGS[:3], horizon_s=60.0), LeftOut)
    chart = plan_grid(SETTINGS, horizon_s=60.0)
    assert isinstance(chart, Chart)
    assert chart.reading.startswith("Over 1m, 3 settings that commit every 1m write 16.3 KiB to 146 KiB of metadata.")
