"""Commands to paste: SQL that maintains the table, and the commit interval as Spark or Flink configure it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wasim.capacity.request import COMPACTION, DEFAULT_TARGET_BYTES, TARGET, PlanRequest
from wasim.capacity.settings import Maintenance, Setting, properties_of
from wasim.capacity.words import period_words
from wasim.iceberg import sql
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS, MIN_SNAPSHOTS_TO_KEEP, TableProperties
from wasim.rules.compaction import small_file_bytes
from wasim.scenario import Case
from wasim.twin import shipped_profile
from wasim.twin.profile import Dialect
from wasim.units import DAY_S, HOUR_S, format_duration

MINUTE_S = 60.0
EXPIRY, ORPHANS = "expire_snapshots", "remove_orphan_files"
ORPHANS_S = 3 * DAY_S  # the age from which remove_orphan_files deletes, unless it is given another
WIDTH = 80
_MINUTES = {"rewrite_data_files": 0, "rewrite_manifests": 20, "expire_snapshots": 40, "remove_orphan_files": 50}
"""Jobs in the order in which each leaves least to the next, and the minute of an hour that keeps them in it."""
_OPTIONS = {TARGET: "target-file-size-bytes", "min_input_files": "min-input-files"}
_OF_ATHENA = {TARGET: "write_target_data_file_size_bytes", "min_input_files": "optimize_rewrite_data_file_threshold"}
_COUNTED = {"when_small_files": "small files", "when_manifests": "manifests", "when_snapshots": "snapshots"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Statements in one language, to paste together and in this order."""

    language: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """A job that runs: `schedule` is cron's fields, a period that cron cannot say, or the count that starts it; `own`
    are the scenario's own options.
    """

    name: str
    schedule: str
    every_s: float | None
    own: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Upkeep:
    """What a setting asks of a table: `properties`, `of_expiry` that only Spark's needs, and jobs in their order."""

    request: PlanRequest
    kept: Maintenance
    table: str
    properties: Mapping[str, str]
    of_expiry: Mapping[str, str]
    jobs: tuple[_Job, ...]


def statements_of(request: PlanRequest, case: Case, setting: Setting) -> Iterator[Statements]:
    """All that a setting takes: maintenance and properties in SQL, then the writer's interval in its own language."""
    for dialect, said in _IN_DIALECT[request.sql](_upkeep(request, setting)):
        lines = [line for one in said for line in one.split("\n")]
        yield Statements(language=f"{dialect.capitalize()} SQL", lines=tuple(lines))
    language, options = writer_options(request, case, setting)
    yield Statements(language=language, lines=options)


def sql_of(request: PlanRequest, setting: Setting, table: str | None = None) -> tuple[str, ...]:
    """Statements in the SQL of the request's dialect: properties once, then each job and its schedule as a comment, in
    cron's fields; what that cannot do follows in Spark's, below a comment that says so.
    """
    return tuple(one for _, said in _IN_DIALECT[request.sql](_upkeep(request, setting, table)) for one in said)


def _upkeep(request: PlanRequest, setting: Setting, table: str | None = None) -> _Upkeep:
    kept, of_expiry = setting.maintenance, dict[str, str]()
    if kept.older_than_s is not None:  # CALL takes no computed age: expiry without older_than goes by this property
        of_expiry[MAX_SNAPSHOT_AGE_MS] = str(round(kept.older_than_s * 1000))
        if request.retain_last > TableProperties.read_leniently(request.properties).min_snapshots_to_keep:
            of_expiry[MIN_SNAPSHOTS_TO_KEEP] = str(request.retain_last)  # as the scenario's own expiry does
    every_s = {
        "rewrite_data_files": kept.compact_every_s,
        "rewrite_manifests": kept.rewrite_every_s,
        "expire_snapshots": kept.expire_every_s,
    }
    jobs = []
    for name, minute in _MINUTES.items():
        own, every = request.own_jobs.get(name, {}), every_s.get(name)
        if every is None and name == ORPHANS and own:
            every = PlanRequest.seconds_of(own["every"])
        schedule = _schedule(every, minute, own)
        if schedule is not None:
            jobs.append(_Job(name=name, schedule=schedule, every_s=every, own=own))
    return _Upkeep(
        request=request,
        kept=kept,
        table=table or request.table_name,
        properties=properties_of(setting),
        of_expiry=of_expiry,
        jobs=tuple(jobs),
    )


_Block = tuple[Dialect, tuple[str, ...]]


def _in_spark(asked: _Upkeep) -> Iterator[_Block]:
    once = _set_in_spark(asked.table, {**asked.properties, **asked.of_expiry})
    yield "spark", (once, *(_spark_call(asked, job) for job in asked.jobs))


def _set_in_spark(table: str, properties: Mapping[str, str]) -> str:
    return f"{sql.set_properties(table, properties, in_lines=True)};"


def _spark_call(asked: _Upkeep, job: _Job) -> str:
    options = _compaction(asked.request, asked.request.table_target_bytes) if job.name == COMPACTION else job.own
    return f"{_called(job.name, asked.table, options)}; -- {job.schedule}"


def _besides_in_spark(
    asked: _Upkeep, why: str, jobs: Sequence[_Job], properties: Mapping[str, str] | None = None
) -> Iterator[_Block]:
    """A block of Spark's for jobs and properties that another dialect lacks, if any; its first line says `why`."""
    whole = replace(asked, table=asked.table if len(sql.parts_of(asked.table)) > 2 else f"catalog.{asked.table}")
    calls = [_spark_call(whole, job) for job in jobs]
    first, *rest = [*([] if properties is None else [_set_in_spark(whole.table, properties)]), *calls] or [""]
    if first:
        yield "spark", (f"-- in Spark: {why}\n{first}", *rest)


def _in_flink(asked: _Upkeep) -> Iterator[_Block]:
    """Flink's own sink maintains what it writes, by settings of its session; other jobs have no statement there."""
    request, of_sink = asked.request, asked.request.writers_sql == "flink"
    does = [job for job in asked.jobs if of_sink and job.name in sql.FLINK_TASKS]
    once = {**asked.properties, **({} if of_sink else asked.of_expiry)}
    if COMPACTION in [job.name for job in does]:
        options = _options_of(_compaction(request, request.table_target_bytes))
        once |= {sql.flink_key(COMPACTION, name): value for name, value in options.items()}
    yield "flink", (f"{sql.set_options(asked.table, once)};",)
    if does:
        yield "flink", (sql.FLINK_SINK, *(_flink_task(asked, job) for job in does))
    why = "Flink's sink has no task for this" if of_sink else "Flink SQL maintains only what it writes itself"
    yield from _besides_in_spark(asked, why, [job for job in asked.jobs if job not in does])


def _flink_task(asked: _Upkeep, job: _Job) -> str:
    given = dict[str, str]()
    if job.name == EXPIRY:
        given = {"max-snapshot-age-seconds": f"{asked.kept.older_than_s:.0f}"}
        given["retain-last"] = str(asked.request.retain_last)
    if job.name == ORPHANS:
        given["min-age-seconds"] = f"{PlanRequest.seconds_of(job.own.get('older_than', ORPHANS_S)):.0f}"
    files = job.own.get("when_small_files") if job.every_s is None else None
    said = job.schedule if job.every_s is None else period_words(job.every_s)
    return sql.set_task(job.name, given, every_s=job.every_s, files=files, said=said)


def _in_trino(asked: _Upkeep) -> Iterator[_Block]:
    # its table properties are its own, and all others need the catalog's leave
    allowed = "-- once; iceberg.allowed-extra-properties must name them (480: delete_after_commit_enabled = true)"
    once = f"{allowed}\n{sql.set_extra_properties(asked.table, asked.properties)};"
    since = {"rewrite_manifests": " (Trino 470 or newer)"}
    calls = (
        f"{_trino_call(asked, job)}; -- {job.schedule}{since.get(job.name, '')}{_left_out(job, (TARGET,))}"
        for job in asked.jobs
    )
    yield "trino", (once, *calls)


def _left_out(job: _Job, has: Collection[str]) -> str:
    """Options of a compaction that an engine does not have, for the comment behind its statement."""
    left = [name for key, name in _OPTIONS.items() if key not in has and job.own.get(key)]
    left += ["partial-progress"] if job.own.get("partial_progress_commits") else []
    return f"; without {' and '.join(left)}, which the figures have" if job.name == COMPACTION and left else ""


def _trino_call(asked: _Upkeep, job: _Job) -> str:
    request, expires = asked.request, job.name == EXPIRY
    age = asked.kept.older_than_s if expires else job.own.get("older_than")
    target = request.compaction_target_bytes
    return sql.execute_procedure(
        job.name,
        asked.table,
        None if age is None else PlanRequest.seconds_of(age),
        retain_last=request.retain_last if expires else 1,
        sizes=(small_file_bytes(target), target) if job.name == COMPACTION else None,
    )


def _in_athena(asked: _Upkeep) -> Iterator[_Block]:
    """Athena's statements name a table by database and name, and go by properties of Athena's own, which alone it sets;
    one VACUUM expires snapshots and removes orphan files.
    """
    table, names = sql.athena_name(asked.table), {job.name for job in asked.jobs}
    does = [job for job in asked.jobs if job.name in sql.ATHENA and not (job.name == ORPHANS and EXPIRY in names)]
    request, kept = asked.request, asked.kept
    compacts = kept.compact_every_s is not None or COMPACTION in request.own_jobs
    options = _compaction(request, DEFAULT_TARGET_BYTES) if compacts else {}
    own = {name: str(options[key]) for key, name in _OF_ATHENA.items() if options.get(key)}
    if kept.older_than_s is not None:
        least = {"vacuum_min_snapshots_to_keep": str(request.retain_last)} if request.retain_last > 1 else {}
        own = {"vacuum_max_snapshot_age_seconds": f"{kept.older_than_s:.0f}", **least, **own}
    once = [_set_in_spark(table, own)] if own else []
    both = "-- it expires snapshots and removes orphan files\n" if ORPHANS in names else ""
    calls = [f"{both if job.name in (EXPIRY, ORPHANS) else ''}{sql.maintain(job.name, table)}" for job in does]
    if own or does:
        said = (f"{job.schedule}{_left_out(job, _OF_ATHENA)}" for job in does)
        yield "athena", (*once, *(f"{call}; -- {words}" for call, words in zip(calls, said, strict=True)))
    rest = [job for job in asked.jobs if job.name not in sql.ATHENA]
    why = f"Athena sets no such properties{' and rewrites no manifests' if rest else ''}"
    yield from _besides_in_spark(asked, why, rest, asked.properties)


_IN_DIALECT: Mapping[Dialect, Callable[[_Upkeep], Iterator[_Block]]] = {
    "spark": _in_spark,
    "flink": _in_flink,
    "trino": _in_trino,
    "athena": _in_athena,
}


def _compaction(request: PlanRequest, default_bytes: int) -> dict[str, Any]:
    """Options of compaction; the target size only where it is not the default."""
    target = request.compaction_target_bytes
    return {**request.compaction, TARGET: None if target == default_bytes else target}


def _schedule(every_s: float | None, minute: int, own: Mapping[str, Any]) -> str | None:
    """`20 * * * *`, a period that cron cannot say, or the count that starts it; None for a job that never runs."""
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
    listed = ", ".join(f"'{name}', '{value}'" for name, value in _options_of(own).items())
    options = f"options => map({listed})" if listed else ""
    call = sql.call_procedure(job, table, options)
    age_s = PlanRequest.seconds_of(own.get("older_than", ORPHANS_S))  # CALL takes no computed one
    aged = f"-- with older_than => TIMESTAMP '…', {format_duration(age_s)} before each run\n"
    call = call if len(call) < WIDTH else sql.call_procedure(job, table, options, in_lines=True)
    return call if age_s == ORPHANS_S else aged + call


def _options_of(own: Mapping[str, Any]) -> dict[str, str]:
    """A job's options by the names that Iceberg has for them in Spark and in Flink."""
    given = {name: str(own[key]) for key, name in _OPTIONS.items() if own.get(key)}
    if "partial_progress_commits" in own:
        commits = str(own["partial_progress_commits"])
        given |= {"partial-progress.enabled": "true", "partial-progress.max-commits": commits}
    return given


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
