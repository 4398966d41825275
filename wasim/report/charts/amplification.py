"""WA_data, WA_metadata and WA_total against the commit interval, over a stated horizon."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.ledger import WriteAmplification
from wasim.report.charts.axes import (
    EndLabel,
    key_below,
    name_line_ends,
    name_panel,
    name_rows,
    pad_log_limits,
    set_count_axis,
    set_duration_axis,
)
from wasim.report.charts.chart import Chart, LeftOut
from wasim.report.charts.palette import LOOKS
from wasim.report.charts.series import Group, by_interval, group_cases, horizon_words
from wasim.runs import CaseRun, Run
from wasim.units import format_duration

NAME = "write_amplification"
ROWS_PER_PANEL = 6
PARTS = (("WA_data", "data", LOOKS[2]), ("WA_metadata", "metadata", LOOKS[0]), ("WA_total", "total", LOOKS[1]))


def draw_write_amplification(ax: Axes, group: Group) -> Axes:
    """Bytes written ÷ data bytes ingested against the commit interval: data, metadata and both."""
    ends, values = [], []
    for name, part, look in PARTS:
        intervals, ratios = by_interval(group, lambda case, part=part: part_of(case.amplification, part))  # type: ignore[misc]
        shown = ratios > 0
        if not np.any(shown):
            continue
        ax.plot(intervals[shown], ratios[shown], color=look.colour, marker=look.marker, linestyle=look.line, gid=name)
        ends.append(EndLabel(text=name, y=float(ratios[shown][-1]), look=look))
        values += list(ratios[shown])
    ax.set(xscale="log", yscale="log", xlabel="commit interval (event time)", ylabel="bytes written ÷ bytes ingested")
    name_panel(ax, group.name)
    ax.set_xlim(*pad_log_limits(group.intervals_s[0], group.intervals_s[-1]))
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    set_duration_axis(ax.xaxis, group.intervals_s)
    set_count_axis(ax.yaxis)
    name_line_ends(ax, ends)
    return ax


def part_of(amplification: WriteAmplification, part: str) -> float:
    """`data`, `metadata` or `total` of a write amplification."""
    return {"data": amplification.data, "metadata": amplification.metadata, "total": amplification.total}[part]


def draw_amplification_by_case(ax: Axes, runs: tuple[CaseRun, ...]) -> Axes:
    """The same for cases that no interval tells apart: one row per case, one marker per part."""
    rows = np.arange(len(runs))[::-1]
    values = []
    for name, part, look in PARTS:
        ratios = np.array([part_of(run.amplification, part) for run in runs])
        shown = ratios > 0
        ax.plot(ratios[shown], rows[shown], color=look.colour, marker=look.marker, linestyle="none", gid=name)
        values += list(ratios[shown])
    name_rows(ax, rows, [run.case.label for run in runs], above_pt=7)
    ax.set(xscale="log", xlabel="bytes written ÷ bytes ingested", yticks=[], ylim=(-0.6, len(runs) - 0.2))
    ax.set_xlim(*pad_log_limits(min(values), max(values)))
    set_count_axis(ax.xaxis)
    key_below(
        ax,
        [(name, {"color": look.colour, "marker": look.marker, "linestyle": "none"}) for name, _, look in PARTS],
        columns=3,
    )
    return ax


def plan_write_amplification(run: Run) -> Chart | LeftOut:
    """The chart against intervals; by case where no writer has two intervals."""
    title = f"Write amplification over {horizon_words(run)},\nby commit interval"
    runs = tuple(case for case in run.cases if case.amplification.total > 0)
    if not runs:
        return LeftOut(name=NAME, title=title, why="No case wrote anything.")
    groups = [group for group in group_cases(run) if len(group.intervals_s) > 1]
    if groups:
        panels = tuple(partial(draw_write_amplification, group=group) for group in groups)
        return Chart(name=NAME, title=title, reading=_reading(runs), panels=panels, right_in=1.22)
    return Chart(
        name=NAME,
        title=title.replace("commit interval", "case"),
        reading=_reading(runs),
        panels=tuple(
            partial(draw_amplification_by_case, runs=runs[first : first + ROWS_PER_PANEL])
            for first in range(0, len(runs), ROWS_PER_PANEL)
        ),
        key_lines=1,
    )


def _reading(runs: tuple[CaseRun, ...]) -> str:
    worst = max(runs, key=lambda run: run.amplification.metadata)
    wa = worst.amplification
    return (
        f"At worst ({worst.case.label}) every byte ingested cost {wa.metadata:.3g} bytes of metadata over "
        f"{format_duration(wa.horizon_s)} (WA_metadata; it grows with the horizon), beside {wa.data:.2f} bytes of data."
    )
