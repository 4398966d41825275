"""Bytes of what deletes rows by position, on average, against files of such positions."""

from collections.abc import Callable

import numpy as np
import pytest

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.twin.delete_files import DeletedRows, deletion_vectors, position_delete_file
from wasim.years import simulate_years
from wasim.years.position_deletes import read_position_deletes

ROWS = [(1, 1_000), (100, 60_000), (1_500, 2_000), (40_000, 65_536)]


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
        assert sizes.content_bytes(count, span, scattered=True) == pytest.approx(written, rel=off)


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


def test_manifests_of_deletes_hold_bounds_that_chance_decides(small_case: Callable[..., Case]):
    case = small_case(
        horizon="60s",
        workload="{rows_per_second: 3000}",
        writer="{kind: batch, upsert: {share: 0.2, mode: merge-on-read}}",
    )
    profile = shipped_profile(case)
    exact = sum_events(simulate_table(case, profile, np.random.default_rng(1)).recording.events)
    summed = simulate_years(case, profile, Site()).totals
    written = exact.written_bytes[Kind.DELETE_MANIFEST]
    assert summed.written_bytes[Kind.DELETE_MANIFEST] == pytest.approx(written, rel=0.02)
