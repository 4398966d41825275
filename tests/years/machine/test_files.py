"""Data files in the machine: what is dealt out, compacted, left and counted again is the same files."""

from dataclasses import replace
from itertools import chain, groupby
from math import comb, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.machine import simple_laws

from wasim.rules.compaction import is_rewritten, task_bytes, tasks_of
from wasim.years.flows import Flow
from wasim.years.history import new_table
from wasim.years.machine.files import (
    add_in_front,
    add_in_order,
    balance_files,
    begin_cohort,
    count_arrived,
    deal_out,
    draw_binomial,
    draw_uniform,
    drop_closed,
    group_bytes,
    has_enough,
    held_with_dead,
    is_group_due,
    note_live,
    note_staying,
    oldest_place,
    partitions_counted,
    places_through,
    reopen_files,
    reopen_oldest,
    rows_in,
    small_files,
    small_of,
    take_groups,
)
from wasim.years.machine.sizes import bytes_of_rows
from wasim.years.machine.tables import (
    ARRIVED_LIVE,
    BEYOND,
    COHORTS,
    COMMITS,
    COMPACTIONS,
    DEAD,
    DEALT,
    GROUPS,
    HELD,
    IN_FRONT,
    IS_MUCH_DELETED,
    IS_SCATTERED,
    IS_THERE,
    LEFT_FILES,
    LIVE_WHERE_DEAD,
    MADE_BYTES,
    MADE_PARTIAL,
    MADE_SETTLED,
    MISSED_BY,
    MOST_SIZES,
    MOST_STAYING,
    OLDEST,
    OLDEST_ROW,
    OLDEST_THROUGH,
    OWN_DELETES,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    PARTITIONS,
    PLACE,
    RANDOM,
    REWRITTEN_LIVE,
    SETTLED_FILES,
    SETTLED_ROWS,
    SIZED_FILES,
    SMALL_FILES,
    SMALL_ROWS,
    STAY_SINCE,
    STAYING,
    TAKES_NEWER,
    TOOK_BYTES,
    TOOK_PARTIAL,
    TOOK_SMALL,
    UNCOUNTED,
    UNEVEN,
    UPDATE,
    Laws,
    Table,
)

LAWS = replace(simple_laws(), compaction_target=1e6, files=3.0, rows_per_commit=600.0)
LAWS = replace(LAWS, small_rows=8_000.0, most_rows=14_000.0, new_small=3.0, open_partitions=4.0, partitions=2.0)
COHORTS_OF = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 9), st.integers(0, 3), st.integers(1, 7_999)), min_size=1, max_size=6
)


def files_of(table: Table) -> float:
    return table.numbers[SETTLED_FILES] + small_of(table, SMALL_FILES) + small_of(table, PARTIAL_FILES)


def data_rows_of(table: Table) -> float:
    return table.numbers[SETTLED_ROWS] + small_of(table, SMALL_ROWS) + small_of(table, PARTIAL_ROWS)


def table_of(cohorts: list[tuple[int, int, int, int]]) -> Table:
    """Partitions, and in each of them small files, compacted ones that are still small, and rows of each file."""
    table = new_table()
    table.numbers[ARRIVED_LIVE] = table.numbers[REWRITTEN_LIVE] = 1.0
    table.numbers[LIVE_WHERE_DEAD] = table.numbers[LIVE_WHERE_DEAD + 1] = 1.0
    for place, (partitions, small, partial, rows) in enumerate(cohorts):
        begin_cohort(table, float(partitions))
        held = [small, small * rows, partial, partial * rows, partial, partial * rows]
        table.cohorts[place][SMALL_FILES : SIZED_FILES + 2] = held
    return table


def waits_for_compaction(small: int, partial: int, rows: int) -> bool:
    """Whether Iceberg takes the files of one partition."""
    files = small + partial
    return files > 0 and is_rewritten(files, files * bytes_of_rows(LAWS, rows), LAWS.min_input_files, 10**6)


@pytest.mark.parametrize("lifetime", [0.5, 1.0, 3.0, 7.5, inf])
@pytest.mark.parametrize("settles", [0, 1])
def test_every_file_is_dealt_out_once(lifetime: float, settles: int):
    together = 4.0 if lifetime > 1 else 2.0  # partitions that are open
    both = 1 / 15 if lifetime == 7.5 else 0.0  # of 15 commits the eighth writes into both times
    table, laws = new_table(), replace(LAWS, lifetime=lifetime, settles=settles, open_partitions=together)
    laws = replace(laws, straddling=both)
    laws = replace(laws, settled_files=3.0 * settles, settled_rows=600.0 * settles)
    for commits in (15, 30, 90, 300) if both else (1, 2, 10, 11, 90, 300):
        table.numbers[COMMITS] = float(commits)
        deal_out(table, laws)
        assert (files_of(table), data_rows_of(table)) == pytest.approx((3 * commits, 600 * commits))
        assert (small_files(table, laws) == 0) == settles
        assert table.numbers[COHORTS] <= 81
    if lifetime < inf:
        partitions = sum(one[PARTITIONS] for one in table.cohorts[: int(table.numbers[COHORTS])])
        assert partitions == together * -(-300 // max(1.0, lifetime))


@pytest.mark.parametrize(("tasks", "files"), [(1, [9, 10, 9, 9]), (4, [35, 35, 35, 34])])
def test_a_commit_across_the_hour_writes_into_both(tasks: int, files: list[int]):
    """Every 7 minutes, the 9th, 18th and 26th do; of tasks whose rows follow each other, one of each."""
    laws = replace(LAWS, lifetime=60 / 7, open_partitions=1.0, straddling=0.1, tasks_in_order=float(tasks))
    laws, table = replace(laws, files=tasks + 0.1), new_table()
    table.numbers[COMMITS] = 34.0
    deal_out(table, laws)
    assert [round(one[SMALL_FILES], 6) for one in table.cohorts[:4]] == files


def rows_of_outputs(*groups: tuple[int, int]) -> list[float]:
    """Rows of each file that tasks write of files by their number and their rows, in this order."""
    rows_of = [rows for files, rows in groups for _ in range(files)]
    sizes = [bytes_of_rows(LAWS, rows) for rows in rows_of]
    tasks = [sum(rows_of[place] for place in task) for task in tasks_of(sizes, task_bytes(sum(sizes), 1e6))]
    return [min(LAWS.most_rows, written - first) for written in tasks for first in range(0, written, 14_000)]


@given(cohorts=COHORTS_OF)
def test_compaction_takes_the_groups_that_iceberg_takes(cohorts: list[tuple[int, int, int, int]]):
    table = table_of(cohorts)
    taken, before = [0.0] * (MADE_BYTES + 2), (files_of(table), data_rows_of(table))
    for (partitions, small, partial, rows), one in zip(cohorts, table.cohorts, strict=False):
        size = (small + partial) * bytes_of_rows(LAWS, rows)
        if not waits_for_compaction(small, partial, rows):
            continue
        assert group_bytes(table, LAWS, one, 1.0, 1.0) == pytest.approx(size)
        part = float(partitions)
        taken[TOOK_SMALL] += part * small
        taken[TOOK_PARTIAL] += part * partial
        taken[TOOK_BYTES] += part * size
        taken[GROUPS] += part
        for made in rows_of_outputs((small + partial, rows)):
            taken[MADE_PARTIAL if made < LAWS.small_rows else MADE_SETTLED] += part
            taken[MADE_BYTES] += part * bytes_of_rows(LAWS, made)
    take_groups(table, LAWS)
    of_all = (TOOK_SMALL, TOOK_PARTIAL, TOOK_BYTES, MADE_PARTIAL, MADE_SETTLED, MADE_BYTES, GROUPS)
    assert [table.done[what] for what in of_all] == pytest.approx([taken[what] for what in of_all])
    files = before[0] - taken[TOOK_SMALL] - taken[TOOK_PARTIAL] + taken[MADE_PARTIAL] + taken[MADE_SETTLED]
    assert files_of(table) == pytest.approx(files)
    assert data_rows_of(table) == pytest.approx(before[1])


@pytest.mark.parametrize(
    ("cohorts", "newer"),
    [
        ([(1, 0, 2, 50), (1, 30, 1, 50)], (0, 1)),  # two compacted files are left in the older partition
        ([(1, 3, 0, 50), (1, 30, 1, 50)], (1, 0)),  # and three as they came
        ([(1, 30, 1, 50), (1, 2, 1, 50)], (-1, -1)),
        ([(1, 30, 0, 50), (1, 30, 0, 50)], (0, 0)),  # nothing is left
    ],
)
def test_files_are_taken_from_older_partitions_or_newer_ones(
    cohorts: list[tuple[int, int, int, int]], newer: tuple[int, int]
):
    table = table_of(cohorts)
    take_groups(table, LAWS)
    assert tuple(np.sign(table.done[TAKES_NEWER : TAKES_NEWER + 2])) == newer


@given(
    small=st.integers(0, 300),
    sizes=st.dictionaries(
        st.integers(6, 158).map(lambda times: 50 * times), st.integers(1, 25), min_size=1, max_size=MOST_SIZES
    ),
)
def test_files_of_several_sizes_share_tasks_as_spark_deals_them(small: int, sizes: dict[int, int]):
    table = table_of([(1, small, 0, 200)])
    one, groups = table.cohorts[0], [(small, 200), *((files, rows) for rows, files in sizes.items())]
    for files, rows in groups[1:]:
        add_in_order(one, float(files), float(files * rows))
    if is_group_due(table, LAWS, one, sum(files for files, _ in groups)):
        made = rows_of_outputs(*groups)
        take_groups(table, LAWS)
        found = table.done[MADE_PARTIAL], table.done[MADE_SETTLED]
        settled = sum(rows >= LAWS.small_rows for rows in made)
        assert found == pytest.approx((len(made) - settled, settled))
        listed = [(len(list(alike)), rows) for rows, alike in groupby(one for one in made if one < LAWS.small_rows)]
        if len(listed) <= MOST_SIZES:  # the next compaction reads them in this order
            left = [number for files, rows in listed for number in (files, files * rows)]
            assert one[SIZED_FILES:UNEVEN] == pytest.approx(left + [0] * (2 * MOST_SIZES - len(left)))


@given(
    commits=st.integers(1, 40),
    closed=st.integers(1, 4),
    rows=st.tuples(st.integers(40, 158), st.integers(1, 39)).map(lambda both: (50 * both[0], 50 * both[1])),
    waiting=st.integers(0, 9),
)
def test_files_closed_and_left_share_tasks(commits: int, closed: int, rows: tuple[int, int], waiting: int):
    """As each commit lists them: those that it closed at the target, and a smaller one; then compacted ones."""
    laws = replace(LAWS, closed_share=closed / (closed + 1), closed_rows=float(rows[0]))
    table, groups = table_of([(1, 0, 0, 1)]), [*[(closed, rows[0]), (1, rows[1])] * commits, (waiting, 2_500)]
    one = table.cohorts[0]
    one[SMALL_FILES], one[SMALL_ROWS] = commits * (closed + 1.0), float(commits * (closed * rows[0] + rows[1]))
    add_in_order(one, float(waiting), waiting * 2_500.0)
    if is_group_due(table, laws, one, one[SMALL_FILES] + waiting):
        made = rows_of_outputs(*groups)
        take_groups(table, laws)
        settled = sum(one_rows >= LAWS.small_rows for one_rows in made)
        assert (table.done[MADE_PARTIAL], table.done[MADE_SETTLED]) == pytest.approx((len(made) - settled, settled))
        assert table.done[TOOK_BYTES] == pytest.approx(sum(n * bytes_of_rows(LAWS, each) for n, each in groups))


def test_tasks_read_delete_files_of_their_own_too():
    """Of files as they came, and of others: each then fills a task alone, of which two would share one."""
    for kind, files in ((SMALL_FILES, 6), (PARTIAL_FILES, 6)):
        made = []
        for own in (0.0, 1e6):
            table = table_of([(1, 6, 0, 2_000) if kind == SMALL_FILES else (1, 0, 6, 2_000)])
            table.numbers[OWN_DELETES + (kind == PARTIAL_FILES)] = own
            take_groups(table, LAWS)
            made.append(table.done[MADE_PARTIAL] + table.done[MADE_SETTLED])
        assert made[0] < made[1] == files


def test_partitions_with_fewer_files_by_chance_are_left():
    table, variance = table_of([(1000, 4, 1, 200)]), 1.5
    table.cohorts[0][UNEVEN] = variance
    drawn = np.random.default_rng(1).normal(5.0, variance**0.5, 200_000)
    taken = drawn >= LAWS.min_input_files - 0.5
    left = np.where(taken, 1.0, drawn)
    take_groups(table, LAWS)
    assert table.done[GROUPS] == pytest.approx(1000 * taken.mean(), rel=0.01)
    assert table.done[TOOK_SMALL] + table.done[TOOK_PARTIAL] == pytest.approx(1000 * (drawn * taken).mean(), rel=0.01)
    assert files_of(table) == pytest.approx(1000 * left.mean(), rel=0.01)
    assert table.cohorts[0][UNEVEN] == pytest.approx(left.var(), rel=0.02)


@given(cohorts=COHORTS_OF)
def test_closed_partitions_keep_their_files(cohorts: list[tuple[int, int, int, int]]):
    table = table_of(cohorts)
    files, small, rows = files_of(table), small_files(table, LAWS), data_rows_of(table)
    left = drop_closed(table, LAWS)
    assert sum(left) == table.numbers[LEFT_FILES]
    assert (files_of(table), small_files(table, LAWS), data_rows_of(table)) == pytest.approx((files, small, rows))
    waiting = [one for one in cohorts[:-1] if waits_for_compaction(*one[1:])]
    assert table.numbers[COHORTS] == 1 + len(waiting)


@pytest.mark.parametrize("lifetime", [2.0, inf])
def test_files_counted_as_compacted_again_are_all_there(lifetime: float):
    table, laws = table_of([(4, 2, 1, 100), (2, 0, 3, 50)]), replace(LAWS, lifetime=lifetime)
    table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS], table.numbers[DEALT] = 30.0, 9_000.0, 20.0
    before = files_of(table), data_rows_of(table), small_of(table, SMALL_FILES)
    reopen_files(table, laws)
    assert (files_of(table), data_rows_of(table), small_of(table, SMALL_FILES)) == pytest.approx(before)
    assert table.numbers[SETTLED_FILES] == table.numbers[SETTLED_ROWS] == 0


def test_what_is_removed_is_what_is_not_there():
    table = table_of([(4, 2, 1, 100), (2, 0, 3, 50)])
    table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS] = 5.0, 60_000.0
    table.flows[Flow.WRITTEN_FILES], table.flows[Flow.WRITTEN_FILES + 1] = 100.0, 1e8
    balance_files(table, LAWS)
    there = 12 * bytes_of_rows(LAWS, 100) + 6 * bytes_of_rows(LAWS, 50) + 5 * bytes_of_rows(LAWS, 12_000)
    assert table.flows[Flow.REMOVED_FILES : Flow.REMOVED_FILES + 2] == pytest.approx([100 - 23, 1e8 - there])


def waits(table: Table, laws: Laws, chances: list[list[float]]) -> int:
    return next(more for more in range(100) if has_enough(table, laws, chances, more))


def test_a_compaction_by_count_waits_for_its_files():
    for least in range(1, 60):
        table = table_of([(1, 4, 2, 10)])
        more = waits(table, replace(LAWS, least_files=float(least), by_chance=0), [])
        assert more == max(0, -(-(least - 6) // 3))


def test_compaction_by_count_waits_for_chance_as_long_on_average():
    """Each commit brings no file or two, as likely: of 24 firings as many are early as chance has it."""
    laws = replace(LAWS, least_files=4.0, by_chance=1, files=1.0)
    chances = [
        [sum(comb(commits, twos) for twos in range(-(-least // 2), commits + 1)) / 2**commits for least in range(18)]
        for commits in range(9)
    ]
    waited = []
    for fired in range(24):
        table = table_of([(1, 0, 0, 1)])
        table.flows[COMPACTIONS] = float(fired)
        waited.append(waits(table, laws, chances))
    for more in range(2, 8):
        assert sum(one <= more for one in waited) == int(24 * chances[more][4] + 0.5)


def test_deleted_oldest_rows_are_in_their_partitions() -> None:
    """Of two hours of 100 rows each the older one holds 150 in its files, 50 of which are deleted."""
    laws = replace(LAWS, rows_per_commit=10.0, new_rows=10.0, lifetime=10.0, open_partitions=1.0, partitions=1.0)
    table = table_of([(1, 0, 3, 50), (1, 2, 1, 20)])
    numbers = table.numbers
    numbers[DEALT], numbers[OLDEST_THROUGH], table.deleted[DEAD][1] = 20.0, 50.0, 50.0
    assert [rows_in(table, laws, place) for place in range(2)] == [(0, 100), (100, 200)]
    assert [places_through(table, laws), oldest_place(table, laws)] == [1, 0]
    found = []
    for place in range(2):
        note_live(table, laws, place)
        found.append(numbers[REWRITTEN_LIVE])
    assert found == pytest.approx([2 / 3, 1])
    numbers[DEALT] = 15.0  # of the newer one 50 rows have come, and it holds 60
    note_live(table, laws, 1)
    assert numbers[REWRITTEN_LIVE] == pytest.approx(5 / 6)
    numbers[IS_SCATTERED] = 1.0  # then anywhere, in the mean
    note_live(table, laws, 0)
    assert numbers[REWRITTEN_LIVE] == 1


def test_closed_hours_come_to_be_the_oldest() -> None:
    """They are kept where an UPDATE writes the oldest rows, until these are beyond them."""
    laws = replace(LAWS, rows_per_commit=10.0, new_rows=10.0, lifetime=10.0, open_partitions=1.0, partitions=1.0)
    changes = [list(row) for row in laws.changes]
    changes[UPDATE][IS_THERE], changes[UPDATE][PLACE] = 1.0, OLDEST
    for rows, kept in ((laws.changes, 1), (changes, 2)):
        table = table_of([(1, 0, 1, 100), (1, 2, 1, 20)])
        table.numbers[DEALT] = 20.0
        drop_closed(table, replace(laws, changes=rows))
        assert table.numbers[COHORTS] == kept
    table.numbers[OLDEST_ROW] = 100.0
    drop_closed(table, replace(laws, changes=changes))
    assert table.numbers[COHORTS] == 1


def test_random_numbers_are_those_published():
    """From 1 on, the ten thousandth of the minimal standard generator."""
    table = new_table()
    table.numbers[RANDOM] = 1.0
    last = [draw_uniform(table) for _ in range(10_000)][-1]
    assert (table.numbers[RANDOM], last) == (1_043_618_065, 1_043_618_065 / (2**31 - 1))


@pytest.mark.parametrize(("trials", "share"), [(4.0, 0.98), (30.0, 0.3), (400.0, 0.6)])
def test_random_numbers_of_successes_are_binomial(trials: float, share: float):
    table = new_table()
    drawn = np.array([draw_binomial(table, trials, share) for _ in range(4000)])
    assert drawn.mean() == pytest.approx(trials * share, rel=0.01)
    assert drawn.var() == pytest.approx(trials * share * (1 - share), rel=0.08)
    assert np.array_equal(drawn, np.rint(drawn))


def test_files_come_into_each_partition_by_chance():
    """Of 100 commits 100 each, by as much apart as the variance of a commit's says."""
    table, laws, drawn = new_table(), replace(LAWS, uneven=0.1, files=4.0, open_partitions=4.0), []
    for _ in range(500):
        table.numbers[UNCOUNTED] = 100.0
        before = [files for files, *_ in table.counted[:4]]
        count_arrived(table, laws, 4, True)
        drawn += [files - there for (files, *_), there in zip(table.counted[:4], before, strict=True)]
    assert np.mean(drawn) == pytest.approx(100, rel=0.01)
    assert np.var(drawn) == pytest.approx(100 * 0.1, rel=0.08)


def test_of_few_partitions_those_with_files_enough_are_compacted():
    table = new_table()
    begin_cohort(table, 4.0)
    table.cohorts[0][SMALL_FILES : SIZED_FILES + 2] = [3.0, 30.0, 1.0, 10.0, 1.0, 10.0]
    table.counted[:4] = [[files, 0.0, 0.0, 1.0, 0.0, 0.0] for files in (5.0, 5.0, 3.0, 3.0)]
    table.cohorts[0][UNEVEN] = 1.0
    table.numbers[LIVE_WHERE_DEAD : LIVE_WHERE_DEAD + 2] = [1.0, 1.0]
    laws = replace(LAWS, uneven=0.1, files=4.0, open_partitions=4.0, lifetime=inf)
    take_groups(table, laws)
    assert table.done[GROUPS] == 2
    assert (table.done[TOOK_SMALL], table.done[TOOK_PARTIAL]) == (8, 2)  # the others have two small files each, and one
    assert [files for files, *_ in table.counted[:4]] == [1.0, 1.0, 3.0, 3.0]
    assert table.cohorts[0][UNEVEN] == 1.0
    assert table.cohorts[0][SMALL_FILES : PARTIAL_ROWS + 1] == pytest.approx([1.0, 10.0, 1.0, 30.0])


def test_partitions_hold_their_files_each():
    table = table_of([(4, 3, 2, 100), (1, 1, 1, 100)])
    assert [held_with_dead(table, LAWS, 0, kind) for kind in (SMALL_FILES, PARTIAL_FILES)] == [12, 8]


def test_more_files_than_chances_are_known_of_are_not_there():
    table, laws = table_of([(1, 0, 0, 1)]), replace(LAWS, least_files=4.0, by_chance=1, files=1.0)
    assert has_enough(table, laws, [[1.0] * 5] * 9, 2)
    assert not has_enough(table, laws, [[1.0] * 4] * 9, 2)
    many = replace(laws, least_files=20.0, new_small=1.0)  # of nine commits the mean decides
    assert [has_enough(table, many, [[1.0] * 30] * 9, commits) for commits in (8, 9)] == [True, False]


UNLIKE = (10_000, 1_000, 5_000, 500, 2_000, 200)


@pytest.mark.parametrize(
    ("sizes", "left"),
    [
        ((10, 20, 30, 45, 60, 90, 62), [1, 10, 1, 20, 1, 30, 2, 105, 1, 90, 1, 62]),
        ((10, 20, 30, 45, 46, 90, 60), [1, 10, 1, 20, 1, 30, 2, 91, 1, 90, 1, 60]),
        ((10, 20, 30, 44, 90, 45, 60), [1, 10, 1, 20, 2, 74, 1, 90, 1, 45, 1, 60]),
    ],
)
def test_no_more_than_twelve_sizes_are_kept_apart(sizes: tuple[int, ...], left: list[int]):
    """Of thirteen the two most similar ones that follow each other become one."""
    one = table_of([(1, 0, 0, 0)]).cohorts[0]
    for rows in (*UNLIKE, *sizes):
        add_in_order(one, 1.0, float(rows))
    assert one[SIZED_FILES:UNEVEN] == [*chain.from_iterable((1, rows) for rows in UNLIKE), *left]


def test_files_of_statements_stand_before_compacted_ones():
    """Of two sizes at most, to make room for which two of twelve compacted ones become one each time."""
    one = table_of([(1, 0, 0, 0)]).cohorts[0]
    for rows in (*UNLIKE, 500, 400, 300, 200, 100, 90):
        add_in_order(one, 1.0, float(rows))
    for rows in (40, 41, 40, 70):
        add_in_front(one, 1.0, float(rows))
    others = chain.from_iterable((1, rows) for rows in UNLIKE)
    assert one[SIZED_FILES:UNEVEN] == [2, 111, 2, 80, *others, 2, 900, 1, 300, 1, 200, 2, 190]
    assert (one[IN_FRONT], one[PARTIAL_FILES], one[PARTIAL_ROWS]) == (2, 16, 20_481)


def test_files_go_back_once_three_in_ten_rows_are_hit():
    """The oldest alone: half of its rows were hit, of the next ones a quarter."""
    table = table_of([(1, 0, 1, 10)])
    for since, files in ((0.0, 2.0), (log(2) - log(4 / 3), 3.0)):
        table.numbers[MISSED_BY] = since
        table.numbers[SETTLED_FILES] += files
        table.numbers[SETTLED_ROWS] += 100 * files
        note_staying(table)
    table.numbers[MISSED_BY] = log(2)
    table.deleted[DEAD][BEYOND], table.deleted[HELD][BEYOND] = 175.0, 5.0
    assert reopen_oldest(table) == 2
    assert table.cohorts[0][PARTIAL_FILES : PARTIAL_ROWS + 1] == [3, 210]
    assert table.cohorts[0][IS_MUCH_DELETED] == 1
    assert [table.deleted[what][BEYOND] for what in (DEAD, HELD)] == pytest.approx([75, 3])
    assert (table.numbers[SETTLED_FILES], table.numbers[STAYING]) == (3, 1)
    assert reopen_oldest(table) == 0


def test_of_many_files_that_stay_two_count_as_one():
    table = table_of([(1, 0, 0, 0)])
    for number in range(MOST_STAYING + 1):
        table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS] = number + 1.0, 10.0 * (number + 1)
        table.numbers[MISSED_BY] = float(number)
        note_staying(table)
    used = int(table.numbers[STAYING])
    assert used == MOST_STAYING // 2 + 1
    assert [one[:STAY_SINCE] for one in table.staying[:used]] == [[2, 20]] * (used - 1) + [[1, 10]]
    since = [one[STAY_SINCE] for one in table.staying[:used]]
    assert since == pytest.approx([2.0 * number for number in range(used)], abs=1e-5)


@pytest.mark.parametrize(("partitions", "counted"), [(1, 0), (2, 2), (1024, 1024), (5000, 1024)])
def test_files_of_open_partitions_are_counted_in_equal_parts(partitions: int, counted: int):
    laws, table = replace(LAWS, uneven=0.1, changes_rows=0), table_of([(partitions, 1, 0, 10)])
    assert partitions_counted(table, laws, 0) == counted


def test_partitions_counted_wait_for_the_files_of_others_too():
    """Four of two small files each, and three of one each: eleven, and twelve come with the next commit."""
    table = table_of([(3, 0, 1, 10), (4, 2, 0, 10)])
    table.counted[:4] = [[2.0, 0.0, 0.0, 0.0, 0.0, 0.0] for _ in range(4)]
    laws = replace(LAWS, uneven=0.1, by_chance=1, changes_rows=0)
    assert [has_enough(table, replace(laws, least_files=least), [], 0) for least in (11.0, 12.0)] == [True, False]
