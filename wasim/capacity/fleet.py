"""An interval for each table of a fleet, under one budget for them all.

Every table begins at its longest interval. Then the budget is spent where it buys most freshness: halving an interval
is worth the same for each table, times its weight, and the step with the most of that for its share of the budgets is
taken next, as long as one fits. Of a table's settings only those are steps that no mixture of others undercuts, so that
what a step costs for what it is worth only ever rises (the marginal cost).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import log2

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.plan import search_for
from wasim.capacity.request import PlanRequest, Requirements, request_from_flags
from wasim.capacity.search import OF_FLEETS
from wasim.capacity.settings import INTERVALS_S, NO_MAINTENANCE, Setting, able_intervals, case_of
from wasim.capacity.shapes import Shapes
from wasim.errors import WasimError
from wasim.processes import map_in_processes
from wasim.scenario.fleet import Budget, Fleet, FleetTable
from wasim.scenario.pace import MOST_ROWS_PER_COMMIT
from wasim.units import format_duration

FEW = 2  # layouts that are planned for without processes of their own
LEAST_S = 5.0  # shorter intervals only as a table's own freshness


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting of a table, and what it takes of the budgets."""

    setting: Setting
    metadata_bytes_per_day: float
    monthly_cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """A table of the fleet and its setting."""

    table: FleetTable
    option: Option


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlan:
    """A setting for each table; `fits` says whether the budget is kept, which it is not if the longest break it.

    `classes` is how many different tables were simulated.
    """

    fleet: Fleet
    assigned: tuple[Assigned, ...]
    classes: int
    currency: str

    @property
    def metadata_bytes_per_day(self) -> float:
        """Of all tables."""
        return sum(one.option.metadata_bytes_per_day * one.table.count for one in self.assigned)

    @property
    def monthly_cost(self) -> float:
        """Of all tables, in the currency."""
        return sum(one.option.monthly_cost * one.table.count for one in self.assigned)

    @property
    def fits(self) -> bool:
        """Whether the budget is kept."""
        return _share(self.metadata_bytes_per_day, self.monthly_cost, self.fleet.budget) <= 1


Layout = tuple[FleetTable, tuple[float, ...], tuple[float, ...], Requirements]
"""Tables that differ in their rate alone: one of them, the rates, the intervals to try, and what is asked of any."""

Plans = Callable[[Sequence[Layout]], list[tuple[tuple[Option, ...], ...]]]


def plan_fleet(fleet: Fleet, requirements: Requirements, plans: Plans | None = None) -> FleetPlan:
    """The fleet's plan. `plans` finds the settings of layouts, for each of their rates; without one, two processes do.

    WasimError if a table has an interval at which no writer keeps up, whichever is taken.
    """
    layouts: dict[tuple[object, ...], list[FleetTable]] = {}
    for table in fleet.tables:
        layouts.setdefault(_layout_of(table), []).append(table)
    parts = [_part(tables, requirements) for tables in layouts.values()]
    known = {
        (layout, rate): options
        for layout, part, found in zip(layouts, parts, (plans or _in_processes)(parts), strict=True)
        for rate, options in zip(part[1], found, strict=True)
    }
    options = [_fresh(known[_layout_of(table), _rate_of(table)], table, requirements) for table in fleet.tables]
    assigned = zip(fleet.tables, _allocate(fleet, options), strict=True)
    return FleetPlan(
        fleet=fleet,
        assigned=tuple(Assigned(table=table, option=option) for table, option in assigned),
        classes=len(known),
        currency=_request(fleet.tables[0], requirements).prices.currency,
    )


def options_of(part: Layout) -> tuple[tuple[Option, ...], ...]:
    """The settings to choose from at each rate: the cheapest of each interval, and that with metadata.json gzipped."""
    table, rates, intervals_s, requirements = part
    shapes: Shapes | None = None
    found: list[tuple[Option, ...]] = []
    for rate in rates:
        request = _request(table.model_copy(update={"rows_per_second": rate}), requirements)
        able_s = able_intervals(intervals_s, request)
        if not able_s:
            found.append(())
            continue
        simulator = SettingSimulator(request=replace(request, freshness_s=able_s[-1]), shapes=shapes)
        found.append(_options(simulator, able_s))
        shapes = simulator.shapes
    return tuple(found)


def _options(simulator: SettingSimulator, intervals_s: tuple[float, ...]) -> tuple[Option, ...]:
    longest = Setting(interval_s=simulator.request.longest_s, maintenance=NO_MAINTENANCE)
    case = case_of(simulator.request, longest)
    search = replace(search_for(case, simulator, ()), coordinates=OF_FLEETS)
    found: list[Figures] = []
    for interval_s in reversed(intervals_s):
        best = search.best_at(interval_s)
        found += [best, simulator.figures(replace(best.setting, gzips_json=not best.setting.gzips_json))]
    return tuple(
        Option(
            setting=one.setting,
            metadata_bytes_per_day=one.per_day_bytes,
            monthly_cost=one.monthly_cost,
        )
        for one in found
        if one.keeps_up
    )


def _part(tables: Sequence[FleetTable], requirements: Requirements) -> Layout:
    longest = max(table.freshness for table in tables)
    own = {table.freshness for table in tables}
    intervals = sorted({*(step for step in INTERVALS_S if LEAST_S <= step < longest), *own})
    return tables[0], tuple(sorted({_rate_of(table) for table in tables})), tuple(intervals), requirements


def _in_processes(parts: Sequence[Layout]) -> list[tuple[tuple[Option, ...], ...]]:
    return list(map_in_processes(options_of, parts, processes=1 if len(parts) <= FEW else None))


def _layout_of(table: FleetTable) -> tuple[object, ...]:
    return table.columns, table.files_per_commit, table.partitions, table.writer


def _rate_of(table: FleetTable) -> float:
    """The rate that stands for the table's, half to twice of it: metadata goes by commits and files, not by rows. The
    table's own where a commit at its freshness would have too few rows or too many at the other.
    """
    rate = 4.0 ** round(log2(table.rows_per_second) / 2)
    return rate if table.files_per_commit <= rate * table.freshness <= MOST_ROWS_PER_COMMIT else table.rows_per_second


def _fresh(options: tuple[Option, ...], table: FleetTable, requirements: Requirements) -> tuple[Option, ...]:
    """The options up to the table's freshness. WasimError names the table that has none, and why."""
    found = tuple(one for one in options if one.setting.interval_s <= table.freshness)
    if not found:
        case_of(_request(table, requirements), Setting(interval_s=table.freshness, maintenance=NO_MAINTENANCE))
        raise WasimError(
            f"table {table.name}: no writer keeps up at any interval up to its freshness. Give a longer one."
        )
    return found


def _request(table: FleetTable, requirements: Requirements) -> PlanRequest:
    flags = {
        "rows_per_second": f"{table.rows_per_second:.9g}",
        "columns": str(table.columns),
        "files_per_commit": str(table.files_per_commit),
        "partitions": str(table.partitions),
        "writer": table.writer,
    }
    request = request_from_flags(flags, replace(requirements, freshness=format_duration(table.freshness)))
    return replace(request, counts_opening=False, source=f"table {table.name}")


def _share(metadata_bytes: float, cost: float, budget: Budget) -> float:
    """The larger share of the budgets that these take."""
    shares = [0.0]
    if budget.metadata_per_day is not None:
        shares.append(metadata_bytes / budget.metadata_per_day)
    if budget.monthly_cost is not None:
        shares.append(cost / budget.monthly_cost)
    return max(shares)


def _allocate(fleet: Fleet, options: Sequence[tuple[Option, ...]]) -> list[Option]:
    """An option for each table."""
    steps = [_steps(of_table, fleet.budget) for of_table in options]
    at, counts = [0] * len(steps), [table.count for table in fleet.tables]
    used = [
        sum(taken[0].metadata_bytes_per_day * count for taken, count in zip(steps, counts, strict=True)),
        sum(taken[0].monthly_cost * count for taken, count in zip(steps, counts, strict=True)),
    ]
    heap: list[tuple[float, int]] = []
    for number, taken in enumerate(steps):
        if len(taken) > 1:
            heap.append((-_worth(taken, 0, fleet, number), number))
    heapify(heap)
    while heap:
        _, number = heappop(heap)
        now, then = steps[number][at[number]], steps[number][at[number] + 1]
        more = (
            (then.metadata_bytes_per_day - now.metadata_bytes_per_day) * counts[number],
            (then.monthly_cost - now.monthly_cost) * counts[number],
        )
        if _share(used[0] + more[0], used[1] + more[1], fleet.budget) > 1:
            continue
        used = [used[0] + more[0], used[1] + more[1]]
        at[number] += 1
        if at[number] + 1 < len(steps[number]):
            heappush(heap, (-_worth(steps[number], at[number], fleet, number), number))
    return [taken[place] for taken, place in zip(steps, at, strict=True)]


def _worth(steps: Sequence[Option], place: int, fleet: Fleet, number: int) -> float:
    """Halvings of the interval that the next step buys, for its share of the budgets."""
    now, then = steps[place], steps[place + 1]
    halvings = log2(now.setting.interval_s / then.setting.interval_s) * fleet.tables[number].weight
    return halvings / max(_use(then, fleet.budget) - _use(now, fleet.budget), 1e-12)


def _use(option: Option, budget: Budget) -> float:
    """The shares of the budgets that a setting takes, together."""
    shares = [0.0]
    if budget.metadata_per_day is not None:
        shares.append(option.metadata_bytes_per_day / budget.metadata_per_day)
    if budget.monthly_cost is not None:
        shares.append(option.monthly_cost / budget.monthly_cost)
    return sum(shares)


def _steps(options: Iterable[Option], budget: Budget) -> list[Option]:
    """The options on the lower hull of use over halvings, the longest interval first."""
    least: dict[float, Option] = {}
    for option in options:
        known = least.setdefault(option.setting.interval_s, option)
        if _use(option, budget) < _use(known, budget):
            least[option.setting.interval_s] = option
    hull: list[Option] = []
    for interval_s in sorted(least, reverse=True):
        option = least[interval_s]
        while hull and _use(option, budget) <= _use(hull[-1], budget):
            hull.pop()  # shorter, and takes no more
        while len(hull) > 1 and _slope(hull[-2], hull[-1], budget) >= _slope(hull[-1], option, budget):
            hull.pop()
        hull.append(option)
    return hull


def _slope(first: Option, second: Option, budget: Budget) -> float:
    halvings = log2(first.setting.interval_s / second.setting.interval_s)
    return (_use(second, budget) - _use(first, budget)) / halvings


def by_interval(plan: FleetPlan) -> Mapping[float, int]:
    """How many tables have which interval, the shortest first."""
    found: dict[float, int] = {}
    for one in plan.assigned:
        interval_s = one.option.setting.interval_s
        found[interval_s] = found.get(interval_s, 0) + one.table.count
    return dict(sorted(found.items()))
