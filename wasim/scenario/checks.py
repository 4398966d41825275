"""What must fit together in a scenario beyond each field's own type. Every check yields faults and stops at none.

A horizon is cut to whole commits and rows are rounded per commit (`case`); `notes` says where that changed anything.
"""

from collections.abc import Callable, Iterator
from math import ceil

from wasim.iceberg.properties import WRITE_METADATA_LOCATION
from wasim.ledger.readers import BOUNDARIES, CLICKHOUSE, LEAST_FOR_A_PERCENTILE, PYICEBERG
from wasim.scenario import table_checks
from wasim.scenario.case import rows_within, whole_commits
from wasim.scenario.change_checks import check_changes, check_evolution, check_maintenance, check_upsert
from wasim.scenario.faults import Check, Draft, Fault, Place, suggest
from wasim.scenario.metrics import METRICS, PERCENTILES_OF_PLANNING, parse_limit
from wasim.scenario.parts import FLINK
from wasim.scenario.scenario import triggers_s
from wasim.scenario.settings import check_properties, check_spark_settings
from wasim.units import format_count, format_duration

MOST_ROWS_PER_COMMIT = 10**9
_ONLY = "with idle time only appends by one writer are simulated"
LEAST_ROWS_PER_COMMIT = 0.5
"""Before rounding: below it, the one row of each commit would be more than arrives."""


def check_commits(draft: Draft) -> Iterator[Fault]:
    """A case makes at least one commit."""
    scenario = draft.scenario
    if whole_commits(horizon_s=scenario.horizon, commit_interval_s=scenario.interval_s) < 1:
        why = f"longer than the horizon of {draft.quoted('horizon')}, so that the case makes no commit"
        remedy = f"Give at most {format_duration(scenario.horizon)}, or a longer horizon."
        yield draft.fault(("commit_interval",), why, remedy)


def check_rows(draft: Draft) -> Iterator[Fault]:
    """A commit has a row, and no more rows than one can carry."""
    place, interval_s = ("workload", "rows_per_second"), draft.scenario.interval_s
    rows = draft.scenario.workload.rows_per_second * interval_s
    interval = format_duration(interval_s) if draft.scenario.writer.trigger else draft.quoted("commit_interval")
    held = f"{rows:.4g} rows" if rows < MOST_ROWS_PER_COMMIT else format_count(round(rows), "row")
    made = f"is {draft.quoted(*place)}, which makes {held} in a commit every {interval}"
    if rows > MOST_ROWS_PER_COMMIT:
        most = f"{MOST_ROWS_PER_COMMIT / interval_s:.10g}"
        remedy = f"Give at most {most}, or a shorter commit interval."
        yield Fault(place=place, problem=f"{made}, more than {MOST_ROWS_PER_COMMIT:,}", remedy=remedy)
    elif rows < LEAST_ROWS_PER_COMMIT:
        remedy = f"Give at least {1 / interval_s:.10g}, or a longer commit interval."
        yield Fault(place=place, problem=f"{made}, less than one", remedy=remedy)


def check_shares(draft: Draft) -> Iterator[Fault]:
    """A commit has rows enough for its files and partitions."""
    interval_s = draft.scenario.interval_s
    rows = rows_within(commit_interval_s=interval_s, rows_per_second=draft.scenario.workload.rows_per_second)
    for name in ("files_per_commit", "partitions_per_commit"):
        wanted = getattr(draft.scenario.workload, name)
        if wanted is not None and wanted > rows:
            why = f"but a commit every {format_duration(interval_s)} has {format_count(rows, 'row')}"
            yield draft.fault(("workload", name), why, f"Give at most {rows}, or more workload.rows_per_second.")


def check_trigger(draft: Draft) -> Iterator[Fault]:
    """Each part of a trigger fires before the interval is over."""
    scenario = draft.scenario
    if scenario.writer.trigger is None:
        return
    rates = scenario.workload.rows_per_second
    for name, seconds in triggers_s(scenario.writer.trigger, scenario.table, rates):
        if seconds > scenario.commit_interval:
            why = f"which takes {format_duration(ceil(seconds))}, so that commit_interval,"
            why += f" {draft.quoted('commit_interval')}, always comes first and it never fires"
            yield draft.fault(("writer", "trigger", name), why, "Give less, a longer commit_interval, or take it out.")


def check_active(draft: Draft) -> Iterator[Fault]:
    """Rows come for a part of each period, at least an interval long, and appends by one writer are all else."""
    scenario, place = draft.scenario, ("workload", "active")
    active, idle = scenario.workload.active, scenario.writer.idle_commit_every
    if active is None:
        if idle:
            problem = f"is {idle}, but rows come in every interval, so that it never fires"
            remedy = "Give workload.active too, or take it out."
            yield Fault(place=("writer", "idle_commit_every"), problem=problem, remedy=remedy)
        return
    if not scenario.interval_s <= active.lasts < active.every:
        least = format_duration(scenario.interval_s)
        problem = f"lasts {format_duration(active.lasts)} of every {format_duration(active.every)}"
        yield Fault(place=place, problem=problem, remedy=f"Give less than the period, and {least} at least.")
    writer = scenario.writer
    others = {
        "writer.upsert": writer.upsert is not None,
        "writer.writers": writer.writers > 1,
        "changes": bool(scenario.changes.model_dump(exclude_none=True)),
        "evolution": bool(scenario.evolution),
    }
    for name in (name for name, given in others.items() if given):
        yield Fault(place=place, problem=f"is given with {name}", remedy=f"Take one of them out: {_ONLY}.")


def check_distribution(draft: Draft) -> Iterator[Fault]:
    """Rows are shuffled by partition only where there are partitions."""
    if draft.scenario.workload.distribution_mode != "none" and not draft.scenario.table.partition_by:
        why = "but the table is not partitioned, so that it changes nothing"
        yield draft.fault(("workload", "distribution_mode"), why, "Give none, or table.partition_by.")


def check_partitions_per_commit(draft: Draft) -> Iterator[Fault]:
    """Partitions per commit are values of an identity partition column that has as many."""
    wanted, place = draft.scenario.workload.partitions_per_commit, ("workload", "partitions_per_commit")
    if wanted is None:
        return
    column = draft.scenario.table.rotating_column
    if column is None:
        problem = "is given, but no column with `values` is partitioned by identity"
        yield Fault(place=place, problem=problem, remedy="Add one to table.partition_by, or take it out.")
    elif column.values is not None and column.values < wanted:
        why = f"but {column.name} has {column.values} values"
        yield draft.fault(place, why, f"Give {column.name} at least {wanted} values.")


def check_writer(draft: Draft) -> Iterator[Fault]:
    """Only a stream has a sink, and only a stream into the table can append fast."""
    writer = draft.scenario.writer
    if writer.kind == "batch" and "sink" in writer.model_fields_set:
        problem, remedy = "is given, but the writer is batch", "Take it out, or give kind: streaming."
        yield Fault(place=("writer", "sink"), problem=problem, remedy=remedy)
    if writer.profile == FLINK and not writer.is_stream_into_table:
        place: Place = ("writer", "sink" if writer.kind == "streaming" else "kind")
        yield draft.fault(place, "but Flink streams into the table", "Take it out, or give another writer.")
    elif writer.append == "fast" and writer.default_append == "merge":
        who = "Flink" if writer.profile == FLINK else "a batch" if writer.kind == "batch" else "foreach_batch"
        why = f"but {who} always appends by merge{'' if writer.profile == FLINK else ' in Spark'}"
        yield draft.fault(("writer", "append"), why, "Take it out, or give kind: streaming with sink: table.")


def check_tables(draft: Draft) -> Iterator[Fault]:
    """One job commits to several tables: not several writers, and no stream of Spark's, which goes into one table."""
    writer, place = draft.scenario.writer, ("writer", "tables")
    streams = writer.is_stream_into_table and writer.profile is None
    if writer.tables > 1 and (streams or writer.writers > 1):
        who = "a stream of Spark's into a table has one" if streams else f"writer.writers is {writer.writers}"
        wanted = "sink: foreach_batch, kind: batch or a profile" if streams else "one writer"
        yield draft.fault(place, f"but {who}", f"Give {wanted}, or 1.")


def check_store(draft: Draft) -> Iterator[Fault]:
    """Iceberg's HadoopCatalog needs a store that renames."""
    environment = draft.scenario.environment
    if environment.catalog == "hadoop" and environment.store != "local":
        remedy = "Give local, or another catalog, such as rest or jdbc."
        yield draft.fault(("environment", "store"), "but the hadoop catalog commits by renaming: S3 cannot", remedy)


def check_metadata_path(draft: Draft) -> Iterator[Fault]:
    """Metadata lies elsewhere only where a catalog, and every reader, knows of it."""
    scenario = draft.scenario
    places: list[Place] = []
    if WRITE_METADATA_LOCATION in scenario.table.properties:
        places.append(("table", "properties", WRITE_METADATA_LOCATION))
    for number, evolution in enumerate(scenario.evolution):
        if WRITE_METADATA_LOCATION in (evolution.set_properties or {}):
            places.append(("evolution", number, "set_properties", WRITE_METADATA_LOCATION))
    problem, remedy = "", "Take it out, or give another catalog, such as jdbc."
    if scenario.environment.catalog == "hadoop":
        problem = "is given, but the hadoop catalog finds a table by its folder metadata"
    elif CLICKHOUSE in scenario.planning.readers:
        problem = f'is given, but the reader "{CLICKHOUSE}" finds a table by its folder metadata'
        remedy = "Take it, or the reader, out."
    for place in places if problem else ():
        yield Fault(place=place, problem=problem, remedy=remedy, at_key=True)


def check_readers(draft: Draft) -> Iterator[Fault]:
    """Readers other than Iceberg's library are asked on local files only."""
    store = draft.scenario.environment.store
    for number, reader in enumerate(draft.scenario.planning.readers):
        if store != "local" and reader in (PYICEBERG, CLICKHOUSE):
            why = f"but environment.store is {store}: it is asked on local files only"
            remedy = "Take it out, or give environment.store: local."
            yield draft.fault(("planning", "readers", number), why, remedy)


def check_writers(draft: Draft) -> Iterator[Fault]:
    """Several writers are batch writers, and all that they do is append."""
    scenario, place = draft.scenario, ("writer", "writers")
    if scenario.writer.writers == 1:
        return
    others = [name for name in ("changes", "maintenance") if getattr(scenario, name).model_dump(exclude_none=True)]
    others += ["evolution"] if scenario.evolution else []
    others += ["writer.upsert"] if scenario.writer.upsert else []
    if scenario.writer.kind != "batch":
        why = f"but the writer is {scenario.writer.profile or scenario.writer.kind}"
        yield draft.fault(place, why, "Give kind: batch, or one writer.")
    if others:
        why = f"but several writers only append, and {others[0]} is given"
        yield draft.fault(place, why, f"Take {others[0]} out, or give one writer.")


def check_limits(draft: Draft) -> Iterator[Fault]:
    """Limits name metrics, are bounds, and are on percentiles only with rounds enough."""
    rounds = draft.scenario.planning.rounds_at_end
    for metric, text in draft.scenario.limits.items():
        place = ("limits", metric)
        if metric not in METRICS:
            yield Fault(place=place, problem="is unknown", remedy=suggest(metric, METRICS), at_key=True)
            continue
        try:
            parse_limit(metric, text)
        except ValueError as wanted:
            yield Fault(place=place, problem=f"is {draft.quoted(*place)}", remedy=f"Give {wanted}.")
        if metric in PERCENTILES_OF_PLANNING and rounds < LEAST_FOR_A_PERCENTILE:
            problem = f"is a 95th percentile, but planning.rounds_at_end is {rounds}"
            remedy = f"Give planning.rounds_at_end of at least {LEAST_FOR_A_PERCENTILE}."
            yield Fault(place=place, problem=problem, remedy=remedy)
        first = draft.scenario.planning.readers[0]
        if metric == "load_p95_ms" and not BOUNDARIES[first].load:
            problem = f"is of a load, but {first}, the first of planning.readers, has none apart from planning"
            yield Fault(place=place, problem=problem, remedy="Name another reader first, or limit planning_p95_ms.")


_NEEDS: dict[Callable[[Draft], Iterator[Fault]], str] = {
    table_checks.check_columns: "table.columns",
    table_checks.check_leaves: "table.columns",
    table_checks.check_roles: "table.columns table.key_column table.time_column",
    table_checks.check_partitions: "table.columns table.partition_by",
    table_checks.check_partition_count: "table.columns table.partition_by workload commit_interval",
    check_properties: "table.properties",
    check_spark_settings: "environment.spark",
    check_distribution: "table.partition_by workload.distribution_mode",
    check_partitions_per_commit: "table.columns table.partition_by workload.partitions_per_commit",
    check_commits: "commit_interval horizon",
    check_rows: "commit_interval workload.rows_per_second",
    check_trigger: "commit_interval writer table workload.rows_per_second",
    check_active: "commit_interval writer workload changes evolution",
    check_shares: "commit_interval workload",
    check_writer: "writer",
    check_tables: "writer",
    check_writers: "writer changes maintenance evolution",
    check_changes: "changes table",
    check_upsert: "writer changes.merge table workload.rows_per_second commit_interval",
    check_maintenance: "maintenance",
    check_evolution: "evolution table",
    check_store: "environment.catalog environment.store",
    check_metadata_path: "table.properties evolution environment.catalog planning.readers",
    check_limits: "limits planning.rounds_at_end planning.readers",
    check_readers: "planning.readers environment.store",
}
"""Every rule, with the fields that must be sound before it can judge."""


def _check(faults: Callable[[Draft], Iterator[Fault]], needs: str) -> Check:
    places = tuple(tuple(need.split(".")) for need in needs.split())
    parts = dict.fromkeys(place[0] for place in places)
    if "commit_interval" in parts:  # which a trigger may make shorter
        parts |= dict.fromkeys(("writer", "table", "workload"))
    return Check(faults=faults, needs=places, parts=tuple(parts))


CHECKS = tuple(_check(faults, needs) for faults, needs in _NEEDS.items())
