"""Statements that change rows, on average, compared with their exact simulation."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years

COMMITS, TO_MERGE = 60, 50  # half of what merges by default: the results do not depend on it
UPSERT = {"share": 0.2, "locality": "newest"}
TABLE = {"columns": [{"name": "reading", "type": "double"}]}
BY_BUCKET = {"partition_by": [{"column": "event_id", "transform": "bucket[4]"}]}
GZIP = {"properties": {"write.metadata.compression-codec": "gzip"}}
IN_TURN = {"writer": "streaming", "workload": {"rows_per_second": 40, "files_per_commit": 3}}
BY_HOUR = {"partition_by": [{"column": "event_time", "transform": "hour"}]}
EVERY_THREE_MINUTES = {
    "table": TABLE | BY_HOUR,
    "workload": {"rows_per_second": 0.5},
    "commit_interval": "3m",
    "horizon": f"{180 * COMMITS}s",
}
AT_AN_END = [
    {"changes": {"update": {"every": "10s", "rows": 50, "locality": "newest", "mode": "copy-on-write"}}},
    {"changes": {"update": {"every": "10s", "rows": 50, "locality": "newest", "mode": "merge-on-read"}}},
    {"changes": {"delete": {"every": "3s", "rows": 150, "locality": "oldest", "mode": "merge-on-read"}}},
    {  # two or three after each commit, and some before the first
        "changes": {"update": {"every": "4s", "rows": 50, "locality": "newest", "mode": "merge-on-read"}},
        "commit_interval": "10s",
        "horizon": f"{2 * COMMITS}s",
    },
    {"changes": {"delete": {"every": "10s", "rows": 4, "locality": "oldest", "mode": "merge-on-read"}}, **IN_TURN},
    {
        "changes": {"update": {"every": "10s", "share": 0.002, "locality": "oldest", "mode": "merge-on-read"}},
        "table": TABLE | BY_HOUR,
        "table.format_version": 3,
        **IN_TURN,
    },
    {
        "changes": {"update": {"every": "5m", "rows": 60, "locality": "oldest", "mode": "copy-on-write"}},
        "table": TABLE | BY_HOUR,
        "workload": {"rows_per_second": 1},
        "commit_interval": "30s",
        "horizon": f"{30 * COMMITS}s",
    },
    {"changes": {"delete": {"every": "10s", "rows": 150, "locality": "oldest_commits"}}},
    {"changes": {"overwrite": {"every": "10s", "rows": 30, "kind": "static"}}},
    {"changes": {"overwrite": {"every": "3s", "share": 0.002, "kind": "dynamic"}}},
    {"changes": {"overwrite": {"every": "3s", "share": 0.002, "kind": "static"}}, "table": TABLE | BY_HOUR},
    {"changes": {"merge": {"every": "10s", "rows": 20, "locality": "oldest", "new_rows": 10}}},
    # whole files by metadata, and rows that are gone already
    {"changes": {"delete": {"every": "3s", "rows": 150, "locality": "newest", "mode": "merge-on-read"}}},
    {"changes": {"delete": {"every": "5s", "share": 0.1, "locality": "newest", "mode": "copy-on-write"}}},
    # first by position, then as many rows as whole files hold
    {"changes": {"delete": {"every": "3s", "share": 0.1, "locality": "newest", "mode": "merge-on-read"}}},
    # more often than commits, so that some follow a job of the same commit
    {
        "changes": {"delete": {"every": "4s", "rows": 30, "locality": "oldest", "mode": "copy-on-write"}},
        "maintenance": {"rewrite_manifests": {"when_manifests": 12}},
        "commit_interval": "10s",
        "horizon": f"{10 * COMMITS}s",
    },
    # the same rows again, in the files that the last one wrote
    {
        "changes": {"merge": {"every": "4s", "share": 0.1, "locality": "oldest", "mode": "copy-on-write"}},
        "table": TABLE | BY_BUCKET,
        "workload": {"rows_per_second": 4, "files_per_commit": 2},
        "commit_interval": "10s",
        "horizon": f"{10 * COMMITS}s",
    },
    {"writer": {"kind": "batch", "upsert": UPSERT | {"mode": "copy-on-write"}}},
    {"writer": {"kind": "batch", "upsert": UPSERT | {"mode": "merge-on-read"}}, "table": TABLE | BY_BUCKET},
    {"writer": {"kind": "batch", "upsert": UPSERT | {"mode": "merge-on-read"}}, "table": TABLE | GZIP},
    # what falls into an hour that has closed stays there
    {"writer": {"kind": "batch", "upsert": UPSERT | {"mode": "copy-on-write"}}, **EVERY_THREE_MINUTES},
    {"writer": {"kind": "batch", "upsert": UPSERT | {"mode": "merge-on-read"}}, **EVERY_THREE_MINUTES},
    # what is left of a commit whose rows were dealt out is hit with what a DELETE wrote
    {
        "changes": {"delete": {"every": "400ms", "share": 0.01, "locality": "oldest", "mode": "copy-on-write"}},
        **IN_TURN,
    },
    # the 121st commit opens an hour, and the next one replaces rows in it alone
    {
        "writer": {"kind": "batch", "upsert": {"share": 0.5, "locality": "newest", "mode": "copy-on-write"}},
        "table": TABLE | {"partition_by": BY_HOUR["partition_by"] + BY_BUCKET["partition_by"]},
        "workload": {"rows_per_second": 4 / 3},
        "commit_interval": "30s",
        "horizon": "75m",
    },
    # small files that are left in closed hours go with the table's rows
    {
        "changes": {"overwrite": {"every": "80m", "rows": 30, "kind": "static"}},
        "maintenance": {"rewrite_data_files": {"when_small_files": 60}},
        **EVERY_THREE_MINUTES,
        "workload": {"rows_per_second": 0.5, "files_per_commit": 4},
        "horizon": "9h",
    },
]
SCATTERED = [
    {
        "changes": {"update": {"every": "2s", "rows": 1, "mode": "merge-on-read"}},
        "horizon": f"{3 * COMMITS}s",
    },  # of which chance leaves none at times
    {"changes": {"update": {"every": "2s", "share": 0.01, "mode": "copy-on-write"}}, "commit_interval": "5s"},
    {"changes": {"update": {"every": "5s", "share": 0.01, "mode": "copy-on-write"}}},
    {"changes": {"update": {"every": "5s", "share": 0.01, "mode": "merge-on-read"}}, "table.format_version": 3},
    {"changes": {"delete": {"every": "5s", "rows": 5, "mode": "copy-on-write"}}},
    {"changes": {"update": {"every": "2s", "rows": 40, "mode": "merge-on-read"}}, "table.format_version": 3},
]


@pytest.mark.parametrize("lines", AT_AN_END, ids=str)
def test_statements_at_an_end_touch_the_same_files(lines: dict[str, Any], made: Callable) -> None:
    exact, summed = made(lines)
    for kind in Kind:
        written = exact.files_written[kind]
        assert summed.totals.files_written[kind] == pytest.approx(written, rel=0.02, abs=2), kind
    compare_with_band(exact, summed)


@pytest.mark.parametrize("lines", SCATTERED, ids=str)
def test_scattered_statements_touch_as_many_files_in_the_mean(lines: dict[str, Any], made: Callable) -> None:
    exact, summed = made(lines)
    assert summed.totals.files_written[Kind.MANIFEST_LIST] == exact.files_written[Kind.MANIFEST_LIST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(
        exact.files_written[Kind.DATA_MANIFEST], rel=0.1
    )
    compare_with_band(exact, summed)


def test_scattered_deletes_leave_files_of_partitions_less_and_less_alike(made: Callable) -> None:
    delete = {"every": "2s", "share": 0.002, "mode": "copy-on-write"}
    halves = {"partition_by": [{"column": "event_id", "transform": "bucket[2]"}]}
    lines = {"changes": {"delete": delete}, "table": TABLE | halves, "workload": {"rows_per_second": 40}}
    exact, summed = made(lines | {"horizon": f"{2 * COMMITS}s"})  # a large file is written again more often
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.04)


def test_manifests_whose_last_entry_goes_leave_the_list(made: Callable) -> None:
    update = {"every": "2s", "rows": 5, "mode": "copy-on-write"}
    lines = {"changes": {"update": update}, "workload": {"rows_per_second": 8}, "commit_interval": "5s"}
    table = TABLE | {"properties": {"commit.manifest.min-count-to-merge": "100"}}
    exact, summed = made(lines | {"horizon": f"{6 * COMMITS}s", "table": table, "writer": "streaming"})
    lists = Kind.MANIFEST_LIST
    assert summed.totals.written_bytes[lists] == pytest.approx(exact.written_bytes[lists], rel=0.02)


def test_files_missed_for_long_have_few_rows(made: Callable) -> None:
    update = {"every": "2s", "rows": 30, "mode": "merge-on-read"}
    lines = {"changes": {"update": update}, "workload": {"rows_per_second": 8}, "commit_interval": "5s"}
    exact, summed = made(lines | {"horizon": f"{6 * COMMITS}s", "table.format_version": 3})
    for kind in (Kind.DELETE_MANIFEST, Kind.DELETE_FILE):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.08)
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.08)


def test_upserts_hit_one_compacted_file_and_few_others(made: Callable) -> None:
    writer = {"kind": "batch", "upsert": {"share": 0.1, "mode": "merge-on-read"}}
    lines = {"writer": writer, "workload": {"rows_per_second": 40, "files_per_commit": 3}}
    kept = {"maintenance": {"rewrite_data_files": {"when_small_files": 30}}, "horizon": f"{3 * COMMITS}s"}
    exact, summed = made(lines | kept)
    for kind in (Kind.DELETE_FILE, Kind.DELETE_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.05)


def test_rows_of_a_batchs_task_follow_each_other(made: Callable) -> None:
    delete = {"every": "4s", "rows": 12, "locality": "oldest", "mode": "merge-on-read"}
    each = {"commit_interval": "10s", "horizon": f"{10 * COMMITS}s", "table": TABLE | BY_BUCKET}
    exact, summed = made(
        {"changes": {"delete": delete}, "workload": {"rows_per_second": 4, "files_per_commit": 2}, **each}
    )
    found, written = summed.totals.files_written, exact.files_written
    assert found[Kind.DELETE_FILE] == pytest.approx(written[Kind.DELETE_FILE], rel=0.02)
    compare_with_band(exact, summed)


def test_few_scattered_deletes_merge_files_within_the_band(made: Callable) -> None:
    delete = {"every": "3s", "rows": 2, "mode": "copy-on-write"}
    compare_with_band(*made({"changes": {"delete": delete}, "workload": {"rows_per_second": 60}}))


def test_scattered_upserts_write_as_many_delete_files(made: Callable) -> None:
    upsert = {"share": 0.2, "mode": "merge-on-read"}
    exact, summed = made({"writer": {"kind": "batch", "upsert": upsert}, "workload": {"rows_per_second": 200}})
    totals = summed.totals
    assert totals.files_written[Kind.DELETE_FILE] == pytest.approx(exact.files_written[Kind.DELETE_FILE], rel=0.02)
    written = exact.written_bytes
    assert totals.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written[Kind.DELETE_MANIFEST], rel=0.1)


BY_TIME = {
    "table": TABLE | BY_HOUR,
    "commit_interval": "120s",
    "horizon": "24000s",
    "workload": {"rows_per_second": 1 / 3, "files_per_commit": 2},
}


def test_merges_hit_the_large_file_of_each_compacted_partition(made: Callable) -> None:
    merge = {"every": "75s", "rows": 30, "mode": "merge-on-read", "new_rows": 0}
    rows = {"writer": "batch", "workload": {"rows_per_second": 4 / 3, "files_per_commit": 4}}
    lines = {"changes": {"merge": merge}, "maintenance": {"rewrite_data_files": {"when_small_files": 60}}} | rows
    exact, summed = made(lines | {"table": TABLE | BY_HOUR, "commit_interval": "30s", "horizon": "9000s"})
    for kind, rel in ((Kind.DELETE_FILE, 0.03), (Kind.DELETE_MANIFEST, 0.04), (Kind.DATA, 0.03)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind


def test_manifests_that_compaction_emptied_count_for_a_rewrite(made: Callable) -> None:
    merge = {"every": "300s", "rows": 30, "mode": "merge-on-read", "new_rows": 0}
    kept = {"rewrite_data_files": {"when_small_files": 60}, "rewrite_manifests": {"when_manifests": 12}}
    lines = {"changes": {"merge": merge}, "maintenance": kept, "writer": "streaming", "table.format_version": 3}
    exact, summed = made(
        lines | BY_TIME | {"table": TABLE, "workload": {"rows_per_second": 1 / 3, "files_per_commit": 3}}
    )
    found, written = summed.totals.files_written, exact.files_written
    assert found[Kind.METADATA_JSON] == pytest.approx(written[Kind.METADATA_JSON], rel=0.02)
    assert found[Kind.DELETE_MANIFEST] == pytest.approx(written[Kind.DELETE_MANIFEST], rel=0.06)


def test_upserts_into_partitions_by_time_hit_them_evenly(made: Callable) -> None:
    upsert = {"share": 0.1, "mode": "merge-on-read"}  # every tenth row, in files that are large or hold few rows
    exact, summed = made({"writer": {"kind": "batch", "upsert": upsert}, **BY_TIME})
    found, written = summed.totals.files_written, exact.files_written
    assert found[Kind.DATA] == pytest.approx(written[Kind.DATA], rel=0.05)
    assert found[Kind.DELETE_MANIFEST] == pytest.approx(written[Kind.DELETE_MANIFEST], rel=0.06)
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.03)


def test_the_newest_rows_seldom_lie_in_two_hours(made: Callable) -> None:
    update = {"every": "360s", "rows": 5, "locality": "newest", "mode": "merge-on-read"}
    exact, summed = made({"changes": {"update": update}, "writer": "streaming", **BY_TIME, "commit_interval": "420s"})
    found, written = summed.totals.files_written[Kind.DELETE_FILE], exact.files_written[Kind.DELETE_FILE]
    assert found == pytest.approx(written, rel=0.03)


def test_manifests_of_deletes_share_their_commit_s_name(made: Callable) -> None:
    upsert = {"share": 0.1, "mode": "merge-on-read"}
    lines = {"workload": {"rows_per_second": 40, "files_per_commit": 4}, "table.format_version": 3}
    exact, summed = made(lines | {"writer": {"kind": "batch", "upsert": upsert}})
    written = exact.written_bytes[Kind.MANIFEST_LIST]
    assert summed.totals.written_bytes[Kind.MANIFEST_LIST] == pytest.approx(written, rel=0.02)


def test_maintenance_by_count_counts_the_commits_statement_too(made: Callable) -> None:
    update = {"every": "10s", "rows": 20, "locality": "oldest", "mode": "merge-on-read"}
    upkeep = {"rewrite_manifests": {"when_manifests": 12}}
    exact, summed = made({"changes": {"update": update}, "maintenance": upkeep, **IN_TURN, "table.format_version": 3})
    assert summed.totals.files_written[Kind.MANIFEST_LIST] == exact.files_written[Kind.MANIFEST_LIST]
    compare_with_band(exact, summed)


DROPPED = {
    "of upserts, but for the last commit's": {
        "writer": {"kind": "streaming", "upsert": {"share": 0.5, "mode": "equality-deletes"}},
        "workload": {"rows_per_second": 40, "files_per_commit": 3},
        "maintenance": {"rewrite_data_files": {"when_small_files": 20}, "rewrite_manifests": {"when_manifests": 12}},
    },
    # every tenth takes whole files, although others are compacted; a rewrite leaves none of what is without an entry
    "of the newest rows": {
        "changes": {"delete": {"every": "10s", "share": 0.01, "locality": "newest", "mode": "merge-on-read"}},
        "writer": "streaming",
        "workload": {"rows_per_second": 40, "files_per_commit": 2},
        "maintenance": {"rewrite_data_files": {"when_small_files": 60}, "rewrite_manifests": {"every": "25s"}},
        "horizon": "210s",
    },
}


@pytest.mark.parametrize("lines", DROPPED.values(), ids=DROPPED)
def test_compaction_drops_the_delete_files_that_apply_to_nothing(lines: dict[str, Any], made: Callable) -> None:
    exact, summed = made(lines)
    for kind in (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST, Kind.DELETE_FILE, Kind.METADATA_JSON):
        assert summed.totals.files_written[kind] == exact.files_written[kind]
    assert summed.totals.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(
        exact.written_bytes[Kind.DELETE_MANIFEST], rel=0.005
    )


def test_compaction_by_count_waits_for_chance_on_average(made: Callable) -> None:
    lines = {"horizon": "150s", "writer": "batch", "workload": {"rows_per_second": 40, "files_per_commit": 4}}
    upkeep = {"rewrite_data_files": {"when_small_files": 20}}
    exact, summed = made(lines | {"table": TABLE | BY_BUCKET, "maintenance": upkeep})
    lists = exact.files_written[Kind.MANIFEST_LIST]
    assert summed.totals.files_written[Kind.MANIFEST_LIST] == pytest.approx(lists, rel=0.02)


def compare_with_band(exact: Any, summed: Any) -> None:
    assert summed.totals.metadata_bytes == pytest.approx(exact.metadata_bytes, rel=0.015)
    for kind in Kind:
        written = exact.written_bytes[kind]
        assert abs(summed.totals.written_bytes[kind] - written) <= summed.band[kind] * written, kind


def test_metadata_alone_deletes_all_that_some_tasks_wrote(made: Callable) -> None:
    """Each task has ten rows, which it writes into four partitions."""
    delete = {"every": "3s", "rows": 30, "locality": "oldest", "mode": "merge-on-read"}
    lines = {"changes": {"delete": delete}, "table": TABLE | BY_BUCKET, "writer": "batch"}
    exact, summed = made(lines | {"workload": {"rows_per_second": 40, "files_per_commit": 4}})
    assert exact.files_written[Kind.DELETE_FILE] == summed.totals.files_written[Kind.DELETE_FILE] == 0
    written = exact.files_written[Kind.DATA_MANIFEST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.05)


@pytest.mark.parametrize(("metrics", "ways"), [("counts", 1), ("full", 0)])
def test_without_bounds_no_file_is_deleted_by_metadata_alone(metrics: str, ways: int, made: Callable) -> None:
    delete = {"every": "3s", "rows": 120, "locality": "newest", "mode": "merge-on-read"}
    table = TABLE | {"properties": {"write.metadata.metrics.default": metrics}}
    exact, summed = made({"table": table, **IN_TURN, "changes": {"delete": delete}})
    assert (exact.files_written[Kind.DELETE_FILE] > 0) == (ways > 0)
    for kind in Kind:
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.01), kind


def test_metadata_alone_deletes_all_of_an_emptied_table(made: Callable) -> None:
    delete = {"every": "3s", "rows": 300, "locality": "newest", "mode": "merge-on-read"}
    upkeep = {"rewrite_data_files": {"when_small_files": 6}}
    exact, summed = made({"changes": {"delete": delete}, "maintenance": upkeep, **IN_TURN})
    assert exact.files_written[Kind.DELETE_FILE] == 0
    for kind in Kind:
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.01), kind


@pytest.mark.parametrize("upkeep", [{"every": "60s"}, pytest.param({"when_small_files": 60}, marks=pytest.mark.slow)])
def test_deletes_of_all_that_came_take_whole_files(upkeep: dict[str, Any], made: Callable) -> None:
    """A hundredth of the rows, which grows until it is more than have come since the last DELETE."""
    delete = {"every": "2500ms", "share": 0.01, "locality": "newest", "mode": "merge-on-read"}
    lines = {"writer": "batch", "workload": {"rows_per_second": 40, "files_per_commit": 2}, "horizon": "500s"}
    exact, summed = made({**lines, "changes": {"delete": delete}, "maintenance": {"rewrite_data_files": upkeep}})
    for kind in (Kind.DELETE_FILE, Kind.DELETE_MANIFEST, Kind.DATA_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.03), kind


def test_overwriting_some_open_partitions_leaves_others_in_each_manifest(made: Callable) -> None:
    table = TABLE | {"partition_by": [*BY_HOUR["partition_by"], *BY_BUCKET["partition_by"]]}
    lines = {"commit_interval": "30s", "workload": {"rows_per_second": 1}, "horizon": f"{30 * COMMITS}s"}
    overwrite = {"every": "90s", "rows": 3, "kind": "dynamic"}
    exact, summed = made(lines | {"table": table, "writer": "batch", "changes": {"overwrite": overwrite}})
    for kind in (Kind.DATA_MANIFEST, Kind.MANIFEST_LIST):
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.06), kind


def test_overwriting_the_newest_partitions_replaces_their_files_alone(made: Callable) -> None:
    table = TABLE | {"partition_by": [{"column": "event_time", "transform": "hour"}, *BY_BUCKET["partition_by"]]}
    lines = {"commit_interval": "30s", "workload": {"rows_per_second": 1}, "horizon": f"{30 * COMMITS}s"}
    overwrite = {"every": "5m", "rows": 24, "kind": "dynamic"}
    exact, summed = made(lines | {"table": table, "changes": {"overwrite": overwrite}})
    assert summed.totals.files_written[Kind.DATA] == pytest.approx(exact.files_written[Kind.DATA], rel=0.02)
    band, written = summed.band[Kind.DATA_MANIFEST], exact.written_bytes[Kind.DATA_MANIFEST]
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == pytest.approx(written, rel=band)


def test_tasks_overwrite_files_of_each_hour_that_their_rows_span(made: Callable) -> None:
    table = TABLE | {"partition_by": [*BY_HOUR["partition_by"], *BY_BUCKET["partition_by"]]}
    lines = {"commit_interval": "7m", "workload": {"rows_per_second": 40 / 420, "files_per_commit": 3}}
    overwrite = {"every": "1050s", "rows": 300, "kind": "dynamic"}
    lines |= {"table": table, "writer": "streaming", "changes": {"overwrite": overwrite}}
    exact, summed = made(lines | {"horizon": f"{420 * 2 * COMMITS}s"})
    for kind in (Kind.DATA, Kind.DATA_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.01), kind
    lists = Kind.MANIFEST_LIST  # what is left of a statement's manifests stands alone once the emptied ones are gone
    assert summed.totals.written_bytes[lists] == pytest.approx(exact.written_bytes[lists], rel=0.03)


def test_upserts_hit_the_compacted_file_of_each_hour(made: Callable) -> None:
    upsert, compaction = {"share": 0.1, "mode": "merge-on-read"}, {"rewrite_data_files": {"every": "50m"}}
    lines = {"commit_interval": "2m", "workload": {"rows_per_second": 40 / 120}, "horizon": f"{120 * 2 * COMMITS}s"}
    lines |= {"table": TABLE | BY_HOUR, "writer": {"kind": "batch", "upsert": upsert}, "maintenance": compaction}
    exact, summed = made(lines)
    for kind, rel in ((Kind.DATA, 0.01), (Kind.DELETE_FILE, 0.04)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind


def test_copy_on_write_upserts_leave_several_files_of_an_hour(made: Callable) -> None:
    upsert, lines = {"share": 0.5, "mode": "copy-on-write"}, {"workload": {"rows_per_second": 40 / 120}}
    lines |= {"commit_interval": "2m", "horizon": f"{120 * 4 * COMMITS}s"}
    exact, summed = made(lines | {"table": TABLE | BY_HOUR, "writer": {"kind": "batch", "upsert": upsert}})
    for kind, rel in ((Kind.DATA, 0.01), (Kind.DATA_MANIFEST, 0.06)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind


@pytest.mark.parametrize(("fields", "share"), [(["hour"], 0.1), (["day", "bucket[4]"], 0.5)], ids=str)
def test_upserts_on_read_by_time_hit_files_of_new_rows(fields: list[str], share: float, made: Callable) -> None:
    by = [{"column": "event_id" if one == "bucket[4]" else "event_time", "transform": one} for one in fields]
    lines = {"commit_interval": "2m", "workload": {"rows_per_second": 40 / 120}, "horizon": f"{120 * 2 * COMMITS}s"}
    lines |= {"table": TABLE | {"partition_by": by}}
    exact, summed = made(lines | {"writer": {"kind": "batch", "upsert": {"share": share, "mode": "merge-on-read"}}})
    for kind, rel in ((Kind.DATA, 0.01), (Kind.DELETE_FILE, 0.02), (Kind.DELETE_MANIFEST, 0.1)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind


def test_upserts_replace_delete_files_of_all_but_newest_files(made: Callable) -> None:
    writer = {"kind": "batch", "upsert": {"share": 0.5, "mode": "merge-on-read"}}
    exact, summed = made({"writer": writer, "workload": {"rows_per_second": 40}, "horizon": f"{2 * COMMITS}s"})
    live = [one.files_written[Kind.DELETE_FILE] - one.files_deleted[Kind.DELETE_FILE] for one in (exact, summed.totals)]
    assert live[1] == pytest.approx(live[0], rel=0.02)
    manifests = Kind.DELETE_MANIFEST
    assert summed.totals.files_written[manifests] == pytest.approx(exact.files_written[manifests], rel=0.08)
    assert summed.totals.written_bytes[manifests] == pytest.approx(exact.written_bytes[manifests], rel=0.08)


def test_deletes_of_the_oldest_hit_each_file_once(made: Callable) -> None:
    delete = {"every": "2500ms", "share": 0.1, "locality": "oldest", "mode": "copy-on-write"}
    rows = {"writer": "streaming", "workload": {"rows_per_second": 40}, "horizon": f"{2 * COMMITS}s"}
    exact, summed = made(rows | {"changes": {"delete": delete}, "table": TABLE | BY_BUCKET})
    for kind in (Kind.DATA, Kind.DATA_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.03), kind


def test_compaction_leaves_partitions_that_have_few_files_by_chance(made: Callable) -> None:
    writer = {"kind": "batch", "upsert": {"share": 0.1, "locality": "newest", "mode": "copy-on-write"}}
    lines = {"maintenance": {"rewrite_data_files": {"when_small_files": 20}}, "table": TABLE | BY_BUCKET}
    exact, summed = made({"writer": writer, "workload": {"rows_per_second": 40}, "horizon": f"{3 * COMMITS}s"} | lines)
    for kind, rel in ((Kind.DATA, 0.02), (Kind.DATA_MANIFEST, 0.05), (Kind.METADATA_JSON, 0.02)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind


def test_overwriting_the_newest_hour_leaves_what_was_compacted(made: Callable) -> None:
    overwrite, compaction = {"every": "1050s", "share": 0.01, "kind": "dynamic"}, {"when_small_files": 20}
    lines = {
        "changes": {"overwrite": overwrite},
        "maintenance": {"rewrite_data_files": compaction},
        "writer": "streaming",
    }
    lines |= {"table": TABLE | BY_HOUR, "workload": {"rows_per_second": 40 / 420, "files_per_commit": 4}}
    exact, summed = made(lines | {"commit_interval": "7m", "horizon": f"{420 * 3 * COMMITS}s"})
    for kind in (Kind.DATA, Kind.DATA_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.04), kind


def test_overwritten_partitions_leave_the_others_in_their_manifests(made: Callable) -> None:
    lines = {"writer": "batch", "workload": {"rows_per_second": 40, "files_per_commit": 2}, "table": TABLE | BY_BUCKET}
    exact, summed = made(lines | {"changes": {"overwrite": {"every": "3s", "rows": 5, "kind": "dynamic"}}})
    written = exact.files_written[Kind.DATA_MANIFEST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.06)


def test_partitions_that_are_overwritten_have_no_more_files(made: Callable) -> None:
    """A file of each task at most, which are fewer than a compaction waits for."""
    lines = {"writer": "batch", "workload": {"rows_per_second": 40, "files_per_commit": 4}, "table": TABLE | BY_BUCKET}
    changes = {"overwrite": {"every": "10s", "share": 0.002, "kind": "dynamic"}}
    lines |= {"changes": changes, "maintenance": {"rewrite_data_files": {"every": "80s"}}, "horizon": "500s"}
    exact, summed = made(lines)
    lists = exact.files_written[Kind.MANIFEST_LIST]
    assert summed.totals.files_written[Kind.MANIFEST_LIST] == pytest.approx(lists, abs=1)


def test_scattered_deletes_leave_files_in_closed_partitions(made: Callable) -> None:
    lines = {
        "commit_interval": "7m",
        "horizon": f"{420 * 1.5 * COMMITS}s",
        "workload": {"rows_per_second": 0.1},
        "table": TABLE | {"partition_by": [*BY_HOUR["partition_by"], *BY_BUCKET["partition_by"]]},
        "maintenance": {"rewrite_data_files": {"every": "4h"}},
        "changes": {"delete": {"every": "70m", "rows": 20, "mode": "copy-on-write"}},
    }
    exact, summed = made(lines)
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.05)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_the_oldest_rows_are_written_into_their_closed_hour(mode: str, made: Callable) -> None:
    lines = {
        "commit_interval": "2m",
        "horizon": "7h",
        "workload": {"rows_per_second": 1 / 3},
        "table": TABLE | {"partition_by": [*BY_HOUR["partition_by"], *BY_BUCKET["partition_by"]]},
        "maintenance": {"rewrite_data_files": {"when_small_files": 60}},
        "changes": {"update": {"every": "5m", "rows": 200, "locality": "oldest", "mode": mode}},
    }
    exact, summed = made(lines)
    for kind in (Kind.METADATA_JSON, Kind.DATA):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.02), kind
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.05)


@pytest.mark.parametrize("rows", [{"share": 0.01}, {"rows": 60}], ids=str)
def test_scattered_deletes_leave_manifests_of_small_files(rows: dict[str, Any], made: Callable) -> None:
    """They take the large file of a closed partition each time, and few of the others."""
    lines = {
        "commit_interval": "2m",
        "horizon": f"{120 * 4 * COMMITS}s",
        "workload": {"rows_per_second": 1 / 3},
        "table": TABLE | {"partition_by": [*BY_HOUR["partition_by"], *BY_BUCKET["partition_by"]]},
        "changes": {"delete": {"every": "6m", "mode": "copy-on-write", **rows}},
    }
    exact, summed = made(lines | {"writer": "streaming"})
    for kind in (Kind.DATA, Kind.DATA_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.06), kind


def test_summaries_of_statements_compress_as_among_those_of_commits(made: Callable) -> None:
    update = {"every": "4s", "rows": 20, "mode": "merge-on-read"}
    lines = {"table": TABLE | GZIP, "horizon": f"{2 * COMMITS}s", "changes": {"update": update}}
    exact, summed = made(lines | {"writer": "streaming"})
    written = exact.written_bytes[Kind.METADATA_JSON]
    assert summed.totals.written_bytes[Kind.METADATA_JSON] == pytest.approx(written, rel=0.01)


def test_entries_of_statements_share_less_than_one_commits(made: Callable) -> None:
    upsert = {"share": 0.1, "mode": "merge-on-read"}
    table = TABLE | {"properties": {"commit.manifest.min-count-to-merge": "10"}}
    lines = {"workload": {"rows_per_second": 40, "files_per_commit": 4}, "table": table, "table.format_version": 3}
    exact, summed = made(lines | {"writer": {"kind": "batch", "upsert": upsert}, "horizon": f"{COMMITS}s"})
    written = exact.written_bytes[Kind.DATA_MANIFEST]
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.02)


def test_compaction_leaves_partitions_that_have_fewer_files_by_chance(made: Callable) -> None:
    lines = {"table": TABLE | {"partition_by": BY_HOUR["partition_by"] + BY_BUCKET["partition_by"]}}
    lines |= {"workload": {"rows_per_second": 4 / 3, "files_per_commit": 4}, "commit_interval": "30s", "horizon": "3h"}
    merge = {"every": "20m", "share": 0.01, "mode": "copy-on-write"}  # of closed hours whose files stay small
    lines |= {"changes": {"merge": merge}, "maintenance": {"rewrite_data_files": {"when_small_files": 20}}}
    exact, summed = made(lines | {"writer": {"kind": "streaming", "append": "merge"}})
    written = exact.written_bytes[Kind.METADATA_JSON]
    assert summed.totals.written_bytes[Kind.METADATA_JSON] == pytest.approx(written, rel=0.01)
    written = exact.files_written[Kind.DATA_MANIFEST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.12)


def test_entries_of_rewritten_files_say_of_all_their_rows(made: Callable) -> None:
    columns = [{"name": f"reading{number}", "type": "double"} for number in range(6)]
    table = {"columns": columns, "partition_by": BY_HOUR["partition_by"] + BY_BUCKET["partition_by"]}
    properties = {"commit.manifest.min-count-to-merge": "10"}
    lines = {"table": table | {"properties": properties}, "commit_interval": "2m", "horizon": f"{120 * COMMITS}s"}
    upsert = {"share": 0.1, "mode": "copy-on-write"}
    lines |= {"workload": {"rows_per_second": 1 / 3}, "writer": {"kind": "batch", "upsert": upsert}}
    exact, summed = made(lines)
    written = exact.written_bytes[Kind.DATA_MANIFEST]
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.03)


def test_manifests_that_a_statement_wrote_again_differ_in_a_list(made: Callable) -> None:
    update = {"every": "10s", "share": 0.1, "mode": "copy-on-write"}
    lines = {"table": TABLE | BY_BUCKET, "workload": {"rows_per_second": 40, "files_per_commit": 2}}
    exact, summed = made(lines | {"writer": "streaming", "changes": {"update": update}})
    written = exact.written_bytes[Kind.MANIFEST_LIST]
    assert summed.totals.written_bytes[Kind.MANIFEST_LIST] == pytest.approx(written, rel=0.07)


def test_delete_files_for_one_commit_s_data_share_its_name(made: Callable) -> None:
    update = {"every": "10s", "rows": 100, "locality": "newest", "mode": "merge-on-read"}
    lines = {"workload": {"rows_per_second": 40, "files_per_commit": 4}, "table.format_version": 3}
    exact, summed = made(lines | {"writer": "batch", "changes": {"update": update}})
    written = exact.written_bytes[Kind.DELETE_MANIFEST]
    assert summed.totals.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.01)


def test_upserts_of_few_files_keep_manifests_of_deletes(made: Callable) -> None:
    upsert = {"share": 0.05, "mode": "merge-on-read"}
    lines = {"writer": {"kind": "batch", "upsert": upsert}, "workload": {"rows_per_second": 600}}
    exact, summed = made(lines)
    written = exact.files_written[Kind.DELETE_MANIFEST]
    assert summed.totals.files_written[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.1)


@pytest.mark.parametrize("fields", [["day"], ["day", "bucket[4]"]], ids=str)
def test_overwritten_partitions_alone_lose_all_their_files(fields: list[str], made: Callable) -> None:
    by = [
        {"column": "event_time" if transform == "day" else "event_id", "transform": transform} for transform in fields
    ]
    exact, summed = made(
        {
            "changes": {"overwrite": {"every": "6h", "rows": 300, "kind": "dynamic"}},
            "table": TABLE | {"partition_by": by},
            "workload": {"rows_per_second": 0.05},
            "commit_interval": "20m",
            "horizon": "5d",
        }
    )
    for kind in (Kind.DATA, Kind.DATA_MANIFEST):
        assert summed.totals.on_disk_bytes[kind] == pytest.approx(exact.on_disk_bytes[kind], rel=0.02)
    assert summed.totals.files_written[Kind.DATA] == pytest.approx(exact.files_written[Kind.DATA], rel=0.01)


@pytest.fixture
def made(small_case: Callable[..., Case]) -> Callable[[dict[str, Any]], tuple[Any, Any]]:
    """What exact simulation writes of a case of these lines, and the sums of the same."""

    def make(lines: dict[str, Any]) -> tuple[Any, Any]:
        version = lines.get("table.format_version", 2)
        given = {key: json.dumps(value) for key, value in lines.items() if "." not in key}
        case = small_case(**({"horizon": f"{COMMITS}s"} | given))
        properties = {"commit.manifest.min-count-to-merge": str(TO_MERGE), **case.table.properties}
        table = case.table.model_copy(update={"format_version": version, "properties": properties})
        case = replace(case, table=table)
        rng, profile = np.random.default_rng(1), shipped_profile(case)
        exact = sum_events(simulate_table(case, profile, rng, most_rows_computed=1).recording.events)
        return exact, simulate_years(case, profile, Site())

    return make


def test_an_overwrite_of_less_than_a_row_overwrites_nothing(made: Callable) -> None:
    overwrite = {"every": "3s", "share": 0.002, "kind": "dynamic"}
    exact, summed = made({"changes": {"overwrite": overwrite}, "workload": {"rows_per_second": 40}})
    assert summed.totals.files_written == exact.files_written


def test_deletes_of_the_oldest_rows_replace_vectors_in_several_manifests(made: Callable) -> None:
    """Five rows at a time of commits of forty in four partitions: one file is hit by statements after statements."""
    delete = {"every": "10s", "rows": 5, "locality": "oldest", "mode": "merge-on-read"}
    lines = {"changes": {"delete": delete}, "table": TABLE | BY_BUCKET, "table.format_version": 3, **IN_TURN}
    exact, summed = made(lines)
    written = exact.files_written[Kind.DELETE_MANIFEST]
    assert summed.totals.files_written[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.1)


def test_upserts_hit_the_file_that_compaction_made_and_few_others(made: Callable) -> None:
    lines = {
        "writer": {"kind": "batch", "upsert": {"share": 0.1, "mode": "merge-on-read"}},
        "workload": {"rows_per_second": 40, "files_per_commit": 4},
        "table": TABLE | {"partition_by": [{"column": "event_time", "transform": "day"}]},
        "maintenance": {"rewrite_data_files": {"when_small_files": 20}},
    }
    exact, summed = made(lines)
    written = exact.files_written[Kind.DELETE_FILE]  # 1.8 times as many, if all files had as many rows
    assert summed.totals.files_written[Kind.DELETE_FILE] == pytest.approx(written, rel=0.15)


def test_rows_written_again_keep_their_ids_in_version_3(made: Callable) -> None:
    upsert = {"share": 0.3, "mode": "merge-on-read"}
    lines = {"writer": {"kind": "batch", "upsert": upsert}, "workload": {"rows_per_second": 40}}
    exact, summed = made(lines | {"table.format_version": 3})
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.02)


def test_two_largest_files_of_a_partition_are_never_together(made: Callable) -> None:
    """Copy-on-write upserts of four buckets: a large file of each grows, and stays apart from the other buckets'
    files. It is in one of the newest manifests: were all files hit as often, a fifth fewer would be written again.
    """
    upsert = {"share": 0.1, "mode": "copy-on-write"}
    lines = {"writer": {"kind": "batch", "upsert": upsert}, "workload": {"rows_per_second": 40}, "horizon": "200s"}
    exact, summed = made(lines | {"table": TABLE | BY_BUCKET, "maintenance": {"rewrite_manifests": {"every": "45s"}}})
    written, found = exact.written_bytes, summed.totals.written_bytes
    assert found[Kind.DATA] == pytest.approx(written[Kind.DATA], rel=0.1)
    assert found[Kind.DATA_MANIFEST] == pytest.approx(written[Kind.DATA_MANIFEST], rel=0.05)
    manifests = exact.files_written[Kind.DATA_MANIFEST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(manifests, rel=0.05)


def test_the_oldest_rows_replace_deletes_of_new_manifests(made: Callable) -> None:
    """A statement ends within a task's rows at times, whose files the next one names again: no older manifest is."""
    delete = {"every": "3s", "rows": 30, "locality": "oldest", "mode": "merge-on-read"}
    rows = {"writer": "streaming", "workload": {"rows_per_second": 40, "files_per_commit": 2}, "horizon": "120s"}
    exact, summed = made({"changes": {"delete": delete}, "table": TABLE | BY_BUCKET, "table.format_version": 3} | rows)
    for kind in (Kind.DELETE_MANIFEST, Kind.DELETE_FILE):
        assert summed.totals.files_written[kind] == exact.files_written[kind]


def test_the_oldest_rows_are_in_what_compaction_made(made: Callable) -> None:
    """Several to a commit: most take what the last one wrote, alone, and whose delete files none replaces any more."""
    update = {"every": "4s", "share": 0.1, "locality": "oldest", "mode": "merge-on-read"}
    lines = {"changes": {"update": update}, "maintenance": {"rewrite_data_files": {"when_small_files": 60}}}
    exact, summed = made(lines | IN_TURN | {"commit_interval": "10s", "horizon": f"{10 * COMMITS}s"})
    assert summed.totals.files_written == exact.files_written


def test_hours_with_upserts_are_compacted_each_by_its_count(made: Callable) -> None:
    """A file here and there: as long as hours counted as equal, half of the manifests were missing."""
    upsert = {"share": 0.1, "locality": "scattered", "mode": "merge-on-read", "key": ["event_id"]}
    workload = {"rows_per_second": 2 / 21, "files_per_commit": 2}
    rows = {"writer": {"kind": "batch", "upsert": upsert}, "workload": workload, "table": TABLE | BY_HOUR}
    jobs = {"maintenance": {"rewrite_data_files": {"when_small_files": 20}}}
    exact, summed = made(rows | jobs | {"commit_interval": "420s", "horizon": f"{420 * 300}s"})
    for kind, near in ((Kind.METADATA_JSON, 0.03), (Kind.DATA, 0.02), (Kind.DATA_MANIFEST, 0.08)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=near)


def test_vectors_of_a_days_large_file_name_most_rows(made: Callable) -> None:
    """Upserts at even distances hit what compaction made of each day and, until the next one, ever more small files: as
    if all files of a day had as many rows, a quarter of the bytes of delete files was missing.
    """
    upsert = {"share": 0.5, "locality": "scattered", "mode": "merge-on-read", "key": ["event_id"]}
    workload = {"rows_per_second": 2 / 21, "files_per_commit": 4}
    table = TABLE | {"partition_by": [{"column": "event_time", "transform": "day"}], "format_version": 3}
    rows = {"writer": {"kind": "batch", "upsert": upsert}, "workload": workload, "table": table}
    jobs = {"maintenance": {"rewrite_data_files": {"every": "12600s"}}}
    exact, summed = made(rows | jobs | {"commit_interval": "420s", "horizon": f"{420 * 400}s"})
    found, written = summed.totals.written_bytes, exact.written_bytes
    for kind, near in ((Kind.DELETE_FILE, 0.05), (Kind.DELETE_MANIFEST, 0.08)):
        assert found[kind] == pytest.approx(written[kind], rel=near)
    assert summed.totals.metadata_bytes == pytest.approx(exact.metadata_bytes, rel=0.01)


def test_manifests_of_statements_and_of_appends_are_counted_apart(made: Callable) -> None:
    """Merges of a few rows of each hour, between appends: as if all listed what is left of either, 18 % too many. The
    hour that is open has fewer rows than others: as if all had as many, 4.6 % of the data would be missing.
    """
    merge = {"every": "48s", "rows": 5, "mode": "copy-on-write", "new_rows": 0}
    lines = {"changes": {"merge": merge}, "maintenance": {"rewrite_data_files": {"when_small_files": 60}}}
    rows = {"writer": "streaming", "workload": {"rows_per_second": 1 / 3, "files_per_commit": 4}}
    exact, summed = made(
        lines | rows | {"table": TABLE | BY_HOUR, "commit_interval": "120s", "horizon": f"{120 * 200}s"}
    )
    written, found = exact.files_written, summed.totals.files_written
    assert found[Kind.DATA_MANIFEST] == pytest.approx(written[Kind.DATA_MANIFEST], rel=0.05)
    assert found[Kind.DATA] == pytest.approx(written[Kind.DATA], rel=0.01)
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.02)


def test_copy_on_write_upserts_hit_each_hour_s_only_file(made: Callable) -> None:
    """Half of all rows replace others: those of each hour, which follow each other, are in one file. If rows were
    dealt at random, twice as many manifests would be written.
    """
    upsert = {"share": 0.5, "mode": "copy-on-write"}
    lines = {"writer": {"kind": "batch", "upsert": upsert}, "workload": {"rows_per_second": 1 / 3}}
    exact, summed = made(lines | {"table": TABLE | BY_HOUR, "commit_interval": "120s", "horizon": f"{120 * 250}s"})
    written = exact.files_written[Kind.DATA_MANIFEST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.25)


def test_updates_of_the_newest_rows_hit_the_same_files_again(made: Callable) -> None:
    """Two or three between two commits touch the same rows, which are in some of four partitions: as if chance chose
    again each time, there would be 8 % more manifests. A compaction puts them into its own files, which are written
    again each time until rows come: as if they stood apart, 12 % of the bytes would be missing.
    """
    update = {"every": "12s", "rows": 5, "locality": "newest", "mode": "copy-on-write"}
    lines = {"changes": {"update": update}, "maintenance": {"rewrite_data_files": {"every": "15m"}}}
    rows = {"writer": "batch", "workload": {"rows_per_second": 4 / 3, "files_per_commit": 2}}
    exact, summed = made(
        lines | rows | {"table": TABLE | BY_BUCKET, "commit_interval": "30s", "horizon": f"{30 * 200}s"}
    )
    for kind in (Kind.DATA_MANIFEST, Kind.DATA):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.02), kind
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.03), kind


def test_statements_leave_closed_partitions_out_of_the_next_compaction(made: Callable) -> None:
    """A merge hits the only file of each bucket and hour. Those that are open have as many files as each other after
    it: as if closed ones had some of theirs, compaction would take a few each time, in 9 % more commits.
    """
    merge = {"every": "30m", "share": 0.1, "mode": "copy-on-write", "new_rows": 0}
    lines = {"changes": {"merge": merge}, "maintenance": {"rewrite_data_files": {"every": "5m"}}}
    by_hour = TABLE | {"partition_by": [*BY_HOUR["partition_by"], *BY_BUCKET["partition_by"]]}
    rows = {"writer": "streaming", "workload": {"rows_per_second": 2, "files_per_commit": 2}}
    exact, summed = made(lines | rows | {"table": by_hour, "commit_interval": "5m", "horizon": f"{300 * 72}s"})
    for kind in (Kind.METADATA_JSON, Kind.DATA):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.02), kind


def test_compaction_leaves_the_newest_files_by_the_hour(made: Callable) -> None:
    """A commit every seven minutes: the last hour has four files, which are compacted later."""
    lines = {"commit_interval": "7m", "workload": {"rows_per_second": 0.1}, "horizon": f"{420 * COMMITS}s"}
    update = {"every": "5h", "rows": 5, "locality": "oldest", "mode": "copy-on-write"}
    kept = {"maintenance": {"rewrite_data_files": {"every": "200m"}}, "changes": {"update": update}}
    exact, summed = made(lines | {"table": TABLE | BY_HOUR} | kept)
    written = exact.files_written[Kind.DATA_MANIFEST]
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.03)


def test_compaction_takes_the_too_large_file_that_upserts_wrote(made: Callable) -> None:
    """Each commit writes all rows of the day into one file, which soon is larger than compaction's target."""
    upsert = {"share": 0.5, "mode": "copy-on-write"}
    lines = {
        "writer": {"kind": "batch", "upsert": upsert},
        "table": TABLE | {"partition_by": [{"column": "event_time", "transform": "day"}]},
    }
    kept = {"rewrite_data_files": {"every": "5s", "target_file_size_bytes": 10_000}}
    exact, summed = made(lines | {"maintenance": kept, "workload": {"rows_per_second": 200}})
    assert exact.files_written[Kind.DATA] > 1.3 * COMMITS
    for kind in (Kind.DATA, Kind.DATA_MANIFEST):
        written = exact.files_written[kind]
        assert summed.totals.files_written[kind] == pytest.approx(written, rel=0.02)


def test_lists_of_deletes_whose_data_was_compacted(made: Callable) -> None:
    """Of an UPDATE's two manifests that of data is soon emptied: as if the other still stood next to it, 7 % less."""
    target, columns = 5 << 20, [{"name": "v", "type": "double", "count": 12}]
    table = {"columns": columns, "partition_by": [{"column": "event_time", "transform": "day"}]}
    table["properties"] = {"write.target-file-size-bytes": str(target)}
    upkeep = {"rewrite_data_files": {"every": "1h", "target_file_size_bytes": target}}
    update = {"every": "2h", "rows": 200, "mode": "merge-on-read"}
    lines = {"changes": {"update": update}, "maintenance": upkeep, "writer": "batch", "table": table}
    rows = {"workload": {"rows_per_second": 3, "files_per_commit": 2}, "commit_interval": "15m", "horizon": "60h"}
    exact, summed = made(lines | rows)
    written = exact.written_bytes[Kind.MANIFEST_LIST]
    assert summed.totals.written_bytes[Kind.MANIFEST_LIST] == pytest.approx(written, rel=0.02)


def test_the_oldest_rows_are_in_full_files(made: Callable) -> None:
    """Each MERGE writes them into files that are too small for compaction, whose tasks take these first: were the
    oldest rows in what a compaction leaves, a fifth of the data would be missing.
    """
    columns, merge = [{"name": "v", "type": "double", "count": 12}], {"every": "1h", "rows": 200, "locality": "oldest"}
    table = {"columns": columns, "partition_by": [{"column": "event_id", "transform": "bucket[4]"}]}
    table["properties"] = {"write.target-file-size-bytes": str(1 << 18)}
    upkeep = {"rewrite_data_files": {"every": "1h", "target_file_size_bytes": 5 << 17}}
    lines = {"changes": {"merge": merge | {"mode": "copy-on-write"}}, "maintenance": upkeep, "writer": "batch"}
    rows = {"workload": {"rows_per_second": 3, "files_per_commit": 1}, "commit_interval": "2m", "horizon": "24h"}
    exact, summed = made(lines | rows | {"table": table})
    written, found = exact.written_bytes[Kind.DATA], summed.totals.written_bytes[Kind.DATA]
    assert found == pytest.approx(written, rel=0.06)


@pytest.mark.parametrize(
    "lines",
    [
        {"workload": {"rows_per_second": 20, "files_per_commit": 4}, "horizon": "600s"}
        | {"maintenance": {"rewrite_data_files": {"when_small_files": 60}}},
        pytest.param(
            {
                "workload": {"rows_per_second": 20},
                "maintenance": {"rewrite_data_files": {"every": "4s"}},
                "horizon": "1000s",
            },
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_partition_is_compacted_once_it_has_files_enough(made: Callable, lines: dict[str, Any]) -> None:
    """By chance some have them later than others, and stay behind these."""
    table = TABLE | {"partition_by": [{"column": "event_id", "transform": "bucket[8]"}]}
    exact, summed = made({"table": table, "writer": "batch"} | lines)
    for kind, rel in ((Kind.MANIFEST_LIST, 0.01), (Kind.DATA_MANIFEST, 0.05), (Kind.DATA, 0.01)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind
    for kind in (Kind.MANIFEST_LIST, Kind.DATA):
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.02), kind


def test_files_too_few_to_compact_stay_as_they_came(made: Callable) -> None:
    by_hour = {"partition_by": BY_BUCKET["partition_by"] + BY_HOUR["partition_by"]}
    lines = {"table": TABLE | by_hour, "writer": "batch", "workload": {"rows_per_second": 20 / 1200}}
    lines |= {"commit_interval": "20m", "horizon": "200h", "maintenance": {"rewrite_data_files": {"every": "1h"}}}
    exact, summed = made(lines)
    written = exact.written_bytes[Kind.DATA_MANIFEST]
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == pytest.approx(written, rel=0.005)


@pytest.mark.parametrize("job", [{"every": "30s"}, pytest.param({"when_small_files": 20}, marks=pytest.mark.slow)])
def test_gzipped_snapshots_of_jobs_take_as_much_as_others(made: Callable, job: dict[str, Any]) -> None:
    lines = {"writer": "streaming", "workload": {"rows_per_second": 40, "files_per_commit": 4}, "horizon": "600s"}
    exact, summed = made({"table": TABLE | GZIP, "maintenance": {"rewrite_data_files": job}} | lines)
    written = exact.written_bytes[Kind.METADATA_JSON]
    assert summed.totals.written_bytes[Kind.METADATA_JSON] == pytest.approx(written, rel=0.01)


BY_KIND = [{"name": "kind", "type": "string", "length": 15, "values": 50}, {"name": "v", "type": "double", "count": 2}]


def by_kind(transform: str) -> dict[str, Any]:
    """Forty rows a commit in a table that is partitioned by a column of fifty values."""
    table = {"columns": BY_KIND, "partition_by": [{"column": "kind", "transform": transform}]}
    return {"table": table, "workload": {"rows_per_second": 40, "files_per_commit": 2}, "horizon": "200s"}


@pytest.mark.parametrize(
    ("transform", "job"),
    [
        # of files of one row, a DELETE leaves none
        pytest.param(
            "identity",
            {"changes": {"delete": {"every": "400ms", "share": 0.01, "mode": "copy-on-write"}}},
            marks=pytest.mark.slow,
        ),
        # data files differ in rows by chance, and the smallest are rewritten last
        ("bucket[3]", {"changes": {"delete": {"every": "3s", "share": 0.01, "mode": "copy-on-write"}}}),
        # some partitions have a file less by chance, and are compacted after other commits from then on
        ("bucket[6]", {"maintenance": {"rewrite_data_files": {"when_small_files": 20}}}),
        pytest.param(
            "identity", {"maintenance": {"rewrite_data_files": {"when_small_files": 20}}}, marks=pytest.mark.slow
        ),
        # files of many rows are hit again, and what had named them is replaced
        pytest.param(
            "bucket[16]",
            {"changes": {"delete": {"every": "3s", "share": 0.01, "mode": "merge-on-read"}}},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_tables_by_few_values_hold_as_many_files(made: Callable, transform: str, job: dict[str, Any]) -> None:
    exact, summed = made(by_kind(transform) | job | {"writer": "batch"})
    for kind, rel in {
        Kind.MANIFEST_LIST: 0.05,
        Kind.DATA_MANIFEST: 0.05,
        Kind.DELETE_MANIFEST: 0.08,
        Kind.DATA: 0.05,
    }.items():
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind
    for kind in (Kind.DATA_MANIFEST, Kind.DATA):
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.08), kind


def test_compaction_takes_some_partitions_where_others_keep_deletes(made: Callable) -> None:
    upsert = {"share": 0.5, "mode": "merge-on-read", "locality": "scattered"}
    lines = by_kind("bucket[16]") | {"writer": {"kind": "batch", "upsert": upsert}}
    exact, summed = made(lines | {"maintenance": {"rewrite_data_files": {"when_small_files": 20}}})
    for kind in (Kind.MANIFEST_LIST, Kind.DATA, Kind.DELETE_FILE):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.08), kind


def test_rows_written_again_in_a_closed_day_are_newest(made: Callable) -> None:
    merge = {"every": "1050s", "share": 0.1, "locality": "newest", "mode": "merge-on-read", "new_rows": 0}
    table = TABLE | {"partition_by": [*BY_BUCKET["partition_by"], {"column": "event_time", "transform": "day"}]}
    lines = {"workload": {"rows_per_second": 40 / 420}, "commit_interval": "420s", "horizon": "126000s"}
    exact, summed = made({"changes": {"merge": merge}, "table": table, "writer": "batch"} | lines)
    for kind in (Kind.DELETE_MANIFEST, Kind.DELETE_FILE):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.02), kind


@pytest.mark.parametrize(
    ("values", "each", "job", "hourly"),
    [
        (20, 4, {"every": "30s"}, False),
        (20, 4, {"when_small_files": 30}, False),
        (20, 4, {"every": "2h"}, True),
        (70, 1, {"when_small_files": 30}, False),
        (12, 5, {"when_small_files": 30}, False),
    ],
)
def test_commits_walk_through_partitions_that_compaction_takes(
    made: Callable, values: int, each: int, job: dict[str, Any], *, hourly: bool
) -> None:
    """So many partitions come with each commit, in turn: each is compacted once it has files enough."""
    columns = [{"name": "region", "type": "string", "length": 10, "values": values}, {"name": "v", "type": "long"}]
    table = {"columns": columns, "partition_by": [{"column": "region"}, *(BY_HOUR["partition_by"] if hourly else [])]}
    work = {"rows_per_second": 0.5 if hourly else 40, "files_per_commit": 2, "partitions_per_commit": each}
    lines = {"table": table, "workload": work, "writer": "batch", "maintenance": {"rewrite_data_files": job}}
    exact, summed = made(lines | ({"commit_interval": "3m", "horizon": "9h"} if hourly else {"horizon": "250s"}))
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA):
        assert summed.totals.files_written[kind] == exact.files_written[kind], kind
    # where commits overlap in the parts that they take, how many of its manifests a compaction takes differs
    manifests = pytest.approx(exact.files_written[Kind.DATA_MANIFEST], rel=0 if values % each == 0 else 0.03)
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == manifests


def test_copy_on_write_writes_each_partition_that_has_touched_rows(made: Callable) -> None:
    """Of fifty partitions with a large file each, not of so many as chance has of as many files."""
    table = by_kind("identity")["table"]
    delete = {"changes": {"delete": {"every": "1s", "share": 0.005, "mode": "copy-on-write"}}, "writer": "batch"}
    lines = {"table": table, "workload": {"rows_per_second": 2000, "files_per_commit": 1}, "horizon": "30s"}
    exact, summed = made(delete | lines)
    assert summed.totals.files_written[Kind.DATA] == pytest.approx(exact.files_written[Kind.DATA], rel=0.01)


@pytest.mark.parametrize(
    ("change", "rel"),
    [
        pytest.param(
            {"delete": {"share": 0.01, "mode": "copy-on-write", "locality": "scattered"}}, 0.1, marks=pytest.mark.slow
        ),
        ({"update": {"share": 0.005, "mode": "copy-on-write", "locality": "newest"}}, 0.02),
        ({"delete": {"share": 0.01, "mode": "merge-on-read", "locality": "scattered"}}, 0.02),
        pytest.param(
            {"update": {"share": 0.02, "mode": "merge-on-read", "locality": "scattered"}}, 0.1, marks=pytest.mark.slow
        ),
        ({"overwrite": {"share": 0.002, "kind": "dynamic"}}, 0.2),
        pytest.param({"overwrite": {"share": 0.002, "kind": "static"}}, 0.02, marks=pytest.mark.slow),
    ],
)
def test_each_partition_is_compacted_for_what_statements_leave_there(
    made: Callable, change: dict[str, dict[str, Any]], rel: float
) -> None:
    columns = [{"name": "region", "type": "string", "length": 10, "values": 40}, {"name": "v", "type": "long"}]
    lines = {
        "table": {"columns": columns, "partition_by": [{"column": "region"}]},
        "workload": {"rows_per_second": 600, "files_per_commit": 1},
        "writer": "batch",
        "changes": {kind: {"every": "10s"} | lines for kind, lines in change.items()},
        "maintenance": {"rewrite_data_files": {"when_small_files": 20}},
    }
    exact, summed = made(lines | {"horizon": "80s"})
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel / 2), kind
    manifests = pytest.approx(exact.files_written[Kind.DATA_MANIFEST], rel=rel)
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == manifests


def test_many_partitions_are_each_compacted_for_their_own_files(made: Callable) -> None:
    """Delete files stay for the oldest of them, and manifests that are written again differ in their lists."""
    lines = {
        "workload": {"rows_per_second": 60, "files_per_commit": 2},
        "writer": "batch",
        "changes": {"update": {"every": "20s", "share": 0.01, "mode": "merge-on-read"}},
        "maintenance": {"rewrite_data_files": {"when_small_files": 350}},
    }
    exact, summed = made(by_region(100) | lines | {"horizon": "80s"})
    for kind in (Kind.METADATA_JSON, Kind.DATA, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.03, abs=2), kind
    lists = pytest.approx(exact.written_bytes[Kind.MANIFEST_LIST], rel=0.03)
    assert summed.totals.written_bytes[Kind.MANIFEST_LIST] == lists


def by_region(values: int) -> dict[str, Any]:
    columns = [{"name": "region", "type": "string", "length": 15, "values": values}, {"name": "v", "type": "double"}]
    return {"table": {"columns": columns, "partition_by": [{"column": "region"}]}}


@pytest.mark.parametrize(("values", "most"), [(8, 4), (30, 10)])
def test_partial_progress_compacts_each_partition_once(made: Callable, values: int, most: int) -> None:
    """Its commits list what was planned before the first of them, not what that one made."""
    job = {"rewrite_data_files": {"every": "20s", "partial_progress_commits": most}}
    work = {"workload": {"rows_per_second": 400, "files_per_commit": 1}, "writer": "batch", "maintenance": job}
    exact, summed = made(by_region(values) | work | {"horizon": "80s"})
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA):
        assert summed.totals.files_written[kind] == exact.files_written[kind], kind
    assert summed.totals.written_bytes[Kind.DATA] == pytest.approx(exact.written_bytes[Kind.DATA], rel=0.01)
    manifests = pytest.approx(exact.files_written[Kind.DATA_MANIFEST], rel=0.02)
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == manifests


def test_each_commit_of_partial_progress_merges_manifests(made: Callable) -> None:
    job = {"rewrite_data_files": {"every": "40s", "partial_progress_commits": 4}}
    work = {"workload": {"rows_per_second": 400, "files_per_commit": 1}, "writer": "streaming", "maintenance": job}
    lines = by_region(8) | work | {"horizon": "120s"}
    lines["table"]["properties"] = {"commit.manifest.min-count-to-merge": "20"}
    exact, summed = made(lines)
    manifests = pytest.approx(exact.files_written[Kind.DATA_MANIFEST], rel=0.01)
    assert summed.totals.files_written[Kind.DATA_MANIFEST] == manifests


@pytest.mark.parametrize(("values", "mode"), [(9, "merge-on-read"), (30, "copy-on-write")])
def test_files_of_upserts_are_listed_as_such_until_compaction(made: Callable, values: int, mode: str) -> None:
    """Not as those that compaction made, whose columns have other bounds."""
    lines = {
        "writer": {"kind": "batch", "upsert": {"share": 0.1, "mode": mode, "locality": "newest"}},
        "workload": {"rows_per_second": 40, "files_per_commit": 2},
        "maintenance": {"rewrite_data_files": {"every": "40s"}},
    }
    exact, summed = made(by_region(values) | lines | {"horizon": "90s"})
    written = pytest.approx(exact.written_bytes[Kind.DATA_MANIFEST], rel=0.01)
    assert summed.totals.written_bytes[Kind.DATA_MANIFEST] == written


def test_compaction_waits_in_each_partition_for_upserts_there(made: Callable) -> None:
    lines = {
        "writer": {"kind": "batch", "upsert": {"share": 0.3, "mode": "merge-on-read", "locality": "scattered"}},
        "workload": {"rows_per_second": 60, "files_per_commit": 2},
        "maintenance": {"rewrite_data_files": {"when_small_files": 300}},
    }
    exact, summed = made(by_region(100) | lines | {"horizon": "90s"})
    for kind, rel in ((Kind.METADATA_JSON, 0.03), (Kind.DATA, 0.03), (Kind.DATA_MANIFEST, 0.2)):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=rel), kind


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_upserts_write_new_rows_into_partitions_in_turn(made: Callable, mode: str) -> None:
    """The rows that they replace are in any."""
    columns = [{"name": "region", "type": "string", "length": 10, "values": 100}, {"name": "v", "type": "long"}]
    lines = {
        "table": {"columns": columns, "partition_by": [{"column": "region"}]},
        "workload": {"rows_per_second": 50, "files_per_commit": 4, "partitions_per_commit": 5},
        "writer": {"kind": "batch", "upsert": {"share": 0.5, "mode": mode, "locality": "scattered"}},
    }
    exact, summed = made(lines | {"horizon": "100s"})
    for kind in (Kind.DATA, Kind.DELETE_FILE):
        assert summed.totals.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.05), kind


def test_keyed_upserts_into_many_buckets_list_files_of_several_rows(made: Callable) -> None:
    """Each file's bounds are two keys, though few rows of a commit are looked at."""
    table = TABLE | {"partition_by": [{"column": "event_id", "transform": "bucket[64]"}]}
    upsert = {"kind": "streaming", "upsert": {"share": 0.3, "mode": "equality-deletes"}}
    work = {"rows_per_second": 20_000, "files_per_commit": 4}
    exact, summed = made({"table": table, "workload": work, "writer": upsert, "horizon": "8s"})
    for kind in (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST):
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.04), kind


@pytest.mark.parametrize("locality", ["oldest", "newest"])
def test_lists_of_updates_on_read_are_as_large_as_written(made: Callable, locality: str) -> None:
    """Of a growing table a share has other rows each time, and of forty rows the three tasks take whole ones."""
    update = {"every": "3s", "share": 0.01, "mode": "merge-on-read", "locality": locality}
    lines = {"table": {"columns": [{"name": "reading", "type": "double", "count": 6}]}, "writer": "batch"}
    lines |= {"workload": {"rows_per_second": 40, "files_per_commit": 3}, "horizon": "180s"}
    exact, summed = made(
        lines | {"changes": {"update": update}, "maintenance": {"rewrite_manifests": {"every": "90s"}}}
    )
    assert summed.totals.files_written[Kind.DELETE_MANIFEST] == exact.files_written[Kind.DELETE_MANIFEST]
    for kind, rel in {Kind.DATA_MANIFEST: 0.0015, Kind.MANIFEST_LIST: 0.006}.items():
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=rel), kind


def test_commits_of_more_files_or_fewer_are_sampled_whole(made: Callable) -> None:
    lines = by_kind("identity") | {"writer": "streaming", "horizon": "150s"}
    lines["table"] |= {"columns": [*BY_KIND, {"name": "reading", "type": "double", "count": 5}], **GZIP}
    exact, summed = made(lines)
    for kind, rel in {Kind.DATA_MANIFEST: 0.003, Kind.METADATA_JSON: 0.008}.items():
        assert summed.totals.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=rel), kind


def test_one_rewritten_manifest_keeps_the_order_of_its_entries(made: Callable) -> None:
    columns = [{"name": "reading", "type": "double", "count": 6}, {"name": "text", "type": "string", "length": 15}]
    lines = {"table": {"columns": columns}, "table.format_version": 1, "writer": "batch", "horizon": "300s"}
    jobs = {"maintenance": {"rewrite_manifests": {"every": "25s"}}}
    exact, summed = made(lines | jobs | {"workload": {"rows_per_second": 40, "files_per_commit": 1}})
    written = summed.totals.written_bytes[Kind.DATA_MANIFEST]
    assert written == pytest.approx(exact.written_bytes[Kind.DATA_MANIFEST], rel=0.003)
