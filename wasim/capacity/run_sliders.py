"""The sliders in a run's report: the run's own table and workload, at other intervals and with other maintenance."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from markupsafe import Markup

from wasim.capacity.explorer import explorer_of
from wasim.capacity.figures import SettingSimulator
from wasim.capacity.lattice import axes_for, build_lattice, has_horizons, is_affordable, thinned
from wasim.capacity.request import DEFAULT_TIME_TRAVEL, PlanRequest, Requirements, request_from_file
from wasim.capacity.settings import Setting, case_of, setting_of
from wasim.capacity.words import SHOWN_METRICS
from wasim.errors import WasimError
from wasim.forecast.ahead import INTERVALS_S, site_of
from wasim.report.answer import Answer, Choice
from wasim.report.pages.rendering import page_environment
from wasim.report.pages.run_page import Sliders
from wasim.runs import Run
from wasim.units import DAY_S, format_duration, parse_duration_s

MOST_INTERVALS = 4
HORIZONS_S = tuple(days * DAY_S for days in (1, 30, 365))
TIMED = ("load_p50_ms", "planning_p50_ms", "monthly_cost")  # the report has measured and billed figures of these


def sliders_of_run(run: Run, answer: Answer, folder: Path) -> Sliders | None:
    """The sliders for the interval that the answer suggests, or else the longest.

    None for cases that take long to simulate (changed rows, several writers, very many merges), and for maintenance
    that a plan has no setting for (jobs triggered by count).
    """
    if answer.suggested is None:
        return None
    choice, option = answer.suggested
    case = option.run.case
    jobs = [job for _, job in case.maintenance if job is not None]
    if not has_horizons(case) or any(job.every is None for job in jobs):
        return None
    intervals_s = _intervals(choice, case.commit_interval_s)
    swept = {name: value for name, value in case.swept.items() if name != "commit_interval"}
    requirements = Requirements(freshness=format_duration(max(intervals_s)))
    try:
        request = request_from_file(folder / "scenario.yaml", {**run.overrides, **swept}, requirements)
        request = replace(request, location=site_of(option.run).location)
        return _sliders(request, setting_of(case), intervals_s)
    except WasimError:
        return None


def _intervals(choice: Choice, own_s: float) -> list[float]:
    """The run's intervals, and steps of the ladder near the case's where they are few."""
    steps = sorted(INTERVALS_S, key=lambda step: max(step / own_s, own_s / step))
    found = {own_s, *(option.interval_s for option in choice.options)}
    for step in steps:
        if len(found) < MOST_INTERVALS and 0.5 <= step <= HORIZONS_S[0]:
            found.add(step)
    return thinned(found, own_s, most=MOST_INTERVALS)


def _sliders(request: PlanRequest, base: Setting, intervals_s: list[float]) -> Sliders | None:
    case, horizon_s = case_of(request, base), request.horizon_s
    if not is_affordable(case, base, horizon_s):  # the sliders would start without figures
        return None
    metrics = [limit for limit in request.limits if limit.metric not in TIMED]
    lattice = build_lattice(
        axes_for(
            case,
            base,
            intervals_s,
            time_travel_s=parse_duration_s(DEFAULT_TIME_TRAVEL),
            horizon_s=horizon_s,
            horizons_s=HORIZONS_S,
        ),
        SettingSimulator(request=request),
        metrics=[limit.metric for limit in metrics],
        is_shown=partial(is_affordable, case),
    )
    content = explorer_of(
        lattice,
        case,
        request=request,
        limits=metrics,
        reset="As it was run",
        shown=[name for name in SHOWN_METRICS if name not in TIMED],
    )
    environment = page_environment("wasim.capacity")
    body = environment.get_template("explorer.html.jinja").module.explorer(content)  # type: ignore[attr-defined]
    style = environment.get_template("explorer.css").render()
    return Sliders(style=Markup(style), body=Markup(body))  # noqa: S704 - rendered with escaping
