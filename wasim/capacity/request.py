"""The request that a plan answers: a table and workload as a scenario document, limits, prices and a machine."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf
from pathlib import Path
from typing import Any, Literal

from wasim.capacity.words import period_words
from wasim.contention import LOCAL, catalog_named, provider_named
from wasim.errors import WasimError, quoted
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS, METADATA_COMPRESSION, TableProperties
from wasim.iceberg.sql import parts_of, spark_name
from wasim.ledger.machine import SHIPPED_MACHINE, Machine, machine_of_run, summary_of_run
from wasim.scenario import LoadedScenario, Scenario, load_scenario
from wasim.scenario.checks import MOST_ROWS_PER_COMMIT
from wasim.scenario.examine import examine
from wasim.scenario.faults import Fault, format_place
from wasim.scenario.from_flags import DEFAULT_WORKLOAD, document_from_flags, explain_flag
from wasim.scenario.metrics import COUNTS, METRICS, Limit, dimension_of
from wasim.scenario.parts import WRITER_KINDS, Trigger
from wasim.scenario.prices import Prices, load_prices, prices_for
from wasim.scenario.scenario import triggered_s
from wasim.scenario.sweep import make_case
from wasim.twin import profile_named, shipped_profile
from wasim.twin.profile import DIALECTS, SHIPPED, Dialect, as_triggered
from wasim.twin.recipe import TriggerOfCommits
from wasim.units import (
    HOUR_S,
    duration_of_flag_s,
    format_bytes,
    format_duration,
    format_figure,
    parse_bytes,
    parse_duration_s,
)

DEFAULT_LONGEST = "1h"  # where no freshness is asked for
DEFAULT_TIME_TRAVEL = "5d"  # Iceberg's own history.expire.max-snapshot-age-ms
DEFAULT_QUERIES = "10"
DEFAULT_NAME = "catalog.namespace.table"
MOST_QUERIES = 1e9
FEWEST_COMMITS = 3  # within the horizon: fewer tell nothing of a longer one
DEFAULT_LOCATION = "s3://bucket-name-in-region/warehouse/database.db/table_name"  # as long as people's
AIM = Limit(metric="wa_metadata", comparison="<=", bound=0.1, text="<= 0.1")
"""Where metadata is more than that share of data, less of it is worth a property or a job that costs nothing."""

LIMITS_OF_WRITING = frozenset(["metadata_bytes_per_day", "wa_metadata", "metadata_bytes_per_event_hour", "wa_total"])
FLAGS = "flags"
COMPACTION, TARGET = "rewrite_data_files", "target_file_size_bytes"
DEFAULT_TARGET_BYTES = TableProperties().write_target_file_size_bytes  # of compaction too
REPLACED_JOBS = ("expire_snapshots", "rewrite_manifests")
_TABLE_NAME = re.compile(r"(\w+|`[^`\n]+`)(\.(\w+|`[^`\n]+`)){1,}")
Prefer = Literal["cheapest", "freshest"]
PREFERS: tuple[Prefer, ...] = ("cheapest", "freshest")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What to plan for: `document` is the scenario without an interval; `assumed` are sentences about defaults taken.

    `freshness_s` is None where none was asked for. `not_judged` are sentences about limits of the scenario that a plan
    does not judge. `location` is where the table lies: its files repeat that.
    """

    source: str
    document: Mapping[str, Any]
    limits: tuple[Limit, ...]
    freshness_s: float | None
    time_travel_s: float
    table_name: str
    assumed: tuple[str, ...]
    prices: Prices
    writers: int = 1  # the document has one: together they write what one would
    provider: str = LOCAL
    queries_per_hour: float = float(DEFAULT_QUERIES)
    machine: Machine = SHIPPED_MACHINE
    not_judged: tuple[str, ...] = ()
    prefer: Prefer = "cheapest"
    warnings: tuple[str, ...] = ()  # of what the table is
    now: str | None = None  # how it is written and maintained, as --now says it
    own_properties: Mapping[str, str] = field(default_factory=dict)  # of a table that exists, all of them
    writer_is_spark: bool = True  # or Flink
    location: str = DEFAULT_LOCATION
    dialect: Dialect | None = None  # of the statements; None: the writer's
    catalog: str | None = None  # whose times commits take; None: the scenario's

    @property
    def horizon_s(self) -> float:
        """Event time that figures are of. WasimError for what is no duration."""
        return duration_of_flag_s("--horizon", str(self.document["horizon"]))

    @property
    def own_jobs(self) -> Mapping[str, Mapping[str, Any]]:
        """Maintenance of the scenario that a plan keeps as it is: all but expiry and rewriting of manifests."""
        jobs: Mapping[str, Mapping[str, Any]] = self.document.get("maintenance", {})
        return {name: job for name, job in jobs.items() if name not in REPLACED_JOBS}

    @property
    def own_compaction_s(self) -> float | None:
        """The period of the scenario's own compaction; None without one, or where a count starts it."""
        every = self.own_jobs.get(COMPACTION, {}).get("every")
        return None if every is None else self.seconds_of(every)

    @property
    def compaction(self) -> Mapping[str, Any]:
        """The scenario's compaction; without one its target size is the table's, which rewrite_data_files goes by."""
        own, target = self.own_jobs.get(COMPACTION), self.table_target_bytes
        if own is not None:
            return own
        return {} if target == DEFAULT_TARGET_BYTES else {TARGET: target}

    @property
    def compaction_target_bytes(self) -> int:
        """The size of data files that compaction aims at."""
        target = self.compaction.get(TARGET, DEFAULT_TARGET_BYTES)
        return parse_bytes(target) if isinstance(target, str) else int(target)

    @property
    def table_target_bytes(self) -> int:
        """The size of data files by the table's own properties."""
        return TableProperties.read_leniently(self.properties).write_target_file_size_bytes

    @property
    def own_words(self) -> tuple[str, ...]:
        """The scenario's jobs that no setting has a field for."""
        jobs, found = self.own_jobs, []
        if small := jobs.get(COMPACTION, {}).get("when_small_files"):
            found.append(f"compact at {small} small files")
        if orphans := jobs.get("remove_orphan_files"):
            found.append(f"remove orphan files {period_words(self.seconds_of(orphans['every']))}")
        return tuple(found)

    @property
    def retain_last(self) -> int:
        """Snapshots that stay whatever their age, as the table or the scenario's own expiry has it."""
        expiry = (self.document.get("maintenance") or {}).get("expire_snapshots") or {}
        own = TableProperties.read_leniently(self.properties).min_snapshots_to_keep
        return max(1, own, int(expiry.get("retain_last", 1)))

    @property
    def properties(self) -> Mapping[str, str]:
        """The table's own properties."""
        return {**self.document["table"].get("properties", {}), **self.own_properties}

    @staticmethod
    def seconds_of(value: object) -> float:
        """A duration of a scenario's document, in seconds."""
        return parse_duration_s(value) if isinstance(value, str) else float(str(value))

    @property
    def longest_s(self) -> float:
        """The longest interval to consider: as fresh as asked for, or as the horizon has room for, and of no more rows
        than a commit may have.
        """
        try:
            rows_per_second = float(self.document["workload"]["rows_per_second"])
        except ValueError:
            rows_per_second = 0.0
        row_s = 1 / rows_per_second if 0 < rows_per_second < inf else 1.0  # the scenario's own checks name the others
        asked_s = self.freshness_s
        if asked_s is None:
            default_s = max(parse_duration_s(DEFAULT_LONGEST), ceil(row_s / HOUR_S) * HOUR_S)
            asked_s = min(default_s, self.horizon_s / FEWEST_COMMITS)
        longest_s = min(asked_s, MOST_ROWS_PER_COMMIT * row_s, self.most_s())
        if longest_s == self.freshness_s:
            return longest_s
        return max(1, floor(longest_s * 1000)) / 1000  # of which a horizon may hold too few

    @property
    def ships(self) -> TriggerOfCommits:
        """What makes the writer commit as it ships."""
        return TriggerOfCommits() if self.profile is None else profile_named(self.profile).trigger

    def most_s(self, rate: float = 1.0) -> float:
        """The longest interval that the writer can be set to, as its profile says: in whole seconds where bytes come
        first, of this multiple of the rows.
        """
        ships = self.ships
        if ships.most_bytes is None:
            return ships.most_s
        scenario, _ = examine({**self.document, "commit_interval": DEFAULT_LONGEST})
        rows, first = scenario.workload.rows_per_second * rate, Trigger(bytes=ships.most_bytes)
        found = triggered_s(ships.most_s, first, scenario.table, rows)
        return floor(found) or found

    @property
    def writers_bound(self) -> str:
        """Why no longer interval is tried, where that is for its writer: a sentence; empty where it is not."""
        most_s, most_bytes = self.most_s(), self.ships.most_bytes
        is_full = most_bytes is not None and most_s < self.ships.most_s
        if self.profile is None or most_s > self.longest_s or not (is_full or most_s < (self.freshness_s or 0)):
            return ""
        why = f"it has gathered {format_bytes(most_bytes or 0)} by then" if is_full else "no longer interval can be set"
        title = profile_named(self.profile).title
        return f"{title} commits every {format_duration(self.longest_s)} at the latest: {why}."

    @property
    def gzips_json(self) -> bool:
        """Whether metadata.json is compressed, at every setting: unless the table's own properties say otherwise, or
        its writer never does.
        """
        own = TableProperties.read_leniently(self.properties).metadata_compression
        return not self.writes_plain_json and (METADATA_COMPRESSION not in self.properties or own == "gzip")

    @property
    def writes_plain_json(self) -> bool:
        """Whether the writer compresses no metadata.json, whatever the table's properties say."""
        return self.profile is not None and profile_named(self.profile).never_reads(METADATA_COMPRESSION)

    @property
    def aims(self) -> tuple[Limit, ...]:
        """What to come near to where that costs nothing, unless metadata written is limited: a tenth of the data."""
        return () if any(limit.metric in LIMITS_OF_WRITING for limit in self.limits) else (AIM,)

    @property
    def profile(self) -> str | None:
        """The writer's profile, where the document names one."""
        writer = self.document.get("writer")
        return writer.get("profile") if isinstance(writer, Mapping) else None

    def __post_init__(self) -> None:
        if self.sql in ("flink", "athena") and len(parts_of(self.table_name)) > 3:
            has_none = f"{self.sql.capitalize()} has no namespaces within namespaces"
            raise WasimError(f"--name is {quoted(self.table_name)}, and {has_none}. Give catalog.database.table.")

    @property
    def writers_sql(self) -> Dialect:
        """The SQL of the writer's own engine, as its profile says; Spark's without one."""
        writer = self.document.get("writer", "")
        kind = writer.get("kind", "") if isinstance(writer, Mapping) else str(writer)
        profile = self.profile or (kind if kind in SHIPPED else None)  # a kind of its own name, as flink
        return "spark" if profile is None else profile_named(profile).sql

    @property
    def sql(self) -> Dialect:
        """The SQL of the statements."""
        return self.dialect or self.writers_sql

    def written_by(self, profile: str) -> "PlanRequest":
        """The same for a table that the writer of a profile commits to. WasimError if there is none."""
        profile_named(profile)
        writer = self.document["writer"]
        named = {**({"kind": writer} if isinstance(writer, str) else writer), "profile": profile}
        return replace(self, document={**self.document, "writer": named})

    def explain_fault(self, fault: Fault) -> str:
        """A fault of the document as one line, by flag or by field."""
        if self.source == FLAGS:
            return explain_flag(fault).replace("--interval", "--freshness", 1)
        return f"{self.source}: {format_place(fault.place)} {fault.problem}. {fault.remedy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The user's requirements, for any table: texts of the command line's flags, None where a default applies."""

    freshness: str | None = None
    time_travel: str | None = None
    limits: Mapping[str, str] = field(default_factory=dict)  # by metric
    table_name: str | None = None
    queries_per_hour: str | None = None
    prices: Path | None = None
    provider: str | None = None
    catalog: str | None = None
    dialect: str | None = None
    prefer: str | None = None
    now: str | None = None
    per_job: str | None = None
    bounds: tuple[Limit, ...] = ()  # limits that are parsed already


def request_from_flags(given: Mapping[str, str | None], requirements: Requirements) -> PlanRequest:
    """A request for a table that a few flags describe: see `document_from_flags`. WasimError names the flag."""
    document, assumed = document_from_flags(given)
    profile = document["writer"].get("profile") if isinstance(document["writer"], Mapping) else None
    if profile is not None and profile not in SHIPPED:
        kinds = ", ".join(dict.fromkeys((*WRITER_KINDS, *SHIPPED)))
        raise WasimError(f"--writer is {quoted(profile)}. Give {kinds}; or a file of wasim profile as --profile.")
    return _request(FLAGS, document, requirements, limits=(), assumed=assumed)


def request_from_file(
    path: Path, overrides: Mapping[str, str], requirements: Requirements, horizon: str | None = None
) -> PlanRequest:
    """A request for the table and workload of a scenario's file. WasimError if it sweeps anything but intervals."""
    return request_from_scenario(load_scenario(path, overrides), str(path), requirements, horizon)


def request_from_scenario(
    loaded: LoadedScenario, source: str, requirements: Requirements, horizon: str | None = None
) -> PlanRequest:
    """A request for a scenario's table and workload. Its limits count, unless a flag gives another bound.

    The plan replaces its intervals, expiry and rewriting of manifests, and its horizon by `horizon` or 30 days.
    WasimError if it sweeps anything but intervals.
    """
    if swept := {name: values[0] for name, values in loaded.swept.items() if name != "commit_interval"}:
        names = " and ".join(f"sweep.{name}" for name in swept)
        first = " ".join(f"--set {shlex.quote(f'{name}={value}')}" for name, value in swept.items())
        raise WasimError(
            f"{source}: a plan is for one case, and there are several by {names}. Choose, such as {first}."
        )
    document = loaded.scenario.model_dump(mode="json", exclude_defaults=True)
    if "commit_interval" in loaded.swept:
        document.pop("commit_interval", None)  # which of them is there now is unknown
    return request_from_document(source, document, requirements, horizon, loaded=loaded)


def _commits_every_s(scenario: Scenario) -> float:
    """Between two commits of a scenario as it is: less than its interval where its trigger, or what its profile ships,
    comes first.
    """
    case = make_case(scenario, repetition=0, swept={})
    return as_triggered(case, shipped_profile(case)).commit_interval_s


def request_from_run(
    folder: Path, overrides: Mapping[str, str], requirements: Requirements, horizon: str | None = None
) -> PlanRequest:
    """A request for a run's scenario, with the latencies of its machine if it timed planning.

    SavedFileError for a folder that holds no run, or no readable summary.
    """
    own = summary_of_run(folder)["overrides"]
    request = request_from_file(folder / "scenario.yaml", {**own, **overrides}, requirements, horizon)
    machine = machine_of_run(folder)
    return replace(request, source=str(folder), machine=machine or request.machine)


def request_from_document(
    source: str,
    document: Mapping[str, Any],
    requirements: Requirements,
    horizon: str | None = None,
    notes: tuple[str, ...] = (),
    own_properties: Mapping[str, str] | None = None,
    loaded: LoadedScenario | None = None,
) -> PlanRequest:
    """A request for a table and workload given as a scenario document, such as an inspected table's, or as that of a
    `loaded` scenario, which says more: `trigger: none` is in no document.
    """
    document, limits = dict(document), () if loaded is None else loaded.limits
    if "commit_interval" in document:
        scenario = examine(document)[0] if loaded is None else loaded.scenario
        document["commit_interval"] = _commits_every_s(scenario)
    now, warnings = now_words(document), tuple[str, ...]()
    for name in ("commit_interval", "limits", "fit"):
        document.pop(name, None)
    document["horizon"] = horizon or DEFAULT_WORKLOAD["horizon"]
    assumed = [*notes, *([] if horizon else [f"Horizon {document['horizon']} (default)."])]
    if {"expire_snapshots", "rewrite_manifests"} & set(document.get("maintenance", {})):
        assumed.append("Expiry and rewrite_manifests of the scenario are replaced by those tried here.")
    if document["workload"].get("active"):
        raise WasimError(
            f"{source}: workload.active is simulated, not planned. Take it out, and plan for the busy hours."
        )
    writer = document["writer"]
    if isinstance(writer, Mapping) and writer.get("trigger"):
        document["writer"] = {name: value for name, value in writer.items() if name != "trigger"}
        warnings = ("writer.trigger is left out of the plan: set it so that the interval comes first.",)
    changes = document.get("changes") or {}
    if changes:
        assumed.append(f"The scenario's statements are in all figures: {', '.join(sorted(changes))}.")
    request = _request(
        source, document, requirements, limits=limits, assumed=tuple(assumed), own_properties=own_properties
    )
    return replace(request, now=request.now or now, warnings=(*request.warnings, *warnings))


def now_words(document: Mapping[str, Any]) -> str | None:
    """How a scenario's table is written and maintained, as --now says it; None where a count starts its jobs, or it
    has no interval of its own.
    """
    jobs, properties = document.get("maintenance") or {}, document["table"].get("properties", {})
    kept = [jobs[name] for name in (*REPLACED_JOBS, COMPACTION) if jobs.get(name)]
    if "commit_interval" not in document or any(job.get("every") is None for job in kept):
        return None
    places = {
        "interval": document["commit_interval"],
        "expire": jobs.get("expire_snapshots", {}).get("every"),
        "keep": jobs.get("expire_snapshots", {}).get("older_than"),
        "rewrite": jobs.get("rewrite_manifests", {}).get("every"),
        "compact": jobs.get(COMPACTION, {}).get("every"),
    }
    parts = [
        f"{key}={format_duration(PlanRequest.seconds_of(value))}" for key, value in places.items() if value is not None
    ]
    own = TableProperties.read_leniently({key: str(value) for key, value in properties.items()})
    if own.metadata_compression == "gzip":
        parts.append("gzip=yes")
    if own.metadata_delete_after_commit_enabled:
        parts.append("old-json=deleted")
    return ",".join(parts)


def _request(
    source: str,
    document: Mapping[str, Any],
    requirements: Requirements,
    *,
    limits: tuple[Limit, ...],
    assumed: tuple[str, ...],
    own_properties: Mapping[str, str] | None = None,
) -> PlanRequest:
    age_s = _own_age_s(document, own_properties or {})
    document, writers = _with_one_writer(document)
    judged, not_judged = _limits_of(requirements, limits)
    return PlanRequest(
        source=source,
        document=document,
        limits=judged,
        prefer=preference(requirements.prefer, is_limited=bool(judged)),
        freshness_s=None
        if requirements.freshness is None
        else duration_of_flag_s("--freshness", requirements.freshness),
        time_travel_s=_time_travel_s(requirements, age_s),
        now=requirements.now,
        own_properties=own_properties or {},
        table_name=table_name_of(requirements.table_name or DEFAULT_NAME),
        assumed=(*assumed, *_not_given(requirements, age_s)),
        writers=writers,
        provider=requirements.provider or LOCAL,
        catalog=catalog_named(requirements.catalog, requirements.provider),
        dialect=_dialect(requirements.dialect),
        machine=_machine(requirements),
        prices=_prices(requirements),
        queries_per_hour=_number(
            "--queries-per-hour", requirements.queries_per_hour or DEFAULT_QUERIES, most=MOST_QUERIES
        ),
        not_judged=not_judged,
    )


def _time_travel_s(requirements: Requirements, own_age_s: float | None) -> float:
    if own_age_s is not None and requirements.time_travel is None:
        return own_age_s
    return duration_of_flag_s("--time-travel", requirements.time_travel or DEFAULT_TIME_TRAVEL)


def _not_given(requirements: Requirements, own_age_s: float | None) -> Iterator[str]:
    """What is taken where no flag gives it, in sentences."""
    if own_age_s is not None and requirements.time_travel is None:
        yield f"Time travel {format_duration(own_age_s)}, as it is now."
    elif not (requirements.time_travel or own_age_s):
        yield f"Time travel {DEFAULT_TIME_TRAVEL} (default)."
    if requirements.queries_per_hour is None:
        yield f"Queries, each of the latest day's files, {DEFAULT_QUERIES} an hour (default)."


def _limits_of(requirements: Requirements, limits: tuple[Limit, ...]) -> tuple[tuple[Limit, ...], tuple[str, ...]]:
    """The limits to judge, flags before a scenario's own, and a sentence on each that a plan does not judge."""
    own = (*requirements.bounds, *(parsed_limit(metric, text) for metric, text in requirements.limits.items()))
    metrics = {limit.metric for limit in own}
    others = [limit for limit in limits if limit.metric not in metrics]
    reasons = {limit: reason for limit in others if (reason := _why_not_judged(limit))}
    judged = (*own, *(limit for limit in others if limit not in reasons))
    return judged, tuple(f"{limit.metric} {limit.text}: not judged, {why}." for limit, why in reasons.items())


def _own_age_s(document: Mapping[str, Any], own_properties: Mapping[str, str]) -> float | None:
    """The age that snapshots are kept to now, by the scenario's own expiry or else by the table's properties; None
    where neither says.
    """
    if expiry := (document.get("maintenance") or {}).get("expire_snapshots"):
        return PlanRequest.seconds_of(expiry["older_than"])
    properties = {**document["table"].get("properties", {}), **own_properties}
    age_ms = TableProperties.read_leniently(properties).max_snapshot_age_ms
    return age_ms / 1000 if MAX_SNAPSHOT_AGE_MS in properties and age_ms > 0 else None


def _with_one_writer(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    writer = document["writer"]
    if isinstance(writer, str) or "writers" not in writer:
        return document, 1
    return {**document, "writer": {**writer, "writers": 1}}, int(writer["writers"])


def _prices(requirements: Requirements) -> Prices:
    if requirements.prices is not None and requirements.per_job is not None:
        raise WasimError("--prices and --per-job exclude each other: give per_job in the file.")
    if requirements.prices is not None:
        return load_prices(requirements.prices)
    prices = prices_for(requirements.provider)
    if requirements.per_job is None:
        return prices
    return prices.model_copy(update={"per_job": _number("--per-job", requirements.per_job, most=1e6)})


def _dialect(text: str | None) -> Dialect | None:
    found = next((one for one in DIALECTS if one == text), None)
    if found is None and text is not None:
        raise WasimError(f"--dialect is {quoted(text)}. Give {', '.join(DIALECTS[:-1])} or {DIALECTS[-1]}.")
    return found


def _machine(requirements: Requirements) -> Machine:
    if requirements.provider in (None, LOCAL):
        return SHIPPED_MACHINE
    providers, name = provider_named(requirements.provider)
    store = providers.store(name)
    waiting = f"{format_figure(store.get.p50_ms)} ms for each object read from {store.title}"
    return replace(
        SHIPPED_MACHINE,
        words=f"{SHIPPED_MACHINE.words}, and {waiting}",
        get_ms=store.get.p50_ms,
        get_ms_per_mebibyte=store.get.ms_per_mib,
    )


def place_words(location: str) -> str:
    """A sentence on where files lie."""
    return f"Files lie at {location}{' (default)' if location == DEFAULT_LOCATION else ''}."


def is_table_name(text: str) -> bool:
    """Whether SQL could call a table so."""
    return bool(_TABLE_NAME.fullmatch(text))


def table_name_of(text: str) -> str:
    """The value of --name, as Spark has it. WasimError for what SQL could not call a table."""
    if not is_table_name(text):
        wanted = "catalog.namespace.table, with backquotes around a part of other characters than letters, digits and _"
        raise WasimError(f"--name is {quoted(text)}. Give {wanted}.")
    return spark_name(text)


def _why_not_judged(limit: Limit) -> str:
    if limit.metric in ("planning_p95_ms", "load_p95_ms", "commit_p50_ms", "commit_p95_ms"):
        return "of times a plan has the median of planning only"
    return "it is for the scenario's own horizon" if limit.metric in ("metadata_bytes", "data_bytes") else ""


def preference(text: str | None, *, is_limited: bool) -> Prefer:
    """The value of --prefer. WasimError for what is none, or for the freshest without a limit to stop at."""
    found = next((one for one in PREFERS if one == (text or PREFERS[0])), None)
    if found is None:
        raise WasimError(f"--prefer is {text!r}. Give {' or '.join(PREFERS)}.")
    if found == "freshest" and not is_limited:
        raise WasimError("--prefer freshest has no limit to stop at. Give one too, such as --monthly-cost 20.")
    return found


def _number(flag: str, text: str, *, most: float) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= most:
        raise WasimError(f"{flag} is {quoted(text)}. Give a number from 0 to {f'{most:.0e}'.replace('+0', '')}.")
    return found


_WANTED = {
    "bytes": "an amount of bytes, such as 10GB or 5 MiB",
    "ms": "a duration, such as 2s or 800ms",
    "": "a number greater than zero",
    "count": "a whole number greater than zero",
    "money": "an amount greater than zero",
}


def parsed_limit(metric: str, text: str) -> Limit:
    """The limit of a flag. WasimError names the flag."""
    kind = dimension_of(metric)
    parse = {"bytes": lambda: float(parse_bytes(text)), "ms": lambda: 1000 * parse_duration_s(text)}
    try:
        bound = parse.get(kind, lambda: float(text))()
    except ValueError:
        bound = 0.0
    if not 0 < bound < 2.0**63 or (metric in COUNTS and not bound.is_integer()):
        wanted = _WANTED["count" if metric in COUNTS else kind]
        raise WasimError(f"{METRICS[metric].flag} is {quoted(text)}. Give {wanted}.")
    return Limit(metric=metric, comparison="<=", bound=bound, text=f"<= {text}")
