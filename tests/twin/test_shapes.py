"""Rows that are written again after the table's columns came, went and moved keep the values that they had."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.iceberg import DataFileEntry
from wasim.iceberg.record_fields import FileContent
from wasim.scenario import Case
from wasim.scenario.changes import Changes, Evolution, Maintenance
from wasim.scenario.parts import Columns
from wasim.twin import shipped_profile, simulate_table
from wasim.twin.row_sets import new_rows
from wasim.twin.rows import rows_of
from wasim.twin.schema import iceberg_schema, leaves

COLUMNS = (
    Columns(name="host", type="string", length=12, values=40),
    Columns(name="few", type="string", length=5, values=3),
    Columns(name="status", type="int"),
    Columns(name="took", type="float"),
)
EVOLUTION = (
    {"at": "2s", "add_column": {"name": "late", "type": "string", "length": 9}},
    {"at": "3s", "rename_column": {"column": "host", "to": "node"}},
    {"at": "4s", "widen_column": {"column": "status", "type": "long"}},
    {"at": "5s", "move_column": {"column": "few", "after": "took"}},
    {"at": "6s", "widen_column": {"column": "took", "type": "double"}},
    {"at": "7s", "drop_column": "node"},
)
NODE, FEW, STATUS, TOOK, LATE = range(3, 8)  # field ids, after event_id and event_time
ROWS = 100  # of a commit


def evolving_case(
    *, compacted: bool = False, evolution: Sequence[dict[str, object]] = EVOLUTION, **changes: object
) -> Case:
    case = synthetic_case(writer="batch", horizon_s=8.0)
    every = {"rewrite_data_files": {"every": "8s", "min_input_files": 2}} if compacted else {}
    return replace(
        case,
        table=case.table.model_copy(update={"columns": COLUMNS}),
        evolution=tuple(map(Evolution.model_validate, evolution)),
        maintenance=Maintenance.model_validate(every),
        changes=Changes.model_validate(changes),
    )


def live_files(case: Case) -> list[DataFileEntry]:
    table = simulate_table(case, shipped_profile(case), np.random.default_rng(1)).table
    return [entry.file for manifest in table.manifests for entry in manifest.live]


def test_compaction_writes_older_rows_with_the_values_that_they_had() -> None:
    parts, (whole,) = live_files(evolving_case()), live_files(evolving_case(compacted=True))
    assert whole.record_count == 8 * ROWS == sum(file.record_count for file in parts)
    assert whole.null_value_counts[LATE] == 2 * ROWS
    assert {whole.null_value_counts[one] for one in (FEW, STATUS, TOOK)} == {0}
    assert set(whole.lower_bounds) == {1, 2, FEW, STATUS, TOOK, LATE}
    assert (len(whole.lower_bounds[STATUS]), len(whole.lower_bounds[TOOK])) == (8, 8)
    assert sum(LATE in file.lower_bounds for file in parts) == 6
    assert whole.lower_bounds[FEW] == min(file.lower_bounds[FEW] for file in parts)


@pytest.mark.parametrize(("statement", "nulls"), [("merge", 0), ("update", 2 * ROWS)])
@pytest.mark.parametrize(("mode", "records"), [("copy-on-write", 8 * ROWS), ("merge-on-read", 16 * ROWS)])
def test_merges_fill_new_columns_and_updates_leave_them_null(
    statement: str, nulls: int, mode: str, records: int
) -> None:
    everything = {"every": "8s", "share": 1.0, "mode": mode}
    case = evolving_case(evolution=EVOLUTION[:-1], **{statement: everything})
    held = [file for file in live_files(case) if file.content == FileContent.DATA]
    assert sum(file.record_count for file in held) == records
    # files from before the column was added do not speak of it
    assert sum(file.null_value_counts.get(LATE, 0) for file in held) == nulls


@pytest.mark.parametrize(("row", "version", "nulls"), [(0, 0, 1), (199, 0, 1), (200, 0, 0), (5, 7, 1), (5, 8, 0)])
def test_a_rows_number_or_change_decides_its_added_columns(row: int, version: int, nulls: int) -> None:
    case = evolving_case()
    late = next(leaf for leaf in leaves(case.table, iceberg_schema(case.table)) if leaf.field_id == TOOK)
    rows = replace(rows_of(case), added={TOOK: (200, 8)})
    assert rows.nulls(late, new_rows(np.array([row]), version)) == nulls
