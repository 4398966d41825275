"""The queries that a case's table is probed with, and how long Spark takes to execute one after it is planned."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wasim.ledger import FULL_SCAN
from wasim.scenario import Case
from wasim.scenario.parts import Table
from wasim.spark import Session
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
    """A full scan; one partition, if there are any; a predicate that statistics prune. All find the last commit.

    `table` is the table as it then is, which may have evolved.
    """
    yield Query(name=FULL_SCAN)
    last_row = case.rows_through(after_commit) - 1
    if table.partition_by:
        yield Query(name="one_partition", predicate=_partition_predicate(session, case, table, last_row))
    first_of_last_commit = case.rows_through(after_commit - 1)
    yield Query(
        name="statistics",
        predicate=Predicate(
            column="event_id", comparison="greaterThanOrEqual", value=first_of_last_commit, sql_type="bigint"
        ),
    )


def _partition_predicate(session: Session, case: Case, table: Table, row: int) -> Predicate:
    """The first partition field pinned to where `row` lives: its value, or for times the start of its hour, day …"""
    field = table.partition_by[0]
    column = next(column for column in table.all_columns if column.name == field.column)
    in_time = field.transform in ("year", "month", "day", "hour")
    value = f"date_trunc('{field.transform}', `{field.column}`)" if in_time else f"`{field.column}`"
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
        column=field.column,
        comparison="greaterThanOrEqual" if in_time else "equal",
        value=found,
        sql_type=spark_type(column),
    )


def execution_ms(session: Session, table: str, query: Query, *, rounds: int) -> Floats:
    """Milliseconds that Spark takes to run a count over the query's rows after it has planned it, per round."""
    spent = []
    for _ in range(rounds):
        session.spark.sql(f"REFRESH TABLE {table}")
        rows = session.spark.table(table)
        if query.predicate is not None:
            rows = rows.where(query.predicate.sql())
        counted = rows.selectExpr("count(event_time)")
        counted._jdf.queryExecution().executedPlan().outputPartitioning()  # plans the scan, outside the clock
        started_s = time.perf_counter()
        counted.collect()
        spent.append((time.perf_counter() - started_s) * 1e3)
    return np.array(spent)
