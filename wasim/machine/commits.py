"""Commits of the writer's, what maintenance and statements commit, and what snapshots say of them."""

from math import floor, inf

from wasim.machine.columns import (
    ADDED_BYTES,
    ADDED_FILES,
    ADDED_RECORDS,
    APPENDS_MERGE,
    BYTES,
    CHANGED_PARTITIONS,
    COMMITS,
    COUNT,
    COUNTED_IF_ANY,
    COUNTERS,
    COUNTS_MANIFESTS,
    CREATED,
    DATA,
    DEAD,
    DELETES,
    DELETES_BY_KEY,
    DELTA_BYTES,
    DELTA_FILES,
    DELTA_KEYS,
    DELTA_POSITIONS,
    EPOCHS,
    EQUALITY_DELETES,
    EVENTS,
    FILE_BYTES,
    FILES,
    FIRST_BYTES,
    FIRST_FILES,
    FRESH,
    FROZEN,
    HAS_ROW_IDS,
    HELD,
    KEPT,
    LEAST_MERGED,
    LIST_BYTES,
    LISTED,
    MANIFEST_COMMITS,
    MANIFEST_TARGET,
    MERGE_COPIED,
    NEW,
    NEW_DATA,
    NEW_DELETES,
    NEWEST_BYTES,
    NEWEST_COMMIT,
    NEWEST_FILES,
    NUMBERS,
    OPEN,
    PARTIAL,
    PEAK_DELETES,
    PEAK_MANIFESTS,
    POSITION_DELETES,
    REMOVED_BYTES,
    REMOVED_DATA_FILES,
    REMOVED_FILES,
    REMOVED_RECORDS,
    REPLACED,
    REPLACED_FILES,
    REPLACED_MANIFESTS,
    REPLACED_MANIFESTS_ONLY,
    REWRITTEN,
    REWRITTEN_MORE,
    ROWS,
    ROWS_OF,
    ROWS_PER_COMMIT,
    SEQUENCES,
    SETTLED,
    SETTLES,
    SHORTEST,
    SIBLING_SAVING,
    SIBLINGS,
    SMALL_SEEN,
    SNAPSHOT_JSON_BYTES,
    SNAPSHOTS,
    SORTED,
    SQUARES,
    STAGED_DATA,
    STAGED_DELETES,
    SUMS,
    USES_VECTORS,
    WASTED_MANIFESTS,
    WITH_MERGE,
    WITH_PARTITIONS,
    WITH_SIBLING,
    WRITTEN_FILES,
    WRITTEN_MANIFESTS,
    Column,
    Laws,
    Table,
)
from wasim.machine.files import (
    GROUPS,
    LEFT_PARTIAL,
    LEFT_SMALL,
    MADE_BYTES,
    MADE_PARTIAL,
    MADE_SETTLED,
    MADE_SQUARES,
    MANIFESTS_WRITTEN,
    PARTIAL_SHARE,
    SMALL_SHARE,
    TAKEN_BYTES,
    TAKEN_FILES,
    arrive,
    compact_groups,
    drop_closed,
    find_classes,
    reopen_much_deleted,
)
from wasim.machine.lookups import digits, digits_through, list_bytes, lists_between, manifest_bytes, whole
from wasim.machine.manifests import (
    NEGLIGIBLE,
    add_manifests,
    commits_until_merge,
    count_of,
    drop_dead,
    entries_of,
    filter_all,
    join_last,
    merge_manifests,
    note_written,
    rewrite_manifests,
    settle_entries,
    settle_manifests,
    sum_manifests,
    take,
)

# Share of what a list saves by a checkpoint's second manifest that deflate finds: with all of it, lists of the scenario
# flink_upsert are 1 % off or more
SEEN = 0.92
FOUND_FULLY = 1.0


def live_files(t: Table, group: int) -> float:
    """Data files, or delete files, of the current snapshot."""
    return t.flows[WRITTEN_FILES + 2 * group] - t.flows[REMOVED_FILES + 2 * group]


def live_file_bytes(t: Table, group: int) -> float:
    """Their bytes."""
    return t.flows[WRITTEN_FILES + 2 * group + 1] - t.flows[REMOVED_FILES + 2 * group + 1]


def manifests_listed(t: Table) -> float:
    """Manifests that the current snapshot lists."""
    return count_of(t, DATA) + count_of(t, DELETES)


def saved_bytes(t: Table, laws: Laws) -> float:
    """Bytes that a list is smaller than one of as many manifests of the writer's own, each of another commit.

    `sums` are to be of all manifests.
    """
    saved = laws.settings[SIBLING_SAVING] * (t.sums[WITH_SIBLING] + t.sums[SUMS + WITH_SIBLING])
    if laws.settings[SETTLES]:
        return saved
    return saved - laws.settings[REWRITTEN_MORE] * t.sums[REWRITTEN]


def current_list_bytes(t: Table, laws: Laws) -> float:
    """Bytes of the current snapshot's list."""
    sum_manifests(t, DATA)
    sum_manifests(t, DELETES)
    return list_bytes(laws, t.sums[LISTED] + t.sums[SUMS + LISTED]) - saved_bytes(t, laws)


def note_peaks(t: Table, manifests: float) -> None:
    """Notes so many manifests, and delete files as there are, if there were not more since the last sample."""
    t.state[PEAK_MANIFESTS] = max(t.state[PEAK_MANIFESTS], manifests)
    t.state[PEAK_DELETES] = max(t.state[PEAK_DELETES], live_files(t, DELETES))


# -- appends ------------------------------------------------------------------------------------------------------


def append(t: Table, laws: Laws, commits: float) -> None:
    """Makes this many commits of the writer, with the merges among them."""
    state, settings, done = t.state, laws.settings, 0.0
    by_key = settings[DELETES_BY_KEY] > 0
    if settings[APPENDS_MERGE]:
        drop_dead(t, DATA)
        drop_dead(t, DELETES)
    for place in range(8):
        t.numbers[place] = _growing_number(t, laws, place)
    while done < commits:
        of_data = of_deletes = inf
        if by_key and state[COMMITS] < 1:  # replaces nothing, and has sizes of its own
            of_data = 1.0
        elif settings[APPENDS_MERGE]:
            of_data = commits_until_merge(t, laws, DATA, settings[NEW_DATA])
            if by_key:
                of_deletes = commits_until_merge(t, laws, DELETES, settings[NEW_DELETES])
        until = min(of_data, of_deletes)
        cycles = equal_merges(t, laws, of_data, commits - done)
        if cycles > 0:
            merge_again(t, laws, cycles)
            done += cycles * until
        elif until > commits - done:
            append_run(t, laws, commits - done)
            done = commits
        else:
            append_run(t, laws, until - 1)
            append_one(t, laws, of_data == until, of_deletes == until)
            done += until
        state[EVENTS] += 1
    t.flows[SNAPSHOTS] += done
    found = done * settings[SHORTEST]
    for place in range(8):
        found += _digits_more(t, laws, place, done)
    t.flows[SNAPSHOT_JSON_BYTES] += found


def _growing_number(t: Table, laws: Laws, place: int) -> float:
    """A number in a snapshot's JSON that grows evenly while commits append; less than none where there is none."""
    settings, flows = laws.settings, t.flows
    if place == 0:
        return flows[ROWS]
    if place == 1:
        return live_files(t, DATA)
    if place == 2:
        return live_file_bytes(t, DATA) + live_file_bytes(t, DELETES)
    if place == 3:
        return flows[SNAPSHOTS] if settings[SEQUENCES] else -1.0
    if place == 4:
        return max(0.0, flows[ROWS] - settings[ROWS_PER_COMMIT]) if settings[HAS_ROW_IDS] else -1.0
    if not settings[DELETES_BY_KEY]:
        return -1.0
    if place == 5:
        return live_files(t, DELETES)
    return flows[EQUALITY_DELETES] if place == 6 else flows[POSITION_DELETES]


def _digits_more(t: Table, laws: Laws, place: int, commits: float) -> float:
    """Digits beyond one each of such a number over the last commits, before which `numbers` has it."""
    before, found = t.numbers[place], 0.0
    if place == 0 and laws.settings[EPOCHS]:  # of the writer's commits, which some summaries number
        found = laws.settings[EPOCHS] * (digits_through(t.state[COMMITS] - commits, 1.0, commits) - commits)
    if before < 0:
        return found
    step = max(0.0, _growing_number(t, laws, place) - before) / commits
    return found + digits_through(before, step, commits) - commits


def append_run(t: Table, laws: Laws, commits: float) -> None:
    """Commits that merge nothing, in closed form."""
    if commits <= 0:
        return
    state, settings = t.state, laws.settings
    sum_manifests(t, DATA)
    sum_manifests(t, DELETES)
    before, saved = t.sums[LISTED] + t.sums[SUMS + LISTED], commits * saved_bytes(t, laws)
    each = 2 if settings[DELETES_BY_KEY] else 1
    add_new(t, laws, commits)
    join_last(t, DATA)
    if each > 1:  # a checkpoint's manifest of deletes has the id and the name of that of its data
        join_last(t, DELETES)
        saved += settings[SIBLING_SAVING] * commits * (commits + 1) / 2
    t.flows[LIST_BYTES] += lists_between(laws, before, each, commits) - saved
    state[COMMITS] += commits
    state[MANIFEST_COMMITS] += commits * before + each * commits * (commits + 1) / 2
    if settings[COUNTS_MANIFESTS]:
        t.flows[SNAPSHOT_JSON_BYTES] += digits_through(before - 1 if before else 0.0, float(each), commits) - commits
    note_peaks(t, before + each * commits)


def equal_merges(t: Table, laws: Laws, until: float, commits: float) -> float:
    """How many merges follow each other, the next one included, that take `until` commits each within so many and add
    as many entries to the only manifest of the newest bin, whose bytes grow by as much each time.
    """
    state, settings, m, counts = t.state, laws.settings, t.manifests[DATA], laws.data_counts
    row, last = int(state[OPEN]), len(counts) - 2
    if settings[DELETES_BY_KEY] or until + 1 != settings[LEAST_MERGED] or until >= commits:
        return 0.0
    if row + 1 != state[ROWS_OF] or m[COUNT][row] != 1 or m[SIBLINGS][row] or m[FRESH][row] < 1 - settings[SETTLES]:
        return 0.0
    entries = m[FRESH][row] + m[PARTIAL][row] + m[SETTLED][row]
    if entries + until * settings[FILES] < counts[last]:
        return 0.0
    room = settings[MANIFEST_TARGET] - until * settings[NEW_DATA]
    grows = until * settings[FILES] * data_slope(laws)
    after = _merged_bytes(t, laws, row, until)
    if m[BYTES][row] > room or after > room - grows or grows <= 0:
        return 0.0
    return min(float(floor(commits / until)), float(floor((room - after) / grows)))


def data_slope(laws: Laws) -> float:
    """Bytes of one more entry of a manifest of many."""
    counts, sizes, last = laws.data_counts, laws.data_sizes, len(laws.data_counts) - 2
    return (sizes[last + 1] - sizes[last]) / (counts[last + 1] - counts[last])


def _merged_bytes(t: Table, laws: Laws, row: int, commits: float) -> float:
    """Bytes of a manifest with the files of so many further commits in it."""
    m, settings = t.manifests[DATA], laws.settings
    more = commits * settings[FILES]
    fresh, compacted = m[FRESH][row], m[PARTIAL][row] + m[SETTLED][row]
    if settings[SETTLES]:
        return manifest_bytes(laws, t.state, DATA, fresh, compacted + more, m[SORTED][row])
    return manifest_bytes(laws, t.state, DATA, fresh + more, compacted, m[SORTED][row])


def merge_again(t: Table, laws: Laws, cycles: float) -> None:
    """So many `equal_merges`, in closed form: what each writes is an arithmetic series."""
    state, settings, flows, m = t.state, laws.settings, t.flows, t.manifests[DATA]
    until = settings[LEAST_MERGED] - 1
    row, commits, new = int(state[OPEN]), cycles * until, settings[NEW_DATA]
    sum_manifests(t, DATA)
    sum_manifests(t, DELETES)
    before, saved = t.sums[LISTED] + t.sums[SUMS + LISTED], saved_bytes(t, laws)
    size, first, last = m[BYTES][row], _merged_bytes(t, laws, row, until), _merged_bytes(t, laws, row, commits)
    merged = cycles * (first + last) / 2
    flows[WRITTEN_MANIFESTS] += commits + cycles
    flows[WRITTEN_MANIFESTS + 1] += commits * new + merged
    flows[REPLACED_MANIFESTS] += commits  # each time the one that merges begin with, and all new ones but the last
    flows[REPLACED_MANIFESTS + 1] += (commits - cycles) * new + merged + size - last
    flows[WASTED_MANIFESTS] += cycles
    flows[WASTED_MANIFESTS + 1] += cycles * new
    flows[WRITTEN_FILES] += commits * settings[FILES]
    flows[WRITTEN_FILES + 1] += commits * settings[FILES] * settings[FILE_BYTES]
    flows[ROWS] += commits * settings[ROWS_PER_COMMIT]
    lists = lists_between(laws, before, 1, until - 1) + list_bytes(laws, before) - until * saved
    flows[LIST_BYTES] += cycles * lists
    if settings[COUNTS_MANIFESTS]:
        shown = digits_through(before - 1, 1.0, until - 1) + digits(before - 1)
        flows[SNAPSHOT_JSON_BYTES] += cycles * (shown - until)
    m[SETTLED if settings[SETTLES] else FRESH][row] += commits * settings[FILES]
    m[BYTES][row] = last
    state[COMMITS] += commits
    state[MANIFEST_COMMITS] += cycles * (until * before + until * (until - 1) / 2)
    state[PEAK_MANIFESTS] = max(state[PEAK_MANIFESTS], before + until - 1)


def append_one(t: Table, laws: Laws, merges_data: bool, merges_deletes: bool) -> None:
    """One commit by itself, which merges."""
    add_new(t, laws, 1.0)
    if merges_data:
        t.manifests[DATA][NEW][int(t.state[ROWS_OF + DATA]) - 1] = 1.0
        merge(t, laws, DATA)
        settle_manifests(t, laws, DATA)
    else:
        join_last(t, DATA)
    if merges_deletes:
        t.manifests[DELETES][NEW][int(t.state[ROWS_OF + DELETES]) - 1] = 1.0
        merge(t, laws, DELETES)
        settle_manifests(t, laws, DELETES)
    elif laws.settings[DELETES_BY_KEY]:
        join_last(t, DELETES)
    t.flows[LIST_BYTES] += current_list_bytes(t, laws)
    t.state[COMMITS] += 1
    manifests = t.sums[LISTED] + t.sums[SUMS + LISTED]
    t.state[MANIFEST_COMMITS] += manifests
    if laws.settings[COUNTS_MANIFESTS]:
        t.flows[SNAPSHOT_JSON_BYTES] += digits(max(0.0, manifests - 1)) - 1
    note_peaks(t, manifests)


def merge(t: Table, laws: Laws, group: int) -> float:
    """What a merging commit does to manifests of data, or of deletes; how many were merged into others.

    Older manifests of deletes have no sibling any more once that of data was merged.
    """
    merged = merge_manifests(t, laws, group)
    if merged and group == DATA and t.state[ROWS_OF + DELETES]:
        m = t.manifests[DELETES]
        for row in range(int(t.state[ROWS_OF + DELETES])):
            if not m[NEW][row] and m[SIBLINGS][row]:
                m[SIBLINGS][row] = 0.0
        t.state[FROZEN + SUMS + WITH_SIBLING] = 0.0
    return merged


def add_new(t: Table, laws: Laws, commits: float) -> None:
    """Writes and lists each commit's own manifests and files."""
    settings, flows, files = laws.settings, t.flows, laws.settings[FILES]
    fresh, settled = (0.0, files) if settings[SETTLES] else (files, 0.0)
    add_manifests(t, DATA, commits, settings[NEW_DATA], fresh, settled)
    note_written(flows, DATA, commits, settings[NEW_DATA])
    note_staged(flows, DATA, commits, settings[STAGED_DATA])
    flows[WRITTEN_FILES] += commits * files
    flows[WRITTEN_FILES + 1] += commits * files * settings[FILE_BYTES]
    flows[ROWS] += commits * settings[ROWS_PER_COMMIT]
    if not settings[DELETES_BY_KEY]:
        return
    is_first = t.state[COMMITS] < 1
    deletes = settings[FIRST_FILES] if is_first else settings[DELTA_FILES]
    size = settings[FIRST_BYTES] if is_first else settings[DELTA_BYTES]
    row = add_manifests(t, DELETES, commits, settings[NEW_DELETES], deletes, 0.0)
    t.manifests[DELETES][SIBLINGS][row] = SEEN
    note_written(flows, DELETES, commits, settings[NEW_DELETES])
    note_staged(flows, DELETES, commits, settings[STAGED_DELETES])
    flows[WRITTEN_FILES + 2] += commits * deletes
    flows[WRITTEN_FILES + 3] += commits * size
    flows[EQUALITY_DELETES] += commits * settings[DELTA_KEYS]
    if not is_first:
        flows[POSITION_DELETES] += commits * settings[DELTA_POSITIONS]


def note_staged(flows: Column, group: int, commits: float, size: float) -> None:
    """Manifests that Flink stages, and deletes once the commit is made."""
    if size:
        for place in (WRITTEN_MANIFESTS, WASTED_MANIFESTS):
            flows[place + 2 * group] += commits
            flows[place + 2 * group + 1] += commits * size


# -- what is not the writer's -----------------------------------------------------------------------------------------


def clear_numbers(t: Table) -> None:
    """Forgets what the last commit counted."""
    for place in range(NUMBERS):
        t.numbers[place] = 0.0


def note_operation(t: Table, laws: Laws, operation: int) -> None:
    """A commit of maintenance or of a statement, which `numbers` counts: its snapshot, and its list."""
    flows, numbers = t.flows, t.numbers
    size = laws.around[operation]
    for place in range(COUNTED_IF_ANY):
        value = whole(numbers[place])
        if value > 0:
            size += laws.key_bytes[place] + laws.key_numbers[place] * digits(value)
    for place in range(COUNTED_IF_ANY, COUNTERS):
        size += laws.key_numbers[place] * digits(whole(numbers[place]))
    if WITH_MERGE <= operation < WITH_PARTITIONS:
        copied, updated, inserted = numbers[MERGE_COPIED], numbers[MERGE_COPIED + 1], numbers[MERGE_COPIED + 2]
        size += digits(max(0.0, whole(copied))) + 2 * digits(whole(updated)) + digits(whole(inserted))
    held = t.state[HELD] + t.state[HELD + 1] + t.state[HELD + 2]
    size += digits(whole(flows[ROWS])) + digits(whole(live_file_bytes(t, DATA) + live_file_bytes(t, DELETES)))
    size += digits(whole(live_files(t, DATA))) + digits(whole(held if held else live_files(t, DELETES)))
    size += digits(whole(flows[POSITION_DELETES])) + 1
    if laws.settings[SEQUENCES]:
        size += digits(flows[SNAPSHOTS]) - 1
    flows[SNAPSHOTS] += 1
    flows[SNAPSHOT_JSON_BYTES] += size
    flows[LIST_BYTES] += current_list_bytes(t, laws)
    note_peaks(t, t.sums[LISTED] + t.sums[SUMS + LISTED])
    settle_manifests(t, laws, DATA)
    settle_manifests(t, laws, DELETES)


def rewrite_all_manifests(t: Table, laws: Laws) -> None:
    """Spark's rewrite_manifests."""
    before = manifests_listed(t)
    done = rewrite_manifests(t, laws, DATA)
    done = rewrite_manifests(t, laws, DELETES) or done
    if not done:
        return
    clear_numbers(t)
    t.numbers[CREATED], t.numbers[REPLACED] = manifests_listed(t), before
    note_operation(t, laws, REPLACED_MANIFESTS_ONLY)


def compact(t: Table, laws: Laws, share: float) -> None:
    """Spark's rewrite_data_files in one commit, or a share of its groups."""
    arrive(t, laws)
    reopen_much_deleted(t, laws)
    find_classes(t)
    flows, numbers, done = t.flows, t.numbers, t.hits
    compact_groups(t, laws, share, done)
    drop_closed(t, laws, done)
    left_small, left_partial = done[LEFT_SMALL], done[LEFT_PARTIAL]
    if done[GROUPS] > 0:
        made, created = done[MADE_PARTIAL] + done[MADE_SETTLED], done[MANIFESTS_WRITTEN]
        takes_all = True
        for number in range(2):
            shared, files = done[SMALL_SHARE + number], t.classes[number][0]
            takes_all = takes_all and (shared >= 1 - NEGLIGIBLE or files <= NEGLIGIBLE)
        takes_all = takes_all and t.classes[2][0] <= NEGLIGIBLE
        add_rewritten(t, laws, done[MADE_PARTIAL], done[MADE_SETTLED])
        replaced = merge(t, laws, DATA) + created
        named = held_files(t)
        rows = whole(
            flows[ROWS] * min(1.0, done[TAKEN_BYTES] / max(1.0, live_file_bytes(t, DATA) + live_file_bytes(t, DELETES)))
        )
        forget_compacted(t, done)
        if laws.settings[USES_VECTORS]:
            drop_vectors(t, laws, named - held_files(t))
        if takes_all:
            drop_deletes(t, laws)
        flows[REMOVED_FILES] += done[TAKEN_FILES]
        flows[REMOVED_FILES + 1] += done[TAKEN_BYTES]
        flows[WRITTEN_FILES] += made
        flows[WRITTEN_FILES + 1] += done[MADE_BYTES]
        clear_numbers(t)
        numbers[CREATED], numbers[REPLACED] = 1 + created, replaced
        numbers[KEPT] = max(0.0, manifests_listed(t) - 1 - created)
        numbers[ADDED_FILES], numbers[ADDED_RECORDS], numbers[ADDED_BYTES] = max(1.0, made), rows, done[MADE_BYTES]
        numbers[REMOVED_DATA_FILES], numbers[REMOVED_RECORDS] = done[TAKEN_FILES], rows
        numbers[REMOVED_BYTES], numbers[CHANGED_PARTITIONS] = done[TAKEN_BYTES], max(1.0, done[GROUPS])
        note_operation(t, laws, REPLACED_FILES)
    if left_small + left_partial > NEGLIGIBLE:
        settle_oldest(t, laws, left_small, left_partial)


def settle_oldest(t: Table, laws: Laws, small: float, partial: float) -> None:
    """Counts entries of files in partitions that closed as settled."""
    from_fresh = min(small, entries_of(t, DATA, FRESH))
    settle_entries(t, DATA, FRESH, from_fresh)
    settle_entries(t, DATA, FRESH + 1, partial)
    settle_manifests(t, laws, DATA)


def held_files(t: Table) -> float:
    """Data files that delete files name."""
    return t.state[HELD] + t.state[HELD + 1] + t.state[HELD + 2]


def add_rewritten(t: Table, laws: Laws, partial: float, settled: float) -> None:
    """Lists rewritten files in a manifest of the commit's own."""
    size = manifest_bytes(laws, t.state, DATA, 0.0, partial + settled, 0.0)
    row = add_manifests(t, DATA, 1.0, size, 0.0, settled)
    t.manifests[DATA][FRESH + 1][row], t.manifests[DATA][NEW][row] = partial, 1.0
    note_written(t.flows, DATA, 1.0, size)


def forget_compacted(t: Table, done: Column) -> None:
    """What statements had deleted by position is gone from the files that were compacted."""
    state = t.state
    for number in range(2):
        share = done[SMALL_SHARE + number]
        t.flows[ROWS] -= state[DEAD + number] * share
        state[DEAD + number] *= 1 - share
        state[HELD + number] *= 1 - share
    state[SMALL_SEEN] *= 1 - done[SMALL_SHARE]
    state[SQUARES] = state[SQUARES] * (1 - done[PARTIAL_SHARE]) + done[MADE_SQUARES]


def drop_vectors(t: Table, laws: Laws, files: float) -> None:
    """Deletion vectors of this many files go with them, the newest ones, as these are what compaction takes."""
    held = entries_of(t, DELETES, FRESH)
    if files <= NEGLIGIBLE or not held:
        return
    size, live, share = live_file_bytes(t, DELETES), live_files(t, DELETES), min(1.0, files / held)
    take(t, laws, DELETES, files, 0.0, 0.0, 1)
    merge(t, laws, DELETES)
    t.flows[REMOVED_FILES + 2] += live * share
    t.flows[REMOVED_FILES + 3] += size * share


def drop_deletes(t: Table, laws: Laws) -> None:
    """Delete files older than all data that is left apply to nothing, and go with the next commit that filters: all but
    those of a statement since which no row came, as compacted files are as old as that.
    """
    state, flows = t.state, t.flows
    if not state[ROWS_OF + DELETES]:
        return
    kept = kept_bytes = 0.0
    if state[NEWEST_COMMIT] == state[COMMITS]:
        kept, kept_bytes = state[NEWEST_FILES], state[NEWEST_BYTES]
    files, size = max(0.0, entries_of(t, DELETES, FRESH) - kept), live_file_bytes(t, DELETES)
    if kept:
        take(t, laws, DELETES, files, 0.0, 0.0, 0)
    else:
        filter_all(t, laws, DELETES)
    merge(t, laws, DELETES)
    flows[REMOVED_FILES + 2] += files
    flows[REMOVED_FILES + 3] += max(0.0, size - kept_bytes)
