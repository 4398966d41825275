"""Settings for the tables of a fleet: each its own plan, or under one budget for them all.

    fleet ─► a plan of each table, or options of many ─► the cheapest of each, or the budget allocated ─► savings

Of many tables that rates describe no intervals are tried but those that a choice reaches, and two below.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import ceil, log2

from wasim.capacity.choice import cheapest_of
from wasim.capacity.figures import Figures
from wasim.capacity.fleet_options import Answered, Asked, answer, check, stand_in_of
from wasim.capacity.fleet_shapes import nearness
from wasim.capacity.request import Prefer, Requirements, preference
from wasim.capacity.search import is_steep
from wasim.capacity.settings import Setting
from wasim.doctor import InspectOptions
from wasim.forecast.ahead import INTERVALS_S
from wasim.processes import available_cores, open_processes
from wasim.scenario.fleet import Budget, Fleet, FleetTable

NO_BUDGET = Budget.model_construct(metadata_per_day=None, monthly_cost=None)


def shares_of(metadata_bytes: float, cost: float, budget: Budget) -> list[float]:
    """The shares of the budgets that these take."""
    pairs = ((metadata_bytes, budget.metadata_per_day), (cost, budget.monthly_cost))
    return [used / bound for used, bound in pairs if bound is not None]


def allocate(tables: Sequence[FleetTable], options: Sequence[tuple[Figures, ...]], budget: Budget) -> list[Figures]:
    """An option for each table."""
    steps = [_steps(of_table, budget) for of_table in options]
    at, counts = [0] * len(steps), [table.count for table in tables]
    used = [
        sum(taken[0].metadata_bytes_per_day * count for taken, count in zip(steps, counts, strict=True)),
        sum(taken[0].monthly_cost * count for taken, count in zip(steps, counts, strict=True)),
    ]
    heap: list[tuple[float, int]] = []
    for number, taken in enumerate(steps):
        if len(taken) > 1:
            heap.append((-_worth(taken, 0, tables[number].weight, budget), number))
    heapify(heap)
    while heap:
        _, number = heappop(heap)
        now, then = steps[number][at[number]], steps[number][at[number] + 1]
        more = (
            (then.metadata_bytes_per_day - now.metadata_bytes_per_day) * counts[number],
            (then.monthly_cost - now.monthly_cost) * counts[number],
        )
        if max(shares_of(used[0] + more[0], used[1] + more[1], budget)) > 1:
            continue
        used = [used[0] + more[0], used[1] + more[1]]
        at[number] += 1
        if at[number] + 1 < len(steps[number]):
            heappush(heap, (-_worth(steps[number], at[number], tables[number].weight, budget), number))
    return [taken[place] for taken, place in zip(steps, at, strict=True)]


def _worth(steps: Sequence[Figures], place: int, weight: float, budget: Budget) -> float:
    """Halvings of the interval that the next step buys, for its share of the budgets."""
    now, then = steps[place], steps[place + 1]
    halvings = log2(now.setting.interval_s / then.setting.interval_s) * weight
    return halvings / max(_use(then, budget) - _use(now, budget), 1e-12)


def _use(option: Figures, budget: Budget) -> float:
    return sum(shares_of(option.metadata_bytes_per_day, option.monthly_cost, budget))


def _steps(options: Iterable[Figures], budget: Budget) -> list[Figures]:
    """The options on the lower hull of use over halvings, the longest interval first."""
    least: dict[float, Figures] = {}
    for option in options:
        known = least.setdefault(option.setting.interval_s, option)
        if _use(option, budget) < _use(known, budget):
            least[option.setting.interval_s] = option
    hull: list[Figures] = []
    for interval_s in sorted(least, reverse=True):
        option = least[interval_s]
        while hull and _use(option, budget) <= _use(hull[-1], budget):
            hull.pop()  # shorter, and takes no more
        while len(hull) > 1 and _slope(hull[-2], hull[-1], budget) >= _slope(hull[-1], option, budget):
            hull.pop()
        hull.append(option)
    return hull


def _slope(first: Figures, second: Figures, budget: Budget) -> float:
    halvings = log2(first.setting.interval_s / second.setting.interval_s)
    return (_use(second, budget) - _use(first, budget)) / halvings


MOST_ENCODED = 16  # different tables whose own files are encoded; of more, sizes are read off between a few
SHARES = 16  # of the tables, that processes take one after the other
TOGETHER = 32  # of fewer, as tables next to each other are read off between the same ones
LEAST_S = 5.0  # shorter intervals only as a table's own freshness
AHEAD = 2  # intervals below a table's own that are known when a setting is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """A table of the fleet and its setting; without one, why."""

    table: FleetTable
    option: Figures | None
    found: Answered


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlan:
    """A setting for each table; `fits` says whether each has one and the budget is kept.

    `classes` is how many different tables were simulated; `is_read_off` whether sizes of files were read off between
    other tables', where rates describe one.
    """

    fleet: Fleet
    assigned: tuple[Assigned, ...]
    classes: int
    prefer: Prefer = "cheapest"
    is_read_off: bool = False

    @property
    def budget(self) -> Budget:
        """What all tables together may take."""
        return self.fleet.budget or NO_BUDGET

    @property
    def planned(self) -> tuple[tuple[Assigned, Figures], ...]:
        """The tables that have a setting."""
        return tuple((one, one.option) for one in self.assigned if one.option is not None)

    @property
    def currency(self) -> str:
        """Of the prices."""
        return next((one.found.request.prices.currency for one in self.assigned if one.found.request), "")

    def of_all(self, metric: str) -> float:
        """A metric that adds up, of all tables."""
        return sum(option.values[metric] * one.table.count for one, option in self.planned)

    @property
    def keeps_budget(self) -> bool:
        """Whether the budget is kept."""
        used = self.of_all("metadata_bytes_per_day"), self.of_all("monthly_cost")
        return max(shares_of(*used, self.budget), default=0.0) <= 1

    @property
    def fits(self) -> bool:
        """Whether every table has a setting, and the budget is kept."""
        return self.keeps_budget and len(self.planned) == len(self.assigned)


Mapped = Callable[[Callable[[Asked], Answered], Sequence[Asked]], Iterable[Answered]]


@dataclass(slots=True, kw_only=True)
class _Class:
    """Tables that count as equal, and what was found for them; of many, at some intervals, the longest first."""

    asked: Asked
    tried_s: tuple[float, ...] = ()
    found: Answered | None = None

    def further(self, reached_s: float, ahead: int) -> Asked | None:
        """What is to be asked next where the shortest interval that was chosen so far is that; None: enough is known.

        It takes `AHEAD` intervals below a table's own to know its next step, or as few as `ahead` where the shortest
        costs much more. Where none has a setting a plan says why.
        """
        if not self.asked.is_read_off:
            return self.asked if self.found is None else None
        below = sum(one < reached_s for one in self.tried_s)
        if below >= AHEAD or (below >= ahead and self._is_steep):
            return None
        own_s, options = self.asked.table.freshness or 0.0, () if self.found is None else self.found.options
        untried_s = sorted({*(one for one in INTERVALS_S if LEAST_S <= one < own_s), own_s}.difference(self.tried_s))
        if not untried_s:
            return None if options else replace(self.asked, is_read_off=False)
        last = min((one.setting for one in options), key=lambda one: one.interval_s, default=None)
        below = sum(one < reached_s for one in untried_s)
        return replace(self.asked, intervals_s=tuple(untried_s[max(0, below - ahead) :]), begin_with=last)

    @property
    def _is_steep(self) -> bool:
        options = () if self.found is None else self.found.options
        costs = {one.setting.interval_s: one.monthly_cost for one in options}
        shortest_s = min(self.tried_s)
        return shortest_s in costs and is_steep(costs[shortest_s], costs.values())

    def learn(self, asked: Asked, found: Answered) -> None:
        """Adds what was found."""
        self.asked = replace(self.asked, is_read_off=asked.is_read_off)
        if asked.intervals_s is not None:
            options = (*(() if self.found is None else self.found.options), *found.options)
            found = replace(found, options=options, chosen=cheapest_of(options) if options else None)
            self.tried_s += asked.intervals_s
        self.found = found


def plan_fleet(
    fleet: Fleet,
    requirements: Requirements,
    mapped: Mapped | None = None,
    *,
    reaching: InspectOptions | None = None,
    names_faults: bool = False,
) -> FleetPlan:
    """The fleet's plan. `mapped` is a map over tables; without one, processes do it. `reaching` says how tables that
    exist are reached; what is wrong with one is named in the plan if it `names_faults`, and else a WasimError.
    """
    prefer = preference(requirements.prefer, is_limited=fleet.budget is not None)
    asked = replace(requirements, prefer=None)
    common = Asked(table=fleet.tables[0], requirements=asked, reaching=reaching, names_faults=names_faults)
    keys, classes = _classes_of(fleet, common)
    allocated: list[Figures | None] = [None] * len(keys)
    with _mapping(mapped) as answers:
        reached = {key: one.asked.table.freshness or 0.0 for key, one in classes.items()}
        ahead = 1 if fleet.budget is None else AHEAD
        while wanted := [
            (key, one) for key, of in classes.items() if (one := of.further(reached[key], ahead)) is not None
        ]:
            wanted.sort(key=lambda pair: (pair[1].is_read_off, nearness(pair[1].table)))
            for (key, one), found in zip(wanted, answers(answer, [one for _, one in wanted]), strict=True):
                classes[key].learn(one, found)
            allocated = _allocated(fleet, [classes[key].found or Answered() for key in keys], prefer)
            for key, option in zip(keys, allocated, strict=True):
                reached_s = min(classes[key].tried_s, default=0.0) if option is None else option.setting.interval_s
                reached[key] = min(reached[key], reached_s)
        assigned = _with_savings(fleet, keys, classes, allocated, answers)
    is_read_off = any(one.asked.is_read_off for one in classes.values())
    return FleetPlan(fleet=fleet, assigned=assigned, classes=len(classes), prefer=prefer, is_read_off=is_read_off)


def _classes_of(fleet: Fleet, common: Asked) -> tuple[list[str], dict[str, _Class]]:
    """The key of each table's class, and the classes by key: of tables that are the same, or of many that count as
    equal. `common` is what is asked of every table.
    """
    own = [table.model_copy(update={"name": "", "count": 1, "weight": 1.0}) for table in fleet.tables]
    if not common.names_faults:
        different = {one.model_dump_json(): table for one, table in zip(own, fleet.tables, strict=True)}
        check(different.values(), common.requirements)
    rated = {one.model_dump_json() for one in own if one.rows_per_second is not None}
    keys, classes = list[str](), dict[str, _Class]()
    for table, alone in zip(fleet.tables, own, strict=True):
        is_many = len(rated) > MOST_ENCODED and table.rows_per_second is not None
        kind = stand_in_of(table, common.requirements) if is_many else alone
        keys.append(kind.model_dump_json())
        if keys[-1] not in classes:
            named = kind.model_copy(update={"name": table.name})
            classes[keys[-1]] = _Class(asked=replace(common, table=named, is_read_off=is_many))
    return keys, classes


def _allocated(fleet: Fleet, found: Sequence[Answered], prefer: Prefer) -> list[Figures | None]:
    """Each table's own plan, where the budget has room for all of them; of freshness as much as the budget buys, where
    that is preferred, or they have no room.
    """
    chosen = [one.chosen for one in found]
    able = [(table, one) for table, one in zip(fleet.tables, found, strict=True) if one.chosen is not None]
    plan = FleetPlan(
        fleet=fleet,
        assigned=tuple(Assigned(table=table, option=one.chosen, found=one) for table, one in able),
        classes=0,
    )
    if fleet.budget is None or (prefer == "cheapest" and plan.keeps_budget):
        return chosen
    options = iter(allocate([table for table, _ in able], [one.options for _, one in able], fleet.budget))
    return [None if one is None else next(options) for one in chosen]


def _with_savings(
    fleet: Fleet,
    keys: Sequence[str],
    classes: Mapping[str, _Class],
    allocated: Sequence[Figures | None],
    answers: Mapped,
) -> tuple[Assigned, ...]:
    """The tables with their settings, and what these save, which is still to be found where a plan chose another. Of
    many tables it is found only where it is known how they are written now: a year of each takes as long as its plan.
    """
    savings: dict[tuple[str, Setting], Answered] = {}
    for key, option in zip(keys, allocated, strict=True):
        found = classes[key].found
        if option is None or found is None:
            continue
        is_known = found.saving is not None and found.chosen is not None and option.setting == found.chosen.setting
        is_left_out = classes[key].asked.is_read_off and classes[key].asked.table.now is None
        if not (is_known or is_left_out):
            savings[key, option.setting] = found
    wanted = [replace(classes[key].asked, setting=setting) for key, setting in savings]
    savings |= zip(savings, answers(answer, wanted), strict=True)
    assigned = []
    for table, key, option in zip(fleet.tables, keys, allocated, strict=True):
        found = classes[key].found or Answered()
        if option is not None and (known := savings.get((key, option.setting))) is not None:
            found = replace(found, saving=known.saving)
        assigned.append(Assigned(table=table, option=option, found=found))
    return tuple(assigned)


@contextmanager
def _mapping(mapped: Mapped | None) -> Iterator[Mapped]:
    """What finds the answers: the given, or processes of this machine."""
    if mapped is not None:
        yield mapped
        return
    cores = available_cores()
    with open_processes(cores, shares=True) as over_cores:
        yield lambda work, parts: over_cores(
            work, parts, together=max(ceil(len(parts) / SHARES), min(TOGETHER, ceil(len(parts) / cores)))
        )


def by_interval(plan: FleetPlan) -> Mapping[float, int]:
    """How many tables have which interval, the shortest first."""
    found: dict[float, int] = {}
    for one, option in plan.planned:
        interval_s = option.setting.interval_s
        found[interval_s] = found.get(interval_s, 0) + one.table.count
    return dict(sorted(found.items()))
