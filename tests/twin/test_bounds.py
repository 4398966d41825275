"""Bounds of columns: those of the real rows, and drawn ones as far from the ends as computed ones."""

import os
import struct
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.recordings import RECORDED, RECORDINGS, recorded_case
from support.synthetic import synthetic_case

from wasim.iceberg import read_manifest, read_metadata_json
from wasim.iceberg.record_fields import Status
from wasim.scenario.parts import Columns, Table
from wasim.twin.bounds import Bounds, ColumnDraws, column_bounds
from wasim.twin.partitions import split_by_partition
from wasim.twin.row_sets import new_rows
from wasim.twin.rows import EPOCH_US, TIME_SPAN_US, rows_of, split_rows
from wasim.twin.schema import Leaf, iceberg_schema, leaves, partition_spec

ROWS, FILES = 2_000, 150


def added_entries(name):
    """Entries as commits added them, with the number of the commit."""
    folder = RECORDINGS / name / "table" / "metadata"
    newest = sorted(folder.glob("*.metadata.json"))[-1]
    snapshots = {one.snapshot_id: one for one in read_metadata_json(newest.read_bytes(), source="").snapshots}
    for path in sorted(folder.glob("*-m*.avro")):
        for entry in read_manifest(path.read_bytes(), source="").entries:
            if entry.status == Status.ADDED:
                yield snapshots[entry.snapshot_id].sequence_number, entry.file


@pytest.mark.parametrize("name", RECORDED)
def test_partitions_and_bounds_are_those_of_the_real_rows(name):
    case = recorded_case(name)
    schema = iceberg_schema(case.table)
    spec, found, rows = partition_spec(case.table, schema), leaves(case.table, schema), rows_of(case)
    rng = np.random.default_rng(0)
    checked = 0
    for commit, file in added_entries(name):
        tasks = map(new_rows, split_rows(case, commit))
        shares = [share for task in tasks for share in split_by_partition(rows, spec, found, task)]
        mine = [
            share
            for share in shares
            if share.partition == file.partition
            and int(share.rows.numbers[0]).to_bytes(8, "little") == file.lower_bounds[1]
        ]
        assert len(mine) == 1
        assert len(mine[0].rows) == file.record_count
        for leaf in found:
            bounds = column_bounds(rows, leaf, mine[0].rows, rng)
            assert (bounds.lower, bounds.upper) == (file.lower_bounds[leaf.field_id], file.upper_bounds[leaf.field_id])
            checked += 1
    assert checked > 50


MANY_VALUES = (
    Columns(name="a_long", type="long"),
    Columns(name="an_int", type="int"),
    Columns(name="a_double", type="double"),
    Columns(name="a_time", type="timestamp"),
    Columns(name="a_text", type="string", length=20),
    Columns(name="a_blob", type="binary", length=12),
    Columns(name="an_amount", type="decimal(10,2)"),
    Columns(name="of_a_million", type="long", values=1_000_000),
)
SPANS = {"long": 2.0**62, "int": 2.0**31 - 1, "timestamp": float(TIME_SPAN_US), "of_a_million": 1e6}


def share(leaf: Leaf, bound: bytes) -> float:
    """Where a bound lies between the least and the greatest value of its column, from 0 to 1."""
    match leaf.column.type:
        case "double":
            return struct.unpack("<d", bound)[0]
        case "string":
            return int(bound[:12], 16) / 16**12
        case "binary":
            return int.from_bytes(bound[:6], "big") / 256**6
        case "decimal(10,2)":
            return int.from_bytes(bound, "big", signed=True) / 10**10
    start = EPOCH_US if leaf.column.type == "timestamp" else 0
    span = SPANS.get(leaf.name, SPANS[leaf.column.type])
    return (int.from_bytes(bound, "little", signed=True) - start) / span


@pytest.mark.parametrize("most_computed", [ROWS, ROWS - 1], ids=["computed", "drawn"])
def test_extremes_lie_a_row_from_the_ends_on_average(most_computed: int) -> None:
    """The least of n even draws is one n-th from the end, on average, whether it is computed or drawn."""
    table = Table(columns=MANY_VALUES)
    case = replace(synthetic_case(writer="batch"), table=table)
    rows, rng = rows_of(case), np.random.default_rng(0)
    held = [new_rows(np.arange(file * ROWS, (file + 1) * ROWS, dtype=np.int64)) for file in range(FILES)]
    for leaf in leaves(table, iceberg_schema(table))[2:]:
        bounds = [column_bounds(rows, leaf, one, rng, most_computed) for one in held]
        assert np.mean([share(leaf, one.lower) for one in bounds]) * ROWS == pytest.approx(1, abs=0.3), leaf.name
        assert np.mean([1 - share(leaf, one.upper) for one in bounds]) * ROWS == pytest.approx(1, abs=0.3), leaf.name
        if leaf.column.type == "long":  # a float would leave their last byte empty: then manifests compress too well
            assert len({one.upper[0] for one in bounds}) > FILES / 4


def test_bounds_of_few_rows_are_computed_and_of_many_drawn() -> None:
    table = Table(columns=MANY_VALUES)
    case = replace(synthetic_case(writer="batch"), table=table)
    rows, held, found = rows_of(case), new_rows(np.arange(ROWS, dtype=np.int64)), leaves(table, iceberg_schema(table))

    def bounds(seed: int, most_computed: int) -> list[Bounds | None]:
        rng = np.random.default_rng(seed)
        return [column_bounds(rows, leaf, held, rng, most_computed) for leaf in found]

    assert bounds(0, ROWS) == bounds(1, ROWS)
    first, second = bounds(0, ROWS - 1), bounds(1, ROWS - 1)
    assert first[:2] == second[:2] == bounds(0, ROWS)[:2]  # numbers and times grow: their bounds are known
    assert all(one != other for one, other in zip(first[2:], second[2:], strict=True))


KINDS = ("string", "binary", "double", "float", "long", "int", "date", "timestamp", "boolean", "decimal(10,2)")


@pytest.mark.parametrize("values", [None, 20, 50_000])
def test_a_single_row_has_one_bound(values: int | None) -> None:
    known = {"boolean": None, "date": values and min(values, 3_000)}
    columns = [Columns(name="c", type=kind, values=known.get(kind, values)) for kind in KINDS]
    found = leaves(table := Table(columns=tuple(columns)), iceberg_schema(table))[2:]
    drawn = ColumnDraws([replace(leaf, bound_length=0) for leaf in found]).draw(1, np.random.default_rng(0))
    assert all(one.lower == one.upper for one in drawn.values())
    assert len(drawn) == len(KINDS)


def test_few_numbers_and_texts_are_the_same_bounds_again() -> None:
    """Files of 5,000 rows hold the least and the greatest of 20 numbers, and of 1,000 texts mostly."""
    columns = [Columns(name="n", type=kind, values=20) for kind in ("float", "double", "long")]
    table = Table(columns=(*columns, Columns(name="t", type="string", values=11_000)))
    draws, rng = ColumnDraws(leaves(table, iceberg_schema(table))[2:]), np.random.default_rng(0)
    drawn = [draws.draw(50_000, rng) for _ in range(FILES)]
    numbers = list(drawn[0])
    assert [len({one[number] for one in drawn}) for number in numbers[:3]] == [1, 1, 1]
    assert struct.unpack("<d", drawn[0][numbers[1]].upper)[0] == 19 / 2**62
    assert len({one[numbers[3]] for one in drawn}) < FILES / 10


def test_drawn_numbers_are_below_that_of_their_values() -> None:
    table = Table(columns=(Columns(name="d", type="double", values=50_000),))
    draws, rng = ColumnDraws(leaves(table, iceberg_schema(table))[2:]), np.random.default_rng(0)
    drawn = [struct.unpack("<d", one.upper)[0] * 2**62 for _ in range(FILES) for one in draws.draw(50, rng).values()]
    assert all(number.is_integer() for number in drawn)
    assert 30_000 < min(drawn) < max(drawn) < 50_000


LAST_DIGITS = """
import numpy as np
from wasim.twin.bounds import ColumnDraws
from wasim.twin.schema import Leaf
from wasim.scenario.parts import Columns
leaf = {"column": Columns(name="a", type="double"), "name": "a", "salt": "", "has_counts": True, "bound_length": 0}
draws = ColumnDraws([Leaf(field_id=number, **leaf) for number in range(1000)])
print(draws.draw(50_000, np.random.default_rng(0)))
"""


def test_drawn_bounds_do_not_differ_by_processor() -> None:
    code, older = [sys.executable, "-c", LAST_DIGITS], {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
    assert subprocess.check_output(code) == subprocess.check_output(code, env=os.environ | older)
