"""File by file: may I delete it?"""

from dataclasses import dataclass
from datetime import UTC, datetime

from wasim.doctor.states import FileState, State
from wasim.doctor.tree import Tree
from wasim.units import DAY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a file may be deleted, and why or why not."""

    may_delete: bool
    reason: str


_REASONS = {
    State.LIVE: "the current snapshot or its metadata.json is made of it",
    State.METADATA_LOG: "the metadata log names it; readers do not need it, and delete-after-commit or a shorter log"
    " lets it go",
    State.YOUNG: "nothing refers to it, but it is younger than the grace period: a commit under way may be writing it",
    State.UNKNOWN: "nothing that could be read refers to it, but not everything could be read",
    State.OTHER: "it is no file of Iceberg's",
}


def verdict_of(file: FileState, tree: Tree) -> Verdict:
    """The verdict on a file of a tree."""
    if file.state is State.ORPHAN:
        days = (tree.opened.listed_at_s - file.modified_s) / DAY_S
        return Verdict(
            may_delete=True,
            reason=f"neither a retained snapshot nor the metadata log refers to it, and it is {days:.1f} days old;"
            " remove_orphan_files deletes it",
        )
    if file.state is State.RETAINED:
        return Verdict(may_delete=False, reason=_retained(file, tree))
    return Verdict(may_delete=False, reason=_REASONS[file.state])


def _retained(file: FileState, tree: Tree) -> str:
    if file.last_seen is None or not 0 <= file.last_seen < len(tree.index.snapshots):
        return "a retained snapshot refers to it; expire_snapshots lets it go"
    snapshot = tree.index.snapshots[file.last_seen]
    try:
        at = f" of {datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        at = ""
    return f"snapshot {snapshot.snapshot_id}{at} needs it; expire_snapshots past that one lets it go"
