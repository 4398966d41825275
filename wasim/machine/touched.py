"""Which data files statements that change rows touch: on average by class of file, by the rules of the exact twin.

A statement that touches the share p of all rows, scattered, touches a file of n rows with the probability 1 − (1 − p)ⁿ.
"""

from math import ceil, exp, floor, log1p

from wasim.machine.columns import (
    CLASS_FILES,
    CLASS_LIVE,
    CLASS_RECORDS,
    COMMITS,
    DEAD,
    EDGE_FILES,
    EDGE_ROWS,
    FILES,
    GONE,
    HAS_RULE,
    HIT_FILES,
    HIT_ROW_SHARES,
    HIT_ROWS,
    HIT_SHARES,
    HITS,
    IN_STEP,
    IN_TURN,
    IS_PARTITIONED,
    LIFETIME_COMMITS,
    NET,
    NEWEST,
    OLDEST,
    OPEN_PARTITIONS,
    PARTIAL_CLASS,
    REPLACED_PER_COMMIT,
    ROWS_PER_COMMIT,
    SCATTERED,
    SETTLED_CLASS,
    SMALL,
    SMALL_SEEN,
    SQUARES,
    SQUARES_LEFT,
    TOGETHER,
    Laws,
    Table,
)
from wasim.machine.files import find_classes, is_taken, partitions_so_far

NEGLIGIBLE, SLACK = 1e-9, 1e-6
LEAST_VARIANCE = 1e-4  # of rows in files, relative to the square of their mean
AGES = 16


def drawn(boxes: float, things: float) -> float:
    """How many of these boxes at least one of the things falls into by chance, on average."""
    return boxes * (1 - (1 - 1 / boxes) ** things) if boxes > 1 else min(boxes, things)


def rows_through(laws: Laws, commits: float) -> float:
    """Row numbers given out by that number of commits."""
    if commits < 1:
        return 0.0
    settings = laws.settings
    return settings[ROWS_PER_COMMIT] + (commits - 1) * (settings[ROWS_PER_COMMIT] - settings[REPLACED_PER_COMMIT])


def whole_commits(laws: Laws, row: float, commits: float) -> float:
    """The last row, not beyond this one, at which a commit ends; that of one commit at least."""
    replaced = laws.settings[REPLACED_PER_COMMIT]
    number = floor((row - replaced) / (laws.settings[ROWS_PER_COMMIT] - replaced))
    return rows_through(laws, min(commits, max(1.0, float(number))))


def find_live(t: Table, laws: Laws) -> None:
    """The live data files by class, with their records and live rows, into `classes`."""
    find_classes(t)
    classes, state = t.classes, t.state
    dead = total = 0.0
    for number in range(3):
        live = max(0.0, classes[number][CLASS_RECORDS] - state[DEAD + number])
        classes[number][CLASS_LIVE] = live
        dead, total = dead + state[DEAD + number], total + live
    if dead > 0:  # small differences of large numbers: how many rows there are is known otherwise
        there = rows_through(laws, state[COMMITS]) - state[GONE] + state[NET]
        factor = max(0.0, there) / total if total else 0.0
        for number in range(3):
            one = classes[number]
            one[CLASS_LIVE] = min(one[CLASS_LIVE] * factor, one[CLASS_RECORDS])


def edge_class(t: Table, laws: Laws) -> int:
    """The class of what the last statement on the newest, or the oldest, rows wrote."""
    files = t.state[EDGE_FILES]
    return PARTIAL_CLASS if is_taken(laws, t.state[EDGE_ROWS] / files if files else 0.0) else SETTLED_CLASS


def find_scattered(t: Table, laws: Laws, share: float, is_every: bool) -> None:
    """What touches this share of all rows, into `hits`; `is_every` where it is every n-th row."""
    find_live(t, laws)
    hits, state, settings = t.hits, t.state, laws.settings
    is_stride = is_every and settings[IS_PARTITIONED] == 0
    replaced = settings[REPLACED_PER_COMMIT] / max(1.0, settings[ROWS_PER_COMMIT] - settings[REPLACED_PER_COMMIT])
    hits[SQUARES_LEFT] = 0.0
    for number in range(3):
        one = t.classes[number]
        files, live = one[CLASS_FILES], one[CLASS_LIVE]
        each = live / files if files > NEGLIGIBLE else 0.0
        if is_stride:
            hit = of_rows = hit_by_stride(each * share, replaced)
        elif number == PARTIAL_CLASS and each > 0:
            # files whose rows are distributed by a gamma law
            squares = max(state[SQUARES], each * live)
            variance = max(squares / files - each * each, LEAST_VARIANCE * each * each)
            shape = each * each / variance
            left = 1 - log1p(-min(share, 1 - NEGLIGIBLE)) * each / shape
            hit, of_rows = 1 - left**-shape, 1 - left ** -(shape + 1)
            hits[SQUARES_LEFT] = squares * left ** -(shape + 2)
        else:
            hit = of_rows = 1.0 - (1.0 - min(share, 1.0)) ** each if each > 0 else 0.0
        hits[HIT_FILES + number] = files * hit
        hits[HIT_SHARES + number] = hit
        hits[HIT_ROW_SHARES + number] = of_rows
        hits[HIT_ROWS + number] = live * share
    hits[TOGETHER] = 1.0
    hits[IN_STEP] = 1 / (1 + replaced) ** 2 if is_stride else 0.0  # neither row moved


def hit_by_stride(touched: float, replaced: float) -> float:
    """The share of files that a commit hits which replaces every n-th row of the table, this many of a file's.

    A file that was written when the table had the share u of its commits has kept u^a of its new rows, which follow
    each other, and of the rows that it replaced, which lie anywhere; a is how many are replaced for each new one.
    """
    whole = float(floor(touched))
    part, missed = touched - whole, 0.0
    for place in range(AGES):
        kept = ((place + 0.5) / AGES) ** replaced
        missed += (1 - kept) ** whole * (1 - part * kept) * exp(-replaced * touched * kept)
    return 1 - missed / AGES


def find_at_end(t: Table, laws: Laws, wanted: float, place: int) -> None:
    """What touches that number of the newest, or of the oldest, rows, into `hits`."""
    find_live(t, laws)
    hits, state, classes = t.hits, t.state, t.classes
    for column in range(HITS):
        hits[column] = 0.0
    edge, small = edge_class(t, laws), classes[SMALL]
    each = small[CLASS_RECORDS] / small[CLASS_FILES] if small[CLASS_FILES] > NEGLIGIBLE else 0.0
    edge_files = min(state[EDGE_FILES], classes[edge][CLASS_FILES])
    edge_live = min(state[EDGE_ROWS], classes[edge][CLASS_LIVE])
    has_rule, left = laws.settings[HAS_RULE] > 0, wanted
    fresh = max(0.0, small[CLASS_FILES] - state[SMALL_SEEN])
    for step in range(5):  # those of the newest rows first, or of the oldest
        number, files, live = -1, 0.0, 0.0
        is_edge = False
        if place == NEWEST:
            if step == 0:
                number, files, live = SMALL, fresh, min(fresh * each, small[CLASS_LIVE])
            elif step == 1:
                number, files, live, is_edge = edge, edge_files, edge_live, True
            elif step == (4 if has_rule else 2):
                number, files = SMALL, small[CLASS_FILES] - fresh
                live = max(0.0, small[CLASS_LIVE] - fresh * each)
        elif step == 0:
            number, files, live, is_edge = edge, edge_files, edge_live, True
        elif step == (3 if has_rule else 1):
            number, live = SMALL, small[CLASS_LIVE]
            files = min(small[CLASS_FILES], live / each if each else live)  # older ones have no live row any more
        if number < 0:
            first = 2 if place == NEWEST and has_rule else (3 if place == NEWEST else (1 if has_rule else 2))
            number = PARTIAL_CLASS + step - first
            if number > SETTLED_CLASS:
                continue
            own = 1.0 if number == edge else 0.0
            files = classes[number][CLASS_FILES] - own * edge_files
            live = classes[number][CLASS_LIVE] - own * edge_live
        if left <= NEGLIGIBLE or files <= NEGLIGIBLE:
            continue
        taken = min(left, live)
        hits[HIT_FILES + number] += files_at_end(t, laws, number, files, live, taken, place, is_edge)
        hits[HIT_ROWS + number] += taken
        left -= taken
    for number in range(3):
        files = classes[number][CLASS_FILES]
        hits[HIT_SHARES + number] = hits[HIT_FILES + number] / files if files > NEGLIGIBLE else 0.0
        hits[HIT_ROW_SHARES + number] = hits[HIT_SHARES + number]
    is_all = hits[HIT_FILES + edge] >= state[EDGE_FILES] - NEGLIGIBLE
    if edge == PARTIAL_CLASS and place == NEWEST and hits[HIT_ROWS + edge] and is_all:
        rows = max(hits[HIT_ROWS + edge], state[EDGE_ROWS])
        hits[HIT_ROW_SHARES + edge] = min(1.0, rows / classes[edge][CLASS_LIVE])
    hits[SQUARES_LEFT] = state[SQUARES] * (1 - hits[HIT_SHARES + PARTIAL_CLASS])
    hits[TOGETHER] = 1.0


def files_at_end(
    t: Table, laws: Laws, number: int, files: float, live: float, taken: float, place: int, is_edge: bool
) -> float:
    """How many of these files hold that many of the rows at their end."""
    if taken >= live - NEGLIGIBLE:
        return files
    if laws.settings[IS_PARTITIONED] and is_edge and files == t.state[EDGE_FILES]:  # a file for each partition
        return drawn(files, taken)
    if number == SMALL:
        return min(files, arrived_files(t, laws, taken, place, False))
    return min(files, float(ceil(taken / (live / files) - SLACK)))


def arrived_files(t: Table, laws: Laws, rows: float, place: int, again: bool) -> float:
    """Files as they arrived that hold `rows` rows at an end of the table; or those of them that hold rows `again` which
    are not live any more: the first of a commit of which a part is touched already.
    """
    small, per_commit = t.classes[SMALL], laws.settings[ROWS_PER_COMMIT]
    each = small[CLASS_RECORDS] / small[CLASS_FILES]
    begun = (small[CLASS_RECORDS] - small[CLASS_LIVE]) % per_commit if place == OLDEST else 0.0
    of_first = min(rows, per_commit - begun)
    commits = floor((rows - of_first) / per_commit)
    rest = rows - of_first - commits * per_commit
    files = per_commit / each
    if again:
        return files_of_commit(laws, begun, begun + of_first, files, True)
    found = files_of_commit(laws, begun, begun + of_first, files, False)
    return found + commits * files + files_of_commit(laws, 0.0, rest, files, False)


def files_of_commit(laws: Laws, first: float, stop: float, files: float, again: bool) -> float:
    """Of `files` files of a commit, those that hold its rows from the first one on, or which of them hold earlier ones
    too: rows fall into partitions by chance, are dealt to the files in turn, or fill one file after another.
    """
    rows, settings = stop - first, laws.settings
    if settings[OPEN_PARTITIONS] > 1:
        found = drawn(files, rows)
        return found * drawn(files, first) / files if again else found
    if settings[IN_TURN]:
        found = min(files, rows)
        return max(0.0, min(first, files) + found - files) if again else found
    each = settings[ROWS_PER_COMMIT] / files
    found = float(ceil(stop / each - SLACK) - floor(first / each + SLACK))
    if again:
        apart = first / each - floor(first / each + 0.5)
        return 1.0 if found > 0 and abs(apart) > SLACK else 0.0
    return found


def ends_with_files(t: Table, laws: Laws, row: float) -> bool:
    """Whether the oldest rows up to this number are all that some files hold, which metadata alone then deletes."""
    state, settings, classes = t.state, laws.settings, t.classes
    if row >= rows_through(laws, state[COMMITS]):
        return True
    if classes[PARTIAL_CLASS][CLASS_FILES] > SLACK or classes[SETTLED_CLASS][CLASS_FILES] > SLACK:
        return False
    if state[DEAD] or state[DEAD + 1] or state[DEAD + 2]:
        return False
    files = 1.0 if settings[IS_PARTITIONED] or settings[IN_TURN] else settings[FILES]
    return row % (settings[ROWS_PER_COMMIT] / files) == 0


def hit_count(t: Table) -> float:
    """Files touched."""
    return t.hits[HIT_FILES] + t.hits[HIT_FILES + 1] + t.hits[HIT_FILES + 2]


def hit_rows(t: Table) -> float:
    """Rows touched."""
    return t.hits[HIT_ROWS] + t.hits[HIT_ROWS + 1] + t.hits[HIT_ROWS + 2]


def live_in_hits(t: Table) -> float:
    """Live rows of the files that were hit, touched or not."""
    found = 0.0
    for number in range(3):
        found += t.classes[number][CLASS_LIVE] * t.hits[HIT_ROW_SHARES + number]
    return found


def partitions_hit(t: Table, laws: Laws, place: int, things: float) -> float:
    """Partitions that this number of the files that were hit, or of their rows, falls into by chance: of all, where the
    number is chance too, or of those that were open when the rows at the end arrived.
    """
    settings = laws.settings
    if settings[IS_PARTITIONED] == 0:
        return 1.0
    if place == SCATTERED:
        every = partitions_so_far(t, laws)
        return every * (1 - exp(-things / every))
    touched = hit_rows(t)
    first = rows_through(laws, t.state[COMMITS]) - touched if place == NEWEST else t.state[GONE]
    lasts = (settings[ROWS_PER_COMMIT] - settings[REPLACED_PER_COMMIT]) * settings[LIFETIME_COMMITS]
    units = floor((first + touched - SLACK) / lasts) - floor(first / lasts) + 1
    return drawn(units * settings[OPEN_PARTITIONS], things)
