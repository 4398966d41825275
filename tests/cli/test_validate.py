"""`wasim validate`."""

import re
from pathlib import Path

import pytest
from support.command_line import run_main
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import ExitCode, WasimError
from wasim.scenario import load_scenario

SMOKE = SCENARIOS / "smoke.yaml"


def test_cases_are_listed_with_the_number_that_only_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main("validate", "--cases", str(SMOKE)) == 0
    summary, head, *cases = capsys.readouterr().out.splitlines()
    assert summary == f"{SMOKE}: smoke, 4 cases, 30 commits"
    assert head.split() == ["#", "case", "interval", "commits", "rows", "per", "commit"]
    assert [case.split() for case in cases][1] == ["2", "batch", "every", "1s", "1s", "12", "50"]


def test_brackets_in_a_label_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "brackets.yaml"
    text = SMOKE.read_text().replace("sweep:\n", 'sweep:\n  table.properties.note: ["[/b]", "[red]x"]\n')
    scenario.write_text(text)
    assert run_main("validate", "--cases", str(scenario)) == 0
    assert "[/b]" in capsys.readouterr().out


def test_what_init_writes_is_a_sound_scenario(tmp_path: Path) -> None:
    file = tmp_path / "new" / "scenario.yaml"
    assert CliRunner().invoke(app, ["init", str(file)]).exit_code == ExitCode.DONE
    assert len(load_scenario(file).cases()) == 3


def test_every_idea_in_it_is_sound_too(tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    CliRunner().invoke(app, ["init", str(file)])
    text = file.read_text()
    file.write_text(re.sub(r"^( *)# ( *[a-z][\w.-]*:.*)$", r"\1\2", text, flags=re.MULTILINE))
    assert file.read_text() != text
    scenario = load_scenario(file)
    assert scenario.scenario.maintenance.expire_snapshots is not None
    assert {limit.metric for limit in scenario.limits} == {"metadata_bytes", "manifests", "planning_p95_ms"}


def test_an_existing_file_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text("mine")
    fault = CliRunner().invoke(app, ["init", str(file)]).exception
    assert isinstance(fault, WasimError)
    assert str(fault) == f"{file}: exists already. Name another file, or delete this one."
    assert file.read_text() == "mine"
