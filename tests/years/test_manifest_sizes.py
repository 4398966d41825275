"""Commits of so many files that each writes several manifests, over long horizons."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.rules import merging
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years

COLUMNS = "columns: [{name: reading, type: double}]"


@pytest.mark.parametrize(
    ("files", "grouped", "properties"),
    [
        (300, 200, "commit.manifest.min-count-to-merge: 5"),
        (1_000, 10_000, "commit.manifest.target-size-bytes: 15000, commit.manifest.min-count-to-merge: 4"),
        (1_000, 10_000, "commit.manifest.target-size-bytes: 0"),
    ],
    ids=["in groups", "rolled", "rolled at once"],
)
def test_several_manifests_of_a_commit_are_summed_as_written(
    files: int, grouped: int, properties: str, small_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(merging, "GROUPED_FILES", grouped)
    case = small_case(
        table=f"{{{COLUMNS}, properties: {{{properties}}}}}",
        workload=f"{{rows_per_second: {files}, files_per_commit: {files}}}",
        writer="batch",
        horizon="12s",
    )
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1)).recording.events)
    found = simulate_years(case, profile, site=Site()).totals
    kind = Kind.DATA_MANIFEST
    print(found.files_written[kind], exact.files_written[kind], found.written_bytes[kind] / exact.written_bytes[kind])
    assert found.files_written[kind] == exact.files_written[kind] >= 2 * case.commits
    assert found.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.015)
    assert found.written_bytes[Kind.MANIFEST_LIST] == pytest.approx(exact.written_bytes[Kind.MANIFEST_LIST], rel=0.015)
