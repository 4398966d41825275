"""Results in other forms than a terminal's table."""

import csv
import io
import json
from typing import Any

import pytest
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim.cli import app
from wasim.cli.terminal import render_csv
from wasim.report.tables import TextTable, render_markdown

SIMULATE = ("simulate", str(SCENARIOS / "smoke.yaml"), "--table-only")


def printed(*options: str) -> str:
    result = CliRunner().invoke(app, [*SIMULATE, "--horizon", "1m", *options])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(printed("--format", "json"))  # which --json is another name of
    return read


def test_json_and_another_format_exclude_each_other() -> None:
    refused = CliRunner().invoke(app, [*SIMULATE, "--json", "--format", "csv"])
    assert str(refused.exception) == "--json and --format csv exclude each other: give one."
    assert json.loads(printed("--json", "--format", "json"))["cases"]


def test_csv_has_a_line_per_case_with_bare_numbers(document: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed("--format", "csv"))))
    assert [row["label"] for row in rows] == [case["label"] for case in document["cases"]]
    for row, case in zip(rows, document["cases"], strict=True):
        assert int(row["written_bytes.metadata_json"]) == case["written_bytes"]["metadata_json"]
        assert float(row["wa.metadata"]) == case["wa"]["metadata"]


def test_markdown_is_a_comment_to_post() -> None:
    limits = ('--set=limits={wa_metadata: "< 100", metadata_json_bytes: "< 14 KiB", planning_p50_ms: "< 2s"}',)
    result = CliRunner().invoke(app, [*SIMULATE, "--format", "markdown", "--link", "https://ci/1", *limits])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("### ✗ Shortest interval within all limits that a simulation judges: 4s (streaming)")
    assert lines[2:5] == [
        "- ✓ `wa_metadata < 100`: 10.3 (streaming every 1s)",
        "- ✗ `metadata_json_bytes < 14 KiB`: 14.6 KiB (streaming every 1s)",
        "- · `planning_p50_ms < 2s`: not judged: a simulation measures no time",
    ]
    assert len([line for line in lines if line.startswith(("| 1s", "| → 1s", "| 4s", "| → 4s"))]) == 3 * 4
    assert (lines.count("</details>"), lines[-1]) == (2, "[Report](https://ci/1)")


def test_a_plan_is_a_comment_too() -> None:
    asked = ("plan", "--rows-per-second", "50", "--freshness", "10m", "--metadata-json", "5MB", "--horizon", "1d")
    result = CliRunner().invoke(app, [*asked, "--format", "markdown", "--link", "https://ci/2"])
    lines = result.stdout.splitlines()
    assert lines[0].startswith("### ✓ Commit every ")
    assert lines[2].startswith("- ✓ metadata.json: ")
    assert "| cost, month 1 |" in result.stdout.partition("<details>")[0]
    assert "CALL " in result.stdout.partition("```sql")[2].partition("```")[0]
    assert lines[-1] == "[Report](https://ci/2)"
    refused = CliRunner().invoke(app, [*asked, "--format", "csv"])
    assert "has no such form" in str(refused.exception)


def test_a_record_that_lacks_a_value_leaves_it_empty() -> None:
    assert render_csv([{"a": 1, "b": {"c": None, "d": [1]}}, {"a": "x,y", "e": 0.5}]) == 'a,b.c,e\n1,,\n"x,y",,0.5'


def test_a_bar_in_a_cell_ends_no_cell() -> None:
    table = TextTable(caption="t", head=("case", "n"), rows=(("a|b", "1"),), figures=("n",))
    assert render_markdown(table).splitlines()[2:] == ["| case | n |", "| --- | --: |", "| a\\|b | 1 |"]
