"""Timed rounds, and the document of them that pytest-benchmark reads."""

import gc
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from wasim.bench.probing import WARM_UP_ROUNDS, PlanningTarget, Times, time_planning
from wasim.ledger import FULL_SCAN
from wasim.spark.probe import Occasion, Query, ScanPlan, TableState

ROUNDS = 3
SLEPT_S = 0.005


@dataclass
class SleepingReader:
    """A reader that sleeps to load and twice as long to plan, and counts."""

    name: str = "sleeper"
    variant: str = ""
    loads_apart: bool = True
    loads: int = 0
    planned: list[int] = field(default_factory=list)
    collector_was_on: list[bool] = field(default_factory=list)

    def asks(self, query: Query) -> bool:
        return True

    def load(self) -> int:
        time.sleep(SLEPT_S)
        self.loads += 1
        return self.loads

    def plan(self, table: int, query: Query) -> ScanPlan:
        time.sleep(2 * SLEPT_S)
        self.planned.append(table)
        self.collector_was_on.append(gc.isenabled())
        return ScanPlan(planning_ms=float(table), manifests_opened=table)


@dataclass
class Timing:
    reader: SleepingReader
    times: Times
    document: Path


@pytest.fixture(scope="module")
def timing(tmp_path_factory: pytest.TempPathFactory) -> Timing:
    folder = tmp_path_factory.mktemp("timing")
    (folder / "data").mkdir()
    (folder / "data" / "one.parquet").touch()
    reader, state = SleepingReader(), TableState(metadata_location="", metadata_json_bytes=1, snapshots=1, manifests=1)
    target = PlanningTarget(
        label="batch every 1s",
        planned=[(reader, Query(name=FULL_SCAN))],
        occasion=Occasion(state=state, after_commit=7, temperature="warm"),
        rounds=ROUNDS,
        data_folders=[folder / "data"],
    )
    document = folder / "benchmark.json"
    return Timing(reader, time_planning(target, {"git_commit": "abc", "cpu": "some"}, document), document)


def test_each_round_plans_a_table_loaded_afresh_after_warm_up(timing):
    (probe,), _ = timing.times
    assert timing.reader.planned == list(range(1, WARM_UP_ROUNDS + ROUNDS + 1))
    assert probe.planning_ms.tolist() == [3.0, 4.0, 5.0]
    assert probe.manifests_opened == 5
    assert np.all(probe.load_ms >= 1e3 * SLEPT_S)
    assert gc.isenabled()
    assert not any(timing.reader.collector_was_on)


def test_loads_plans_and_listings_are_benchmarks_of_their_own(timing):
    plan, load, listed = json.loads(timing.document.read_text())["benchmarks"]
    assert [one["stats"]["rounds"] for one in (plan, load, listed)] == [ROUNDS] * 3
    assert min(plan["stats"]["data"]) >= 2 * SLEPT_S > min(load["stats"]["data"]) >= SLEPT_S
    assert plan["fullname"] == "planning.py::test_plan[batch every 1s @7-sleeper full_scan]"
    _, (listing,) = timing.times
    assert (listing.list_calls, listing.files) == (1, 1)
    assert listed["stats"]["max"] == pytest.approx(listing.scan_ms.max() / 1e3)


def test_an_error_of_a_query_leaves_no_document(tmp_path):
    class Failing(SleepingReader):
        def plan(self, table, query):
            raise ValueError("no such column")

    state = TableState(metadata_location="", metadata_json_bytes=1, snapshots=1, manifests=1)
    occasion = Occasion(state=state, after_commit=1, temperature="warm")
    planned = [(Failing(), Query(name=FULL_SCAN))]
    target = PlanningTarget(label="x", planned=planned, occasion=occasion, rounds=1, data_folders=[])
    with pytest.raises(ValueError, match="no such column"):
        time_planning(target, {}, tmp_path / "benchmark.json")
    assert not list(tmp_path.iterdir())


def test_pytest_benchmark_compares_the_document(timing):
    command = Path(sys.executable).with_name("pytest-benchmark")
    done = subprocess.run(
        [command, "compare", timing.document, "--csv=compared.csv", "--columns=min,median,iqr,outliers,rounds"],
        capture_output=True, text=True, check=True, timeout=60, cwd=timing.document.parent,
    )  # fmt: skip
    assert "test_plan[batch every 1s @7-sleeper full_scan]" in done.stdout
    assert "benchmark 'load alone'" in done.stdout
    assert len((timing.document.parent / "compared.csv").read_text().splitlines()) == 4
