"""The settings that a table of a fleet may have: the cheapest at each interval, for tables alike found once."""

from dataclasses import dataclass, replace
from math import log2

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.fleet_shapes import shapes_of
from wasim.capacity.plan import search_for
from wasim.capacity.request import PlanRequest, Requirements, request_from_flags
from wasim.capacity.settings import NO_MAINTENANCE, Setting, able_intervals, case_of
from wasim.scenario.fleet import FleetTable
from wasim.scenario.pace import MOST_ROWS_PER_COMMIT
from wasim.units import format_duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting of a table, and what it takes of the budgets."""

    setting: Setting
    metadata_bytes_per_day: float
    monthly_cost: float
    approximated: tuple[str, ...] = ()  # sentences on what was ignored or replaced by its mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Tables that differ in their rate alone: one of them, the rates, the intervals to try at each, ascending, and what
    is asked of any. `begin_with` is the setting that was found for each rate at its next longer interval, if any.

    `is_read_off` says whether what its files weigh is read off between those of other tables.
    """

    table: FleetTable
    rates: tuple[float, ...]
    intervals_s: tuple[tuple[float, ...], ...]
    begin_with: tuple[Setting | None, ...]
    requirements: Requirements
    is_read_off: bool = False


def options_of(layout: Layout) -> tuple[tuple[Option, ...], ...]:
    """The settings to choose from at each rate: the cheapest of each interval."""
    shapes = shapes_of(layout.table) if layout.is_read_off else None
    found: list[tuple[Option, ...]] = []
    for rate, intervals_s, setting in zip(layout.rates, layout.intervals_s, layout.begin_with, strict=True):
        request = request_of(layout.table.model_copy(update={"rows_per_second": rate}), layout.requirements)
        able_s = able_intervals(intervals_s, request)
        if not able_s:
            found.append(())
            continue
        simulator = SettingSimulator(request=replace(request, freshness_s=able_s[-1]), shapes=shapes)
        found.append(_options(simulator, able_s, setting))
        shapes = simulator.shapes
    return tuple(found)


def _options(
    simulator: SettingSimulator, intervals_s: tuple[float, ...], begin_with: Setting | None
) -> tuple[Option, ...]:
    longest = Setting(interval_s=simulator.request.longest_s, maintenance=NO_MAINTENANCE)
    search = search_for(case_of(simulator.request, longest), simulator, ())
    search = replace(search, aims=simulator.request.aims, tries_each=begin_with is None, begin_with=begin_with)
    found: list[Figures] = []
    for interval_s in reversed(intervals_s):
        found.append(search.best_at(interval_s))
    return tuple(
        Option(
            setting=one.setting,
            metadata_bytes_per_day=one.per_day_bytes,
            monthly_cost=one.monthly_cost,
            approximated=one.approximated,
        )
        for one in found
        if one.keeps_up
    )


def rate_of(table: FleetTable) -> float:
    """The rate that stands for the table's, half to twice of it: metadata goes by commits and files, not by rows. The
    table's own where a commit at its freshness would have too few rows or too many at the other.
    """
    rate = 4.0 ** round(log2(table.rows_per_second) / 2)
    return rate if table.files_per_commit <= rate * table.freshness <= MOST_ROWS_PER_COMMIT else table.rows_per_second


def request_of(table: FleetTable, requirements: Requirements) -> PlanRequest:
    """What is asked of a table. WasimError names the table."""
    flags = {
        "rows_per_second": f"{table.rows_per_second:.9g}",
        "columns": str(table.columns),
        "files_per_commit": str(table.files_per_commit),
        "partitions": str(table.partitions),
        "writer": table.writer,
    }
    request = request_from_flags(flags, replace(requirements, freshness=format_duration(table.freshness)))
    return replace(request, source=f"table {table.name}")
