"""Times of writers: between those that were measured."""

import numpy as np
import pytest
from support.races import times

from wasim.contention import due_s, times_among
from wasim.errors import WasimError


def test_times_between_two_that_were_measured_lie_between():
    two, eight = times(2, work_s=0.1), times(8, work_s=0.4)
    assert times_among([eight, two], "jdbc", 5).work_s == pytest.approx(times(5, work_s=0.25).work_s)
    assert times_among([two, eight], "jdbc", 16).work_s == eight.work_s
    with pytest.raises(WasimError, match="no times of several writers in the catalog in_memory"):
        times_among([two, eight], "in_memory", 2)


@pytest.mark.parametrize("arrivals", ["at_random", "evenly"])
def test_one_commit_is_due_every_interval(arrivals):
    due = due_s(arrivals, 2.0, 5000, 10, np.random.default_rng(0))
    assert due[-1] == pytest.approx(10_000, rel=0.05)
    assert (np.diff(due) > 0).all()
    assert np.std(np.diff(due)) == pytest.approx(2.0 if arrivals == "at_random" else 0.0, abs=0.1)


def test_all_writers_come_at_once_every_interval():
    due = due_s("at_once", 2.0, 30, 10, np.random.default_rng(0))
    assert due.tolist() == [0.0] * 10 + [20.0] * 10 + [40.0] * 10
