"""What follows the trend of the samples before."""

import numpy as np
import pytest

from wasim.machine.columns import (
    LIST_BYTES,
    REMOVED_FILES,
    SAMPLE_COLUMNS,
    SAMPLE_STATE,
    WRITTEN_FILES,
    WRITTEN_MANIFESTS,
)
from wasim.years.trend import carried_on, trend_of


def sampled(commits: np.ndarray, jitter: float = 0.0) -> np.ndarray:
    """A table whose manifests grow evenly, and whose lists therefore grow with the square of commits."""
    table = np.zeros((len(commits), SAMPLE_COLUMNS))
    table[:, 0], table[:, 1] = commits, commits / 10
    table[:, SAMPLE_STATE + LIST_BYTES] = commits**2 + jitter * np.sin(commits / 50) * commits**2
    table[:, SAMPLE_STATE + WRITTEN_MANIFESTS] = 3 * commits
    table[:, SAMPLE_STATE + WRITTEN_FILES] = 5 * commits
    table[:, SAMPLE_STATE + REMOVED_FILES] = 4 * commits
    return table


def test_an_even_growth_goes_on_as_it_was():
    table = sampled(np.arange(0.0, 400.0))
    assert trend_of(table).is_close
    ahead = carried_on(table, 4000.0, np.array([1234.0]))
    wanted = sampled(ahead[:, 0])
    for column in (1, SAMPLE_STATE + LIST_BYTES, SAMPLE_STATE + WRITTEN_MANIFESTS, SAMPLE_STATE + REMOVED_FILES):
        np.testing.assert_allclose(ahead[:, column], wanted[:, column], rtol=1e-6, atol=1e-3)
    assert 1234.0 in ahead[:, 0]
    assert ahead[-1, 0] == 4000


def test_a_growth_that_its_first_half_does_not_tell_is_not_carried_on():
    assert not trend_of(sampled(np.arange(0.0, 400.0), jitter=0.3)).is_close


def test_too_few_samples_have_no_trend():
    assert trend_of(sampled(np.arange(0.0, 50.0))) is None


@pytest.mark.parametrize(("commits", "width"), [(800.0, 2), (400_000.0, 10)])
def test_a_band_is_wider_the_farther_a_trend_is_followed(commits, width):
    trend = trend_of(sampled(np.arange(0.0, 401.0), jitter=0.001))
    for kind, error in trend.errors.items():
        assert trend.widths(commits)[kind] == pytest.approx(width * error)
