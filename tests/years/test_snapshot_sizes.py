"""Bytes that snapshots take in metadata.json, against every metadata.json written."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.twin.summary import CommitCounts
from wasim.years import read_shape, simulate_years

COMMITS = 300


@pytest.mark.parametrize(("writer", "version"), [("batch", 1), ("batch", 3), ("streaming", 2)])
def test_a_snapshot_takes_as_many_bytes_as_written(writer: str, version: int, small_case: Callable[..., Case]):
    table = f"{{columns: [{{name: n, type: int}}], format_version: {version}}}"
    case = small_case(table=table, horizon=f"{COMMITS}s", writer=writer)
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1).recording.events)
    summed = simulate_years(case, profile, Site()).totals
    written = [totals.written_bytes[Kind.METADATA_JSON] for totals in (exact, summed)]
    assert written[1] == pytest.approx(written[0], rel=0, abs=COMMITS * (COMMITS + 1) / 2)


def test_a_commit_of_nothing_has_the_digits_of_its_number(small_case: Callable[..., Case]):
    case = small_case(writer="streaming")
    snapshots = read_shape(case, shipped_profile(case), Site()).sizes.snapshots
    of_one, of_three = (snapshots.of_nothing(CommitCounts(), digits) for digits in (1, 3))
    assert of_three - of_one == 2 * snapshots.epochs > 0
