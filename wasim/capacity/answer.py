"""A plan in plain English, 80 columns wide."""

import textwrap
from collections.abc import Iterator
from itertools import groupby
from math import log

from wasim.capacity.commands import FLINK, counts_of, flink_option, sql_of, writer_options
from wasim.capacity.figures import Figures
from wasim.capacity.plan import Plan
from wasim.capacity.words import METRIC_NAMES, bound_words, figure_words, limit_names, time_words, value_words
from wasim.scenario.limits import Limit
from wasim.units import format_duration, format_figure

WIDTH = 80
BAR = 20  # characters
RULES = {
    "limits": "the shortest interval within all limits; there the cheapest setting, the simplest of those alike.",
    "freshness": "only freshness was given, so the cheapest setting that fresh, the simplest of those alike.",
    "knee": "nothing was limited, so the knee: up to it, a second of freshness given up saves more metadata than on"
    " average over the intervals tried.",
    "longest": "too few intervals keep up for a knee, so the longest, which writes the least.",
}


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
        yield from _spreadsheet(plan, plan.chosen)
        yield from _to_apply(plan, plan.chosen)
    yield from _basis(plan)


def _recommended(plan: Plan, chosen: Figures) -> Iterator[str]:
    setting = chosen.setting
    yield f"Commit every {format_duration(setting.interval_s)}, {setting.upkeep_words}."
    yield from _wrapped(f"Rule: {RULES[plan.because]}")
    shown = ("monthly_cost", "metadata_bytes_per_day", "wa_metadata", "metadata_json_bytes", "manifests")
    figures = ", ".join(f"{METRIC_NAMES[name]} {_value(plan, chosen, name)}" for name in shown)
    band = max(chosen.bands[name] for name in shown[1:])
    planning = _value(plan, chosen, "planning_p50_ms")
    yield from _wrapped(f"Over {format_duration(plan.case.horizon_s)}: {figures}; each ± {band:.1%} at most.")
    beyond, machine = ", extrapolated" if chosen.extrapolated else "", plan.request.machine
    yield from _wrapped(
        f"Planning a full scan: {planning} ± {chosen.bands['planning_p50_ms']:.0%}, warm, on {machine.words} (seen:"
        f" {machine.seen}{beyond})."
    )
    yield from _commits(plan, chosen)
    if plan.default_limit_dropped:
        yield from _wrapped("No setting here writes less metadata than data, so that is not asked for.")
    elif chosen.values["wa_metadata"] > 1 and "wa_metadata" not in {limit.metric for limit in plan.limits}:
        yield from _wrapped("That is more metadata than data; --wa-metadata 1 would rule it out.")
    if plan.or_within_band:
        others = " or ".join(one.setting.words for one in plan.or_within_band)
        yield from _wrapped(f"It is close: within the band of these figures the choice could be {others}.")
    if setting.maintenance.expire_every_s is None:
        yield from _wrapped("Nothing grows old enough to expire within the horizon; metadata grows on after it.")


def _commits(plan: Plan, chosen: Figures) -> Iterator[str]:
    """How long commits take, and how many are sustained."""
    commit, sustained = chosen.commit, plan.sustained
    if commit is None or sustained is None:
        return
    writers, where = plan.request.writers, f"{plan.request.provider}, {plan.case.environment.catalog} catalog"
    of = "" if writers == 1 else f" of {writers} writers"
    p50, p95, p99 = (value_words("commit_ms", ms, "") for ms in (commit.p50_ms, commit.p95_ms, commit.p99_ms))
    lost = f", {commit.outcome.lost_share:.1%} of attempts lost, whose bytes are in all figures" if writers > 1 else ""
    yield from _wrapped(
        f"Commits{of} ({where}) at the end: {p50} in the median,"
        f" p95 {p95}, p99 {p99}, ± {commit.band:.0%}{lost}. At most {format_figure(sustained.ceiling_per_s)} a second"
        f" land: one every {time_words(sustained.interval_s)}."
    )


def _limits(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    yield f"{'Limit':<20}{'value':>14}{'at most':>14}{'slack':>9}"
    freshness = plan.request.freshness_s
    if freshness is not None:
        slack = 1 - chosen.setting.interval_s / freshness
        interval, most = format_duration(chosen.setting.interval_s), format_duration(freshness)
        yield f"{'freshness':<20}{interval:>14}{most:>14}{slack:>9.0%}"
    for limit in plan.limits:
        bound, slack = bound_words(limit, plan.request.prices.currency), _slack(chosen, limit)
        default = "" if limit in plan.request.limits else "  (default)"
        value = _value(plan, chosen, limit.metric)
        yield f"{METRIC_NAMES.get(limit.metric, limit.metric):<20}{value:>14}{bound:>14}{slack:>9.0%}{default}"
    for text in plan.request.not_judged:
        yield from _wrapped(text)


def _neighbours(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    if plan.stopped_by:
        interval = format_duration(plan.shorter.setting.interval_s) if plan.shorter else ""
        yield from _wrapped(f"What binds: {limit_names(plan.stopped_by)}. {interval} breaks it, however kept.")
    elif plan.shorter is not None and not plan.shorter.keeps_up:
        yield from _wrapped(f"What binds: at {format_duration(plan.shorter.setting.interval_s)} no writer keeps up.")
    elif plan.shorter is None:
        yield from _wrapped("Nothing binds: no shorter interval was tried.")
    if plan.shorter is not None:
        yield from _wrapped(f"Shorter, {_compared(plan, plan.shorter, chosen)}")
    if plan.longer is not None:
        freshness = plan.request.freshness_s
        over = freshness is not None and plan.longer.setting.interval_s > freshness
        yield from _wrapped(f"Longer, {_compared(plan, plan.longer, chosen)}{' Beyond the freshness.' if over else ''}")
    if plan.out_of_reach:
        intervals = ", ".join(map(format_duration, plan.out_of_reach))
        yield from _wrapped(f"Out of reach: {intervals}; a commit would come to take longer than its interval.")


def _compared(plan: Plan, one: Figures, chosen: Figures) -> str:
    times = one.per_day_bytes / max(chosen.per_day_bytes, 1.0)
    return (
        f"{one.setting.words}: {_value(plan, one, 'monthly_cost')} a month,"
        f" {_value(plan, one, 'metadata_bytes_per_day')} of metadata a day ({format_figure(times)} times as much),"
        f" metadata.json {_value(plan, one, 'metadata_json_bytes')}, {_value(plan, one, 'manifests')} manifests."
    )


def _rates(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    for rate, figures in plan.at_rates:
        broken = figures.broken(plan.limits)
        outcome = f"; breaks {limit_names(broken)}" if broken else "; all limits hold" if plan.limits else ""
        yield from _wrapped(
            f"Rate times {rate:g}: {_value(plan, figures, 'monthly_cost')} a month, metadata ÷ data"
            f" {_value(plan, figures, 'wa_metadata')}{outcome}."
        )
    yield from _wrapped("More rows fill larger files here; more tasks or partitions would add files and metadata.")


def _frontier(plan: Plan) -> Iterator[str]:
    shown = [one for one in plan.best if one.keeps_up]
    if not shown:
        return
    currency = plan.request.prices.currency
    yield ""
    columns = f"{'Every':<8}{f'{currency}/month':>10}{'metadata/day':>14}{'json':>10}{'planning':>10}"
    yield f"{columns}  cost, in the logarithm"
    costs = [max(one.monthly_cost, 1e-6) for one in shown]
    for one in shown:
        chosen = plan.chosen is not None and one.setting == plan.chosen.setting
        every = format_duration(one.setting.interval_s) + ("*" if chosen else "")
        cells = [_value(plan, one, name) for name in ("metadata_bytes_per_day", "metadata_json_bytes")]
        planning = _value(plan, one, "planning_p50_ms")
        bar = "▇" * _bar(one.monthly_cost, min(costs), max(costs))
        yield f"{every:<8}{one.monthly_cost:>10,.2f}{cells[0]:>14}{cells[1]:>10}{planning:>10}  {bar}"
    for words, same in groupby(shown, key=lambda one: one.setting.upkeep_words):
        intervals = [format_duration(one.setting.interval_s) for one in same]
        span = intervals[0] if len(intervals) == 1 else f"{intervals[0]} to {intervals[-1]}"
        yield from _wrapped(f"{span}: {words}.")


def _bar(cost: float, least: float, most: float) -> int:
    if most <= least:
        return 1
    return 1 + round((BAR - 1) * log(max(cost, least) / least) / log(most / least))


def _spreadsheet(plan: Plan, chosen: Figures) -> Iterator[str]:
    naive = plan.naive
    if naive is None or naive.figures.setting.interval_s >= chosen.setting.interval_s:
        return
    yield ""
    true = naive.figures
    yield from _wrapped(
        f"A spreadsheet with one cost per commit, that of the first hundred, would take"
        f" {format_duration(true.setting.interval_s)} for"
        f" {value_words('metadata_bytes', naive.promised_bytes_per_day, '')} of metadata a day. It would write"
        f" {_value(plan, true, 'metadata_bytes_per_day')} even with {true.setting.upkeep_words}."
    )


def _to_apply(plan: Plan, chosen: Figures) -> Iterator[str]:
    yield ""
    for statement in sql_of(plan.request.table_name, chosen.setting):
        yield from statement.split("\n")
    yield writer_options(plan.case, chosen.setting)
    if plan.case.writer.profile != FLINK:
        yield f"{flink_option(chosen.setting)}  -- or with Flink"
    counts = [f"{name} at {count:,}" for name, count in counts_of(chosen.setting, plan.files_per_commit)]
    if counts:
        yield from _wrapped(f"By count of snapshots, manifests or small files: {', '.join(counts)}.")
    if plan.keeping_json is not None:
        kept, freed = (_value(plan, one, "metadata_on_disk_bytes") for one in (plan.keeping_json, chosen))
        yield from _wrapped(f"Without delete-after-commit, {kept} of metadata stay on disk instead of {freed}.")


def _basis(plan: Plan) -> Iterator[str]:
    prices = plan.request.prices
    money = (
        f"Costs are those of requests, of what is kept and moved besides live data, and of compute, at prices of"
        f" {prices.as_of}: {prices.source}."
    )
    yield ""
    basis = () if plan.chosen is None or plan.chosen.commit is None else plan.chosen.commit.basis
    yield from _wrapped(" ".join(("Simulated, not measured.", *plan.request.assumed, money, *basis)))


def _nothing(plan: Plan) -> Iterator[str]:
    yield f"Nothing up to {format_duration(plan.request.longest_s)} meets the limits."
    currency = plan.request.prices.currency
    for one in plan.relaxations:
        yield from _wrapped(
            f"Relax {METRIC_NAMES.get(one.limit.metric, one.limit.metric)} from {bound_words(one.limit, currency)} to"
            f" {value_words(one.limit.metric, one.value, currency)}, {format_figure(one.value / one.limit.bound)} times"
            " as much."
        )
    if plan.relaxations:
        yield from _wrapped(f"Then this setting will do: {plan.relaxations[0].figures.setting.words}.")
    if plan.beyond is not None:
        yield from _wrapped(f"Or give up freshness: {plan.beyond.setting.words} meets the limits.")
    if not plan.relaxations and plan.beyond is None:
        yield from _wrapped("No writer keeps up at any of these intervals. Give a longer --freshness.")


def _slack(figures: Figures, limit: Limit) -> float:
    return 1 - figures.values[limit.metric] / limit.bound


def _value(plan: Plan, figures: Figures, metric: str) -> str:
    return figure_words(figures, metric, plan.request.prices.currency)


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH)
