"""Intervals that are tried."""

from wasim.capacity.settings import intervals_of


def test_intervals_end_at_the_longest():
    assert intervals_of(30.0) == (1.0, 5.0, 10.0, 30.0)
    assert intervals_of(90.0)[-2:] == (60.0, 90.0)
    assert intervals_of(0.3) == (0.1, 0.3)
    assert len(intervals_of(86400.0)) == 8
