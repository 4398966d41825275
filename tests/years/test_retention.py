"""What expiry makes of a history of any length."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years


def test_an_expiry_that_counts_snapshots_comes_as_often_however_many_have_come(small_case: Callable[..., Case]):
    upkeep = "{expire_snapshots: {when_snapshots: 20, older_than: 5s}}"  # which leaves 6 of 20
    sizes = []
    for commits in (4_000, 4_000_000):
        case = small_case(horizon=f"{commits}s", maintenance=upkeep)
        totals = simulate_years(case, shipped_profile(case), Site()).totals
        json, lists, expiries = Kind.METADATA_JSON, Kind.MANIFEST_LIST, (commits - 6) // 14
        assert totals.files_written[json] == 1 + commits + expiries
        assert 6 <= totals.files_written[lists] - totals.files_deleted[lists] <= 20
        sizes.append(totals.written_bytes[json] / (commits + expiries))
    assert sizes[1] == pytest.approx(sizes[0], rel=0.02)


def test_orphan_removal_takes_the_bytes_of_the_metadata_json_that_go(small_case: Callable[..., Case]):
    logged = "{columns: [{name: n, type: int}], properties: {write.metadata.previous-versions-max: 5}}"
    upkeep = "{expire_snapshots: {every: 10s, older_than: 5s}, remove_orphan_files: {every: 20s, older_than: 5s}}"
    case = small_case(horizon="150s", table=logged, maintenance=upkeep)
    made = simulate_table(case, shipped_profile(case), np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, shipped_profile(case), Site()).totals
    assert summed.files_deleted[Kind.METADATA_JSON] == exact.files_deleted[Kind.METADATA_JSON]
    deleted = exact.deleted_bytes[Kind.METADATA_JSON]
    assert summed.deleted_bytes[Kind.METADATA_JSON] == pytest.approx(deleted, rel=0.005)
