"""The machine's loop: from one event to the next, with samples on the way."""

from math import ceil, inf

from wasim.years.flows import WIDTH
from wasim.years.machine.appends import append, manifests_of
from wasim.years.machine.changes import change_rows, next_of_change, next_statement, upsert
from wasim.years.machine.files import deal_out, has_enough, small_files
from wasim.years.machine.jobs import commit_nothing, compact, rewrite_manifests
from wasim.years.machine.manifests import list_bytes
from wasim.years.machine.tables import (
    COMMITS,
    COMPACTION,
    EVERY,
    FEW_COMMITS,
    FIRED,
    IDLE,
    JOBS,
    MEDIAN,
    MOST_AT_ONCE,
    NEGLIGIBLE,
    NEXT_RUN,
    NEXT_STOP,
    NEXT_TURN,
    OF_TABLE,
    REWRITE,
    SAMPLE,
    SAMPLED,
    UPSERT,
    Laws,
    Table,
)


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
    schedule: list[list[float]],
    chances: list[list[float]],
    samples: list[float],
) -> None:
    """Steps on to the commit `until`, or until `samples` are full: one at each of the `stops`, before and after jobs.

    All are commits of the writer, ascending. The rows of the `schedule` are those that compactions, rewrites of
    manifests and commits of nothing follow, and how many of nothing come before other jobs and after them.
    """
    numbers, most = table.numbers, len(samples) // SAMPLE - MOST_AT_ONCE
    while numbers[COMMITS] < until and numbers[SAMPLED] < most:
        while stops[int(numbers[NEXT_STOP])] <= numbers[COMMITS]:
            numbers[NEXT_STOP] += 1
        stop = min(until, stops[int(numbers[NEXT_STOP])], next_by_count(table, laws, chances))
        for job in range(IDLE + 1):
            while schedule[job][int(numbers[NEXT_RUN + job])] <= numbers[COMMITS]:
                numbers[NEXT_RUN + job] += 1
            stop = min(stop, schedule[job][int(numbers[NEXT_RUN + job])])
        stop = min(stop, next_statement(table, laws))
        if laws.upserts and numbers[COMMITS] >= 1:
            upsert(table, laws)
        else:
            append(table, laws, 1.0 if laws.upserts else stop - numbers[COMMITS])
        if numbers[COMMITS] >= stop:
            is_stop = numbers[COMMITS] >= min(until, stops[int(numbers[NEXT_STOP])])
            numbers[JOBS] += 1
            is_sampled = is_stop or numbers[JOBS] % numbers[EVERY] == 0
            carry_out(table, laws, schedule, chances, samples if is_sampled else samples[:0])


def is_due(table: Table, schedule: list[list[float]], job: int) -> bool:
    """Whether a job by time follows this commit."""
    return schedule[job][int(table.numbers[NEXT_RUN + job])] <= table.numbers[COMMITS]


def carry_out(
    table: Table, laws: Laws, schedule: list[list[float]], chances: list[list[float]], samples: list[float]
) -> None:
    """The statements and jobs that follow this commit, with samples before and after them if there is room for any."""
    numbers, is_sampled = table.numbers, len(samples) > 0
    if is_sampled:
        sample(table, laws, samples)
    for change in range(UPSERT):
        if carry_out_changes(table, laws, change) and is_sampled:
            sample(table, laws, samples)
    compacts = is_due(table, schedule, COMPACTION)
    if laws.least_files < inf:
        deal_out(table, laws)
        compacts = has_enough(table, laws, chances, 0)
    is_idle, rewrites = is_due(table, schedule, IDLE), is_due(table, schedule, REWRITE)
    for job in range(4):
        if job in (0, 3) and is_idle:
            times = schedule[IDLE + 1 + job // 3][int(numbers[NEXT_RUN + IDLE])]
            if times == 0:
                continue
            commit_nothing(table, laws, times)
        elif job == 1 and compacts:
            numbers[FIRED] += 1
            for part in range(laws.parts):
                compact(table, laws, 1.0 / (laws.parts - part))
        elif job == 2 and (rewrites or laws.least_manifests - manifests_of(table) <= NEGLIGIBLE):
            rewrite_manifests(table, laws)
        else:
            continue
        if is_sampled:
            sample(table, laws, samples)


def carry_out_changes(table: Table, laws: Laws, change: int) -> bool:
    """All runs of a statement that follow this commit; whether there are any."""
    before = table.numbers[NEXT_TURN + change]
    while next_of_change(table, laws, change) <= table.numbers[COMMITS]:
        change_rows(table, laws, change)
    return table.numbers[NEXT_TURN + change] > before
