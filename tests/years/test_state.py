"""The state of a table that statements change: siblings in its lists, and what leaps over statements leave."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS

from wasim.scenario import load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import history_of, read_shape
from wasim.years.flows import DELETES, Flow


def test_manifests_of_deletes_stand_alone_once_their_siblings_merged():
    case = load_scenario(SCENARIOS / "cow_vs_mor.yaml").cases()[3]
    history = history_of(
        replace(case, horizon_s=150 * case.commit_interval_s), read_shape(case, shipped_profile(case), Site())
    )
    history.run()
    listed = history.state.deletes.sums()
    assert 0 < listed.siblings < listed.manifests / 2


def test_leaps_leave_one_deletion_vector_for_each_data_file():
    case = load_scenario(SCENARIOS / "cow_vs_mor.yaml").cases()[2]
    case = replace(case, horizon_s=300_000 * case.commit_interval_s)
    history = history_of(case, read_shape(case, shipped_profile(case), Site()))
    flows, named = history.run().flows[-1], sum(history.state.left.held)
    assert history.sampled < 30_000  # most statements were skipped
    live = [
        flows[Flow.WRITTEN_FILES + DELETES + place] - flows[Flow.REMOVED_FILES + DELETES + place] for place in (0, 1)
    ]
    assert named > 100_000
    assert live[0] == pytest.approx(named, rel=1e-6)
    assert 100 < live[1] / live[0] < 10_000
