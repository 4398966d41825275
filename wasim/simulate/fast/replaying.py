"""The history of a table that is compacted, or merges what was rewritten, from one change of its list to the next.

A turn costs the same whatever the number of commits before it, as manifests are kept as runs of like ones; and what
comes round again is replayed once (`rounds`).
"""

from dataclasses import replace

import numpy as np

from wasim.simulate.fast.history import REWRITE_DATA_FILES, REWRITE_MANIFESTS, Replacements, TableHistory, Turns
from wasim.simulate.fast.maintained_model import MaintainedModel
from wasim.simulate.fast.replayed_table import ReplayedTable
from wasim.simulate.fast.rounds import Rounds, Waiting
from wasim.simulate.fast.summaries import digits_of, mean_digits, mean_digits_of_manifests, removed_deletes_bytes
from wasim.simulate.fast.upkeep import Upkeep
from wasim.units import Floats

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
    appends, commits, rows = model.appends, model.upkeep.commits, table.replacements.rows()
    data = table.tracks[0]
    turns, replacements = _turns(data.turns.rows()), _replacements(model, rows)
    digits = 0.0
    if len(replacements):
        digits += mean_digits_of_manifests(turns, commits + len(replacements)) if not appends.merges else 0.0
        digits += _digits_of_totals(model, rows)
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
        mean_digits=digits,
        deletes=_history_of_deletes(model, table, replacements, rows),
    )


def _history_of_deletes(
    model: MaintainedModel, table: ReplayedTable, replacements: Replacements, rows: Floats
) -> TableHistory | None:
    if model.appends.deletes is None:
        return None
    track, each = table.tracks[1], model.appends.deletes.bytes
    return TableHistory(
        commits=model.upkeep.commits,
        files_per_commit=1,
        data_bytes_per_commit=each,
        turns=_turns(track.turns.rows()),
        replacements=replace(
            replacements,
            removed_files=np.rint(rows[:, 10]).astype(np.int64),
            removed_bytes=rows[:, 10] * each,
            live_files=rows[:, 11],
            live_bytes=rows[:, 11] * each,
        ),
        unused=track.sums.unused,
        unused_bytes=track.sums.unused_bytes,
        data_files_rewritten=0,
        data_bytes_rewritten=0.0,
    )


def _turns(rows: Floats) -> Turns:
    snapshot, live, written, dropped = (rows[:, column].astype(np.int64) for column in (0, 1, 2, 4))
    return Turns(
        snapshot=snapshot,
        live=live,
        written=written,
        written_bytes=rows[:, 3],
        dropped=dropped,
        dropped_bytes=rows[:, 5],
        spared=rows[:, 6],
    )


def _replacements(model: MaintainedModel, rows: Floats) -> Replacements:
    snapshot, at, kind, removed, records = (rows[:, column].astype(np.int64) for column in (0, 1, 3, 4, 12))
    digits = sum(digits_of(numbers) for numbers in (records, rows[:, 7], rows[:, 8], rows[:, 6]))
    # deleted files and their bytes, and the records that a compaction both deletes and adds
    of_compaction = digits_of(removed) + 2 * digits_of(rows[:, 5]) + 2 * digits_of(records)
    # it is fitted to compactions that remove deletes
    of_compaction -= (rows[:, 10] == 0) * removed_deletes_bytes(model.appends.deletes, int(removed.max(initial=0)))
    return Replacements(
        snapshot=snapshot,
        commits=at,
        event_time_s=rows[:, 2],
        kind=kind,
        digits=digits + (kind == REWRITE_DATA_FILES) * of_compaction,
        removed_files=removed,
        removed_bytes=rows[:, 5],
        live_files=rows[:, 7],
        live_bytes=rows[:, 8],
    )


def _digits_of_totals(model: MaintainedModel, rows: Floats) -> float:
    """Digits of the totals in a writer's summaries in the mean, where compaction takes from them what has come."""
    rows = rows[rows[:, 3] == REWRITE_DATA_FILES]
    if not len(rows):
        return 0.0
    appends, deletes = model.appends, model.appends.deletes
    since = np.asarray(np.diff(rows[:, 1], append=model.upkeep.commits), dtype=np.int64)
    totals = [(rows[:, 7], float(appends.files_per_commit))]
    if deletes is not None:
        size = rows[:, 8] + rows[:, 11] * deletes.bytes
        totals += [(rows[:, 12], float(appends.rows_per_commit)), (size, appends.data_bytes_per_commit + deletes.bytes)]
        counted = [each for each in (deletes.files, deletes.keys, deletes.positions) if each]
        totals += [(rows[:, 11] * each, each) for each in counted]
    steps = [(left.astype(np.int64), max(1, round(each))) for left, each in totals]
    return float(sum(mean_digits(left + each, each, since) for left, each in steps))
