"""What a table costs as it is written and maintained now, and what a plan saves of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.last_cycle import PACE_DAYS
from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import Maintenance, Setting, document_of
from wasim.errors import WasimError, quoted
from wasim.iceberg.properties import TableProperties
from wasim.scenario.examine import examine
from wasim.scenario.faults import Fault, format_place
from wasim.units import DAY_S, duration_of_flag_s

MONTH_DAYS = 30
KEYS = ("interval", "expire", "keep", "compact", "rewrite", "gzip", "old-json", "append")
NEVER = "never"
_KEY_OF_FIELD = {
    "commit_interval": "interval",
    "maintenance.expire_snapshots.every": "expire",
    "maintenance.expire_snapshots.older_than": "keep",
    "maintenance.rewrite_data_files.every": "compact",
    "maintenance.rewrite_manifests.every": "rewrite",
}
OFTEN = {"daily": "1d", "hourly": "1h"}
Value = TypeVar("Value")


MONEY_WORDS = {"month_1": "cost, month 1", "month_12": "cost, month 12", "year": "cost, a year"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """What a table costs from its first day on, in the currency of the prices: in its first month, in its twelfth, and
    in the year of both.
    """

    month_1: float
    month_12: float
    year: float

    @classmethod
    def of_all(cls, parts: Sequence[tuple["Money", int]]) -> "Money":
        """The sum of what some tables cost, each so many times."""
        names = [one.name for one in fields(cls)]
        return cls(**{name: sum(getattr(one, name) * count for one, count in parts) for name in names})

    def less(self, other: "Money") -> "Money":
        """The difference, part by part."""
        return Money(**{one.name: getattr(self, one.name) - getattr(other, one.name) for one in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """A table as it is now and as it would be, over the horizon; None for now where that is unknown.

    `once_bytes` are of files on disk by the end of the horizon that the plan's maintenance would have deleted, and
    `in_a_year` is the plan's setting after its first year.
    """

    now: Figures | None
    now_money: Money | None
    then_money: Money
    once_bytes: float
    in_a_year: Figures | None = None


def saving_of(simulator: SettingSimulator, now: Setting | None, then: Figures) -> Saving:
    """What a plan saves of what is there now."""
    figures = None if now is None else simulator.figures(now)
    if now is not None and simulator.case(now).changes_rows:
        simulator.simulate_ahead(((one, 1.0) for one in (now, then.setting)), PACE_DAYS[-1] * DAY_S)
    disk = "metadata_on_disk_bytes"
    return Saving(
        now=figures,
        now_money=None if now is None else money_of(simulator, now),
        then_money=money_of(simulator, then.setting),
        once_bytes=0.0 if figures is None else max(0.0, figures.spreads[disk].final - then.spreads[disk].final),
        in_a_year=of_year(simulator, then.setting)[1][-1],
    )


def money_of(simulator: SettingSimulator, setting: Setting) -> Money:
    """The money that a setting takes: its pace at some days of a year, added up."""
    days, found = of_year(simulator, setting)
    paces = [one.monthly_cost for one in found]
    month_1, year = (_added_up(days, paces, until) / MONTH_DAYS for until in (MONTH_DAYS, PACE_DAYS[-1]))
    return Money(month_1=month_1, month_12=paces[-1], year=year)


def of_year(simulator: SettingSimulator, setting: Setting) -> tuple[list[int], tuple[Figures, ...]]:
    """The figures of a setting on some days of its first year."""
    days = [day for day in PACE_DAYS if day * DAY_S >= setting.interval_s]
    return days, simulator.figures_over(setting, [day * DAY_S for day in days])


def _added_up(days: Sequence[float], paces: Sequence[float], until: float) -> float:
    """The integral of a pace from day 0 on, which is that of the first day known until then."""
    at = np.unique([0.0, *(day for day in days if day < until), until])
    return float(np.trapezoid(np.interp(at, days, paces), at))


def now_of(text: str, request: PlanRequest) -> Setting:
    """The setting that `interval=1m,expire=daily,…` describes; what is left out is as the table's own properties say,
    and as writers have it by default: nothing is ever maintained. WasimError names what makes no sense.
    """
    given, own = _pairs(text), TableProperties.read_leniently(request.properties)
    if "interval" not in given:
        raise WasimError(f"--now is {quoted(text)}, without an interval. Give one, such as --now interval=1m.")

    def seconds(key: str, default: str) -> float:
        value = given.get(key, default)
        return duration_of_flag_s(f"--now {key}", OFTEN.get(value, value))

    def period_s(job: str) -> float | None:
        return None if given.get(job, NEVER) == NEVER else seconds(job, NEVER)

    expire_s, gzips = period_s("expire"), own.metadata_compression == "gzip"
    setting = Setting(
        interval_s=seconds("interval", NEVER),
        maintenance=Maintenance(
            expire_every_s=expire_s,
            older_than_s=None if expire_s is None else seconds("keep", f"{own.max_snapshot_age_ms}ms"),
            rewrite_every_s=period_s("rewrite"),
            compact_every_s=period_s("compact"),
            own=request.own_words,
        ),
        deletes_json=_one_of(
            given, "old-json", {"kept": False, "deleted": True}, own.metadata_delete_after_commit_enabled
        ),
        gzips_json=_one_of(given, "gzip", {"no": False, "yes": True}, gzips),
        appends=_one_of(given, "append", {"default": None, "fast": "fast", "merge": "merge"}, None),
    )
    if gzips and not setting.gzips_json:
        raise WasimError("--now gzip is no, but the table's own properties say gzip. Take one of the two out.")
    _, faults = examine(document_of(request, setting))
    if faults:
        raise WasimError(*dict.fromkeys(map(_explained, faults)))
    return setting


def _explained(fault: Fault) -> str:
    """A fault of a table as it is now, by the key of --now that it comes from, where it comes from one."""
    field = format_place(fault.place)
    key = _KEY_OF_FIELD.get(field)
    return f"--now{f' {key}' if key else f': {field}'} {fault.problem}. {fault.remedy}"


def _pairs(text: str) -> dict[str, str]:
    pairs = [part.strip().partition("=") for part in text.split(",")]
    given = {key: value for key, _, value in pairs}
    for key, sign, value in pairs:
        if key not in KEYS or not sign or not value:
            said = quoted(key + sign + value)
            raise WasimError(f"--now has {said}. Give KEY=VALUE, with a key of {', '.join(KEYS)}.")
    if len(given) < len(pairs):
        raise WasimError(f"--now is {quoted(text)}, with a key twice. Give each once.")
    return given


def _one_of(given: Mapping[str, str], key: str, values: Mapping[str, Value], default: Value) -> Value:
    if (word := given.get(key)) is None:
        return default
    if word not in values:
        raise WasimError(f"--now {key} is {quoted(word)}. Give {' or '.join(values)}.")
    return values[word]
