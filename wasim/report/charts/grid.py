"""A grid of settings as one picture: metadata written against the commit interval, at least, in the median, at most."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.report.charts.axes import EndLabel, name_line_ends, pad_log_limits, set_byte_axis, set_duration_axis
from wasim.report.charts.chart import LOOKS, MUTED, Chart, LeftOut
from wasim.units import format_bytes, format_duration

NAME, TITLE = "grid", "What does freshness cost,\nat best and at worst?"


@dataclass(frozen=True, slots=True, kw_only=True)
class GridSetting:
    """One setting of a grid. `is_feasible` says that its writer keeps up, within the scenario's limits."""

    commit_interval_s: float
    metadata_bytes: float
    is_feasible: bool


def plan_grid(settings: Sequence[GridSetting], *, horizon_s: float) -> Chart | LeftOut:
    """The chart, or why not: a grid of one interval has nothing to trade."""
    intervals = _intervals(settings)
    if len(intervals) < 2:
        return LeftOut(name=NAME, title=TITLE, why="The grid has one commit interval only.")
    return Chart(
        name=NAME,
        title=TITLE,
        reading=_reading(settings, horizon_s),
        panels=(partial(draw_grid, settings=settings),),
        right_in=1.0,
    )


def draw_grid(ax: Axes, settings: Sequence[GridSetting]) -> Axes:
    """Metadata written at each interval: the range of all settings, their median, and the best within the limits."""
    x = _intervals(settings)
    sizes = [np.array([one.metadata_bytes for one in settings if one.commit_interval_s == s]) for s in x]
    least, median, most = (np.array([figure(part) for part in sizes]) for figure in (np.min, np.median, np.max))
    ax.fill_between(x, least, most, color=MUTED, alpha=0.16, linewidth=0, gid="all settings")
    ends = []
    feasible = {
        s: [one.metadata_bytes for one in settings if one.is_feasible and one.commit_interval_s == s] for s in x
    }
    best = {s: min(sizes) for s, sizes in feasible.items() if sizes}
    for name, look, line in (("median", LOOKS[1], dict(zip(x, median, strict=True))), ("best", LOOKS[0], best)):
        if line:
            ax.plot(list(line), list(line.values()), **look.lines, gid=name)
            ends.append(EndLabel(text=name, y=[*line.values()][-1], look=look))
    ax.set(xscale="log", yscale="log", xlabel="commit interval (fresher to the left)", ylabel="metadata written")
    ax.set_xlim(*pad_log_limits(*ax.dataLim.intervalx))
    ax.set_ylim(*pad_log_limits(*ax.dataLim.intervaly, share=0.1))
    set_duration_axis(ax.xaxis, x)
    set_byte_axis(ax.yaxis)
    name_line_ends(ax, ends)
    return ax


def _intervals(settings: Sequence[GridSetting]) -> list[float]:
    return sorted({one.commit_interval_s for one in settings})


def _reading(settings: Sequence[GridSetting], horizon_s: float) -> str:
    last = _intervals(settings)[-1]
    sizes = [one.metadata_bytes for one in settings if one.commit_interval_s == last]
    return (
        f"Over {format_duration(horizon_s)}, {len(sizes):,} settings that commit every {format_duration(last)} write "
        f"{format_bytes(min(sizes))} to {format_bytes(max(sizes))} of metadata. Best: the least of those that keep up "
        f"within the limits."
    )
