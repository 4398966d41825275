"""One budget spent on the tables of a fleet.

Every table begins at its longest interval. Then the budget is spent where it buys most freshness: halving an interval
is worth the same for each table, times its weight, and the step with the most of that for its share of the budgets is
taken next, as long as one fits. Of a table's settings only those are steps that no mixture of others undercuts, so that
what a step costs for what it is worth only ever rises (the marginal cost).
"""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import log2

from wasim.capacity.fleet_options import Option
from wasim.scenario.fleet import Budget, FleetTable


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
