"""How a table ages: bytes per commit by kind and by operation, live manifests and retained snapshots."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.groups import name_without_interval
from wasim.ledger import Kind
from wasim.report.charts import axes
from wasim.report.charts.chart import HEAD_IN, KIND_LOOKS, MUTED, TICK_PT, Chart, LeftOut, Look, look_of
from wasim.report.modelled import stops_keeping_up
from wasim.report.series import Series, group_cases, kinds_written, operation_words
from wasim.report.words import KIND_NAMES
from wasim.runs import CaseRun, Run
from wasim.units import Ints, format_bytes, format_duration

BYTES_NAME, AGE_NAME = "bytes_per_commit", "manifests_and_snapshots"
MARKERS_PER_LINE = 8
MOST_OVERLAID = 3  # cases in one panel
FEWEST_MERGED = 10  # manifests, from which on a merge is worth a word
NAME, TITLE = "operations", "Which operation writes the metadata?"
ROWS_PER_PANEL, LEAST_ROWS, ROW_IN = 12, 6, 0.38
KEY_COLUMNS = 2


def draw_bytes_per_commit(ax: Axes, runs: tuple[CaseRun, ...]) -> Axes:
    """Bytes that each commit wrote against its number: by kind for the first case, all metadata for the others."""
    first, ends = runs[0], list[axes.EndLabel]()
    for kind in kinds_written((first,)):
        written, look = first.ledger.written_bytes[kind], KIND_LOOKS[kind]
        if not np.any(written > 0):
            continue
        _draw_written(ax, first, written, look, gid=str(kind))
        ends.append(
            axes.EndLabel(text=f"{KIND_NAMES[kind]} {format_bytes(int(written[-1]))}", y=written[-1], look=look)
        )
    for position, run in enumerate(runs[1:], start=len(ends)):
        look, written = look_of(position), run.ledger.metadata_bytes
        _draw_written(ax, run, written, look, gid=run.case.label)
        name = f"all of {name_without_interval(run.case)} {format_bytes(int(written[-1]))}"
        ends.append(axes.EndLabel(text=name, y=float(written[-1]), look=look))
    ax.set(xlabel="commit number", ylabel="written by the commit")
    axes.name_panel(ax, first.case.label)
    ax.set_xlim(0, ax.dataLim.x1 * 1.02 + 1)
    ax.set_ylim(0, max(1.0, ax.dataLim.y1) * 1.08)
    axes.set_linear_count_axis(ax.xaxis)
    axes.set_linear_byte_axis(ax.yaxis)
    _name_merges(ax, runs)
    axes.name_line_ends(ax, ends)
    return ax


def _draw_written(ax: Axes, run: CaseRun, written: Ints, look: Look, *, gid: str) -> None:
    ax.plot(
        run.ledger.commit, written, **look.lines, linewidth=1.2,
        markevery=_every(len(written)), gid=gid,
    )  # fmt: skip


def _name_merges(ax: Axes, runs: tuple[CaseRun, ...]) -> None:
    """The first commit that merged many manifests, said where its bytes stand out."""
    for run in (run for run in runs if not run.is_sampled):
        replaced = run.ledger.manifests_replaced
        at = int(np.nanargmax(replaced)) if len(replaced) and np.isfinite(replaced).any() else 0
        if len(replaced) and replaced[at] > FEWEST_MERGED:
            where = (float(run.ledger.commit[at]), float(run.ledger.metadata_bytes[at]))
            ax.annotate(
                "manifests merged", where, xytext=(-4, 4), textcoords="offset points", fontsize=TICK_PT - 1, ha="right"
            )
            return


def _every(points: int) -> int:
    """Markers only on every n-th point, so that lines stay lines."""
    return max(1, points // MARKERS_PER_LINE)


def draw_manifests_and_snapshots(ax: Axes, group: Series) -> Axes:
    """Live manifests (solid) and retained snapshots (dotted) over event time, one colour per interval."""
    ends = []
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
        ends.append(axes.EndLabel(text=format_duration(interval), y=float(ledger.live_manifests[-1]), look=look))
    ax.set(yscale="log", xlabel="event time", ylabel="count")
    axes.name_panel(ax, group.name)
    ax.set_xlim(0, ax.dataLim.x1 * 1.02)
    ax.set_ylim(0.8, max(1.0, ax.dataLim.y1) * 1.4)
    axes.set_event_time_axis(ax.xaxis)
    axes.set_count_axis(ax.yaxis)
    axes.name_line_ends(ax, ends)
    axes.key_below(
        ax,
        [
            ("live manifests", {"color": MUTED, "marker": "o"}),
            ("retained snapshots", {"color": MUTED, "linestyle": ":", "linewidth": 1.1}),
        ],
    )
    return ax


def plan_bytes_per_commit(run: Run) -> Chart | LeftOut:
    """The chart of the shortest intervals, the first by kind, or why not."""
    title = "What does each further commit write?"
    cases = tuple(shortest for group in group_cases(run) if len((shortest := _shortest(group)).ledger) > 1)
    if cases:  # others are overlaid where their names fit
        cases = (cases[0], *(one for one in cases[1:] if len(name_without_interval(one.case)) <= axes.LONGEST_BESIDE))
    if not cases:
        why = "No case made two commits or more, so nothing grows from one to the next."
        return LeftOut(name=BYTES_NAME, title=title, why=why)
    return Chart(
        name=BYTES_NAME,
        title=title,
        reading=_reading_of_bytes(cases[0]),
        panels=(partial(draw_bytes_per_commit, runs=cases[:MOST_OVERLAID]),),
        right_in=1.75,
    )


def _shortest(group: Series) -> CaseRun:
    return next((case for case in group.cases if stops_keeping_up(case) is None), group.shortest)


def plan_manifests_and_snapshots(run: Run) -> Chart | LeftOut:
    """The chart for every group with two commits or more, or why not."""
    title = "How many manifests and snapshots pile up?"
    groups = [group for group in group_cases(run) if len(group.shortest.ledger) > 1]
    if not groups:
        return LeftOut(name=AGE_NAME, title=title, why="No case made two commits or more, so nothing piles up.")
    ends = "; ".join(
        f"{group.shortest.case.label} has {int(group.shortest.ledger.live_manifests[-1]):,} live manifests "
        f"and {int(group.shortest.ledger.snapshots_retained[-1]):,} snapshots"
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
    grew = (
        f"In {run.case.label}, metadata.json grew from {format_bytes(int(json_bytes[0]))} to "
        f"{format_bytes(int(json_bytes[-1]))} within {run.commits:,} commits"
    )
    if run.case.maintenance.expire_snapshots is not None:
        most = format_bytes(int(json_bytes.max()))
        return f"{grew}, {most} at most: every commit writes the history again, as far back as expiry leaves it."
    return f"{grew}, because every commit writes the whole history again: a straight line is growth by the square."


def plan_operations(run: Run) -> tuple[Chart | LeftOut, ...]:
    """One bar per case, made of what each operation wrote; no chart where all cases only append."""
    if all(case.case.only_appends for case in run.cases):
        return ()
    operations = tuple(dict.fromkeys(one.operation for case in run.cases for one in case.operations))
    if not operations:
        return (LeftOut(name=NAME, title=TITLE, why="Sums over a long horizon do not tell operations apart."),)
    cut = [run.cases[start : start + ROWS_PER_PANEL] for start in range(0, len(run.cases), ROWS_PER_PANEL)]
    most = max(case.of_all_tables.metadata_bytes for case in run.cases)
    chart = Chart(
        name=NAME,
        title=TITLE,
        reading="Each bar is all the metadata that a case wrote, divided by the operation that wrote it.",
        panels=tuple(partial(draw_operations, runs=tuple(part), operations=operations, most=most) for part in cut),
        key_lines=-(-len(operations) // KEY_COLUMNS),
        panel_in=HEAD_IN + ROW_IN * max(LEAST_ROWS, min(ROWS_PER_PANEL, len(run.cases))),
    )
    return (chart,)


def draw_operations(ax: Axes, runs: tuple[CaseRun, ...], operations: tuple[str, ...], most: int) -> Axes:
    """Stacked horizontal bars of metadata bytes, one row per case, on a scale that ends at `most` bytes."""
    rows, left = np.arange(len(runs))[::-1], np.zeros(len(runs))
    for position, name in enumerate(operations):
        sizes = np.zeros(len(runs))
        for row, run in enumerate(runs):
            written = sum(one.totals.metadata_bytes for one in run.operations if one.operation == name)
            sizes[row] = written * run.case.writer.tables
        look = look_of(position)
        ax.barh(rows, sizes, left=left, height=0.42, color=look.colour, gid=name)
        left += sizes
    axes.name_rows(ax, rows, [run.case.label for run in runs])
    ax.set(xlabel="metadata written", yticks=[], ylim=(-0.5, len(runs) - 0.2), xlim=(0, most * 1.02))
    axes.set_linear_byte_axis(ax.xaxis)
    marks: list[tuple[str, dict[str, object]]] = [
        (operation_words(name), {"color": look_of(n).colour, "marker": "s", "linestyle": "none"})
        for n, name in enumerate(operations)
    ]
    axes.key_below(ax, marks, columns=KEY_COLUMNS)
    return ax
