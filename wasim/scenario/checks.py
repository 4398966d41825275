"""What must fit together in a scenario beyond each field's own type. Every check yields faults and stops at none."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wasim.scenario.case import rows_within, whole_commits
from wasim.scenario.faults import Fault, Place, overlap, quote, suggest
from wasim.scenario.limits import LEAST_ROUNDS_FOR_PERCENTILE, METRICS, PERCENTILES_OF_PLANNING, parse_limit
from wasim.scenario.parts import Columns, PartitionField, Scenario, Table
from wasim.units import format_duration

MOST_COMMITS = 100_000
"""Of one case: at some 3 commits a second, a real engine takes nine hours for them."""

OWN_COLUMNS = {"event_id": "long", "event_time": "timestamp"}
"""The first two columns of each table, and their types."""

_TIMES = ("timestamp", "timestamptz")
_BUCKETED = ("int", "long", "decimal", "date", *_TIMES, "string", "binary")
_TRUNCATED = ("int", "long", "decimal", "string", "binary")
_FITTING = {
    "year": ("date", *_TIMES),
    "month": ("date", *_TIMES),
    "day": ("date", *_TIMES),
    "hour": _TIMES,
    "bucket": _BUCKETED,
    "truncate": _TRUNCATED,
}
_TIME_TRANSFORMS = ("year", "month", "day", "hour")
_OWN_PROPERTIES = {
    "format-version": "table.format_version",
    "write.distribution-mode": "workload.distribution_mode",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One rule; `needs` are the fields that must be sound before it can judge."""

    faults: Callable[[Scenario], Iterator[Fault]]
    needs: tuple[Place, ...]

    def can_judge(self, broken: set[Place]) -> bool:
        """Whether no field that it needs is among the broken ones, nor lies within one or around one."""
        return not any(overlap(need, field) for need in self.needs for field in broken)


def check_columns(scenario: Scenario) -> Iterator[Fault]:
    """Names are used once, and each column has what its type needs and nothing else."""
    own = dict.fromkeys(OWN_COLUMNS, "always the first two columns of a table")
    yield from _check_columns(scenario.table.columns, ("table", "columns"), own)


def _check_columns(columns: tuple[Columns, ...], place: Place, taken: dict[str, str]) -> Iterator[Fault]:
    for index, column in enumerate(columns):
        here = (*place, index)
        # Spark resolves names without regard to case, so `ID` and `id` are one.
        clashing = next((name for name in column.names if name.lower() in taken), None)
        if clashing:
            owner = taken[clashing.lower()]
            problem = f"is {quote(column.name)}, but {clashing} is {owner}"
            yield Fault(place=(*here, "name"), problem=problem, remedy="Give another name.")
        taken |= {name.lower(): f"taken by column {index + 1} already" for name in column.names}
        yield from _check_column(column, here)
        yield from _check_columns(column.fields, (*here, "fields"), {})


def _check_column(column: Columns, here: Place) -> Iterator[Fault]:
    given, kind = column.model_fields_set, column.type
    if kind == "struct" and not column.fields:
        yield Fault(place=(*here, "fields"), problem="is missing", remedy="Give a struct at least one field.")
    if kind != "struct" and column.fields:
        yield Fault(
            place=(*here, "fields"),
            problem=f"is given, but the type is {kind}",
            remedy="Give type: struct, or take the fields out.",
        )
    if "length" in given and kind not in ("string", "binary"):
        yield Fault(
            place=(*here, "length"),
            problem=f"is given, but the type is {kind}",
            remedy="Take it out: only string and binary have one.",
        )
    if column.values is not None and kind in ("boolean", "struct"):
        yield Fault(place=(*here, "values"), problem=f"is given, but the type is {kind}", remedy="Take it out.")
    if kind.startswith("decimal"):
        precision, scale = (int(number) for number in re.findall(r"\d+", kind))
        if not 1 <= precision <= 38 or scale > precision:
            yield Fault(
                place=(*here, "type"),
                problem=f"is {quote(kind)}",
                remedy="Give a precision from 1 to 38 and a scale no greater, such as decimal(10,2).",
            )


def check_partitions(scenario: Scenario) -> Iterator[Fault]:
    """Partition fields name columns, fit their types, and do not repeat each other."""
    types = _column_types(scenario.table)
    seen: set[tuple[str, str]] = set()
    for index, field in enumerate(scenario.table.partition_by):
        here: Place = ("table", "partition_by", index)
        if field.column not in types:
            problem = f"is {quote(field.column)}, which is no column of the table"
            yield Fault(place=(*here, "column"), problem=problem, remedy=suggest(field.column, types))
            continue
        yield from _check_transform(field, types, here)
        family = (field.column, _family(field.transform))
        if family in seen:
            problem = f"repeats {field.column}, partitioned by {family[1]} already"
            yield Fault(place=here, problem=problem, remedy="Keep one; Iceberg refuses both.")
        seen.add(family)


def _check_transform(field: PartitionField, types: dict[str, str], here: Place) -> Iterator[Fault]:
    transform, kind = _word(field.transform), _word(types[field.column])
    place = (*here, "transform")
    if transform == "identity":
        if kind == "struct":
            yield Fault(
                place=(*here, "column"), problem=f"is {quote(field.column)}, a struct", remedy="Give a plain column."
            )
        elif field.column in OWN_COLUMNS:
            better = "bucket[16]" if field.column == "event_id" else "hour or day"
            problem = f"is identity, which would make a partition of every {field.column}"
            yield Fault(place=place, problem=problem, remedy=f"Give {better}.")
        return
    if kind not in _FITTING[transform]:
        fitting = ["identity"] * (kind != "struct") + [name for name, kinds in _FITTING.items() if kind in kinds]
        remedy = f"Give {' or '.join(fitting)}." if fitting else "Give a plain column."
        problem = f"is {quote(field.transform)}, but {field.column} is of type {types[field.column]}"
        yield Fault(place=place, problem=problem, remedy=remedy)
    made = f"{field.column}_{'trunc' if transform == 'truncate' else transform}"
    if made in types:
        problem = f"is {quote(field.transform)}, which Iceberg calls {made}, as a column is called"
        yield Fault(place=place, problem=problem, remedy="Rename that column.")


def check_properties(scenario: Scenario) -> Iterator[Fault]:
    """Properties do not say again what a field says."""
    for name in scenario.table.properties:
        if name in _OWN_PROPERTIES:
            yield Fault(
                place=("table", "properties", name),
                problem="has a field of its own",
                remedy=f"Write {_OWN_PROPERTIES[name]} instead.",
            )


def check_spark_settings(scenario: Scenario) -> Iterator[Fault]:
    """Spark settings are named as Spark names them."""
    for name in scenario.environment.spark:
        if not name.startswith("spark."):
            yield Fault(
                place=("environment", "spark", name),
                problem="is no Spark setting",
                remedy="Give a name that starts with spark., such as spark.sql.shuffle.partitions.",
            )


def check_distribution(scenario: Scenario) -> Iterator[Fault]:
    """Rows are shuffled by partition only where there are partitions."""
    mode = scenario.workload.distribution_mode
    if mode != "none" and not scenario.table.partition_by:
        yield Fault(
            place=("workload", "distribution_mode"),
            problem=f"is {quote(mode)}, but the table is not partitioned, so that it changes nothing",
            remedy="Give none, or table.partition_by.",
        )


def check_partitions_per_commit(scenario: Scenario) -> Iterator[Fault]:
    """Partitions per commit are values of an identity partition column that has as many."""
    wanted, place = scenario.workload.partitions_per_commit, ("workload", "partitions_per_commit")
    if wanted is None:
        return
    identity = next((field.column for field in scenario.table.partition_by if field.transform == "identity"), None)
    if identity is None:
        yield Fault(
            place=place,
            problem="is given, but no column is partitioned by identity",
            remedy="Add one with `values` to table.partition_by, or take it out.",
        )
        return
    column = next((column for column in scenario.table.columns if identity in column.names), None)
    if column and (column.values is None or column.values < wanted):
        has = "has no `values`" if column.values is None else f"has {column.values} values"
        yield Fault(
            place=place,
            problem=f"is {quote(str(wanted))}, but {identity} {has}",
            remedy=f"Give {identity} at least {wanted} values.",
        )


def check_commits(scenario: Scenario) -> Iterator[Fault]:
    """A case makes at least one commit, and no more than a real engine can be asked for."""
    interval_s, horizon_s = scenario.commit_interval, scenario.horizon
    interval, horizon = quote(format_duration(interval_s)), format_duration(horizon_s)
    commits = whole_commits(horizon_s=horizon_s, commit_interval_s=interval_s)
    if commits < 1:
        yield Fault(
            place=("commit_interval",),
            problem=f"is {interval}, longer than the horizon of {horizon}, so that the case makes no commit",
            remedy=f"Give at most {horizon}, or a longer horizon.",
        )
    if commits > MOST_COMMITS:
        yield Fault(
            place=("commit_interval",),
            problem=f"is {interval}, which makes {commits} commits in a horizon of {horizon}",
            remedy=f"Give at least {format_duration(horizon_s / MOST_COMMITS)}, or a shorter horizon.",
        )


def check_rows(scenario: Scenario) -> Iterator[Fault]:
    """A commit has rows enough for its files and partitions."""
    interval_s = scenario.commit_interval
    rows = rows_within(commit_interval_s=interval_s, rows_per_second=scenario.workload.rows_per_second)
    for name in ("files_per_commit", "partitions_per_commit"):
        wanted = getattr(scenario.workload, name)
        if wanted is not None and wanted > rows:
            yield Fault(
                place=("workload", name),
                problem=f"is {quote(str(wanted))}, but a commit every {format_duration(interval_s)} has {rows} rows",
                remedy=f"Give at most {rows}, or more workload.rows_per_second.",
            )


def check_writer(scenario: Scenario) -> Iterator[Fault]:
    """Only a stream has a sink, and only a stream into the table can append fast."""
    writer = scenario.writer
    if writer.kind == "batch" and "sink" in writer.model_fields_set:
        yield Fault(
            place=("writer", "sink"),
            problem="is given, but the writer is batch",
            remedy="Take it out, or give kind: streaming.",
        )
    if writer.append == "fast" and writer.default_append == "merge":
        who = "a batch" if writer.kind == "batch" else "foreach_batch"
        yield Fault(
            place=("writer", "append"),
            problem=f'is "fast", but {who} always appends by merge in Spark',
            remedy="Take it out, or give kind: streaming with sink: table.",
        )


def check_limits(scenario: Scenario) -> Iterator[Fault]:
    """Limits name metrics, are bounds, and are on percentiles only with rounds enough."""
    rounds = scenario.planning.rounds_at_end
    for metric, text in scenario.limits.items():
        place = ("limits", metric)
        if metric not in METRICS:
            yield Fault(place=place, problem="is unknown", remedy=suggest(metric, METRICS), at_key=True)
            continue
        try:
            parse_limit(metric, text)
        except ValueError as wanted:
            yield Fault(place=place, problem=f"is {quote(text)}", remedy=f"Give {wanted}.")
        if metric in PERCENTILES_OF_PLANNING and rounds < LEAST_ROUNDS_FOR_PERCENTILE:
            yield Fault(
                place=place,
                problem=f"is a 95th percentile, but planning.rounds_at_end is {rounds}",
                remedy=f"Give planning.rounds_at_end of at least {LEAST_ROUNDS_FOR_PERCENTILE}.",
            )


def _column_types(table: Table) -> dict[str, str]:
    return OWN_COLUMNS | {name: column.type for column in table.columns for name in column.names}


def _word(text: str) -> str:
    """`bucket[16]` → `bucket`, `decimal(10,2)` → `decimal`."""
    return re.split(r"[\[(]", text)[0]


def _family(transform: str) -> str:
    return "time" if transform in _TIME_TRANSFORMS else _word(transform)


def _check(faults: Callable[[Scenario], Iterator[Fault]], *needs: str) -> Check:
    return Check(faults=faults, needs=tuple(tuple(need.split(".")) for need in needs))


CHECKS = (
    _check(check_columns, "table.columns"),
    _check(check_partitions, "table.columns", "table.partition_by"),
    _check(check_properties, "table.properties"),
    _check(check_spark_settings, "environment.spark"),
    _check(check_distribution, "table.partition_by", "workload.distribution_mode"),
    _check(check_partitions_per_commit, "table.columns", "table.partition_by", "workload.partitions_per_commit"),
    _check(check_commits, "commit_interval", "horizon"),
    _check(check_rows, "commit_interval", "workload"),
    _check(check_writer, "writer"),
    _check(check_limits, "limits", "planning.rounds_at_end"),
)
