"""A fleet's plan as sections of text and tables, which terminal, page and comment show, and as one JSON document."""

import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from wasim.capacity.answer import WIDTH, Section, money_rows, now_and_then_table, section_lines
from wasim.capacity.commands import sql_of
from wasim.capacity.document import money_document, sections_comment, setting_document
from wasim.capacity.figures import Figures
from wasim.capacity.fleet import Assigned, FleetPlan, by_interval
from wasim.capacity.now import Money, Saving
from wasim.capacity.request import is_table_name
from wasim.capacity.words import amount_words, now_and_then_words, value_words
from wasim.iceberg.sql import spark_name
from wasim.report.tables import MARKS, Judged, TextTable, table_of
from wasim.runs.values import say_once
from wasim.scenario.metrics import METRICS
from wasim.units import format_bytes, format_count, format_duration

SCHEMA_VERSION = 1
MOST_ROWS = 60  # on a terminal and in a comment: the page has all
MOST_SENTENCES = 8  # on what was ignored: --json has each table's
SUMS = ("monthly_cost", "metadata_bytes_per_day", "metadata_on_disk_bytes")


def headline(plan: FleetPlan) -> str:
    """The answer in one line: how many tables have which interval."""
    tables, able = _tables_of(plan.assigned), _tables_of(one for one, _ in plan.planned)
    if not plan.keeps_budget:
        return f"The budget is too small for {format_count(tables, 'table')}, each at its longest interval."
    counted = [f"{count:,} every {format_duration(every)}" for every, count in by_interval(plan).items()]
    of = "" if able == tables else f"{able:,} of "
    return f"{of}{format_count(tables, 'table')}: {', '.join(counted) or 'none has a setting'}."


def fleet_sections(plan: FleetPlan, most_rows: int | None = None) -> Iterator[Section]:
    """What all tables cost now and then, each table's setting, and which have none; tables up to some rows."""
    if plan.planned:
        yield Section(title="All tables, now and then", blocks=tuple(_now_and_then(plan)))
    more = 0 if most_rows is None else len(plan.planned) - most_rows
    rest = (f"… and {more:,} more.",) if more > 0 else ()
    if plan.planned:
        yield Section(title="The setting of each table", blocks=(_tables(plan, most_rows), *rest))
    faulty = [one for one in plan.assigned if one.option is None]
    faults = [f"{_name(one)}: {one.found.fault}" for one in faulty]
    if faults:
        shown = tuple(faults[:most_rows])
        rest = (f"… and {len(faults) - len(shown):,} more.",) if len(faults) > len(shown) else ()
        yield Section(title="Not planned", blocks=(f"Without a setting ({_tables_of(faulty):,}):", *shown, *rest))
    yield Section(title="What the figures are", blocks=tuple(_basis(plan)))


def fleet_lines(plan: FleetPlan) -> Iterator[str]:
    """The fleet's plan for a terminal."""
    yield from textwrap.wrap(headline(plan), WIDTH)
    yield from section_lines(fleet_sections(plan, MOST_ROWS))


def fleet_comment(plan: FleetPlan, link: str) -> str:
    """The fleet's plan as a comment in Markdown."""
    judged = [Judged(text="the budget is kept", holds=plan.keeps_budget)] if plan.fleet.budget else []
    missing = _tables_of(one for one in plan.assigned if one.option is None)
    judged += [Judged(text=f"{missing:,} without a setting", holds=False)] if missing else []
    return sections_comment(headline(plan), judged, list(fleet_sections(plan, MOST_ROWS)), link)


def _now_and_then(plan: FleetPlan) -> Iterator[str | TextTable]:
    if plan.prefer == "freshest" or not plan.keeps_budget:
        yield (
            "Rule: from the longest interval of each on, the budget goes where halving an interval, times the table's"
            " weight, takes the least of it."
        )
    else:
        yield "Each at its cheapest within its limits."
    known = [
        (one, saving) for one, _ in plan.planned if (saving := one.found.saving) is not None and saving.now is not None
    ]
    before, then = _money_of_all(plan)
    is_known = before is not None
    rows = [] if then is None else [*money_rows(before, then, plan.currency)]
    for metric in SUMS:
        bound = getattr(plan.budget, {"metadata_bytes_per_day": "metadata_per_day"}.get(metric, metric), None)
        value = plan.of_all(metric)
        of_each = [saving.now.values[metric] * one.table.count for one, saving in known if saving.now is not None]
        now = sum(of_each) if is_known else None
        mark = "" if bound is None else f"{MARKS[value <= bound]} {value_words(metric, bound, plan.currency)}"
        label = f"{METRICS[metric].words}{', most' if metric == 'metadata_on_disk_bytes' else ''}"
        rows.append((label, *now_and_then_words(metric, now, value, plan.currency), mark))
    yield now_and_then_table("All tables", "budget", rows, caption="within the budget", is_known=is_known)
    if once_bytes := sum(saving.once_bytes * one.table.count for one, saving in known):
        yield f"Deleted once, by the horizon's end: {format_bytes(once_bytes)} of metadata."
    if known and not is_known:
        now_year, year = _money(known, lambda one: one.now_money).year, _money(known, lambda one: one.then_money).year
        words = now_and_then_words("monthly_cost", now_year, year, plan.currency)
        yield (
            f"How they are written now is known of {_tables_of(one for one, _ in known):,} of"
            f" {_tables_of(one for one, _ in plan.planned):,}: a year of those costs"
            f" {words[0]} now and {words[1]} then ({words[2]})."
        )


def _money(parts: list[tuple[Assigned, Saving]], of: Callable[[Saving], Money | None]) -> Money:
    return Money.of_all([(money, one.table.count) for one, saving in parts if (money := of(saving)) is not None])


def _money_of_all(plan: FleetPlan) -> tuple[Money | None, Money | None]:
    """What all tables cost now and then, each None where it is not known of all."""
    savings = [(one, saving) for one, _ in plan.planned if (saving := one.found.saving) is not None]
    if not savings or len(savings) < len(plan.planned):
        return None, None
    is_known = all(saving.now is not None for _, saving in savings)
    return _money(savings, lambda one: one.now_money) if is_known else None, _money(savings, lambda one: one.then_money)


def _tables_of(assigned: Iterable[Assigned]) -> int:
    return sum(one.table.count for one in assigned)


def _tables(plan: FleetPlan, most_rows: int | None) -> TextTable:
    rows = (
        _row(one, option, plan.currency, is_short=most_rows is not None) for one, option in plan.planned[:most_rows]
    )
    return table_of("Figures are of one table each", rows, words=["setting"])


def _name(one: Assigned) -> str:
    """`a.b ×3`: of so many tables."""
    return f"{one.table.name} ×{one.table.count}" if one.table.count > 1 else one.table.name


def _row(one: Assigned, option: Figures, currency: str, *, is_short: bool) -> dict[str, str]:
    name, words = one.table.name, option.setting.upkeep_words
    many = _name(one).removeprefix(name)
    most = 23 - len(many)
    if is_short:
        name = name if len(name) <= most else f"…{name[1 - most :]}"
        words = textwrap.shorten(words, 24, placeholder="…")
    return {
        "Table": f"{name}{many}",
        "every": format_duration(option.setting.interval_s),
        "metadata/day": format_bytes(option.metadata_bytes_per_day),
        f"{currency}/month": amount_words(option.monthly_cost),
        "setting": words,
    }


def _basis(plan: FleetPlan) -> Iterator[str]:
    read_off = (
        " Of tables that rates describe, rates of half to twice as much count as equal, and file sizes are interpolated"
        " between other tables, to about 2 %."
    )
    yield (
        f"Simulated, not measured: {format_count(plan.classes, 'different table')}."
        f"{read_off if plan.is_read_off else ''} --json has every table and its SQL, --format csv a line for each,"
        " --html a page."
    )
    warned = say_once(((one.table.name, one.found.warnings) for one, _ in plan.planned), "tables")
    yield from (f"Mind: {sentence}" for sentence in islice(warned, MOST_SENTENCES))
    said = say_once(((one.table.name, option.approximated) for one, option in plan.planned), "tables")
    yield from islice(said, MOST_SENTENCES)


def fleet_document(plan: FleetPlan) -> dict[str, Any]:
    """The fleet's plan, unrounded. Seconds and bytes; `money` and `now` are null where they are not known of all."""
    return {
        "schema_version": SCHEMA_VERSION,
        "fits": plan.fits,
        "prefer": plan.prefer,
        "budget": None if plan.fleet.budget is None else plan.fleet.budget.model_dump(mode="json"),
        **{metric: plan.of_all(metric) for metric in SUMS},
        "money": money_document(*_money_of_all(plan)),
        "currency": plan.currency,
        "simulated": plan.classes,
        "sizes_read_off": plan.is_read_off,
        "tables": [_table_document(one) for one in plan.assigned],
    }


def _table_document(one: Assigned) -> dict[str, Any]:
    option, request, saving, name = one.option, one.found.request, one.found.saving, one.table.name
    document: dict[str, Any] = {"name": name, "count": one.table.count, "fault": one.found.fault or None}
    if option is None or request is None:
        return document
    return document | {
        "commit_interval_s": option.setting.interval_s,
        "setting": option.setting.upkeep_words,
        "metadata_bytes_per_day": option.metadata_bytes_per_day,
        "metadata_on_disk_bytes": option.values["metadata_on_disk_bytes"],
        "monthly_cost": option.monthly_cost,
        "now": None if saving is None else setting_document(saving.now),
        "money": None if saving is None else money_document(saving.now_money, saving.then_money),
        "warnings": list(one.found.warnings),
        "approximated": list(option.approximated),
        "sql": list(sql_of(request, option.setting, spark_name(name) if is_table_name(name) else None)),
    }
