"""N tables of one job cost N times what one costs, and are kept up with for less than an N-th of the time."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from wasim.capacity import Figures, Requirements, SettingSimulator, make_plan, request_from_file
from wasim.capacity.answer import plan_lines
from wasim.capacity.document import plan_document
from wasim.capacity.settings import NO_MAINTENANCE, Setting
from wasim.runner import Outcome
from wasim.runs.limits import judge
from wasim.scenario import load_scenario
from wasim.scenario.limits import Limit
from wasim.scenario.metrics import ADDING_UP
from wasim.simulation import Mode, SimulationOptions, simulate
from wasim.twin.profile import tables_in_turn, turn_words

SCENARIO = """\
name: several
question: What do they cost?
table: {columns: [{name: label, type: string, values: 1000}, {name: value, type: double}]}
workload: {rows_per_second: 100, files_per_commit: 4}
writer: {kind: batch, tables: %d}
commit_interval: 10s
horizon: 60d
"""


@pytest.fixture
def written(tmp_path: Path):
    def write(tables: int) -> Path:
        path = tmp_path / f"{tables}.yaml"
        path.write_text(SCENARIO % tables)
        return path

    return write


def simulated(path: Path) -> Outcome:
    options = SimulationOptions(mode=Mode.FAST, provider="s3")
    return simulate(load_scenario(path, {"horizon": "60d"}), options, Console(file=io.StringIO()))


def check_times_twelve(one: dict[str, float | None], twelve: dict[str, float | None]) -> None:
    for name, value in one.items():
        if value is not None:
            assert twelve[name] == pytest.approx(value * (12 if name in ADDING_UP else 1)), name


def test_a_plan_counts_what_twelve_tables_cost_and_keeps_up_a_twelfth_as_long(written):
    def figures(tables: int) -> Figures:
        request = request_from_file(written(tables), {}, Requirements(provider="s3"), "60d")
        return SettingSimulator(request=request).figures(Setting(interval_s=10.0, maintenance=NO_MAINTENANCE))

    one, twelve = figures(1), figures(12)
    check_times_twelve(dict(one.values), dict(twelve.values))
    assert twelve.cost.total == pytest.approx(sum(twelve.cost.parts().values())) == pytest.approx(12 * one.cost.total)
    assert twelve.on_disk_bytes == {kind: 12 * size for kind, size in one.on_disk_bytes.items()}
    assert 0 < twelve.keeps_up_s < one.keeps_up_s / 12


def test_a_simulation_counts_all_tables_in_its_limits_and_keeps_up_a_twelfth_as_long(written):
    one, twelve = (simulated(written(tables)) for tables in (1, 12))
    ((of_one,), (of_twelve,)) = (outcome.document["cases"] for outcome in (one, twelve))
    check_times_twelve(of_one["metrics"], of_twelve["metrics"])
    assert of_twelve["written_bytes"] == of_one["written_bytes"]
    assert (of_one["tables"], of_twelve["tables"]) == (1, 12)
    modelled = [document["commit_ms"]["modelled"]["sustainable_interval_s"] for document in (of_one, of_twelve)]
    assert modelled[1] == pytest.approx(12 * modelled[0])
    until = [outcome.answer.choices[0].options[0].keeps_up.until_s for outcome in (one, twelve)]
    assert 0 < until[1] < until[0] / 12
    on_disk = of_one["metrics"]["metadata_on_disk_bytes"]
    limit = Limit(metric="metadata_on_disk_bytes", comparison="<", bound=2 * on_disk, text="< twice as much")
    assert [next(judge([limit], outcome.run))["holds"] for outcome in (one, twelve)] == [True, False]
    commits = of_one["commits"]
    assert f"all 12: {12 * commits:,} commits" in twelve.document["answer"]["conclusion"]
    assert "tables" not in one.document["answer"]["conclusion"]


def test_a_plan_says_what_is_of_all_tables_and_that_commits_follow_each_other(written):
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
def test_commits_to_several_tables_follow_each_other_as_the_writer_has_it(written, profile, tables, in_turn):
    kind = "streaming" if profile == "flink" else "batch"
    writer = f"{{kind: {kind}, tables: {tables}, profile: {profile}}}"
    (case,) = load_scenario(written(1), {"writer": writer}).cases()
    assert tables_in_turn(case) == in_turn
    assert turn_words(case) == "follow each other" or f", in {in_turn} round" in turn_words(case)
