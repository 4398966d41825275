"""What is deleted as unneeded: orphan files, and expired snapshots with their files, by Iceberg's RemoveSnapshots."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wasim.iceberg.snapshots import SnapshotRef
from wasim.ledger import Kind
from wasim.twin.commits import Held
from wasim.twin.table import HINT, SimulatedTable


def expire_snapshots(table: SimulatedTable, *, older_than_ms: int, retain_last: int, updated_ms: int) -> None:
    """Removes the expired snapshots from the metadata, then deletes the files that no other snapshot refers to.

    Where none expires, Iceberg commits nothing. metadata.json files stay, whatever the snapshots that they name.
    """
    retained = retained_ids(table.history, table.json.base.refs, older_than_ms=older_than_ms, retain_last=retain_last)
    expired = [held for snapshot_id, held in table.history.items() if snapshot_id not in retained]
    if not expired:
        return
    table.json.remove([held.snapshot_id for held in expired])
    table.commit_metadata(replace(table.json.base), updated_ms)
    for held in expired:
        del table.history[held.snapshot_id]
    _delete_unreached(table, expired)


def retained_ids(
    history: Mapping[int, Held], refs: Mapping[str, SnapshotRef], *, older_than_ms: int, retain_last: int
) -> set[int]:
    """Ids of the snapshots that stay.

    Of each branch, the `retain_last` newest and those that are young enough; tagged ones; young ones without a branch.
    """
    retained = {ref.snapshot_id for ref in refs.values()}
    reached = {ref.snapshot_id for ref in refs.values() if ref.type != "branch"}
    for ref in refs.values():
        if ref.type != "branch":
            continue
        ancestors = list(_ancestors(history, ref.snapshot_id))
        reached |= {held.snapshot_id for held in ancestors}
        for place, held in enumerate(ancestors):
            if place >= retain_last and held.timestamp_ms < older_than_ms:
                break
            retained.add(held.snapshot_id)
    young = {held.snapshot_id for held in history.values() if held.timestamp_ms >= older_than_ms}
    return retained | (young - reached)


def _ancestors(history: Mapping[int, Held], snapshot_id: int) -> Iterator[Held]:
    held = history.get(snapshot_id)
    while held is not None:
        yield held
        held = history.get(held.parent_id) if held.parent_id is not None else None


def _delete_unreached(table: SimulatedTable, expired: list[Held]) -> None:
    """Deletes content files, manifests and lists of expired snapshots that no retained one reaches."""
    manifests = {manifest.file.manifest_path for held in table.history.values() for manifest in held.manifests}
    gone = {
        manifest.file.manifest_path: manifest
        for held in expired
        for manifest in held.manifests
        if manifest.file.manifest_path not in manifests
    }
    # a manifest that goes may list files that another one lists too, since a rewrite
    candidates = {entry.file.file_path: one.content_kind for one in gone.values() for entry in one.live}
    if candidates:
        kept = {id(one): one for held in table.history.values() for one in held.manifests}
        for manifest in kept.values():
            for entry in manifest.live:
                candidates.pop(entry.file.file_path, None)
    for path, kind in candidates.items():
        table.log.delete(kind, table.relative(path))
    for path, manifest in gone.items():
        table.log.delete(manifest.kind, table.relative(path))
    for held in expired:
        table.log.delete(Kind.MANIFEST_LIST, held.list_file)


def remove_orphan_files(table: SimulatedTable, *, older_than_ms: int) -> None:
    """Deletes files written before that wall time which neither a retained snapshot nor the metadata log names."""
    reached = {table.relative(entry.metadata_file) for entry in table.json.metadata_log}
    reached |= {table.relative(table.json_file), HINT}
    seen = {id(one): one for held in table.history.values() for one in held.manifests}
    for held in table.history.values():
        reached.add(held.list_file)
    for manifest in seen.values():
        reached.add(table.relative(manifest.file.manifest_path))
        reached |= {table.relative(entry.file.file_path) for entry in manifest.entries}
    for file, written in list(table.log.files.items()):
        if file not in reached and round(written.at_s * 1000) < older_than_ms:
            table.log.delete(written.kind, file)
