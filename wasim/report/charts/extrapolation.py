"""Metadata written over days to a year without maintenance, by the fitted model, with its doubt."""

from functools import partial

from matplotlib.axes import Axes

from wasim.fit.report import Extrapolation, FitReport
from wasim.report.charts.axes import (
    EndLabel,
    name_line_ends,
    name_panel,
    pad_log_limits,
    set_byte_axis,
    set_duration_axis,
)
from wasim.report.charts.chart import Chart, LeftOut
from wasim.report.charts.palette import look_of
from wasim.units import format_bytes, format_duration

NAME = "extrapolation"


def draw_extrapolation(ax: Axes, extrapolations: tuple[Extrapolation, ...]) -> Axes:
    """Bytes of metadata against the horizon, one line per interval; bands are the coefficients' 95 % doubt."""
    ends, values = [], []
    horizons = sorted({e.horizon_s for e in extrapolations})
    for position, interval in enumerate(sorted({e.commit_interval_s for e in extrapolations})):
        line = sorted((e for e in extrapolations if e.commit_interval_s == interval), key=lambda e: e.horizon_s)
        look, x = look_of(position), [e.horizon_s for e in line]
        low, best, high = (
            [max(getattr(e.metadata_bytes, bound), 1.0) for e in line] for bound in ("low", "best", "high")
        )
        ax.fill_between(
            x, low, high, color=look.colour, alpha=0.22, linewidth=0, gid=f"band {format_duration(interval)}"
        )
        ax.plot(x, best, color=look.colour, marker=look.marker, linestyle=look.line, gid=format_duration(interval))
        ends.append(EndLabel(text=f"every {format_duration(interval)}", y=best[-1], look=look))
        values += [*low, *high]
    ax.set(xscale="log", yscale="log", xlabel="event time without maintenance", ylabel="metadata written")
    name_panel(ax, extrapolations[0].case)
    ax.set_xlim(*pad_log_limits(horizons[0], horizons[-1]))
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    set_duration_axis(ax.xaxis, horizons)
    set_byte_axis(ax.yaxis)
    name_line_ends(ax, ends)
    return ax


def plan_extrapolation(fit: FitReport) -> Chart | LeftOut:
    """The chart, one panel per writer and table, or why not."""
    title = "How much metadata would a year write?"
    usable = [e for e in fit.extrapolations if e.metadata_bytes.best > 0]
    cases = list(dict.fromkeys(e.case for e in usable))
    if not cases:
        why = "The fit could not extrapolate: it lacks a coefficient that longer horizons depend on."
        return LeftOut(name=NAME, title=title, why=why)
    panels = tuple(
        partial(draw_extrapolation, extrapolations=tuple(e for e in usable if e.case == case)) for case in cases
    )
    return Chart(name=NAME, title=title, reading=_reading(usable), panels=panels, right_in=1.0)


def _reading(extrapolations: list[Extrapolation]) -> str:
    longest = max(e.horizon_s for e in extrapolations)
    last = [e for e in extrapolations if e.horizon_s == longest and e.case == extrapolations[0].case]
    finest, coarsest = (pick(last, key=lambda e: e.commit_interval_s) for pick in (min, max))
    amounts = _amount(finest) if finest is coarsest else f"{_amount(finest)} and {_amount(coarsest)}"
    return (
        f"Predicted, not measured, and without maintenance: after {format_duration(longest)}, {finest.case} would "
        f"have written {amounts}. Bands, where wider than the line, are the coefficients' 95 % doubt alone: nothing of "
        "what else may change."
    )


def _amount(extrapolation: Extrapolation) -> str:
    interval = format_duration(extrapolation.commit_interval_s)
    return f"{format_bytes(extrapolation.metadata_bytes.best)} of metadata at {interval}"
