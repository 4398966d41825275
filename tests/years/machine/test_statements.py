"""What statements make of small tables, worked out by hand."""

from dataclasses import replace
from math import exp, inf

import pytest
from support.machine import entries_of, rows_of, simple_laws

from wasim.twin.delete_sizes import deletes_of_one
from wasim.years.flows import Flow
from wasim.years.history import new_table
from wasim.years.machine.appends import append, live_bytes, live_files, manifests_of
from wasim.years.machine.changes import carry_out_change, change_rows, upsert
from wasim.years.machine.files import begin_cohort, deal_out, small_of
from wasim.years.machine.jobs import digits_of_totals, entries_of_deletes
from wasim.years.machine.sizes import bytes_of_rows, compacted_bytes, manifest_bytes
from wasim.years.machine.statements import (
    add_written,
    bytes_of_deletes,
    change_nothing,
    data_bytes,
    data_files_made,
    delete_by_position,
    digits_of_merge,
    files_since,
    find_deletes,
    held_by_hits,
    into_oldest,
    into_partitions,
    list_deletes,
    mix_partitions,
    named_before,
    newest_partitions,
    note_deletes,
    note_statement,
    out_of_partitions,
    overwrite_rows,
    overwritten_share,
    part_new,
    sorted_share,
    take_over,
    tasks_for,
    together_of,
    written_in,
)
from wasim.years.machine.tables import (
    ADDS_ANYWHERE,
    APPENDS,
    ARRIVED,
    BEYOND,
    BYTES,
    CHANGED,
    CLOSED_FILES,
    COHORTS,
    COMMITS,
    COUNT,
    CREATED,
    DEAD,
    DEALT,
    DELETE,
    DELETES,
    EDGE_FILES,
    EDGE_ROWS,
    FILES,
    FRESH,
    GONE_BYTES,
    GONE_DELETES,
    GONE_FILES,
    GONE_POSITIONS,
    GONE_RECORDS,
    GONE_ROWS,
    HELD,
    HIT_FILES,
    HIT_OF_LARGE,
    HIT_OF_OTHERS,
    HIT_PARTITIONS,
    HIT_ROW_SHARES,
    HIT_ROWS,
    HIT_SHARES,
    IN_STEP,
    IS_DYNAMIC,
    IS_NEWEST,
    IS_SCATTERED,
    IS_THERE,
    KEPT,
    KEPT_SQUARES,
    LARGE,
    LIVE,
    MERGE,
    MISSED,
    NEW_BYTES,
    NEW_CELL_ROWS,
    NEW_CELLS,
    NEW_DELETES,
    NEW_FILES,
    NEW_POSITIONS,
    NEW_RECORDS,
    NEWEST,
    NEWEST_BYTES,
    NEWEST_COMMIT,
    NEWEST_FILES,
    OLDEST,
    OLDEST_ROW,
    ON_READ,
    OTHER_SEEN,
    OVERWRITE,
    OVERWRITES,
    PARTIAL,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    PLACE,
    RECORDS,
    REPLACED,
    REWRITTEN,
    ROWS_WANTED,
    ROWS_WRITTEN,
    SCATTERED,
    SETTLED,
    SETTLED_FILES,
    SETTLED_ROWS,
    SHARE_WANTED,
    SIZED_FILES,
    SMALL_FILES,
    SMALL_ROWS,
    SMALL_SEEN,
    SORTED,
    SQUARES,
    SQUARES_LEFT,
    SQUARES_TWICE,
    STATEMENTS_WRITE,
    TOUCHES,
    UPDATE,
    UPSERT,
    Laws,
    Table,
)
from wasim.years.machine.touched import drawn, find_classes, hit_at_end, hit_scattered

ROWS = 10.0  # of a commit's one file
LAWS = replace(simple_laws(), rows_per_commit=ROWS, new_rows=ROWS, replaced_per_commit=0.0, is_partitioned=0)
LAWS = replace(LAWS, files=1.0, tasks=1.0, compacts=0, small_rows=inf, deals_in_turn=0, changes_rows=1, packs=0)
LAWS = replace(LAWS, merges=0, filters=1, file_rows=1e12, uses_vectors=0, by_partition=0, path_bytes=70.0)
LAWS = replace(LAWS, file_bytes=bytes_of_rows(LAWS, ROWS), sequences=1, names_manifests=1)
JSON = [[100.0 * (change + 1) + operation for operation in range(3)] for change in range(UPSERT + 1)]
LAWS = replace(LAWS, change_json=JSON, counter_json=[20.0 + counter for counter in range(10)])


def statement(laws: Laws, change: int, rows: float, *, place: int = NEWEST, on_read: bool = False) -> Laws:
    """The laws of a table with one statement, on so many rows."""
    changes = [[0.0] * len(row) for row in laws.changes]
    row = changes[change]
    row[IS_THERE], row[PLACE], row[ON_READ], row[ROWS_WANTED] = 1.0, float(place), float(on_read), rows
    return replace(laws, changes=changes)


def appended(commits: int, laws: Laws = LAWS) -> Table:
    table = new_table()
    while table.numbers[COMMITS] < commits:
        append(table, laws, commits - table.numbers[COMMITS])
    deal_out(table, laws)
    return table


def counted(table: Table, *counters: int) -> list[float]:
    return [table.counters[counter] for counter in counters]


def manifests(table: Table, group: int = 0) -> list[list[float]]:
    """How many manifests, oldest first, and the live entries of each."""
    return [[row[COUNT], row[FRESH] + row[PARTIAL] + row[SETTLED]] for row in rows_of(table, group)]


def snapshot_bytes(table: Table, around: float, counters: dict[int, int], changed: int, *kept: int) -> float:
    """Of a statement's snapshot, with these digits of what it counts: positions' own names stand there twice."""
    more = sum(LAWS.counter_json[counter] + digits for counter, digits in counters.items())
    return around + more + changed + sum(kept) + digits_of_totals(table)


def test_an_update_writes_the_files_of_its_rows_again() -> None:
    """The 15 newest of 30 rows are in two of three files, of ten each: 20 rows go into one."""
    table, laws = appended(3), statement(LAWS, UPDATE, 15.0)
    before, json = list(table.flows), table.flows[Flow.SNAPSHOT_JSON_BYTES]
    change_rows(table, laws, UPDATE)
    size, made = bytes_of_rows(laws, 10), compacted_bytes(laws, 20)
    flows = [after - there for after, there in zip(table.flows, before, strict=True)]
    assert flows[Flow.WRITTEN_FILES : Flow.WRITTEN_FILES + 2] == pytest.approx([1, made])
    assert flows[Flow.REMOVED_FILES : Flow.REMOVED_FILES + 2] == pytest.approx([2, 2 * size])
    assert (flows[Flow.ROWS], flows[Flow.SNAPSHOTS], flows[Flow.POSITION_DELETES]) == (0, 1, 0)
    # the two manifests, of one deleted entry each, and the new one
    assert manifests(table) == [[1, 1], [2, 0], [1, 1]]
    assert flows[Flow.WRITTEN_MANIFESTS] == 3
    assert flows[Flow.REPLACED_MANIFESTS] == 2
    assert counted(table, NEW_FILES, NEW_RECORDS, NEW_BYTES) == pytest.approx([1, 20, made])
    assert counted(table, GONE_FILES, GONE_RECORDS, GONE_BYTES) == pytest.approx([2, 20, 2 * size])
    assert counted(table, CREATED, KEPT, REPLACED, CHANGED) == [3, 1, 2, 1]
    assert (table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS]) == (1, 20)
    digits = {NEW_FILES: 1, GONE_FILES: 1, NEW_RECORDS: 2, GONE_RECORDS: 2}
    digits |= {NEW_BYTES: len(str(round(made))), GONE_BYTES: len(str(round(2 * size)))}
    found = table.flows[Flow.SNAPSHOT_JSON_BYTES] - json
    assert found == pytest.approx(snapshot_bytes(table, JSON[UPDATE][OVERWRITES], digits, 1, 1, 1, 1))


def test_a_delete_of_whole_files_writes_none() -> None:
    table = appended(3)
    change_rows(table, statement(LAWS, DELETE, 20.0), DELETE)
    assert (live_files(table, 0), table.flows[Flow.ROWS]) == pytest.approx((1, 10))
    assert counted(table, NEW_FILES, GONE_FILES, GONE_RECORDS, CREATED, KEPT) == pytest.approx([0, 2, 20, 2, 1])
    assert table.flows[Flow.WRITTEN_FILES] == 3
    change_rows(table, statement(LAWS, DELETE, 20.0, on_read=True), DELETE)  # those are gone
    assert (live_files(table, 0), table.flows[Flow.ROWS]) == pytest.approx((1, 10))
    assert counted(table, GONE_FILES, NEW_DELETES, CREATED) == [0, 0, 0]


def test_the_oldest_rows_of_whole_files_go_without_delete_files() -> None:
    """Four files of 2.5 rows, so of two or three: two rows are all of one, two more are not all of the next."""
    laws = replace(LAWS, files=4.0, new_files=[4.0] * 16, tasks_in_order=4.0, knows_rows=1)
    table, laws = appended(3, laws), statement(laws, DELETE, 2.0, place=OLDEST, on_read=True)
    for left, named in ((11, 0), (11, 1)):
        change_rows(table, laws, DELETE)
        assert (live_files(table, 0), live_files(table, 1)) == pytest.approx((left, named))
    unknown = replace(laws, knows_rows=0)  # no bounds say which rows a file holds
    table = appended(3, unknown)
    change_rows(table, unknown, DELETE)
    assert (live_files(table, 0), live_files(table, 1)) == pytest.approx((12, 1))


def test_single_rows_are_hit_as_often_as_chance_has_it() -> None:
    """One row by a hash is none in 37 of 100 statements."""
    table, laws, hit = appended(3), statement(LAWS, DELETE, 1.0, place=SCATTERED), 0
    for _ in range(8):
        change_rows(table, laws, DELETE)
        hit += table.counters[GONE_RECORDS] > 0
    assert hit == int(8 * (1 - exp(-1)))


def test_a_delete_leaves_the_other_rows_of_its_files() -> None:
    table = appended(3)
    change_rows(table, statement(LAWS, DELETE, 13.0, place=OLDEST), DELETE)
    assert (live_files(table, 0), table.flows[Flow.ROWS]) == pytest.approx((2, 17))
    assert table.numbers[GONE_ROWS] == table.numbers[OLDEST_ROW] == 13
    assert counted(table, NEW_RECORDS, GONE_RECORDS) == [7, 20]
    assert (small_of(table, PARTIAL_FILES), small_of(table, PARTIAL_ROWS)) == (1, 7)
    assert (small_of(table, SMALL_FILES), small_of(table, SMALL_ROWS)) == pytest.approx((1, 10))
    assert manifests(table) == [[2, 0], [1, 1], [1, 1]]  # manifests of the oldest rows are written again


def test_the_next_delete_goes_on_where_the_last_one_ended() -> None:
    """Three manifests of four files of 2.5 rows: two of the oldest files go, then the two after them."""
    laws = statement(replace(LAWS, files=4.0, new_files=[4.0] * 16), DELETE, 5.0, place=OLDEST)
    table = appended(3, laws)
    for left in (2, 0):
        change_rows(table, laws, DELETE)
        assert manifests(table) == [[1, left], [2, 4]]


def test_a_share_is_of_the_rows_that_are_left() -> None:
    """Of fifty rows the twenty oldest are gone: half of the others are the newest fifteen."""
    table, laws = appended(5), statement(LAWS, UPDATE, inf)
    change_rows(table, statement(LAWS, DELETE, 20.0, place=OLDEST), DELETE)
    laws.changes[UPDATE][SHARE_WANTED] = 0.5
    change_rows(table, laws, UPDATE)
    assert sum(table.hits[HIT_ROWS]) == pytest.approx(15)


def test_an_update_on_read_writes_delete_files_and_rows() -> None:
    """The 15 newest of 30 rows: ten positions of one file, five of another, and 15 rows in one file."""
    table, laws = appended(3), statement(LAWS, UPDATE, 15.0, on_read=True)
    change_rows(table, laws, UPDATE)
    flows, made = table.flows, compacted_bytes(laws, 15)
    size = 2 * deletes_of_one(7.5, 7.5, False, False, 70.0)
    assert flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] == pytest.approx([2, size])
    assert (flows[Flow.POSITION_DELETES], flows[Flow.ROWS]) == (15, 45)
    assert live_bytes(table) == pytest.approx(3 * bytes_of_rows(laws, 10) + made + size)
    assert [table.deleted[what][ARRIVED] for what in (DEAD, HELD)] == [15, 2]
    assert manifests(table) == [[3, 1], [1, 1]]
    assert manifests(table, 1) == [[1, 2]]
    assert counted(table, NEW_FILES, NEW_RECORDS, NEW_DELETES, NEW_POSITIONS) == [1, 15, 2, 15]
    assert counted(table, NEW_BYTES)[0] == pytest.approx(made + size)
    assert counted(table, GONE_FILES, GONE_DELETES, GONE_POSITIONS, GONE_BYTES) == [0, 0, 0, 0]
    assert counted(table, CREATED, KEPT, REPLACED, CHANGED) == [2, 3, 0, 1]
    numbers = table.numbers
    assert [numbers[place] for place in (NEWEST_COMMIT, NEWEST_FILES)] == [3, 2]
    assert numbers[NEWEST_BYTES] == pytest.approx(size)


@pytest.mark.parametrize("is_scattered", [False, True])
def test_rows_deleted_anywhere_make_rewritten_files_differ_less(is_scattered: bool) -> None:
    """Two files of 30 and 10 rows lose 8 of all 40: the mean of the squares of what chance leaves, or none of it."""
    table = appended(0)
    table.numbers[COMMITS], table.numbers[SQUARES] = 4.0, 30.0**2 + 10.0**2
    table.cohorts[0][PARTIAL_FILES : PARTIAL_ROWS + 1] = [2.0, 40.0]
    if is_scattered:
        hit_scattered(table, LAWS, 0.2, True, False)
    else:
        hit_at_end(table, LAWS, 8.0, False, 0.0)
    delete_by_position(table, LAWS, DELETE, 0.0, 8.0, 0.0)
    left = 1_000 * 0.8**2 + 40 * 0.8 * 0.2  # of each row 0.8: its variance is 0.16
    assert table.numbers[SQUARES] == pytest.approx(left if is_scattered else 1_000)


@pytest.mark.parametrize("by_partition", [0, 1])
def test_a_delete_file_replaces_the_one_before_it(by_partition: int) -> None:
    """Three rows of the first ten, then four more of the same file: its delete file then names seven."""
    laws = statement(replace(LAWS, by_partition=by_partition), DELETE, 3.0, place=OLDEST, on_read=True)
    table = appended(3)
    change_rows(table, laws, DELETE)
    change_rows(table, statement(laws, DELETE, 4.0, place=OLDEST, on_read=True), DELETE)
    assert table.flows[Flow.POSITION_DELETES] == 7
    assert [table.deleted[what][ARRIVED] for what in (DEAD, HELD)] == [7, 2 if by_partition else 1]
    assert counted(table, NEW_DELETES, GONE_DELETES) == [1, 0 if by_partition else 1]
    assert counted(table, NEW_POSITIONS, GONE_POSITIONS) == ([4, 0] if by_partition else [7, 3])
    assert live_files(table, 1) == entries_of_deletes(table) == (2 if by_partition else 1)
    # oldest rows, so what the last one wrote is taken out of its manifest
    assert manifests(table, 1) == ([[2, 1]] if by_partition else [[1, 0], [1, 1]])


def test_vectors_of_one_task_stand_in_one_file() -> None:
    laws = replace(LAWS, uses_vectors=1, around_vectors=400.0, vector_footer=30.0)
    table = appended(3, laws)
    change_rows(table, statement(laws, DELETE, 15.0, on_read=True), DELETE)
    size = 2 * deletes_of_one(7.5, 7.5, False, True, 70.0)
    flows = table.flows
    assert flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] == pytest.approx([1, size + 400 + 2 * 30])
    assert counted(table, NEW_DELETES)[0] == 2
    assert counted(table, NEW_BYTES)[0] == pytest.approx(size)  # without what is around the vectors


def test_a_statement_on_no_row_is_a_snapshot() -> None:
    table = appended(3)
    json, lists = table.flows[Flow.SNAPSHOT_JSON_BYTES], table.flows[Flow.LIST_BYTES]
    change_nothing(table, LAWS, MERGE)
    assert (table.flows[Flow.SNAPSHOTS], manifests_of(table)) == (4, 3)
    # rows copied and inserted, all updated and those that matched: 0; manifests: none made, 3 kept, none replaced
    expected = snapshot_bytes(table, JSON[MERGE][OVERWRITES], {}, 1, 1, 1, 1, 4)
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] - json == pytest.approx(expected)
    assert table.flows[Flow.LIST_BYTES] > lists


def test_a_merge_counts_its_rows_twice_and_others_do_not() -> None:
    assert [digits_of_merge(change, 120.0, 77.0, 5.0) for change in (MERGE, UPSERT)] == [3 + 1 + 2 * 2] * 2
    assert digits_of_merge(MERGE, -5.0, 0.0, 0.0) == 4
    assert [digits_of_merge(change, 120.0, 77.0, 5.0) for change in (UPDATE, DELETE, OVERWRITE)] == [0, 0, 0]


def test_rows_merged_are_copied_updated_and_inserted() -> None:
    """The 5 newest of 30 rows change, with 2 more: of ten rows 5 are copied."""
    table, laws = appended(3), statement(LAWS, MERGE, 5.0)
    laws.changes[MERGE][7] = 2.0
    json = table.flows[Flow.SNAPSHOT_JSON_BYTES]
    change_rows(table, laws, MERGE)
    assert table.flows[Flow.ROWS] == 32
    assert counted(table, NEW_RECORDS, GONE_RECORDS) == [12, 10]
    digits = {NEW_FILES: 1, GONE_FILES: 1, NEW_RECORDS: 2, GONE_RECORDS: 2}
    digits |= {counter: len(str(round(table.counters[counter]))) for counter in (NEW_BYTES, GONE_BYTES)}
    expected = snapshot_bytes(table, JSON[MERGE][OVERWRITES], digits, 1, 1, 1, 1, 4)
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] - json == pytest.approx(expected)


def test_rows_merged_on_read_are_written_into_their_partitions() -> None:
    """Five rows that change and two new ones, in four partitions by chance."""
    table, laws = appended(3), statement(replace(LAWS, is_partitioned=1, open_partitions=4.0), MERGE, 5.0, on_read=True)
    laws.changes[MERGE][7] = 2.0
    change_rows(table, laws, MERGE)
    assert counted(table, NEW_RECORDS, NEW_POSITIONS) == [7, 5]
    assert counted(table, NEW_FILES) == pytest.approx([drawn(4.0, 7.0)])


@pytest.mark.parametrize("on_read", [False, True])
def test_an_upsert_replaces_rows_and_brings_the_others(on_read: bool) -> None:
    """Four of the ten rows there are replaced, six come: the other six are copied, or four positions are written."""
    laws = replace(statement(LAWS, UPSERT, 0.0, on_read=on_read), replaced_per_commit=4.0, new_rows=6.0, upserts=1)
    table = appended(1, laws)
    json = table.flows[Flow.SNAPSHOT_JSON_BYTES]
    upsert(table, laws)
    assert table.flows[Flow.ROWS] - table.flows[Flow.POSITION_DELETES] == 16
    assert counted(table, NEW_RECORDS, GONE_RECORDS, NEW_POSITIONS) == ([10, 0, 4] if on_read else [16, 10, 0])
    digits = {counter: len(str(round(table.counters[counter]))) for counter in range(10) if table.counters[counter]}
    if on_read:
        digits[NEW_DELETES] = 2  # stands there twice
    expected = snapshot_bytes(table, JSON[UPSERT][OVERWRITES], digits, 1, 1, 1, 1, 4)
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] - json == pytest.approx(expected)


@pytest.mark.parametrize(("on_read", "large"), [(False, 2), (True, 0)])
def test_copies_leave_one_large_file_to_a_partition(on_read: bool, large: float) -> None:
    """All rows of the files that an upsert hits in either of two partitions, where it writes them again."""
    laws = statement(LAWS, UPSERT, 0.0, place=SCATTERED, on_read=on_read)
    laws = replace(laws, replaced_per_commit=4.0, new_rows=6.0, upserts=1)
    laws = replace(laws, is_partitioned=1, open_partitions=2.0, partitions=2.0)
    table = appended(1, laws)
    for _ in range(3):
        upsert(table, laws)
    assert table.numbers[LARGE] == pytest.approx(large)


@pytest.mark.parametrize(("wanted", "operation"), [(0.0, DELETES), (12.0, OVERWRITES)])
def test_a_table_that_is_overwritten_holds_the_new_rows_alone(wanted: float, operation: int) -> None:
    table = appended(3)
    json = table.flows[Flow.SNAPSHOT_JSON_BYTES]
    overwrite_rows(table, LAWS, wanted, False)
    files = 1 if wanted else 0
    assert (live_files(table, 0), table.flows[Flow.ROWS]) == pytest.approx((files, wanted))
    assert live_bytes(table) == pytest.approx(bytes_of_rows(LAWS, wanted) if wanted else 0)  # rows of its own
    assert counted(table, NEW_FILES, NEW_RECORDS, GONE_FILES, GONE_RECORDS) == pytest.approx([files, wanted, 3, 30])
    assert table.numbers[GONE_ROWS] == 30 - wanted
    around = table.flows[Flow.SNAPSHOT_JSON_BYTES] - json - JSON[OVERWRITE][operation]
    counters = (NEW_FILES, GONE_FILES, NEW_RECORDS, GONE_RECORDS, NEW_BYTES, GONE_BYTES)
    digits = {one: len(str(round(table.counters[one]))) for one in counters if table.counters[one] > 0.5}
    assert around == pytest.approx(snapshot_bytes(table, 0.0, digits, 1, 1, 1, 1))


def test_an_empty_table_that_is_overwritten_is_appended_to() -> None:
    table = new_table()
    begin_cohort(table, 1.0)
    overwrite_rows(table, LAWS, 5.0, False)
    assert counted(table, NEW_FILES, GONE_FILES, CREATED, REPLACED, KEPT) == [1, 0, 1, 0, 0]
    size = snapshot_bytes(table, JSON[OVERWRITE][APPENDS], {NEW_FILES: 1, NEW_RECORDS: 1}, 1, 1, 1, 1)
    size += LAWS.counter_json[NEW_BYTES] + len(str(round(table.counters[NEW_BYTES])))
    assert table.flows[Flow.SNAPSHOT_JSON_BYTES] == pytest.approx(size)


def test_an_overwrite_of_no_partition_does_nothing() -> None:
    table = appended(3)
    before = list(table.flows)
    overwrite_rows(table, LAWS, 0.0, True)
    assert table.flows == before


@pytest.mark.parametrize(("is_dynamic", "left"), [(0.0, 0), (1.0, 3)])
def test_a_static_overwrite_by_no_row_empties_the_table(is_dynamic: float, left: int) -> None:
    table, laws = appended(3), statement(LAWS, OVERWRITE, 0.0)
    laws.changes[OVERWRITE][IS_DYNAMIC] = is_dynamic
    change_rows(table, laws, OVERWRITE)
    assert live_files(table, 0) == left


def test_an_overwrite_of_some_partitions_leaves_the_others() -> None:
    """Two rows fall into 1.75 of four partitions by chance, which lose their share of all 12 files."""
    laws = replace(LAWS, is_partitioned=1, open_partitions=4.0, partitions=4.0, files=4.0, new_files=[4.0] * 16)
    table = appended(3, laws)
    overwrite_rows(table, laws, 2.0, True)
    share = drawn(4.0, 2.0) / 4
    assert counted(table, GONE_FILES, GONE_RECORDS) == pytest.approx([12 * share, 30 * share])
    assert table.flows[Flow.ROWS] == pytest.approx(30 * (1 - share) + 2)
    assert table.numbers[GONE_ROWS] == 0
    assert newest_partitions(table, laws, 2.0) == pytest.approx(drawn(4.0, 2.0))


def test_partitions_overwritten_are_those_opened_last() -> None:
    """Two partitions are open for four commits of two files; the sixth commit is the second of the second time."""
    laws = replace(LAWS, is_partitioned=1, open_partitions=2.0, partitions=2.0, lifetime=4.0, files=2.0)
    table = appended(6, laws)
    table.cohorts[0][:3] = [4.0, 3.0, 15.0]
    table.numbers[COHORTS], table.numbers[DEALT] = 1.0, 6.0
    find_classes(table, laws)
    hit = drawn(2.0, 5.0) / 2  # of the two
    # what came since: 2 commits of 2 files, of 12; the 15 newest rows begin in the time before
    assert overwritten_share(table, laws, ARRIVED, 5.0) == pytest.approx(4 / 12 * hit)
    assert overwritten_share(table, laws, ARRIVED, 35.0) == pytest.approx(12 / 12 * drawn(2.0, 35.0) / 2)
    table.numbers[SMALL_SEEN], table.numbers[EDGE_FILES], table.numbers[NEWEST_COMMIT] = 10.0, 2.0, 5.0
    table.numbers[EDGE_ROWS] = 5.0
    assert overwritten_share(table, laws, ARRIVED, 5.0) == pytest.approx(2 / 12 * hit)
    assert overwritten_share(table, laws, REWRITTEN, 5.0) == 0  # none is there
    table.classes[REWRITTEN][FILES] = 8.0
    assert overwritten_share(table, laws, REWRITTEN, 5.0) == pytest.approx(2 / 8 * hit)
    table.numbers[EDGE_ROWS] = 15.0  # five of the rows that that statement wrote are of the time before
    of_last = drawn(2.0, 10.0) / (drawn(2.0, 5.0) + drawn(2.0, 10.0))
    assert overwritten_share(table, laws, REWRITTEN, 5.0) == pytest.approx(2 / 8 * hit * of_last)
    table.numbers[NEWEST_COMMIT] = 4.0
    assert overwritten_share(table, laws, REWRITTEN, 5.0) == 0


def test_what_is_left_of_open_partitions_is_overwritten_later() -> None:
    """Of two partitions a statement on one row overwrites one, and any manifest keeps what it lists of the other."""
    laws = replace(LAWS, is_partitioned=1, open_partitions=2.0, partitions=2.0, lifetime=40.0, files=2.0, tasks=1.0)
    laws = replace(laws, new_files=[2.0] * 16)
    table = appended(4, laws)
    overwrite_rows(table, laws, 1.0, True)
    assert counted(table, GONE_FILES, NEW_FILES) == pytest.approx([4, 1])
    assert table.numbers[SMALL_SEEN] == 0
    assert sum(count for count, live in manifests(table) if live > 0) == pytest.approx(4 * (1 - 0.5**2) + 1)
    overwrite_rows(table, laws, 1.0, True)
    assert counted(table, GONE_FILES, NEW_FILES) == pytest.approx([2.5, 1])  # of the four, and of what the first wrote
    assert [table.numbers[EDGE_FILES], table.numbers[EDGE_ROWS]] == pytest.approx([1.5, 1.5])


def test_a_task_takes_a_mebibyte_at_least() -> None:
    laws = replace(LAWS, tasks=3.0)
    mebibyte = 1 << 20
    each = [tasks_for(laws, 0.0, rows) for rows in (1.0, 2 * mebibyte / 7 - 1, 2 * mebibyte / 7 + 1, 9e9)]
    assert each == [1, 1, 2, 3]
    rows = 2e6
    assert tasks_for(replace(laws, tasks=1e9), rows, 0.0) == bytes_of_rows(laws, rows) // mebibyte


def test_rows_are_written_into_few_files() -> None:
    table, rows = appended(3), 1_000_000.0
    laws = replace(LAWS, tasks=4.0, file_rows=rows / 2.5)
    assert data_files_made(table, laws, 0.4, 0.4, 0.0, 0.0) == 0
    assert data_files_made(table, laws, 100.0, 100.0, 0.0, 0.0) == 1
    assert data_files_made(table, laws, rows, rows, 0.0, 0.0) == 4  # tasks: the bytes need 3
    assert data_files_made(table, laws, rows, rows, 0.0, 9.0) == 3  # what is written on read is one task's
    assert data_files_made(table, replace(laws, file_rows=rows), rows, rows, 0.0, 0.0) == 4


def test_rows_are_written_into_the_partitions_they_belong_to() -> None:
    laws = replace(LAWS, is_partitioned=1, open_partitions=4.0, partitions=4.0)
    table = appended(3)
    table.numbers[DEALT], table.hits[HIT_FILES][ARRIVED] = 3.0, 2.0
    table.hits[HIT_ROWS][ARRIVED] = 9.0
    assert data_files_made(table, laws, 100.0, 6.0, 1.0, 0.0) == pytest.approx(drawn(4.0, 7.0))
    assert data_files_made(table, laws, 1.0, 6.0, 1.0, 0.0) == 1
    table.numbers[IS_SCATTERED] = 1.0
    closing = replace(laws, lifetime=2.0)  # four have closed, with two thirds of the rows, and four have half of theirs
    hit = data_files_made(table, closing, 100.0, 6.0, 0.0, 0.0)
    of_closed, of_open = 1 - exp(-4 / 4), 1 - exp(-2 / 4)
    assert hit == pytest.approx(4 * of_closed + 4 * of_open)
    more = data_files_made(table, closing, 100.0, 6.0, 5.0, 0.0)
    new = 4 * drawn(4.0, 5.0) / drawn(4.0, ROWS)
    assert (table.numbers[NEW_CELLS], table.numbers[NEW_CELL_ROWS]) == pytest.approx((new, 5))
    assert more == pytest.approx(hit + new * (1 - of_open))


def test_data_files_take_what_their_rows_do() -> None:
    laws = replace(LAWS, lineage_footer=40.0)
    assert data_bytes(laws, 0.0, 0.0, True) == 0
    assert data_bytes(laws, 3.0, 60.0, True) == pytest.approx(3 * bytes_of_rows(laws, 20))
    assert data_bytes(laws, 3.0, 60.0, False) == pytest.approx(3 * compacted_bytes(laws, 20))


@pytest.mark.parametrize("is_own", [False, True])
def test_rows_that_are_written_again_keep_their_ids(is_own: bool) -> None:
    table, laws = new_table(), replace(LAWS, lineage_footer=40.0)
    for number in range(3):
        table.classes[number][FILES], table.classes[number][RECORDS] = 2.0, 20.0
        table.hits[HIT_ROW_SHARES][number] = 0.5
    new, again = (data_bytes(laws, 2.0, 20.0, is_new) for is_new in (True, False))
    assert held_by_hits(table, laws, is_own) == pytest.approx((30, 1.5 * new if is_own else 0.5 * new + again))


@pytest.mark.parametrize("uses_vectors", [0, 1])
def test_bytes_of_delete_files_are_those_of_exact_simulation(uses_vectors: int) -> None:
    laws = replace(LAWS, uses_vectors=uses_vectors)
    for positions, span, is_scattered in ((5.0, 80.0, True), (5.0, 5.0, False), (0.0, 9.0, True)):
        expected = deletes_of_one(positions, span, is_scattered, bool(uses_vectors), 70.0)
        assert bytes_of_deletes(laws, positions, span, is_scattered) == expected


def test_files_that_were_hit_leave_their_partitions() -> None:
    table = new_table()
    for place, held in enumerate(([2.0, 4.0, 40.0, 1.0, 30.0], [1.0, 2.0, 20.0, 0.0, 0.0])):
        begin_cohort(table, held[0])
        table.cohorts[place][:] = [*held, *table.cohorts[place][5:]]
    table.cohorts[0][SIZED_FILES : SIZED_FILES + 2] = [1.0, 30.0]
    numbers = table.numbers
    numbers[IS_SCATTERED] = 1.0
    numbers[SETTLED_FILES], numbers[SETTLED_ROWS], numbers[SQUARES], numbers[SQUARES_LEFT] = 8.0, 900.0, 70.0, 50.0
    table.hits[HIT_SHARES][:], table.hits[HIT_ROW_SHARES][:] = [0.25, 0.5, 1 / 8], [0.5, 1.0, 2 / 3]
    out_of_partitions(table)
    assert [one[:5] for one in table.cohorts[:2]] == [[2, 3, 20, 0.5, 0], [1, 1.5, 10, 0, 0]]
    assert table.cohorts[0][SIZED_FILES : SIZED_FILES + 2] == [0.5, 0]
    assert (numbers[SETTLED_FILES], numbers[SETTLED_ROWS]) == pytest.approx((7, 300))
    assert numbers[SQUARES] == 50


@pytest.mark.parametrize(("first", "rows", "expected"), [(0.0, 40.0, (2, 0, 0)), (130.0, 120.0, (0, 1, 1))])
def test_the_oldest_rows_stay_in_their_partitions(first: float, rows: float, expected: tuple[float, ...]) -> None:
    """Three hours of ten commits of ten rows each: two files of an hour's rows, or of rows of two hours."""
    table, laws = new_table(), replace(LAWS, rows_per_commit=10.0, new_rows=10.0, lifetime=10.0, compacts=1)
    laws = replace(laws, open_partitions=1.0, partitions=1.0, is_partitioned=1)
    for _ in range(3):
        begin_cohort(table, 1.0)
    table.numbers[DEALT], table.numbers[OLDEST_ROW] = 30.0, first
    into_oldest(table, laws, 2.0, rows)
    assert [one[PARTIAL_FILES] for one in table.cohorts[:3]] == pytest.approx(expected)
    assert held_in(table) == pytest.approx((2, rows))


def test_oldest_rows_are_in_the_hours_that_they_came_in() -> None:
    """Two hours of 100 rows each counted together, and a third one."""
    table, laws = new_table(), replace(LAWS, lifetime=10.0, open_partitions=1.0, partitions=1.0)
    begin_cohort(table, 2.0)
    begin_cohort(table, 1.0)
    table.numbers[DEALT] = 30.0
    assert [written_in(table, laws, place, 50.0, 250.0) for place in range(2)] == [(2, 150), (1, 50)]


def held_in(table: Table) -> tuple[float, float]:
    """Compacted and settled files, and their rows."""
    numbers = table.numbers
    files = small_of(table, PARTIAL_FILES) + numbers[SETTLED_FILES]
    return files, small_of(table, PARTIAL_ROWS) + numbers[SETTLED_ROWS]


@pytest.mark.parametrize("is_scattered", [0, 1])
def test_new_files_go_into_the_newest_partitions_others_anywhere(is_scattered: int) -> None:
    table = new_table()
    for partitions in (6.0, 2.0):
        begin_cohort(table, partitions)
    table.numbers[IS_SCATTERED], table.numbers[NEW_CELLS], table.numbers[NEW_CELL_ROWS] = is_scattered, 2.0, 30.0
    into_partitions(table, 10.0, 110.0)
    older, newest = ([0, 0], [5, 55]) if not is_scattered else ([1, 10], [1 + 1, 10 + 15])
    found = [one[PARTIAL_FILES : PARTIAL_ROWS + 1] for one in table.cohorts[:2]]
    assert found == [pytest.approx(older), pytest.approx(newest)]
    assert held_in(table) == pytest.approx((10, 110))


def test_each_partition_gets_whole_files_where_they_come_anywhere() -> None:
    """Of nine partitions 3.6 files of ten rows each: three or four, as large as the others."""
    table = new_table()
    for _ in range(9):
        begin_cohort(table, 1.0)
    table.numbers[IS_SCATTERED] = table.numbers[ADDS_ANYWHERE] = 1.0
    into_partitions(table, 32.4, 324.0)
    found = [one[PARTIAL_FILES : PARTIAL_ROWS + 1] for one in table.cohorts[:9]]
    assert {files for files, _ in found} == {3, 4}
    assert [rows for _, rows in found] == pytest.approx([10 * files for files, _ in found])
    assert held_in(table)[0] in {32, 33}


@pytest.mark.parametrize(("small_rows", "settled"), [(inf, (1, 25)), (20.0, (4, 100))])
def test_written_files_are_there_and_listed_once(small_rows: float, settled: tuple[float, float]) -> None:
    """Four files of 25 rows, a quarter of which stays where no compaction comes, unless all are too large for it."""
    table, laws = appended(2), replace(LAWS, small_rows=small_rows, compacts=1)
    table.numbers[IS_SCATTERED], before = 1.0, table.flows[Flow.WRITTEN_FILES]
    size, partial = add_written(table, laws, 4.0, 100.0, True, 0.25, 0.25)
    assert size == pytest.approx(4 * bytes_of_rows(laws, 25))
    assert table.flows[Flow.WRITTEN_FILES] - before == 4
    assert held_in(table) == pytest.approx((4, 100))
    assert (table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS]) == settled
    assert (
        [entries_of(table, kind) for kind in (PARTIAL, SETTLED)]
        == [partial, settled[0]]
        == [4 - settled[0], settled[0]]
    )
    assert rows_of(table)[-1][BYTES] == pytest.approx(manifest_bytes(table, laws, 0, 0.0, 4.0, 0.0, 0.0))
    assert table.numbers[SQUARES] == pytest.approx(0 if settled[0] == 4 else 3 * 25**2)
    assert table.numbers[EDGE_FILES] == 0  # of statements at an end alone
    assert add_written(table, laws, 0.0, 0.0, True, 0.0, 0.0) == (0, 0)


def test_closed_files_have_the_target_size_others_the_rest() -> None:
    """Three files of 30 rows each, and one of the other 10, which is small."""
    table, laws = appended(2), replace(LAWS, file_rows=30.0, small_rows=20.0, compacts=1)
    table.numbers[IS_SCATTERED], table.numbers[CLOSED_FILES] = 1.0, 3.0
    size, _ = add_written(table, laws, 4.0, 100.0, True, 0.0, 0.0)
    assert size == pytest.approx(3 * bytes_of_rows(laws, 30) + bytes_of_rows(laws, 10))
    assert held_in(table) == pytest.approx((4, 100))
    assert (table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS]) == (3, 90)


def test_entries_of_several_written_files_share_their_names() -> None:
    """The first entry takes 8 more, further ones 2: of four files 3.5 each; where one entry of five
    is sorted, a fifth of what compacted ones take.
    """
    laws, table = replace(LAWS, first_more=8.0, further_more=2.0, compacted_more=[5.0, 0.0]), appended(1)
    for sorted_entries, expected in ((0.0, 3.5), (1.0, 3.5 + 1.5 / 5)):
        rows_of(table)[0][SORTED] = sorted_entries
        assert sorted_share(table) == pytest.approx(sorted_entries / 5)
        add_written(table, laws, 4.0, 40.0, True, 0.0, 0.0)
        assert table.compacted_more[0] == pytest.approx(expected)


def test_files_that_are_left_share_their_statement_with_fewer() -> None:
    """Of twelve that statements wrote, each time four, half are left: of those times of which any is, 2.13 each."""
    table = appended(3)
    table.flows[Flow.WRITTEN_FILES] += 8.0
    table.numbers[SETTLED_FILES] = 6.0
    assert together_of(table, LAWS, 4.0) == 4.0  # of those on the newest rows all are left
    table.numbers[IS_SCATTERED] = 1.0
    assert together_of(table, LAWS, 4.0) == pytest.approx(4 / 2 / (1 - 0.5**4))
    assert together_of(table, LAWS, 1.0) == 1
    table.numbers[STATEMENTS_WRITE] = 1.0  # but for the first commit's file
    assert together_of(table, LAWS, 10.0) == pytest.approx(10 * 0.3 / (1 - 0.7**10))


def test_squares_of_one_partition_are_of_files_together() -> None:
    """Files of 4 and 6 rows, both hit, become one of ten: 100 is the square of its rows, not 16 + 36."""
    table = new_table()
    begin_cohort(table, 1.0)
    table.numbers[DEALT] = 1.0
    mix_partitions(table, LAWS, 52.0, 52.0, 10.0, 1.0, 1.0)
    assert table.numbers[SQUARES] == 52
    table.numbers[SQUARES], table.numbers[SQUARES_TWICE] = 0.0, 20.0
    table.classes[ARRIVED][FILES], table.classes[ARRIVED][LIVE] = 2.0, 20.0
    table.hits[HIT_SHARES][ARRIVED] = 0.5
    mix_partitions(table, LAWS, 52.0, 52.0, 10.0, 2.0, 1.0)
    # of arrived files the squares are 200: half of them are hit, a quarter would be hit again
    assert table.numbers[SQUARES] == pytest.approx((52 + 100 - 20 - 50) / 2)


def test_deleted_rows_are_in_no_square() -> None:
    """Of each of 52 files of one row that are hit nothing is left, and of files of ten rows by chance half of the rows:
    10 · 9 / 4 + 10 / 2 are the mean of its square.
    """
    table = new_table()
    begin_cohort(table, 1.0)
    table.numbers[DEALT] = 1.0
    mix_partitions(table, LAWS, 52.0, 52.0, 0.0, 1.0, 0.0)
    assert table.numbers[SQUARES] == 0
    table.classes[REWRITTEN][LIVE], table.hits[HIT_ROW_SHARES][REWRITTEN] = 10.0, 1.0
    mix_partitions(table, LAWS, 100.0, 100.0, 0.0, 1.0, 0.5)
    assert table.numbers[SQUARES] == pytest.approx(10 * 9 / 4 + 10 / 2)


def test_all_rows_of_an_open_partition_are_in_one_file() -> None:
    """Each of four partitions has ten rows on average, and more or less as files of ten are hit half of the time."""
    table, laws = new_table(), replace(LAWS, open_partitions=4.0, is_partitioned=1)
    table.numbers[DEALT], table.numbers[SQUARES_TWICE] = 5.0, 200.0
    mix_partitions(table, laws, 800.0, 400.0, 40.0, 4.0, 1.0)
    assert table.numbers[SQUARES] == pytest.approx(400 - 200)


def test_files_of_partitions_meet_as_their_rows_are_pairs() -> None:
    """All 100 rows of 4 partitions are in 20 files of 5: of pairs in files apart, (2500 − 500) / 9500 share one."""
    table, laws = new_table(), replace(LAWS, open_partitions=2.0, lifetime=3.0, is_partitioned=1)
    table.numbers[DEALT] = 5.0
    table.classes[REWRITTEN][LIVE] = 100.0
    mix_partitions(table, laws, 500.0, 200.0, 40.0, 1.0, 1.0)
    assert table.numbers[SQUARES] == 0
    mix_partitions(table, laws, 500.0, 200.0, 40.0, 2.0, 1.0)
    assert table.numbers[SQUARES] == pytest.approx(0)  # no less than if all files of it had as many rows
    mix_partitions(table, laws, 500.0, 200.0, 40.0, 4.0, 1.0)
    assert table.numbers[SQUARES] == pytest.approx(200 + (1600 - 200) * 2000 / 9500 - 1600 / 4)


def test_files_of_new_rows_alone_do_not_differ() -> None:
    """Five files of four rows each, and where two of them are of new rows, seven each: 2 · 7² + 3 · 2² − 20² / 5."""
    table = new_table()
    table.numbers[NEW_CELLS], table.numbers[NEW_CELL_ROWS] = 5.0, 14.0
    part_new(table, LAWS, 5.0, 20.0)
    assert table.numbers[SQUARES] == 0
    table.numbers[NEW_CELLS] = 2.0
    part_new(table, LAWS, 5.0, 20.0)
    assert table.numbers[SQUARES] == pytest.approx(2 * 49 + 3 * 4 - 80)


@pytest.mark.parametrize(("named", "share"), [(4.0, 1 / 3), (8.0, 1 / 4), (0.0, 1 / 3)])
def test_delete_files_that_are_replaced_are_removed(named: float, share: float) -> None:
    """Two of six delete files of 600 bytes, or of as many as are named where those are more."""
    table = new_table()
    table.flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] = [10.0, 1_000.0]
    table.flows[Flow.REMOVED_FILES + 2 : Flow.REMOVED_FILES + 4] = [4.0, 400.0]
    assert note_deletes(table, 3.0, 333.0, 2.0, named) == pytest.approx(600 * share)
    assert table.flows[Flow.WRITTEN_FILES + 2 : Flow.WRITTEN_FILES + 4] == [13, 1_333]
    removed = table.flows[Flow.REMOVED_FILES + 2 : Flow.REMOVED_FILES + 4]
    assert removed == pytest.approx([4 + 6 * share, 400 + 600 * share])


def test_a_table_without_delete_files_replaces_none() -> None:
    table = new_table()
    assert note_deletes(table, 3.0, 333.0, 2.0, 0.0) == 0
    assert live_files(table, 1) == 3


@pytest.mark.parametrize(
    ("is_scattered", "is_newest", "number", "expected"),
    [
        (0, 1, ARRIVED, 1.0),  # five are hit, and four came since
        (0, 1, REWRITTEN, 3.0),  # five are hit, of which the last statement wrote two
        (1, 0, REWRITTEN, 5 - 5 * (1 - 0.9**10)),
        (1, 0, ARRIVED, 5 - 5 * (1 - 0.9**10)),  # of five that were never hit, some of ten rows each
        (1, 0, BEYOND, 0.0),
    ],
)
def test_files_named_before_are_those_hit_before(
    is_scattered: int, is_newest: int, number: int, expected: float
) -> None:
    table = new_table()
    numbers = table.numbers
    numbers[IS_SCATTERED], numbers[IS_NEWEST], numbers[EDGE_FILES] = float(is_scattered), float(is_newest), 2.0
    numbers[SMALL_SEEN], numbers[TOUCHES] = 4.0, 0.1
    table.classes[number][FILES], table.classes[number][RECORDS] = (0.0, 0.0) if number == BEYOND else (8.0, 80.0)
    table.hits[HIT_FILES][number], table.deleted[HELD][number] = 5.0, 3.0
    assert named_before(table, LAWS, number) == pytest.approx(expected)


def test_large_files_are_named_before_others() -> None:
    """Five of eight are named: both large ones, and three others."""
    table = new_table()
    numbers = table.numbers
    numbers[IS_SCATTERED], numbers[COMMITS], numbers[LARGE] = 1.0, 2.0, 2.0
    numbers[HIT_OF_LARGE], numbers[HIT_OF_OTHERS] = 0.5, 0.25
    table.classes[REWRITTEN][FILES], table.deleted[HELD][REWRITTEN] = 8.0, 5.0
    assert named_before(table, replace(LAWS, compacts=1), REWRITTEN) == pytest.approx(0.5 * 2 + 0.25 * 3)


def test_without_compaction_the_latest_large_files_are_unnamed() -> None:
    """Of two files of ten rows one was never hit, as the commits come; of six others of four rows two."""
    table = new_table()
    numbers, one = table.numbers, table.classes[REWRITTEN]
    numbers[IS_SCATTERED], numbers[COMMITS], numbers[LARGE], numbers[TOUCHES] = 1.0, 2.0, 2.0, 0.05
    numbers[HIT_OF_LARGE], numbers[HIT_OF_OTHERS] = 10 * 0.05, 4 * 0.05
    one[FILES], one[RECORDS], table.deleted[HELD][REWRITTEN] = 8.0, 2 * 10.0 + 6 * 4.0, 5.0
    assert named_before(table, LAWS, REWRITTEN) == pytest.approx(1 * 10 * 0.05 + 4 * 4 * 0.05)


def test_delete_files_are_listed_with_their_own_name_only() -> None:
    table = appended(2)
    list_deletes(table, LAWS, 0.0)
    assert manifests(table, 1) == []
    list_deletes(table, LAWS, 3.0)
    row = rows_of(table, 1)[0]
    assert [row[column] for column in (COUNT, FRESH, SORTED, MISSED)] == [1, 3, 2, 1]
    assert table.flows[Flow.WRITTEN_MANIFESTS + 2 : Flow.WRITTEN_MANIFESTS + 4] == [1, row[BYTES]]


def with_deletes(files: float) -> Table:
    """Three manifests that list four delete files each, and data files as many."""
    table = new_table()
    for place in range(3):
        row = table.rows[1][place]
        row[COUNT], row[BYTES], row[FRESH] = 1.0, 500.0, 4.0
    table.used[1] = 3
    table.hits[HIT_FILES][ARRIVED] = files
    return table


def test_scattered_rows_replace_delete_files_in_every_manifest() -> None:
    table = with_deletes(6.0)
    table.numbers[IS_SCATTERED] = 1.0
    table.numbers[IN_STEP], table.numbers[TOUCHES] = 1.0, 0.1
    table.classes[ARRIVED][FILES], table.likely[ARRIVED][0] = 12.0, 5.0
    take_over(table, LAWS, 6.0, 12.0)
    assert entries_of_deletes(table) == pytest.approx(6)
    table = with_deletes(6.0)
    for nothing in ((0.0, 12.0), (6.0, 0.0)):
        take_over(table, LAWS, *nothing)
    assert manifests(table, 1) == [[1, 4]] * 3


@pytest.mark.parametrize(("again", "together"), [(3.6, 20 * 0.3 / 4), (4.8, 1.0)])
def test_few_delete_files_go_several_at_a_time(again: float, together: float) -> None:
    """Of three manifests of four each, where fewer than a third go; twenty files are hit in step."""
    table = with_deletes(20.0)
    table.numbers[IS_SCATTERED] = table.numbers[IN_STEP] = 1.0
    table.numbers[TOUCHES], table.likely[ARRIVED][0], table.classes[ARRIVED][FILES] = 0.1, 5.0, 12.0
    before = table.flows[Flow.WRITTEN_MANIFESTS + 2]
    take_over(table, LAWS, again, 12.0)
    written = 3 * (1 - (1 - again / 12) ** (4 / together))
    assert table.flows[Flow.WRITTEN_MANIFESTS + 2] - before == pytest.approx(written)


def test_delete_files_of_large_files_are_among_their_rows() -> None:
    """Half of four files are hit, which hold 80 of 100 rows; ten rows are deleted."""
    table = new_table()
    numbers, hits = table.numbers, table.hits
    numbers[IS_SCATTERED] = numbers[LARGE] = 1.0
    table.classes[REWRITTEN][:] = [4.0, 100.0, 100.0]
    hits[HIT_FILES][REWRITTEN], hits[HIT_ROW_SHARES][REWRITTEN], hits[HIT_ROWS][REWRITTEN] = 2.0, 0.8, 10.0
    assert find_deletes(table, LAWS)[:3] == (2, 10, pytest.approx(2 * bytes_of_deletes(LAWS, 5.0, 40.0, True)))


def test_the_newest_rows_replace_what_the_last_statement_wrote() -> None:
    table = with_deletes(6.0)
    table.numbers[IS_NEWEST] = 1.0
    take_over(table, LAWS, 6.0, 12.0)
    assert manifests(table, 1) == [[1, 4], [1, 2], [1, 0]]


def test_what_arrived_is_seen_less_once_statements_take_it() -> None:
    """Of eight small files seen from the other end two are gone: those are no more to be seen there."""
    table = appended(3)
    table.classes[ARRIVED][FILES], table.numbers[OTHER_SEEN] = 5.0, 8.0
    note_statement(table, LAWS, UPDATE, OVERWRITES, 0.0)
    assert [table.numbers[place] for place in (OTHER_SEEN, SMALL_SEEN, KEPT_SQUARES)] == [6, 3, 3]
    table.classes[ARRIVED][FILES] = 50.0
    note_statement(table, LAWS, UPDATE, OVERWRITES, 0.0)
    assert (table.numbers[OTHER_SEEN], table.numbers[KEPT_SQUARES]) == (0, 3)


def test_rows_deleted_anywhere_are_no_oldest_ones() -> None:
    table = appended(3)
    laws = statement(LAWS, DELETE, 9.0)
    table.hits[HIT_FILES][ARRIVED], table.hits[HIT_ROWS][ARRIVED] = 1.0, 9.0
    find_classes(table, laws)
    carry_out_change(table, laws, DELETE, 9.0, True)
    assert table.numbers[GONE_ROWS] == 0


def test_scattered_rows_are_written_into_the_partitions_they_hit() -> None:
    table = new_table()
    for place, (hit, rows) in enumerate(((1.0, 10.0), (2.0, 30.0), (1.0, 60.0))):
        begin_cohort(table, 2.0)
        table.cohorts[place][HIT_PARTITIONS], table.cohorts[place][ROWS_WRITTEN] = hit, rows
    table.numbers[IS_SCATTERED] = 1.0
    into_partitions(table, 8.0, 100.0)
    assert [one[PARTIAL_FILES : PARTIAL_ROWS + 1] for one in table.cohorts[:3]] == [[1, 5], [2, 15], [1, 30]]


@pytest.mark.parametrize(("back", "files"), [(0, 20), (1, 32), (2, 40), (9, 40)])
def test_files_since_a_unit_are_of_partitions_opened_then(back: int, files: float) -> None:
    laws, table = replace(LAWS, lifetime=10.0, open_partitions=4.0), new_table()
    for place, small in enumerate((2.0, 3.0, 5.0)):
        begin_cohort(table, 4.0)
        table.cohorts[place][SMALL_FILES] = small
    table.numbers[COMMITS] = 95.0  # within the tenth unit
    assert files_since(table, laws, SMALL_FILES, 9.0 - back) == files
