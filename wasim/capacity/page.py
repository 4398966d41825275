"""A plan as one self-contained HTML file: sliders over its setting, and all that the terminal prints."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from wasim.capacity.answer import conclusion, first_sections, further_sections
from wasim.capacity.explorer import explorer_of
from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.fleet import FleetPlan
from wasim.capacity.fleet_answer import fleet_sections, headline
from wasim.capacity.lattice import (
    Lattice,
    Scale,
    axes_for,
    build_lattice,
    has_horizons,
    is_affordable,
    seldom_first,
    thinned,
)
from wasim.capacity.now import of_year
from wasim.capacity.plan import Plan
from wasim.capacity.request import FLAGS, PlanRequest
from wasim.capacity.settings import Setting, able_intervals, case_of
from wasim.iceberg.properties import METADATA_COMPRESSION
from wasim.report.pages.rendering import page_environment
from wasim.report.pages.run_page import Picture, picture_of
from wasim.report.words import listed
from wasim.scenario.from_flags import table_of_columns
from wasim.units import DAY_S, HOUR_S, format_duration

RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)
LEAST_COLUMNS, MOST_COLUMNS, MOST_FILES = 4, 2000, 10_000


def scales_of(request: PlanRequest, simulator: SettingSimulator, intervals_s: tuple[float, ...]) -> Iterator[Scale]:
    """The sliders of a request's workload, as far as it can be written at all these intervals; one for columns only
    where flags describe the table.
    """
    scale = partial(_scale, intervals_s=intervals_s)
    workload = request.document["workload"]
    rate, files = float(workload["rows_per_second"]), int(workload.get("files_per_commit", 1))
    rates = {rate * times: _with_workload(request, rows_per_second=str(rate * times)) for times in RATES}
    yield scale("rate", "Rows a second", rates, own=rate, simulator_of=simulator.of_other_rate)
    if request.source == FLAGS:
        columns, partitions = _columns(request.document["table"])
        counts = sorted({max(LEAST_COLUMNS, min(MOST_COLUMNS, round(columns * times))) for times in TIMES})
        tables = {
            float(count): replace(request, document={**request.document, "table": table_of_columns(count, partitions)})
            for count in counts
        }
        yield scale("columns", "Columns", tables, own=float(columns), simulator_of=simulator.of_other_table)
    counts = sorted({max(1, min(MOST_FILES, round(files * times))) for times in (*TIMES, 8.0)})
    changed = {float(count): _with_workload(request, files_per_commit=str(count)) for count in counts}
    yield scale("files", "Writing tasks a commit", changed, own=float(files), simulator_of=simulator.of_other_table)


def _scale(
    key: str,
    label: str,
    requests: Mapping[float, PlanRequest],
    *,
    intervals_s: tuple[float, ...],
    own: float,
    simulator_of: Callable[[PlanRequest], SettingSimulator],
) -> Scale:
    values = tuple(
        sorted(v for v, one in requests.items() if v == own or able_intervals(intervals_s, one) == intervals_s)
    )
    at = values.index(own)
    changed = {place: simulator_of(requests[values[place]]) for place in {0, len(values) - 1} - {at}}
    return Scale(key=key, label=label, values=values, at=at, simulated=changed)


def _with_workload(request: PlanRequest, **changed: str) -> PlanRequest:
    workload = {**request.document["workload"], **changed}
    return replace(request, document={**request.document, "workload": workload})


def _columns(table: Mapping[str, Any]) -> tuple[int, int]:
    own = 2 + sum(int(column.get("count", 1)) for column in table["columns"])
    partitions = int(table["columns"][0]["values"]) if "partition_by" in table else 0
    return own, partitions


MOST_INTERVALS, FEW_INTERVALS = 6, 4


def render_fleet(plan: FleetPlan, source: str) -> str:
    """The page of a fleet's plan, without sliders."""
    return _rendered(
        title=Path(source).name,
        source=source,
        conclusion=headline(plan),
        first=list(fleet_sections(plan)),
        picture=None,
        sections=(),
        content=None,
    )


def render_plan(plan: Plan, simulator: SettingSimulator) -> str:
    """The page. `simulator` is the one that made the plan, whose simulated settings are reused."""
    found, request = _base(plan), plan.request
    base = found.setting
    lattice = _lattice(plan, base, simulator)
    return _rendered(
        title=request.table_name,
        source=request.source,
        conclusion=conclusion(plan),
        first=list(first_sections(plan)),
        picture=_first_year(plan, simulator),
        sections=list(further_sections(plan)),
        band=f"{max(found.bands.values()):.0%}",
        simulated_at=listed(format_duration(lattice.axes.intervals_s[place]) for place in lattice.sparse.intervals),
        content=explorer_of(
            lattice,
            case_of(request, base),
            request=request,
            limits=plan.limits,
            reset="Recommended setting" if plan.chosen is not None else "First setting",
        ),
    )


def _rendered(**given: object) -> str:
    return page_environment("wasim.capacity").get_template("plan.html.jinja").render(**given)


def _first_year(plan: Plan, simulator: SettingSimulator) -> Picture | None:
    """The table's first year as it is now and as the plan has it; None where one of them is unknown."""
    from wasim.report.charts import draw_chart, plan_saving  # noqa: PLC0415  (matplotlib takes a second to import)

    if plan.chosen is None or plan.saving is None or plan.saving.now is None:
        return None
    courses = {name: of_year(simulator, one.setting) for name, one in (("now", plan.saving.now), ("then", plan.chosen))}
    on_disk, costs = (
        {name: (days, [float(one.values[metric]) for one in found]) for name, (days, found) in courses.items()}
        for metric in ("metadata_on_disk_bytes", "monthly_cost")
    )
    return picture_of(draw_chart(plan_saving(on_disk, costs, plan.request.prices.currency)))


def _base(plan: Plan) -> Figures:
    """Where the sliders begin: the recommended setting, or the one that is nearest to the limits."""
    if plan.chosen is not None:
        return plan.chosen
    if plan.relaxations:
        return plan.relaxations[0].figures
    return plan.beyond or plan.best[-1]


def _lattice(plan: Plan, base: Setting, simulator: SettingSimulator) -> Lattice:
    """The lattice around a plan; without `has_horizons`, at the plan's horizon alone, with few intervals, and without
    sliders for the workload.
    """
    request, case = plan.request, case_of(plan.request, base)
    horizon_s = request.horizon_s
    intervals_s = thinned((one.setting.interval_s for one in plan.best), base.interval_s, most=MOST_INTERVALS)
    axes = axes_for(case, base, intervals_s, time_travel_s=request.time_travel_s, horizon_s=horizon_s)
    if METADATA_COMPRESSION not in request.properties and request.gzips_json:
        axes = replace(axes, gzips=(False, True))
    if "rewrite_data_files" not in request.own_jobs:
        axes = replace(axes, compactions_s=seldom_first({None, DAY_S, HOUR_S, base.maintenance.compact_every_s}))
    scales = [one for one in scales_of(request, simulator, axes.intervals_s) if len(one.values) > 1]
    if not has_horizons(case):
        few = thinned(axes.intervals_s, base.interval_s, most=FEW_INTERVALS)
        rewrites_s, compactions_s = (base.maintenance.rewrite_every_s,), (base.maintenance.compact_every_s,)
        axes = replace(
            axes, intervals_s=tuple(few), rewrites_s=rewrites_s, compactions_s=compactions_s, horizons_s=(horizon_s,)
        )
        scales = []

    def is_shown(setting: Setting, until_s: float) -> bool:
        return (setting == base and until_s <= horizon_s) or is_affordable(case, setting, until_s)

    return build_lattice(
        axes, simulator, metrics=[limit.metric for limit in plan.limits], scales=scales, is_shown=is_shown
    )
