"""A case's operations carried out by Spark: changes, maintenance, evolution; and engine `spark`, ready for use."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from wasim.errors import CaseFailed, WasimError
from wasim.iceberg.sql import literal
from wasim.scenario import Case
from wasim.scenario.changes import Widening
from wasim.scenario.parts import Columns
from wasim.scenario.settings import whole_paths
from wasim.spark.drive.appends import open_appender
from wasim.spark.drive.changes import change_rows
from wasim.spark.drive.engine import Engine, EngineSession, Operation, Target
from wasim.spark.drive.rows import partition_sql, spark_type
from wasim.workload import ChangeRows, Evolve, Maintain

MOST_WRITERS = 64  # each is a thread with a Spark session of its own


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
    match step.operation:
        case "rewrite_manifests":
            target.call("rewrite_manifests")
        case "expire_snapshots":
            since = datetime.fromtimestamp(_wall_ms_at(target, step) / 1000, UTC)
            text = since.isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")
            target.call("expire_snapshots", f", older_than => TIMESTAMP '{text}', retain_last => {step.retain_last}")
        case _:
            _remove_orphan_files(target, step)


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


def _remove_orphan_files(target: Target, step: Maintain) -> None:
    # the procedure refuses ages below a day, the action behind it does not
    actions = target.session.jvm.org.apache.iceberg.spark.actions.SparkActions.get(target.session.spark._jsparkSession)
    table = target.iceberg_table()
    older_than_ms = target.journal.reported_before_ms(step.event_time_s - step.age_s) + 1
    action = actions.deleteOrphanFiles(table).olderThan(older_than_ms)
    # Hadoop, which it would list with, knows no s3:
    action.usePrefixListing(str(table.location()).startswith("s3:")).execute()


def _wall_ms_at(target: Target, step: Maintain) -> int:
    """Wall time, in milliseconds, of the oldest retained snapshot that is younger than the step's age in event time.

    Snapshots and files carry the wall clock's time, whatever the case's clock; the journal knows which snapshot was
    committed at which event time.
    """
    table = target.iceberg_table()
    for snapshot_id in target.journal.snapshots_since(step.event_time_s - step.age_s):
        snapshot = table.snapshot(snapshot_id)
        if snapshot is not None:  # it may have been expired by number
            return int(snapshot.timestampMillis())
    return round(time.time() * 1000)


def evolve_table(target: Target, step: Evolve) -> None:
    """Carries out one thing of the table's evolution."""
    if step.evolution.rollback_commits is not None:
        _roll_back(target, step.evolution.rollback_commits)
    else:
        target.session.run(f"ALTER TABLE {target.table} {_clause(step, target.location)}")


def _clause(step: Evolve, location: str) -> str:
    value: Any = getattr(step.evolution, step.operation)
    if step.operation == "set_properties":
        value = whole_paths(value, location)
    make = _CLAUSES.get(step.operation)
    if make is None:
        raise CaseFailed(f"Engine spark does not know the evolution {step.operation}.")
    return make(value, step)


def _added(value: Columns, step: Evolve) -> str:
    added = [column for column in step.table.all_columns if column.name in value.names]
    return f"ADD COLUMNS ({', '.join(f'`{column.name}` {spark_type(column)}' for column in added)})"


def _widened(value: Widening, step: Evolve) -> str:
    column = next(column for column in step.table.all_columns if column.name == value.column)
    return f"ALTER COLUMN `{value.column}` TYPE {spark_type(column)}"


def _properties(value: dict[str, str], step: Evolve) -> str:
    return f"SET TBLPROPERTIES ({', '.join(f'{literal(key)} = {literal(text)}' for key, text in value.items())})"


_CLAUSES: dict[str, Callable[[Any, Evolve], str]] = {
    "add_column": _added,
    "drop_column": lambda name, step: f"DROP COLUMN `{name}`",
    "rename_column": lambda names, step: f"RENAME COLUMN `{names.column}` TO `{names.to}`",
    "widen_column": _widened,
    "move_column": lambda names, step: f"ALTER COLUMN `{names.column}` AFTER `{names.after}`",
    "make_optional": lambda name, step: f"ALTER COLUMN `{name}` DROP NOT NULL",
    "add_partition_field": lambda field, step: f"ADD PARTITION FIELD {partition_sql(field)}",
    "drop_partition_field": lambda field, step: f"DROP PARTITION FIELD {partition_sql(field)}",
    "set_properties": _properties,
    "create_tag": lambda name, step: f"CREATE TAG `{name}`",
    "create_branch": lambda name, step: f"CREATE BRANCH `{name}`",
}


def _roll_back(target: Target, commits: int) -> None:
    table = target.iceberg_table()
    snapshot = table.currentSnapshot()
    for _ in range(commits):
        parent = snapshot.parentId() if snapshot is not None else None
        snapshot = table.snapshot(parent) if parent is not None else None
    if snapshot is None:
        raise CaseFailed(f"The table has no snapshot {commits} commits back to roll back to: none yet, or expired.")
    target.call("rollback_to_snapshot", f", snapshot_id => {snapshot.snapshotId()}")


def operate(
    target: Target,
    step: Operation,
    *,
    change: Callable[[Target, ChangeRows], None] = change_rows,
    compact: Callable[[Target, Maintain], None] = rewrite_data_files,
) -> None:
    """Carries out a step that is no append, and enters into the journal when it began and when it was done.

    `change` and `compact` are the two kinds that write data files.
    """
    # the writer may have committed in a session of its own, and Spark keeps a table for half a minute as it saw it
    target.session.spark.catalog.refreshTable(target.table)
    if isinstance(step, Maintain) and not is_due(target, step):
        return
    arrived = step.rows_arrived if isinstance(step, ChangeRows) else 0
    target.journal.step(step.number, step.operation, event_time_s=step.event_time_s, rows=arrived)
    match step:
        case ChangeRows():
            change(target, step)
        case Maintain(operation="rewrite_data_files"):
            compact(target, step)
        case Maintain():
            maintain(target, step)
        case Evolve():
            evolve_table(target, step)
    target.journal.done(snapshots_of(target, target.iceberg_table()))


def refuse_other_writers(case: Case) -> None:
    """Raises WasimError for writers other than this Spark, for more of them than it can run, and for arrivals."""
    own = case.writer.profile
    if own in ("flink", "pyiceberg"):
        raise WasimError(f"writer.profile is {own}, whose engine is its own. Give --engine {own}.")
    if case.writer.profile is not None:
        raise WasimError(
            f"writer.profile is {case.writer.profile}, which no engine here runs. Simulate it (wasim simulate), or take"
            " it out and give kind: streaming or batch."
        )
    if case.key_columns:
        raise WasimError(
            "writer.upsert of mode equality-deletes is Flink's. Give --engine flink, or mode copy-on-write or"
            " merge-on-read."
        )
    where = case.environment
    alone = not case.only_appends or where.store != "local" or where.catalog not in ("jdbc", "hadoop", "in_memory")
    if case.writer.tables > 1 and alone:
        raise WasimError(
            f"writer.tables is {case.writer.tables:,}, but to several tables engine spark only appends, in local files"
            " of a jdbc, hadoop or in_memory catalog. Simulate them (wasim simulate, plan), or give 1."
        )
    writers = case.writer.writers
    if writers > MOST_WRITERS:
        raise WasimError(f"writer.writers is {writers:,}, and {MOST_WRITERS} run here at most. Simulate them.")
    if writers > 1 and case.environment.store != "local":
        raise WasimError(
            f"writer.writers is {writers}, but requests to S3 cannot be assigned to a commit while several write."
            " Simulate them, or give environment.store: local."
        )
    if case.workload.active is not None:
        raise WasimError("workload.active is simulated only. Simulate it (wasim simulate), or take it out.")
    if case.writer.arrivals is not None:
        raise WasimError(
            f"writer.arrivals is {case.writer.arrivals}, which is simulated only: here the clock says when writers"
            " commit. Simulate it (wasim simulate), or take it out."
        )


def _open(target: Target) -> EngineSession:
    return EngineSession(appender=open_appender(target), operate=partial(operate, target))


# All else that a scenario describes Spark does
SPARK = Engine(name="spark", writes_data=True, check=refuse_other_writers, open=_open)
