"""When a writer commits: the first of its counts, and idle intervals."""

from wasim.rules.trigger import commits_when_idle, first_s


def test_whatever_is_reached_first_makes_the_writer_commit():
    assert first_s(60.0, []) == 60.0
    assert first_s(60.0, [(1000, 100.0), (500, 100.0)]) == 5.0
    assert first_s(3.0, [(1000, 100.0)]) == 3.0


def test_every_tenth_empty_interval_commits():
    assert [empty for empty in range(31) if commits_when_idle(empty, 10)] == [10, 20, 30]
    assert not any(commits_when_idle(empty, None) for empty in range(31))
