"""Which manifests a merging commit rewrites."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.synthetic import synthetic_case

from wasim.rules.merging import MergePolicy, bins_to_merge, groups_of_new, is_listed, merges, pack_from_end, rolls_at
from wasim.twin import shipped_profile, simulate_case


@given(
    sizes=st.lists(st.integers(min_value=1, max_value=50), max_size=40), target=st.integers(min_value=1, max_value=90)
)
def test_bins_cover_all_in_order_and_hold_the_target(sizes: Sequence[int], target: int):
    bins = pack_from_end(sizes, target)
    assert [place for places in bins for place in places] == list(range(len(sizes)))
    for places in bins:
        assert len(places) == 1 or 0 < sum(sizes[place] for place in places) <= target
    for newer, older in pairwise(bins):
        # the item before a full bin would not have fitted
        assert sum(sizes[place] for place in older) + sizes[newer.stop - 1] > target


def test_only_the_newest_bin_waits_for_its_count():
    policy = MergePolicy(enabled=True, min_count=3, target_bytes=20)
    assert bins_to_merge([10, 10, 10, 10], policy) == [range(2, 4)]
    assert bins_to_merge([5, 5], policy) == []
    assert bins_to_merge([5, 5, 5], policy) == [range(3)]
    assert bins_to_merge([5, 5, 5], replace(policy, enabled=False)) == []


def test_merges_come_at_commits_100_and_199():
    case = synthetic_case(writer="batch", horizon_s=200.0)
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0)).reports
    assert (np.flatnonzero(reports.manifests_replaced) + 1).tolist() == [100, 199]


def test_new_files_are_shared_by_writers_from_15_000_on():
    files = (1, 9_999, 14_999, 15_000, 24_999, 25_000, 74_999, 75_000, 100_000)
    assert [groups_of_new(one) for one in files] == [1, 1, 1, 2, 2, 3, 7, 8, 8]


def test_a_manifest_rolls_when_its_length_is_next_checked():
    blocks = [(100, 700), (240, 1_400), (310, 2_100)]
    assert [rolls_at(blocks, target) for target in (700, 1_400, 1_401, 2_100, 2_101)] == [250, 250, 500, 500, None]


def test_dead_manifests_are_listed_by_their_own_commit_alone():
    assert [is_listed(live, own) for live, own in ((0, True), (0, False), (1, False))] == [True, False, True]


def test_one_manifest_is_no_bin_to_merge():
    assert [merges(1, False, 1), merges(2, False, 100), merges(99, True, 100), merges(100, True, 100)] == [
        False,
        True,
        False,
        True,
    ]
