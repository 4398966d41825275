"""Results in other forms than a terminal's table."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from support.paths import ROOT
from typer.testing import CliRunner

from wasim.cli import app
from wasim.cli.formats import render_csv, render_markdown
from wasim.report.pages.cells import TextTable

SAMPLE = next((ROOT / "results" / "sample" / "smoke").iterdir())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path_factory.mktemp("run") / SAMPLE.name))


def printed(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_is_the_runs_document_and_has_two_names(run: Path) -> None:
    document = printed("report", run, "--format", "json")
    assert json.loads(document) == json.loads((run / "summary.json").read_text())
    assert printed("report", run, "--json") == document


def test_csv_has_a_line_per_case_with_bare_numbers(run: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(printed("report", run, "--format", "csv"))))
    cases = json.loads((run / "summary.json").read_text())["cases"]
    assert [row["label"] for row in rows] == [case["label"] for case in cases]
    for row, case in zip(rows, cases, strict=True):
        assert int(row["written_bytes.metadata_json"]) == case["written_bytes"]["metadata_json"]
        assert float(row["wa.metadata"]) == case["wa"]["metadata"]


def test_markdown_is_a_table_and_nothing_else(run: Path) -> None:
    caption, blank, *lines = printed("report", run, "--format", "markdown").splitlines()
    assert caption.startswith("**")
    assert blank == ""
    assert len(lines) == 2 + 4
    assert len({line.count("|") for line in lines}) == 1


def test_a_record_that_lacks_a_value_leaves_it_empty() -> None:
    assert render_csv([{"a": 1, "b": {"c": None, "d": [1]}}, {"a": "x,y", "e": 0.5}]) == 'a,b.c,e\n1,,\n"x,y",,0.5'


def test_a_bar_in_a_cell_ends_no_cell() -> None:
    table = TextTable(caption="t", head=("case", "n"), rows=(("a|b", "1"),), figures=("n",))
    assert render_markdown(table).splitlines()[2:] == ["| case | n |", "| --- | --: |", "| a\\|b | 1 |"]
