"""What this program is about: freshness on one axis, what it costs on the other; bytes and planning, a chart each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.report import FitReport
from wasim.report.answer import Answer, Choice, LimitOutcome, Option
from wasim.report.charts import axes
from wasim.report.charts.chart import INK, MUTED, TICK_PT, VERMILLION, Chart, LeftOut, look_of
from wasim.report.modelled import parts_for_table, stops_keeping_up, written_line
from wasim.report.series import horizon_words
from wasim.runs import Run
from wasim.scenario.metrics import parse_limit
from wasim.units import MONTH_S, format_bytes, format_duration, format_figure

BYTES_NAME, PLANNING_NAME = "freshness_and_bytes", "freshness_and_planning"
_BYTES_METRICS = ("metadata_bytes", "wa_metadata")
_PLANNING_METRICS = ("planning_p50_ms", "planning_p95_ms")


NO_BOUNDS: Mapping[str, float] = {}
"""Limits by name, each a height in a chart: none."""


def draw_bytes(ax: Axes, answer: Answer, fit: FitReport, bounds: Mapping[str, float] = NO_BOUNDS) -> Axes:
    """Metadata written over the run's horizon against the commit interval: points measured, lines the model's."""
    choices = _reached(answer) or _alone(answer, fit)
    _frame(ax, choices, _bytes_of, bounds)
    for position, choice in enumerate(choices):
        look, (line_x, line_y) = look_of(position), written_line(fit, choice.options[0].run)
        first_s, last_s = choice.options[0].interval_s, choice.options[-1].interval_s
        inside = (line_x >= first_s * 0.99) & (line_x <= last_s * 1.01) | (first_s == last_s)
        gid = f"model {choice.group.name}"
        if not len(line_x):
            line_x, line_y = (np.array(values) for values in _points(choice, _bytes_of))
            inside, gid = np.ones(len(line_x), dtype=bool), f"between points {choice.group.name}"
        ax.plot(line_x[inside], line_y[inside], color=look.colour, linestyle=look.line, linewidth=1.0, gid=gid)
    ax.set_ylabel("metadata written")
    axes.set_byte_axis(ax.yaxis)
    _print_ends(ax, choices[0], _bytes_of, format_bytes)
    _draw_answer(ax, choices, fit, bounds, _bytes_of)
    return ax


def draw_planning(ax: Axes, answer: Answer, fit: FitReport, bounds: Mapping[str, float] = NO_BOUNDS) -> Axes:
    """Load and planning of a full scan at the end of the horizon against the commit interval."""
    probed = _probed(answer)
    _frame(ax, probed, _planning_of, bounds)
    for position, choice in enumerate(probed):
        look, (x, y) = look_of(position), _points(choice, _planning_of)
        ax.plot(x, y, color=look.colour, linestyle=look.line, linewidth=1.0)
    ax.set_ylabel("load + planning, ms")
    axes.set_count_axis(ax.yaxis)
    _print_ends(ax, probed[0], _planning_of, lambda ms: f"{format_figure(ms)} ms")
    _draw_answer(ax, probed, fit, bounds, _planning_of)
    return ax


def _bytes_of(option: Option) -> float:
    return option.metadata_bytes


def _planning_of(option: Option) -> float:
    return option.planning_ms or 0.0


def _points(choice: Choice, figure: Callable[[Option], float]) -> tuple[list[float], list[float]]:
    return [one.interval_s for one in choice.options], [figure(one) for one in choice.options]


def _probed(answer: Answer) -> tuple[Choice, ...]:
    return tuple(one for one in answer.swept if all(option.planning_ms for option in one.options))


def _reached(answer: Answer) -> tuple[Choice, ...]:
    kept = [
        replace(choice, options=tuple(one for one in choice.options if stops_keeping_up(one.run) is None))
        for choice in answer.swept
    ]
    return tuple(choice for choice in kept if choice.options)


def _alone(answer: Answer, fit: FitReport) -> tuple[Choice, ...]:
    """Choices of a single interval, around which the model knows others."""
    return tuple(one for one in answer.choices if len(written_line(fit, one.options[0].run)[0]) > 1)


def _frame(ax: Axes, choices: Sequence[Choice], figure: Callable[[Option], float], bounds: Mapping[str, float]) -> None:
    """Points of every table and writer, both axes, and the names at the lines' ends."""
    values, intervals, ends = [*bounds.values()], list[float](), list[axes.EndLabel]()
    for position, choice in enumerate(choices):
        look, (x, y) = look_of(position), _points(choice, figure)
        ax.plot(x, y, **look.points, gid=choice.group.name)
        ends.append(axes.EndLabel(text=choice.group.name, y=y[-1], look=look))
        values, intervals = [*values, *y], [*intervals, *x]
    ax.set(xscale="log", yscale="log", xlabel="commit interval (fresher to the left)")
    if max(intervals) == min(intervals):  # half of it and twice, as far as the model's line goes
        intervals = [intervals[0] / 2, *intervals, intervals[0] * 2]
        values = [min(values) / 4, *values, max(values) * 4]
    ax.set_xlim(*axes.pad_log_limits(min(intervals), max(intervals)))
    ax.set_ylim(*axes.pad_log_limits(min(values), max(values), share=0.12))
    axes.set_duration_axis(ax.xaxis, intervals)
    axes.name_series(ax, ends)


def _print_ends(ax: Axes, choice: Choice, figure: Callable[[Option], float], text: Callable[[float], str]) -> None:
    first, last = choice.options[0], choice.options[-1]
    axes.print_value(ax, first.interval_s, figure(first), text(figure(first)))
    if last is not first:
        axes.print_value(ax, last.interval_s, figure(last), text(figure(last)), below=True)


def _is_farther_at_the_start(bound: float, choices: Sequence[Choice], figure: Callable[[Option], float]) -> bool:
    """Whether the curves leave more room for a limit's name at the shortest interval than at the longest."""

    def room(at: int) -> float:
        return min(abs(float(np.log(max(figure(choice.options[at]), 1e-9) / bound))) for choice in choices)

    return room(0) > room(-1)


def _draw_answer(
    ax: Axes, choices: Sequence[Choice], fit: FitReport, bounds: Mapping[str, float], figure: Callable[[Option], float]
) -> None:
    """The limits as lines, what cannot keep up shaded, and where the answer is."""
    low, _ = ax.get_xlim()
    for name, bound in bounds.items():
        at_left = _is_farther_at_the_start(bound, choices, figure)
        ax.axhline(bound, color=VERMILLION, linewidth=1.2, linestyle=(0, (2, 2)), gid=f"limit {name}")
        ax.annotate(
            name, (0.01 if at_left else 0.99, bound), xycoords=("axes fraction", "data"), xytext=(0, 2),
            textcoords="offset points", fontsize=TICK_PT - 1, ha="left" if at_left else "right", va="bottom",
        )  # fmt: skip
    end_s = too_short_for_a_month_s(choices, fit)
    if end_s > low:
        ax.axvspan(low, end_s, color=MUTED, alpha=0.16, linewidth=0, gid="cannot keep up")
        ax.text(
            0.015, 0.03, "cannot keep up\nfor 30d", transform=ax.transAxes, fontsize=TICK_PT - 1, va="bottom", color=INK
        )
    first = choices[0]
    marked = first.options[0] if len(first.options) == 1 else first.chosen
    if marked is not None:
        here = "you are here" if len(first.options) == 1 else "suggested"
        low, high = ax.get_xlim()
        at_right = marked.interval_s > np.sqrt(low * high) * 1.01
        ax.axvline(marked.interval_s, color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)), gid="chosen")
        ax.annotate(
            f"{here}: {format_duration(marked.interval_s)}", (marked.interval_s, 0.99),
            xycoords=("data", "axes fraction"), xytext=(-3 if at_right else 3, 0), textcoords="offset points",
            fontsize=TICK_PT - 0.5, ha="right" if at_right else "left", va="top", fontweight="bold",
        )  # fmt: skip


def too_short_for_a_month_s(choices: Sequence[Choice], fit: FitReport) -> float:
    """Intervals below this keep up for a month with no writer; 0 where none is known to be too short."""
    bounds = []
    for choice in choices:
        laws = [one for one in parts_for_table(fit.sustainable, choice.options[0].run) if one.horizon_s == MONTH_S]
        stops = [one.interval_s for one in choice.options if not one.keeps_up_for(MONTH_S)]
        lasts = [one.interval_s for one in choice.options if one.keeps_up_for(MONTH_S)]
        if not stops:
            return 0.0
        between = float(np.sqrt(stops[-1] * lasts[0])) if lasts else stops[-1] * 1.2
        fitted = laws[0].interval_s.best if laws else between
        bounds.append(fitted if np.isfinite(fitted) else between)
    return min(bounds, default=0.0)


def plan_trade_off(
    run: Run, fit: FitReport, answer: Answer, limits: Sequence[LimitOutcome]
) -> tuple[Chart | LeftOut, ...]:
    """Both charts, or why not."""
    titles = "What does freshness cost in metadata?", "What does freshness cost readers?"
    shown = _reached(answer) or _alone(answer, fit)
    if not shown:
        why = "No writer was measured at two intervals or more, so there is nothing to trade."
        return tuple(
            LeftOut(name=name, title=title, why=why)
            for name, title in zip((BYTES_NAME, PLANNING_NAME), titles, strict=True)
        )
    in_bytes = {
        name: _in_bytes(metric, bound, shown[0].options[-1]) for name, metric, bound in _parsed(limits, _BYTES_METRICS)
    }
    charts: list[Chart | LeftOut] = [
        Chart(
            name=BYTES_NAME,
            title=titles[0],
            reading=_reading_of_bytes(shown[0], run),
            panels=(partial(draw_bytes, answer=answer, fit=fit, bounds=in_bytes),),
            **_room(shown),
        )
    ]
    if not _probed(answer):
        return *charts, LeftOut(name=PLANNING_NAME, title=titles[1], why="Planning was not probed at every interval.")
    in_ms = {name: bound for name, _, bound in _parsed(limits, _PLANNING_METRICS)}
    charts.append(
        Chart(
            name=PLANNING_NAME,
            title=titles[1],
            reading=_reading_of_planning(_probed(answer)[0], run),
            panels=(partial(draw_planning, answer=answer, fit=fit, bounds=in_ms),),
            **_room(_probed(answer)),
        )
    )
    return tuple(charts)


def _room(choices: Sequence[Choice]) -> dict[str, Any]:
    names = [choice.group.name for choice in choices]
    return {"key_lines": len(names)} if axes.has_long_names(names) else {"right_in": 1.0}


def _parsed(limits: Sequence[LimitOutcome], metrics: Sequence[str]) -> list[tuple[str, str, float]]:
    """(limit as written, metric, bound) of the limits on these metrics."""
    return [
        (one["limit"], one["metric"], parse_limit(one["metric"], one["limit"].removeprefix(one["metric"])).bound)
        for one in limits
        if one.get("metric") in metrics
    ]


def _in_bytes(metric: str, bound: float, option: Option) -> float:
    """A ratio's bound as bytes: it divides by the same bytes in the whole sweep."""
    ratio = option.run.amplification.metadata
    return bound if metric == "metadata_bytes" or not ratio else bound * option.run.of_all_tables.metadata_bytes / ratio


def _reading_of_bytes(choice: Choice, run: Run) -> str:
    first, last = choice.options[0], choice.options[-1]
    if first is last:
        return (
            f"Over {horizon_words(run)}, {choice.group.name} every {format_duration(first.interval_s)} wrote "
            f"{format_bytes(first.metadata_bytes)} of metadata; the line is what the model expects of other intervals."
        )
    times, commits = first.metadata_bytes / max(last.metadata_bytes, 1.0), last.interval_s / first.interval_s
    return (
        f"Over {horizon_words(run)}, {choice.group.name} wrote {format_bytes(first.metadata_bytes)} of metadata at "
        f"{format_duration(first.interval_s)} and {format_bytes(last.metadata_bytes)} at "
        f"{format_duration(last.interval_s)}: {times:,.0f} times as much for {commits:,.0f} times the commits. "
        f"Points are {'simulated' if first.run.engine == 'sim' else 'measured'}"
        f"{'' if first.run.is_sampled else ', lines are the model’s'}."
    )


def _reading_of_planning(choice: Choice, run: Run) -> str:
    first, last = choice.options[0], choice.options[-1]
    return (
        f"At the end of {horizon_words(run)}, a full scan of {choice.group.name} was loaded and planned in "
        f"{format_figure(_planning_of(first))} ms at {format_duration(first.interval_s)}, and in "
        f"{format_figure(_planning_of(last))} ms at {format_duration(last.interval_s)} (medians, warm)."
    )
