"""Changes to rows on real Spark: UPDATE, DELETE, MERGE INTO and INSERT OVERWRITE."""

from typing import Any

from wasim.scenario.change_checks import changed_column
from wasim.spark.drive.engine import Target
from wasim.spark.drive.rows import column_value, select_list
from wasim.workload import SCATTER, Append, ChangeRows, RowChoice

_SOURCE = "wasim_source"


def change_rows(target: Target, step: ChangeRows) -> None:
    """Carries out one change, as one statement."""
    {"update": _update, "delete": _delete, "merge": _merge, "overwrite": _overwrite}[step.operation](target, step)


def chosen(rows: RowChoice, number: str) -> str:
    """A SQL condition on the row number `number` that holds for these rows."""
    condition = f"{number} >= {rows.first} AND {number} < {rows.stop}"
    scattered = f" AND pmod(xxhash64({number}, {rows.salt}), {SCATTER}) < {rows.parts}"
    return condition + (scattered if rows.is_scattered else "")


def _update(target: Target, step: ChangeRows) -> None:
    name, key = changed_column(step.table), f"`{step.table.key_column}`"
    column = next(column for column in step.table.all_columns if column.name == name)
    value = column_value(column, target.case.seed + step.number, f"{target.places[column.name]}", key)
    target.session.run(f"UPDATE {target.table} SET `{name}` = {value} WHERE {chosen(step.rows, key)}")


def _delete(target: Target, step: ChangeRows) -> None:
    target.session.run(f"DELETE FROM {target.table} WHERE {chosen(step.rows, f'`{step.table.key_column}`')}")


def _rows(target: Target, step: ChangeRows) -> Any:
    spark, files = target.session.spark, target.case.workload.files_per_commit
    values = spark.range(step.rows.first, step.rows.stop, 1, files).toDF("value").where(chosen(step.rows, "value"))
    if step.new_rows[0]:
        values = values.union(spark.range(*step.new_rows, 1, files).toDF("value"))
    selected = select_list(target.case, step.table, target.places, version=step.number, late_s=step.event_time_s)
    return values.selectExpr(*selected)


def _merge(target: Target, step: ChangeRows) -> None:
    merge_rows(_rows(target, step), target.table, f"{step.table.key_column}")


def _overwrite(target: Target, step: ChangeRows) -> None:
    writer = _rows(target, step).writeTo(target.table)
    if step.dynamic:
        writer.overwritePartitions()
    else:
        writer.overwrite(target.session.condition("true"))


def merge_rows(rows: Any, table: str, key: str) -> None:
    """MERGE INTO the table: rows whose value of the column `key` it has replace it, the others are inserted."""
    rows.createOrReplaceTempView(_SOURCE)
    rows.sparkSession.sql(
        f"MERGE INTO {table} t USING {_SOURCE} s ON t.`{key}` = s.`{key}`"
        " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def upserted_rows(target: Target, step: Append, commit: int, values: Any) -> Any:
    """The rows of an upserting commit: the first `replaced_per_commit` have numbers of earlier rows, others are new.

    Scattered ones stand one in each of as many equal stretches of the table, at a place that changes by commit.
    """
    case = target.case
    replaced, before = step.replaced_per_commit, case.rows_through(commit - 1)
    offset = f"(value - {(commit - 1) * step.rows_per_commit})"
    stretch = before // replaced
    scattered = f"{offset} * {stretch} + pmod(xxhash64({commit}, {case.seed}), {stretch})"
    newest = f"{before - replaced} + {offset}"
    earlier = newest if case.writer.upsert and case.writer.upsert.locality == "newest" else scattered
    number = f"CASE WHEN {offset} < {replaced} THEN {earlier} ELSE {before - replaced} + {offset} END"
    return values.selectExpr(f"{number} AS value").selectExpr(
        *select_list(case, step.table, target.places, version=commit)
    )
