"""Appends summed in closed form come to the same as one after another."""

from dataclasses import replace

import numpy as np
import pytest
from support.machine import rows_of, simple_laws, table_with

from wasim.years.flows import Flow
from wasim.years.history import new_table
from wasim.years.machine.appends import append, live_bytes, live_files, manifests_of, snapshot_numbers
from wasim.years.machine.sizes import at
from wasim.years.machine.tables import BYTES, COMMITS, COUNT, FRESH, Laws, Table

LAWS = replace(simple_laws(), target=30_000.0, least=20.0, epochs=1, sequences=1, counts_manifests=1)
DELETES = {
    "deletes": 1,
    "delta_files": 2.0,
    "delta_bytes": 900.0,
    "keys": 7.0,
    "positions": 3.0,
    "delete_manifest": 8e3,
}
DELETES |= {"first_files": 1.0, "first_bytes": 500.0}
WRITERS = {
    "appends that merge nothing": replace(LAWS, merges=0, filters=0),
    "appends that merge by count": replace(LAWS, merges=1, filters=1, target=1e7),
    "appends that fill manifests": replace(LAWS, merges=1, filters=1),
    "appends with deletes": replace(LAWS, merges=1, filters=1, target=1e7, **DELETES),
    "appends of which none merge": replace(LAWS, merges=1, target=1e4, new_counts=[3.0] * 16, new_bytes=[6e3] * 16),
    "appends with row ids": replace(LAWS, merges=0, has_row_ids=1, staged=[700.0, 0.0]),
}


def stepped(laws: Laws, commits: int, each: int) -> Table:
    table = new_table()
    while table.numbers[COMMITS] < commits:
        append(table, laws, float(min(each, commits - table.numbers[COMMITS])))
    return table


@pytest.mark.parametrize("laws", WRITERS.values(), ids=WRITERS)
def test_a_run_of_commits_is_each_of_them(laws: Laws):
    at_once, alone = stepped(laws, 333, 333), stepped(laws, 333, 1)
    places = (Flow.SNAPSHOT_JSON_BYTES, Flow.LIST_BYTES)  # digits of what a merge lowers
    sizes = [[one.flows.pop(place) for place in places[::-1]] for one in (at_once, alone)]
    assert at_once.flows == pytest.approx(alone.flows, rel=1e-9)
    assert sizes[0][0] == pytest.approx(sizes[1][0], rel=1e-9)
    assert sizes[0][1] == pytest.approx(sizes[1][1], rel=1e-3 if laws.merges else 1e-5)
    assert manifests_of(at_once) == pytest.approx(manifests_of(alone))
    for group in range(2):
        for what in (BYTES, FRESH):
            held = [sum(row[COUNT] * row[what] for row in rows_of(one, group)) for one in (at_once, alone)]
            assert held[0] == pytest.approx(held[1])


@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize("commits", [1, 2, 99, 640])
def test_a_list_names_every_commit_s_manifests_before(commits: int, each: int):
    """All but one of each commit save 9 bytes."""
    laws = replace(WRITERS["appends that merge nothing"], new_counts=[float(each)] * 16, sibling_saving=9.0)
    table, counts = stepped(laws, commits, 1_000), range(each, each * commits + 1, each)
    sizes = [at(float(count), laws.list_counts, laws.list_bytes, laws.lists_known) for count in counts]
    sizes = [size - 9 * (each - 1) * (place + 1) for place, size in enumerate(sizes)]
    flows = table.flows
    assert flows[Flow.LIST_BYTES] == pytest.approx(sum(sizes), abs=20.0 * (each - 1))  # of a list's each 41
    assert (flows[Flow.SNAPSHOTS], manifests_of(table)) == (commits, pytest.approx(each * commits))
    assert (flows[Flow.ROWS], live_files(table, 0)) == pytest.approx((commits * laws.rows_per_commit, commits))
    assert live_bytes(table) == pytest.approx(commits * laws.file_bytes)


def test_a_snapshot_grows_by_the_digits_of_its_totals():
    laws = WRITERS["appends that merge nothing"]
    table, known = stepped(laws, 500, 500), []
    for commit in range(1, 501):
        rows, size = commit * laws.rows_per_commit, commit * laws.file_bytes
        known += [rows, commit, size, commit, commit, commit - 1]  # files, epoch, sequence, manifests kept
    digits = sum(len(str(int(max(0.0, number) + 0.5))) - 1 for number in known)
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] == pytest.approx(500 * laws.shortest + digits, abs=2)


def test_commits_with_deletes_bring_manifests_of_both():
    laws = replace(WRITERS["appends with deletes"], staged=[0.0, 600.0], merges=0, least=1e9)
    table = stepped(laws, 50, 50)
    flows = table.flows
    assert [flows[place] for place in range(Flow.WRITTEN_FILES, Flow.WRITTEN_FILES + 4)] == pytest.approx(
        [50, 50 * laws.file_bytes, 1 + 49 * 2, 500 + 49 * 900]
    )
    assert flows[Flow.EQUALITY_DELETES] == 50 * 7
    assert flows[Flow.POSITION_DELETES] == 49 * 3
    assert flows[Flow.WRITTEN_MANIFESTS + 2] == 50 + 50
    assert flows[Flow.WASTED_MANIFESTS + 2 : Flow.WASTED_MANIFESTS + 4] == pytest.approx([50, 50 * 600])
    assert flows[Flow.WRITTEN_MANIFESTS + 3] == pytest.approx(50 * (8e3 + 600))
    assert live_bytes(table) == pytest.approx(50 * laws.file_bytes + 500 + 49 * 900)


def test_deletes_are_counted_whatever_merges():
    table, laws = stepped(WRITERS["appends with deletes"], 50, 50), WRITERS["appends with deletes"]
    assert (table.flows[Flow.EQUALITY_DELETES], table.flows[Flow.POSITION_DELETES]) == (50 * 7, 49 * 3)
    assert min(table.flows[Flow.MERGED_AGAIN], table.flows[Flow.MERGED_AGAIN + 2]) > 0
    assert table.flows[Flow.ROWS] == 50 * laws.rows_per_commit
    assert table.flows[Flow.WASTED_MANIFESTS + 2] == table.flows[Flow.MERGED_AGAIN + 2]  # its own, of each that merges
    listed = sum(row[COUNT] for row in rows_of(table, 1))
    gone = table.flows[Flow.WASTED_MANIFESTS + 2] + table.flows[Flow.REPLACED_MANIFESTS + 2]
    assert table.flows[Flow.WRITTEN_MANIFESTS + 2] - gone == pytest.approx(listed)


@pytest.mark.parametrize(("least", "done"), [(10.0, 10.0), (200.0, 100.0)])
def test_a_run_ends_with_a_merge_of_many_manifests(least: float, done: float):
    table = new_table()
    append(table, replace(WRITERS["appends that merge by count"], least=least), 100.0)
    assert (table.numbers[COMMITS], manifests_of(table)) == (done, 1 if done == least else done)


def test_numbers_of_a_snapshot_stand_for_what_there_is():
    table, found = table_with([(3, 100, 5, 0, 0)]), [0.0] * 20
    table.flows[Flow.ROWS], table.flows[Flow.SNAPSHOTS], table.numbers[COMMITS] = 900.0, 70.0, 60.0
    table.flows[Flow.WRITTEN_FILES : Flow.WRITTEN_FILES + 8] = [40.0, 4e5, 9.0, 9e2, 10.0, 1e5, 4.0, 4e2]
    table.flows[Flow.EQUALITY_DELETES], table.flows[Flow.POSITION_DELETES] = 31.0, 32.0
    laws = replace(LAWS, epochs=2, sequences=1, deletes=1, has_row_ids=1, counts_manifests=1, rows_per_commit=100.0)
    count = snapshot_numbers(table, laws, found)
    assert found[:count] == [900, 30, 3e5 + 5e2, 60, 60, 70, 5, 31, 32, 800, 2]
    np.testing.assert_array_equal(found[count:], 0)
