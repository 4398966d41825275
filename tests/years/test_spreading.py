"""Equality deletes of scattered keys in partitions by time: files, stages, and sums against exact simulation."""

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import read_shape, simulate_years
from wasim.years.arrivals import Arrivals
from wasim.years.spreading import _steps, in_buckets, spread_over, stages_of

METADATA = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST)
HOUR = "{column: event_time, transform: hour}"
COLUMNS = "{name: label, type: string, length: 12, values: 1000, count: 3}, {name: value, type: double, count: 4}"


def spreading(small_case: Callable[..., Case], **given: Any) -> Case:
    """Two rows a second, half of which replace others, into partitions by hour in commits of a minute."""
    own = {"partition_by": f"[{HOUR}]", "tasks": 2, "mode": "none", "upsert": "share: 0.5", "maintenance": "{}"} | given
    return small_case(
        table=f"{{columns: [{COLUMNS}], partition_by: {own['partition_by']}}}",
        workload=f"{{rows_per_second: 2, files_per_commit: {own['tasks']}, distribution_mode: {own['mode']}}}",
        writer=f"{{kind: flink, upsert: {{{own['upsert']}, key: [event_id, event_time]}}}}",
        commit_interval="60s",
        horizon=given.get("horizon", "5h"),
        maintenance=own["maintenance"],
    )


BUCKETS = f"[{HOUR}, {{column: event_id, transform: 'bucket[4]'}}]"


@pytest.mark.parametrize(
    "given",
    [
        {"maintenance": "{rewrite_data_files: {every: 2h}}"},
        pytest.param({"mode": "hash"}, marks=pytest.mark.slow),
        pytest.param({"maintenance": "{rewrite_data_files: {when_small_files: 300}}"}, marks=pytest.mark.slow),
        pytest.param({"upsert": "share: 0.5, repeats: 0.1"}, marks=pytest.mark.slow),
        pytest.param({"partition_by": BUCKETS}, marks=pytest.mark.slow),
        pytest.param({"horizon": "24h"}, marks=pytest.mark.slow),
    ],
    ids=["compacted", "by hash", "by count", "repeated", "buckets", "a day"],
)
def test_files_go_into_all_hours_so_far_as_exactly(given: dict[str, Any], small_case: Callable[..., Case]):
    case = spreading(small_case, **given)
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, profile, Site()).totals
    for kind in (Kind.DATA, Kind.DELETE_FILE):
        assert summed.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.03), kind
        assert summed.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.05), kind
    for kind in METADATA:
        assert summed.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.045), kind


def test_stages_are_of_ever_more_partitions():
    steps = [*_steps(400)]
    assert steps[:7] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 8), (8, 11)]
    assert steps[-1][1] == 400
    assert all(first == last for (_, last), (first, _) in pairwise(steps))
    assert all((last - first) % 2 for first, last in steps[:-1])
    assert len(steps) < 20


def arrivals(rows: int, held: float = 1.0) -> Arrivals:
    return Arrivals(files=held, rows_per_file=rows / held, partitions=held, open_partitions=held, lifetime_s=3600.0)


@pytest.mark.parametrize(
    ("mode", "partitions", "older", "newest"),
    [
        ("hash", 5, (4, 12), (1, 72)),  # of 60 rows that replace others, 12 each
        ("hash", 120, (59.5, 1), (1, 60.5)),  # one row each in half of them
        ("none", 5, (8, 6), (2, 36)),
        ("none", 61, (60 * 60 / 61, 1), (2, (60 + 60 / 61) / 2)),  # of one row one task writes a file
    ],
)
def test_new_rows_go_to_the_newest_partition_replaced_to_all(
    mode: str, partitions: int, older: tuple[float, float], newest: tuple[float, float], small_case: Callable[..., Case]
):
    case = spreading(small_case, mode=mode)
    assert (case.rows_per_commit, case.replaced_rows_per_commit) == (120, 60)
    found = spread_over(case, arrivals(120), partitions)
    assert found.files[0] == pytest.approx(older, rel=1e-3)
    assert found.files[1] == pytest.approx(newest, rel=1e-3)
    assert found.arrivals.files == sum(files for files, _ in found.files)
    assert found.arrivals.rows_per_commit == 120
    assert (found.arrivals.open_partitions, found.arrivals.lifetime_s) == (partitions, inf)


def test_repeated_keys_are_the_oldest(small_case: Callable[..., Case]):
    case = spreading(small_case, upsert="share: 0.5, repeats: 0.25", mode="hash")
    assert [spread_over(case, arrivals(120), count).repeating for count in (2, 4, 40)] == [1, 1, 10]


@pytest.mark.parametrize(
    ("transform", "locality", "spreads"),
    [("day", "scattered", True), ("day", "newest", False), ("bucket[4]", "scattered", False)],
)
def test_only_scattered_keys_in_partitions_by_time_spread(
    transform: str, locality: str, *, spreads: bool, small_case: Callable[..., Case]
):
    column = "event_id" if transform.startswith("bucket") else "event_time"
    case = spreading(
        small_case,
        partition_by=f"[{{column: {column}, transform: '{transform}'}}]",
        upsert=f"share: 0.5, locality: {locality}",
    )
    shape = read_shape(case, shipped_profile(case), Site())
    assert bool(stages_of(case, 86_400.0, lambda partitions: shape)) is spreads


def test_hours_stand_as_buckets_of_the_key_beside_other_fields(small_case: Callable[..., Case]):
    case = spreading(small_case, partition_by=f"[{HOUR}, {{column: event_id, transform: 'bucket[4]'}}]")
    found = [(one.column, one.transform) for one in in_buckets(case, 7).table.partition_by]
    assert found == [("event_id", "bucket[7]"), ("event_id", "bucket[4]")]


def test_a_shape_is_that_of_its_stage(small_case: Callable[..., Case]):
    case = spreading(small_case, mode="hash")
    shape = read_shape(case, shipped_profile(case), Site())
    assert [one.since for one in shape.stages] == [0, 60, 120, 180, 240]
    assert [shape.at(commits).arrivals.files for commits in (1, 60, 61, 121, 300)] == pytest.approx(
        [1, 1, 2, 3, 4.5], abs=0.5
    )
    stages = [one.shape.ingested_bytes(1) for one in shape.stages]
    assert shape.ingested_bytes(130) == pytest.approx(60 * stages[0] + 60 * stages[1] + 10 * stages[2])
