"""What statements that change rows make of a table: files taken out, written again, or deleted from."""

from math import ceil, floor, inf

from wasim.machine.columns import (
    ADDED_BYTES,
    ADDED_FILES,
    ADDED_POSITION_FILES,
    ADDED_POSITIONS,
    ADDED_RECORDS,
    ADDS_ANYWHERE,
    AROUND_BYTES,
    BY_PARTITION,
    CHANGED_PARTITIONS,
    CLASS_FILES,
    CLASS_LIVE,
    CLASS_RECORDS,
    COHORTS,
    COMMITS,
    COMPACTED_MORE,
    CREATED,
    DATA,
    DEAD,
    DELETED,
    DELETES,
    EDGE_FILES,
    EDGE_ROWS,
    FILES,
    FIRST_MORE,
    FRESH,
    FURTHER_MORE,
    GONE,
    HAS_RULE,
    HELD,
    HIT_FILES,
    HIT_ROW_SHARES,
    HIT_ROWS,
    HIT_SHARES,
    IN_STEP,
    IS_PARTITIONED,
    KEPT,
    LIFETIME_COMMITS,
    MERGE_COPIED,
    MERGE_INSERTED,
    MERGE_UPDATED,
    NEW,
    NEWEST,
    NEWEST_BYTES,
    NEWEST_COMMIT,
    NEWEST_FILES,
    OLDEST,
    OPEN_PARTITIONS,
    OVERWRITTEN,
    PARTIAL_CLASS,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    PARTITIONS,
    PARTITIONS_TOUCHED,
    POSITION_DELETES,
    REMOVED_BYTES,
    REMOVED_DATA_FILES,
    REMOVED_FILES,
    REMOVED_POSITION_FILES,
    REMOVED_POSITIONS,
    REMOVED_RECORDS,
    REPLACED,
    ROWS,
    ROWS_OF,
    SCATTERED,
    SETTLED_CLASS,
    SETTLED_FILES,
    SETTLED_ROWS,
    SIBLINGS,
    SMALL,
    SMALL_FILES,
    SMALL_ROWS,
    SMALL_SEEN,
    SORTED,
    SQUARES,
    SQUARES_LEFT,
    TARGET_FILE,
    TASKS,
    TOGETHER,
    USES_VECTORS,
    VECTOR_FOOTER,
    WITH_MERGE,
    WITH_PARTITIONS,
    WRITTEN_AGAIN,
    WRITTEN_FILES,
    Laws,
    Table,
)
from wasim.machine.commits import (
    SEEN,
    add_rewritten,
    clear_numbers,
    held_files,
    live_file_bytes,
    live_files,
    manifests_listed,
    merge,
    note_operation,
)
from wasim.machine.files import find_classes, is_taken, partitions_so_far
from wasim.machine.lookups import compacted_bytes, deletes_bytes, manifest_bytes, new_file_bytes
from wasim.machine.manifests import NEGLIGIBLE, add_manifests, entries_of, note_written, take, thin
from wasim.machine.touched import (
    arrived_files,
    drawn,
    edge_class,
    find_live,
    hit_count,
    hit_rows,
    live_in_hits,
    partitions_hit,
    rows_through,
)
from wasim.twin.writing_tasks import DELETED_ROW_BYTES, LEAST_TASK_BYTES

# Two strides, every n-th row of the table each, have a file in common here and there, or else several at a time: of a
# manifest of deletes of which an upsert would hit more than `TOGETHER_MOST` entries, as many times as many go together,
# once it touches fewer than a third of all files.
SPARSE, TOGETHER_MOST = 1 / 3, 4.0


def class_bytes(t: Table, laws: Laws, number: int, is_new: bool) -> float:
    """Bytes of all files of a class."""
    one = t.classes[number]
    if one[CLASS_FILES] <= NEGLIGIBLE:
        return 0.0
    rows = one[CLASS_RECORDS] / one[CLASS_FILES]
    return one[CLASS_FILES] * (new_file_bytes(laws, rows) if is_new else compacted_bytes(laws, rows))


def tasks_of(laws: Laws, written: float, deleted: float) -> float:
    """Tasks that write so many rows, and say so many deleted."""
    size = (new_file_bytes(laws, written) if written else 0.0) + DELETED_ROW_BYTES * deleted
    return max(1.0, min(laws.settings[TASKS], float(floor(size / LEAST_TASK_BYTES))))


def files_made(t: Table, laws: Laws, place: int, written: float, new: float, deleted: float) -> float:
    """Data files that `written` rows are written into, `new` of which are new or have new values."""
    if written < 0.5:
        return 0.0
    least = new_file_bytes(laws, written) / laws.settings[TARGET_FILE]
    if laws.settings[IS_PARTITIONED]:
        return min(written, max(partitions_hit(t, laws, place, max(hit_count(t), new)), least))
    tasks = 1.0 if deleted else tasks_of(laws, written, 0.0)
    return max(tasks, float(ceil(least))) if least > 1 else tasks


# -- copy-on-write ---------------------------------------------------------------------------------------------------


def out_of_manifests(t: Table, laws: Laws, place: int) -> None:
    """Takes the files that were hit out of the manifests that list them."""
    hits = t.hits
    hits[WRITTEN_AGAIN] = 0.0
    if hit_count(t) <= NEGLIGIBLE:
        return
    if place == SCATTERED:
        for number in range(3):
            # manifests lose whole entries, by chance, and files are means: the share that brings the two together again
            entries, hit = entries_of(t, DATA, FRESH + number), hits[HIT_FILES + number]
            left = t.classes[number][CLASS_FILES] - hit
            is_hit = entries > NEGLIGIBLE and hit > NEGLIGIBLE
            t.numbers[number] = min(1.0, max(0.0, 1 - left / entries)) if is_hit else 0.0
        hits[WRITTEN_AGAIN] = thin(t, laws, DATA, t.numbers, 0, hits[TOGETHER], inf)
        return
    newest = 7 if place == NEWEST else 0
    newest |= 1 << edge_class(t, laws)  # what the last such statement wrote stands in a young manifest
    of_class = hits[HIT_FILES], hits[HIT_FILES + 1], hits[HIT_FILES + 2]
    hits[WRITTEN_AGAIN] = take(t, laws, DATA, of_class[0], of_class[1], of_class[2], newest)


def out_of_partitions(t: Table) -> None:
    """Takes the files that were hit, and their rows, out of their partitions."""
    c, hits, state = t.cohorts, t.hits, t.state
    for row in range(int(state[COHORTS])):
        c[SMALL_FILES][row] *= 1 - hits[HIT_SHARES + SMALL]
        c[SMALL_ROWS][row] *= 1 - hits[HIT_ROW_SHARES + SMALL]
        c[PARTIAL_FILES][row] *= 1 - hits[HIT_SHARES + PARTIAL_CLASS]
        c[PARTIAL_ROWS][row] *= 1 - hits[HIT_ROW_SHARES + PARTIAL_CLASS]
    state[SETTLED_FILES] *= 1 - hits[HIT_SHARES + SETTLED_CLASS]
    state[SETTLED_ROWS] *= 1 - hits[HIT_ROW_SHARES + SETTLED_CLASS]
    state[SQUARES] = hits[SQUARES_LEFT]


def add_files(
    t: Table, laws: Laws, made: float, rows: float, place: int, is_new: bool, stays: float, stay_rows: float
) -> float:
    """Adds data files of this many rows, listed by a manifest; their bytes. No compaction takes the shares `stays` of
    small files, and `stay_rows` of their rows.
    """
    state, c = t.state, t.cohorts
    if place != SCATTERED:
        state[EDGE_FILES], state[EDGE_ROWS] = made, rows
    if made <= NEGLIGIBLE:
        return 0.0
    each = rows / made
    settled, settled_rows = made, rows
    if is_taken(laws, each):
        settled, settled_rows = made * stays, rows * stay_rows
        last, every = int(state[COHORTS]), 0.0
        first = 0 if place == SCATTERED else last - 1
        for row in range(first, last):
            every += c[PARTITIONS][row]
        for row in range(first, last):
            c[PARTIAL_FILES][row] += (made - settled) / every
            c[PARTIAL_ROWS][row] += (rows - settled_rows) / every
        state[SQUARES] += (made - settled) * each * each
    state[SETTLED_FILES] += settled
    state[SETTLED_ROWS] += settled_rows
    first_more, further_more = laws.settings[FIRST_MORE], laws.settings[FURTHER_MORE]
    if laws.settings[HAS_RULE] == 0 and not is_any_sorted(t):  # sorted, they stand apart
        state[COMPACTED_MORE] = further_more + (first_more - further_more) / max(1.0, made)
    add_rewritten(t, laws, made - settled, settled)
    made_bytes = made * (new_file_bytes(laws, each) if is_new else compacted_bytes(laws, each))
    t.flows[WRITTEN_FILES] += made
    t.flows[WRITTEN_FILES + 1] += made_bytes
    return made_bytes


def is_any_sorted(t: Table) -> bool:
    """Whether a manifest of data has entries in the order of their partitions."""
    for row in range(int(t.state[ROWS_OF + DATA])):
        if t.manifests[DATA][SORTED][row]:
            return True
    return False


def rewrite_files(
    t: Table, laws: Laws, place: int, written: float, files: float, operation: int, updated: float, inserted: float
) -> None:
    """The files that were hit, which no manifest lists now, go, and `written` rows are written in their place: into
    `files` of their own, or where that is less than none, into as many as follow.
    """
    state, flows, hits, numbers = t.state, t.flows, t.hits, t.numbers
    is_new = files >= 0  # rows of its own, of INSERT OVERWRITE; all else keeps ids, in format version 3
    removed_records = removed_bytes = 0.0
    for number in range(3):
        share = hits[HIT_ROW_SHARES + number]
        removed_records += t.classes[number][CLASS_RECORDS] * share
        removed_bytes += class_bytes(t, laws, number, is_new or number == SMALL) * share
    made, squares = files, state[SQUARES]
    if files < 0:
        made = files_made(t, laws, place, written, updated + inserted, 0.0)
    created = hits[WRITTEN_AGAIN]
    out_of_partitions(t)
    for number in range(3):
        state[DEAD + number] *= 1 - hits[HIT_ROW_SHARES + number]
        state[HELD + number] *= 1 - hits[HIT_SHARES + number]
    count, stays, stay_rows = hit_count(t), 0.0, 0.0
    live = live_in_hits(t)
    if files < 0 and place == SCATTERED and laws.settings[IS_PARTITIONED] and live > NEGLIGIBLE:
        # what files in closed partitions become stays there
        stays = hits[HIT_FILES + SETTLED_CLASS] / count
        stay_rows = t.classes[SETTLED_CLASS][CLASS_LIVE] * hits[HIT_ROW_SHARES + SETTLED_CLASS] / live
    made_bytes = add_files(t, laws, made, written, place, is_new, stays, stay_rows)
    if made > 1 and laws.settings[IS_PARTITIONED]:
        add_squares_of_partitions(t, laws, made, written, squares)
    replaced = merge(t, laws, DATA) + created
    flows[REMOVED_FILES] += count
    flows[REMOVED_FILES + 1] += removed_bytes
    flows[ROWS] += written - removed_records
    clear_numbers(t)
    numbers[CREATED] = created + (1.0 if made > NEGLIGIBLE else 0.0)
    numbers[KEPT], numbers[REPLACED] = max(0.0, manifests_listed(t) - created - 1), replaced
    numbers[ADDED_FILES], numbers[ADDED_RECORDS], numbers[ADDED_BYTES] = made, written, made_bytes
    numbers[REMOVED_DATA_FILES], numbers[REMOVED_RECORDS], numbers[REMOVED_BYTES] = (
        count,
        removed_records,
        removed_bytes,
    )
    numbers[CHANGED_PARTITIONS] = max(1.0, partitions_hit(t, laws, place, max(count, made)))
    numbers[MERGE_COPIED], numbers[MERGE_UPDATED] = written - updated - inserted, updated
    numbers[MERGE_INSERTED] = inserted
    if (made > NEGLIGIBLE) != (count > NEGLIGIBLE):
        operation += (0 if made > NEGLIGIBLE else DELETED) - operation % WITH_MERGE
    end_statement(t, laws, operation)


def add_squares_of_partitions(t: Table, laws: Laws, made: float, written: float, squares: float) -> None:
    """Files that were hit end in one partition or another: of pairs of rows in files apart, those in one partition,
    which are few where a file holds most rows of each.
    """
    state, hits, one = t.state, t.hits, t.classes[SMALL]
    of_arrived = one[CLASS_LIVE] ** 2 / max(one[CLASS_FILES], 1.0)
    of_hit = squares - hits[SQUARES_LEFT] + hits[HIT_SHARES + SMALL] * of_arrived
    apart, live = squares + of_arrived, 0.0
    for number in range(3):
        live += t.classes[number][CLASS_LIVE]
    pairs = max(0.0, live**2 / partitions_so_far(t, laws) - apart) / max(live**2 - apart, 1.0)
    together = (written**2 - of_hit) * pairs
    state[SQUARES] += max(0.0, of_hit + together - written**2 / made)


def end_statement(t: Table, laws: Laws, operation: int) -> None:
    """Commits what `numbers` counts."""
    find_classes(t)
    t.state[SMALL_SEEN] = t.classes[SMALL][CLASS_FILES]
    note_operation(t, laws, operation)


# -- merge-on-read ---------------------------------------------------------------------------------------------------


def delete_by_position(
    t: Table, laws: Laws, place: int, written: float, operation: int, updated: float, inserted: float
) -> None:
    """Delete files take the touched rows out, data files bring `written` rows."""
    state, flows, hits, settings, numbers = t.state, t.flows, t.hits, laws.settings, t.numbers
    by_partition = settings[BY_PARTITION] > 0 and settings[USES_VECTORS] == 0
    held, again_files, earlier, positions, added_bytes = held_files(t), 0.0, 0.0, 0.0, 0.0
    is_scattered, count = place == SCATTERED, hit_count(t)
    for number in range(3):
        hit, touched, one = hits[HIT_FILES + number], hits[HIT_ROWS + number], t.classes[number]
        again = 0.0 if by_partition else named_before(t, laws, place, number)
        before = state[HELD + number]
        of_earlier = state[DEAD + number] * again / before if before > NEGLIGIBLE else 0.0
        again_files, earlier = again_files + again, earlier + of_earlier
        if hit <= NEGLIGIBLE:
            continue
        own = touched + of_earlier
        positions += own
        span = one[CLASS_RECORDS] / one[CLASS_FILES] if is_scattered else own / hit
        added_bytes += hit * deletes_bytes(laws, own / hit, span, is_scattered)
        state[DEAD + number] += touched
        state[HELD + number] += hit - again
    touched, entries = hit_rows(t), count
    if by_partition:
        entries, positions = partitions_hit(t, laws, place, count), touched
        added_bytes = entries * deletes_bytes(laws, positions / max(entries, 1.0), positions, True)
    files, written_bytes = entries, added_bytes
    if settings[USES_VECTORS]:
        files = min(tasks_of(laws, written, touched), entries)
        written_bytes += settings[AROUND_BYTES] * files + settings[VECTOR_FOOTER] * entries
    take_over(t, laws, place, again_files, held)
    list_deletes(t, laws, entries, SEEN if written else 0.0)
    state[NEWEST_COMMIT], state[NEWEST_FILES], state[NEWEST_BYTES] = state[COMMITS], entries, written_bytes
    made = files_made(t, laws, place, written, written, touched)
    if is_scattered and settings[IS_PARTITIONED] and made > NEGLIGIBLE and is_taken(laws, written / made):
        state[ADDS_ANYWHERE] = 1.0
    made_bytes = add_files(t, laws, made, written, place, False, 0.0, 0.0)
    replaced = 0.0
    if made > NEGLIGIBLE or count > NEGLIGIBLE:
        replaced = merge(t, laws, DATA)
        replaced += merge(t, laws, DELETES)
    flows[ROWS] += written
    removed_bytes = count_deletes(t, files, written_bytes, again_files, held)
    flows[POSITION_DELETES] += positions - earlier
    clear_numbers(t)
    numbers[CREATED], numbers[KEPT] = 1.0 + (1.0 if made > NEGLIGIBLE else 0.0), max(0.0, manifests_listed(t) - 2)
    numbers[REPLACED], numbers[ADDED_FILES], numbers[ADDED_RECORDS] = replaced, made, written
    numbers[ADDED_BYTES], numbers[ADDED_POSITIONS] = made_bytes + added_bytes, positions
    numbers[REMOVED_BYTES], numbers[REMOVED_POSITIONS] = removed_bytes, earlier
    kind = 1 if settings[USES_VECTORS] else 0
    numbers[ADDED_POSITION_FILES + kind], numbers[REMOVED_POSITION_FILES + kind] = entries, again_files
    numbers[CHANGED_PARTITIONS] = max(1.0, partitions_hit(t, laws, place, max(count, made)))
    numbers[MERGE_UPDATED], numbers[MERGE_INSERTED] = updated, inserted
    if made <= NEGLIGIBLE:
        operation += DELETED - operation % WITH_MERGE
    end_statement(t, laws, operation)


def named_before(t: Table, laws: Laws, place: int, number: int) -> float:
    """Of the files of a class that were hit, those that a delete file names already."""
    state, one, hit = t.state, t.classes[number], t.hits[HIT_FILES + number]
    held = state[HELD + number]
    if place == SCATTERED:
        return hit * min(1.0, held / one[CLASS_FILES]) if one[CLASS_FILES] > NEGLIGIBLE else 0.0
    if number != SMALL:
        return min(held, max(0.0, hit - state[EDGE_FILES]))
    if place == NEWEST:
        return min(held, max(0.0, hit - max(0.0, one[CLASS_FILES] - state[SMALL_SEEN])))
    return min(held, arrived_files(t, laws, t.hits[HIT_ROWS], place, True)) if hit > NEGLIGIBLE else 0.0


def take_over(t: Table, laws: Laws, place: int, again: float, named: float) -> None:
    """Takes `again` of the `named` files' delete files out of their manifests: others, older, name what is gone."""
    if again <= NEGLIGIBLE or named <= NEGLIGIBLE:
        return
    hits = t.hits
    if place == SCATTERED:
        share, count = min(1.0, again / named), hit_count(t)
        together = max(1.0, count * share / TOGETHER_MOST) if share < SPARSE else 1.0
        together = 1 / (1 - hits[IN_STEP] + hits[IN_STEP] / together)
        t.sums[3] = share
        t.sums[4] = t.sums[5] = 0.0
        thin(t, laws, DELETES, t.sums, 3, together, named)
    elif place == OLDEST and laws.settings[OPEN_PARTITIONS] > 1 and hits[HIT_FILES] > NEGLIGIBLE:
        # any of the statements that began with the same commit
        share = min(1.0, hits[HIT_FILES] / laws.settings[FILES])
        t.sums[3] = share
        t.sums[4] = t.sums[5] = 0.0
        thin(t, laws, DELETES, t.sums, 3, 1.0, again / share)
    else:
        take(t, laws, DELETES, again, 0.0, 0.0, 1)  # the last such statement wrote them


def list_deletes(t: Table, laws: Laws, entries: float, siblings: float) -> None:
    """Lists new delete files in a manifest, which has a sibling if rows were written too."""
    if entries <= NEGLIGIBLE:
        return
    following = max(0.0, entries - 1)
    size = manifest_bytes(laws, t.state, DELETES, entries, 0.0, following)
    row = add_manifests(t, DELETES, 1.0, size, entries, 0.0)
    m = t.manifests[DELETES]
    m[SORTED][row], m[SIBLINGS][row], m[NEW][row] = following, siblings, 1.0
    note_written(t.flows, DELETES, 1.0, size)


def count_deletes(t: Table, files: float, written_bytes: float, again: float, named: float) -> float:
    """Counts delete files as written and, with the entries that were replaced, as removed; bytes removed."""
    flows, live, size = t.flows, live_files(t, DELETES), live_file_bytes(t, DELETES)
    held = max(named, live)  # more, where compaction took the files that some name
    share = min(1.0, again / held) if held > NEGLIGIBLE else 0.0
    flows[WRITTEN_FILES + 2] += files
    flows[WRITTEN_FILES + 3] += written_bytes
    flows[REMOVED_FILES + 2] += share * live
    flows[REMOVED_FILES + 3] += share * size
    return share * size


# -- overwrite -------------------------------------------------------------------------------------------------------


def overwrite(t: Table, laws: Laws, wanted: float, is_dynamic: bool) -> None:
    """INSERT OVERWRITE by the `wanted` newest rows: of the partitions that they touch, or of the whole table."""
    if is_dynamic and wanted <= 0:
        return
    state, settings, hits = t.state, laws.settings, t.hits
    by_partition = is_dynamic and settings[IS_PARTITIONED] > 0
    closes = settings[LIFETIME_COMMITS] < inf
    if not by_partition:
        state[GONE] = rows_through(laws, state[COMMITS]) - wanted
    find_overwritten(t, laws, wanted, by_partition)
    tasks = min(settings[TASKS], wanted)
    made = tasks
    if tasks and settings[IS_PARTITIONED]:
        made = tasks * newest_partitions(t, laws, wanted / tasks)
    operation = OVERWRITTEN + (WITH_PARTITIONS if is_dynamic else 0)
    place = NEWEST if by_partition and closes else SCATTERED
    hits[TOGETHER] = settings[FILES] / settings[PARTITIONS_TOUCHED]
    out_of_manifests(t, laws, place)
    rewrite_files(t, laws, place, wanted, made, operation, 0.0, 0.0)


def find_overwritten(t: Table, laws: Laws, wanted: float, by_partition: bool) -> None:
    """The files in partitions that are overwritten, or all of them, into `hits`."""
    state, settings, hits, classes = t.state, laws.settings, t.hits, t.classes
    find_live(t, laws)
    closes = settings[LIFETIME_COMMITS] < inf
    shares = 1.0
    if by_partition:
        shares = newest_partitions(t, laws, wanted) / partitions_so_far(t, laws)
    of_newest = by_partition and closes and settings[HAS_RULE] == 0
    for number in range(3):
        share, one = shares, classes[number]
        if of_newest:
            share = newest_share(t, laws, wanted, number)
        hits[HIT_FILES + number] = one[CLASS_FILES] * share
        hits[HIT_ROWS + number] = one[CLASS_LIVE] * share
        hits[HIT_SHARES + number] = hits[HIT_ROW_SHARES + number] = share
    hits[SQUARES_LEFT] = state[SQUARES] * (1 - hits[HIT_SHARES + PARTIAL_CLASS])
    hits[IN_STEP] = 0.0


def newest_share(t: Table, laws: Laws, wanted: float, number: int) -> float:
    """The share of the files of a class that is in the partitions of the `wanted` newest rows: what came since the last
    statement, or since the oldest of those partitions was opened, and what that statement wrote there.
    """
    state, settings, one = t.state, laws.settings, t.classes[number]
    each, lasts = settings[FILES], settings[LIFETIME_COMMITS]
    per_commit = rows_through(laws, 2.0) - rows_through(laws, 1.0)
    opened = floor((state[COMMITS] - ceil(wanted / per_commit)) / lasts + 1e-6) * lasts
    came = max(0.0, t.classes[SMALL][CLASS_FILES] - state[SMALL_SEEN])
    of_partitions = newest_partitions(t, laws, wanted) / settings[OPEN_PARTITIONS]
    files = 0.0
    if number == SMALL:
        files = min(came, (state[COMMITS] - opened) * each) * of_partitions
    elif number == edge_class(t, laws) and state[COMMITS] - came / each > opened:
        files = min(state[EDGE_FILES], one[CLASS_FILES]) * of_partitions
    return min(1.0, files / one[CLASS_FILES]) if one[CLASS_FILES] > NEGLIGIBLE else 0.0


def newest_partitions(t: Table, laws: Laws, rows: float) -> float:
    """Partitions that this number of the newest rows falls into by chance, of those that were opened last."""
    return drawn(min(partitions_so_far(t, laws), laws.settings[OPEN_PARTITIONS]), rows)
