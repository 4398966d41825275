"""Sizes read from a handful of files, against every file written."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years


def test_a_gzipped_metadata_json_of_many_snapshots_is_as_large_as_written(small_case: Callable[..., Case]):
    gzipped = "{columns: [{name: n, type: int}], properties: {write.metadata.compression-codec: gzip}}"
    case = small_case(table=gzipped, horizon="600s")
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1).recording.events)
    summed = simulate_years(case, profile, Site())
    written = exact.written_bytes[Kind.METADATA_JSON]
    assert summed.band[Kind.METADATA_JSON] == 0.03
    assert summed.totals.written_bytes[Kind.METADATA_JSON] == pytest.approx(written, rel=0.0025)
