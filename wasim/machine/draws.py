"""Chance by a seed: the same draws in plain Python and compiled.

Source: B. A. Wichmann and I. D. Hill, Algorithm AS 183, Applied Statistics 31 (1982).
"""

from math import cos, floor, log, log1p, pi, sqrt

from wasim.machine.columns import SEED, Column

MANY = 30.0  # expected hits, from which on their number is drawn from a normal distribution


def uniform(state: Column) -> float:
    """A number between 0 and 1."""
    state[SEED] = (171 * state[SEED]) % 30269
    state[SEED + 1] = (172 * state[SEED + 1]) % 30307
    state[SEED + 2] = (170 * state[SEED + 2]) % 30323
    drawn = (state[SEED] / 30269 + state[SEED + 1] / 30307 + state[SEED + 2] / 30323) % 1.0
    return drawn if drawn > 0 else 1e-12


def binomial(state: Column, count: float, share: float) -> float:
    """How many of `count` things happen that happen with this probability each.

    Of a count that is no whole number the rest is one thing more, with that probability.
    """
    number = float(floor(count))
    if number < count and uniform(state) < count - number:
        number += 1
    if number <= 0 or share <= 0:
        return 0.0
    if share >= 1:
        return number
    if share > 0.5:
        return number - _rare(state, number, 1 - share)
    return _rare(state, number, share)


def _rare(state: Column, number: float, share: float) -> float:
    mean = number * share
    if mean > MANY:
        normal = sqrt(-2 * log(uniform(state))) * cos(2 * pi * uniform(state))
        return min(number, max(0.0, float(floor(mean + normal * sqrt(mean * (1 - share)) + 0.5))))
    found, place, each = 0.0, 0.0, log1p(-share)
    while True:
        place += floor(log(uniform(state)) / each) + 1
        if place > number:
            return found
        found += 1
