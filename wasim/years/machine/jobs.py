"""What maintenance does to a table in the machine."""

from math import exp, floor, inf

from wasim.rules.compaction import is_much_deleted
from wasim.years.machine.appends import live_bytes, live_files, manifests_of, snapshot_numbers
from wasim.years.machine.files import (
    balance_files,
    deal_out,
    drop_closed,
    files_in,
    held_with_dead,
    newest_place,
    note_staying,
    oldest_place,
    partitions_counted,
    reopen_files,
    reopen_oldest,
    small_of,
    take_groups,
    writes_oldest,
)
from wasim.years.machine.manifests import (
    entries_of,
    leave_deletes,
    list_bytes,
    list_compacted,
    live_of,
    merge,
    mix_entries,
    rewrite_one,
    settle,
    settle_entries,
)
from wasim.years.machine.sizes import digits, is_any
from wasim.years.machine.tables import *
from wasim.years.machine.taken import (
    mark_anywhere,
    mark_counted,
    mark_walked,
    reopen_entries,
    take,
    thin,
    want,
    want_deletes,
)
from wasim.years.machine.touched import edge_of, total_of


def digits_of_totals(table: Table) -> float:
    """Digits of what a snapshot's summary says of the whole table."""
    flows, found, deletes = table.flows, 0.0, total_of(table.deleted[HELD])
    if deletes <= 0:
        deletes = live_files(table, 1)
    for total in (live_files(table, 0), flows[ROWS], live_bytes(table), deletes):
        found += digits(total)
    return found + digits(flows[POSITION_DELETES]) + digits(flows[EQUALITY_DELETES])


def own_snapshot(table: Table, laws: Laws) -> float:
    """Bytes of a snapshot of the writer's own; compressed, that of a job takes as much: it has ids and totals too."""
    count = snapshot_numbers(table, laws, table.before)
    size = laws.shortest - count
    for place in range(count):
        size += digits(table.before[place])
    return size


def note_snapshot(table: Table, laws: Laws, around: float, is_job: bool) -> None:
    """The commit of a job or a statement: its snapshot, of which so much is around the totals, and its list."""
    size = around + digits_of_totals(table) + (digits(table.flows[SNAPSHOTS]) - 1) * laws.sequences
    if is_job:
        table.flows[MORE_COMPRESSED] += max(0.0, own_snapshot(table, laws) - size)
    end_commits(table, laws, size, 1.0)


def end_commits(table: Table, laws: Laws, size: float, times: float) -> None:
    """Adds so many snapshots, each of this size, and their lists."""
    flows = table.flows
    flows[SNAPSHOTS] += times
    flows[SNAPSHOT_JSON_BYTES] += times * size
    flows[LIST_BYTES] += times * list_bytes(table, laws)
    settle(table, 0, MOST_KINDS)
    settle(table, 1, MOST_KINDS)


def begin_summary(table: Table) -> None:
    """Counts nothing yet."""
    for counter in range(COUNTERS):
        table.counters[counter] = 0.0


def note_counted(table: Table, laws: Laws, around: float, is_job: bool) -> None:
    """The commit of a job or a statement whose summary has these `counters`; `around` is without any number."""
    note_siblings(table, laws)
    counters, size = table.counters, around
    for counter in range(LEFT_OUT):
        if counters[counter] >= 0.5:
            times = 2 if NEW_DELETES <= counter <= GONE_DELETES else 1
            size += laws.counter_json[counter] + times * digits(counters[counter])
    size += digits(max(1.0, counters[CHANGED]))
    if laws.names_manifests:
        for counter in (CREATED, KEPT, REPLACED):
            size += digits(counters[counter])
    note_snapshot(table, laws, size, is_job)


def note_siblings(table: Table, laws: Laws) -> None:
    """How many manifests of the commit under way stand behind another one of it, which saves less where some list what
    it left of them. Manifests that it emptied do while they are listed, and leave the others without a gap. New ones
    stand behind data's alone.
    """
    with_data = 0.0
    for group in range(2):
        rows, used, part = table.rows[group], table.used[group], 1.0
        own = again = empty = 0.0
        for place in range(used):
            row = rows[place]
            new, left = row[COUNT] * row[IS_NEW], min(1.0, live_of(row))
            if row[GONE_FRESH] + row[GONE_COMPACTED] > 0:
                again += new * left
                empty += new * (1 - left)
                part = laws.partly_saved if is_any(left) else part
            else:
                own += new
        first, first_empty = 1 / max(1.0, again), 0.0 if again + own >= 1 else 1 / max(1.0, empty)
        for place in range(used):
            row = rows[place]
            if row[IS_NEW] == 0:
                continue
            left = min(1.0, live_of(row))
            if row[GONE_FRESH] + row[GONE_COMPACTED] == 0:  # merged ones stand behind each other already
                row[WITH_DATA] = with_data * (1 - row[SIBLINGS])
            else:
                row[SIBLINGS] = part * (1 - first) * left + (1 - first_empty) * (1 - left)
                row[WITH_DATA] = with_data * (first * left + first_empty * (1 - left))
        with_data = min(1.0, own + again + empty)


def note_manifests(table: Table, created: float, replaced: float, changed: float) -> None:
    """What a summary counts of manifests, once the commit has listed its own, and of partitions."""
    counters = table.counters
    counters[CREATED], counters[REPLACED], counters[CHANGED] = created, replaced, changed
    counters[KEPT] = max(0.0, manifests_of(table) - created)


def commit_nothing(table: Table, laws: Laws, times: float) -> None:
    """So many commits of the writer without rows: snapshots with the manifests of the one before."""
    flows = table.flows
    size = laws.nothing_json + digits_of_totals(table) + laws.epochs * digits(flows[SNAPSHOTS])
    size += (digits(flows[SNAPSHOTS]) - 1) * laws.sequences
    if laws.counts_manifests:
        size += digits(manifests_of(table))
    flows[MORE_COMPRESSED] += times * (own_snapshot(table, laws) - size)
    end_commits(table, laws, size, times)


def rewrite_manifests(table: Table, laws: Laws) -> bool:
    """Spark's rewrite_manifests; whether there was anything to do."""
    before = manifests_of(table)
    of_data = rewrite_one(table, laws, 0)
    if not (rewrite_one(table, laws, 1) or of_data):
        return False
    size = laws.rewrite_json + 2  # entries processed and changed partitions: 0
    if laws.names_manifests:
        size += digits(manifests_of(table)) + 1 + digits(before)
    note_snapshot(table, laws, size, True)
    return True


def compact(table: Table, laws: Laws) -> bool:
    """Spark's rewrite_data_files of the groups that are due, whose files are listed in as many commits as partial
    progress makes; whether there are any.
    """
    deal_out(table, laws)
    numbers, done = table.numbers, table.done
    numbers[TOUCHED_ROWS] = 0.0
    reopen_much_deleted(table, laws)
    before, smalls, partials = numbers[SETTLED_FILES], small_of(table, SMALL_FILES), small_of(table, PARTIAL_FILES)
    note_dead(table, laws)
    edge = oldest_place(table, laws) if numbers[EDGE_END] == 0 else newest_place(table)
    of_edge = files_in(table, edge)
    with_dead = all_with_dead(table, laws, SMALL_FILES), all_with_dead(table, laws, PARTIAL_FILES)
    take_groups(table, laws)
    is_edge_taken = is_any(of_edge - files_in(table, edge))
    (left_small, left_partial), made = drop_closed(table, laws), done[MADE_SETTLED]
    begin_summary(table)
    if done[GROUPS] > 0:
        numbers[COMPACTED_AT] = numbers[COMMITS]
        of_small = done[TOOK_SMALL] / smalls if is_any(smalls) else 0.0
        of_partial = done[TOOK_PARTIAL] / partials if is_any(partials) else 0.0
        is_all = not is_any(smalls - done[TOOK_SMALL] + partials - done[TOOK_PARTIAL])
        parts = max(1, int(min(float(laws.parts), floor(done[GROUPS] + MEDIAN))))
        for what in range(TOOK_SMALL, GROUPS + 1):
            done[what] /= parts
        created = commit_parts(table, laws, parts, of_small, of_partial)
        leave_deletes(table, of_partial)
        firsts = min(1.0, done[GROUPS] / max(done[MADE_PARTIAL] + done[MADE_SETTLED], NEGLIGIBLE))
        numbers[OF_JOBS_MORE] = laws.together_more + (laws.compacted_more[0] - laws.together_more) * firsts
        table.compacted_more[0] = numbers[OF_JOBS_MORE]
        for _ in range(parts):
            list_compacted(table, laws, done[MADE_PARTIAL], done[MADE_SETTLED])
        numbers[OF_JOBS] += parts * (done[MADE_PARTIAL] + done[MADE_SETTLED]) - numbers[OF_JOBS] * of_partial
        mix_entries(table, laws)
        replaced = merge(table, laws, 0) + merge(table, laws, 1) + created
        forget_dead(table, laws, with_dead)
        forget_seen(table, laws, smalls, of_small, of_partial, is_edge_taken)
        is_known = laws.lifetime == inf and max(laws.deletes, laws.uses_vectors) == 0
        if is_known and numbers[STAYING] > 0:
            oldest = table.staying[0]
            done[LEFT_SINCE] = min(done[LEFT_SINCE], oldest[STAY_SINCE])
            done[DELETES_BEFORE_LEFT] = min(done[DELETES_BEFORE_LEFT], oldest[STAY_DELETES])
        if is_known or (not is_any(before) and (is_all or max(laws.deletes, laws.uses_vectors) == 0)):
            drop_deletes(table, laws)
        if laws.changes_rows:
            note_staying(table)
        note_compaction(table, laws, created, replaced)
    before = entries_of(table, SETTLED)
    came = numbers[AS_CAME] * max(0.0, before - made) + left_small
    numbers[AS_CAME] = min(1.0, came / max(before + left_small + left_partial, NEGLIGIBLE))
    settle_entries(table, FRESH, left_small)
    settle_entries(table, PARTIAL, left_partial)
    return done[GROUPS] > 0


def commit_parts(table: Table, laws: Laws, parts: int, of_small: float, of_partial: float) -> float:
    """Takes the entries of compacted files out of manifests, these shares of all, in so many commits of equal parts, of
    which the last one is not ended; how many it writes again. `done` is of one of them.
    """
    created = 0.0
    for part in range(parts):
        if part > 0:
            note_compaction(table, laws, created, merge(table, laws, 0) + created)
            begin_summary(table)
        left_small, left_partial = 1 - of_small * part / parts, 1 - of_partial * part / parts
        created = take_out(table, laws, of_small / parts / left_small, of_partial / parts / left_partial)
    return created


def note_dead(table: Table, laws: Laws) -> None:
    """Which share of the rows that compaction may take no delete file names, and what delete files of their own such
    data files have: tasks read them too.
    """
    numbers, flows, each = table.numbers, table.flows, 0.0
    if not laws.by_partition:
        each = (flows[WRITTEN_FILES + 3] - flows[REMOVED_FILES + 3]) / max(1.0, entries_of_deletes(table))
    for kind, number in ((SMALL_FILES, ARRIVED), (PARTIAL_FILES, REWRITTEN)):
        files, rows, dead = small_of(table, kind), small_of(table, kind + 1), table.deleted[DEAD][number]
        numbers[LIVE_WHERE_DEAD + number] = 1 - min(1.0, dead / rows) if rows > 0 else 1.0
        named = 1.0 if numbers[IS_SCATTERED] > 0 else min(1.0, table.deleted[HELD][number] / max(files, NEGLIGIBLE))
        numbers[OWN_DELETES + number] = each * named


def reopen_much_deleted(table: Table, laws: Laws) -> None:
    """Compaction takes files of any size once a good part of their rows is deleted by position."""
    rows, dead = table.numbers[SETTLED_ROWS], table.deleted[DEAD]
    if laws.lifetime == inf and table.numbers[IS_SCATTERED] > 0:
        reopen_entries(table, reopen_oldest(table))
        return
    if rows <= 0 or not is_much_deleted(dead[BEYOND] / rows, 1.0):
        return
    reopen_files(table, laws)
    reopen_entries(table, inf)
    for what in range(2):
        table.deleted[what][REWRITTEN] += table.deleted[what][BEYOND]
        table.deleted[what][BEYOND] = 0.0


def keep_oldest(table: Table, laws: Laws, of_partial: float, is_edge_taken: bool) -> None:
    """What holds the oldest rows after a compaction of this share of the compacted files: a file that it made in
    each of their partitions, where these are known apart.
    """
    numbers = table.numbers
    if laws.lifetime == inf:
        numbers[EDGE_FILES] *= 1 - of_partial
        numbers[EDGE_ROWS] *= 1 - of_partial
    elif is_edge_taken:
        one = table.cohorts[oldest_place(table, laws)]
        each = one[PARTIAL_ROWS] / max(one[PARTIAL_FILES], 1.0)
        numbers[EDGE_FILES], numbers[EDGE_ROWS] = one[PARTITIONS] * min(1.0, one[PARTIAL_FILES]), one[PARTITIONS] * each


def keep_newest(table: Table, taken: float, has_fresh: bool) -> None:
    """What holds the newest rows after this share of the files that did was compacted: where no rows came since the
    last statement on them, what is now in the place of the files that it wrote.
    """
    numbers, one = table.numbers, table.cohorts[newest_place(table)]
    if taken > 0 and has_fresh:
        numbers[EDGE_FILES] = numbers[EDGE_ROWS] = 0.0
        numbers[EDGE_SINCE] = -1.0
    elif is_any(one[PARTIAL_FILES]):
        each = one[PARTIAL_ROWS] / one[PARTIAL_FILES]
        numbers[EDGE_ROWS] += taken * (numbers[EDGE_FILES] * each - numbers[EDGE_ROWS])


def all_with_dead(table: Table, laws: Laws, kind: int) -> float:
    """What of rows deleted by position all files of a kind below the target have."""
    found = 0.0
    for place in range(int(table.numbers[COHORTS])):
        found += held_with_dead(table, laws, place, kind)
    return found


def forget_dead(table: Table, laws: Laws, with_dead: tuple[float, float]) -> None:
    """What statements had deleted by position is gone from the files that were compacted. They are measured by their
    number, or the deleted rows that they hold where these are known, of so many as they came and compacted.
    """
    deleted, named = table.deleted, total_of(table.deleted[HELD])
    for number in range(2):
        share = table.done[TOOK_DEAD + number] / with_dead[number] if is_any(with_dead[number]) else 0.0
        table.flows[ROWS] -= deleted[DEAD][number] * share
        deleted[DEAD][number] *= 1 - share
        deleted[HELD][number] *= 1 - share
    if laws.uses_vectors:
        drop_vectors(table, laws, named - total_of(deleted[HELD]))


def forget_seen(
    table: Table, laws: Laws, smalls: float, of_small: float, of_partial: float, is_edge_taken: bool
) -> None:
    """Statements have seen none of these shares of the files, which were compacted; `smalls` are as they arrived."""
    numbers = table.numbers
    has_fresh = is_any(smalls - numbers[SMALL_SEEN])
    numbers[SMALL_SEEN] *= 1 - of_small
    numbers[KEPT_SQUARES] *= 1 - of_small
    numbers[OTHER_SEEN] *= 1 - of_small
    if edge_of(table, laws) == REWRITTEN:
        if numbers[EDGE_END] == 0:
            keep_oldest(table, laws, of_partial, is_edge_taken)
        else:
            of_closing = 1.0 if is_edge_taken else 0.0
            keep_newest(table, of_partial if laws.lifetime == inf else of_closing, has_fresh)
    numbers[SQUARES] = numbers[SQUARES] * (1 - of_partial) + table.done[MADE_SQUARES]


def take_out(table: Table, laws: Laws, of_small: float, of_partial: float) -> float:
    """Takes the entries of compacted files out of manifests; how many of these are written again."""
    fresh, partial = entries_of(table, FRESH), entries_of(table, PARTIAL)
    if partial <= 0:
        of_partial, listed = 0.0, table.done[TOOK_SMALL] + table.done[TOOK_PARTIAL]
    else:
        listed = fresh * of_small
    counted = partitions_counted(table, laws, newest_place(table))
    if counted > 0 and laws.walk_parts > 0:
        mark_walked(table, laws, listed, partial * of_partial)
        return take(table, laws, 0, False, False)
    if counted > 0:
        mark_counted(table, laws, counted, min(1.0, listed / fresh) if fresh > 0 else 0.0, of_partial)
        return thin(table, laws, 0, 1.0, laws.open_partitions)
    if laws.lifetime < inf and laws.parts <= 1 and table.numbers[ADDS_ANYWHERE] == 0:
        # partitions that are left have the newest files, but where the oldest ones come to have new files again
        for kind, files in ((0, listed), (1, partial * of_partial)):
            want(table, kind, files, writes_oldest(laws) or table.done[TAKES_NEWER + kind] > 0)
        want(table, 2, 0.0, False)
        return take(table, laws, 0, writes_oldest(laws), False)
    mark_anywhere(table, 0, (min(1.0, listed / fresh) if fresh > 0 else 0.0, min(1.0, of_partial), 0.0))
    return thin(table, laws, 0, 1.0, laws.open_partitions if laws.parts > 1 else 0.0)


def note_compaction(table: Table, laws: Laws, created: float, replaced: float) -> None:
    """The commit of a compaction, which wrote so many manifests again and replaced others."""
    flows, done, counters = table.flows, table.done, table.counters
    made, taken = done[MADE_PARTIAL] + done[MADE_SETTLED], done[TOOK_SMALL] + done[TOOK_PARTIAL]
    flows[REMOVED_FILES] += taken
    flows[REMOVED_FILES + 1] += done[TOOK_BYTES]
    flows[WRITTEN_FILES] += made
    flows[WRITTEN_FILES + 1] += done[MADE_BYTES]
    if laws.changes_rows:
        balance_files(table, laws)
    records = flows[ROWS] * min(1.0, done[TOOK_BYTES] / max(live_bytes(table), NEGLIGIBLE))
    counters[NEW_FILES], counters[NEW_RECORDS], counters[NEW_BYTES] = max(1.0, made), records, done[MADE_BYTES]
    counters[GONE_FILES], counters[GONE_RECORDS] = taken, records
    counters[GONE_BYTES] += done[TOOK_BYTES]
    note_manifests(table, 1 + created, replaced, done[GROUPS])
    note_counted(table, laws, laws.compaction_json, True)


def drop_vectors(table: Table, laws: Laws, files: float) -> None:
    """Deletion vectors of this many files go with them, the newest ones, as these are what compaction takes."""
    listed, flows = entries_of_deletes(table), table.flows
    if not is_any(min(files, listed)):
        return
    size, share = flows[WRITTEN_FILES + 3] - flows[REMOVED_FILES + 3], min(1.0, files / listed)
    drop_entries(table, laws, files, True)
    note_dropped(table, share, files, live_files(table, 1) * share, size * share)


def note_dropped(table: Table, share: float, entries: float, files: float, size: float) -> None:
    """A compaction drops this share of the entries of delete files; what these delete is in its summary, and no more in
    the totals.
    """
    flows, counters, positions = table.flows, table.counters, table.flows[POSITION_DELETES] * share
    counters[GONE_DELETES] += entries
    counters[GONE_POSITIONS] += positions
    counters[GONE_BYTES] += size
    flows[POSITION_DELETES] -= positions
    flows[EQUALITY_DELETES] *= 1 - share
    flows[REMOVED_FILES + 2] += files
    flows[REMOVED_FILES + 3] += size


def entries_of_deletes(table: Table) -> float:
    """Delete files that are listed."""
    found = 0.0
    for place in range(table.used[1]):
        found += table.rows[1][place][COUNT] * live_of(table.rows[1][place])
    return found


def drop_entries(table: Table, laws: Laws, files: float, newest: bool) -> None:
    """Takes this many delete files out of their manifests."""
    want_deletes(table, files, newest, False)
    take(table, laws, 1, newest, False)
    merge(table, laws, 1)


def drop_deletes(table: Table, laws: Laws) -> None:
    """Delete files older than all data that is left apply to nothing, and go with the next commit that filters: all but
    the delete files of the commit or statement since which no row came, as compacted files are as old as that, and
    those since which data has come that compaction left.
    """
    if not table.used[1]:
        return
    flows, numbers, kept, kept_bytes = table.flows, table.numbers, 0.0, 0.0
    listed, size = entries_of_deletes(table), flows[WRITTEN_FILES + 3] - flows[REMOVED_FILES + 3]
    if laws.deletes:
        kept, kept_bytes = laws.delta_files, laws.delta_bytes
    else:
        newest = numbers[NEWEST_FILES] if numbers[NEWEST_COMMIT] == numbers[COMMITS] else 0.0
        kept = min(max(newest, deletes_since(table)), flows[WRITTEN_FILES + 2] - table.done[DELETES_BEFORE_LEFT])
        kept_bytes = size * min(1.0, kept / max(listed, NEGLIGIBLE))
        if kept == numbers[NEWEST_FILES]:
            kept_bytes = numbers[NEWEST_BYTES]
    files = max(0.0, listed - kept)
    if kept > 0 and not is_any(files):
        return
    if kept > 0:
        drop_entries(table, laws, files, False)
    else:
        mark_anywhere(table, 1, (1.0, 1.0, 1.0))
        thin(table, laws, 1, 1.0, 0.0)
        merge(table, laws, 1)
    note_dropped(table, files / max(listed, NEGLIGIBLE), files, files, max(0.0, size - kept_bytes))


def deletes_since(table: Table) -> float:
    """Delete files that are listed and as new as any data that compaction left: statements have missed more rows since
    older ones were made.
    """
    found, missed = 0.0, exp(table.done[LEFT_SINCE] - table.numbers[MISSED_BY]) * (1 + NEGLIGIBLE)
    for place in range(table.used[1]):
        row = table.rows[1][place]
        if row[MISSED] > missed:
            found += row[COUNT] * live_of(row)
    return found
