"""What all charts share of an Axes: byte, duration and count axes, and names at the ends of lines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from wasim.report.charts.chart import LABEL_PT, MUTED, TICK_PT, Look
from wasim.units import DAY_S, HOUR_S, IEC_UNITS, Floats, Ints, format_duration

MOST_TICKS = 6
SMALLEST_PT, ROOMY_CHARACTERS = 7.0, 38  # letters that fit a figure at full size
LONGEST_IN_KEY = 38  # characters of a name in a key
LONGEST_BESIDE = 14  # characters of a name at a line's end
KEY_BELOW_IN = 0.456  # from the axes to a legend under them: past tick labels and the axis's name
LABEL_GAP = 0.085  # of an axes' height: one line of text
_ROUND_STEPS_S = (
    *(step * unit for unit in (1.0, 60.0) for step in (1, 2, 5, 10, 15, 30)),
    *(step * HOUR_S for step in (1, 2, 6, 12)),
    *(step * DAY_S for step in (1, 2, 7, 30, 90, 365)),
)
_COUNT_STEPS = (((1, 2, 3, 5, 7), 1), ((1, 2, 5), 1), ((1, 3), 1), ((1,), 1), ((1,), 2), ((1,), 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class EndLabel:
    """A name to stand at the end of a line, level with its last point."""

    text: str
    y: float
    look: Look


def byte_label(count: float, _position: int = 0) -> str:
    """A tick's bytes, without needless digits: 1048576 → `1 MiB`."""
    if count <= 0:
        return "0 B"
    power = min(max(int(log2(count) // 10), 0), len(IEC_UNITS) - 1)
    return f"{count / 1024**power:g} {IEC_UNITS[power]}"


def byte_ticks(low: float, high: float) -> list[float]:
    """Powers of two within [low, high], as many as fit an axis; steps of 1, 2, 5, 10 … doublings."""
    first, last = log2(max(low, 1)), log2(max(high, 2))
    for step in (1, 2, 5, 10, 20):
        ticks = [2.0**power for power in range(ceil(first / step) * step, floor(last) + 1, step)]
        if len(ticks) <= MOST_TICKS:
            return ticks
    return ticks


def count_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10 … or 1, 10, 100 … or every n-th power of ten within [low, high], as many as fit an axis."""
    if low <= 0 or high <= low:
        return [high]
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for digits, step in _COUNT_STEPS:
        ticks = [digit * 10.0**power for power in powers if power % step == 0 for digit in digits]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= MOST_TICKS:
            return ticks
    return ticks


def set_byte_axis(axis: Axis) -> None:
    """A logarithmic axis of bytes with IEC ticks. Limits must be final."""
    _set_ticks(axis, byte_ticks(*_limits(axis)), byte_label)


def set_linear_byte_axis(axis: Axis) -> None:
    """An axis of bytes from 0 with ticks at even steps of a round number of units. Limits must be final."""
    _, end = _limits(axis)
    unit = 1024.0 ** min(max(int(log2(max(end, 1)) // 10), 0), len(IEC_UNITS) - 1)
    steps = (digit * 10.0**power for power in range(4) for digit in (1, 2, 5))
    step = next(step for step in steps if end / (step * unit) <= MOST_TICKS - 1) * unit
    _set_ticks(axis, list(np.arange(0, end, step)), byte_label)


def set_linear_count_axis(axis: Axis) -> None:
    """An axis of counts from 0 with a few ticks at round numbers, of millions from there on. Limits must be final."""
    _, end = _limits(axis)
    steps = (digit * 10.0**power for power in range(12) for digit in (1, 2, 5))
    step = next(step for step in steps if end / step <= MOST_TICKS - 1)
    million = end >= 1e6
    _set_ticks(
        axis, list(np.arange(0, end, step)), lambda value, _: f"{value / 1e6:g}M" if million else f"{value:,.0f}"
    )


def set_count_axis(axis: Axis) -> None:
    """A logarithmic axis of counts, ratios or milliseconds. Limits must be final."""
    _set_ticks(axis, count_ticks(*_limits(axis)), lambda value, _: f"{value:,.10g}")


def set_duration_axis(axis: Axis, seconds: Sequence[float]) -> None:
    """A logarithmic axis with a tick at each of these durations, but for those that would touch their neighbour."""
    low, high = _limits(axis)
    kept: list[float] = []
    for tick in sorted(set(seconds)):
        if not kept or log10(tick / kept[-1]) >= 0.11 * log10(high / low):
            kept.append(tick)
    _set_ticks(axis, kept, lambda value, _: format_duration(round(value, 3)))


def set_event_time_axis(axis: Axis) -> None:
    """A linear axis of event time with ticks at round durations. Limits must be final."""
    _, end = _limits(axis)
    step = next((step for step in _ROUND_STEPS_S if end / step <= MOST_TICKS - 1), end / (MOST_TICKS - 1))
    ticks = list(np.arange(0, end, step))
    _set_ticks(axis, ticks, lambda value, _: format_duration(round(value, 3)) if value > 0 else "0")


def pad_log_limits(low: float, high: float, *, share: float = 0.06) -> tuple[float, float]:
    """Limits around positive [low, high] with air on both sides; a decade and a half around a single value."""
    if high <= low * 1.05:
        return low / 4, high * 4
    air = (high / low) ** share
    return low / air, high * air


def spread(positions: Floats, *, gap: float) -> Floats:
    """Positions in [0, 1] moved as little as keeps every two `gap` apart, in the same order."""
    order = np.argsort(positions, kind="stable")
    placed = positions[order].astype(np.float64)
    for _ in range(60):
        overlap = gap - np.diff(placed)
        if not np.any(overlap > 1e-6):
            break
        push = np.maximum(overlap, 0) / 2
        placed[:-1] -= push
        placed[1:] += push
    placed = placed - min(0.0, float(placed[0])) - max(0.0, float(placed[-1]) - 1)
    result = np.empty_like(placed)
    result[order] = placed
    return result


def name_line_ends(ax: Axes, labels: Sequence[EndLabel]) -> None:
    """Names right of the axes, level with their lines' ends and never over one another. Limits must be final."""
    if not labels:
        return
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = np.array([to_axes.transform((ax.get_xlim()[1], label.y))[1] for label in labels])
    for label, end, at in zip(labels, ends, spread(ends, gap=LABEL_GAP), strict=True):
        ax.plot(
            [1.0, 1.04], [end, at], transform=ax.transAxes, clip_on=False, color=label.look.colour, linewidth=1.0
        )  # fmt: skip
        ax.plot(
            [1.065], [at], transform=ax.transAxes, clip_on=False, **label.look.points, markersize=4,
        )  # fmt: skip
        ax.text(1.10, at, label.text, transform=ax.transAxes, va="center", fontsize=TICK_PT)


def print_value(ax: Axes, x: float, y: float, text: str, *, below: bool = False) -> None:
    """A point's value where a falling line leaves room: to the right of its start, or below and left of its end."""
    offset, level = ((-3, -5), "top") if below else ((6, 2), "center")
    ax.annotate(
        text, (x, y), xytext=offset, textcoords="offset points", fontsize=TICK_PT - 1,
        ha="right" if below else "left", va=level,
    )  # fmt: skip


def name_series(ax: Axes, labels: Sequence[EndLabel]) -> None:
    """Names at the ends of the lines; in a key below the axes where one of them is too long for that."""
    if not has_long_names([label.text for label in labels]):
        return name_line_ends(ax, labels)
    return key_below(ax, [(_cut(label.text, LONGEST_IN_KEY), label.look.points) for label in labels], columns=1)


def has_long_names(names: Sequence[str]) -> bool:
    """Whether some of the names do not fit next to a line's end."""
    return max(map(len, names), default=0) > LONGEST_BESIDE


def key_below(ax: Axes, entries: Sequence[tuple[str, dict[str, object]]], *, columns: int = 2) -> None:
    """A legend under the axes from (text, line properties), clear of all data."""
    handles = [Line2D([], [], **properties) for _, properties in entries]  # type: ignore[arg-type]
    figure = ax.get_figure(root=True)
    ax.legend(
        handles,
        [text for text, _ in entries],
        loc="upper left",
        bbox_to_anchor=(
            -0.02,
            -KEY_BELOW_IN / float(ax.get_position().height * (figure.get_figheight() if figure is not None else 1.0)),
        ),
        ncols=columns,
        handlelength=2.4,
        columnspacing=1.2,
        borderpad=0,
    )


def name_rows(ax: Axes, rows: Ints, names: Sequence[str]) -> None:
    """The name of each row at the left, a little above its place on the y axis."""
    for row, name in zip(rows, names, strict=True):
        ax.annotate(
            shorten(name), (0, row), xycoords=("axes fraction", "data"), xytext=(2, 11),
            textcoords="offset points", fontsize=fitting_pt(name),
        )  # fmt: skip


def name_panel(ax: Axes, name: str, *, pad_pt: float = 6.0) -> None:
    """The panel's name above it, in letters small enough to fit; past that its end is cut."""
    ax.set_title(shorten(name), fontsize=fitting_pt(name), pad=pad_pt)


def fitting_pt(name: str) -> float:
    """Points at which a name fits the width of a figure, at least the smallest that can be read."""
    return max(SMALLEST_PT, min(LABEL_PT, LABEL_PT * ROOMY_CHARACTERS / max(len(name), 1)))


def shorten(name: str) -> str:
    """The name, cut where even the smallest letters have no room for it."""
    return _cut(name, int(ROOMY_CHARACTERS * LABEL_PT / SMALLEST_PT))


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def note(ax: Axes, text: str) -> None:
    """A small remark in the upper left, above the data area."""
    ax.text(0.0, 1.01, text, transform=ax.transAxes, va="bottom", fontsize=TICK_PT - 0.5, color=MUTED)


def _limits(axis: Axis) -> tuple[float, float]:
    low, high = axis.get_view_interval()
    return float(low), float(high)


def _set_ticks(axis: Axis, ticks: Sequence[float], label: Callable[[float, int], str]) -> None:
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(label))
