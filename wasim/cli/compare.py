"""`wasim report`, `compare` and `diff`: a run's report anew, and two runs or two versions of settings compared."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import AsJson, PriceFile, RunName, flags_of, given_of, refuse, table_location, takes_workload
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

if TYPE_CHECKING:
    from wasim.diff.difference import Workload


def report(
    run: RunName, form: FormatOption = Format.TABLE, link: Link = "", as_json: AsJson = False, prices: PriceFile = None
) -> None:
    """Rebuild the report of a saved run; nothing is measured."""
    from wasim.cli.terminal import print_outcome
    from wasim.runner import conclude_run
    from wasim.runs import find_run

    form = chosen_format(form, as_json=as_json, link=link)
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
    from wasim.report.pages.terminal import comparison_comment, render_comparison
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


DEFAULT_ROWS, DEFAULT_INTERVAL = "1000", "1m"


@takes_workload
def diff(
    base: Annotated[str, typer.Argument(metavar="BASE", help="A file, REV:path in git, or a revision.")],
    head: Annotated[
        str | None, typer.Argument(metavar="[HEAD]", help="The same after the change; what lies here now.")
    ] = None,
    *,
    workload: dict[str, str | None],
    scenario: Annotated[
        Path | None, typer.Option(help="Table and workload on which settings are tried, instead of flags.")
    ] = None,
    interval: Annotated[str | None, typer.Option(help="Commit interval where a file has none; 1m.")] = None,
    horizon: Annotated[str, typer.Option(help="Event time that figures are of.")] = "30d",
    repository: Annotated[Path, typer.Option("-C", "--repository", help="Folder of the git repository.")] = Path(),
    location: Annotated[str | None, typer.Option(help="Where the table lies: its files repeat that.")] = None,
    provider: Annotated[str | None, typer.Option(help="Where the table lies, as wasim plan takes it.")] = None,
    prices: Annotated[Path | None, typer.Option(metavar="FILE", help="Prices of your own, instead.")] = None,
    fail_above: FailAbove = None,
    fail_on_missing: FailOnMissing = False,
    form: FormatOption = Format.TABLE,
    link: Link = "",
    as_json: AsJson = False,
) -> None:
    """Say what a change costs, before it is merged: scenarios, table properties, triggers; exit 1 above a threshold."""
    from wasim.contention import provider_named
    from wasim.diff.difference import find_differences
    from wasim.diff.projection import Terms
    from wasim.diff.sides import find_pairs
    from wasim.diff.words import (
        difference_lines,
        difference_records,
        differences_comment,
        differences_document,
        judge_differences,
    )
    from wasim.report.gate import parse_gate
    from wasim.scenario.prices import load_prices
    from wasim.units import MOST_AHEAD_S, duration_of_flag_s

    form = chosen_format(form, as_json=as_json, link=link)
    gate = None if fail_above is None else parse_gate(fail_above)
    duration_of_flag_s("--horizon", horizon, MOST_AHEAD_S)  # what no side says is a mistake before any is compared
    if provider is not None:
        provider_named(provider)
    if prices is not None:
        load_prices(prices)
    given = given_of(flags_of(workload) | {"--scenario": scenario, "--interval": interval})
    terms = Terms(
        horizon=horizon,
        location=None if location is None else table_location(location),
        provider=provider,
        prices=prices,
    )
    tried = _workload(scenario, workload, interval, horizon)
    found = find_differences(find_pairs(base, head, repository), tried, terms)
    verdict = judge_differences(found, gate, fails_on_missing=fail_on_missing)
    if form is Format.TABLE:
        echo("\n".join(difference_lines(found)))
    else:
        comment = differences_comment
        document, records = differences_document(found, verdict), difference_records(found)
        echo(render(form, document, records, lambda: comment(found, verdict, link)))
    if given and not found.assumed:
        echo(f"note: {given[0]} changed nothing: no settings were tried on a workload.", err=True)
    for line in (verdict.sentence, *verdict.lines) if verdict.asked else ():
        echo(line, err=True)
    if not verdict.passed or any(one.broken for one in found.found):
        raise typer.Exit(int(ExitCode.FINDINGS))


def _workload(scenario: Path | None, given: dict[str, str | None], interval: str | None, horizon: str) -> "Workload":
    """What settings are tried on: a scenario, or flags with defaults that are named, and the writer that a file is for
    unless a flag says another.
    """
    from dataclasses import replace

    from wasim.diff.difference import Workload
    from wasim.diff.read import WRITERS
    from wasim.scenario import load_scenario

    if scenario is not None:
        refuse(flags_of(given) | {"--interval": interval}, "and --scenario exclude each other. Change the scenario.")
        loaded = load_scenario(scenario)
        first = "the first case of " if len(loaded.cases()) > 1 else ""
        expires = loaded.scenario.maintenance.expire_snapshots is not None
        return Workload(text=loaded.text, assumed=(f"Settings are tried on {first}{scenario}.",), expires=expires)
    plain, of_writers = _workload_of_flags(given, interval, horizon), {}
    for writer in () if given["writer"] or given["writers"] else WRITERS:
        named = _workload_of_flags({**given, "writer": writer}, interval, horizon)
        of_writers[writer] = replace(named, assumed=(*named.assumed, f"The writer is {writer} where a file says so."))
    return replace(plain, of_writers=of_writers)


def _workload_of_flags(given: dict[str, str | None], interval: str | None, horizon: str) -> "Workload":
    import json

    from wasim.diff.difference import Workload
    from wasim.diff.read import WRITERS
    from wasim.scenario.from_flags import document_from_flags

    rows = given["rows_per_second"]
    document, assumed = document_from_flags({**given, "rows_per_second": rows or DEFAULT_ROWS, "horizon": horizon})
    said = [
        f"Settings are tried on {rows or DEFAULT_ROWS} rows a second{'' if rows else ' (default)'}, with a commit every"
        f" {interval or DEFAULT_INTERVAL} where none is set; snapshots expire daily, by the table's own age.",
        *assumed,
    ]
    text = json.dumps({**document, "commit_interval": interval or DEFAULT_INTERVAL})
    counts = given["tables"] is None and given["writer"] in WRITERS
    return Workload(text=text, assumed=tuple(said), expires=False, counts_tables=counts)
