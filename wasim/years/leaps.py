"""What a leap over cycles is: the table at the ends of some, and the sums of many that follow.

Where a table changes by nearly the same amount from cycle to cycle, what a cycle writes grows by a constant: k cycles
write k · w + d · k(k + 1)/2, w being what the last one wrote and d how much that was more than before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wasim.units import Floats
from wasim.years.flows import Flow
from wasim.years.state import TableState

PARTLY = 0.02  # of a cycle, which may lie between two statements
LOOSE = 0.1  # by which two cycles may differ that are leapt over on average


@dataclass(frozen=True, kw_only=True)
class Mark:
    """The table at the end of a cycle: its `numbers` and `sums`, and the same as arrays of `values` and `flows`."""

    commits: float
    structure: tuple[int, ...]
    numbers: list[float]
    sums: list[float]
    missing: tuple[float, ...]  # what jobs by count yet wait for
    sample: int  # samples taken by then
    steps: int  # events stepped through by then

    @cached_property
    def values(self) -> Floats:
        """The numbers that make up the state."""
        return np.array(self.numbers)

    @cached_property
    def flows(self) -> Floats:
        """What has been written and removed by then."""
        return np.array(self.sums)


def mark_of(state: TableState, missing: tuple[float, ...], samples: int, steps: int) -> Mark:
    """The table as it is."""
    return Mark(
        commits=state.commits,
        structure=state.structure,
        numbers=state.values(),
        sums=list(state.flows),
        missing=missing,
        sample=samples,
        steps=steps,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Leap:
    """Several cycles of `period` commits at once, from a mark: what each flow then is, cycle by cycle, and the numbers
    that make up the state at the end. Where manifests do not repeat, `values` leave them as they are.
    """

    origin: Mark
    cycles: int
    period: float
    added: Floats
    growth: Floats
    values: Floats
    again: Callable[[float], Floats]  # what so many commits merge again, apart from what cycles add
    short: Floats | float = 0.0  # what the last leap should have added more, as its end showed

    def flows_after(self, cycles: float) -> Floats:
        """The flows after some of the cycles."""
        flows: Floats = self.origin.flows + self.short + cycles * self.added + cycles * (cycles + 1) / 2 * self.growth
        add_again(flows, self.again(cycles * self.period))
        return flows


def add_again(flows: Floats, again: Floats) -> None:
    """Adds manifests that are merged again to all flows that count them: others are written in their place."""
    for place in (Flow.WRITTEN_MANIFESTS, Flow.REPLACED_MANIFESTS, Flow.MERGED_AGAIN):
        flows[place : place + len(again)] += again
