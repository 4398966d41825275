"""Colours, markers, line styles and sizes of every chart.

Colours are Okabe and Ito's, which the colour-blind tell apart, darkened to a contrast of 3:1 and more; each series has
its own marker and line style too. Pages swap every colour for a CSS property (`CSS_NAMES`), so that one drawing serves
light and dark.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl

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

DARK = {
    "ink": "#e8ebef",
    "muted": "#a0aab5",
    "rule": "#363d46",
    "paper": "#14171b",
    "vermillion": "#ff7a1a",
    "blue": "#56b4e9",
    "green": "#1fc79a",
    "purple": "#e19cc4",
    "orange": "#f0b73a",
    "sky": "#9bd3f5",
}
"""What the properties are to readers who prefer dark, as in the pages' style sheet."""

# 4.4 inches are 317 pt: on a phone 358 px wide, ticks are 10.2 px high
FIGURE_WIDTH_IN, PANEL_HEIGHT_IN = 4.4, 2.6
LABEL_PT, TICK_PT, TITLE_PT = 9.5, 9.0, 11.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How one series looks: colour, marker and line, any one of which distinguishes it."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[float, ...]]


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
