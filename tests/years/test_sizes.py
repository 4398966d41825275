"""Sizes read from a handful of files, against every file written."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, Summed, Totals, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years

BY_HOUR = "{columns: [{name: n, type: int}], partition_by: [{column: event_time, transform: hour}]}"


FEW_OR_MANY_KEPT = "{{columns: [{{name: n, type: int}}], properties: {{write.metadata.compression-codec: gzip{}}}}}"
MANY_FILES = (
    "{columns: [{name: n, type: string, length: 40, count: 9}],"
    " partition_by: [{column: event_id, transform: 'bucket[4]'}],"
    " properties: {write.metadata.compression-codec: gzip}}"
)


@pytest.mark.parametrize(
    ("lines", "off"),
    [
        pytest.param({"table": FEW_OR_MANY_KEPT.format(""), "horizon": "600s"}, 0.001, marks=pytest.mark.slow),
        ({"table": FEW_OR_MANY_KEPT.format(", commit.manifest.min-count-to-merge: '10'"), "horizon": "400s"}, 0.005),
        ({"table": MANY_FILES, "horizon": "200s", "workload": "{rows_per_second: 40, files_per_commit: 4}"}, 0.0025),
    ],
    ids=["100", "10", "files whose sizes differ"],
)
def test_gzipped_metadata_json_of_many_snapshots_is_as_written(
    lines: dict[str, str], off: float, small_case: Callable[..., Case]
):
    """Snapshots count the manifests that they keep, which are few where they merge often: deflate notices. So it does
    sizes of files that come again.
    """
    exact, summed = both(small_case(**lines))
    written = exact.written_bytes[Kind.METADATA_JSON]
    assert summed.band[Kind.METADATA_JSON] == 0.03
    assert summed.totals.written_bytes[Kind.METADATA_JSON] == pytest.approx(written, rel=off)


@pytest.mark.parametrize(
    "lines",
    [
        {
            "commit_interval": "7m",
            "horizon": "47h",
            "workload": "{rows_per_second: 0.1, files_per_commit: 4}",
            "table": BY_HOUR.replace("partition_by: [", "partition_by: [{column: event_id, transform: 'bucket[4]'}, "),
        },
        {"horizon": "400s", "maintenance": "{rewrite_data_files: {when_small_files: 20}}"},
    ],
    ids=["of growing partitions", "of emptied manifests"],
)
def test_manifest_lists_of_a_stream_are_as_large_as_written(lines: dict[str, str], small_case: Callable[..., Case]):
    exact, summed = both(small_case(**{"table": BY_HOUR, "writer": "streaming", **lines}))
    written = exact.written_bytes[Kind.MANIFEST_LIST]
    assert summed.totals.written_bytes[Kind.MANIFEST_LIST] == pytest.approx(written, rel=0.012)


@pytest.mark.parametrize(("version", "off"), [(2, 0.02), (3, 0.04)])
def test_delete_files_of_large_checkpoints_have_one_footer_each(
    version: int, off: float, small_case: Callable[..., Case]
):
    """Checkpoints of 4,000 rows in two files, of which few are sampled; every fifth replacing row comes twice."""
    case = small_case(
        horizon="40s",
        workload="{rows_per_second: 4000, files_per_commit: 2}",
        writer="{kind: flink, upsert: {share: 0.5, repeats: 0.2}}",
        table=f"{{columns: [{{name: n, type: int}}], format_version: {version}}}",
    )
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1)).recording.events).written_bytes
    summed = simulate_years(case, profile, Site()).totals.written_bytes
    assert summed[Kind.DELETE_FILE] == pytest.approx(exact[Kind.DELETE_FILE], rel=off)


def test_manifests_of_hundreds_of_files_are_as_large_as_written(small_case: Callable[..., Case]):
    """Few rows are sampled of many files: the bounds of a file of one row alone would be equal, and compress better."""
    exact, summed = both(small_case(workload="{rows_per_second: 1800, files_per_commit: 600}", horizon="3s"))
    written = exact.written_bytes[Kind.DATA_MANIFEST]
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.012)


@pytest.mark.parametrize("version", [2, 3])
def test_entries_of_compacted_partitions_are_as_large_as_written(version: int, small_case: Callable[..., Case]):
    """A compaction makes one file in each partition, of rows by chance; in version 3 they keep their lineage."""
    columns = "columns: [{name: v, type: double, count: 3}, {name: kind, type: int, values: 5}]"
    parts = "partition_by: [{column: event_time, transform: hour}, {column: kind}]"
    merges = "properties: {commit.manifest.min-count-to-merge: 6}"
    exact, summed = both(
        small_case(
            table=f"{{{columns}, {parts}, {merges}, format_version: {version}}}",
            workload="{rows_per_second: 1}",
            commit_interval="10m",
            horizon="30h",
            maintenance="{rewrite_data_files: {every: 1h}}",
        )
    )
    written = exact.written_bytes[Kind.DATA_MANIFEST]
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.015)


def test_the_first_snapshot_names_no_parent(small_case: Callable[..., Case]):
    exact, summed = both(small_case(horizon="3s"))
    assert summed.totals.written_bytes[Kind.METADATA_JSON] == exact.written_bytes[Kind.METADATA_JSON]


def both(case: Case) -> tuple[Totals, Summed]:
    """What exact simulation writes of a case, and its sums."""
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1).recording.events)
    return exact, simulate_years(case, profile, Site())
