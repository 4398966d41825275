"""What a spreadsheet would recommend, which takes every commit to cost what the first ones do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wasim.capacity.figures import Figures
from wasim.capacity.request import DEFAULT_LIMIT
from wasim.scenario.limits import Limit
from wasim.units import DAY_S

if TYPE_CHECKING:
    from wasim.capacity.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """The setting that a constant cost per commit leads to, with its true figures, and the bytes a day it promises."""

    promised_bytes_per_day: float
    figures: Figures


def naive_of(plan: "Plan") -> Naive | None:
    """What the spreadsheet picks for the same limit on metadata, or no more metadata than data; None where nothing
    keeps that.

    Its cost of a commit is the mean of the first hundred, as if measured in the first hour of a new table.
    """
    bounds = [_bound_per_day(plan, limit) for limit in plan.limits]
    known = [bound for bound in bounds if bound is not None] or [_bound_per_day(plan, DEFAULT_LIMIT) or 0.0]
    for one in plan.best:
        promised = one.first_commit_bytes * DAY_S / one.setting.interval_s
        if promised <= min(known):
            return Naive(promised_bytes_per_day=promised, figures=one)
    return None


def _bound_per_day(plan: "Plan", limit: Limit) -> float | None:
    if limit.metric == "metadata_bytes_per_day":
        return limit.bound
    if limit.metric == "wa_metadata" and plan.best:
        one = plan.best[-1]
        return limit.bound * one.per_day_bytes / max(one.values["wa_metadata"], 1e-12)
    return None
