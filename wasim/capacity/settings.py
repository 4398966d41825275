"""Settings: a commit interval with maintenance and table properties; and a request's case under a setting."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from wasim.capacity.request import COMPACTION, PlanRequest
from wasim.capacity.words import period_words
from wasim.errors import WasimError
from wasim.forecast.ahead import INTERVALS_S, LEAST_STEP_S
from wasim.iceberg.properties import (
    COMMIT_NUM_RETRIES,
    MANIFEST_TARGET_SIZE_BYTES,
    METADATA_COMPRESSION,
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    TableProperties,
)
from wasim.scenario import Case, Scenario
from wasim.scenario.examine import examine
from wasim.scenario.sweep import make_case
from wasim.twin import shipped_profile
from wasim.twin.profile import as_written
from wasim.units import DAY_S, format_bytes, format_duration

MOST_INTERVALS = 8
DEFAULTS = {METADATA_DELETE_AFTER_COMMIT_ENABLED: "false", METADATA_COMPRESSION: "none"}  # of a table without them


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """How often each job runs, in seconds of event time, and how long snapshots are kept; None: never."""

    expire_every_s: float | None
    older_than_s: float | None
    rewrite_every_s: float | None
    compact_every_s: float | None = None
    own: tuple[str, ...] = ()  # other jobs, which the scenario has and every setting keeps

    @property
    def periods_s(self) -> tuple[tuple[str, float], ...]:
        """The jobs that run, by name, and their periods."""
        jobs = (
            ("expire", self.expire_every_s),
            ("rewrite manifests", self.rewrite_every_s),
            ("compact", self.compact_every_s),
        )
        return tuple((job, every_s) for job, every_s in jobs if every_s is not None)

    @property
    def runs_per_day(self) -> float:
        """Jobs started in a day, all kinds together."""
        return sum(DAY_S / every_s for _, every_s in self.periods_s)

    @property
    def words(self) -> str:
        """`expire hourly, compact daily`, or `no maintenance`."""
        return ", ".join([*(f"{job} {period_words(s)}" for job, s in self.periods_s), *self.own]) or "no maintenance"


NO_MAINTENANCE = Maintenance(expire_every_s=None, older_than_s=None, rewrite_every_s=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A commit interval, maintenance, and the table properties that decide how much metadata a commit writes.

    `appends` is `fast` or `merge`, None the writer's own way; `manifest_target_bytes` None the table's own.
    """

    interval_s: float
    maintenance: Maintenance = NO_MAINTENANCE
    deletes_json: bool = True  # write.metadata.delete-after-commit.enabled
    gzips_json: bool = False
    appends: str | None = None
    manifest_target_bytes: int | None = None
    retries: int | None = None  # commit.retry.num-retries; None: the table's own

    @property
    def words(self) -> str:
        """`30s, expire daily, gzip`."""
        return f"{format_duration(self.interval_s)}, {self.upkeep_words}"

    @property
    def upkeep_words(self) -> str:
        """All but the interval: `expire daily, gzip`."""
        return ", ".join([self.maintenance.words, *self._property_words()])

    def _property_words(self) -> list[str]:
        target = self.manifest_target_bytes
        named = [
            ("gzip", self.gzips_json),
            (f"{self.appends} appends", self.appends is not None),
            (f"manifests of {format_bytes(target or 0)}", target is not None),
            ("old metadata.json kept", not self.deletes_json),
            (f"{self.retries} retries", self.retries is not None),
        ]
        return [words for words, is_set in named if is_set]

    @property
    def complexity(self) -> tuple[int, float]:
        """What makes one setting simpler than another: jobs and properties to set, then jobs started in a day."""
        another_writer = 1 if self.appends is not None else 0  # besides a property: its code has to change
        steps = len(self.maintenance.periods_s) + len(self._property_words()) + another_writer
        return steps, self.maintenance.runs_per_day

    @property
    def course_key(self) -> tuple[object, ...]:
        """All of it that the files of data and their manifests depend on, but not what expires or is compressed."""
        kept = self.maintenance
        return self.interval_s, self.appends, self.manifest_target_bytes, kept.rewrite_every_s, kept.compact_every_s

    def at_interval(self, interval_s: float) -> "Setting":
        """The same at another interval."""
        return replace(self, interval_s=interval_s)


def intervals_of(freshness_s: float) -> tuple[float, ...]:
    """The longest intervals of the ladder below the freshness, ascending, and the freshness itself."""
    steps = [step for step in INTERVALS_S if LEAST_STEP_S <= step < freshness_s] or [
        step for step in INTERVALS_S if step < freshness_s
    ]
    if len(steps) >= MOST_INTERVALS:
        steps = steps[-(MOST_INTERVALS - 1) :]
    return (*steps, freshness_s)


def able_intervals(intervals_s: Iterable[float], request: PlanRequest, *, rate: float = 1.0) -> tuple[float, ...]:
    """The intervals at which the request's case is valid: its writer can be set to them, they fit into its horizon, and
    a commit has neither too few rows nor too many. `rate` multiplies the rows per second.
    """
    least_s, most_s = request.ships.least_s or 0.0, request.most_s(rate)
    settings = (Setting(interval_s=s) for s in intervals_s if least_s <= s <= most_s)
    return tuple(one.interval_s for one in settings if not examine(document_of(request, one, rate=rate))[1])


def case_of(request: PlanRequest, setting: Setting, *, rate: float = 1.0, is_sound: bool = False) -> Case:
    """The request's case under a setting, checked as a scenario is, unless it is known to be sound, as another with
    these intervals and appends was. WasimError names each fault.

    `rate` multiplies the rows per second.
    """
    document = document_of(request, setting, rate=rate)
    scenario, faults = (Scenario.model_validate(document), []) if is_sound else examine(document)
    if faults:
        raise WasimError(*dict.fromkeys(request.explain_fault(fault) for fault in faults))
    case = make_case(scenario, repetition=0, swept={})
    return replace(as_written(case, shipped_profile(case)), raced_in=request.catalog)


def document_of(request: PlanRequest, setting: Setting, *, rate: float = 1.0) -> dict[str, Any]:
    """The request's scenario document under a setting; `rate` multiplies the rows per second."""
    document = dict(request.document)
    table, writer = document["table"], document["writer"]
    own, wanted = table.get("properties", {}), {**DEFAULTS, **properties_of(setting)}
    properties = {**own, **{key: text for key, text in wanted.items() if key in own or text != DEFAULTS.get(key)}}
    jobs = {**document.get("maintenance", {}), **_jobs(setting.maintenance, request)}
    document |= {
        "commit_interval": format_duration(setting.interval_s),
        "table": {**table, "properties": properties},
        "maintenance": {name: job for name, job in jobs.items() if job is not None},
    }
    if setting.appends is not None:
        document["writer"] = {**({"kind": writer} if isinstance(writer, str) else writer), "append": setting.appends}
    if rate != 1.0:
        workload = document["workload"]
        document["workload"] = {**workload, "rows_per_second": str(float(workload["rows_per_second"]) * rate)}
    return document


def properties_of(setting: Setting) -> dict[str, str]:
    """The table properties that a setting sets."""
    properties = {METADATA_DELETE_AFTER_COMMIT_ENABLED: str(setting.deletes_json).lower()}
    if setting.gzips_json:
        properties[METADATA_COMPRESSION] = "gzip"
    if setting.manifest_target_bytes is not None:
        properties[MANIFEST_TARGET_SIZE_BYTES] = str(setting.manifest_target_bytes)
    if setting.retries is not None:
        properties[COMMIT_NUM_RETRIES] = str(setting.retries)
    return properties


def setting_of(case: Case) -> Setting:
    """The setting that a case already has: its interval, its jobs by time, and its properties of metadata.json."""
    kept, properties = case.maintenance, TableProperties.read(case.table.properties)
    expiry, rewriting, compaction = kept.expire_snapshots, kept.rewrite_manifests, kept.rewrite_data_files
    return Setting(
        interval_s=case.commit_interval_s,
        maintenance=Maintenance(
            expire_every_s=None if expiry is None else expiry.every,
            older_than_s=None if expiry is None else expiry.older_than,
            rewrite_every_s=None if rewriting is None else rewriting.every,
            compact_every_s=None if compaction is None else compaction.every,
        ),
        deletes_json=properties.metadata_delete_after_commit_enabled,
        gzips_json=properties.metadata_compression == "gzip",
    )


def _jobs(maintenance: Maintenance, request: PlanRequest) -> dict[str, Any]:
    jobs: dict[str, Any] = {"expire_snapshots": None, "rewrite_manifests": None}
    if maintenance.expire_every_s is not None:
        jobs["expire_snapshots"] = {
            "every": format_duration(maintenance.expire_every_s),
            "older_than": format_duration(maintenance.older_than_s or 0.0),
            "retain_last": request.retain_last,
        }
    if maintenance.rewrite_every_s is not None:
        jobs["rewrite_manifests"] = {"every": format_duration(maintenance.rewrite_every_s)}
    if maintenance.compact_every_s is not None:
        jobs[COMPACTION] = {**request.compaction, "every": format_duration(maintenance.compact_every_s)}
    elif request.own_compaction_s is not None:  # a setting without the scenario's own
        jobs[COMPACTION] = None
    return jobs
