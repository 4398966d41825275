"""Which setting to take: the shortest interval with the least maintenance within limits, or the knee without any."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from wasim.capacity.figures import Figures
from wasim.report.answer.choice import FEWEST_FOR_A_KNEE, knee_of
from wasim.scenario.limits import Limit

Because = Literal["limits", "knee", "longest", "none"]

AS_GOOD = 1.05  # metadata within this much of the least counts as the least: then fewer jobs decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """A limit to give up, and the value that `setting` would then have."""

    limit: Limit
    value: float
    figures: Figures


def choose(
    figures: Iterable[Figures], limits: Sequence[Limit], *, shift: float = 0.0
) -> tuple[Figures | None, Because]:
    """The setting to take, and why: `none` where nothing is within the limits. `shift` moves values in their bands."""
    tried = tuple(figures)
    if limits:
        within = [one for one in tried if not one.broken(limits, shift=shift)]
        return (min(within, key=_least), "limits") if within else (None, "none")
    best = by_interval(tried)
    if len(best) < FEWEST_FOR_A_KNEE:
        return (best[-1], "longest") if best else (None, "none")
    return best[_knee(best)], "knee"


def within_band(figures: Iterable[Figures], limits: Sequence[Limit], chosen: Figures) -> tuple[Figures, ...]:
    """Other settings that would be chosen if the truth lay at an end of the band."""
    tried = tuple(figures)
    if limits:
        others = [choose(tried, limits, shift=shift)[0] for shift in (-1.0, 1.0)]
    else:
        best = by_interval(tried)
        others = [best[_knee(best, tilt=tilt)] for tilt in (-1.0, 1.0)] if len(best) >= FEWEST_FOR_A_KNEE else []
    return tuple({one.setting: one for one in others if one is not None and one.setting != chosen.setting}.values())


def by_interval(figures: Iterable[Figures]) -> tuple[Figures, ...]:
    """For each interval, ascending, the least maintenance among what writes about the least metadata."""
    ordered = sorted(figures, key=_least)
    return tuple(_least_metadata(tuple(same)) for _, same in groupby(ordered, key=lambda one: one.setting.interval_s))


def frontier_of(figures: Iterable[Figures]) -> tuple[Figures, ...]:
    """The intervals that nothing shorter undercuts: each writes less metadata than all before it."""
    kept: list[Figures] = []
    for one in by_interval(figures):
        if not kept or one.per_day_bytes < kept[-1].per_day_bytes:
            kept.append(one)
    return tuple(kept)


def relax(figures: Sequence[Figures], limits: Sequence[Limit]) -> tuple[Relaxation, ...]:
    """What to give up where nothing is within the limits: the one limit that has to give the least, or else several."""
    alone: list[Relaxation] = []
    for limit in limits:
        others = [other for other in limits if other is not limit]
        rest = [one for one in figures if not one.broken(others)]
        if rest:
            nearest = min(rest, key=lambda one, metric=limit.metric: (one.values[metric], _least(one)))  # type: ignore[misc]
            alone.append(Relaxation(limit=limit, value=nearest.values[limit.metric], figures=nearest))
    if alone:
        return (min(alone, key=lambda one: one.value / one.limit.bound),)
    if not figures:
        return ()
    nearest = min(figures, key=lambda one: max(one.values[limit.metric] / limit.bound for limit in limits))
    return tuple(
        Relaxation(limit=limit, value=nearest.values[limit.metric], figures=nearest) for limit in nearest.broken(limits)
    )


def stopped_by(figures: Iterable[Figures], limits: Sequence[Limit], interval_s: float) -> tuple[Limit, ...]:
    """The limits that an interval breaks even with the maintenance that comes nearest to them."""
    same = [one for one in figures if one.setting.interval_s == interval_s]
    if not same or not limits:
        return ()
    return min(same, key=lambda one: max(one.values[limit.metric] / limit.bound for limit in limits)).broken(limits)


def _least(one: Figures) -> tuple[float, float]:
    return one.setting.interval_s, one.setting.maintenance.runs_per_day


def _least_metadata(same: Sequence[Figures]) -> Figures:
    least = min(one.per_day_bytes for one in same)
    return next(one for one in same if one.per_day_bytes <= AS_GOOD * least)


def _knee(best: Sequence[Figures], *, tilt: float = 0.0) -> int:
    """The place of the knee; `tilt` moves the shorter half up and the longer half down within their bands."""
    half = len(best) / 2
    sizes = [one.at("metadata_bytes_per_day", shift=tilt if place < half else -tilt) for place, one in enumerate(best)]
    return knee_of(np.array([one.setting.interval_s for one in best]), np.array(sizes))
