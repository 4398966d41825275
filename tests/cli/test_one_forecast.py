"""One table asked about through every verb: the same figures, and the same words on what was ignored."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from wasim.capacity import NO_MAINTENANCE, Requirements, Setting, SettingSimulator, request_from_file
from wasim.capacity.fleet import plan_fleet
from wasim.capacity.fleet_options import request_of
from wasim.cli import app
from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.as_case import case_of as case_of_table
from wasim.forecast.ahead import Forecaster
from wasim.ledger import METADATA_KINDS
from wasim.scenario.fleet import load_fleet
from wasim.units import MONTH_S

LOCATION = f"s3://lake/{'w' * 91}/t"  # 103 characters
TABLE = """
name: one
question: What does a month cost?
table:
  columns: [{name: n, type: long, count: 4}]
  properties: {write.metadata.delete-after-commit.enabled: "true"}
workload: {rows_per_second: 64}
writer: streaming
commit_interval: 1m
horizon: 30d
"""
IGNORED = """
name: ignored
question: What is ignored?
table:
  columns: [{name: n, type: long, count: 4}]
  partition_by: [{column: event_time, transform: hour}]
  properties: {write.metadata.delete-after-commit.enabled: "true", write.parquet.compression-codec: snappy}
workload: {rows_per_second: 64, distribution_mode: range}
writer: batch
commit_interval: 1m
horizon: 3h
evolution: [{at: 1h, create_tag: kept}]
"""
SAID = (
    'Not simulated: table.properties.write.parquet.compression-codec, which is "snappy".',
    "Not simulated: workload.distribution_mode range of a partitioned table.",
    "Not simulated: evolution's create_tag.",
)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code in (0, 1), (arguments, result.output, result.exception)
    return result.stdout


def written(case: dict[str, Any]) -> int:
    return sum(case["written_bytes"][kind] for kind in METADATA_KINDS)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("one") / "one.yaml"
    path.write_text(TABLE)
    return path


@pytest.fixture(scope="module")
def month(scenario: Path) -> int:
    """Metadata of the table's first month, simulated in sums."""
    assert len(LOCATION) == 103
    (case,) = json.loads(run("simulate", scenario, "--location", LOCATION, "--table-only", "--json"))["cases"]
    assert case["simulation"]["mode"] == "fast"
    return written(case)


@pytest.mark.slow
def test_a_reports_month_is_what_simulating_one_gives(scenario: Path, month: int, tmp_path: Path):
    where = ("--location", LOCATION, "--out", tmp_path, "--horizon", "10m", "--json")
    answer = json.loads(run("simulate", scenario, *where))["answer"]
    assert answer["choices"][0]["options"][0]["month_bytes"] == month
    assert answer["remedies"]["remedies"][0]["metadata_bytes"] == month
    (folder,) = (tmp_path / "one").iterdir()
    again = json.loads(run("report", folder, "--json"))["answer"]
    assert again == answer


def test_a_grid_s_row_is_what_simulate_gives(scenario: Path, month: int, tmp_path: Path):
    run("simulate", scenario, "--location", LOCATION, "--grid", tmp_path / "grid.parquet")
    assert pq.read_table(tmp_path / "grid.parquet")["metadata_written_bytes"].to_pylist() == [month]


def test_a_plan_s_setting_costs_what_simulate_gives(scenario: Path, month: int):
    request = replace(request_from_file(scenario, {}, Requirements(freshness="1m")), location=LOCATION)
    figures = SettingSimulator(request=request).figures(Setting(interval_s=60.0, maintenance=NO_MAINTENANCE))
    assert figures.values["metadata_bytes"] == pytest.approx(month, rel=1e-4)


def test_a_fleet_of_one_costs_what_a_plan_says(tmp_path: Path):
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "version: 1\nbudget: {monthly_cost: 1000}\n"
        "tables: [{name: a.b.c, rows_per_second: 64, columns: 6, freshness: 1m}]\n"
    )
    ((assigned,), requirements) = plan_fleet(load_fleet(path), Requirements()).assigned, Requirements()
    planned = SettingSimulator(request=request_of(assigned.table, requirements)).figures(assigned.option.setting)
    assert assigned.option.metadata_bytes_per_day == pytest.approx(planned.metadata_bytes_per_day, rel=0.02)
    assert assigned.option.monthly_cost == pytest.approx(planned.monthly_cost, rel=0.02)


def test_an_inspected_table_s_forecast_is_that_of_its_case(scenario: Path, tmp_path: Path):
    run("simulate", scenario, "--emit", tmp_path / "trees", "--horizon", "2h", "--mode", "exact", "--table-only")
    (tree,) = (tmp_path / "trees").iterdir()
    document = json.loads(run("inspect", tree, "--commit-interval", "1m", "--forecast", "30d", "--json"))
    outlook = document["outlook"]
    inspection = inspect_location(str(tree), InspectOptions(commit_interval_s=60.0))
    case = case_of_table(inspection).case.over(outlook["commits_so_far"] * 60.0 + MONTH_S)
    as_is = outlook["prospects"][0]
    there = Forecaster(site=replace(Forecaster().site, location=inspection.tree.opened.metadata.location))
    found = there.of(case).written_bytes
    # the sizes are the table's own, which a profile meets nearly
    assert as_is["written_so_far_bytes"] + as_is["written_ahead_bytes"] == pytest.approx(found, rel=0.005)
    (simulated,) = json.loads(
        run("simulate", scenario, "--location", tree, "--horizon", f"{30 * 24 + 2}h", "--table-only", "--json")
    )["cases"]
    assert found == pytest.approx(written(simulated), rel=0.02)


def test_a_profile_on_the_command_line_is_the_scenario_s(scenario: Path):
    def found(*how: str) -> Any:
        (case,) = json.loads(run("simulate", scenario, *how, "--horizon", "10m", "--table-only", "--json"))["cases"]
        return case["written_bytes"]

    named, given = found("--profile", "security_lake"), found("--set", "writer.profile=security_lake")
    assert named == given != found("--mode", "exact")


@pytest.mark.slow
def test_a_report_s_month_and_remedies_are_the_profile_s(scenario: Path, tmp_path: Path):
    def answered(*how: str) -> dict[str, Any]:
        out = tmp_path / how[0]
        return dict(json.loads(run("simulate", scenario, *how, "--horizon", "10m", "--out", out, "--json"))["answer"])

    own, named = answered("--mode", "exact"), answered("--profile", "security_lake")
    months = [one["choices"][0]["options"][0]["month_bytes"] for one in (own, named)]
    assert months[1] < 0.95 * months[0]
    assert months == [one["remedies"]["remedies"][0]["metadata_bytes"] for one in (own, named)]


def test_every_verb_says_what_it_ignored_in_the_same_words(tmp_path: Path):
    path = tmp_path / "ignored.yaml"
    path.write_text(IGNORED)
    simulated = run("simulate", path, "--mode", "fast", "--table-only")
    reported = json.loads(run("simulate", path, "--mode", "fast", "--table-only", "--json"))["answer"]
    grid = run("simulate", path, "--grid", tmp_path / "grid.parquet")
    planned = run("plan", path, "--freshness", "1m", "--explain", "--horizon", "3h")
    for said in (simulated, grid, planned):
        assert all(sentence in " ".join(said.split()) for sentence in SAID), said
    assert set(SAID) <= set(reported["approximated"])
    (row,) = pq.read_table(tmp_path / "grid.parquet")["approximated"].to_pylist()
    assert set(SAID) <= set(row)
