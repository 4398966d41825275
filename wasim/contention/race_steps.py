"""A race's steps, event by event: plain numbers in rows, so that numba can compile them, and lists do without it.

Each writer has one event to come at a time. Random numbers are uniform, drawn ahead, and used in their order.
"""

import math
from typing import Any, NamedTuple

from wasim.contention.conflicts import gives_up, jitter_ms, wait_ms

Row = Any  # a list, or an array
Rows = Any  # a list of them, or an array of two dimensions

# Of a writer: its group, its next event and when that is, which of its commits follows and where they end, then the
# commit in flight: number, attempt, when it began, when it first read the table, commits landed by then, and those that
# this attempt has read, when it did, and when it has written its metadata.json
GROUP, EVENT, AT_S, ORDER, NEXT, END, COMMIT, ATTEMPT, BEGAN_S, ASKED_S, SEEN, BASE, READ_S, WRITTEN_S = range(14)
WRITER = 14
NOTHING, WORK, READ, CHECK, DISCARD, SWAP = range(6)  # events
VALIDATES, VALIDATION_S, REDOES = range(3)  # of a group, as `WriterGroup` says
WORK_S, FIRST_ATTEMPT_S, LATER_ATTEMPT_S, WRITE_S, FINISH_S = range(5)  # parts of a commit, as `WriterTimes` says
PART_COUNT = 5
RETRIES, LEAST_WAIT_MS, MOST_WAIT_MS, MOST_TOTAL_MS, CHECKS_FIRST, SWAPS_BY_WRITING, SLOWS_S = range(7)  # rules
LANDED, EVENTS, DRAWN, ENTERED, WAITING, LANDED_BY = range(6)  # so far; the last by group, in as many places
FOUND = 7  # numbers of an attempt: the columns of `Attempts`
WON, FAILED, REFUSED, INVALID = 1, 2, 4, 8  # how it ended, added up
DRAWS = 4  # random numbers that an event takes at most


class Field(NamedTuple):
    """All that a race knows, and room for what it finds.

    Of each writer `validated` has the commits by group that had landed at its last look. `clashes` are by two groups,
    `times` the logarithms of quantiles by group and part, `commits` have numbers and due times. `queue` has the places
    of the writers that go on, as a heap by when, with room for all.
    """

    writers: Rows
    validated: Rows
    groups: Rows
    clashes: Rows
    times: Rows
    commits: Rows
    rules: Row
    counts: Row
    uniforms: Row
    found: Rows
    queue: Row


def run(  # noqa: PLR0913, PLR0917 - the fields of a `Field`, as compiled functions take arrays
    writers: Rows,
    validated: Rows,
    groups: Rows,
    clashes: Rows,
    times: Rows,
    commits: Rows,
    rules: Row,
    counts: Row,
    uniforms: Row,
    found: Rows,
    queue: Row,
) -> None:
    """Goes on until the race ends, and no writer is `WAITING`, `found` is full or the random numbers end."""
    field = Field(writers, validated, groups, clashes, times, commits, rules, counts, uniforms, found, queue)
    most, drawn = len(found), len(uniforms) - DRAWS
    line_up(field)
    while counts[WAITING] and counts[ENTERED] < most and counts[DRAWN] <= drawn:
        place = queue[0]
        writer = writers[place]
        event, at_s = writer[EVENT], float(writer[AT_S])
        if event == WORK:
            at_s = work(field, writer, at_s)
            note_landed(field, place)
        elif event == READ:
            at_s = read(field, writer, place, at_s)
        elif event == CHECK and writer[BASE] == counts[LANDED]:
            writer[EVENT] = SWAP
            at_s = writer[WRITTEN_S] + time_of(field, writer, FINISH_S)
        else:
            at_s = end(field, writer, at_s)
        if writer[EVENT] == NOTHING:
            counts[WAITING] -= 1
            queue[0] = queue[counts[WAITING]]
        else:
            counts[EVENTS] += 1
            writer[AT_S], writer[ORDER] = at_s, counts[EVENTS]
        sift(field, 0)


def line_up(field: Field) -> None:
    """Fills the queue with the writers that have an event to come."""
    count = 0
    for place in range(len(field.writers)):
        if field.writers[place][EVENT] != NOTHING:
            field.queue[count] = place
            count += 1
    field.counts[WAITING] = count
    for place in range(count // 2 - 1, -1, -1):
        sift(field, place)


def sift(field: Field, place: int) -> None:
    """Moves what stands at a place of the queue behind all that comes before it."""
    queue, writers, count, moved = field.queue, field.writers, field.counts[WAITING], field.queue[place]
    while 2 * place + 1 < count:
        first = 2 * place + 1
        if first + 1 < count and is_before(writers[queue[first + 1]], writers[queue[first]]):
            first += 1
        if not is_before(writers[queue[first]], writers[moved]):
            break
        queue[place] = queue[first]
        place = first
    queue[place] = moved


def is_before(writer: Row, other: Row) -> bool:
    """Whether a writer's event comes before another's."""
    if writer[AT_S] == other[AT_S]:
        return bool(writer[ORDER] < other[ORDER])
    return bool(writer[AT_S] < other[AT_S])


def work(field: Field, writer: Row, at_s: float) -> float:
    """Begins a commit; when its work is done."""
    writer[BEGAN_S], writer[ATTEMPT], writer[SEEN], writer[EVENT] = at_s, 1, field.counts[LANDED], READ
    asked_s: float = at_s + time_of(field, writer, WORK_S)
    writer[ASKED_S] = asked_s
    return asked_s


def note_landed(field: Field, place: int) -> None:
    """Notes what a writer sees landed by now."""
    validated = field.validated[place]
    for group in range(len(validated)):
        validated[group] = field.counts[LANDED_BY + group]


def read(field: Field, writer: Row, place: int, at_s: float) -> float:
    """An attempt reads the table; when it swaps, or has to look again before."""
    landed, group, rules = field.counts[LANDED], field.groups[int(writer[GROUP])], field.rules
    writer[BASE], writer[READ_S] = landed, at_s
    if group[VALIDATES]:
        at_s += group[VALIDATION_S] * (landed - writer[SEEN])
        if is_invalid(field, writer, place):
            writer[EVENT] = DISCARD
            return at_s
    at_s += rules[SLOWS_S] * landed
    at_s += time_of(field, writer, FIRST_ATTEMPT_S if writer[ATTEMPT] == 1 else LATER_ATTEMPT_S)
    writer[WRITTEN_S] = at_s
    if rules[CHECKS_FIRST]:
        writer[EVENT] = CHECK
        read_s: float = writer[READ_S]
        return max(read_s, at_s - time_of(field, writer, WRITE_S))
    writer[EVENT] = SWAP
    return at_s if rules[SWAPS_BY_WRITING] else at_s + time_of(field, writer, FINISH_S)


def is_invalid(field: Field, writer: Row, place: int) -> bool:
    """Whether a commit that has landed since the last look makes the statement invalid."""
    counts, clashes, validated, stands = field.counts, field.clashes[int(writer[GROUP])], field.validated[place], 1.0
    for group in range(len(validated)):
        stands *= (1 - clashes[group]) ** (counts[LANDED_BY + group] - validated[group])
    note_landed(field, place)
    counts[DRAWN] += 1
    return bool(field.uniforms[counts[DRAWN] - 1] >= stands)


def end(field: Field, writer: Row, at_s: float) -> float:
    """An attempt ends: it swaps, or is lost, or refused by the server's check, or invalid; when its writer goes on.

    An invalid statement begins again or fails: `Tasks` does not retry a failed validation.
    """
    counts, rules, how = field.counts, field.rules, how_it_ends(field, writer, at_s)
    entry = field.found[counts[ENTERED]]
    entry[0], entry[1], entry[2], entry[3] = writer[COMMIT], writer[BEGAN_S], writer[ATTEMPT], writer[BASE]
    entry[4], entry[5], entry[6] = writer[READ_S], at_s, how
    counts[ENTERED] += 1
    if how & WON:
        counts[LANDED] += 1
        counts[LANDED_BY + int(writer[GROUP])] += 1
        if rules[SWAPS_BY_WRITING]:
            at_s += time_of(field, writer, FINISH_S)
    if how & (WON | FAILED):
        return begin_next(field, writer, at_s)
    if how & INVALID:
        writer[EVENT] = WORK
        return at_s
    waits_ms = wait_ms(writer[ATTEMPT], rules[LEAST_WAIT_MS], rules[MOST_WAIT_MS])
    waits_ms += jitter_ms(waits_ms, field.uniforms[counts[DRAWN]])
    counts[DRAWN] += 1
    writer[ATTEMPT] += 1
    writer[EVENT] = READ
    # what a later attempt takes was measured from when the lost one had written its metadata.json
    reads_s: float = writer[WRITTEN_S] + waits_ms / 1000
    return max(at_s, reads_s)


def how_it_ends(field: Field, writer: Row, at_s: float) -> int:
    """Whether an attempt has won, or how it was lost."""
    if writer[EVENT] == DISCARD:
        return INVALID + REFUSED + (0 if field.groups[int(writer[GROUP])][REDOES] else FAILED)
    if writer[BASE] == field.counts[LANDED]:
        return WON
    elapsed_ms = (at_s - writer[ASKED_S]) * 1000
    fails = gives_up(writer[ATTEMPT], elapsed_ms, field.rules[RETRIES], field.rules[MOST_TOTAL_MS])
    return (REFUSED if writer[EVENT] == CHECK else 0) + (FAILED if fails else 0)


def begin_next(field: Field, writer: Row, at_s: float) -> float:
    """A writer's next commit, where there is one: when its work begins, or is done."""
    if writer[NEXT] == writer[END]:
        writer[EVENT] = NOTHING
        return at_s
    commit = field.commits[int(writer[NEXT])]
    writer[COMMIT], at_s = commit[0], max(at_s, commit[1])
    writer[NEXT] += 1
    writer[EVENT] = WORK
    # what has landed counts from the very moment that the work of what validates begins
    return at_s if field.groups[int(writer[GROUP])][VALIDATES] else work(field, writer, at_s)


def time_of(field: Field, writer: Row, part: int) -> float:
    """Seconds that a part of a writer's commit takes, drawn between the logarithms of its quantiles."""
    levels, counts = field.times[PART_COUNT * int(writer[GROUP]) + part], field.counts
    at = field.uniforms[counts[DRAWN]] * levels[0]
    counts[DRAWN] += 1
    below = int(at)
    low = levels[below + 1]
    return math.exp(low + (at - below) * (levels[below + 2] - low))
