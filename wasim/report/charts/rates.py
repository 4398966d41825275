"""Metadata written per hour of event time against the commit interval, by kind, with the model's line."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.report import FitReport
from wasim.ledger import Kind
from wasim.report.charts.axes import (
    EndLabel,
    key_below,
    name_line_ends,
    name_panel,
    pad_log_limits,
    set_byte_axis,
    set_duration_axis,
)
from wasim.report.charts.chart import Chart, LeftOut
from wasim.report.charts.modelled import model_line
from wasim.report.charts.palette import KIND_LOOKS, KIND_NAMES, MUTED
from wasim.report.charts.series import (
    SECONDS_PER_HOUR,
    Group,
    by_interval,
    bytes_per_event_hour,
    covered_s,
    group_cases,
    horizon_words,
    kinds_written,
    outside_commits_bytes,
)
from wasim.runs import Run
from wasim.units import Floats, format_bytes, format_duration

NAME = "metadata_rate"


def draw_metadata_rate(ax: Axes, group: Group, fit: FitReport) -> Axes:
    """Bytes per hour of event time against the commit interval, one line per kind; points measured, lines modelled."""
    ends, values, modelled = [], [], False
    for kind in kinds_written(group.cases):
        look = KIND_LOOKS[kind]
        intervals, rates = by_interval(group, lambda case, kind=kind: bytes_per_event_hour(case, kind))  # type: ignore[misc]
        shown = rates > 0
        line_x, line_y = _model_line(group, fit, kind)
        ax.plot(
            intervals[shown],
            rates[shown],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            gid=f"measured {kind}",
        )
        if len(line_x):
            ax.plot(line_x, line_y, color=look.colour, linestyle=look.line, linewidth=1.3, gid=f"model {kind}")
            modelled = True
        ends.append(EndLabel(text=KIND_NAMES[kind], y=float(rates[shown][-1]), look=look))
        values += [*rates[shown]]
    ax.set(xscale="log", yscale="log", xlabel="commit interval (event time)", ylabel="written per event-hour")
    name_panel(ax, group.name)
    ax.set_xlim(*pad_log_limits(group.intervals_s[0], group.intervals_s[-1]))
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    set_duration_axis(ax.xaxis, group.intervals_s)
    set_byte_axis(ax.yaxis)
    name_line_ends(ax, ends)
    model = [("model", {"color": MUTED, "linestyle": "-", "linewidth": 1.3})] if modelled else []
    key_below(ax, [("measured", {"color": MUTED, "marker": "o", "linestyle": "none"}), *model])
    return ax


def _model_line(group: Group, fit: FitReport, kind: Kind) -> tuple[Floats, Floats]:
    """The modelled rate; what was written outside commits, such as CREATE TABLE's file, is added as measured."""
    run = group.finest
    intervals, rates = model_line(fit, run, kind)
    outside = min(outside_commits_bytes(case, kind) for case in group.cases)
    return intervals, rates + outside / (covered_s(run) / SECONDS_PER_HOUR)


def plan_metadata_rate(run: Run, fit: FitReport) -> Chart | LeftOut:
    """The chart, or why not."""
    title = "How much metadata does\neach commit interval write?"
    groups = [group for group in group_cases(run) if len(group.intervals_s) > 1 and kinds_written(group.cases)]
    if not groups:
        why = "No writer was measured at two intervals or more, so there is no line to draw."
        return LeftOut(name=NAME, title=title, why=why)
    return Chart(
        name=NAME,
        title=title,
        reading=_reading(groups[0], run),
        panels=tuple(partial(draw_metadata_rate, group=group, fit=fit) for group in groups),
        right_in=1.22,
        key_lines=1,
    )


def _reading(group: Group, run: Run) -> str:
    hourly = [
        sum(bytes_per_event_hour(case, kind) for kind in kinds_written(group.cases))
        for case in (group.finest, group.coarsest)
    ]
    finest, coarsest = (format_duration(interval) for interval in (group.intervals_s[0], group.intervals_s[-1]))
    return (
        f"In an hour of event time, {group.name} writes {format_bytes(hourly[0])} of metadata at {finest} and "
        f"{format_bytes(hourly[1])} at {coarsest} (horizon {horizon_words(run)}): "
        f"{_times(hourly[0] / hourly[1])} as much for {_times(_commits_ratio(group))} the commits."
    )


def _commits_ratio(group: Group) -> float:
    """How many times as often the finest interval commits as the coarsest."""
    return group.intervals_s[-1] / group.intervals_s[0]


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{np.round(ratio, 1):g} times"
