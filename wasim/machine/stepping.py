"""The event loop: appends up to what comes next, then statements and maintenance that are due."""

from math import ceil, inf

from wasim.machine.columns import (
    AIM,
    BY_CHANCE,
    CHECKPOINT,
    COHORTS,
    COMMITS,
    COMPACT,
    DELETE,
    DELETES_BY_KEY,
    DYNAMIC_OVERWRITE,
    ENTRIES,
    EVENTS,
    EVERY_US,
    FILES,
    FLOWS,
    GONE,
    INTERVAL_US,
    KIND,
    LAST_SAMPLE,
    LEAST,
    LEFT_FILES,
    LISTED,
    LISTED_BYTES,
    MANIFEST_COMMITS,
    MERGE,
    NET,
    NEW_ROWS,
    NEWEST,
    NEXT,
    OLDEST,
    OLDEST_COMMITS,
    ON_READ,
    OVERWRITTEN,
    PARTIAL_FILES,
    PARTITIONS,
    PARTS,
    PEAK_DELETES,
    PEAK_MANIFESTS,
    PLACE,
    REPLACED_PER_COMMIT,
    REWRITE_MANIFESTS,
    ROWS_OF,
    ROWS_PER_COMMIT,
    SAMPLE_STATE,
    SAMPLED,
    SCANNED,
    SCANNED_BYTES,
    SCATTERED,
    SCRATCH,
    SHARE,
    SMALL_FILES,
    SPACING,
    STATIC_OVERWRITE,
    SUMS,
    TURNS,
    UPSERTS,
    UPSERTS_NEWEST,
    UPSERTS_ON_READ,
    WANTED_ROWS,
    WITH_MERGE,
    WRITES_SMALL,
    Laws,
    Table,
)
from wasim.machine.columns import DELETED as DELETED_ROWS
from wasim.machine.commits import append, compact, current_list_bytes, manifests_listed, rewrite_all_manifests
from wasim.machine.draws import uniform
from wasim.machine.files import MEDIAN, arrive
from wasim.machine.lookups import whole
from wasim.machine.statements import delete_by_position, out_of_manifests, overwrite, rewrite_files
from wasim.machine.touched import (
    ends_with_files,
    find_at_end,
    find_scattered,
    hit_rows,
    live_in_hits,
    rows_through,
    whole_commits,
)
from wasim.rules.maintenance import commit_at, is_due, turn_after

DONE, PAUSED, FULL = range(3)
CLOSELY = 400  # samples of maintenance are no farther apart than this share of the commits so far
ROOM = 64  # rows of any matrix of manifests that one event may take, besides four for each that there is


def run(t: Table, laws: Laws, last: float, most_events: float) -> int:
    """Steps the table up to its commit `last`: DONE, or PAUSED after so many events, or FULL where a matrix is."""
    state = t.state
    if state[SAMPLED] == 0:
        sample(t, laws)
    while state[COMMITS] < last:
        if state[EVENTS] >= most_events:
            return PAUSED
        if not has_room(t):
            return FULL
        state[EVENTS] += 1
        checkpoint = next_checkpoint(t)
        stop = min(last, checkpoint, next_due(t, laws))
        if laws.settings[UPSERTS] and state[COMMITS] >= 1:
            upsert(t, laws)
        else:
            append(t, laws, 1.0 if laws.settings[UPSERTS] else stop - state[COMMITS])
        if state[COMMITS] < stop:
            continue
        apart = min(laws.settings[SPACING], state[COMMITS] / CLOSELY)
        samples = state[COMMITS] >= checkpoint or state[COMMITS] - state[LAST_SAMPLE] >= apart
        if samples or state[COMMITS] >= last:
            sample(t, laws)
        if carry_out_due(t, laws) and samples:
            sample(t, laws)
        if samples:
            state[LAST_SAMPLE] = state[COMMITS]
    if t.samples[int(state[SAMPLED]) - 1][SAMPLE_STATE] != t.flows[0]:
        sample(t, laws)
    return DONE


def has_room(t: Table) -> bool:
    """Whether the matrices have room for whatever one event brings."""
    state, most = t.state, len(t.manifests[SCRATCH][0])
    for group in range(2):
        if 4 * state[ROWS_OF + group] + ROOM > most:
            return False
    return state[SAMPLED] + 3 <= len(t.samples)


def next_checkpoint(t: Table) -> float:
    """The next commit that is to be sampled; infinite after the last."""
    state, places = t.state, t.places
    while state[CHECKPOINT] < len(places) and places[int(state[CHECKPOINT])] <= state[COMMITS]:
        state[CHECKPOINT] += 1
    return places[int(state[CHECKPOINT])] if state[CHECKPOINT] < len(places) else inf


def sample(t: Table, laws: Laws) -> None:
    """Notes the table as it is, and the most that there was of it since the last sample."""
    state, sums = t.state, t.sums
    size = current_list_bytes(t, laws)
    row = t.samples[int(state[SAMPLED])]
    row[0] = state[COMMITS]
    row[1], row[2] = sums[LISTED], sums[SUMS + LISTED]
    row[3] = sums[ENTRIES] + sums[SUMS + ENTRIES]
    row[4], row[5] = sums[LISTED_BYTES], sums[SUMS + LISTED_BYTES]
    row[6] = size
    row[7] = sums[SCANNED] + sums[SUMS + SCANNED]
    row[8] = sums[SCANNED_BYTES] + sums[SUMS + SCANNED_BYTES]
    row[9], row[10], row[11] = state[PEAK_MANIFESTS], state[PEAK_DELETES], state[MANIFEST_COMMITS]
    for flow in range(FLOWS):
        row[SAMPLE_STATE + flow] = t.flows[flow]
    state[PEAK_MANIFESTS] = state[PEAK_DELETES] = state[MANIFEST_COMMITS] = 0.0
    state[SAMPLED] += 1


# -- when ----------------------------------------------------------------------------------------------------------


def next_due(t: Table, laws: Laws) -> float:
    """The writer's commit after which a job is due next, or has to be looked at next; infinite if never."""
    found, jobs, done = inf, t.jobs, t.state[COMMITS]
    for job in range(len(jobs[0])):
        if jobs[EVERY_US][job] > 0:
            if jobs[NEXT][job] <= done:
                every, interval = int(jobs[EVERY_US][job]), int(laws.settings[INTERVAL_US])
                turn = turn_after(int(done), every, interval)
                jobs[NEXT][job] = float(commit_at(turn, every, interval)) if turn <= jobs[TURNS][job] else inf
            found = min(found, jobs[NEXT][job])
        elif jobs[KIND][job] == REWRITE_MANIFESTS:
            each = 2.0 if laws.settings[DELETES_BY_KEY] else 1.0
            found = min(found, done + max(1.0, float(ceil((jobs[LEAST][job] - manifests_listed(t)) / each))))
        else:
            arrive(t, laws)
            found = min(found, done + commits_until_files(t, laws, job))
    return found


def commits_until_files(t: Table, laws: Laws, job: int) -> float:
    """Commits until there are as many small files as the job waits for."""
    missing, each = t.jobs[LEAST][job] - MEDIAN - small_files(t, laws), laws.settings[FILES]
    more = max(1.0, float(ceil(missing / each - 1e-9)))
    if t.jobs[BY_CHANCE][job] and more < len(laws.chances):
        for some in range(1, int(more)):
            if has_enough(t, laws, job, float(some)):
                return float(some)
    return more


def small_files(t: Table, laws: Laws) -> float:
    """Files below the target, compacted ones and those of closed partitions too."""
    c, found = t.cohorts, t.state[LEFT_FILES]
    for row in range(int(t.state[COHORTS])):
        own = c[SMALL_FILES][row] if laws.settings[WRITES_SMALL] else 0.0
        found += c[PARTITIONS][row] * (own + c[PARTIAL_FILES][row])
    return found


def arrived(t: Table) -> float:
    """Files as they arrived."""
    c, found = t.cohorts, 0.0
    for row in range(int(t.state[COHORTS])):
        found += c[PARTITIONS][row] * c[SMALL_FILES][row]
    return found


def has_enough(t: Table, laws: Laws, job: int, more: float) -> bool:
    """Whether so many more commits make enough small files: where chance decides, with the probability drawn last."""
    missing, each, came = t.jobs[LEAST][job] - MEDIAN - small_files(t, laws), laws.settings[FILES], arrived(t)
    commits = int(whole(came / each) + more)
    if not t.jobs[BY_CHANCE][job] or commits >= len(laws.chances):
        return missing <= more * each
    least = int(max(0, ceil(missing + came)))
    chances = laws.chances[commits]
    return least < len(chances) and chances[least] >= t.jobs[AIM][job]


def carry_out_due(t: Table, laws: Laws) -> bool:
    """Carries out what is due after this commit, in order; whether anything was."""
    jobs, done = t.jobs, False
    for job in range(len(jobs[0])):
        if not is_job_due(t, laws, job):
            continue
        done = True
        kind = int(jobs[KIND][job])
        if kind == REWRITE_MANIFESTS:
            rewrite_all_manifests(t, laws)
        elif kind == COMPACT:
            if jobs[BY_CHANCE][job]:
                jobs[AIM][job] = uniform(t.state)
            parts = int(jobs[PARTS][job])
            for part in range(parts):
                compact(t, laws, 1.0 / (parts - part))
        else:
            change_rows(t, laws, job, kind)
    return done


def is_job_due(t: Table, laws: Laws, job: int) -> bool:
    """Whether a job is to be carried out after this commit."""
    jobs = t.jobs
    if jobs[EVERY_US][job] > 0:
        return jobs[NEXT][job] <= t.state[COMMITS]
    if jobs[KIND][job] == REWRITE_MANIFESTS:
        return is_due(manifests_listed(t), jobs[LEAST][job])
    arrive(t, laws)
    return has_enough(t, laws, job, 0.0)


# -- statements ------------------------------------------------------------------------------------------------------


def change_rows(t: Table, laws: Laws, job: int, kind: int) -> None:
    """Runs a periodic statement once."""
    state, jobs = t.state, t.jobs
    arrive(t, laws)
    there = rows_through(laws, state[COMMITS]) - state[GONE]
    asked = jobs[WANTED_ROWS][job] if jobs[WANTED_ROWS][job] >= 0 else float(round(jobs[SHARE][job] * there))
    wanted = min(there, asked)
    if kind in (STATIC_OVERWRITE, DYNAMIC_OVERWRITE):
        overwrite(t, laws, wanted, kind == DYNAMIC_OVERWRITE)
        return
    if wanted <= 0:
        return
    locality, is_delete = int(jobs[PLACE][job]), kind == DELETE
    if locality == OLDEST_COMMITS:
        wanted = whole_commits(laws, state[GONE] + wanted, state[COMMITS]) - state[GONE]
    place = OLDEST if locality == OLDEST_COMMITS else locality
    if place == SCATTERED:
        find_scattered(t, laws, wanted / there, False)
    else:
        find_at_end(t, laws, wanted, place)
    new_rows, touched = jobs[NEW_ROWS][job], hit_rows(t)
    operation = OVERWRITTEN + (WITH_MERGE if kind == MERGE else 0)
    if is_delete and place == OLDEST and ends_with_files(t, laws, state[GONE] + wanted):
        out_of_manifests(t, laws, place)
        rewrite_files(t, laws, place, 0.0, -1.0, DELETED_ROWS if jobs[ON_READ][job] else operation, touched, 0.0)
    elif jobs[ON_READ][job]:
        written = new_rows if is_delete else touched + new_rows
        if is_delete:
            operation = DELETED_ROWS
        delete_by_position(t, laws, place, written, operation, touched, new_rows)
    else:
        out_of_manifests(t, laws, place)
        kept = live_in_hits(t) - (touched if is_delete else 0.0)
        rewrite_files(t, laws, place, max(0.0, kept) + new_rows, -1.0, operation, touched, new_rows)
    state[NET] += new_rows
    if is_delete and place == OLDEST:
        state[GONE] += wanted
    elif is_delete:
        state[NET] -= touched


def upsert(t: Table, laws: Laws) -> None:
    """The writer's next commit, where each is a MERGE INTO."""
    settings, state = laws.settings, t.state
    rows, replaced = settings[ROWS_PER_COMMIT], settings[REPLACED_PER_COMMIT]
    before = rows_through(laws, state[COMMITS])
    arrive(t, laws)
    state[COMMITS] += 1
    arrive(t, laws)
    place = NEWEST if settings[UPSERTS_NEWEST] else SCATTERED
    if place == NEWEST:
        find_at_end(t, laws, replaced, NEWEST)
    else:
        find_scattered(t, laws, replaced / before, True)
    operation, inserted = OVERWRITTEN + WITH_MERGE, rows - replaced
    if settings[UPSERTS_ON_READ]:
        delete_by_position(t, laws, place, rows, operation, replaced, inserted)
    else:
        out_of_manifests(t, laws, place)
        kept = max(0.0, live_in_hits(t) - hit_rows(t))
        rewrite_files(t, laws, place, kept + rows, -1.0, operation, replaced, inserted)
    state[MANIFEST_COMMITS] += manifests_listed(t)
