"""Sums over like commits in closed form: of digits of growing numbers, and of sizes that grow with a count."""

from collections.abc import Sequence
from itertools import accumulate

from wasim.units import Floats

TABULATED = 512


def digits(value: float) -> int:
    """Digits of a whole number that is not negative."""
    return len(str(int(value + 0.5)))


def digits_through(start: float, step: float, count: float) -> float:
    """Digits of start + step, start + 2 · step … in all, for so many of them; `step` is not negative."""
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

    `counts` ascend and begin with 1; `sizes` are the bytes measured.
    """

    def __init__(self, counts: Sequence[float], sizes: Sequence[float] | Floats) -> None:
        self._points = [(float(count), float(size)) for count, size in zip(counts, sizes, strict=True)]
        self.slope = self._last_slope()
        self._sums = list(accumulate((self.at(count) for count in range(1, TABULATED + 1)), initial=0.0))

    def _last_slope(self) -> float:
        if len(self._points) == 1:
            return 0.0
        (low, small), (high, large) = self._points[-2:]
        return (large - small) / (high - low)

    def at(self, count: float) -> float:
        """Bytes for this count."""
        points = self._points
        if count >= points[-1][0] or len(points) == 1:
            return points[-1][1] + self.slope * (count - points[-1][0])
        place = next(place for place, (at, _) in enumerate(points) if at > count)
        (low, small), (high, large) = points[max(place - 1, 0)], points[max(place, 1)]
        return small + (large - small) * (count - low) / (high - low)

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
