"""Merge-on-read statements of more rows than one task of Spark's takes: as many files as it writes."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wasim.bench.context import CaseContext
from wasim.ledger import Action, Recording
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import CaseRun, read_recording
from wasim.scenario import Case
from wasim.spark.drive import TABLE_NAME
from wasim.twin import Site, shipped_profile, simulate_case
from wasim.twin.fidelity import GOAL_SHARE, compare

COLUMNS = [{"name": "region", "type": "string", "values": 3}, {"name": "reading", "type": "double"}]
CHANGED = {"every": "2s", "share": 0.6, "locality": "scattered", "mode": "merge-on-read"}
BY_REGION = {"columns": COLUMNS, "partition_by": [{"column": "region"}]}
CASES: dict[str, dict[str, Any]] = {
    "vectors of a partitioned table": {"table": BY_REGION | {"format_version": 3}, "changes": {"update": CHANGED}},
    "files of a partitioned table": {"table": BY_REGION, "changes": {"update": CHANGED}},
    "vectors of one task": {"table": {"columns": COLUMNS, "format_version": 3}, "changes": {"delete": CHANGED}},
}
NAME = re.compile(r"(.*/)(\d{5})-\d+-[0-9a-f-]{36}-\d{5}.*")
SLOW = {"files of a partitioned table", "vectors of one task"}


@pytest.mark.spark
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
def test_a_statement_of_many_rows_writes_the_files_that_sparks_tasks_write(
    name: str, small_case: Callable[..., Case], run_case: Callable[[Case], tuple[CaseRun, CaseContext]]
) -> None:
    workload = {"rows_per_second": 90_000, "files_per_commit": 3}
    given = {"workload": workload, "writer": "batch", "horizon": "2s", **CASES[name]}
    case = small_case(**{key: json.dumps(part) for key, part in given.items()})
    _, context = run_case(case)
    real = read_recording(context.folder.case(context.key))
    root = context.folder.warehouse(context.key).absolute().joinpath(*TABLE_NAME.split("."))
    site = Site(location=str(root))
    simulated = simulate_case(case, shipped_profile(case), np.random.default_rng(case.seed), site=site)
    assert written(simulated) == written(real)
    for kind in compare(real, simulated):
        print(kind.kind, kind.files_real, kind.files_simulated, f"{kind.error:+.3%}")
        assert kind.counts_agree
        if kind.kind in METADATA_KINDS:
            assert abs(kind.error) <= GOAL_SHARE


def written(recording: Recording) -> list[tuple[str, str]]:
    """Kind of each file that the statement wrote, with its folder and its task. The order within a task is chance."""
    events = recording.events
    chosen = events.where((events.action == Action.WRITE) & (events.operation != "append"))
    named = [(str(kind), NAME.fullmatch(str(file))) for kind, file in zip(chosen.kind, chosen.file, strict=True)]
    return sorted((kind, " ".join(name.groups())) for kind, name in named if name is not None)
