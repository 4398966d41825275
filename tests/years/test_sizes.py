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


@pytest.mark.parametrize(("version", "off"), [(2, 0.02), (3, 0.04)])
def test_delete_files_of_large_checkpoints_have_one_footer_each(
    version: int, off: float, small_case: Callable[..., Case]
):
    """Checkpoints of 4,000 rows in two files, of which few are sampled; every fifth replacing row comes twice."""
    case = small_case(
        horizon="40s",
        workload="{rows_per_second: 4000, files_per_commit: 2}",
        writer="{kind: flink, upsert: {share: 0.5, repeats: 0.2}}",
        table=f"{{columns: [{{name: n, type: int}}], format_version: {version}}}",
    )
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1)).recording.events).written_bytes
    summed = simulate_years(case, profile, Site()).totals.written_bytes
    assert summed[Kind.DELETE_FILE] == pytest.approx(exact[Kind.DELETE_FILE], rel=off)
