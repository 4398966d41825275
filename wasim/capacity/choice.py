"""Which setting to recommend, by one of three rules:

- with limits: the shortest interval within all of them;
- with a freshness alone: the cheapest setting that is fresh enough;
- with neither: the knee of metadata against freshness.

The candidates are the cheapest setting of each interval, within the limits where it has one (`search`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, nextafter
from typing import Literal

import numpy as np

from wasim.capacity.figures import Figures
from wasim.capacity.request import Rule
from wasim.capacity.search import excess_of, simplest_of_cheapest
from wasim.capacity.words import rounded_up
from wasim.report.knee import FEWEST_FOR_A_KNEE, knee_of
from wasim.scenario.limits import Limit

Because = Literal["limits", "freshness", "knee", "longest", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """A limit to relax to `value`, rounded up to what is said of it: what the setting of `figures` keeps."""

    limit: Limit
    value: float
    figures: Figures


def choose(
    figures: Iterable[Figures], rule: Rule, limits: Sequence[Limit], *, shift: float = 0.0
) -> tuple[Figures | None, Because]:
    """The recommended one of some settings at different intervals, and why; (None, "none") if none is within limits.

    `shift` moves every value within its band, from -1, the lower end, to 1, the upper.
    """
    within = [one for one in figures if one.keeps_up and not one.broken(limits, shift=shift)]
    if not within:
        return None, "none"
    if rule == "limits":
        shortest = min(one.setting.interval_s for one in within)
        return simplest_of_cheapest([one for one in within if one.setting.interval_s == shortest]), "limits"
    if rule == "freshness":
        cheapest = min(one.monthly_cost for one in within)
        alike = [one for one in within if one.monthly_cost <= cheapest]
        return min(alike, key=lambda one: one.setting.interval_s), "freshness"
    ordered = by_interval(within)
    if len(ordered) < FEWEST_FOR_A_KNEE:
        return ordered[-1], "longest"
    return ordered[_knee(ordered, tilt=shift)], "knee"


def within_band(
    figures: Sequence[Figures], rule: Rule, limits: Sequence[Limit], chosen: Figures
) -> tuple[Figures, ...]:
    """Other settings that would be recommended if the true values lay at an end of their bands."""
    others = [choose(figures, rule, limits, shift=shift)[0] for shift in (-1.0, 1.0)]
    return tuple({one.setting: one for one in others if one is not None and one.setting != chosen.setting}.values())


def by_interval(figures: Iterable[Figures]) -> tuple[Figures, ...]:
    """The cheapest setting of each interval, ascending."""
    best: dict[float, Figures] = {}
    for one in figures:
        known = best.setdefault(one.setting.interval_s, one)
        if one.monthly_cost < known.monthly_cost:
            best[one.setting.interval_s] = one
    return tuple(best[interval_s] for interval_s in sorted(best))


def frontier_of(figures: Iterable[Figures]) -> tuple[Figures, ...]:
    """The Pareto frontier of interval and cost, shortest first: each setting is cheaper than every shorter one."""
    kept: list[Figures] = []
    for one in by_interval(figures):
        if not kept or one.monthly_cost < kept[-1].monthly_cost:
            kept.append(one)
    return tuple(kept)


def relax(figures: Sequence[Figures], limits: Sequence[Limit]) -> tuple[Relaxation, ...]:
    """What to relax if nothing is within limits: the one limit that must move least, or all that the nearest breaks."""
    alone: list[Relaxation] = []
    for limit in limits:
        others = [other for other in limits if other is not limit]
        rest = [one for one in figures if not one.broken(others)]
        if rest:
            nearest = min(rest, key=lambda one, metric=limit.metric: (one.values[metric], one.monthly_cost))  # type: ignore[misc]
            alone.append(_relaxation(limit, nearest))
    if alone:
        return (min(alone, key=lambda one: one.value / one.limit.bound),)
    if not figures:
        return ()
    nearest = min(figures, key=lambda one: excess_of(one, limits))
    return tuple(_relaxation(limit, nearest) for limit in nearest.broken(limits))


def _relaxation(limit: Limit, figures: Figures) -> Relaxation:
    value = figures.values[limit.metric]
    least = value if limit.comparison == "<=" else nextafter(value, inf)
    return Relaxation(limit=limit, value=rounded_up(limit.metric, least), figures=figures)


def _knee(ordered: Sequence[Figures], *, tilt: float) -> int:
    """The index of the knee; `tilt` moves the shorter half up and the longer half down within their bands."""
    half = len(ordered) / 2
    sizes = [
        one.at("metadata_bytes_per_day", shift=tilt if place < half else -tilt) for place, one in enumerate(ordered)
    ]
    return knee_of(np.array([one.setting.interval_s for one in ordered]), np.array(sizes))
