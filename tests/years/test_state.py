"""The state of a table after leaps: what was written, less what was removed, is still what is live."""

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from support.paths import SCENARIOS
from support.scenarios import loaded

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
    assert history.sampled < commits / 10  # most cycles were skipped
    return history.state


@pytest.mark.parametrize(("name", "number", "commits"), [("compaction", 1, 20_000), ("remedies", 9, 500_000)])
def test_leaps_over_compaction_leave_as_much_live_data_as_there_are_files(name, number, commits):
    state = state_after(name, number, commits)
    assert state.files.counted_commits == state.commits  # compaction came last
    assert state.live_data_files == pytest.approx(sum(count for count, _ in state.files.by_class), rel=1e-9)
    assert state.live_bytes == pytest.approx(state.files.live_bytes, rel=1e-9)


BATCH = """
name: merging
question: What do merges write that no two days begin alike?
table: {columns: [{name: n, type: double, count: 20}]}
workload: {rows_per_second: 5000, files_per_commit: 4}
writer: batch
commit_interval: 1m
horizon: 120d
"""
UPSERTS = BATCH.replace("writer: batch", "writer: {kind: streaming, upsert: {share: 0.2, mode: equality-deletes}}")
COMPACTED = BATCH + "maintenance: {rewrite_data_files: {every: 1d}}\n"


@pytest.mark.parametrize(("scenario", "within"), [(COMPACTED, 1e-5), (UPSERTS, 0.02)], ids=["compaction", "upserts"])
def test_manifests_merged_over_months_weigh_what_stepping_says(
    scenario: str, within: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("wasim.years.history.UNREPEATED", 0 if scenario == UPSERTS else inf)  # leaps on average, or not
    (case,) = loaded(tmp_path, scenario).cases()
    shape = read_shape(case, shipped_profile(case), Site())
    leapt, stepped = (history_of(case, shape) for _ in range(2))
    stepped.leaps = False
    flows, exact = leapt.run().flows[-1], stepped.run().flows[-1]
    assert leapt.steps < stepped.steps
    for place in range(Flow.LIST_BYTES, Flow.WRITTEN_MANIFESTS + 4):
        assert flows[place] == pytest.approx(exact[place], rel=within)


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
