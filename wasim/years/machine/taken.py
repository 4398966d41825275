"""Entries that statements take out of manifests in the machine: every manifest that lists one is written again."""

from math import ceil, exp, floor, inf, log, log1p

from wasim.years.machine.manifests import (
    begin_row,
    copy_row,
    copy_some,
    entries_of,
    live_of,
    note_leaving,
    note_written,
    replace_rows,
)
from wasim.years.machine.sizes import is_any, manifest_bytes
from wasim.years.machine.tables import *
from wasim.years.machine.touched import missed_by


def followers_left(share: float, kept: float) -> float:
    """The share of manifests, or of entries, that follow another one of the same commit, once `kept` of all are left.

    `share` is the same before that. Every commit of which one is left has one that follows none of its own.
    """
    first = 1 - share
    return 1 - first * (1 - (1 - kept) ** (1 / first)) / kept if is_any(first) else share


def leave_followers(laws: Laws, row: list[float], kept: float) -> None:
    """The same of manifests, and of those that are the first of their commit."""
    part = laws.partly_saved if is_any(live_of(row)) else 1.0
    share = min(1.0, row[SIBLINGS] / part) if part > 0 else 0.0
    left = followers_left(share, kept)
    row[SIBLINGS] = part * left
    if is_any(1 - share):
        row[WITH_DATA] *= (1 - left) / (1 - share)


def unlike_left(share: float, kept: float) -> float:
    """The same where commits have unlike numbers left: as many as not by a geometric law, which thinning leaves one."""
    return 1 - (1 - share) / (1 - share * (1 - kept))


def write_again(
    table: Table, laws: Laws, group: int, row: list[float], to: int, count: float, gone: tuple[float, float, float]
) -> None:
    """Writes `count` of these manifests again, each without the entries of each kind that are gone."""
    written = table.spare[to]
    size = manifest_bytes(table, laws, group, row[FRESH], row[PARTIAL], row[SETTLED], row[SORTED])
    note_leaving(table, group, row, count)
    note_written(table, group, count, size)
    begin_row(written, count, size, 1.0)
    fresh, partial, settled = gone
    left = max(0.0, row[FRESH] - fresh)
    written[FRESH], written[MISSED] = left, row[MISSED]
    written[PARTIAL], written[SETTLED] = max(0.0, row[PARTIAL] - partial), max(0.0, row[SETTLED] - settled)
    if is_any(left):
        share, kept = row[SORTED] / row[FRESH], left / row[FRESH]
        written[SORTED] = left * (unlike_left(share, kept) if group else followers_left(share, kept))
    written[GONE_FRESH], written[GONE_COMPACTED] = fresh, partial + settled


def power(base: float, exponent: float) -> float:
    """base ** exponent; of a manifest without entries of a kind, without any work."""
    return 1.0 if exponent == 0 else base**exponent


def none_due(listed: float, share: float, every: float) -> float:
    """How likely none of so many partitions, each another one of `every`, is in that share of them which is due."""
    found, due, apart = 1.0, share * every, min(listed, every)
    whole = floor(apart)
    for place in range(int(whole)):
        found *= max(0.0, 1 - due / (every - place))
    return found * (1 - (apart - whole) * min(1.0, due / max(1.0, every - whole)))


def untouched_of(
    laws: Laws, row: list[float], gone: list[float], among: float, together: float, touches: float, apart: float
) -> float:
    """How likely a manifest keeps all of its entries, of which each among this share goes with its kind's probability:
    whole entries are among them. Where a statement `touches` a share of the open partitions, those go that are in one;
    where entries are `apart`, each is in another of so many partitions, of which that share is due.
    """
    if touches > 0:
        return missed_partitions(laws, live_of(row) * among / together, touches)
    if apart > 0:
        return none_due(row[FRESH], gone[0], apart) * none_due(row[PARTIAL], gone[1], apart)
    found = 1.0
    for kind in range(3):
        entries = row[FRESH + kind] * among
        whole = entries if among >= 1 else float(floor(entries))
        found *= power(1 - gone[kind], whole) * (1 - gone[kind] * (entries - whole))
    return found


def kept_by(
    laws: Laws,
    row: list[float],
    gone: list[float],
    newest: tuple[float, float],
    together: float,
    touches: float,
    apart: float,
) -> float:
    """The share of manifests that keep all of their entries, which go `together` at a time. `newest` is how many
    manifests hold the newest entries, and which share of all entries those are.
    """
    count, among = newest
    whole = max(0.0, count - 1)  # manifests of which all entries are among the newest
    last = among * count - whole if whole > 0 else among
    untouched = untouched_of(laws, row, gone, last, together, touches, apart)
    if whole > 0:
        untouched = (whole * untouched_of(laws, row, gone, 1.0, together, touches, apart) + untouched) / count
    return untouched ** (1 / together) if together > 1 and touches == 0 else untouched


def emptied_of(row: list[float], gone: list[float], among: float, together: float, apart: float) -> float:
    """How likely all entries of a manifest go, of which each among this share does with its kind's probability; where
    they are `apart`, none is in a partition that is not due.
    """
    if not is_any(live_of(row)):
        return 0.0
    if apart > 0:
        return none_due(row[FRESH], 1 - gone[0], apart) * none_due(row[PARTIAL], 1 - gone[1], apart)
    found = 1.0
    for kind in range(3):
        entries, kept = row[FRESH + kind], 1 - gone[kind] * among
        whole = float(floor(entries))
        found *= power(1 - kept, whole) * (1 - kept * (entries - whole))
    return found ** (1 / together) if together > 1 else found


def missed_partitions(laws: Laws, listed: float, share: float) -> float:
    """How likely none of so many open partitions is among this share of them, which rows fall into by chance."""
    every = laws.open_partitions
    return power(1 - min(1.0, listed / every), log1p(-share) / log1p(-1 / every)) if every > 1 else 1 - share


def mark_anywhere(table: Table, group: int, shares: tuple[float, float, float]) -> None:
    """With which probability an entry of each kind goes, into `gone`, wherever it is listed."""
    for place in range(table.used[group]):
        table.counts[place] = 1.0
        for kind in range(3):
            table.gone[place][kind] = shares[kind]


def mark_newest(table: Table, group: int, newest: float, shares: tuple[float, float, float]) -> None:
    """With which probability an entry of each kind goes, into `gone`, and which share of the entries of each row is
    among this many of the newest, into `counts`.

    Of files that were written again the newest stands for the large file of a partition, which statements write last.
    """
    large = table.numbers[LARGE] if group == 0 else 0.0
    older = entries_of(table, PARTIAL)
    mark_anywhere(table, group, shares)
    for place in range(table.used[group] - 1, -1, -1):
        row, gone = table.rows[group][place], table.gone[place]
        live, written = row[COUNT] * (row[FRESH] if group else live_of(row)), row[COUNT] * row[PARTIAL]
        if is_any(live):
            table.counts[place] = min(1.0, newest / live)
        here = 0.0
        if large > 0:
            older -= written  # which list the others, as many as they can
            here = large * (1 - (1 - table.numbers[HIT_OF_LARGE]) ** row[COUNT])
            here = min(written, max(here, large - older))
        if is_any(written):
            gone[1] += (table.numbers[HIT_OF_LARGE] - shares[1]) * here / written
        newest, large = max(0.0, newest - live), large - here


def mark_current(table: Table, named: float, share: float) -> None:
    """Which share of each row's delete files is of these named data files, into `counts`: as many as neither a later
    statement has replaced, as each does `share` of all, nor a compaction left behind that took their data files.
    """
    left, used, found = table.numbers[NAMED_LEFT], table.used[1], 0.0
    each = (1 - share) * left
    if 1 - left < FEW_LEFT_BEHIND * (1 - each):
        return
    for place in range(used):
        row = table.rows[1][place]
        since = log(max(row[MISSED], NEGLIGIBLE)) / log1p(-min(0.5, table.numbers[TOUCHES])) - 1  # statements
        current = each ** max(0.0, since)
        listed = 1 - share * left * (1 - current) / (1 - each)
        table.counts[place] = min(1.0, left * current / listed)
        found += row[COUNT] * live_of(row) * table.counts[place]
    for place in range(used):
        table.counts[place] = min(1.0, table.counts[place] * named / max(found, NEGLIGIBLE))


def note_left(table: Table, named: float) -> None:
    """Of the data files that delete files named once the last statement had run these are left: on average of some."""
    numbers = table.numbers
    if numbers[NAMED_THEN] > 0:
        numbers[NAMED_LEFT] += SMOOTHED * (min(1.0, named / numbers[NAMED_THEN]) - numbers[NAMED_LEFT])


def mark_by_age(table: Table, again: float) -> None:
    """The same of delete files that each name a data file, as many as go `again`: data files that statements have
    missed for long have few rows.
    """
    numbers, total = table.numbers, 0.0
    for place in range(table.used[1]):
        row = table.rows[1][place]
        goes = 1.0 - exp(-numbers[TOUCHES] * rows_missed_by(table, max(row[MISSED], NEGLIGIBLE)))
        table.gone[place][0] = goes
        total += row[COUNT] * live_of(row) * table.counts[place] * goes
    for place in range(table.used[1]):
        table.gone[place][0] = min(1.0, table.gone[place][0] * again / total) if is_any(total) else 0.0


def rows_missed_by(table: Table, missed: float) -> float:
    """Rows of a file that a statement hit and later ones missed, which have left this share of all rows alone: by the
    law of `rows_in_files`.
    """
    rows = pairs = 0.0
    numbers = table.numbers
    if numbers[LARGE] > 0 and numbers[EVENLY] + numbers[IN_STEP] > 0:  # large files of new rows, and others
        large, others = numbers[LARGE], max(0.0, table.classes[REWRITTEN][FILES] - numbers[LARGE])
        few, many = numbers[HIT_OF_LARGE] / numbers[TOUCHES], numbers[HIT_OF_OTHERS] / numbers[TOUCHES]
        rows = large * few * missed**few + others * many * missed**many
        pairs = large * few * few * missed**few + others * many * many * missed**many
        return pairs / rows if rows > 0 else 0.0
    for number in range(3):
        mean, wider = table.likely[number][0], table.likely[number][1]
        each = 1 / (1 + (1 - missed) * wider)
        found = table.classes[number][FILES] * mean * missed_by(mean, wider, 1 - missed) * each
        rows += found
        pairs += found * (mean + wider) * each
    return missed * pairs / rows if rows > 0 else 0.0


def thin(table: Table, laws: Laws, group: int, together: float, apart: float) -> float:
    """Takes each of the marked entries out with its probability, `together` at a time of a manifest, or each in another
    of so many partitions `apart`, above 0. Returns how many manifests are written again.
    """
    rows, spare, copied, rewritten = table.rows[group], table.spare, 0, 0.0
    touches = table.numbers[TOUCHES] if group == 0 and table.numbers[IS_SCATTERED] == 0 else 0.0
    for place in range(table.used[group]):
        row, gone, among = rows[place], table.gone[place], table.counts[place]
        count = min(row[COUNT], float(ceil(row[COUNT] * among - NEGLIGIBLE)))  # the newest ones
        if is_any(row[COUNT] - count):
            copied = copy_some(spare, copied, row, row[COUNT] - count)
        if not is_any(count):
            continue
        among *= row[COUNT] / count
        untouched = kept_by(laws, row, gone, (count, among), together, touches, apart)
        hit = 1 - untouched
        if not is_any(hit):
            copied = copy_some(spare, copied, row, count)
            continue
        emptied = min(emptied_of(row, gone, among, together, apart), hit)
        some = hit - emptied
        if is_any(emptied):
            write_again(table, laws, group, row, copied, count * emptied, (row[FRESH], row[PARTIAL], row[SETTLED]))
            rewritten += count * emptied
            copied += 1
        if is_any(untouched):
            copied = copy_some(spare, copied, row, count * untouched)
            leave_followers(laws, spare[copied - 1], untouched)
        if is_any(some):
            # of each, on average, without what manifests that were emptied had
            part = (
                max(0.0, gone[0] * among - emptied) * row[FRESH] / some,
                max(0.0, gone[1] * among - emptied) * row[PARTIAL] / some,
                max(0.0, gone[2] * among - emptied) * row[SETTLED] / some,
            )
            write_again(table, laws, group, row, copied, count * some, part)
            rewritten += count * some
            copied += 1
    replace_rows(table, group, copied, 0)
    return rewritten


def want(table: Table, kind: int, entries: float, newest: bool) -> None:
    """Marks entries of data files of a kind that are to be taken out: so many of the newest, or of the oldest."""
    used = table.used[0]
    for turn in range(used):
        place = used - 1 - turn if newest else turn
        taken = min(entries, table.rows[0][place][COUNT] * table.rows[0][place][FRESH + kind])
        table.gone[place][kind], table.gone[place][3] = taken, 0.0
        entries -= taken


def want_deletes(table: Table, entries: float, newest: bool, of_arrived: bool) -> None:
    """Marks so many delete files: of any data file, or of those as they arrived alone."""
    used = table.used[1]
    for turn in range(used):
        place = used - 1 - turn if newest else turn
        row, gone = table.rows[1][place], table.gone[place]
        live = row[FRESH] if of_arrived else live_of(row)
        taken = min(entries, row[COUNT] * live)
        gone[3] = 0.0
        for kind in range(3):
            gone[kind] = taken * row[FRESH + kind] / live if is_any(live) else 0.0
        if of_arrived:
            gone[1] = gone[2] = 0.0
        entries -= taken


def mark_counted(table: Table, laws: Laws, every: int, of_small: float, of_partial: float) -> None:
    """With which probability an entry of each kind goes, into `gone`, where some of so many equal parts are compacted,
    these shares of all their files: a commit's are in those that were last compacted before it. Then they have been.
    """
    for kind, share in ((0, of_small), (1, of_partial)):
        until, top, due = table.numbers[DEALT], every, taken_of(table.counted, 0, every)
        left, goes, listed, found = 0.0, 1.0, 0.0, 0.0
        for place in range(table.used[0] - 1, -1, -1):
            row, taken = table.rows[0][place], 0.0
            entries = rest = row[COUNT] * row[FRESH + kind]
            while is_any(rest):
                if not is_any(left):
                    left, goes, until, top, due = since_compaction(table, laws, every, kind, (until, top, due))
                step = min(rest, left)
                taken, rest, left = taken + step * goes, rest - step, left - step
            table.counts[place], table.gone[place][2] = 1.0, 0.0
            table.gone[place][kind] = taken / max(entries, NEGLIGIBLE)
            listed, found = listed + entries, found + taken
        for place in range(table.used[0]):  # as many as go of all
            gone = table.gone[place]
            if share * listed <= found:
                gone[kind] *= share * listed / max(found, NEGLIGIBLE)
            else:
                gone[kind] = 1 - (1 - gone[kind]) * (1 - share) * listed / max(listed - found, NEGLIGIBLE)
            gone[kind] = min(1.0, max(0.0, gone[kind]))
    put_last(table.counted, every)
    note_compacted(table, every)


def since_compaction(
    table: Table, laws: Laws, every: int, kind: int, before: tuple[float, int, float]
) -> tuple[float, float, float, int, float]:
    """Entries of a kind since the last compaction of any part `before` a commit, of the first so many parts, of which
    some are due: how many, how likely each goes; and what was before that compaction.
    """
    counted, (until, top, due) = table.counted, before
    if top == 0:  # before any
        return inf, 1.0, until, 0, due
    since, first = counted[top - 1][COMPACTED_SINCE], top - 1
    while first > 0 and counted[first - 1][COMPACTED_SINCE] == since:
        first -= 1
    here, came, made = taken_of(counted, first, top), laws.files / every * top * (until - since), 0.0
    if kind == 1:  # what upserts write counts as compacted
        came *= table.numbers[LAST_MADE] / laws.files if laws.upserts else 0.0
        made = (top - first) * laws.open_partitions / every
    goes = (came * due / top + made * here / (top - first)) / max(came + made, NEGLIGIBLE)
    return came + made, goes, since, first, due - here


def taken_of(counted: list[list[float]], first: int, stop: int) -> float:
    """How many of these partitions are taken."""
    found = 0.0
    for place in range(first, stop):
        found += counted[place][IS_TAKEN]
    return found


def put_last(counted: list[list[float]], every: int) -> None:
    """Puts the partitions that are taken behind the others: they stand by when they were last compacted."""
    last = 0
    for place in range(every):
        if counted[place][IS_TAKEN] == 0:
            for column in range(len(counted[0])):
                kept = counted[last][column]
                counted[last][column] = counted[place][column]
                counted[place][column] = kept
            last += 1


def mark_walked(table: Table, laws: Laws, fresh: float, partial: float) -> None:
    """Marks what is compacted in partitions that commits walk through: of the manifests of commits, what is in parts
    that are due, and of the compacted files so many, which were compacted in that order too. Of `fresh` entries that
    go, the others are in partitions that have closed.
    """
    commit, since, left, each = table.numbers[DEALT], inf, 0.0, laws.files / laws.walk_step
    for place in range(laws.walk_parts):
        since = min(since, table.counted[place][COMPACTED_SINCE])
    want(table, 1, partial, False)
    want(table, 2, 0.0, False)
    for place in range(table.used[0] - 1, -1, -1):
        row, gone = table.rows[0][place], table.gone[place]
        gone[0], left = 0.0, left + row[COUNT] * row[FRESH]
        while left >= each * MEDIAN and commit > since:
            commit, there, goes = commit - 1, 0.0, 0.0
            for part in range(laws.walk_step):
                one = table.counted[int(commit * laws.walk_step + part) % laws.walk_parts]
                is_there = 1.0 if commit >= one[COMPACTED_SINCE] else 0.0
                there, goes = there + is_there, goes + is_there * one[IS_TAKEN]
            left -= there * each
            gone[0] += goes * each
            gone[3] += 1.0 if goes > 0 else 0.0
        gone[0], gone[3] = min(gone[0], row[COUNT] * row[FRESH]), min(gone[3], row[COUNT])
        fresh -= gone[0]
    for place in range(table.used[0]):
        more = min(max(0.0, fresh), table.rows[0][place][COUNT] * table.rows[0][place][FRESH] - table.gone[place][0])
        table.gone[place][0], fresh = table.gone[place][0] + more, fresh - more
    note_compacted(table, laws.walk_parts)


def note_compacted(table: Table, every: int) -> None:
    """Of so many partitions, those that are taken have been compacted after this commit."""
    for place in range(every):
        if table.counted[place][IS_TAKEN] > 0:
            table.counted[place][COMPACTED_SINCE] = table.numbers[DEALT]


def take(table: Table, laws: Laws, group: int, newest: bool, by_chance: bool) -> float:
    """Takes entries out that stand together, those that are marked (`want`); of the manifests of a row the first ones
    where these are the oldest. Of one that keeps some it may be `by_chance` how many. Returns how many manifests are
    written again.
    """
    rows, copied, rewritten = table.rows[group], 0, 0.0
    for place in range(table.used[group]):
        row, gone = rows[place], table.gone[place]
        count, hit = row[COUNT], gone[3]
        for kind in range(3):
            hit = max(hit, gone[kind] / max(1.0, row[FRESH + kind]))
        hit = min(count, hit)
        if not is_any(hit):
            copy_row(table.spare, copied, row)
            copied += 1
            continue
        emptied = float(floor(hit + NEGLIGIBLE))
        partly = min(count - emptied, 1.0) if is_any(hit - emptied) else 0.0
        untouched = count - emptied - partly
        each = (gone[0] / hit, gone[1] / hit, gone[2] / hit)
        for turn in range(3):
            piece = turn if newest else 2 - turn
            if piece == 0 and is_any(untouched):
                leave(table, row, copied, untouched, gone)
            elif piece == 1 and partly > 0:
                share, left = (hit - emptied) / partly, partly
                none = all_occupied(live_of(row), share) if by_chance else 0.0
                if is_any(min(none, 1 - none)):
                    write_again(table, laws, group, row, copied, partly * none, each)
                    copied, share, left = copied + 1, (share - none) / (1 - none), partly * (1 - none)
                part = (each[0] * share, each[1] * share, each[2] * share)
                write_again(table, laws, group, row, copied, left, part)
            elif piece == 2 and is_any(emptied):
                write_again(table, laws, group, row, copied, emptied, each)
            else:
                continue
            copied += 1
        rewritten += emptied + partly
    replace_rows(table, group, copied, 0)
    return rewritten


def all_occupied(places: float, share: float) -> float:
    """How likely rows that are dealt to so many places by chance leave none without any, if on average they fall into
    this share of them: by the mean and the variance of how many are left (the classical occupancy problem), which a
    binomial law has too.
    """
    left = places * (1 - share)
    if places <= 1 or not is_any(min(left, share)):
        return 0.0 if is_any(left) else 1.0
    rows = log(left / places) / log1p(-1 / places)
    variance = places * (places - 1) * max(0.0, 1 - 2 / places) ** rows + left - left * left
    ratio = min(1 - NEGLIGIBLE, variance / left)
    return ratio ** (left / (1 - ratio)) if ratio > 0 else 0.0


def leave(table: Table, row: list[float], to: int, count: float, gone: list[float]) -> None:
    """Lists `count` of these manifests as they are: of a kind of which not each of them lists one, what does not go."""
    left = table.spare[copy_some(table.spare, to, row, count) - 1]
    for kind in range(3):
        if row[FRESH + kind] < 1:
            left[FRESH + kind] = max(0.0, (row[COUNT] * row[FRESH + kind] - gone[kind]) / count)


def reopen_entries(table: Table, entries: float) -> None:
    """Counts so many settled entries, the oldest, as compacted files again."""
    for place in range(table.used[0]):
        row = table.rows[0][place]
        moved = min(row[SETTLED], entries / max(row[COUNT], NEGLIGIBLE))
        row[PARTIAL], row[SETTLED] = row[PARTIAL] + moved, row[SETTLED] - moved
        entries -= row[COUNT] * moved
