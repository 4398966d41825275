"""`wasim plan --fleet` on the command line: warehouses, and what is refused."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from support.paths import SCENARIOS, TESTS
from typer.testing import CliRunner

from wasim.capacity import settings
from wasim.cli import app
from wasim.errors import WasimError


def run(*arguments: object):
    return CliRunner().invoke(app, ["plan", "--fleet", *map(str, arguments)])


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tables that have too few commits."""
    monkeypatch.setattr(settings, "MOST_INTERVALS", 2)
    for name in ("empty_v1", "empty_v2"):
        shutil.copytree(TESTS / "data" / "tables" / name, tmp_path / "db" / name)
    return tmp_path


def test_a_warehouse_is_each_of_its_tables_by_from_table(warehouse: Path):
    shutil.rmtree(warehouse / "db" / "empty_v2")
    shutil.copytree(TESTS / "data" / "tables" / "dropped_source", warehouse / "db" / "dropped_source")
    asked = ("--freshness", "12h", "--time-travel", "2d")
    result = run(warehouse, *asked, "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    able, unable = document["tables"]
    assert (able["name"], unable["name"]) == ("db/dropped_source", "db/empty_v1")
    assert "fewer than two commits" in unable["fault"]
    alone = CliRunner().invoke(app, ["plan", "--from-table", f"{warehouse}/{able['name']}", *asked, "--json"])
    own = json.loads(alone.stdout)
    assert able["monthly_cost"] == document["monthly_cost"] == own["recommended"]["figures"]["monthly_cost"]
    assert able["money"] == document["money"] == own["money"]
    assert (able["sql"], able["warnings"]) == (own["sql"], own["warnings"])


def test_tables_without_a_setting_are_named_in_every_form(warehouse: Path):
    page = warehouse / "page.html"
    texts = [run(warehouse, "--html", page, "--format", form).stdout for form in ("table", "markdown", "csv")]
    for text in (*texts, page.read_text()):
        assert "db/empty_v1" in text
        assert "fewer than two commits" in " ".join(text.split())
    assert [row["name"] for row in csv.DictReader(texts[2].splitlines())] == ["db/empty_v1", "db/empty_v2"]
    assert texts[1].startswith("### ✗ 0 of 2 tables: none has a setting.")
    assert "- ✗ 2 without a setting" in texts[1]


def test_limits_on_money_and_daily_metadata_are_a_warehouses_budget(warehouse: Path):
    result = run(warehouse, "--metadata-per-day", "1KB", "--json")
    assert json.loads(result.stdout)["budget"] == {"metadata_per_day": 1000, "monthly_cost": None}
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{scenario: none.yaml}", "none.yaml: no such file"),
        ("{scenario: fleet.yaml}", "fleet.yaml"),
        ("{scenario: ..}", "is no regular file, but a folder"),
        ("{from_table: none}", "none"),
        ("{name: a, rows_per_second: 5, now: interval}", "table a: --now has 'interval'"),
        ("{name: a, rows_per_second: 0.001, freshness: 1m}", "table a: workload.rows_per_second"),
        ("{scenario: a\\0b}", "a"),
        (f"{{scenario: {'x' * 300}}}", "xxx"),
    ],
)
def test_what_a_table_cannot_be_ends_in_exit_code_2(entry: str, said: str, tmp_path: Path):
    path = tmp_path / "fleet.yaml"
    path.write_text(f"version: 1\ntables: [{entry}]\n")
    fault = run(path).exception
    assert isinstance(fault, WasimError)
    assert int(fault.exit_code) == 2
    assert said in str(fault)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.yaml",), "none.yaml: no such file. Give the path of a fleet's file"),
        ((TESTS / "data" / "tables" / "empty_v1",), "no tables lie below it. One table is for --from-table"),
        ((TESTS / "data" / "tables", "--name", "a.b.c"), "--name"),
        ((SCENARIOS / "smoke.yaml",), "is not a fleet's file"),
        ((SCENARIOS / "smoke.yaml", "--freshness", "1m"), "--freshness"),
        ((SCENARIOS / "smoke.yaml", "--planning", "1s"), "--planning"),
    ],
)
def test_where_no_fleet_is_one_line_says_so(arguments: tuple[object, ...], said: str):
    fault = run(*arguments).exception
    assert isinstance(fault, WasimError)
    assert said in str(fault)
    assert "\n" not in str(fault)
