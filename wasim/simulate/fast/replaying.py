"""The history of a table that is compacted, or merges what was rewritten: replayed from one change of its list to the next.

A turn costs the same whatever the number of commits before it, as manifests are kept as runs of like ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wasim.simulate.fast.history import REWRITE_DATA_FILES, REWRITE_MANIFESTS, Replacements, TableHistory, Turns
from wasim.simulate.fast.replayed_table import ReplayedTable
from wasim.simulate.fast.summaries import digits_of, mean_digits, mean_digits_of_manifests
from wasim.simulate.fast.upkeep import Upkeep

if TYPE_CHECKING:
    from wasim.simulate.fast.maintained import MaintainedModel

_PLACES = {REWRITE_DATA_FILES: 0, REWRITE_MANIFESTS: 1}  # what comes first at the same time


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _Due:
    commits: int
    event_time_s: float
    place: int
    kind: int


def replayed_history(model: MaintainedModel) -> TableHistory:
    """The history of any table that is rewritten or compacted, by period or by count."""
    table = ReplayedTable(model)
    upkeep, interval_s = model.upkeep, model.upkeep.commit_interval_s
    kept = upkeep.maintenance
    small_files = kept.rewrite_data_files.when_small_files if kept.rewrite_data_files else None
    manifests = kept.rewrite_manifests.when_manifests if kept.rewrite_manifests else None
    waiting = _by_period(upkeep)
    due = next(waiting, None)
    while True:
        horizon = due.commits if due is not None else upkeep.commits
        while table.commits < horizon:
            table.append(horizon - table.commits, small_files=small_files, manifests=manifests)
            at_s = table.commits * interval_s
            # what falls due by period at the very time of the commit keeps its place among those by count
            for kind in (REWRITE_DATA_FILES, REWRITE_MANIFESTS):
                while due is not None and (due.commits, due.event_time_s, due.place) < (
                    table.commits,
                    at_s,
                    _PLACES[kind],
                ):
                    table.replace(due.kind, due.event_time_s)
                    due = next(waiting, None)
                if table.is_due(kind, small_files=small_files, manifests=manifests):
                    table.replace(kind, at_s)
        if due is not None and due.commits <= table.commits:
            table.replace(due.kind, due.event_time_s)
            due = next(waiting, None)
        elif due is None and table.commits >= upkeep.commits:
            break
    return _history(model, table)


def _by_period(upkeep: Upkeep) -> Iterator[_Due]:
    kept = upkeep.maintenance
    dues = []
    for kind, part in ((REWRITE_DATA_FILES, kept.rewrite_data_files), (REWRITE_MANIFESTS, kept.rewrite_manifests)):
        at = upkeep.dues(part.every if part is not None else None)
        times = zip(at.commits.tolist(), at.event_time_s.tolist(), strict=True)
        dues += [_Due(commits=made, event_time_s=time, place=_PLACES[kind], kind=kind) for made, time in times]
    return iter(sorted(dues))


def _history(model: MaintainedModel, table: ReplayedTable) -> TableHistory:
    appends, commits = model.appends, model.upkeep.commits
    columns = list(zip(*table.turns, strict=True))
    whole, real = (np.int64, np.float64)
    types = (whole, whole, whole, real, whole, real, real)
    snapshot, live, written, written_bytes, dropped, dropped_bytes, spared = (
        np.array(column, dtype=kind) for column, kind in zip(columns, types, strict=True)
    )
    turns = Turns(
        snapshot=snapshot,
        live=live,
        written=written,
        written_bytes=written_bytes,
        dropped=dropped,
        dropped_bytes=dropped_bytes,
        spared=spared,
    )
    rows = np.array(table.replacements, dtype=np.float64).reshape(-1, 9)
    at = rows[:, 1].astype(np.int64)
    live_files, live_bytes = rows[:, 7], rows[:, 8]
    compacts = rows[:, 3] == REWRITE_DATA_FILES
    replacements = Replacements(
        snapshot=rows[:, 0].astype(np.int64),
        commits=at,
        event_time_s=rows[:, 2],
        kind=rows[:, 3].astype(np.int64),
        digits=digits_of(at * appends.rows_per_commit)
        + digits_of(live_files)
        + digits_of(live_bytes)
        + digits_of(rows[:, 6])
        # deleted files and their bytes, and the records that a compaction both deletes and adds
        + compacts * (digits_of(rows[:, 4]) + 2 * digits_of(rows[:, 5]) + 2 * digits_of(at * appends.rows_per_commit)),
        removed_files=rows[:, 4].astype(np.int64),
        removed_bytes=rows[:, 5],
        live_files=live_files,
        live_bytes=live_bytes,
    )
    digits = 0.0
    if len(replacements):
        digits += mean_digits_of_manifests(turns, commits + len(replacements)) if not appends.merges else 0.0
        if compacts.any():
            since = np.diff(at[compacts], append=commits)
            files = live_files[compacts].astype(np.int64) + appends.files_per_commit
            digits += mean_digits(files, appends.files_per_commit, since)
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns,
        replacements=replacements,
        unused=table.unused,
        unused_bytes=table.unused_bytes,
        data_files_rewritten=table.data_files_rewritten,
        data_bytes_rewritten=table.data_bytes_rewritten,
        mean_digits=digits,
    )
