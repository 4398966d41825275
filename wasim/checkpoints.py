"""The ledger of a history too long for one: rows of some commits only, evenly spaced in the logarithm."""

from typing import Any

import numpy as np

from wasim.ledger import Kind, Ledger
from wasim.scenario import Case
from wasim.simulate.fast import FastModel, Maintained, fast_checkpoints
from wasim.simulate.fast.appends import CHECKPOINTS
from wasim.units import Ints


def checkpoint_ledger(case: Case, model: FastModel) -> Ledger:
    """Some commits of a table that nothing but its writer touches, the last one among them."""
    commits, drivers, sizes = fast_checkpoints(model, case.commits)
    nothing = np.zeros(len(commits), dtype=np.int64)
    by_kind = {kind: sizes.get(kind, nothing) for kind in Kind}
    merged = drivers.manifest_files.astype(np.int64)
    live, files = drivers.live_manifests.astype(np.int64), commits * model.appends.files_per_commit
    return Ledger(
        **_told_by_their_numbers(case, commits, model.appends.files_per_commit),
        commit=commits,
        manifests_created=merged,
        manifests_kept=live - 1,
        manifests_replaced=drivers.manifests_replaced.astype(np.int64),
        live_manifests=live,
        live_entries=files,
        entries_processed=drivers.entries_merged.astype(np.int64),
        snapshots_retained=commits,
        data_bytes_live=np.rint(commits * model.appends.data_bytes_per_commit).astype(np.int64),
        written_bytes=by_kind,
    )


def maintained_ledger(case: Case, table: Maintained) -> Ledger:
    """The writer's commits of a table under maintenance, some of them, and its last snapshot's size at each."""
    history, sizes, model = table.history, table.sizes, table.model
    commits = np.unique(np.rint(np.geomspace(1, case.commits, CHECKPOINTS)).astype(np.int64))
    snapshots = commits + history.replacements.before_commits(commits)
    versions = snapshots + table.expiries.before_snapshots(snapshots)
    gone = table.expiries.gone_after(versions - snapshots)
    live = history.live_at(snapshots)
    turns, place = history.turns, history.turns.through(snapshots)
    turned = turns.rows.at(turns.snapshot, place) == snapshots
    merged, merged_bytes, dropped = (
        np.where(turned, turns.rows.at(column, place), 0.0)
        for column in (turns.written, turns.written_bytes, turns.dropped)
    )
    nothing = np.zeros(len(commits), dtype=np.int64)
    appends = model.appends
    written = {
        Kind.METADATA_JSON: sizes.at(versions),
        Kind.MANIFEST_LIST: sizes.list_at(snapshots),
        Kind.DATA_MANIFEST: model.manifests.new_bytes + merged_bytes,
        Kind.DATA: np.full(len(commits), appends.data_bytes_per_commit),
    }
    files, live_bytes = history.live_files_at(commits), np.rint(history.live_bytes_at(commits)).astype(np.int64)
    return Ledger(
        **_told_by_their_numbers(case, commits, appends.files_per_commit),
        commit=snapshots,
        manifests_created=1 + merged.astype(np.int64),
        manifests_kept=live - 1,
        manifests_replaced=dropped.astype(np.int64),
        live_manifests=live,
        live_entries=files,
        entries_processed=nothing,
        snapshots_retained=snapshots - gone,
        data_bytes_live=live_bytes,
        written_bytes={kind: np.rint(written[kind]).astype(np.int64) if kind in written else nothing for kind in Kind},
    )


def _told_by_their_numbers(case: Case, commits: Ints, files_per_commit: int) -> dict[str, Any]:
    """Columns that the numbers of the writer's commits tell, and those of which fast mode knows nothing."""
    nothing, unknown = np.zeros(len(commits), dtype=np.int64), np.full(len(commits), np.nan)
    return {
        "operation": np.full(len(commits), "append", dtype=object),
        "snapshot_operation": np.full(len(commits), "append", dtype=object),
        "snapshot_id": nothing,
        "event_time_s": commits.astype(np.float64) * case.commit_interval_s,
        "reported_at_s": unknown,
        "commit_ms": unknown,
        "step_ms": unknown,
        "attempts": np.ones_like(commits),
        "entries_added": np.full_like(commits, files_per_commit),
        "records_added": np.full_like(commits, case.rows_per_commit),
        "records_live": commits * case.rows_per_commit,
        "wasted_bytes": nothing,
        "deleted_bytes": dict.fromkeys(Kind, nothing),
        "files_written": dict.fromkeys(Kind, nothing),
    }
