"""The ledger of a history too long for one: rows of some commits only, evenly spaced in the logarithm."""

from typing import Any

import numpy as np

from wasim.ledger import Kind, Ledger
from wasim.scenario import Case
from wasim.twin.fast import FastModel, Maintained, fast_checkpoints
from wasim.twin.fast.appends import CHECKPOINTS
from wasim.twin.fast.history import Turns
from wasim.twin.fast.recurring import Column
from wasim.units import Floats, Ints


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
    tracks = [history.turns] if history.deletes is None else [history.turns, history.deletes.turns]
    merged, dropped = (
        np.sum([_at_turns(one, snapshots, getattr(one, name)) for one in tracks], axis=0).astype(np.int64)
        for name in ("written", "dropped")
    )
    nothing = np.zeros(len(commits), dtype=np.int64)
    appends = model.appends
    written = _deletes_written(table, commits, snapshots) | {
        Kind.METADATA_JSON: sizes.at(versions),
        Kind.MANIFEST_LIST: sizes.list_at(snapshots),
        Kind.DATA_MANIFEST: _own_bytes(table) + _at_turns(history.turns, snapshots, history.turns.written_bytes),
        Kind.DATA: np.full(len(commits), appends.data_bytes_per_commit),
    }
    files, live_bytes = history.live_files_at(commits), history.live_bytes_at(commits)
    if history.deletes is not None and appends.deletes is not None:
        files = files + np.rint(history.deletes.live_files_at(commits) * appends.deletes.files).astype(np.int64)
        live_bytes = live_bytes + history.deletes.live_bytes_at(commits)
    return Ledger(
        **_told_by_their_numbers(case, commits, appends.files_per_commit),
        commit=snapshots,
        manifests_created=len(tracks) + merged,
        manifests_kept=live - len(tracks),
        manifests_replaced=dropped,
        live_manifests=live,
        live_entries=files,
        entries_processed=np.full(len(commits), np.nan),
        snapshots_retained=snapshots - gone,
        data_bytes_live=np.rint(live_bytes).astype(np.int64),
        written_bytes={kind: np.rint(written[kind]).astype(np.int64) if kind in written else nothing for kind in Kind},
    )


def _at_turns(turns: Turns, snapshots: Ints, column: Column) -> Floats:
    """The column of the turns that these snapshots are; zero for those that are none."""
    place = turns.through(snapshots)
    is_turn = turns.rows.at(turns.snapshot, place) == snapshots
    return np.where(is_turn, turns.rows.at(column, place), 0.0)


def _own_bytes(table: Maintained) -> float:
    """Bytes of the manifests of data that a commit writes for its own files."""
    model = table.model
    return model.manifests.new_bytes + (model.upserts.staged_bytes[0] if model.upserts is not None else 0.0)


def _deletes_written(table: Maintained, commits: Ints, snapshots: Ints) -> dict[Kind, Floats]:
    upserts, deletes = table.model.upserts, table.history.deletes
    if upserts is None or deletes is None:
        return {}
    own = upserts.manifests.new_bytes + upserts.staged_bytes[1]
    return {
        Kind.DELETE_MANIFEST: np.asarray(own + _at_turns(deletes.turns, snapshots, deletes.turns.written_bytes)),
        Kind.DELETE_FILE: np.where(commits == 1, upserts.first_bytes, upserts.bytes),
    }


def _told_by_their_numbers(case: Case, commits: Ints, files_per_commit: int) -> dict[str, Any]:
    """Columns that the numbers of the writer's commits tell, and those of which fast mode knows nothing."""
    unknown = np.full(len(commits), np.nan)
    return {
        "operation": np.full(len(commits), "upsert" if case.key_columns else "append", dtype=object),
        "snapshot_operation": np.full(len(commits), "overwrite" if case.key_columns else "append", dtype=object),
        "snapshot_id": unknown,
        "event_time_s": commits.astype(np.float64) * case.commit_interval_s,
        "reported_at_s": unknown,
        "commit_ms": unknown,
        "step_ms": unknown,
        "attempts": np.ones_like(commits),
        "entries_added": np.full_like(commits, files_per_commit),
        "records_added": np.full_like(commits, case.rows_per_commit),
        "records_live": commits * case.rows_per_commit,
        "wasted_bytes": unknown,
        "deleted_bytes": dict.fromkeys(Kind, unknown),
        "files_written": dict.fromkeys(Kind, unknown),
    }
