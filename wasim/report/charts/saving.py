"""A table's first year as it is now and as a plan has it: metadata on disk, and what a month costs."""

from collections.abc import Mapping, Sequence
from functools import partial

from matplotlib.axes import Axes

from wasim.report.charts.axes import EndLabel, name_line_ends, pad_log_limits, set_byte_axis, set_count_axis
from wasim.report.charts.chart import Chart, look_of

Course = tuple[Sequence[float], Sequence[float]]  # days since the table was created, and a figure on each


def draw_courses(ax: Axes, courses: Mapping[str, Course], *, of: str, is_bytes: bool) -> Axes:
    """A figure that is never negative by day, a line for each course, on a logarithmic axis."""
    ends = []
    for position, (name, (days, values)) in enumerate(courses.items()):
        look = look_of(position)
        ax.plot(days, values, color=look.colour, marker=look.marker, linestyle=look.line, gid=name)
        ends.append(EndLabel(text=name, y=values[-1], look=look))
    shown = [value for _, values in courses.values() for value in values if value > 0]
    ax.set(yscale="log", xlabel="days since the table was created", ylabel=of)
    ax.set_xlim(0, 1.02 * max(days[-1] for days, _ in courses.values()))
    ax.set_ylim(*pad_log_limits(min(shown), max(shown), share=0.1))
    (set_byte_axis if is_bytes else set_count_axis)(ax.yaxis)
    name_line_ends(ax, ends)
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
