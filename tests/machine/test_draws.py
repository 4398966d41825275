"""Draws by a seed."""

from statistics import mean, pvariance

import pytest

from wasim.machine.columns import SEED, STATE
from wasim.machine.draws import binomial, uniform


def seeded(seed: float) -> list[float]:
    state = [0.0] * STATE
    state[SEED : SEED + 3] = seed, seed + 1, seed + 2
    return state


@pytest.mark.parametrize(("count", "share"), [(3.0, 0.2), (12.5, 0.4), (40.0, 0.9), (500.0, 0.3), (1e6, 1e-5)])
def test_draws_have_the_mean_and_the_variance_of_their_distribution(count, share):
    state = seeded(11)
    drawn = [binomial(state, count, share) for _ in range(4000)]
    spread = (count * share * (1 - share) + 0.25) ** 0.5
    assert mean(drawn) == pytest.approx(count * share, abs=5 * spread / 4000**0.5)
    assert pvariance(drawn) == pytest.approx(count * share * (1 - share), rel=0.1, abs=0.1)
    assert all(value == int(value) for value in drawn)


def test_a_seed_repeats_its_draws():
    first, second = seeded(5), seeded(5)
    assert [uniform(first) for _ in range(5)] == [uniform(second) for _ in range(5)]
    assert uniform(first) != uniform(seeded(6))
