"""A real Kafka Connect against its profile, and what the tool sends and refuses."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark")

from tools.comparison import compare
from tools.kafka_connect import SCENARIO, check, rows_json, write_table
from wasim.errors import WasimError
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runner.written import recording_of
from wasim.scenario import load_scenario
from wasim.twin import Site, shipped_profile, simulate_case

CASE = load_scenario(SCENARIO).cases()[0]


@pytest.mark.slow
def test_metadata_is_simulated_within_half_a_percent(tmp_path: Path):
    case, root = replace(CASE, horizon_s=12.0), tmp_path / "db" / "events"
    real = recording_of(case, write_table(case, tmp_path), root)
    rng = np.random.default_rng(case.seed)
    kinds = compare(real, simulate_case(case, shipped_profile(case), rng, site=Site(location=str(root))))
    assert all(one.counts_agree for one in kinds)
    assert [one.kind for one in kinds if one.kind in METADATA_KINDS and not one.meets_goal] == []


def test_rows_are_sent_as_json_two_partitions_in_turn():
    first, second = (json.loads(row) for row in list(rows_json(CASE))[:2])
    assert (first["event_id"], second["event_id"]) == (0, 50)
    assert first["event_time"] == "2026-01-01T00:00:00+00:00"
    assert isinstance(first["reading"], float)
    assert isinstance(first["amount"], str)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"writer": "batch"}, "writer.profile is not kafka_connect"),
        ({"workload.files_per_commit": "3"}, "does not divide 100 rows"),
        ({"table.columns": "[{name: region, type: date, values: 4}]"}, "columns of type date"),
        ({"table.format_version": "3"}, "format_version is 3. Give 2"),
    ],
)
def test_what_it_does_not_write_is_refused_by_name(settings: dict, named: str):
    with pytest.raises(WasimError, match=named):
        check(load_scenario(SCENARIO, settings).cases()[0])
