"""When a lost commit is retried, and what a catalog does with a stale one."""

import pytest

from wasim.contention import CONFLICT_RULES
from wasim.contention.conflicts import JITTER, gives_up, jitter_ms, wait_ms


def test_a_commit_gives_up_after_its_retries_or_its_time():
    asked = [(1, 5000), (2, 1000), (2, 1001), (3, 0)]
    assert [gives_up(*one, retries=2, most_total_ms=1000) for one in asked] == [False, False, True, True]


def test_waits_double_up_to_the_most():
    assert [wait_ms(attempt, 100, 1_000) for attempt in (1, 2, 3, 4, 5, 9)] == [100, 200, 400, 800, 1_000, 1_000]
    assert wait_ms(10_000, 1, 60_000) == 60_000  # however many there were
    assert wait_ms(1, 500, 100) == 100
    assert [wait_ms(attempt, 3, 20) for attempt in (1, 2, 3, 4)] == [3, 6, 12, 20]


@pytest.mark.parametrize(
    ("waits_ms", "uniform", "more_ms"),
    [(1_000, 0.0, 0), (1_000, 0.5, 50), (1_000, 0.999, 99), (19, 0.999, 0), (20, 0.6, 1), (0, 0.999, 0)],
)
def test_jitter_is_a_share_of_a_wait_in_whole_milliseconds(waits_ms: int, uniform: float, more_ms: int):
    assert jitter_ms(waits_ms, uniform) == more_ms <= JITTER * waits_ms


def test_only_rest_servers_look_first_and_only_files_rename():
    assert {name for name, rule in CONFLICT_RULES.items() if rule.checks_first} == {"rest", "unity"}
    assert {name for name, rule in CONFLICT_RULES.items() if rule.swaps_by_writing} == {"hadoop"}
    assert {name for name, rule in CONFLICT_RULES.items() if rule.deletes_losers} == {"hadoop", "glue", "hive"}
