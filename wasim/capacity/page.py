"""A plan as one self-contained HTML file: sliders over its setting, and all that the terminal prints."""

from dataclasses import replace

from wasim.capacity.answer import conclusion, first_sections, further_sections
from wasim.capacity.axes import axes_for, thinned
from wasim.capacity.explorer import explorer_of
from wasim.capacity.figures import SettingSimulator
from wasim.capacity.lattice import Lattice, build_lattice, has_horizons, is_affordable
from wasim.capacity.plan import Plan
from wasim.capacity.scales import scales_of
from wasim.capacity.settings import Setting, case_of
from wasim.report.pages.rendering import page_environment
from wasim.report.words import listed
from wasim.units import format_duration

MOST_INTERVALS, FEW_INTERVALS = 8, 4


def render_plan(plan: Plan, simulator: SettingSimulator) -> str:
    """The page. `simulator` is the one that made the plan, whose simulated settings are reused."""
    base = _base(plan)
    lattice = _lattice(plan, base, simulator)
    request = plan.request
    chosen = plan.chosen
    return (
        page_environment("wasim.capacity")
        .get_template("plan.html.jinja")
        .render(
            title=request.table_name,
            source=request.source,
            conclusion=conclusion(plan),
            first=list(first_sections(plan)),
            sections=list(further_sections(plan)),
            band=f"{max(chosen.bands.values() if chosen is not None else [0.0]):.0%}",
            simulated_at=listed(format_duration(lattice.axes.intervals_s[place]) for place in lattice.sparse.intervals),
            content=explorer_of(
                lattice,
                case_of(request, base),
                request=request,
                limits=plan.limits,
                reset="Recommended setting" if chosen is not None else "First setting",
            ),
        )
    )


def _base(plan: Plan) -> Setting:
    """Where the sliders begin: the recommended setting, or the one that is nearest to the limits."""
    if plan.chosen is not None:
        return plan.chosen.setting
    if plan.relaxations:
        return plan.relaxations[0].figures.setting
    return (plan.beyond or plan.best[-1]).setting


def _lattice(plan: Plan, base: Setting, simulator: SettingSimulator) -> Lattice:
    """The lattice around a plan; without `has_horizons`, at the plan's horizon alone and with few intervals."""
    request, case = plan.request, case_of(plan.request, base)
    horizon_s = request.horizon_s
    intervals_s = thinned((one.setting.interval_s for one in plan.best), base.interval_s, most=MOST_INTERVALS)
    axes = axes_for(case, base, intervals_s, time_travel_s=request.time_travel_s, horizon_s=horizon_s)
    scales = [one for one in scales_of(request, simulator, axes.intervals_s) if len(one.values) > 1]
    if not has_horizons(case):
        few = thinned(axes.intervals_s, base.interval_s, most=FEW_INTERVALS)
        rewrites_s = (base.maintenance.rewrite_every_s,)
        axes, scales = replace(axes, intervals_s=tuple(few), rewrites_s=rewrites_s, horizons_s=(horizon_s,)), []

    def is_shown(setting: Setting, until_s: float) -> bool:
        return (setting == base and until_s <= horizon_s) or is_affordable(case, setting, until_s)

    return build_lattice(
        axes,
        simulator.figures_over,
        metrics=[limit.metric for limit in plan.limits],
        scales=scales,
        is_shown=is_shown,
    )
