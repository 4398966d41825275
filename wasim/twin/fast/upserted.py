"""What a writer that deletes by key adds to a table's totals: delete files, their manifests, and staged manifests."""

from wasim.ledger import Kind, Totals
from wasim.twin.fast.history import TableHistory
from wasim.twin.fast.sizes import UpsertLaws


def add_upserts(totals: Totals, laws: UpsertLaws, history: TableHistory, gone: int) -> None:
    """Enters them, with what the expiry of so many snapshots deleted."""
    deletes, commits, (staged, staged_deletes) = _of_deletes(history), history.commits, laws.staged_bytes
    manifests, (turns_written, turns_bytes, *_) = Kind.DELETE_MANIFEST, deletes.turns.running.totals
    totals.files_written[manifests] = 2 * commits + round(turns_written)
    totals.written_bytes[manifests] = round(commits * (staged_deletes + laws.manifests.new_bytes) + turns_bytes)
    totals.files_written[Kind.DELETE_FILE] = round(laws.files_of(commits))
    totals.written_bytes[Kind.DELETE_FILE] = round(laws.bytes_of(commits))
    unreached, unreached_bytes = deletes.dropped_through(gone + 1) if gone else (0, 0.0)
    totals.files_deleted[manifests] = commits + deletes.unused + unreached
    totals.deleted_bytes[manifests] = round(commits * staged_deletes + deletes.unused_bytes + unreached_bytes)
    removed = deletes.removed_through(gone + 1)[0] if gone else 0
    totals.files_deleted[Kind.DELETE_FILE] = round(laws.files_of(removed))
    totals.deleted_bytes[Kind.DELETE_FILE] = round(laws.bytes_of(removed))
    # what was staged of data goes with the commit too
    for files, sizes in (
        (totals.files_written, totals.written_bytes),
        (totals.files_deleted, totals.deleted_bytes),
    ):
        files[Kind.DATA_MANIFEST] += commits
        sizes[Kind.DATA_MANIFEST] += round(commits * staged)


def add_live_deletes(live: dict[Kind, int], laws: UpsertLaws, history: TableHistory) -> None:
    """Enters the bytes of delete files that are there at the end, and of their manifests."""
    deletes = _of_deletes(history)
    _, written, _, dropped = deletes.turns.running.totals
    written += history.commits * laws.manifests.new_bytes
    live[Kind.DELETE_MANIFEST] = round(written - deletes.unused_bytes - dropped)
    removed = round(float(deletes.compactions.removed_files.sum()))
    live[Kind.DELETE_FILE] = round(laws.bytes_of(history.commits) - laws.bytes_of(removed))


def _of_deletes(history: TableHistory) -> TableHistory:
    if history.deletes is None:
        raise TypeError("The history is of a table without deletes.")
    return history.deletes
