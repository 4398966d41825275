"""`wasim validate`, `init` and `schema`: scenarios checked, one to begin with, and what an editor checks them by."""

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import Settings, overrides_of
from wasim.cli.terminal import echo
from wasim.errors import ScenarioError, WasimError

if TYPE_CHECKING:
    from wasim.report.tables import TextTable
    from wasim.scenario import LoadedScenario


def schema() -> None:
    """Print the scenario language as JSON Schema, for editors."""
    from wasim.scenario.schema import json_schema

    echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="File to write.")] = Path("scenario.yaml"),
) -> None:
    """Write a commented scenario to start from. A file that exists is left as it is."""
    text = files("wasim.scenario").joinpath("starter.yaml").read_text()
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x") as scenario:
            scenario.write(text)
    except FileExistsError:
        raise WasimError(f"{file}: exists already. Name another file, or delete this one.") from None
    echo(f"Wrote {file}. Next: wasim simulate {file}")


def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenarios to check.")],
    cases: Annotated[bool, typer.Option("--cases", help="List every case too.")] = False,
    settings: Settings = None,
) -> None:
    """Check scenarios; print every mistake with its position and how to correct it."""
    from wasim.report.tables import table_lines
    from wasim.scenario import load_scenario
    from wasim.units import format_count

    faults: list[str] = []
    for file in files:
        try:
            scenario = load_scenario(file, overrides_of(settings))
        except ScenarioError as error:
            faults += error.args
            continue
        cases_found, commits = format_count(len(scenario.cases()), "case"), format_count(scenario.commits, "commit")
        echo(f"{file}: {scenario.name}, {cases_found}, {commits}")
        for note in scenario.notes:
            echo(f"{file}: note: {note}")
        if cases:
            echo("\n".join(table_lines(_case_table(scenario))))
    if faults:
        raise ScenarioError(*faults)


def _case_table(scenario: "LoadedScenario") -> "TextTable":
    from wasim.report.tables import TextTable
    from wasim.units import format_duration

    rows = [
        (
            str(number),
            case.label,
            format_duration(case.commit_interval_s),
            f"{case.commits:,}",
            f"{case.rows_per_commit:,}",
        )
        for number, case in enumerate(scenario.cases(), start=1)
    ]
    figures = ("#", "interval", "commits", "rows per commit")
    return TextTable(caption="", head=("#", "case", *figures[1:]), rows=tuple(rows), figures=figures)
