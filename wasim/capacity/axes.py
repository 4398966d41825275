"""The axes of a page's sliders for a case: which intervals, and which of the other settings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

from wasim.capacity.settings import Setting
from wasim.scenario import Case
from wasim.units import DAY_S

HORIZONS_S = tuple(days * DAY_S for days in (1, 7, 30, 365))
AGES_S = (DAY_S, 30 * DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The settings that sliders reach from `base`, whose other properties and jobs all of them share. Seconds.

    All are ascending but `periods_s`, `rewrites_s` and `compactions_s`, whose first is None: never.
    """

    base: Setting
    intervals_s: tuple[float, ...]
    periods_s: tuple[float | None, ...]
    ages_s: tuple[float, ...]
    rewrites_s: tuple[float | None, ...]
    compactions_s: tuple[float | None, ...]
    horizons_s: tuple[float, ...]
    gzips: tuple[bool, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many places each argument of `setting` has."""
        lengths = map(len, (self.intervals_s, self.rewrites_s, self.compactions_s, self.expiries, (0, 1), self.gzips))
        return tuple(lengths)

    @property
    def expiries(self) -> tuple[tuple[float | None, float | None], ...]:
        """(period, age) of every way to expire snapshots, without expiry first."""
        return ((None, None), *product(self.periods_s[1:], self.ages_s))

    def setting(self, interval: int, rewrite: int, compact: int, expiry: int, deletes_json: int, gzip: int) -> Setting:
        """The setting at these places of the axes."""
        every_s, older_than_s = self.expiries[expiry]
        kept = replace(
            self.base.maintenance,
            expire_every_s=every_s,
            older_than_s=older_than_s,
            rewrite_every_s=self.rewrites_s[rewrite],
            compact_every_s=self.compactions_s[compact],
        )
        return replace(
            self.base,
            interval_s=self.intervals_s[interval],
            maintenance=kept,
            deletes_json=bool(deletes_json),
            gzips_json=self.gzips[gzip],
        )


def axes_for(
    case: Case,
    base: Setting,
    intervals_s: Iterable[float],
    *,
    time_travel_s: float,
    horizon_s: float,
    horizons_s: Sequence[float] = HORIZONS_S,
) -> Axes:
    """Axes through the base setting of `case`, these intervals, this age of snapshots and this horizon; compaction and
    gzip are the base's.

    Manifests are rewritten only where the case's appends do not merge them.
    """
    maintenance = base.maintenance
    merges = case.merges and maintenance.rewrite_every_s is None
    return Axes(
        base=base,
        intervals_s=tuple(sorted({base.interval_s, *intervals_s})),
        periods_s=seldom_first({None, DAY_S, maintenance.expire_every_s}),
        ages_s=tuple(sorted({*AGES_S, maintenance.older_than_s or time_travel_s})),
        rewrites_s=(None,) if merges else seldom_first({None, maintenance.rewrite_every_s or DAY_S}),
        compactions_s=(maintenance.compact_every_s,),
        horizons_s=tuple(sorted({*horizons_s, horizon_s})),
        gzips=(base.gzips_json,),
    )


def seldom_first(periods_s: set[float | None]) -> tuple[float | None, ...]:
    """Ascending by how often; never, which is None, comes first."""
    return tuple(sorted(periods_s, key=lambda every_s: -(every_s or inf)))


def thinned(intervals_s: Iterable[float], own_s: float, *, most: int) -> list[float]:
    """At most `most` of these intervals: always the shortest, the longest and `own_s`."""
    found = sorted({*intervals_s})
    while len({*found, own_s}) > most:
        inner = [place for place in range(1, len(found) - 1) if found[place] != own_s]
        found.pop(min(inner, key=lambda place: found[place + 1] / found[place - 1]))
    return found
