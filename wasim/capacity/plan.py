"""A plan: the best setting of each interval, one of them chosen, what its neighbours and higher rates would cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wasim.capacity.choice import Relaxation, choose, frontier_of, relax, within_band
from wasim.capacity.commits import MOST_FAILED, RETRIES, LosingJob, losing_jobs, sustained
from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.now import Saving, now_of, saving_of
from wasim.capacity.request import FEWEST_COMMITS, PlanRequest, Prefer
from wasim.capacity.search import Search, is_steep
from wasim.capacity.settings import able_intervals, case_of, intervals_of
from wasim.contention import SustainedRate
from wasim.errors import WasimError
from wasim.forecast.ahead import longer_steps, shorter_step, steps_between
from wasim.scenario import Case
from wasim.scenario.cycles import window_of
from wasim.scenario.metrics import Limit
from wasim.units import MOST_AHEAD_S, format_duration

RATES = (2.0, 3.0)
MOST_RELAXED = 3  # tries to relax limits until a search finds something within them


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to choose, and why.

    `best` is the best setting of each interval up to the longest; `chosen` is None where nothing meets the limits, and
    `relaxations` then say what to give up. `other_end` is what would be preferred otherwise: the freshest within
    limits, or the cheapest.
    `losing` are the chosen setting's jobs that lose their races; `avoided` is an interval that would be preferred, but
    for the job that loses there.
    `shorter` and `longer` are the best at the neighbouring intervals, `longer` possibly beyond the freshness;
    `stopped_by` is what keeps the interval from being shorter. `at_rates` is the chosen setting at multiples of the
    rate. `keeping_json` is the chosen setting where old metadata.json stay. `or_within_band` are the settings that
    would be chosen at the ends of the band. `evaluated` is how many settings were simulated.
    """

    request: PlanRequest
    case: Case  # the chosen setting's, or the longest interval's
    best: tuple[Figures, ...]
    chosen: Figures | None
    frontier: tuple[Figures, ...]
    relaxations: tuple[Relaxation, ...] = ()
    beyond: Figures | None = None  # meets the limits at an interval beyond the freshness
    shorter: Figures | None = None
    longer: Figures | None = None
    stopped_by: tuple[Limit, ...] = ()
    other_end: Figures | None = None
    at_rates: tuple[tuple[float, Figures], ...] = ()
    keeping_json: Figures | None = None
    saving: Saving | None = None  # of the chosen setting, on what is there now
    or_within_band: tuple[Figures, ...] = ()
    evaluated: int = 0
    files_per_commit: float = 1.0
    sustained: SustainedRate | None = None  # of the chosen setting's commits
    losing: tuple[LosingJob, ...] = ()
    avoided: tuple[float, LosingJob] | None = None

    @property
    def approximated(self) -> tuple[str, ...]:
        """What was ignored or replaced by its mean: of the chosen setting, or where there is none, of the longest."""
        figures = self.chosen or next(reversed(self.best), None)
        return () if figures is None else figures.approximated

    @property
    def horizon_s(self) -> float:
        """Event time that figures are of: the whole cycles that are nearest to what was asked for."""
        return window_of(self.case).end_s

    @property
    def out_of_reach(self) -> tuple[float, ...]:
        """Intervals at which no writer keeps up over the horizon, whatever the maintenance. Seconds, ascending."""
        return tuple(one.setting.interval_s for one in self.best if not one.keeps_up)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Those asked for, but for freshness."""
        return self.request.limits


def make_plan(request: PlanRequest, simulator: SettingSimulator | None = None, *, explains: bool = True) -> Plan:
    """The plan that a request asks for; without neighbours and higher rates unless it `explains`. WasimError for a
    request that makes no sense.

    `simulator` is the request's, for a caller that simulates further settings of it.
    """
    simulator = simulator or SettingSimulator(request=request)
    _check_horizon(request)
    now = None if request.now is None else now_of(request.now, request)
    search = replace(search_for(simulator.case_at_longest, simulator, request.limits), aims=request.aims)
    plan = _choice(search)
    chosen = plan.chosen
    if chosen is None:
        return replace(_with_ways_out(plan, search), evaluated=simulator.evaluated)
    if explains:
        plan = _with_neighbours(plan, chosen, search)
    if now is not None:
        simulator.encode(now.interval_s)
    other: Prefer = "cheapest" if request.prefer == "freshest" else "freshest"
    return replace(
        plan,
        case=case_of(request, chosen.setting),
        saving=saving_of(simulator, now, chosen),
        other_end=choose(plan.best, other, request.limits),
        sustained=None if chosen.commit is None else sustained(chosen.commit, plan.case),
        evaluated=simulator.evaluated,
        files_per_commit=simulator.files_per_commit(chosen.setting),
    )


def _choice(search: Search) -> Plan:
    request = search.simulator.request
    best = _best(search)
    chosen = choose(best, request.prefer, request.limits)
    if chosen is not None and request.prefer == "freshest":
        chosen, best = _refined(search, best, chosen)
    chosen, best = _encoded(search, best, chosen)
    losing, avoided = tuple[LosingJob, ...](), None
    if chosen is not None:
        chosen, losing, avoided = _winning(search, best, chosen)
        chosen = search.simulator.with_measured_bands(chosen)
        best = [chosen if one.setting.interval_s == chosen.setting.interval_s else one for one in best]
    return Plan(
        request=request,
        case=search.simulator.case_at_longest,
        best=tuple(best),
        chosen=chosen,
        frontier=frontier_of(one for one in best if one.keeps_up),
        losing=losing,
        avoided=avoided,
    )


def _encoded(search: Search, best: list[Figures], chosen: Figures | None) -> tuple[Figures | None, list[Figures]]:
    """The choice by the sizes of the chosen interval's own files, which may break a limit that others kept."""
    request, simulator = search.simulator.request, search.simulator
    encoded: set[float] = set()
    while chosen is not None and chosen.setting.interval_s not in encoded:
        interval_s = chosen.setting.interval_s
        simulator.encode(interval_s)
        encoded.add(interval_s)
        exact = _sustained(simulator.figures(chosen.setting), search)
        best = [exact if one.setting.interval_s == interval_s else one for one in best]
        chosen = choose(best, request.prefer, request.limits)
    return chosen, best


def _winning(
    search: Search, best: list[Figures], chosen: Figures
) -> tuple[Figures, tuple[LosingJob, ...], tuple[float, LosingJob] | None]:
    """The choice whose maintenance wins its races against the writers' commits: with more retries if that is enough,
    or else at a longer interval, as jobs fail more at shorter ones; where none does, the choice without those that
    fail, or as it was where it needs them, and what fails. With it, the interval that it was before, and the job that
    loses there.
    """
    request, simulator = search.simulator.request, search.simulator
    first = losing = losing_jobs(chosen, simulator.case(chosen.setting), request)
    tried: Figures | None = chosen
    while losing and tried is not None:
        if all(one.share_retried <= MOST_FAILED for one in losing):
            tried = _sustained(simulator.figures(replace(tried.setting, retries=RETRIES)), search)
            losing = ()
            break
        best = [one for one in best if one.setting.interval_s > tried.setting.interval_s]
        tried, best = _encoded(search, best, choose(best, request.prefer, request.limits))
        if tried is not None:
            losing = losing_jobs(tried, simulator.case(tried.setting), request)
    if tried is None:
        without = _without(first, search, chosen)
        return (chosen, first, None) if without is None else (without, (), (chosen.setting.interval_s, first[0]))
    is_longer = tried.setting.interval_s > chosen.setting.interval_s
    return tried, losing, (chosen.setting.interval_s, first[0]) if is_longer else None


def _without(losing: Iterable[LosingJob], search: Search, chosen: Figures) -> Figures | None:
    """The choice without these jobs; None where a scenario or a limit wants them, or others lose."""
    simulator, kept = search.simulator, chosen.setting.maintenance
    names = {one.name for one in losing}
    if not names <= {"rewrite_data_files", "rewrite_manifests"} - simulator.request.own_jobs.keys():
        return None
    if "rewrite_data_files" in names:
        kept = replace(kept, compact_every_s=None)
    if "rewrite_manifests" in names:
        kept = replace(kept, rewrite_every_s=None)
    setting = replace(chosen.setting, maintenance=kept)
    found = _sustained(simulator.figures(setting), search)
    if not found.keeps_up or found.broken(search.limits):
        return None
    return None if losing_jobs(found, simulator.case(setting), simulator.request) else found


def _best(search: Search) -> list[Figures]:
    """The best setting at each interval, ascending; the longest is searched first.

    Of statements, which take seconds to step through, shorter intervals are left out once one costs much more
    than the least within limits: they cost more still.
    """
    request = search.simulator.request
    *shorter, longest_s = able_intervals(intervals_of(request.longest_s), request)
    found = [_sustained(search.best_at(longest_s), search)]
    tries_each = not search.changes_rows or request.prefer == "freshest"
    if not search.changes_rows:
        search.prepare(reversed(shorter))
    for interval_s in reversed(shorter):
        within = [one.monthly_cost for one in found if one.keeps_up and not one.broken(search.limits)]
        if not tries_each and within and is_steep(found[-1].monthly_cost, within):
            break
        found.append(_sustained(search.best_at(interval_s), search))
    return found[::-1]


def _sustained(best: Figures, search: Search) -> Figures:
    """The best of an interval with its commits, or if they take longer than that, with the smallest metadata.json."""
    simulator = search.simulator
    found = simulator.with_commits(best)
    if found.keeps_up or not best.keeps_up:
        return found
    lean = simulator.with_commits(simulator.figures(search.lean(best.setting)))
    return lean if lean.keeps_up else found


def _nearest(best: Figures, search: Search) -> Figures:
    """What comes nearest to the limits at the interval of its best setting, which may cost less; by the
    sizes of its own files if they have been encoded since.
    """
    nearest = search.nearest_at(best.setting.interval_s)
    return _sustained(search.simulator.figures(nearest.setting), search)


def _check_horizon(request: PlanRequest) -> None:
    if request.horizon_s > MOST_AHEAD_S:
        raise WasimError(
            f"--horizon is {format_duration(request.horizon_s)}. Give {format_duration(MOST_AHEAD_S)} at most."
        )
    shortest_s = request.ships.least_s or 0.0
    if request.longest_s < shortest_s:
        raise WasimError(
            f"--freshness is {format_duration(request.longest_s)}, and the writer ({request.profile}) commits every"
            f" {format_duration(shortest_s)} at most. Give {format_duration(shortest_s)} or more."
        )
    least_s = FEWEST_COMMITS * request.longest_s
    if request.horizon_s < least_s:
        raise WasimError(
            f"--horizon {format_duration(request.horizon_s)} has no room for {FEWEST_COMMITS} commits every"
            f" {format_duration(request.longest_s)}. Give {format_duration(least_s)} at least, or a shorter"
            " --freshness."
        )


def search_for(case: Case, simulator: SettingSimulator, limits: Sequence[Limit]) -> Search:
    """The search for the best settings of a request; `case` is any of its cases."""
    writer = case.writer
    return Search(
        simulator=simulator,
        limits=limits,
        time_travel_s=simulator.request.time_travel_s,
        horizon_s=case.horizon_s,
        merges=case.merges,
        changes_rows=case.has_changes or (bool(writer.upsert) and not case.key_columns),
        may_append_otherwise=writer.is_stream_into_table and not (writer.profile or writer.upsert),
    )


def _refined(search: Search, best: list[Figures], chosen: Figures) -> tuple[Figures, list[Figures]]:
    """The shortest interval within limits, looked for below the shortest that was tried, and between the steps of the
    ladder too.
    """
    found, limits = list(best), search.limits
    while chosen is found[0] and (further_s := shorter_step(chosen.setting.interval_s)):
        if not able_intervals([further_s], search.simulator.request):
            break
        found.insert(0, _sustained(search.best_at(further_s), search))
        chosen = found[0] if found[0].keeps_up and not found[0].broken(limits) else chosen
    longest = chosen.setting.interval_s
    shortest = max((one.setting.interval_s for one in found if one.setting.interval_s < longest), default=longest)
    between = able_intervals(steps_between(shortest, longest), search.simulator.request)
    while between:
        place = len(between) // 2
        tried = _sustained(search.best_at(between[place]), search)
        found.append(tried)
        is_within = tried.keeps_up and not tried.broken(limits)
        chosen = tried if is_within else chosen
        between = between[:place] if is_within else between[place + 1 :]
    return chosen, sorted(found, key=lambda one: one.setting.interval_s)


def _with_ways_out(plan: Plan, search: Search) -> Plan:
    beyond = _beyond(plan.request.longest_s, plan, search)
    if beyond is not None:
        beyond, _ = _encoded(search, [beyond], choose([beyond], plan.request.prefer, plan.limits))
    return replace(plan, relaxations=_relaxations(plan, search), beyond=beyond)


def _relaxations(plan: Plan, search: Search) -> tuple[Relaxation, ...]:
    """What to relax, and the setting that is found then. A search with other limits may take another way and miss the
    setting that a limit was relaxed to; then what it comes to is tried.
    """
    found: tuple[Relaxation, ...] = ()
    for _ in range(MOST_RELAXED):
        nearest = [_nearest(best, search) for best in plan.best]
        found = relax([one for one in nearest if one.keeps_up], plan.limits)
        relaxed = {one.limit: replace(one.limit, bound=one.value) for one in found}
        limits = [relaxed.get(limit, limit) for limit in plan.limits]
        search = replace(search_for(plan.case, search.simulator, limits), aims=search.aims)
        best = _best(search)
        chosen, _ = _encoded(search, best, choose(best, plan.request.prefer, limits))
        if chosen is not None:
            return tuple(replace(one, figures=chosen) for one in found)
    return found


def _beyond(interval_s: float, plan: Plan, search: Search) -> Figures | None:
    """The best setting of the next longer interval; None where the table cannot be written at that."""
    further = able_intervals(longer_steps(interval_s)[:1], plan.request)
    return _sustained(search.best_at(further[0]), search) if further else None


def _with_neighbours(plan: Plan, chosen: Figures, search: Search) -> Plan:
    """The plan with what its interval's neighbours, higher rates and old metadata.json would cost."""
    setting, simulator = chosen.setting, search.simulator
    shorter = [one for one in plan.best if one.setting.interval_s < setting.interval_s]
    longer = [one for one in plan.best if one.setting.interval_s > setting.interval_s]
    rates = [rate for rate in RATES if able_intervals([setting.interval_s], plan.request, rate=rate)]
    beyond_s = [] if longer else able_intervals(longer_steps(setting.interval_s)[:1], plan.request)
    search.prepare(beyond_s, ((setting, rate) for rate in rates))
    return replace(
        plan,
        shorter=shorter[-1] if shorter else None,
        longer=longer[0] if longer else _beyond(setting.interval_s, plan, search),
        stopped_by=_nearest(shorter[-1], search).broken(plan.limits)
        if shorter and plan.request.prefer == "freshest"
        else (),
        at_rates=tuple((rate, simulator.figures(setting, rate=rate)) for rate in rates),
        keeping_json=simulator.figures(replace(setting, deletes_json=False)),
        or_within_band=within_band(plan.best, plan.request.prefer, plan.limits, chosen),
    )
