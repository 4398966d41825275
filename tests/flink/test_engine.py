"""Tables that a real Flink writes, and what the simulator makes of them unseen; what the engine refuses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.paths import SCENARIOS

pytest.importorskip("pyspark")

from tools.comparison import compare
from wasim.errors import CaseFailed, WasimError
from wasim.flink import check_sink, rows_text, write_table
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runner.written import recording_of
from wasim.scenario import Case, load_scenario
from wasim.twin import Site, shipped_profile, simulate_case

SCENARIO = SCENARIOS / "fidelity" / "flink.yaml"
IN_V3 = SCENARIOS / "fidelity" / "flink_v3.yaml"
CASES = [replace(case, horizon_s=12.0) for file in (SCENARIO, IN_V3) for case in load_scenario(file).cases()]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[f"v{case.table.format_version} {case.label}" for case in CASES])
def test_metadata_is_simulated_within_half_a_percent(case: Case, tmp_path: Path):
    root = tmp_path / "db" / "events"
    real = recording_of(case, write_table(case, tmp_path), root)
    site = Site(location=str(root))
    simulated = simulate_case(case, shipped_profile(case), np.random.default_rng(case.seed), site=site)
    kinds = compare(real, simulated)
    assert all(one.counts_agree for one in kinds)
    assert [one.kind for one in kinds if one.kind in METADATA_KINDS and not one.meets_goal] == []


def test_rows_are_dealt_to_two_tasks_in_turn():
    numbers = [int(line.split("\t")[0]) for line in rows_text(CASES[0]).splitlines()]
    assert numbers[:4] == [0, 50, 1, 51]
    assert sorted(numbers) == list(range(1200))
    assert sorted(numbers[100:200]) == list(range(100, 200))


def test_lists_and_maps_say_how_many_they_hold():
    texts = rows_text(CASES[4]).splitlines()[0].split("\t")
    assert [len(text) for text in texts[4:8]] == [1, 8, 8, 8]
    assert (texts[4], texts[8]) == ("3", "2")
    assert len(texts) == 4 + (1 + 3) + (1 + 2 * 2) + 2


def test_an_upsert_brings_a_key_again_with_other_values():
    rows = [line.split("\t") for line in rows_text(CASES[2]).splitlines()]
    regions, readings = ({(row[0], row[place]) for row in rows} for place in (4, 2))
    numbers = {row[0] for row in rows}
    assert len(rows) == 1200
    assert len(numbers) == len(regions) == 1200 - 11 * 50
    assert len(readings) == 1200 - 11 * 5


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"writer": "batch"}, "writer is none of Flink's"),
        ({"workload.files_per_commit": "3"}, "workload.files_per_commit"),
        ({"maintenance.rewrite_manifests.every": "10s"}, "maintenance"),
        ({"workload.rows_per_second": "100000"}, "6,000,000 rows"),
        (
            {"workload.distribution_mode": "hash", "table.partition_by": "[{column: region}]"},
            "distribution_mode is hash",
        ),
        ({"table.format_version": "1", "writer": "flink"}, "format_version is 1. Give 2 or 3"),
    ],
)
def test_what_it_does_not_write_is_refused_by_name(settings: dict, named: str):
    case = load_scenario(SCENARIO, settings).cases()[0]
    with pytest.raises(WasimError, match=named):
        check_sink(case)


def test_commits_of_other_rows_fail_the_case(tmp_path: Path):
    with pytest.raises(CaseFailed, match="0 commits were made"):
        recording_of(CASES[0], [], tmp_path)
