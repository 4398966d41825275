"""`wasim compare` and `wasim report`: two runs case by case, and the report of one drawn anew."""

import typer

from wasim.cli.options import AsJson, PriceFile, RunName
from wasim.cli.terminal import (
    FailAbove,
    FailOnMissing,
    Format,
    FormatOption,
    Link,
    chosen_format,
    console,
    echo,
    render,
)
from wasim.errors import ExitCode


def report(
    run: RunName,
    form: FormatOption = Format.TABLE,
    link: Link = "",
    as_json: AsJson = False,
    prices: PriceFile = None,
) -> None:
    """Rebuild the report of a saved run; nothing is measured."""
    from wasim.cli.terminal import print_outcome
    from wasim.runner import conclude_run
    from wasim.runs import find_run

    form = chosen_format(form, as_json=as_json)
    print_outcome(conclude_run(find_run(run), prices), form, link)


def compare(
    first: RunName,
    second: RunName,
    as_json: AsJson = False,
    form: FormatOption = Format.TABLE,
    fail_above: FailAbove = None,
    fail_on_missing: FailOnMissing = False,
) -> None:
    """Compare two runs case by case: the second's figures, and their ratio to the first's."""
    from wasim.report.comparison import compare_runs, comparison_document, comparison_records
    from wasim.report.gate import parse_gate
    from wasim.report.pages import comparison_comment, render_comparison
    from wasim.runs import find_run, read_run

    gate = None if fail_above is None else parse_gate(fail_above)
    comparison = compare_runs(read_run(find_run(first)), read_run(find_run(second)))
    verdict = comparison.judge(gate, fails_on_missing=fail_on_missing)
    form = chosen_format(form, as_json=as_json)
    if form is Format.TABLE:
        console().print(render_comparison(comparison))
    else:
        document, records = comparison_document(comparison, verdict), comparison_records(comparison)
        echo(render(form, document, records, lambda: comparison_comment(comparison, verdict)))
    for line in (verdict.sentence, *verdict.lines) if verdict.asked else ():
        echo(line, err=True)
    if not verdict.passed:
        raise typer.Exit(int(ExitCode.FINDINGS))
