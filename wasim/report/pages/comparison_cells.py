"""Two runs compared, as a table and in sentences."""

from rich.console import Group, RenderableType
from rich.text import Text

from wasim.report.comment import Comment, Judged, render_comment
from wasim.report.comparison import Comparison
from wasim.report.gate import Verdict
from wasim.report.pages.terminal import render_table
from wasim.report.tables import TextTable
from wasim.units import format_times


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


def comparison_comment(comparison: Comparison, verdict: Verdict) -> str:
    """The comparison as a comment for a pull request."""
    judged = [Judged(text=line, holds=False) for line in verdict.lines]
    if verdict.asked:
        judged = [Judged(text=verdict.sentence, holds=verdict.passed), *judged]
    return render_comment(
        Comment(
            headline=_headline(comparison),
            judged=judged,
            table=comparison_table(comparison),
            notes=comparison_notes(comparison),
        )
    )


def _headline(comparison: Comparison) -> str:
    """`Metadata written ×0.99 to ×1.02 over 4 cases`."""
    ratios = sorted(
        one.ratio
        for match in comparison.matches
        for one in match.figures
        if one.metric == "metadata_bytes" and one.ratio is not None
    )
    cases = f"{len(comparison.matches)} {'case' if len(comparison.matches) == 1 else 'cases'}"
    if not ratios:
        return f"{cases} compared"
    low, high = (format_times(ratio) for ratio in (ratios[0], ratios[-1]))
    return f"Metadata written {low if low == high else f'{low} to {high}'} over {cases}"


def render_comparison(comparison: Comparison) -> RenderableType:
    """The table for a terminal, then the notes."""
    notes = [Text(note) for note in comparison_notes(comparison)]
    return Group(render_table(comparison_table(comparison), wrapped=True), *notes)
