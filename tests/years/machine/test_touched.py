"""Which files statements touch, compared with rows looked at one by one."""

from collections import Counter
from dataclasses import replace
from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.machine import simple_laws

from wasim.years.history import new_table
from wasim.years.machine.files import begin_cohort
from wasim.years.machine.tables import (
    ARRIVED,
    BEYOND,
    CLEARED_FROM,
    COHORTS,
    COMMITS,
    COMPACTED_AT,
    COMPACTIONS,
    DEAD,
    DEALT,
    DELETED_THROUGH,
    EDGE_FILES,
    EDGE_ROWS,
    FILES,
    GONE_ROWS,
    HELD,
    HIT_FILES,
    HIT_OF_LARGE,
    HIT_OF_OTHERS,
    HIT_PARTITIONS,
    HIT_ROW_SHARES,
    HIT_ROWS,
    HIT_SHARES,
    IN_FRONT,
    IN_STEP,
    IS_NEWEST,
    IS_SCATTERED,
    KEPT_SQUARES,
    LARGE,
    LIVE,
    MISSED,
    MISSED_BY,
    NET_ROWS,
    RECORDS,
    REWRITTEN,
    ROWS_WRITTEN,
    SETTLED_FILES,
    SETTLED_ROWS,
    SIZED_FILES,
    SMALL_FILES,
    SMALL_SEEN,
    SQUARES,
    SQUARES_LEFT,
    SQUARES_TWICE,
    TOUCHES,
    Laws,
    Table,
)
from wasim.years.machine.touched import (
    arrived_files,
    begin_hits,
    begins_with_files,
    drawn,
    edge_of,
    ends_with_files,
    files_near,
    find_classes,
    hit_at_end,
    hit_by_age,
    hit_by_chance,
    hit_by_stride,
    hit_in_each,
    hit_of_hours,
    hit_of_large,
    hit_scattered,
    hit_up_to,
    is_at_edge,
    large_files,
    largest_of,
    left_of_sizes,
    live_in_hits,
    missed_by,
    missed_of_fading,
    named_and_hit,
    note_where_written,
    partitions_hit,
    partitions_passed,
    rows_by_chance,
    rows_in_files,
    rows_of_open,
    rows_through,
    unit_of,
    unnamed_rows,
    whole_commits,
)

ROWS = 12  # of a commit
LAWS = replace(simple_laws(), rows_per_commit=float(ROWS), new_rows=float(ROWS), replaced_per_commit=0.0)
LAWS = replace(LAWS, files=1.0, tasks=1.0, compacts=0, is_partitioned=0, deals_in_turn=0, small_rows=100.0)


def table_of(cohorts: list[tuple[float, float, float, float, float]], settled: tuple[float, float] = (0, 0)) -> Table:
    """Partitions; small files of each and their rows, compacted ones and theirs; and files beyond, with their rows."""
    table = new_table()
    for place, (partitions, *held) in enumerate(cohorts):
        begin_cohort(table, float(partitions))
        table.cohorts[place][SMALL_FILES : SIZED_FILES + 2] = [*map(float, held), *map(float, held[2:])]
    table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS] = map(float, settled)
    return table


def appended(commits: int, laws: Laws, dead: int = 0) -> Table:
    """A table of so many commits, of which the oldest rows are deleted by position."""
    table = table_of([(1, commits * laws.files, commits * ROWS, 0, 0)])
    table.numbers[COMMITS], table.numbers[GONE_ROWS] = float(commits), float(dead)
    table.deleted[DEAD][ARRIVED] = float(dead)
    find_classes(table, laws)
    return table


def file_of(row: int, laws: Laws) -> tuple[int, int]:
    """In which file a row is: dealt out in turn, or one file filled after the other."""
    files = int(laws.files)
    of_commit = row % ROWS
    return row // ROWS, of_commit % files if laws.deals_in_turn else of_commit * files // ROWS


@pytest.mark.parametrize(("boxes", "things"), [(1, 0), (1, 3), (3, 2), (4, 3), (2, 5)])
def test_boxes_are_hit_as_often_as_chance_has_it(boxes: int, things: int) -> None:
    every = [len(set(fallen)) for fallen in product(range(boxes), repeat=things)]
    assert drawn(float(boxes), float(things)) == pytest.approx(sum(every) / len(every))


def test_rows_are_numbered_through_the_commits_that_bring_new_ones() -> None:
    """A hundred rows, then sixty new ones a commit, as forty replace others."""
    laws = replace(LAWS, rows_per_commit=100.0, new_rows=60.0, replaced_per_commit=40.0)
    assert [rows_through(laws, commits) for commits in (0, 0.5, 1, 3)] == [0, 0, 100, 220]
    assert [whole_commits(laws, row, 9.0) for row in (5, 159, 160, 219, 220)] == [100, 100, 160, 160, 220]
    assert whole_commits(laws, 10_000, 2.0) == 160


def test_files_are_counted_by_class_once() -> None:
    """Two partitions of 3 small files of 40 rows and 1 compacted of 70, one of 2 and 15, and 4 files of 900."""
    table = table_of([(2, 3, 40, 1, 70), (1, 2, 15, 0, 0)], settled=(4, 900))
    find_classes(table, LAWS)
    assert table.classes == [[8, 95, 95], [2, 140, 140], [4, 900, 900]]


def test_live_rows_are_those_that_came_less_those_that_went() -> None:
    """Of 10 commits of 12 rows the oldest 30 are gone and 6 more came: 96, in the proportion of what no file names."""
    table = table_of([(1, 9, 90, 1, 30)])
    table.numbers[COMMITS], table.numbers[GONE_ROWS], table.numbers[NET_ROWS] = 10.0, 30.0, 6.0
    table.deleted[DEAD][:] = [10.0, 10.0, 0.0]
    find_classes(table, LAWS)
    assert [one[LIVE] for one in table.classes] == pytest.approx([80 * 0.96, 20 * 0.96, 0])
    table.numbers[GONE_ROWS] = 500.0
    find_classes(table, LAWS)
    assert [one[LIVE] for one in table.classes] == [0, 0, 0]


def test_either_end_keeps_what_its_statements_wrote() -> None:
    table = new_table()
    numbers = table.numbers
    for is_newest, files in ((True, 2.0), (False, 5.0)):
        begin_hits(table, False, is_newest)
        assert [numbers[place] for place in (EDGE_FILES, EDGE_ROWS, SMALL_SEEN)] == [0, 0, 0]
        numbers[EDGE_FILES], numbers[EDGE_ROWS], numbers[SMALL_SEEN] = files, 10 * files, 100 * files
    for is_scattered, is_newest, files in ((True, False, 5), (False, True, 2), (False, True, 2), (False, False, 5)):
        begin_hits(table, is_scattered, is_newest)
        assert [numbers[place] for place in (EDGE_FILES, EDGE_ROWS, SMALL_SEEN)] == [files, 10 * files, 100 * files]
        assert (numbers[IS_SCATTERED], numbers[IS_NEWEST]) == (is_scattered, is_newest)


def test_a_tenth_of_all_rows_hits_files_by_chance() -> None:
    """Four files of 10 rows in each of 3 partitions, and one of 30 beyond: each row is missed with 0.9."""
    table = table_of([(3, 4, 40, 0, 0)], settled=(1, 30))
    table.used[1], table.rows[1][0][MISSED] = 1, 0.5
    hit_scattered(table, replace(LAWS, is_partitioned=1), 0.1, False, False)
    of_ten, of_thirty = 1 - 0.9**10, 1 - 0.9**30
    assert table.hits[HIT_FILES] == pytest.approx([12 * of_ten, 0, of_thirty])
    assert table.hits[HIT_ROWS] == pytest.approx([12, 0, 3])
    assert [table.hits[HIT_ROW_SHARES][number] for number in (ARRIVED, BEYOND)] == pytest.approx([of_ten, of_thirty])
    assert live_in_hits(table) == pytest.approx(120 * of_ten + 30 * of_thirty)
    assert table.rows[1][0][MISSED] == pytest.approx(0.5 * 0.9)


def test_the_largest_file_is_the_one_of_most_rows() -> None:
    """Of a file of six rows, one of eighteen, two of twelve each and another one of eighteen."""
    table, columns = table_of([(1, 0, 0, 5, 66)]), [-1]
    table.cohorts[0][SIZED_FILES : SIZED_FILES + 8] = [1.0, 6.0, 1.0, 18.0, 2.0, 24.0, 1.0, 18.0]
    for _ in range(5):
        columns.append(largest_of(table.cohorts[0], columns[-1]))
    assert [(one - SIZED_FILES) // 2 for one in columns[1:5]] == [1, 3, 2, 0]
    assert columns[5] == -1


def test_statements_write_into_the_partitions_that_they_hit() -> None:
    """Of 3 partitions of 50 rows a tenth; on read its rows, or else a half of those that came and a third of others."""
    table = table_of([(3, 4, 20, 1, 30)])
    table.numbers[TOUCHES] = 0.1
    table.hits[HIT_ROW_SHARES][:] = [1 / 2, 1 / 3, 0.0]
    for on_read, written in ((True, 50), (False, 20)):
        note_where_written(table, on_read)
        one = table.cohorts[0]
        assert (one[HIT_PARTITIONS], one[ROWS_WRITTEN]) == pytest.approx((3 * (1 - exp(-5)), 3 * written))


@pytest.mark.parametrize("sizes", [(18.0, 6.0), (6.0, 18.0)])
def test_compaction_leaves_one_large_file_to_a_partition(sizes: tuple[float, float]) -> None:
    """Files of 18 and 6 rows; half of all rows are hit."""
    table = table_of([(1, 0, 0, 2, 24)])
    table.cohorts[0][SIZED_FILES : SIZED_FILES + 4] = [1.0, sizes[0], 1.0, sizes[1]]
    table.flows[COMPACTIONS] = 1.0
    hit_scattered(table, replace(LAWS, compacts=1), 0.5, True, False)
    large, small = 1 - 0.5**18, 1 - 0.5**6
    assert table.hits[HIT_FILES] == pytest.approx([0, large + small, 0])
    assert table.hits[HIT_ROW_SHARES][REWRITTEN] == pytest.approx((18 * large + 6 * small) / 24)


def test_rewritten_files_have_rows_left_by_when_they_were_written() -> None:
    """Half of all rows were hit since a compaction; a file that a statement wrote since then has 0.72 of its own."""
    table = table_of([(1, 0, 0, 2, 24)])
    one, left = table.cohorts[0], 0.5 / log(2)
    one[SIZED_FILES : SIZED_FILES + 4], one[IN_FRONT] = [1.0, 6.0, 1.0, 18.0], 1.0
    table.numbers[MISSED_BY], table.numbers[TOUCHES] = log(2), 0.1
    assert left_of_sizes(table) == pytest.approx(6 * left + 18 / 2)
    table.classes[REWRITTEN][:] = [2.0, 24.0, left_of_sizes(table)]
    hit, rows = hit_by_age(table)
    by_age = [1 - 0.9 ** (6 * 2 ** -((age + 0.5) / 4)) for age in range(4)]
    small, large = sum(by_age) / 4, 1 - 0.9**9
    assert (hit, rows) == pytest.approx(((small + large) / 2, (6 * small + 18 * large) / 24))
    table.hits[HIT_FILES][REWRITTEN], table.deleted[HELD][REWRITTEN] = small + large, 2.0
    assert named_and_hit(table) == pytest.approx(small + large)
    table.deleted[HELD][REWRITTEN] = 0.0
    assert named_and_hit(table) < 0.2


@given(
    cohort=st.tuples(st.integers(1, 4), *[st.integers(0, 40)] * 2),
    each=st.tuples(*[st.integers(1, 30)] * 3),
    beyond=st.integers(0, 9),
    dead=st.tuples(*[st.floats(0, 0.9)] * 3),
    share=st.floats(0, 1),
    flags=st.tuples(*[st.booleans()] * 3),
)
def test_no_more_is_hit_than_there_is(cohort, each, beyond, dead, share, flags) -> None:
    (partitions, small, partial), (on_read, evenly, is_partitioned) = cohort, flags
    table = table_of([(partitions, small, small * each[0], partial, partial * each[1])], (beyond, beyond * each[2]))
    table.numbers[SQUARES] = partitions * partial * each[1] ** 2
    table.numbers[COMMITS] = 1.0
    find_classes(table, LAWS)
    table.deleted[DEAD][:] = [one[RECORDS] * part for one, part in zip(table.classes, dead, strict=True)]
    there = sum(one[RECORDS] for one in table.classes) - sum(table.deleted[DEAD])
    laws = replace(LAWS, rows_per_commit=there, is_partitioned=int(is_partitioned))
    hit_scattered(table, laws, share, on_read, evenly)
    hits = table.hits
    for number, one in enumerate(table.classes):
        assert 0 <= hits[HIT_SHARES][number] <= 1 + 1e-9
        assert 0 <= hits[HIT_ROW_SHARES][number] <= 1 + 1e-9
        assert hits[HIT_FILES][number] == pytest.approx(one[FILES] * hits[HIT_SHARES][number])
        assert hits[HIT_ROWS][number] == pytest.approx(share * one[LIVE])
    assert sum(hits[HIT_ROWS]) == pytest.approx(share * there, abs=1e-6)
    assert 0 <= table.numbers[SQUARES_LEFT] <= table.numbers[SQUARES] * (1 + 1e-6) + 1e-6


@pytest.mark.parametrize(("large", "small"), [(9, 3), (5, 5), (40, 1)])
def test_one_large_file_of_three_is_hit_more_often(large: int, small: int) -> None:
    table, kept = table_of([(1, 0, 0, 3, large + 2 * small)]), 0.8
    find_classes(table, LAWS)
    sizes = np.array([large, small, small])
    chances = 1 - kept**sizes
    hit, of_rows = hit_of_large(table, 1 - kept, 1.0, False, float((sizes**2).sum()))
    assert hit == pytest.approx(chances.mean())
    assert of_rows == pytest.approx((chances * sizes).sum() / sizes.sum())
    numbers = table.numbers
    assert [numbers[place] for place in (LARGE, HIT_OF_LARGE, HIT_OF_OTHERS)] == pytest.approx([1, *chances[:2]])
    assert numbers[SQUARES_LEFT] == pytest.approx((sizes**2 * (1 - chances)).sum())
    assert numbers[SQUARES_TWICE] == pytest.approx((sizes**2 * chances**2).sum())


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        (1, (6 / 12, 2 * 3 / 12, 4.5, 36 * 0.5 + 18 * 0.75, 36 * 0.5 + 18 * 0.25)),
        # both of two others are hit once in four times, the large one and another 5 times in 16
        (2, (0.75, 1.0, 7.5, 36 * 0.25 + 18 * 0.5, 36 * 0.75 + 18 * 0.5 + 4 * 6 * 3 * 5 / 16 + 2 * 9 / 4)),
    ],
)
def test_files_of_a_partition_that_are_hit_become_one(hits: int, expected: tuple[float, ...]) -> None:
    """Of files of 6, 3 and 3 rows: how many are hit, their rows, and squares of what is missed and of what becomes
    one.
    """
    assert hit_in_each(1.0, 3.0, 12.0, 1.0, 54.0, hits / 12) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("lifetime", "compacts", "files", "large"),
    [(inf, 0, 9.0, 2.25), (4.0, 1, 9.0, 2.25), (4.0, 0, 9.0, 3.0), (inf, 0, 2.25, 0.0)],
    ids=["all open", "compacted", "not known apart", "all may be"],
)
def test_one_file_of_each_partition_is_large(lifetime: float, compacts: int, files: float, large: float) -> None:
    """Of three partitions, two have four rewritten files each, the third a quarter of one on average."""
    table = table_of([(2, 0, 0, 4, 40), (1, 0, 0, 0.25, 10)])
    table.classes[REWRITTEN][FILES] = files
    laws = replace(LAWS, lifetime=lifetime, compacts=compacts, open_partitions=3.0)
    assert large_files(table, laws) == large


def test_rewritten_files_differ_by_what_their_squares_say() -> None:
    table = table_of([(2, 0, 0, 1, 6)], settled=(3, 90))
    table.numbers[SQUARES] = 4.0**2 + 8.0**2
    find_classes(table, LAWS)
    assert rows_in_files(table, REWRITTEN) == pytest.approx((6, 2**2 / 6 - 1))
    assert rows_in_files(table, BEYOND) == (30, -1)
    assert rows_in_files(table, ARRIVED) == (0, 0)


@pytest.mark.parametrize(("ages", "within"), [(0, 1e-6), (40, 0.005), (160, 0.035)])
def test_files_as_they_arrived_are_missed_by_the_rows_left(ages: int, within: float) -> None:
    """Each statement has taken one row in fifty out of the files that were there; of equal files the law is exact."""
    kept = 0.98 ** np.linspace(0, ages, 20_000)
    left = np.random.default_rng(1).binomial(10, kept)
    table = new_table()
    one = table.classes[ARRIVED]
    one[FILES], one[RECORDS], one[LIVE] = len(left), 10 * len(left), left.sum()
    table.numbers[KEPT_SQUARES], table.numbers[SMALL_SEEN] = (kept**2).sum(), len(left)
    for share in (0.01, 0.1, 0.5):
        missed = missed_by(*rows_in_files(table, ARRIVED), share)
        assert missed == pytest.approx(np.mean((1 - share) ** left), abs=within)


@pytest.mark.parametrize(("most", "folds"), [(90, 25), (20, 3), (4, 0.5), (2000, 60), (7, 0.0)])
def test_files_that_statements_fade_are_missed_by_their_age(most: float, folds: float) -> None:
    """As many files have from half of the most rows to all of them as have from a quarter to a half."""
    rows = most * np.exp(-np.linspace(0, folds, 200_001))
    mean = rows.mean()
    for share in (0.01, 0.1):
        missed = missed_of_fading(mean, rows.var() / mean, share)
        assert missed == pytest.approx(np.exp(-share * rows).mean(), abs=1e-4)


@pytest.mark.parametrize("most", [0.01, 1.0, 4.0, 4.1, 5.0, 30.0])
def test_files_up_to_so_many_rows_are_hit_as_summed(most: float) -> None:
    each = (np.arange(200_000) + 0.5) * most / 200_000
    assert hit_up_to(most) == pytest.approx((-np.expm1(-each) / each).sum() * most / 200_000, rel=5e-7)


def test_every_nth_row_hits_as_many_files() -> None:
    assert [hit_by_stride(touched, 0.0, 0.0) for touched in (0.0, 0.3, 1.0, 2.5)] == pytest.approx([0, 0.3, 1, 1])
    for touched in (0.3, 1.0, 2.5):
        by_chance = 1 - (1 - touched / 400) ** 400
        assert by_chance * 0.6 < hit_by_stride(touched, 0.5, 0.0) < hit_by_stride(touched, 0.1, 0.0) < 1
        assert hit_by_stride(touched, 1e-9, 0.0) == pytest.approx(hit_by_stride(touched, 0.0, 0.0), abs=1e-6)


def test_files_of_one_age_have_kept_as_much() -> None:
    """Of a new file one in two new rows is hit, or one of as many that it replaced, which lie anywhere."""
    assert hit_by_stride(1.0, 1.0, 1.0) == pytest.approx(1 - 0.5 * exp(-0.5))
    assert hit_by_stride(1.0, 1.0, 1 - 1e-9) == pytest.approx(1 - 0.5 * exp(-0.5), abs=1e-6)
    assert hit_by_stride(1.0, 1.0, 0.0) < hit_by_stride(1.0, 1.0, 0.5) < hit_by_stride(1.0, 1.0, 1.0)


def test_all_files_of_the_first_hour_are_open() -> None:
    """One file holds the 48 rows so far, of which a statement takes every 24th."""
    table, laws = new_table(), replace(LAWS, lifetime=8.0, open_partitions=1.0)
    table.numbers[COMMITS], one = 5.0, table.classes[REWRITTEN]
    one[FILES], one[LIVE] = 1.0, 48.0
    table.numbers[SQUARES] = 48.0**2
    assert hit_of_hours(table, laws, 1 / 24) == (1, 1)
    assert [table.numbers[what] for what in (LARGE, HIT_OF_LARGE, HIT_OF_OTHERS)] == [1, 1, 0]


def test_a_stride_of_an_upsert_meets_rows_that_nothing_moved() -> None:
    """Ten of twelve rows are new, two replaced: neither of two strides' rows moved with (12 − 2) / 12, each."""
    table = appended(6, LAWS)
    hit_scattered(table, replace(LAWS, new_rows=10.0, replaced_per_commit=2.0), 0.05, True, True)
    assert table.numbers[IN_STEP] == pytest.approx((10 / 12) ** 2)
    assert table.hits[HIT_FILES][ARRIVED] == pytest.approx(6 * hit_by_stride(12 * 0.05, 0.2, 0.0))


@example(commits=3, files=2, deals_in_turn=False, is_newest=False, dead=6, wanted=6)
@given(
    commits=st.integers(1, 9),
    files=st.sampled_from([1, 2, 3, 4]),
    deals_in_turn=st.booleans(),
    is_newest=st.booleans(),
    dead=st.integers(0, 40),
    wanted=st.integers(1, 200),
)
def test_rows_at_an_end_hit_the_files_with_them(
    commits: int, files: int, deals_in_turn: bool, is_newest: bool, dead: int, wanted: int
) -> None:
    laws, every = replace(LAWS, files=float(files), deals_in_turn=int(deals_in_turn)), commits * ROWS
    dead = 0 if is_newest else min(dead, every - 1)
    wanted = min(wanted, every - dead)
    table = appended(commits, laws, dead)
    hit_at_end(table, laws, float(wanted), is_newest, -1.0)
    touched = range(every - wanted, every) if is_newest else range(dead, dead + wanted)
    of_touched, of_dead = ({file_of(row, laws) for row in rows} for rows in (touched, range(dead)))
    if wanted < every - dead:  # else all files are hit, whatever they hold
        assert table.hits[HIT_FILES] == pytest.approx([len(of_touched), 0, 0])
        assert arrived_files(table, laws, float(wanted), is_newest)[1] == len(of_touched & of_dead)
    assert table.hits[HIT_ROWS] == pytest.approx([wanted, 0, 0])


def test_tasks_write_a_file_for_each_partition() -> None:
    """Two tasks of six rows write into three partitions each: of four rows from the fifth on, either task has two."""
    every = 2 * drawn(3.0, 6.0)
    laws = replace(LAWS, files=every, open_partitions=3.0, is_partitioned=1, tasks_in_order=2.0, partitions=3.0)
    table = appended(3, laws, dead=4)
    found, again = arrived_files(table, laws, 4.0, False)
    of_two, of_four = drawn(3.0, 2.0), drawn(3.0, 4.0)
    assert found == pytest.approx(2 * of_two)
    assert again == pytest.approx(of_two * of_four / 3)
    assert arrived_files(table, laws, 8.0, False)[0] == pytest.approx(of_two + every / 2)
    for touched, files in ((2.0, every / 2), (3.0, every), (30.0, every)):  # as those tasks have written, or the commit
        table.hits[HIT_ROWS][ARRIVED] = touched
        assert files_near(table, laws) == pytest.approx(files)


@given(commits=st.integers(1, 6), files=st.sampled_from([1, 2, 3, 4]), deals=st.booleans(), row=st.integers(0, 72))
def test_whole_files_are_deleted_where_one_ends(commits: int, files: int, deals: bool, row: int) -> None:
    laws, row = replace(LAWS, files=float(files), deals_in_turn=int(deals)), min(row, commits * ROWS)
    laws = replace(laws, tasks_in_order=1.0 if deals else laws.files)
    table = appended(commits, laws)
    before, after = ({file_of(one, laws) for one in rows} for rows in (range(row), range(row, commits * ROWS)))
    assert is_at_edge(laws, float(row)) == (not before & after or row in (0, commits * ROWS))
    assert ends_with_files(table, laws, float(row)) == (not before & after)
    assert begins_with_files(table, laws, float(row)) == (not before & after)


def test_a_file_with_deleted_rows_is_no_whole_one() -> None:
    """Five rows of the first twelve are deleted by position: then metadata alone deletes neither file nor table."""
    table = appended(3, LAWS, dead=5)
    assert [ends_with_files(table, LAWS, row) for row in (12.0, 24.0, 36.0)] == [False] * 3
    table = appended(3, LAWS)
    assert [ends_with_files(table, LAWS, row) for row in (11.0, 12.0, 36.0, 40.0)] == [False, True, True, True]
    table.classes[REWRITTEN][FILES] = 1.0
    assert [ends_with_files(table, LAWS, row) for row in (12.0, 36.0)] == [False, True]


def test_what_a_delete_has_cleared_begins_with_whole_files() -> None:
    """A DELETE of rows from the 30th on was the last one, and left no file with any of them."""
    table = appended(3, LAWS)
    table.numbers[CLEARED_FROM], table.numbers[DELETED_THROUGH] = 30.0, 36.0
    assert [begins_with_files(table, LAWS, row) for row in (29.0, 30.0, 33.0, 36.0)] == [False, True, True, True]
    compacting = replace(LAWS, compacts=1)
    table.numbers[COMPACTED_AT] = 3.0  # by the commit of that DELETE, which left nothing newer
    assert begins_with_files(table, compacting, 30.0)
    table.numbers[COMPACTED_AT] = 4.0
    assert not begins_with_files(table, compacting, 30.0)
    table.numbers[GONE_ROWS] = 29.0
    assert begins_with_files(table, LAWS, 29.0)


def test_files_that_arrived_after_a_compaction_are_whole_ones() -> None:
    """Files of the first of three commits are compacted."""
    table, laws = appended(3, LAWS), replace(LAWS, compacts=1)
    table.classes[REWRITTEN][FILES], table.classes[ARRIVED][FILES] = 1.0, 2 * LAWS.files
    assert [begins_with_files(table, laws, row) for row in (8.0, 12.0, 24.0, 30.0)] == [False, True, True, False]
    laws = replace(laws, is_partitioned=1)
    for commits, is_whole in ((1.0, True), (2.0, True), (3.0, False)):
        table.numbers[COMPACTED_AT] = commits
        assert begins_with_files(table, laws, 24.0) == is_whole


@pytest.mark.parametrize("compacts", [0, 1])
@pytest.mark.parametrize("is_newest", [True, False])
def test_statements_at_an_end_reach_one_class_after_the_other(compacts: int, is_newest: bool) -> None:
    """The last statement wrote 1 file of 20 rows, 2 files of 12 came since; 3 of 12, 1 of 40 and 1 of 200 are older."""
    table = table_of([(1, 5, 60, 2, 60)], settled=(1, 200))
    table.numbers[COMMITS] = 27.0
    begin_hits(table, False, is_newest)
    table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS], table.numbers[SMALL_SEEN] = 1.0, 20.0, 3.0
    laws, left, expected = replace(LAWS, compacts=compacts), [], Counter[int]()
    others = [(REWRITTEN, 1, 40), (BEYOND, 1, 200)]
    if is_newest:
        older = [*others, (ARRIVED, 3, 36)] if compacts else [(ARRIVED, 3, 36), *others]
        order = [(ARRIVED, 2, 24), (REWRITTEN, 1, 20), *older]
    else:
        others.reverse()
        order = [(REWRITTEN, 1, 20), *([*others, (ARRIVED, 5, 60)] if compacts else [(ARRIVED, 5, 60), *others])]
    for number, files, rows in order:
        expected[number] += files
        left.append(rows)
        hit_at_end(table, laws, float(sum(left)), is_newest, -1.0)
        assert table.hits[HIT_FILES] == pytest.approx([expected[one] for one in range(3)])
        assert sum(table.hits[HIT_ROWS]) == sum(left)


def test_rows_touched_again_are_in_the_last_statements_files() -> None:
    """It wrote its 20 oldest rows into one file; 30 are wanted now, 10 more: of the next one of 12 as they arrived."""
    table = table_of([(1, 5, 60, 1, 20)])
    table.numbers[COMMITS] = 80 / 12
    begin_hits(table, False, False)
    table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS] = 1.0, 20.0
    hit_at_end(table, LAWS, 30.0, False, 20.0)
    assert table.hits[HIT_FILES] == [1, 1, 0]
    assert table.hits[HIT_ROWS] == [10, 20, 0]
    assert table.hits[HIT_ROW_SHARES] == [1 / 5, 1, 0]


def test_what_a_statement_wrote_is_beyond_once_it_is_large() -> None:
    table = new_table()
    found = []
    for files, rows in ((0.0, 0.0), (2.0, 190.0), (2.0, 200.0)):
        table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS] = files, rows
        found.append(edge_of(table, LAWS))
    assert found == [REWRITTEN, REWRITTEN, BEYOND]


def test_partitions_are_hit_as_chance_or_their_age_has_it() -> None:
    """Four partitions are open for three commits of twelve rows each; rows 30 … 40 were written in two such times."""
    laws = replace(LAWS, is_partitioned=1, open_partitions=4.0, partitions=4.0, lifetime=3.0)
    table = table_of([(4, 2, 24, 0, 0)])
    table.numbers[COMMITS] = table.numbers[DEALT] = 6.0
    assert partitions_hit(table, replace(laws, is_partitioned=0), 9.0) == 1
    table.numbers[IS_SCATTERED] = 1.0
    assert partitions_hit(table, laws, 5.0) == pytest.approx(8 * (1 - exp(-5 / 8)))
    table.numbers[NET_ROWS] = -6.0
    for live, missed in ((72.0, exp(-5 / 8)), (36.0, (1 - exp(-5 / 4)) / (5 / 4))):  # as many everywhere, or by age
        table.classes[ARRIVED][LIVE] = live
        assert partitions_hit(table, laws, 5.0) == pytest.approx(8 * (1 - missed), rel=1e-3)
    table.numbers[NET_ROWS] = 0.0
    table.numbers[IS_SCATTERED], table.hits[HIT_ROWS][ARRIVED] = 0.0, 10.0
    table.classes[ARRIVED][LIVE], table.hits[HIT_ROW_SHARES][ARRIVED] = 20.0, 0.5  # in files that are hit
    for gone, is_newest, units in ((30.0, 0, 2), (24.0, 0, 1), (36.0, 0, 1), (0.0, 1, 1)):
        table.numbers[GONE_ROWS], table.numbers[IS_NEWEST] = gone, float(is_newest)
        assert partitions_hit(table, laws, 5.0) == pytest.approx(drawn(4.0 * units, 5.0)), gone
    table.hits[HIT_ROW_SHARES][ARRIVED] = 2.0  # some of the 40 newest rows were written before, into closed ones
    assert partitions_hit(table, laws, 5.0) == pytest.approx(drawn(8.0, 5.0))
    assert partitions_hit(table, replace(laws, lifetime=inf), 5.0) == pytest.approx(drawn(4.0, 5.0))
    assert table.numbers[COHORTS] == 1


def test_partitions_passed_are_whole_ones_but_for_rounding() -> None:
    laws = replace(LAWS, rows_per_commit=0.7, new_rows=0.7, lifetime=3.0)
    assert [partitions_passed(laws, commits) for commits in (6.0, 7.5)] == [2, pytest.approx(2.5)]


def test_open_partitions_have_rows_of_their_commits_so_far() -> None:
    """A first commit of twelve rows, and eight of each later one: 24 are of an hour, the first four of the next one
    come with its last ones.
    """
    laws = replace(LAWS, new_rows=8.0, replaced_per_commit=4.0, lifetime=3.0)
    found, table = [], table_of([(4, 2, 24, 0, 0)])
    for commits in range(1, 8):
        table.numbers[COMMITS] = float(commits)
        found.append(rows_of_open(table, laws))
    assert found == [12, 20, 4, 12, 20, 4, 12]
    assert [unit_of(laws, row) for row in (0.0, 23.0, 24.0, 47.0, 48.0)] == [0, 0, 1, 1, 2]
    assert rows_of_open(table, replace(laws, lifetime=inf)) == 12 + 6 * 8


def test_files_without_deleted_rows_have_one_at_least() -> None:
    """Of ten files of one row a statement hits as many as rows; of those that have as many more as Poisson's law of one
    has it, none is empty either.
    """
    table = new_table()
    table.numbers[TOUCHES] = share = 0.1
    table.classes[REWRITTEN][FILES], table.classes[REWRITTEN][LIVE] = 10.0, 10.0
    table.likely[REWRITTEN][:] = [1.0, -1.0]
    assert hit_by_chance(table, REWRITTEN) == pytest.approx((share, share))
    assert table.numbers[SQUARES_LEFT] == pytest.approx(9)
    table.classes[REWRITTEN][LIVE], table.likely[REWRITTEN][:] = 20.0, [2.0, 1 / 2 - 1]
    missed, left = (1 - share) * exp(-share), 1 - share
    assert hit_by_chance(table, REWRITTEN) == pytest.approx((1 - missed, 1 - missed * (1 + left) / 2))
    assert table.numbers[SQUARES_LEFT] == pytest.approx(10 * missed * (1 + 3 * left + left * left))


def test_whole_files_have_fewer_rows_than_those_with_deleted_ones() -> None:
    """Of files of 1 + Poisson(3) rows, half of which are whole: m · exp(−3 · (1 − m)) = 1 / 2 at m = 0.838."""
    assert unnamed_rows(3.0, 0.5) / 3 * exp(-3 * (1 - unnamed_rows(3.0, 0.5) / 3)) == pytest.approx(0.5)
    assert unnamed_rows(3.0, 1.0) == pytest.approx(3)


def test_rows_fall_into_open_partitions_by_chance() -> None:
    table, by_bucket = new_table(), replace(LAWS, open_partitions=4.0, lifetime=inf)
    table.classes[ARRIVED][FILES], table.classes[ARRIVED][RECORDS] = 10.0, 40.0
    assert rows_by_chance(table, by_bucket) == 3
    assert rows_by_chance(table, replace(by_bucket, open_partitions=1.0)) == 0
