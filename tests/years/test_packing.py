"""Runs of like manifests packed into bins, as Iceberg packs single ones."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasim.rules.merging import pack_from_end
from wasim.years.packing import Run, pack_runs

RUNS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 900)), min_size=1, max_size=6)


@given(runs=RUNS, target=st.integers(500, 3000))
def test_runs_are_packed_into_the_bins_of_single_manifests(runs, target):
    newest_first = [size for count, size in reversed(runs) for _ in range(count)]
    wanted = [len(places) for places in reversed(pack_from_end(newest_first, target))]
    listed = [Run(count=float(count), bytes=float(size)) for count, size in runs]
    found = [round(one.items) for one in pack_runs(listed, target) for _ in range(round(one.repeat))]
    assert found == wanted


@pytest.mark.parametrize(("divided", "taken"), [(8, 300 / 90 - 0.5), (60, 3), (inf, 3)])
def test_emptied_manifests_fill_bins_as_they_fit_on_average(divided: float, taken: float):
    runs = [Run(count=1.0, bytes=700.0, fresh=5.0), Run(count=50.0, bytes=90.0)]
    first, *others = pack_runs(runs, 1000, divided=divided)
    assert first.items - 1 == pytest.approx(taken)
    assert taken + sum(one.items * one.repeat for one in others) == pytest.approx(50)
