"""The commits of a writer in the machine, summed in closed form from one merge to the next."""

from math import ceil, inf

from wasim.years.machine.manifests import (
    add_up,
    commits_until_merge,
    copy_some,
    drop_dead,
    full_manifests,
    list_bytes,
    list_new,
    merge,
    saved,
    settle,
)
from wasim.years.machine.sizes import at, digits_through, is_any, through
from wasim.years.machine.tables import *


def live_files(table: Table, group: int) -> float:
    """Data files, or delete files, of the current snapshot."""
    return table.flows[WRITTEN_FILES + 2 * group] - table.flows[REMOVED_FILES + 2 * group]


def live_bytes(table: Table) -> float:
    """Bytes of data and delete files of the current snapshot."""
    flows, written, removed = table.flows, WRITTEN_FILES + 1, REMOVED_FILES + 1
    return flows[written] + flows[written + 2] - flows[removed] - flows[removed + 2]


def manifests_of(table: Table) -> float:
    """Manifests that the current snapshot lists."""
    found = 0.0
    for group in range(2):
        for place in range(table.used[group]):
            found += table.rows[group][place][COUNT]
    return found


def snapshot_numbers(table: Table, laws: Laws, found: list[float]) -> int:
    """The numbers in a snapshot's JSON that grow from commit to commit, as the last one had them; how many."""
    flows = table.flows
    found[0], found[1], found[2] = flows[ROWS], live_files(table, 0), live_bytes(table)
    count = 3
    for _ in range(laws.epochs):
        found[count] = table.numbers[COMMITS]
        count += 1
    if laws.sequences:
        found[count] = flows[SNAPSHOTS]
        count += 1
    if laws.deletes:
        found[count], found[count + 1] = live_files(table, 1), flows[EQUALITY_DELETES]
        found[count + 2] = flows[POSITION_DELETES]
        count += 3
    if laws.has_row_ids:
        found[count] = max(0.0, flows[ROWS] - laws.rows_per_commit)
        count += 1
    if laws.counts_manifests:
        found[count] = max(0.0, manifests_of(table) - 1)
        count += 1
    return count


def note_staged(table: Table, laws: Laws, group: int, commits: float) -> None:
    """Manifests that Flink stages, and deletes once the commit is made."""
    if laws.staged[group] > 0:
        for place in (WRITTEN_MANIFESTS, WASTED_MANIFESTS):
            table.flows[place + 2 * group] += commits
            table.flows[place + 2 * group + 1] += commits * laws.staged[group]


def add_new(table: Table, laws: Laws, commits: float, is_new: int) -> float:
    """Writes and lists each commit's own manifests; how many each brings."""
    flows, each = table.flows, 0.0
    for one in range(laws.new_kinds):
        each += laws.new_counts[one]
    settled = laws.settled_files / laws.files
    for one in range(laws.new_kinds - 1, -1, -1):
        held = laws.new_files[one] * (1 - settled), laws.new_files[one] * settled
        list_new(table, 0, commits * laws.new_counts[one], laws.new_bytes[one], held, 1 - 1 / each, is_new)
    note_staged(table, laws, 0, commits)
    flows[WRITTEN_FILES] += commits * laws.files
    flows[WRITTEN_FILES + 1] += commits * laws.files * laws.file_bytes
    flows[ROWS] += commits * laws.rows_per_commit
    if not laws.deletes:
        return each
    files, size, positions = laws.delta_files, laws.delta_bytes, laws.positions
    if table.numbers[COMMITS] < 1:
        files, size, positions = laws.first_files, laws.first_bytes, 0.0
    list_new(table, 1, commits, laws.delete_manifest, (files, 0.0), 0.0, 0)
    note_staged(table, laws, 1, commits)
    flows[WRITTEN_FILES + 2] += commits * files
    flows[WRITTEN_FILES + 3] += commits * size
    flows[EQUALITY_DELETES] += commits * laws.keys
    flows[POSITION_DELETES] += commits * positions
    return each + 1


def append_run(table: Table, laws: Laws, commits: float) -> None:
    """Commits that merge nothing, in closed form."""
    if commits <= 0:
        return
    for group in range(2):
        add_up(table, group)
    before, spared = table.sums[0] + table.sums[7], commits * saved(table, laws)
    each = add_new(table, laws, commits, 0)
    # the lists of these commits hold before + each, before + 2 · each … manifests
    last = before + each * commits
    size = through(laws, last) - through(laws, before)
    if each > 1:  # manifests of the same commit have its id and its name
        siblings = each - 2 + SEEN if laws.deletes else each - 1
        spared += siblings * laws.sibling_saving * commits * (commits + 1) / 2
        # every other one: half of all, and half of what the last is larger than the one before the first
        rise = at(last, laws.list_counts, laws.list_bytes, laws.lists_known)
        rise -= at(before, laws.list_counts, laws.list_bytes, laws.lists_known)
        size = size / each + (each - 1) / each * rise / 2
    table.flows[LIST_BYTES] += size - spared
    table.numbers[COMMITS] += commits


def append_one(table: Table, laws: Laws, merges_data: bool, merges_deletes: bool) -> float:
    """One commit by itself, which merges; how many manifests of deletes it merged."""
    of_deletes = 0.0
    add_new(table, laws, 1.0, 1 if merges_data else 0)
    if merges_data:
        merge(table, laws, 0)
        settle(table, 0, MOST_KINDS)
    if merges_deletes:
        rows, used = table.rows[1], table.used[1]
        if is_any(rows[used - 1][COUNT] - 1):
            rows[used - 1][COUNT] -= 1
            table.used[1] = used = copy_some(rows, used, rows[used - 1], 1.0)
        rows[used - 1][IS_NEW] = 1.0
        of_deletes = merge(table, laws, 1)
        settle(table, 1, MOST_KINDS)
    table.flows[LIST_BYTES] += list_bytes(table, laws)
    table.numbers[COMMITS] += 1
    return of_deletes


def append(table: Table, laws: Laws, most: float) -> None:
    """At most this many commits of the writer, up to one that merges many manifests, or fills one."""
    if laws.filters:
        drop_dead(table, 0)
        drop_dead(table, 1)
    count = snapshot_numbers(table, laws, table.before)
    full = full_manifests(table, laws) if laws.merges else 0.0
    done, merged = 0.0, False
    while not merged:
        is_first = laws.deletes > 0 and table.numbers[COMMITS] < 1  # replaces nothing, and has sizes of its own
        of_data, of_deletes = inf, inf
        if is_first:
            of_data = 1.0
        elif laws.merges:
            if laws.new_kinds == 1:  # between full ones, what is left of each commit stays alone
                of_data = commits_until_merge(table, laws, 0, laws.new_bytes[0])
                if laws.new_counts[0] > 1 and of_data < inf:
                    of_data = float(ceil(of_data / laws.new_counts[0]))
            if laws.deletes:
                of_deletes = commits_until_merge(table, laws, 1, laws.delete_manifest)
        until = min(of_data, of_deletes)
        if until > most - done:
            append_run(table, laws, most - done)
            done = most
            break
        append_run(table, laws, until - 1)
        merged_deletes = append_one(table, laws, of_data == until, of_deletes == until)
        done += until
        many = until >= laws.least - 1 or merged_deletes >= laws.least
        merged = not is_first and (many or full_manifests(table, laws) != full)
    flows = table.flows
    flows[SNAPSHOTS] += done
    flows[SNAPSHOT_JSON_BYTES] += done * (laws.shortest - count)
    snapshot_numbers(table, laws, table.after)
    for place in range(count):
        first, last = table.before[place], table.after[place]
        flows[SNAPSHOT_JSON_BYTES] += digits_through(first, max(0.0, last - first) / done, done)
