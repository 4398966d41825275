"""What a case comes to, as a change is judged by: what a simulation says of it."""

import pytest

from wasim.capacity.request import DEFAULT_LOCATION
from wasim.diff.projection import Terms, project
from wasim.runs.limits import measures
from wasim.simulation import Mode
from wasim.simulation.case import SimulatedCase
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


PLAIN = {"maintenance": "{}"}
AUTOMQ = {**PLAIN, "writer": "{kind: batch, profile: automq}"}  # expires an hour's snapshots, and deletes old ones


@pytest.mark.parametrize("given", [{}, AUTOMQ, {**PLAIN, "writer": "{kind: batch, profile: redpanda}"}])
def test_a_projection_has_the_files_of_a_simulation(given: dict[str, str]) -> None:
    (projected,) = project(SCENARIO, given, Terms(horizon="10d"), "events.yaml")
    case = projected.case
    simulated = simulate_years(case, shipped_profile(case), Site(location=DEFAULT_LOCATION))
    assert projected.figures.written_bytes == simulated.totals.written_bytes
    json_bytes = simulated.settled["metadata_json_bytes"]
    assert projected.figures.values["metadata_json_bytes"] == pytest.approx(json_bytes, rel=1e-12)


MERGING = {
    "horizon": "6d",
    "commit_interval": "30m",
    "writer": "{kind: batch, append: merge}",
    "workload.files_per_commit": "4",
    "table.columns.v.count": "140",
    "table.properties.commit.manifest.min-count-to-merge": "20",
    "table.properties.commit.manifest.target-size-bytes": "262144",
}


@pytest.mark.parametrize("mode", [Mode.FAST, Mode.EXACT])
def test_merging_tables_have_one_answer_by_all_ways(mode: Mode) -> None:
    """A manifest is full after 18 hours: the last day alone writes 8 % more than the whole cycles of a plan."""
    (projected,) = project(SCENARIO, MERGING, Terms(horizon="6d"), "events.yaml")
    case, figures, site = projected.case, projected.figures.values, Site(location=DEFAULT_LOCATION)
    profile = shipped_profile(case)
    run, _ = SimulatedCase(case=case, mode=mode, profile=profile, site=site, emit=None).simulate()
    found = measures(run)
    assert found["metadata_bytes_per_day"] == pytest.approx(figures["metadata_bytes_per_day"], rel=0.003)
    assert found["wa_metadata"] == pytest.approx(figures["wa_metadata"], rel=0.003)
    assert found["manifests"] == pytest.approx(figures["manifests"], abs=1)
