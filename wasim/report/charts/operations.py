"""Metadata written by each operation, case by case."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.report.charts.axes import key_below, name_rows, set_linear_byte_axis
from wasim.report.charts.chart import HEAD_IN, Chart, LeftOut
from wasim.report.charts.palette import look_of
from wasim.report.series import operation_words
from wasim.runs import CaseRun, Run

NAME, TITLE = "operations", "Which operation writes the metadata?"
ROWS_PER_PANEL, LEAST_ROWS, ROW_IN = 12, 6, 0.38
KEY_COLUMNS = 2


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
        sizes = np.array([_metadata_bytes(run, name) for run in runs], dtype=np.float64)
        look = look_of(position)
        ax.barh(rows, sizes, left=left, height=0.42, color=look.colour, gid=name)
        left += sizes
    name_rows(ax, rows, [run.case.label for run in runs], above_pt=11)
    ax.set(xlabel="metadata written", yticks=[], ylim=(-0.5, len(runs) - 0.2), xlim=(0, most * 1.02))
    set_linear_byte_axis(ax.xaxis)
    marks: list[tuple[str, dict[str, object]]] = [
        (operation_words(name), {"color": look_of(n).colour, "marker": "s", "linestyle": "none"})
        for n, name in enumerate(operations)
    ]
    key_below(ax, marks, columns=KEY_COLUMNS)
    return ax


def _metadata_bytes(run: CaseRun, operation: str) -> int:
    written = sum(one.totals.metadata_bytes for one in run.operations if one.operation == operation)
    return written * run.case.writer.tables
