"""Sums over like commits in closed form: of digits of growing numbers, and of sizes that grow with a count."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from wasim.units import Floats

TABULATED = 512
_POWERS = [10.0**digits for digits in range(1, 23)]  # all that a float holds exactly


def digits(value: float) -> int:
    """Digits of a whole number that is not negative."""
    return bisect_right(_POWERS, value + 0.5) + 1


def digits_through(start: float, step: float, count: float) -> float:
    """Digits of start + step, start + 2 · step … in all, for the first `count` of them; `step` is not negative."""
    least, most = digits(start + step), digits(start + step * count)
    if least == most or step <= 0:
        return least * count
    total = least * count
    for number in range(least, most):
        first = (10.0**number - start) / step  # from here on they have one digit more
        total += max(0.0, count - max(0.0, -(-first // 1) - 1))
    return total


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
    def _sums(self) -> list[float]:
        return list(accumulate((self.at(count) for count in range(1, TABULATED + 1)), initial=0.0))

    def mean(self, other: "SizeByCount", share: float) -> "SizeByCount":
        """The sizes between these and others: `share` of the way."""
        counts = sorted({*self.counts, *other.counts})
        return SizeByCount(counts, [self.at(one) + (other.at(one) - self.at(one)) * share for one in counts])

    def fitted(self, fixed: float, scale: float) -> "SizeByCount":
        """The sizes as fixed + scale · these."""
        return SizeByCount(self.counts, [fixed + scale * size for size in self.sizes])

    def at(self, count: float) -> float:
        """Bytes for this count."""
        place = min(max(bisect_right(self.counts, count) - 1, 0), len(self._slopes) - 1)
        return self.sizes[place] + self._slopes[place] * (count - self.counts[place])

    def through(self, count: float) -> float:
        """The sum of `at` over 1, 2 … count."""
        if count <= 0:
            return 0.0
        if count < TABULATED:
            whole = int(count)
            part = count - whole
            return self._sums[whole] + part * (self._sums[whole + 1] - self._sums[whole])
        beyond = count - TABULATED
        first = self.at(TABULATED)
        return self._sums[TABULATED] + beyond * first + self.slope * beyond * (beyond + 1) / 2
