"""The machine: what it merges is what Iceberg merges, and it comes to the same compiled and as it stands."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.machine import entries_of
from support.paths import SCENARIOS

from wasim.compiled import compiled
from wasim.rules.merging import MergePolicy, bins_to_merge
from wasim.scenario import Case, load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import History, read_shape
from wasim.years.compiled import compiled_run
from wasim.years.history import missed_s, new_table
from wasim.years.jobs import jobs_of
from wasim.years.laws import laws_of
from wasim.years.machine.files import partitions_so_far, put_together, small_of
from wasim.years.machine.manifests import commits_until_merge, leave_deletes, merge, settle
from wasim.years.machine.run import run
from wasim.years.machine.tables import (
    BYTES,
    COHORTS,
    COUNT,
    DEALT,
    FRESH,
    MOST_KINDS,
    PARTIAL_FILES,
    SETTLED_FILES,
    SMALL_FILES,
    WITH_DATA,
    Laws,
)
from wasim.years.machine.taken import mark_newest, take, thin, want

RUNS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 900)), min_size=1, max_size=6)


def table_of(name: str, number: int, commits: float) -> History:
    """The table of a scenario after so many commits."""
    case = load_scenario(SCENARIOS / f"{name}.yaml").cases()[number]
    case = replace(case, horizon_s=commits * case.commit_interval_s)
    return History(case=case, shape=read_shape(case, shipped_profile(case), Site()))


@pytest.fixture(scope="module")
def laws() -> Laws:
    """The laws of a table whose appends merge."""
    table = table_of("remedies", 9, 1)
    return laws_of(table.case, table.shape, jobs_of(table.case, table.shape.arrivals))


@example(runs=[(91, 1)], least=2)  # one manifest larger than the target
@given(runs=RUNS, least=st.integers(2, 30))
def test_the_next_merge_is_foretold_to_the_commit(runs: list[tuple[int, int]], least: int, laws: Laws):
    rules, table = replace(laws, target=1000.0, least=float(least), merges=1, packs=1), new_table()
    for place, (count, size) in enumerate(runs):
        row = table.rows[0][place]
        row[COUNT], row[BYTES], row[FRESH] = float(count), float(size), 1.0
    table.used[0] = len(runs)
    merge(table, rules, 0)
    settle(table, 0, MOST_KINDS)
    until = commits_until_merge(table, rules, 0, 110.0)
    rows = table.rows[0][: table.used[0]]
    newest_first = [size for row in reversed(rows) for size in [row[BYTES]] * round(row[COUNT])]
    policy, commits = MergePolicy(enabled=True, min_count=least, target_bytes=1000), 0
    while commits < 400:
        commits += 1
        newest_first.insert(0, 110.0)
        if bins_to_merge([int(size) for size in newest_first], policy):
            break
    assert commits == min(until, 400)


@pytest.mark.parametrize(("name", "number", "commits"), [("compaction", 1, 20_000), ("remedies", 9, 50_000)])
def test_what_was_written_less_the_removed_is_there(name: str, number: int, commits: int):
    stepped = table_of(name, number, commits)
    flows, table = stepped.run().flows[-1], stepped.table
    there = small_of(table, SMALL_FILES) + small_of(table, PARTIAL_FILES) + table.numbers[SETTLED_FILES]
    assert flows[15] - flows[19] == pytest.approx(there, rel=1e-9)


COMPILED = [("compaction", 2, 9_000), ("flink_upsert", 1, 9_000), ("remedies", 2, 9_000)]
COMPILED += [("cow_vs_mor", number, 2_000) for number in range(4)]


@pytest.mark.parametrize(("name", "number", "commits"), COMPILED)
def test_compiled_a_table_comes_to_the_same(name: str, number: int, commits: int, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("numba")
    flows = []
    for before in (-1.0, 1e18):
        monkeypatch.setattr("wasim.years.history.BEFORE_LOADING", before)
        monkeypatch.setattr("wasim.years.history.BEFORE_COMPILING", before)
        table = table_of(name, number, commits)
        assert (table._run is run) == (before > 0)
        flows.append(table.run().flows[-1])
    np.testing.assert_allclose(*flows, rtol=1e-9)
    monkeypatch.setattr("wasim.years.compiled.compiled", compiled.__wrapped__)
    assert compiled_run(compiles=False) is not None  # kept for the next process


def test_where_numba_is_told_not_to_compile_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert compiled.__wrapped__((), "run", compiles=True) is None


def test_without_numba_tables_are_stepped_through_all_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("wasim.years.history.BEFORE_LOADING", -1.0)
    monkeypatch.setattr("wasim.years.history.compiled_run", lambda **_: None)
    assert table_of("smoke", 1, 300).run().commits[-1] == 300


def test_without_numba_what_it_would_have_saved_is_known(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("wasim.years.history.compiled_run", lambda **_: None)
    monkeypatch.setattr("wasim.years.history.BEFORE_COMPILING", 1e18)
    before = missed_s()
    table_of("cow_vs_mor", 2, 300).run()
    assert missed_s() == before  # too little to compile anything for
    monkeypatch.setattr("wasim.years.history.BEFORE_COMPILING", -1.0)
    table_of("cow_vs_mor", 2, 300).run()
    assert missed_s() > before


def test_samples_around_jobs_become_fewer_where_jobs_are_very_many(
    small_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("wasim.years.history.DENSE", 600)
    case = small_case(horizon="40000s", maintenance="{rewrite_data_files: {every: 10s}}")
    table = History(case=case, shape=read_shape(case, shipped_profile(case), Site()))
    samples = table.run()
    assert 600 < len(samples.commits) < 3_000  # of 8,000
    assert (np.diff(samples.commits) >= 0).all()
    assert samples.flows[-1][0] == 44_000


@example(runs=[(3, 1100.0, 4), (5, 400.0, 0)], taken=2.5, newest=False, by_chance=False)
@given(
    runs=st.lists(st.tuples(st.integers(1, 9), st.floats(50, 1100), st.integers(0, 9)), min_size=1, max_size=12),
    taken=st.just(0.0) | st.floats(1e-3, 30),  # less than a thousandth of a file is nothing, or a trace
    newest=st.booleans(),
    by_chance=st.booleans(),
)
def test_a_statement_leaves_the_entries_that_it_does_not_take(
    runs: list[tuple[int, float, int]], taken: float, newest: bool, by_chance: bool, laws: Laws
):
    table = new_table()
    for place, (count, size, entries) in enumerate(runs):
        row = table.rows[0][place]
        row[COUNT], row[BYTES], row[FRESH] = float(count), size, float(entries)
    table.used[0] = len(runs)
    there = sum(count * entries for count, _, entries in runs)
    for kind, amount in enumerate((taken, 0.0, 0.0)):
        want(table, kind, amount, newest)
    rewritten = take(table, laws, 0, newest, by_chance)
    left = entries_of(table, FRESH)
    assert left == pytest.approx(max(0.0, there - taken), abs=1e-6)
    assert (rewritten > 0) == (min(taken, there) > 0)
    merge(table, replace(laws, packs=1, target=1000.0, least=3.0), 0)
    settle(table, 0, MOST_KINDS)
    assert entries_of(table, FRESH) == pytest.approx(left, rel=1e-5, abs=1e-5)


def test_scattered_entries_go_by_chance_their_manifests_are_rewritten(laws: Laws):
    table = new_table()
    for place, (count, entries) in enumerate(((4.0, 4.0), (6.0, 1.0))):
        row = table.rows[0][place]
        row[COUNT], row[BYTES], row[FRESH] = count, 900.0, entries
    table.used[0] = 2
    mark_newest(table, 0, np.inf, (0.5, 0.0, 0.0))
    assert thin(table, laws, 0, 1.0, 0.0) == pytest.approx(4 * (1 - 0.5**4) + 6 * 0.5)
    assert entries_of(table, FRESH) == pytest.approx(0.5 * (16 + 6))


def test_a_trace_of_a_manifest_never_fills_a_bin(laws: Laws):
    """Statements on scattered rows leave ever smaller shares of a manifest: one below 1e-9 is none, not a full bin."""
    table = new_table()
    for place, count in enumerate((1e-10, 1.0, 1e-10, 2.0)):
        row = table.rows[0][place]
        row[COUNT], row[BYTES], row[FRESH] = count, 8_000.0, 1.0
    table.used[0] = 4
    merge(table, replace(laws, packs=1, target=8 * 2.0**20, least=2.0), 0)
    settle(table, 0, MOST_KINDS)
    assert [row[FRESH] for row in table.rows[0][: table.used[0]]] == [pytest.approx(3.0, abs=1e-6)]


def test_manifests_of_deletes_stand_behind_data_until_it_is_merged():
    table = table_of("cow_vs_mor", 3, 150)
    table.run()
    rows = table.table.rows[1][: table.table.used[1]]
    behind_data, listed = sum(row[COUNT] * row[WITH_DATA] for row in rows), sum(row[COUNT] for row in rows)
    assert 0 < behind_data < listed / 2
    leave_deletes(table.table, 1.0)
    assert [row[WITH_DATA] for row in rows] == [0] * len(rows)


def test_every_scattered_statement_of_a_month_is_carried_out():
    """Averages over cycles had 8 times too few bytes of data manifests here: these are merged ever more rarely."""
    case = load_scenario(SCENARIOS / "cow_vs_mor.yaml").cases()[0]
    shape = read_shape(case, shipped_profile(case), Site())
    month = replace(case, horizon_s=30_000 * case.commit_interval_s)
    flows = History(case=month, shape=shape).run().flows
    assert flows[-1][0] == 45_000  # every statement is a commit
    halves = [flows[np.searchsorted(flows[:, 0], at)] for at in (22_500, 45_000)]
    assert halves[1][3] == pytest.approx(2 * halves[0][3], rel=0.02)


@pytest.mark.parametrize(
    ("lifetime", "commits", "partitions"), [(1.0, 0, 3), (1.0, 5, 15), (4.0, 1, 6), (4.0, 8, 12), (4.0, 9, 18)]
)
def test_partitions_are_as_many_as_have_been_open(lifetime: float, commits: int, partitions: int, laws: Laws):
    """Three come with each commit where none outlives one; else six at a time, for so many commits."""
    table = new_table()
    table.numbers[DEALT] = commits
    rules = replace(laws, lifetime=lifetime, partitions=3.0, open_partitions=6.0)
    assert partitions_so_far(table, rules) == partitions


def test_partitions_put_together_hold_what_both_hold_on_average():
    table = new_table()
    table.numbers[COHORTS] = 2
    for place, row in enumerate(([1.0, 4.0, 40.0, 2.0, 20.0], [3.0, 8.0, 80.0, 6.0, 60.0])):
        table.cohorts[place][: len(row) + 2] = row + row[3:]  # of one size
    put_together(table, 0, 1)
    assert (table.cohorts[0][:5], table.numbers[COHORTS]) == ([4.0, 7.0, 70.0, 5.0, 50.0], 1)
