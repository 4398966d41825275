"""Data files in the machine, by the partitions that are open at the same time, and what compaction takes of them."""

from math import ceil, floor, inf

from wasim.rules.compaction import output_files
from wasim.years.machine.sizes import bytes_of_rows, compacted_bytes
from wasim.years.machine.tables import (
    COHORTS,
    COMMITS,
    DEALT,
    FEW_COMMITS,
    FIRED,
    GROUPS,
    LEFT_FILES,
    MADE_BYTES,
    MADE_PARTIAL,
    MADE_SETTLED,
    MEDIAN,
    MOST_COHORTS,
    NEGLIGIBLE,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    PARTITIONS,
    SETTLED_FILES,
    SETTLED_ROWS,
    SMALL_FILES,
    SMALL_ROWS,
    STRIDE,
    TOOK_BYTES,
    TOOK_PARTIAL,
    TOOK_SMALL,
    TURNS,
    Laws,
    Table,
)


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


def small_of(table: Table, kind: int) -> float:
    """Small files of one kind."""
    found = 0.0
    for place in range(int(table.numbers[COHORTS])):
        found += table.cohorts[place][PARTITIONS] * table.cohorts[place][kind]
    return found


def small_files(table: Table) -> float:
    """Files below the target, compacted ones and those of closed partitions too."""
    return table.numbers[LEFT_FILES] + small_of(table, SMALL_FILES) + small_of(table, PARTIAL_FILES)


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


def take_groups(table: Table, laws: Laws, share: float) -> None:
    """Compacts this share of the groups that are due; what that does is in `done`."""
    numbers, done = table.numbers, table.done
    for what in range(GROUPS + 1):
        done[what] = 0.0
    for place in range(int(numbers[COHORTS])):
        one = table.cohorts[place]
        if not is_rewritten(laws, one):
            continue
        rows, part = one[SMALL_ROWS] * laws.new_share + one[PARTIAL_ROWS], one[PARTITIONS] * share
        made = float(output_files(bytes_of_rows(laws, rows), laws.compaction_target))
        done[TOOK_SMALL] += part * one[SMALL_FILES]
        done[TOOK_PARTIAL] += part * one[PARTIAL_FILES]
        done[TOOK_BYTES] += part * group_bytes(laws, one)
        done[MADE_BYTES] += part * made * compacted_bytes(laws, rows / made)
        done[GROUPS] += part
        for column in range(SMALL_FILES, PARTIAL_ROWS + 1):
            one[column] *= 1 - share
        if rows / made < laws.small_rows:
            done[MADE_PARTIAL] += part * made
            one[PARTIAL_FILES] += made * share
            one[PARTIAL_ROWS] += rows * share
        else:
            done[MADE_SETTLED] += part * made
            numbers[SETTLED_FILES] += part * made
            numbers[SETTLED_ROWS] += part * rows


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
    arrived, missing = small_of(table, SMALL_FILES), laws.least_files - MEDIAN - small_files(table)
    commits = floor(arrived / laws.files + 0.5) + more
    if not laws.by_chance or commits > FEW_COMMITS:
        return missing <= more * laws.files
    least, share = max(0, ceil(missing + arrived)), (table.numbers[FIRED] * STRIDE % TURNS + 0.5) / TURNS
    return (chances[commits][least] if least < len(chances[commits]) else 0.0) >= share
