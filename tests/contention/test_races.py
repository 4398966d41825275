"""Who wins a race: lost attempts, retries and their waits, and statements that commits of others make invalid."""

from bisect import bisect_right
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.races import DEFAULT_POLICY, constant, raced, share_lost, times
from support.synthetic import synthetic_case

from wasim.contention import CONFLICT_RULES, RaceRules, WriterGroup, load_providers, race, race_of, race_steps, rules_of
from wasim.contention.races import SNAPSHOT_BYTES, _compiled_run
from wasim.contention.writer_times import PARTS
from wasim.scenario import Case
from wasim.workload import Append


def test_one_writer_alone_loses_nothing():
    attempts = raced(1)
    assert [one.commit for one in attempts] == list(range(1, 41))
    assert all(one.won for one in attempts)


def test_more_writers_lose_more():
    shares = [np.mean([share_lost(raced(writers, 200, seed=seed)) for seed in range(5)]) for writers in (2, 4, 8)]
    assert shares == sorted(shares)
    assert 0.05 < shares[0] < shares[-1] < 0.9


@pytest.mark.parametrize("catalog", ["jdbc", "hadoop", "rest"])
def test_an_attempt_is_lost_if_another_landed_meanwhile(catalog):
    attempts = raced(4, 200, catalog=catalog)
    assert any(one.refused for one in attempts) == (catalog == "rest")
    landed_s = [one.swap_s for one in attempts if one.won]
    for one in attempts:
        since = [at_s for at_s in landed_s if one.read_s < at_s < one.swap_s]
        assert one.won == (not since)
        assert one.base == sum(at_s <= one.read_s for at_s in landed_s)


def test_a_commit_fails_after_one_attempt_more_than_retries():
    attempts = raced(8, 200, retries=2)
    tries = Counter(one.commit for one in attempts)
    assert max(tries.values()) == 3
    assert all(tries[one.commit] == 3 for one in attempts if one.failed)
    assert any(one.failed for one in attempts)
    assert {one.commit for one in attempts if one.won or one.failed} == set(range(1, 201))


def test_a_commit_is_tried_again_after_its_lost_attempt():
    by_commit: dict[int, list] = {}
    for one in raced(4, 200, retries=9):
        for before in by_commit.get(one.commit, [])[-1:]:
            assert one.read_s >= before.swap_s
        by_commit.setdefault(one.commit, []).append(one)


@pytest.mark.parametrize("quantiles", [(0.5,), (0.1, 0.4), (0.01, 0.02, 0.1, 3.0)])
def test_times_are_drawn_between_the_logarithms_of_quantiles(quantiles: tuple[float, ...]):
    uniforms = [0.0, 0.1, 0.25, 0.5, 0.9, 0.999]
    levels = replace(times(2), finish_s=quantiles).logarithms("finish_s")
    counts, nothing = [0] * (race_steps.LANDED_BY + 1), [[0.0]]
    of_parts = [nothing[0]] * race_steps.FINISH_S + [levels]
    field = race_steps.Field(*[nothing] * 4, of_parts, nothing, [0.0], counts, uniforms, nothing, [0])
    found = [race_steps.time_of(field, [0.0] * race_steps.WRITER, race_steps.FINISH_S) for _ in uniforms]
    assert found == pytest.approx(
        np.exp(np.interp(uniforms, np.linspace(0, 1, len(quantiles)), np.log(quantiles))).tolist()
    )


def mixed(clash: float, *, redoes: bool, commits: int = 400):
    """A writer's appends, and as many statements of another one, whose job takes ten times as long."""
    statements = WriterGroup(
        writers=1, times=times(1, work_s=1.0), validates=True, validation_s=0.01, clashes=(clash, 0.0), redoes=redoes
    )
    rules = RaceRules(
        groups=(WriterGroup(writers=1, times=times(1)), statements),
        properties=DEFAULT_POLICY,
        rule=CONFLICT_RULES["jdbc"],
    )
    numbers, due_s = range(1, commits + 1), [commit / 4 for commit in range(commits)]
    return race(numbers, due_s, rules, np.random.default_rng(0), group_of=[number % 2 for number in numbers])


def test_a_statement_made_invalid_by_others_fails_or_begins_again():
    assert not any(one.invalid for one in mixed(0.0, redoes=True))
    assert not any(one.invalid and one.commit % 2 == 0 for one in mixed(0.3, redoes=True))
    failing = [one for one in mixed(0.3, redoes=False) if one.invalid]
    assert failing
    assert all(one.failed and not one.won for one in failing)
    again = mixed(0.3, redoes=True)
    redone = {one.commit for one in again if one.invalid}
    assert redone
    assert not any(one.failed for one in again if one.invalid)
    landed = {one.commit for one in again if one.won}
    assert len(redone & landed) > 0.9 * len(redone)


def test_a_statement_reads_what_has_landed_since_it_began():
    # of two retries, the later one has more to read
    slow = [one for one in mixed(0.0, redoes=True) if one.commit % 2]
    appends = [one for one in mixed(0.0, redoes=True) if not one.commit % 2]
    assert np.mean([one.swap_s - one.read_s for one in slow]) > np.mean([one.swap_s - one.read_s for one in appends])


@given(
    writers=st.tuples(st.integers(1, 5), st.integers(1, 3)),
    catalog=st.sampled_from(["jdbc", "hadoop", "rest"]),
    retries=st.integers(0, 4),
    every_s=st.sampled_from([0.0, 0.05, 0.4]),
    seed=st.integers(0, 99),
)
def test_in_any_race_every_commit_ends_once_and_in_turn(writers, catalog, retries, every_s, seed):
    groups = tuple(WriterGroup(writers=count, times=times(count, catalog=catalog)) for count in writers)
    policy = replace(
        DEFAULT_POLICY, commit_num_retries=retries, commit_min_retry_wait_ms=5, commit_max_retry_wait_ms=20
    )
    rules = RaceRules(groups=groups, properties=policy, rule=CONFLICT_RULES[catalog])
    due_s, of = [every_s * number for number in range(60)], [number % 2 for number in range(60)]
    attempts = list(race(range(1, 61), due_s, rules, np.random.default_rng(seed), group_of=of))
    assert [one.swap_s for one in attempts] == sorted(one.swap_s for one in attempts)
    by_commit: dict[int, list] = {}
    for one in attempts:
        by_commit.setdefault(one.commit, []).append(one)
    assert sorted(by_commit) == list(range(1, 61))
    free_s: dict[tuple[int, int], float] = {}
    for commit, tried in sorted(by_commit.items()):
        *lost, last = tried
        assert [one.number for one in tried] == list(range(1, len(tried) + 1))
        assert last.won != last.failed
        assert not any(one.won or one.failed for one in lost)
        assert not last.failed or len(tried) == retries + 1
        group, turn = of[commit - 1], (commit - 1) // 2
        writer = group, turn % writers[group]
        began_s, free_from_s = tried[0].began_s, free_s.get(writer, 0.0)
        assert began_s >= max(due_s[commit - 1], free_from_s) - 1e-9
        # as soon as it may: where the swap is to write, what finishes a commit comes after it
        assert began_s == pytest.approx(due_s[commit - 1]) or began_s <= free_from_s + 0.016
        assert all(earlier.swap_s <= later.read_s for earlier, later in pairwise(tried))
        free_s[writer] = last.swap_s
    landed_s = sorted(one.swap_s for one in attempts if one.won)
    for one in attempts:
        assert one.base == bisect_right(landed_s, one.read_s)
        assert one.won == (one.base == bisect_right(landed_s, one.swap_s) - one.won)


def test_a_race_without_commits_has_no_attempt():
    rules = RaceRules(
        groups=(WriterGroup(writers=2, times=times(2)),), properties=DEFAULT_POLICY, rule=CONFLICT_RULES["rest"]
    )
    assert len(race([], [], rules, np.random.default_rng(0))) == 0


@pytest.mark.parametrize(("catalog", "writers"), [("jdbc", 40), ("rest", 3), ("hadoop", 8)])
def test_compiled_a_race_is_the_same_to_the_last_digit(monkeypatch: pytest.MonkeyPatch, catalog: str, writers: int):
    pytest.importorskip("numba")
    found = []
    for before in (-1, 10**9):
        monkeypatch.setattr("wasim.contention.races.BEFORE_LOADING", before)
        monkeypatch.setattr("wasim.contention.races.BEFORE_COMPILING", before)
        assert (_compiled_run(1) is not None) == (before < 0)
        found.append((list(raced(writers, 3000, catalog=catalog)), list(mixed(0.3, redoes=writers > 4))))
    assert found[0] == found[1]


def test_parts_of_a_commit_are_numbered_in_their_order():
    assert [getattr(race_steps, part.upper()) for part in PARTS] == list(range(race_steps.PART_COUNT))


def step_of(first_commit: int, commits: int) -> Append:
    return Append(
        number=first_commit,
        first_commit=first_commit,
        commits=commits,
        rows_per_commit=10,
        replaced_per_commit=0,
        merges=False,
        table=raced_case().table,
    )


def raced_case(arrivals: str = "evenly", catalog: str = "jdbc", **properties: str) -> Case:
    """Three writers that commit every ten seconds."""
    case = synthetic_case(writer="batch", interval_s=10.0, properties=properties)
    writer = case.writer.model_copy(update={"writers": 3, "arrivals": arrivals})
    return replace(case, writer=writer, environment=case.environment.model_copy(update={"catalog": catalog}))


TOGETHER = [replace(constant(), writers=3), replace(constant(), writers=3, catalog="rest")]


def test_commits_of_a_step_are_due_as_in_the_case():
    rng = np.random.default_rng(0)
    attempts = list(race_of(raced_case(), TOGETHER, step_of(1, 4), passed_s=0.0, rng=rng))
    assert [one.commit for one in attempts] == [1, 2, 3, 4]
    assert [one.began_s for one in attempts] == [10, 20, 30, 40]
    later = list(race_of(raced_case(), TOGETHER, step_of(5, 3), passed_s=42.0, rng=rng))
    assert [one.commit for one in later] == [5, 6, 7]
    assert [one.began_s for one in later] == [8, 18, 28]  # of the fifth commit at 50 s, 42 have passed
    at_once = list(race_of(raced_case("at_once"), TOGETHER, step_of(4, 3), passed_s=25.0, rng=rng))
    assert {one.began_s for one in at_once} == {5}
    free = list(race_of(raced_case("when_free"), TOGETHER, step_of(4, 3), passed_s=25.0, rng=rng))
    assert {one.began_s for one in free} == {0}
    few = race_of(raced_case("at_random"), TOGETHER, step_of(9, 500), passed_s=1e6, rng=rng)
    assert max(few.began_s) == pytest.approx(5000, rel=0.1)  # chance has no memory


def test_a_case_has_rules_of_its_catalog_and_table():
    own = {"commit.retry.num-retries": "9"}
    found = rules_of(raced_case(catalog="rest", **own), TOGETHER)
    assert (found.properties.commit_num_retries, found.rule) == (9, CONFLICT_RULES["rest"])
    (group,) = found.groups
    assert (group.writers, group.times.catalog) == (3, "rest")
    assert not group.validates
    engine = load_providers().engine.ms_per_mib
    assert found.slows_s == pytest.approx(engine / 1000 * SNAPSHOT_BYTES / 2**20)
    measured = rules_of(raced_case(), [replace(TOGETHER[0], ms_per_mib=2.0 * engine)])
    assert measured.slows_s == pytest.approx(2 * found.slows_s)


def test_attempts_are_the_same_as_rows_and_columns():
    attempts = raced(3, 30)
    rows = list(attempts)
    assert len(attempts) == len(rows)
    assert [one.won for one in rows] == attempts.won.tolist()
    assert list(attempts.of(attempts.won)) == [one for one in rows if one.won]
    assert list(attempts.of(attempts.commit == 7)) == [one for one in rows if one.commit == 7]
