"""The state of a table after leaps: what was written, less what was removed, is still what is live."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS

from wasim.scenario import load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import history_of, read_shape
from wasim.years.flows import DELETES, Flow
from wasim.years.state import TableState


def state_after(name: str, number: int, commits: int) -> TableState:
    case = load_scenario(SCENARIOS / f"{name}.yaml").cases()[number]
    case = replace(case, horizon_s=commits * case.commit_interval_s)
    history = history_of(case, read_shape(case, shipped_profile(case), Site()))
    history.run()
    assert history.sampled < commits / 10  # most cycles were leapt over
    return history.state


@pytest.mark.parametrize(("name", "number", "commits"), [("compaction", 1, 20_000), ("remedies", 9, 500_000)])
def test_leaps_over_compaction_leave_as_much_live_data_as_there_are_files(name, number, commits):
    state = state_after(name, number, commits)
    assert state.files.counted_commits == state.commits  # compaction came last
    assert state.live_data_files == pytest.approx(sum(count for count, _ in state.files.by_class), rel=1e-9)
    assert state.live_bytes == pytest.approx(state.files.live_bytes, rel=1e-9)


def test_manifests_of_deletes_have_no_sibling_once_that_of_their_data_was_merged():
    case = load_scenario(SCENARIOS / "cow_vs_mor.yaml").cases()[3]
    history = history_of(
        replace(case, horizon_s=150 * case.commit_interval_s), read_shape(case, shipped_profile(case), Site())
    )
    history.run()
    listed = history.state.deletes.sums()
    assert 0 < listed.siblings < listed.manifests / 2


def test_leaps_over_deletion_vectors_leave_one_for_each_data_file_that_they_name():
    state = state_after("cow_vs_mor", 2, 300_000)
    flows, named = state.flows, sum(state.left.held)
    live = [
        flows[Flow.WRITTEN_FILES + DELETES + place] - flows[Flow.REMOVED_FILES + DELETES + place] for place in (0, 1)
    ]
    assert named > 100_000
    assert live[0] == pytest.approx(named, rel=1e-6)
    assert 100 < live[1] / live[0] < 10_000
