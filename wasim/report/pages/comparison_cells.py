"""Two runs compared, as a table and in sentences."""

from rich.console import Group, RenderableType
from rich.text import Text

from wasim.report.comparison import Comparison
from wasim.report.pages.terminal import render_table
from wasim.report.tables import TextTable


def comparison_table(comparison: Comparison) -> TextTable:
    """One row per matched case: the second run's figures, each with its ratio to the first's."""
    figures = tuple(figure.name for figure in comparison.matches[0].figures)
    return TextTable(
        caption=f"{comparison.first} → {comparison.second}",
        head=("case", *figures),
        rows=tuple((match.label, *(figure.text for figure in match.figures)) for match in comparison.matches),
        figures=figures,
    )


def comparison_notes(comparison: Comparison) -> list[str]:
    """What the runs differ in, and which cases were not compared, a sentence each."""
    differing = [f"The runs differ in {sentence}." for sentence in comparison.differences]
    return differing + [f"Not compared: {sentence}." for sentence in comparison.unmatched]


def render_comparison(comparison: Comparison) -> RenderableType:
    """The table for a terminal, then the notes."""
    notes = [Text(note) for note in comparison_notes(comparison)]
    return Group(render_table(comparison_table(comparison), wrapped=True), *notes)
