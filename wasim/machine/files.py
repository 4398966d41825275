"""Data files by partition, and what rewrite_data_files makes of them.

Partitions that were opened at the same time are taken to be equal, so one cohort stands for all of them.
"""

from math import floor, inf

from wasim.machine.columns import (
    ADDS_ANYWHERE,
    CLASS_FILES,
    CLASS_RECORDS,
    COHORT_COLUMNS,
    COHORTS,
    COMMITS,
    COUNT,
    COUNTED,
    DATA,
    DEAD,
    FILES,
    FRESH,
    HAS_RULE,
    LEFT_FILES,
    LIFETIME_COMMITS,
    MIN_INPUT,
    NEW_SHARE,
    OPEN_PARTITIONS,
    PARTIAL,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    PARTITIONS,
    PARTITIONS_TOUCHED,
    ROWS_OF,
    ROWS_PER_COMMIT,
    SCRATCH,
    SETTLED_FILES,
    SETTLED_ROWS,
    SETTLES,
    SMALL_FILES,
    SMALL_ROWS,
    TARGET,
    UPSERTS,
    Column,
    Laws,
    Matrix,
    Table,
)
from wasim.machine.lookups import compacted_bytes, new_file_bytes
from wasim.machine.manifests import entries_of, filter_row, restart
from wasim.rules.compaction import is_much_deleted, is_outside, is_rewritten, output_files

NEGLIGIBLE = 1e-9
MEDIAN = 0.5  # a mean count of files by this much below a whole one is that one or more, as often as not
# Where `take_compacted` stands, by class, in `numbers`: how far in the cohorts, and within one
SCALE, PLACE, REACHED, TAKEN = 0, 2, 4, 6
# What one compaction does, in `hits`
(
    TAKEN_FILES, TAKEN_BYTES, MADE_PARTIAL, MADE_SETTLED, MADE_BYTES, MADE_SQUARES, SMALL_SHARE, PARTIAL_SHARE, GROUPS,
    LEFT_SMALL, LEFT_PARTIAL, MANIFESTS_WRITTEN,
) = range(12)  # fmt: skip


def is_taken(laws: Laws, rows: float) -> bool:
    """Whether compaction takes a file of so many rows for its size; any file, where none compacts."""
    settings = laws.settings
    return settings[HAS_RULE] == 0 or is_outside(new_file_bytes(laws, rows), settings[TARGET])


def begins_unit(laws: Laws, commits: float) -> bool:
    """Whether the next commit is the first one into other partitions."""
    lasts = laws.settings[LIFETIME_COMMITS]
    position = commits / lasts
    return position - floor(position + NEGLIGIBLE) < 1 / lasts - NEGLIGIBLE


def partitions_so_far(t: Table, laws: Laws) -> float:
    """Partitions into which rows have come."""
    settings, counted = laws.settings, t.state[COUNTED]
    if settings[LIFETIME_COMMITS] <= 1:
        return settings[PARTITIONS_TOUCHED] * max(1.0, counted)
    begun = floor(max(0.0, counted - 1) / settings[LIFETIME_COMMITS] + NEGLIGIBLE) + 1
    return begun * settings[OPEN_PARTITIONS]


def open_cohort(t: Table, partitions: float) -> None:
    """Adds a cohort of new partitions; where there is no room for one more, the two oldest become one on average."""
    c, state = t.cohorts, t.state
    number = int(state[COHORTS])
    if number == len(c[0]):
        number = join_oldest(c, number, 2)
    for column in range(COHORT_COLUMNS):
        c[column][number] = 0.0
    c[PARTITIONS][number] = partitions
    state[COHORTS] = number + 1.0


def join_oldest(c: Matrix, number: int, joined: int) -> int:
    """Makes the first cohorts one of partitions as they are on average; how many cohorts there are then."""
    every = 0.0
    for row in range(joined):
        every += c[PARTITIONS][row]
    for column in range(SMALL_FILES, COHORT_COLUMNS):
        total = 0.0
        for row in range(joined):
            total += c[PARTITIONS][row] * c[column][row]
        c[column][0] = total / every
    c[PARTITIONS][0] = every
    for column in range(COHORT_COLUMNS):
        for row in range(1, number - joined + 1):
            c[column][row] = c[column][row + joined - 1]
    return number - joined + 1


def into_newest(t: Table, laws: Laws, commits: float) -> None:
    """Adds the files of so many commits to the partitions that were opened last."""
    c, state, settings = t.cohorts, t.state, laws.settings
    if settings[UPSERTS] and state[COMMITS] > 1:
        return  # but for the first commit's, statements write them
    row = int(state[COHORTS]) - 1
    files, rows = commits * settings[FILES], commits * settings[ROWS_PER_COMMIT]
    if settings[SETTLES]:
        state[SETTLED_FILES] += files
        state[SETTLED_ROWS] += rows
    else:
        c[SMALL_FILES][row] += files / c[PARTITIONS][row]
        c[SMALL_ROWS][row] += rows / c[PARTITIONS][row]


def arrive(t: Table, laws: Laws) -> None:
    """Deals the files of all commits so far out to the partitions that were open when they came."""
    state, lasts, commits = t.state, laws.settings[LIFETIME_COMMITS], t.state[COMMITS]
    if not state[COHORTS]:
        open_cohort(t, laws.settings[OPEN_PARTITIONS])
    if lasts == inf or laws.settings[HAS_RULE] == 0:
        into_newest(t, laws, commits - state[COUNTED])
        state[COUNTED] = commits
        return
    while state[COUNTED] < commits:
        counted = state[COUNTED]
        until = floor(counted / lasts + NEGLIGIBLE) + 1
        last = min(commits, max(counted + 1, floor(until * lasts + NEGLIGIBLE)))
        if lasts <= 1:  # every commit opens partitions of its own
            open_cohort(t, laws.settings[PARTITIONS_TOUCHED] * (commits - counted))
            last = commits
        elif counted and begins_unit(laws, counted):
            open_cohort(t, laws.settings[OPEN_PARTITIONS])
        into_newest(t, laws, last - counted)
        state[COUNTED] = last


def find_classes(t: Table) -> None:
    """Files and their rows by class, into `classes`."""
    c, classes = t.cohorts, t.classes
    for number in range(2):
        classes[number][CLASS_FILES] = classes[number][CLASS_RECORDS] = 0.0
        for row in range(int(t.state[COHORTS])):
            classes[number][CLASS_FILES] += c[PARTITIONS][row] * c[SMALL_FILES + 2 * number][row]
            classes[number][CLASS_RECORDS] += c[PARTITIONS][row] * c[SMALL_ROWS + 2 * number][row]
    classes[2][CLASS_FILES], classes[2][CLASS_RECORDS] = t.state[SETTLED_FILES], t.state[SETTLED_ROWS]


def group_bytes(laws: Laws, c: Matrix, row: int) -> float:
    """Bytes of the files of one partition that a compaction would read."""
    found = 0.0
    if c[SMALL_FILES][row]:
        found += c[SMALL_FILES][row] * new_file_bytes(laws, c[SMALL_ROWS][row] / c[SMALL_FILES][row])
    if c[PARTIAL_FILES][row]:
        found += c[PARTIAL_FILES][row] * compacted_bytes(laws, c[PARTIAL_ROWS][row] / c[PARTIAL_FILES][row])
    return found


def is_group_due(t: Table, laws: Laws, row: int) -> bool:
    """Whether compaction rewrites the files of these partitions."""
    c, classes, state = t.cohorts, t.classes, t.state
    for number in range(2):
        if c[SMALL_FILES + 2 * number][row] and is_much_deleted(state[DEAD + number], classes[number][CLASS_RECORDS]):
            return True
    files = c[SMALL_FILES][row] + c[PARTIAL_FILES][row]
    if files <= NEGLIGIBLE:
        return False
    settings = laws.settings
    least = settings[MIN_INPUT] - MEDIAN
    return is_rewritten(files - NEGLIGIBLE, group_bytes(laws, c, row), least, settings[TARGET])


def reopen_much_deleted(t: Table, laws: Laws) -> None:
    """Compaction takes files of any size once a good part of their rows is deleted by position."""
    state, c = t.state, t.cohorts
    if not state[SETTLED_ROWS] or not is_much_deleted(state[DEAD + 2], state[SETTLED_ROWS]):
        return
    row = int(state[COHORTS]) - 1
    if laws.settings[LIFETIME_COMMITS] < inf:
        partitions = partitions_so_far(t, laws)
        open_cohort(t, partitions)
        row = int(state[COHORTS]) - 1
        for column in range(COHORT_COLUMNS):  # the oldest
            moved = c[column][row]
            for place in range(row, 0, -1):
                c[column][place] = c[column][place - 1]
            c[column][0] = moved
        row = 0
    c[PARTIAL_FILES][row] += state[SETTLED_FILES] / c[PARTITIONS][row]
    c[PARTIAL_ROWS][row] += state[SETTLED_ROWS] / c[PARTITIONS][row]
    state[SETTLED_FILES] = state[SETTLED_ROWS] = state[LEFT_FILES] = 0.0
    m = t.manifests[DATA]
    for place in range(int(state[ROWS_OF + DATA])):
        m[PARTIAL][place] += m[PARTIAL + 1][place]
        m[PARTIAL + 1][place] = 0.0
    restart(t, DATA)
    for first in (DEAD, DEAD + 3):
        state[first + 1] += state[first + 2]
        state[first + 2] = 0.0


def compact_groups(t: Table, laws: Laws, share: float, done: Column) -> None:
    """Compacts every partition that has enough to do; with a `share` below one, only that part of them.

    Takes the files out of the manifests that list them. What it did stands in `done`.
    """
    c, state, classes = t.cohorts, t.state, t.classes
    for place in range(len(done)):
        done[place] = 0.0
    marks = t.manifests[SCRATCH]
    rows = int(state[COHORTS])
    due = 0
    for row in range(rows):
        is_due = is_group_due(t, laws, row)
        marks[0][row] = share if is_due else 0.0
        marks[1][row] = c[PARTITIONS][row] * c[SMALL_FILES][row]
        marks[2][row] = c[PARTITIONS][row] * c[PARTIAL_FILES][row]
        due += is_due
    if not due:
        return
    done[MANIFESTS_WRITTEN] = take_compacted(t, laws, rows)
    for row in range(rows):
        if marks[0][row] > 0:
            compact_cohort(t, laws, row, share, live_share(t, 0), live_share(t, 1), done)
    for number in range(2):
        taken, files = done[SMALL_SHARE + number], classes[number][CLASS_FILES]
        done[SMALL_SHARE + number] = taken / files if files > NEGLIGIBLE else 0.0


def take_compacted(t: Table, laws: Laws, cohorts: int) -> float:
    """Writes the manifests again that list files of the cohorts that `scratch` marks: files stand in manifests in the
    order of their partitions, as these were opened one after the other. How many manifests that was.
    """
    m, marks, state, notes, written = t.manifests[DATA], t.manifests[SCRATCH], t.state, t.numbers, 0.0
    for number in range(2):
        files = 0.0
        for row in range(cohorts):
            files += marks[1 + number][row]
        held = entries_of(t, DATA, FRESH + number)
        notes[SCALE + number] = files / held if held > NEGLIGIBLE else 0.0
        notes[PLACE + number] = notes[REACHED + number] = 0.0
    restart(t, DATA)
    row = 0
    while row < int(state[ROWS_OF + DATA]):
        for number in range(2):
            taken, scale = 0.0, notes[SCALE + number]
            left = m[COUNT][row] * m[FRESH + number][row] * scale
            while left > NEGLIGIBLE and notes[PLACE + number] < cohorts:
                place = int(notes[PLACE + number])
                files = marks[1 + number][place]
                step = min(left, files - notes[REACHED + number])
                taken += step * marks[0][place]
                left -= step
                notes[REACHED + number] += step
                if notes[REACHED + number] >= files - NEGLIGIBLE:
                    notes[PLACE + number] += 1
                    notes[REACHED + number] = 0.0
            notes[TAKEN + number] = taken / scale if scale > 0 else 0.0
        before = int(state[ROWS_OF + DATA])
        written += filter_row(t, laws, DATA, row, notes[TAKEN], notes[TAKEN + 1], 0.0)
        row += 1 + int(state[ROWS_OF + DATA]) - before
    return written


def live_share(t: Table, number: int) -> float:
    """The share of the rows of a class that are not deleted by position."""
    records = t.classes[number][CLASS_RECORDS]
    return 1 - min(1.0, t.state[DEAD + number] / records) if records else 1.0


def compact_cohort(
    t: Table, laws: Laws, row: int, share: float, small_live: float, partial_live: float, done: Column
) -> None:
    """Compacts a cohort's partitions, or a share of them."""
    c, state, settings = t.cohorts, t.state, laws.settings
    part = c[PARTITIONS][row] * share
    rows = c[SMALL_ROWS][row] * settings[NEW_SHARE] * small_live + c[PARTIAL_ROWS][row] * partial_live
    size = group_bytes(laws, c, row)
    outputs = float(output_files(size, settings[TARGET]))
    each = rows / outputs
    made_bytes = compacted_bytes(laws, each)
    done[TAKEN_FILES] += part * (c[SMALL_FILES][row] + c[PARTIAL_FILES][row])
    done[SMALL_SHARE] += part * c[SMALL_FILES][row]
    done[PARTIAL_SHARE] += part * c[PARTIAL_FILES][row]
    done[TAKEN_BYTES] += part * size
    done[MADE_BYTES] += part * outputs * made_bytes
    done[GROUPS] += part
    for column in range(SMALL_FILES, COHORT_COLUMNS):
        c[column][row] *= 1 - share
    if is_outside(made_bytes, settings[TARGET]):
        done[MADE_PARTIAL] += part * outputs
        done[MADE_SQUARES] += part * outputs * each * each
        c[PARTIAL_FILES][row] += share * outputs
        c[PARTIAL_ROWS][row] += share * rows
    else:
        done[MADE_SETTLED] += part * outputs
        state[SETTLED_FILES] += part * outputs
        state[SETTLED_ROWS] += part * rows


def drop_closed(t: Table, laws: Laws, done: Column) -> None:
    """Forgets partitions that have closed and hold nothing to do, and says how many files they had."""
    c, state = t.cohorts, t.state
    rows, kept = int(state[COHORTS]), 0
    for row in range(rows):
        is_done = row < rows - 1 and not is_group_due(t, laws, row)
        if not is_done or state[ADDS_ANYWHERE]:
            for column in range(COHORT_COLUMNS):
                c[column][kept] = c[column][row]
            kept += 1
            if is_done and kept > 1:  # further files come, and then they are compacted again
                kept = join_oldest(c, kept, kept)
            continue
        partitions = c[PARTITIONS][row]
        done[LEFT_SMALL] += partitions * c[SMALL_FILES][row]
        done[LEFT_PARTIAL] += partitions * c[PARTIAL_FILES][row]
        state[SETTLED_ROWS] += partitions * (c[SMALL_ROWS][row] + c[PARTIAL_ROWS][row])
    left = done[LEFT_SMALL] + done[LEFT_PARTIAL]
    state[SETTLED_FILES] += left
    state[LEFT_FILES] += left
    state[COHORTS] = float(kept)
