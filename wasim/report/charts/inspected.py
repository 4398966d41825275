"""Charts of a table that was inspected: what stands on storage and why, and what each commit wrote."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.ledger import METADATA_KINDS, Kind
from wasim.report.charts import axes
from wasim.report.charts.chart import KIND_LOOKS, Chart, LeftOut, look_of
from wasim.report.words import KIND_NAMES
from wasim.units import Ints, format_bytes

_COMMITS = "What did each commit write?"


def draw_states(ax: Axes, states: Sequence[str], bytes_by_kind: Mapping[Kind, Sequence[int]]) -> Axes:
    """Bytes of each kind of metadata as a bar, its parts the states in their order."""
    kinds = list(bytes_by_kind)
    left = np.zeros(len(kinds))
    for position in range(len(states)):
        sizes = np.array([bytes_by_kind[kind][position] for kind in kinds], dtype=np.float64)
        ax.barh(range(len(kinds)), sizes, left=left, color=look_of(position).colour, height=0.6)
        left += sizes
    ax.set_yticks(range(len(kinds)), [KIND_NAMES[kind].replace(" ", "\n").replace(".", "\n.") for kind in kinds])
    ax.invert_yaxis()
    ax.set_xlim(0, float(left.max()) * 1.05)
    axes.set_linear_byte_axis(ax.xaxis)
    ax.grid(visible=False, axis="y")
    entries: list[tuple[str, dict[str, object]]] = [
        (state, {"color": look_of(position).colour, "linewidth": 6}) for position, state in enumerate(states)
    ]
    axes.key_below(ax, entries, columns=3)
    return ax


def draw_history(ax: Axes, written: Mapping[Kind, Ints], known: Mapping[Kind, np.ndarray]) -> Axes:
    """Bytes that each commit wrote by kind, where they are known."""
    ends: list[axes.EndLabel] = []
    lows, highs = list[float](), list[float]()
    for kind in METADATA_KINDS:
        shown, look = known[kind] & (written[kind] > 0), KIND_LOOKS[kind]
        if not shown.any():
            continue
        commits, sizes = 1.0 + np.flatnonzero(shown), written[kind][shown].astype(np.float64)
        ax.plot(commits, sizes, **look.points, markersize=2.5, alpha=0.7)
        ends.append(axes.EndLabel(text=KIND_NAMES[kind], y=float(sizes[-1]), look=look))
        lows.append(float(sizes.min()))
        highs.append(float(sizes.max()))
    ax.set(yscale="log", xlabel="commit, of those whose snapshots are left", ylabel="written by the commit")
    ax.set_xlim(0, len(known[Kind.METADATA_JSON]) * 1.02 + 1)
    ax.set_ylim(*axes.pad_log_limits(min(lows), max(highs)))
    ax.locator_params(axis="x", nbins=6, integer=True)
    axes.set_byte_axis(ax.yaxis)
    axes.name_line_ends(ax, ends)
    return ax


def plan_states(states: Sequence[str], bytes_by_kind: Mapping[Kind, Sequence[int]]) -> Chart | LeftOut:
    """The chart of metadata on storage; `bytes_by_kind` has a size for each state."""
    title = "What stands on storage, and why?"
    found = {kind: sizes for kind, sizes in bytes_by_kind.items() if sum(sizes)}
    if not found:
        return LeftOut(name="state_sizes", title=title, why="No metadata was found there.")
    largest = max(found, key=lambda kind: sum(found[kind]))
    return Chart(
        name="state_sizes",
        title=title,
        reading=f"Most of it, {format_bytes(sum(found[largest]))}, is {KIND_NAMES[largest]}.",
        panels=(partial(draw_states, states=states, bytes_by_kind=found),),
        key_lines=(len(states) + 2) // 3,
    )


def plan_history(written: Mapping[Kind, Ints], known: Mapping[Kind, np.ndarray]) -> Chart | LeftOut:
    """The chart of a rebuilt history, or why not."""
    is_shown = any((known[kind] & (written[kind] > 0)).any() for kind in METADATA_KINDS)
    if len(known[Kind.METADATA_JSON]) < 2 or not is_shown:
        return LeftOut(name="commit_sizes", title=_COMMITS, why="Fewer than two commits are left.")
    return Chart(
        name="commit_sizes",
        title=_COMMITS,
        reading="Points are files that are still there.",
        panels=(partial(draw_history, written=written, known=known),),
        right_in=1.22,
    )
