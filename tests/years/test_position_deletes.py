"""Bytes of what deletes rows by position, on average, against files of such positions."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, Totals, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.twin.delete_files import CREATOR_KEY, DeletedRows, deletion_vectors, position_delete_file
from wasim.twin.delete_sizes import deletes_of_one
from wasim.years import simulate_years
from wasim.years.position_deletes import read_position_deletes

DELETE_HOURLY = "{delete: {every: 1h, rows: 20, mode: merge-on-read}}"
# what it writes into closed partitions has these compacted again
UPDATE_OFTEN = "{update: {every: 15m, rows: 20, mode: merge-on-read}}"
ROWS = [(1, 1_000), (100, 60_000), (1_500, 2_000), (40_000, 65_536)]


def simulated(case: Case) -> tuple[Totals, Totals]:
    """A case's totals by exact simulation, and in sums."""
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1)).recording.events)
    return exact, simulate_years(case, profile, Site()).totals


@pytest.mark.parametrize(("version", "off"), [(2, 0.04), (3, 0.0)])
def test_scattered_positions_take_as_many_bytes_as_in_a_file(version: int, off: float, small_case: Callable[..., Case]):
    case = small_case(
        table=f"{{columns: [{{name: n, type: int}}], format_version: {version}}}",
        changes="{update: {every: 1s, rows: 1, mode: merge-on-read}}",
    )
    sizes, rng = read_position_deletes(case, shipped_profile(case), Site()), np.random.default_rng(1)
    for count, span in ROWS:
        positions = np.sort(rng.choice(span, count, replace=False))
        deleted = DeletedRows(path="p" * sizes.path_bytes, partition=(), positions=positions)
        if version == 2:
            written = position_delete_file("d", [deleted], rng).file_size_bytes
        else:
            written = deletion_vectors("d", [deleted], "").pop().content_size_bytes or 0
        assert deletes_of_one(count, span, True, sizes.uses_vectors, sizes.path_bytes) == pytest.approx(
            written, rel=off
        )


def test_sizes_cost_no_more_for_commits_of_more_rows(small_case: Callable[..., Case]):
    """Ten million rows of each commit would take minutes to be dealt out to partitions."""
    table = "{columns: [{name: n, type: int}], partition_by: [{column: event_id, transform: 'bucket[4]'}]}"
    few, many = (
        small_case(
            table=table,
            workload=f"{{rows_per_second: {rows}, files_per_commit: 2}}",
            changes="{delete: {every: 1h, share: 0.01, mode: merge-on-read}}",
        )
        for rows in (500, 10_000_000)
    )
    small, large = (read_position_deletes(case, shipped_profile(case), Site()) for case in (few, many))
    assert large.path_bytes == small.path_bytes
    assert large.manifests.by_count.at(100) == pytest.approx(small.manifests.by_count.at(100), rel=0.1)


def test_rows_by_number_touch_as_many_files_as_their_share(small_case: Callable[..., Case]):
    """Half of the rows of ten commits are in all four files of each. Of eight, in one of some: entries of
    which no others name files of the same commit are 11 % larger.
    """
    cases = (
        small_case(
            table="{columns: [{name: n, type: int}], partition_by: [{column: event_id, transform: 'bucket[4]'}]}",
            writer="batch",
            workload="{rows_per_second: 40}",
            changes=f"{{update: {{every: 10s, {touched}, mode: merge-on-read}}}}",
        )
        for touched in ("share: 0.5", "rows: 200", "rows: 8")
    )
    by_share, by_rows, of_one = (
        read_position_deletes(case, shipped_profile(case), Site()).manifests.by_count.at(100) for case in cases
    )
    assert by_rows == by_share == pytest.approx(of_one / 1.11, rel=0.01)


def test_entries_of_several_statements_share_less_than_those_of_one(small_case: Callable[..., Case]):
    """A table of an UPDATE on its oldest rows after every commit, whose manifests are merged all the time."""
    case = small_case(
        horizon="60s",
        table="{columns: [{name: n, type: int}], properties: {commit.manifest.min-count-to-merge: '10'}}",
        changes="{update: {every: 1s, rows: 30, locality: oldest, mode: merge-on-read}}",
    )
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1)).recording.events)
    summed = simulate_years(case, profile, Site()).totals
    assert summed.files_written[Kind.DELETE_MANIFEST] == exact.files_written[Kind.DELETE_MANIFEST]
    written = exact.written_bytes[Kind.DELETE_MANIFEST]
    assert summed.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.01)


def test_deletes_of_files_that_statements_wrote_have_longer_names(small_case: Callable[..., Case]):
    """Each MERGE writes a file with an id of its own, of which the next ones delete: as if these had names as like as
    the files of a streaming writer, manifests would take 4 % less, and a third less by 500 commits.
    """
    case = small_case(
        horizon="2h",
        commit_interval="120s",
        workload="{rows_per_second: 0.3333333333333333, files_per_commit: 2}",
        writer="streaming",
        table="{columns: [{name: n, type: int}]}",
        changes="{merge: {every: 48s, share: 0.01, mode: merge-on-read, new_rows: 0}}",
        maintenance="{rewrite_manifests: {when_manifests: 12}}",
    )
    id_bytes = 16
    assert read_position_deletes(case, shipped_profile(case), Site()).manifests.compacted_more > id_bytes
    exact, summed = simulated(case)
    written = exact.written_bytes[Kind.DELETE_MANIFEST]
    assert summed.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.025)


@pytest.mark.parametrize(("version", "off"), [(2, 0.1), (3, 0.03)])
def test_entries_that_are_sorted_by_partition_share_less(version: int, off: float, small_case: Callable[..., Case]):
    """Each statement names files of four partitions; rewrite_manifests writes the files of all into one manifest."""
    case = small_case(
        horizon="100s",
        workload="{rows_per_second: 40, files_per_commit: 4}",
        table="{columns: [{name: n, type: int}], partition_by: [{column: event_id, transform: 'bucket[4]'}],"
        f" format_version: {version}}}",
        changes="{delete: {every: 3s, rows: 95, locality: oldest, mode: merge-on-read}}",
        maintenance="{rewrite_manifests: {when_manifests: 12}}",
    )
    exact, summed = simulated(case)
    written = exact.written_bytes[Kind.DELETE_MANIFEST]
    assert summed.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=off)


def test_manifests_of_deletes_hold_bounds_that_chance_decides(small_case: Callable[..., Case]):
    case = small_case(
        horizon="60s",
        workload="{rows_per_second: 3000}",
        writer="{kind: batch, upsert: {share: 0.2, mode: merge-on-read}}",
    )
    exact, summed = simulated(case)
    written = exact.written_bytes[Kind.DELETE_MANIFEST]
    assert summed.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.02)


@pytest.mark.parametrize(
    ("version", "hours", "changes", "off"),
    [
        pytest.param(2, 20, DELETE_HOURLY, 0.13, marks=pytest.mark.slow),
        pytest.param(3, 20, DELETE_HOURLY, 0.13, marks=pytest.mark.slow),
        pytest.param(2, 26, UPDATE_OFTEN, 0.33, marks=pytest.mark.slow),
        pytest.param(3, 26, UPDATE_OFTEN, 0.33, marks=pytest.mark.slow),
        (3, 13, UPDATE_OFTEN, 0.33),
    ],
)
def test_deletes_stay_while_compaction_leaves_older_files_alone(
    version: int, hours: int, changes: str, off: float, small_case: Callable[..., Case]
):
    """A commit every 25 s into a partition an hour, compacted while open; statements find their rows in all of them."""
    case = small_case(
        horizon=f"{hours}h",
        commit_interval="25s",
        workload="{rows_per_second: 2.4}",
        writer="streaming",
        table="{columns: [{name: n, type: int}], partition_by: [{column: event_time, transform: hour}],"
        f" format_version: {version}}}",
        changes=changes,
        maintenance="{rewrite_data_files: {every: 15m}}",
    )
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1).recording.events)
    summed = simulate_years(case, profile, Site()).totals
    assert summed.written_bytes[Kind.DELETE_FILE] == pytest.approx(exact.written_bytes[Kind.DELETE_FILE], rel=off)
    for kind, most in ((Kind.DATA, 0.05), (Kind.DELETE_MANIFEST, 0.2), (Kind.MANIFEST_LIST, 0.08)):
        assert summed.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=most), kind


@pytest.mark.slow
def test_upserts_on_read_under_compaction_leave_as_many_bytes(small_case: Callable[..., Case]):
    """An hourly MERGE for thirty days, compacted daily: deletes of the last one before a compaction outlive it."""
    case = small_case(
        horizon="732h",
        commit_interval="1h",
        workload="{rows_per_second: 0.5}",
        writer="{kind: batch, upsert: {share: 0.2, mode: merge-on-read}}",
        table="{columns: [{name: n, type: int}]}",
        maintenance="{rewrite_data_files: {every: 1d}}",
    )
    profile = shipped_profile(case)
    exact = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1).live_bytes
    summed = simulate_years(case, profile, Site()).live_bytes
    for kind in (Kind.DATA, Kind.DELETE_FILE, Kind.DELETE_MANIFEST):
        assert summed[kind] == pytest.approx(exact[kind], rel=0.25), kind


def test_a_file_of_vectors_takes_what_surrounds_each(small_case: Callable[..., Case]):
    case = small_case(
        table="{columns: [{name: n, type: int}], format_version: 3}",
        changes="{update: {every: 1s, rows: 1, mode: merge-on-read}}",
    )
    profile = shipped_profile(case)
    sizes = read_position_deletes(case, profile, Site())
    for count in (1, 60):  # offsets take a digit or two more or less
        deleted = [
            DeletedRows(path=f"{number:0{sizes.path_bytes}d}", partition=(), positions=np.arange(8))
            for number in range(count)
        ]
        vectors = deletion_vectors("d", deleted, profile.summary[CREATOR_KEY])
        held = sum(one.content_size_bytes or 0 for one in vectors)
        around = sizes.around_bytes + count * sizes.vector_footer_bytes
        assert vectors[0].file_size_bytes == pytest.approx(held + around, abs=3 * count + 12)
