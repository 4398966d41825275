"""The history of a table that is compacted, or merges what was rewritten, from one change of its list to the next.

A turn costs the same whatever the number of commits before it, as manifests are kept as runs of like ones; and what
comes round again is replayed once (`rounds`).
"""

import numpy as np

from wasim.simulate.fast.history import (
    REWRITE_DATA_FILES,
    REWRITE_MANIFESTS,
    Compactions,
    Replacements,
    TableHistory,
    turns_of,
)
from wasim.simulate.fast.maintained_model import MaintainedModel
from wasim.simulate.fast.replayed_table import ReplayedTable
from wasim.simulate.fast.rounds import ROWS_AT_ONCE, Rounds, Waiting
from wasim.simulate.fast.summaries import mean_digits, mean_digits_of_manifests
from wasim.simulate.fast.upkeep import Upkeep

_KINDS = (REWRITE_DATA_FILES, REWRITE_MANIFESTS)  # in the order of those of one time


def replayed_history(model: MaintainedModel) -> TableHistory:
    """The history of any table that is rewritten or compacted, by period or by count."""
    table = ReplayedTable(model)
    waiting = _waiting(model.upkeep)
    rounds = Rounds(table, waiting)
    kept = model.upkeep.maintenance
    small_files = kept.rewrite_data_files.when_small_files if kept.rewrite_data_files else None
    manifests = kept.rewrite_manifests.when_manifests if kept.rewrite_manifests else None
    by_count = {REWRITE_DATA_FILES: small_files, REWRITE_MANIFESTS: manifests}
    while table.commits < model.upkeep.commits or waiting.holds:
        horizon = waiting.commits if waiting.holds else model.upkeep.commits
        if table.commits < horizon:
            table.append(horizon - table.commits, small_files=small_files, manifests=manifests)
            _replace_by_count(table, waiting, by_count)
        elif waiting.holds:
            table.replace(waiting.kind, waiting.event_time_s)
            waiting.pass_by()
        rounds.skip()
    return _history(model, table)


def _replace_by_count(table: ReplayedTable, waiting: Waiting, by_count: dict[int, int | None]) -> None:
    """Replaces what there is too much of since the last commit; what falls due at that very time keeps its place."""
    at_s = table.commits * table.model.upkeep.commit_interval_s
    for place, kind in enumerate(_KINDS):
        if by_count[kind] is None:
            continue
        while waiting.holds and waiting.comes_before(table.commits, at_s, place):
            table.replace(waiting.kind, waiting.event_time_s)
            waiting.pass_by()
        if table.is_due(kind, by_count[kind] or 0):
            table.replace(kind, at_s)


def _waiting(upkeep: Upkeep) -> Waiting:
    kept = upkeep.maintenance
    parts = (kept.rewrite_data_files, kept.rewrite_manifests)
    dues = [upkeep.dues(part.every if part is not None else None) for part in parts]
    commits = np.concatenate([one.commits for one in dues])
    times_s = np.concatenate([one.event_time_s for one in dues])
    places = np.repeat(np.arange(2), [len(one) for one in dues])
    order = np.lexsort((places, times_s, commits))
    kinds = np.array(_KINDS)[places]
    return Waiting(all_commits=commits[order], all_times_s=times_s[order], all_kinds=kinds[order])


def _history(model: MaintainedModel, table: ReplayedTable) -> TableHistory:
    appends, commits = model.appends, model.upkeep.commits
    turns, replacements, done = turns_of(table.turns), _replacements(table), _compactions(table)
    digits = 0.0
    if len(replacements):
        digits += mean_digits_of_manifests(turns, commits + len(replacements)) if not appends.merges else 0.0
        digits += _digits_of_files(model, done)
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns,
        replacements=replacements,
        unused=table.sums.unused,
        unused_bytes=table.sums.unused_bytes,
        data_files_rewritten=table.sums.data_files,
        data_bytes_rewritten=table.sums.data_bytes,
        compactions=done,
        mean_digits=digits,
    )


def _replacements(table: ReplayedTable) -> Replacements:
    rows, (snapshot, commits, event_time_s, kind, *_) = (found := table.replacements.recurring())
    kept = np.stack([column.first for column in found[1]], axis=-1)
    return Replacements(
        rows=rows,
        snapshot=snapshot,
        commits=commits,
        event_time_s=event_time_s,
        kind=kind.first.astype(np.int64),
        digits=table.digits(kept),
    )


def _compactions(table: ReplayedTable) -> Compactions:
    commits, removed_files, removed_bytes, live_files, live_bytes = table.compactions.kept().T
    return Compactions(
        commits=commits.astype(np.int64),
        removed_files=removed_files,
        removed_bytes=removed_bytes,
        live_files=live_files,
        live_bytes=live_bytes,
    )


def _digits_of_files(model: MaintainedModel, done: Compactions) -> float:
    """Digits of `total-data-files` in the mean, where compaction takes files away."""
    if not len(done):
        return 0.0
    files, total = model.appends.files_per_commit, 0.0
    for first in range(0, len(done), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        since = np.diff(done.commits[first : part.stop + 1], append=model.upkeep.commits)[: len(done.commits[part])]
        total += mean_digits(done.live_files[part] + files, files, since) * float(since.sum())
    return total / max(model.upkeep.commits - int(done.commits[0]), 1)
