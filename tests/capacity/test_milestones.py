"""When metadata.json passes sizes, and metadata the data: between commits that a ledger holds, by hand."""

from dataclasses import replace

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
    found = milestones_of(case, summed)
    passed = [size for size, day in found.json_passes.items() if day is not None]
    assert all(size < summed.ledger.written_bytes[Kind.METADATA_JSON][-1] for size in passed)
    assert len(passed) < len(found.json_passes)
    share = found.metadata_outweighs
    assert share is not None
    # metadata rises with the square of the commits and data with their number: they meet at the ratio of both ends
    assert share == pytest.approx(summed.ingested_bytes / summed.totals.metadata_bytes, rel=0.2)
    assert milestones_of(case, replace(summed, ingested_bytes=10**12)).metadata_outweighs is None
