"""What a table of a fleet may be set to: as its own plan says or, of many that rates describe, as an equal one's."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path

from wasim.capacity.answer import conclusion, first_sections
from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.fleet_shapes import shapes_of
from wasim.capacity.from_table import request_from_table
from wasim.capacity.now import Saving, now_of, saving_of
from wasim.capacity.plan import make_plan, search_for
from wasim.capacity.request import PlanRequest, Requirements, request_from_file, request_from_flags
from wasim.capacity.settings import Setting, able_intervals, case_of
from wasim.capacity.warnings import warnings_of
from wasim.doctor import InspectOptions
from wasim.errors import ScenarioError, WasimError
from wasim.scenario.fleet import FleetTable
from wasim.units import format_duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a table: its own plan; or where it is one of many, its settings at these intervals, ascending,
    from file sizes that are read off between other tables'; or what one `setting` saves.

    `begin_with` is the setting that was found at the next longer interval, if any.
    """

    table: FleetTable
    requirements: Requirements
    reaching: InspectOptions | None = None
    intervals_s: tuple[float, ...] | None = None
    begin_with: Setting | None = None
    setting: Setting | None = None
    is_read_off: bool = False
    names_faults: bool = False  # a table that cannot be read has a reason instead of a plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What was found: the cheapest setting of each interval within the table's limits, and which of them a plan is.

    Without one `fault` says why.
    """

    options: tuple[Figures, ...] = ()
    chosen: Figures | None = None
    saving: Saving | None = None  # of the chosen one, or of the setting that was asked for
    request: PlanRequest | None = None
    warnings: tuple[str, ...] = ()  # of the plan
    fault: str = ""


def check(tables: Iterable[FleetTable], requirements: Requirements) -> None:
    """WasimError with every table of which what is asked makes no sense; those that exist are read later."""
    faults = list[str]()
    for table in tables:
        if table.from_table is None:
            try:
                with _named(table):
                    _check(table, requirements)
            except WasimError as error:
                faults += map(str, error.args)
    if faults:
        raise WasimError(*faults)


def _check(table: FleetTable, requirements: Requirements) -> None:
    """WasimError for a table that cannot be written at the longest interval asked for, or as it is said to be now."""
    request = request_of(table, requirements)
    case_of(request, Setting(interval_s=request.longest_s))
    if request.now is not None:
        now_of(request.now, request)


def answer(asked: Asked) -> Answered:
    """The answer. WasimError for what makes no sense, unless that is named in it."""
    try:
        with nullcontext() if asked.names_faults else _named(asked.table):
            request = request_of(asked.table, asked.requirements, asked.reaching)
            if asked.setting is not None:
                return _with_saving(asked, request, asked.setting)
            return _of_plan(request) if asked.intervals_s is None else _of_many(asked, request, asked.intervals_s)
    except WasimError as error:
        if asked.names_faults:
            return Answered(fault=str(error))
        raise


@contextmanager
def _named(table: FleetTable) -> Iterator[None]:
    """Lines of a WasimError that is raised within begin with the table's name."""
    start = f"table {table.name}: "
    try:
        yield
    except ScenarioError:  # which has a place of its own
        raise
    except WasimError as error:
        error.args = tuple(f"{start}{str(line).removeprefix(start)}" for line in error.args)
        raise


def _of_plan(request: PlanRequest) -> Answered:
    plan = make_plan(request, explains=False)
    if plan.chosen is None:
        ways_out = (str(block) for section in first_sections(plan) for block in section.blocks)
        return Answered(request=request, fault=" ".join((conclusion(plan), *ways_out)))
    within = (one for one in plan.best if one.keeps_up and not one.broken(plan.limits))
    return Answered(
        options=tuple(replace(one, commit=None) for one in within),  # races are most of what thousands of tables hold
        chosen=plan.chosen,
        saving=plan.saving,
        request=request,
        warnings=tuple(warnings_of(plan)),
    )


def _of_many(asked: Asked, request: PlanRequest, intervals_s: tuple[float, ...]) -> Answered:
    able_s = able_intervals(intervals_s, request)
    if not able_s:
        return Answered(request=request)
    simulator = SettingSimulator(request=replace(request, freshness_s=able_s[-1]), shapes=shapes_of(asked.table))
    search = search_for(simulator.case_at_longest, simulator, request.limits)
    search = replace(search, aims=request.aims, tries_each=asked.begin_with is None, begin_with=asked.begin_with)
    found = (search.best_at(interval_s) for interval_s in reversed(able_s))
    within = (one for one in found if one.keeps_up and not one.broken(request.limits))
    return Answered(options=tuple(within), request=request)


def _with_saving(asked: Asked, request: PlanRequest, setting: Setting) -> Answered:
    simulator = SettingSimulator(request=request, shapes=shapes_of(asked.table) if asked.is_read_off else None)
    now = None if request.now is None else now_of(request.now, request)
    for one in () if asked.is_read_off else filter(None, (setting, now)):
        simulator.encode(one.interval_s)
    then = simulator.figures(setting)
    return Answered(chosen=then, saving=saving_of(simulator, now, then), request=request)


def stand_in_of(table: FleetTable, requirements: Requirements) -> FleetTable:
    """A table of no name that stands for this one and all that count as equal: its rate is half to twice their own, as
    metadata goes by commits and files, not by rows; their own where a commit would have too few rows or too many at it.
    """
    own, longest_s = table.rows_per_second or 1.0, request_of(table, requirements).longest_s
    kind = {"name": "", "count": 1, "weight": 1.0, "freshness": longest_s}
    found = table.model_copy(update={**kind, "rows_per_second": 4.0 ** round(log2(own) / 2)})
    with suppress(WasimError):
        _check(found, requirements)
        if request_of(found, requirements).longest_s == longest_s:
            return found
    return found.model_copy(update={"rows_per_second": own})


def request_of(table: FleetTable, requirements: Requirements, reaching: InspectOptions | None = None) -> PlanRequest:
    """What is asked of a table, as of one alone. WasimError for what makes no sense."""
    asked = replace(
        requirements,
        freshness=requirements.freshness if table.freshness is None else format_duration(table.freshness),
        now=table.now,
        bounds=table.bounds,
    )
    if table.scenario is not None:
        return request_from_file(Path(table.scenario), table.set, asked)
    if table.from_table is not None:
        return request_from_table(table.from_table, asked, options=reaching)
    flags = {
        "rows_per_second": f"{table.rows_per_second:.9g}",
        "columns": str(table.columns),
        "files_per_commit": str(table.files_per_commit),
        "partitions": str(table.partitions),
        "writer": table.writer,
    }
    return replace(request_from_flags(flags, asked), source=f"table {table.name}")
