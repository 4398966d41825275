"""By how much each decision about a table was taken: cycles are alike until the first of these margins is used up.

A merge decides which manifests fit together, a compaction which files it takes. From cycle to cycle the margin of a
decision changes by a constant, as the table does. So two cycles tell how many more of them decide alike.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import floor, inf

MOST_NOTED = 100_000
ROUNDING = 1e-6


@dataclass(slots=True)
class Margins:
    """The margins of all decisions, in the order in which these were taken, each with what was decided."""

    noted: list[tuple[Hashable, float]] = field(default_factory=list)
    dropped: int = 0  # of the first ones, which nobody asks for any more

    def note(self, decision: Hashable, margin: float) -> None:
        """A decision that stays what it is as long as its margin is not negative."""
        self.noted.append((decision, margin))

    @property
    def count(self) -> int:
        """How many have been noted by now."""
        if len(self.noted) > MOST_NOTED:
            self.dropped += MOST_NOTED // 2
            del self.noted[: MOST_NOTED // 2]
        return self.dropped + len(self.noted)

    def forget_after(self, count: int) -> None:
        """Takes back all decisions but this many."""
        del self.noted[max(0, count - self.dropped) :]

    def room(self, first: int, second: int, last: int) -> float:
        """How many more cycles decide alike, if the one after the `first` count of decisions ended with the `second`,
        and the one after that with the `last`; 0 where the two did not decide about the same.
        """
        if first < self.dropped:
            return 0.0
        before, now = self._least(first, second), self._least(second, last)
        if before.keys() != now.keys():
            return 0.0
        shrinking = [now[one] / (before[one] - now[one]) for one in now if before[one] > now[one]]
        return max(0.0, floor(min(shrinking) + ROUNDING)) if shrinking else inf

    def _least(self, after: int, until: int) -> dict[Hashable, float]:
        least: dict[Hashable, float] = {}
        for decision, margin in self.noted[after - self.dropped : until - self.dropped]:
            known = least.get(decision)
            if known is None or margin < known:  # a call of `min` for each takes four times as long
                least[decision] = margin
        return least
