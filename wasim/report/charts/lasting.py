"""Until when a writer keeps up, and what it writes in its first day, month and year, against the commit interval; and a
table's first year as it is now and as a plan has it.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.sustain import describe_keeping_up, describe_slope
from wasim.report.answer import Answer, Choice
from wasim.report.charts import axes
from wasim.report.charts.chart import LOOKS, Chart, LeftOut, look_of
from wasim.units import DAY_S, HOUR_S, MONTH_S, YEAR_S, format_bytes, format_duration

LASTING_NAME, MONTHS_NAME = "keeps_up", "day_month_year"
_TICKS_S = (60.0, HOUR_S, DAY_S, MONTH_S, YEAR_S)
_AMOUNTS = (("day", DAY_S, LOOKS[2]), ("month", MONTH_S, LOOKS[1]), ("year", YEAR_S, LOOKS[0]))


def draw_keeps_up(ax: Axes, choices: Sequence[Choice]) -> Axes:
    """Event time until which each writer keeps up, against its interval; capped at a year."""
    intervals, ends = list[float](), list[axes.EndLabel]()
    for position, choice in enumerate(choices):
        look, known = look_of(position), [one for one in choice.options if one.keeps_up is not None]
        x = [one.interval_s for one in known]
        y = [max(min(one.keeps_up.until_s, YEAR_S), 30.0) for one in known if one.keeps_up is not None]
        ax.plot(x, y, **look.lines, gid=choice.group.name)
        ends.append(axes.EndLabel(text=choice.group.name, y=y[-1], look=look))
        intervals += x
    ax.set(xscale="log", yscale="log", xlabel="commit interval", ylabel="keeps up for")
    lowest = min(DAY_S, ax.dataLim.y0)
    ax.set_xlim(*axes.pad_log_limits(*ax.dataLim.intervalx))
    ax.set_ylim(lowest / 2, YEAR_S * 1.6)
    axes.set_duration_axis(ax.xaxis, intervals)
    axes.set_duration_axis(ax.yaxis, [tick for tick in _TICKS_S if tick >= lowest / 2])
    axes.name_series(ax, ends)
    return ax


def plan_keeps_up(answer: Answer) -> Chart | LeftOut:
    """The chart, or why not."""
    title = "Can it keep up, and until when?"
    known = [one for one in answer.swept if any(option.keeps_up is not None for option in one.options)]
    if not known:
        return LeftOut(name=LASTING_NAME, title=title, why="Too few commits were timed at two intervals or more.")
    if all(option.keeps_up_for(YEAR_S) for choice in known for option in choice.options):
        return LeftOut(name=LASTING_NAME, title=title, why="Every interval of this run keeps up for a year.")
    names = [choice.group.name for choice in known]
    return Chart(
        name=LASTING_NAME,
        title=title,
        reading=_reading_of_lasting(known[0]),
        panels=(partial(draw_keeps_up, choices=known),),
        right_in=0.15 if axes.has_long_names(names) else 1.0,
        key_lines=len(names) if axes.has_long_names(names) else 0,
    )


def _reading_of_lasting(choice: Choice) -> str:
    said = "; ".join(
        f"{format_duration(one.interval_s)} {describe_keeping_up(one.keeps_up)}"
        for one in choice.options
        if one.keeps_up is not None
    )
    slope = next(describe_slope(one.keeps_up) for one in choice.options if one.keeps_up is not None)
    when = "" if choice.options[0].run.case.has_maintenance else "Without maintenance, "
    return f"{when}{choice.group.name}: {said}. Basis: {slope}."


def draw_amounts(ax: Axes, choices: Sequence[Choice]) -> Axes:
    """Metadata of the first day, month and year; lines begin where the writer keeps up that long."""
    ends = list[axes.EndLabel]()
    for name, horizon_s, look in _AMOUNTS:
        for position, choice in enumerate(choices):
            points = [
                (one.interval_s, one.by_horizon[horizon_s]) for one in choice.options if horizon_s in one.by_horizon
            ]
            if not points:
                continue
            x, y = zip(*points, strict=True)
            ax.plot(
                x, y, **look_of(position).lines | {"color": look.colour}, linewidth=1.2,
                gid=f"{name} {choice.group.name}",
            )  # fmt: skip
            if position == 0:
                ends.append(axes.EndLabel(text=f"{name} {format_bytes(y[-1])}", y=y[-1], look=look))
    ax.set(xscale="log", yscale="log", xlabel="commit interval", ylabel="metadata written")
    intervals = [one.interval_s for choice in choices for one in choice.options]
    ax.set_xlim(*axes.pad_log_limits(min(intervals), max(intervals)))
    ax.set_ylim(*axes.pad_log_limits(*ax.dataLim.intervaly, share=0.1))
    axes.set_duration_axis(ax.xaxis, intervals)
    axes.set_byte_axis(ax.yaxis)
    for _, horizon_s, _ in _AMOUNTS:
        first = next((one for one in choices[0].options if horizon_s in one.by_horizon), None)
        if first is not None and first is not choices[0].options[-1]:
            size = first.by_horizon[horizon_s]
            axes.print_value(ax, first.interval_s, size, format_bytes(size))
    axes.name_line_ends(ax, ends)
    return ax


def plan_amounts(answer: Answer) -> Chart | LeftOut:
    """The chart, or why not."""
    title = "How much in the first day, month and year?"
    known = [one for one in answer.swept if any(option.by_horizon for option in one.options)]
    if not known:
        return LeftOut(name=MONTHS_NAME, title=title, why="No case of this run has a forecast.")
    return Chart(
        name=MONTHS_NAME,
        title=title,
        reading=_reading_of_amounts(known),
        panels=(partial(draw_amounts, choices=known),),
        right_in=1.35,
    )


def _reading_of_amounts(choices: Sequence[Choice]) -> str:
    names = " and ".join(choice.group.name for choice in choices[:2])
    last = choices[0].options[-1]
    longest = max(last.by_horizon, default=0.0)
    expected = "Expected by the model, not measured, and without maintenance"
    if last.run.case.has_maintenance:
        expected = "Simulated, under the scenario's maintenance"
    return (
        f"{expected} ({names}): a commit every "
        f"{format_duration(last.interval_s)} writes {format_bytes(last.by_horizon.get(longest, np.nan))} in "
        f"{format_duration(longest)}. Lines end where the writer stops keeping up. The values are of "
        f"{choices[0].group.name}."
    )


Course = tuple[Sequence[float], Sequence[float]]  # days since the table was created, and a figure on each


def draw_courses(ax: Axes, courses: Mapping[str, Course], *, of: str, is_bytes: bool) -> Axes:
    """A figure that is never negative by day, a line for each course, on a logarithmic axis."""
    ends = []
    for position, (name, (days, values)) in enumerate(courses.items()):
        look = look_of(position)
        ax.plot(days, values, **look.lines, gid=name)
        ends.append(axes.EndLabel(text=name, y=values[-1], look=look))
    ax.set(yscale="log", xlabel="days since the table was created", ylabel=of)
    ax.set_xlim(0, 1.02 * ax.dataLim.x1)
    ax.set_ylim(*axes.pad_log_limits(ax.dataLim.minposy, ax.dataLim.y1, share=0.1))
    (axes.set_byte_axis if is_bytes else axes.set_count_axis)(ax.yaxis)
    axes.name_line_ends(ax, ends)
    return ax


def plan_saving(on_disk_bytes: Mapping[str, Course], monthly_costs: Mapping[str, Course], currency: str) -> Chart:
    """The chart of both, by name of each course: bytes on disk at their most, and money a month."""
    return Chart(
        name="saving",
        title="Its first year, now and then",
        reading="The most metadata on disk, and what a month costs at the pace of each day.",
        panels=(
            partial(draw_courses, courses=on_disk_bytes, of="metadata on disk", is_bytes=True),
            partial(draw_courses, courses=monthly_costs, of=f"{currency} a month", is_bytes=False),
        ),
        right_in=0.75,
    )
