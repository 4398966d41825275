"""The queries that a case's table is probed with, and how long Spark takes to execute one after it is planned."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wasim.ledger import FULL_SCAN
from wasim.scenario import Case
from wasim.scenario.parts import Table
from wasim.spark import Session
from wasim.spark.drive.engine import Target
from wasim.spark.drive.rows import select_list, spark_type
from wasim.units import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """`column` compared with `value`, in terms that both Spark SQL and Iceberg read. Times and decimals are text."""

    column: str
    comparison: str  # equal | greaterThanOrEqual
    value: int | str
    sql_type: str

    def sql(self) -> str:
        """The predicate as a Spark SQL condition."""
        sign = {"equal": "=", "greaterThanOrEqual": ">="}[self.comparison]
        literal = str(self.value).replace("\\", "\\\\").replace("'", "\\'")
        return f"`{self.column}` {sign} CAST('{literal}' AS {self.sql_type})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query to plan: its name, and its predicate unless it reads everything."""

    name: str  # full_scan | one_partition | statistics
    predicate: Predicate | None = None


def queries(session: Session, case: Case, table: Table, *, after_commit: int) -> Iterator[Query]:
    """A full scan; one partition, if there are any; a predicate on key or time that statistics prune. All find the last
    commit.

    `table` is the table as it then is, which may have evolved.
    """
    yield Query(name=FULL_SCAN)
    last_row = case.rows_through(after_commit) - 1
    if table.partition_by:
        yield Query(name="one_partition", predicate=_partition_predicate(session, case, table, last_row))
    growing, first_of_last_commit = table.key_column or table.time_column, case.rows_through(after_commit - 1)
    if growing is not None:
        yield Query(name="statistics", predicate=_predicate(session, case, table, growing, first_of_last_commit))


def _partition_predicate(session: Session, case: Case, table: Table, row: int) -> Predicate:
    """The first partition field pinned to where `row` lives: its value, or for times the start of its hour, day …"""
    field = table.partition_by[0]
    unit = field.transform if field.transform in ("year", "month", "day", "hour") else None
    comparison = "equal" if unit is None else "greaterThanOrEqual"
    return _predicate(session, case, table, field.column, row, comparison=comparison, unit=unit)


def _predicate(
    session: Session,
    case: Case,
    table: Table,
    name: str,
    row: int,
    *,
    comparison: str = "greaterThanOrEqual",
    unit: str | None = None,
) -> Predicate:
    """The column compared with its value in `row`, for times the start of the `unit` if one is given."""
    column = next(column for column in table.all_columns if column.name == name)
    value = f"`{name}`" if unit is None else f"date_trunc('{unit}', `{name}`)"
    rows = session.spark.range(row, row + 1, 1, 1).toDF("value").selectExpr(*select_list(case, table))
    if column.type in ("timestamp", "timestamptz"):
        # Iceberg reads times from ISO text; the session's zone is UTC
        zone = "XXX" if column.type == "timestamptz" else ""
        value = f"date_format({value}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS{zone}\")"
        value = f"replace({value}, 'Z', '+00:00')"
    elif column.type not in ("int", "long"):
        value = f"CAST({value} AS STRING)"
    found = rows.selectExpr(f"{value} AS found").collect()[0].found
    return Predicate(
        column=name,
        comparison=comparison,
        value=found,
        sql_type=spark_type(column),
    )


def execution_ms(target: Target, table: Table, query: Query, *, rounds: int) -> Floats:
    """Milliseconds that Spark takes to run a count over the query's rows after it has planned it, per round."""
    spark, counted_column, spent = target.session.spark, table.time_column or table.all_columns[0].name, []
    for _ in range(rounds):
        spark.sql(f"REFRESH TABLE {target.table}")
        rows = spark.table(target.table)
        if query.predicate is not None:
            rows = rows.where(query.predicate.sql())
        counted = rows.selectExpr(f"count(`{counted_column}`)")
        counted._jdf.queryExecution().executedPlan().outputPartitioning()  # plans the scan, outside the clock
        started_s = time.perf_counter()
        counted.collect()
        spent.append((time.perf_counter() - started_s) * 1e3)
    return np.array(spent)
