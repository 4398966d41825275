"""Times of writers: between those that were measured."""

import pytest
from support.races import times

from wasim.contention import times_among
from wasim.errors import WasimError


def test_times_between_two_that_were_measured_lie_between():
    two, eight = times(2, work_s=0.1), times(8, work_s=0.4)
    assert times_among([eight, two], "jdbc", 5).work_s == pytest.approx(times(5, work_s=0.25).work_s)
    assert times_among([two, eight], "jdbc", 16).work_s == eight.work_s
    with pytest.raises(WasimError, match="no times of several writers in the catalog in_memory"):
        times_among([two, eight], "in_memory", 2)
