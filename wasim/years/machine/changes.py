"""Statements in the machine: when they run, of themselves or as the writer's commits, and which rows they touch."""

from math import expm1, floor, inf

from wasim.rules.maintenance import commit_at
from wasim.years.machine.files import deal_out
from wasim.years.machine.statements import change_nothing, delete_by_position, overwrite_rows, rewrite_rows
from wasim.years.machine.tables import *
from wasim.years.machine.touched import (
    begins_with_files,
    ends_with_files,
    hit_at_end,
    hit_scattered,
    live_in_hits,
    rows_through,
    total_of,
    whole_commits,
)

FEW_ROWS = 8.0  # of so few that are scattered, chance may leave none
SLACK_US = 10.0  # a share of an interval is no whole number of microseconds


def next_statement(table: Table, laws: Laws) -> float:
    """The writer's commit that the next periodic statement follows; infinite if none does."""
    found = inf
    if not laws.changes_rows:
        return found
    for change in range(UPSERT):
        found = min(found, next_of_change(table, laws, change))
    return found


def next_of_change(table: Table, laws: Laws, change: int) -> float:
    """The writer's commit that the next run of a statement follows; infinite if none does."""
    row, turn = laws.changes[change], table.numbers[NEXT_TURN + change] + 1
    if turn > row[RUNS]:
        return inf
    return float(commit_at(int(turn), int(row[EVERY_US]), laws.interval_us))


def carry_out_changes(table: Table, laws: Laws, until: float) -> bool:
    """All statements that follow this commit and run by `until`, a share of the interval, in the order of their times;
    whether there are any.
    """
    found = False
    while laws.changes_rows:
        first, at = -1, until * laws.interval_us + SLACK_US if until < inf else inf
        for change in range(UPSERT):
            if next_of_change(table, laws, change) > table.numbers[COMMITS]:
                continue
            since = (table.numbers[NEXT_TURN + change] + 1) * laws.changes[change][EVERY_US]
            since -= table.numbers[COMMITS] * laws.interval_us
            if since < at:
                first, at = change, since
        if first < 0:
            return found
        change_rows(table, laws, first)
        found = True
    return found


def change_rows(table: Table, laws: Laws, change: int) -> None:
    """One run of a periodic statement."""
    table.numbers[NEXT_TURN + change] += 1
    deal_out(table, laws)
    numbers, row = table.numbers, laws.changes[change]
    through = rows_through(laws, numbers[COMMITS])
    there = through - numbers[GONE_ROWS]
    wanted = row[ROWS_WANTED] if row[ROWS_WANTED] < inf else float(round(row[SHARE_WANTED] * there))
    wanted = min(there, wanted)
    if change == OVERWRITE:
        overwrite_rows(table, laws, wanted, row[IS_DYNAMIC] > 0)
        return
    if row[PLACE] == SCATTERED and wanted < FEW_ROWS and row[NEW_ROWS] == 0:
        chance = -expm1(-wanted)  # that a hash chooses any
        hit = floor(numbers[HIT_BY_CHANCE + change])
        numbers[HIT_BY_CHANCE + change] += chance
        wanted = wanted / chance if floor(numbers[HIT_BY_CHANCE + change]) > hit else 0.0
    first, is_newest = through - wanted, row[PLACE] == NEWEST
    if change == DELETE and is_newest:  # the rest is gone already
        wanted = min(wanted, through - numbers[DELETED_THROUGH])
    if wanted <= 0:  # a commit all the same
        change_nothing(table, laws, change)
        return
    if row[PLACE] == OLDEST_COMMITS:
        gone = numbers[GONE_ROWS]
        wanted = whole_commits(laws, gone + wanted, numbers[COMMITS]) - gone
    if row[PLACE] == SCATTERED:
        hit_scattered(table, laws, wanted / there, row[ON_READ] > 0, False)
    else:
        rewrites = row[PLACE] >= OLDEST and row[ON_READ] == 0
        stays = rewrites and change != DELETE
        again = min(numbers[TOUCHED_ROWS], wanted) if stays else 0.0
        if not rewrites or (again <= 0 and laws.compacts):
            again = -1.0
        numbers[TOUCHED_ROWS] = wanted if stays else 0.0
        hit_at_end(table, laws, wanted, is_newest, again)
    carry_out_change(table, laws, change, wanted, change == DELETE and deletes_whole_files(table, laws, wanted, first))


def deletes_whole_files(table: Table, laws: Laws, wanted: float, first: float) -> bool:
    """Whether a DELETE takes all rows of the files that it hits. Of the newest rows, which begin with the `first`, it
    notes what is gone.
    """
    numbers, row = table.numbers, laws.changes[DELETE]
    if row[PLACE] != NEWEST:
        last = numbers[GONE_ROWS] + wanted
        return row[PLACE] >= OLDEST and laws.knows_rows > 0 and ends_with_files(table, laws, last)
    whole = laws.knows_rows > 0 and begins_with_files(table, laws, first)
    if row[ON_READ] > 0 and not whole:
        numbers[CLEARED_FROM] = inf
    else:
        numbers[CLEARED_FROM] = first if first > numbers[DELETED_THROUGH] else min(first, numbers[CLEARED_FROM])
    numbers[DELETED_THROUGH] = rows_through(laws, numbers[COMMITS])
    return whole


def carry_out_change(table: Table, laws: Laws, change: int, wanted: float, whole: bool) -> None:
    """An UPDATE, DELETE or MERGE, of which it is known what it hits: `whole` files, which metadata alone deletes."""
    numbers, row, touched = table.numbers, laws.changes[change], total_of(table.hits[HIT_ROWS])
    is_delete, is_oldest, inserted = change == DELETE, row[PLACE] >= OLDEST, row[NEW_ROWS]
    numbers[OLDEST_ROW] = numbers[GONE_ROWS] + (wanted if is_delete and is_oldest else 0.0)
    if whole:
        rewrite_rows(table, laws, change, 0.0, touched, inserted, -1.0)
    elif row[ON_READ] > 0:
        delete_by_position(table, laws, change, inserted if is_delete else touched + inserted, touched, inserted)
    else:
        kept = live_in_hits(table) - (touched if is_delete else 0.0)
        rewrite_rows(table, laws, change, max(0.0, kept) + inserted, touched, inserted, -1.0)
    numbers[NET_ROWS] += inserted
    if is_delete and is_oldest:
        numbers[GONE_ROWS] += wanted
    elif is_delete:
        numbers[NET_ROWS] -= touched


def upsert(table: Table, laws: Laws) -> None:
    """The writer's next commit where it is one MERGE INTO: some of its rows replace earlier ones."""
    numbers, replaced, rows = table.numbers, laws.replaced_per_commit, laws.rows_per_commit
    before = rows_through(laws, numbers[COMMITS])
    deal_out(table, laws)
    numbers[STATEMENTS_WRITE] = 1.0  # but for the first commit's
    numbers[COMMITS] += 1
    deal_out(table, laws)
    numbers[TOUCHED_ROWS] = 0.0
    if laws.changes[UPSERT][PLACE] == NEWEST:
        hit_at_end(table, laws, replaced, True, -1.0)
    else:
        numbers[NET_ROWS] -= laws.new_rows  # its own are in no file yet
        hit_scattered(table, laws, replaced / before, laws.changes[UPSERT][ON_READ] > 0, True)
        numbers[NET_ROWS] += laws.new_rows
    if laws.changes[UPSERT][ON_READ] > 0:
        delete_by_position(table, laws, UPSERT, rows, replaced, rows - replaced)
    else:
        kept = live_in_hits(table) - total_of(table.hits[HIT_ROWS])
        rewrite_rows(table, laws, UPSERT, kept + rows, replaced, rows - replaced, -1.0)
