"""Manifests in the machine: what merges, filters and rewrites come to, by Iceberg's rules one by one."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.machine import Manifests, entries_of, rows_of, simple_laws, table_with

from wasim.rules.maintenance import rewritten_manifests
from wasim.rules.merging import MergePolicy, bins_to_merge
from wasim.years.flows import Flow
from wasim.years.growth import SizeByCount
from wasim.years.machine.manifests import (
    add_up,
    commits_until_merge,
    drop_dead,
    fitting_of,
    full_manifests,
    list_bytes,
    list_new,
    merge,
    rewrite_one,
    settle,
    settle_entries,
)
from wasim.years.machine.tables import (
    BYTES,
    COLUMNS,
    COUNT,
    FRESH,
    GONE_FRESH,
    IS_NEW,
    MISSED,
    NEWEST_FILES,
    PARTIAL,
    SETTLED,
    SIBLINGS,
    SORTED,
    Laws,
)
from wasim.years.machine.touched import drawn

LAWS = replace(simple_laws(), target=1000.0, least=3.0, packs=1)
KINDS = (FRESH, PARTIAL, SETTLED)
OF_ONE_KIND = st.tuples(st.integers(1, 9), st.integers(20, 1200), st.integers(0, 40), st.just(0), st.just(0))
OF_ANY = st.tuples(st.integers(1, 9), st.integers(20, 1200), *[st.integers(0, 40)] * 3)


def bytes_of(entries: float, laws: Laws = LAWS) -> float:
    """Of a manifest of files as they arrived."""
    known = laws.entries_known[0]
    return SizeByCount(laws.entry_counts[0][:known], laws.entry_bytes[0][:known]).at(entries)


@given(manifests=st.lists(OF_ONE_KIND, min_size=1, max_size=10), least=st.integers(2, 12))
def test_a_merge_makes_the_bins_that_iceberg_makes(manifests: list[Manifests], least: int):
    table, laws = table_with(manifests), replace(LAWS, least=float(least))
    dead = [(size, 0) for count, size, entries, *_ in manifests if not entries for _ in range(count)]
    newest_first = [(size, entries) for count, size, entries, *_ in manifests[::-1] if entries for _ in range(count)]
    sizes = [size for size, _ in newest_first]
    bins = bins_to_merge(sizes, MergePolicy(enabled=True, min_count=least, target_bytes=1000))
    into = {place: number for number, places in enumerate(bins) for place in places}
    expected: dict[object, int] = {}
    for place, (_, entries) in enumerate(newest_first):
        key = ("merged", into[place]) if place in into else ("kept", place)
        expected[key] = expected.get(key, 0) + entries
    merged = merge(table, laws, 0)
    left = [(row[IS_NEW] > 0, row[FRESH]) for row in rows_of(table) for _ in range(round(row[COUNT]))]
    assert left == [(key[0] == "merged", entries) for key, entries in reversed(expected.items())]
    assert merged == len(into)
    gone, flows = dead + [newest_first[place] for place in into], table.flows
    made = [entries for key, entries in expected.items() if key[0] == "merged"]
    assert flows[Flow.REPLACED_MANIFESTS : Flow.REPLACED_MANIFESTS + 2] == [len(gone), sum(size for size, _ in gone)]
    assert flows[Flow.WRITTEN_MANIFESTS] == len(made)
    assert flows[Flow.WRITTEN_MANIFESTS + 1] == pytest.approx(sum(map(bytes_of, made)))


@given(manifests=st.lists(OF_ANY, min_size=1, max_size=9) | st.lists(OF_ONE_KIND, min_size=1, max_size=9))
def test_rewriting_makes_as_few_manifests_as_their_bytes_need(manifests: list[Manifests]):
    table = table_with(manifests)
    before = [entries_of(table, kind) for kind in KINDS]
    count, total = sum(one[0] for one in manifests), sum(one[0] * one[1] for one in manifests)
    made = rewritten_manifests(total, sum(before), 1000)
    done, flows = rewrite_one(table, LAWS, 0), table.flows
    assert done == (count > 1 or made > 1)
    if not done:
        return
    listed = sum(row[COUNT] for row in rows_of(table))
    assert listed == made
    assert [entries_of(table, kind) for kind in KINDS] == pytest.approx(before)
    assert flows[Flow.WRITTEN_MANIFESTS] == listed
    assert flows[Flow.REPLACED_MANIFESTS : Flow.REPLACED_MANIFESTS + 2] == [count, total]
    if made and not before[1] + before[2]:  # one file to a commit: dealt out, none stands behind the one before it
        sorted_more = LAWS.sorted_more[0] * before[0] if made > 1 else 0.0
        assert flows[Flow.WRITTEN_MANIFESTS + 1] == pytest.approx(listed * bytes_of(before[0] / listed) + sorted_more)


def test_deletes_are_sorted_by_partition_once():
    """Of twelve files of each statement, eight of them behind another one in its manifest, six are in either
    partition: a further rewrite finds them as they stand.
    """
    laws = replace(LAWS, sorts=1, target=1e9, is_partitioned=1, open_partitions=2.0, partitions=2.0, lifetime=inf)
    laws = replace(laws, in_partition=0.9, each_partition=1.5)
    table = table_with([(2, 300, 12, 0, 0)], 1)
    table.rows[1][0][SORTED], table.numbers[NEWEST_FILES] = 8.0, 12.0
    kept = 24 * (0.9 - 1.5 * drawn(2.0, 12.0) / 12)
    for _ in range(2):
        assert rewrite_one(table, laws, 1)
        assert rows_of(table, 1)[0][SORTED] == pytest.approx(kept)
        table.rows[1][1][:], table.used[1] = [1.0, 300.0, *[0.0] * (COLUMNS - 2)], 2  # an empty one more
    table.numbers[NEWEST_FILES] = 1.0
    assert rewrite_one(table, laws, 1)
    assert rows_of(table, 1)[0][SORTED] == 0


def test_a_rewrite_of_version_1_writes_its_manifests_twice():
    table = table_with([(4, 200, 5, 0, 0)])
    assert rewrite_one(table, replace(LAWS, copies=1), 0)
    assert [table.flows[place] for place in (Flow.WRITTEN_MANIFESTS, Flow.WASTED_MANIFESTS)] == [2, 1]


@given(manifests=st.lists(OF_ANY, min_size=1, max_size=6), amount=st.floats(0, 400))
def test_the_oldest_entries_settle_first(manifests: list[Manifests], amount: float):
    table = table_with(manifests)
    fresh, settled, listed = (entries_of(table, FRESH), entries_of(table, SETTLED), sum(one[0] for one in manifests))
    settle_entries(table, FRESH, amount)
    moved = min(amount, fresh)
    assert entries_of(table, FRESH) == pytest.approx(fresh - moved, abs=1e-6)
    assert entries_of(table, SETTLED) == pytest.approx(settled + moved, abs=1e-6)
    assert sum(row[COUNT] for row in rows_of(table)) == pytest.approx(listed)
    expected = []
    for one in manifests:
        held = one[0] * one[2]
        expected.append(held - min(moved, held))
        moved -= min(moved, held)
    holding = [row[COUNT] * row[FRESH] for row in rows_of(table)]
    assert [held for held in holding if held > 1e-6] == pytest.approx([held for held in expected if held > 1e-6])


@given(manifests=st.lists(OF_ANY, min_size=5, max_size=20), most=st.integers(2, 5))
def test_manifests_counted_together_keep_what_they_list(manifests: list[Manifests], most: int):
    table = table_with(manifests)
    before = [entries_of(table, column) for column in (BYTES, *KINDS)]
    settle(table, 0, most)
    assert len(rows_of(table)) <= most
    assert [entries_of(table, column) for column in (BYTES, *KINDS)] == pytest.approx(before)
    assert sum(row[COUNT] for row in rows_of(table)) == pytest.approx(sum(one[0] for one in manifests))


@given(manifests=st.lists(OF_ANY, min_size=1, max_size=9), live=st.sampled_from([1.0, 0.1, 0.02]))
def test_manifests_without_a_live_file_alone_leave_the_list(manifests: list[Manifests], live: float):
    """Of those with less than one on average, as many as there are files stay, one each."""
    table = table_with(manifests)
    for row in rows_of(table):
        for kind in KINDS:
            row[kind] *= live
    before = [entries_of(table, kind) for kind in KINDS]
    drop_dead(table, 0)
    left = sum(one[0] * min(1.0, sum(one[2:]) * live) for one in manifests)
    assert sum(row[COUNT] for row in rows_of(table)) == pytest.approx(left)
    assert [entries_of(table, kind) for kind in KINDS] == pytest.approx(before)
    assert table.flows[Flow.REPLACED_MANIFESTS] == pytest.approx(sum(one[0] for one in manifests) - left)


def test_merged_deletes_are_as_old_as_their_entries_on_average() -> None:
    """By the share of rows that statements have missed since: by its logarithm the old ones would hide the others."""
    table = table_with([(1, 100, 3, 0, 0), (1, 100, 1, 0, 0), (1, 100, 2, 0, 0)], group=1)
    for row, missed in zip(rows_of(table, 1), (0.0, 0.9, 1.0), strict=True):
        row[MISSED] = missed
    merge(table, LAWS, 1)
    assert [row[MISSED] for row in rows_of(table, 1)] == pytest.approx([(0.9 + 2) / 6])


@pytest.mark.parametrize("column", [FRESH, PARTIAL, SETTLED, SORTED, SIBLINGS])
def test_manifests_unlike_in_anything_stay_apart(column: int) -> None:
    table = table_with([(2, 100, 3, 3, 3)] * 3)
    rows_of(table)[2][column] += 0.5
    settle(table, 0, 16)
    assert [row[COUNT] for row in rows_of(table)] == [4, 2]


def test_deletes_counted_together_are_as_old_as_on_average() -> None:
    table = table_with([(1, 100, 1, 0, 0), (1, 100, 3, 0, 0), (1, 900, 3, 0, 0), (1, 900, 3, 0, 0)], group=1)
    for row, missed in zip(rows_of(table, 1), (0.2, 0.6, 0.9, 0.9), strict=True):
        row[MISSED] = row[SIBLINGS] = row[SORTED] = missed
    settle(table, 1, 2)
    assert [row[MISSED] for row in rows_of(table, 1)] == pytest.approx([0.5, 0.9])  # each entry
    assert [row[place] for row in rows_of(table, 1) for place in (SORTED, SIBLINGS)] == pytest.approx(
        [0.4] * 2 + [0.9] * 2
    )


def test_what_merges_begin_with_is_what_earlier_ones_made():
    """Seven manifests of 300 bytes: two bins of three, and one that is left alone."""
    table = table_with([(7, 300, 2, 0, 0)])
    assert merge(table, LAWS, 0) == 6
    assert [(row[COUNT], row[FRESH]) for row in rows_of(table)] == [(2, 6), (1, 2)]
    assert table.flows[Flow.MERGED_AGAIN : Flow.MERGED_AGAIN + 2] == [2, 2 * 300]


@pytest.mark.parametrize(("new_bytes", "commits"), [(300.0, 4), (400.0, 3), (500.0, 3), (600.0, inf)])
def test_a_full_manifest_waits_for_the_next_bin_to_fill(new_bytes: float, commits: float):
    """One of 900 bytes is alone in its bin of 1,000: the next bin is full of three, two or one of each commit's."""
    laws = replace(LAWS, least=100.0)
    assert commits_until_merge(table_with([(1, 900, 9, 0, 0)]), laws, 0, new_bytes) == commits


def test_a_manifest_is_full_beyond_half_its_target():
    """Of those that list live files, but for the newest."""
    table = table_with([(2, 501, 1, 0, 0), (3, 500, 1, 0, 0), (4, 900, 0, 0, 0), (5, 900, 1, 0, 0)])
    assert full_manifests(table, LAWS) == 2


@pytest.mark.parametrize(
    ("count", "live", "room", "fitting"),
    [(99, 1, 899, 2), (99, 1, 900, 3), (99, 0, 900, 2.5), (10, 0, 900, 3), (12, 0, 900, 2.5), (99, 0, 449, 1)],
)
def test_as_many_emptied_manifests_fit_in_as_on_average(count: int, live: int, room: float, fitting: float):
    (row,) = rows_of(table_with([(count, 300, live, 0, 0)]))
    assert fitting_of(row, room) == pytest.approx(fitting, abs=1e-6)


def test_one_manifest_is_not_rewritten():
    for group in range(2):
        assert not rewrite_one(table_with([(1, 500, 4, 0, 0)], group), LAWS, group)


def test_a_merge_carries_what_its_own_commit_deleted():
    """Three manifests of this commit, with 2 files each, of which 1 and 3 more were deleted: all ten are listed."""
    table = table_with([(1, 300, 2, 0, 0), (1, 300, 2, 0, 0), (1, 300, 2, 0, 0)])
    for row, gone in zip(rows_of(table), (1.0, 3.0, 0.0), strict=True):
        row[IS_NEW], row[GONE_FRESH] = 1.0, gone
    assert merge(table, LAWS, 0) == 3
    (row,) = rows_of(table)
    assert (row[COUNT], row[FRESH], row[GONE_FRESH]) == (1, 6, 4)
    assert row[BYTES] == pytest.approx(bytes_of(10))
    assert table.flows[Flow.WASTED_MANIFESTS : Flow.WASTED_MANIFESTS + 2] == [3, 900]


def test_the_closest_kinds_of_the_older_half_are_one():
    """The second and third of six differ least among the older three; the last two, which are equal but for one
    byte, are the newest."""
    sizes = (100, 200, 210, 400, 500, 501)
    table = table_with([(1, size, 3, 0, 0) for size in sizes])
    settle(table, 0, 5)
    assert [(row[COUNT], row[BYTES]) for row in rows_of(table)] == [(1, 100), (2, 205), (1, 400), (1, 500), (1, 501)]
    table = table_with([(9, 100, 3, 0, 0), (9, 101, 3, 0, 0), (1, 110, 3, 0, 0), (1, 400, 3, 0, 0), (1, 500, 3, 0, 0)])
    settle(table, 0, 4)  # many that are as good as equal rather than few that are not
    assert [(row[COUNT], row[BYTES]) for row in rows_of(table)][:2] == [(18, 100.5), (1, 110)]
    table = table_with([(1, size, 3, 0, 0) for size in (100, 300, 110, 400, 500, 501)])
    settle(table, 0, 5)  # the first and the third: a statement's stand between others
    assert [(row[COUNT], row[BYTES]) for row in rows_of(table)] == [(2, 105), (1, 300), (1, 400), (1, 500), (1, 501)]


def test_a_manifest_list_is_as_long_as_its_manifests():
    counts = [1, 2, 4, 16, 64]
    laws = replace(LAWS, sibling_saving=30.0, rewritten_more=7.0)
    known = laws.lists_known
    for count in counts:
        table = table_with([(count, 100, 1, 0, 0), (2 * count, 100, 0, 3, 0), (count, 100, 0, 0, 0)])
        rows_of(table)[0][SIBLINGS] = 0.5
        plain = float(np.interp(4 * count, laws.list_counts[:known], laws.list_bytes[:known]))
        assert list_bytes(table, laws) == pytest.approx(plain - 30 * count / 2 + 7 * 2 * count)


def test_manifests_left_of_many_stand_next_to_each_other():
    """Of four that list two files, two."""
    table = table_with([(4, 500, 1, 0, 0)])
    row = rows_of(table)[0]
    row[FRESH], row[SIBLINGS] = 0.5, 0.9
    drop_dead(table, 0)
    assert (row[COUNT], row[SIBLINGS]) == pytest.approx((2, 0.5))


def test_manifests_of_one_kind_are_listed_as_one_row():
    table = table_with([])
    for _ in range(100):
        list_new(table, 0, 1.0, 200.0, (4.0, 0.0), 0.0, 0)
        list_new(table, 1, 2.0, 300.0, (0.0, 5.0), 0.0, 0)
    assert [[row[:5] for row in rows_of(table, group)] for group in (0, 1)] == [
        [[100, 200, 4, 0, 0]],
        [[200, 300, 0, 0, 5]],
    ]
    for number in range(100):
        list_new(table, 0, 1.0, 200.0 + number, (4.0, 0.0), 0.0, 1)
        assert len(rows_of(table)) == (number + 2 if number < 39 else 17 + (number - 39) % 24)
    assert sum(row[COUNT] for row in rows_of(table)) == 200
    assert table.flows[Flow.WRITTEN_MANIFESTS :][:4] == [200, 100 * 200 + sum(range(200, 300)), 200, 200 * 300]


@pytest.mark.parametrize("group", [0, 1])
def test_manifests_without_live_entries_are_counted_apart(group: int):
    table = table_with([(3, 500, 4, 0, 0), (2, 300, 0, 5, 0), (7, 100, 0, 0, 0)], group)
    add_up(table, group)
    assert table.sums[7 * group : 7 * group + 7] == [12, 2800, 22, 0, 2, 5, 2100]
