"""What a plan's answer marks and compares."""

from math import log

import pytest
from support.plans import a_plan

from wasim.capacity.answer import BAR, _bar, _compared, _intervals, _neighbours, conclusion
from wasim.report.tables import TextTable
from wasim.units import format_duration


def test_the_chosen_interval_alone_is_marked():
    plan = a_plan()
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
    plan = a_plan()
    table = _compared(plan, plan.chosen)
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
