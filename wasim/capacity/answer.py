"""A plan as sections of text and tables, which the terminal and the page both show."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import log
from typing import TypeAlias

from wasim.capacity.commands import counts_of, flink_option, sql_of, writer_options
from wasim.capacity.figures import Figures
from wasim.capacity.plan import Plan
from wasim.capacity.words import (
    SHOWN_METRICS,
    bound_words,
    figure_words,
    limit_names,
    time_words,
    value_words,
)
from wasim.report.tables import TextTable, table_lines
from wasim.scenario.metrics import METRICS
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
CHOSEN = "→"  # as in the tables of a run


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """Lines to paste, as they are."""

    lines: tuple[str, ...]


Block: TypeAlias = str | TextTable | Commands


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of the plan: sentences, tables and commands, in the order in which they are shown."""

    title: str
    blocks: tuple[Block, ...]


def conclusion(plan: Plan) -> str:
    """The answer in one line."""
    if plan.chosen is None:
        return f"Nothing up to {format_duration(plan.request.longest_s)} meets the limits."
    setting = plan.chosen.setting
    return f"Commit every {format_duration(setting.interval_s)}, {setting.upkeep_words}."


def sections_of(plan: Plan) -> Iterator[Section]:
    """Limits, costs, higher rates, every interval, commands, and the basis of the figures; or what to relax."""
    chosen = plan.chosen
    if chosen is None:
        yield Section(title="What would meet the limits", blocks=tuple(_ways_out(plan)))
    else:
        yield Section(title="Limits", blocks=tuple(_limits(plan, chosen)))
        yield Section(title="What it costs", blocks=tuple(_costs(plan, chosen)))
        yield Section(title="At higher rates", blocks=tuple(_rates(plan, chosen)))
    yield Section(title="Every interval at its best", blocks=tuple(_intervals(plan)))
    if chosen is not None:
        yield Section(title="To apply it", blocks=tuple(_to_apply(plan, chosen)))
    yield Section(title="What the figures are", blocks=(_basis(plan),))


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan for a terminal, 80 columns wide."""
    yield conclusion(plan)
    for number, section in enumerate(sections_of(plan)):
        for place, block in enumerate(section.blocks):
            if (number and not place) or (place and isinstance(block, TextTable)):
                yield ""
            yield from _block_lines(block)


def _block_lines(block: Block) -> Iterator[str]:
    if isinstance(block, str):
        yield from textwrap.wrap(block, WIDTH)
    elif isinstance(block, TextTable):
        yield from table_lines(block)
    else:
        yield from block.lines


def _limits(plan: Plan, chosen: Figures) -> Iterator[str | TextTable]:
    yield f"Rule: {RULES[plan.because]}"
    if plan.default_limit_dropped:
        yield "No setting here writes less metadata than data, so that is not asked for."
    elif chosen.values["wa_metadata"] > 1 and "wa_metadata" not in {limit.metric for limit in plan.limits}:
        yield "That is more metadata than data; --wa-metadata 1 would rule it out."
    if plan.or_within_band:
        others = " or ".join(one.setting.words for one in plan.or_within_band)
        yield f"It is close: within the band of these figures the choice could be {others}."
    rows = tuple(_limit_rows(plan, chosen))
    if rows:
        head = ("Limit", "value", "at most", "slack", "")
        yield TextTable(caption="The limits, and how much room they leave", head=head, rows=rows, figures=head[1:4])
    yield from plan.request.not_judged


def _limit_rows(plan: Plan, chosen: Figures) -> Iterator[tuple[str, ...]]:
    freshness, interval_s = plan.request.freshness_s, chosen.setting.interval_s
    if freshness is not None:
        interval, most = format_duration(interval_s), format_duration(freshness)
        yield "freshness", interval, most, f"{1 - interval_s / freshness:.0%}", ""
    for limit in plan.limits:
        yield (
            METRICS[limit.metric].words,
            _value(plan, chosen, limit.metric),
            bound_words(limit, plan.request.prices.currency),
            f"{1 - chosen.values[limit.metric] / limit.bound:.0%}",
            "" if limit in plan.request.limits else "(default)",
        )


def _costs(plan: Plan, chosen: Figures) -> Iterator[str | TextTable]:
    """Which limit rules out a shorter interval, and the costs of the setting and its neighbours."""
    if plan.stopped_by:
        interval = format_duration(plan.shorter.setting.interval_s) if plan.shorter else ""
        yield f"What binds: {limit_names(plan.stopped_by)}. {interval} breaks it under any maintenance."
    elif plan.shorter is not None and not plan.shorter.keeps_up:
        yield f"What binds: at {format_duration(plan.shorter.setting.interval_s)} no writer keeps up."
    elif plan.shorter is None:
        yield "Nothing binds: no shorter interval was tried."
    yield _compared(plan, chosen)
    yield from _neighbours(plan, chosen)
    if plan.out_of_reach:
        intervals = ", ".join(map(format_duration, plan.out_of_reach))
        yield f"Out of reach: {intervals}; commits would take longer than the interval."
    if chosen.setting.maintenance.expire_every_s is None:
        yield "Nothing grows old enough to expire within the horizon; metadata grows on after it."
    yield from _commits(plan, chosen)


def _compared(plan: Plan, chosen: Figures) -> TextTable:
    """A row per metric: the chosen setting between its neighbours, and the band of the chosen one's figure."""
    found = [one for one in (plan.shorter, chosen, plan.longer) if one is not None]
    marks = [f"{CHOSEN} " if one is chosen else "" for one in found]
    every = tuple(f"{mark}{format_duration(one.setting.interval_s)}" for mark, one in zip(marks, found, strict=True))
    head = (f"Over {format_duration(plan.case.horizon_s)}", *every, "band")
    rows = []
    for name in SHOWN_METRICS:
        band = chosen.bands.get(name)
        label = "planning a full scan" if name == "planning_p50_ms" else METRICS[name].words
        cells = (_value(plan, one, name) for one in found)
        rows.append((label, *cells, "" if band is None else f"± {band:.1%}"))
    return TextTable(caption="This setting and its neighbours", head=head, rows=tuple(rows), figures=head[1:])


def _neighbours(plan: Plan, chosen: Figures) -> Iterator[str]:
    """The neighbours' maintenance and properties where they differ from the chosen setting's."""
    freshness = plan.request.freshness_s
    for one in (plan.shorter, plan.longer):
        if one is None:
            continue
        interval_s, words = one.setting.interval_s, one.setting.upkeep_words
        over = freshness is not None and interval_s > freshness
        upkeep = "" if words == chosen.setting.upkeep_words else words
        remarks = ", ".join(text for text in (upkeep, "beyond the freshness" if over else "") if text)
        if remarks:
            yield f"{format_duration(interval_s)}: {remarks}."


def _commits(plan: Plan, chosen: Figures) -> Iterator[str]:
    """Commit latency, the sustained rate of commits, and the machine that planning latency was measured on."""
    commit, sustained, machine = chosen.commit, plan.sustained, plan.request.machine
    if commit is not None and sustained is not None:
        writers, where = plan.request.writers, f"{plan.request.provider}, {plan.case.environment.catalog} catalog"
        of = "" if writers == 1 else f" of {writers} writers"
        p50, p95, p99 = (value_words("commit_ms", ms, "") for ms in (commit.p50_ms, commit.p95_ms, commit.p99_ms))
        lost = (
            f", {commit.outcome.lost_share:.1%} of attempts lost, whose bytes are in all figures" if writers > 1 else ""
        )
        yield (
            f"Commits{of} ({where}) at the end: {p50} in the median,"
            f" p95 {p95}, p99 {p99}, ± {commit.band:.0%}{lost}. At most {format_figure(sustained.ceiling_per_s)} a"
            f" second land: one every {time_words(sustained.interval_s)}."
        )
    beyond = ", extrapolated" if chosen.extrapolated else ""
    yield f"Planning is warm, on {machine.words} (measured up to {machine.measured_range}{beyond})."


def _rates(plan: Plan, chosen: Figures) -> Iterator[str]:
    before = chosen
    for rate, figures in plan.at_rates:
        broken = figures.broken(plan.limits)
        outcome = f"; breaks {limit_names(broken)}" if broken else "; all limits hold" if plan.limits else ""
        yield (
            f"Rate times {rate:g}: {_value(plan, figures, 'monthly_cost')} a month, metadata ÷ data"
            f" {_value(plan, figures, 'wa_metadata')}{outcome}.{_why_less(figures, before)}"
        )
        before = figures
    yield "More rows fill larger files here; more tasks or partitions would add files and metadata."


def _why_less(figures: Figures, before: Figures) -> str:
    """Why a higher rate costs less than the one before it, if compaction is why."""
    times, times_before = figures.values["wa_data"], before.values["wa_data"]
    if figures.monthly_cost >= before.monthly_cost or times >= times_before:
        return ""
    return f" Compacted files fill sooner: data is written {times:.1f} times, not {times_before:.1f}."


def _intervals(plan: Plan) -> Iterator[str | TextTable]:
    """The best setting of each interval that keeps up; then what a constant cost per commit would recommend."""
    shown = [one for one in plan.best if one.keeps_up]
    if not shown:
        return
    figures = (f"{plan.request.prices.currency}/month", "metadata/day", "json", "planning")
    costs = [max(one.monthly_cost, 1e-6) for one in shown]
    rows = tuple(
        (
            (f"{CHOSEN} " if plan.chosen is not None and one.setting == plan.chosen.setting else "")
            + format_duration(one.setting.interval_s),
            f"{one.monthly_cost:,.2f}",
            *(_value(plan, one, name) for name in ("metadata_bytes_per_day", "metadata_json_bytes", "planning_p50_ms")),
            "▇" * _bar(one.monthly_cost, min(costs), max(costs)),
        )
        for one in shown
    )
    head = ("Every", *figures, "cost, in the logarithm")
    yield TextTable(caption="The cheapest setting of each interval", head=head, rows=rows, figures=figures)
    for words, same in groupby(shown, key=lambda one: one.setting.upkeep_words):
        intervals = [format_duration(one.setting.interval_s) for one in same]
        span = intervals[0] if len(intervals) == 1 else f"{intervals[0]} to {intervals[-1]}"
        yield f"{span}: {words}."
    if plan.chosen is not None:
        yield from _spreadsheet(plan, plan.chosen)


def _bar(cost: float, least: float, most: float) -> int:
    if most <= least:
        return 1
    return 1 + round((BAR - 1) * log(max(cost, least) / least) / log(most / least))


def _spreadsheet(plan: Plan, chosen: Figures) -> Iterator[str]:
    naive = plan.naive
    if naive is None or naive.figures.setting.interval_s >= chosen.setting.interval_s:
        return
    true = naive.figures
    yield (
        f"A spreadsheet with one cost per commit, that of the first hundred, would take"
        f" {format_duration(true.setting.interval_s)} for"
        f" {value_words('metadata_bytes', naive.promised_bytes_per_day, '')} of metadata a day. It would write"
        f" {_value(plan, true, 'metadata_bytes_per_day')} even with {true.setting.upkeep_words}."
    )


def _to_apply(plan: Plan, chosen: Figures) -> Iterator[str | Commands]:
    statements = [
        line
        for one in sql_of(plan.request.table_name, chosen.setting, plan.case.writer.profile)
        for line in one.split("\n")
    ]
    writers = plan.request.writers
    options = [writer_options(plan.case, chosen.setting, writers)]
    if plan.case.writer.profile is None and writers == 1:
        options.append(f"{flink_option(chosen.setting)}  -- or with Flink")
    yield Commands(lines=(*statements, *options))
    counts = [f"{name} at {count:,}" for name, count in counts_of(chosen.setting, plan.files_per_commit)]
    if counts:
        yield f"By count of snapshots, manifests or small files: {', '.join(counts)}."
    if chosen.commit is not None and chosen.commit.outcome.lost_share > 0:
        yield "Files of lost attempts stay on disk until remove_orphan_files, which is not simulated, deletes them."
    if plan.keeping_json is not None:
        kept, freed = (_value(plan, one, "metadata_on_disk_bytes") for one in (plan.keeping_json, chosen))
        yield f"Without delete-after-commit, {kept} of metadata stay on disk instead of {freed}."


def _basis(plan: Plan) -> str:
    prices = plan.request.prices
    money = (
        f"Costs are those of requests, of storage and transfer other than of live data, and of compute, at prices of"
        f" {prices.as_of}: {prices.source}."
    )
    chosen = plan.chosen
    basis = () if chosen is None or chosen.commit is None else chosen.commit.basis
    sentences = dict.fromkeys(("Simulated, not measured.", *plan.request.assumed, money, *basis, *plan.approximated))
    return " ".join(sentences)


def _ways_out(plan: Plan) -> Iterator[str]:
    currency = plan.request.prices.currency
    for one in plan.relaxations:
        yield (
            f"Relax {METRICS[one.limit.metric].words} from {bound_words(one.limit, currency)} to"
            f" {value_words(one.limit.metric, one.value, currency)}, {format_figure(one.value / one.limit.bound)} times"
            " as much."
        )
    if plan.relaxations:
        yield f"This setting then meets them: {plan.relaxations[0].figures.setting.words}."
    if plan.beyond is not None:
        yield f"Or give up freshness: {plan.beyond.setting.words} meets the limits."
    if not plan.relaxations and plan.beyond is None:
        yield "No writer keeps up at any of these intervals. Give a longer --freshness."


def _value(plan: Plan, figures: Figures, metric: str) -> str:
    return figure_words(figures, metric, plan.request.prices.currency)
