"""Merges of manifests in flat arrays: the bins are those of single files."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wasim.machine.columns import (
    BYTES,
    COUNT,
    DATA,
    FRESH,
    LEAST_MERGED,
    MANIFEST_TARGET,
    MERGE_ENABLED,
    PARTIAL,
    ROWS_OF,
    SETTINGS,
    SETTLED,
    WRITTEN_MANIFESTS,
    Laws,
    Table,
)
from wasim.machine.history import History
from wasim.machine.manifests import (
    add_manifests,
    commits_until_merge,
    entries_of,
    find_newest_bin,
    merge_manifests,
    restart,
    rewrite_manifests,
    settle_entries,
    settle_manifests,
    take,
    thin,
)
from wasim.rules.merging import MergePolicy, bins_to_merge

RUNS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 900)), min_size=1, max_size=6)
TARGET = 1000


def laws(least: int) -> Laws:
    settings = [0.0] * SETTINGS
    settings[MERGE_ENABLED], settings[LEAST_MERGED], settings[MANIFEST_TARGET] = 1.0, float(least), float(TARGET)
    empty: list[float] = []
    return Laws(settings, empty, empty, empty, [0.0, 1.0], [100.0, 110.0], [0.0, 1.0], [100.0, 110.0], *[empty] * 6, [])


def table(runs: list[tuple[int, int]]) -> Table:
    made = History(laws=laws(5), jobs=[], places=[]).table
    for count, size in runs:
        add_manifests(made, DATA, float(count), float(size), 1.0, 0.0)
    restart(made, DATA)
    return made


def newest_first(t: Table) -> list[int]:
    rows = reversed(range(int(t.state[ROWS_OF])))
    return [int(t.manifests[DATA][BYTES][row]) for row in rows for _ in range(int(t.manifests[DATA][COUNT][row]))]


@given(runs=RUNS, least=st.integers(2, 30))
def test_bins_merge_as_those_of_single_manifests_do(runs, least):
    t, policy = table(runs), MergePolicy(enabled=True, min_count=least, target_bytes=TARGET)
    merged = bins_to_merge(newest_first(t), policy)
    assert merge_manifests(t, laws(least), DATA) == sum(map(len, merged))
    assert t.flows[WRITTEN_MANIFESTS] == len(merged)
    assert entries_of(t, DATA, FRESH) == sum(count for count, _ in runs)


@example(runs=[(91, 1)], least=2)  # one manifest larger than the target
@given(runs=RUNS, least=st.integers(2, 30))
def test_the_next_merge_is_foretold_to_the_commit(runs, least):
    t, rules = table(runs), laws(least)
    merge_manifests(t, rules, DATA)
    settle_manifests(t, rules, DATA)
    until = commits_until_merge(t, rules, DATA, 110.0)
    policy, sizes, commits = MergePolicy(enabled=True, min_count=least, target_bytes=TARGET), newest_first(t), 0
    while commits < 400:
        commits += 1
        sizes.insert(0, 110)
        if bins_to_merge(sizes, policy):
            break
    assert commits == min(until, 400)


def test_a_merge_begins_with_the_newest_bin_once_older_ones_are_full():
    t = table([(1, 990), (1, 980), (3, 110)])
    assert not find_newest_bin(t, laws(5), DATA)
    assert t.state[3] == 2


def test_entries_survive_a_rewrite_of_manifests():
    t = table([(7, 300), (2, 950), (30, 110)])
    assert rewrite_manifests(t, laws(5), DATA)
    assert entries_of(t, DATA, FRESH) == 39
    assert t.manifests[DATA][COUNT][0] == -(-(7 * 300 + 2 * 950 + 30 * 110) // TARGET)


@pytest.mark.parametrize("newest", [1, 0])
def test_entries_at_an_end_go_with_the_manifests_that_list_them(newest):
    t = table([(10, 110), (4, 120)])
    assert take(t, laws(5), DATA, 6.0, 0.0, 0.0, newest) == 6
    left = [t.manifests[DATA][COUNT][row] * t.manifests[DATA][FRESH][row] for row in range(int(t.state[ROWS_OF]))]
    assert sum(left) == 8
    assert (left[0] == 0) == (newest == 0)


def test_scattered_entries_go_by_chance_from_as_many_manifests():
    hits = [table([(1, 110)] * 200) for _ in range(1)]
    rewritten = thin(hits[0], laws(5), DATA, [0.5, 0.0, 0.0], 0, 1.0, 1e9)
    assert 70 < rewritten < 130
    assert entries_of(hits[0], DATA, FRESH) == 200 - rewritten


def test_entries_of_closed_partitions_are_settled_oldest_first():
    t = table([(4, 110), (6, 111)])
    settle_entries(t, DATA, FRESH, 5.0)
    settled = [t.manifests[DATA][SETTLED][row] * t.manifests[DATA][COUNT][row] for row in range(int(t.state[ROWS_OF]))]
    assert settled == [4.0, 1.0, 0.0]
    assert entries_of(t, DATA, PARTIAL) == 0
