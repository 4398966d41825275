"""Ticks, labels and limits that all charts share."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wasim.report.charts.axes import (
    MOST_TICKS,
    SMALLEST_PT,
    EndLabel,
    byte_label,
    byte_ticks,
    count_ticks,
    name_line_ends,
    name_panel,
    pad_log_limits,
    set_duration_axis,
    set_event_time_axis,
    spread,
)
from wasim.report.charts.chart import LOOKS


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def labels(ax: Axes) -> list[str]:
    return [ax.xaxis.get_major_formatter()(tick, 0) for tick in ax.xaxis.get_majorticklocs()]


@pytest.mark.parametrize(
    ("count", "label"), [(0, "0 B"), (512, "512 B"), (1024, "1 KiB"), (32 * 1024**2, "32 MiB"), (2.0**60, "1 EiB")]
)
def test_byte_ticks_read_as_iec_units(count: float, label: str) -> None:
    assert byte_label(count) == label


@pytest.mark.parametrize(("low", "high"), [(1500, 9000), (2e3, 3e8), (10, 1e18)])
def test_byte_ticks_are_powers_of_two_and_few(low: float, high: float) -> None:
    ticks = byte_ticks(low, high)
    assert 2 <= len(ticks) <= MOST_TICKS
    assert all(low <= tick <= high and np.log2(tick) % 1 == 0 for tick in ticks)


@pytest.mark.parametrize(("low", "high"), [(0.8, 300), (1.3, 8), (50, 800), (1e-3, 1e9)])
def test_count_ticks_are_few_and_within_limits(low: float, high: float) -> None:
    ticks = count_ticks(low, high)
    assert 2 <= len(ticks) <= MOST_TICKS
    assert all(low <= tick <= high for tick in ticks)


def test_spread_keeps_order_and_distance() -> None:
    placed = spread(np.array([0.5, 0.5, 0.52, 0.98, 0.0]), gap=0.1)
    assert np.all(np.diff(np.sort(placed)) >= 0.1 - 1e-3)
    assert np.argsort(placed, kind="stable").tolist() == [4, 0, 1, 2, 3]


def test_spread_leaves_alone_what_is_apart() -> None:
    assert spread(np.array([0.1, 0.9, 0.5]), gap=0.1) == pytest.approx([0.1, 0.9, 0.5])


def test_a_duration_axis_names_every_interval_that_has_room(ax: Axes) -> None:
    ax.set(xscale="log", xlim=(0.9, 70))
    set_duration_axis(ax.xaxis, [1, 1.01, 5, 60])
    assert labels(ax) == ["1s", "5s", "1m"]


def test_an_event_time_axis_has_round_ticks(ax: Axes) -> None:
    ax.set_xlim(0, 245)
    set_event_time_axis(ax.xaxis)
    assert labels(ax) == ["0", "1m", "2m", "3m", "4m"]


def test_limits_around_a_single_value_are_wide() -> None:
    low, high = pad_log_limits(8, 8)
    assert low < 4
    assert high > 16


def test_names_at_line_ends_are_outside_of_the_data(ax: Axes) -> None:
    ax.set(yscale="log", ylim=(1, 100))
    name_line_ends(ax, [EndLabel(text=f"line {i}", y=10, look=look) for i, look in enumerate(LOOKS)])
    assert all(text.get_position()[0] > 1 for text in ax.texts)
    heights = sorted(text.get_position()[1] for text in ax.texts)
    assert min(np.diff(heights)) > 0.07


def test_long_names_shrink_and_then_lose_their_end(ax: Axes) -> None:
    name_panel(ax, "batch")
    usual = ax.title.get_fontsize()
    name_panel(ax, "streaming-foreach+fast every 5s payload.count=100")
    assert SMALLEST_PT <= ax.title.get_fontsize() < usual
    name_panel(ax, "x" * 500)
    assert ax.title.get_fontsize() == SMALLEST_PT
    assert len(ax.title.get_text()) < 60
    assert ax.title.get_text().endswith("…")
