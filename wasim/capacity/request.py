"""The request that a plan answers: a table and workload as a scenario document, limits, prices and a machine."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf
from pathlib import Path
from typing import Any, Literal

from wasim.capacity.latency import SHIPPED_MACHINE, Machine, machine_of_run
from wasim.contention import LOCAL, Arrivals, provider_named
from wasim.errors import SavedFileError, WasimError, quoted
from wasim.scenario import load_scenario
from wasim.scenario.faults import Fault, format_place
from wasim.scenario.from_flags import DEFAULT_WORKLOAD, document_from_flags, explain_flag
from wasim.scenario.limits import Limit
from wasim.scenario.metrics import METRICS, dimension_of
from wasim.scenario.pace import MOST_ROWS_PER_COMMIT
from wasim.scenario.prices import PROVIDERS, Prices, load_prices, prices_of_provider
from wasim.storage.local import read_regular
from wasim.twin import Site, profile_named
from wasim.units import HOUR_S, duration_of_flag_s, parse_bytes, parse_duration_s

DEFAULT_LONGEST = "1h"  # where no freshness is asked for
DEFAULT_TIME_TRAVEL = "5d"  # Iceberg's own history.expire.max-snapshot-age-ms
DEFAULT_QUERIES = "10"
DEFAULT_NAME = "catalog.namespace.table"
MOST_QUERIES = "1e9"
FEWEST_COMMITS = 3  # within the horizon: fewer tell nothing of a longer one
DEFAULT_PRICES = "s3"  # for a provider without prices: local files
DEFAULT_LIMIT = Limit(metric="wa_metadata", comparison="<=", bound=1.0, text="<= 1")
"""The limit where none is given on metadata written: no more metadata than data."""
AIM = Limit(metric="wa_metadata", comparison="<=", bound=0.1, text="<= 0.1")
"""Where metadata is more than that share of data, less of it is worth a property or a job that costs nothing."""

LIMITS_OF_WRITING = frozenset(["metadata_bytes_per_day", "wa_metadata", "metadata_bytes_per_event_hour", "wa_total"])
FLAGS = "flags"
_TABLE_NAME = re.compile(r"(\w+|`[^`\n]+`)(\.(\w+|`[^`\n]+`)){1,}")
Rule = Literal["limits", "freshness", "knee"]


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
    arrivals: Arrivals = "random"  # of commits; a bench on a virtual clock has them "at_once"
    queries_per_hour: float = float(DEFAULT_QUERIES)
    counts_opening: bool = True  # whether queries pay for opening data files; not in a fleet, which tries no compaction
    machine: Machine = SHIPPED_MACHINE
    not_judged: tuple[str, ...] = ()
    location: str = Site().location

    @property
    def horizon_s(self) -> float:
        """Event time that figures are of. WasimError for what is no duration."""
        return duration_of_flag_s("--horizon", str(self.document["horizon"]))

    @property
    def longest_s(self) -> float:
        """The longest interval to consider; by default no longer than horizon and rows of a commit allow."""
        if self.freshness_s is not None:
            return self.freshness_s
        try:
            rows_per_second = float(self.document["workload"]["rows_per_second"])
        except ValueError:
            rows_per_second = 0.0
        row_s = 1 / rows_per_second if 0 < rows_per_second < inf else 1.0  # the scenario's own checks name the others
        default_s = max(parse_duration_s(DEFAULT_LONGEST), ceil(row_s / HOUR_S) * HOUR_S)
        most_s = min(self.horizon_s / FEWEST_COMMITS, MOST_ROWS_PER_COMMIT * row_s)
        return floor(min(default_s, most_s) * 1000) / 1000

    @property
    def rule(self) -> Rule:
        """Which rule of `choice` applies."""
        if self.limits:
            return "limits"
        return "knee" if self.freshness_s is None else "freshness"

    @property
    def default_limits(self) -> tuple[Limit, ...]:
        """The limit that is added by default where limits or nothing decide on the interval, and dropped where no
        setting meets it: no more metadata than data.
        """
        return () if self.rule == "freshness" or not self.aims else (DEFAULT_LIMIT,)

    @property
    def aims(self) -> tuple[Limit, ...]:
        """What to come near to where that costs nothing, unless metadata written is limited: a tenth of the data."""
        return () if any(limit.metric in LIMITS_OF_WRITING for limit in self.limits) else (AIM,)

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


def request_from_flags(given: Mapping[str, str | None], requirements: Requirements) -> PlanRequest:
    """A request for a table that a few flags describe: see `document_from_flags`. WasimError names the flag."""
    document, assumed = document_from_flags(given)
    return _request(FLAGS, document, requirements, limits=(), assumed=assumed)


def request_from_file(
    path: Path, overrides: Mapping[str, str], requirements: Requirements, horizon: str | None = None
) -> PlanRequest:
    """A request for a scenario's table and workload. Its limits count, unless a flag gives another bound.

    The plan replaces its intervals, expiry and rewriting of manifests, and its horizon by `horizon` or 30 days.
    WasimError if it sweeps anything but intervals.
    """
    loaded = load_scenario(path, overrides)
    swept = [name for name in loaded.swept if name != "commit_interval"]
    if swept:
        raise WasimError(
            f"{path}: sweep.{swept[0]} makes several cases, and a plan is for one. Give --set {swept[0]}=VALUE."
        )
    document = loaded.scenario.model_dump(mode="json", exclude_defaults=True)
    return _request_of_document(str(path), document, requirements, limits=loaded.limits, horizon=horizon)


def request_from_run(
    folder: Path, overrides: Mapping[str, str], requirements: Requirements, horizon: str | None = None
) -> PlanRequest:
    """A request for a run's scenario, with the latencies of its machine if it timed planning.

    SavedFileError for a folder that holds no run, or no readable summary.
    """
    path = folder / "summary.json"
    if not path.is_file():
        raise SavedFileError(
            f"{folder}: no finished run is there. Name a run's folder, or latest, or run `wasim bench` first."
        )
    try:
        own = dict(json.loads(read_regular(path)).get("overrides") or {})
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise SavedFileError(f"{path}: cannot be read as a run's summary: {error}. Rebuild it: wasim report.") from None
    request = request_from_file(folder / "scenario.yaml", {**own, **overrides}, requirements, horizon)
    machine = machine_of_run(folder)
    return replace(request, source=str(folder), machine=machine or request.machine)


def request_from_document(
    source: str,
    document: Mapping[str, Any],
    requirements: Requirements,
    horizon: str | None = None,
    notes: tuple[str, ...] = (),
) -> PlanRequest:
    """A request for a table and workload given as a scenario document, such as an inspected table's."""
    return _request_of_document(source, dict(document), requirements, limits=(), horizon=horizon, notes=notes)


def _request_of_document(
    source: str,
    document: dict[str, Any],
    requirements: Requirements,
    *,
    limits: tuple[Limit, ...],
    horizon: str | None,
    notes: tuple[str, ...] = (),
) -> PlanRequest:
    for name in ("commit_interval", "limits", "fit"):
        document.pop(name, None)
    document["horizon"] = horizon or DEFAULT_WORKLOAD["horizon"]
    assumed = [*notes, *([] if horizon else [f"Horizon {document['horizon']} (default)."])]
    if {"expire_snapshots", "rewrite_manifests"} & set(document.get("maintenance", {})):
        assumed.append("Expiry and rewrite_manifests of the scenario are replaced by those tried here.")
    return _request(source, document, requirements, limits=limits, assumed=tuple(assumed))


def _request(
    source: str,
    document: Mapping[str, Any],
    requirements: Requirements,
    *,
    limits: tuple[Limit, ...],
    assumed: tuple[str, ...],
) -> PlanRequest:
    document, writers = _with_one_writer(document)
    own = tuple(_limit(metric, text) for metric, text in requirements.limits.items())
    metrics = {limit.metric for limit in own}
    others = [limit for limit in limits if limit.metric not in metrics]
    reasons = {limit: reason for limit in others if (reason := _why_not_judged(limit))}
    defaults = [
        f"{what} {text} (default)."
        for what, text, given in (
            ("Time travel", DEFAULT_TIME_TRAVEL, requirements.time_travel),
            ("Queries, each of the latest day's files,", f"{DEFAULT_QUERIES} an hour", requirements.queries_per_hour),
        )
        if given is None
    ]
    return PlanRequest(
        source=source,
        document=document,
        limits=(*own, *(limit for limit in others if limit not in reasons)),
        freshness_s=None
        if requirements.freshness is None
        else duration_of_flag_s("--freshness", requirements.freshness),
        time_travel_s=duration_of_flag_s("--time-travel", requirements.time_travel or DEFAULT_TIME_TRAVEL),
        table_name=_table_name(requirements.table_name or DEFAULT_NAME),
        assumed=(*assumed, *defaults),
        writers=writers,
        provider=_provider(requirements),
        machine=_machine(requirements),
        prices=_prices(requirements),
        queries_per_hour=_queries(requirements.queries_per_hour or DEFAULT_QUERIES),
        not_judged=tuple(f"{limit.metric} {limit.text}: not judged, {why}." for limit, why in reasons.items()),
    )


def _with_one_writer(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    """The document with one writer, and how many it had."""
    writer = document["writer"]
    if isinstance(writer, str) or "writers" not in writer:
        return document, 1
    return {**document, "writer": {**writer, "writers": 1}}, int(writer["writers"])


def _prices(requirements: Requirements) -> Prices:
    if requirements.prices is not None:
        return load_prices(requirements.prices)
    named = str(requirements.provider).removesuffix("-premium")
    return prices_of_provider(named if named in PROVIDERS else DEFAULT_PRICES)


def _provider(requirements: Requirements) -> str:
    if requirements.provider is None:
        return LOCAL
    provider_named(requirements.provider)
    return requirements.provider


def _machine(requirements: Requirements) -> Machine:
    if requirements.provider in (None, LOCAL):
        return SHIPPED_MACHINE
    providers, name = provider_named(requirements.provider)
    return SHIPPED_MACHINE.reading_from(providers.store(name))


def _table_name(text: str) -> str:
    if not _TABLE_NAME.fullmatch(text):
        wanted = "catalog.namespace.table, with backquotes around a part of other characters than letters, digits and _"
        raise WasimError(f"--name is {quoted(text)}. Give {wanted}.")
    return text


def _why_not_judged(limit: Limit) -> str:
    if limit.metric in ("planning_p95_ms", "load_p95_ms", "commit_p50_ms", "commit_p95_ms"):
        return "of times a plan has the median of planning only"
    return "it is for the scenario's own horizon" if limit.metric in ("metadata_bytes", "data_bytes") else ""


def _queries(text: str) -> float:
    try:
        queries = float(text)
    except ValueError:
        queries = -1.0
    if not 0 <= queries <= float(MOST_QUERIES):
        raise WasimError(f"--queries-per-hour is {quoted(text)}. Give a number from 0 to {MOST_QUERIES}.")
    return queries


_WANTED = {
    "bytes": "an amount of bytes, such as 10GB or 5 MiB",
    "ms": "a duration, such as 2s or 800ms",
    "": "a number greater than zero",
    "money": "an amount greater than zero",
}


def _limit(metric: str, text: str) -> Limit:
    kind = dimension_of(metric)
    parse = {"bytes": lambda: float(parse_bytes(text)), "ms": lambda: 1000 * parse_duration_s(text)}
    try:
        bound = parse.get(kind, lambda: float(text))()
    except ValueError:
        bound = 0.0
    if not 0 < bound < 2.0**63:
        raise WasimError(f"{METRICS[metric].flag} is {quoted(text)}. Give {_WANTED[kind]}.")
    return Limit(metric=metric, comparison="<=", bound=bound, text=f"<= {text}")
