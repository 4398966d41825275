"""How a table ages: bytes per commit by kind, and live manifests and retained snapshots over event time."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.ledger import Kind
from wasim.report.charts.axes import (
    EndLabel,
    key_below,
    name_line_ends,
    name_panel,
    pad_log_limits,
    set_byte_axis,
    set_count_axis,
    set_event_time_axis,
)
from wasim.report.charts.chart import Chart, LeftOut
from wasim.report.charts.palette import KIND_LOOKS, KIND_NAMES, MUTED, look_of
from wasim.report.charts.series import Group, group_cases, kinds_written
from wasim.runs import CaseRun, Run
from wasim.units import format_bytes, format_duration

BYTES_NAME, AGE_NAME = "bytes_per_commit", "manifests_and_snapshots"
MARKERS_PER_LINE = 8


def draw_bytes_per_commit(ax: Axes, run: CaseRun) -> Axes:
    """Bytes that each commit of one case wrote, by kind, against the commit's number."""
    ledger, ends, values = run.ledger, [], []
    for kind in kinds_written((run,)):
        written, look = ledger.written_bytes[kind], KIND_LOOKS[kind]
        shown = written > 0
        if not np.any(shown):
            continue
        ax.plot(
            ledger.commit[shown], written[shown], color=look.colour, marker=look.marker, linestyle=look.line,
            markevery=_every(int(shown.sum())), gid=str(kind),
        )  # fmt: skip
        ends.append(EndLabel(text=KIND_NAMES[kind], y=float(written[shown][-1]), look=look))
        values += [int(written[shown].min()), int(written[shown].max())]
    ax.set(yscale="log", xlabel="commit number", ylabel="written by the commit")
    name_panel(ax, run.case.label)
    ax.set_xlim(0, run.commits * 1.02 + 1)
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    ax.locator_params(axis="x", nbins=6, integer=True)
    set_byte_axis(ax.yaxis)
    name_line_ends(ax, ends)
    return ax


def _every(points: int) -> int:
    """Markers only on every n-th point, so that lines stay lines."""
    return max(1, points // MARKERS_PER_LINE)


def draw_manifests_and_snapshots(ax: Axes, group: Group) -> Axes:
    """Live manifests (solid) and retained snapshots (dotted) over event time, one colour per interval."""
    ends, values = [], [1.0]
    firsts = {run.case.commit_interval_s: run for run in reversed(group.cases)}
    for position, (interval, run) in enumerate(sorted(firsts.items())):
        look, ledger = look_of(position), run.ledger
        # several writers' commits come out of order: what counts is how far event time has come
        time_s = np.maximum.accumulate(ledger.event_time_s)
        ax.plot(
            time_s, ledger.snapshots_retained, color=look.colour, linestyle=":", linewidth=1.1,
            gid=f"snapshots {run.case.label}",
        )  # fmt: skip
        ax.plot(
            time_s, ledger.live_manifests, color=look.colour, marker=look.marker,
            markevery=_every(len(ledger)), gid=f"manifests {run.case.label}",
        )  # fmt: skip
        ends.append(EndLabel(text=format_duration(interval), y=float(ledger.live_manifests[-1]), look=look))
        values.append(float(max(ledger.live_manifests.max(), ledger.snapshots_retained.max())))
    ax.set(yscale="log", xlabel="event time", ylabel="count")
    name_panel(ax, group.name)
    ax.set_xlim(0, max(float(run.ledger.event_time_s.max()) for run in firsts.values()) * 1.02)
    ax.set_ylim(0.8, max(values) * 1.4)
    set_event_time_axis(ax.xaxis)
    set_count_axis(ax.yaxis)
    name_line_ends(ax, ends)
    key_below(
        ax,
        [
            ("live manifests", {"color": MUTED, "marker": "o"}),
            ("retained snapshots", {"color": MUTED, "linestyle": ":", "linewidth": 1.1}),
        ],
    )
    return ax


def plan_bytes_per_commit(run: Run) -> Chart | LeftOut:
    """The chart for the finest interval of each group, or why not."""
    title = "What does each further commit write?"
    finest = [group.finest for group in group_cases(run) if len(group.finest.ledger) > 1]
    if not finest:
        why = "No case made two commits or more, so nothing grows from one to the next."
        return LeftOut(name=BYTES_NAME, title=title, why=why)
    return Chart(
        name=BYTES_NAME,
        title=title,
        reading=_reading_of_bytes(finest[0]),
        panels=tuple(partial(draw_bytes_per_commit, run=case) for case in finest),
        right_in=1.22,
    )


def plan_manifests_and_snapshots(run: Run) -> Chart | LeftOut:
    """The chart for every group with two commits or more, or why not."""
    title = "How many manifests and snapshots pile up?"
    groups = [group for group in group_cases(run) if len(group.finest.ledger) > 1]
    if not groups:
        return LeftOut(name=AGE_NAME, title=title, why="No case made two commits or more, so nothing piles up.")
    ends = "; ".join(
        f"{group.finest.case.label} has {int(group.finest.ledger.live_manifests[-1]):,} live manifests "
        f"and {int(group.finest.ledger.snapshots_retained[-1]):,} snapshots"
        for group in groups[:2]
    )
    return Chart(
        name=AGE_NAME,
        title=title,
        reading=f"At the end, {ends}. A manifest line that drops is a merge.",
        panels=tuple(partial(draw_manifests_and_snapshots, group=group) for group in groups),
        right_in=0.75,
        key_lines=1,
    )


def _reading_of_bytes(run: CaseRun) -> str:
    json_bytes = run.ledger.written_bytes[Kind.METADATA_JSON]
    return (
        f"In {run.case.label}, metadata.json grew from {format_bytes(int(json_bytes[0]))} to "
        f"{format_bytes(int(json_bytes[-1]))} within {run.commits:,} commits, because every commit writes the "
        "whole history again."
    )
