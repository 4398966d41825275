"""Leaps on average over long cycles of appends that merge, compared with the same history stepped through."""

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from support.scenarios import loaded

from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years.summed import YearsOf

SCENARIO = """
name: merging
question: What do merges write that no two days begin alike?
table:
  columns: [{name: n, type: long, count: 40}]
  partition_by: [{column: event_time, transform: day}, {column: event_id, transform: "bucket[24]"}]
workload: {rows_per_second: 5000}
writer: {kind: streaming, append: merge}
commit_interval: 5s
horizon: 1h
"""


def summed(case: Case) -> Summed:
    return YearsOf(profile=shipped_profile(case), site=Site()).simulate(case)


def test_a_leap_on_average_comes_to_what_stepping_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maintenance = {
        "expire_snapshots": {"every": "1d", "older_than": "2d"},
        "rewrite_data_files": {"every": "1h"},
        "rewrite_manifests": {"every": "1d"},
    }
    (case,) = loaded(tmp_path, SCENARIO, maintenance=json.dumps(maintenance)).cases()
    case = replace(case, horizon_s=20 * DAY_S)
    leapt = summed(case)
    monkeypatch.setattr("wasim.years.long_cycles.LEAST_COMMITS", inf)
    stepped = summed(case)
    assert leapt.band[Kind.DATA_MANIFEST] > stepped.band[Kind.DATA_MANIFEST]  # the answer says that it leapt
    assert len(leapt.approximated) == len(stepped.approximated) + 1
    for kind in METADATA_KINDS:
        assert leapt.totals.files_written[kind] == pytest.approx(stepped.totals.files_written[kind], rel=0.01)
        assert leapt.totals.written_bytes[kind] == pytest.approx(
            stepped.totals.written_bytes[kind], rel=leapt.band[kind]
        )
        assert leapt.live_bytes[kind] == pytest.approx(stepped.live_bytes[kind], rel=0.2)
    assert leapt.totals.data_bytes == pytest.approx(stepped.totals.data_bytes, rel=1e-3)
