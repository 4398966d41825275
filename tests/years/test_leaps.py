"""Leaps over cycles alike, and over manifests that merges fill, compared with sums in closed form."""

from dataclasses import replace

import numpy as np
import pytest

from wasim.years.flows import WIDTH, Flow
from wasim.years.leaps import WORTH_IT, FillingLevel, Leap, Level, Mark
from wasim.years.margins import Margins
from wasim.years.state import Pace

PERIOD, BYTES_IN_A_LIST = 50, 40.0
FAR = 1e6


def mark_at(commits: float) -> Mark:
    """A table that fills a manifest in PERIOD commits: its lists grow, and its snapshots did once, by a digit."""
    flows = np.zeros(WIDTH)
    flows[Flow.SNAPSHOT_JSON_BYTES] = 700 * commits + (3 if commits > PERIOD else 0)
    flows[Flow.LIST_BYTES] = 4000 * commits + BYTES_IN_A_LIST / PERIOD * commits**2 / 2
    flows[Flow.WRITTEN_MANIFESTS + 1] = 900 * commits
    return Mark(
        commits=commits,
        structure=(1,),
        numbers=[commits, commits / PERIOD],
        sums=flows.tolist(),
        missing=(),
        sample=0,
        decided=0,
        steps=0,
    )


def planned_after(marks: tuple[float, float, float], limit: float) -> Leap | None:
    pace = Pace(manifests=np.array([1.0, 1 / PERIOD]), each=np.ones(2), list_slope=BYTES_IN_A_LIST)
    level = FillingLevel()
    first, second, third = (level.planned(mark_at(commits), limit, 1, pace) for commits in marks)
    assert first is second is None
    return third


@pytest.mark.parametrize(("limit", "cycles"), [(10_000, 3 * 8), (1_000, 16)])
def test_a_leap_over_filled_manifests_ends_where_each_list_names_one_more(limit: float, cycles: int):
    leap = planned_after((PERIOD, 2 * PERIOD, 3 * PERIOD), limit)
    assert leap is not None
    assert leap.cycles == cycles
    landed = mark_at((3 + cycles) * PERIOD)
    assert leap.values == pytest.approx(landed.values)
    assert leap.flows_after(cycles) == pytest.approx(landed.flows)


def test_the_less_alike_two_filled_manifests_are_the_shorter_is_the_leap():
    slightly_longer = planned_after((50, 100, 152), 10_000)
    assert slightly_longer is not None
    assert slightly_longer.cycles == 1
    assert planned_after((50, 100, 160), 10_000) is None


def leap_after(cycles: int, limit: float = FAR, falls_from: float = FAR, margin: float = FAR, steps: int = 9) -> bool:
    """Whether a level leaps after so many cycles, in each of which a number and a margin fall by one."""
    level, margins = Level(), Margins()
    for cycle in range(1, cycles + 1):
        margins.note("fits", margin - cycle)
        mark = mark_at(cycle * PERIOD)
        numbers = [*mark.numbers, falls_from - cycle]
        level.note(replace(mark, numbers=numbers, steps=steps * cycle, decided=margins.count), PERIOD)
        leap = level.planned(lambda: limit, margins)
    return leap is not None


@pytest.mark.parametrize(("room", "leaps"), [(2.9, False), (3, True)])
def test_a_leap_leaves_a_cycle_before_the_limit_to_confirm_it(room: float, leaps: bool):
    assert leap_after(3, limit=(3 + room) * PERIOD) is leaps


@pytest.mark.parametrize(("left", "leaps"), [(1, False), (2, True)])
def test_a_leap_ends_before_a_number_that_falls_is_below_zero(left: int, leaps: bool):
    assert leap_after(3, falls_from=3 + left) is leaps


@pytest.mark.parametrize(("left", "leaps"), [(2.9, False), (3, True)])
def test_a_leap_and_the_cycle_that_confirms_it_decide_as_the_last_ones_did(left: float, leaps: bool):
    assert leap_after(3, margin=3 + left) is leaps


@pytest.mark.parametrize(("steps", "leaps"), [(WORTH_IT // 2 - 1, False), (WORTH_IT // 2, True)])
def test_a_leap_passes_over_enough_to_be_worth_it(steps: int, leaps: bool):
    assert leap_after(3, limit=6 * PERIOD, steps=steps) is leaps
