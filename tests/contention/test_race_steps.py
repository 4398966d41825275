"""Races of two writers whose times are always the same, worked out by hand, to the millisecond."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.races import DEFAULT_POLICY, constant

from wasim.contention import CONFLICT_RULES, Attempt, RaceRules, WriterGroup, race, races

POLICY = replace(
    DEFAULT_POLICY, commit_num_retries=3, commit_min_retry_wait_ms=5, commit_max_retry_wait_ms=19
)  # too short for any jitter
ALONE = WriterGroup(writers=1, times=constant())
PAIR = WriterGroup(writers=2, times=constant())


def run(*groups: WriterGroup, due_s: list[float], catalog: str = "jdbc", **more) -> list[Attempt]:
    """The attempts of as many commits as are due, of each group in turn where there are several."""
    rules = RaceRules(**({"groups": groups, "properties": POLICY, "rule": CONFLICT_RULES[catalog]} | more))
    of = [number % len(groups) for number in range(len(due_s))]
    made = race(range(1, len(due_s) + 1), due_s, rules, np.random.default_rng(0), group_of=of)
    return list(made)


def when(attempts: list[Attempt]) -> list[tuple[int, float, float]]:
    """Commit, and the moments at which each attempt read and ended."""
    return [(one.commit, round(one.read_s, 6), round(one.swap_s, 6)) for one in attempts]


def test_one_writer_s_commits_follow_each_other():
    # a second of work, half a second to write, a tenth to swap; the second one is due before the first has ended
    attempts = run(ALONE, due_s=[2.0, 3.0, 9.0])
    assert when(attempts) == [(1, 3.0, 3.6), (2, 4.6, 5.2), (3, 10.0, 10.6)]
    assert [one.began_s for one in attempts] == pytest.approx([2.0, 3.6, 9.0])
    assert [one.base for one in attempts] == [0, 1, 2]
    assert all(one.won and one.number == 1 for one in attempts)


def test_who_swaps_first_wins_and_the_other_retries():
    first, lost, again = run(PAIR, due_s=[0.0, 0.2])
    assert when([first, lost, again]) == [(1, 1.0, 1.6), (2, 1.2, 1.8), (2, 1.8, 2.2)]
    assert (first.won, lost.won, again.won) == (True, False, True)
    assert (lost.number, again.number, lost.base, again.base) == (1, 2, 0, 1)
    assert not any((one.failed or one.refused or one.invalid) for one in (first, lost, again))


def test_a_rename_is_the_swap_and_what_finishes_comes_after():
    attempts = run(PAIR, due_s=[0.0, 0.2, 0.0, 0.0], catalog="hadoop")
    # swapped as soon as written; the loser waits 5 ms, writes for 0.3 s; either goes on a tenth after its rename
    assert when(attempts)[:3] == [(1, 1.0, 1.5), (2, 1.2, 1.7), (2, 1.705, 2.005)]
    third = next(one for one in attempts if one.commit == 3)
    assert third.began_s == pytest.approx(1.6)


def test_a_server_that_looks_first_refuses_before_it_writes():
    won, refused, again = run(PAIR, due_s=[0.0, 0.2], catalog="rest")
    # it looks 0.05 s before metadata.json is written; a retry's wait is reckoned from when that would have been
    assert when([won, refused, again]) == [(1, 1.0, 1.6), (2, 1.2, 1.65), (2, 1.705, 2.105)]
    assert (refused.refused, refused.won, again.refused) == (True, False, False)
    one, late = run(PAIR, due_s=[0.0, 0.07], catalog="rest")[:2]
    assert (late.read_s, late.swap_s, late.refused) == (1.07, pytest.approx(1.67), False)  # it looked at 1.52
    assert one.won


def test_a_lost_attempt_waits_twice_as_long_each_time():
    # three writers: the last one loses to both others
    policy = replace(POLICY, commit_min_retry_wait_ms=8)
    attempts = run(replace(PAIR, writers=3), due_s=[0.0, 0.0, 0.0], catalog="hadoop", properties=policy)
    last = [one for one in attempts if one.number == 3]
    assert len(last) == 1
    mine = [one for one in attempts if one.commit == last[0].commit]
    assert [round(later.read_s - lost.swap_s, 6) for lost, later in pairwise(mine)] == [0.008, 0.016]


def test_a_long_wait_is_prolonged_by_a_tenth_at_most():
    waits = []
    for seed in range(20):
        rules = RaceRules(
            groups=(PAIR,),
            properties=replace(POLICY, commit_min_retry_wait_ms=1000, commit_max_retry_wait_ms=5000),
            rule=CONFLICT_RULES["hadoop"],
        )
        _, lost, again = race([1, 2], [0.0, 0.2], rules, np.random.default_rng(seed))
        waits.append(again.read_s - lost.swap_s)
    assert 1.0 <= min(waits) < 1.02
    assert 1.08 < max(waits) < 1.1


def test_a_commit_out_of_retries_or_time_fails():
    attempts = run(PAIR, due_s=[0.0, 0.2, 9.0, 0.0], properties=replace(POLICY, commit_num_retries=0))
    assert when(attempts)[:3] == [(1, 1.0, 1.6), (2, 1.2, 1.8), (4, 2.8, 3.4)]
    assert [(one.won, one.failed) for one in attempts] == [(True, False), (False, True), (True, False), (True, False)]
    assert attempts[2].began_s == 1.8
    patient = run(PAIR, due_s=[0.0, 0.2], properties=replace(POLICY, commit_total_retry_time_ms=100))
    assert [one.won for one in patient] == [True, False, True]  # the first retry is made whatever the time


def test_time_runs_from_when_a_commit_first_read_the_table():
    # against two others, the second loss ends 1.2 s after its first read
    three = replace(PAIR, writers=3, times=constant(first_s=0.5, later_s=0.5))
    for most_ms, fails in ((1250, False), (1150, True)):
        attempts = run(three, due_s=[0.0, 0.01, 0.02], properties=replace(POLICY, commit_total_retry_time_ms=most_ms))
        second = next(one for one in attempts if one.commit == 3 and one.number == 2)
        assert (second.won, round(second.swap_s, 6)) == (False, 2.22)
        assert second.failed == fails


def test_attempts_slow_with_each_commit_that_has_landed():
    attempts = run(ALONE, due_s=[0.0] * 3, slows_s=0.01)
    assert [round(one.swap_s - one.read_s, 6) for one in attempts] == [0.6, 0.61, 0.62]
    after = RaceRules(groups=(ALONE,), properties=POLICY, rule=CONFLICT_RULES["jdbc"], slows_s=0.01).after(5)
    assert after.groups[0].times.first_attempt_s == pytest.approx((0.55,))
    assert after.groups[0].times.later_attempt_s == pytest.approx((0.35,))


STATEMENT = WriterGroup(writers=1, times=constant(work_s=4.0), validates=True, validation_s=0.25)


def test_a_statement_reads_each_commit_that_landed_since_it_began():
    # appends land at 1.6, 3.2 and 4.8; the statement begins at 2.0 and reads at 6.0: two of them since
    attempts = run(ALONE, STATEMENT, due_s=[0.0, 2.0, 0.0, 99.0, 0.0, 99.0])
    mine = next(one for one in attempts if one.commit == 2)
    assert (mine.read_s, mine.swap_s) == (6.0, pytest.approx(6.0 + 2 * 0.25 + 0.5 + 0.1))
    assert mine.won
    assert mine.base == 3


@pytest.mark.parametrize("redoes", [True, False])
def test_commits_in_the_way_restart_or_end_a_statement(redoes: bool):
    clashing = replace(STATEMENT, clashes=(1.0, 0.0), redoes=redoes)
    after = run(ALONE, clashing, due_s=[3.1, 0.0])  # the append comes after the statement, and has to retry
    assert [(one.commit, one.won) for one in after] == [(2, True), (1, False), (1, True)]
    assert not any(one.invalid for one in after)
    before = run(ALONE, clashing, due_s=[2.0, 0.0])  # it lands at 3.6, before the statement reads at 4.0
    mine = [one for one in before if one.commit == 2]
    assert mine[0].invalid
    assert mine[0].refused
    assert (mine[0].read_s, mine[0].swap_s) == (4.0, 4.25)
    assert mine[0].failed != redoes
    assert len(mine) == (2 if redoes else 1)
    if redoes:  # its work begins anew, and nothing lands meanwhile
        assert (mine[1].began_s, mine[1].number) == (4.25, 1)
        assert (mine[1].read_s, mine[1].swap_s) == (8.25, pytest.approx(8.85))
        assert mine[1].won


def test_a_commit_is_in_the_way_once():
    """What a statement has looked at when it began, or at its last attempt, it does not look at again."""
    clashing = replace(STATEMENT, clashes=(1.0, 0.0))
    earlier = run(ALONE, clashing, due_s=[0.0, 2.0])  # the append landed at 1.6
    assert all(one.won for one in earlier)
    assert next(one for one in earlier if one.commit == 2).swap_s == pytest.approx(6.6)


def test_seldom_clashing_commits_are_seldom_in_the_way():
    clashing = replace(STATEMENT, times=constant(work_s=1.0), clashes=(0.5, 0.0))
    count = 600
    quick = replace(ALONE, times=constant(work_s=0.001, first_s=0.001, finish_s=0.001))
    due = [100.0 * (number // 2) + (0.5 if number % 2 == 0 else 0.0) for number in range(count)]
    attempts = run(quick, clashing, due_s=due)
    invalid = sum(one.invalid for one in attempts)
    assert invalid == pytest.approx(0.5 * count / 2, abs=0.1 * count / 2)


def test_races_go_on_where_room_or_draws_end(monkeypatch: pytest.MonkeyPatch):
    due = [0.4 * number for number in range(200)]
    whole = run(PAIR, due_s=due)
    monkeypatch.setattr(races, "_ATTEMPTS_AT_ONCE", 7)
    assert run(PAIR, due_s=due) == whole
    monkeypatch.setattr(races, "_DRAWN_AT_ONCE", 16)
    assert when(run(PAIR, due_s=due)) == when(whole)  # whose times need no chance
