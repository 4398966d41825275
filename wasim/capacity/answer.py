"""A plan in plain English, 80 columns wide, and as a document."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from wasim.capacity.commands import sql_of, writer_options
from wasim.capacity.figures import Figures
from wasim.capacity.plan import Plan
from wasim.scenario.limits import Limit, format_value
from wasim.units import format_duration, format_figure

SCHEMA_VERSION = 1
WIDTH = 80

METRIC_NAMES = {
    "metadata_bytes_per_day": "metadata a day",
    "wa_metadata": "metadata ÷ data",
    "metadata_json_bytes": "metadata.json",
    "manifests": "manifests",
    "snapshots": "snapshots",
    "metadata_bytes": "metadata written",
    "metadata_on_disk_bytes": "metadata on disk",
    "metadata_bytes_per_event_hour": "metadata an hour",
    "wa_data": "data ÷ rows' data",
    "wa_total": "all bytes ÷ data",
}
_SHOWN = ("metadata_bytes_per_day", "wa_metadata", "metadata_json_bytes", "manifests", "metadata_on_disk_bytes")


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan for a terminal: the setting, its limits, its neighbours, higher rates, the frontier, what to paste."""
    if plan.chosen is None:
        yield from _nothing(plan)
    else:
        yield from _recommended(plan, plan.chosen)
        yield from _limits(plan, plan.chosen)
        yield from _neighbours(plan, plan.chosen)
        yield from _rates(plan, plan.chosen)
    yield from _frontier(plan)
    if plan.chosen is not None:
        yield from _to_apply(plan, plan.chosen)
    yield from _basis(plan)


def _recommended(plan: Plan, chosen: Figures) -> Iterator[str]:
    setting = chosen.setting
    yield f"Commit every {format_duration(setting.interval_s)}, {setting.maintenance.words}."
    yield from _wrapped(_reason(plan))
    figures = ", ".join(f"{METRIC_NAMES[name]} {_value(chosen, name)}" for name in _SHOWN)
    band = max(chosen.bands.values())
    yield from _wrapped(f"Over {format_duration(plan.case.horizon_s)}: {figures}; each ± {band:.1%} at most.")
    if plan.or_within_band:
        others = " or ".join(one.setting.words for one in plan.or_within_band)
        yield from _wrapped(f"It is close: within the band of these figures the choice could be {others}.")
    if setting.maintenance.expire_every_s is None:
        yield from _wrapped("Without expiry metadata goes on growing after the horizon: plan again, or expire.")


def _reason(plan: Plan) -> str:
    if plan.because == "limits":
        return "The shortest interval tried that meets all limits, with the least maintenance that does."
    if plan.because == "longest":
        return "Too few intervals up to the freshness for a knee: the longest writes the least."
    return (
        "No limits were given, so this is the knee: below it a second of freshness costs more metadata than on average"
        " over the intervals tried, above it less."
    )


def _limits(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    yield f"{'Limit':<20}{'value':>14}{'at most':>14}{'slack':>9}"
    freshness = plan.request.freshness_s
    slack = 1 - chosen.setting.interval_s / freshness
    interval, most = format_duration(chosen.setting.interval_s), format_duration(freshness)
    yield f"{'freshness':<20}{interval:>14}{most:>14}{slack:>9.0%}"
    for limit in plan.request.limits:
        bound = format_value(limit.metric, limit.bound)
        slack = _slack(chosen, limit)
        yield f"{METRIC_NAMES[limit.metric]:<20}{_value(chosen, limit.metric):>14}{bound:>14}{slack:>9.0%}"
    for text in plan.request.not_judged:
        yield from _wrapped(text)


def _neighbours(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    if plan.shorter is not None:
        interval = format_duration(plan.shorter.setting.interval_s)
        if plan.stopped_by:
            names = " and ".join(METRIC_NAMES[limit.metric] for limit in plan.stopped_by)
            yield from _wrapped(f"What binds: {names}. {interval} is too short, whatever maintenance was tried.")
        yield from _wrapped(f"Shorter, {_compared(plan.shorter, chosen)}")
    else:
        yield from _wrapped("Nothing binds: no shorter interval was tried.")
    if plan.longer is not None:
        over = plan.longer.setting.interval_s > plan.request.freshness_s
        yield from _wrapped(f"Longer, {_compared(plan.longer, chosen)}{' Beyond the freshness.' if over else ''}")
    if plan.out_of_reach:
        intervals = ", ".join(map(format_duration, plan.out_of_reach))
        yield from _wrapped(f"Out of reach: {intervals}; commits would come to write over 1 GiB of metadata a second.")


def _compared(one: Figures, chosen: Figures) -> str:
    times = one.per_day_bytes / max(chosen.per_day_bytes, 1.0)
    return (
        f"{format_duration(one.setting.interval_s)}: {_value(one, 'metadata_bytes_per_day')} of metadata a day"
        f" ({format_figure(times)} times as much), metadata.json {_value(one, 'metadata_json_bytes')},"
        f" {_value(one, 'manifests')} manifests."
    )


def _rates(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    for rate, figures in plan.at_rates:
        broken = figures.broken(plan.request.limits)
        names = " and ".join(METRIC_NAMES[limit.metric] for limit in broken)
        outcome = f"; breaks {names}" if broken else "; all limits hold" if plan.request.limits else ""
        yield from _wrapped(
            f"Rate times {rate:g}: {_value(figures, 'metadata_bytes_per_day')} of metadata a day, metadata ÷ data"
            f" {_value(figures, 'wa_metadata')}{outcome}."
        )
    yield from _wrapped("More rows fill larger files here; more tasks or partitions would add files and metadata.")


def _frontier(plan: Plan) -> Iterator[str]:
    if not plan.frontier:
        return
    yield ""
    yield f"{'Every':<8}{'maintenance':<39}{'a day':>10}{'json':>10}{'manifests':>11}"
    for one in plan.frontier:
        chosen = plan.chosen is not None and one.setting.interval_s == plan.chosen.setting.interval_s
        cells = _value(one, "metadata_bytes_per_day"), _value(one, "metadata_json_bytes"), _value(one, "manifests")
        mark = "*" if chosen else ""
        yield (
            f"{format_duration(one.setting.interval_s) + mark:<8}{one.setting.maintenance.words:<39}"
            f"{cells[0]:>10}{cells[1]:>10}{cells[2]:>11}"
        )
    yield from _wrapped("Freshness against metadata: at each interval the maintenance that writes about the least.")


def _to_apply(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    yield from "\n".join(sql_of(plan, chosen.setting)).split("\n")
    yield writer_options(plan.case, chosen.setting)
    if plan.keeping_json is not None:
        kept = _value(plan.keeping_json, "metadata_on_disk_bytes")
        freed = _value(chosen, "metadata_on_disk_bytes")
        yield from _wrapped(f"Without delete-after-commit, {kept} of metadata stay on disk instead of {freed}.")


def _basis(plan: Plan) -> Iterator[str]:
    yield ""
    yield from _wrapped(" ".join(("Simulated, not measured.", *plan.request.assumed)))


def _nothing(plan: Plan) -> Iterator[str]:
    yield f"Nothing up to {format_duration(plan.request.freshness_s)} meets the limits."
    for one in plan.relaxations:
        metric = one.limit.metric
        yield from _wrapped(
            f"Relax {METRIC_NAMES[metric]} from {format_value(metric, one.limit.bound)} to"
            f" {format_value(metric, one.value)}, {format_figure(one.value / one.limit.bound)} times as much."
        )
    if plan.relaxations:
        yield from _wrapped(f"Then this setting will do: {plan.relaxations[0].figures.setting.words}.")
    if plan.beyond is not None:
        yield from _wrapped(f"Or give up freshness: {plan.beyond.setting.words} meets the limits.")
    if not plan.relaxations and plan.beyond is None:
        yield from _wrapped("No writer keeps up at any of these intervals. Give a longer --freshness.")


def _slack(figures: Figures, limit: Limit) -> float:
    return 1 - figures.values[limit.metric] / limit.bound


def _value(figures: Figures, metric: str) -> str:
    return format_value(metric, figures.values[metric])


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH)


def plan_document(plan: Plan) -> dict[str, Any]:
    """The plan as one JSON document: the figures that the terminal shows, unrounded. Seconds and bytes."""
    chosen = plan.chosen
    return {
        "schema_version": SCHEMA_VERSION,
        "source": plan.request.source,
        "freshness_s": plan.request.freshness_s,
        "time_travel_s": plan.request.time_travel_s,
        "horizon_s": plan.case.horizon_s,
        "because": plan.because,
        "recommended": _setting(chosen),
        "limits": [] if chosen is None else [_judged(limit, chosen) for limit in plan.request.limits],
        "not_judged": list(plan.request.not_judged),
        "binds": [limit.metric for limit in plan.stopped_by],
        "shorter": _setting(plan.shorter),
        "longer": _setting(plan.longer),
        "within_band": _settings(plan.or_within_band),
        "at_rates": [
            {"times": rate, **_figures(one), "breaks": [limit.metric for limit in one.broken(plan.request.limits)]}
            for rate, one in plan.at_rates
        ],
        "out_of_reach_s": list(plan.out_of_reach),
        "frontier": _settings(plan.frontier),
        "relax": [
            {"metric": one.limit.metric, "bound": one.limit.bound, "to": one.value, "setting": _setting(one.figures)}
            for one in plan.relaxations
        ],
        "beyond_freshness": _setting(plan.beyond),
        "sql": [] if chosen is None else list(sql_of(plan, chosen.setting)),
        "writer": None if chosen is None else writer_options(plan.case, chosen.setting),
        "approximated": [] if chosen is None else list(chosen.approximated),
        "assumed": list(plan.request.assumed),
    }


def _judged(limit: Limit, chosen: Figures) -> dict[str, Any]:
    value = chosen.values[limit.metric]
    return {"metric": limit.metric, "bound": limit.bound, "value": value, "slack": _slack(chosen, limit)}


def _settings(figures: Sequence[Figures]) -> list[dict[str, Any] | None]:
    return [_setting(one) for one in figures]


def _setting(figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    kept = figures.setting.maintenance
    return {
        "commit_interval_s": figures.setting.interval_s,
        "expire_every_s": kept.expire_every_s,
        "older_than_s": kept.older_than_s,
        "rewrite_manifests_every_s": kept.rewrite_every_s,
        **_figures(figures),
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {"figures": dict(figures.values), "bands": dict(figures.bands)}
