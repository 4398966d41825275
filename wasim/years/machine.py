"""The machine: a table whose rows nobody changes, stepped through its commits by Iceberg's rules, event by event.

An event is a merge, a compaction or a rewrite of manifests; what appends do between two of them is summed in closed
form. All is plain numbers in rows, and these functions use scalars and loops alone: `compiled` compiles them where
numba is installed, and without it they run as they stand, on lists.

A row of manifests stands for some that are equal, a row of partitions for those that are open at the same time. Counts
are means, so no whole numbers.
"""

from dataclasses import dataclass
from math import ceil, exp, floor, inf, log

from wasim.rules.compaction import LARGE_FILE_SHARE, SMALL_FILE_SHARE, WRITTEN_SHARE
from wasim.years.flows import WIDTH, Flow

NEGLIGIBLE = 1e-9
MOST_KINDS = 16  # of manifests between two events: the most similar ones count as equal
MANY_KINDS = 40  # of appends that bring several manifests each
ROOM = 96  # rows of manifests
TABULATED = 512  # lengths of manifest lists
MOST_COHORTS = 24  # those of partitions that closed earlier count as equal
MANY_PARTS = 6.0
MANY_LEFT = 8.0  # emptied manifests
MEDIAN = 0.5  # a mean count of files by this much below a whole one is that one or more, as often as not
FEW_COMMITS = 8  # between two firings: of so few, chance decides how many it takes
TURNS = 24  # firings that wait each for another share of all that chance may bring
STRIDE = 17  # from one firing's share to the next one's, in 24ths: shares that follow each other lie apart
SEEN = 0.92  # of what a list saves by a checkpoint's second manifest, what deflate finds: else lists are 1 % off

# A row of manifests. Its entries are of files as they arrived, of compacted ones that are still too small, and of those
# that stay; of the fresh ones some are sorted by partition. `SIBLINGS` is the share of manifests that stand next to
# another one of the same commit. The last three are of the commit under way.
COUNT, BYTES, FRESH, PARTIAL, SETTLED, SORTED, SIBLINGS, GONE_FRESH, GONE_COMPACTED, IS_NEW = range(10)
COLUMNS = 10
# A row of partitions: the files below the target in each, as they came or compacted, and the rows in them
PARTITIONS, SMALL_FILES, SMALL_ROWS, PARTIAL_FILES, PARTIAL_ROWS = range(5)
# Single numbers of a table
COMMITS, DEALT, SETTLED_FILES, SETTLED_ROWS, LEFT_FILES, COHORTS, FIRED, SAMPLED, NEXT_STOP, NEXT_RUN = range(10)
JOBS, EVERY = 12, 13  # jobs carried out, and every how many of them samples are taken
NUMBERS = 14  # NEXT_RUN is one for each of three jobs
# Running sums, by name: a compiled function reads globals, not attributes of a class
EQUALITY_DELETES = Flow.EQUALITY_DELETES
LIST_BYTES = Flow.LIST_BYTES
POSITION_DELETES = Flow.POSITION_DELETES
REMOVED_FILES = Flow.REMOVED_FILES
REPLACED_MANIFESTS = Flow.REPLACED_MANIFESTS
ROWS = Flow.ROWS
SNAPSHOTS = Flow.SNAPSHOTS
SNAPSHOT_JSON_BYTES = Flow.SNAPSHOT_JSON_BYTES
WASTED_MANIFESTS = Flow.WASTED_MANIFESTS
WRITTEN_FILES = Flow.WRITTEN_FILES
WRITTEN_MANIFESTS = Flow.WRITTEN_MANIFESTS
# What a sample holds before the flows
OF_TABLE = 9
SAMPLE = OF_TABLE + WIDTH


@dataclass(slots=True, kw_only=True)
class Laws:
    """What a table's files take, and how its writer and its maintenance work. Bytes, commits; flags are 0 or 1.

    Lists of sizes have as many places as any table needs; beyond those in use they are not looked at.
    """

    # the writer
    filters: int  # whether its commits leave out manifests without live entries
    merges: int  # whether they merge
    packs: int  # whether the commits of jobs do
    files: float  # of a commit
    rows_per_commit: float
    file_bytes: float
    settles: int  # whether its files are too large for any compaction
    new_kinds: int  # of its manifests of one commit, newest first: how many of each, their files and bytes
    new_counts: list[float]
    new_files: list[float]
    new_bytes: list[float]
    staged: list[float]  # manifests that it writes and deletes at once, of data and of deletes
    # equality deletes: delete files of a commit, their bytes, keys and positions; files and bytes of the first commit
    deletes: int
    delta_files: float
    delta_bytes: float
    keys: float
    positions: float
    first_files: float
    first_bytes: float
    delete_manifest: float
    # merging
    target: float
    least: float
    # manifests: bytes by entries, of data and of deletes, and what compacted and sorted entries take more
    entries_known: list[int]
    entry_counts: list[list[float]]
    entry_bytes: list[list[float]]
    compacted_more: list[float]
    sorted_more: list[float]
    # manifest lists: bytes by manifests, and their sums over the first counts
    lists_known: int
    list_counts: list[float]
    list_bytes: list[float]
    list_sums: list[float]
    sibling_saving: float
    rewritten_more: float
    # data files: logarithms of bytes by those of rows
    rows_known: int
    log_rows: list[float]
    log_bytes: list[float]
    # compacted files that say where rows came from: a footer; steps back and commits, each of a row; bytes of each
    lineage_footer: float
    steps_back: float
    commits_of_row: float
    row_id_bytes: float
    step_bytes: float
    lineage_bytes: float
    changed_at_bytes: float
    # partitions
    partitions: float
    open_partitions: float
    lifetime: float  # commits
    # compaction
    compaction_target: float
    min_input_files: float
    small_rows: float  # of the largest file that it takes for its size
    new_share: float
    parts: int
    by_chance: int
    # jobs by count: files, manifests; infinite for one that is not
    least_files: float
    least_manifests: float
    # rewrite_manifests
    sorts: int
    together: float  # entries of a commit
    copies: int
    # snapshots in metadata.json
    shortest: float  # a writer's whose growing numbers have one digit each
    epochs: int
    sequences: int
    has_row_ids: int
    counts_manifests: int
    compaction_json: list[float]  # around its numbers: always; for each that is left out where there is none
    rewrite_json: float
    names_manifests: int  # whether a job's summary counts manifests
    nothing_json: float  # a writer's without rows, around its numbers
    is_zipped: int  # whether metadata.json is: then such snapshots take what others do


@dataclass(slots=True, kw_only=True)
class Table:
    """A table's state; all but the shapes of its arrays changes."""

    rows: list[list[list[float]]]  # of manifests of data, and of deletes
    used: list[int]  # how many rows of each are in use
    spare: list[list[float]]
    places: list[int]  # of the manifests in the open bin
    counts: list[float]
    cohorts: list[list[float]]
    numbers: list[float]
    flows: list[float]
    before: list[float]  # numbers in snapshots
    after: list[float]
    sums: list[float]


# -- laws ----------------------------------------------------------------------------------------------------------


def digits(value: float) -> int:
    """Digits of a whole number that is not negative."""
    found, power = 1, 10.0
    while value + 0.5 >= power:
        found += 1
        power *= 10.0
    return found


def digits_through(start: float, step: float, count: float) -> float:
    """Digits of start + step, start + 2 · step … in all, for the first `count` of them; `step` is not negative."""
    least, most = digits(start + step), digits(start + step * count)
    if least == most or step <= 0:
        return least * count
    total = least * count
    for number in range(least, most):
        first = ceil((10.0**number - start) / step)  # from here on they have one digit more
        total += max(0.0, count - max(0.0, first - 1.0))
    return total


def at(value: float, known: list[float], sizes: list[float], count: int) -> float:
    """Between measured sizes, and beyond them, linear."""
    low, high = 0, count - 1
    if high < 1:
        return sizes[0]
    while high - low > 1:
        middle = (low + high) // 2
        if known[middle] <= value:
            low = middle
        else:
            high = middle
    return sizes[low] + (sizes[low + 1] - sizes[low]) / (known[low + 1] - known[low]) * (value - known[low])


def through(laws: Laws, count: float) -> float:
    """Bytes of lists of 1, 2 … count manifests, together."""
    if count <= 0:
        return 0.0
    if count < TABULATED:
        whole = int(count)
        return laws.list_sums[whole] + (count - whole) * (laws.list_sums[whole + 1] - laws.list_sums[whole])
    beyond, last = count - TABULATED, laws.lists_known - 1
    slope = 0.0
    if last > 0:
        rise = laws.list_bytes[last] - laws.list_bytes[last - 1]
        slope = rise / (laws.list_counts[last] - laws.list_counts[last - 1])
    first = at(float(TABULATED), laws.list_counts, laws.list_bytes, laws.lists_known)
    return laws.list_sums[TABULATED] + beyond * first + slope * beyond * (beyond + 1) / 2


def manifest_bytes(laws: Laws, group: int, fresh: float, compacted: float, by_partition: float) -> float:
    """Bytes of a manifest by its entries."""
    beside_others = compacted - 1 + fresh if fresh < 1 else compacted
    more = laws.compacted_more[group] * max(0.0, beside_others) + laws.sorted_more[group] * by_partition
    return at(fresh + compacted, laws.entry_counts[group], laws.entry_bytes[group], laws.entries_known[group]) + more


def bytes_of_rows(laws: Laws, rows: float) -> float:
    """Bytes of a data file."""
    most = laws.log_rows[laws.rows_known - 1]
    return exp(at(min(log(max(rows, 1.0)), most), laws.log_rows, laws.log_bytes, laws.rows_known))


def compacted_bytes(laws: Laws, rows: float) -> float:
    """Bytes of a file that compaction made; in format version 3 it says of each row where it came from."""
    size = bytes_of_rows(laws, rows)
    if laws.lineage_footer == 0:
        return size
    commits = max(1.0, rows * laws.commits_of_row)
    last, bits = max(0, ceil(commits) - 1), 0
    while last > 0:
        last //= 2
        bits += 1
    ids = rows * (laws.row_id_bytes + laws.step_bytes * laws.steps_back)
    changed_at = laws.changed_at_bytes * commits + min(rows * bits / 8, 2 * (commits - 1))
    return size + laws.lineage_footer + laws.lineage_bytes + ids + changed_at


# -- manifests -----------------------------------------------------------------------------------------------------


def live_of(row: list[float]) -> float:
    """Live entries of one manifest."""
    return row[FRESH] + row[PARTIAL] + row[SETTLED]


def add_up(rows: list[list[float]], used: int, sums: list[float], group: int) -> None:
    """Manifests, bytes, entries; siblings, those of rewritten files alone; those with live entries, and their bytes."""
    first = 7 * group
    for place in range(first, first + 7):
        sums[place] = 0.0
    for place in range(used):
        row = rows[place]
        count, live = row[COUNT], live_of(row)
        sums[first] += count
        sums[first + 1] += count * row[BYTES]
        sums[first + 2] += count * live
        sums[first + 3] += count * row[SIBLINGS]
        if live > NEGLIGIBLE:
            if row[FRESH] <= NEGLIGIBLE:
                sums[first + 4] += count
            sums[first + 5] += count
            sums[first + 6] += count * row[BYTES]


def saved(table: Table, laws: Laws) -> float:
    """Bytes that a list is smaller than one of as many manifests of the writer's own; `sums` are known."""
    found = laws.sibling_saving * (table.sums[3] + table.sums[10])
    return found if laws.settles else found - laws.rewritten_more * table.sums[4]


def list_bytes(table: Table, laws: Laws) -> float:
    """Bytes of the current manifest list."""
    for group in range(2):
        add_up(table.rows[group], table.used[group], table.sums, group)
    return at(table.sums[0] + table.sums[7], laws.list_counts, laws.list_bytes, laws.lists_known) - saved(table, laws)


def is_like(one: list[float], other: list[float]) -> bool:
    """Whether manifests of two rows may be counted together."""
    if abs(one[BYTES] - other[BYTES]) > NEGLIGIBLE * one[BYTES]:
        return False
    for column in range(FRESH, SIBLINGS + 1):
        if abs(one[column] - other[column]) > NEGLIGIBLE:
            return False
    return True


def join(first: list[float], second: list[float]) -> None:
    """Makes the first row all manifests of both, on average."""
    one, other = first[COUNT], second[COUNT]
    count = one + other
    first[COUNT] = count
    for column in range(BYTES, SIBLINGS + 1):
        first[column] = (one * first[column] + other * second[column]) / count


def copy_row(rows: list[list[float]], to: int, row: list[float]) -> None:
    """Makes a row equal to another."""
    for column in range(COLUMNS):
        rows[to][column] = row[column]


def settle(table: Table, group: int, most: int) -> None:
    """Ends the commit under way."""
    rows, kept = table.rows[group], 0
    for place in range(table.used[group]):
        row = rows[place]
        if row[COUNT] <= NEGLIGIBLE:
            continue
        row[IS_NEW] = row[GONE_FRESH] = row[GONE_COMPACTED] = 0.0
        if kept:
            last = rows[kept - 1]
            few = last[COUNT] + row[COUNT] <= 1  # on average the two are one manifest at most
            if is_like(last, row) or (few and (live_of(last) > NEGLIGIBLE) == (live_of(row) > NEGLIGIBLE)):
                join(last, row)
                continue
        if kept != place:
            copy_row(rows, kept, row)
        kept += 1
    while kept > most:
        half, closest, least = max(2, kept // 2), 0, inf
        for place in range(half - 1):
            apart = abs(rows[place][BYTES] / rows[place + 1][BYTES] - 1.0)
            if apart < least:
                closest, least = place, apart
        join(rows[closest], rows[closest + 1])
        for place in range(closest + 1, kept - 1):
            copy_row(rows, place, rows[place + 1])
        kept -= 1
    table.used[group] = kept


def note_written(table: Table, group: int, count: float, size: float) -> None:
    """Counts manifests as written."""
    table.flows[WRITTEN_MANIFESTS + 2 * group] += count
    table.flows[WRITTEN_MANIFESTS + 2 * group + 1] += count * size


def note_leaving(table: Table, group: int, row: list[float], count: float) -> None:
    """Counts manifests as gone: in the commit that wrote them, or later."""
    place = (WASTED_MANIFESTS if row[IS_NEW] > 0 else REPLACED_MANIFESTS) + 2 * group
    table.flows[place] += count
    table.flows[place + 1] += count * row[BYTES]


def list_new(table: Table, group: int, count: float, size: float, entries: float, siblings: float, mark: int) -> None:
    """Lists manifests of files as they arrived that are the newest, and counts them as written; `mark` is 2 where these
    files are too large for compaction, and 1 more where they are of the commit under way.
    """
    if table.used[group] >= MANY_KINDS:
        settle(table, group, MOST_KINDS)
    rows, used = table.rows[group], table.used[group]
    row = rows[used]
    for column in range(COLUMNS):
        row[column] = 0.0
    row[COUNT], row[BYTES], row[SIBLINGS], row[IS_NEW] = count, size, siblings, float(mark % 2)
    row[SETTLED if mark > 1 else FRESH] = entries
    note_written(table, group, count, size)
    if used:
        last = rows[used - 1]
        if last[IS_NEW] == row[IS_NEW] and is_like(last, row):
            last[COUNT] += count
            return
    table.used[group] = used + 1


def drop_dead(table: Table, group: int) -> None:
    """Takes older manifests without live entries out of the list, as every commit does that may merge."""
    rows, kept = table.rows[group], 0
    for place in range(table.used[group]):
        row = rows[place]
        if row[IS_NEW] > 0 or live_of(row) > NEGLIGIBLE:
            if kept != place:
                copy_row(rows, kept, row)
            kept += 1
        else:
            note_leaving(table, group, row, row[COUNT])
    table.used[group] = kept


def close_bin(table: Table, laws: Laws, group: int, spares: int, parts: int, repeat: float, newest: bool) -> int:
    """What becomes of a bin of `parts`, or of so many equal ones: one manifest, or what it holds. Returns how many
    spare rows are in use; how many manifests were merged is added to the last of `counts`.
    """
    rows, spare, counts = table.rows[group], table.spare, table.counts
    items = 0.0
    for part in range(parts):
        items += counts[part]
    if items <= 1 + NEGLIGIBLE or (newest and items < laws.least - NEGLIGIBLE):
        for part in range(parts):
            copy_row(spare, spares, rows[table.places[part]])
            spare[spares][COUNT] = counts[part] * repeat
            spares += 1
        return spares
    merged = spare[spares]
    for column in range(COLUMNS):
        merged[column] = 0.0
    for part in range(parts):
        row, count = rows[table.places[part]], counts[part]
        note_leaving(table, group, row, count * repeat)
        for column in range(FRESH, GONE_COMPACTED + 1):
            merged[column] += count * row[column]
    # entries that this commit deleted are carried into what its own manifests become
    compacted = merged[PARTIAL] + merged[SETTLED] + merged[GONE_COMPACTED]
    size = manifest_bytes(laws, group, merged[FRESH] + merged[GONE_FRESH], compacted, merged[SORTED])
    merged[COUNT], merged[BYTES], merged[SIBLINGS], merged[IS_NEW] = repeat, size, 1 - 1 / repeat, 1.0
    note_written(table, group, repeat, size)
    counts[ROOM - 1] += items * repeat
    return spares + 1


def merge(table: Table, laws: Laws, group: int) -> float:
    """What a merging commit does: manifests without live entries go, bins become one manifest each. Returns how many
    were merged.

    Of emptied manifests a bin takes as many as fit in on average, no whole number, where many are left for the next
    ones: all of them are written again, and what fits in differs from time to time.
    """
    drop_dead(table, group)
    if not laws.packs:
        return 0.0
    rows, places, counts, target = table.rows[group], table.places, table.counts, laws.target
    parts, filled, spares = 0, 0.0, 0
    counts[ROOM - 1] = 0.0
    for place in range(table.used[group]):
        left, size = rows[place][COUNT], rows[place][BYTES]
        if parts:
            fitting = (target - filled) / size + NEGLIGIBLE
            if live_of(rows[place]) > NEGLIGIBLE or fitting < 1.5 or left < fitting + MANY_LEFT:
                fitting = float(floor(fitting))
            else:
                fitting -= 0.5
            if fitting > 0:
                taken = min(left, fitting)
                places[parts], counts[parts] = place, taken
                parts += 1
                filled += taken * size
                left -= taken
            if left <= NEGLIGIBLE:
                continue
            spares = close_bin(table, laws, group, spares, parts, 1.0, False)
        each = max(1.0, float(floor(target / size)))
        full = float(floor(left / each + NEGLIGIBLE))
        rest = left - full * each
        if rest <= NEGLIGIBLE:  # the last full bin is the one that stays open
            full, rest = full - 1, each
        places[0] = place
        if full > 0:
            counts[0] = each
            spares = close_bin(table, laws, group, spares, 1, full, False)
        counts[0], parts, filled = rest, 1, rest * size
    if parts:
        spares = close_bin(table, laws, group, spares, parts, 1.0, True)
    for place in range(spares):
        copy_row(rows, place, table.spare[place])
    table.used[group] = spares
    merged = counts[ROOM - 1]
    if merged > 0 and group == 0:  # older manifests of deletes have no sibling any more once that of data was merged
        for place in range(table.used[1]):
            table.rows[1][place][SIBLINGS] *= table.rows[1][place][IS_NEW]
    return merged


def commits_until_merge(table: Table, laws: Laws, group: int, new_bytes: float) -> float:
    """Commits that each add one manifest of `new_bytes`, up to the one that merges; infinite if none will."""
    rows, target, least = table.rows[group], laws.target, laws.least
    items = filled = 0.0
    for place in range(table.used[group]):
        left, size = rows[place][COUNT], rows[place][BYTES]
        if items > 0:
            fitting = float(floor((target - filled) / size + NEGLIGIBLE))
            if fitting > 0:
                taken = min(left, fitting)
                items, filled, left = items + taken, filled + taken * size, left - taken
            if left <= NEGLIGIBLE:
                continue
            if items > 1 + NEGLIGIBLE:
                return 1.0
        each = max(1.0, float(floor(target / size)))
        full = float(floor(left / each + NEGLIGIBLE))
        rest = left - full * each
        if rest <= NEGLIGIBLE:
            full, rest = full - 1, each
        if full > 0 and each > 1 + NEGLIGIBLE:
            return 1.0
        items, filled = rest, rest * size
    by_count = max(1.0, least - items)
    until_full = max(1.0, floor((target - filled) / new_bytes + NEGLIGIBLE) + 1.0)
    if until_full > by_count:
        return by_count
    if items + until_full - 1 > 1 + NEGLIGIBLE:
        return until_full
    # one manifest alone fills the bin: the next bin starts with this commit's
    per_bin = float(floor(target / new_bytes + NEGLIGIBLE))
    return inf if per_bin < 2 else max(1.0, until_full - 1 + min(least, per_bin + 1))


def full_manifests(table: Table, laws: Laws) -> float:
    """Manifests of data that merges have filled, with files that are live."""
    found = 0.0
    for place in range(table.used[0] - 1):
        row = table.rows[0][place]
        if row[BYTES] > laws.target / 2 and live_of(row) > NEGLIGIBLE:
            found += row[COUNT]
    return found


def filter_out(table: Table, laws: Laws, group: int, fresh: float, partial: float, settled: float) -> float:
    """Takes these shares of the entries of each kind out: every manifest that lists one of them is written again.
    Returns how many manifests that was.
    """
    rows, spare, spares, rewritten = table.rows[group], table.spare, 0, 0.0
    for place in range(table.used[group]):
        row = rows[place]
        taken = fresh * row[FRESH] + partial * row[PARTIAL] + settled * row[SETTLED]
        copy_row(spare, spares, row)
        if taken <= NEGLIGIBLE:
            spares += 1
            continue
        hit = min(taken, 1.0)  # of manifests in which less than one entry goes, this share holds one
        count, all_of_row = row[COUNT] * hit, row[COUNT]
        left = spare[spares]
        left[FRESH], left[PARTIAL] = row[FRESH] * (1 - fresh), row[PARTIAL] * (1 - partial)
        left[SETTLED], left[SORTED] = row[SETTLED] * (1 - settled), row[SORTED] * (1 - fresh)
        gone, gone_compacted = row[FRESH] * fresh / hit, (row[PARTIAL] * partial + row[SETTLED] * settled) / hit
        if hit < 1.0 - NEGLIGIBLE:
            left[COUNT] = all_of_row - count
            copy_row(spare, spares + 1, left)
            spares += 1
        note_leaving(table, group, row, count)
        written = spare[spares]
        written[COUNT], written[GONE_FRESH], written[GONE_COMPACTED], written[IS_NEW] = count, gone, gone_compacted, 1.0
        compacted = written[PARTIAL] + written[SETTLED] + gone_compacted
        written[BYTES] = manifest_bytes(laws, group, written[FRESH] + gone, compacted, row[SORTED])
        # the first of emptied ones stands next to the manifest of what their files were rewritten into
        written[SIBLINGS] = 1.0 if live_of(written) <= NEGLIGIBLE else max(0.0, 1 - 1 / count)
        note_written(table, group, count, written[BYTES])
        rewritten += count
        spares += 1
    for place in range(spares):
        copy_row(rows, place, spare[place])
    table.used[group] = spares
    return rewritten


def settle_entries(table: Table, kind: int, amount: float) -> None:
    """Counts this amount of the oldest entries of a kind as settled: no compaction takes their files any more."""
    if amount <= NEGLIGIBLE:
        return
    rows, spare, spares = table.rows[0], table.spare, 0
    for place in range(table.used[0]):
        row = rows[place]
        held = row[COUNT] * row[kind]
        copy_row(spare, spares, row)
        if amount > NEGLIGIBLE and held > NEGLIGIBLE:
            share = min(1.0, amount / held)
            amount -= share * held
            older, one = spare[spares], row[kind]
            if row[COUNT] <= 1 + NEGLIGIBLE or share >= 1 - NEGLIGIBLE:
                older[kind], older[SETTLED] = one * (1 - share), row[SETTLED] + one * share
            else:
                copy_row(spare, spares + 1, row)
                spare[spares + 1][COUNT] = row[COUNT] * (1 - share)
                older[COUNT], older[kind], older[SETTLED] = row[COUNT] * share, 0.0, row[SETTLED] + one
                spares += 1
                older = spare[spares - 1]
            older[SORTED] = min(older[SORTED], older[FRESH])
        spares += 1
    for place in range(spares):
        copy_row(rows, place, spare[place])
    table.used[0] = spares


# -- the writer's commits ------------------------------------------------------------------------------------------


def live_files(table: Table, group: int) -> float:
    """Data files, or delete files, of the current snapshot."""
    return table.flows[WRITTEN_FILES + 2 * group] - table.flows[REMOVED_FILES + 2 * group]


def live_bytes(table: Table) -> float:
    """Bytes of data and delete files of the current snapshot."""
    flows, written, removed = table.flows, WRITTEN_FILES + 1, REMOVED_FILES + 1
    return flows[written] + flows[written + 2] - flows[removed] - flows[removed + 2]


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
        manifests = 0.0
        for group in range(2):
            for place in range(table.used[group]):
                manifests += table.rows[group][place][COUNT]
        found[count] = max(0.0, manifests - 1)
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
    mark = is_new + 2 * laws.settles
    for one in range(laws.new_kinds - 1, -1, -1):
        list_new(
            table, 0, commits * laws.new_counts[one], laws.new_bytes[one], laws.new_files[one], 1 - 1 / each, mark
        )
    note_staged(table, laws, 0, commits)
    flows[WRITTEN_FILES] += commits * laws.files
    flows[WRITTEN_FILES + 1] += commits * laws.files * laws.file_bytes
    flows[ROWS] += commits * laws.rows_per_commit
    if not laws.deletes:
        return each
    files, size, positions = laws.delta_files, laws.delta_bytes, laws.positions
    if table.numbers[COMMITS] < 1:
        files, size, positions = laws.first_files, laws.first_bytes, 0.0
    list_new(table, 1, commits, laws.delete_manifest, files, SEEN, 0)
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
        add_up(table.rows[group], table.used[group], table.sums, group)
    before, spared = table.sums[0] + table.sums[7], commits * saved(table, laws)
    each = add_new(table, laws, commits, 0)
    # the lists of these commits hold before + each, before + 2 · each … manifests
    last = through(laws, before + each * commits)
    size = last - through(laws, before)
    if each > 1:  # manifests of the same commit have its id and its name
        spared += (each - 1) * laws.sibling_saving * commits * (commits + 1) / 2
        # every other one: half of all, and half of what the last is larger than the first
        rise = last - through(laws, before + each * commits - 1) - (through(laws, before + 1) - through(laws, before))
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
        if rows[used - 1][COUNT] > 1 + NEGLIGIBLE:
            copy_row(rows, used, rows[used - 1])
            rows[used - 1][COUNT] -= 1
            rows[used][COUNT] = 1.0
            table.used[1] = used = used + 1
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
    while done < most and not merged:
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


# -- maintenance ---------------------------------------------------------------------------------------------------


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


def manifests_of(table: Table) -> float:
    """Manifests that the current snapshot lists."""
    found = 0.0
    for group in range(2):
        for place in range(table.used[group]):
            found += table.rows[group][place][COUNT]
    return found


def rewrite_one(table: Table, laws: Laws, group: int) -> bool:
    """What rewrite_manifests makes of manifests of data, or of deletes: as few as their bytes need. Whether there was
    anything to do.
    """
    rows, used = table.rows[group], table.used[group]
    if not used:
        return False
    count = total = entries = fresh = partial = settled = in_order = 0.0
    for place in range(used):
        row = rows[place]
        count += row[COUNT]
        total += row[COUNT] * row[BYTES]
        entries += row[COUNT] * live_of(row)
        fresh += row[COUNT] * row[FRESH]
        partial += row[COUNT] * row[PARTIAL]
        settled += row[COUNT] * row[SETTLED]
        in_order += row[COUNT] * row[SORTED]
    parts = float(ceil(total / laws.target))
    if parts > MANY_PARTS:  # on average
        parts = total / laws.target + 0.5
    parts = min(parts, entries) if entries >= 1 else 1.0
    if count <= 1 + NEGLIGIBLE and parts <= 1:
        return False
    for place in range(used):
        note_leaving(table, group, rows[place], rows[place][COUNT])
    one = rows[0]
    for column in range(COLUMNS):
        one[column] = 0.0
    one[COUNT], one[IS_NEW] = parts, 1.0
    one[FRESH], one[PARTIAL], one[SETTLED] = fresh / parts, partial / parts, settled / parts
    if laws.sorts and group == 0:
        one[SORTED] = one[FRESH]
    else:  # entries of one commit are dealt out in turn
        together = laws.together if group == 0 else inf
        apart = 1.0 if parts >= together else (parts - 1) / (together - 1)
        one[SORTED] = (in_order + (fresh - in_order) * apart) / parts
    one[BYTES] = manifest_bytes(laws, group, one[FRESH], one[PARTIAL] + one[SETTLED], one[SORTED])
    table.used[group] = 1
    note_written(table, group, parts, one[BYTES])
    if laws.copies and group == 0:
        note_written(table, group, parts, one[BYTES])
        note_leaving(table, group, one, parts)
    return True


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


def deal_out(table: Table, laws: Laws) -> None:
    """Deals the files of all commits so far out to the partitions that were open when they came."""
    numbers, cohorts = table.numbers, table.cohorts
    if numbers[COHORTS] == 0:
        begin_cohort(table, laws.open_partitions)
    commits, lifetime = numbers[COMMITS], laws.lifetime
    if lifetime == inf:
        into_newest(table, laws, commits - numbers[DEALT])
        numbers[DEALT] = commits
        return
    while numbers[DEALT] < commits - NEGLIGIBLE:
        position = numbers[DEALT] / lifetime
        unit = floor(position + NEGLIGIBLE)
        last = min(commits, max(numbers[DEALT] + 1, float(floor((unit + 1) * lifetime + NEGLIGIBLE))))
        if numbers[DEALT] > 0 and position - unit < 1 / lifetime - NEGLIGIBLE:
            if numbers[COHORTS] > MOST_COHORTS:
                first, second = cohorts[0], cohorts[1]
                every = first[PARTITIONS] + second[PARTITIONS]
                for column in range(SMALL_FILES, PARTIAL_ROWS + 1):
                    both = first[PARTITIONS] * first[column] + second[PARTITIONS] * second[column]
                    first[column] = both / every
                first[PARTITIONS] = every
                drop_cohort(table, 1)
            begin_cohort(table, laws.open_partitions)
        if last < commits and lifetime <= 1:  # every commit opens partitions of its own
            numbers[COHORTS] -= 1
            begin_cohort(table, laws.partitions * (commits - numbers[DEALT]))
            last = commits
        into_newest(table, laws, last - numbers[DEALT])
        numbers[DEALT] = last


def begin_cohort(table: Table, partitions: float) -> None:
    """Opens partitions."""
    cohort = table.cohorts[int(table.numbers[COHORTS])]
    cohort[PARTITIONS] = partitions
    for column in range(SMALL_FILES, PARTIAL_ROWS + 1):
        cohort[column] = 0.0
    table.numbers[COHORTS] += 1


def drop_cohort(table: Table, place: int) -> None:
    """Forgets partitions."""
    table.numbers[COHORTS] -= 1
    for later in range(place, int(table.numbers[COHORTS])):
        for column in range(PARTIAL_ROWS + 1):
            table.cohorts[later][column] = table.cohorts[later + 1][column]


def into_newest(table: Table, laws: Laws, commits: float) -> None:
    """Deals the files of commits out to the newest partitions."""
    if laws.settles:
        table.numbers[SETTLED_FILES] += commits * laws.files
        table.numbers[SETTLED_ROWS] += commits * laws.rows_per_commit
        return
    newest = table.cohorts[int(table.numbers[COHORTS]) - 1]
    newest[SMALL_FILES] += commits * laws.files / newest[PARTITIONS]
    newest[SMALL_ROWS] += commits * laws.rows_per_commit / newest[PARTITIONS]


def small_files(table: Table) -> float:
    """Files below the target, compacted ones and those of closed partitions too."""
    found = table.numbers[LEFT_FILES]
    for place in range(int(table.numbers[COHORTS])):
        one = table.cohorts[place]
        found += one[PARTITIONS] * (one[SMALL_FILES] + one[PARTIAL_FILES])
    return found


def arrived_files(table: Table) -> float:
    """Small files as they arrived."""
    found = 0.0
    for place in range(int(table.numbers[COHORTS])):
        found += table.cohorts[place][PARTITIONS] * table.cohorts[place][SMALL_FILES]
    return found


def group_bytes(laws: Laws, one: list[float]) -> float:
    """Bytes of the files that a compaction takes in one partition."""
    size = 0.0
    if one[SMALL_FILES] > 0:
        size = one[SMALL_FILES] * bytes_of_rows(laws, one[SMALL_ROWS] / one[SMALL_FILES])
    if one[PARTIAL_FILES] > 0:
        size += one[PARTIAL_FILES] * compacted_bytes(laws, one[PARTIAL_ROWS] / one[PARTIAL_FILES])
    return size


def is_rewritten(laws: Laws, one: list[float]) -> bool:
    """Whether Iceberg takes a group of files: enough of them, or enough content (`rules.compaction`)."""
    files = one[SMALL_FILES] + one[PARTIAL_FILES]
    if files <= 1 + NEGLIGIBLE:
        return False
    return files >= laws.min_input_files - MEDIAN or group_bytes(laws, one) > laws.compaction_target


def outputs(laws: Laws, rows: float) -> float:
    """Files that a group with these rows becomes (`expectedOutputFiles`)."""
    target, size = laws.compaction_target, bytes_of_rows(laws, rows)
    if size < target:
        return 1.0
    more, fewer = ceil(size / target), floor(size / target)
    most = min(WRITTEN_SHARE, (1 + LARGE_FILE_SHARE) / 2) * target
    if size - fewer * target > SMALL_FILE_SHARE * target or size / fewer >= most:
        return float(more)
    return float(fewer)


def compact(table: Table, laws: Laws, share: float) -> None:
    """Spark's rewrite_data_files in one commit, of this share of the groups that are due."""
    deal_out(table, laws)
    numbers, cohorts, flows = table.numbers, table.cohorts, table.flows
    fresh = partial = 0.0
    for place in range(table.used[0]):
        fresh += table.rows[0][place][COUNT] * table.rows[0][place][FRESH]
        partial += table.rows[0][place][COUNT] * table.rows[0][place][PARTIAL]
    smalls, partials, settled_before = arrived_files(table), 0.0, numbers[SETTLED_FILES]
    taken_small = taken_partial = taken_bytes = made_partial = made_settled = made_bytes = groups = 0.0
    for place in range(int(numbers[COHORTS])):
        one = cohorts[place]
        partials += one[PARTITIONS] * one[PARTIAL_FILES]
        if not is_rewritten(laws, one):
            continue
        rows, part = one[SMALL_ROWS] * laws.new_share + one[PARTIAL_ROWS], one[PARTITIONS] * share
        made = outputs(laws, rows)
        each_rows = rows / made
        taken_small += part * one[SMALL_FILES]
        taken_partial += part * one[PARTIAL_FILES]
        taken_bytes += part * group_bytes(laws, one)
        made_bytes += part * made * compacted_bytes(laws, each_rows)
        groups += part
        for column in range(SMALL_FILES, PARTIAL_ROWS + 1):
            one[column] *= 1 - share
        if each_rows < laws.small_rows:
            made_partial += part * made
            one[PARTIAL_FILES] += made * share
            one[PARTIAL_ROWS] += rows * share
        else:
            made_settled += part * made
            numbers[SETTLED_FILES] += part * made
            numbers[SETTLED_ROWS] += part * rows
    left_small, left_partial = drop_closed(table, laws)
    if groups > 0:
        of_small = taken_small / smalls if smalls > NEGLIGIBLE else 0.0
        of_partial = taken_partial / partials if partials > NEGLIGIBLE else 0.0
        listed = fresh * of_small if partial > 0 else taken_small + taken_partial
        created = filter_out(
            table, laws, 0, min(1.0, listed / fresh) if fresh > 0 else 0.0, of_partial if partial > 0 else 0.0, 0.0
        )
        list_compacted(table, laws, made_partial, made_settled)
        replaced = merge(table, laws, 0) + created
        all_small, all_partial = of_small >= 1 or smalls <= NEGLIGIBLE, of_partial >= 1 or partials <= NEGLIGIBLE
        if all_small and all_partial and settled_before <= NEGLIGIBLE:
            drop_deletes(table, laws)
        made = made_partial + made_settled
        flows[REMOVED_FILES] += taken_small + taken_partial
        flows[REMOVED_FILES + 1] += taken_bytes
        flows[WRITTEN_FILES] += made
        flows[WRITTEN_FILES + 1] += made_bytes
        live = live_bytes(table)
        records = flows[ROWS] * min(1.0, taken_bytes / live) if live > 0 else 0.0
        size = of_compaction(laws, made, taken_small + taken_partial, records, made_bytes, taken_bytes)
        size += digits(max(1.0, float(floor(groups + 0.5))))
        if laws.names_manifests:
            kept = max(0.0, manifests_of(table) - 1 - created)
            for count in (1 + created, kept, replaced):
                size += digits(float(floor(count + 0.5)))
        note_job(table, laws, size)
    settle_entries(table, FRESH, left_small)
    settle_entries(table, PARTIAL, left_partial)


def of_compaction(laws: Laws, made: float, taken: float, records: float, made_bytes: float, taken_bytes: float) -> float:
    """Bytes of a compaction's snapshot around its other numbers: what there is none of is left out."""
    size, place = laws.compaction_json[0], 1
    for count in (max(1.0, made), taken, records, records, made_bytes, taken_bytes):
        whole = float(floor(count + 0.5))
        if whole > 0:
            size += laws.compaction_json[place] + digits(whole)
        place += 1
    return size


def list_compacted(table: Table, laws: Laws, partial: float, settled: float) -> None:
    """Lists the files that a compaction made."""
    row = table.rows[0][table.used[0]]
    for column in range(COLUMNS):
        row[column] = 0.0
    row[COUNT], row[PARTIAL], row[SETTLED], row[IS_NEW] = 1.0, partial, settled, 1.0
    row[BYTES] = manifest_bytes(laws, 0, 0.0, partial + settled, 0.0)
    table.used[0] += 1
    note_written(table, 0, 1.0, row[BYTES])


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


def drop_closed(table: Table, laws: Laws) -> tuple[float, float]:
    """Forgets partitions that have closed and hold nothing to do; how many small and partial files they had."""
    numbers, left_small, left_partial, place = table.numbers, 0.0, 0.0, 0
    while place < int(numbers[COHORTS]) - 1:
        one = table.cohorts[place]
        if is_rewritten(laws, one):
            place += 1
            continue
        left_small += one[PARTITIONS] * one[SMALL_FILES]
        left_partial += one[PARTITIONS] * one[PARTIAL_FILES]
        numbers[SETTLED_ROWS] += one[PARTITIONS] * (one[SMALL_ROWS] + one[PARTIAL_ROWS])
        drop_cohort(table, place)
    numbers[SETTLED_FILES] += left_small + left_partial
    numbers[LEFT_FILES] += left_small + left_partial
    return left_small, left_partial


def has_enough(table: Table, laws: Laws, chances: list[list[float]], more: int) -> bool:
    """Whether this many more commits make enough small files for a compaction by count, in as many of all cases as this
    firing waits for.
    """
    arrived, missing = arrived_files(table), laws.least_files - MEDIAN - small_files(table)
    commits = int(floor(arrived / laws.files + 0.5)) + more
    if not laws.by_chance or commits > FEW_COMMITS:
        return missing <= more * laws.files
    least, share = max(0, ceil(missing + arrived)), (table.numbers[FIRED] * STRIDE % TURNS + 0.5) / TURNS
    return (chances[commits][least] if least < len(chances[commits]) else 0.0) >= share


def next_by_count(table: Table, laws: Laws, chances: list[list[float]]) -> float:
    """The writer's commit after which a job by count is due next, or has to be looked at next."""
    done, found = table.numbers[COMMITS], inf
    if laws.least_files < inf:
        deal_out(table, laws)
        more = max(1, ceil((laws.least_files - MEDIAN - small_files(table)) / laws.files - NEGLIGIBLE))
        if laws.by_chance and more <= FEW_COMMITS:
            for fewer in range(1, more):
                if has_enough(table, laws, chances, fewer):
                    more = fewer
                    break
        found = done + more
    if laws.least_manifests < inf:
        missing = laws.least_manifests - manifests_of(table)
        found = min(found, done + max(1.0, float(ceil(missing / (2 if laws.deletes else 1) - NEGLIGIBLE))))
    return found


def sample(table: Table, laws: Laws, samples: list[float]) -> None:
    """Notes the table as it is."""
    size = list_bytes(table, laws)
    sums, place = table.sums, int(table.numbers[SAMPLED]) * SAMPLE
    samples[place], samples[place + 1], samples[place + 2] = table.numbers[COMMITS], sums[0], sums[7]
    samples[place + 3], samples[place + 4], samples[place + 5] = sums[2] + sums[9], sums[1], sums[8]
    samples[place + 6], samples[place + 7], samples[place + 8] = size, sums[5] + sums[12], sums[6] + sums[13]
    for flow in range(WIDTH):
        samples[place + OF_TABLE + flow] = table.flows[flow]
    table.numbers[SAMPLED] += 1


def run(
    table: Table,
    laws: Laws,
    until: float,
    stops: list[float],
    compactions: list[float],
    rewrites: list[float],
    idles: list[list[float]],
    chances: list[list[float]],
    samples: list[float],
) -> None:
    """Steps on to the commit `until`, or until `samples` are full: one at each of the `stops`, before and after jobs. All are commits of the writer, ascending; `compactions` and `rewrites` are those that jobs by time follow, and
    `idles` those that commits of nothing do: with how many before other jobs, and after them.
    """
    numbers, most = table.numbers, len(samples) // SAMPLE - 6
    while numbers[COMMITS] < until and numbers[SAMPLED] < most:
        while stops[int(numbers[NEXT_STOP])] <= numbers[COMMITS]:
            numbers[NEXT_STOP] += 1
        while compactions[int(numbers[NEXT_RUN])] <= numbers[COMMITS]:
            numbers[NEXT_RUN] += 1
        while rewrites[int(numbers[NEXT_RUN + 1])] <= numbers[COMMITS]:
            numbers[NEXT_RUN + 1] += 1
        while idles[0][int(numbers[NEXT_RUN + 2])] <= numbers[COMMITS]:
            numbers[NEXT_RUN + 2] += 1
        turn = int(numbers[NEXT_RUN + 2])
        compaction, rewrite = compactions[int(numbers[NEXT_RUN])], rewrites[int(numbers[NEXT_RUN + 1])]
        stop = min(until, stops[int(numbers[NEXT_STOP])], compaction, rewrite, idles[0][turn])
        stop = min(stop, next_by_count(table, laws, chances))
        append(table, laws, stop - numbers[COMMITS])
        if numbers[COMMITS] < stop:
            continue
        is_idle = idles[0][turn] <= numbers[COMMITS]
        is_compacted = compaction <= numbers[COMMITS]
        if laws.least_files < inf:
            deal_out(table, laws)
            is_compacted = has_enough(table, laws, chances, 0)
        is_rewritten_now = rewrite <= numbers[COMMITS]
        has_jobs = is_idle or is_compacted or is_rewritten_now
        if has_jobs:
            numbers[JOBS] += 1
        is_sampled = not has_jobs or numbers[JOBS] % numbers[EVERY] == 0
        if is_sampled:
            sample(table, laws, samples)
        if is_idle and idles[1][turn] > 0:
            commit_nothing(table, laws, idles[1][turn])
            if is_sampled:
                sample(table, laws, samples)
        if is_compacted:
            numbers[FIRED] += 1
            for part in range(laws.parts):
                compact(table, laws, 1.0 / (laws.parts - part))
            if is_sampled:
                sample(table, laws, samples)
        if is_rewritten_now or laws.least_manifests - manifests_of(table) <= NEGLIGIBLE:
            rewrite_manifests(table, laws)
            if is_sampled:
                sample(table, laws, samples)
        if is_idle and idles[2][turn] > 0:
            commit_nothing(table, laws, idles[2][turn])
            if is_sampled:
                sample(table, laws, samples)


FUNCTIONS = (
    digits, digits_through, at, through, manifest_bytes, bytes_of_rows, compacted_bytes, live_of, add_up, saved,
    list_bytes, is_like, join, copy_row, settle, note_written, note_leaving, list_new, drop_dead, close_bin, merge,
    commits_until_merge, full_manifests, filter_out, settle_entries, live_files, live_bytes, manifests_of,
    digits_of_totals, snapshot_numbers, commit_nothing, note_staged, add_new, append_run, append_one, append, note_job, rewrite_one, rewrite_manifests,
    begin_cohort, drop_cohort, into_newest, deal_out, small_files, arrived_files, group_bytes, is_rewritten, outputs,
    drop_closed, of_compaction, list_compacted, drop_deletes, compact, has_enough, next_by_count, sample, run,
)  # each after those that it calls
"""All that `compiled` compiles."""
