"""Commands to paste: SQL that maintains the table, and the commit interval as Spark or Flink configure it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wasim.capacity.request import COMPACTION, DEFAULT_TARGET_BYTES, TARGET, PlanRequest
from wasim.capacity.settings import Maintenance, Setting, period_words, properties_of
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS, MIN_SNAPSHOTS_TO_KEEP, TableProperties
from wasim.iceberg.sql import (
    VACUUMED,
    call_procedure,
    execute_procedure,
    maintain,
    set_extra_properties,
    set_properties,
    set_vacuum,
)
from wasim.rules.compaction import small_file_bytes
from wasim.scenario import Case
from wasim.twin import profile_named, shipped_profile
from wasim.twin.profile import Dialect
from wasim.units import DAY_S, HOUR_S, format_duration

MINUTE_S = 60.0
ORPHANS_S = 3 * DAY_S  # the age from which remove_orphan_files deletes, unless it is given another
WIDTH = 80
_MINUTES = {"rewrite_data_files": 0, "rewrite_manifests": 20, "expire_snapshots": 40, "remove_orphan_files": 50}
"""Jobs in the order in which each leaves least to the next, and the minute of an hour that keeps them in it."""
_OPTIONS = {TARGET: "target-file-size-bytes", "min_input_files": "min-input-files"}
_OF_ATHENA = {
    TARGET: "write_target_data_file_size_bytes",
    "min_input_files": "optimize_rewrite_data_file_threshold",
}
_COUNTED = {"when_small_files": "small files", "when_manifests": "manifests", "when_snapshots": "snapshots"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Statements in one language, to paste together and in this order."""

    language: str
    lines: tuple[str, ...]


def statements_of(request: PlanRequest, case: Case, setting: Setting) -> Iterator[Statements]:
    """All that a setting takes: maintenance and properties in SQL, then the writer's interval in its own language."""
    sql = [line for one in sql_of(request, setting) for line in one.split("\n")]
    yield Statements(language=f"{_dialect(request).capitalize()} SQL", lines=tuple(sql))
    language, options = writer_options(request, case, setting)
    yield Statements(language=language, lines=options)


def sql_of(request: PlanRequest, setting: Setting, table: str | None = None) -> tuple[str, ...]:
    """Statements in Spark's SQL, or in that of the engine whose profile writes: properties once, then each job and its
    schedule as a comment, in cron's fields.
    """
    table, kept, properties = table or request.table_name, setting.maintenance, properties_of(setting)
    dialect = _dialect(request)
    if kept.older_than_s is not None:  # CALL takes no computed age: expiry without older_than goes by this property
        properties[MAX_SNAPSHOT_AGE_MS] = str(round(kept.older_than_s * 1000))
        if request.retain_last > TableProperties.read_leniently(request.properties).min_snapshots_to_keep:
            properties[MIN_SNAPSHOTS_TO_KEEP] = str(request.retain_last)  # as the scenario's own expiry does
    every_s = {
        "rewrite_data_files": kept.compact_every_s,
        "rewrite_manifests": kept.rewrite_every_s,
        "expire_snapshots": kept.expire_every_s,
    }
    calls = []
    for job, minute in _MINUTES.items():
        if dialect == "athena" and job == VACUUMED[-1] and kept.expire_every_s is not None:
            continue  # the same statement does both
        own = request.own_jobs.get(job, {})
        schedule = _schedule(job, every_s.get(job), minute, own)
        if schedule is not None:
            call = _call(request, job, table, kept)
            calls.append(f"{call}; -- {schedule}")
    if dialect == "athena":
        return *set_vacuum(table, _of_athena(request, kept), properties_of(setting)), *calls
    if dialect == "trino":  # its table properties are its own, and all others need the catalog's leave
        allowed = "-- once; iceberg.allowed-extra-properties must name them (480: delete_after_commit_enabled = true)"
        properties_once = f"{allowed}\n{set_extra_properties(table, properties_of(setting))};"
        return properties_once, *calls
    return f"{set_properties(table, properties, in_lines=True)};", *calls


def _dialect(request: PlanRequest) -> Dialect:
    return "spark" if request.profile is None else profile_named(request.profile).sql


def _call(request: PlanRequest, job: str, table: str, kept: Maintenance) -> str:
    own, dialect = request.own_jobs.get(job, {}), _dialect(request)
    if dialect == "athena":
        return maintain(job, table)
    if dialect == "spark":
        return _called(job, table, _compaction(request, request.table_target_bytes) if job == COMPACTION else own)
    age = kept.older_than_s if job == "expire_snapshots" else own.get("older_than")
    target = request.compaction_target_bytes
    return execute_procedure(
        job,
        table,
        None if age is None else PlanRequest.seconds_of(age),
        retain_last=request.retain_last if job == "expire_snapshots" else 1,
        sizes=(small_file_bytes(target), target) if job == COMPACTION else None,
    )


def _compaction(request: PlanRequest, default_bytes: int) -> dict[str, Any]:
    """Options of compaction; the target size only where it is not the default."""
    target = request.compaction_target_bytes
    return {**request.compaction, TARGET: None if target == default_bytes else target}


def _of_athena(request: PlanRequest, kept: Maintenance) -> dict[str, str]:
    """The properties of Athena's own that its statements go by."""
    compacts = kept.compact_every_s is not None or COMPACTION in request.own_jobs
    options = _compaction(request, DEFAULT_TARGET_BYTES) if compacts else {}
    found = {} if kept.older_than_s is None else {"vacuum_max_snapshot_age_seconds": f"{kept.older_than_s:.0f}"}
    if kept.older_than_s is not None and request.retain_last > 1:
        found["vacuum_min_snapshots_to_keep"] = str(request.retain_last)
    return found | {name: str(options[key]) for key, name in _OF_ATHENA.items() if options.get(key)}


def _schedule(job: str, every_s: float | None, minute: int, own: Mapping[str, Any]) -> str | None:
    """`20 * * * *`, a period that cron cannot say, or the count that starts it; None for a job that never runs."""
    if every_s is None and job == "remove_orphan_files" and own:
        every_s = PlanRequest.seconds_of(own["every"])
    if every_s is not None:
        return cron_of(every_s, minute) or period_words(every_s)
    counted = next(((own[key], words) for key, words in _COUNTED.items() if own.get(key) is not None), None)
    return None if counted is None else f"as soon as there are {counted[0]} {counted[1]}"


def cron_of(every_s: float, minute: int) -> str | None:
    """The five fields of cron for a period, at this minute of the hour; None for a period that cron cannot say."""
    hours, minutes = every_s / HOUR_S, every_s / MINUTE_S
    if every_s == 7 * DAY_S:
        return f"{minute} 0 * * 0"
    if every_s == DAY_S:
        return f"{minute} 0 * * *"
    if hours.is_integer() and 24 % hours == 0:
        return f"{minute} * * * *" if hours == 1 else f"{minute} */{hours:.0f} * * *"
    return f"*/{minutes:.0f} * * * *" if minutes.is_integer() and minutes and 60 % minutes == 0 else None


def _called(job: str, table: str, own: Mapping[str, Any]) -> str:
    given = {name: own[key] for key, name in _OPTIONS.items() if own.get(key)}
    if "partial_progress_commits" in own:
        given |= {
            "partial-progress.enabled": "true",
            "partial-progress.max-commits": own["partial_progress_commits"],
        }
    listed = ", ".join(f"'{name}', '{value}'" for name, value in given.items())
    options = f"options => map({listed})" if given else ""
    call = call_procedure(job, table, options)
    age_s = PlanRequest.seconds_of(own.get("older_than", ORPHANS_S))  # CALL takes no computed one
    aged = f"-- with older_than => TIMESTAMP '…', {format_duration(age_s)} before each run\n"
    call = call if len(call) < WIDTH else call_procedure(job, table, options, in_lines=True)
    return call if age_s == ORPHANS_S else aged + call


def writer_options(request: PlanRequest, case: Case, setting: Setting) -> tuple[str, tuple[str, ...]]:
    """The language and the lines that set the interval of the writers together, and their append mode where the setting
    has another than their default.
    """
    interval, milliseconds = format_duration(setting.interval_s), round(setting.interval_s * 1000)
    ships = shipped_profile(case).trigger
    if ships.setting:
        text = ships.setting.format(interval=interval, ms=milliseconds, seconds=f"{setting.interval_s:g}")
        return ships.language, (text,)
    if not request.writer_is_spark:
        return "Writer", (f"Append every {interval}.",)
    if case.writer.kind == "batch":
        in_turn = f", on one of the {request.writers} writers in turn" if request.writers > 1 else ""
        return "Writer", (f"Start the batch job every {interval}{in_turn}.",)
    trigger = f'.trigger(processingTime="{milliseconds} milliseconds")'
    if setting.appends == "merge":
        return "PySpark", (
            "def append(rows, batch_id):  # at least once: a batch that is retried is appended again",
            f'    rows.writeTo("{request.table_name}").append()',
            f"stream.writeStream{trigger}.foreachBatch(append)",
        )
    return "PySpark", (f"{trigger}  # {interval}",)


def counts_of(setting: Setting, files_per_commit: float) -> Iterator[tuple[str, int]]:
    """The maintenance as thresholds: each job, and the snapshots, manifests or small files at which to start it."""
    kept, commits_per_s = setting.maintenance, 1 / setting.interval_s
    if kept.compact_every_s is not None:
        yield "rewrite_data_files", max(2, round(kept.compact_every_s * commits_per_s * files_per_commit))
    if kept.rewrite_every_s is not None:
        yield "rewrite_manifests", max(2, round(kept.rewrite_every_s * commits_per_s))
    if kept.expire_every_s is not None and kept.older_than_s is not None:
        yield "expire_snapshots", max(2, round((kept.expire_every_s + kept.older_than_s) * commits_per_s))
