"""The history of a table whose manifests nothing but its writer touches, and of one that is only rewritten by period.

Both in vectors over turns, whatever the number of commits between them.
"""

from array import array
from math import ceil

import numpy as np

from wasim.model import Appends
from wasim.model.drivers import appends_cadence
from wasim.simulate.fast.history import (
    NO_REPLACEMENTS,
    REWRITE_MANIFESTS,
    Replacements,
    TableHistory,
    Turns,
)
from wasim.simulate.fast.sizes import ManifestLaws
from wasim.simulate.fast.summaries import digits_of, mean_digits_of_manifests
from wasim.simulate.fast.upkeep import Dues, Upkeep, dues_at
from wasim.simulate.manifest_rewriting import refuse_several_partitioned
from wasim.units import Floats, Ints

MOST_ROUNDS = 100  # until counts of manifests settle; they do in a handful


def appended_history(appends: Appends, laws: ManifestLaws, commits: int) -> TableHistory:
    """The history of appends alone: a turn for each merge."""
    offsets, inputs, absorbed, wastes_new = _merges(appends, commits)
    before = np.concatenate([[0], absorbed[:-1]]).astype(np.int64)
    before = np.where(absorbed > before, before, 0)  # a cycle's first merge finds no tail
    taken = absorbed - before  # small manifests
    merged_bytes = laws.merged.at(absorbed * appends.files_per_commit)
    tail_bytes = np.where(inputs > taken, laws.merged.at(before * appends.files_per_commit), 0.0)
    turns = Turns(
        snapshot=np.concatenate([[1], offsets]),
        live=np.concatenate([[1], offsets - np.cumsum(inputs - 1)]),
        written=np.concatenate([[0], np.ones_like(offsets)]),
        written_bytes=np.concatenate([[0.0], merged_bytes]),
        dropped=np.concatenate([[0], inputs - wastes_new]),
        dropped_bytes=np.concatenate([[0.0], (taken - wastes_new) * laws.new_bytes + tail_bytes]),
        spared=np.zeros(1 + len(offsets)),
    )
    unused = int(wastes_new.sum())
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns,
        replacements=NO_REPLACEMENTS,
        unused=unused,
        unused_bytes=unused * laws.new_bytes,
        data_files_rewritten=0,
        data_bytes_rewritten=0.0,
    )


def _merges(appends: Appends, commits: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Every merge through the last commit: its snapshot, inputs, commits in it, and whether it wastes a manifest."""
    cadence = appends_cadence(appends, np.array([commits], dtype=np.int64))
    cycles = np.arange(1 + (commits - 1) // cadence.cycle_commits, dtype=np.int64)
    starts = cycles[:, None] * min(cadence.cycle_commits, commits)
    offsets = (starts + cadence.offset[None, :]).ravel()
    kept = offsets <= commits
    columns = (cadence.inputs, cadence.absorbed, cadence.wastes_new)
    inputs, absorbed, wastes = (np.tile(column, len(cycles))[kept] for column in columns)
    return offsets[kept], inputs, absorbed, wastes


def rewritten_history(
    appends: Appends,
    laws: ManifestLaws,
    commits: int,
    dues: Dues,
    *,
    is_partitioned: bool,
) -> TableHistory:
    """The history of fast appends whose manifests are rewritten when due.

    Each turn's count of new manifests needs the bytes that the turn before left, which need its count: so all counts
    are found together, from one manifest each, until none changes.
    """
    files = appends.files_per_commit
    arrived = np.diff(dues.commits, prepend=0)
    entries = dues.commits * files
    made = np.minimum(dues.commits, 1)
    for _ in range(MOST_ROUNDS):
        held = np.concatenate([[0], made[:-1]])
        held_entries = np.concatenate([[0], entries[:-1]])
        found = held + arrived
        total = held * laws.rewritten.fixed + held_entries * laws.rewritten.each + arrived * laws.new_bytes
        due = (found > 1) | (total > appends.target_manifest_bytes)
        settled = np.where(due, _manifests_for(total, entries, appends.target_manifest_bytes), found)
        if (settled == made).all():
            break
        made = settled
    if is_partitioned and (made[due] > 1).any():
        refuse_several_partitioned(float(total[due].max()), appends.target_manifest_bytes)
    return _rewritten(appends, laws, commits, dues, (due, found, total, made))


def dues_by_count(appends: Appends, laws: ManifestLaws, upkeep: Upkeep, most: int) -> Dues:
    """The commits after which fast appends have left so many manifests, each time since they were rewritten.

    Once what a rewrite makes is too many by itself, every commit calls for one: there are ever more entries.
    """
    found = array("q")
    commit, live, size = 0, 0, 0.0
    fixed, each, new, target = laws.rewritten.fixed, laws.rewritten.each, laws.new_bytes, appends.target_manifest_bytes
    while live < most:
        arriving = most - live
        commit += arriving
        if commit > upkeep.commits:
            break
        found.append(commit)
        entries = commit * appends.files_per_commit
        live = max(1, min(ceil((size + arriving * new) / target), entries))
        size = live * fixed + each * entries
    rest = np.arange(commit + 1, upkeep.commits + 1, dtype=np.int64)
    return dues_at(upkeep, np.concatenate([np.array(found, dtype=np.int64), rest]))


def _manifests_for(total_bytes: Floats, entries: Ints, target_bytes: int) -> Ints:
    wanted = np.ceil(total_bytes / target_bytes).astype(np.int64)
    return np.asarray(np.minimum(np.maximum(wanted, 1), np.maximum(entries, 1)))


def _rewritten(
    appends: Appends,
    laws: ManifestLaws,
    commits: int,
    dues: Dues,
    outcome: tuple[np.ndarray, Ints, Floats, Ints],
) -> TableHistory:
    due, found, total, made = (column[outcome[0]] for column in outcome)
    at = dues.commits[due]
    snapshot = at + np.arange(1, len(at) + 1)
    entries = at * appends.files_per_commit
    staged, staged_bytes = np.zeros_like(made), np.zeros(len(made))
    if laws.staged is not None:
        staged, staged_bytes = made, made * laws.staged.fixed + entries * laws.staged.each
    turns = Turns(
        snapshot=np.concatenate([[1], snapshot]),
        live=np.concatenate([[1], made]),
        written=np.concatenate([[0], made + staged]),
        written_bytes=np.concatenate(
            [[0.0], made * laws.rewritten.fixed + entries * laws.rewritten.each + staged_bytes]
        ),
        dropped=np.concatenate([[0], found]),
        dropped_bytes=np.concatenate([[0.0], total]),
        spared=np.concatenate([[0.0], np.where(made > 1, made * laws.rewritten_spares, laws.rewritten_alone_spares)]),
    )
    replacements = Replacements(
        snapshot=snapshot,
        commits=at,
        event_time_s=dues.event_time_s[due],
        kind=np.full(len(at), REWRITE_MANIFESTS, dtype=np.int64),
        digits=digits_of(at * appends.rows_per_commit)
        + digits_of(entries)
        + digits_of(np.rint(at * appends.data_bytes_per_commit))
        + digits_of(found),
        removed_files=np.zeros(len(at), dtype=np.int64),
        removed_bytes=np.zeros(len(at)),
        live_files=entries.astype(np.float64),
        live_bytes=at * appends.data_bytes_per_commit,
    )
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns,
        replacements=replacements,
        unused=int(staged.sum()),
        unused_bytes=float(staged_bytes.sum()),
        data_files_rewritten=0,
        data_bytes_rewritten=0.0,
        mean_digits=mean_digits_of_manifests(turns, commits + len(at)) if len(at) else 0.0,
    )
