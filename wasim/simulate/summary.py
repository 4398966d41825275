"""What a snapshot's summary says of an append, as text by key."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendCounts:
    """One append and the table after it. Deletes there are none."""

    manifests_created: int
    manifests_kept: int
    manifests_replaced: int
    added_files: int
    added_records: int
    added_bytes: int
    changed_partitions: int
    total_files: int
    total_records: int
    total_bytes: int


def summary_counters(counts: AppendCounts) -> dict[str, str]:
    """Iceberg's counters by their key."""
    numbers = {
        "manifests-created": counts.manifests_created,
        "manifests-kept": counts.manifests_kept,
        "manifests-replaced": counts.manifests_replaced,
        "added-data-files": counts.added_files,
        "added-records": counts.added_records,
        "added-files-size": counts.added_bytes,
        "changed-partition-count": counts.changed_partitions,
        "total-records": counts.total_records,
        "total-files-size": counts.total_bytes,
        "total-data-files": counts.total_files,
        "total-delete-files": 0,
        "total-position-deletes": 0,
        "total-equality-deletes": 0,
    }
    return {key: str(number) for key, number in numbers.items()}


COUNTERS = frozenset(
    summary_counters(
        AppendCounts(
            manifests_created=0,
            manifests_kept=0,
            manifests_replaced=0,
            added_files=0,
            added_records=0,
            added_bytes=0,
            changed_partitions=0,
            total_files=0,
            total_records=0,
            total_bytes=0,
        )
    )
)
