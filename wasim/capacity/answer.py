"""A plan as sections of text and tables, which the terminal and the page both show."""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import log
from typing import TypeAlias

from wasim.capacity.commands import Statements, counts_of, statements_of
from wasim.capacity.figures import Figures
from wasim.capacity.now import MONEY_WORDS, Money
from wasim.capacity.plan import Plan
from wasim.capacity.request import place_words
from wasim.capacity.search import NEGLIGIBLE_COST
from wasim.capacity.warnings import warnings_of
from wasim.capacity.words import (
    SHOWN_METRICS,
    amount_words,
    bound_words,
    limit_names,
    now_and_then_words,
    time_words,
    value_words,
)
from wasim.contention import LOCAL
from wasim.forecast.ahead import profile_of
from wasim.report.tables import MARKS, TextTable, table_lines, table_of
from wasim.scenario.metrics import METRICS, PERIODS_S, all_words, figure_name
from wasim.twin.profile import tables_in_turn, turn_words
from wasim.twin.supported import ignored
from wasim.units import DAY_S, HOUR_S, format_duration, format_figure

WIDTH = 80
BAR = 20  # characters
FIRST_METRICS = tuple(
    "metadata_bytes_per_day metadata_json_bytes manifests metadata_on_disk_bytes planning_p50_ms".split()
)
WORST_DAY_APART, JUST_APART = 1.25, 1.01  # times the mean: a worst day has a row of its own, and one with a limit
CHOSEN = "→"  # as in the tables of a run


Block: TypeAlias = str | TextTable | Statements


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


def first_sections(plan: Plan) -> Iterator[Section]:
    """What a first screen has room for: now and then within the limits, and what to paste; or what to relax."""
    if plan.chosen is None:
        yield Section(title="What would meet the limits", blocks=tuple(_ways_out(plan)))
        return
    yield Section(title="Now and then", blocks=tuple(_now_and_then(plan, plan.chosen)))
    yield Section(title="To apply it", blocks=tuple(_to_apply(plan, plan.chosen)))


def further_sections(plan: Plan) -> Iterator[Section]:
    """Neighbours, higher rates, every interval, the same as counts, and the basis of the figures."""
    chosen = plan.chosen
    if chosen is not None:
        yield Section(title="What it costs", blocks=tuple(_costs(plan, chosen)))
        yield Section(title="At higher rates", blocks=tuple(_rates(plan, chosen)))
    yield Section(title="Best setting for each interval", blocks=tuple(_intervals(plan)))
    if chosen is not None:
        yield Section(title="In other words", blocks=tuple(_further_commands(plan, chosen)))
    yield Section(title="What the figures are", blocks=(_basis(plan),))


def sections_of(plan: Plan) -> Iterator[Section]:
    """All of it."""
    yield from first_sections(plan)
    yield from further_sections(plan)


def plan_lines(plan: Plan, *, explains: bool = False) -> Iterator[str]:
    """The plan for a terminal, 80 columns wide; with the rest after the first screen where it `explains`."""
    yield from textwrap.wrap(conclusion(plan), WIDTH)
    yield from section_lines(sections_of(plan) if explains else first_sections(plan))
    if not explains:
        yield "Why, and at other intervals and rates: --explain. With sliders: --html PAGE."


def section_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Sections for a terminal, a line apart, without their titles."""
    for number, section in enumerate(sections):
        for place, block in enumerate(section.blocks):
            if (number and not place) or (place and isinstance(block, TextTable | Statements)):
                yield ""
            yield from _block_lines(block)


def _block_lines(block: Block) -> Iterator[str]:
    if isinstance(block, str):
        yield from textwrap.wrap(block, WIDTH)
    elif isinstance(block, TextTable):
        yield from table_lines(block)
    else:
        yield from block.lines


def _now_and_then(plan: Plan, chosen: Figures) -> Iterator[str | TextTable]:
    yield _objective(plan, chosen)
    yield from _of_all_tables(plan, chosen)
    yield from (f"Mind: {sentence}" for sentence in warnings_of(plan))
    saving = plan.saving
    is_known = saving is not None and saving.now is not None
    of_all, currency = all_words(plan.case.writer.tables), plan.request.prices.currency
    money = [] if saving is None else money_rows(saving.now_money, saving.then_money, currency, of_all)
    rows = [*money, *_figure_rows(plan, chosen, None if saving is None else saving.now)]
    first = f"After {format_duration(plan.horizon_s)}"
    yield now_and_then_table(first, "limit", rows, caption="within the limits", is_known=is_known)
    if saving is not None and saving.once_bytes > 0:
        size = value_words("metadata_bytes", saving.once_bytes, "")
        yield f"Deleted once, by {format_duration(plan.horizon_s)} from now: {size} of metadata."
    yield from plan.request.not_judged


def _of_all_tables(plan: Plan, chosen: Figures) -> Iterator[str]:
    """What adds up over the tables of one job, for one of them and for all, and how long their commits take in turn."""
    tables = plan.case.writer.tables
    if tables == 1:
        return

    def of(share: float) -> str:
        names = ("metadata_bytes_per_day", "metadata_on_disk_bytes", "monthly_cost")
        day, disk, money = (value_words(one, chosen.values[one] * share, plan.request.prices.currency) for one in names)
        commits = DAY_S / chosen.setting.interval_s * tables * share
        return f"{commits:,.0f} commits and {day} of metadata a day, {disk} on disk, {money} a month"

    yield (
        f"One of {tables:,} tables: {of(1 / tables)}; all {tables:,}: {of(1)}. Costs, metadata a day and on disk, and"
        " limits on them, are of all here, everything else is of each."
    )
    if chosen.commit is not None:
        taken = time_words(tables_in_turn(plan.case) * chosen.commit.p50_ms / 1000)
        yield f"Commits to {tables:,} tables {turn_words(plan.case)}, in {taken}: rows of the last come so much later."


def now_and_then_table(
    first: str, last: str, rows: Iterable[tuple[str, ...]], *, caption: str, is_known: bool
) -> TextTable:
    """A table of rows with a name, now, then, the difference and a bound; where now is not known, without these two."""
    places = range(5) if is_known else (0, 2, 4)
    head, *kept = (tuple(row[place] for place in places) for row in ((first, "now", "then", "Δ", last), *rows))
    return TextTable(caption=f"Now and then, {caption}", head=head, rows=tuple(kept), figures=head[1:-1])


def money_rows(now: Money | None, then: Money, currency: str, of_all: str = "") -> Iterator[tuple[str, ...]]:
    """A row for each sum of money."""
    for name, label in MONEY_WORDS.items():
        before = None if now is None else getattr(now, name)
        yield f"{label}{of_all}", *now_and_then_words("monthly_cost", before, getattr(then, name), currency), ""


def _figure_rows(plan: Plan, chosen: Figures, now: Figures | None) -> Iterator[tuple[str, ...]]:
    freshness, interval_s = plan.request.freshness_s, chosen.setting.interval_s
    fresh = "" if freshness is None else f"{MARKS[interval_s <= freshness]} {format_duration(freshness)}"
    before = "" if now is None else format_duration(now.setting.interval_s)
    yield "commit interval", before, format_duration(interval_s), "", fresh
    limits, currency = {limit.metric: limit for limit in plan.limits}, plan.request.prices.currency
    some = ["delete_files"] if any(one and one.values["delete_files"] for one in (now, chosen)) else []
    for metric in dict.fromkeys((*FIRST_METRICS, *some, *limits)):
        limit, name = limits.get(metric), figure_name(metric, plan.case.writer.tables)
        verdict = "" if limit is None else f"{MARKS[not chosen.broken([limit])]} {bound_words(limit, currency)}"
        varies = chosen.judged(metric) > chosen.values[metric] * (WORST_DAY_APART if limit is None else JUST_APART)
        if metric in PERIODS_S:
            values = None if now is None else now.values[metric], chosen.values[metric]
            yield name, *now_and_then_words(metric, *values, currency), "" if varies else verdict
        if metric not in PERIODS_S or varies:
            values = None if now is None else now.judged(metric), chosen.judged(metric)
            most = ", most" if metric in chosen.spreads else ""
            yield f"{name}{most}", *now_and_then_words(metric, *values, currency), verdict


def _objective(plan: Plan, chosen: Figures) -> str:
    """What was preferred, and the other end of what the limits allow."""
    end, currency = plan.other_end, plan.request.prices.currency
    most_s, is_cut = plan.request.longest_s, plan.request.longest_s != plan.request.freshness_s
    up_to = f"up to {'an hour' if most_s == HOUR_S else format_duration(most_s)}"
    within = up_to if is_cut and not plan.limits else "within all limits"
    found, other = f"Cheapest {within}", "freshest tried"  # none between the intervals tried, or below them
    if plan.request.prefer == "freshest":
        found, other = f"Freshest {within}", "cheapest"
    elif any(
        one.keeps_up and not one.broken(plan.limits) and one.monthly_cost < chosen.monthly_cost - NEGLIGIBLE_COST
        for one in plan.best
    ):
        found = f"Least metadata of those that may be the cheapest {within}, by their bands"
    if end is None or end.setting.interval_s == chosen.setting.interval_s:
        return f"{found}."
    money = value_words("monthly_cost", end.monthly_cost, currency)
    return f"{found}; {other}: {format_duration(end.setting.interval_s)} for {money} a month."


def _costs(plan: Plan, chosen: Figures) -> Iterator[str | TextTable]:
    """Which limit rules out a shorter interval, and the costs of the setting and its neighbours."""
    if plan.or_within_band:
        others = " or ".join(one.setting.words for one in plan.or_within_band)
        yield f"It is close: within the band of these figures the choice could be {others}."
    if plan.stopped_by:
        interval = format_duration(plan.shorter.setting.interval_s) if plan.shorter else ""
        yield f"Limiting factor: {limit_names(plan.stopped_by)}. {interval} breaks it under any maintenance."
    elif plan.shorter is not None and not plan.shorter.keeps_up:
        yield f"Limiting factor: at {format_duration(plan.shorter.setting.interval_s)} no writer keeps up."
    elif plan.shorter is None:
        yield "No limiting factor: no shorter interval was tried."
    yield _compared(plan, chosen)
    yield from _neighbours(plan, chosen)
    if plan.out_of_reach:
        intervals = ", ".join(map(format_duration, plan.out_of_reach))
        yield f"Infeasible: {intervals}; commits would take longer than the interval."
    yield from _commits(plan, chosen)


def _compared(plan: Plan, chosen: Figures) -> TextTable:
    """A row per metric: the chosen setting between its neighbours, and the band of the chosen one's figure."""
    found = [one for one in (plan.shorter, chosen, plan.longer) if one is not None]
    marks = [f"{CHOSEN} " if one is chosen else "" for one in found]
    every = tuple(f"{mark}{format_duration(one.setting.interval_s)}" for mark, one in zip(marks, found, strict=True))
    head = (f"Over {format_duration(plan.horizon_s)}", *every, "band")
    rows = []
    for name in SHOWN_METRICS:
        band = chosen.bands.get(name)
        label = "planning a full scan" if name == "planning_p50_ms" else figure_name(name, plan.case.writer.tables)
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
    tables = plan.case.writer.tables
    if commit is not None and sustained is not None:
        writers, where = plan.request.writers, f"{plan.request.provider}, {plan.case.catalog} catalog"
        of = "" if writers == 1 else f" of {writers} writers"
        lost = (
            f", {commit.outcome.lost_share:.1%} of attempts lost, whose bytes are in all figures" if writers > 1 else ""
        )
        if machine.measured_commit_ms is not None:
            yield f"Commits took {value_words('commit_ms', machine.measured_commit_ms, '')} in the median of that run."
        p50, p99 = (value_words("commit_ms", ms, "") for ms in (commit.p50_ms, commit.p99_ms))
        is_own = plan.request.provider == LOCAL and plan.request.catalog is None
        idle = "; runs on idle machines took a fifth to a half of that" if is_own else ""
        yield (
            f"Commits{of} ({where}) take a guessed {p50} where metadata.json is largest, one in a hundred {p99}{lost}"
            f"{idle}. At most {format_figure(sustained.ceiling_per_s)} a second land; 95 % do at one every"
            f" {time_words(sustained.interval_s)}{f' to each of {tables:,} tables' if tables > 1 else ''}."
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
    times, times_before = round(figures.values["wa_data"], 1), round(before.values["wa_data"], 1)
    if figures.monthly_cost >= before.monthly_cost or times >= times_before:
        return ""
    return f" Compacted files fill sooner: data is written {times} times, not {times_before}."


def _intervals(plan: Plan) -> Iterator[str | TextTable]:
    shown, chosen = [one for one in plan.best if one.keeps_up], plan.chosen and plan.chosen.setting
    if not shown:
        return
    costs, bar = [max(one.monthly_cost, 1e-6) for one in shown], "cost, in the logarithm"
    rows = (
        {
            "Every": ("" if one.setting != chosen else f"{CHOSEN} ") + format_duration(one.setting.interval_s),
            f"{plan.request.prices.currency}/month": amount_words(one.monthly_cost),
            "metadata/day": _value(plan, one, "metadata_bytes_per_day"),
            "json": _value(plan, one, "metadata_json_bytes"),
            "planning": _value(plan, one, "planning_p50_ms"),
            bar: "▇" * _bar(one.monthly_cost, min(costs), max(costs)),
        }
        for one in shown
    )
    yield table_of("The cheapest setting of each interval", rows, words=[bar])
    for words, same in groupby(shown, key=lambda one: one.setting.upkeep_words):
        intervals = [format_duration(one.setting.interval_s) for one in same]
        span = intervals[0] if len(intervals) == 1 else f"{intervals[0]} to {intervals[-1]}"
        yield f"{span}: {words}."


def _bar(cost: float, least: float, most: float) -> int:
    if most <= least:
        return 1
    return 1 + round((BAR - 1) * log(max(cost, least) / least) / log(most / least))


def _to_apply(plan: Plan, chosen: Figures) -> Iterator[str | Statements]:
    yield from statements_of(plan.request, plan.case, chosen.setting)
    if plan.case.writer.tables > 1:
        yield f"Statements on the table are for each of the {plan.case.writer.tables:,} tables."
    yield from ignored(plan.case, profile_of(plan.case))


def _further_commands(plan: Plan, chosen: Figures) -> Iterator[str]:
    counts = [f"{name} at {count:,}" for name, count in counts_of(chosen.setting, plan.files_per_commit)]
    if counts:
        yield f"By count of small files, manifests or snapshots: {', '.join(counts)}."
    if chosen.commit is not None and chosen.commit.outcome.lost_share > 0:
        yield "Files of lost attempts stay on disk until remove_orphan_files, which is not simulated, deletes them."
    if plan.keeping_json is not None:
        kept, freed = (_value(plan, one, "metadata_on_disk_bytes") for one in (plan.keeping_json, chosen))
        yield f"Without delete-after-commit, {kept} of metadata stay on disk instead of {freed}."


def _basis(plan: Plan) -> str:
    prices = plan.request.prices
    money = (
        f"Costs are requests, storage and transfer other than of live data, and compute, at prices of"
        f" {prices.as_of}: {prices.source}. Starting a maintenance job costs {prices.per_job:g} {prices.currency}"
        f" (--per-job)."
    )
    chosen = plan.chosen
    basis = () if chosen is None or chosen.commit is None else chosen.commit.basis
    assumed = (*plan.request.assumed, place_words(plan.request.location), money)
    sentences = dict.fromkeys(("Simulated, not measured.", *assumed, *basis, *plan.approximated))
    return " ".join(sentences)


MANY_TIMES = 10_000  # as much: beyond, the bound was no guess at what a table takes


def _ways_out(plan: Plan) -> Iterator[str]:
    currency = plan.request.prices.currency
    for one in plan.relaxations:
        times = one.value / one.limit.bound
        yield (
            f"Relax {METRICS[one.limit.metric].words} from {bound_words(one.limit, currency)} to"
            f" {value_words(one.limit.metric, one.value, currency)}"
            + (f", {format_figure(times)} times as much." if times < MANY_TIMES else ".")
        )
    if plan.relaxations:
        yield f"This setting then meets them: {plan.relaxations[0].figures.setting.words}."
    if plan.beyond is not None:
        yield f"Or give up freshness: {plan.beyond.setting.words} meets the limits."
    if not plan.relaxations and plan.beyond is None:
        bound = plan.request.writers_bound
        yield "No writer keeps up at any of these intervals. " + (bound or "Give a longer --freshness.")
        if bound:
            yield "Send fewer rows to a table, or write them by another --writer."


def _value(plan: Plan, figures: Figures, metric: str) -> str:
    return value_words(metric, figures.values[metric], plan.request.prices.currency)
