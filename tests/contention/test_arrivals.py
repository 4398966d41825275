"""When the commits of a race arrive."""

import numpy as np
import pytest

from wasim.contention import due_s


@pytest.mark.parametrize("arrivals", ["at_random", "evenly"])
def test_one_commit_is_due_every_interval(arrivals):
    due = due_s(arrivals, 2.0, 5000, 10, np.random.default_rng(0))
    assert due[-1] == pytest.approx(10_000, rel=0.05)
    assert (np.diff(due) > 0).all()
    assert np.std(np.diff(due)) == pytest.approx(2.0 if arrivals == "at_random" else 0.0, abs=0.1)


def test_all_writers_come_at_once_and_again_when_their_intervals_have_passed():
    due = due_s("at_once", 2.0, 30, 10, np.random.default_rng(0))
    assert due.tolist() == [0.0] * 10 + [20.0] * 10 + [40.0] * 10
