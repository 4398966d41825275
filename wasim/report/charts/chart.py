"""A chart as a value, its figure, and how all charts look: colours, markers, line styles and sizes.

Colours are Okabe and Ito's, which the colour-blind tell apart, darkened to a contrast of 3:1 and more; each series has
its own marker and line style too. Pages swap every colour for a CSS property (`CSS_NAMES`), so that one drawing serves
light and dark.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wasim.ledger import Kind

INK, MUTED, RULE, PAPER = "#1b1f24", "#59636e", "#d5d9de", "#fefefe"
VERMILLION, BLUE, GREEN, PURPLE, ORANGE, SKY = "#d55e00", "#0072b2", "#009068", "#b5528f", "#a86f00", "#2b8cc4"

CSS_NAMES = {
    INK: "ink",
    MUTED: "muted",
    RULE: "rule",
    PAPER: "paper",
    VERMILLION: "vermillion",
    BLUE: "blue",
    GREEN: "green",
    PURPLE: "purple",
    ORANGE: "orange",
    SKY: "sky",
}
"""The custom property of a page's style sheet for each colour."""

# 4.4 inches are 317 pt: on a phone 358 px wide, ticks are 10.2 px high
FIGURE_WIDTH_IN, PANEL_HEIGHT_IN = 4.4, 2.6
LABEL_PT, TICK_PT, TITLE_PT = 9.5, 9.0, 11.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How one series looks: colour, marker and line, any one of which distinguishes it."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[float, ...]]

    @property
    def points(self) -> dict[str, Any]:
        """How matplotlib draws its points alone."""
        return {"color": self.colour, "marker": self.marker, "linestyle": "none"}

    @property
    def lines(self) -> dict[str, Any]:
        """How matplotlib draws its points, joined by its line."""
        return {**self.points, "linestyle": self.line}


_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (5, 1.5, 1.2, 1.5)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (8, 2)),
)
LOOKS = tuple(
    Look(colour=colour, marker=marker, line=line)
    for colour, marker, line in zip(
        (VERMILLION, BLUE, GREEN, PURPLE, ORANGE, SKY), ("o", "s", "^", "D", "v", "P"), _DASHES, strict=True
    )
)

KIND_LOOKS = {
    Kind.METADATA_JSON: LOOKS[0],
    Kind.MANIFEST_LIST: LOOKS[1],
    Kind.DATA_MANIFEST: LOOKS[2],
    Kind.DELETE_MANIFEST: LOOKS[3],
    Kind.STATISTICS: LOOKS[4],
    Kind.VERSION_HINT: LOOKS[5],
}


def look_of(position: int) -> Look:
    """The look of the series at `position`; colours repeat after six, markers and lines then pair up anew."""
    first, round_ = position % len(LOOKS), position // len(LOOKS)
    shifted = LOOKS[(first + round_) % len(LOOKS)]
    return Look(colour=LOOKS[first].colour, marker=shifted.marker, line=shifted.line)


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save within this: sizes, ink and determinism, whatever the user's matplotlibrc says."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "wasim",  # ids that do not change from run to run
    "svg.fonttype": "none",  # text stays text: searchable, and set in the page's own face
    "text.parse_math": False,  # a `$` in a label is a dollar
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": LABEL_PT,
    "axes.labelsize": LABEL_PT,
    "axes.titlesize": LABEL_PT,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 6,
    "xtick.labelsize": TICK_PT,
    "ytick.labelsize": TICK_PT,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": TICK_PT,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}


MOST_PANELS = 6
TITLE_LINE_IN, HEAD_IN, FOOT_IN, LEFT_IN = 0.19, 0.32, 0.62, 0.86
TITLE_ID, PAPER_ID = "title", "paper"  # of the groups in an SVG
NOTE_IN, NOTE_PAD_PT = 0.14, 16.0  # a note's line between a panel and its name

Panel = Callable[[Axes], Axes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One picture.

    `right_in` is the room kept for names at the ends of lines, `note_in` that for a note between a panel and its name;
    `key_lines` is how many lines of legend stand under each panel, and `panel_in` how high a panel is with its name.
    """

    name: str  # of its files
    title: str
    reading: str
    panels: tuple[Panel, ...]
    right_in: float = 0.15
    note_in: float = 0.0
    key_lines: int = 0
    panel_in: float = PANEL_HEIGHT_IN


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A chart that this run cannot give, and why, as a sentence."""

    name: str
    title: str
    why: str


def cut_panels(chart: Chart) -> Chart:
    """The chart with no more panels than a reader scrolls through; its reading says what is missing."""
    if len(chart.panels) <= MOST_PANELS:
        return chart
    said = f"{chart.reading} The first {MOST_PANELS} of {len(chart.panels)} are drawn."
    return replace(chart, panels=chart.panels[:MOST_PANELS], reading=said)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnChart:
    """A chart and its figure; `svg` is the figure as a document that stands alone."""

    chart: Chart
    figure: Figure
    svg: str


def title_in(chart: Chart) -> float:
    """Inches that the title takes above the panels."""
    return 0.12 + TITLE_LINE_IN * (1 + chart.title.count("\n"))


def draw_figure(chart: Chart) -> Figure:
    """The chart's title, and its panels under one another."""
    top_in = title_in(chart)
    foot_in = FOOT_IN + 0.19 * chart.key_lines
    row_in = chart.panel_in + chart.note_in + foot_in
    height_in = top_in + row_in * len(chart.panels)
    figure = Figure(figsize=(FIGURE_WIDTH_IN, height_in))
    figure.patch.set_gid(PAPER_ID)
    for position, panel in enumerate(chart.panels):
        bottom_in = height_in - top_in - row_in * (position + 1) + foot_in
        width_in = FIGURE_WIDTH_IN - LEFT_IN - chart.right_in
        panel(
            figure.add_axes(
                (
                    LEFT_IN / FIGURE_WIDTH_IN,
                    bottom_in / height_in,
                    width_in / FIGURE_WIDTH_IN,
                    (chart.panel_in - HEAD_IN) / height_in,
                )
            )
        )
    title = figure.text(
        0.1 / FIGURE_WIDTH_IN, 1 - 0.1 / height_in, chart.title, va="top", fontsize=TITLE_PT, fontweight="bold"
    )
    title.set_gid(TITLE_ID)
    return figure
