"""What a snapshot's summary says of a commit, as text by key."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTotals:
    """The table as a snapshot counts it. Delete files there are none."""

    files: int = 0
    records: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitCounts:
    """One commit and the table after it. `entries_processed` is None where the operation does not count them."""

    manifests_created: int = 0
    manifests_kept: int = 0
    manifests_replaced: int = 0
    entries_processed: int | None = None
    added_files: int = 0
    removed_files: int = 0
    added_records: int = 0
    removed_records: int = 0
    added_bytes: int = 0
    removed_bytes: int = 0
    changed_partitions: int = 0
    totals: TableTotals = field(default_factory=TableTotals)

    def after(self, before: TableTotals) -> "CommitCounts":
        """The same with the totals of the table, which had `before`."""
        return replace(
            self,
            totals=TableTotals(
                files=before.files + self.added_files - self.removed_files,
                records=before.records + self.added_records - self.removed_records,
                bytes=before.bytes + self.added_bytes - self.removed_bytes,
            ),
        )


def summary_counters(counts: CommitCounts) -> dict[str, str]:
    """Iceberg's counters by their key, in its order."""
    always = {
        "manifests-created": counts.manifests_created,
        "manifests-kept": counts.manifests_kept,
        "manifests-replaced": counts.manifests_replaced,
    }
    if counts.entries_processed is not None:
        always["entries-processed"] = counts.entries_processed
    if_any = {
        "added-data-files": counts.added_files,
        "deleted-data-files": counts.removed_files,
        "added-records": counts.added_records,
        "deleted-records": counts.removed_records,
        "added-files-size": counts.added_bytes,
        "removed-files-size": counts.removed_bytes,
    }
    totals = {
        "changed-partition-count": counts.changed_partitions,
        "total-records": counts.totals.records,
        "total-files-size": counts.totals.bytes,
        "total-data-files": counts.totals.files,
        "total-delete-files": 0,
        "total-position-deletes": 0,
        "total-equality-deletes": 0,
    }
    numbers = always | {key: number for key, number in if_any.items() if number > 0} | totals
    return {key: str(number) for key, number in numbers.items()}


def operation_summary(
    templates: Mapping[str, str], counts: CommitCounts, texts: Mapping[str, str], own: Collection[str]
) -> dict[str, str]:
    """The summary of a commit that is not the writer's, from the templates of the writer's.

    Of the keys that the writer puts before the counters it has those in `own`; what follows the totals comes from the
    process and is in every summary.
    """
    keys = list(templates)
    last = max(place for place, key in enumerate(keys) if key in COUNTERS)
    counters = summary_counters(counts)
    before = [key for key in keys[:last] if key not in COUNTERS and key in own]
    unknown = {key for key in COUNTERS if key.startswith("manifests-")} - templates.keys()  # to an older Iceberg
    return {
        **{key: templates[key].format_map(texts) for key in before},
        **{key: text for key, text in counters.items() if key not in unknown},
        **{key: templates[key].format_map(texts) for key in keys[last + 1 :]},
    }


# Those of an append, of which a writer's profile has templates.
COUNTERS = frozenset(summary_counters(CommitCounts(added_files=1, added_records=1, added_bytes=1)))
