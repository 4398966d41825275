"""What maintenance does in the machine: files, entries and bytes that go are those that were there."""

from dataclasses import replace
from math import inf, log

import pytest
from support.machine import entries_of, rows_of, simple_laws, table_with

from wasim.years.flows import Flow
from wasim.years.history import new_table
from wasim.years.machine.appends import append, live_bytes, live_files, manifests_of
from wasim.years.machine.files import begin_cohort, group_bytes, newest_place, since_now, small_of
from wasim.years.machine.jobs import (
    commit_nothing,
    compact,
    digits_of_totals,
    drop_deletes,
    entries_of_deletes,
    forget_dead,
    forget_seen,
    note_dead,
    note_siblings,
    own_snapshot,
    reopen_much_deleted,
    rewrite_manifests,
    take_out,
)
from wasim.years.machine.manifests import list_bytes
from wasim.years.machine.sizes import bytes_of_rows
from wasim.years.machine.tables import (
    AS_CAME,
    BEYOND,
    COHORTS,
    COMMITS,
    COUNT,
    DEAD,
    DEALT,
    DELETES_BEFORE_LEFT,
    EDGE_END,
    EDGE_FILES,
    EDGE_ROWS,
    FRESH,
    GONE_BYTES,
    GONE_DELETES,
    GONE_FILES,
    GONE_FRESH,
    GONE_POSITIONS,
    GONE_RECORDS,
    HELD,
    IS_NEW,
    LEFT_SINCE,
    LIVE_WHERE_DEAD,
    MADE_SQUARES,
    MISSED,
    MISSED_BY,
    NEW_RECORDS,
    NEWEST_BYTES,
    NEWEST_COMMIT,
    NEWEST_FILES,
    OTHER_SEEN,
    OWN_DELETES,
    PARTIAL,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    PARTITIONS,
    REWRITTEN,
    SETTLED,
    SETTLED_FILES,
    SETTLED_ROWS,
    SIBLINGS,
    SMALL_FILES,
    SMALL_ROWS,
    SMALL_SEEN,
    SQUARES,
    TOOK_DEAD,
    TOOK_PARTIAL,
    TOOK_SMALL,
    WITH_DATA,
    Laws,
    Table,
)

LAWS = replace(simple_laws(), merges=0, filters=1, packs=0, epochs=0, sequences=1)


def of_files(files: int, **others: float) -> Laws:
    """A table whose commits bring so many files, in one manifest."""
    return replace(LAWS, files=float(files), new_files=[float(files), *LAWS.new_files[1:]], **others)


TABLES = {
    "small files": LAWS,
    "a target soon reached": replace(LAWS, compaction_target=400_000.0, small_rows=2_500.0),
    "several files to a commit": of_files(4, partitions=2.0, open_partitions=2.0, file_bytes=5_000.0),
    "partitions that close": of_files(3, partitions=3.0, open_partitions=3.0, lifetime=8.0),
    "merging appends": replace(LAWS, merges=1, packs=1, least=7.0),
}


def stepped(table: Table, laws: Laws, commits: int) -> None:
    left = float(commits)
    while left > 0:
        before = table.flows[Flow.SNAPSHOTS]
        append(table, laws, left)
        left -= table.flows[Flow.SNAPSHOTS] - before


def bytes_there(table: Table, laws: Laws) -> float:
    settled, found = table.numbers[SETTLED_FILES], 0.0
    if settled:
        found = settled * bytes_of_rows(laws, table.numbers[SETTLED_ROWS] / settled)
    for one in table.cohorts[: int(table.numbers[COHORTS])]:
        found += one[0] * group_bytes(table, laws, one, 1.0, 1.0)
    return found


@pytest.mark.parametrize("laws", TABLES.values(), ids=TABLES)
def test_manifests_list_the_files_that_compaction_leaves(laws: Laws):
    table = new_table()
    laws = replace(laws, file_bytes=bytes_of_rows(laws, laws.rows_per_commit / laws.files))
    commits = 0
    for more in (37, 3, 12, 29, 1, 60):
        stepped(table, laws, more)
        commits += more
        before, lists = table.flows[Flow.SNAPSHOTS], table.flows[Flow.LIST_BYTES]
        compact(table, laws)
        there = table.numbers[SETTLED_FILES] + small_of(table, SMALL_FILES) + small_of(table, PARTIAL_FILES)
        assert live_files(table, 0) == pytest.approx(there)
        assert live_files(table, 0) < laws.files * commits
        assert sum(entries_of(table, kind) for kind in (FRESH, PARTIAL, SETTLED)) == pytest.approx(there)
        is_mixed = laws.lifetime < inf  # those left in closed partitions count by their mean rows
        assert live_bytes(table) == pytest.approx(bytes_there(table, laws), rel=0.01 if is_mixed else 1e-3)
        if not is_mixed:
            assert entries_of(table, PARTIAL) == pytest.approx(small_of(table, PARTIAL_FILES))
        made = table.flows[Flow.SNAPSHOTS] - before
        assert made in (0, 1)
        assert table.flows[Flow.LIST_BYTES] - lists == pytest.approx(made * list_bytes(table, laws))
        listed = sum(row[COUNT] for row in rows_of(table))
        replaced = table.flows[Flow.WRITTEN_MANIFESTS] - table.flows[Flow.REPLACED_MANIFESTS]
        assert replaced - table.flows[Flow.WASTED_MANIFESTS] == pytest.approx(listed)
    assert table.flows[Flow.ROWS] == commits * laws.rows_per_commit


def test_compaction_in_parts_leaves_what_it_leaves_at_once():
    laws = TABLES["several files to a commit"]
    tables = [new_table() for _ in range(2)]
    for table, parts in zip(tables, (1, 4), strict=True):  # of two partitions no more than two
        stepped(table, laws, 50)
        compact(table, replace(laws, parts=parts))
    once, parted = tables
    assert [live_files(one, 0) for one in tables] == pytest.approx([live_files(once, 0)] * 2)
    assert [live_bytes(one) for one in tables] == pytest.approx([live_bytes(once)] * 2)
    assert parted.flows[Flow.SNAPSHOTS] - once.flows[Flow.SNAPSHOTS] == 1


def test_files_of_one_compaction_share_its_snapshot():
    """The first file that it makes takes 9 more, further ones 2."""
    laws, table = replace(TABLES["a target soon reached"], compacted_more=[9.0, 0.0], together_more=2.0), new_table()
    stepped(table, laws, 60)
    compact(table, laws)
    made = live_files(table, 0)
    assert made > 1
    assert table.compacted_more[0] == pytest.approx((9 + 2 * (made - 1)) / made)
    counted = [table.counters[counter] for counter in (GONE_FILES, NEW_RECORDS, GONE_RECORDS)]
    assert counted == pytest.approx([60, table.flows[Flow.ROWS], table.flows[Flow.ROWS]])


def test_entries_of_compacted_files_that_look_new_go_too():
    for partial in (0, 4):
        table = table_with([(10, 500, 5, partial, 0)])
        table.done[TOOK_SMALL], table.done[TOOK_PARTIAL] = 20.0, 10.0
        take_out(table, LAWS, 0.4, 0.25)
        assert entries_of(table, FRESH) == pytest.approx(50 - (30 if not partial else 0.4 * 50))
        assert entries_of(table, PARTIAL) == pytest.approx(10 * partial * 0.75)


@pytest.mark.parametrize(("parts", "left"), [(1, 4.0), (2, 10 * (1 - 0.6**5))])
def test_compaction_at_once_takes_the_oldest_entries(parts: int, left: float):
    """Thirty files of ten manifests of five: six whole ones, or in parts of many partitions three in five of any."""
    table = table_with([(10, 500, 5, 0, 0)])
    laws = replace(LAWS, lifetime=8.0, parts=parts, open_partitions=1e9)
    table.done[TOOK_SMALL] = 30.0
    take_out(table, laws, 0.6, 0.0)
    assert sum(row[COUNT] for row in rows_of(table) if row[FRESH] > 0) == pytest.approx(left)


def test_rewriting_manifests_is_one_commit_or_none():
    table = new_table()
    stepped(table, LAWS, 30)
    json, before = table.flows[Flow.SNAPSHOT_JSON_BYTES], manifests_of(table)
    rewrite_manifests(table, LAWS)
    assert (manifests_of(table), table.flows[Flow.SNAPSHOTS], before) == (1, 31, 30)
    digits = digits_of_totals(table) + 1 + 2 + LAWS.names_manifests * 4  # sequence 31; made 1, kept 0, replaced 30
    made = table.flows[Flow.SNAPSHOT_JSON_BYTES] - json
    assert made == LAWS.rewrite_json + 2 + digits - 1 - 1
    assert table.flows[Flow.MORE_COMPRESSED] == own_snapshot(table, LAWS) - made > 0
    rewrite_manifests(table, LAWS)
    assert table.flows[Flow.SNAPSHOTS] == 31


def test_commits_of_nothing_repeat_the_list_they_found():
    table, laws = new_table(), replace(LAWS, counts_manifests=1, epochs=1)
    stepped(table, laws, 30)
    flows = table.flows
    json, lists, own = flows[Flow.SNAPSHOT_JSON_BYTES], flows[Flow.LIST_BYTES], own_snapshot(table, laws)
    commit_nothing(table, laws, 4.0)
    assert flows[Flow.SNAPSHOTS] == 34
    assert flows[Flow.LIST_BYTES] - lists == pytest.approx(4 * list_bytes(table, laws))
    # the epoch, the sequence number beyond one digit, and 30 manifests
    each = laws.nothing_json + digits_of_totals(table) + 2 + 1 + 2
    assert flows[Flow.SNAPSHOT_JSON_BYTES] - json == pytest.approx(4 * each)
    assert flows[Flow.MORE_COMPRESSED] == pytest.approx(4 * (own - each))


def test_totals_of_a_table_are_written_with_all_their_digits():
    table = table_with([(3, 100, 5, 0, 0)])
    table.flows[Flow.ROWS], table.flows[Flow.POSITION_DELETES] = 900.0, 32.0
    table.flows[Flow.WRITTEN_FILES : Flow.WRITTEN_FILES + 8] = [40.0, 4e5, 9.0, 9e2, 10.0, 1e5, 4.0, 4e2]
    # 30 files, 900 rows, 300,500 bytes, 5 delete files, 32 positions, equality deletes: none, or 7,000
    assert digits_of_totals(table) == 2 + 3 + 6 + 1 + 2 + 1
    table.flows[Flow.EQUALITY_DELETES] = 7_000.0
    assert digits_of_totals(table) == 2 + 3 + 6 + 1 + 2 + 4


@pytest.mark.parametrize(("kept", "is_upsert"), [(0, False), (1, False), (1, True)])
def test_delete_files_older_than_all_data_go_with_their_bytes(kept: int, is_upsert: bool):
    """Three manifests of four delete files of 100 bytes; a file of a statement since which no row came stays, or of the
    last commit, by equality.
    """
    table = table_with([(3, 500, 4, 0, 0)], group=1)
    table.flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] = [20.0, 2_000.0]
    table.flows[Flow.REMOVED_FILES + 2 : Flow.REMOVED_FILES + 4] = [8.0, 800.0]
    table.numbers[NEWEST_COMMIT], table.numbers[NEWEST_FILES], table.numbers[NEWEST_BYTES] = (
        kept - 1.0 - is_upsert,
        kept,
        100.0 * kept,
    )
    table.flows[Flow.POSITION_DELETES], table.flows[Flow.EQUALITY_DELETES] = 240.0, 480.0
    table.rows[1][0][MISSED] = 1.0
    table.done[LEFT_SINCE], table.done[DELETES_BEFORE_LEFT] = since_now(table)
    before = list(table.flows)
    drop_deletes(table, replace(LAWS, packs=1, deletes=int(is_upsert), delta_files=1.0, delta_bytes=100.0))
    assert entries_of_deletes(table) == pytest.approx(kept)
    gone = {Flow.REMOVED_FILES + 2: 20.0 - kept, Flow.REMOVED_FILES + 3: 2_000.0 - 100 * kept}
    changed = {place for place in range(Flow.WRITTEN_FILES, Flow.ROWS) if table.flows[place] != before[place]}
    assert changed == {*gone}
    assert {place: table.flows[place] for place in gone} == pytest.approx(gone)
    positions = [table.flows[Flow.POSITION_DELETES], table.flows[Flow.EQUALITY_DELETES] / 2]
    assert positions == pytest.approx([20 * kept] * 2)  # of each of twelve files
    counted = [table.counters[counter] for counter in (GONE_DELETES, GONE_POSITIONS, GONE_BYTES)]
    assert counted == pytest.approx([12 - kept, 240 - 20 * kept, 1_200 - 100 * kept])


def test_delete_files_as_new_as_data_that_is_left_stay():
    """Two manifests of four delete files of 100 bytes each go, and one stays: seven in ten rows were missed since."""
    table = table_with([(2, 500, 4, 0, 0), (1, 500, 4, 0, 0)], group=1)
    rows_of(table, 1)[0][MISSED], rows_of(table, 1)[1][MISSED] = 0.5, 0.9
    table.flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] = [12.0, 1_200.0]
    table.numbers[MISSED_BY], table.done[LEFT_SINCE] = 2.0, 2.0 + log(0.7)
    drop_deletes(table, replace(LAWS, packs=1))
    assert entries_of_deletes(table) == 4
    assert table.flows[Flow.REMOVED_FILES + 2 : Flow.REMOVED_FILES + 4] == pytest.approx([8, 800])


@pytest.mark.parametrize(("arrived", "files", "rows"), [(8.0, 3.0, 45.0 + 0.5 * (3 * 100 - 45)), (9.0, 0.0, 0.0)])
def test_compaction_takes_the_newest_rows_with_others(arrived: float, files: float, rows: float):
    """Half of the compacted files become files of 100 rows: so do those with the newest rows, if none came since."""
    table = table_with([])
    numbers, one = table.numbers, table.cohorts[0]
    numbers[COHORTS], one[PARTITIONS], one[PARTIAL_FILES], one[PARTIAL_ROWS] = 1.0, 4.0, 2.0, 200.0
    numbers[EDGE_END], numbers[EDGE_FILES], numbers[EDGE_ROWS], numbers[SMALL_SEEN] = 1.0, 3.0, 45.0, 8.0
    forget_seen(table, LAWS, arrived, 1.0, 0.5, False)
    assert [numbers[EDGE_FILES], numbers[EDGE_ROWS]] == [files, rows]


@pytest.mark.parametrize(("older", "newest", "edge"), [(6, 2, [3, 45]), (2, 6, [0, 0])])
def test_compaction_of_older_partitions_leaves_the_newest_rows(older: int, newest: int, edge: list[float]):
    """Of two partitions, the one with six files is compacted; the newest rows are in three files of the newest."""
    table = table_with([(8, 500, 1, 0, 0)])
    for files in (older, newest):
        begin_cohort(table, 1.0)
        table.cohorts[newest_place(table)][SMALL_FILES : SMALL_ROWS + 1] = [float(files), 15.0 * files]
    table.numbers[EDGE_END], table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS] = 1.0, 3.0, 45.0
    table.numbers[COMMITS] = table.numbers[DEALT] = 2 * 8.0
    compact(table, replace(LAWS, lifetime=8.0))
    assert [table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS]] == edge


@pytest.mark.parametrize(("small", "partial", "left"), [(6, 1, 0), (2, 0, 4), (0, 2, 4)])
def test_vectors_go_once_no_file_is_left(small: int, partial: int, left: float):
    """Of two partitions one has six files and a compacted one; what the other has is compacted too, or left."""
    table = table_with([(4, 100, 1, 0, 0)], group=1)
    for of_small, of_partial in ((6, 1), (small, partial)):
        begin_cohort(table, 1.0)
        held = [of_small, 15 * of_small, of_partial, 15 * of_partial, of_partial, 15 * of_partial]
        table.cohorts[newest_place(table)][SMALL_FILES : SMALL_FILES + 6] = list(map(float, held))
    table.numbers[COMMITS] = table.numbers[DEALT] = 16.0
    compact(table, replace(LAWS, lifetime=8.0, min_input_files=5.0, uses_vectors=1))
    assert entries_of_deletes(table) == left


def test_files_left_in_closed_partitions_came_so_or_were_compacted():
    """Two files of one that has closed came so, one was compacted; the newest partition is left alone, too."""
    table = table_with([(2, 500, 1, 0, 0), (1, 500, 0, 1, 0)])
    for small, partial in ((2.0, 1.0), (0.0, 0.0)):
        begin_cohort(table, 1.0)
        held = [small, 15 * small, partial, 15 * partial, partial, 15 * partial]
        table.cohorts[newest_place(table)][SMALL_FILES : SMALL_FILES + 6] = held
    table.numbers[COMMITS] = table.numbers[DEALT] = 16.0
    compact(table, replace(LAWS, lifetime=8.0, min_input_files=5.0))
    assert (table.numbers[COHORTS], entries_of(table, SETTLED)) == (1, 3)
    assert table.numbers[AS_CAME] == pytest.approx(2 / 3)


@pytest.mark.parametrize("uses_vectors", [0, 1])
def test_compacted_files_have_no_deleted_rows_any_more(uses_vectors: int):
    """Half of the files as they arrived, a quarter of the compacted ones: so of what was deleted of each."""
    table, laws = table_with([(2, 500, 4, 0, 0), (1, 400, 4, 0, 0)], group=1), replace(LAWS, uses_vectors=uses_vectors)
    table.deleted[DEAD][:], table.deleted[HELD][:] = [40.0, 80.0, 5.0], [6.0, 4.0, 2.0]
    table.flows[Flow.ROWS], table.flows[Flow.POSITION_DELETES] = 1_000.0, 120.0
    table.flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] = [7.0, 700.0]  # two vectors in each
    table.flows[Flow.REMOVED_FILES + 2 : Flow.REMOVED_FILES + 4] = [1.0, 100.0]
    numbers, done = table.numbers, table.done
    numbers[SMALL_SEEN], numbers[OTHER_SEEN], numbers[SQUARES], done[MADE_SQUARES] = 8.0, 2.0, 100.0, 7.0
    done[TOOK_DEAD : TOOK_DEAD + 2] = [2.0, 1.0]
    forget_dead(table, laws, (4.0, 4.0))
    forget_seen(table, laws, 8.0, 0.5, 0.25, False)
    assert table.deleted == [[20, 60, 5], [3, 3, 2]]
    assert table.flows[Flow.ROWS] == 1_000 - 40
    assert [numbers[place] for place in (SMALL_SEEN, OTHER_SEEN, SQUARES)] == [4, 1, 82]
    # a third of the vectors: four of the newest, which are in one manifest
    assert entries_of_deletes(table) == pytest.approx(8 if uses_vectors else 12)
    assert table.flows[Flow.POSITION_DELETES] == pytest.approx(80 if uses_vectors else 120)
    removed = table.flows[Flow.REMOVED_FILES + 2 : Flow.REMOVED_FILES + 4]
    assert removed == pytest.approx([3, 300] if uses_vectors else [1, 100])
    assert table.counters[GONE_DELETES] == pytest.approx(4 if uses_vectors else 0)


def test_tasks_read_the_delete_files_of_the_files_they_take():
    """Delete files of 50 bytes: half of the files as they arrived have one, and all compacted ones."""
    table = table_with([(2, 500, 4, 0, 0), (1, 400, 4, 0, 0)], group=1)
    begin_cohort(table, 2.0)
    table.cohorts[0][SMALL_FILES : PARTIAL_ROWS + 1] = [6.0, 100.0, 2.0, 50.0]
    table.deleted[DEAD][:], table.deleted[HELD][:] = [40.0, 80.0, 0.0], [6.0, 4.0, 0.0]
    table.flows[Flow.WRITTEN_FILES + 3], table.flows[Flow.REMOVED_FILES + 3] = 700.0, 100.0
    note_dead(table, LAWS)
    assert table.numbers[LIVE_WHERE_DEAD : LIVE_WHERE_DEAD + 2] == pytest.approx([0.8, 0.2])
    assert table.numbers[OWN_DELETES : OWN_DELETES + 2] == pytest.approx([25, 50])


@pytest.mark.parametrize(("dead", "is_due"), [(29.0, False), (30.0, True)])
def test_files_of_any_size_are_compacted_once_much_is_deleted(dead: float, is_due: bool):
    """Three in ten rows of four files beyond the target."""
    table = table_with([(1, 500, 2, 0, 4)])
    begin_cohort(table, 1.0)
    numbers, deleted = table.numbers, table.deleted
    numbers[SETTLED_FILES], numbers[SETTLED_ROWS] = 4.0, 100.0
    deleted[DEAD][BEYOND], deleted[HELD][BEYOND] = dead, 3.0
    reopen_much_deleted(table, LAWS)
    there = [small_of(table, PARTIAL_FILES), small_of(table, PARTIAL_ROWS), numbers[SETTLED_FILES]]
    assert there == ([4, 100, 0] if is_due else [0, 0, 4])
    assert entries_of(table, PARTIAL) == (4 if is_due else 0)
    named = [[deleted[what][number] for number in (REWRITTEN, BEYOND)] for what in (DEAD, HELD)]
    assert named == ([[dead, 0], [3, 0]] if is_due else [[0, dead], [0, 3]])


def test_manifests_of_one_commit_stand_behind_each_other():
    """Of data one was emptied, which stands behind the new one; of deletes two list what is left of them."""
    table = table_with([(1, 500, 0, 0, 0), (1, 500, 2, 0, 0)])
    table.used[1] = 3
    for row in rows_of(table, 1):
        row[COUNT], row[FRESH] = 1.0, 4.0
    for row in rows_of(table) + rows_of(table, 1):
        row[IS_NEW] = 1.0
    rows_of(table)[0][GONE_FRESH] = table.rows[1][0][GONE_FRESH] = table.rows[1][1][GONE_FRESH] = 1.0
    note_siblings(table, replace(LAWS, partly_saved=0.8))
    assert [row[SIBLINGS] for row in rows_of(table)] == [1, 0]
    assert [(row[SIBLINGS], row[WITH_DATA]) for row in rows_of(table, 1)] == [(0.4, 0.5), (0.4, 0.5), (0, 1)]
