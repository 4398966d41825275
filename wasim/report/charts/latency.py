"""How long commits take as the table ages, and the smallest interval that leaves them time."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.report import FitReport
from wasim.fit.sustain import describe_interval, describe_slope
from wasim.report.charts.axes import key_below, name_panel, note, pad_log_limits, set_count_axis
from wasim.report.charts.chart import NOTE_IN, NOTE_PAD_PT, Chart, LeftOut
from wasim.report.charts.palette import LOOKS
from wasim.report.modelled import floor_r_squared, latency_fit, modelled_ms, parts_for_table
from wasim.report.series import group_cases
from wasim.runs import CaseRun, Run
from wasim.units import Floats, format_duration

NAME = "commit_latency"
PARTS = (("step", "whole step", LOOKS[1]), ("commit", "Iceberg's commit", LOOKS[0]))


def draw_commit_latency(ax: Axes, run: CaseRun, fit: FitReport) -> Axes:
    """Milliseconds of each commit of one case, of the whole step and of Iceberg's own part, with their fits."""
    values: list[float] = []
    key: list[tuple[str, dict[str, object]]] = []
    for part, name, look in PARTS:
        times = run.ledger.step_ms if part == "step" else run.ledger.commit_ms
        shown = times > 0
        if not np.any(shown):
            continue
        ax.plot(
            run.ledger.commit[shown], times[shown], color=look.colour, marker=look.marker, linestyle="none",
            markersize=_marker_pt(int(shown.sum())), alpha=0.55, markeredgewidth=0, gid=f"measured {part}",
        )  # fmt: skip
        values += [float(times[shown].min()), float(times[shown].max())]
        key.append((name, {"color": look.colour, "marker": look.marker, "linestyle": "none"}))
        fitted = latency_fit(fit, part, run)
        line = modelled_ms(fitted, commit_drivers(run)) if fitted else None
        if fitted and line is not None:
            ax.plot(run.ledger.commit, line, color=look.colour, linestyle=look.line, gid=f"fit {part}")
            key.append(
                (f"its fit (R² {floor_r_squared(fitted.r_squared)})", {"color": look.colour, "linestyle": look.line})
            )
    ax.set(yscale="log", xlabel="commit number", ylabel="milliseconds")
    name_panel(ax, run.case.label, pad_pt=NOTE_PAD_PT)
    ax.set_xlim(0, len(run.ledger) * 1.02 + 1)
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    ax.locator_params(axis="x", nbins=6, integer=True)
    set_count_axis(ax.yaxis)
    sustainable = min(parts_for_table(fit.sustainable, run), key=lambda one: one.horizon_s, default=None)
    if sustainable:
        note(ax, f"sustainable over {format_duration(sustainable.horizon_s)}: {describe_interval(sustainable)}")
    key_below(ax, key)
    return ax


def _marker_pt(points: int) -> float:
    """Small where there are many: hundreds of full-sized markers would hide one another."""
    return 5.0 if points < 50 else 2.6


def commit_drivers(run: CaseRun) -> dict[str, Floats]:
    """What a commit's latency may depend on, by the names that coefficients have; one element per commit."""
    ledger = run.ledger
    columns = {
        "base": np.ones(len(ledger)),
        "retained_snapshot": ledger.snapshots_retained,
        "live_manifest": ledger.live_manifests,
        "row": ledger.records_added,
    }
    return {name: column.astype(np.float64) for name, column in columns.items()}


def plan_commit_latency(run: Run, fit: FitReport) -> Chart | LeftOut:
    """The chart for the shortest interval of each group, or why not."""
    title = "Do commits get slower as the table ages?"
    timed = [group.shortest for group in group_cases(run) if len(group.shortest.ledger) > 1 and _timed(group.shortest)]
    if not timed:
        return LeftOut(name=NAME, title=title, why="No case timed two commits or more.")
    return Chart(
        name=NAME,
        title=title,
        reading=f"{_reading(timed[0])}{_footing(fit, timed)}",
        panels=tuple(partial(draw_commit_latency, run=case, fit=fit) for case in timed),
        note_in=NOTE_IN,
        key_lines=2,
    )


def _timed(run: CaseRun) -> bool:
    return bool(np.any(run.ledger.step_ms > 0))


def _footing(fit: FitReport, runs: list[CaseRun]) -> str:
    """What the sustainable intervals of these cases rest on, in a sentence."""
    said = dict.fromkeys(describe_slope(row) for run in runs for row in parts_for_table(fit.sustainable, run))
    return f" Sustainable intervals: {'; '.join(said)}." if said else ""


def _reading(run: CaseRun) -> str:
    steps = run.ledger.step_ms
    share = max(1, len(steps) // 10)
    first, last = float(np.median(steps[:share])), float(np.median(steps[-share:]))
    return (
        f"In {run.case.label}, a step took {first:,.0f} ms in the first tenth of the commits and {last:,.0f} ms in the "
        "last (medians). An interval is sustainable while a step is shorter than it."
    )
