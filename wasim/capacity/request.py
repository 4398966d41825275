"""What a plan is asked for: a table and its workload, as a scenario's document, and limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.errors import WasimError
from wasim.scenario import load_scenario
from wasim.scenario.faults import Fault, format_place
from wasim.scenario.limits import Limit
from wasim.units import format_duration, parse_bytes, parse_duration_s

DEFAULT_WORKLOAD: Mapping[str, str] = {
    "columns": "20",
    "files_per_commit": "1",
    "partitions": "0",
    "writer": "streaming",
    "horizon": "30d",
}
DEFAULT_FRESHNESS = "5m"
DEFAULT_TIME_TRAVEL = "5d"  # Iceberg's own history.expire.max-snapshot-age-ms

LIMIT_FLAGS: Mapping[str, str] = {
    "metadata_bytes_per_day": "--metadata-per-day",
    "wa_metadata": "--wa-metadata",
    "metadata_json_bytes": "--metadata-json",
    "manifests": "--manifests",
    "metadata_on_disk_bytes": "--metadata-on-disk",
}
"""Metrics that a flag limits, and the flag."""

_FLAG_OF_FIELD = {
    "workload.rows_per_second": "--rows-per-second",
    "workload.files_per_commit": "--files-per-commit",
    "table.columns[0].values": "--partitions",
    "table.partition_by": "--partitions",
    "writer": "--writer",
    "horizon": "--horizon",
    "commit_interval": "--freshness",
}
FLAGS = "flags"
_OWN_COLUMNS = 2  # event_id and event_time, which every table has
_LEAST_COLUMNS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What to plan: `document` is the scenario without an interval; `assumed` are sentences about what was not given.

    `not_judged` are sentences about limits of the scenario that a plan does not judge.
    """

    source: str
    document: Mapping[str, Any]
    limits: tuple[Limit, ...]
    freshness_s: float
    time_travel_s: float
    table_name: str
    assumed: tuple[str, ...]
    not_judged: tuple[str, ...] = ()

    def explain_fault(self, fault: Fault) -> str:
        """A fault of the document as one line, by flag or by field."""
        field = format_place(fault.place)
        flag = _FLAG_OF_FIELD.get(field) if self.source == FLAGS else None
        return f"{flag or f'{self.source}: {field}'} {fault.problem}. {fault.remedy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What is asked of any table: texts as given on the command line, None where the default holds."""

    freshness: str | None = None
    time_travel: str | None = None
    limits: Mapping[str, str]  # by metric
    table_name: str = "catalog.namespace.table"


def request_from_flags(given: Mapping[str, str | None], wishes: Wishes) -> PlanRequest:
    """A request for a table of plain columns. `given` holds workload flags by name, None where left out."""
    if given.get("rows_per_second") is None:
        raise WasimError("A plan needs a workload. Give --rows-per-second, or the file of a scenario.")
    workload = {**DEFAULT_WORKLOAD, **{name: text for name, text in given.items() if text is not None}}
    columns = _whole("--columns", workload["columns"], least=_LEAST_COLUMNS)
    partitions = _whole("--partitions", workload["partitions"], least=0)
    document = {
        "name": "plan",
        "question": "Which commit interval?",
        "table": _table(columns, partitions),
        "workload": {name: workload[name] for name in ("rows_per_second", "files_per_commit")},
        "writer": workload["writer"],
        "horizon": workload["horizon"],
    }
    return _request(FLAGS, document, wishes, limits=(), assumed=_assumed(workload, columns, partitions))


def request_from_file(
    path: Path, overrides: Mapping[str, str], wishes: Wishes, horizon: str | None = None
) -> PlanRequest:
    """A request for a scenario's table and workload. Its limits count, unless a flag gives another bound.

    Its intervals, expiry and rewriting of manifests give way to what the plan tries, its horizon, which may be that of
    a short run, to 30 days or `horizon`. WasimError if it sweeps anything but intervals.
    """
    loaded = load_scenario(path, overrides)
    swept = [field for field in loaded.swept if field != "commit_interval"]
    if swept:
        raise WasimError(
            f"{path}: sweep.{swept[0]} makes several cases, and a plan is for one. Give --set {swept[0]}=VALUE."
        )
    document = loaded.scenario.model_dump(mode="json", exclude_defaults=True)
    for name in ("commit_interval", "limits", "fit"):
        document.pop(name, None)
    document["horizon"] = horizon or DEFAULT_WORKLOAD["horizon"]
    assumed = [] if horizon else [f"Horizon {document['horizon']} (default)."]
    if {"expire_snapshots", "rewrite_manifests"} & set(document.get("maintenance", {})):
        assumed.append("Expiry and rewrite_manifests of the scenario give way to those tried here.")
    return _request(str(path), document, wishes, limits=loaded.limits, assumed=tuple(assumed))


def _request(
    source: str, document: Mapping[str, Any], wishes: Wishes, *, limits: tuple[Limit, ...], assumed: tuple[str, ...]
) -> PlanRequest:
    own = tuple(_limit(metric, text) for metric, text in wishes.limits.items())
    metrics = {limit.metric for limit in own}
    others = [limit for limit in limits if limit.metric not in metrics]
    reasons = {limit: reason for limit in others if (reason := _why_not_judged(limit))}
    defaults = [
        f"{what} {text} (default)."
        for what, text, given in (
            ("Freshness", DEFAULT_FRESHNESS, wishes.freshness),
            ("Time travel", DEFAULT_TIME_TRAVEL, wishes.time_travel),
        )
        if given is None
    ]
    return PlanRequest(
        source=source,
        document=document,
        limits=(*own, *(limit for limit in others if limit not in reasons)),
        freshness_s=_duration("--freshness", wishes.freshness or DEFAULT_FRESHNESS),
        time_travel_s=_duration("--time-travel", wishes.time_travel or DEFAULT_TIME_TRAVEL),
        table_name=wishes.table_name,
        assumed=(*assumed, *defaults),
        not_judged=tuple(f"{limit.metric} {limit.text}: not judged, {why}." for limit, why in reasons.items()),
    )


def _why_not_judged(limit: Limit) -> str:
    if limit.metric.endswith("_ms"):
        return "a plan times nothing"
    return "it is for the scenario's own horizon" if limit.metric == "metadata_bytes" else ""


def _table(columns: int, partitions: int) -> dict[str, Any]:
    own = columns - _OWN_COLUMNS - (1 if partitions else 0)
    texts = own // 4
    parts = [{"name": "part", "type": "string", "length": 8, "values": str(partitions)}] if partitions else []
    labels = [{"name": "label", "type": "string", "length": 12, "values": 1000, "count": texts}] if texts else []
    values = [{"name": "value", "type": "double", "count": own - texts}]
    fields = {"partition_by": [{"column": "part"}]} if partitions else {}
    return {"columns": [*parts, *labels, *values], **fields}


def _assumed(workload: Mapping[str, str], columns: int, partitions: int) -> tuple[str, ...]:
    texts = (columns - _OWN_COLUMNS - (1 if partitions else 0)) // 4
    tasks = workload["files_per_commit"]
    spread = f"each writing to all {partitions} partitions" if partitions else "one file each, no partitions"
    return (
        f"{columns} columns: event_id, event_time, {texts + (1 if partitions else 0)} strings, the rest doubles.",
        f"{tasks} writing {'task' if tasks == '1' else 'tasks'} a commit, {spread}.",
        f"{workload['writer'].capitalize()} writer, horizon {workload['horizon']}.",
    )


def _whole(flag: str, text: str, *, least: int) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < least:
        raise WasimError(f"{flag} is {text!r}. Give a whole number, at least {least}.")
    return int(text)


def _duration(flag: str, text: str) -> float:
    try:
        seconds = parse_duration_s(text)
    except ValueError as wanted:
        raise WasimError(f"{flag} is {text!r}. Give {wanted}.") from None
    if seconds < 0.001 or seconds > 86400e6:
        raise WasimError(f"{flag} is {text!r}. Give 1ms at least and {format_duration(86400e6)} at most.")
    return seconds


def _limit(metric: str, text: str) -> Limit:
    wanted = "an amount of bytes, such as 10GB or 5 MiB" if "bytes" in metric else "a number greater than zero"
    try:
        bound = float(parse_bytes(text)) if "bytes" in metric else float(text)
    except ValueError:
        bound = 0.0
    if not 0 < bound < 2.0**63:
        raise WasimError(f"{LIMIT_FLAGS[metric]} is {text!r}. Give {wanted}.")
    return Limit(metric=metric, comparison="<=", bound=bound, text=f"<= {text}")
