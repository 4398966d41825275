"""An interval for each table of a fleet, under one budget for them all.

    fleet ─► classes of tables alike ─► their options, from the longest interval on ─► the budget allocated

No intervals are tried but those that the budget reaches, and two below.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import ceil, log2

from wasim.capacity.fleet_options import Layout, Option, options_of, rate_of, request_of
from wasim.capacity.fleet_shapes import nearness
from wasim.capacity.request import Requirements
from wasim.capacity.settings import NO_MAINTENANCE, Setting, case_of
from wasim.errors import WasimError
from wasim.forecast.ahead import INTERVALS_S
from wasim.processes import open_processes
from wasim.scenario.fleet import Budget, Fleet, FleetTable


def share_of(metadata_bytes: float, cost: float, budget: Budget) -> float:
    """The larger share of the budgets that these take."""
    shares = [0.0]
    if budget.metadata_per_day is not None:
        shares.append(metadata_bytes / budget.metadata_per_day)
    if budget.monthly_cost is not None:
        shares.append(cost / budget.monthly_cost)
    return max(shares)


def allocate(tables: Sequence[FleetTable], options: Sequence[tuple[Option, ...]], budget: Budget) -> list[Option]:
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
        if share_of(used[0] + more[0], used[1] + more[1], budget) > 1:
            continue
        used = [used[0] + more[0], used[1] + more[1]]
        at[number] += 1
        if at[number] + 1 < len(steps[number]):
            heappush(heap, (-_worth(steps[number], at[number], tables[number].weight, budget), number))
    return [taken[place] for taken, place in zip(steps, at, strict=True)]


def _worth(steps: Sequence[Option], place: int, weight: float, budget: Budget) -> float:
    """Halvings of the interval that the next step buys, for its share of the budgets."""
    now, then = steps[place], steps[place + 1]
    halvings = log2(now.setting.interval_s / then.setting.interval_s) * weight
    return halvings / max(_use(then, budget) - _use(now, budget), 1e-12)


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


FEW = 2  # layouts that are planned for without processes of their own
MOST_ENCODED = 16  # layouts whose own files are encoded; of more, they are read off between those of a few
SHARES = 16  # of the layouts, that processes take one after the other
LEAST_S = 5.0  # shorter intervals only as a table's own freshness
AHEAD = 2  # intervals below a table's own that are known when a budget is allocated


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """A table of the fleet and its setting."""

    table: FleetTable
    option: Option


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlan:
    """A setting for each table; `fits` says whether the budget is kept, which it is not if the longest break it.

    `classes` is how many different tables were simulated; `is_read_off` whether what their files weigh was read off
    between those of other tables.
    """

    fleet: Fleet
    assigned: tuple[Assigned, ...]
    classes: int
    currency: str
    is_read_off: bool = False

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
        return share_of(self.metadata_bytes_per_day, self.monthly_cost, self.fleet.budget) <= 1


Plans = Callable[[Sequence[Layout]], Sequence[tuple[tuple[Option, ...], ...]]]
_LayoutKey = tuple[str, int, int, int]
_ClassKey = tuple[_LayoutKey, float]  # with a rate


@dataclass(slots=True, kw_only=True)
class _Class:
    """Tables that count as alike, and the options that were found for them at some intervals, the longest first."""

    tables: list[FleetTable]
    tried_s: tuple[float, ...] = ()
    options: tuple[Option, ...] = ()

    @property
    def last(self) -> Setting | None:
        """The setting found at the shortest interval so far."""
        return min((one.setting for one in self.options), key=lambda one: one.interval_s, default=None)

    @property
    def untried_s(self) -> tuple[float, ...]:
        """The intervals that are left to try, ascending."""
        own = {table.freshness for table in self.tables}
        steps = {*(step for step in INTERVALS_S if LEAST_S <= step < max(own)), *own}
        return tuple(sorted(steps.difference(self.tried_s)))

    def options_of(self, table: FleetTable) -> tuple[Option, ...]:
        """What was found up to a table's freshness."""
        return tuple(one for one in self.options if one.setting.interval_s <= table.freshness)

    def further_s(self, reached_s: float) -> tuple[float, ...]:
        """Intervals to try, as it takes some below the one that a table has reached to know its next step."""
        if sum(one < reached_s for one in self.tried_s) >= AHEAD:
            return ()
        untried_s = self.untried_s
        return untried_s[max(0, sum(one < reached_s for one in untried_s) - AHEAD) :]


def plan_fleet(fleet: Fleet, requirements: Requirements, plans: Plans | None = None) -> FleetPlan:
    """The fleet's plan. `plans` finds the settings of layouts, for each of their rates; without one, processes do.

    WasimError if a table has an interval at which no writer keeps up, whichever is taken.
    """
    classes: dict[_ClassKey, _Class] = {}
    for table in fleet.tables:
        classes.setdefault(_class_of(table), _Class(tables=[])).tables.append(table)
    is_read_off = len({key for key, _ in classes}) > MOST_ENCODED
    wanted = {
        of: one.further_s(min(table.freshness for table in one.tables)) if is_read_off else one.untried_s
        for of, one in classes.items()
    }
    allocated: list[Option | None] = []
    with _planning(plans) as planned:
        while wanted:
            layouts = _layouts(classes, wanted, requirements, is_read_off=is_read_off)
            for (key, layout), found in zip(layouts.items(), planned([*layouts.values()]), strict=True):
                for rate, tried_s, options in zip(layout.rates, layout.intervals_s, found, strict=True):
                    one = classes[key, rate]
                    one.tried_s, one.options = one.tried_s + tried_s, one.options + options
            allocated = _allocated(fleet, classes)
            wanted = _further(fleet, classes, allocated)
    return FleetPlan(
        fleet=fleet,
        assigned=tuple(
            _with_option(table, option, requirements) for table, option in zip(fleet.tables, allocated, strict=True)
        ),
        classes=len(classes),
        currency=request_of(fleet.tables[0], requirements).prices.currency,
        is_read_off=is_read_off,
    )


def _class_of(table: FleetTable) -> _ClassKey:
    return (table.writer, table.partitions, table.columns, table.files_per_commit), rate_of(table)


def _layouts(
    classes: Mapping[_ClassKey, _Class],
    wanted: Mapping[_ClassKey, tuple[float, ...]],
    requirements: Requirements,
    *,
    is_read_off: bool,
) -> dict[_LayoutKey, Layout]:
    """What is wanted of each layout. Those that follow each other are read off between the same tables."""
    rates: dict[_LayoutKey, list[float]] = {}
    for key, rate in sorted(wanted):
        rates.setdefault(key, []).append(rate)
    return {
        key: Layout(
            table=classes[key, of[0]].tables[0],
            rates=tuple(of),
            intervals_s=tuple(wanted[key, rate] for rate in of),
            begin_with=tuple(classes[key, rate].last for rate in of),
            requirements=requirements,
            is_read_off=is_read_off,
        )
        for key, of in sorted(rates.items(), key=lambda item: nearness(classes[item[0], item[1][0]].tables[0]))
    }


def _allocated(fleet: Fleet, classes: Mapping[_ClassKey, _Class]) -> list[Option | None]:
    """An option for each table, of those that are known; None for a table without any."""
    known = [classes[_class_of(table)].options_of(table) for table in fleet.tables]
    able = [number for number, options in enumerate(known) if options]
    tables, options = [fleet.tables[number] for number in able], [known[number] for number in able]
    chosen = dict(zip(able, allocate(tables, options, fleet.budget), strict=True))
    return [chosen.get(number) for number in range(len(known))]


def _further(
    fleet: Fleet, classes: Mapping[_ClassKey, _Class], allocated: Sequence[Option | None]
) -> dict[_ClassKey, tuple[float, ...]]:
    """The intervals that are to be tried next, by class."""
    found: dict[_ClassKey, tuple[float, ...]] = {}
    for table, option in zip(fleet.tables, allocated, strict=True):
        of = _class_of(table)
        reached_s = min(classes[of].tried_s) if option is None else option.setting.interval_s
        if further_s := classes[of].further_s(reached_s):
            found[of] = max(further_s, found.get(of, ()), key=len)
    return found


@contextmanager
def _planning(plans: Plans | None) -> Iterator[Plans]:
    """What finds the options of layouts: the given, or processes of this machine."""
    if plans is not None:
        yield plans
        return
    with open_processes() as mapped:

        def planned(layouts: Sequence[Layout]) -> Sequence[tuple[tuple[Option, ...], ...]]:
            if len(layouts) <= FEW:
                return [options_of(layout) for layout in layouts]
            return [*mapped(options_of, layouts, together=ceil(len(layouts) / SHARES))]

        yield planned


def _with_option(table: FleetTable, option: Option | None, requirements: Requirements) -> Assigned:
    """WasimError for a table without an option, with the reason."""
    if option is None:
        case_of(request_of(table, requirements), Setting(interval_s=table.freshness, maintenance=NO_MAINTENANCE))
        raise WasimError(
            f"table {table.name}: no writer keeps up at any interval up to its freshness. Give a longer one."
        )
    return Assigned(table=table, option=option)


def by_interval(plan: FleetPlan) -> Mapping[float, int]:
    """How many tables have which interval, the shortest first."""
    found: dict[float, int] = {}
    for one in plan.assigned:
        interval_s = one.option.setting.interval_s
        found[interval_s] = found.get(interval_s, 0) + one.table.count
    return dict(sorted(found.items()))
