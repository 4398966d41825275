"""A fleet's plan: 80 columns for a terminal, and one JSON document."""

import textwrap
from collections.abc import Iterator
from itertools import islice
from typing import Any

from wasim.capacity.commands import sql_of
from wasim.capacity.fleet import FleetPlan, by_interval
from wasim.capacity.fleet_options import request_of
from wasim.capacity.request import Requirements
from wasim.report.tables import TextTable, table_lines
from wasim.runs.sentences import say_once
from wasim.units import format_bytes, format_duration

SCHEMA_VERSION = 1
WIDTH = 80
MOST_ROWS = 60
MOST_SENTENCES = 8  # on what was ignored: --json has those of each table


def fleet_lines(plan: FleetPlan) -> Iterator[str]:
    """The fleet's share of its budget, the number of tables by interval, and each table's setting."""
    tables = sum(one.table.count for one in plan.assigned)
    if not plan.fits:
        yield f"The budget is too small for {tables:,} tables, each at its longest interval."
    else:
        counted = [f"{count:,} every {format_duration(every)}" for every, count in by_interval(plan).items()]
        yield from textwrap.wrap(f"{tables:,} {'table' if tables == 1 else 'tables'}: {', '.join(counted)}.", WIDTH)
        yield from textwrap.wrap(
            "Rule: from the longest interval of each on, the budget goes where halving an interval, times the table's"
            " weight, takes the least of it.",
            WIDTH,
        )
    yield ""
    yield from table_lines(_budget(plan))
    yield ""
    yield from table_lines(_tables(plan))
    if len(plan.assigned) > MOST_ROWS:
        yield f"… and {len(plan.assigned) - MOST_ROWS:,} more."
    yield ""
    read_off = " Their file sizes are interpolated between other tables, to about 2 %." if plan.is_read_off else ""
    yield from textwrap.wrap(
        f"Simulated, not measured: {plan.classes:,} different tables, for which rates of half to twice as much count as"
        f" equal.{read_off} --json has every table and its SQL.",
        WIDTH,
    )
    said = say_once(((one.table.name, one.option.approximated) for one in plan.assigned), "tables")
    for sentence in islice(said, MOST_SENTENCES):
        yield from textwrap.wrap(sentence, WIDTH)


def _budget(plan: FleetPlan) -> TextTable:
    budget, rows = plan.fleet.budget, []
    if budget.metadata_per_day is not None:
        used, bound = plan.metadata_bytes_per_day, float(budget.metadata_per_day)
        rows.append(("metadata a day", format_bytes(used), format_bytes(bound), f"{1 - used / bound:.0%}"))
    if budget.monthly_cost is not None:
        used, bound = plan.monthly_cost, budget.monthly_cost
        money = f"{used:,.2f} {plan.currency}", f"{bound:,.2f} {plan.currency}"
        rows.append(("cost a month", *money, f"{1 - used / bound:.0%}"))
    head = ("Budget", "value", "at most", "slack")
    return TextTable(caption="The budget, and how much room is left", head=head, rows=tuple(rows), figures=head[1:])


def _tables(plan: FleetPlan) -> TextTable:
    rows = []
    for one in plan.assigned[:MOST_ROWS]:
        option, many = one.option, f" ×{one.table.count}" if one.table.count > 1 else ""
        rows.append(
            (
                f"{one.table.name[: 23 - len(many)]}{many}",
                format_duration(option.setting.interval_s),
                format_bytes(option.metadata_bytes_per_day),
                f"{option.monthly_cost:,.2f}",
                textwrap.shorten(option.setting.upkeep_words, 24, placeholder="…"),
            )
        )
    figures = ("every", "metadata/day", f"{plan.currency}/month")
    head = ("Table", *figures, "setting")
    return TextTable(caption="The setting of each table", head=head, rows=tuple(rows), figures=figures)


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
        "sizes_read_off": plan.is_read_off,
        "tables": [
            {
                "name": one.table.name,
                "count": one.table.count,
                "commit_interval_s": one.option.setting.interval_s,
                "setting": one.option.setting.upkeep_words,
                "metadata_bytes_per_day": one.option.metadata_bytes_per_day,
                "monthly_cost": one.option.monthly_cost,
                "approximated": list(one.option.approximated),
                "sql": list(sql_of(request_of(one.table, Requirements()), one.option.setting, one.table.name)),
            }
            for one in plan.assigned
        ],
    }
