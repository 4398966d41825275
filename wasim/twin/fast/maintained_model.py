"""What is fitted of a table that is kept in order."""

from dataclasses import dataclass

from wasim.model import Appends
from wasim.twin.fast.metadata_sizes import MetadataLaws
from wasim.twin.fast.sizes import ManifestLaws, UpsertLaws
from wasim.twin.fast.upkeep import Upkeep


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainedModel:
    """What a fit knows of one case under maintenance.

    `appends_merge`: whether commits are MergeAppend; `merge_enabled`: whether the table lets anything merge.
    `partitions`: as many data files compaction writes. `upserts` are those of a writer that deletes by key.
    """

    appends: Appends
    upkeep: Upkeep
    metadata: MetadataLaws
    manifests: ManifestLaws
    delete_after_commit: bool
    appends_merge: bool
    merge_enabled: bool
    is_partitioned: bool
    partitions: int
    upserts: UpsertLaws | None = None
