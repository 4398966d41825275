"""The command line: verbs, and the exit codes they end with (see `wasim.errors.ExitCode`).

Verbs import what they need when they run, so that `wasim validate` starts without Spark.
"""

import errno
import io
import json
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wasim.errors import ExitCode, ScenarioError, WasimError
from wasim.scenario import LoadedScenario, load_scenario
from wasim.scenario.schema import json_schema
from wasim.units import format_duration

if TYPE_CHECKING:
    from wasim.bench import Outcome

_MACHINES_FAULT = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR}

PriceFile = Annotated[Path | None, typer.Option(metavar="FILE", help="What S3 charges, instead of the prices shipped.")]

app = typer.Typer(
    name="wasim",
    help="What a commit interval costs in Apache Iceberg metadata.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _wasim() -> None:
    """What a commit interval costs in Apache Iceberg metadata."""


@app.command()
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenarios to check.")],
    cases: Annotated[bool, typer.Option("--cases", help="List every case too.")] = False,
) -> None:
    """Check scenarios; print every fault with its position and remedy."""
    faults: list[str] = []
    for file in files:
        try:
            scenario = load_scenario(file)
        except ScenarioError as error:
            faults += error.faults
            continue
        typer.echo(f"{file}: {scenario.name}, {len(scenario.cases())} cases, {scenario.commits} commits")
        if cases:
            Console().print(_case_table(scenario))
    if faults:
        raise ScenarioError(faults)


@app.command()
def schema() -> None:
    """Print the scenario language as JSON Schema, for editors."""
    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


@app.command()
def bench(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The scenario to run.")],
    out: Annotated[Path, typer.Option(help="Folder that takes the run.")] = Path("results"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the cases and their steps; run nothing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not resume an unfinished run.")] = False,
    master: Annotated[str, typer.Option(help="Spark master URL.")] = "local[2]",
    engine: Annotated[
        str, typer.Option(help="spark: real Spark writes real data; core: Iceberg's library alone, without data.")
    ] = "spark",
    prices: PriceFile = None,
) -> None:
    """Run a scenario on real Iceberg tables; end with its report. The same command resumes a run cut off."""
    scenario = load_scenario(file)
    if dry_run:
        return _print_plan(scenario)
    from wasim.bench import BenchOptions, engine_named
    from wasim.bench import bench as run_bench

    progress = Console(stderr=True)
    options = BenchOptions(results=out, master=master, fresh=fresh, engine=engine_named(engine), prices=prices)
    try:
        outcome = run_bench(scenario, options, progress)
    except KeyboardInterrupt:
        typer.echo("Interrupted. The same command goes on after the last finished case.", err=True)
        raise typer.Exit(int(ExitCode.INTERRUPTED)) from None
    return _show(outcome, as_json=as_json)


@app.command()
def simulate(
    file: Annotated[Path, typer.Argument(metavar="SCENARIO", help="The scenario to simulate.")],
    horizon: Annotated[str | None, typer.Option(help="Event time instead of the scenario's, such as 365d.")] = None,
    mode: Annotated[str, typer.Option(help="exact: every byte; fast: fitted laws; auto: exact if short.")] = "auto",
    emit: Annotated[Path | None, typer.Option(help="Folder that takes the metadata of exact cases.")] = None,
    profile: Annotated[
        str | None, typer.Option(help="What writes: a shipped profile's name, or a file that wasim profile wrote.")
    ] = None,
    location: Annotated[str | None, typer.Option(help="Where the table will lie: its files repeat that.")] = None,
    grid: Annotated[
        Path | None, typer.Option(help="Parquet that takes one row per case, in fast mode: for sweeps of thousands.")
    ] = None,
    master: Annotated[str | None, typer.Option(help="Spark that works the grid off; left out: this machine.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Simulate a scenario: what bench would find, without Spark, for any horizon."""
    from wasim.forecast import ForecastOptions, forecast, horizon_named, location_named, mode_named
    from wasim.report.pages import render_headline_table
    from wasim.runs import summary_document
    from wasim.twin import profile_named

    if grid is None and master is not None:
        raise WasimError("--master is for a sweep: give --grid a folder too.")
    words = Console(stderr=as_json)
    options = ForecastOptions(
        mode=mode_named(mode, emit),
        horizon_s=horizon_named(horizon),
        emit=emit,
        profile=None if profile is None else profile_named(profile),
        location=location_named(location, emit),
    )
    if grid is not None:
        from wasim.sweeps import simulate_sweep

        return typer.echo(simulate_sweep(load_scenario(file), options, out=grid, master=master))
    run = forecast(load_scenario(file), options, lambda line: Console(stderr=True).print(line, markup=False))
    if as_json:
        typer.echo(json.dumps(summary_document(run, {}, [])))
    return words.print(render_headline_table(run))


@app.command()
def profile(
    scenario: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="Tables to measure on; left out: a table of all types.")
    ] = None,
    writer: Annotated[str, typer.Option(help="streaming or batch, without a SCENARIO.")] = "streaming",
    name: Annotated[str, typer.Option(help="The profile's name; left out: the writer's.")] = "",
    out: Annotated[Path | None, typer.Option(help="File that takes the profile; left out: stdout.")] = None,
    engine: Annotated[str, typer.Option(help="spark, or core: Iceberg's library alone.")] = "spark",
    master: Annotated[str, typer.Option(help="Spark master URL.")] = "local[2]",
) -> None:
    """Measure a writer on real tables: the profile that `simulate --profile` takes."""
    from wasim.bench.profile import measure_writer
    from wasim.runs import write_atomically
    from wasim.twin import render_profile

    console = Console(stderr=True)
    text = render_profile(
        measure_writer(scenario, writer=writer, engine=engine, master=master, name=name, console=console)
    )
    if out is None:
        return typer.echo(text, nl=False)
    write_atomically(out, text)
    return console.print(f"Profile: {out}", markup=False, soft_wrap=True)


@app.command()
def fidelity(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of finished runs.")],
    chart: Annotated[Path | None, typer.Option(help="SVG that takes the merges of the case that merged most.")] = None,
) -> None:
    """Hold the simulator against real runs: simulate each case from its scenario alone and compare, as Markdown."""
    from wasim.bench.fidelity import INTRODUCTION, check_fidelity, draw_thrash
    from wasim.runs import write_atomically
    from wasim.twin.fidelity import render_fidelity

    if chart is not None:
        write_atomically(chart, draw_thrash(runs))
    typer.echo(f"{INTRODUCTION}\n{render_fidelity(check_fidelity(runs))}", nl=False)


@app.command()
def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run, such as results/smoke/20260101T000000Z-0000.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
    prices: PriceFile = None,
) -> None:
    """Fit and draw a run again from what it saved; nothing is measured."""
    from wasim.bench import conclude_run

    _show(conclude_run(run, prices), as_json=as_json)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run to hold against it.")],
) -> None:
    """Print two runs case by case: the second's figures, and their ratio to the first's."""
    from wasim.report.pages import render_comparison
    from wasim.runs import read_run

    Console().print(render_comparison(read_run(first), read_run(second)))


def _print_plan(scenario: LoadedScenario) -> None:
    from wasim.workload import plan_steps

    for case in scenario.cases():
        typer.echo(f"{case.label}: {case.commits} commits of {case.rows_per_commit} rows")
        for step in plan_steps(case):
            typer.echo(f"  {step}")


def _show(outcome: "Outcome", *, as_json: bool) -> None:
    """Prints what came out and ends with its exit code. With JSON, stdout holds nothing else."""
    from wasim.report.pages import conclude, render_bill, render_headline_table

    if as_json:
        typer.echo(json.dumps(outcome.document))
    words = Console(stderr=as_json)
    words.print(render_headline_table(outcome.run))
    if (bill := render_bill(outcome.run, outcome.fit, outcome.prices)) is not None:
        words.print(bill)
    words.print(conclude(outcome.run, outcome.fit), markup=False)
    for limit in outcome.limits:
        verdict = "holds" if limit["holds"] else "is breached"
        words.print(f"limit {limit['limit']} {verdict}: {limit['worst']} ({limit['case']})", markup=False)
    for label, line in outcome.run.failures.items():
        words.print(f"failed: {label}: {line}", markup=False, style="red")
    words.print(f"Report: {outcome.report}", markup=False, soft_wrap=True)
    if outcome.exit_code:
        raise typer.Exit(int(outcome.exit_code))


def _case_table(scenario: LoadedScenario) -> Table:
    table = Table("case", "interval", "commits", "rows per commit")
    for column in table.columns[1:]:
        column.justify = "right"
    for case in scenario.cases():
        interval = format_duration(case.commit_interval_s)
        table.add_row(Text(case.label), interval, str(case.commits), str(case.rows_per_commit))
    return table


def main() -> None:
    """Run the command line; a user's mistake ends in its lines on stderr and its exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an ASCII terminal gets a question mark, not a traceback
    try:
        app()
    except WasimError as error:
        typer.echo(str(error), err=True)
        sys.exit(int(error.exit_code))
    except OSError as error:
        if error.errno not in _MACHINES_FAULT:
            traceback.print_exc()
            sys.exit(int(ExitCode.BUG))
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"{where}{error.strerror}. Mend that, then run the same command: finished cases are kept.", err=True)
        sys.exit(int(ExitCode.USER_MISTAKE))
    except Exception:  # a bug keeps its traceback, and an exit code that says no more than that
        traceback.print_exc()
        sys.exit(int(ExitCode.BUG))
