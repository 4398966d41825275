"""`wasim simulate`: options that are refused, and what is said first."""

from pathlib import Path

import pytest
from support.command_line import run_main
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim import cli
from wasim.errors import WasimError

SMOKE = SCENARIOS / "smoke.yaml"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["simulate", str(SMOKE), "--profile", "none"], "is no file and no shipped profile"),
        (["simulate", str(SMOKE), "--location", " "], "--location is ' '"),
        (["simulate", str(SMOKE), "--location", "not a uri"], "--location is 'not a uri'"),
        (["simulate", str(SMOKE), "--location", "s3://b/t", "--emit", "x"], "exclude each other"),
        (["simulate", str(SMOKE), "--emit", str(SMOKE)], "no folder can be made there (File exists)"),
        (["simulate", str(SMOKE), "--grid", "no/such/folder/grid"], "there is no folder no/such/folder"),
        (["simulate", str(SMOKE), "--grid", str(SMOKE)], "is there already, and is no Parquet"),
        (["simulate", str(SMOKE), "--grid", "x", "--json"], "Leave --json and --format out"),
        (["simulate", "--rows-per-second", "5", "--writer", "flink", "--profile", "trino"], "both say what writes"),
        (["simulate", str(SMOKE), "--grid", "x", "--out", "y"], "--out is for a run, and --grid leaves none"),
        (["simulate", str(SMOKE), "--table-only", "--out", "y"], "--out and --table-only exclude each other"),
        (["simulate", "--rows-per-second", "5", "--interval", "1m,60s"], "--interval[1] is the same as --interval[0]"),
        (["simulate", "--rows-per-second", "5", "--set", "rows=5"], "on the command line: rows is unknown"),
    ],
)
def test_impossible_profiles_and_places_are_refused_in_a_line(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli.app, arguments)
    assert isinstance(result.exception, WasimError)
    assert said in str(result.exception)
    assert "flags.yaml" not in str(result.exception)


@pytest.mark.parametrize("verb", [("simulate", "--table-only"), ("bench", "--dry-run")])
def test_what_runs_differently_from_its_text_is_noted_first(
    verb: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "uneven.yaml"
    path.write_text(SMOKE.read_text().replace("horizon: 12s", "horizon: 12500ms"))
    assert run_main(verb[0], str(path), verb[1]) == 0
    assert capsys.readouterr().err.startswith(
        "note: horizon: 12.5s is cut to whole commits, to 12s at 1s, to 12s at 4s."
    )


def test_a_case_that_never_keeps_up_would_have_written(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--rows-per-second", "1000000", "--writer", "batch", "--interval", "1s", "--horizon", "1y", "--table-only")
    assert run_main("simulate", *asked) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Over 365d, batch every 1s would have written, had it kept up, ")
    assert "1,000,000 rows a second in 20 columns" in said
