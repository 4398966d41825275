"""What a case comes to, as a change is judged by: what a simulation says of it."""

import pytest

from wasim.capacity.request import DEFAULT_LOCATION
from wasim.diff.projection import Terms, project
from wasim.twin import Site, shipped_profile
from wasim.years import simulate_years

SCENARIO = """
name: events
question: What does it cost?
table:
  columns: [{name: label, type: string, length: 20}, {name: v, type: double, count: 30}]
  properties: {write.metadata.compression-codec: gzip}
workload: {rows_per_second: 0.1, files_per_commit: 2}
writer: streaming
commit_interval: 6m
horizon: 10d
maintenance: {expire_snapshots: {every: 1d, older_than: 1d}}
"""


def test_a_projection_has_the_files_of_a_simulation() -> None:
    (projected,) = project(SCENARIO, {}, Terms(horizon="10d"), "events.yaml")
    case = projected.case
    simulated = simulate_years(case, shipped_profile(case), Site(location=DEFAULT_LOCATION))
    assert projected.figures.written_bytes == simulated.totals.written_bytes
    json_bytes = simulated.settled["metadata_json_bytes"]
    assert projected.figures.values["metadata_json_bytes"] == pytest.approx(json_bytes, rel=1e-12)
