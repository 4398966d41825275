"""A plan: every setting simulated, one chosen, and what its neighbours and higher rates would cost."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from wasim.capacity.choice import Because, Relaxation, choose, frontier_of, relax, stopped_by, within_band
from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import (
    NO_MAINTENANCE,
    Setting,
    case_of,
    interval_beyond,
    intervals_of,
    maintenance_choices,
)
from wasim.scenario import Case
from wasim.scenario.limits import Limit

RATES = (2.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to choose, and why.

    `tried` are all settings within the freshness; `chosen` is None where nothing meets the limits, and `relaxations`
    then say what to give up. `shorter` and `longer` have the chosen maintenance at the neighbouring intervals, `longer`
    possibly beyond the freshness; `stopped_by` is what keeps the interval from being shorter. `at_rates` is the chosen
    setting at multiples of the rate. `keeping_json` is the chosen setting where old metadata.json stay.
    `or_within_band` are the settings that would be chosen at the ends of the band.
    """

    request: PlanRequest
    case: Case  # the chosen setting's, or the shortest one's
    tried: tuple[Figures, ...]
    chosen: Figures | None
    because: Because
    frontier: tuple[Figures, ...]
    relaxations: tuple[Relaxation, ...] = ()
    beyond: Figures | None = None  # meets the limits at an interval beyond the freshness
    shorter: Figures | None = None
    longer: Figures | None = None
    stopped_by: tuple[Limit, ...] = ()
    at_rates: tuple[tuple[float, Figures], ...] = ()
    keeping_json: Figures | None = None
    or_within_band: tuple[Figures, ...] = ()

    @property
    def out_of_reach(self) -> tuple[float, ...]:
        """Intervals at which no writer keeps up over the horizon, whatever the maintenance. Seconds, ascending."""
        kept = {one.setting.interval_s for one in self.tried if one.keeps_up}
        return tuple(sorted({one.setting.interval_s for one in self.tried} - kept))


def make_plan(request: PlanRequest) -> Plan:
    """The plan that a request asks for. WasimError for a request that makes no sense."""
    freshness_s, simulator = request.freshness_s, SettingSimulator(request=request)
    case = case_of(request, Setting(interval_s=freshness_s, maintenance=NO_MAINTENANCE))
    tried = _try(simulator, intervals_of(freshness_s), case.horizon_s)
    able = tuple(one for one in tried if one.keeps_up)
    chosen, because = choose(able, request.limits)
    plan = Plan(request=request, case=case, tried=tried, chosen=chosen, because=because, frontier=frontier_of(able))
    if chosen is not None and chosen.setting.interval_s < freshness_s:
        return _with_neighbours(plan, chosen, tried, simulator)
    beyond = _try(simulator, (interval_beyond(freshness_s),), case.horizon_s)
    if chosen is not None:
        return _with_neighbours(plan, chosen, (*tried, *beyond), simulator)
    nearest, _ = choose((one for one in beyond if one.keeps_up), request.limits)
    return replace(plan, relaxations=relax(able, request.limits), beyond=nearest)


def _try(simulator: SettingSimulator, intervals_s: Iterable[float], horizon_s: float) -> tuple[Figures, ...]:
    """The figures of every maintenance at each of these intervals that the horizon has room for."""
    return tuple(
        simulator.figures(Setting(interval_s=interval_s, maintenance=maintenance))
        for interval_s in intervals_s
        if interval_s <= horizon_s
        for maintenance in maintenance_choices(simulator.request.time_travel_s, horizon_s)
    )


def _with_neighbours(plan: Plan, chosen: Figures, figures: tuple[Figures, ...], simulator: SettingSimulator) -> Plan:
    """The plan with what its interval's neighbours, higher rates and old metadata.json would cost."""
    setting, limits = chosen.setting, plan.request.limits
    alike = [one for one in figures if one.setting.maintenance == setting.maintenance]  # by interval, ascending
    place = alike.index(chosen)
    shorter = alike[place - 1] if place else None
    return replace(
        plan,
        case=case_of(plan.request, setting),
        shorter=shorter,
        longer=alike[place + 1] if place + 1 < len(alike) else None,
        stopped_by=stopped_by(figures, limits, shorter.setting.interval_s) if shorter else (),
        at_rates=tuple((rate, simulator.figures(setting, rate=rate)) for rate in RATES),
        keeping_json=simulator.figures(setting, deletes_json=False),
        or_within_band=within_band((one for one in plan.tried if one.keeps_up), limits, chosen),
    )
