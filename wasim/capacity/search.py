"""The search for a setting: at each interval one coordinate at a time, from a plain setting on.

The whole product of what may be set has thousands of settings. But hardly any two of them need each other: so from a
plain setting, each coordinate in turn takes its best value with all others as they are, until none changes. Better is
first what comes nearer to the limits, then what costs less a month; of settings that cost as little as the cheapest,
but for its band, the one nearest to what is aimed at is taken, and of equal ones the simplest. A setting with which a
writer does not keep up is worse than any other.

Where nothing keeps the limits, coming near to them may cost much and is worth nothing: a second search, without them,
finds what the interval costs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.settings import Maintenance, Setting
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario.metrics import Limit
from wasim.units import DAY_S, HOUR_S

LARGE_MANIFEST_BYTES = 32 << 20
PASSES = 3
COORDINATES = ("manifests", "expiry", "compaction", "targets")
OF_MANIFESTS = ("manifests", "manifest_bytes", "planning_p50_ms")
LEAST_SHARE = 0.02  # of metadata written, that shorter lists could save
COMPACTIONS_S = (HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S)  # of which every other one is tried first
MOST_MERGED = 1_000_000  # commits: beyond, merging while compaction runs takes seconds to sum; rewriting does as well
MANY_COMPACTIONS = 2_000  # take a quarter of a second to simulate: of fewer, other processes cost what they save
WORTH_A_JOB = 0.1  # nearer to an aim
MOST_BAND = 0.25  # of a monthly cost: wider ones are not planned by
STEEP = 1.5  # times the least cost: shorter intervals only cost more
NEGLIGIBLE = 1e-3  # of a limit
NEGLIGIBLE_COST = 0.5  # a month, in the currency of the prices: for less nobody sets up a job, or a property


@dataclass(slots=True, kw_only=True)
class Search:
    """Finds the best setting at any interval, within limits."""

    simulator: SettingSimulator
    limits: Sequence[Limit]
    time_travel_s: float
    horizon_s: float
    merges: bool  # whether the writer's own appends merge
    changes_rows: bool  # whether statements do, which take seconds to step through
    aims: Sequence[Limit] = ()  # to come near to, where that costs nothing
    may_append_otherwise: bool
    begin_with: Setting | None = None  # found at a longer interval; else a plain one
    tries_each: bool = True  # else no way that leaves more manifests than the one found at a longer interval
    _nearest: dict[float, Figures] = field(default_factory=dict, init=False)
    _unlimited: "Search | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.limits:
            self._unlimited = replace(self, limits=(), aims=(*self.limits, *self.aims))

    def best_at(self, interval_s: float) -> Figures:
        """The cheapest setting at an interval within the limits; where nothing keeps them the cheapest of all, and of
        those that cost the same the nearest to the limits.
        """
        nearest = self.nearest_at(interval_s)
        if self._unlimited is None or not nearest.keeps_up or not nearest.broken(self.limits):
            return nearest
        return preferred((self._unlimited.best_at(interval_s), nearest), (), self._unlimited.aims)

    def nearest_at(self, interval_s: float) -> Figures:
        """The setting at an interval that comes nearest to the limits, whatever it costs, and of those within them the
        cheapest; where no writer keeps up, that with the smallest metadata.json.
        """
        if interval_s not in self._nearest:
            if self._is_out_of_reach(interval_s):
                self._nearest[interval_s] = self._leanest(interval_s)
                return self._nearest[interval_s]
            start = self.simulator.figures(self._start(interval_s))
            leanest = start if start.keeps_up else self._leanest(interval_s)
            self._nearest[interval_s] = self._descend(start) if leanest.keeps_up else leanest
        return self._nearest[interval_s]

    def prepare(self, intervals_s: Iterable[float], others: Iterable[tuple[Setting, float]] = ()) -> None:
        """Simulates what the search at each of these intervals begins with, and other settings at their rates, side by
        side where that takes long.
        """
        self.simulate_ahead(
            [*others, *((self._start(one), 1.0) for one in intervals_s if not self._is_out_of_reach(one))]
        )

    def simulate_ahead(self, settings: Iterable[tuple[Setting, float]]) -> None:
        """Simulates settings at their rates side by side where that takes long: statements, and many compactions."""
        self.simulator.simulate_ahead(
            (setting, rate)
            for setting, rate in settings
            if self.changes_rows or self.horizon_s > MANY_COMPACTIONS * (setting.maintenance.compact_every_s or inf)
        )

    def _is_out_of_reach(self, interval_s: float) -> bool:
        """Whether no writer keeps up at an interval, whatever the setting: nothing needs to be simulated to know."""
        kept_s = min(older_s or self.horizon_s for _, older_s in self._expiries())
        return self.simulator.is_out_of_reach(self._plain(interval_s), kept_s)

    def _leanest(self, interval_s: float) -> Figures:
        return self.simulator.figures(self.lean(self._plain(interval_s)))

    def lean(self, setting: Setting) -> Setting:
        """The setting with the smallest metadata.json there is."""
        every_s, older_s = self._expiries()[-1]
        kept = replace(setting.maintenance, expire_every_s=every_s, older_than_s=older_s)
        return replace(setting, maintenance=kept, gzips_json=self.simulator.request.gzips_json)

    def _start(self, interval_s: float) -> Setting:
        """The setting of the nearest interval that is known, or else the one to begin with."""
        if self._nearest:
            known_s = min(self._nearest, key=lambda known_s: max(known_s / interval_s, interval_s / known_s))
            return self.allowed(self._nearest[known_s].setting.at_interval(interval_s))
        if self.begin_with is not None:
            return self.begin_with.at_interval(interval_s)
        return self._plain(interval_s)

    def _plain(self, interval_s: float) -> Setting:
        """The rarest expiry, and what the scenario itself keeps."""
        (every_s, older_s), request = self._expiries()[0], self.simulator.request
        kept = Maintenance(
            expire_every_s=every_s,
            older_than_s=older_s,
            rewrite_every_s=None,
            compact_every_s=request.own_compaction_s,
            own=request.own_words,
        )
        return Setting(interval_s=interval_s, maintenance=kept, gzips_json=request.gzips_json)

    def _descend(self, start: Figures) -> Figures:
        best = start
        for _ in range(PASSES):
            before = best
            for name in COORDINATES:
                setting, values = best.setting, getattr(self, f"_{name}")
                others = {self.allowed(one): None for one in values(best) if one != setting}
                others.pop(setting, None)
                found = [best]
                if name != "manifests" or self.changes_rows:
                    self.simulate_ahead((one, 1.0) for one in others if self._may_be_better(one, best))
                for one in others:
                    if self._may_be_better(one, best) and not self._is_enough_without(one, found):
                        found.append(self.simulator.figures(one))
                        best = preferred(found, self.limits, self.aims)
            if best.setting == before.setting:
                break
        return best

    def _may_be_better(self, setting: Setting, best: Figures) -> bool:
        """Whether a setting could be preferred to the best so far: not where that is within limits, and less than what
        this one costs at least, even at the far ends of their bands.
        """
        if not best.keeps_up or best.broken(self.limits):
            return True
        if best.bands.get("monthly_cost", 0.0) > MOST_BAND:
            return True
        most = max(
            best.monthly_cost * (1 + MOST_BAND), best.monthly_cost + best.setting.complexity[0] * NEGLIGIBLE_COST
        )
        return self.simulator.least_cost(setting) * (1 - MOST_BAND) <= most

    def _is_enough_without(self, setting: Setting, found: Iterable[Figures]) -> bool:
        """Whether one of those found is within limits as the setting would be without rewriting manifests, or by doing
        that more seldom, and fewer of them are worth nothing, not even to an aim: then it is preferred as simpler.
        """
        every_s, like = setting.maintenance.rewrite_every_s, _without_rewriting(setting)
        if every_s is None:
            return False
        return any(
            one.keeps_up
            and not one.broken(self.limits)
            and not self._fewer_manifests_pay(one, self.aims)
            and (one.setting.maintenance.rewrite_every_s or inf) > every_s
            and like == _without_rewriting(one.setting)
            for one in found
        )

    def _expiry(self, best: Figures) -> Iterator[Setting]:
        kept = best.setting.maintenance
        for every_s, older_s in self._expiries():
            if not (self.limits or best.broken(self.aims) or self._expiry_may_pay(best, every_s, older_s)):
                continue
            yield replace(best.setting, maintenance=replace(kept, expire_every_s=every_s, older_than_s=older_s))

    def _expiry_may_pay(self, best: Figures, every_s: float | None, older_s: float | None) -> bool:
        """Whether this expiry could save more than the band, if all that a month costs went by snapshots."""
        kept = best.setting.maintenance
        now_s, then_s = (kept.older_than_s or 0) + (kept.expire_every_s or 0) / 2, (older_s or 0) + (every_s or 0) / 2
        saved, band = best.monthly_cost * (1 - then_s / now_s) if now_s else 0.0, best.bands["monthly_cost"]
        apart = 2 * band / (1 + band) * best.monthly_cost  # the least from which on the bands of the two lie apart
        return not best.keeps_up or saved > max(apart, NEGLIGIBLE_COST)

    def _manifests(self, best: Figures) -> Iterator[Setting]:
        """How manifests are kept few: not at all, by rewriting, or by appends that merge, which are alternatives."""
        for setting in self._ways(best):
            if self.tries_each or _fewness(self.allowed(setting)) >= _fewness(best.setting):
                yield setting

    def _ways(self, best: Figures) -> Iterator[Setting]:
        setting, other = best.setting, "fast" if self.merges else "merge"
        if not self._fewer_manifests_pay(best):
            yield replace(_without_rewriting(setting), appends=None)
            return
        may_merge = setting.maintenance.compact_every_s is None or self._merges_beside_compaction(setting)
        rewrites_s = (DAY_S, HOUR_S) if best.broken(self.limits) else (DAY_S,)
        for appends in (None, other) if self.may_append_otherwise and may_merge else (None,):
            for every_s in (None, *(every_s for every_s in rewrites_s if every_s < self.horizon_s)):
                kept = replace(setting.maintenance, rewrite_every_s=every_s)
                yield replace(setting, maintenance=kept, appends=appends)

    def _compaction(self, best: Figures) -> Iterator[Setting]:
        """How often small files are compacted: as the scenario says where it does. If statements change rows, shorter
        intervals compact as often at least as longer ones.
        """
        if "rewrite_data_files" in self.simulator.request.own_jobs:
            return
        is_below = any(known_s > best.setting.interval_s for known_s in self._nearest)
        rarest_s = best.setting.maintenance.compact_every_s or inf if is_below and self.changes_rows else inf
        for every_s in self._compactions(best, is_below=is_below):
            if (every_s or inf) > rarest_s:
                continue
            kept = replace(best.setting.maintenance, compact_every_s=every_s)
            may_merge = every_s is None or self._merges_beside_compaction(best.setting)
            yield replace(best.setting, maintenance=kept, appends=best.setting.appends if may_merge else None)

    def _compactions(self, best: Figures, *, is_below: bool) -> Iterable[float | None]:
        """Periods of compaction: every other one, and those next to the best one's; below an interval that is compacted
        the next alone, where there is no limit to keep. More often where limits are broken, or queries pay for files
        that wait for it, or statements for a delete file to each of them.
        """
        every_s = best.setting.maintenance.compact_every_s
        paid = best.cost.opening + (best.cost.requests if self.changes_rows else 0.0)
        is_worth_more = bool(best.broken(self.limits)) or _matters(paid, best)
        place = COMPACTIONS_S.index(every_s) if every_s in COMPACTIONS_S else 0
        near = () if every_s is None else COMPACTIONS_S[max(0, place - 1) : place + 2]
        some = near if near and is_below and not self.limits else (*COMPACTIONS_S[::2], *near, None)
        least_s = 0.0 if is_worth_more else every_s or DAY_S
        return dict.fromkeys(one for one in some if one is None or least_s <= one < self.horizon_s)

    def _merges_beside_compaction(self, setting: Setting) -> bool:
        """Whether other appends than the writer's own are tried together with a compaction."""
        return self.horizon_s <= MOST_MERGED * setting.interval_s

    def _targets(self, best: Figures) -> Iterator[Setting]:
        target = best.setting.manifest_target_bytes
        if target is None and not (self._fewer_manifests_pay(best) and self.simulator.fills_manifests(best.setting)):
            return
        if target is not None or self._merges(best.setting) or best.setting.maintenance.rewrite_every_s is not None:
            yield replace(best.setting, manifest_target_bytes=LARGE_MANIFEST_BYTES if target is None else None)

    def _fewer_manifests_pay(self, best: Figures, aims: Sequence[Limit] = ()) -> bool:
        """Whether fewer manifests could be worth a job or a property, also to come nearer to these aims. They save
        planning, and bytes of lists.
        """
        if _matters(best.cost.planning, best) or not best.keeps_up:
            return True
        written = best.written_bytes
        shortens = written[Kind.MANIFEST_LIST] > LEAST_SHARE * sum(written[kind] for kind in METADATA_KINDS)
        return any(shortens or limit.metric in OF_MANIFESTS for limit in best.broken((*self.limits, *aims)))

    def allowed(self, setting: Setting) -> Setting:
        """The setting, or the nearest one that is worth a simulation: merging appends do themselves what
        rewrite_manifests would, but for a limit on as many manifests as they gather until they merge.
        """
        kept = setting.maintenance
        limits_manifests = any(limit.metric in OF_MANIFESTS for limit in self.limits)
        if not self._merges(setting) or not kept.rewrite_every_s or limits_manifests:
            return setting
        if not self.may_append_otherwise:
            return _without_rewriting(setting)
        return replace(setting, appends="fast" if self.merges else None)

    def _merges(self, setting: Setting) -> bool:
        return self.merges if setting.appends is None else setting.appends == "merge"

    def _expiries(self) -> tuple[tuple[float | None, float | None], ...]:
        """Periods and ages of expiry, the rarest first; none alone where nothing grows old enough."""
        found = [
            (every_s, self.time_travel_s)
            for every_s in (DAY_S, 6 * HOUR_S, HOUR_S)
            if max(self.time_travel_s, every_s) < self.horizon_s
        ]
        return tuple(found) or ((None, None),)


def _fewness(setting: Setting) -> int:
    """The place of how manifests are kept few among all ways to, by how few they leave at short intervals."""
    if setting.appends is not None:
        return 2 if setting.appends == "merge" else 0
    return 0 if setting.maintenance.rewrite_every_s is None else 1


def _matters(part: float, figures: Figures) -> bool:
    """Whether saving this part of a monthly cost could make another setting the best one: it lies beyond the band."""
    return part > max(NEGLIGIBLE_COST, figures.bands["monthly_cost"] * figures.monthly_cost)


def preferred(figures: Sequence[Figures], limits: Sequence[Limit], aims: Sequence[Limit] = ()) -> Figures:
    """The best of some settings at one interval: of those that a writer keeps up with, if there are any, nearest to the
    limits, then cheapest; within the band nearest to the aims, and of equal ones the simplest.
    """
    able = [one for one in figures if one.keeps_up] or figures
    least = min(excess_of(one, limits) for one in able)
    within = [one for one in able if not one.broken(limits)]
    near = within or [one for one in able if excess_of(one, limits) <= least + NEGLIGIBLE]
    return simplest_of_cheapest(near, aims)


def simplest_of_cheapest(figures: Sequence[Figures], aims: Sequence[Limit] = ()) -> Figures:
    """The simplest of those whose monthly cost lies within the band of the least, or exceeds it by less than the jobs
    and properties are worth that they save; of these, those that come nearest to the aims. Of those with as many, the
    cheapest, or one with fewer runs that costs no more but for half a unit of money.
    """
    within = as_cheap(figures, [one.bands.get("monthly_cost", 0.0) for one in figures])
    least = min(excess_of(one, aims) for one in within)
    nearest = [one for one in within if excess_of(one, aims) <= least * (1 + WORTH_A_JOB) + NEGLIGIBLE]
    fewest = min(one.setting.complexity[0] for one in nearest)
    simplest = [one for one in nearest if one.setting.complexity[0] == fewest]
    most = min(one.monthly_cost for one in simplest) + NEGLIGIBLE_COST
    enough = (one for one in simplest if one.monthly_cost <= most)
    return min(enough, key=lambda one: (one.setting.complexity, one.monthly_cost))


def as_cheap(found: Sequence[Figures], bands: Iterable[float]) -> list[Figures]:
    """Those whose cost is no more than what they `may_cost`, by the cheapest of all and its band."""
    cheapest, band = min(zip(found, bands, strict=True), key=lambda one: one[0].monthly_cost)
    return [one for one in found if one.monthly_cost <= may_cost(one, cheapest, band)]


def may_cost(one: Figures, cheapest: Figures, band: float) -> float:
    """The most that a setting may cost to be taken: what the cheapest does and its band, or half a unit of money for
    each job or property that it is without.
    """
    saved = max(1, cheapest.setting.complexity[0] - one.setting.complexity[0])
    return cheapest.monthly_cost + max(band * cheapest.monthly_cost, saved * NEGLIGIBLE_COST)


def is_steep(cost: float, costs: Iterable[float]) -> bool:
    """Whether an interval costs so much more than the cheapest of these that shorter ones need not be tried."""
    return cost > STEEP * (min(costs) + NEGLIGIBLE_COST)


def excess_of(figures: Figures, limits: Sequence[Limit]) -> float:
    """How far beyond the limits a setting lies: the sum of what each is exceeded by, relative to it; 0 within them."""
    return sum(figures.judged(limit.metric) / limit.bound - 1 for limit in figures.broken(limits))


def _without_rewriting(setting: Setting) -> Setting:
    return replace(setting, maintenance=replace(setting.maintenance, rewrite_every_s=None))
