"""A fleet's plan: 80 columns for a terminal, and one JSON document."""

import textwrap
from collections.abc import Iterator
from typing import Any

from wasim.capacity.commands import sql_of
from wasim.capacity.fleet import FleetPlan, by_interval
from wasim.units import format_bytes, format_duration

SCHEMA_VERSION = 1
WIDTH = 80
MOST_ROWS = 60


def fleet_lines(plan: FleetPlan) -> Iterator[str]:
    """What the fleet takes of its budget, how many tables have which interval, and each table's setting."""
    tables = sum(one.table.count for one in plan.assigned)
    if not plan.fits:
        yield f"The budget does not do for {tables:,} tables, each at its longest interval."
    else:
        counted = [f"{count:,} every {format_duration(every)}" for every, count in by_interval(plan).items()]
        yield from textwrap.wrap(f"{tables:,} tables: {', '.join(counted)}.", WIDTH)
        yield from textwrap.wrap(
            "Rule: from the longest interval of each on, the budget goes where halving an interval, times the table's"
            " weight, takes the least of it.",
            WIDTH,
        )
    yield ""
    yield f"{'Budget':<20}{'value':>16}{'at most':>16}{'slack':>9}"
    budget = plan.fleet.budget
    if budget.metadata_per_day is not None:
        used, bound = plan.metadata_bytes_per_day, float(budget.metadata_per_day)
        yield f"{'metadata a day':<20}{format_bytes(used):>16}{format_bytes(bound):>16}{1 - used / bound:>9.0%}"
    if budget.monthly_cost is not None:
        used, bound = plan.monthly_cost, budget.monthly_cost
        money = f"{used:,.2f} {plan.currency}", f"{bound:,.2f} {plan.currency}"
        yield f"{'cost a month':<20}{money[0]:>16}{money[1]:>16}{1 - used / bound:>9.0%}"
    yield ""
    yield from _rows(plan)
    yield ""
    yield from textwrap.wrap(
        f"Simulated, not measured: {plan.classes:,} different tables, for which rates of half to twice as much count as"
        " alike. --json has every table and its SQL.",
        WIDTH,
    )


def _rows(plan: FleetPlan) -> Iterator[str]:
    yield f"{'Table':<24}{'every':>8}{'metadata/day':>14}{f'{plan.currency}/month':>11}  setting"
    for one in plan.assigned[:MOST_ROWS]:
        option, many = one.option, f" ×{one.table.count}" if one.table.count > 1 else ""
        name = f"{one.table.name[: 23 - len(many)]}{many}"
        figures = f"{format_bytes(option.metadata_bytes_per_day):>14}{option.monthly_cost:>11,.2f}"
        words = textwrap.shorten(option.setting.upkeep_words, 21, placeholder="…")
        yield f"{name:<24}{format_duration(option.setting.interval_s):>8}{figures}  {words}"
    if len(plan.assigned) > MOST_ROWS:
        yield f"… and {len(plan.assigned) - MOST_ROWS:,} more."


def fleet_document(plan: FleetPlan) -> dict[str, Any]:
    """The fleet's plan, unrounded. Seconds and bytes."""
    return {
        "schema_version": SCHEMA_VERSION,
        "fits": plan.fits,
        "budget": plan.fleet.budget.model_dump(mode="json"),
        "metadata_bytes_per_day": plan.metadata_bytes_per_day,
        "monthly_cost": plan.monthly_cost,
        "currency": plan.currency,
        "simulated": plan.classes,
        "tables": [
            {
                "name": one.table.name,
                "count": one.table.count,
                "commit_interval_s": one.option.setting.interval_s,
                "setting": one.option.setting.upkeep_words,
                "metadata_bytes_per_day": one.option.metadata_bytes_per_day,
                "monthly_cost": one.option.monthly_cost,
                "sql": list(sql_of(one.table.name, one.option.setting)),
            }
            for one in plan.assigned
        ],
    }
