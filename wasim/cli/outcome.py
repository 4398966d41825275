"""A concluded run, printed: what `bench`, `simulate` and `report` end with."""

from typing import TYPE_CHECKING

import typer

from wasim.cli.formats import Format, render
from wasim.cli.terminal import console, echo

if TYPE_CHECKING:
    from wasim.runner import Outcome
    from wasim.runs import LimitDocument


def print_outcome(outcome: "Outcome", form: Format, link: str = "") -> None:
    """Prints what came out and ends with its exit code. In another form than a table, stdout holds nothing else.

    `link` is where the report can be read, its path if empty.
    """
    from wasim.report.pages import render_answer, render_bill, render_headline_table
    from wasim.report.pages.terminal import run_comment
    from wasim.report.simulated import simulation_notes

    if form is not Format.TABLE:
        link = link or ("" if outcome.report is None else str(outcome.report))
        parts = outcome.run, outcome.answer, outcome.limits, link
        echo(render(form, outcome.document, outcome.document["cases"], lambda: run_comment(*parts)))
    words = console(stderr=form is not Format.TABLE)
    words.print(render_answer(outcome.run, outcome.answer))
    if outcome.remedies_line:
        words.print(outcome.remedies_line, markup=False, highlight=False)
    words.print(render_headline_table(outcome.run))
    for note in dict.fromkeys((*simulation_notes(outcome.run), *outcome.ahead)):
        words.print(note, style="dim", markup=False, highlight=False)
    if (bill := render_bill(outcome.run, outcome.answer, outcome.prices)) is not None:
        words.print(bill)
    for limit in outcome.limits:
        words.print(_limit_line(limit), markup=False)
    for label, line in outcome.run.failures.items():
        words.print(f"failed: {label}: {line}", markup=False, style="red")
    if outcome.report is not None:
        words.print(f"Report: {outcome.report}", markup=False, soft_wrap=True)
    if outcome.exit_code:
        raise typer.Exit(int(outcome.exit_code))


def _limit_line(limit: "LimitDocument") -> str:
    from wasim.report.pages.terminal import worst_words

    if limit["holds"] is None:
        return f"limit {limit['limit']} is {worst_words(limit)}"
    return f"limit {limit['limit']} {'holds' if limit['holds'] else 'is breached'}: {worst_words(limit)}"
