"""What a plan warns of: sizes that readers refuse, guarantees that are lost, what a table's readers would notice."""

from collections.abc import Iterator

from wasim.capacity.commits import RETRIES
from wasim.capacity.figures import Figures
from wasim.capacity.plan import Plan
from wasim.capacity.search import MOST_BAND
from wasim.capacity.settings import properties_of
from wasim.capacity.words import bound_words, time_words, value_words
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS
from wasim.ledger.trouble import JSON_MARKS
from wasim.scenario.metrics import figure_name
from wasim.twin.profile import tables_in_turn
from wasim.units import YEAR_S, format_bytes, format_duration

MANY_DELETE_FILES = 1_000
WHILE_WRITERS_REST = "run it while the writers rest, on partitions that they have left, or with partial progress"
OF_BYTES = ("metadata_bytes_per_day", "manifests", "metadata_on_disk_bytes")
GROWN, NOTICED_MS = 2.0, 1000.0  # times as long as by the end of the horizon, and a second: planning is noticed
FRESH_ENOUGH = 1.1  # of the freshness asked for, until a row can be read


def warnings_of(plan: Plan) -> Iterator[str]:
    """Sentences, the most harmful first; none where nothing was chosen."""
    yield from plan.request.warnings
    chosen = plan.chosen
    if chosen is None:
        return
    stored, text = chosen.values["metadata_json_bytes"], chosen.footprint.json_text_bytes
    passed = [mark for mark in JSON_MARKS if (stored if mark.is_stored else text) > mark.value]
    if passed:
        held = f", gzipped to {format_bytes(stored)}" if chosen.setting.gzips_json else ""
        size_mb, source = passed[-1].value / 1e6, passed[-1].source
        yield f"metadata.json reaches {format_bytes(text)} of JSON{held}: beyond {size_mb:g} MB ({source})."
    if bound := plan.request.writers_bound:
        yield bound
    yield from _losing(plan, chosen)
    deletes = chosen.values["delete_files"]
    if deletes > MANY_DELETE_FILES:
        yield (
            f"{deletes:,.0f} delete files are live at the most, and readers apply them. Compaction as simulated here"
            " leaves them; rewrite_data_files with delete-file-threshold removes them, and writes every data file again"
            " that they apply to, which these figures are without."
        )
    if chosen.setting.appends == "merge" and plan.case.writer.kind == "streaming" and plan.case.writer.profile is None:
        yield "Merge appends take foreachBatch, which appends a retried batch again: at least once, not exactly once."
    if chosen.values["wa_metadata"] > 1 and "wa_metadata" not in {limit.metric for limit in plan.limits}:
        yield "That is more metadata than data; --wa-metadata 1 would rule it out."
    yield from _uncertain(plan, chosen)
    yield from _dearer(plan, chosen)
    yield from _growing(plan, chosen)
    if chosen.setting.maintenance.expire_every_s is None:
        yield (
            f"Nothing grows old enough to expire within the horizon of {format_duration(plan.request.horizon_s)}: the"
            " statements have no expiry, and metadata grows on after it."
        )
    yield from _late(plan, chosen)
    now = None if plan.saving is None else plan.saving.now
    if now is not None and not now.keeps_up:
        yield (
            f"No writer keeps up with a commit every {format_duration(now.setting.interval_s)} over the horizon:"
            " figures of now are of more commits than land."
        )
    yield from _changed(plan, chosen)


def _losing(plan: Plan, chosen: Figures) -> Iterator[str]:
    if plan.avoided is not None:
        interval_s, job = plan.avoided
        every, fails = format_duration(interval_s), f"{100 * job.share:.0f} % of its runs"
        if interval_s < chosen.setting.interval_s:
            yield f"{every} would be preferred, but on {plan.request.provider} {job.name} fails {fails} there."
        else:
            yield (
                f"{job.name} would pay, but with a commit every {every} on {plan.request.provider} it fails {fails},"
                f" and is left out: {WHILE_WRITERS_REST}."
            )
    for job in plan.losing:
        helps = job.share_retried <= job.share / 2
        yield (
            f"{job.name} fails {100 * job.share:.0f} % of its runs with a commit every"
            f" {format_duration(chosen.setting.interval_s)} on {plan.request.provider}, and its work is lost. "
            + (
                f"With commit.retry.num-retries={RETRIES} it is {100 * job.share_retried:.0f} %."
                if helps
                else f"More retries do not help ({100 * job.share_retried:.0f} % with {RETRIES}): {WHILE_WRITERS_REST}."
            )
        )


def _uncertain(plan: Plan, chosen: Figures) -> Iterator[str]:
    """Figures whose bands are too wide to plan by them."""
    for metric in OF_BYTES:
        value, band = chosen.values[metric], chosen.bands.get(metric, 0.0)
        if band > MOST_BAND:
            low, high = (value_words(metric, value * (1 + sign * band), "") for sign in (-1, 1))
            name = figure_name(metric, plan.case.writer.tables)
            yield f"{name[0].upper()}{name[1:]} may be anything from {low} to {high}."


def _dearer(plan: Plan, chosen: Figures) -> Iterator[str]:
    """Where nothing is saved of what is there now, by how much more, and what is kept for longer than now."""
    saving = plan.saving
    if saving is None or saving.now is None or saving.now_money is None:
        return
    more = saving.then_money.year - saving.now_money.year
    if more <= chosen.bands["monthly_cost"] * saving.now_money.year:
        return
    kept_s, then_s = saving.now.setting.maintenance.older_than_s, chosen.setting.maintenance.older_than_s
    longer = ""
    if kept_s is not None and then_s is not None and then_s > kept_s:
        kept, then = format_duration(kept_s), format_duration(then_s)
        longer = f": snapshots are kept for {then}, not {kept}; --time-travel {kept} keeps them as long as now"
    yield f"A year costs {value_words('monthly_cost', more, plan.request.prices.currency)} more than now{longer}."


def _growing(plan: Plan, chosen: Figures) -> Iterator[str]:
    """What is beyond a limit after a year and not by the end of the horizon, or takes readers much longer."""
    later = None if plan.saving is None else plan.saving.in_a_year
    if later is None or plan.horizon_s >= YEAR_S:
        return
    grown = {one.metric: one for one in plan.limits if later.broken([one]) and not chosen.broken([one])}
    words, planning = [], "planning_p50_ms"
    if planning not in grown and later.judged(planning) > max(NOTICED_MS, GROWN * chosen.judged(planning)):
        words.append(f"planning takes {value_words(planning, later.judged(planning), '')}")
    for metric, limit in grown.items():
        name, currency = figure_name(metric, plan.case.writer.tables), plan.request.prices.currency
        value, bound = value_words(metric, later.judged(metric), currency), bound_words(limit, currency)
        words.append(f"{name} {value}, beyond {bound}")
    if words:
        yield f"It goes on growing: a year on, {'; '.join(words)}. --horizon 365d plans for that."


def _late(plan: Plan, chosen: Figures) -> Iterator[str]:
    """Where a row can be read much later than the interval says."""
    interval_s, commit = chosen.setting.interval_s, chosen.commit
    commits_ms = 0.0 if commit is None else commit.p50_ms * tables_in_turn(plan.case)
    seen_s = interval_s + (commits_ms + chosen.values["planning_p50_ms"]) / 1000
    if seen_s > FRESH_ENOUGH * (plan.request.freshness_s or interval_s):
        yield (
            f"A row can be read after {time_words(seen_s)} at the most: {format_duration(interval_s)}, the commit, and"
            f" {value_words('planning_p50_ms', chosen.values['planning_p50_ms'], '')} of planning."
        )


def _changed(plan: Plan, chosen: Figures) -> Iterator[str]:
    """Properties of the table that the statements change."""
    own, setting = plan.request.properties, chosen.setting
    changed = dict(properties_of(setting))
    if setting.maintenance.older_than_s is not None:
        changed[MAX_SNAPSHOT_AGE_MS] = str(round(setting.maintenance.older_than_s * 1000))
    for key, value in changed.items():
        if key in own and str(own[key]) != value:
            yield f"The statements change {key} from {own[key]} to {value}."
    if not setting.gzips_json:
        why = "its writer does" if plan.request.writes_plain_json else "the table's own properties say"
        yield f"metadata.json is left uncompressed, as {why}."
