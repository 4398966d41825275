"""Which setting to recommend: the cheapest within all limits or, if that is preferred, the shortest interval.

The candidates are the cheapest setting of each interval, within the limits where it has one (`search`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, nextafter

from wasim.capacity.figures import Figures
from wasim.capacity.request import Prefer
from wasim.capacity.search import NEGLIGIBLE_COST, as_cheap, excess_of
from wasim.capacity.words import rounded_up
from wasim.scenario.metrics import Limit

READ_OFF = 0.01  # where sizes are read off between intervals, bytes differ by as much in nine of ten


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """A limit to relax to `value`, rounded up to what is said of it: what the setting of `figures` keeps."""

    limit: Limit
    value: float
    figures: Figures


def choose(
    figures: Iterable[Figures], prefer: Prefer, limits: Sequence[Limit], *, shift: float = 0.0
) -> Figures | None:
    """The recommended one of some settings at different intervals; None if none is within limits.

    `shift` moves every value within its band, from -1, the lower end, to 1, the upper.
    """
    within = [one for one in figures if one.keeps_up and not one.broken(limits, shift=shift)]
    if not within:
        return None
    if prefer == "freshest":
        return min(within, key=lambda one: one.setting.interval_s)
    return cheapest_of(within)


def cheapest_of(found: Sequence[Figures]) -> Figures:
    """The cheapest interval's. Where costs are known to half a unit of money, it is the shortest of those that differ
    by no more; where the bands of bytes leave open which is cheapest, the one of these that writes least metadata.
    """
    cheapest = min(found, key=lambda one: one.monthly_cost)
    if cheapest.cost_band * cheapest.monthly_cost > NEGLIGIBLE_COST:
        doubtful = as_cheap(found, [one.cost_band for one in found])
        return min(doubtful, key=lambda one: (one.metadata_bytes_per_day, one.monthly_cost))
    most = cheapest.monthly_cost + NEGLIGIBLE_COST
    return min((one for one in found if one.monthly_cost <= most), key=lambda one: one.setting.interval_s)


def within_band(
    figures: Sequence[Figures], prefer: Prefer, limits: Sequence[Limit], chosen: Figures
) -> tuple[Figures, ...]:
    """Other settings that would be recommended if the true values lay at an end of their bands."""
    others = [choose(figures, prefer, limits, shift=shift) for shift in (-1.0, 1.0)]
    return tuple({one.setting: one for one in others if one is not None and one.setting != chosen.setting}.values())


def frontier_of(figures: Iterable[Figures]) -> tuple[Figures, ...]:
    """The Pareto frontier of settings at ascending intervals: each is cheaper than every shorter one."""
    kept: list[Figures] = []
    for one in figures:
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
            nearest = min(rest, key=lambda one, metric=limit.metric: (one.judged(metric), one.monthly_cost))  # type: ignore[misc]
            alone.append(_relaxation(limit, nearest))
    if alone:
        return (min(alone, key=lambda one: one.value / one.limit.bound),)
    if not figures:
        return ()
    nearest = min(figures, key=lambda one: excess_of(one, limits))
    return tuple(_relaxation(limit, nearest) for limit in nearest.broken(limits))


def _relaxation(limit: Limit, figures: Figures) -> Relaxation:
    value, margin = figures.judged(limit.metric), READ_OFF if "bytes" in limit.metric else 0.0
    least = (value if limit.comparison == "<=" else nextafter(value, inf)) * (1 + margin)
    return Relaxation(limit=limit, value=rounded_up(limit.metric, least), figures=figures)
