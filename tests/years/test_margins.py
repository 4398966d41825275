"""Margins of decisions: until when cycles decide alike."""

from math import inf

import pytest

from wasim.years.margins import MOST_NOTED, Margins


def margins_of(*cycles: dict[str, float]) -> tuple[Margins, list[int]]:
    """Margins of these cycles, and how many had been noted before the first and at the end of each."""
    margins, ends = Margins(), [0]
    for cycle in cycles:
        for decision, margin in cycle.items():
            margins.note(decision, margin)
        ends.append(margins.count)
    return margins, ends


@pytest.mark.parametrize(
    ("before", "now", "room"),
    [
        ({"fits": 10.0}, {"fits": 8.0}, 4.0),
        ({"fits": 10.0, "is full": 9.0}, {"fits": 8.0, "is full": 6.0}, 2.0),
        ({"fits": 8.0}, {"fits": 10.0}, inf),
        ({"fits": 10.0}, {"fits": 8.0, "is full": 6.0}, 0.0),
    ],
)
def test_cycles_decide_alike_until_the_first_margin_is_used_up(
    before: dict[str, float], now: dict[str, float], room: float
):
    margins, ends = margins_of(before, now)
    assert margins.room(*ends) == room


def test_decisions_of_what_is_taken_back_are_forgotten():
    margins, ends = margins_of({"fits": 10.0}, {"fits": 8.0}, {"fits": -5.0})
    margins.forget_after(ends[2])
    assert margins.count == 2
    assert margins.room(*ends[:3]) == 4.0


def test_of_many_decisions_the_first_are_dropped_and_no_cycle_among_them_is_known():
    margins = Margins()
    for _ in range(MOST_NOTED + 1):
        margins.note("fits", 1.0)
    assert margins.count == MOST_NOTED + 1
    assert margins.room(0, 1, 2) == 0.0
    assert margins.room(MOST_NOTED - 1, MOST_NOTED, MOST_NOTED + 1) == inf
