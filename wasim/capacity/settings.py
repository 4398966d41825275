"""What a plan tries: commit intervals, and for each of them ways to expire snapshots and rewrite manifests."""

from dataclasses import dataclass
from typing import Any

from wasim.capacity.request import PlanRequest
from wasim.errors import WasimError
from wasim.iceberg.properties import METADATA_DELETE_AFTER_COMMIT_ENABLED
from wasim.scenario import Case
from wasim.scenario.examine import examine
from wasim.scenario.sweep import make_case
from wasim.units import format_duration

DAY_S, HOUR_S = 86400.0, 3600.0
OFTEN = {DAY_S: "daily", HOUR_S: "hourly"}
INTERVALS_S = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0, 86400.0, 604800.0)
MOST_INTERVALS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """How snapshots expire and how often manifests are rewritten; None: never. Seconds of event time."""

    expire_every_s: float | None
    older_than_s: float | None
    rewrite_every_s: float | None

    @property
    def runs_per_day(self) -> float:
        """Jobs started in a day, all kinds together: what "less maintenance" goes by."""
        return sum(DAY_S / every_s for every_s in (self.expire_every_s, self.rewrite_every_s) if every_s is not None)

    @property
    def words(self) -> str:
        """`expire hourly, rewrite manifests daily`, or `no maintenance`."""
        jobs = (("expire", self.expire_every_s), ("rewrite manifests", self.rewrite_every_s))
        named = [f"{job} {OFTEN[every_s]}" for job, every_s in jobs if every_s is not None]
        return ", ".join(named) or "no maintenance"


NO_MAINTENANCE = Maintenance(expire_every_s=None, older_than_s=None, rewrite_every_s=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A commit interval and maintenance. Old metadata.json are always deleted after commits, which costs nothing."""

    interval_s: float
    maintenance: Maintenance

    @property
    def words(self) -> str:
        """`30s, expire daily`."""
        return f"{format_duration(self.interval_s)}, {self.maintenance.words}"


def intervals_of(freshness_s: float) -> tuple[float, ...]:
    """The longest steps of the ladder up to the freshness, ascending: the freshness itself is the last one."""
    steps = [step for step in INTERVALS_S if 1.0 <= step < freshness_s] or [
        step for step in INTERVALS_S if step < freshness_s
    ]
    if len(steps) >= MOST_INTERVALS:
        steps = steps[-(MOST_INTERVALS - 1) :]
    return (*steps, freshness_s)


def interval_beyond(freshness_s: float) -> float:
    """The next step of the ladder after the freshness: what giving up more of it would save."""
    return next((step for step in INTERVALS_S if step > freshness_s), 2 * freshness_s)


def maintenance_choices(time_travel_s: float, horizon_s: float) -> tuple[Maintenance, ...]:
    """What is tried at each interval, the fewest jobs first. Expiry that nothing is old enough for is left out."""
    expiries: list[tuple[float | None, float | None]] = [(None, None)]
    for every_s, kept_s in ((DAY_S, max(time_travel_s, DAY_S)), (HOUR_S, time_travel_s)):
        if max(every_s, kept_s) < horizon_s:
            expiries.append((every_s, kept_s))
    rewrites = (None, DAY_S) if horizon_s > DAY_S else (None,)
    tried = [
        Maintenance(expire_every_s=every_s, older_than_s=kept_s, rewrite_every_s=rewrite_s)
        for every_s, kept_s in expiries
        for rewrite_s in rewrites
    ]
    return tuple(sorted(tried, key=lambda one: one.runs_per_day))


def case_of(request: PlanRequest, setting: Setting, *, rate: float = 1.0, deletes_json: bool = True) -> Case:
    """The case that a setting makes of the request, through the scenario's own checks. WasimError names each fault.

    `rate` multiplies the rows per second; `deletes_json` is write.metadata.delete-after-commit.enabled.
    """
    document = dict(request.document)
    table = document["table"]
    properties = {**table.get("properties", {}), METADATA_DELETE_AFTER_COMMIT_ENABLED: str(deletes_json).lower()}
    document |= {
        "commit_interval": format_duration(setting.interval_s),
        "table": {**table, "properties": properties},
        "maintenance": {**document.get("maintenance", {}), **_jobs(setting.maintenance)},
    }
    if rate != 1.0:
        workload = document["workload"]
        document["workload"] = {**workload, "rows_per_second": str(float(workload["rows_per_second"]) * rate)}
    scenario, faults = examine(document)
    if faults:
        raise WasimError("\n".join(dict.fromkeys(request.explain_fault(fault) for fault in faults)))
    return make_case(scenario, repetition=0, swept={})


def _jobs(maintenance: Maintenance) -> dict[str, Any]:
    expire, rewrite = None, None
    if maintenance.expire_every_s is not None:
        expire = {"every": maintenance.expire_every_s, "older_than": maintenance.older_than_s}
    if maintenance.rewrite_every_s is not None:
        rewrite = {"every": maintenance.rewrite_every_s}
    return {"expire_snapshots": expire, "rewrite_manifests": rewrite}
