"""A sweep simulated by blocks: close to every setting simulated alone, on this machine and on Spark."""

import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import WasimError
from wasim.grid import grid_schema, plan_grid, simulate_block, simulate_grid
from wasim.ledger import Kind, sum_events
from wasim.runs.limits import HELD
from wasim.runs.values import settled_of
from wasim.scenario import LoadedScenario, load_scenario
from wasim.simulation import Mode, SimulationOptions
from wasim.sweeps import simulate_sweep
from wasim.twin import shipped_profile, simulate_table

SCENARIO = """
name: grid
question: What does each setting cost?
table:
  columns:
    - {name: n, type: long, count: 4}
    - {name: s, type: string, count: 2}
workload: {rows_per_second: 30}
writer: batch
commit_interval: 1s
horizon: 2m
sweep:
  writer: [streaming, batch]
  commit_interval: [1s, 2s]
  workload.files_per_commit: [1, 3, 6]
  table.properties.write.metadata.previous-versions-max: [20, 100]
planning: {rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [1.0]}
fit: {held_out: none}
"""
WRITTEN = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory) -> LoadedScenario:
    path = tmp_path_factory.mktemp("grid") / "grid.yaml"
    path.write_text(SCENARIO)
    return load_scenario(path)


@pytest.fixture(scope="module")
def results(scenario):
    return simulate_grid(plan_grid(scenario.cases()), grid_schema(scenario.cases()), processes=1).to_pylist()


def recorded(case):
    return simulate_table(case, shipped_profile(case), np.random.default_rng(case.seed))


def test_settings_that_differ_in_what_is_retained_share_a_block(scenario):
    blocks = plan_grid(scenario.cases())
    assert [len(block.settings) for block in blocks] == [2] * 12


def test_a_setting_commits_as_early_as_its_profile_ships(tmp_path):
    path = tmp_path / "firehose.yaml"
    path.write_text(SCENARIO.partition("sweep:")[0])
    often = load_scenario(path, {"workload.rows_per_second": "100000", "writer.profile": "firehose"})
    ((one,),) = [block.settings for block in plan_grid(often.cases())]
    assert one[1].commit_interval_s == pytest.approx(0.656, rel=0.2)


def test_settings_are_near_to_their_exact_simulation(scenario, results):
    for case in scenario.cases()[2::7]:
        found = next(row for row in results if all(str(row[field]) == text for field, text in case.swept.items()))
        exact = sum_events(recorded(case).recording.events)
        assert found["data_manifest_files"] == exact.files_written[Kind.DATA_MANIFEST]
        assert found["metadata_written_bytes"] == pytest.approx(exact.metadata_bytes, rel=0.01)
        for kind in WRITTEN:
            assert found[f"{kind}_written_bytes"] == pytest.approx(exact.written_bytes[kind], rel=0.03)


MAINTAINED = """sweep:
  maintenance.expire_snapshots:
    - {every: 1m, older_than: 1000d}
    - {every: 20s, older_than: 15s}
    - {every: 30s, older_than: 1m, retain_last: 9}
  maintenance.rewrite_manifests: [{every: 15s}, {every: 40s}, {when_manifests: 1000000}]
"""


def test_settings_under_maintenance_are_near_to_their_exact_simulation(tmp_path):
    path = tmp_path / "grid.yaml"
    path.write_text(SCENARIO.replace("sweep:\n", MAINTAINED))
    maintained = load_scenario(path)
    cases = [*maintained.cases()[5::24], *maintained.cases()[14::24]]  # each way to maintain a stream, and a batch
    assert len({tuple(case.swept.values())[:2] for case in cases}) == 9
    rows = simulate_grid(plan_grid(cases), grid_schema(cases), processes=1).to_pylist()
    for case, row in list(zip(cases, rows, strict=True))[::4]:
        made = recorded(case)
        exact, settled = sum_events(made.recording.events), settled_of(case, made.recording, made.live_bytes)
        for kind in WRITTEN:
            assert row[f"{kind}_files"] == pytest.approx(exact.files_written[kind], rel=0.01)
            assert row[f"{kind}_written_bytes"] == pytest.approx(exact.written_bytes[kind], rel=0.03)
        assert row["metadata_written_bytes"] == pytest.approx(exact.metadata_bytes, rel=0.01)
        for metric in HELD:
            assert row[metric] == pytest.approx(settled[metric], rel=0.03, abs=1), metric


def test_rows_are_ordered_as_cases_with_swept_values(scenario, results):
    assert [row["setting"] for row in results] == list(range(24))
    assert [{field: str(row[field]) for field in scenario.swept} for row in results] == [
        case.swept for case in scenario.cases()
    ]


def test_columns_hold_numbers_where_values_are_numbers(scenario, results):
    schema = grid_schema(scenario.cases())
    assert schema.field("workload.files_per_commit").type == pa.int64()
    assert schema.field("commit_interval").type == pa.string()
    assert {row["workload.files_per_commit"] for row in results} == {1, 3, 6}
    assert {row["expire_older_than_s"] for row in results} == {None}


def test_the_best_setting_is_the_shortest_sustained_within_limits(scenario, tmp_path):
    path = tmp_path / "limited.yaml"
    path.write_text(SCENARIO + "limits: {manifests: '<= 400', planning_p50_ms: '< 50'}\n")
    out = tmp_path / "grid.parquet"
    said = simulate_sweep(load_scenario(path, {"horizon": "10m"}), SimulationOptions(), out=out, master=None)
    rows = [row for row in pq.read_table(out).to_pylist() if row["keeps_up"] and row["manifests"] <= 400]
    best = min(rows, key=lambda row: (row["commit_interval_s"], row["metadata_written_bytes"]))
    assert f"{len(rows)} settings do. Not judged in a grid: planning_p50_ms." in said
    assert f"within manifests <= 400: {best['commit_interval_s']:g}s, written " in said
    assert f"writer={best['writer']} " in said


def test_one_setting_without_a_sweep_has_no_brackets(tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text(re.sub(r"(?m)^sweep:\n(  .*\n)+", "", SCENARIO))
    said = simulate_sweep(load_scenario(path), SimulationOptions(), out=tmp_path / "one.parquet", master=None)
    assert re.search(r"^1 setting, metadata written: [\d.]+ MiB: ", said)
    assert re.search(r"keeps up: 1s, written [\d.]+ MiB; 1 setting does\.", said)


def test_two_processes_find_what_one_finds(scenario, results):
    blocks = plan_grid(scenario.cases())[:2]
    two = simulate_grid(blocks, grid_schema(scenario.cases()), processes=2)
    assert two.to_pylist() == [results[number] for number in sorted(n for block in blocks for n, _ in block.settings)]


@pytest.mark.slow
def test_spark_finds_what_one_process_finds_and_writes_parquet(session, scenario, results, tmp_path):
    from wasim.cluster import TASKS, map_parts_on

    schema = grid_schema(scenario.cases())
    frame = map_parts_on(session.spark, plan_grid(scenario.cases()), simulate_block, schema)
    frame.write.parquet(str(tmp_path / "grid"))
    found = pq.read_table(tmp_path / "grid").sort_by("setting")
    assert found.to_pylist() == results
    assert len(list((tmp_path / "grid").glob("part-*.parquet"))) == 2 * TASKS  # two cores, twelve blocks


def test_the_command_writes_a_row_for_each_case(scenario, tmp_path):
    out = tmp_path / "grid.parquet"
    arguments = ["simulate", str(scenario.path), "--horizon", "10m", "--profile", "kafka_connect", "--grid", str(out)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("24 settings, metadata written from ")
    assert set(pq.read_table(out)["horizon_s"].to_pylist()) == {600.0}


def test_grids_are_never_emitted_or_exact_and_masters_need_one(scenario, tmp_path):
    with pytest.raises(WasimError, match="--grid is simulated in fast mode"):
        simulate_sweep(scenario, SimulationOptions(mode=Mode.EXACT), out=tmp_path / "x", master=None)
    result = CliRunner().invoke(app, ["simulate", str(scenario.path), "--master", "local[2]"])
    assert isinstance(result.exception, WasimError)


def test_an_existing_output_is_refused_before_spark_starts(scenario, tmp_path):
    pytest.importorskip("py4j")
    with pytest.raises(WasimError, match="is there already"):
        simulate_sweep(scenario, SimulationOptions(), out=tmp_path, master="local[2]")


@pytest.mark.slow
def test_a_part_that_fails_once_is_tried_again_by_spark(tmp_path):
    script = tmp_path / "once.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "import pyarrow as pa\n"
        "from wasim.cluster import map_parts\n"
        "mark = Path(sys.argv[1])\n"
        "def work(part):\n"
        "    if part == 1 and not mark.exists():\n"
        "        mark.touch()\n"
        "        raise RuntimeError('lost')\n"
        "    return [{'setting': part}]\n"
        "schema = pa.schema([('setting', pa.int64())])\n"
        "map_parts([0, 1, 2], work, schema, master='local[2,3]', out=Path(sys.argv[2]), log=Path(sys.argv[3]))\n"
    )
    out = tmp_path / "out"
    subprocess.run([sys.executable, script, tmp_path / "mark", out, tmp_path / "log"], check=True)
    assert sorted(pq.read_table(out)["setting"].to_pylist()) == [0, 1, 2]
    assert (tmp_path / "mark").exists()
    assert "lost" in (tmp_path / "log").read_text()
