"""Which cases share coefficients, and what their data bytes tell."""

from dataclasses import replace

import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.fit.groups import PARQUET_BYTES_PER_COLUMN, group_cases
from wasim.ledger import Kind
from wasim.model import read_appends
from wasim.scenario.changes import Changes

RUN = synthetic_run(sweep=Sweep(intervals_s=(4.0, 30.0)))


def test_cases_are_grouped_by_writer_shortest_interval_first():
    groups = group_cases(reversed(RUN.cases))
    assert [group.name for group in groups] == ["batch", "streaming"]
    assert [one.case.commit_interval_s for one in groups[0].observed] == [4.0, 30.0]
    assert [group.merges for group in groups] == [True, False]


def test_cases_known_in_part_are_left_out():
    case = RUN.cases[0]
    changed = replace(case.case, changes=Changes.model_validate({"delete": {"every": "1m", "rows": 1}}))
    of_two = replace(case.case, writer=case.case.writer.model_copy(update={"writers": 2}))
    left_out = (
        replace(case, ledger=case.ledger.head(0)),
        replace(case, is_sampled=True),
        replace(case, case=changed),
        replace(case, case=of_two),
    )
    for one in left_out:
        assert group_cases([one]) == ()


def test_two_intervals_separate_bytes_of_files_from_bytes_of_rows():
    both = group_cases(RUN.cases)[0]
    assert both.ingest.identified.all()
    assert both.ingest.coefficients == pytest.approx([2_900, 71], rel=0.02)
    alone = both.restricted(both.observed[:1])
    assert not alone.ingest.identified.any()
    appends = alone.observed[0].appends
    empty = PARQUET_BYTES_PER_COLUMN * appends.columns
    rows = (alone.observed[0].written(Kind.DATA).mean() - empty) / appends.rows_per_commit
    assert alone.ingest.coefficients == pytest.approx([empty, rows], rel=1e-3)
    assert alone.data_bytes(appends) == pytest.approx(alone.observed[0].written(Kind.DATA).mean())


def test_an_empty_file_is_half_of_the_written_at_most():
    case = RUN.cases[0]
    small = {**case.ledger.written_bytes, Kind.DATA: case.ledger.written_bytes[Kind.DATA] * 0 + 1_000}
    (group,) = group_cases([replace(case, ledger=replace(case.ledger, written_bytes=small))])
    assert group.ingest.coefficients[0] == pytest.approx(500, rel=1e-6)


@pytest.mark.parametrize(("seen", "taken"), [(5, 5), (1, 1), (0, 1)])
def test_files_a_commit_are_the_seen_ones_if_any(seen, taken):
    case = RUN.cases[0]
    ledger = replace(case.ledger, entries_added=case.ledger.entries_added * 0 + seen)
    (group,) = group_cases([replace(case, ledger=ledger)])
    assert read_appends(case.case).files_per_commit == 1
    assert group.observed[0].appends.files_per_commit == taken
    assert set(group.observed[0].drivers.entries_added) == {taken}
