"""The machine's loop: from one event to the next, with samples on the way."""

from math import ceil, floor, inf

from wasim.rules.maintenance import is_due
from wasim.years.flows import WIDTH
from wasim.years.machine.appends import append, manifests_of
from wasim.years.machine.changes import carry_out_changes, next_statement, upsert
from wasim.years.machine.files import (
    commits_until_due,
    deal_out,
    has_enough,
    newest_place,
    partitions_counted,
    small_files,
)
from wasim.years.machine.jobs import commit_nothing, compact, rewrite_manifests
from wasim.years.machine.manifests import list_bytes
from wasim.years.machine.sizes import is_any
from wasim.years.machine.tables import *


def next_by_count(table: Table, laws: Laws, chances: list[list[float]]) -> float:
    """The commit of a writer that appends after which a job by count is due next, or has to be looked at next."""
    done, found = table.numbers[COMMITS], inf
    if laws.upserts:  # each is looked at
        return found
    if laws.least_files < inf:
        deal_out(table, laws)
        missing = laws.least_files - MEDIAN - small_files(table, laws)
        more = 1.0
        if missing > 0:
            more = max(1.0, ceil(missing / laws.new_small - NEGLIGIBLE)) if laws.new_small > 0 else inf
        counted = partitions_counted(table, laws, newest_place(table))
        if laws.by_chance and counted > 0:
            more = commits_until_due(table, laws, counted)
        elif laws.by_chance and more <= FEW_COMMITS:
            for fewer in range(1, int(more)):
                if has_enough(table, laws, chances, fewer):
                    more = float(fewer)
                    break
        found = done + more
    if laws.least_manifests < inf:
        missing = laws.least_manifests - MEDIAN - manifests_of(table)
        found = min(found, done + max(1.0, float(ceil(missing / (2 if laws.deletes else 1) - NEGLIGIBLE))))
    return found


def is_due_by_count(table: Table, laws: Laws, chances: list[list[float]]) -> bool:
    """Whether there are files, or manifests, enough for a job by count."""
    has_files = laws.least_files < inf and has_enough(table, laws, chances, 0)
    return has_files or is_due(manifests_of(table) + MEDIAN, laws.least_manifests)


def sample(table: Table, laws: Laws, samples: list[float]) -> None:
    """Notes the table as it is, where there is room for any."""
    if len(samples) == 0:
        return
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
    manifests and commits of nothing follow, with the share of the interval that has passed since; how many of nothing
    come before other jobs and after them; how many further compactions and rewrites come before the next commit.
    """
    numbers, most = table.numbers, len(samples) // SAMPLE - MOST_AT_ONCE
    while numbers[COMMITS] < until and numbers[SAMPLED] < most:
        while stops[int(numbers[NEXT_STOP])] <= numbers[COMMITS]:
            numbers[NEXT_STOP] += 1
        stop = min(until, stops[int(numbers[NEXT_STOP])], next_by_count(table, laws, chances))
        for job in range(IDLE + 1):
            while commit_of(table, schedule, job) <= numbers[COMMITS]:
                numbers[NEXT_RUN + job] += 1
            stop = min(stop, commit_of(table, schedule, job))
        stop = min(stop, next_statement(table, laws))
        if laws.upserts and numbers[COMMITS] >= 1:
            upsert(table, laws)
        else:
            append(table, laws, 1.0 if laws.upserts else stop - numbers[COMMITS])
        if numbers[COMMITS] >= stop or (laws.upserts and is_due_by_count(table, laws, chances)):
            is_stop = numbers[COMMITS] >= min(until, stops[int(numbers[NEXT_STOP])])
            numbers[JOBS] += 1
            is_sampled = is_stop or int(numbers[JOBS]) % int(numbers[EVERY]) == 0
            carry_out(table, laws, schedule, chances, samples if is_sampled else samples[:0])


def commit_of(table: Table, schedule: list[list[float]], job: int) -> float:
    """The commit that the next run of a job by time follows."""
    at = schedule[job][int(table.numbers[NEXT_RUN + job])]
    return float(floor(at)) if at < inf else inf


def due_at(table: Table, schedule: list[list[float]], job: int, by_count: bool) -> float:
    """When a job comes after this commit, as a share of the interval: one by count at once. Infinite if it does not."""
    if by_count:
        return 0.0
    is_due = commit_of(table, schedule, job) <= table.numbers[COMMITS]
    return schedule[job][int(table.numbers[NEXT_RUN + job])] - table.numbers[COMMITS] if is_due else inf


def carry_out(
    table: Table, laws: Laws, schedule: list[list[float]], chances: list[list[float]], samples: list[float]
) -> None:
    """The statements and jobs that follow this commit in the order of their times, with samples before and after them
    if there is room for any.
    """
    is_idle = commit_of(table, schedule, IDLE) <= table.numbers[COMMITS]
    sample(table, laws, samples)
    if is_idle and rest(table, laws, schedule, 0):
        sample(table, laws, samples)
    compacts_at = due_at(table, schedule, COMPACTION, laws.least_files < inf)
    rewrites_at = due_at(table, schedule, REWRITE, laws.least_manifests < inf)
    for turn in range(2):
        is_compaction = (compacts_at <= rewrites_at) == (turn == 0)
        at = compacts_at if is_compaction else rewrites_at
        if carry_out_changes(table, laws, at):
            sample(table, laws, samples)
        if at < inf and maintain(table, laws, chances, is_compaction):
            sample(table, laws, samples)
    if carry_out_changes(table, laws, inf):
        sample(table, laws, samples)
    if maintain_again(table, laws, schedule, chances):
        sample(table, laws, samples)
    if is_idle and rest(table, laws, schedule, 1):
        sample(table, laws, samples)


def further_runs(table: Table, schedule: list[list[float]], job: int) -> float:
    """How many further runs of a job by time there are before the next commit."""
    is_there = commit_of(table, schedule, job) <= table.numbers[COMMITS]
    return schedule[IDLE + 3 + job][int(table.numbers[NEXT_RUN + job])] if is_there else 0.0


def maintain_again(table: Table, laws: Laws, schedule: list[list[float]], chances: list[list[float]]) -> bool:
    """The further runs of jobs by time, until none has anything to do; whether any had."""
    found = False
    compactions, rewrites = further_runs(table, schedule, COMPACTION), further_runs(table, schedule, REWRITE)
    while max(compactions, rewrites) > 0:
        is_any_due = compactions > 0 and maintain(table, laws, chances, True)
        if rewrites > 0 and maintain(table, laws, chances, False):
            is_any_due = True
        if not is_any_due:
            return found
        compactions, rewrites, found = compactions - 1, rewrites - 1, True
    return found


def maintain(table: Table, laws: Laws, chances: list[list[float]], is_compaction: bool) -> bool:
    """A compaction or a rewrite of manifests that is due; whether it has anything to do."""
    if not is_compaction:
        if laws.least_manifests < inf and not is_due(manifests_of(table) + MEDIAN, laws.least_manifests):
            return False
        is_written = rewrite_manifests(table, laws)
        table.flows[REWRITES] += is_written
        return is_written
    if laws.least_files < inf:
        deal_out(table, laws)
        if not has_enough(table, laws, chances, 0):
            return False
    table.flows[COMPACTIONS] += 1
    return compact(table, laws)


def rest(table: Table, laws: Laws, schedule: list[list[float]], part: int) -> bool:
    """The commits of nothing before other jobs, or after them; whether there are any."""
    times = schedule[IDLE + 1 + part][int(table.numbers[NEXT_RUN + IDLE])]
    is_there = is_any(times)
    if is_there:
        commit_nothing(table, laws, times)
    return is_there
