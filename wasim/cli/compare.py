"""`wasim compare`: two runs case by case."""

from typing import Annotated

import typer

from wasim.cli.formats import Format, FormatOption, chosen_format, render
from wasim.cli.options import AsJson, RunName
from wasim.cli.terminal import console, echo
from wasim.errors import ExitCode, WasimError


def compare(
    first: RunName,
    second: RunName,
    as_json: AsJson = False,
    form: FormatOption = Format.TABLE,
    fail_above: Annotated[
        float | None,
        typer.Option(metavar="RATIO", help="Exit 1 if any figure is more than RATIO times the first's."),
    ] = None,
) -> None:
    """Compare two runs case by case: the second's figures, and their ratio to the first's."""
    from wasim.report.comparison import compare_runs, comparison_document, comparison_records
    from wasim.report.pages import comparison_notes, comparison_table, render_comparison
    from wasim.runs import find_run, read_run

    if fail_above is not None and not fail_above > 0:
        raise WasimError(f"--fail-above is {fail_above:g}. Give a ratio above zero, such as 1.1.")
    comparison = compare_runs(read_run(find_run(first)), read_run(find_run(second)))
    form = chosen_format(form, as_json=as_json)
    if form is Format.TABLE:
        console().print(render_comparison(comparison))
    else:
        document, records = comparison_document(comparison), comparison_records(comparison)
        echo(render(form, document, records, comparison_table(comparison)))
    if form is Format.MARKDOWN:
        echo("".join(f"\n- {note}" for note in comparison_notes(comparison)))
    grown = comparison.above(fail_above) if fail_above is not None else []
    for sentence in grown:
        echo(f"above ×{fail_above:g}: {sentence}", err=True)
    if grown:
        raise typer.Exit(int(ExitCode.FINDINGS))
