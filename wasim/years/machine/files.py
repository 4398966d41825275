"""Data files in the machine, by the partitions that are open at the same time, and what compaction takes of them."""

from math import ceil, erf, exp, expm1, floor, inf, log1p, pi, sqrt

from wasim.rules.compaction import LOOKBACK, is_much_deleted, is_rewritten, row_groups, task_bytes
from wasim.rules.maintenance import is_due
from wasim.years.machine.sizes import bytes_of_rows, compacted_bytes, is_any, is_rewritten_for_size
from wasim.years.machine.tables import *

MOST_TURNS = 64  # of files of two sizes: of more, several go into tasks one after the other
SURELY = 6.0  # standard deviations from the mean, beyond which no partition lies
RARELY = 3.0  # files that a partition may lack, though each of them seldom
SELDOM = 0.2  # files of a commit in a partition: of fewer, each is dealt to one of all partitions
MANY_TRIALS = 20.0  # expected successes: of more, the normal law is as good as the binomial one
AT_END = 1e-6  # of all rows, as good as none: delete files of one statement are older than the next statement's


def deal_out(table: Table, laws: Laws) -> None:
    """Deals the files of all commits so far out to the partitions that were open when they came."""
    numbers = table.numbers
    if numbers[COHORTS] == 0:
        begin_cohort(table, laws.open_partitions)
    commits, lifetime = numbers[COMMITS], laws.lifetime
    if lifetime == inf or not laws.compacts:
        into_newest(table, laws, commits - numbers[DEALT])
        numbers[DEALT] = commits
        return
    tasks = laws.tasks_in_order
    while is_any(commits - numbers[DEALT]):
        unit = floor(numbers[DEALT] / lifetime + NEGLIGIBLE)
        last = min(commits, max(numbers[DEALT] + 1, float(floor((unit + 1) * lifetime + NEGLIGIBLE))))
        begun = numbers[DEALT] - unit * lifetime
        if numbers[DEALT] > 0 and begun < (NEGLIGIBLE if laws.straddling > 0 else 1.0 - NEGLIGIBLE):
            open_next(table, laws)
        if last < commits and lifetime <= 1:  # every commit opens partitions of its own
            numbers[COHORTS] -= 1
            begin_cohort(table, laws.partitions * (commits - numbers[DEALT]))
            last = commits
        before = (unit + 1) * lifetime - numbers[DEALT]  # of its rows, where the next commit's partitions differ
        if laws.straddling > 0 and is_any(min(before, 1 - before)):
            whole = floor(before * tasks)  # one more writes into both
            into_newest(table, laws, (whole + 1) / (tasks + laws.straddling))
            open_next(table, laws)
            into_newest(table, laws, (tasks - whole) / (tasks + laws.straddling))
        else:
            into_newest(table, laws, (last - numbers[DEALT]) * tasks / (tasks + laws.straddling))
        numbers[DEALT] = last


def open_next(table: Table, laws: Laws) -> None:
    """Opens the partitions that follow the newest ones."""
    if table.numbers[COHORTS] > MOST_COHORTS:
        place = min(places_through(table, laws), int(table.numbers[COHORTS]) - 2)
        put_together(table, place, place + 1)
    begin_cohort(table, laws.open_partitions)


def rows_in(table: Table, laws: Laws, place: int) -> tuple[float, float]:
    """The first row of the partitions by time in a row of `cohorts`, and the first one beyond them."""
    first = partitions_so_far(table, laws)
    for later in range(int(table.numbers[COHORTS]) - 1, place - 1, -1):
        first -= table.cohorts[later][PARTITIONS]
    each = laws.new_rows * laws.lifetime / laws.open_partitions
    return first * each, (first + table.cohorts[place][PARTITIONS]) * each


def places_through(table: Table, laws: Laws) -> int:
    """How many rows of partitions, the oldest first, hold what statements on the oldest rows have written."""
    place = 0
    while place < int(table.numbers[COHORTS]) and rows_in(table, laws, place)[0] < table.numbers[OLDEST_THROUGH]:
        place += 1
    return place


def writes_oldest(laws: Laws) -> bool:
    """Whether any statement writes the oldest rows into data files again."""
    for change in range(UPSERT):
        row = laws.changes[change]
        if row[IS_THERE] > 0 and row[PLACE] >= OLDEST and (change != DELETE or row[ON_READ] == 0):
            return True
    return False


def are_to_be_oldest(table: Table, laws: Laws, place: int) -> bool:
    """Whether the oldest row is in these partitions, or comes to be: none of earlier ones that were reopened."""
    first, stop = rows_in(table, laws, place)
    return first > -NEGLIGIBLE and stop > table.numbers[OLDEST_ROW]


def oldest_place(table: Table, laws: Laws) -> int:
    """The row of partitions that holds the oldest row."""
    place, last = 0, int(table.numbers[COHORTS]) - 1
    while place < last and rows_in(table, laws, place)[1] <= table.numbers[OLDEST_ROW]:
        place += 1
    return place


def newest_place(table: Table) -> int:
    """The place of the partitions that were opened last."""
    return max(0, int(table.numbers[COHORTS]) - 1)


def begin_cohort(table: Table, partitions: float) -> None:
    """Opens partitions."""
    cohort = table.cohorts[int(table.numbers[COHORTS])]
    cohort[PARTITIONS] = partitions
    for column in range(SMALL_FILES, ROW_OF_PARTITIONS):
        cohort[column] = 0.0
    cohort[SINCE], cohort[DELETES_BEFORE] = table.numbers[MISSED_BY], table.flows[WRITTEN_FILES + 2]
    cohort[WRITTEN_AT], cohort[MEAN_SINCE] = -1.0, cohort[SINCE]
    table.numbers[COHORTS] += 1
    table.numbers[UNCOUNTED] = 0.0
    count_none(table, 0, ceil(min(MOST_COUNTED, partitions)))


def count_none(table: Table, first: int, last: int) -> None:
    """Counts no file in these partitions, which are open from now on."""
    for place in range(first, last):
        table.counted[place][FILES_THERE] = table.counted[place][COMPACTED_FILES] = 0.0
        table.counted[place][COMPACTED_SINCE] = table.numbers[DEALT]
        table.counted[place][THERE_SINCE] = table.numbers[MISSED_BY]
        table.counted[place][DELETES_THERE] = table.flows[WRITTEN_FILES + 2]


def open_further(table: Table, laws: Laws) -> None:
    """Opens so many more partitions that there are as many as these laws say: files come to all of them from now on."""
    newest = table.cohorts[newest_place(table)]
    before, newest[PARTITIONS] = newest[PARTITIONS], laws.open_partitions
    for column in range(SMALL_FILES, SINCE):
        newest[column] *= before / newest[PARTITIONS]
    count_none(table, ceil(min(MOST_COUNTED, before)), ceil(min(MOST_COUNTED, laws.open_partitions)))


def put_together(table: Table, place: int, other: int) -> None:
    """Makes one row of the partitions of two, as they are on average."""
    first, second = table.cohorts[place], table.cohorts[other]
    every = first[PARTITIONS] + second[PARTITIONS]
    for column in range(SINCE, ROW_OF_PARTITIONS):
        first[column] = min(first[column], second[column])
    for column in range(SMALL_FILES, SINCE):
        first[column] *= first[PARTITIONS] / every
    share = second[PARTITIONS] / every
    for column in (SMALL_FILES, SMALL_ROWS, UNEVEN):
        first[column] += second[column] * share
    for column in range(SIZED_FILES, UNEVEN, 2):
        add_in_order(first, second[column] * share, second[column + 1] * share)
    first[PARTITIONS] = every
    drop_cohort(table, other)


def drop_cohort(table: Table, place: int) -> None:
    """Forgets partitions."""
    table.numbers[COHORTS] -= 1
    for later in range(place, int(table.numbers[COHORTS])):
        for column in range(ROW_OF_PARTITIONS):
            table.cohorts[later][column] = table.cohorts[later + 1][column]


def into_newest(table: Table, laws: Laws, commits: float) -> None:
    """Deals the files of commits out to the newest partitions."""
    if table.numbers[STATEMENTS_WRITE] > 0:
        return
    table.numbers[SETTLED_FILES] += commits * laws.settled_files
    table.numbers[SETTLED_ROWS] += commits * laws.settled_rows
    newest, files = table.cohorts[newest_place(table)], laws.files - laws.settled_files
    newest[SMALL_FILES] += commits * files / newest[PARTITIONS]
    newest[SMALL_ROWS] += commits * (laws.rows_per_commit - laws.settled_rows) / newest[PARTITIONS]
    newest[UNEVEN] += commits * laws.uneven * (files / laws.files) ** 2
    table.numbers[UNCOUNTED] += commits


def small_of(table: Table, kind: int) -> float:
    """Small files of one kind."""
    found = 0.0
    for place in range(int(table.numbers[COHORTS])):
        found += table.cohorts[place][PARTITIONS] * table.cohorts[place][kind]
    return found


def small_files(table: Table, laws: Laws) -> float:
    """Files below the target: as they arrived, compacted, and of closed partitions."""
    found = table.numbers[LEFT_FILES] + (small_of(table, SMALL_FILES) if laws.new_small > 0 else 0.0)
    for place in range(int(table.numbers[COHORTS])):
        one = table.cohorts[place]
        for column in range(SIZED_FILES, UNEVEN, 2):
            if one[column + 1] < one[column] * laws.small_rows:
                found += one[PARTITIONS] * one[column]
    return found


def group_bytes(table: Table, laws: Laws, one: list[float], of_small: float, of_partial: float) -> float:
    """Bytes of the files that a compaction takes in one partition, these shares of the mean of those that came and of
    compacted ones; lists all by size.
    """
    sizes, found, closed = table.sizes, 0.0, laws.closed_share * laws.closed_rows
    each = one[SMALL_ROWS] / one[SMALL_FILES] if one[SMALL_FILES] > 0 else 0.0
    rest = max(1.0, (each - closed) / (1 - laws.closed_share))
    arrived = ((laws.closed_share, laws.closed_rows), (1 - laws.closed_share, rest))
    for number in range(2):
        of_size, (of_files, rows) = sizes[number], arrived[number]
        of_size[0] = one[SMALL_FILES] * of_small * of_files
        if is_any(of_size[0]):
            of_size[1], of_size[2] = bytes_of_rows(laws, rows), rows * laws.new_share * table.numbers[ARRIVED_LIVE]
            found += of_size[0] * of_size[1]
    for number in range(MOST_SIZES):
        column = SIZED_FILES + 2 * number
        of_size, files = sizes[number + 2], one[column]
        of_size[0] = files * of_partial if is_any(files) else 0.0
        if is_any(of_size[0]):
            rows = one[column + 1] / files
            of_size[1], of_size[2] = compacted_bytes(laws, rows), rows * table.numbers[REWRITTEN_LIVE]
            found += of_size[0] * of_size[1]
    return found


def is_group_due(table: Table, laws: Laws, one: list[float], files: float) -> bool:
    """Whether Iceberg takes a group of so many files: for their number or content, or as much of them is deleted."""
    if one[IS_MUCH_DELETED] > 0:
        return True
    if one[SMALL_FILES] > 0 and is_much_deleted(1 - table.numbers[ARRIVED_LIVE], 1.0):
        return True
    if one[PARTIAL_FILES] > 0 and is_much_deleted(1 - table.numbers[REWRITTEN_LIVE], 1.0):
        return True
    least = laws.min_input_files - MEDIAN
    return is_rewritten(files - NEGLIGIBLE, group_bytes(table, laws, one, 1.0, 1.0), least, laws.compaction_target)


def groups_due(table: Table, laws: Laws, one: list[float]) -> tuple[float, float]:
    """Which share of these partitions Iceberg compacts, and how many files each of those has, beyond the mean.

    How many each has is as good as normal. Less than half a partition is none. Where there are delete files all
    partitions are taken together: any that is left would keep each of them.
    """
    files = one[SMALL_FILES] + one[PARTIAL_FILES]
    apart, are_due = sqrt(min(one[UNEVEN], files)), is_group_due(table, laws, one, files)
    is_like_others = not is_any(apart) or one[PARTITIONS] <= 1
    if is_like_others or is_group_due(table, laws, one, min(2.0, files)):  # for its content
        return (1.0 if are_due else 0.0), 0.0
    above = (files - laws.min_input_files + MEDIAN) / apart
    share = (1 + erf(above / sqrt(2))) / 2
    if one[PARTITIONS] * min(share, 1 - share) < MEDIAN:
        return (1.0 if share > MEDIAN else 0.0), 0.0
    return share, apart * exp(-above * above / 2) / (sqrt(2 * pi) * share)


def partitions_counted(table: Table, laws: Laws, place: int) -> int:
    """How many partitions these are, or equal parts of many, if the files of each are counted: they are open, and apart
    by chance alone; where commits walk through partitions, of how many parts of all.
    """
    every = float(laws.walk_parts) if laws.walk_parts > 0 else min(MOST_COUNTED, table.cohorts[place][PARTITIONS])
    differ = max(laws.uneven, laws.walk_parts, float(laws.changes_rows if laws.least_files < inf else 0))
    is_apart = is_any(differ) and 1 < every <= MOST_COUNTED and place == newest_place(table)
    is_on_read = laws.upserts == 0 or laws.changes[UPSERT][ON_READ] > 0
    is_appended = is_on_read and max(laws.closed_share, laws.settled_files) == 0
    return int(every + MEDIAN) if is_apart and is_appended and laws.parts == 1 else 0


def count_arrived(table: Table, laws: Laws, every: int, by_chance: bool) -> float:
    """Counts the files that have come into each of so many equal parts; how many a partition of each has, added up."""
    trials, share, found = table.numbers[UNCOUNTED] * laws.files / laws.open_partitions, 1.0, 0.0
    if laws.walk_parts > 0:
        return count_walked(table, laws)
    if by_chance:
        share = 1 - laws.uneven * laws.open_partitions / laws.files  # of a commit's tasks that write into a partition
    table.numbers[UNCOUNTED], is_each = 0.0, max(trials, share) > SELDOM
    since, deletes_before = table.numbers[MISSED_BY], table.flows[WRITTEN_FILES + 2]
    for place in range(every):
        one = table.counted[place]
        if one[FILES_THERE] == 0:
            one[THERE_SINCE], one[DELETES_THERE] = since, deletes_before
        if is_each or not by_chance:
            one[FILES_THERE] += draw_binomial(table, floor(trials / share + MEDIAN), share) if by_chance else trials
    if by_chance and not is_each:
        for _ in range(int(draw_binomial(table, floor(trials * every / share + MEDIAN), share))):
            table.counted[int(draw_uniform(table) * every)][FILES_THERE] += 1.0
    for place in range(every):
        found += table.counted[place][FILES_THERE]
    return found


def count_walked(table: Table, laws: Laws) -> float:
    """The same of parts of all partitions that commits walk through: each has the files of the commits that came."""
    numbers, counted, found = table.numbers, table.counted, 0.0
    each, whole = files_walked(laws), floor(numbers[UNCOUNTED] / laws.walk_parts)
    for commit in range(int(numbers[DEALT] - numbers[UNCOUNTED] + whole * laws.walk_parts), int(numbers[DEALT])):
        for part in range(laws.walk_step):
            counted[(commit * laws.walk_step + part) % laws.walk_parts][FILES_THERE] += each
    for place in range(laws.walk_parts):
        counted[place][FILES_THERE] += whole * laws.walk_step * each
        found += counted[place][FILES_THERE]
    numbers[UNCOUNTED] = 0.0
    return found


def files_walked(laws: Laws) -> float:
    """Files of a commit in each partition that it writes into."""
    return laws.files / (laws.open_partitions * laws.walked)


def counted_due(table: Table, laws: Laws, one: list[float], every: int) -> tuple[float, float, float]:
    """Which share of so many equal parts is compacted, each due by its own count, and what each of those has, of files
    as they came and compacted, relatively to the mean of all. One compacted at another time than the others stays so.
    """
    counted, least, there = table.counted, laws.min_input_files - MEDIAN, 0.0
    files, due, taken, again = one[SMALL_FILES] + one[PARTIAL_FILES], 0, 0.0, 0.0
    fewest = files - max(SURELY * sqrt(one[UNEVEN]), RARELY, files_walked(laws))
    is_sure = fewest >= least or is_group_due(table, laws, one, min(2.0, files))
    found, (since, deletes_before) = count_arrived(table, laws, every, not is_sure), since_now(table)
    for place in range(every):
        partition = counted[place]
        there, partition[IS_TAKEN] = there + partition[COMPACTED_FILES], 0.0
        if is_sure or partition[FILES_THERE] >= least:
            due, taken, again = due + 1, taken + partition[FILES_THERE], again + partition[COMPACTED_FILES]
            partition[FILES_THERE] = partition[COMPACTED_FILES] = partition[IS_TAKEN] = 1.0
            partition[THERE_SINCE], partition[DELETES_THERE] = since, deletes_before
    if due in (0, every):
        return (1.0 if due > 0 else 0.0), 1.0, 1.0
    of_small = (taken - again) / due * every / max(found - there, NEGLIGIBLE)
    return due / every, of_small, again / due * every / there if there > 0 else 1.0


def count_before(table: Table, laws: Laws) -> tuple[int, float, float]:
    """Before a statement: how many partitions are counted, if any, and how many files each has on average, as they came
    and rewritten.
    """
    one = table.cohorts[newest_place(table)]
    every = partitions_counted(table, laws, newest_place(table))
    if every > 0:
        count_arrived(table, laws, every, True)
    return every, one[SMALL_FILES], one[PARTIAL_FILES]


def recount(
    table: Table, laws: Laws, before: tuple[int, float, float], made: float, is_own: bool, on_read: bool
) -> None:
    """After a statement, that took files out of partitions, but `on_read`, and `made` others. Chance decides which:
    all of some where rows of its `own` replace them. The newest and the oldest rows are in all partitions, and of
    several that count as one all are hit.
    """
    (every, small, partial), one, counted = before, table.cohorts[newest_place(table)], table.counted
    if every == 0:
        return
    of_small = 1 - min(1.0, one[SMALL_FILES] / small) if small > 0 else 0.0
    of_partial = 1 - min(1.0, max(0.0, one[PARTIAL_FILES] - made / one[PARTITIONS]) / partial) if partial > 0 else 0.0
    is_even = not (is_own or on_read) and table.numbers[IS_SCATTERED] == 0
    if laws.walk_parts > 0 or is_even:
        for place in range(every):
            partition = counted[place]
            arrived = (1 - of_small) * (partition[FILES_THERE] - partition[COMPACTED_FILES])
            partition[COMPACTED_FILES] = max(0.0, partition[COMPACTED_FILES] + one[PARTIAL_FILES] - partial)
            partition[FILES_THERE] = arrived + partition[COMPACTED_FILES]
    elif on_read:
        table.numbers[LAST_MADE], each = made, made / one[PARTITIONS]
        for place in range(every):
            got = draw_binomial(table, ceil(each), each / ceil(each)) if is_any(each) else 0.0
            counted[place][FILES_THERE] += got
            counted[place][COMPACTED_FILES] += got
    else:
        hit = 0.0
        for place in range(every):
            partition = counted[place]
            if is_own:
                partition[IS_TAKEN] = 1.0 if draw_uniform(table) < max(of_small, of_partial) else 0.0
                partition[FILES_THERE] *= 1 - partition[IS_TAKEN]
                partition[COMPACTED_FILES] *= 1 - partition[IS_TAKEN]
            else:
                partition[IS_TAKEN] = take_some(table, partition, of_small, of_partial)
            hit += partition[IS_TAKEN]
        each = made / (hit * one[PARTITIONS] / every) if hit > 0 else 0.0
        each = max(1.0, floor(each + MEDIAN)) if made > 0 else 0.0
        for place in range(every):
            got = each * counted[place][IS_TAKEN]
            if is_own and hit == every and draw_uniform(table) * one[PARTITIONS] >= made:
                got = 0.0  # the whole table was overwritten
            counted[place][FILES_THERE] += got
            counted[place][COMPACTED_FILES] += got
    one[UNEVEN] = variance_of(counted, every)


def take_some(table: Table, partition: list[float], of_small: float, of_partial: float) -> float:
    """Takes files out of a partition by chance, each that came and each rewritten one with this probability; 1 if any,
    else 0.
    """
    arrived = floor(max(0.0, partition[FILES_THERE] - partition[COMPACTED_FILES]) + MEDIAN)
    gone = draw_binomial(table, arrived, of_small)
    rewritten = draw_binomial(table, floor(partition[COMPACTED_FILES] + MEDIAN), of_partial)
    partition[FILES_THERE] -= gone + rewritten
    partition[COMPACTED_FILES] -= rewritten
    return 1.0 if gone + rewritten > 0 else 0.0


def variance_of(counted: list[list[float]], count: int) -> float:
    """The variance of how many files there are in so many partitions."""
    total = squares = 0.0
    for place in range(count):
        total, squares = total + counted[place][FILES_THERE], squares + counted[place][FILES_THERE] ** 2
    return max(0.0, squares / count - (total / count) ** 2)


def draw_uniform(table: Table) -> float:
    """A random number between 0 and 1: the minimal standard generator of Park and Miller."""
    table.numbers[RANDOM] = int(table.numbers[RANDOM]) * 16807 % 2147483647
    return table.numbers[RANDOM] / 2147483647


def draw_binomial(table: Table, trials: float, share: float) -> float:
    """How many of so many trials succeed, each with this probability; of many that do or do not by the normal law."""
    rarer = min(share, 1 - share)
    mean, found = trials * rarer, 0.0
    if mean > MANY_TRIALS:
        for _ in range(12):  # of which the sum has a variance of 1
            found += draw_uniform(table) - MEDIAN
        found = min(trials, max(0.0, floor(mean + found * sqrt(mean * (1 - rarer)) + MEDIAN)))
    else:
        left, likely = draw_uniform(table), (1 - rarer) ** trials
        while left > likely and found < trials:
            left -= likely
            found += 1
            likely *= (trials - found + 1) / found * rarer / (1 - rarer)
    return found if share <= MEDIAN else trials - found


def are_oldest_touched(table: Table) -> bool:
    """Whether the last statement was one on the oldest rows."""
    return max(table.numbers[IS_SCATTERED], table.numbers[IS_NEWEST]) == 0


def are_oldest_dead(table: Table) -> bool:
    """Whether rows deleted by position are the oldest ones, of which it is known in which partitions they are."""
    return are_oldest_touched(table) and table.numbers[OLDEST_THROUGH] > 0


def dead_in(table: Table, laws: Laws, place: int) -> float:
    """Of the oldest rows those deleted by position in these partitions: rows of files beyond those that have come."""
    one, (first, stop) = table.cohorts[place], rows_in(table, laws, place)
    come = min(stop, table.numbers[DEALT] * laws.new_rows) - max(0.0, first)
    return max(0.0, one[PARTITIONS] * (one[SMALL_ROWS] + one[PARTIAL_ROWS]) - come)


def held_with_dead(table: Table, laws: Laws, place: int, kind: int) -> float:
    """What of rows deleted by position these partitions' files of a kind have, in the measure of `forget_dead`."""
    if are_oldest_dead(table):
        return dead_in(table, laws, place)
    return table.cohorts[place][PARTITIONS] * table.cohorts[place][kind]


def note_live(table: Table, laws: Laws, place: int) -> None:
    """Notes which share of the rows in these partitions no delete file names."""
    numbers, one, dead = table.numbers, table.cohorts[place], table.deleted[DEAD]
    numbers[ARRIVED_LIVE], numbers[REWRITTEN_LIVE] = numbers[LIVE_WHERE_DEAD], numbers[LIVE_WHERE_DEAD + 1]
    if are_oldest_dead(table):
        rows, here = one[PARTITIONS] * (one[SMALL_ROWS] + one[PARTIAL_ROWS]), 0.0
        if is_any(dead[0] + dead[1]) and rows > 0:
            here = dead_in(table, laws, place) / rows
        numbers[ARRIVED_LIVE] = numbers[REWRITTEN_LIVE] = 1 - here


def spread(table: Table, places: float, files: float) -> None:
    """So many files come into as many of these places by chance, or leave them, one at most: their numbers differ."""
    share = min(1.0, files / places)
    for place in range(int(table.numbers[COHORTS])):
        table.cohorts[place][UNEVEN] += share * (1 - share)


def take_groups(table: Table, laws: Laws) -> None:
    """Compacts the groups that are due; what that does is in `done`."""
    done = table.done
    for what in range(LEFT_SINCE):
        done[what] = 0.0
    done[LEFT_SINCE], done[DELETES_BEFORE_LEFT] = since_now(table)
    for place in range(int(table.numbers[COHORTS])):
        one = table.cohorts[place]
        note_live(table, laws, place)
        counted = partitions_counted(table, laws, place)
        more, of_small, of_partial = 0.0, 1.0, 1.0
        if counted > 0:
            groups, of_small, of_partial = counted_due(table, laws, one, counted)
        else:
            groups, more = groups_due(table, laws, one)
        note_since(table, one, groups if is_any(1 - groups) else 1.0, counted if laws.walk_parts == 0 else 0)
        if not is_any(groups):
            note_order(table, place, 0.0, 0.0)
            continue
        part = one[PARTITIONS] * groups
        if counted == 0:
            of_small, of_partial = shares_of_due(one, groups, more, laws.changes_rows == 0)
        note_order(table, place, groups * of_small, groups * of_partial)
        size = group_bytes(table, laws, one, of_small, of_partial)
        done[TOOK_SMALL] += part * one[SMALL_FILES] * of_small
        done[TOOK_PARTIAL] += part * one[PARTIAL_FILES] * of_partial
        done[TOOK_BYTES] += part * size
        for number, kind, each in ((0, SMALL_FILES, of_small), (1, PARTIAL_FILES, of_partial)):
            done[TOOK_DEAD + number] += held_with_dead(table, laws, place, kind) * groups * each
        done[GROUPS] += part
        if counted > 0:
            one[UNEVEN] = variance_of(table.counted, counted)
        else:
            leave_uneven(laws, one, groups, more)
        for column in range(SMALL_FILES, UNEVEN):
            one[column] *= 1 - groups * (of_small if column < PARTIAL_FILES else of_partial)
        note_tasks(table, laws, one, part, task_bytes(size, laws.compaction_target))


def shares_of_due(one: list[float], share: float, more: float, of_arrived: bool) -> tuple[float, float]:
    """What each partition that is due has of files as they came and compacted, relatively to the mean of all: this
    share of them has so many `more`, of those that came if only these differ, and as far as there are any.
    """
    arrived, compacted = one[SMALL_FILES], one[PARTIAL_FILES]
    if not of_arrived:
        return 1 + more / (arrived + compacted), 1 + more / (arrived + compacted)
    more_arrived = min(max(0.0, more), arrived * (1 / share - 1))
    of_small = 1 + more_arrived / arrived if is_any(arrived) else 1.0
    return of_small, 1 + (more - more_arrived) / compacted if is_any(compacted) else 1.0


def note_order(table: Table, place: int, of_small: float, of_partial: float) -> None:
    """Compaction takes these shares of the files in the partitions at a place: whether it leaves files in older ones,
    or takes theirs.
    """
    done, one = table.done, table.cohorts[place]
    for number, kind, share in ((0, SMALL_FILES, of_small), (1, PARTIAL_FILES, of_partial)):
        here, took, left = one[PARTITIONS] * one[kind], done[TOOK_SMALL + number], done[LEFT_THERE + number]
        done[TAKES_NEWER + number] += here * (share * left - (1 - share) * took)
        done[LEFT_THERE + number] += here * (1 - share)


def since_now(table: Table) -> tuple[float, float]:
    """Since when data is there that compaction writes now: it is as old as the last statement, if no row came since."""
    numbers, written = table.numbers, table.flows[WRITTEN_FILES + 2]
    if numbers[NEWEST_COMMIT] != numbers[COMMITS]:
        return numbers[MISSED_BY], written
    return numbers[MISSED_BY] + log1p(-touched_share(table)) / 2, written - numbers[NEWEST_FILES]


def note_since(table: Table, one: list[float], part: float, counted: int) -> None:
    """Notes since when data is there, this part of which is compacted: on average, or the oldest of what is counted."""
    done, (since, deletes_before) = table.done, since_now(table)
    one[MEAN_SINCE] += part * (since - one[MEAN_SINCE])
    one[SINCE] += part * (since - one[SINCE])
    one[DELETES_BEFORE] += part * (deletes_before - one[DELETES_BEFORE])
    if counted > 0:
        one[SINCE], one[DELETES_BEFORE] = since, deletes_before
        for place in range(counted):
            if table.counted[place][FILES_THERE] > 0:
                one[SINCE] = min(one[SINCE], table.counted[place][THERE_SINCE])
                one[DELETES_BEFORE] = min(one[DELETES_BEFORE], table.counted[place][DELETES_THERE])
    if part < 1 and is_any(one[SMALL_FILES] + one[PARTIAL_FILES]):
        done[LEFT_SINCE] = min(done[LEFT_SINCE], one[SINCE])
        done[DELETES_BEFORE_LEFT] = min(done[DELETES_BEFORE_LEFT], one[DELETES_BEFORE])


def touched_share(table: Table) -> float:
    """Of all rows, the share that the statement touches; next to none where they are not scattered."""
    return table.numbers[TOUCHES] if table.numbers[IS_SCATTERED] > 0 else AT_END


def leave_uneven(laws: Laws, one: list[float], groups: float, more: float) -> None:
    """How much numbers of files differ once this share of partitions is compacted into a file each, which had so many
    `more` than the mean: of a normal law, what is left is below the least that is compacted.
    """
    files = one[SMALL_FILES] + one[PARTIAL_FILES]
    if more <= 0 or groups >= 1:
        one[UNEVEN] *= 1 - groups
        return
    fewer = more * groups / (1 - groups)
    left = one[UNEVEN] - fewer * (fewer + laws.min_input_files - MEDIAN - files)
    one[UNEVEN] = (1 - groups) * (max(0.0, left) + groups * (files - fewer - 1) ** 2)


def note_tasks(table: Table, laws: Laws, one: list[float], part: float, most: float) -> None:
    """Files go into the first open task with room for them, or begin another one: `rules.compaction.tasks_of`. Of those
    that came, what is left of each of a commit's tasks stands behind what it had closed; what a statement has just
    written stands before them.
    """
    opened, turns, written = 0, 1, 2 + (int(one[IN_FRONT]) if one[IN_FRONT] > 0 else MOST_SIZES)
    first = 2 if one[WRITTEN_AT] == table.numbers[COMMITS] else written
    for number in range(first, written):
        opened = take_files(table, laws, one, (part, most), number, 1.0, opened)
    if laws.closed_share > 0:
        turns = int(max(1.0, min(MOST_TURNS, floor(table.sizes[1][0] + MEDIAN))))
    for _ in range(turns):
        for number in range(2):
            opened = take_files(table, laws, one, (part, most), number, 1 / turns, opened)
    for number in range(2 if first == written else written, MOST_SIZES + 2):
        opened = take_files(table, laws, one, (part, most), number, 1.0, opened)
    one[IS_MUCH_DELETED] = 0.0
    if not is_any(one[PARTITIONS] - part):
        one[IN_FRONT] = 0.0
    for place in range(opened):
        close_task(table, laws, one, part, place)


def take_files(
    table: Table, laws: Laws, one: list[float], limits: tuple[float, float], number: int, share: float, opened: int
) -> int:
    """This share of the files of one size goes into tasks, of which so many are open; how many are then."""
    tasks, (part, most), (files, size, rows) = table.tasks, limits, table.sizes[number]
    groups = row_groups(size)
    own = table.numbers[OWN_DELETES + min(1, number // 2)]
    if table.numbers[IS_SCATTERED] > 0 and own > 0:
        own *= named_by_age(table, one, SIZED_FILES + 2 * (number - 2))
    files, size, rows = share * files * groups, (size + own) / groups, rows / groups  # each is read by itself
    if size > most:
        note_task(table, laws, one, part * files, rows)
        return opened
    for place in range(opened):
        if not is_any(files):
            break
        joined = min(files, floor((most - tasks[place][1]) / size))
        add_files(tasks[place], joined, size, rows)
        files -= joined
    if not is_any(files):
        return opened
    fits = max(1.0, floor(most / size))
    full, until = floor(files / fits + NEGLIGIBLE), LOOKBACK if opened > 0 else 0
    closed = max(0, full - until - LOOKBACK)  # once what was open is as full as it stays
    for begun in range(full - closed + 1):
        if begun == until:
            note_task(table, laws, one, part * closed, fits * rows)
        left = fits if begun < full - closed else files - full * fits
        if not is_any(left):
            continue
        add_files(tasks[opened], min(1.0, left), size, rows)
        opened += 1
        if opened > LOOKBACK:
            opened = close_fullest(table, laws, one, part)
        add_files(tasks[opened - 1], max(0.0, left - 1), size, rows)
    return opened


def add_files(task: list[float], files: float, size: float, rows: float) -> None:
    """Adds files of so many bytes and rows each to a task."""
    task[0] += files
    task[1] += files * size
    task[2] += files * rows


def named_by_age(table: Table, one: list[float], column: int) -> float:
    """How likely statements on scattered rows have hit one of a partition's files of a size, before these the files as
    they came: since the last compaction, or since a moment after that.
    """
    if column >= SIZED_FILES:
        return 1 - left_by_age(table, one, rows_of_each(one, column), is_compacted(one, column))
    return 1 - left_by_age(table, one, one[SMALL_ROWS] / max(one[SMALL_FILES], NEGLIGIBLE), False)


def is_compacted(one: list[float], column: int) -> bool:
    """Whether compaction made a partition's files of a size, and no statement since."""
    return column >= SIZED_FILES + 2 * one[IN_FRONT]


def missed_since(table: Table, one: list[float]) -> float:
    """−log of the share of a partition's rows that statements on scattered rows have missed since its compaction."""
    return max(0.0, table.numbers[MISSED_BY] - one[MEAN_SINCE])


def left_by_age(table: Table, one: list[float], rows: float, is_old: bool) -> float:
    """How likely they have missed so many rows since then, or on average since all moments after that."""
    hits = rows * missed_since(table, one)
    if is_old:
        return exp(-hits)
    return -expm1(-hits) / hits if is_any(hits) else 1.0


def close_fullest(table: Table, laws: Laws, one: list[float], part: float) -> int:
    """Closes the first of the fullest tasks; how many are open then, the others in their order."""
    tasks, fullest = table.tasks, 0
    for place in range(1, LOOKBACK + 1):
        if tasks[place][1] > tasks[fullest][1]:
            fullest = place
    close_task(table, laws, one, part, fullest)
    for place in range(fullest, LOOKBACK):
        for what in range(3):
            tasks[place][what] = tasks[place + 1][what]
            tasks[place + 1][what] = 0.0
    return LOOKBACK


def close_task(table: Table, laws: Laws, one: list[float], part: float, place: int) -> None:
    """A task writes its files' rows; one of less than a file is begun as seldom."""
    task = table.tasks[place]
    note_task(table, laws, one, part * min(1.0, task[0]), task[2] / min(1.0, task[0]))
    for what in range(3):
        task[what] = 0.0


def note_task(table: Table, laws: Laws, one: list[float], times: float, rows: float) -> None:
    """So many tasks write so many rows each, and begin another file where one is as large as a file becomes."""
    full = floor(rows / laws.most_rows + NEGLIGIBLE)
    note_files(table, laws, one, times * full, laws.most_rows)
    note_files(table, laws, one, times, rows - full * laws.most_rows)


def note_files(table: Table, laws: Laws, one: list[float], files: float, rows: float) -> None:
    """Compaction made so many files of so many rows each, in all partitions of `one`."""
    numbers, done = table.numbers, table.done
    if not is_any(files) or rows < MEDIAN:
        return
    done[MADE_BYTES] += files * compacted_bytes(laws, rows)
    if is_rewritten_for_size(laws, rows):
        done[MADE_PARTIAL] += files
        done[MADE_SQUARES] += files * rows**2
        add_in_order(one, files / one[PARTITIONS], files * rows / one[PARTITIONS])
    else:
        done[MADE_SETTLED] += files
        numbers[SETTLED_FILES] += files
        numbers[SETTLED_ROWS] += files * rows


def add_in_order(one: list[float], files: float, rows: float) -> None:
    """Adds compacted files and their rows to a partition, behind the others: tasks take them as they are listed."""
    last, each = SIZED_FILES - 2, rows / max(files, NEGLIGIBLE)
    if not is_any(files):
        return
    for column in range(SIZED_FILES, UNEVEN, 2):
        if is_any(one[column]):
            last = column
    if last < SIZED_FILES or unlike(rows_of_each(one, last), each) > SAME_SIZE:
        last += 2
        if last == UNEVEN:
            last -= 2
            make_room(one)
    add_sized(one, last, files, rows)


def add_rewritten(table: Table, one: list[float], files: float, rows: float) -> None:
    """Adds files that a statement wrote, on read before those that compaction made."""
    if table.numbers[NEWEST_COMMIT] == table.numbers[COMMITS]:
        add_in_front(one, files, rows)
    else:
        add_in_order(one, files, rows)


def add_in_front(one: list[float], files: float, rows: float) -> None:
    """The same of files that a statement wrote, which are listed before those that compaction made."""
    each, nearest, least = rows / files, SIZED_FILES, inf
    for column in range(SIZED_FILES, SIZED_FILES + 2 * int(one[IN_FRONT]), 2):
        apart = unlike(rows_of_each(one, column), each)
        if apart < least:
            nearest, least = column, apart
    if least > SAME_SIZE and one[IN_FRONT] < MOST_IN_FRONT:
        if is_any(one[UNEVEN - 2]):
            make_room(one)
        for column in range(UNEVEN - 3, SIZED_FILES - 1, -1):
            one[column + 2] = one[column]
        one[SIZED_FILES] = one[SIZED_FILES + 1] = 0.0
        nearest = SIZED_FILES
        one[IN_FRONT] += 1
    add_sized(one, nearest, files, rows)


def add_sized(one: list[float], column: int, files: float, rows: float) -> None:
    """Adds files of this size and their rows to a partition."""
    one[PARTIAL_FILES] += files
    one[PARTIAL_ROWS] += rows
    one[column] += files
    one[column + 1] += rows


def make_room(one: list[float]) -> None:
    """Makes one size of the two most similar ones that follow each other, of files that compaction made: the last place
    is free then.
    """
    first, least = UNEVEN - 4, inf
    for column in range(SIZED_FILES + 2 * int(one[IN_FRONT]), UNEVEN - 2, 2):
        apart = unlike(rows_of_each(one, column), rows_of_each(one, column + 2))
        if not is_any(min(one[column], one[column + 2])):
            apart = 0.0
        if apart < least:
            first, least = column, apart
    for more in range(2):
        one[first + more] += one[first + 2 + more]
    for column in range(first + 2, UNEVEN - 2):
        one[column] = one[column + 2]
    one[UNEVEN - 2] = one[UNEVEN - 1] = 0.0


def rows_of_each(one: list[float], column: int) -> float:
    """Rows of each of a partition's compacted files of one size; none where there is no such file."""
    return one[column + 1] / one[column] if is_any(one[column]) else 0.0


def unlike(one: float, other: float) -> float:
    """How much two sizes differ, as a share of the larger."""
    return abs(one - other) / max(one, other, NEGLIGIBLE)


def balance_sizes(one: list[float]) -> None:
    """Takes as many files and rows of each size as have left a partition's compacted files together."""
    files = rows = 0.0
    for column in range(SIZED_FILES, UNEVEN, 2):
        files, rows = files + one[column], rows + one[column + 1]
    for column in range(SIZED_FILES, UNEVEN, 2):
        one[column] *= one[PARTIAL_FILES] / files if files > 0 else 0.0
        one[column + 1] *= one[PARTIAL_ROWS] / rows if rows > 0 else 0.0


def drop_closed(table: Table, laws: Laws) -> tuple[float, float]:
    """Forgets partitions that have closed and hold nothing to do; how many small and partial files they had."""
    numbers, left_small, left_partial, place = table.numbers, 0.0, 0.0, 0
    if numbers[ADDS_ANYWHERE] > 0:  # further files come, and then they are compacted again
        return 0.0, 0.0
    while place < int(numbers[COHORTS]) - 1:
        one = table.cohorts[place]
        note_live(table, laws, place)
        is_waiting = is_group_due(table, laws, one, files_in(table, place))
        if is_waiting or (writes_oldest(laws) and are_to_be_oldest(table, laws, place)):
            place += 1
            continue
        left_small += one[PARTITIONS] * one[SMALL_FILES]
        left_partial += one[PARTITIONS] * one[PARTIAL_FILES]
        numbers[SETTLED_ROWS] += one[PARTITIONS] * (one[SMALL_ROWS] + one[PARTIAL_ROWS])
        drop_cohort(table, place)
    numbers[SETTLED_FILES] += left_small + left_partial
    numbers[LEFT_FILES] += left_small + left_partial
    return left_small, left_partial


def files_in(table: Table, place: int) -> float:
    """Files below the target of each partition of a row."""
    return table.cohorts[place][SMALL_FILES] + table.cohorts[place][PARTIAL_FILES]


def commits_until_due(table: Table, laws: Laws, counted: int) -> float:
    """After how many commits at least there may be small files enough for a compaction by count, where so many parts
    are counted: how many files come by then is as good as normal, and of Poisson's variance at most.
    """
    every, there = table.cohorts[newest_place(table)][PARTITIONS], 0.0
    for place in range(counted):
        there += table.counted[place][FILES_THERE]
    others = small_files(table, laws) - every * files_in(table, newest_place(table))
    missing, apart = laws.least_files - MEDIAN - others - there * every / counted, SURELY * sqrt(every / counted) / 2
    root = sqrt(apart**2 + max(0.0, missing)) - apart
    return max(1.0, floor(root**2 / laws.new_small) - table.numbers[UNCOUNTED]) if laws.new_small > 0 else inf


def has_enough(table: Table, laws: Laws, chances: list[list[float]], more: int) -> bool:
    """Whether this many more commits make enough small files for a compaction by count, in as many of all cases as this
    firing waits for, or as they are where each partition's files are counted.
    """
    newest = newest_place(table)
    counted = partitions_counted(table, laws, newest)
    if laws.by_chance and counted > 0:
        every = table.cohorts[newest][PARTITIONS]
        others = small_files(table, laws) - every * files_in(table, newest)
        there = count_arrived(table, laws, counted, True) * every / counted
        return is_due(others + there + MEDIAN, laws.least_files)
    arrived = small_of(table, SMALL_FILES) if laws.new_small > 0 else 0.0
    missing = laws.least_files - MEDIAN - small_files(table, laws)
    commits = floor(arrived / laws.files + 0.5) + more
    if not laws.by_chance or commits > FEW_COMMITS:
        return missing <= more * laws.new_small
    least, share = max(0, ceil(missing + arrived)), (int(table.flows[COMPACTIONS]) * STRIDE % TURNS + 0.5) / TURNS
    return (chances[commits][least] if least < len(chances[commits]) else 0.0) >= share


def reopen_files(table: Table, laws: Laws) -> None:
    """Counts the files that no compaction takes as compacted ones again: too many of their rows are deleted."""
    numbers, place = table.numbers, int(table.numbers[COHORTS]) - 1
    if laws.lifetime < inf:
        for later in range(place, -1, -1):
            for column in range(ROW_OF_PARTITIONS):
                table.cohorts[later + 1][column] = table.cohorts[later][column]
        numbers[COHORTS] += 1
        table.cohorts[0][PARTITIONS], place = partitions_so_far(table, laws), 0
        for column in range(SMALL_FILES, ROW_OF_PARTITIONS):
            table.cohorts[0][column] = 0.0
    among = table.cohorts[place]
    add_in_order(among, numbers[SETTLED_FILES] / among[PARTITIONS], numbers[SETTLED_ROWS] / among[PARTITIONS])
    numbers[SETTLED_FILES] = numbers[SETTLED_ROWS] = numbers[LEFT_FILES] = 0.0


def reopen_oldest(table: Table) -> float:
    """The same of files of which statements on scattered rows have hit that many rows by now; how many those are."""
    numbers, staying, found, gone = table.numbers, table.staying, 0.0, 0
    one, deleted, every = table.cohorts[newest_place(table)], table.deleted, 0.0
    for place in range(int(numbers[STAYING])):
        every += hit_since(table, place)
    while gone < int(numbers[STAYING]) and is_much_deleted(hit_since(table, gone), staying[gone][STAY_ROWS]):
        files, rows = staying[gone][STAY_FILES], staying[gone][STAY_ROWS]
        for what, share in ((DEAD, hit_since(table, gone) / every), (HELD, files / numbers[SETTLED_FILES])):
            moved = deleted[what][BEYOND] * min(1.0, share)
            deleted[what][REWRITTEN] += moved
            deleted[what][BEYOND] -= moved
        every -= hit_since(table, gone)
        numbers[SETTLED_FILES] -= files
        numbers[SETTLED_ROWS] -= rows
        add_in_order(one, files / one[PARTITIONS], rows / one[PARTITIONS])
        one[IS_MUCH_DELETED] = 1.0
        found, gone = found + files, gone + 1
    drop_staying(table, gone)
    return found


def hit_since(table: Table, place: int) -> float:
    """How many rows of files that stay statements on scattered rows have hit."""
    one = table.staying[place]
    return -one[STAY_ROWS] * expm1(one[STAY_SINCE] - table.numbers[MISSED_BY])


def drop_staying(table: Table, gone: int) -> None:
    """Forgets the oldest of the files that stay."""
    table.numbers[STAYING] -= gone
    for place in range(int(table.numbers[STAYING]) if gone > 0 else 0):
        for column in range(ROW_OF_STAYING):
            table.staying[place][column] = table.staying[place + gone][column]


def note_staying(table: Table) -> None:
    """Notes since when files are there that stay from now on; of older ones that have gone, as many of each."""
    numbers, staying, files, rows = table.numbers, table.staying, 0.0, 0.0
    used = int(numbers[STAYING])
    for place in range(used):
        files, rows = files + staying[place][STAY_FILES], rows + staying[place][STAY_ROWS]
    for place in range(used):
        staying[place][STAY_FILES] *= min(1.0, numbers[SETTLED_FILES] / max(files, NEGLIGIBLE))
        staying[place][STAY_ROWS] *= min(1.0, numbers[SETTLED_ROWS] / max(rows, NEGLIGIBLE))
    if not is_any(numbers[SETTLED_FILES] - files):
        return
    last = staying[used]
    last[STAY_FILES], last[STAY_ROWS] = numbers[SETTLED_FILES] - files, max(0.0, numbers[SETTLED_ROWS] - rows)
    last[STAY_SINCE], last[STAY_DELETES] = since_now(table)
    numbers[STAYING] = used + 1
    if used + 1 > MOST_STAYING:
        halve_staying(table)


def halve_staying(table: Table) -> None:
    """Counts each two that follow each other as one, as old as the older one."""
    staying, used = table.staying, int(table.numbers[STAYING])
    for place in range((used + 1) // 2):
        first, second = staying[2 * place], staying[min(2 * place + 1, used - 1)]
        is_two = 2 * place + 1 < used
        for column in range(ROW_OF_STAYING):
            more = second[column] if is_two and column <= STAY_ROWS else 0.0
            staying[place][column] = first[column] + more
    table.numbers[STAYING] = (used + 1) // 2


def partitions_known(table: Table) -> float:
    """Partitions of which it is known what they hold: but those that have closed and hold nothing to do."""
    found = 0.0
    for place in range(int(table.numbers[COHORTS])):
        found += table.cohorts[place][PARTITIONS]
    return found


def partitions_so_far(table: Table, laws: Laws) -> float:
    """Partitions into which rows have come."""
    dealt = table.numbers[DEALT]
    if laws.lifetime <= 1:
        return laws.partitions * max(1.0, dealt)
    closed = floor(max(0.0, dealt - 1) / laws.lifetime + NEGLIGIBLE) if laws.lifetime < inf else 0.0
    if laws.walked == 1:
        return (closed + 1) * laws.open_partitions
    of_closed = closed * walked_through(laws, laws.lifetime) if closed > 0 else 0.0
    return of_closed + walked_through(laws, dealt - closed * laws.lifetime if closed > 0 else dealt)


def walked_through(laws: Laws, commits: float) -> float:
    """Of the partitions that are open at a time, those into which so many commits have written."""
    rows = laws.rows_per_commit + max(0.0, commits - 1) * laws.new_rows
    return laws.open_partitions * min(1.0, laws.walked * rows / laws.rows_per_commit)


def balance_files(table: Table, laws: Laws) -> None:
    """Makes what was removed the rest of what was written: files that statements wrote are unlike those that they were
    compacted into, and how many bytes of them are gone is known by what is left alone.
    """
    numbers, flows = table.numbers, table.flows
    files, size = numbers[SETTLED_FILES], 0.0
    if files > 0:
        size = files * compacted_bytes(laws, numbers[SETTLED_ROWS] / files)
    for place in range(int(numbers[COHORTS])):
        one = table.cohorts[place]
        files += one[PARTITIONS] * (one[SMALL_FILES] + one[PARTIAL_FILES])
        size += one[PARTITIONS] * group_bytes(table, laws, one, 1.0, 1.0)
    flows[REMOVED_FILES] = flows[WRITTEN_FILES] - files
    flows[REMOVED_FILES + 1] = flows[WRITTEN_FILES + 1] - size
