"""Evolution on real Spark: ALTER TABLE, references and rollback."""

from collections.abc import Callable
from typing import Any

from wasim.errors import CaseFailed
from wasim.scenario.changes import Widening
from wasim.scenario.parts import Columns
from wasim.scenario.paths import whole_paths
from wasim.spark.drive.engine import Target
from wasim.spark.drive.rows import spark_type
from wasim.spark.drive.table import partition_sql, quoted
from wasim.workload import Evolve


def evolve_table(target: Target, step: Evolve) -> None:
    """Carries out one thing of the table's evolution."""
    if step.evolution.rollback_commits is not None:
        _roll_back(target, step.evolution.rollback_commits)
    else:
        target.session.run(f"ALTER TABLE {target.table} {_clause(step, target.location)}")


def _clause(step: Evolve, location: str) -> str:
    """The ALTER TABLE clause of the step, on a table at `location`."""
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
    return f"SET TBLPROPERTIES ({', '.join(f'{quoted(key)} = {quoted(text)}' for key, text in value.items())})"


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
