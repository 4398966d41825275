"""`wasim validate`."""

from pathlib import Path

import pytest
from support.command_line import run_main
from support.paths import SCENARIOS

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
