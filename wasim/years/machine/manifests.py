"""Manifests in the machine: what lists, merges, filters and rewrites them, by Iceberg's rules."""

from math import ceil, floor, inf

from wasim.years.machine.sizes import at, is_any, manifest_bytes
from wasim.years.machine.tables import *
from wasim.years.machine.touched import partitions_hit


def live_of(row: list[float]) -> float:
    """Live entries of one manifest."""
    return row[FRESH] + row[PARTIAL] + row[SETTLED]


def add_up(table: Table, group: int) -> None:
    """Manifests, bytes, entries, siblings; manifests of rewritten files alone; with live entries, and their bytes."""
    manifests = size = entries = siblings = rewritten = alive = alive_bytes = 0.0
    rows, sums = table.rows[group], table.sums
    for place in range(table.used[group]):
        row = rows[place]
        count, live = row[COUNT], live_of(row)
        manifests += count
        size += count * row[BYTES]
        entries += count * live
        siblings += count * (row[SIBLINGS] + SEEN * row[WITH_DATA])
        if is_any(live):
            if not is_any(row[FRESH]):
                rewritten += count
            alive += count
            alive_bytes += count * row[BYTES]
    first = 7 * group
    sums[first], sums[first + 1], sums[first + 2], sums[first + 3] = manifests, size, entries, siblings
    sums[first + 4], sums[first + 5], sums[first + 6] = rewritten, alive, alive_bytes


def entries_of(table: Table, kind: int) -> float:
    """Data files of one kind that are listed."""
    found = 0.0
    for place in range(table.used[0]):
        found += table.rows[0][place][COUNT] * table.rows[0][place][kind]
    return found


def saved(table: Table, laws: Laws) -> float:
    """Bytes that a list is smaller than one of as many manifests of the writer's own; `sums` are known."""
    found = laws.sibling_saving * (table.sums[3] + table.sums[10]) - laws.deletes_more * table.sums[7]
    return found if laws.settles else found - laws.rewritten_more * table.sums[4]


def list_bytes(table: Table, laws: Laws) -> float:
    """Bytes of the current manifest list."""
    for group in range(2):
        add_up(table, group)
    return at(table.sums[0] + table.sums[7], laws.list_counts, laws.list_bytes, laws.lists_known) - saved(table, laws)


def is_like(one: list[float], other: list[float]) -> bool:
    """Whether manifests of two rows may be counted together."""
    if is_any(abs(one[BYTES] - other[BYTES]) / one[BYTES]):
        return False
    for column in range(FRESH, WITH_DATA + 1):  # noqa: SIM110 - numba compiles no generators
        if is_any(abs(one[column] - other[column])):
            return False
    return True


def how_unlike(one: list[float], other: list[float]) -> float:
    """How much it moves to count manifests of two rows together."""
    apart = abs(one[BYTES] / other[BYTES] - 1.0)
    for column in range(FRESH, SETTLED + 1):
        if one[column] != other[column]:
            apart += abs(one[column] - other[column]) / max(one[column], other[column])
    return apart * min(one[COUNT], other[COUNT])


def join(first: list[float], second: list[float]) -> None:
    """Makes the first row all manifests of both, on average."""
    one, other = first[COUNT], second[COUNT]
    count = one + other
    first[COUNT] = count
    entries, others = one * live_of(first), other * live_of(second)
    if entries + others > 0:
        first[MISSED] = (entries * first[MISSED] + others * second[MISSED]) / (entries + others)
    for column in range(BYTES, WITH_DATA + 1):
        first[column] = (one * first[column] + other * second[column]) / count


def copy_row(rows: list[list[float]], to: int, row: list[float]) -> None:
    """Makes a row equal to another."""
    copy = rows[to]
    for column in range(COLUMNS):
        copy[column] = row[column]


def copy_some(rows: list[list[float]], to: int, row: list[float], count: float) -> int:
    """Makes a row of `count` manifests like another row's; the next place."""
    copy_row(rows, to, row)
    rows[to][COUNT] = count
    return to + 1


def begin_row(row: list[float], count: float, size: float, is_new: float) -> None:
    """Makes a row of so many manifests of this size, which list nothing yet."""
    for column in range(COLUMNS):
        row[column] = 0.0
    row[COUNT], row[BYTES], row[IS_NEW] = count, size, is_new


def replace_rows(table: Table, group: int, count: int, first: int) -> None:
    """Makes `count` spare rows the table's manifests of data, or of deletes, from the `first` row on."""
    for place in range(count):
        copy_row(table.rows[group], first + place, table.spare[place])
    table.used[group] = first + count


def settle(table: Table, group: int, most: int) -> None:
    """Ends the commit under way."""
    rows, kept = table.rows[group], 0
    for place in range(table.used[group]):
        row = rows[place]
        if not is_any(row[COUNT]):
            continue
        row[IS_NEW] = row[GONE_FRESH] = row[GONE_COMPACTED] = 0.0
        if kept:
            last = rows[kept - 1]
            few = last[COUNT] + row[COUNT] <= 1  # on average the two are one manifest at most
            if is_like(last, row) or (few and is_any(live_of(last)) == is_any(live_of(row))):
                join(last, row)
                continue
        if kept != place:
            copy_row(rows, kept, row)
        kept += 1
    while kept > most:
        first, second, least = 0, 1, inf
        for place in range(max(2, kept // 2) - 1):
            for other in (place + 1, place + 2):  # a statement's stand between others
                apart = how_unlike(rows[place], rows[other])
                if apart < least:
                    first, second, least = place, other, apart
        join(rows[first], rows[second])
        for place in range(second, kept - 1):
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


def list_new(
    table: Table, group: int, count: float, size: float, files: tuple[float, float], siblings: float, is_new: int
) -> None:
    """Lists manifests of files as they arrived that are the newest, and counts them as written: their
    `files` that a compaction may take, and those that none takes for their size. `is_new` is 1 where they are of the
    commit under way.
    """
    if table.used[group] >= MANY_KINDS:
        settle(table, group, MOST_KINDS)
    rows, used = table.rows[group], table.used[group]
    row = rows[used]
    begin_row(row, count, size, float(is_new))
    row[SIBLINGS], row[WITH_DATA], (row[FRESH], row[SETTLED]) = siblings, float(group), files
    note_written(table, group, count, size)
    if used:
        last = rows[used - 1]
        if last[IS_NEW] == row[IS_NEW] and is_like(last, row):
            last[COUNT] += count
            return
    table.used[group] = used + 1


def drop_dead(table: Table, group: int) -> None:
    """Takes older manifests without live entries out of the list, as every commit does that may merge: of those with
    less than one on average, all but as many as there are entries.
    """
    part_from_dead(table, group)
    rows, kept = table.rows[group], 0
    for place in range(table.used[group]):
        row = rows[place]
        live = live_of(row)
        if row[IS_NEW] > 0 or not is_any(1 - live):
            left = 1.0
        else:
            left = live if is_any(live) else 0.0
            note_leaving(table, group, row, row[COUNT] * (1 - left))
        if left > 0:
            if kept != place:
                copy_row(rows, kept, row)
            hold_one(rows[kept], left)
            kept += 1
    table.used[group] = kept


def part_from_dead(table: Table, group: int) -> None:
    """Of manifests that a statement wrote again, those with live entries stand next to each other alone, once those
    without are gone.
    """
    rows, used, first = table.rows[group], table.used[group], 0
    while first < used:
        siblings, stop, alive, dead = rows[first][SIBLINGS], first, 0.0, 0.0
        while stop < used and rows[stop][IS_NEW] == 0 and not is_any(abs(rows[stop][SIBLINGS] - siblings)):
            left = min(1.0, live_of(rows[stop]))
            alive, dead, stop = alive + rows[stop][COUNT] * left, dead + rows[stop][COUNT] * (1 - left), stop + 1
        if is_any(dead):
            for place in range(first, stop):
                rows[place][SIBLINGS] = min(siblings, 1 - 1 / max(1.0, alive))
        first = max(stop, first + 1)


def hold_one(row: list[float], left: float) -> None:
    """Of manifests with `left` live entries on average, keeps the ones that have an entry: one each."""
    row[COUNT] *= left
    for column in (FRESH, PARTIAL, SETTLED, SORTED):
        row[column] /= left


def close_bin(table: Table, laws: Laws, group: int, copied: int, parts: int, repeat: float, newest: bool) -> int:
    """What becomes of a bin of `parts`, or of so many equal ones: one manifest, or what it holds. Returns how many
    spare rows are in use; how many manifests were merged is added to the last of `counts`.
    """
    rows, spare, counts = table.rows[group], table.spare, table.counts
    items = 0.0
    for part in range(parts):
        items += counts[part]
    if not is_any(items - 1) or (newest and is_any(laws.least - items)):
        for part in range(parts):
            copied = copy_some(spare, copied, rows[table.places[part]], counts[part] * repeat)
        return copied
    table.flows[MERGED_AGAIN + 2 * group] += repeat
    table.flows[MERGED_AGAIN + 2 * group + 1] += repeat * rows[table.places[0]][BYTES]
    merged, missed = spare[copied], 0.0
    begin_row(merged, repeat, 0.0, 1.0)
    for part in range(parts):
        row, count = rows[table.places[part]], counts[part]
        note_leaving(table, group, row, count * repeat)
        for column in range(FRESH, GONE_COMPACTED + 1):
            merged[column] += count * row[column]
        missed += count * live_of(row) * row[MISSED]
    # entries that this commit deleted are carried into what its own manifests become
    fresh, compacted = merged[FRESH] + merged[GONE_FRESH], merged[PARTIAL] + merged[GONE_COMPACTED]
    size = manifest_bytes(table, laws, group, fresh, compacted, merged[SETTLED], merged[SORTED])
    merged[BYTES], merged[SIBLINGS], merged[MISSED] = size, 1 - 1 / repeat, missed / max(live_of(merged), NEGLIGIBLE)
    note_written(table, group, repeat, size)
    counts[ROOM - 1] += items * repeat
    return copied + 1


def fitting_of(row: list[float], room: float) -> float:
    """How many of these manifests a bin takes with so many bytes left.

    Of emptied ones as many as fit in on average, no whole number, where many are left for the next bins: all of them
    are written again, and what fits in differs from time to time.
    """
    fitting = room / row[BYTES] + NEGLIGIBLE
    if is_any(live_of(row)) or fitting < 1.5 or row[COUNT] < fitting + MANY_LEFT:
        return float(floor(fitting))
    return fitting - 0.5


def first_open(table: Table, laws: Laws, group: int) -> int:
    """The first row that a merge may change: of those before, each manifest is alone in a bin, as no other fits in."""
    rows, target, place = table.rows[group], laws.target, 0
    while place < table.used[group] - 1:
        room = target - rows[place][BYTES]
        if room >= rows[place][BYTES] or room * (1 + NEGLIGIBLE) >= rows[place + 1][BYTES]:
            break
        place += 1
    return place


def in_bins(count: float, size: float, target: float) -> tuple[float, float, float]:
    """How many of so many equal manifests fill a bin, how many bins are full, and how many are in the one that stays
    open: the last full one, where no manifest is left.
    """
    each = max(1.0, float(floor(target / size)))
    full = float(floor(count / each + NEGLIGIBLE))
    rest = count - full * each
    return (each, full, rest) if is_any(rest) else (each, full - 1, each)


def merge(table: Table, laws: Laws, group: int) -> float:
    """What a merging commit does: manifests without live entries go, bins become one manifest each. Returns how many
    were merged.
    """
    drop_dead(table, group)
    if not laws.packs:
        return 0.0
    rows, places, counts, target = table.rows[group], table.places, table.counts, laws.target
    parts, filled, copied, first = 0, 0.0, 0, first_open(table, laws, group)
    counts[ROOM - 1] = 0.0
    for place in range(first, table.used[group]):
        left, size = rows[place][COUNT], rows[place][BYTES]
        if not is_any(left):
            continue
        if parts:
            fitting = fitting_of(rows[place], target - filled)
            if fitting > 0:
                taken = min(left, fitting)
                places[parts], counts[parts] = place, taken
                parts += 1
                filled += taken * size
                left -= taken
            if not is_any(left):
                continue
            copied = close_bin(table, laws, group, copied, parts, 1.0, False)
        each, full, rest = in_bins(left, size, target)
        places[0] = place
        if full > 0:
            counts[0] = each
            copied = close_bin(table, laws, group, copied, 1, full, False)
        counts[0], parts, filled = rest, 1, rest * size
    if parts:
        copied = close_bin(table, laws, group, copied, parts, 1.0, True)
    replace_rows(table, group, copied, first)
    if counts[ROOM - 1] > 0 and group == 0:
        leave_deletes(table, 1.0)
    return counts[ROOM - 1]


def leave_deletes(table: Table, share: float) -> None:
    """Of this share of the older manifests of deletes the commit has none of data any more: merged, or emptied."""
    for place in range(table.used[1]):
        table.rows[1][place][WITH_DATA] *= max(table.rows[1][place][IS_NEW], 1 - share)


def commits_until_merge(table: Table, laws: Laws, group: int, new_bytes: float) -> float:
    """Commits that each add one manifest of `new_bytes`, up to the one that merges; infinite if none will."""
    rows, target, least = table.rows[group], laws.target, laws.least
    items = filled = 0.0
    for place in range(first_open(table, laws, group), table.used[group]):
        left, size = rows[place][COUNT], rows[place][BYTES]
        if items > 0:
            fitting = float(floor((target - filled) / size + NEGLIGIBLE))
            if fitting > 0:
                taken = min(left, fitting)
                items, filled, left = items + taken, filled + taken * size, left - taken
            if not is_any(left):
                continue
            if is_any(items - 1):
                return 1.0
        each, full, rest = in_bins(left, size, target)
        if is_any(min(full, each - 1)):
            return 1.0
        items, filled = rest, rest * size
    by_count = max(1.0, least - items)
    until_full = max(1.0, floor((target - filled) / new_bytes + NEGLIGIBLE) + 1.0)
    if is_any(items + until_full - 2):
        return min(by_count, until_full)
    # one manifest alone fills the bin: the next bin starts with this commit's
    per_bin = float(floor(target / new_bytes + NEGLIGIBLE))
    return inf if per_bin < 2 else max(1.0, until_full - 1 + min(least, per_bin + 1))


def full_manifests(table: Table, laws: Laws) -> float:
    """Manifests of data that merges have filled, with files that are live."""
    found = 0.0
    for place in range(table.used[0] - 1):
        row = table.rows[0][place]
        if row[BYTES] > laws.target / 2 and is_any(live_of(row)):
            found += row[COUNT]
    return found


def settle_entries(table: Table, kind: int, amount: float) -> None:
    """Counts this amount of the oldest entries of a kind as settled: no compaction takes their files any more."""
    if not is_any(amount):
        return
    rows, spare, copied = table.rows[0], table.spare, 0
    for place in range(table.used[0]):
        row = rows[place]
        held = row[COUNT] * row[kind]
        copy_row(spare, copied, row)
        if is_any(amount) and is_any(held):
            share = min(1.0, amount / held)
            amount -= share * held
            older, one = spare[copied], row[kind]
            if not is_any(min(row[COUNT] - 1, 1 - share)):
                older[kind], older[SETTLED] = one * (1 - share), row[SETTLED] + one * share
            else:
                older[COUNT], older[kind], older[SETTLED] = row[COUNT] * share, 0.0, row[SETTLED] + one
                copied = copy_some(spare, copied + 1, row, row[COUNT] * (1 - share)) - 1
            older[SORTED] = min(older[SORTED], older[FRESH])
        copied += 1
    replace_rows(table, 0, copied, 0)


def sorted_deletes(table: Table, laws: Laws) -> float:
    """Of delete files that are sorted by partition, those that count as following others of the same statement: of the
    last one some stand in each partition that it touched.
    """
    files = max(1.0, table.numbers[NEWEST_FILES])
    return max(0.0, laws.in_partition - laws.each_partition * partitions_hit(table, laws, files) / files)


def rewrite_one(table: Table, laws: Laws, group: int) -> bool:
    """What rewrite_manifests makes of manifests of data, or of deletes: as few as their bytes need. Whether there was
    anything to do.
    """
    rows, used, one, missed = table.rows[group], table.used[group], table.spare[0], 0.0
    add_up(table, group)
    count, total, entries = table.sums[7 * group], table.sums[7 * group + 1], table.sums[7 * group + 2]
    parts = min(float(ceil(total / laws.target)), entries) if entries >= 1 else 1.0
    if parts <= 1 and not is_any(count - 1):
        return False
    begin_row(one, parts, 0.0, 1.0)
    for place in range(used):
        row = rows[place]
        note_leaving(table, group, row, row[COUNT])
        missed += row[COUNT] * live_of(row) * row[MISSED]
        for column in range(FRESH, SORTED + 1):
            one[column] += row[COUNT] * row[column]
    if not is_any(entries):
        table.used[group] = 0
        return True
    if laws.sorts:
        one[SORTED] = one[FRESH] if group == 0 else min(one[SORTED], sorted_deletes(table, laws) * entries)
    else:  # entries of one commit are dealt out in turn
        together = laws.together if group == 0 else inf
        apart = min(1.0, (parts - 1) / max(together - 1, NEGLIGIBLE))
        one[SORTED] += (one[FRESH] - one[SORTED]) * apart
    for column in range(FRESH, SORTED + 1):
        one[column] /= parts
    one[MISSED] = missed / entries
    one[BYTES] = manifest_bytes(table, laws, group, one[FRESH], one[PARTIAL], one[SETTLED], one[SORTED])
    replace_rows(table, group, 1, 0)
    note_written(table, group, parts, one[BYTES])
    if laws.copies and group == 0:
        note_written(table, group, parts, one[BYTES])
        note_leaving(table, group, one, parts)
    return True


def list_own(table: Table, group: int, size: float) -> int:
    """Lists a manifest of the commit under way, of so many bytes; the place of its row, which lists no entry yet."""
    begin_row(table.rows[group][table.used[group]], 1.0, size, 1.0)
    table.used[group] += 1
    note_written(table, group, 1.0, size)
    return table.used[group] - 1


def mix_entries(table: Table, laws: Laws) -> None:
    """What an entry of a rewritten file takes more, on average, as so many are of jobs and the others of statements."""
    numbers = table.numbers
    every = entries_of(table, PARTIAL) + entries_of(table, SETTLED) * (1 - numbers[AS_CAME])
    if laws.changes_rows and is_any(every):
        of_jobs = min(1.0, numbers[OF_JOBS] / every)
        table.compacted_more[0] = of_jobs * numbers[OF_JOBS_MORE] + (1 - of_jobs) * numbers[OF_STATEMENTS_MORE]


def list_compacted(table: Table, laws: Laws, partial: float, settled: float) -> None:
    """Lists the files that a compaction, or a statement, made."""
    row = table.rows[0][list_own(table, 0, manifest_bytes(table, laws, 0, 0.0, partial + settled, 0.0, 0.0))]
    row[PARTIAL], row[SETTLED] = partial, settled
