"""N tables of one job cost N times what one costs, and are kept up with for less than an N-th of the time."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from wasim.capacity import Figures, Requirements, SettingSimulator, make_plan, request_from_file
from wasim.capacity.answer import plan_lines
from wasim.capacity.document import plan_document
from wasim.capacity.settings import NO_MAINTENANCE, Setting
from wasim.grid import grid_schema, plan_grid, simulate_grid
from wasim.ledger import Kind
from wasim.report.pages.cells import headline_table
from wasim.runner import Outcome
from wasim.runs.limits import judge
from wasim.scenario import load_scenario
from wasim.scenario.metrics import ADDING_UP, Limit
from wasim.simulation import Mode, SimulationOptions, simulate
from wasim.twin.profile import tables_in_turn, turn_words
from wasim.units import format_bytes

SCENARIO = """\
name: several
question: What do they cost?
table: {columns: [{name: label, type: string, values: 1000}, {name: value, type: double}]}
workload: {rows_per_second: 100, files_per_commit: 4}
writer: {kind: batch, tables: %d}
commit_interval: 10s
horizon: 60d
"""


OVER = {"horizon": "60d"}


@pytest.fixture
def written(tmp_path: Path):
    def write(tables: int) -> Path:
        path = tmp_path / f"{tables}.yaml"
        path.write_text(SCENARIO % tables)
        return path

    return write


def simulated(path: Path, interval: str = "10s") -> Outcome:
    options, given = SimulationOptions(mode=Mode.FAST, provider="s3"), OVER | {"commit_interval": interval}
    return simulate(load_scenario(path, given), options, Console(file=io.StringIO()))


def check_times_twelve(one: dict[str, float | None], twelve: dict[str, float | None]) -> None:
    for name, value in one.items():
        if value is not None:
            assert twelve[name] == pytest.approx(value * (12 if name in ADDING_UP else 1)), name


def test_a_plan_counts_the_cost_of_twelve_tables(written):
    def figures(tables: int) -> Figures:
        request = request_from_file(written(tables), {}, Requirements(provider="s3"), "60d")
        return SettingSimulator(request=request).figures(Setting(interval_s=10.0, maintenance=NO_MAINTENANCE))

    one, twelve = figures(1), figures(12)
    check_times_twelve(dict(one.values), dict(twelve.values))
    assert twelve.cost.total == pytest.approx(sum(twelve.cost.parts().values())) == pytest.approx(12 * one.cost.total)
    assert twelve.on_disk_bytes == {kind: 12 * size for kind, size in one.on_disk_bytes.items()}
    assert 0 < twelve.keeps_up_s < one.keeps_up_s / 12


def test_a_simulation_counts_all_tables_in_its_limits(written):
    one, twelve = (simulated(written(tables)) for tables in (1, 12))
    ((of_one,), (of_twelve,)) = (outcome.document["cases"] for outcome in (one, twelve))
    check_times_twelve(of_one["metrics"], of_twelve["metrics"])
    for name in ("written_bytes", "on_disk_bytes", "files_written"):
        assert of_twelve[name] == {kind: 12 * count for kind, count in of_one[name].items()}
    assert of_twelve["live_bytes"] == of_one["live_bytes"]
    assert (of_one["tables"], of_twelve["tables"]) == (1, 12)
    modelled = [document["commit_ms"]["modelled"]["sustainable_interval_s"] for document in (of_one, of_twelve)]
    assert modelled[1] == pytest.approx(12 * modelled[0])
    until = [outcome.answer.choices[0].options[0].keeps_up.until_s for outcome in (one, twelve)]
    assert 0 < until[1] < until[0] / 12
    on_disk = of_one["metrics"]["metadata_on_disk_bytes"]
    limit = Limit(metric="metadata_on_disk_bytes", comparison="<", bound=2 * on_disk, text="< twice as much")
    assert [next(judge([limit], outcome.run))["holds"] for outcome in (one, twelve)] == [True, False]
    assert of_one["commits"] == of_twelve["commits"]


def test_a_sweep_over_tables_compares_what_all_of_them_write(written, tmp_path):
    swept = SCENARIO % 1 + "sweep: {writer.tables: [1, 12]}\n"
    (path := tmp_path / "swept.yaml").write_text(swept)
    outcome = simulated(path, interval="10m")
    answer, one = outcome.document["answer"]["conclusion"], outcome.run.cases[0].totals.metadata_bytes
    assert f"tables=1 wrote the least metadata: {format_bytes(one)}" in answer
    assert f"tables=12 wrote the most, {format_bytes(12 * one)}" in answer
    json_bytes = outcome.run.cases[0].totals.written_bytes[Kind.METADATA_JSON]
    rows = headline_table(outcome.run).rows
    assert [row[3] for row in rows] == [format_bytes(json_bytes), format_bytes(12 * json_bytes)]
    cases = load_scenario(path, OVER | {"commit_interval": "10m"}).cases()
    grid = simulate_grid(plan_grid(cases), grid_schema(cases), processes=1)
    assert grid["metadata_written_bytes"].to_pylist() == [one, 12 * one]


def test_a_plan_says_which_figures_are_of_all_tables(written):
    request = request_from_file(written(12), {}, Requirements(freshness="1m", provider="s3"), "3d")
    plan = make_plan(request, explains=False)
    said = " ".join(plan_lines(plan))
    commits = 86_400 / plan.chosen.setting.interval_s
    assert f"One of 12 tables: {commits:,.0f} commits and" in said
    assert f"all 12: {12 * commits:,.0f} commits and" in said
    assert "metadata on disk, all 12, most" in said
    assert "Commits to 12 tables follow each other, in" in said
    assert plan_document(plan)["tables"] == 12
    assert not plan.chosen.broken(plan.limits)


@pytest.mark.parametrize(
    ("profile", "tables", "in_turn"),
    [("spark_batch", 12, 12), ("flink", 12, 3), ("flink", 3, 1), ("kafka_connect", 12, 2), ("debezium", 12, 12)],
)
def test_commits_to_several_tables_follow_in_the_writers_order(written, profile, tables, in_turn):
    kind = "streaming" if profile == "flink" else "batch"
    writer = f"{{kind: {kind}, tables: {tables}, profile: {profile}}}"
    (case,) = load_scenario(written(1), {"writer": writer}).cases()
    assert tables_in_turn(case) == in_turn
    assert turn_words(case) == "follow each other" or f", in {in_turn} round" in turn_words(case)
