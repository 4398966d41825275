"""What statements that change rows make of a table in the machine: files taken out, written again, or deleted from."""

from math import ceil, exp, floor, inf

from wasim.twin.delete_sizes import deletes_of_one
from wasim.twin.writing_tasks import DELETED_ROW_BYTES, LEAST_TASK_BYTES
from wasim.years.machine.appends import live_files
from wasim.years.machine.files import (
    add_rewritten,
    are_oldest_touched,
    balance_sizes,
    count_before,
    draw_uniform,
    files_in,
    newest_place,
    oldest_place,
    partitions_known,
    partitions_so_far,
    places_through,
    recount,
    rows_in,
    small_of,
    spread,
)
from wasim.years.machine.jobs import begin_summary, note_counted, note_manifests
from wasim.years.machine.manifests import list_compacted, list_own, live_of, merge, mix_entries
from wasim.years.machine.sizes import (
    bytes_of_rows,
    compacted_bytes,
    digits,
    is_any,
    is_rewritten_for_size,
    manifest_bytes,
)
from wasim.years.machine.tables import *
from wasim.years.machine.taken import (
    mark_by_age,
    mark_current,
    mark_newest,
    note_left,
    power,
    take,
    thin,
    want,
    want_deletes,
)
from wasim.years.machine.touched import (
    PART_OF_FILE,
    are_all_open,
    arrived_files,
    begin_hits,
    drawn,
    edge_of,
    files_near,
    find_classes,
    has_compacted,
    live_in_hits,
    live_rows,
    miss_others,
    missed_of_fading,
    named_and_hit,
    open_hit,
    partitions_hit,
    places_of,
    places_of_new,
    rows_by_chance,
    rows_of_open,
    rows_through,
    total_of,
    unit_of,
    unnamed_rows,
)

# Two strides, every n-th row of the table each, have a file in common here and there, or else several at a time: of a
# manifest of deletes of which an upsert would hit more than `IN_ORDER` entries, as many times as many go together, once
# it touches fewer than a third of all files.
# Without that manifests of deletes are 20 % too many over 200 commits that each replace 30 rows of 600.
SPARSE, IN_ORDER = 1 / 3, 4.0


def digits_of_merge(change: int, copied: float, updated: float, inserted: float) -> float:
    """Digits of what a MERGE's summary counts apart from Iceberg's own counters; no other statement counts any."""
    if change not in (MERGE, UPSERT):
        return 0.0
    found = digits(max(0.0, copied)) + digits(inserted)
    return found + 2.0 * digits(updated)  # in all, and matched


def note_statement(table: Table, laws: Laws, change: int, operation: int, counted: float) -> None:
    """The commit of a statement whose summary has these `counters`, and so many digits of a MERGE's own."""
    numbers, small = table.numbers, small_of(table, SMALL_FILES)
    numbers[OTHER_SEEN] = max(0.0, numbers[OTHER_SEEN] - max(0.0, table.classes[ARRIVED][FILES] - small))
    numbers[KEPT_SQUARES] += max(0.0, small - numbers[SMALL_SEEN])
    if numbers[IS_SCATTERED] > 0:
        numbers[KEPT_SQUARES] *= (1 - numbers[TOUCHES]) ** 2
    numbers[SMALL_SEEN] = small
    note_counted(table, laws, laws.change_json[change][operation] + counted, False)


def change_nothing(table: Table, laws: Laws, change: int) -> None:
    """A statement that touches no row, which Spark commits."""
    begin_summary(table)
    note_manifests(table, 0.0, 0.0, 0.0)
    note_statement(table, laws, change, OVERWRITES, digits_of_merge(change, 0.0, 0.0, 0.0))


def partitions_of_statement(table: Table, laws: Laws) -> float:
    """Partitions in which a statement finds, and writes, files that a compaction may take."""
    return max(1.0, partitions_known(table)) if table.numbers[IS_SCATTERED] > 0 else laws.open_partitions


def note_gaps(table: Table, laws: Laws, is_own: bool, files: float, made: float) -> None:
    """Notes how much numbers of files differ between partitions, of which each had so many `files`, once those that
    were hit are gone and others `made`: all of some partitions' where a statement overwrites them with rows of its
    `own`. Scattered rows are written again in the partitions that had them, a file each if they are few.
    """
    hits, every = table.hits, partitions_of_statement(table, laws)
    if not is_own and table.numbers[IS_SCATTERED] > 0 and is_any(files):
        there = table.classes[ARRIVED][FILES] + table.classes[REWRITTEN][FILES]
        hit = min(1.0, (hits[HIT_FILES][ARRIVED] + hits[HIT_FILES][REWRITTEN]) / max(there, NEGLIGIBLE))
        any_hit, gone = 1 - (1 - hit) ** files, files * hit
        each = made / max(every * any_hit, NEGLIGIBLE)
        apart = gone * (1 - hit) + each * each * any_hit * (1 - any_hit) - 2 * each * gone * (1 - any_hit)
        for place in range(int(table.numbers[COHORTS])):
            table.cohorts[place][UNEVEN] = table.cohorts[place][UNEVEN] * (1 - hit) ** 2 + max(0.0, apart)
        return
    if is_own:
        for place in range(int(table.numbers[COHORTS])):
            table.cohorts[place][UNEVEN] *= 1 - hits[HIT_SHARES][REWRITTEN]
    else:
        spread(table, every, hits[HIT_FILES][REWRITTEN])
    spread(table, every, made)


def rewrite_rows(
    table: Table, laws: Laws, change: int, written: float, updated: float, inserted: float, files: float
) -> None:
    """Copy-on-write: the files that were hit go, and `written` rows are written in their place, into so many `files`;
    below 0 where that follows from the files that go.
    """
    flows, numbers, classes, hits = table.flows, table.numbers, table.classes, table.hits
    is_own, squares, squares_left = files >= 0, numbers[SQUARES], numbers[SQUARES_LEFT]
    before, each = count_before(table, laws), files_in(table, newest_place(table))
    hit, (removed, removed_bytes) = total_of(hits[HIT_FILES]), held_by_hits(table, laws, is_own)
    made = files if is_own else data_files_made(table, laws, written, updated, inserted, 0.0)
    created = out_of_manifests(table, laws)
    numbers[OF_JOBS] *= 1 - hits[HIT_SHARES][REWRITTEN]
    out_of_partitions(table)
    stays, stays_rows, rows_hit = 0.0, 0.0, live_in_hits(table)  # what files in closed partitions become stays there
    if not is_own and numbers[IS_SCATTERED] > 0 and laws.is_partitioned and is_any(rows_hit):
        is_one_each = classes[BEYOND][FILES] <= partitions_so_far(table, laws)  # then each that is hit becomes one
        stays = min(1.0, hits[HIT_FILES][BEYOND] / (max(made, NEGLIGIBLE) if is_one_each else hit))
        stays_rows = classes[BEYOND][LIVE] * hits[HIT_ROW_SHARES][BEYOND] / rows_hit
    edge, edge_files, edge_rows = edge_of(table, laws), numbers[EDGE_FILES], numbers[EDGE_ROWS]
    note_edge(table, laws, made, written, is_own)
    made_bytes, partial = add_written(table, laws, made, written, is_own, stays, stays_rows)
    note_gaps(table, laws, is_own, each, partial)
    recount(table, laws, before, partial, is_own, False)
    keep_missed(table, edge, edge_files, edge_rows)
    mix_edge(table, laws, edge, written / max(made, NEGLIGIBLE))
    if not is_own and numbers[IS_SCATTERED] > 0 and is_any(made) and numbers[CLOSED_FILES] == 0:
        kept = min(1.0, max(0.0, written - inserted) / max(rows_hit, NEGLIGIBLE))
        mix_partitions(table, laws, squares, squares - squares_left, written, made, kept)
    replaced = merge(table, laws, 0) + merge(table, laws, 1) + created
    flows[REMOVED_FILES] += hit
    flows[REMOVED_FILES + 1] += removed_bytes
    flows[ROWS] += written - removed
    operation = OVERWRITES
    if is_any(made) != is_any(hit):
        operation = APPENDS if is_any(made) else DELETES
    begin_summary(table)
    counters = table.counters
    counters[NEW_FILES], counters[NEW_RECORDS], counters[NEW_BYTES] = made, written, made_bytes
    counters[GONE_FILES], counters[GONE_RECORDS], counters[GONE_BYTES] = hit, removed, removed_bytes
    created += 1.0 if is_any(made) else 0.0
    note_manifests(table, created, replaced, partitions_hit(table, laws, max(hit, made)))
    counted = digits_of_merge(change, written - updated - inserted, updated, inserted)
    note_statement(table, laws, change, operation, counted)


def note_edge(table: Table, laws: Laws, made: float, rows: float, is_own: bool) -> None:
    """The files that a statement on the newest, or the oldest, rows writes, and their rows: its own alone, or all of
    files in whose place they come, of which those in closed partitions are no more among the newest.
    """
    numbers = table.numbers
    if numbers[IS_SCATTERED] > 0:
        return
    numbers[EDGE_FILES], numbers[EDGE_ROWS] = made, rows
    if numbers[IS_NEWEST] > 0 and laws.lifetime < inf and not is_own:
        numbers[EDGE_ROWS] = min(rows, rows_of_open(table, laws))
        if is_any(rows - numbers[EDGE_ROWS]):
            numbers[EDGE_FILES] = min(made, drawn(laws.open_partitions, numbers[EDGE_ROWS]))


def keep_missed(table: Table, edge: int, files: float, rows: float) -> None:
    """Of the files that held the oldest rows, those that a statement did not hit hold them still."""
    numbers = table.numbers
    if are_oldest_touched(table) and files > 0:
        missed = max(0.0, files - table.hits[HIT_FILES][edge])
        numbers[EDGE_FILES] += missed
        numbers[EDGE_ROWS] += missed / files * rows


def mix_edge(table: Table, laws: Laws, edge: int, each: float) -> None:
    """Of the files that held the rows of either end, those that a statement on scattered rows hit end with others' rows
    in files of `each` so many; in partitions by time what is in that of the end is as old.
    """
    numbers = table.numbers
    if numbers[IS_SCATTERED] > 0 and laws.lifetime == inf:
        share = table.hits[HIT_SHARES][edge]
        numbers[EDGE_ROWS] += share * max(0.0, numbers[EDGE_FILES] * each - numbers[EDGE_ROWS])
        numbers[OTHER_ROWS] += share * max(0.0, numbers[OTHER_FILES] * each - numbers[OTHER_ROWS])


def held_by_hits(table: Table, laws: Laws, is_own: bool) -> tuple[float, float]:
    """All rows of the files that were hit, and their bytes: but for INSERT OVERWRITE's `own`, rows that were rewritten
    keep ids, in format version 3.
    """
    rows = size = 0.0
    for number in range(3):
        one, share = table.classes[number], table.hits[HIT_ROW_SHARES][number]
        rows += one[RECORDS] * share
        size += share * data_bytes(laws, one[FILES], one[RECORDS], is_own or number == ARRIVED)
    return rows, size


def mix_partitions(
    table: Table, laws: Laws, squares: float, hit: float, written: float, made: float, kept: float
) -> None:
    """Files that were hit end in one partition or another: the squares of what is in each, by those before and of files
    that were `hit`, of whose rows this share is `kept`.
    """
    classes = table.classes
    of_arrived = classes[ARRIVED][LIVE] ** 2 / max(classes[ARRIVED][FILES], 1.0)
    of_hit = hit + table.hits[HIT_SHARES][ARRIVED] * of_arrived
    if table.numbers[EVENLY] > 0 and table.numbers[SQUARES_TWICE] > 0:
        table.numbers[SQUARES] = table.numbers[SQUARES_TWICE]
        return
    twice = kept * kept * (table.numbers[SQUARES_TWICE] + table.hits[HIT_SHARES][ARRIVED] ** 2 * of_arrived)
    of_hit = kept * kept * of_hit + kept * (1 - kept) * live_in_hits(table)
    if are_all_open(table, laws):
        every = partitions_so_far(table, laws)
        of_each = (written**2 / every + of_hit - twice) / max(1.0, made / every)
        table.numbers[SQUARES] += max(0.0, of_each - written**2 / max(made, 1.0))
        return
    # of pairs of rows in files apart, those in one partition: few, where a file holds most rows of each
    apart, live = squares + of_arrived, live_rows(table)
    pairs = max(0.0, live**2 / partitions_so_far(table, laws) - apart) / max(live**2 - apart, 1.0)
    table.numbers[SQUARES] += max(0.0, of_hit + (written**2 - of_hit) * pairs - written**2 / made)


def delete_by_position(table: Table, laws: Laws, change: int, written: float, updated: float, inserted: float) -> None:
    """Merge-on-read: delete files take the touched rows out, data files bring `written` rows."""
    flows, numbers, hits, deleted = table.flows, table.numbers, table.hits, table.deleted
    hit, touched, held = total_of(hits[HIT_FILES]), total_of(hits[HIT_ROWS]), total_of(deleted[HELD])
    note_left(table, held)
    if numbers[IS_SCATTERED] == 0:
        miss_others(table)
    entries, positions, added_bytes, again, earlier = find_deletes(table, laws)
    numbers[NAMED_THEN] = total_of(deleted[HELD])
    leave_squares(table)
    table.compacted_more[1] = laws.compacted_more[1] * named_alone(table, laws)
    files, written_bytes = entries, added_bytes
    if laws.uses_vectors:
        files = min(tasks_for(laws, written, touched), entries)
        written_bytes += laws.around_vectors * files + laws.vector_footer * entries
    take_over(table, laws, again, held)
    list_deletes(table, laws, entries)
    numbers[NEWEST_COMMIT], numbers[NEWEST_FILES], numbers[NEWEST_BYTES] = numbers[COMMITS], entries, written_bytes
    made = data_files_made(table, laws, written, updated, inserted, touched)
    note_edge(table, laws, made, written, True)
    before = count_before(table, laws)
    made_bytes, partial = add_written(table, laws, made, written, False, 0.0, 0.0)
    if is_any(partial):
        spread(table, partitions_of_statement(table, laws), partial)
    recount(table, laws, before, partial, False, True)
    is_taken = is_any(made) and is_rewritten_for_size(laws, written / made)
    if is_taken and numbers[IS_SCATTERED] > 0 and laws.is_partitioned:
        numbers[ADDS_ANYWHERE] = 1.0
        part_new(table, laws, made, written)
    replaced = merge(table, laws, 0) + merge(table, laws, 1)
    flows[ROWS] += written
    removed_bytes = note_deletes(table, files, written_bytes, again, held)
    flows[POSITION_DELETES] += positions - earlier
    begin_summary(table)
    counters = table.counters
    counters[NEW_FILES], counters[NEW_RECORDS], counters[NEW_BYTES] = made, written, made_bytes + added_bytes
    counters[NEW_DELETES], counters[NEW_POSITIONS] = entries, positions
    counters[GONE_DELETES], counters[GONE_POSITIONS], counters[GONE_BYTES] = again, earlier, removed_bytes
    created = 2.0 if is_any(made) else 1.0
    note_manifests(table, created, replaced, partitions_hit(table, laws, max(hit, made)))
    counted = digits_of_merge(change, 0.0, updated, inserted)
    note_statement(table, laws, change, OVERWRITES if is_any(made) else DELETES, counted)


def leave_squares(table: Table) -> None:
    """The squares of what is in each compacted file, once chance has deleted rows of all."""
    numbers, live = table.numbers, table.classes[REWRITTEN][LIVE]
    if numbers[IS_SCATTERED] > 0 and is_any(live):
        left = max(0.0, 1 - table.hits[HIT_ROWS][REWRITTEN] / live)
        numbers[SQUARES] = numbers[SQUARES] * left * left + live * left * (1 - left)


def part_new(table: Table, laws: Laws, made: float, written: float) -> None:
    """Files of new rows are larger than others, which have few partitions: the squares of what is in each."""
    numbers, new = table.numbers, min(table.numbers[NEW_CELLS], made)
    if is_any(min(new, made - new)):
        earlier_rows = written - min(numbers[NEW_CELL_ROWS], written)
        others = (made - new) / max(made - new, partitions_hit(table, laws, earlier_rows)) * earlier_rows
        apart = (written - others) ** 2 / new + others**2 / (made - new)
        numbers[SQUARES] += max(0.0, apart - written**2 / made)


def find_deletes(table: Table, laws: Laws) -> tuple[float, float, float, float, float]:
    """Delete files that name the rows that were hit, their positions and bytes; how many of the files that they name
    were named before, and the positions of the delete files that they replace.
    """
    numbers, hits, deleted = table.numbers, table.hits, table.deleted
    by_partition, is_scattered = laws.by_partition > 0 and laws.uses_vectors == 0, numbers[IS_SCATTERED] > 0
    positions = added_bytes = again = earlier = 0.0
    for number in range(3):
        hit, named = hits[HIT_FILES][number], 0.0 if by_partition else named_before(table, laws, number)
        before = 0.0
        has_large = number == REWRITTEN and (numbers[LARGE] > 0 or (is_scattered and has_compacted(table, laws)))
        if is_any(deleted[HELD][number]):
            share = hits[HIT_ROW_SHARES][number] if has_large else named / deleted[HELD][number]
            before = deleted[DEAD][number] * share
        again += named
        earlier += before
        if not is_any(hit):
            continue
        own = hits[HIT_ROWS][number] + before
        positions += own
        rows = table.classes[number][RECORDS]
        span = rows * hits[HIT_ROW_SHARES][number] / hit if has_large else rows / table.classes[number][FILES]
        added_bytes += hit * bytes_of_deletes(laws, own / hit, span if is_scattered else own / hit, is_scattered)
        deleted[DEAD][number] += hits[HIT_ROWS][number]
        deleted[HELD][number] += hit - named
    entries = total_of(hits[HIT_FILES])
    if by_partition:
        entries, positions = partitions_hit(table, laws, entries), total_of(hits[HIT_ROWS])
        added_bytes = entries * bytes_of_deletes(laws, positions / max(entries, 1.0), positions, True)
    return entries, positions, added_bytes, again, earlier


def named_alone(table: Table, laws: Laws) -> float:
    """Of delete files, the share that is each the first one to name a file of another statement: what one wrote has
    the same id in all names.
    """
    numbers, held, hit = table.numbers, table.deleted[HELD], table.hits[HIT_SHARES][REWRITTEN]
    if numbers[IS_SCATTERED] == 0 or not is_any(min(held[REWRITTEN], hit)):
        return 0.0
    mean, wider = table.likely[REWRITTEN]
    each = partitions_hit(table, laws, table.hits[HIT_FILES][REWRITTEN])
    any_of_each = 1 - missed_of_fading(each * mean, max(-1.0, each * wider), numbers[TOUCHES])
    return held[REWRITTEN] / total_of(held) * min(1.0, any_of_each / (each * hit))


def bytes_of_deletes(laws: Laws, positions: float, span: float, is_scattered: bool) -> float:
    """Bytes of a position-delete file, or of a vector within its file, with these positions among `span` rows."""
    return deletes_of_one(positions, span, is_scattered, laws.uses_vectors > 0, laws.path_bytes)


def named_before(table: Table, laws: Laws, number: int) -> float:
    """Of the files of a class that were hit, those that a delete file names already."""
    numbers, one, held = table.numbers, table.classes[number], table.deleted[HELD][number]
    hit, again = table.hits[HIT_FILES][number], 0.0
    if numbers[IS_SCATTERED] > 0:
        if not is_any(one[FILES]):
            return 0.0
        if number == REWRITTEN and numbers[LARGE] > 0:
            return named_of_kinds(table, laws)
        if number == REWRITTEN and has_compacted(table, laws):
            return min(held, named_and_hit(table))
        others, each = max(0.0, one[FILES] - held), one[RECORDS] / one[FILES]  # never hit, they have all of their rows
        missed, more = power(1 - numbers[TOUCHES], each), rows_by_chance(table, laws) if number == ARRIVED else 0.0
        if more > 0:
            missed = (1 - numbers[TOUCHES]) * exp(-numbers[TOUCHES] * unnamed_rows(more, others / one[FILES]))
        return min(held, max(0.0, hit - others * (1 - missed)))
    if number != ARRIVED:
        return min(held, max(0.0, hit - numbers[EDGE_FILES]))
    if numbers[IS_NEWEST] > 0:
        again = max(0.0, hit - max(0.0, one[FILES] - numbers[SMALL_SEEN]))
    elif is_any(hit):
        again = arrived_files(table, laws, table.hits[HIT_ROWS][number], False)[1]
    return min(held, again)


def named_of_kinds(table: Table, laws: Laws) -> float:
    """The same of rewritten files of which some are large: these are named first."""
    numbers, one, held = table.numbers, table.classes[REWRITTEN], table.deleted[HELD][REWRITTEN]
    large, others, of_large = numbers[LARGE], max(0.0, one[FILES] - numbers[LARGE]), numbers[HIT_OF_LARGE]
    if laws.compacts:
        named = min(held, large)
        return of_large * named + numbers[HIT_OF_OTHERS] * min(held - named, others)
    # those that were never hit have all of their rows: of large ones, of new rows, which come with each commit
    each = laws.new_rows / places_of_new(laws, laws.new_rows)
    hit = min(1.0, each * numbers[TOUCHES])
    unnamed = large / (1 + numbers[COMMITS] * hit)
    rows = max(0.0, one[RECORDS] - large * each) / max(others, 1.0)
    unnamed_others = others - min(others, max(0.0, held - large + unnamed))
    again = max(0.0, of_large * large - unnamed * hit)
    more = numbers[HIT_OF_OTHERS] * others - unnamed_others * min(1.0, rows * numbers[TOUCHES])
    return min(held, again + max(0.0, more))


def take_over(table: Table, laws: Laws, again: float, named: float) -> None:
    """Takes `again` of the `named` files' delete files out of their manifests: others, older, name what is gone."""
    if not is_any(again) or not is_any(named):
        return
    numbers, hit_arrived = table.numbers, table.hits[HIT_FILES][ARRIVED]
    if numbers[IS_SCATTERED] > 0:
        share = min(1.0, again / named)
        together = max(1.0, total_of(table.hits[HIT_FILES]) * share / IN_ORDER) if share < SPARSE else 1.0
        together = 1 / (1 - numbers[IN_STEP] + numbers[IN_STEP] / together)
        mark_newest(table, 1, named, (share, 0.0, 0.0))
        if laws.compacts and laws.least_files == inf and not laws.uses_vectors and not are_all_open(table, laws):
            mark_current(table, named, share)
        mark_by_age(table, again)
        thin(table, laws, 1, together, 0.0)
    elif numbers[IS_NEWEST] == 0 and laws.open_partitions > 1 and is_any(hit_arrived):
        # any of the statements that began with the same commit, or with the same of its tasks
        share = min(1.0, hit_arrived / files_near(table, laws))
        mark_newest(table, 1, again / share, (share, 0.0, 0.0))
        thin(table, laws, 1, 1.0, 0.0)
    else:  # the last such statement wrote them
        want_deletes(table, again, True, numbers[IS_NEWEST] == 0)
        take(table, laws, 1, True, False)


def list_deletes(table: Table, laws: Laws, entries: float) -> None:
    """Lists new delete files in a manifest. Those for files of the oldest rows that the last statement wrote are
    replaced by none.
    """
    numbers = table.numbers
    if is_any(entries):
        together, fresh = max(0.0, entries - 1), entries
        size = manifest_bytes(table, laws, 1, entries, 0.0, 0.0, together)
        if are_oldest_touched(table):
            fresh -= min(entries, numbers[EDGE_FILES], table.hits[HIT_FILES][edge_of(table, laws)])
        row = table.rows[1][list_own(table, 1, size)]
        row[FRESH], row[PARTIAL], row[SORTED] = fresh, entries - fresh, min(together, fresh)
        row[MISSED] = 1.0


def note_deletes(table: Table, files: float, written_bytes: float, again: float, named: float) -> float:
    """Counts delete files as written and, with the entries that were replaced, as removed; bytes removed."""
    flows = table.flows
    live, live_bytes = live_files(table, 1), flows[WRITTEN_FILES + 3] - flows[REMOVED_FILES + 3]
    listed = max(named, live)  # more, where compaction took the files that some name
    share = min(1.0, again / listed) if is_any(listed) else 0.0
    flows[WRITTEN_FILES + 2] += files
    flows[WRITTEN_FILES + 3] += written_bytes
    flows[REMOVED_FILES + 2] += share * live
    flows[REMOVED_FILES + 3] += share * live_bytes
    return share * live_bytes


def overwrite_rows(table: Table, laws: Laws, wanted: float, is_dynamic: bool) -> None:
    """INSERT OVERWRITE by the `wanted` newest rows: of the partitions that they touch, or of the whole table."""
    if is_dynamic and wanted <= 0:
        return
    numbers, by_partition = table.numbers, is_dynamic and laws.is_partitioned > 0
    in_open = by_partition and laws.lifetime < inf
    if not by_partition:
        numbers[GONE_ROWS] = rows_through(laws, numbers[COMMITS]) - wanted
    find_classes(table, laws)
    begin_hits(table, not in_open, in_open)
    hits = table.hits
    for number in range(3):
        share = 1.0
        if in_open:
            share = overwritten_share(table, laws, number, wanted)
        elif by_partition:
            share = newest_partitions(table, laws, wanted) / partitions_so_far(table, laws)
        hits[HIT_SHARES][number] = hits[HIT_ROW_SHARES][number] = share
        hits[HIT_FILES][number] = table.classes[number][FILES] * share
        hits[HIT_ROWS][number] = table.classes[number][LIVE] * share
    edge, left, arrived = edge_of(table, laws), 0.0, numbers[SMALL_SEEN]
    if in_open:
        numbers[TOUCHES] = newest_partitions(table, laws, wanted) / laws.open_partitions
        left = 1 / numbers[TOUCHES] - 1  # of the partitions at that time, for each that is overwritten
        arrived = files_before(table, laws, wanted)
    left_files, left_rows = left * hits[HIT_FILES][edge], left * hits[HIT_ROWS][edge]
    numbers[SQUARES_LEFT] = numbers[SQUARES] * (1 - hits[HIT_SHARES][REWRITTEN])
    numbers[TOGETHER] = laws.files / (1.0 if laws.walked < 1 else laws.partitions)
    made = min(laws.tasks, wanted)
    if made > 0 and laws.is_partitioned:
        last = rows_through(laws, numbers[COMMITS])
        made *= newest_partitions(table, laws, wanted / made)
        if laws.lifetime < inf:
            made = cells_of_tasks(laws, last - wanted, last, 0.0)
    rewrite_rows(table, laws, OVERWRITE, wanted, 0.0, 0.0, made)
    if in_open:  # what is left there the next such statement may overwrite
        numbers[SMALL_SEEN], numbers[NEWEST_COMMIT] = arrived, numbers[COMMITS]
        numbers[EDGE_FILES], numbers[EDGE_ROWS] = numbers[EDGE_FILES] + left_files, numbers[EDGE_ROWS] + left_rows


def oldest_unit(table: Table, laws: Laws, wanted: float) -> float:
    """Which of the partitions by time the oldest of the `wanted` newest rows is in, counted from 0."""
    return unit_of(laws, rows_through(laws, table.numbers[COMMITS]) - wanted)


def files_before(table: Table, laws: Laws, wanted: float) -> float:
    """Files as they arrived that are in older partitions than any of the `wanted` newest rows."""
    since = (table.numbers[COMMITS] - oldest_unit(table, laws, wanted) * laws.lifetime) * laws.files
    return max(table.numbers[SMALL_SEEN], table.classes[ARRIVED][FILES] - since)


def overwritten_share(table: Table, laws: Laws, number: int, wanted: float) -> float:
    """The share of the files of a class that is in the partitions of the `wanted` newest rows: what came since the
    oldest of those partitions was opened, and what such statements wrote there.
    """
    numbers, files, hit = table.numbers, table.classes[number][FILES], 0.0
    if laws.compacts and number != BEYOND:
        hit = files_since(
            table, laws, SMALL_FILES if number == ARRIVED else PARTIAL_FILES, oldest_unit(table, laws, wanted)
        )
    elif number == ARRIVED:
        hit = max(0.0, files - files_before(table, laws, wanted))
    elif number == edge_of(table, laws):
        last = rows_through(laws, numbers[NEWEST_COMMIT])
        first = max(0.0, last - numbers[EDGE_ROWS])
        there = cells_of_tasks(laws, first, last, oldest_unit(table, laws, wanted))
        hit = min(numbers[EDGE_FILES], files) * there / max(cells_of_tasks(laws, first, last, 0.0), NEGLIGIBLE)
    hit *= newest_partitions(table, laws, wanted) / laws.open_partitions
    return min(1.0, hit / files) if is_any(files) else 0.0


def files_since(table: Table, laws: Laws, column: int, unit: float) -> float:
    """Files of a kind in the partitions by time from this one on, where each is known."""
    newest = unit_of(laws, rows_through(laws, table.numbers[COMMITS]) - PART_OF_FILE)
    found, left = 0.0, (newest - unit + 1) * laws.open_partitions
    for place in range(int(table.numbers[COHORTS]) - 1, -1, -1):
        there = min(left, table.cohorts[place][PARTITIONS])
        found, left = found + there * table.cohorts[place][column], left - there
    return found


def cells_of_tasks(laws: Laws, first: float, last: float, unit: float) -> float:
    """Files that tasks write which take the rows from the first to the last one in order, each one for each partition
    that its rows fall into, of the partitions by time from this one on.
    """
    tasks, each, found = max(1.0, min(laws.tasks, last - first)), laws.new_rows * laws.lifetime, 0.0
    for task in range(int(tasks)):
        at = max(first + floor(task * (last - first) / tasks), unit * each)
        stop = first + floor((task + 1) * (last - first) / tasks)
        if at < stop:
            found += cells_between(laws, at, stop)
    return found


def cells_between(laws: Laws, first: float, stop: float) -> float:
    """Partitions that the rows from the first one on fall into."""
    begun, ended, each = unit_of(laws, first), unit_of(laws, stop - PART_OF_FILE), laws.new_rows * laws.lifetime
    if begun == ended:
        return drawn(laws.open_partitions, stop - first)
    at_ends = drawn(laws.open_partitions, (begun + 1) * each - first) + drawn(laws.open_partitions, stop - ended * each)
    return at_ends + (ended - begun - 1) * drawn(laws.open_partitions, each)


def newest_partitions(table: Table, laws: Laws, rows: float) -> float:
    """Partitions that this number of the newest rows falls into by chance, of those that were opened last."""
    last = rows_through(laws, table.numbers[COMMITS])
    return drawn(min(partitions_so_far(table, laws), places_of(laws, last - rows, last)), rows)


def tasks_for(laws: Laws, written: float, deleted: float) -> float:
    """Tasks that write so many rows, and say of so many where they are deleted."""
    size = DELETED_ROW_BYTES * deleted + (bytes_of_rows(laws, written) if written > 0 else 0.0)
    return max(1.0, min(laws.tasks, float(size // LEAST_TASK_BYTES)))


def data_files_made(table: Table, laws: Laws, written: float, updated: float, inserted: float, deleted: float) -> float:
    """Data files that `written` rows are written into, of which these have new values, or are new."""
    if written < 0.5:
        return 0.0
    if not laws.is_partitioned:
        return files_written_by(table, laws, 1.0 if deleted > 0 else tasks_for(laws, written, 0.0), written)
    hit = total_of(table.hits[HIT_FILES])
    if table.numbers[IS_SCATTERED] == 0 or laws.lifetime == inf:
        touched = total_of(table.hits[HIT_ROWS]) if table.numbers[IS_SCATTERED] > 0 else 0.0
        if laws.walked < 1 and inserted > 0 and table.numbers[IS_SCATTERED] > 0:  # into the commit's own
            cells = partitions_hit(table, laws, min(max(hit, touched, updated), written))
            table.numbers[NEW_CELLS], table.numbers[NEW_CELL_ROWS] = places_of_new(laws, inserted), inserted
            cells += table.numbers[NEW_CELLS] * (1 - min(1.0, cells / partitions_so_far(table, laws)))
            return min(written, files_written_by(table, laws, cells, written))
        things = min(max(hit, touched, updated + inserted), written)
        return min(written, files_written_by(table, laws, partitions_hit(table, laws, things), written))
    cells = partitions_hit(table, laws, max(hit, updated))
    if inserted > 0:  # into partitions that a commit of the writer opens, or finds open
        share = drawn(laws.open_partitions, inserted) / drawn(laws.open_partitions, laws.rows_per_commit)
        table.numbers[NEW_CELLS], table.numbers[NEW_CELL_ROWS] = laws.partitions * min(1.0, share), inserted
        opened = open_hit(table, laws, cells, updated) / laws.open_partitions
        if table.numbers[EVENLY] > 0:
            last = rows_through(laws, table.numbers[COMMITS])
            table.numbers[NEW_CELLS] = cells_between(laws, last - inserted, last)
            if unit_of(laws, last - inserted) > unit_of(laws, last - inserted - PART_OF_FILE):
                opened = 0.0  # has closed
            opened *= min(table.numbers[NEW_CELLS], laws.open_partitions) / max(table.numbers[NEW_CELLS], NEGLIGIBLE)
        cells += table.numbers[NEW_CELLS] * (1 - opened)
    return min(written, files_written_by(table, laws, cells, written))


def files_written_by(table: Table, laws: Laws, tasks: float, rows: float) -> float:
    """Files that tasks, or partitions, of as many rows each become: those that each closes at the target size, and what
    is left.
    """
    closed = tasks * max(0.0, float(ceil(rows / max(tasks, NEGLIGIBLE) / laws.file_rows - NEGLIGIBLE)) - 1)
    table.numbers[CLOSED_FILES] = closed
    return tasks + closed


def data_bytes(laws: Laws, files: float, rows: float, is_new: bool) -> float:
    """Bytes of data files with so many rows in all."""
    if not is_any(files):
        return 0.0
    return files * (bytes_of_rows(laws, rows / files) if is_new else compacted_bytes(laws, rows / files))


def out_of_manifests(table: Table, laws: Laws) -> float:
    """Takes the entries of the files that were hit out of manifests; how many of these are written again."""
    numbers, hits = table.numbers, table.hits
    if not is_any(total_of(hits[HIT_FILES])):
        return 0.0
    if numbers[IS_SCATTERED] > 0:
        shares = hits[HIT_SHARES]
        rewritten = numbers[HIT_OF_OTHERS] if numbers[LARGE] > 0 else shares[REWRITTEN]
        mark_newest(table, 0, inf, (shares[ARRIVED], rewritten, shares[BEYOND]))
        return thin(table, laws, 0, numbers[TOGETHER], 0.0)
    share = numbers[TOUCHES]
    if 0 < share < 1:  # this share of the partitions that are open: any manifest of theirs keeps entries of the others
        mark_newest(table, 0, total_of(hits[HIT_FILES]) / share, (share, share, share))
        return thin(table, laws, 0, numbers[TOGETHER], 0.0)
    is_newest, edge = numbers[IS_NEWEST] > 0, edge_of(table, laws)
    for number in range(3):  # what the last such statement wrote stands in a young manifest
        want(table, number, hits[HIT_FILES][number], is_newest or number == edge)
    return take(table, laws, 0, is_newest, laws.open_partitions > 1)


def out_of_partitions(table: Table) -> None:
    """Takes the files that were hit, and their rows, out of partitions, and what is deleted of them with them."""
    numbers, shares, row_shares = table.numbers, table.hits[HIT_SHARES], table.hits[HIT_ROW_SHARES]
    for number in range(3):
        table.deleted[DEAD][number] *= 1 - row_shares[number]
        table.deleted[HELD][number] *= 1 - shares[number]
    last = int(numbers[COHORTS]) - 1
    for number, files, rows in ((ARRIVED, SMALL_FILES, SMALL_ROWS), (REWRITTEN, PARTIAL_FILES, PARTIAL_ROWS)):
        if numbers[IS_SCATTERED] == 0:
            take_from_end(table, files, table.hits[HIT_FILES][number])
            take_from_end(table, rows, table.classes[number][RECORDS] * row_shares[number])
            continue
        for place in range(last + 1):
            table.cohorts[place][files] *= 1 - shares[number]
            table.cohorts[place][rows] *= 1 - row_shares[number]
    for place in range(last + 1):
        balance_sizes(table.cohorts[place])
    numbers[SETTLED_FILES] *= 1 - shares[BEYOND]
    numbers[LEFT_FILES] *= 1 - shares[BEYOND]
    numbers[SETTLED_ROWS] *= 1 - row_shares[BEYOND]
    numbers[SQUARES] = numbers[SQUARES_LEFT]


def take_from_end(table: Table, column: int, amount: float) -> None:
    """Takes so many files of a kind, or rows, out of the partitions that were opened last, or first."""
    last = int(table.numbers[COHORTS]) - 1
    for turn in range(last + 1):
        one = table.cohorts[last - turn if table.numbers[IS_NEWEST] > 0 else turn]
        taken = min(one[column], amount / one[PARTITIONS])
        one[column] -= taken
        amount -= taken * one[PARTITIONS]


def add_written(
    table: Table, laws: Laws, made: float, rows: float, is_new: bool, stays: float, stays_rows: float
) -> tuple[float, float]:
    """Adds data files of this many rows to the table, listed by a manifest; their bytes, and how many compaction may
    take: not the shares that stay, of small files and of their rows; too large ones it takes anywhere.
    """
    numbers, flows = table.numbers, table.flows
    if not is_any(made):
        return 0.0, 0.0
    closed, partial, made_bytes = min(numbers[CLOSED_FILES], made), 0.0, 0.0
    if is_any(closed):  # what is left stays where that is all that a compaction would take
        stays = stays_rows = max(0.0, 1 - partitions_known(table) / partitions_so_far(table, laws))
    # what a task closed is listed before what is left
    for files, held in ((made - closed, rows - closed * laws.file_rows), (closed, closed * laws.file_rows)):
        if is_any(files):
            partial += add_of_one_size(table, laws, files, held, stays, stays_rows)
            made_bytes += data_bytes(laws, files, held, is_new)
    more = laws.further_more + (laws.first_more - laws.further_more) / together_of(table, laws, made)
    numbers[OF_STATEMENTS_MORE] = more + (laws.compacted_more[0] - more) * sorted_share(table)  # sorted, they are apart
    table.compacted_more[0] = laws.further_more + (laws.first_more - laws.further_more) / max(1.0, made)
    list_compacted(table, laws, partial, made - partial)
    mix_entries(table, laws)
    flows[WRITTEN_FILES] += made
    flows[WRITTEN_FILES + 1] += made_bytes
    return made_bytes, partial


def add_of_one_size(table: Table, laws: Laws, made: float, rows: float, stays: float, stays_rows: float) -> float:
    """Adds data files of one size to partitions, but for those that stay; how many compaction may take."""
    numbers, each, partial, settled_rows = table.numbers, rows / made, 0.0, rows
    if is_rewritten_for_size(laws, each):
        is_small = each < laws.small_rows
        partial, settled_rows = made - made * stays * is_small, rows * stays_rows * is_small
        numbers[LEFT_FILES] += made - partial
        if are_oldest_touched(table) and laws.compacts and laws.lifetime < inf:
            into_oldest(table, laws, partial, rows)
        else:
            into_partitions(table, partial, rows - settled_rows)
        numbers[SQUARES] += partial * each * each
    numbers[SETTLED_FILES] += made - partial
    numbers[SETTLED_ROWS] += settled_rows
    return partial


def together_of(table: Table, laws: Laws, made: float) -> float:
    """How many files of each statement of which any is left are, where each makes so many: of those on scattered rows a
    share of all that they wrote is left, by chance.
    """
    if table.numbers[IS_SCATTERED] == 0:
        return max(1.0, made)
    flows = table.flows
    arrived = laws.files * (1.0 if table.numbers[STATEMENTS_WRITE] > 0 else table.numbers[COMMITS])
    written = flows[WRITTEN_FILES] + made - arrived
    kept = min(1.0, (small_of(table, PARTIAL_FILES) + table.numbers[SETTLED_FILES]) / max(written, 1.0))
    made = max(1.0, made)
    return made * kept / (1 - (1 - kept) ** made) if is_any(kept) else 1.0


def into_partitions(table: Table, files: float, rows: float) -> None:
    """Deals the files that a statement on scattered rows wrote out to the partitions that it hit, but for new rows';
    others go into the newest ones. Where files come on and on, each partition that is known by itself gets whole ones,
    drawn one after the other so that their sum stays, as its count decides when it is compacted.
    """
    numbers, last = table.numbers, int(table.numbers[COHORTS]) - 1
    newest_files, newest_rows, every = files, rows, partitions_known(table)
    hit = held = 0.0
    if numbers[IS_SCATTERED] > 0:
        newest_files, newest_rows = min(numbers[NEW_CELLS], files), min(numbers[NEW_CELL_ROWS], rows)
        for place in range(last + 1):
            hit, held = hit + table.cohorts[place][HIT_PARTITIONS], held + table.cohorts[place][ROWS_WRITTEN]
    elif numbers[IS_NEWEST] > 0 and last > 0:
        newest_files, newest_rows = min(numbers[EDGE_FILES], files), min(numbers[EDGE_ROWS], rows)
        every = table.cohorts[last - 1][PARTITIONS]
    at = draw_uniform(table)
    for place in range(last + 1):
        one, newest = table.cohorts[place], 1.0 if place == last else 0.0
        of_files = of_rows = one[PARTITIONS] / every if numbers[IS_SCATTERED] > 0 or place == last - 1 else 0.0
        if is_any(held):
            of_files, of_rows = one[HIT_PARTITIONS] / hit, one[ROWS_WRITTEN] / held
        found = of_files * (files - newest_files) + newest * newest_files
        found_rows = of_rows * (rows - newest_rows) + newest * newest_rows
        if numbers[ADDS_ANYWHERE] > 0 and one[PARTITIONS] <= 1 and found > 0:
            drawn = floor(at + found) - floor(at)
            at += found
            found, found_rows = drawn, found_rows * drawn / found
        if found > 0:
            add_rewritten(table, one, found / one[PARTITIONS], found_rows / one[PARTITIONS])
            one[WRITTEN_AT] = numbers[COMMITS]


def into_oldest(table: Table, laws: Laws, files: float, rows: float) -> None:
    """Deals the files that a statement on the oldest rows wrote out to the partitions that hold these."""
    numbers, units, there = table.numbers, 0.0, 0.0
    first, last = numbers[OLDEST_ROW], numbers[OLDEST_ROW] + rows
    numbers[OLDEST_THROUGH] = max(numbers[OLDEST_THROUGH], last)
    begun, ended = oldest_place(table, laws), places_through(table, laws)
    for place in range(begun, ended):
        found, held = written_in(table, laws, place, first, last)
        units, there = units + found, there + held
    if there <= 0:
        ended = begun + 1
    for place in range(begun, ended):
        one, (found, held) = table.cohorts[place], written_in(table, laws, place, first, last)
        of_files, of_rows = (found / units, held / there) if there > 0 else (1.0, 1.0)
        if of_rows > 0:
            add_rewritten(table, one, files * of_files / one[PARTITIONS], rows * of_rows / one[PARTITIONS])
            one[WRITTEN_AT] = numbers[COMMITS]


def written_in(table: Table, laws: Laws, place: int, first: float, last: float) -> tuple[float, float]:
    """Of the rows from the first to the last one: how many partitions by time of a row of `cohorts` any is in, and how
    many are in these.
    """
    begun, ended = rows_in(table, laws, place)
    begun, ended = max(begun, first), min(ended, last)
    if ended - begun <= PART_OF_FILE:
        return 0.0, 0.0
    return unit_of(laws, ended - PART_OF_FILE) - unit_of(laws, begun) + 1, ended - begun


def sorted_share(table: Table) -> float:
    """Of the entries in manifests of data, those that are listed in the order of partitions."""
    found, every = 0.0, NEGLIGIBLE
    for place in range(table.used[0]):
        row = table.rows[0][place]
        found, every = found + row[COUNT] * row[SORTED], every + row[COUNT] * live_of(row)
    return found / every
