"""Leaps over statements that change rows."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.paths import SCENARIOS

from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import RewriteManifests
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years.drift import Drift
from wasim.years.flows import DATA, Flow
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
def test_leaps_end_where_a_table_does_whose_manifests_are_rewritten_by_count(
    changes: dict[str, Any],
    more: dict[str, Any],
    small_case: Callable[..., Case],
    monkeypatch: pytest.MonkeyPatch,
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
    monkeypatch.setattr(Drift, "planned", lambda *_: None)
    stepped = history_of(case, shape).run().flows[-1]
    compared = [Flow.SNAPSHOT_JSON_BYTES, Flow.LIST_BYTES, *range(Flow.WRITTEN_FILES, Flow.WRITTEN_FILES + 4)]
    assert leapt[compared] == pytest.approx(stepped[compared], rel=0.02)


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
