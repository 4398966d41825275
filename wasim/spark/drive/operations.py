"""Changes, maintenance and evolution of a table, on real Spark."""

from collections.abc import Callable

from wasim.spark.drive.changes import change_rows
from wasim.spark.drive.engine import Operation, Target
from wasim.spark.drive.evolution import evolve_table
from wasim.spark.drive.maintenance import is_due, maintain, rewrite_data_files, snapshots_of
from wasim.workload import ChangeRows, Evolve, Maintain


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
