"""Decimal digits of numbers that grow by the same amount at every commit, counted and summed in closed form.

A snapshot's summary holds its totals as text, so each grows by one byte at every power of ten, and stays in every later
metadata.json. Nothing here is fitted.
"""

import numpy as np

from wasim.units import Ints

MAX_DIGITS = 19  # of a Java long


def digits_at(increment: float, commits: Ints) -> Ints:
    """Digits of `increment`·n for each n in `commits`; 1 for n = 0."""
    past = [commits >= first for first in _first_commits(increment)]
    return np.asarray(1 + np.sum(past, axis=0, dtype=np.int64))


def digits_through(increment: float, commits: Ints) -> Ints:
    """Σ over i = 1 … n of the digits of `increment`·i: n + Σ_j (n − t_j + 1)⁺, where t_j = ⌈10ʲ / increment⌉."""
    past = [np.maximum(commits - first + 1, 0) for first in _first_commits(increment)]
    return np.maximum(commits, 0) + np.sum(past, axis=0, dtype=np.int64)


def digits_through_all(increment: float, commits: Ints) -> Ints:
    """Σ over m = 1 … n of `digits_through(increment, m)`: triangular numbers of the same terms."""
    past = [np.maximum(commits - first + 1, 0) for first in _first_commits(increment)]
    return triangle(np.maximum(commits, 0)) + np.sum([triangle(count) for count in past], axis=0, dtype=np.int64)


def triangle(count: Ints) -> Ints:
    """1 + 2 + … + count."""
    return count * (count + 1) // 2


def _first_commits(increment: float) -> list[int]:
    """The first commit whose number has two digits, three digits … One at least, so that sums keep their shape."""
    exact = int(increment) if increment == int(increment) else None
    return [-(-(10**j) // exact) if exact else int(np.ceil(10**j / increment)) for j in range(1, MAX_DIGITS)]
