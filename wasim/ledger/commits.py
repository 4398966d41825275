"""The view of the events by commit: one row each, oldest first."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wasim.iceberg import Kind
from wasim.ledger.contention import lost_files
from wasim.ledger.events import CommitReports, FileEvents, Recording
from wasim.ledger.vocabulary import METADATA_KINDS, Action
from wasim.units import Counts, Floats, Ints, Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """One row per commit, oldest first, as equal-length columns.

    `written_bytes[kind]` and `files_written[kind]` hold what the commit wrote, wasted files included;
    `deleted_bytes[kind]` what it deleted; `wasted_bytes` what it both wrote and deleted, and what its lost
    attempts wrote. `live_manifests` and `live_entries` describe the new snapshot. All other columns are of
    CommitReports. What an engine does not know is NaN, and so are all of a column by kind; `Counts` are floats then.
    """

    commit: Ints
    operation: Texts
    snapshot_operation: Texts
    snapshot_id: Counts
    event_time_s: Floats
    reported_at_s: Floats
    commit_ms: Floats
    step_ms: Floats
    attempts: Counts
    manifests_created: Counts
    manifests_kept: Counts
    manifests_replaced: Counts
    live_manifests: Ints
    live_entries: Counts
    entries_added: Counts
    entries_processed: Counts
    snapshots_retained: Ints
    records_added: Counts
    records_live: Counts
    data_bytes_live: Counts
    wasted_bytes: Counts
    written_bytes: dict[Kind, Ints]
    deleted_bytes: dict[Kind, Counts]
    files_written: dict[Kind, Counts]

    def __len__(self) -> int:
        return len(self.commit)

    @property
    def metadata_bytes(self) -> Ints:
        """All metadata written, per commit."""
        total: Ints = np.array([self.written_bytes[kind] for kind in METADATA_KINDS], dtype=np.int64).sum(axis=0)
        return total

    def head(self, commits: int) -> "Ledger":
        """The first `commits` rows."""
        cut: dict[str, Any] = {}
        for field in fields(self):
            column = getattr(self, field.name)
            by_kind = isinstance(column, dict)
            cut[field.name] = {kind: column[kind][:commits] for kind in column} if by_kind else column[:commits]
        return Ledger(**cut)


def view_by_commit(recording: Recording) -> Ledger:
    """The ledger of a recording. Events outside commits (CREATE, lost attempts, maintenance) are in the totals only."""
    events, reports = recording.events, recording.reports
    count = len(reports)
    in_commits = (events.commit > 0) & (events.commit <= count)
    inside, wasted = events.where(in_commits), np.zeros(count, dtype=np.int64)
    for commit, size in _wasted_within_a_commit(inside, lost_files(recording)[in_commits]):
        wasted[commit - 1] += size
    return Ledger(
        commit=np.arange(1, count + 1, dtype=np.int64),
        live_manifests=reports.manifests_created + reports.manifests_kept,
        live_entries=reports.files_live + reports.delete_files_live,
        entries_added=reports.files_added + reports.delete_files_added,
        wasted_bytes=wasted,
        written_bytes=_sum_by_kind(inside, Action.WRITE, count),
        deleted_bytes=_sum_by_kind(inside, Action.DELETE, count),
        files_written=_sum_by_kind(inside, Action.WRITE, count, count_files=True),
        **{name: getattr(reports, name) for name in _SHARED_COLUMNS},
    )


_SHARED_COLUMNS = [f.name for f in fields(CommitReports) if f.name in {g.name for g in fields(Ledger)}]


def _sum_by_kind(events: FileEvents, action: Action, count: int, *, count_files: bool = False) -> dict[Kind, Any]:
    sums: dict[Kind, Ints] = {}
    for kind in Kind:
        chosen = (events.action == action) & (events.kind == kind)
        weights = np.ones(int(chosen.sum())) if count_files else events.bytes[chosen].astype(np.float64)
        # float64 sums of bytes are exact up to 8 PiB in one commit
        sums[kind] = np.bincount(events.commit[chosen] - 1, weights=weights, minlength=count).astype(np.int64)
    return sums


def _wasted_within_a_commit(events: FileEvents, lost: np.ndarray) -> list[tuple[int, int]]:
    """(commit, bytes) of each file that came to nothing: lost, or deleted by the commit that had written it."""
    written_in: dict[str, int] = {}
    wasted = []
    for row, (file, commit, action) in enumerate(zip(events.file, events.commit, events.action, strict=True)):
        if action == Action.WRITE and not lost[row]:
            written_in[file] = commit
        if lost[row] or (action == Action.DELETE and written_in.get(file) == commit):
            wasted.append((int(commit), int(events.bytes[row])))
    return wasted
