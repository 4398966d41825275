"""`wasim bench` and `profile`: a scenario run, and a writer measured, on real Iceberg tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import AsJson, Master, Only, PriceFile, Settings, overrides_of, require
from wasim.cli.terminal import Format, FormatOption, Link, chosen_format, console, echo, print_notes, render
from wasim.errors import ExitCode

if TYPE_CHECKING:
    from wasim.estimate import CaseEstimate, RunEstimate
    from wasim.report.tables import TextTable
    from wasim.runner import Outcome
    from wasim.scenario import LoadedScenario


def bench(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The scenario to run.")],
    out: Annotated[Path, typer.Option(help="Directory for results.")] = Path("results"),
    form: FormatOption = Format.TABLE,
    link: Link = "",
    as_json: AsJson = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate each case; run nothing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew instead of resuming.")] = False,
    master: Master = "local[2]",
    engine: Annotated[
        str,
        typer.Option(
            help="spark: real Spark writes real data; core: Iceberg's library alone, without data;"
            " pyiceberg: the Python library, without Java; flink: a Flink of its own."
        ),
    ] = "spark",
    prices: PriceFile = None,
    long: Annotated[bool, typer.Option("--long", help="Run cases of over 100,000 commits, which take hours.")] = False,
    settings: Settings = None,
    only: Only = None,
) -> None:
    """Run a scenario on real Iceberg tables and report. The same command resumes an interrupted run."""
    from wasim.scenario import load_scenario

    form = chosen_format(form, as_json=as_json, link=link)
    scenario = load_scenario(file, overrides_of(settings))
    if only:
        scenario = scenario.only(only)
    print_notes(scenario)
    if dry_run:
        return _print_estimate(scenario, engine, form)
    from wasim.cli.terminal import print_outcome

    try:
        if engine in ("flink", "pyiceberg"):
            outcome = _write_without_spark(engine, scenario, out, fresh=fresh, prices=prices)
        else:
            require("bench", "bench")
            from wasim.bench import BenchOptions, engine_named
            from wasim.bench import bench as run_bench

            options = BenchOptions(
                results=out, master=master, fresh=fresh, engine=engine_named(engine), prices=prices, long=long
            )
            outcome = run_bench(scenario, options, console(stderr=True))
    except KeyboardInterrupt:
        echo("Interrupted. The same command continues after the last finished case.", err=True)
        raise typer.Exit(int(ExitCode.INTERRUPTED)) from None
    return print_outcome(outcome, form, link)


def _write_without_spark(
    engine: str, scenario: "LoadedScenario", out: Path, *, fresh: bool, prices: Path | None
) -> "Outcome":
    from wasim.runner.written import write_scenario

    if engine == "flink":
        require("bench --engine flink", "bench")  # whose jars compile what records
        from wasim.flink import FLINK as WRITER
    else:
        require("bench --engine pyiceberg", "pyiceberg")
        from wasim.pyiceberg import PYICEBERG as WRITER
    return write_scenario(WRITER, scenario, out, console(stderr=True), fresh=fresh, prices=prices)


def _print_estimate(scenario: "LoadedScenario", engine: str, form: Format) -> None:
    from wasim.estimate import estimate_run
    from wasim.report.tables import render_markdown, table_lines

    estimate = estimate_run(scenario, engine=engine)
    document = estimate.document()
    table = _estimate_table(estimate)
    if form is Format.TABLE:
        return echo("\n".join((table.caption, *table_lines(table))))
    return echo(render(form, document, document["cases"], lambda: render_markdown(table)))


def _estimate_table(estimate: "RunEstimate") -> "TextTable":
    from wasim.report.tables import TextTable
    from wasim.units import format_bytes, format_duration

    def cells(part: "RunEstimate | CaseEstimate") -> tuple[str, str, str]:
        disk = "not known" if part.disk_bytes is None else format_bytes(part.disk_bytes)
        return format_duration(round(part.wall_s)), format_bytes(part.memory_bytes), disk

    rows = [
        (str(number), case.label, f"{case.commits:,}", *cells(case))
        for number, case in enumerate(estimate.cases, start=1)
    ]
    commits = sum(case.commits for case in estimate.cases)
    return TextTable(
        caption="Estimated for two cores; nothing was run",
        head=("#", "case", "commits", "time", "memory", "disk"),
        rows=(*rows, ("", "all", f"{commits:,}", *cells(estimate))),
        figures=("#", "commits", "time", "memory", "disk"),
    )


def profile(
    scenario: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="Tables to measure on [default: a table of all types].")
    ] = None,
    writer: Annotated[str, typer.Option(help="streaming or batch, without a SCENARIO.")] = "streaming",
    name: Annotated[str, typer.Option(help="The profile's name [default: the writer's].")] = "",
    out: Annotated[Path | None, typer.Option(help="File to write [default: stdout].")] = None,
    engine: Annotated[str, typer.Option(help="spark, or core: Iceberg's library alone.")] = "spark",
    master: Master = "local[2]",
) -> None:
    """Measure a writer on real tables: the profile that `simulate --profile` takes."""
    require("profile", "bench")
    from wasim.bench.profile import measure_writer
    from wasim.runs import write_atomically
    from wasim.twin import render_profile

    words = console(stderr=True)
    text = render_profile(
        measure_writer(scenario, writer=writer, engine=engine, master=master, name=name, console=words)
    )
    if out is None:
        return echo(text, nl=False)
    write_atomically(out, text)
    return words.print(f"Profile: {out}", markup=False, soft_wrap=True)
