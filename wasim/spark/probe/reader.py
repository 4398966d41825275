"""A reader: what plans queries over a table. One module each; this one says what they share, and what is queried."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wasim.iceberg.sql import literal
from wasim.ledger import FULL_SCAN, PlanningProbe
from wasim.scenario.parts import Table
from wasim.spark.drive.engine import Target
from wasim.spark.drive.rows import select_list, spark_type
from wasim.units import Floats

SIGNS = {"equal": "=", "greaterThanOrEqual": ">="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """`column` compared with `value`, in terms that both Spark SQL and Iceberg read. Times and decimals are text."""

    column: str
    comparison: str  # equal | greaterThanOrEqual
    value: int | str
    sql_type: str

    def sql(self) -> str:
        """The predicate as a Spark SQL condition."""
        return f"`{self.column}` {SIGNS[self.comparison]} CAST({literal(str(self.value))} AS {self.sql_type})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query to plan: its name, and its predicate unless it reads everything."""

    name: str  # full_scan | one_partition | statistics
    predicate: Predicate | None = None


def queries(target: Target, table: Table, *, after_commit: int) -> Iterator[Query]:
    """A full scan; one partition, if there are any; a predicate on key or time that statistics prune. All find the last
    commit.

    `table` is the table as it then is, which may have evolved.
    """
    case = target.case
    yield Query(name=FULL_SCAN)
    last_row = case.rows_through(after_commit) - 1
    if table.partition_by:
        yield Query(name="one_partition", predicate=_partition_predicate(target, table, last_row))
    growing, first_of_last_commit = table.key_column or table.time_column, case.rows_through(after_commit - 1)
    if growing is not None:
        yield Query(name="statistics", predicate=_predicate(target, table, growing, first_of_last_commit))


def _partition_predicate(target: Target, table: Table, row: int) -> Predicate:
    """The first partition field pinned to where `row` lives: its value, or for times the start of its hour, day …"""
    field = table.partition_by[0]
    unit = field.transform if field.transform in ("year", "month", "day", "hour") else None
    comparison = "equal" if unit is None else "greaterThanOrEqual"
    return _predicate(target, table, field.column, row, comparison=comparison, unit=unit)


def _predicate(
    target: Target,
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
    selected = select_list(target.case, table, target.places)
    rows = target.session.spark.range(row, row + 1, 1, 1).toDF("value").selectExpr(*selected)
    if column.type in ("timestamp", "timestamptz"):
        # Iceberg reads times from ISO text; the session's zone is UTC
        zone = "XXX" if column.type == "timestamptz" else ""
        value = f"date_format({value}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS{zone}\")"
        value = f"replace({value}, 'Z', '+00:00')"
    elif column.type not in ("int", "long"):
        value = f"CAST({value} AS STRING)"
    found = rows.selectExpr(f"{value} AS found").collect()[0].found
    return Predicate(column=name, comparison=comparison, value=found, sql_type=spark_type(column))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What a table is while it is probed, as Iceberg's own library says. Manifests are of data."""

    metadata_location: str
    metadata_json_bytes: int
    snapshots: int
    manifests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPlan:
    """What a reader says of one planned scan; None where it lets nobody see."""

    planning_ms: float
    manifests_opened: int | None
    manifests_scanned: int | None = None
    manifests_skipped: int | None = None
    files: int | None = None
    files_skipped: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One table load and the plan made on what it loaded; no time of loading where the two are one."""

    load_ms: float | None
    plan: ScanPlan


class Reader(Protocol):
    """A table seen by one reader, in one variant of it. `wasim.ledger.readers` says what its times hold."""

    name: str
    variant: str = ""
    loads_apart: bool = True

    def asks(self, query: Query) -> bool:
        """Whether this variant can differ from the others on the query."""
        return True

    def load(self) -> Any:
        """The table, loaded afresh: what `plan` takes."""

    def plan(self, table: Any, query: Query) -> ScanPlan:
        """Plans the query over a loaded table to its last task."""


def timed_load(reader: Reader) -> tuple[Any, float | None]:
    """A loaded table and the milliseconds that it took, if the reader loads apart from planning."""
    started_s = time.perf_counter()
    table = reader.load()
    spent_ms = (time.perf_counter() - started_s) * 1e3
    return table, spent_ms if reader.loads_apart else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """When a table was probed, in what state, and whether the process was warm."""

    state: TableState
    after_commit: int
    temperature: str


def probe_of(reader: Reader, query: Query, rounds: Sequence[Round], occasion: Occasion) -> PlanningProbe:
    """The record of a query's rounds; counts are the last round's."""
    plan, state = rounds[-1].plan, occasion.state
    return PlanningProbe(
        after_commit=occasion.after_commit,
        query=query.name,
        temperature=occasion.temperature,
        reader=reader.name,
        variant=reader.variant,
        load_ms=np.array([each.load_ms for each in rounds if each.load_ms is not None]),
        planning_ms=np.array([each.plan.planning_ms for each in rounds]),
        execution_ms=np.empty(0),
        manifests_total=state.manifests,
        manifests_scanned=plan.manifests_scanned,
        manifests_skipped=plan.manifests_skipped,
        manifests_opened=plan.manifests_opened,
        files_planned=plan.files,
        files_skipped=plan.files_skipped,
        snapshots=state.snapshots,
        metadata_json_bytes=state.metadata_json_bytes,
    )
