"""The history of a table that is compacted, or merges what was rewritten, from one change of its list to the next.

A turn costs the same whatever the number of commits before it, as manifests are kept as runs of like ones; and what
comes round again is replayed once (`rounds`).
"""

import numpy as np

from wasim.twin.fast.history import (
    REWRITE_DATA_FILES,
    REWRITE_MANIFESTS,
    Compactions,
    Replacements,
    TableHistory,
    turns_of,
)
from wasim.twin.fast.maintained_model import MaintainedModel
from wasim.twin.fast.replayed_table import ReplayedTable
from wasim.twin.fast.rounds import ROWS_AT_ONCE, Rounds, Waiting
from wasim.twin.fast.summaries import mean_digits, mean_digits_of_manifests
from wasim.twin.fast.upkeep import Upkeep
from wasim.units import Floats, Ints

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
    appends, commits, data = model.appends, model.upkeep.commits, table.tracks[0]
    turns, replacements, done = turns_of(data.turns), _replacements(table), table.compactions.kept()
    digits = 0.0
    if len(replacements):
        digits += mean_digits_of_manifests(turns, commits + len(replacements)) if not appends.merges else 0.0
        digits += _digits_of_totals(model, done)
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns,
        replacements=replacements,
        unused=data.sums.unused,
        unused_bytes=data.sums.unused_bytes,
        data_files_rewritten=table.sums.data_files,
        data_bytes_rewritten=table.sums.data_bytes,
        compactions=_compactions(done, (1, 2, 3, 4)),
        mean_digits=digits,
        deletes=_history_of_deletes(model, table, replacements, done),
    )


def _history_of_deletes(
    model: MaintainedModel, table: ReplayedTable, replacements: Replacements, done: Floats
) -> TableHistory | None:
    if model.appends.deletes is None:
        return None
    track, each = table.tracks[1], model.appends.deletes.bytes
    return TableHistory(
        commits=model.upkeep.commits,
        files_per_commit=1,
        data_bytes_per_commit=each,
        turns=turns_of(track.turns),
        replacements=replacements,
        unused=track.sums.unused,
        unused_bytes=track.sums.unused_bytes,
        data_files_rewritten=0,
        data_bytes_rewritten=0.0,
        compactions=_compactions(done, (5, 5, 6, 6), each_bytes=each),
    )


def _replacements(table: ReplayedTable) -> Replacements:
    rows, columns = table.replacements.recurring()
    snapshot, commits, event_time_s, kind, *_ = columns
    return Replacements(
        rows=rows,
        snapshot=snapshot,
        commits=commits,
        event_time_s=event_time_s,
        kind=kind.first.astype(np.int64),
        digits=table.digits(np.stack([column.first for column in columns], axis=-1)),
    )


def _compactions(done: Floats, places: tuple[int, int, int, int], each_bytes: float = 1.0) -> Compactions:
    """Compactions by what they took out and left: places of files and bytes, or of files of so many bytes each."""
    removed_files, removed_bytes, live_files, live_bytes = (done[:, place] for place in places)
    return Compactions(
        commits=done[:, 0].astype(np.int64),
        removed_files=removed_files,
        removed_bytes=removed_bytes * each_bytes,
        live_files=live_files,
        live_bytes=live_bytes * each_bytes,
    )


def _digits_of_totals(model: MaintainedModel, done: Floats) -> float:
    """Digits of the totals in a writer's summaries in the mean, where compaction takes from them what has come."""
    if not len(done):
        return 0.0
    total = 0.0
    for first in range(0, len(done), ROWS_AT_ONCE):
        part = done[first : first + ROWS_AT_ONCE]
        commits = done[first : first + ROWS_AT_ONCE + 1, 0]
        since = np.diff(commits, append=model.upkeep.commits)[: len(part)].astype(np.int64)
        total += sum(mean_digits(left + each, each, since) for left, each in _totals(model, part)) * float(since.sum())
    return total / max(model.upkeep.commits - int(done[0, 0]), 1)


def _totals(model: MaintainedModel, done: Floats) -> list[tuple[Ints, int]]:
    """The totals that compactions leave, with what each commit adds to them."""
    appends, deletes = model.appends, model.appends.deletes
    totals = [(done[:, 3], float(appends.files_per_commit))]
    if deletes is not None:
        size = done[:, 4] + done[:, 6] * deletes.bytes
        totals += [(done[:, 7], float(appends.rows_per_commit)), (size, appends.data_bytes_per_commit + deletes.bytes)]
        counted = [each for each in (deletes.files, deletes.keys, deletes.positions) if each]
        totals += [(done[:, 6] * each, each) for each in counted]
    return [(left.astype(np.int64), max(1, round(each))) for left, each in totals]
