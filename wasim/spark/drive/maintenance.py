"""Maintenance on real Spark: Iceberg's procedures, with ages turned from event time into the wall clock's."""

import time
from datetime import UTC, datetime
from typing import Any

from wasim.spark.drive.engine import Target
from wasim.workload import Maintain


def is_due(target: Target, step: Maintain) -> bool:
    """Whether the table has come to the step's condition; without one it always has."""
    return step.condition is None or _count(target, step, step.condition.measure) >= step.condition.least


def _count(target: Target, step: Maintain, measure: str) -> int:
    if measure == "small_files":
        files = target.session.spark.table(f"{target.table}.files")
        return files.where(f"content = 0 AND file_size_in_bytes < {step.small_file_bytes}").count()
    table = target.iceberg_table()
    if measure == "snapshots":
        return snapshots_of(target, table)
    current = table.currentSnapshot()
    return len(current.allManifests(table.io())) if current is not None else 0


def snapshots_of(target: Target, table: Any) -> int:
    """Snapshots that the table retains."""
    return int(
        target.session.jvm.org.apache.iceberg.relocated.com.google.common.collect.Iterables.size(table.snapshots())
    )


def maintain(target: Target, step: Maintain) -> None:
    """Carries out one maintenance operation that writes no data files."""
    {
        "rewrite_manifests": _rewrite_manifests,
        "expire_snapshots": _expire_snapshots,
        "remove_orphan_files": _remove_orphan_files,
    }[step.operation](target, step)


def rewrite_data_files(target: Target, step: Maintain) -> None:
    """Compacts the table's data files by Iceberg's procedure."""
    options: dict[str, object] = {
        "target-file-size-bytes": step.target_file_size_bytes,
        "min-input-files": step.min_input_files,
    }
    if step.partial_progress_commits is not None:
        options |= {"partial-progress.enabled": "true", "partial-progress.max-commits": step.partial_progress_commits}
    listed = ", ".join(f"'{key}', '{value}'" for key, value in options.items())
    target.call("rewrite_data_files", f", options => map({listed})")


def _rewrite_manifests(target: Target, step: Maintain) -> None:
    target.call("rewrite_manifests")


def _expire_snapshots(target: Target, step: Maintain) -> None:
    since = datetime.fromtimestamp(_wall_ms_at(target, step) / 1000, UTC)
    text = since.isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")
    target.call("expire_snapshots", f", older_than => TIMESTAMP '{text}', retain_last => {step.retain_last}")


def _remove_orphan_files(target: Target, step: Maintain) -> None:
    # the procedure refuses ages below a day, the action behind it does not
    actions = target.session.jvm.org.apache.iceberg.spark.actions.SparkActions.get(target.session.spark._jsparkSession)
    table = target.iceberg_table()
    action = actions.deleteOrphanFiles(table).olderThan(_wall_ms_at(target, step))
    # Hadoop, which it would list with, knows no s3:
    action.usePrefixListing(str(table.location()).startswith("s3:")).execute()


def _wall_ms_at(target: Target, step: Maintain) -> int:
    """Wall time, in milliseconds, of the oldest snapshot that is younger than the step's age in event time.

    Snapshots and files carry the wall clock's time, whatever the case's clock; the journal knows which snapshot was
    committed at which event time.
    """
    table = target.iceberg_table()
    for snapshot_id in target.journal.snapshots_since(step.event_time_s - step.age_s):
        snapshot = table.snapshot(snapshot_id)
        if snapshot is not None:  # it may have been expired by number
            return int(snapshot.timestampMillis())
    return round(time.time() * 1000)
