"""A chart as a value: its question, one line of reading, and its panels; or why it was left out; and its figure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wasim.report.charts.palette import FIGURE_WIDTH_IN, PANEL_HEIGHT_IN, TITLE_PT

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
