"""Bytes of manifests over long horizons: as written, of commits of many files, by partition, and sorted."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.rules import merging
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years
from wasim.years.manifest_sizes import written_bytes
from wasim.years.shape import read_shape

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


FEW = "{name: f, type: float, values: 20}, {name: d, type: double}, {name: k, type: long, values: 300}"
BY = "{column: event_time, transform: day}, {column: k, transform: 'bucket[%d]'}"


@pytest.mark.parametrize(
    ("by", "rows", "near"),
    [("{column: k}", 40, 0.02), (BY % 4, 4_000, 0.01), (BY % 64, 4_000, 0.02)],
    ids=["a row each", "large files", "many files"],
)
def test_manifests_of_divided_columns_are_as_large_as_written(
    by: str, rows: int, near: float, small_case: Callable[..., Case]
):
    """Of a column of few values each partition has some of its own, and rows begin and end a part in their order."""
    case = small_case(
        table=f"{{columns: [{FEW}], partition_by: [{by}], properties: {{commit.manifest-merge.enabled: 'false'}}}}",
        workload=f"{{rows_per_second: {rows}, files_per_commit: 2}}",
        writer="batch",
        horizon="30s",
    )
    table = simulate_table(case, shipped_profile(case), np.random.default_rng(1)).table
    entries = [one for manifest in table.manifests for one in manifest.entries]
    found = read_shape(case, shipped_profile(case), Site()).sizes.data_manifests
    each = np.mean([manifest.file.manifest_length for manifest in table.manifests])
    assert found.new == pytest.approx(each, rel=0.015)
    assert found.by_count.at(len(entries)) == pytest.approx(written_bytes(table, entries), rel=near)


@pytest.mark.parametrize("rows", [2, 3])
def test_manifests_of_a_file_or_two_are_as_written(rows: int, small_case: Callable[..., Case]):
    """Commits of a row or more that buckets divide bring one file, or two: fewer than two on average."""
    case = small_case(
        table="{columns: [{name: k, type: long}], partition_by: [{column: k, transform: 'bucket[2]'}]}",
        workload=f"{{rows_per_second: {rows}}}",
        writer="batch",
        horizon="60s",
    )
    table = simulate_table(case, shipped_profile(case), np.random.default_rng(1)).table
    found = read_shape(case, shipped_profile(case), Site()).sizes.data_manifests
    assert 1 < found.files < 2
    assert found.new == pytest.approx(np.mean([one.file.manifest_length for one in table.manifests]), rel=0.002)


def test_entries_sorted_by_partition_are_as_large_as_written(small_case: Callable[..., Case]):
    """A rewrite lists all files of a bucket one after the other, the newest first."""
    case = small_case(
        table=f"{{columns: [{FEW}], partition_by: [{{column: k, transform: 'bucket[8]'}}]}}",
        workload="{rows_per_second: 200, files_per_commit: 4}",
        writer="batch",
        horizon="120s",
    )
    profile = shipped_profile(case)
    table = simulate_table(case, profile, np.random.default_rng(1)).table
    entries = sorted((one for each in table.manifests for one in each.entries), key=lambda one: one.file.partition)
    sizes = read_shape(case, profile, Site()).sizes.data_manifests
    found = sizes.by_count.at(len(entries)) + sizes.sorted_more * len(entries)
    assert found == pytest.approx(written_bytes(table, entries), rel=0.02)
