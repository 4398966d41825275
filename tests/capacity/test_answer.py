"""What a plan's answer marks and compares."""

from dataclasses import replace
from math import log

import pytest
from support.by_hand import ByLaw, at_most, plain, some_figures, some_plan
from support.plans import a_request

from wasim.capacity import Figures, Maintenance, Plan, Setting, make_plan
from wasim.capacity.answer import (
    BAR,
    Section,
    Statements,
    _bar,
    _costs,
    _intervals,
    _neighbours,
    conclusion,
    first_sections,
    further_sections,
    plan_lines,
    section_lines,
    sections_of,
)
from wasim.capacity.choice import Relaxation
from wasim.capacity.now import Money, Saving
from wasim.capacity.words import time_words
from wasim.contention import LatencyRequest, SustainedRate, commit_latency
from wasim.report.tables import TextTable
from wasim.units import DAY_S, format_duration


def lawful_plan() -> Plan:
    """Whose costs go by how often commits are made; 5 s and less are not kept up with."""
    request = a_request()

    def law(setting: Setting, rate: float) -> Figures:
        return some_figures(
            setting, 100 * rate / setting.interval_s, keeps_up_s=9.0 if setting.interval_s <= 5 else None
        )

    return make_plan(request, ByLaw(request=request, law=law))


DAILY = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None)


def test_the_chosen_interval_alone_is_marked():
    plan = lawful_plan()
    table, *spans = _intervals(plan)
    assert isinstance(table, TextTable)
    chosen = format_duration(plan.chosen.setting.interval_s)
    assert [row[0] for row in table.rows if row[0].startswith("→")] == [f"→ {chosen}"]
    shown = [one for one in plan.best if one.keeps_up]
    assert [row[1] for row in table.rows] == [f"{one.monthly_cost:,.2f}" for one in shown]
    bars = [len(row[-1]) for row in table.rows]
    assert (min(bars), max(bars)) == (1, BAR)
    assert sorted(bars) == [bar for _, bar in sorted(zip([one.monthly_cost for one in shown], bars, strict=True))]
    assert spans[-1].startswith(format_duration(shown[-1].setting.interval_s)) or " to " in spans[-1]
    assert conclusion(plan).startswith(f"Commit every {chosen}, ")


def test_neighbours_stand_left_and_right_of_the_choice():
    plan = lawful_plan()
    (table,) = (one for one in _costs(plan, plan.chosen) if isinstance(one, TextTable))
    every = [format_duration(one.setting.interval_s) for one in (plan.shorter, plan.chosen, plan.longer) if one]
    assert [cell.removeprefix("→ ") for cell in table.head[1:-1]] == every
    assert sum(cell.startswith("→ ") for cell in table.head) == 1
    said = [*_neighbours(plan, plan.chosen)]
    for one in (plan.shorter, plan.longer):
        if one is not None:
            differs = one.setting.upkeep_words != plan.chosen.setting.upkeep_words
            over = one.setting.interval_s > plan.request.freshness_s
            lines = [line for line in said if line.startswith(f"{format_duration(one.setting.interval_s)}: ")]
            assert len(lines) == (differs or over)
            assert not over or "beyond the freshness" in lines[0]


@pytest.mark.parametrize("cost", [2.0, 3.0, 20.0, 50.0])
def test_a_bar_is_as_long_as_its_cost_s_logarithm(cost: float):
    share = log(cost / 2) / log(50 / 2)
    assert _bar(cost, 2.0, 50.0) == pytest.approx(1 + share * (BAR - 1), abs=0.5)
    assert _bar(cost, 2.0, 2.0) == 1


def cells(table: TextTable) -> dict[str, tuple[str, ...]]:
    """The rows of a table by their first cell."""
    return {row[0]: row[1:] for row in table.rows}


def now_and_then(plan: Plan) -> tuple[list[str], TextTable]:
    blocks = next(first_sections(plan)).blocks
    (table,) = (one for one in blocks if isinstance(one, TextTable))
    return [one for one in blocks if isinstance(one, str)], table


SHORTER, CHOSEN, LONGER = (some_figures(s, cost) for s, cost in ((10.0, 9.0), (30.0, 4.0), (60.0, 3.0)))
GZIPPED = replace(CHOSEN, setting=replace(CHOSEN.setting, gzips_json=True))


def test_figures_stand_now_and_then_with_what_is_saved():
    money = Money(month_1=10.0, month_12=30.0, year=400.0), Money(month_1=4.0, month_12=5.0, year=50.0)
    now = some_figures(10.0, 9.0, manifests=500)
    saving = Saving(now=now, now_money=money[0], then_money=money[1], once_bytes=3 * 2.0**20)
    limits = (at_most("manifests", 100), at_most("monthly_cost", 3.0))
    chosen = replace(GZIPPED, values={**GZIPPED.values, "manifests": 100.0})
    said, table = now_and_then(some_plan([chosen], chosen, replace(a_request(), limits=limits), saving=saving))
    assert table.head == ("After 10d", "now", "then", "Δ", "limit")
    rows = cells(table)
    assert rows["cost, month 1"] == ("10.00 USD", "4.00 USD", "−6.00 USD", "")
    assert rows["cost, a year"] == ("400.00 USD", "50.00 USD", "−350.00 USD", "")
    assert rows["commit interval"] == ("10s", "30s", "", "✓ 30s")
    assert rows["manifests, most"] == ("500", "100", "−400", "✓ 100")
    assert rows["cost a month"] == ("9.00 USD", "4.00 USD", "−5.00 USD", "✗ 3.00 USD")
    assert any("by 10d from now: 3.00 MiB" in one for one in said)
    assert not any("Deleted once" in one for one in now_and_then(some_plan([chosen], chosen))[0])
    nothing = now_and_then(some_plan([chosen], chosen, saving=replace(saving, once_bytes=0.0)))[0]
    assert not any("Deleted once" in one for one in nothing)


def test_delete_files_have_a_row_where_there_are_any():
    deletes = replace(GZIPPED, values={**GZIPPED.values, "delete_files": 2_212.0})
    assert "delete files" in " ".join(cells(now_and_then(some_plan([deletes], deletes))[1]))
    assert "delete files" not in " ".join(cells(now_and_then(some_plan([GZIPPED], GZIPPED))[1]))


def test_without_a_now_only_then_is_shown():
    saving = Saving(now=None, now_money=None, then_money=Money(month_1=4.0, month_12=5.0, year=50.0), once_bytes=0.0)
    _, table = now_and_then(some_plan([GZIPPED], GZIPPED, saving=saving))
    assert table.head == ("After 10d", "then", "limit")
    assert cells(table)["cost, month 12"] == ("5.00 USD", "")
    assert cells(table)["commit interval"] == ("30s", "✓ 30s")
    late = replace(GZIPPED, setting=replace(GZIPPED.setting, interval_s=31.0))
    assert cells(now_and_then(some_plan([late], late))[1])["commit interval"][-1] == "✗ 30s"
    unasked = replace(a_request(), freshness_s=None)
    assert cells(now_and_then(some_plan([GZIPPED], GZIPPED, unasked))[1])["commit interval"] == ("30s", "")


def test_the_other_end_of_what_limits_allow_is_named():
    best = [some_figures(1.0, 20.0), SHORTER, GZIPPED]
    plan = some_plan(best, GZIPPED, other_end=best[0])
    assert now_and_then(plan)[0][0] == "Cheapest within all limits; freshest tried: 1s for 20.00 USD a month."
    for end in (None, GZIPPED):
        assert now_and_then(some_plan(best, GZIPPED, other_end=end))[0][0] == "Cheapest within all limits."
    dear = some_figures(GZIPPED.setting, 21.0)
    said = now_and_then(some_plan([best[0], dear], dear, other_end=best[0]))[0][0]
    assert said.startswith("Least metadata of those that may be the cheapest within all limits, by their bands; ")
    wished = replace(a_request(), prefer="freshest", limits=(at_most("manifests", 5),))
    fresh = some_plan(best, SHORTER, wished, other_end=GZIPPED)
    assert now_and_then(fresh)[0][0] == "Freshest within all limits; cheapest: 30s for 4.00 USD a month."
    free = replace(a_request(), freshness_s=None)
    assert now_and_then(some_plan(best, GZIPPED, free))[0][0] == "Cheapest up to an hour."
    slow = replace(free, document={**free.document, "horizon": "1h"})
    assert now_and_then(some_plan([GZIPPED], GZIPPED, slow))[0][0] == "Cheapest up to 20m."
    limited = replace(free, limits=(at_most("manifests", 5),))
    assert now_and_then(some_plan(best, GZIPPED, limited))[0][0] == "Cheapest within all limits."


def further(plan: Plan, title: str) -> list[object]:
    return [block for one in further_sections(plan) if one.title == title for block in one.blocks]


def test_what_limits_the_interval_is_said():
    limit = at_most("manifests", 5)
    for given, said in (
        ({"shorter": SHORTER, "stopped_by": (limit,)}, "Limiting factor: manifests. 10s breaks it"),
        ({"shorter": replace(SHORTER, keeps_up_s=4.0)}, "Limiting factor: at 10s no writer keeps up."),
        ({}, "No limiting factor"),
    ):
        assert str(further(some_plan([GZIPPED], GZIPPED, **given), "What it costs")[0]).startswith(said)
    kept = further(some_plan([GZIPPED], GZIPPED, shorter=SHORTER), "What it costs")
    assert not any("imiting factor" in str(one) for one in kept)
    close = further(some_plan([GZIPPED], GZIPPED, or_within_band=(SHORTER, LONGER)), "What it costs")
    assert "10s, no maintenance or 1m, no maintenance" in str(close[0])


def test_neighbours_are_compared_and_their_upkeep_is_named():
    expiring = replace(SHORTER, setting=replace(SHORTER.setting, maintenance=DAILY), bands={"monthly_cost": 0.1})
    chosen = replace(CHOSEN, bands={"monthly_cost": 0.125})
    plan = some_plan([expiring, chosen], chosen, shorter=expiring, longer=LONGER)
    blocks = further(plan, "What it costs")
    (table,) = (one for one in blocks if isinstance(one, TextTable))
    assert table.head == ("Over 10d", "10s", "→ 30s", "1m", "band")
    assert cells(table)["cost a month"] == ("9.00 USD", "4.00 USD", "3.00 USD", "± 12.5%")
    assert cells(table)["manifests"][-1] == ""
    assert "10s: expire daily." in blocks
    assert "1m: beyond the freshness." in blocks
    expired = replace(chosen, setting=expiring.setting.at_interval(30.0))
    assert not any("grows on" in str(one) for one in further(some_plan([expired], expired), "What it costs"))


def test_intervals_that_no_writer_keeps_up_with_are_listed():
    late = replace(SHORTER, keeps_up_s=9.0)
    plan = some_plan([late, replace(late, setting=plain(20.0)), GZIPPED], GZIPPED)
    assert any("Infeasible: 10s, 20s;" in str(one) for one in further(plan, "What it costs"))
    (table, *_) = further(plan, "Best setting for each interval")
    assert isinstance(table, TextTable)
    assert [row[0] for row in table.rows] == ["→ 30s"]
    assert further(some_plan([late], None), "Best setting for each interval") == []


def test_intervals_of_the_same_upkeep_are_said_as_a_span():
    best = [some_figures(1.0), some_figures(5.0), replace(SHORTER, setting=replace(SHORTER.setting, gzips_json=True))]
    said = further(some_plan([*best, CHOSEN], CHOSEN), "Best setting for each interval")[1:]
    assert said == ["1s to 5s: no maintenance.", "10s: no maintenance, gzip.", "30s: no maintenance."]


def test_higher_rates_say_what_breaks_and_costs_less():
    request = replace(a_request(), limits=(at_most("manifests", 5),))
    twice = some_figures(30.0, 6.0, manifests=5, wa_data=2.0)
    thrice = some_figures(30.0, 5.5, manifests=6, wa_data=1.5)
    plan = some_plan([CHOSEN], CHOSEN, request, at_rates=((2.0, twice), (3.0, thrice)))
    first, second, _ = map(str, further(plan, "At higher rates"))
    assert first.startswith("Rate times 2: 6.00 USD a month, metadata ÷ data 1; all limits hold.")
    assert "fill sooner" not in first
    assert second.startswith("Rate times 3: 5.50 USD a month, metadata ÷ data 1; breaks manifests.")
    assert "data is written 1.5 times, not 2.0" in second
    for cheaper in (replace(thrice, values={**thrice.values, "wa_data": 2.0}), some_figures(30.0, 6.0, wa_data=1.5)):
        other = replace(plan, at_rates=((2.0, twice), (3.0, cheaper)))
        assert not any("fill sooner" in str(one) for one in further(other, "At higher rates"))
    unlimited = some_plan([CHOSEN], CHOSEN, at_rates=((2.0, twice),))
    assert str(further(unlimited, "At higher rates")[0]).endswith("metadata ÷ data 1.")


def test_commits_are_said_with_losses_and_their_ceiling():
    request = replace(a_request(), provider="s3", writers=4)
    asked = LatencyRequest(provider="s3", footprint=CHOSEN.footprint, commit_interval_s=5.0, writers=4)
    commit = commit_latency(asked)
    chosen = replace(GZIPPED, commit=commit, extrapolated=True)
    rate = SustainedRate(ceiling_per_s=2.5, interval_s=0.8)
    blocks = [str(one) for one in further(some_plan([chosen], chosen, request, sustained=rate), "What it costs")]
    (said,) = (one for one in blocks if one.startswith("Commits of 4 writers"))
    assert f"{commit.outcome.lost_share:.1%} of attempts lost" in said
    assert "At most 2.50 a second land; 95 % do at one every 0.800s." in said
    assert "idle machines" not in said
    assert "extrapolated" in blocks[-1]
    words = further(some_plan([chosen], chosen, request, sustained=rate), "In other words")
    assert any("remove_orphan_files" in str(one) for one in words)
    alone = replace(GZIPPED, commit=commit_latency(replace(asked, provider="local", writers=1)))
    blocks = [str(one) for one in further(some_plan([alone], alone, sustained=rate), "What it costs")]
    (said,) = (one for one in blocks if one.startswith("Commits (local"))
    assert "lost" not in said
    assert "idle machines" in said
    assert "extrapolated" not in blocks[-1]
    machine = replace(request.machine, measured_commit_ms=321.0)
    measured = some_plan([alone], alone, replace(a_request(), machine=machine), sustained=rate)
    assert any("Commits took 321 ms" in str(one) for one in further(measured, "What it costs"))


def test_sums_over_tables_are_said_of_one_and_all():
    commit = commit_latency(LatencyRequest(provider="s3", footprint=CHOSEN.footprint, commit_interval_s=30.0))
    chosen = some_figures(GZIPPED.setting, 24.0, commit=commit, metadata_bytes_per_day=12 * 2.0**20)
    plan = some_plan([chosen], chosen)
    twelve = plan.case.writer.model_copy(update={"kind": "batch", "tables": 12})
    plan = replace(plan, case=replace(plan.case, writer=twelve))
    said = " ".join(now_and_then(plan)[0])
    assert "One of 12 tables: 2,880 commits and 1.00 MiB of metadata a day" in said
    assert "2.00 USD a month; all 12: 34,560 commits and 12.0 MiB of metadata a day" in said
    assert f"in {time_words(12 * commit.p50_ms / 1000)}: rows of the last" in said
    assert not any("tables" in one for one in now_and_then(some_plan([chosen], chosen))[0])


def test_without_a_choice_the_ways_out_are_said():
    limit = at_most("manifests", 100)
    relaxed = Relaxation(limit=limit, value=150.0, figures=LONGER)
    plan = some_plan([CHOSEN], None, relaxations=(relaxed,), beyond=LONGER)
    assert conclusion(plan) == "Nothing up to 30s meets the limits."
    assert [*map(str, next(first_sections(plan)).blocks)] == [
        "Relax manifests from 100 to 150, 1.50 times as much.",
        "This setting then meets them: 1m, no maintenance.",
        "Or give up freshness: 1m, no maintenance meets the limits.",
    ]
    far = some_plan([CHOSEN], None, relaxations=(replace(relaxed, value=1e6),))
    assert str(next(first_sections(far)).blocks[0]) == "Relax manifests from 100 to 1,000,000."
    none = next(first_sections(some_plan([CHOSEN], None))).blocks
    assert [str(one).split(".")[0] for one in none] == ["No writer keeps up at any of these intervals"]
    assert len([*further_sections(plan)]) == 2
    only = next(first_sections(some_plan([CHOSEN], None, beyond=LONGER))).blocks
    assert len(only) == 1


def test_lines_of_a_plan_are_as_wide_as_a_terminal():
    plan = lawful_plan()
    short, long = [*plan_lines(plan)], [*plan_lines(plan, explains=True)]
    assert len(short) < len(long)
    assert "--explain" in short[-1]
    assert not any("--explain" in line for line in long)
    statements = {
        line
        for one in sections_of(plan)
        for block in one.blocks
        if isinstance(block, Statements)
        for line in block.lines
    }
    assert max(len(line) for line in long if line not in statements) <= 80
    assert max(len(line) for line in long if line not in statements) > 75


def test_what_the_figures_rest_on_is_said_once():
    plan = some_plan([replace(GZIPPED, approximated=("Twice.", "Twice."))], replace(GZIPPED, approximated=("Twice.",)))
    (said,) = further(plan, "What the figures are")
    assert str(said).count("Twice.") == 1
    assert "table_name (default)." in said
    elsewhere = replace(plan, request=replace(plan.request, location="s3://mine/t"))
    assert "Files lie at s3://mine/t." in str(further(elsewhere, "What the figures are")[0])


def test_maintenance_is_said_by_count_and_kept_json_by_bytes():
    kept = Maintenance(expire_every_s=3600.0, older_than_s=7200.0, rewrite_every_s=1800.0, compact_every_s=600.0)
    chosen = some_figures(replace(GZIPPED.setting, maintenance=kept), metadata_on_disk_bytes=2.0**20)
    keeping = some_figures(GZIPPED.setting, metadata_on_disk_bytes=3 * 2.0**20)
    plan = some_plan([chosen], chosen, files_per_commit=4.0, keeping_json=keeping)
    counts, disk = further(plan, "In other words")
    assert "rewrite_data_files at 80, rewrite_manifests at 60, expire_snapshots at 360" in str(counts)
    assert "3.00 MiB of metadata stay on disk instead of 1.00 MiB" in str(disk)
    assert further(some_plan([GZIPPED], GZIPPED), "In other words") == []


def test_sections_and_tables_are_a_line_apart():
    table = TextTable(caption="", head=("a", "b"), rows=(("1", "2"),))
    statements = Statements(language="SQL", lines=("one;", "two;"))
    sections = [
        Section(title="First", blocks=("Words.", "More words.", table)),
        Section(title="Second", blocks=(statements, "Words.")),
        Section(title="Third", blocks=("Last.",)),
    ]
    assert [*section_lines(sections)] == [
        *("Words.", "More words.", "", "a  b", "1  2"),
        *("", "one;", "two;", "Words."),
        *("", "Last."),
    ]
    assert [*section_lines(sections[1:2])] == ["one;", "two;", "Words."]
