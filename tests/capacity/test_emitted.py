"""The chosen setting as a scenario: what simulating it gives is what the plan says."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.paths import SCENARIOS

from wasim.capacity import (
    NO_MAINTENANCE,
    PlanRequest,
    Requirements,
    Setting,
    make_plan,
    request_from_file,
    request_from_flags,
)
from wasim.capacity.emitted import _written, scenario_of
from wasim.runs.limits import HELD
from wasim.scenario import load_scenario
from wasim.simulation import SimulationOptions
from wasim.simulation.run import simulated_cases
from wasim.twin import Site, shipped_profile
from wasim.years import simulate_years

REQUESTS = {
    "a stream": request_from_flags({"rows_per_second": "500", "horizon": "10d"}, Requirements(freshness="5m")),
    "a batch of many files": request_from_flags(
        {"rows_per_second": "20000", "writer": "batch", "files_per_commit": "8", "horizon": "10d"},
        Requirements(freshness="10m"),
    ),
    "a scenario's own compaction": request_from_file(
        SCENARIOS / "smoke.yaml",
        {"writer": "batch", "maintenance": "{rewrite_data_files: {every: 1h, target_file_size_bytes: 64MB}}"},
        Requirements(freshness="10m"),
        "10d",
    ),
}


@pytest.mark.parametrize(
    "request_of",
    [
        pytest.param(request, id=name, marks=() if "compaction" in name else pytest.mark.slow)
        for name, request in REQUESTS.items()
    ],
)
def test_what_simulating_it_gives_is_what_the_plan_says(request_of, tmp_path: Path):
    chosen = make_plan(request_of, explains=False).chosen
    file = tmp_path / "chosen.yaml"
    file.write_text(scenario_of(request_of, chosen.setting))
    assert file.read_text().splitlines()[0].endswith(f"--location {request_of.location}")
    (case,) = load_scenario(file, {}).cases()
    assert case.maintenance.rewrite_data_files is None or case.maintenance.rewrite_data_files.every == 3600
    summed = simulate_years(case, shipped_profile(case), Site(location=request_of.location))
    simulated = {**summed.settled, "metadata_bytes": summed.totals.metadata_bytes}
    for metric in ("metadata_bytes", "metadata_bytes_per_day", *HELD):
        band = max(0.02, chosen.bands.get(metric, 0.0))
        assert chosen.values[metric] == pytest.approx(simulated[metric], rel=band, abs=1), metric


def test_a_table_s_location_stays_in_its_comment(tmp_path: Path):
    request = replace(REQUESTS["a stream"], location="s3://a/b\nname: $(id)")
    file = tmp_path / "chosen.yaml"
    file.write_text(scenario_of(request, Setting(interval_s=300.0)))
    assert file.read_text().splitlines()[0].endswith(" --location 's3://a/b\N{REPLACEMENT CHARACTER}name: $(id)'")
    assert load_scenario(file, {}).cases()


def test_no_interval_outlasts_the_bytes_that_a_writer_takes(tmp_path: Path):
    request = request_from_flags({"rows_per_second": "5000", "writer": "firehose"}, Requirements(freshness="15m"))
    assert request.longest_s == 152  # 128 MiB of 176 bytes a row
    assert request.most_s(2.0) == 76
    file = tmp_path / "chosen.yaml"
    file.write_text(scenario_of(request, Setting(interval_s=120.0, maintenance=NO_MAINTENANCE)))
    (simulated,) = simulated_cases(load_scenario(file, {}), SimulationOptions())
    assert simulated.case.commit_interval_s == 120  # not after the 5 MiB that it ships


def emitted(request: PlanRequest, setting: Setting) -> dict[str, Any]:
    return json.loads(scenario_of(request, setting).split("\n", 1)[1])


def test_numbers_of_durations_and_sizes_have_their_units():
    jobs = {
        "rewrite_data_files": {"when_small_files": 40, "target_file_size_bytes": 67108864},
        "remove_orphan_files": {"every": 86400.0, "older_than": 259200.0},
    }
    request = REQUESTS["a stream"]
    request = replace(request, document={**request.document, "maintenance": jobs})
    found = emitted(request, Setting(interval_s=90.0))
    assert found["maintenance"]["rewrite_data_files"] == {"when_small_files": 40, "target_file_size_bytes": "67108864B"}
    assert found["maintenance"]["remove_orphan_files"] == {"every": "1d", "older_than": "3d"}
    assert (found["commit_interval"], found["horizon"]) == ("1m30s", "10d")
    assert _written({"every": True, "at": 5, "rows": 5, "list": [{"every": 60}], "x": None}) == {
        **{"every": True, "at": "5s", "rows": 5, "list": [{"every": "1m"}], "x": None}
    }


def test_several_writers_are_written_as_many():
    request = request_from_flags({"rows_per_second": "500", "writers": "4"}, Requirements())
    assert emitted(request, Setting(interval_s=60.0))["writer"]["writers"] == 4
    alone = emitted(REQUESTS["a stream"], Setting(interval_s=60.0))["writer"]
    assert "writers" not in (alone if isinstance(alone, dict) else {})


@pytest.mark.parametrize(("profile", "is_triggered"), [("firehose", True), ("flink", False)])
def test_writers_triggered_by_bytes_go_by_the_interval(profile: str, is_triggered: bool):
    request = REQUESTS["a stream"].written_by(profile)
    assert bool(request.ships.bytes or request.ships.rows) == is_triggered
    assert emitted(request, Setting(interval_s=60.0))["writer"].get("trigger") == ("none" if is_triggered else None)
