"""What a simulated commit is made of: the rules it follows, its moment, and what it makes of the table's manifests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.releases import Release
from wasim.rules.merging import MergePolicy
from wasim.twin.identifiers import CommitIdentity, Locations, locations_of
from wasim.twin.live_manifests import LiveEntry, LiveManifest
from wasim.twin.profile import Names
from wasim.twin.summary import CommitCounts, TableTotals, count_files


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """What decides how a table commits."""

    locations: Locations
    properties: TableProperties
    format_version: int
    appends_merge: bool  # Iceberg's MergeAppend, else FastAppend
    names: Names
    release: Release
    summary: dict[str, str]  # templates in order
    keeps_history: bool = False  # for what needs to know what earlier snapshots hold

    def with_properties(self, properties: TableProperties) -> "TableRules":
        """The rules of the same table with other properties, as a scenario gives them."""
        return replace(self, properties=properties, locations=locations_of(self.locations.table, properties))

    @property
    def policy(self) -> MergePolicy:
        """The rules by which manifests merge."""
        return merge_policy(self.properties)


def merge_policy(properties: TableProperties) -> MergePolicy:
    """The policy that a table's properties set for commits that merge."""
    return MergePolicy(
        enabled=properties.manifest_merge_enabled,
        min_count=properties.merged_from,
        target_bytes=properties.packed_to_bytes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a commit happens, and the texts of its summary."""

    event_time_s: float
    timestamp_ms: int  # of the snapshot
    updated_ms: int  # of the metadata, a moment later
    texts: dict[str, str]  # for the summary's templates: query_id, epoch …


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a snapshot holds."""

    snapshot_id: int
    parent_snapshot_id: int | None
    timestamp_ms: int
    event_time_s: float
    list_file: str  # relative to the table
    manifests: tuple[LiveManifest, ...]
    totals: TableTotals


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an operation makes of the table: its manifests, as the new list holds them, and what the summary counts."""

    operation: str  # Iceberg's: append, delete, overwrite or replace
    manifests: Sequence[LiveManifest]
    counts: CommitCounts
    summary: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Manifests after merging: how many older ones were replaced, and which of its own the commit no longer lists."""

    manifests: list[LiveManifest]
    replaced: int = 0
    unused: Sequence[LiveManifest] = ()


def new_entries(
    files: Sequence[DataFileEntry], identity: CommitIdentity, *, data_sequence_number: int | None = None
) -> list[LiveEntry]:
    """Entries of files that a commit adds, whose rows are of that sequence number if it is not the commit's."""
    own = identity.sequence_number
    return [
        LiveEntry(
            file=file,
            snapshot_id=identity.snapshot_id,
            sequence_number=own if data_sequence_number is None else data_sequence_number,
            file_sequence_number=None if data_sequence_number is None else own,
        )
        for file in files
    ]


def count_commit(
    merged: Merged, identity: CommitIdentity, added: Sequence[DataFileEntry] = (), removed: Sequence[DataFileEntry] = ()
) -> CommitCounts:
    """What a commit counts of its manifests, which it wrote or found, and of the files that it adds and removes."""
    created = [one.file.added_snapshot_id for one in merged.manifests].count(identity.snapshot_id)
    return CommitCounts(
        manifests_created=created,
        manifests_kept=len(merged.manifests) - created,
        manifests_replaced=merged.replaced,
        added=count_files(added),
        removed=count_files(removed),
        changed_partitions=len({file.partition for file in (*removed, *added)}),
    )


def report_row(change: Change, moment: Moment, *, snapshot_id: int, attempts: int) -> dict[str, Any]:
    """What a commit's report says, but for how many snapshots the table then has."""
    counts = change.counts
    return {
        "snapshot_operation": change.operation,
        "snapshot_id": snapshot_id,
        "event_time_s": moment.event_time_s,
        # The simulator knows nothing of time that passes, and says so.
        "commit_ms": np.nan,
        "step_ms": np.nan,
        "attempts": attempts,
        "manifests_created": counts.manifests_created,
        "manifests_kept": counts.manifests_kept,
        "manifests_replaced": counts.manifests_replaced,
        "entries_processed": counts.entries_processed or 0,
        "files_added": counts.added.files,
        "files_removed": counts.removed.files,
        "delete_files_added": counts.added.delete_files,
        "files_live": counts.totals.files,
        "delete_files_live": counts.totals.delete_files,
        "records_added": counts.added.records,
        "records_live": counts.totals.records,
        "data_bytes_added": counts.added.bytes,
        "data_bytes_live": counts.totals.bytes,
    }
