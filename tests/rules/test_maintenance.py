"""When maintenance is due, and what it takes away."""

import pytest

from wasim.rules.maintenance import (
    commit_at,
    is_due,
    kept_of_line,
    log_entries_dropped,
    rewritten_manifests,
    turn_after,
)


def test_a_count_is_due_once_it_is_reached():
    assert [is_due(count, 5) for count in (4, 5, 6)] == [False, True, True]


@pytest.mark.parametrize(("every_us", "interval_us"), [(70, 10), (10, 70), (25, 10)])
def test_the_next_run_is_the_first_after_a_later_commit(every_us, interval_us):
    for commit in range(20):
        turn = turn_after(commit, every_us, interval_us)
        assert commit_at(turn, every_us, interval_us) > commit >= commit_at(turn - 1, every_us, interval_us)


def test_a_rewrite_makes_no_manifest_without_an_entry():
    assert rewritten_manifests(1001, 9, 1000) == 2
    assert rewritten_manifests(9000, 3, 1000) == 3


@pytest.mark.parametrize(("oldest", "least", "kept"), [(3, 1, 7), (10, 1, 1), (10, 4, 4), (2, 20, 10)])
def test_old_snapshots_go_but_for_the_last_ones(oldest, least, kept):
    assert kept_of_line(range(9, -1, -1), oldest, least) == kept


def test_an_old_snapshot_among_the_last_ones_ends_no_branch():
    assert kept_of_line([9, 1, 8, 2, 7], 5, 2) == 3


def test_the_log_makes_room_for_one_entry():
    assert [log_entries_dropped(entries, 3) for entries in (2, 3, 7)] == [0, 1, 5]
