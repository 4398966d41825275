"""Sizes that grow with a count, and their sums in closed form."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from wasim.units import Floats

TABULATED = 512


class SizeByCount:
    """Bytes of a file by how many things it lists, for any count: between and beyond measured ones linear.

    `counts` ascend; `sizes` are the bytes measured.
    """

    def __init__(self, counts: Sequence[float], sizes: Sequence[float] | Floats) -> None:
        self.counts, self.sizes = [float(count) for count in counts], [float(size) for size in sizes]
        rises = zip(self.sizes, self.sizes[1:], self.counts, self.counts[1:], strict=False)
        self._slopes = [(large - small) / (high - low) for small, large, low, high in rises] or [0.0]
        self.slope = self._slopes[-1]

    @cached_property
    def sums(self) -> list[float]:
        """Bytes for 0, 0 and 1, 0 to 2 … in all."""
        return list(accumulate((self.at(count) for count in range(1, TABULATED + 1)), initial=0.0))

    def mean(self, other: "SizeByCount", share: float) -> "SizeByCount":
        """The sizes between these and others: `share` of the way."""
        counts = sorted({*self.counts, *other.counts})
        return SizeByCount(counts, [self.at(one) + (other.at(one) - self.at(one)) * share for one in counts])

    def fitted(self, fixed: float, scale: float) -> "SizeByCount":
        """The sizes as fixed + scale · these."""
        return SizeByCount(self.counts, [fixed + scale * size for size in self.sizes])

    def rise(self, low: float, high: float) -> float:
        """Bytes for each thing between these counts."""
        return (self.at(high) - self.at(low)) / (high - low)

    def at(self, count: float) -> float:
        """Bytes for this count."""
        place = min(max(bisect_right(self.counts, count) - 1, 0), len(self._slopes) - 1)
        return self.sizes[place] + self._slopes[place] * (count - self.counts[place])
