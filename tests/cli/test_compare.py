"""`wasim compare` on the saved sample: JSON on stdout, exit 1 above a ratio, Markdown for a pull request."""

import json
import shutil
from pathlib import Path

import pytest
from support.paths import sample_run
from typer.testing import CliRunner

from wasim import cli


def ran(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["compare", *arguments])
    return result.exit_code, result.stdout


def test_a_run_compared_with_itself_is_within_any_ratio() -> None:
    code, text = ran(str(sample_run()), str(sample_run()), "--json", "--fail-above", "1.01")
    assert code == 0
    document = json.loads(text)
    assert len(document["cases"]) == 4
    assert {figure["ratio"] for case in document["cases"] for figure in case["figures"]} == {1.0}


def test_above_the_ratio_it_exits_1() -> None:
    assert ran(str(sample_run()), str(sample_run()), "--fail-above", "0.9")[0] == 1


def test_markdown_has_a_row_for_every_case() -> None:
    code, text = ran(str(sample_run()), str(sample_run()), "--format", "markdown")
    assert code == 0
    assert (
        len([line for line in text.splitlines() if line.startswith("| streaming") or line.startswith("| batch")]) == 4
    )


@pytest.mark.parametrize("ratio", ["0", "-1", "nan"])
def test_a_ratio_that_is_none_is_refused(ratio: str) -> None:
    result = CliRunner().invoke(cli.app, ["compare", str(sample_run()), str(sample_run()), "--fail-above", ratio])
    assert "Give a ratio above zero" in str(result.exception)


def test_a_run_of_another_horizon_is_refused_with_what_differs(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(sample_run(), other)
    for path in other.glob("cases/*/case.json"):
        document = json.loads(path.read_text())
        document["case"]["horizon_s"] = 12.5
        path.write_text(json.dumps(document))
    result = CliRunner().invoke(cli.app, ["compare", str(sample_run()), str(other)])
    assert "differs in horizon (12s, 12.5s)" in str(result.exception)
