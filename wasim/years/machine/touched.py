"""Which data files statements that change rows touch in the machine, on average.

The rules of `wasim.twin.statements`, for expected numbers of files: a statement that touches the share p of
all rows, scattered, touches a file of n rows with the probability 1 − (1 − p)ⁿ.
"""

from math import ceil, exp, expm1, floor, inf, log, log1p, sqrt, tanh

from wasim.years.machine.files import (
    is_compacted,
    left_by_age,
    missed_since,
    named_by_age,
    partitions_so_far,
    rows_of_each,
    touched_share,
    walked_through,
)
from wasim.years.machine.sizes import is_any, is_rewritten_for_size
from wasim.years.machine.tables import *

PART_OF_FILE = 1e-6
AGES_OF_WRITTEN = 4  # at which files are looked at that statements wrote
AGES = 16  # at which files that a stride hits are looked at
LEAST_WIDER = 1e-6  # a variance is than Poisson's
LEAST_APART, MOST_SUMMED, EULER = 1e-3, 4.0, 0.5772156649015329


def total_of(three: list[float]) -> float:
    """Of all classes."""
    return three[ARRIVED] + three[REWRITTEN] + three[BEYOND]


def drawn(boxes: float, things: float) -> float:
    """How many of these boxes at least one of the things falls into by chance."""
    return boxes * (1 - (1 - 1 / boxes) ** things) if boxes > 1 else min(boxes, things)


def places_of_new(laws: Laws, rows: float) -> float:
    """Partitions that so many new rows of a commit fall into, of those whose turn it is."""
    if laws.walked == 1:
        return drawn(laws.open_partitions, rows)
    turns = 1 + (rows - 1) / laws.rows_per_commit  # rows that replace others leave some for the next
    return turns * drawn(max(1.0, laws.open_partitions * laws.walked), rows / turns)


def rows_through(laws: Laws, commits: float) -> float:
    """Row numbers given out by that number of commits."""
    return laws.rows_per_commit + (commits - 1) * laws.new_rows if commits >= 1 else 0.0


def whole_commits(laws: Laws, row: float, commits: float) -> float:
    """The last row, not beyond this one, at which a commit ends; that of one commit at least."""
    return rows_through(laws, min(commits, max(1.0, float((row - laws.replaced_per_commit) // laws.new_rows))))


def find_classes(table: Table, laws: Laws) -> None:
    """The live data files by class, into `classes`: how many, their rows, and how many of those are live."""
    numbers, classes, dead = table.numbers, table.classes, table.deleted[DEAD]
    for number in range(2):
        classes[number][FILES] = classes[number][RECORDS] = 0.0
    for place in range(int(numbers[COHORTS])):
        one = table.cohorts[place]
        classes[ARRIVED][FILES] += one[PARTITIONS] * one[SMALL_FILES]
        classes[ARRIVED][RECORDS] += one[PARTITIONS] * one[SMALL_ROWS]
        classes[REWRITTEN][FILES] += one[PARTITIONS] * one[PARTIAL_FILES]
        classes[REWRITTEN][RECORDS] += one[PARTITIONS] * one[PARTIAL_ROWS]
    classes[BEYOND][FILES], classes[BEYOND][RECORDS] = numbers[SETTLED_FILES], numbers[SETTLED_ROWS]
    every = 0.0
    for number in range(3):
        classes[number][LIVE] = max(0.0, classes[number][RECORDS] - dead[number])
        every += classes[number][LIVE]
    if total_of(dead) > 0:  # small differences of large numbers: how many rows there are is known otherwise
        there = rows_through(laws, numbers[COMMITS]) - numbers[GONE_ROWS] + numbers[NET_ROWS]
        factor = max(0.0, there) / every if every > 0 else 0.0
        for number in range(3):
            classes[number][LIVE] = min(classes[number][LIVE] * factor, classes[number][RECORDS])


def live_rows(table: Table) -> float:
    """Live rows of all data files."""
    return table.classes[ARRIVED][LIVE] + table.classes[REWRITTEN][LIVE] + table.classes[BEYOND][LIVE]


def begin_hits(table: Table, is_scattered: bool, is_newest: bool) -> None:
    """Nothing is hit yet."""
    numbers = table.numbers
    numbers[IS_SCATTERED], numbers[IS_NEWEST] = 1.0 if is_scattered else 0.0, 1.0 if is_newest else 0.0
    if not is_scattered and numbers[EDGE_END] != numbers[IS_NEWEST]:  # either end has an edge of its own
        numbers[EDGE_END] = numbers[IS_NEWEST]
        numbers[EDGE_FILES], numbers[OTHER_FILES] = numbers[OTHER_FILES], numbers[EDGE_FILES]
        numbers[EDGE_ROWS], numbers[OTHER_ROWS] = numbers[OTHER_ROWS], numbers[EDGE_ROWS]
        numbers[SMALL_SEEN], numbers[OTHER_SEEN] = numbers[OTHER_SEEN], numbers[SMALL_SEEN]
    numbers[SQUARES_LEFT], numbers[TOGETHER], numbers[IN_STEP], numbers[NEW_CELLS] = 0.0, 1.0, 0.0, 0.0
    numbers[CLOSED_FILES] = 0.0
    numbers[SQUARES_TWICE] = numbers[LARGE] = numbers[NEW_CELL_ROWS] = numbers[EVENLY] = numbers[TOUCHES] = 0.0
    for what in range(4):
        for number in range(3):
            table.hits[what][number] = 0.0


def hit_scattered(table: Table, laws: Laws, share: float, on_read: bool, evenly: bool) -> None:
    """What touches this share of all rows, into `hits`; `evenly` where it is every n-th row."""
    find_classes(table, laws)
    begin_hits(table, True, False)
    numbers, hits, replaced = table.numbers, table.hits, laws.replaced_per_commit / max(1.0, laws.new_rows)
    large = 0.0 if on_read else large_files(table, laws)
    numbers[TOUCHES] = min(share, 1 - NEGLIGIBLE)
    miss_others(table)
    numbers[EVENLY] = 1.0 if evenly and 1 < laws.lifetime < inf else 0.0
    is_stride = evenly and (not laws.is_partitioned or (numbers[EVENLY] > 0 and on_read and not laws.compacts))
    numbers[IN_STEP] = 1 / (1 + replaced) ** 2 if is_stride and not laws.is_partitioned else 0.0  # neither row moved
    for number in range(3):
        one = table.classes[number]
        mean, wider = rows_in_files(table, number)
        if number == ARRIVED and mean > 0:  # of what chance makes larger than others, the same share is left
            wider += rows_by_chance(table, laws) * mean * (one[FILES] / one[RECORDS]) ** 2
        table.likely[number][0], table.likely[number][1] = mean, wider
        is_rewritten = number == REWRITTEN and mean > 0
        is_even = is_stride or numbers[EVENLY] > 0
        has_kinds = laws.compacts > 0 and (table.flows[COMPACTIONS] > 0 or laws.is_partitioned > 0)
        if is_rewritten and on_read and has_kinds and (is_even or laws.is_partitioned > 0):
            hit, of_rows = hit_of_compacted(table, laws, share, replaced, is_stride)
        elif is_stride and is_rewritten and partitions_passed(laws, numbers[COMMITS] - 1) > 1:
            # each upsert's new rows are in one large file, those that they replace in partitions of their own
            new = numbers[COMMITS] * places_of_new(laws, laws.new_rows)
            kinds = some_large(new, one[FILES], mean, mean * wider + mean)
            hit, of_rows = hit_of_kinds(table, kinds, min(1.0, kinds[1] * share), min(1.0, kinds[2] * share))
        elif is_stride:
            hit = of_rows = hit_by_stride(mean * share, replaced, 0.0)
        elif number == ARRIVED and numbers[EVENLY] > 0:  # rows of each follow each other
            hit = of_rows = min(1.0, mean * share)
        elif is_rewritten and numbers[EVENLY] > 0 and not on_read:
            hit, of_rows = hit_of_hours(table, laws, share)
        elif is_rewritten and large > 0:
            hit, of_rows = hit_of_large(table, share, large, evenly, max(numbers[SQUARES], mean * one[LIVE]))
        elif is_rewritten and on_read and has_compacted(table, laws):
            hit, of_rows = hit_by_age(table)
        elif is_rewritten and on_read:
            hit, of_rows = hit_by_size(table)
        else:
            hit, of_rows = hit_by_chance(table, number)
        hits[HIT_FILES][number], hits[HIT_SHARES][number] = one[FILES] * hit, hit
        hits[HIT_ROW_SHARES][number], hits[HIT_ROWS][number] = of_rows, one[LIVE] * share
    note_where_written(table, on_read)


def hit_by_chance(table: Table, number: int) -> tuple[float, float]:
    """Which share of the files of a class the touched rows are in, and of its rows."""
    touches, mean, wider = table.numbers[TOUCHES], table.likely[number][0], table.likely[number][1]
    least = least_rows(table, number, mean)
    more = mean - least
    wider = mean * (1 + wider) / max(more, NEGLIGIBLE) - 1
    missed = (1 - touches) ** least * missed_by(more, wider, touches)
    kept = more * (1 - touches) / (1 + touches * wider)
    if number == REWRITTEN:  # rows of missed files, and pairs of rows
        pairs = least * (least + 2 * kept) + kept * (1 + (more + wider) / max(more, NEGLIGIBLE) * kept)
        table.numbers[SQUARES_LEFT] = table.classes[number][FILES] * missed * pairs
    return 1 - missed, 1 - missed * (least + kept) / mean if mean > 0 else 0.0


def least_rows(table: Table, number: int, mean: float) -> float:
    """Live rows that each file of a class has at least: one, where no row was deleted by position."""
    return 1.0 if table.deleted[DEAD][number] <= 0 and mean >= 1 else 0.0


def has_compacted(table: Table, laws: Laws) -> bool:
    """Whether files have been compacted, of a table without partitions: they differ from one to another."""
    return laws.compacts > 0 and table.flows[COMPACTIONS] > 0 and laws.is_partitioned == 0


def hit_by_size(table: Table) -> tuple[float, float]:
    """The same of what statements on read wrote, each its own sizes, and have left fewer rows in some files than in
    others of their size.
    """
    one, touches, squares, hit, rows = table.classes[REWRITTEN], table.numbers[TOUCHES], 0.0, 0.0, 0.0
    live = one[LIVE] / one[RECORDS]
    for turn in range(2):
        apart = max(0.0, table.numbers[SQUARES] / max(squares, NEGLIGIBLE) - 1)
        for place in range(int(table.numbers[COHORTS])):
            cohort = table.cohorts[place]
            for column in range(SIZED_FILES, UNEVEN, 2):
                files, held = cohort[PARTITIONS] * cohort[column], cohort[PARTITIONS] * cohort[column + 1]
                if not is_any(files):
                    continue
                each = held / files * live
                if turn == 0:
                    squares += files * each * each
                else:
                    missed = missed_of_fading(each, each * apart - 1, touches)
                    hit += files * (1 - missed)
                    rows += held * (1 - missed * (1 - touches) / (1 + touches * (each * apart - 1)))
    return hit / one[FILES], rows / one[RECORDS]


def hit_by_age(table: Table) -> tuple[float, float]:
    """The same where compaction makes others of these in time: of each size they have the share of their rows left that
    statements have missed since then, or since a moment after that.
    """
    one, missed, hit, rows = table.classes[REWRITTEN], log1p(-table.numbers[TOUCHES]), 0.0, 0.0
    scale = one[LIVE] / left_of_sizes(table)
    for place in range(int(table.numbers[COHORTS])):
        cohort = table.cohorts[place]
        for column in range(SIZED_FILES, UNEVEN, 2):
            each, files = rows_of_each(cohort, column), cohort[PARTITIONS] * cohort[column]
            is_old = is_compacted(cohort, column)
            ages = 1 if is_old else AGES_OF_WRITTEN
            for age in range(ages if each > 0 else 0):
                since = missed_since(table, cohort) * (1.0 if is_old else (age + 0.5) / ages)
                some = -expm1(missed * scale * each * exp(-since)) * files / ages
                hit, rows = hit + some, rows + some * each
    return hit / one[FILES], rows / one[RECORDS]


def left_of_sizes(table: Table) -> float:
    """Rows of rewritten files that statements on scattered rows have left, by when these were written."""
    found = 0.0
    for place in range(int(table.numbers[COHORTS])):
        one = table.cohorts[place]
        for column in range(SIZED_FILES, UNEVEN, 2):
            found += one[PARTITIONS] * one[column + 1] * left_by_age(table, one, 1.0, is_compacted(one, column))
    return max(found, NEGLIGIBLE)


def note_where_written(table: Table, on_read: bool) -> None:
    """Which partitions a statement on scattered rows writes into, and how much: its rows, or all of files it hits."""
    of_arrived, of_rewritten = table.hits[HIT_ROW_SHARES][ARRIVED], table.hits[HIT_ROW_SHARES][REWRITTEN]
    for place in range(int(table.numbers[COHORTS])):
        one = table.cohorts[place]
        rows = written = one[SMALL_ROWS] + one[PARTIAL_ROWS]
        if not on_read:
            written = one[SMALL_ROWS] * of_arrived + one[PARTIAL_ROWS] * of_rewritten
        one[HIT_PARTITIONS] = -one[PARTITIONS] * expm1(-table.numbers[TOUCHES] * rows)
        one[ROWS_WRITTEN] = one[PARTITIONS] * written


def miss_others(table: Table) -> None:
    """Of all rows, those that the statement touches have not been missed since any delete file was written."""
    for place in range(table.used[1]):
        table.rows[1][place][MISSED] *= 1 - touched_share(table)
    table.numbers[MISSED_BY] -= log1p(-touched_share(table))


def hit_of_compacted(table: Table, laws: Laws, share: float, replaced: float, is_stride: bool) -> tuple[float, float]:
    """What `hit_of_large` finds of files that compaction made: it leaves one large file to a partition, which no
    statement on read writes again.
    """
    numbers, kinds, missed = table.numbers, kinds_by_size(table), 1 - table.numbers[TOUCHES]
    (_, few, many), since = kinds, numbers[COMPACTED_AT] / numbers[COMMITS]
    of_few, of_many = 1 - missed**few, 1 - missed**many
    if is_stride:
        of_few, of_many = hit_by_stride(few * share, replaced, since), hit_by_stride(many * share, replaced, 0.0)
    if numbers[EVENLY] > 0:
        rows_of_unit = min(laws.new_rows * laws.lifetime, rows_through(laws, numbers[COMMITS]))
        of_few, of_many = hit_evenly(few, rows_of_unit, share), hit_by_stride(many * share, replaced, 1.0)
    return hit_of_kinds(table, kinds, of_few, of_many)


def kinds_by_size(table: Table) -> tuple[float, float, float]:
    """What `some_large` returns of all files below the target: the largest ones, as many as there are partitions, are
    large.
    """
    one = table.classes[REWRITTEN]
    live = one[LIVE] / max(one[RECORDS], NEGLIGIBLE)
    large = few = others = many = 0.0
    for place in range(int(table.numbers[COHORTS])):
        cohort, left = table.cohorts[place], table.cohorts[place][PARTITIONS]
        column = largest_of(cohort, -1)
        while column >= 0:
            files, each = cohort[PARTITIONS] * cohort[column], rows_of_each(cohort, column)
            alone = min(left, files)
            left, large, few = left - alone, large + alone, few + alone * each * live
            others, many = others + files - alone, many + (files - alone) * each * live
            column = largest_of(cohort, column)
    return large / max(large + others, NEGLIGIBLE), few / max(large, NEGLIGIBLE), many / max(others, NEGLIGIBLE)


def named_and_hit(table: Table) -> float:
    """Of the rewritten files that a statement hits, those that a delete file names: all but some of those that none
    names, which have all of their rows.
    """
    one, missed, found, unnamed = table.classes[REWRITTEN], log1p(-table.numbers[TOUCHES]), 0.0, 0.0
    for place in range(int(table.numbers[COHORTS])):
        cohort = table.cohorts[place]
        for column in range(SIZED_FILES, UNEVEN, 2):
            if is_any(cohort[column]):
                each = rows_of_each(cohort, column)
                here = cohort[PARTITIONS] * cohort[column] * (1 - named_by_age(table, cohort, column))
                unnamed, found = unnamed + here, found - here * expm1(missed * each)
    left = max(0.0, one[FILES] - table.deleted[HELD][REWRITTEN])
    return max(0.0, table.hits[HIT_FILES][REWRITTEN] - found * left / max(unnamed, NEGLIGIBLE))


def largest_of(cohort: list[float], after: int) -> int:
    """The column of the largest of a partition's compacted files that is no larger than this column's files, which go
    before it, and of equal sizes the first; −1 if there is none.
    """
    found, most, below = -1, 0.0, rows_of_each(cohort, after) if after >= 0 else inf
    for column in range(SIZED_FILES, UNEVEN, 2):
        each = rows_of_each(cohort, column)
        if most < each < below or (column > after and most < each == below):
            found, most = column, each
    return found


def are_all_open(table: Table, laws: Laws) -> bool:
    """Whether rows still come into all partitions that there are."""
    return partitions_so_far(table, laws) <= laws.open_partitions


def large_files(table: Table, laws: Laws) -> float:
    """One rewritten file of each partition that holds any, or could, where partitions are not known apart; none where
    they may all be.
    """
    every, found = partitions_so_far(table, laws), 0.0
    if laws.lifetime < inf and not laws.compacts:
        found = every
    else:
        for place in range(int(table.numbers[COHORTS])):
            found += table.cohorts[place][PARTITIONS] * min(1.0, table.cohorts[place][PARTIAL_FILES])
    return found if found < table.classes[REWRITTEN][FILES] or every <= 1 else 0.0


def hit_of_large(table: Table, share: float, large: float, evenly: bool, squares: float) -> tuple[float, float]:
    """Where a statement touches this share of all rows: the share of its rewritten files that are hit, and the share of
    their rows that is in files that are hit. `squares` is the sum of the squares of each file's rows.

    One file of each partition is large, `large` in all, as copy-on-write writes all rows of the files that it hits
    there into one; the others count as equal.
    """
    numbers, files = table.numbers, table.classes[REWRITTEN][FILES]
    large, mean = min(large, files), table.classes[REWRITTEN][LIVE] / files
    least = least_rows(table, REWRITTEN, mean)
    weight, few, many = some_large(large, files, mean - least, squares / files - mean * mean)
    few, many = few + least, many + least
    few_kept, many_kept = (1 - min(share, 1.0)) ** few, (1 - min(share, 1.0)) ** many
    if evenly:  # that many rows, not each by chance
        live = live_rows(table)
        few_kept = max(0.0, 1 - few / live) ** (share * live)
    few_squares, many_squares = large * few * few, (files - large) * many * many
    scale = squares / (few_squares + many_squares)
    numbers[SQUARES_LEFT] = scale * (few_squares * few_kept + many_squares * many_kept)
    numbers[SQUARES_TWICE] = scale * (few_squares * (1 - few_kept) ** 2 + many_squares * (1 - many_kept) ** 2)
    return hit_of_kinds(table, (weight, few, many), 1 - few_kept, 1 - many_kept)


def hit_of_kinds(
    table: Table, kinds: tuple[float, float, float], of_large: float, of_others: float
) -> tuple[float, float]:
    """The share of rewritten files that a statement hits, and the share of their rows in such files, by what it hits of
    large files and of the others. `kinds` is what `some_large` returns.
    """
    (weight, few, many), numbers, one = kinds, table.numbers, table.classes[REWRITTEN]
    numbers[LARGE], numbers[HIT_OF_LARGE], numbers[HIT_OF_OTHERS] = weight * one[FILES], of_large, of_others
    hit = weight * of_large + (1 - weight) * of_others
    return hit, (weight * of_large * few + (1 - weight) * of_others * many) / (one[LIVE] / one[FILES])


def some_large(large: float, files: float, mean: float, variance: float) -> tuple[float, float, float]:
    """Of files whose rows have this mean and variance: the share that `large` ones are of them, the rows of each, and
    the rows of each other one; both kinds count as equal.
    """
    weight = min(1.0, large / max(files, NEGLIGIBLE))
    if weight >= 1:
        return 1.0, mean, mean
    apart = sqrt(min(max(variance, 0.0), (1 - weight) * mean * mean / weight))  # at most all rows are in large ones
    return weight, mean + apart * sqrt((1 - weight) / weight), max(0.0, mean - apart * sqrt(weight / (1 - weight)))


def rows_in_files(table: Table, number: int) -> tuple[float, float]:
    """Live rows of a data file of a class: their mean, and how much larger than that their variance is, relatively.

    Files as they arrived keep the share u of n rows on average. That differs as they are older or younger, by the mean
    of its squares less u², and by as much as chance takes.
    """
    one = table.classes[number]
    if not is_any(one[FILES]) or not is_any(one[LIVE]):
        return 0.0, 0.0
    mean, variance = one[LIVE] / one[FILES], 0.0
    if number == REWRITTEN:
        variance = max(0.0, table.numbers[SQUARES] / one[FILES] - mean * mean)
    elif number == ARRIVED:
        whole = one[RECORDS] / one[FILES]
        left = mean / whole
        kept = table.numbers[KEPT_SQUARES] + max(0.0, one[FILES] - table.numbers[SMALL_SEEN])
        apart = min(max(0.0, kept / one[FILES] - left * left), left - left * left)
        variance = whole * whole * apart + whole * max(0.0, left - left * left - apart)
    return mean, variance / mean - 1


def rows_by_chance(table: Table, laws: Laws) -> float:
    """Rows of a file as it arrived beyond the first one, where they fall into partitions by chance that stay open: by
    Poisson's law so many, which is the variance too.
    """
    one = table.classes[ARRIVED]
    is_by_chance = laws.open_partitions > 1 and (laws.lifetime == inf or table.deleted[DEAD][ARRIVED] > 0)
    return max(0.0, one[RECORDS] / one[FILES] - 1) if is_by_chance else 0.0


def unnamed_rows(more: float, unnamed: float) -> float:
    """Rows beyond the first one of files of which this share has none deleted, where all had `more` on average, by
    Poisson's law: rows of a share m of all are left, m · exp(−more · (1 − m)) of the files are whole.
    """
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if middle * exp(-more * (1 - middle)) < unnamed:
            low = middle
        else:
            high = middle
    return more * high


def missed_by(mean: float, wider: float, share: float) -> float:
    """The share of files of which none of their rows is among this share of all.

    Of rows as `rows_in_files` has them: a binomial law, or Poisson's, or a negative binomial one.
    """
    if abs(wider) < LEAST_WIDER:
        return exp(-share * mean)
    return exp(-mean / wider * log1p(share * wider))


def missed_of_fading(mean: float, wider: float, share: float) -> float:
    """The same of files that statements on read wrote, as many at each time and of as many rows, and that each left the
    same share of: as many files have between one and two rows as between two and four, up to new ones'.
    """
    apart = 1 + wider / max(mean, NEGLIGIBLE)  # the mean square by the square of the mean: L / 2 · coth(L / 2)
    if apart < 1 + LEAST_APART:
        return missed_by(mean, wider, share)
    folds, off = 2 * apart, 1.0  # L, the logarithm of the most rows by the least ones
    while off > LEAST_APART:
        leaves = tanh(folds / 2)
        off = (folds - 2 * apart * leaves) / (1 - apart * (1 - leaves * leaves))
        folds -= off
    most = share * mean * folds / (1 - exp(-folds))
    return 1 - (hit_up_to(most) - hit_up_to(most * exp(-folds))) / folds


def hit_up_to(most: float) -> float:
    """The integral of (1 − e⁻ᵗ) / t from 0 to `most` rows that are touched on average."""
    found, term, power = 0.0, 1.0, 0.0
    if most > MOST_SUMMED:
        return log(most) + EULER + exp(-most) / (most + 1 / (1 + 1 / (most + 2 / (1 + 2 / (most + 3)))))
    while is_any(abs(term)):
        power += 1
        term *= -most / power
        found -= term / power
    return found


def hit_by_stride(touched: float, replaced_per_new_row: float, since: float) -> float:
    """The share of files that a commit hits which replaces every n-th row of the table, this many of a file's on
    average; all were written `since` the table had this share of its commits.

    A file that was written when it had the share u of them has kept u^a of its new rows, which follow each other, and
    of the rows that it replaced, which lie anywhere; a is how many are replaced for each new one.
    """
    every = 1 + replaced_per_new_row  # of what it wrote, for each new row
    touched *= (1 - since) / (1 - since**every) if since < 1 else 1 / every  # of its new rows, before any was replaced
    whole, missed = floor(touched), 0.0
    for age in range(AGES):
        kept = (since + (1 - since) * (age + 0.5) / AGES) ** replaced_per_new_row
        each = (1 - (touched - whole) * kept) * exp(-replaced_per_new_row * touched * kept)
        missed += each * (1 - kept) ** whole
    return 1 - missed / AGES


def hit_evenly(rows: float, every: float, share: float) -> float:
    """Probability that a statement hits a file with `rows` of the `every` rows of a partition by time, where it hits
    this share of them, evenly spaced.
    """
    held, hits = min(1.0, rows / every), every * share
    return 1 - (1 - held) ** floor(hits) * (1 - (hits - floor(hits)) * held)


def hit_of_hours(table: Table, laws: Laws, share: float) -> tuple[float, float]:
    """What `hit_of_large` finds, where an upsert by copy-on-write hits rows at even distances in partitions by time: of
    the files that it hits in one it makes one file, with the new rows in those which are open.
    """
    numbers, one = table.numbers, table.classes[REWRITTEN]
    each, places = laws.new_rows * laws.lifetime, laws.open_partitions
    closed, before = ceil(partitions_passed(laws, numbers[COMMITS] - 1)) - 1.0, rows_through(laws, numbers[COMMITS] - 1)
    files, rows = min(one[FILES], max(places, one[FILES] - closed * places)), before - closed * each
    if closed > 0 and numbers[OPEN_FILES] > 0:
        files = min(files, numbers[OPEN_FILES])
    squares = numbers[OPEN_SQUARES] if files > places else rows * rows / places
    large, others, in_hits, left, together = hit_in_each(places, files, rows, places, squares, share)
    new = min(laws.new_rows, (closed + 1) * each - before)
    next_new = laws.new_rows - new
    numbers[OPEN_FILES] = files - large - others + max(drawn(places, new), cells_hit(laws, rows, share))
    numbers[OPEN_SQUARES] = left + together + (2 * in_hits + new) * new / places
    numbers[SQUARES_TWICE] = numbers[OPEN_SQUARES] + next_new * next_new / places
    if next_new > 0:
        numbers[OPEN_FILES], numbers[OPEN_SQUARES] = drawn(places, next_new), next_new * next_new / places
    numbers[LARGE] = cells_hit(laws, rows, share)
    of_large, hit = large * numbers[LARGE] / places, large + others
    if is_any(one[FILES] - files):
        squares = max(0.0, numbers[SQUARES] - squares)
        every = min(closed * places, one[FILES] - files)
        large, others, more, left, together = hit_in_each(
            every, one[FILES] - files, closed * each, places, squares, share
        )
        numbers[SQUARES_TWICE] += left + together
        numbers[LARGE], of_large, hit = numbers[LARGE] + every, of_large + large, hit + large + others
        in_hits += more
    numbers[HIT_OF_LARGE] = of_large / numbers[LARGE]
    of_others = max(0.0, hit - of_large) / max(one[FILES] - numbers[LARGE], NEGLIGIBLE)
    numbers[HIT_OF_OTHERS] = min(1.0, of_others)
    return hit / one[FILES], min(1.0, in_hits / one[LIVE])


def cells_hit(laws: Laws, rows: float, share: float) -> float:
    """Partitions that are hit of those that were open at a time, of so many rows together."""
    return laws.open_partitions * hit_evenly(rows / laws.open_partitions, rows, share)


def hit_in_each(
    cells: float, files: float, rows: float, together: float, squares: float, share: float
) -> tuple[float, float, float, float, float]:
    """Of `files` in so many partitions, `together` of which are open at a time, with so many rows in all: how many
    large ones, one of each, and how many others are hit, the rows of these, the squares of the rows of each that is
    missed, and of those that are hit in each together.
    """
    every, more = together * rows / cells, max(0.0, files / cells - 1)
    _, few, many = some_large(cells, files, rows / files, squares / files - (rows / files) ** 2)
    of_few, of_many = hit_evenly(few, every, share), min(1.0, many * share)
    both = max(0.0, of_few + of_many - hit_evenly(few + many, every, share))
    two = max(0.0, 2 * of_many - hit_evenly(2 * many, every, share))
    apart = 2 * more * few * many * both + more * max(0.0, more - 1) * many * many * two
    joined = cells * (few * few * of_few + more * many * many * of_many + apart)
    left = cells * (few * few * (1 - of_few) + more * many * many * (1 - of_many))
    large, others = cells * of_few, cells * more * of_many
    return large, others, large * few + others * many, left, joined


def hit_at_end(table: Table, laws: Laws, wanted: float, is_newest: bool, again: float) -> None:
    """What touches that number of the newest, or of the oldest, rows, into `hits`; `again` is what `hit_again` takes,
    or below 0 where statements do not write the oldest rows again.
    """
    find_classes(table, laws)
    begin_hits(table, False, is_newest)
    numbers, classes, hits, left = table.numbers, table.classes, table.hits, wanted
    edge, first = edge_of(table, laws), rows_through(laws, numbers[COMMITS]) - wanted
    is_edge_hit = is_newest and first <= numbers[EDGE_SINCE] + NEGLIGIBLE
    if is_newest:
        numbers[EDGE_SINCE] = first
    if again >= 0:
        left = 0.0
        hit_again(table, laws, wanted, again)
    for place in range(newest_first(table, laws) if is_newest else oldest_first(table, laws)):
        number, count, live = int(table.queue[place][0]), table.queue[place][1], table.queue[place][2]
        if not is_any(left) or not is_any(count) or live <= PART_OF_FILE:
            continue
        taken = min(left, live)
        hits[HIT_FILES][number] += files_with(table, laws, place, taken, is_newest, is_edge_hit)
        hits[HIT_ROWS][number] += taken
        left -= taken
    for number in range(3):
        files = classes[number][FILES]
        share = hits[HIT_FILES][number] / files if is_any(files) else 0.0
        hits[HIT_SHARES][number] = hits[HIT_ROW_SHARES][number] = share
    is_known = is_newest or again >= 0 or laws.lifetime < inf
    if edge == REWRITTEN and is_known and min(hits[HIT_ROWS][edge], classes[edge][LIVE]) > 0:
        hit, others = hits[HIT_FILES][edge], max(NEGLIGIBLE, classes[edge][FILES] - numbers[EDGE_FILES])
        of_edge = min(1.0, hit / max(numbers[EDGE_FILES], NEGLIGIBLE))
        of_others = max(0.0, hit - numbers[EDGE_FILES]) / others * (classes[edge][LIVE] - numbers[EDGE_ROWS])
        rows = max(hits[HIT_ROWS][edge], of_edge * numbers[EDGE_ROWS] + of_others)
        hits[HIT_ROW_SHARES][edge] = min(1.0, rows / classes[edge][LIVE])
    numbers[SQUARES_LEFT] = numbers[SQUARES] * (1 - hits[HIT_SHARES][REWRITTEN])


def hit_again(table: Table, laws: Laws, wanted: float, again: float) -> None:
    """What touches the oldest rows where such statements write all files that they hit again, into `hits`: whole
    files as they arrived that hold rows beyond the `again` ones that the last one had touched, and what that wrote.
    """
    numbers, classes, hits, more = table.numbers, table.classes, table.hits, 0.0
    edge, first = edge_of(table, laws), numbers[GONE_ROWS]
    files = min(numbers[EDGE_FILES], classes[edge][FILES])
    rows = min(again if again > 0 else numbers[EDGE_ROWS], wanted)
    if is_any(classes[ARRIVED][FILES]):
        more = files_before_row(laws, first + wanted) - files_before_row(laws, first + again)
        more = min(more, classes[ARRIVED][FILES])
    if more <= 0:
        rows = wanted
    hits[HIT_FILES][ARRIVED], hits[HIT_ROWS][ARRIVED] = more, wanted - rows
    is_part = again <= 0 < rows < numbers[EDGE_ROWS] and laws.is_partitioned > 0
    hits[HIT_FILES][edge] = drawn(files, rows) if is_part else files
    hits[HIT_ROWS][edge] = rows


def files_before_row(laws: Laws, row: float) -> float:
    """How many files as they arrived hold any of the rows up to this one, as a whole number."""
    commits = float(floor(row / laws.rows_per_commit + NEGLIGIBLE))
    found, _ = files_of_commit(laws, 0.0, max(0.0, row - commits * laws.rows_per_commit), laws.files)
    return float(floor(commits * laws.files + found + 0.5))


def files_with(table: Table, laws: Laws, place: int, rows: float, is_newest: bool, is_edge_hit: bool) -> float:
    """How many of the files at a place in the queue this number of their live rows is in; all of the edge's where the
    statement touches all rows that the last one had touched.
    """
    number, count, live = int(table.queue[place][0]), table.queue[place][1], table.queue[place][2]
    if not is_any(live - rows):
        return count
    first = table.numbers[GONE_ROWS]
    if is_newest:  # before the new rows of a commit that changes them
        first = rows_through(laws, table.numbers[COMMITS]) - laws.new_rows * table.numbers[STATEMENTS_WRITE] - rows
    open_places = places_of(laws, first, first + rows)
    if laws.is_partitioned and count == table.numbers[EDGE_FILES]:  # a file for each partition
        return count if is_edge_hit else drawn(min(count, open_places), rows)
    if number == ARRIVED:
        return min(count, arrived_files(table, laws, rows, is_newest)[0])
    least = drawn(min(count, open_places), rows)
    return min(count, max(least, float(ceil(rows / (live / count) - PART_OF_FILE))))


def places_of(laws: Laws, first: float, last: float) -> float:
    """Of the open partitions, those that the rows from the first to the last may fall into."""
    commits = floor((last - PART_OF_FILE) / laws.rows_per_commit) - floor(first / laws.rows_per_commit) + 1
    return laws.open_partitions * min(1.0, laws.walked * max(1, commits))


def queue_up(table: Table, place: int, number: int, files: float, live: float) -> int:
    """Puts files of a class next in the queue; how many are in it."""
    table.queue[place][0], table.queue[place][1], table.queue[place][2] = float(number), files, live
    return place + 1


def newest_first(table: Table, laws: Laws) -> int:
    """Files by class with their live rows, the newest rows first: what came since the last statement, then
    what that wrote.
    """
    small = table.classes[ARRIVED]
    each = small[RECORDS] / small[FILES] if is_any(small[FILES]) else 0.0
    fresh = max(0.0, small[FILES] - table.numbers[SMALL_SEEN])
    place = queue_up(table, 0, ARRIVED, fresh, min(fresh * each, small[LIVE]))
    place = queue_edge(table, laws, place)
    seen, seen_rows = small[FILES] - fresh, max(0.0, small[LIVE] - fresh * each)
    if laws.compacts:
        return queue_up(table, queue_others(table, laws, place), ARRIVED, seen, seen_rows)
    return queue_others(table, laws, queue_up(table, place, ARRIVED, seen, seen_rows))


def oldest_first(table: Table, laws: Laws) -> int:
    """The same, the oldest rows first: what the last statement on them wrote is the oldest."""
    small, alive = table.classes[ARRIVED], 0.0
    if is_any(min(small[FILES], small[LIVE])):  # the oldest ones have no live row any more
        mean = small[LIVE] / (small[RECORDS] / small[FILES])
        alive = min(small[FILES], max(mean, arrived_files(table, laws, small[LIVE], False)[0]))
    place = queue_edge(table, laws, 0)
    if laws.compacts:
        return queue_up(table, queue_others(table, laws, place), ARRIVED, alive, small[LIVE])
    return queue_others(table, laws, queue_up(table, place, ARRIVED, alive, small[LIVE]))


def edge_of(table: Table, laws: Laws) -> int:
    """The class of what the last statement on the newest, or the oldest, rows wrote."""
    files = table.numbers[EDGE_FILES]
    return REWRITTEN if files <= 0 or is_rewritten_for_size(laws, table.numbers[EDGE_ROWS] / files) else BEYOND


def queue_edge(table: Table, laws: Laws, place: int) -> int:
    """What the last statement on the same end of the table wrote."""
    edge = edge_of(table, laws)
    files, live = table.classes[edge][FILES], table.classes[edge][LIVE]
    return queue_up(table, place, edge, min(table.numbers[EDGE_FILES], files), min(table.numbers[EDGE_ROWS], live))


def queue_others(table: Table, laws: Laws, place: int) -> int:
    """All else that was rewritten: by compaction, or by earlier such statements, so that few of its rows are live. What
    a compaction leaves too small is the newest of its rows.
    """
    edge = edge_of(table, laws)
    for number in (REWRITTEN, BEYOND) if table.numbers[IS_NEWEST] > 0 else (BEYOND, REWRITTEN):
        files, live = table.classes[number][FILES], table.classes[number][LIVE]
        if number == edge:
            files, live = files - min(table.numbers[EDGE_FILES], files), live - min(table.numbers[EDGE_ROWS], live)
        place = queue_up(table, place, number, files, live)
    return place


def arrived_files(table: Table, laws: Laws, rows: float, is_newest: bool) -> tuple[float, float]:
    """Files as they arrived that hold `rows` rows at an end of the table, and how many of them hold rows too which
    are not live any more: the first of a commit of which a part is touched already.
    """
    small, per_commit = table.classes[ARRIVED], laws.rows_per_commit
    files = per_commit / (small[RECORDS] / small[FILES])
    begun = 0.0 if is_newest else (small[RECORDS] - small[LIVE]) % per_commit
    of_first = min(rows, per_commit - begun)
    commits = float((rows - of_first) // per_commit)
    found, again = files_of_commit(laws, begun, begun + of_first, files)
    last, _ = files_of_commit(laws, 0.0, (rows - of_first) % per_commit, files)
    return found + commits * files + last, again


def files_near(table: Table, laws: Laws) -> float:
    """Files that arrived with those that hold the oldest rows which are hit: of a commit, or of some of its tasks."""
    small, tasks = table.classes[ARRIVED], laws.tasks_in_order
    begun, each = (small[RECORDS] - small[LIVE]) % laws.rows_per_commit, laws.rows_per_commit / tasks
    last = begun + table.hits[HIT_ROWS][ARRIVED] - PART_OF_FILE
    return laws.files * min(1.0, (floor(last / each) - floor(begun / each) + 1) / tasks)


def files_of_commit(laws: Laws, first: float, stop: float, files: float) -> tuple[float, float]:
    """Of `files` files of a commit, those that hold its rows from the first one on, and which of them hold earlier ones
    too: rows fall into partitions by chance, are dealt to the files in turn, or fill one file after another.
    """
    rows = stop - first
    if laws.open_partitions > 1:
        tasks = laws.tasks_in_order
        places = laws.open_partitions * laws.walked if tasks > 1 else files  # dealt out, rows are in tasks by chance
        return files_of_tasks((first, stop), laws.rows_per_commit / tasks, places, files / tasks, laws.walked < 1)
    if laws.deals_in_turn:  # to files of one partition, or of two where the next one opens within these rows
        files *= (1 + (laws.partitions - 1) * rows / laws.rows_per_commit) / laws.partitions
        found = min(files, rows)
        return found, max(0.0, min(first, files) + found - files)
    each = laws.rows_per_commit / files
    before = ceil((floor(first + PART_OF_FILE) + 1) / each - PART_OF_FILE) - 1  # tasks take whole rows
    found = float(ceil(ceil(stop - PART_OF_FILE) / each - PART_OF_FILE) - before)
    is_shared = found > 0 and first > floor(before * each + PART_OF_FILE) + PART_OF_FILE
    return found, 1.0 if is_shared else 0.0


def fallen(places: float, rows: float, in_turn: bool) -> float:
    """How many of these places so many rows that follow each other fall into, by chance or one after the other."""
    return min(places, rows) if in_turn else drawn(places, rows)


def files_of_tasks(
    rows: tuple[float, float], each: float, places: float, files: float, in_turn: bool
) -> tuple[float, float]:
    """The same where tasks take `each` so many rows that follow each other, and write `files` files, one for each of so
    many places that its rows fall into by chance, or in turn.
    """
    (at, stop), found, again = rows, 0.0, 0.0
    scale = files / fallen(places, each, in_turn)
    while at < stop - PART_OF_FILE:
        task = floor(at / each + PART_OF_FILE)
        begun, touched = max(0.0, at - task * each), min(stop, (task + 1) * each) - at
        new = scale * fallen(places, touched, in_turn)
        found += new
        again += new * fallen(places, begun, in_turn) / places
        at += touched
    return found, again


def ends_with_files(table: Table, laws: Laws, row: float) -> bool:
    """Whether the oldest rows up to this number are all that some files hold, which metadata alone then deletes: none
    holds rows that were deleted by position before.
    """
    is_edge = is_at_edge(laws, table.numbers[GONE_ROWS])
    if row >= rows_through(laws, table.numbers[COMMITS]):
        return is_edge or total_of(table.deleted[DEAD]) == 0
    return is_edge and is_between_files(table, laws, row)


def begins_with_files(table: Table, laws: Laws, row: float) -> bool:
    """Whether the newest rows from this number on are all that some files hold: where what the last such DELETE took
    left no file, all later ones are, until a compaction puts rows that have come since with earlier ones.
    """
    numbers = table.numbers
    if row <= numbers[GONE_ROWS]:
        return True
    is_apart = not laws.compacts or numbers[CLEARED_FROM] <= numbers[GONE_ROWS]
    is_apart = is_apart or rows_through(laws, numbers[COMPACTED_AT]) <= numbers[DELETED_THROUGH]
    is_cleared = is_apart and numbers[CLEARED_FROM] <= row <= numbers[DELETED_THROUGH]
    return is_cleared or is_between_files(table, laws, row) or is_between_arrived(table, laws, row)


def is_between_arrived(table: Table, laws: Laws, row: float) -> bool:
    """Whether rows from this number on are all that some files hold as they arrived, others having been compacted: in
    an unpartitioned table these hold older rows, in others the rows that came before.
    """
    through = rows_through(laws, table.numbers[COMMITS])
    if not is_at_edge(laws, row) or (laws.is_partitioned and row < rows_through(laws, table.numbers[COMPACTED_AT])):
        return False
    return through - row <= table.classes[ARRIVED][FILES] * laws.rows_per_commit / laws.files + NEGLIGIBLE


def is_between_files(table: Table, laws: Laws, row: float) -> bool:
    """Whether no file holds rows both up to this number and beyond, of files that are all as they arrived."""
    classes = table.classes
    return max(classes[REWRITTEN][FILES], classes[BEYOND][FILES]) <= PART_OF_FILE and is_at_edge(laws, row)


def is_at_edge(laws: Laws, row: float) -> bool:
    """Whether no file as it arrived holds rows both up to this number and beyond."""
    each, within = laws.rows_per_commit / laws.tasks_in_order, row % laws.rows_per_commit
    return floor(ceil(within / each - PART_OF_FILE) * each + PART_OF_FILE) == within  # tasks take whole rows


def live_in_hits(table: Table) -> float:
    """Live rows of the files that were hit, touched or not."""
    found = 0.0
    for number in range(3):
        found += table.classes[number][LIVE] * table.hits[HIT_ROW_SHARES][number]
    return found


def partitions_passed(laws: Laws, commits: float) -> float:
    """Partitions that were open one after another through this many commits, of the open one the share that it has."""
    passed = rows_through(laws, commits) / (laws.new_rows * laws.lifetime)
    whole = floor(passed + 0.5)
    return passed if is_any(abs(passed - whole)) else whole


def closed_and_open(table: Table, laws: Laws) -> tuple[float, float]:
    """Partitions that have closed one after another, and the share of the rows of one that the open one has."""
    passed = max(NEGLIGIBLE, partitions_passed(laws, table.numbers[COMMITS]))
    return ceil(passed) - 1.0, passed - (ceil(passed) - 1.0)


def open_hit(table: Table, laws: Laws, cells: float, rows: float) -> float:
    """How many of the partitions that are open rows of a statement are in, which are in so many partitions."""
    if table.numbers[EVENLY] == 0:
        ended, opened = closed_and_open(table, laws)
        places = walked_through(laws, opened * laws.lifetime)
        return -places * expm1(-rows * opened / (ended + opened) / places)
    upserted = table.numbers[COMMITS] - 1
    before, passed = rows_through(laws, upserted), partitions_passed(laws, upserted)
    opened = before * (passed + 1 - ceil(passed)) / passed
    return cells_hit(laws, opened, rows / before)


def partitions_hit(table: Table, laws: Laws, things: float) -> float:
    """Partitions that this number of the files that were hit, or of their rows, falls into by chance: of all, where the
    number is chance too, or of those that were open when the rows at the end arrived.
    """
    if not laws.is_partitioned:
        return 1.0
    if table.numbers[EVENLY] > 0:
        upserted = table.numbers[COMMITS] - 1
        each, closed = laws.new_rows * laws.lifetime, ceil(partitions_passed(laws, upserted)) - 1
        share = things / rows_through(laws, upserted)
        return closed * cells_hit(laws, each, share) + open_hit(table, laws, 0.0, things)
    if table.numbers[IS_SCATTERED] > 0:
        every = partitions_so_far(table, laws)
        if laws.lifetime == inf or laws.lifetime <= 1:
            return every * (1 - exp(-things / every))
        if table.numbers[NET_ROWS] >= 0:  # that which is open has the fewest rows
            ended, opened = closed_and_open(table, laws)
            each, open_places = things / (ended + opened), walked_through(laws, opened * laws.lifetime)
            closed_places = walked_through(laws, laws.lifetime)
            of_closed = ended * closed_places * (1 - exp(-each / closed_places))
            return of_closed + open_places * (1 - exp(-each * opened / open_places))
        left, missed = max(LEAST_APART, live_rows(table) / rows_through(laws, table.numbers[COMMITS])), 0.0
        for age in range(AGES):  # of what statements deleted so many rows at a time, older partitions have fewer left
            missed += exp(-things / every / left * ((age + 0.5) / AGES) ** (1 / left - 1)) / AGES
        return every * (1 - missed)
    touched, units = total_of(table.hits[HIT_ROWS]), 1.0
    first, last = table.numbers[GONE_ROWS], table.numbers[GONE_ROWS] + touched
    places = places_of(laws, first, last)
    if table.numbers[IS_NEWEST] > 0:  # with the new rows of a commit, if that is what changes them
        last = rows_through(laws, table.numbers[COMMITS])
        stop = last - laws.new_rows * table.numbers[STATEMENTS_WRITE]
        first, places = stop - live_in_hits(table), places_of(laws, stop - touched, last)
    if laws.lifetime < inf:
        units = unit_of(laws, last - PART_OF_FILE) - unit_of(laws, first) + 1
    return drawn(units * places, things)


def unit_of(laws: Laws, row: float) -> float:
    """Which of the partitions by time a row fell into, counted from 0: its number is what tells its time."""
    return max(0.0, float(floor((row + PART_OF_FILE / 2) / (laws.new_rows * laws.lifetime))))


def rows_of_open(table: Table, laws: Laws) -> float:
    """Rows that arrived in the partitions by time that are open."""
    through = rows_through(laws, table.numbers[COMMITS])
    if laws.lifetime == inf:
        return through
    unit = unit_of(laws, through - PART_OF_FILE)
    return through - unit * laws.new_rows * laws.lifetime
