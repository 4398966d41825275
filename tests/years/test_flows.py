"""What a history accumulates has places of its own."""

from itertools import pairwise

import pytest
from support.synthetic import synthetic_case

from wasim.twin import Site, shipped_profile
from wasim.years import History, read_shape
from wasim.years.flows import DATA, DELETES, WIDTH, Flow

GROUPS = (
    "WRITTEN_MANIFESTS",
    "WASTED_MANIFESTS",
    "REPLACED_MANIFESTS",
    "WRITTEN_FILES",
    "REMOVED_FILES",
    "MERGED_AGAIN",
)


def test_no_two_sums_share_a_place():
    """Flows of files count files and bytes, of data and of deletes."""
    places = {name: place for name, place in vars(Flow).items() if name.isupper()}
    taken = [place + more for name, place in places.items() for more in range(4 if name in GROUPS else 1)]
    assert sorted(taken) == [*range(WIDTH)]
    assert {DATA, DATA + 1, DELETES, DELETES + 1} == {*range(4)}


def test_appends_alone_write_what_their_commits_bring():
    case = synthetic_case(horizon_s=30.0, files_per_commit=2)
    shape = read_shape(case, shipped_profile(case), Site())
    flows = History(case=case, shape=shape).run().flows
    last = flows[-1]
    assert (last[Flow.SNAPSHOTS], last[Flow.ROWS], last[Flow.WRITTEN_FILES]) == (30, 3_000, 60)
    assert last[Flow.WRITTEN_FILES + 1] == pytest.approx(shape.ingested_bytes(30))
    assert last[Flow.WRITTEN_MANIFESTS] == 30
    for place in (Flow.WRITTEN_FILES + DELETES, Flow.REMOVED_FILES, Flow.POSITION_DELETES, Flow.EQUALITY_DELETES):
        assert last[place] == 0
    assert all((after >= before).all() for before, after in pairwise(flows))
