"""The totals of a table that is kept in order, from what is fitted of its files and how its maintenance falls due."""

from dataclasses import dataclass, replace

import numpy as np

from wasim.ledger import Kind, Totals
from wasim.twin.fast.appended import appended_history
from wasim.twin.fast.history import TableHistory
from wasim.twin.fast.maintained_model import MaintainedModel
from wasim.twin.fast.metadata_sizes import MetadataSizes
from wasim.twin.fast.replaying import replayed_history
from wasim.twin.fast.retention import Expiries, snapshots_before, snapshots_made
from wasim.twin.fast.rewritten import rewritten_history
from wasim.twin.fast.summaries import summary_digits
from wasim.twin.fast.upserted import add_live_deletes, add_upserts
from wasim.twin.fast.version_hints import add_version_hints

# Of rows that are deleted by key: what compaction leaves out no longer counts.
TOTALS = frozenset(
    {"total-records", "total-files-size", "total-delete-files", "total-equality-deletes", "total-position-deletes"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintained:
    """A table at the end of its horizon: its history, what expired of it, and the sums over its metadata."""

    model: MaintainedModel
    history: TableHistory
    expiries: Expiries
    sizes: MetadataSizes


def maintain_fast(
    model: MaintainedModel, *, history: TableHistory | None = None, expiries: Expiries | None = None
) -> Maintained:
    """Follows the table of a case through its horizon. WasimError for what its maintenance cannot do in fast mode.

    `history` and `expiries` are those of the table, where they are known already: expiry changes nothing in the one.
    """
    history = table_history(model) if history is None else history
    expiries = Expiries(model.upkeep, history.replacements) if expiries is None else expiries
    bounded = frozenset({"manifests-kept"}) if len(history.replacements) else frozenset()
    appends = model.appends
    if history.data_files_rewritten:
        bounded |= {"total-data-files"}
    if history.data_files_rewritten and model.upserts is not None:
        bounded |= TOTALS
    digits = summary_digits(appends, bounded=bounded, mean_digits=history.mean_digits)
    return Maintained(
        model=model,
        history=history,
        expiries=expiries,
        sizes=MetadataSizes(model.metadata, history, expiries, digits),
    )


def table_history(model: MaintainedModel) -> TableHistory:
    """What becomes of the table's manifests and data files: step by step where more than rewrites of manifests do."""
    appends, upkeep, kept = model.appends, model.upkeep, model.upkeep.maintenance
    if not upkeep.replaces:
        return _appended(model)
    rewriting = kept.rewrite_manifests
    if rewriting is None or kept.rewrite_data_files is not None or appends.merges:
        return replayed_history(model)
    return rewritten_history(model)


def _appended(model: MaintainedModel) -> TableHistory:
    commits, tracks = model.upkeep.commits, model.appends.tracks
    history = appended_history(tracks[0], model.manifests, commits)
    if model.upserts is None:
        return history
    return replace(history, deletes=appended_history(tracks[1], model.upserts.manifests, commits))


def maintained_totals(table: Maintained) -> Totals:
    """Totals of all commits, CREATE TABLE and maintenance."""
    model, history, sizes = table.model, table.history, table.sizes
    commits, appends = model.upkeep.commits, model.appends
    turns_written, turns_bytes, *_ = history.turns.running.totals
    written, files = dict.fromkeys(Kind, 0), dict.fromkeys(Kind, 0)
    files[Kind.METADATA_JSON] = sizes.versions + 1
    files[Kind.MANIFEST_LIST] = history.snapshots
    files[Kind.DATA_MANIFEST] = commits + round(turns_written)
    files[Kind.DATA] = commits * appends.files_per_commit + history.data_files_rewritten
    written[Kind.METADATA_JSON] = round(sizes.written_through(sizes.versions))
    written[Kind.MANIFEST_LIST] = round(sizes.lists_through(history.snapshots))
    written[Kind.DATA_MANIFEST] = round(commits * model.manifests.new_bytes + turns_bytes)
    written[Kind.DATA] = round(commits * appends.data_bytes_per_commit + history.data_bytes_rewritten)
    deleted, files_deleted = _deleted(table)
    totals = Totals(written_bytes=written, deleted_bytes=deleted, files_written=files, files_deleted=files_deleted)
    if model.upserts is not None:
        add_upserts(totals, model.upserts, history, table.expiries.gone if len(table.expiries) else 0)
    if appends.hadoop_names:
        add_version_hints(totals, sizes.versions)
    return totals


def _deleted(table: Maintained) -> tuple[dict[Kind, int], dict[Kind, int]]:
    history, sizes = table.history, table.sizes
    deleted, files = dict.fromkeys(Kind, 0), dict.fromkeys(Kind, 0)
    unreached, unreached_bytes = 0, 0.0
    if len(table.expiries):
        gone = table.expiries.gone
        files[Kind.MANIFEST_LIST] = gone
        deleted[Kind.MANIFEST_LIST] = round(sizes.lists_through(gone))
        # what the oldest retained list no longer holds, no retained one does
        unreached, unreached_bytes = history.dropped_through(gone + 1)
        files[Kind.DATA], removed_bytes = history.removed_through(gone + 1)
        deleted[Kind.DATA] = round(removed_bytes)
    files[Kind.DATA_MANIFEST] = history.unused + unreached
    deleted[Kind.DATA_MANIFEST] = round(history.unused_bytes + unreached_bytes)
    left_log = metadata_files_deleted(table)
    if left_log:
        files[Kind.METADATA_JSON] = left_log
        deleted[Kind.METADATA_JSON] = round(sizes.written_through(left_log - 1))
    return deleted, files


def metadata_files_deleted(table: Maintained) -> int:
    """Files of metadata.json that are gone: the oldest so many."""
    model, sizes = table.model, table.sizes
    if model.delete_after_commit:
        return max(0, sizes.versions - model.metadata.log_limit)
    orphans = model.upkeep.maintenance.remove_orphan_files
    count = model.upkeep.dues_count(orphans.every if orphans is not None else None)
    if orphans is None or not count:
        return 0
    # what goes at the last time includes all that went before
    dues = model.upkeep.dues(orphans.every, past=count - 1)
    replaced, expired, time_s = table.history.replacements, table.expiries, dues.event_time_s
    made = int(snapshots_made(model.upkeep, replaced, dues)[0])
    expiries = expired.by(float(time_s[0]) + model.upkeep.at_once_s)
    version = made + expiries
    out_of_log = max(0, version - model.metadata.log_limit)
    gone = int(expired.gone_after(np.array([expiries]))[0])
    oldest = max(gone, int(snapshots_before(model.upkeep, replaced, time_s - orphans.older_than)[0])) + 1
    young = sizes.version_of(oldest) if oldest <= made else version
    return min(out_of_log, young)


def maintained_live_bytes(table: Maintained) -> dict[Kind, int]:
    """Bytes reachable from the last snapshot, and its metadata.json, by kind."""
    history, sizes, model = table.history, table.sizes, table.model
    live = dict.fromkeys(Kind, 0)
    live[Kind.METADATA_JSON] = round(float(sizes.at(np.array([sizes.versions]))[0]))
    live[Kind.MANIFEST_LIST] = round(
        sizes.lists_through(history.snapshots) - sizes.lists_through(history.snapshots - 1)
    )
    _, written, _, dropped = history.turns.running.totals
    written += model.upkeep.commits * model.manifests.new_bytes
    live[Kind.DATA_MANIFEST] = round(written - history.unused_bytes - dropped)
    live[Kind.DATA] = round(history.live_bytes)
    if model.upserts is not None:
        add_live_deletes(live, model.upserts, history)
    return live
