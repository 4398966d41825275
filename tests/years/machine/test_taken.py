"""Entries that statements take out of manifests, compared with manifests that are looked at one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import comb, exp, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.machine import Manifests, entries_of, rows_of, simple_laws, table_with

from wasim.years.flows import Flow
from wasim.years.growth import SizeByCount
from wasim.years.machine.jobs import note_siblings
from wasim.years.machine.manifests import live_of
from wasim.years.machine.tables import (
    BYTES,
    COUNT,
    DEALT,
    FILES,
    FRESH,
    GONE_COMPACTED,
    GONE_FRESH,
    HIT_OF_LARGE,
    IS_NEW,
    LARGE,
    MISSED,
    NAMED_LEFT,
    PARTIAL,
    SETTLED,
    SIBLINGS,
    SORTED,
    TOUCHES,
    Table,
)
from wasim.years.machine.taken import (
    all_occupied,
    followers_left,
    leave,
    mark_anywhere,
    mark_by_age,
    mark_counted,
    mark_current,
    mark_newest,
    power,
    reopen_entries,
    rows_missed_by,
    take,
    thin,
    untouched_of,
    want,
    want_deletes,
)

LAWS = replace(simple_laws(), compacted_more=[0.0, 0.0], sorted_more=[0.0, 0.0])
KINDS = (FRESH, PARTIAL, SETTLED)
THREE = [(1, 500, 3, 0, 0), (2, 700, 4, 0, 0), (1, 300, 2, 0, 0)]  # manifests, the oldest first
OF_FRESH = st.lists(st.tuples(st.integers(1, 4), st.just(100), st.integers(1, 6), st.just(0), st.just(0)), max_size=5)
Listed = list[tuple[float, float, float]]


def bytes_of(entries: float) -> float:
    known = LAWS.entries_known[0]
    return SizeByCount(LAWS.entry_counts[0][:known], LAWS.entry_bytes[0][:known]).at(entries)


def listed(table: Table) -> Listed:
    """How many manifests, with how many entries each that are left, and that are gone."""
    return [
        (row[COUNT], row[FRESH] + row[PARTIAL] + row[SETTLED], row[GONE_FRESH] + row[GONE_COMPACTED])
        for row in rows_of(table)
    ]


def one_by_one(manifests: Sequence[Manifests], entries: int, *, newest: bool) -> list[tuple[int, int]]:
    """Entries that each manifest keeps and loses when so many of the newest or oldest are taken."""
    found = []
    each = [held for count, _, held, *_ in manifests for _ in range(count)]
    for held in reversed(each) if newest else each:
        gone = min(entries, held)
        entries -= gone
        found.append((held - gone, gone))
    return found[::-1] if newest else found


def apart(rows: Listed) -> Iterator[tuple[float, float]]:
    for count, left, gone in rows:
        yield from [(pytest.approx(left), pytest.approx(gone))] * round(count)


@pytest.mark.parametrize(
    ("newest", "expected"),
    [(True, [(1, 3, 0), (1, 4, 0), (1, 1, 3), (1, 0, 2)]), (False, [(1, 0, 3), (1, 2, 2), (1, 4, 0), (1, 2, 0)])],
)
def test_five_entries_at_an_end_leave_two_manifests(newest: bool, expected: Listed) -> None:
    table = table_with(THREE)
    want(table, 0, 5.0, newest)
    assert take(table, LAWS, 0, newest, False) == 2
    assert listed(table) == expected
    again = [row for row in rows_of(table) if row[IS_NEW]]
    note_siblings(table, LAWS)
    assert [row[SIBLINGS] for row in again] == [float(live_of(row) == 0) for row in again]  # one follows the other
    assert [row[BYTES] for row in again] == pytest.approx([bytes_of(left + gone) for _, left, gone in expected if gone])
    written, replaced = Flow.WRITTEN_MANIFESTS, Flow.REPLACED_MANIFESTS
    assert table.flows[written : written + 2] == pytest.approx([2, sum(row[BYTES] for row in again)])
    assert table.flows[replaced : replaced + 2] == [2, 700 + (300 if newest else 500)]


@given(manifests=OF_FRESH, entries=st.integers(0, 40), newest=st.booleans())
def test_entries_leave_the_manifests_at_their_end(manifests: list[Manifests], entries: int, newest: bool) -> None:
    table = table_with(manifests)
    want(table, 0, float(entries), newest)
    rewritten = take(table, LAWS, 0, newest, False)
    expected = one_by_one(manifests, entries, newest=newest)
    assert [*apart(listed(table))] == expected
    assert rewritten == sum(gone > 0 for _, gone in expected)


@pytest.mark.parametrize(("places", "rows"), [(4, 4), (8, 20), (16, 40), (16, 60), (64, 250)])
def test_rows_leave_no_place_empty_as_often_as_counted(places: int, rows: int) -> None:
    exact = sum((-1) ** empty * comb(places, empty) * (1 - empty / places) ** rows for empty in range(places))
    assert all_occupied(float(places), 1 - (1 - 1 / places) ** rows) == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize(("share", "none"), [(0.0, 0.0), (1.0, 1.0)])
def test_all_places_or_none_leave_nothing_to_chance(share: float, none: float) -> None:
    assert all_occupied(4.0, share) == none


def test_a_manifest_loses_all_entries_by_chance() -> None:
    """Three of four go on average: of two manifests like that, the last is emptied now and then."""
    table = table_with([(2, 500, 4, 0, 0)])
    want(table, 0, 3.0, True)
    assert take(table, LAWS, 0, True, True) == 1
    none = all_occupied(4.0, 0.75)
    kept = 1 / (1 - none)
    assert listed(table) == [(1, 4, 0), pytest.approx((none, 0, 4)), pytest.approx((1 - none, kept, 4 - kept))]


@pytest.mark.parametrize(("count", "entries"), [(2.4, 9.6), (2.0, 8.0), (0.4, 1.6)])
def test_statements_take_all_entries_by_chance(count: float, entries: float) -> None:
    table = table_with([(1, 500, 4, 0, 0)])
    rows_of(table)[0][COUNT] = count
    want(table, 0, entries, True)
    assert take(table, LAWS, 0, True, True) == pytest.approx(count)
    assert entries_of(table, FRESH) == 0
    assert entries_of(table, GONE_FRESH) == pytest.approx(entries)


def test_entries_of_three_kinds_leave_one_manifest_together() -> None:
    table = table_with([(1, 500, 6, 4, 2), (1, 400, 3, 0, 0)])
    for kind, entries in enumerate((4.0, 3.0, 1.0)):
        want(table, kind, entries, False)
    assert take(table, LAWS, 0, True, False) == 1
    row = rows_of(table)[0]
    assert [row[kind] for kind in (*KINDS, GONE_FRESH, GONE_COMPACTED)] == pytest.approx([2, 1, 1, 4, 4])


@pytest.mark.parametrize(("entries", "among", "kept"), [(2.5, 1.0, 0.5**2.5), (5.0, 0.5, 0.5**2 * 0.75)])
def test_entries_between_two_whole_numbers_are_kept_by_chance(entries: float, among: float, kept: float) -> None:
    """A mean of 2.5 entries; or of five half, which is two and as often as not a third. Each goes as often as not."""
    row = rows_of(table_with([(1, 500, 0, 0, 0)]))[0]
    row[FRESH] = entries
    assert untouched_of(LAWS, row, [0.5, 0.0, 0.0], among, 1.0, 0.0, 0.0) == pytest.approx(kept)


def test_manifests_with_less_than_one_entry_keep_the_others() -> None:
    """Four manifests list two files: one of these goes, with the manifest that lists it."""
    table = table_with([(4, 100, 0, 0, 0)])
    rows_of(table)[0][FRESH] = 0.5
    want(table, 0, 1.0, False)
    assert take(table, LAWS, 0, False, False) == 1
    assert [row[COUNT] for row in rows_of(table)] == [1, 3]
    assert [entries_of(table, kind) for kind in (FRESH, GONE_FRESH)] == pytest.approx([1, 1])


def test_a_row_that_is_left_lists_what_does_not_go() -> None:
    table = table_with([(4, 100, 0, 2, 0)])
    rows_of(table)[0][FRESH] = 0.5
    leave(table, rows_of(table)[0], 7, 3.0, [1.0, 2.0, 0.0])
    assert table.spare[7][COUNT : SETTLED + 1] == pytest.approx([3, 100, 1 / 3, 2, 0])


@pytest.mark.parametrize(("of_arrived", "gone"), [(False, [1, 1, 0]), (True, [3, 0, 0])])
def test_delete_files_are_marked_by_number_alone(of_arrived: bool, gone: list[float]) -> None:
    table = table_with([(1, 500, 3, 0, 0), (2, 700, 2, 2, 0), (1, 300, 1, 1, 0)], group=1)
    table.gone[0][:] = table.gone[2][:] = [9.0, 9.0, 9.0, 9.0]
    want_deletes(table, 4.0, True, of_arrived)
    assert table.gone[:3] == [[0, 0, 0, 0], [*gone, 0], [1, 0 if of_arrived else 1, 0, 0]]


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("of_commit", [1, 2, 4])
def test_one_of_each_commit_follows_none_of_its_own(of_commit: int, kept: float) -> None:
    """Of every choice of those that are left of a commit's manifests."""
    left = following = 0.0
    for chosen in product((0, 1), repeat=of_commit):
        chance = kept ** sum(chosen) * (1 - kept) ** (of_commit - sum(chosen))
        left += chance * sum(chosen)
        following += chance * max(0, sum(chosen) - 1)
    assert followers_left(1 - 1 / of_commit, kept) == pytest.approx(following / left)


def test_where_all_follow_all_are_followers_still() -> None:
    assert followers_left(1.0, 0.3) == 1.0


def test_marked_entries_of_eight_manifests_go_by_chance() -> None:
    """Two files go each with a half, a third one with a quarter: none goes of 3/16 manifests, all of 1/16."""
    table = table_with([(8, 500, 2, 1, 0)])
    rows_of(table)[0][SORTED] = 1.0
    mark_newest(table, 0, float("inf"), (0.5, 0.25, 0.0))
    assert thin(table, LAWS, 0, 1.0, 0.0) == pytest.approx(8 * 13 / 16)
    emptied, untouched, some = rows_of(table)
    assert [row[COUNT] for row in (emptied, untouched, some)] == pytest.approx([8 / 16, 8 * 3 / 16, 8 * 12 / 16])
    assert [emptied[kind] for kind in (*KINDS, GONE_FRESH, GONE_COMPACTED)] == pytest.approx([0, 0, 0, 2, 1])
    assert untouched[FRESH : SETTLED + 1] == [2, 1, 0]
    assert [entries_of(table, kind) for kind in (GONE_FRESH, GONE_COMPACTED)] == pytest.approx([8, 2])
    assert [entries_of(table, kind) for kind in (FRESH, PARTIAL)] == pytest.approx([8, 6])
    assert some[SORTED] == pytest.approx(some[FRESH] * followers_left(0.5, some[FRESH] / 2))
    note_siblings(table, LAWS)
    assert (emptied[SIBLINGS], some[SIBLINGS]) == pytest.approx((1, 1 - 1 / 6))
    written = Flow.WRITTEN_MANIFESTS
    assert table.flows[written : written + 2] == pytest.approx([6.5, 6.5 * bytes_of(3)])


ANY = st.tuples(st.integers(1, 9), st.just(100), *[st.integers(0, 5)] * 3)


@given(
    manifests=st.lists(ANY, min_size=1, max_size=6),
    shares=st.tuples(*[st.sampled_from([0.0, 0.2, 0.7, 1.0])] * 3),
    newest=st.sampled_from([5.0, 30.0, float("inf")]),
)
def test_what_goes_by_chance_was_there(manifests, shares, newest) -> None:
    """Of each row the share that is marked, all others stay; every manifest that loses any is written again."""
    table, left = table_with(manifests), newest
    going = [0.0, 0.0, 0.0]
    for count, _, *held in manifests[::-1]:
        among = min(1.0, left / (count * sum(held))) if sum(held) else 1.0
        left = max(0.0, left - count * sum(held))
        going = [all_of + count * one * share * among for all_of, one, share in zip(going, held, shares, strict=True)]
    before = [entries_of(table, kind) for kind in KINDS]
    mark_newest(table, 0, newest, shares)
    rewritten = thin(table, LAWS, 0, 1.0, 0.0)
    assert [entries_of(table, kind) for kind in KINDS] == pytest.approx(
        [held - gone for held, gone in zip(before, going, strict=True)], abs=1e-6
    )
    assert entries_of(table, GONE_FRESH) == pytest.approx(going[0], abs=1e-6)
    assert entries_of(table, GONE_COMPACTED) == pytest.approx(going[1] + going[2], abs=1e-6)
    rows = rows_of(table)
    assert sum(row[COUNT] for row in rows) == pytest.approx(sum(one[0] for one in manifests))
    assert sum(row[COUNT] for row in rows if row[IS_NEW]) == pytest.approx(rewritten)
    assert table.flows[Flow.REPLACED_MANIFESTS] == pytest.approx(rewritten)


@given(manifests=OF_FRESH, share=st.sampled_from([0.01, 0.5, 1.0]))
def test_files_compacted_anywhere_leave_manifests_that_list_none(manifests: list[Manifests], share: float) -> None:
    table = table_with(manifests)
    before, count = entries_of(table, FRESH), sum(one[0] for one in manifests)
    mark_anywhere(table, 0, (share, 0.0, 0.0))
    rewritten = thin(table, LAWS, 0, 1.0, 0.0)
    assert rewritten == pytest.approx(sum(one[0] * (1 - (1 - share) ** one[2]) for one in manifests))
    assert table.flows[Flow.WRITTEN_MANIFESTS] == table.flows[Flow.REPLACED_MANIFESTS] == pytest.approx(rewritten)
    assert [entries_of(table, kind) for kind in (FRESH, GONE_FRESH)] == pytest.approx(
        [(1 - share) * before, share * before]
    )
    assert sum(row[COUNT] for row in rows_of(table)) == pytest.approx(count)


@pytest.mark.parametrize(("entries", "due"), [(3, 2), (5, 3), (2, 6), (1, 0), (8, 1)])
def test_a_manifest_names_due_partitions_as_often_as_drawn(entries: int, due: int) -> None:
    """Eight partitions, of which a manifest lists some, each once: as balls that are drawn and not put back."""
    table, laws = table_with([(4, 500, entries, 0, 0)]), replace(LAWS, open_partitions=8.0)
    mark_anywhere(table, 0, (due / 8, 0.0, 0.0))
    untouched = comb(8 - entries, due) / comb(8, due)
    assert thin(table, laws, 0, 1.0, 8.0) == pytest.approx(4 * (1 - untouched))
    emptied = sum(row[COUNT] for row in rows_of(table) if row[FRESH] == 0)
    assert emptied == pytest.approx(4 * comb(due, entries) / comb(8, entries))
    assert entries_of(table, FRESH) == pytest.approx(4 * entries * (1 - due / 8))


def test_entries_that_go_in_pairs_leave_more_manifests_alone() -> None:
    """Four files that each go with a half: as two pairs, a quarter of the manifests loses none, and a quarter all."""
    table = table_with([(16, 500, 4, 0, 0)])
    mark_newest(table, 0, float("inf"), (0.5, 0.0, 0.0))
    assert thin(table, LAWS, 0, 2.0, 0.0) == pytest.approx(16 * 3 / 4)
    assert listed(table) == [pytest.approx((4, 0, 4)), pytest.approx((4, 4, 0)), pytest.approx((8, 2, 2))]


def test_entries_of_the_newest_manifests_leave_older_equal_ones_alone() -> None:
    """Of five manifests the newest six files each go with a half: they are in two of these."""
    table = table_with([(5, 500, 4, 0, 0)])
    mark_newest(table, 0, 6.0, (0.5, 0.0, 0.0))
    rewritten = (1 - 0.5**4) + (1 - 0.5**2)  # all of one manifest are among them, and two of the other
    assert thin(table, LAWS, 0, 1.0, 0.0) == pytest.approx(rewritten)
    assert rows_of(table)[0][COUNT : FRESH + 1] == [3, 500, 4]
    assert entries_of(table, FRESH) == pytest.approx(20 - 3)


def test_the_newest_entries_are_marked_from_the_last_manifest_on() -> None:
    table = table_with([(2, 500, 4, 0.04, 0), (1, 400, 1, 2, 0), (1, 300, 0, 2, 2)])
    table.numbers[LARGE], table.numbers[HIT_OF_LARGE] = 3.0, 0.9
    mark_newest(table, 0, 5.0, (0.1, 0.2, 0.3))
    assert table.counts[:3] == pytest.approx([0, 1 / 3, 1])  # of 8 entries, 3 and 4
    # of three large files nine in ten were hit last, two at most: of the third nine in ten are in the manifest before,
    # and a tenth, but only 0.08 are listed, in the oldest two
    assert [table.gone[place][:3] for place in range(3)] == [
        pytest.approx([0.1, 0.9, 0.3]),
        pytest.approx([0.1, 0.2 + (0.9 - 0.2) * 0.92 / 2, 0.3]),
        pytest.approx([0.1, 0.9, 0.3]),
    ]


def test_manifests_of_deletes_list_no_large_file() -> None:
    table = table_with([(1, 300, 0, 2, 0)], group=1)
    table.numbers[LARGE], table.numbers[HIT_OF_LARGE] = 3.0, 0.9
    mark_newest(table, 1, 5.0, (0.1, 0.2, 0.3))
    assert table.gone[0][:3] == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("missed", [0.05, 0.5, 0.99])
def test_files_hit_once_and_missed_since_have_fewer_rows(missed: float) -> None:
    """Thirty files of a number of rows by a binomial law, and ten by Poisson's: counted number by number.

    A file of n rows was hit as likely as n is large, and was missed since with the chance missedⁿ.
    """
    table, rows = table_with([]), range(200)
    table.classes[0][FILES], table.classes[1][FILES] = 30.0, 10.0
    table.likely[0][:], table.likely[1][:] = [12 * 0.4, -0.4], [6.0, 0.0]
    poisson = [exp(-6.0)]
    for one in rows[1:]:
        poisson.append(poisson[-1] * 6 / one)
    of_size = [
        30 * (comb(12, one) * 0.4**one * 0.6 ** (12 - one) if one <= 12 else 0.0) + 10 * poisson[one] for one in rows
    ]
    hit = sum(files * one * missed**one for one, files in zip(rows, of_size, strict=True))
    others = sum(files * one * (one - 1) * missed**one for one, files in zip(rows, of_size, strict=True))
    assert rows_missed_by(table, missed) == pytest.approx(others / hit)


def test_delete_files_that_go_are_as_many_by_any_age() -> None:
    """Two manifests of delete files, since the older one's a half of all rows was touched: fewer of its entries go."""
    table = table_with([(2, 500, 4, 0, 0), (1, 400, 6, 0, 0)], group=1)
    older, newer = rows_of(table, 1)
    table.classes[0][FILES], table.likely[0][:] = 20.0, [5.0, 0.0]
    table.numbers[TOUCHES], older[MISSED], newer[MISSED] = 0.1, 0.5, 1.0
    table.counts[:2] = [0.5, 1.0]
    mark_by_age(table, 3.0)
    chances = [one[0] for one in table.gone[:2]]
    assert 8 * 0.5 * chances[0] + 6 * chances[1] == pytest.approx(3)
    # of files of Poisson's law that are hit, half of the five other rows are left, or all
    assert chances[0] / chances[1] == pytest.approx((1 - exp(-0.1 * 2.5)) / (1 - exp(-0.1 * 5)))


def test_delete_files_are_current_that_nothing_replaced() -> None:
    """Forty statements of ten delete files each, of which compaction leaves 3 in 10 behind before each of the later
    ones, and these replace half of the others.
    """
    current, behind = [0.0] * 40, [0.0] * 40
    for number in range(40):
        current[number] = 10.0
        for place in range(number + 1):
            behind[place] += 0.3 * current[place]
            current[place] *= 0.7 if number == 39 else 0.7 * 0.5
    named = sum(current)
    table = table_with([(1, 500, here + left, 0, 0) for here, left in zip(current, behind, strict=True)], group=1)
    table.numbers[TOUCHES], table.numbers[NAMED_LEFT] = 0.01, 0.7
    for place, row in enumerate(rows_of(table, 1)):
        row[MISSED] = 0.99 ** (40 - place)
    mark_current(table, named, 0.5)
    found = [row[FRESH] * share for row, share in zip(rows_of(table, 1), table.counts, strict=False)]
    assert found == pytest.approx(current, rel=1e-6)


def test_settled_entries_count_as_compacted_again() -> None:
    table = table_with([(2, 500, 4, 3, 2), (1, 400, 0, 0, 5)])
    reopen_entries(table, 5.0)
    assert [row[FRESH : SETTLED + 1] for row in rows_of(table)] == [[4, 5, 0], [0, 1, 4]]
    reopen_entries(table, inf)
    assert [row[FRESH : SETTLED + 1] for row in rows_of(table)] == [[4, 5, 0], [0, 5, 0]]


def test_a_manifest_without_entries_of_a_kind_misses_none() -> None:
    assert [power(0.0, 0.0), power(0.5, 3.0), power(0.0, 2.0)] == [1.0, 0.125, 0.0]


def test_entries_go_with_the_partitions_last_compacted_before_them() -> None:
    """Two of four partitions are compacted, one of them for the second time: commits 1 to 5 are in the others alone."""
    table = table_with([(4, 9e3, 3, 0, 0), (1, 9e3, 3, 1, 0), (2, 9e3, 4, 0, 0)])
    table.rows[0][3][:5] = [9.0, 9e3, 3.0, 0.0, 0.0]  # in use no more
    table.numbers[DEALT] = 7.0
    table.counted[:4] = [[7.0, 0.0, 1.0], [4.0, 0.0, 0.0], [4.0, 0.0, 0.0], [3.0, 5.0, 1.0]]
    mark_counted(table, replace(simple_laws(), files=4.0, open_partitions=4.0), 4, 9 / 23, 1.0)
    assert [table.gone[place][0] for place in range(3)] == pytest.approx([1 / 3, 1 / 3, 1 / 2])
    assert table.gone[1][1] == 1.0
    assert [since for _, since, _ in table.counted[:4]] == [0.0, 0.0, 7.0, 7.0]  # the last ones behind the others


def test_files_of_a_kind_are_marked_where_they_are_listed() -> None:
    for newest, expected in ((True, [2, 6]), (False, [6, 2])):
        table = table_with([(2, 500, 4, 3, 5), (1, 500, 1, 6, 2)])
        want(table, 1, 8.0, newest)
        assert [table.gone[place][1] for place in range(2)] == expected
