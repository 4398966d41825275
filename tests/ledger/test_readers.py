"""Planning probes: which of them figures without a reader's name are of, and what a round of one takes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wasim.ledger import FULL_SCAN, PlanningProbe, of_first_reader
from wasim.ledger.readers import percentile_ms

READERS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "cached"])), min_size=1, max_size=8)


def probe(reader: str = "a", variant: str = "", load_ms: object = (), planning_ms: object = (1.0,)) -> PlanningProbe:
    return PlanningProbe(
        after_commit=1,
        query=FULL_SCAN,
        temperature="warm",
        reader=reader,
        variant=variant,
        load_ms=np.array(load_ms),
        planning_ms=np.array(planning_ms),
        execution_ms=np.array([]),
        manifests_total=1,
        manifests_scanned=1,
        manifests_skipped=0,
        manifests_opened=1,
        files_planned=1,
        files_skipped=0,
        snapshots=1,
        metadata_json_bytes=1,
    )


@given(readers=READERS)
def test_figures_that_name_no_reader_are_the_first_ones(readers):
    chosen = of_first_reader([probe(*reader) for reader in readers])
    assert [(one.reader, one.variant) for one in chosen] == [reader for reader in readers if reader == readers[0]]


def test_a_round_takes_its_load_and_its_planning():
    assert list(probe(load_ms=[1.0, 2.0], planning_ms=[10.0, 30.0]).together_ms) == [11.0, 32.0]
    assert list(probe(planning_ms=[10.0, 30.0]).together_ms) == [10.0, 30.0]  # of a reader that loads nothing apart


def test_a_percentile_needs_twenty_rounds():
    rounds_ms = np.arange(20.0)
    assert percentile_ms(rounds_ms, 50) == 9.5
    assert percentile_ms(rounds_ms[1:], 50) is None
