"""The grid on a Spark of its own: a standalone master with workers on the loopback, and what a second worker gains."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark")

from support.standalone import PYTHON_PATH, standalone

from wasim.cluster import map_parts
from wasim.grid import GridBlock, grid_schema, plan_grid, simulate_block, simulate_grid
from wasim.scenario import load_scenario

COUNTS = [*range(4, 36)]
SCENARIO = f"""
name: grid
question: What does each setting cost?
table:
  columns:
    - {{name: n, type: long, count: 4}}
workload: {{rows_per_second: 30}}
writer: streaming
commit_interval: 1s
horizon: 1h
sweep:
  table.columns.n.count: {COUNTS}
  workload.files_per_commit: [1, 2, 4]
  commit_interval: [1s, 2s, 5s]
  maintenance.expire_snapshots.every: [5m, 10m, 30m]
  maintenance.rewrite_manifests.every: [5m, 10m, 30m]
maintenance:
  expire_snapshots: {{older_than: 10m}}
planning: {{rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [1.0]}}
fit: {{held_out: none}}
"""
SECONDS = pa.schema([("setting", pa.int64()), ("horizon_s", pa.float64())])
LEAST_GAIN = 0.9  # of what a job that does nothing but count gains on the same machine


def count(part: int) -> list[dict[str, float]]:
    """A job that does nothing but count: what the machine gains from a second process."""
    total = 0
    for number in range(40_000_000):
        total += number
    return [{"setting": part, "horizon_s": float(total)}]


def seconds(parts: list, work, schema: pa.Schema, master: str, folder: Path) -> float:
    started_s = time.monotonic()
    map_parts(parts, work, schema, master=master, out=folder, log=folder.with_suffix(".log"))
    return time.monotonic() - started_s


def measure(workers: int, blocks: list[GridBlock], schema: pa.Schema, folder: Path) -> tuple[float, float]:
    """Seconds that the grid takes, and that counting takes, without those of a session that does next to nothing."""
    with standalone(workers, folder / "work") as master:
        # the first session finds nothing in any cache
        cold, warm = (seconds([0], idle, SECONDS, master, folder / f"idle{workers}{turn}") for turn in range(2))
        idle_s = min(cold, warm)
        grid_s = seconds(blocks, simulate_block, schema, master, folder / f"grid{workers}")
        count_s = seconds(list(range(8)), count, SECONDS, master, folder / f"count{workers}")
    return grid_s - idle_s, count_s - idle_s


def idle(part: int) -> list[dict[str, float]]:
    return [{"setting": part, "horizon_s": 0.0}]


def measured(folder: Path) -> None:
    """Writes what one worker and two take, for the grid and for counting, and checks what landed."""
    path = folder / "grid.yaml"
    path.write_text(SCENARIO)
    scenario = load_scenario(path)
    blocks, schema = plan_grid(scenario.cases()), grid_schema(scenario.cases())
    taken_s = [measure(workers, blocks, schema, folder) for workers in (1, 2)]
    landed = pq.read_table(folder / "grid2").sort_by("setting")
    assert landed.to_pylist() == simulate_grid(blocks, schema, processes=1).to_pylist()
    (folder / "taken.json").write_text(json.dumps(taken_s))


@pytest.mark.slow
@pytest.mark.spark
def test_a_second_worker_speeds_the_grid_as_a_plain_job(tmp_path):
    """In a process of its own: its sessions would end that of the other tests."""
    subprocess.run([sys.executable, __file__, tmp_path], check=True, env=os.environ | {"PYTHONPATH": PYTHON_PATH})
    one, two = json.loads((tmp_path / "taken.json").read_text())
    gains = one[0] / two[0], one[1] / two[1]
    print(f"seconds with one worker and two: grid {one[0]:.1f}, {two[0]:.1f}; counting {one[1]:.1f}, {two[1]:.1f}")
    assert gains[0] >= LEAST_GAIN * gains[1], gains


if __name__ == "__main__":
    measured(Path(sys.argv[1]))
