"""The axes of a page's sliders for a case: which intervals, and which of the other settings."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wasim.capacity.lattice import HORIZONS_S, Axes, axes_around
from wasim.capacity.settings import Setting
from wasim.scenario import Case


def axes_for(
    case: Case,
    base: Setting,
    intervals_s: Iterable[float],
    *,
    time_travel_s: float,
    horizon_s: float,
    horizons_s: Sequence[float] = HORIZONS_S,
) -> Axes:
    """Axes around the base setting of `case`, with rewriting of manifests only where its appends do not merge them."""
    axes = axes_around(base, intervals_s, time_travel_s=time_travel_s, horizon_s=horizon_s, horizons_s=horizons_s)
    if case.merges and base.maintenance.rewrite_every_s is None:
        return replace(axes, rewrites_s=(None,))
    return axes


def thinned(intervals_s: Iterable[float], own_s: float, *, most: int) -> list[float]:
    """At most `most` of these intervals: always the shortest, the longest and `own_s`."""
    found = sorted({*intervals_s})
    while len({*found, own_s}) > most:
        inner = [place for place in range(1, len(found) - 1) if found[place] != own_s]
        found.pop(min(inner, key=lambda place: found[place + 1] / found[place - 1]))
    return found
