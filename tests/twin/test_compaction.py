"""Compaction by partial progress: in how many commits it comes, and of how many groups each is."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tools.comparison import GOAL_SHARE, compare
from wasim.ledger import Kind, Recording
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import read_recording
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_case, simulate_table
from wasim.twin.data_files import DataFiles, data_files_of
from wasim.twin.maintenance import batches_to_commit

MANIFESTS = ("manifests_created", "manifests_kept", "manifests_replaced")


@pytest.mark.parametrize(
    ("groups", "most", "sizes"),
    [(6, None, [6]), (6, 1, [6]), (6, 2, [3, 3]), (6, 4, [2, 2, 2]), (7, 3, [3, 3, 1]), (3, 10, [1, 1, 1]), (0, 4, [])],
)
def test_commits_take_equal_groups_and_the_last_the_rest(groups, most, sizes):
    found = batches_to_commit([[number] for number in range(groups)], most)  # type: ignore[misc, list-item]
    assert [len(batch) for batch in found] == sizes
    assert [group[0] for batch in found for group in batch] == list(range(groups))


def test_full_batches_and_the_rest_are_committed_as_spark_does(small_case: Callable[..., Case], run_case) -> None:
    case = partial_case(small_case, regions=3, most_commits=2)
    _, context = run_case(case)
    real, simulated = read_recording(context.folder.case(context.key)), simulated_like(case, context)
    assert real.reports.operation.tolist().count("rewrite_data_files") == 2
    for column in ("operation", "snapshot_operation", "attempts", "files_added", "files_removed", *MANIFESTS):
        assert getattr(simulated.reports, column).tolist() == getattr(real.reports, column).tolist(), column
    for kind in compare(real, simulated):
        print(kind.kind, kind.files_real, kind.files_simulated, f"{kind.error:+.3%}")
        assert kind.counts_agree
        if kind.kind in METADATA_KINDS:
            assert abs(kind.error) <= GOAL_SHARE


@pytest.mark.slow
def test_full_batches_may_race_but_as_many_are_committed(small_case: Callable[..., Case], run_case) -> None:
    case = partial_case(small_case, regions=6, most_commits=3)
    _, context = run_case(case)
    real, simulated = read_recording(context.folder.case(context.key)), simulated_like(case, context)
    assert real.reports.operation.tolist().count("rewrite_data_files") == 3
    for column in ("operation", "snapshot_operation", "files_added", "files_removed", "files_live", "records_live"):
        assert getattr(simulated.reports, column).tolist() == getattr(real.reports, column).tolist(), column
    print(f"{sum(real.reports.attempts)} attempts at {len(real.reports)} commits")
    theirs, ours = (int(one.events.where(one.events.kind == Kind.METADATA_JSON).bytes[-1]) for one in (real, simulated))
    assert ours == pytest.approx(theirs, rel=GOAL_SHARE)


def partial_case(small_case: Callable[..., Case], *, regions: int, most_commits: int) -> Case:
    columns = [{"name": "region", "type": "string", "values": regions}, {"name": "reading", "type": "double"}]
    parts = {
        "table": {"columns": columns, "partition_by": [{"column": "region"}]},
        "workload": {"rows_per_second": 60},
        "horizon": "7s",
        "maintenance": {
            "rewrite_data_files": {"every": "4s", "min_input_files": 2, "partial_progress_commits": most_commits}
        },
    }
    return small_case(**{key: json.dumps(part) for key, part in parts.items()})


def simulated_like(case: Case, context) -> Recording:
    root = context.table_root.absolute()
    return simulate_case(case, shipped_profile(case), np.random.default_rng(case.seed), site=Site(location=str(root)))


def test_rows_of_files_that_compaction_took_are_forgotten(
    small_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[DataFiles]()

    def kept(*given: Any, **named: Any) -> DataFiles:
        made.append(data_files_of(*given, **named))
        return made[-1]

    monkeypatch.setattr("wasim.twin.case.data_files_of", kept)
    case = small_case(horizon="20s", maintenance="{rewrite_data_files: {every: 8s}}")
    table = simulate_table(case, shipped_profile(case), np.random.default_rng(1)).table
    assert set(made[0].rows_in) == {entry.file.file_path for one in table.manifests for entry in one.live}
