"""Manifests merged again and again near their target size: what a real table wrote, and what was simulated."""

from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from tools.league_page import standing_svg
from wasim.report.charts.axes import key_below, name_panel
from wasim.report.charts.chart import BLUE, INK, ORANGE, Chart, draw_figure, styled
from wasim.report.charts.gallery import figure_svg
from wasim.units import Ints

NAME = "thrash"
_REAL: dict[str, Any] = {"color": ORANGE, "linewidth": 5.0, "solid_capstyle": "butt"}
_SIMULATED: dict[str, Any] = {"color": INK, "linewidth": 1.2, "linestyle": "-"}
_UNMERGED: dict[str, Any] = {"color": BLUE, "linewidth": 1.4, "linestyle": (0, (5, 1.5))}


def draw_cumulative(ax: Axes, real: Ints, simulated: Ints, unmerged: Ints) -> Axes:
    """KB of manifests written so far, against the commit's number, from bytes by commit."""
    commits = np.arange(1, len(real) + 1)
    for gid, written, look in (
        ("real", real, _REAL),
        ("unmerged", unmerged, _UNMERGED),
        ("sim", simulated, _SIMULATED),
    ):
        ax.plot(commits, np.cumsum(written) / 1000, gid=gid, **look)
    ax.set(xlabel="commit", ylabel="KB written so far", xlim=(0, len(real)))
    ax.set_ylim(bottom=0)
    name_panel(ax, "All manifests so far")
    return ax


def draw_merges(ax: Axes, real: Ints, simulated: Ints, unmerged: Ints) -> Axes:
    """KB of manifests that each commit wrote."""
    commits = np.arange(1, len(real) + 1)
    # Points, not lines: every other commit merges, and lines between them would fill the panel.
    ax.plot(commits, real / 1000, gid="real by commit", color=ORANGE, marker="o", markersize=5, linestyle="none")
    ax.plot(commits, unmerged / 1000, gid="unmerged by commit", **_UNMERGED)
    ax.plot(commits, simulated / 1000, gid="sim by commit", color=INK, marker=".", markersize=2.2, linestyle="none")
    ax.set(xlabel="commit", ylabel="KB written", xlim=(0, len(real)))
    ax.set_ylim(bottom=0)
    name_panel(ax, "Manifests of each commit")
    entries = [("real table", _REAL), ("simulated", _SIMULATED), ("without merging", _UNMERGED)]
    key_below(ax, entries, columns=3)
    return ax


def thrash_svg(real: Ints, simulated: Ints, unmerged: Ints) -> str:
    """The picture as an SVG document, in light or dark as its reader prefers. Bytes of manifests by commit come in.

    `unmerged` is what the commits would have written had they not merged.
    """
    panels = (
        partial(draw_cumulative, real=real, simulated=simulated, unmerged=unmerged),
        partial(draw_merges, real=real, simulated=simulated, unmerged=unmerged),
    )
    reading = (
        f"{len(real)} commits wrote {real.sum() / 1000:,.0f} KB of manifests, {simulated.sum() / 1000:,.0f} KB"
        f" simulated; without merging it would have been {unmerged.sum() / 1000:,.0f} KB."
    )
    chart = Chart(name=NAME, title="Merging near the target size", reading=reading, panels=panels, key_lines=1)
    with styled():
        return standing_svg(figure_svg(draw_figure(chart)), name=NAME, description=f"{chart.title}. {reading}")
