"""The command line: verbs, and the exit codes they end with (see `wasim.errors.ExitCode`)."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from wasim.errors import ScenarioError, WasimError
from wasim.scenario import LoadedScenario, load_scenario
from wasim.scenario.schema import json_schema
from wasim.units import format_duration

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


def _case_table(scenario: LoadedScenario) -> Table:
    table = Table("case", "interval", "commits", "rows per commit")
    for column in table.columns[1:]:
        column.justify = "right"
    for case in scenario.cases():
        interval = format_duration(case.commit_interval_s)
        table.add_row(case.label, interval, str(case.commits), str(case.rows_per_commit))
    return table


def main() -> None:
    """Run the command line; a user's mistake ends in its lines on stderr and its exit code."""
    try:
        app()
    except WasimError as error:
        typer.echo(str(error), err=True)
        sys.exit(int(error.exit_code))
