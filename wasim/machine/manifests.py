"""What commits do to the manifests that a table lists: add, pack and merge, filter, rewrite."""

from math import floor, inf

from wasim.machine.columns import (
    BYTES,
    COPIES,
    COUNT,
    DATA,
    DELETES,
    ENTRIES,
    FILES,
    FRESH,
    FROZEN,
    GONE_COMPACTED,
    GONE_FRESH,
    LEAST_MERGED,
    LISTED,
    LISTED_BYTES,
    MANIFEST_COLUMNS,
    MANIFEST_TARGET,
    MERGE_ENABLED,
    NEW,
    OPEN,
    PARTIAL,
    REPLACED_MANIFESTS,
    RESTART,
    REWRITTEN,
    ROWS_OF,
    SCANNED,
    SCANNED_BYTES,
    SCRATCH,
    SETTLED,
    SIBLINGS,
    SORTED,
    SORTS,
    SUMS,
    WASTED_MANIFESTS,
    WITH_SIBLING,
    WRITTEN_MANIFESTS,
    Column,
    Laws,
    Matrix,
    Table,
)
from wasim.machine.draws import binomial
from wasim.machine.lookups import manifest_bytes
from wasim.rules.maintenance import rewritten_manifests
from wasim.rules.merging import fitting, is_listed, merges

NEGLIGIBLE = 1e-9


def copy_row(source: Matrix, place: int, target: Matrix, at: int) -> None:
    """Copies a row."""
    for column in range(MANIFEST_COLUMNS):
        target[column][at] = source[column][place]


def set_row(m: Matrix, place: int, count: float, size: float) -> None:
    """A row of so many manifests, without entries."""
    for column in range(MANIFEST_COLUMNS):
        m[column][place] = 0.0
    m[COUNT][place] = count
    m[BYTES][place] = size


def insert_after(t: Table, group: int, place: int) -> None:
    """Makes room for another row after this one, which it is a copy of."""
    m, rows = t.manifests[group], int(t.state[ROWS_OF + group])
    if rows >= len(m[0]):
        raise IndexError("no room for another row")
    for column in range(MANIFEST_COLUMNS):
        values = m[column]
        for row in range(rows, place, -1):
            values[row] = values[row - 1]
    t.state[ROWS_OF + group] = rows + 1.0


def live_of(m: Matrix, place: int) -> float:
    """Live entries of each manifest of a row."""
    return m[FRESH][place] + m[PARTIAL][place] + m[SETTLED][place]


def restart(t: Table, group: int) -> None:
    """Says that older manifests have changed, so that the next merge begins with the oldest."""
    t.state[OPEN + group] = 0.0
    t.state[RESTART + group] = 1.0
    for place in range(FROZEN + group * SUMS, FROZEN + (group + 1) * SUMS):
        t.state[place] = 0.0


def add_sums(m: Matrix, row: int, sums: Column, first: int) -> None:
    """Adds a row to sums that stand from `first` on."""
    count, size = m[COUNT][row], m[BYTES][row]
    live = live_of(m, row)
    sums[first + LISTED] += count
    sums[first + LISTED_BYTES] += count * size
    sums[first + ENTRIES] += count * live
    sums[first + WITH_SIBLING] += count * m[SIBLINGS][row]
    if live > NEGLIGIBLE:
        sums[first + SCANNED] += count
        sums[first + SCANNED_BYTES] += count * size
        if m[FRESH][row] <= NEGLIGIBLE:
            sums[first + REWRITTEN] += count


def sum_manifests(t: Table, group: int) -> None:
    """Sums over all manifests of the group, into `sums`."""
    m, sums, frozen, first = t.manifests[group], t.sums, FROZEN + group * SUMS, group * SUMS
    if group == DELETES and not t.state[ROWS_OF + group] and not sums[first + LISTED]:
        return  # there were none before either
    for place in range(SUMS):
        sums[first + place] = t.state[frozen + place]
    if not t.state[ROWS_OF + group]:
        return
    for row in range(int(t.state[OPEN + group]), int(t.state[ROWS_OF + group])):
        add_sums(m, row, sums, first)


def count_of(t: Table, group: int) -> float:
    """How many manifests the group has."""
    m, found = t.manifests[group], t.state[FROZEN + group * SUMS + LISTED]
    for row in range(int(t.state[OPEN + group]), int(t.state[ROWS_OF + group])):
        found += m[COUNT][row]
    return found


def entries_of(t: Table, group: int, kind: int) -> float:
    """Live entries of one kind in all."""
    m, found = t.manifests[group], 0.0
    for row in range(int(t.state[ROWS_OF + group])):
        found += m[COUNT][row] * m[kind][row]
    return found


def note_written(flows: Column, group: int, count: float, size: float) -> None:
    """Counts manifests as written."""
    flows[WRITTEN_MANIFESTS + 2 * group] += count
    flows[WRITTEN_MANIFESTS + 2 * group + 1] += count * size


def note_left(t: Table, group: int, row: int, count: float) -> None:
    """Counts manifests of a row as gone from the list: the commit's own were written in vain."""
    m = t.manifests[group]
    place = (WASTED_MANIFESTS if m[NEW][row] else REPLACED_MANIFESTS) + 2 * group
    t.flows[place] += count
    t.flows[place + 1] += count * m[BYTES][row]


def are_equal(m: Matrix, row: int, other: int) -> bool:
    """Whether manifests of two rows may be counted together."""
    if abs(m[BYTES][row] - m[BYTES][other]) > NEGLIGIBLE * m[BYTES][row]:
        return False
    for column in range(FRESH, SIBLINGS + 1):
        if abs(m[column][row] - m[column][other]) > NEGLIGIBLE:
            return False
    return True


def add_manifests(t: Table, group: int, count: float, size: float, fresh: float, settled: float) -> int:
    """Lists manifests of the writer's that are the newest; the row that they stand in."""
    m, rows = t.manifests[group], int(t.state[ROWS_OF + group])
    if rows >= len(m[0]):
        raise IndexError("no room for another row")
    set_row(m, rows, count, size)
    m[FRESH][rows], m[SETTLED][rows] = fresh, settled
    t.state[ROWS_OF + group] = rows + 1.0
    return rows


def join_last(t: Table, group: int) -> None:
    """Counts the last row together with the one before, if they are equal."""
    m, rows = t.manifests[group], int(t.state[ROWS_OF + group])
    if rows > 1 and rows - 1 > t.state[OPEN + group] and m[NEW][rows - 2] == 0 and are_equal(m, rows - 2, rows - 1):
        m[COUNT][rows - 2] += m[COUNT][rows - 1]
        t.state[ROWS_OF + group] = rows - 1.0


def drop_dead(t: Table, group: int) -> None:
    """Takes older manifests without live entries out of the list."""
    m, rows = t.manifests[group], int(t.state[ROWS_OF + group])
    kept = first = int(t.state[OPEN + group])
    for row in range(first, rows):
        live = live_of(m, row)
        if is_listed(live if live > NEGLIGIBLE else 0.0, m[NEW][row] > 0):
            if kept != row:
                copy_row(m, row, m, kept)
            kept += 1
        else:
            note_left(t, group, row, m[COUNT][row])
    t.state[ROWS_OF + group] = float(kept)


# -- merging ------------------------------------------------------------------------------------------------------


def find_newest_bin(t: Table, laws: Laws, group: int) -> bool:
    """Finds where the newest bin begins; whether an older one holds several manifests, which the next commit merges."""
    m, state, target = t.manifests[group], t.state, laws.settings[MANIFEST_TARGET]
    rows, start, several = int(state[ROWS_OF + group]), int(state[OPEN + group]), False
    first, items, filled = start, 0.0, 0.0
    for row in range(start, rows):
        size, count = m[BYTES][row], m[COUNT][row]
        fit = float(fitting(filled, size, target)) if items else 0.0
        if count <= fit:
            items, filled = items + count, filled + count * size
            continue
        if items + fit > 1:
            several = True
        each = max(1.0, float(fitting(0.0, size, target)))
        left = count - fit
        if left > each > 1:
            several = True
        in_last = left - each * floor(left / each)
        items = in_last if in_last > 0 else each
        filled, first = items * size, row
    state[RESTART + group] = 1.0 if several else 0.0
    if not several:
        for row in range(start, first):
            add_sums(m, row, state, FROZEN + group * SUMS)
        state[OPEN + group] = float(first)
    return several


def commits_until_merge(t: Table, laws: Laws, group: int, new_bytes: float) -> float:
    """Commits that each add one manifest of `new_bytes`, up to the one that merges; infinite if none will."""
    if laws.settings[MERGE_ENABLED] == 0:
        return inf
    if t.state[RESTART + group] and find_newest_bin(t, laws, group):
        return 1.0
    m, state, target, least = t.manifests[group], t.state, laws.settings[MANIFEST_TARGET], laws.settings[LEAST_MERGED]
    start, rows = int(state[OPEN + group]), int(state[ROWS_OF + group])
    items = filled = 0.0
    for row in range(start, rows):
        size, count = m[BYTES][row], m[COUNT][row]
        if row == start and count > 1:  # bins before the newest may begin within its first row
            each = max(1.0, float(fitting(0.0, size, target)))
            count -= each * floor((count - 1) / each)
        items, filled = items + count, filled + count * size
    by_count = max(1.0, least - items)
    until_full = fitting(filled, new_bytes, target) + 1.0 if items else inf
    if until_full <= by_count:
        if items + until_full - 1 > 1:
            return until_full
        # one manifest alone fills the bin: the next one begins with this commit's
        per_bin = fitting(0.0, new_bytes, target)
        if per_bin < 2:
            return inf
        return until_full - 1 + min(least, per_bin + 1.0)
    if not items:
        per_bin = fitting(0.0, new_bytes, target)
        return inf if per_bin < 2 else min(least, per_bin + 1.0)
    return by_count


def emit_bin(
    t: Table, laws: Laws, group: int, kept: int, first: int, skipped: float, last: int, used: float, repeat: float
) -> int:
    """Writes one manifest of a bin's, into `scratch`: from row `first`, but for `skipped` ones, through `used` of row
    `last`; `repeat` equal bins of them. The rows of `scratch` then in use.
    """
    m, out = t.manifests[group], t.manifests[SCRATCH]
    set_row(out, kept, repeat, 0.0)
    for row in range(first, last + 1):
        count = (used if row == last else m[COUNT][row]) - (skipped if row == first else 0.0)
        if count <= 0:
            continue
        note_left(t, group, row, count * repeat)
        for column in (FRESH, PARTIAL, SETTLED, SORTED, GONE_FRESH, GONE_COMPACTED):
            out[column][kept] += count * m[column][row]
    # entries that this commit deleted are carried into what its own manifests become
    fresh = out[FRESH][kept] + out[GONE_FRESH][kept]
    compacted = out[PARTIAL][kept] + out[SETTLED][kept] + out[GONE_COMPACTED][kept]
    size = manifest_bytes(laws, t.state, group, fresh, compacted, out[SORTED][kept])
    out[BYTES][kept] = size
    out[SIBLINGS][kept] = 1 - 1 / repeat
    out[NEW][kept] = 1.0
    note_written(t.flows, group, repeat, size)
    return kept + 1


def keep_bin(t: Table, group: int, kept: int, first: int, skipped: float, last: int, used: float, joins: bool) -> int:
    """Copies the manifests of a bin to `scratch` as they are; with `joins`, its first ones belong to the row before."""
    m, out = t.manifests[group], t.manifests[SCRATCH]
    for row in range(first, last + 1):
        count = (used if row == last else m[COUNT][row]) - (skipped if row == first else 0.0)
        if count <= 0:
            continue
        if row == first and joins:
            out[COUNT][kept - 1] += count
            continue
        copy_row(m, row, out, kept)
        out[COUNT][kept] = count
        kept += 1
    return kept


def merge_manifests(t: Table, laws: Laws, group: int) -> float:
    """What a merging commit does: manifests without live entries go, bins become one manifest each; how many were
    merged into others. The newest bin is looked for when the commit ends.
    """
    m, state = t.manifests[group], t.state
    if not state[ROWS_OF + group]:
        return 0.0
    drop_dead(t, group)
    if laws.settings[MERGE_ENABLED] == 0:
        return 0.0
    target, least = laws.settings[MANIFEST_TARGET], int(laws.settings[LEAST_MERGED])
    start, rows = int(state[OPEN + group]), int(state[ROWS_OF + group])
    kept, merged = 0, 0.0
    first, skipped, items, filled = start, 0.0, 0.0, 0.0  # of the open bin
    joins = False  # whether that bin's first manifests were in the row that `scratch` ends with
    for row in range(start, rows):
        size, count, used = m[BYTES][row], m[COUNT][row], 0.0
        if items:
            used = min(count, float(fitting(filled, size, target)))
            items, filled = items + used, filled + used * size
            if used == count:
                continue
            if merges(items, False, least):
                kept, merged, joins = (
                    emit_bin(t, laws, group, kept, first, skipped, row, used, 1.0),
                    merged + items,
                    False,
                )
            else:
                kept, joins = keep_bin(t, group, kept, first, skipped, row, used, joins), used > 0
        else:
            joins = False
        each = max(1.0, float(fitting(0.0, size, target)))
        left = count - used
        full = float(floor(left / each))
        if full * each == left:  # the last full bin is the one that stays open
            full -= 1
        if full > 0:
            if each > 1:
                kept = emit_bin(t, laws, group, kept, row, used, row, used + each, full)
                merged, joins = merged + full * each, False
            else:
                kept, joins = keep_bin(t, group, kept, row, used, row, used + full, joins), True
            used += full * each
        first, skipped, items, filled = row, used, count - used, (count - used) * size
    if items:
        last, used = rows - 1, m[COUNT][rows - 1]
        if merges(items, True, least):
            kept, merged = emit_bin(t, laws, group, kept, first, skipped, last, used, 1.0), merged + items
        else:
            kept = keep_bin(t, group, kept, first, skipped, last, used, joins)
    for row in range(kept):
        copy_row(t.manifests[SCRATCH], row, m, start + row)
    state[ROWS_OF + group] = float(start + kept)
    return merged


def settle_manifests(t: Table, laws: Laws, group: int) -> None:
    """Ends the commit under way."""
    m, state = t.manifests[group], t.state
    start, rows = int(state[OPEN + group]), int(state[ROWS_OF + group])
    if not rows:
        return
    kept = start
    for row in range(start, rows):
        m[NEW][row] = m[GONE_FRESH][row] = m[GONE_COMPACTED][row] = 0.0
        if kept > start and are_equal(m, kept - 1, row):
            m[COUNT][kept - 1] += m[COUNT][row]
            continue
        if kept != row:
            copy_row(m, row, m, kept)
        kept += 1
    state[ROWS_OF + group] = float(kept)
    if laws.settings[MERGE_ENABLED]:
        find_newest_bin(t, laws, group)


# -- taking entries out --------------------------------------------------------------------------------------------


def followers_left(share: float, kept: float) -> float:
    """The share of entries that follow another one of the same commit, once `kept` of all are left; `share` is the same
    before that. Every commit of which one is left has one that follows none of its own.
    """
    first = 1 - share
    return 1 - first * (1 - (1 - kept) ** (1 / first)) / kept if first > NEGLIGIBLE else share


def write_again(t: Table, laws: Laws, group: int, row: int, fresh: float, partial: float, settled: float) -> None:
    """Writes the manifests of a row again, each without so many entries of each kind."""
    m, count = t.manifests[group], t.manifests[group][COUNT][row]
    before = m[FRESH][row]
    compacted = m[PARTIAL][row] + m[SETTLED][row]
    size = manifest_bytes(laws, t.state, group, before, compacted, m[SORTED][row])
    note_left(t, group, row, count)
    note_written(t.flows, group, count, size)
    left = max(0.0, before - fresh)
    in_order = left * followers_left(m[SORTED][row] / before, left / before) if left > NEGLIGIBLE else 0.0
    m[BYTES][row] = size
    m[FRESH][row], m[SORTED][row] = left, in_order
    m[PARTIAL][row] = max(0.0, m[PARTIAL][row] - partial)
    m[SETTLED][row] = max(0.0, m[SETTLED][row] - settled)
    m[SIBLINGS][row] = 0.0
    m[GONE_FRESH][row], m[GONE_COMPACTED][row], m[NEW][row] = fresh, partial + settled, 1.0


def stand_together(t: Table, group: int, rewritten: float) -> None:
    """Notes that as many manifests, which the commit wrote again, stand next to each other's in the list."""
    m = t.manifests[group]
    for row in range(int(t.state[ROWS_OF + group])):
        if m[NEW][row]:
            m[SIBLINGS][row] = max(0.0, 1 - 1 / max(rewritten, 1.0))


def _drawn_entries(state: Column, entries: float, share: float, together: float) -> float:
    return min(entries, together * binomial(state, entries / together, share))


def thin(t: Table, laws: Laws, group: int, shares: Column, first: int, together: float, newest: float) -> float:
    """Takes each of the `newest` live entries out with the probability that `shares` gives from `first` on for its
    kind, `together` at a time of a manifest; every manifest that lost one is written again. How many those were; how
    many entries of each kind went, `sums` then says.
    """
    m, state, rewritten = t.manifests[group], t.state, 0.0
    restart(t, group)
    for kind in range(3):
        t.sums[kind] = 0.0
    row, beyond = int(state[ROWS_OF + group]) - 1, newest
    while row >= 0:
        count, live = m[COUNT][row], live_of(m, row)
        among = min(1.0, beyond / (count * live)) if live > NEGLIGIBLE else 1.0
        beyond = max(0.0, beyond - count * live)
        of_fresh, of_partial, of_settled = shares[first] * among, shares[first + 1] * among, shares[first + 2] * among
        fresh, partial, settled = m[FRESH][row], m[PARTIAL][row], m[SETTLED][row]
        if (fresh * of_fresh + partial * of_partial + settled * of_settled) > 0:
            if count == 1:
                gone_fresh = _drawn_entries(state, fresh, of_fresh, together)
                gone_partial = _drawn_entries(state, partial, of_partial, together)
                gone_settled = _drawn_entries(state, settled, of_settled, together)
                hit = 1.0 if gone_fresh + gone_partial + gone_settled > 0 else 0.0
            else:
                untouched = missed(fresh, of_fresh) * missed(partial, of_partial) * missed(settled, of_settled)
                chance = 1 - untouched ** (1 / together)
                hit = binomial(state, count, chance)
                gone_fresh, gone_partial, gone_settled = (
                    min(fresh, fresh * of_fresh / chance),
                    min(partial, partial * of_partial / chance),
                    min(settled, settled * of_settled / chance),
                )
                if 0 < hit < count:
                    insert_after(t, group, row)
                    m[COUNT][row] -= hit
                    m[COUNT][row + 1] = hit
                    write_again(t, laws, group, row + 1, gone_fresh, gone_partial, gone_settled)
                elif hit:
                    write_again(t, laws, group, row, gone_fresh, gone_partial, gone_settled)
            if count == 1 and hit:
                write_again(t, laws, group, row, gone_fresh, gone_partial, gone_settled)
            rewritten += hit
            t.sums[0] += hit * gone_fresh
            t.sums[1] += hit * gone_partial
            t.sums[2] += hit * gone_settled
        row -= 1
    stand_together(t, group, rewritten)
    return rewritten


def missed(entries: float, share: float) -> float:
    """The probability that none of so many entries is hit."""
    return (1 - share) ** entries if share < 1 or entries > 0 else 1.0


def take(t: Table, laws: Laws, group: int, fresh: float, partial: float, settled: float, newest_kinds: int) -> float:
    """Takes entries out that stand together: of each kind so many of the newest, where `newest_kinds` has its bit (1,
    2, 4), else of the oldest. How many manifests are written again.
    """
    m, state, gone, rewritten = t.manifests[group], t.state, t.manifests[SCRATCH], 0.0
    restart(t, group)
    rows = int(state[ROWS_OF + group])
    for number in range(3):
        left = fresh if number == 0 else (partial if number == 1 else settled)
        for step in range(rows):
            row = rows - 1 - step if newest_kinds & (1 << number) else step
            gone[number][row] = min(left, m[COUNT][row] * m[FRESH + number][row])
            left -= gone[number][row]
    for row in range(rows - 1, -1, -1):
        hit = 0.0
        for number in range(3):
            hit = max(hit, gone[number][row] / max(1.0, m[FRESH + number][row]))
        hit = min(hit, m[COUNT][row])
        if hit > NEGLIGIBLE:
            rewritten += _take_of_row(t, laws, group, row, hit, newest_kinds > 0)
    stand_together(t, group, rewritten)
    return rewritten


def _take_of_row(t: Table, laws: Laws, group: int, row: int, hit: float, is_newest: bool) -> float:
    """Takes entries as `scratch` says out of the first, or last, manifests of a row; how many it writes again."""
    m, gone = t.manifests[group], t.manifests[SCRATCH]
    emptied = float(floor(hit + NEGLIGIBLE))
    rest = hit - emptied
    partly = min(m[COUNT][row] - emptied, 1.0) if rest > NEGLIGIBLE else 0.0
    untouched = m[COUNT][row] - emptied - partly
    fresh, partial, settled = gone[0][row] / hit, gone[1][row] / hit, gone[2][row] / hit
    places = (untouched > NEGLIGIBLE) + (partly > 0) + (emptied > 0)
    for _ in range(places - 1):
        insert_after(t, group, row)
    at = row if is_newest else row + places - 1
    step = 1 if is_newest else -1
    if untouched > NEGLIGIBLE:
        m[COUNT][at] = untouched
        at += step
    if partly > 0:
        m[COUNT][at] = partly
        write_again(t, laws, group, at, fresh * rest / partly, partial * rest / partly, settled * rest / partly)
        at += step
    if emptied > 0:
        m[COUNT][at] = emptied
        write_again(t, laws, group, at, fresh, partial, settled)
    return emptied + partly


def filter_row(t: Table, laws: Laws, group: int, row: int, fresh: float, partial: float, settled: float) -> float:
    """Takes so many entries in all out of a row's manifests, the same of each; how many are written again.

    Where that is less than one entry of each, chance says which manifests hold one.
    """
    m, count = t.manifests[group], t.manifests[group][COUNT][row]
    taken = (fresh + partial + settled) / count
    if taken <= NEGLIGIBLE:
        return 0.0
    hit = count
    if taken < 1 - NEGLIGIBLE:
        hit = binomial(t.state, count, taken)
        if hit == 0:
            return 0.0
        if hit < count:
            insert_after(t, group, row)
            m[COUNT][row] -= hit
            row += 1
            m[COUNT][row] = hit
    ratio = m[SORTED][row] / m[FRESH][row] if m[FRESH][row] > NEGLIGIBLE else 0.0
    write_again(t, laws, group, row, fresh / hit, partial / hit, settled / hit)
    m[SORTED][row] = ratio * m[FRESH][row]
    left = live_of(m, row)
    # the first of emptied ones stands next to the manifest of what their files were rewritten into
    m[SIBLINGS][row] = 1.0 if left <= NEGLIGIBLE else max(0.0, 1 - 1 / hit)
    return hit


def filter_all(t: Table, laws: Laws, group: int) -> None:
    """Takes all entries out: every manifest that has one is written again."""
    m = t.manifests[group]
    restart(t, group)
    for row in range(int(t.state[ROWS_OF + group])):
        count = m[COUNT][row]
        filter_row(t, laws, group, row, count * m[FRESH][row], count * m[PARTIAL][row], count * m[SETTLED][row])


def settle_entries(t: Table, group: int, kind: int, amount: float) -> None:
    """Counts so many of the oldest entries of a kind as settled: no compaction takes their files any more."""
    if amount <= NEGLIGIBLE:
        return
    m, row = t.manifests[group], 0
    restart(t, group)
    while row < int(t.state[ROWS_OF + group]) and amount > NEGLIGIBLE:
        each, count = m[kind][row], m[COUNT][row]
        if each > NEGLIGIBLE:
            full = min(count, float(floor(amount / each + NEGLIGIBLE)))
            if full < count and count > 1:
                insert_after(t, group, row)
                m[COUNT][row] = max(1.0, full)
                m[COUNT][row + 1] = count - max(1.0, full)
                count = m[COUNT][row]
            moved = min(each, amount / count)
            m[kind][row] -= moved
            m[SETTLED][row] += moved
            m[SORTED][row] = min(m[SORTED][row], m[FRESH][row])
            amount -= moved * count
        row += 1


def rewrite_manifests(t: Table, laws: Laws, group: int) -> bool:
    """What rewrite_manifests makes of them; whether there was anything to do."""
    m, state, settings = t.manifests[group], t.state, laws.settings
    rows = int(state[ROWS_OF + group])
    sum_manifests(t, group)
    first = group * SUMS
    count, total, entries = t.sums[first + LISTED], t.sums[first + LISTED_BYTES], t.sums[first + ENTRIES]
    if count == 0:
        return False
    parts = float(max(1, rewritten_manifests(total, floor(entries + NEGLIGIBLE), settings[MANIFEST_TARGET])))
    if count <= 1 and parts <= 1:
        return False
    fresh = partial = settled = in_order = 0.0
    for row in range(rows):
        fresh += m[COUNT][row] * m[FRESH][row]
        partial += m[COUNT][row] * m[PARTIAL][row]
        settled += m[COUNT][row] * m[SETTLED][row]
        in_order += m[COUNT][row] * m[SORTED][row]
        note_left(t, group, row, m[COUNT][row])
    together = settings[FILES] if group == DATA else inf
    if settings[SORTS] and group == DATA:
        in_order = fresh
    else:  # entries of one commit are dealt out in turn
        apart = 1.0 if parts >= together else (parts - 1) / (together - 1)
        in_order += (fresh - in_order) * apart
    size = manifest_bytes(laws, state, group, fresh / parts, (partial + settled) / parts, in_order / parts)
    set_row(m, 0, parts, size)
    m[FRESH][0], m[PARTIAL][0], m[SETTLED][0] = fresh / parts, partial / parts, settled / parts
    m[SORTED][0], m[NEW][0] = in_order / parts, 1.0
    note_written(t.flows, group, parts, size)
    if settings[COPIES] and group == DATA:
        note_written(t.flows, group, parts, size)
        note_left(t, group, 0, parts)
    state[ROWS_OF + group] = 1.0
    restart(t, group)
    return True
