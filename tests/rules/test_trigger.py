"""When a writer commits: the first of its counts, and idle intervals."""

import pytest

from wasim.rules.trigger import commits_of, first_s


def test_whatever_is_reached_first_makes_the_writer_commit():
    assert first_s(60.0, []) == 60.0
    assert first_s(60.0, [(1000, 100.0), (500, 100.0)]) == 5.0
    assert first_s(3.0, [(1000, 100.0)]) == 3.0


@pytest.mark.parametrize("idle_every", [None, 0, 1, 3])
@pytest.mark.parametrize("times_us", [(30, 5, 1), (70, 20, 15), (86, 30, 30), (20, 7, 30)])
def test_runs_of_commits_are_those_of_each_interval_asked_alone(times_us, idle_every):
    every_us, lasts_us, interval_us = times_us
    expected, idle = [], 0
    for commit in range(1, 60):
        brings_rows = (commit - 1) * interval_us % every_us < lasts_us
        idle = 0 if brings_rows else idle + 1
        if brings_rows or (idle_every and idle % idle_every == 0):
            expected.append((commit, brings_rows))
    for first in (1, 17, 40):
        runs = commits_of(first, 59, times_us, idle_every)
        found = [(start + more, rows) for start, count, rows in runs for more in range(count)]
        assert found == [one for one in expected if one[0] >= first]
