"""What holds of every table, whatever statements and jobs it has had: nothing is lost, and nothing made twice."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from support.machine import rows_of
from support.synthetic import synthetic_case

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.scenario.changes import Changes, Maintenance
from wasim.scenario.parts import Columns, PartitionField
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import History, read_shape, simulate_years
from wasim.years.flows import Flow
from wasim.years.machine.appends import live_bytes, live_files
from wasim.years.machine.files import deal_out, small_of
from wasim.years.machine.jobs import entries_of_deletes
from wasim.years.machine.tables import (
    BYTES,
    COUNT,
    DEAD,
    FRESH,
    HELD,
    PARTIAL,
    PARTIAL_FILES,
    PARTIAL_ROWS,
    SETTLED,
    SETTLED_FILES,
    SETTLED_ROWS,
    SMALL_FILES,
    SMALL_ROWS,
    Table,
)
from wasim.years.shape import Shape

STATEMENTS: dict[str, dict[str, Any]] = {
    "update of scattered rows": {"update": {"every": 3.0, "share": 0.05, "mode": "copy-on-write"}},
    "update of the newest rows": {"update": {"every": 3.0, "rows": 70, "locality": "newest", "mode": "copy-on-write"}},
    "update on read": {"update": {"every": 3.0, "rows": 70, "locality": "newest", "mode": "merge-on-read"}},
    "update on read of scattered rows": {"update": {"every": 3.0, "share": 0.01, "mode": "merge-on-read"}},
    "delete of the oldest rows": {"delete": {"every": 4.0, "rows": 150, "locality": "oldest", "mode": "copy-on-write"}},
    "delete on read": {"delete": {"every": 4.0, "rows": 30, "locality": "oldest", "mode": "merge-on-read"}},
    "merge": {"merge": {"every": 5.0, "rows": 20, "new_rows": 40, "locality": "oldest", "mode": "copy-on-write"}},
    "overwrite": {"overwrite": {"every": 6.0, "rows": 120, "kind": "dynamic"}},
}
UPKEEP: dict[str, Any] = {
    "rewrite_data_files": {"every": 7.0, "min_input_files": 2},
    "rewrite_manifests": {"every": 11.0},
}
BY = (PartitionField(column="event_id", transform="bucket[3]"),)


@cache
def plain() -> Case:
    case = synthetic_case(writer="streaming", horizon_s=26.0, files_per_commit=2)
    return replace(case, table=case.table.model_copy(update={"columns": (Columns(name="a", type="long"),)}))


def case_of(statement: str, version: int, *, is_compacted: bool, by: Sequence[PartitionField] = ()) -> Case:
    return replace(
        plain(),
        table=plain().table.model_copy(update={"partition_by": by, "format_version": version}),
        changes=Changes.model_validate(STATEMENTS[statement]),
        maintenance=Maintenance.model_validate(UPKEEP if is_compacted else {}),
    )


@cache
def shape_of(version: int, *, is_partitioned: bool) -> Shape:
    case = case_of("update on read", version, is_compacted=True, by=BY if is_partitioned else ())
    return read_shape(case, shipped_profile(case), Site())


def listed(table: Table, kinds: Sequence[int], group: int = 0) -> float:
    return sum(row[COUNT] * row[kind] for row in rows_of(table, group) for kind in kinds)


@pytest.mark.parametrize("is_partitioned", [False, True])
@pytest.mark.parametrize("is_compacted", [False, True])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_is_there_is_what_came_less_what_went(statement: str, is_compacted: bool, is_partitioned: bool):
    """Of files, rows, entries and manifests, whether followed one by one or by what was written and removed in all."""
    version = 3 if is_compacted and is_partitioned else 2
    case = case_of(statement, version, is_compacted=is_compacted, by=BY if is_partitioned else ())
    history = History(case=case, shape=shape_of(version, is_partitioned=is_partitioned))
    for commits in range(1, case.commits + 1):
        history.go_on_to(float(commits))
        table, flows = history.table, history.table.flows
        deal_out(table, history.laws)
        settled, rows = table.numbers[SETTLED_FILES], table.numbers[SETTLED_ROWS]
        files = settled + small_of(table, SMALL_FILES) + small_of(table, PARTIAL_FILES)
        rows += small_of(table, SMALL_ROWS) + small_of(table, PARTIAL_ROWS)
        assert (live_files(table, 0), flows[Flow.ROWS]) == pytest.approx((files, rows), rel=1e-3)
        entries = 0.05 if "scattered" in statement else 1e-3  # of manifests with less than one, on average
        assert listed(table, (FRESH, PARTIAL, SETTLED)) == pytest.approx(files, rel=entries)
        named, dead = sum(table.deleted[HELD]), sum(table.deleted[DEAD])
        assert (entries_of_deletes(table) + 1e-2) * 1.01 >= named  # others name files that were compacted
        assert flows[Flow.POSITION_DELETES] * 1.01 + 1e-2 >= dead
        if not is_compacted:
            assert entries_of_deletes(table) == pytest.approx(named, rel=5e-3)
            assert flows[Flow.POSITION_DELETES] == pytest.approx(dead)
        for group in range(2):
            there = [sum(row[COUNT] for row in rows_of(table, group)), listed(table, (BYTES,), group)]
            first = 2 * group
            stayed = [
                flows[Flow.WRITTEN_MANIFESTS + place]
                - flows[Flow.WASTED_MANIFESTS + place]
                - flows[Flow.REPLACED_MANIFESTS + place]
                for place in (first, first + 1)
            ]
            assert stayed == pytest.approx(there, abs=1e-4)
        assert live_bytes(table) > 0
        assert min(table.counters) >= 0


@pytest.mark.parametrize("statement", STATEMENTS)
def test_all_that_is_written_and_removed_only_grows(statement: str):
    history = History(case=case_of(statement, 2, is_compacted=True), shape=shape_of(2, is_partitioned=False))
    flows = history.run().flows
    falling = {Flow.ROWS, Flow.POSITION_DELETES, Flow.EQUALITY_DELETES}
    for before, after in pairwise(flows):
        assert (
            min(new - old for place, (old, new) in enumerate(zip(before, after, strict=True)) if place not in falling)
            > -1e-6
        )
    assert flows.min() >= 0


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("statement", ["update on read", "delete on read"])
def test_compaction_takes_positions_out_of_totals_and_says_so(statement: str, version: int):
    """It says in its snapshot which delete files went with the files that it took; without that 1 % was missing."""
    case = case_of(statement, version, is_compacted=True)
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    history = History(case=case, shape=shape_of(version, is_partitioned=False))
    history.run()
    assert history.table.flows[Flow.POSITION_DELETES] == pytest.approx(made.table.totals.position_deletes)
    written = sum_events(made.recording.events).written_bytes[Kind.METADATA_JSON]
    found = simulate_years(case, profile, Site()).totals.written_bytes[Kind.METADATA_JSON]
    assert found == pytest.approx(written, rel=0.004)
