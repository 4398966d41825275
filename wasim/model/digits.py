"""Decimal digits of numbers that grow by the same amount at every commit, counted and summed in closed form.

A snapshot's summary holds its totals as text, so each grows by one byte at every power of ten, and stays in every later
metadata.json. Nothing here is fitted.
"""

from functools import lru_cache

import numpy as np

from wasim.units import Ints

MAX_DIGITS = 19  # of a Java long


def digits_at(increment: float, commits: Ints) -> Ints:
    """Digits of `increment`·n for each n in `commits`; 1 for n = 0."""
    return np.asarray(1 + np.sum(commits[..., None] >= _first_commits(increment), axis=-1, dtype=np.int64))


def digits_through(increment: float, commits: Ints) -> Ints:
    """Σ over i = 1 … n of the digits of `increment`·i: n + Σ_j (n − t_j + 1)⁺, where t_j = ⌈10ʲ / increment⌉."""
    return np.asarray(np.maximum(commits, 0) + np.sum(_past(increment, commits), axis=-1, dtype=np.int64))


def _past(increment: float, commits: Ints) -> Ints:
    """For each number of commits, and each further digit: commits that have it."""
    return np.asarray(np.maximum(commits[..., None] - _first_commits(increment) + 1, 0))


@lru_cache(maxsize=4096)
def _first_commits(increment: float) -> Ints:
    """The first commit whose number has two digits, three digits …"""
    exact = int(increment) if increment == int(increment) else None
    firsts = [-(-(10**j) // exact) if exact else int(np.ceil(10**j / increment)) for j in range(1, MAX_DIGITS)]
    return np.array(firsts, dtype=np.int64)
