"""`wasim init`."""

import re
from pathlib import Path

from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import ExitCode, WasimError
from wasim.scenario import load_scenario


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
