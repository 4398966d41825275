"""What maintenance does to a table in the machine."""

from math import floor

from wasim.years.machine.appends import live_bytes, live_files, manifests_of, snapshot_numbers
from wasim.years.machine.files import deal_out, drop_closed, small_of, take_groups
from wasim.years.machine.manifests import (
    filter_out,
    list_bytes,
    list_compacted,
    live_of,
    merge,
    rewrite_one,
    settle,
    settle_entries,
)
from wasim.years.machine.sizes import digits
from wasim.years.machine.tables import (
    COUNT,
    FRESH,
    GROUPS,
    LIST_BYTES,
    MADE_BYTES,
    MADE_PARTIAL,
    MADE_SETTLED,
    MOST_KINDS,
    NEGLIGIBLE,
    PARTIAL,
    PARTIAL_FILES,
    POSITION_DELETES,
    REMOVED_FILES,
    ROWS,
    SETTLED_FILES,
    SMALL_FILES,
    SNAPSHOT_JSON_BYTES,
    SNAPSHOTS,
    TOOK_BYTES,
    TOOK_PARTIAL,
    TOOK_SMALL,
    WRITTEN_FILES,
    Laws,
    Table,
)


def digits_of_totals(table: Table) -> float:
    """Digits of what a snapshot's summary says of the whole table."""
    flows, found = table.flows, 0.0
    for total in (live_files(table, 0), flows[ROWS], live_bytes(table), live_files(table, 1), flows[POSITION_DELETES]):
        found += digits(float(floor(total + 0.5)))
    return found + 1  # equality deletes: 0


def note_job(table: Table, laws: Laws, around: float) -> None:
    """The commit of a job: its snapshot, of which so much is around the totals, and its list."""
    flows = table.flows
    flows[SNAPSHOT_JSON_BYTES] += around + digits_of_totals(table) + (digits(flows[SNAPSHOTS]) - 1) * laws.sequences
    flows[SNAPSHOTS] += 1
    flows[LIST_BYTES] += list_bytes(table, laws)
    settle(table, 0, MOST_KINDS)
    settle(table, 1, MOST_KINDS)


def commit_nothing(table: Table, laws: Laws, times: float) -> None:
    """So many commits of the writer without rows: snapshots with the manifests of the one before."""
    flows, size = table.flows, 0.0
    if laws.is_zipped:  # what a snapshot with rows has more takes next to nothing
        count = snapshot_numbers(table, laws, table.before)
        size = laws.shortest - count
        for place in range(count):
            size += digits(table.before[place])
    else:
        size = laws.nothing_json + digits_of_totals(table) + laws.epochs * digits(flows[SNAPSHOTS])
        size += (digits(flows[SNAPSHOTS]) - 1) * laws.sequences
        if laws.counts_manifests:
            size += digits(float(floor(manifests_of(table) + 0.5)))
    flows[SNAPSHOTS] += times
    flows[SNAPSHOT_JSON_BYTES] += times * size
    flows[LIST_BYTES] += times * list_bytes(table, laws)
    settle(table, 0, MOST_KINDS)
    settle(table, 1, MOST_KINDS)


def rewrite_manifests(table: Table, laws: Laws) -> None:
    """Spark's rewrite_manifests, where there is anything to do."""
    before = manifests_of(table)
    of_data = rewrite_one(table, laws, 0)
    if not (rewrite_one(table, laws, 1) or of_data):
        return
    size = laws.rewrite_json + 2  # entries processed and changed partitions: 0
    if laws.names_manifests:
        size += digits(float(floor(manifests_of(table) + 0.5))) + 1 + digits(float(floor(before + 0.5)))
    note_job(table, laws, size)


def compact(table: Table, laws: Laws, share: float) -> None:
    """Spark's rewrite_data_files in one commit, of this share of the groups that are due."""
    deal_out(table, laws)
    numbers, done = table.numbers, table.done
    before, smalls, partials = numbers[SETTLED_FILES], small_of(table, SMALL_FILES), small_of(table, PARTIAL_FILES)
    take_groups(table, laws, share)
    left_small, left_partial = drop_closed(table, laws)
    if done[GROUPS] > 0:
        of_small = done[TOOK_SMALL] / smalls if smalls > NEGLIGIBLE else 0.0
        of_partial = done[TOOK_PARTIAL] / partials if partials > NEGLIGIBLE else 0.0
        created = take_out(table, laws, of_small, of_partial)
        list_compacted(table, laws, done[MADE_PARTIAL], done[MADE_SETTLED])
        replaced = merge(table, laws, 0) + created
        all_small, all_partial = of_small >= 1 or smalls <= NEGLIGIBLE, of_partial >= 1 or partials <= NEGLIGIBLE
        if all_small and all_partial and before <= NEGLIGIBLE:
            drop_deletes(table, laws)
        note_compaction(table, laws, created, replaced)
    settle_entries(table, FRESH, left_small)
    settle_entries(table, PARTIAL, left_partial)


def take_out(table: Table, laws: Laws, of_small: float, of_partial: float) -> float:
    """Takes the entries of compacted files out of manifests; how many of these are written again."""
    fresh = partial = 0.0
    for place in range(table.used[0]):
        row = table.rows[0][place]
        fresh += row[COUNT] * row[FRESH]
        partial += row[COUNT] * row[PARTIAL]
    if partial <= 0:
        of_partial, listed = 0.0, table.done[TOOK_SMALL] + table.done[TOOK_PARTIAL]
    else:
        listed = fresh * of_small
    return filter_out(table, laws, 0, min(1.0, listed / fresh) if fresh > 0 else 0.0, of_partial, 0.0)


def note_compaction(table: Table, laws: Laws, created: float, replaced: float) -> None:
    """The commit of a compaction, which wrote so many manifests again and replaced others."""
    flows, done = table.flows, table.done
    made, taken = done[MADE_PARTIAL] + done[MADE_SETTLED], done[TOOK_SMALL] + done[TOOK_PARTIAL]
    flows[REMOVED_FILES] += taken
    flows[REMOVED_FILES + 1] += done[TOOK_BYTES]
    flows[WRITTEN_FILES] += made
    flows[WRITTEN_FILES + 1] += done[MADE_BYTES]
    live = live_bytes(table)
    records = flows[ROWS] * min(1.0, done[TOOK_BYTES] / live) if live > 0 else 0.0
    size, place = laws.compaction_json[0] + digits(max(1.0, float(floor(done[GROUPS] + 0.5)))), 1
    for count in (max(1.0, made), taken, records, records, done[MADE_BYTES], done[TOOK_BYTES]):
        whole = float(floor(count + 0.5))
        if whole > 0:  # what there is none of is left out
            size += laws.compaction_json[place] + digits(whole)
        place += 1
    if laws.names_manifests:
        for count in (1 + created, max(0.0, manifests_of(table) - 1 - created), replaced):
            size += digits(float(floor(count + 0.5)))
    note_job(table, laws, size)


def drop_deletes(table: Table, laws: Laws) -> None:
    """Delete files older than all data that is left apply to nothing, and go with the next commit that filters."""
    if not table.used[1]:
        return
    flows = table.flows
    entries = 0.0
    for place in range(table.used[1]):
        entries += table.rows[1][place][COUNT] * live_of(table.rows[1][place])
    size = flows[WRITTEN_FILES + 3] - flows[REMOVED_FILES + 3]
    filter_out(table, laws, 1, 1.0, 1.0, 1.0)
    merge(table, laws, 1)
    settle(table, 1, MOST_KINDS)
    flows[REMOVED_FILES + 2] += entries
    flows[REMOVED_FILES + 3] += max(0.0, size)
