"""When metadata.json passes sizes, and metadata the data: between commits that a ledger holds, by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.capacity.milestones import _added_up, _first, milestones_of
from wasim.ledger import Kind
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years import simulate_years


def test_bytes_between_commits_rise_evenly():
    assert _added_up(np.array([2.0, 4.0, 5.0]), np.array([10.0, 30.0, 50.0])).tolist() == [20.0, 60.0, 100.0]


def test_a_day_lies_between_those_of_two_commits():
    days = np.array([1.0, 3.0, 4.0])
    asked = ([-3.0, 1.0, 9.0], [-1.0, 0.0, 2.0], [1.0, -1.0, 5.0], [-2.0, -1.0, 0.0])
    assert [_first(days, np.array(one)) for one in asked] == [2.5, 3.0, 1.0, None]


def test_metadata_of_small_rows_outweighs_them_on_the_first_day():
    case = synthetic_case(interval_s=60.0, horizon_s=DAY_S)
    summed = simulate_years(case, shipped_profile(case), Site())
    json_bytes = summed.ledger.written_bytes[Kind.METADATA_JSON].astype(np.float64)
    found = milestones_of(case, summed, json_bytes)
    passed = [size for size, day in found.json_passes.items() if day is not None]
    assert all(size < json_bytes[-1] for size in passed)
    assert len(passed) < len(found.json_passes)
    share = found.metadata_outweighs
    assert share is not None
    # metadata rises with the square of the commits and data with their number: they meet at the ratio of both ends
    assert share == pytest.approx(summed.ingested_bytes / summed.totals.metadata_bytes, rel=0.2)
    assert milestones_of(case, replace(summed, ingested_bytes=10**12), json_bytes).metadata_outweighs is None


def summed_of(json_bytes: list[float], metadata: list[float], total: float, ingested: float) -> SimpleNamespace:
    """Commits a day apart, from the first day on."""
    count = len(json_bytes)
    ledger = SimpleNamespace(
        event_time_s=np.arange(1, count + 1) * DAY_S,
        commit=np.arange(1, count + 1),
        written_bytes={Kind.METADATA_JSON: np.array(json_bytes)},
        metadata_bytes=np.array(metadata),
    )
    return SimpleNamespace(ledger=ledger, totals=SimpleNamespace(metadata_bytes=total), ingested_bytes=ingested)


def test_sizes_are_passed_between_the_commits_about_them():
    case = synthetic_case(horizon_s=4 * DAY_S)
    summed = summed_of([1e6, 4e6, 8e6, 9e6], [1.0] * 4, 4.0, 1e9)
    found = milestones_of(case, summed, np.array([2e6, 8e6, 12e6, 24e6]))
    days = {size // 10**6: day for size, day in found.json_passes.items()}
    assert days == {5: 2.25, 7: pytest.approx(11 / 6), 10: 2.5, 25: None, 50: None}  # 5 MB as stored, others as JSON
    assert found.metadata_outweighs is None


def test_metadata_outweighs_data_where_its_sum_passes_it():
    case = synthetic_case(horizon_s=4 * DAY_S)
    # 10, 20, 30 and 40 each commit: 10, 25, 50 and 85 in all; of data 20 a day: 20, 40, 60 and 80
    found = milestones_of(case, summed_of([0.0] * 4, [10.0, 20.0, 30.0, 40.0], 85.0, 80.0), np.zeros(4))
    assert found.metadata_outweighs == pytest.approx(3 + 10 / 15)
    # maintenance writes as much again
    twice = milestones_of(case, summed_of([0.0] * 4, [10.0, 20.0, 30.0, 40.0], 170.0, 80.0), np.zeros(4))
    assert twice.metadata_outweighs == pytest.approx(1.0)
