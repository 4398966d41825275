"""What a spreadsheet would recommend, which takes every commit to cost what the first ones do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wasim.capacity.figures import Figures
from wasim.units import DAY_S

if TYPE_CHECKING:
    from wasim.capacity.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """The setting that a constant cost per commit leads to, with its true figures, and the bytes a day it promises."""

    promised_bytes_per_day: float
    figures: Figures


def naive_of(plan: "Plan") -> Naive | None:
    """What the spreadsheet picks for the same limit on metadata; None where nothing limits it.

    Its cost of a commit is the mean of the first hundred, as if measured in the first hour of a new table.
    """
    bounds = [_bound_per_day(plan, limit.metric, limit.bound) for limit in plan.limits]
    known = [bound for bound in bounds if bound is not None]
    for one in plan.best if known else ():
        promised = one.first_commit_bytes * DAY_S / one.setting.interval_s
        if promised <= min(known):
            return Naive(promised_bytes_per_day=promised, figures=one)
    return None


def _bound_per_day(plan: "Plan", metric: str, bound: float) -> float | None:
    if metric == "metadata_bytes_per_day":
        return bound
    if metric == "wa_metadata" and plan.best:
        one = plan.best[-1]
        return bound * one.per_day_bytes / max(one.values["wa_metadata"], 1e-12)
    return None
