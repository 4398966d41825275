"""Leaps over cycles unlike each other: of statements that change rows, and of maintenance that never repeats."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.paths import SCENARIOS

from wasim.rules.merging import MergePolicy
from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import RewriteManifests
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years.drift import Filling
from wasim.years.flows import DATA, DELETES, Flow, no_flows
from wasim.years.manifests import ManifestRuns
from wasim.years.packing import Run
from wasim.years.summed import history_of, read_shape


def test_partitions_may_open_and_close_between_two_statements():
    """Deletes on read every eight seconds, manifests rewritten daily, partitions by day: 2.6 million commits."""
    case = load_scenario(SCENARIOS / "fidelity" / "placement.yaml").cases()[0]
    daily = case.maintenance.model_copy(update={"rewrite_manifests": RewriteManifests(every=DAY_S)})
    case = replace(case, maintenance=daily)
    shape = read_shape(case, shipped_profile(case), Site())
    third, whole = (history_of(replace(case, horizon_s=days * DAY_S), shape) for days in (10, 30))
    flow = Flow.WRITTEN_MANIFESTS + DATA
    assert whole.run().flows[-1][flow] == pytest.approx(3 * third.run().flows[-1][flow], rel=0.1)
    for history in (third, whole):  # a delete file for each data file of which rows are gone
        assert history.state.deletes.entries == pytest.approx(sum(history.state.left.held), rel=0.01)


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        # one statement between two rewrites, which often touches as many rows as the one before
        ({"update": {"every": "10s", "share": 0.002, "locality": "oldest", "mode": "merge-on-read"}}, {}),
        # no whole number of statements between two rewrites
        ({"overwrite": {"every": "40s", "share": 0.1, "kind": "static"}}, {"rewrite_data_files": {"every": "30s"}}),
    ],
    ids=["often the same", "no whole number"],
)
def test_leaps_with_manifests_rewritten_by_count_end_as_stepped(
    changes: dict[str, Any],
    more: dict[str, Any],
    small_case: Callable[..., Case],
):
    case = small_case(
        horizon="4500s",
        writer="streaming",
        workload="{rows_per_second: 40, files_per_commit: 1}",
        changes=json.dumps(changes),
        maintenance=json.dumps({"rewrite_manifests": {"when_manifests": 12}} | more),
    )
    shape = read_shape(case, shipped_profile(case), Site())
    leapt = history_of(case, shape).run().flows[-1]
    stepped = replace(history_of(case, shape), leaps=False).run().flows[-1]
    compared = [Flow.SNAPSHOT_JSON_BYTES, Flow.LIST_BYTES, *range(Flow.WRITTEN_FILES, Flow.WRITTEN_FILES + 4)]
    assert leapt[compared] == pytest.approx(stepped[compared], rel=0.02)


@pytest.mark.slow
def test_files_of_which_much_is_deleted_are_compacted_whatever_their_size(small_case: Callable[..., Case]):
    """Merge-on-read updates of a table whose partitions fill files beyond compaction's reach in a week."""
    case = small_case(
        horizon="15d",
        commit_interval="30s",
        writer="batch",
        table="{columns: [{name: id, type: long}, {name: text, type: string}], "
        "partition_by: [{column: id, transform: 'bucket[16]'}]}",
        workload="{rows_per_second: 800, files_per_commit: 1}",
        changes=json.dumps({"update": {"every": "1m", "share": 0.001, "mode": "merge-on-read"}}),
        maintenance=json.dumps({"rewrite_data_files": {"when_small_files": 100}}),
    )
    history = history_of(case, read_shape(case, shipped_profile(case), Site()))
    flows = history.run().flows
    files, dead = history.state.files, history.state.left.dead
    assert history.spans
    assert (flows >= 0).all()
    assert dead[2] <= 0.35 * files.settled_rows
    written, removed = (flows[-1][first + DATA + 1] for first in (Flow.WRITTEN_FILES, Flow.REMOVED_FILES))
    assert written - removed == pytest.approx(files.live_bytes, rel=0.1)
    assert written < 100e12  # of files that no compaction took again, each statement rewrote the deletes of all rows


def test_merges_near_a_full_manifest_are_not_taken_for_the_rule():
    """Updates of the newest rows on read: 172,506 commits fill the first manifest of deletes, where merges are many."""
    case = load_scenario(SCENARIOS / "cow_vs_mor.yaml").cases()[3]
    case = replace(case, horizon_s=300_000 * case.commit_interval_s)
    history = history_of(case, read_shape(case, shipped_profile(case), Site()))
    written = history.run().flows[-1][Flow.WRITTEN_MANIFESTS + DELETES :]
    assert written[0] == pytest.approx(152_000, rel=0.05)  # as stepped through, which takes half a minute
    assert written[1] == pytest.approx(10.9e9, rel=0.3)


def test_live_files_are_counted_by_themselves_and_not_by_turnover():
    """Updates that rewrite files, beside deletes on read: nearly all files written are removed again."""
    case = load_scenario(SCENARIOS / "fidelity" / "changes_partitioned.yaml").cases()[0]
    case = replace(case, horizon_s=100_000 * case.commit_interval_s)
    history = history_of(case, read_shape(case, shipped_profile(case), Site()))
    flows = history.run().flows
    live = flows[:, Flow.WRITTEN_FILES + DATA] - flows[:, Flow.REMOVED_FILES + DATA]
    assert history.spans
    assert live[flows[:, Flow.SNAPSHOTS] > 0].min() > 0
    assert 60 < live[-1] < 80
    assert history.state.deletes.entries == pytest.approx(70_000, rel=0.05)  # rewritten files leave their deletes


def test_a_job_never_due_does_not_stop_leaps(small_case: Callable[..., Case]):
    """Every third commit overwrites all there is, long before sixty small files are there."""
    case = small_case(
        horizon="30d",
        writer="streaming",
        changes=json.dumps({"overwrite": {"every": "3s", "share": 0.1, "kind": "static"}}),
        maintenance=json.dumps({"rewrite_data_files": {"when_small_files": 60}}),
    )
    history = history_of(case, read_shape(case, shipped_profile(case), Site()))
    assert history.run().commits[-1] == 30 * DAY_S
    assert history.steps < 10_000


HEADER, ENTRY, TARGET, LEAST = 700.0, 30.0, 200_000.0, 20


def test_merges_come_closer_where_a_manifest_is_nearly_full():
    """Over several full manifests of 6,643 entries, one entry to each new manifest."""
    policy = MergePolicy(enabled=True, min_count=LEAST, target_bytes=int(TARGET))
    listed = ManifestRuns(policy=policy, bytes_of=lambda fresh, *_: HEADER + ENTRY * fresh, group=DATA)
    flows, new_bytes, commits = no_flows(), HEADER + ENTRY, 30_000
    for _ in range(commits):
        listed.runs.append(Run(count=1.0, bytes=new_bytes, fresh=1.0, is_new=True))
        listed.merge(flows)
        listed.settle()
    evenly = commits / (LEAST - 1)
    number, size = Filling(target_bytes=TARGET, new_bytes=new_bytes, least=LEAST - 1.0).merges(0.0, commits * ENTRY)
    assert flows[Flow.MERGED_AGAIN + DATA] == pytest.approx(number * evenly, rel=0.03)
    assert flows[Flow.MERGED_AGAIN + DATA + 1] == pytest.approx(size * evenly, rel=0.03)
    assert number > 1.1
