"""Data files and their columns: about as large as Spark's Parquet writer makes them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.recordings import RECORDED, RECORDINGS, recorded_case
from support.synthetic import synthetic_case

from wasim.iceberg import DataFileEntry, read_manifest
from wasim.iceberg.record_fields import Status
from wasim.scenario import Case
from wasim.scenario.examine import examine
from wasim.scenario.parts import Columns
from wasim.scenario.sweep import make_case
from wasim.twin import profile_named, shipped_profile, simulate_case
from wasim.twin.data_files import data_files_of
from wasim.twin.file_sizes import ColumnSizes, drawn_samples, number_column_bytes
from wasim.twin.row_sets import new_rows
from wasim.twin.schema import iceberg_schema, leaves

STRUCT = {"name": "place", "type": "struct", "fields": [{"name": "code", "type": "string", "length": 4, "values": 6}]}
EVERY_TYPE = [
    {"name": "flag", "type": "boolean"},
    {"name": "whole", "type": "int", "values": 60000},
    {"name": "long", "type": "long"},
    {"name": "user", "type": "long", "values": 5},
    {"name": "ratio", "type": "float"},
    {"name": "reading", "type": "double", "values": 40},
    {"name": "day", "type": "date"},
    {"name": "local", "type": "timestamp"},
    {"name": "text", "type": "string", "length": 40},
    {"name": "label", "type": "string", "length": 4, "values": 3},
    {"name": "sure", "type": "string", "length": 9, "values": 50, "required": True},
    {"name": "blob", "type": "binary"},
    {"name": "amount", "type": "decimal(10,2)"},
    {"name": "weight", "type": "decimal(7,3)", "values": 9},
    {"name": "large", "type": "decimal(30,4)"},
    {"name": "actor", "type": "struct", "fields": [{"name": "id", "type": "long"}, STRUCT]},
]
CASES: dict[str, dict[str, Any]] = {
    "a stream of few rows": {"writer": "streaming", "workload": {"rows_per_second": 20, "files_per_commit": 3}},
    "a batch of some hundreds": {"writer": "batch", "workload": {"rows_per_second": 700, "files_per_commit": 2}},
    "rows written again": {
        "writer": "batch",
        "workload": {"rows_per_second": 30},
        "changes": {"update": {"every": "2s", "rows": 5}},
        "maintenance": {"rewrite_data_files": {"when_small_files": 5}},
    },
}
OF_TABLES_COLUMNS = 2_147_483_000  # ids below; above are the columns that v3 adds when rows are written again


@pytest.mark.parametrize("name", RECORDED)
def test_files_are_within_three_hundredths_of_sparks(name: str) -> None:
    case = recorded_case(name)
    sizes, rng = data_files_of(case, shipped_profile(case)).file_sizes, np.random.default_rng(0)
    real = list(files_of(RECORDINGS / name / "table"))
    drawn = [sizes.draw(new_rows(np.arange(file.record_count)), rng).total for file in real]
    assert len(real) > 10
    assert drawn == pytest.approx([file.file_size_bytes for file in real], rel=0.035)
    assert sum(drawn) == pytest.approx(sum(file.file_size_bytes for file in real), rel=0.02)


@pytest.mark.slow  # of recorded tables: the test above
@pytest.mark.parametrize("name", CASES)
def test_files_of_every_column_type_have_sparks_size(
    name: str, small_case: Callable[..., Case], run_case, tmp_path: Path
) -> None:
    parts = {"table": {"columns": EVERY_TYPE}, "horizon": "7s", **CASES[name]}
    case = small_case(**{key: json.dumps(part) for key, part in parts.items()})
    _, context = run_case(case)
    simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=tmp_path / "emitted")
    warehouse = context.table_root
    real, simulated = (sorted(sizes(files_of(table))) for table in (warehouse, tmp_path / "emitted"))
    assert len(real) > 6
    assert [rows for rows, _, _ in simulated] == [rows for rows, _, _ in real]
    for (_, size, columns), (_, size_simulated, columns_simulated) in zip(real, simulated, strict=True):
        assert size_simulated == pytest.approx(size, rel=0.05)
        assert sum(columns_simulated) == pytest.approx(sum(columns), rel=0.1)


def sizes(files: list[DataFileEntry]) -> list[tuple[int, int, list[int]]]:
    """Rows and bytes of each file, and bytes of the table's own columns."""
    return [
        (
            file.record_count,
            file.file_size_bytes,
            [size for key, size in (file.column_sizes or {}).items() if key < OF_TABLES_COLUMNS],
        )
        for file in files
    ]


def files_of(table: Path) -> list[DataFileEntry]:
    """Every data file that a manifest of the table has added."""
    found: dict[str, DataFileEntry] = {}
    for path in sorted((table / "metadata").glob("*-m*.avro")):
        for entry in read_manifest(path.read_bytes(), source=path.name).entries:
            if entry.status == Status.ADDED and not entry.file.content:
                found[entry.file.file_path] = entry.file
    return list(found.values())


def test_a_column_that_was_measured_gets_its_measured_size():
    case = synthetic_case()
    profile = shipped_profile(case)
    leaf = next(leaf for leaf in leaves(case.table, iceberg_schema(case.table)) if leaf.column.type == "double")
    samples = [sample for sample in profile.columns if sample.type == "double"]
    assert len(samples) > 3
    for sample in samples:
        assert ColumnSizes(leaf, profile).of(sample.rows).mean_bytes == pytest.approx(sample.mean_bytes)


@pytest.mark.parametrize("kind", ["decimal(7,3)", "decimal(10,2)"])
def test_an_unmeasured_decimal_has_the_measured_size(kind: str):
    drawn = {one.rows: one.mean_bytes for one in drawn_samples(kind, None)}
    measured = {one.rows: one.mean_bytes for one in profile_named("spark_batch").columns if one.type == kind}
    assert drawn == pytest.approx({rows: measured[rows] for rows in drawn}, rel=0.011)


MEASURED = {  # Spark 4.1 with Iceberg 1.11, a table of eight doubles and two strings: rows of each file of 90,000
    1 << 20: [9_000] * 10,
    3_000_000: [31_000, 31_000, 28_000],
    64 << 20: [90_000],
}


@pytest.mark.parametrize("target_bytes", MEASURED)
def test_a_task_begins_another_file_where_spark_does(target_bytes: int):
    columns = [{"name": "a", "type": "double", "count": 8}, {"name": "s", "type": "string", "length": 12, "values": 50}]
    columns.append({"name": "t", "type": "string", "length": 30})
    table = {"columns": columns, "properties": {"write.target-file-size-bytes": str(target_bytes)}}
    workload = {"rows_per_second": 3_000, "files_per_commit": 2}
    scenario = {"name": "s", "question": "?", "table": table, "workload": workload, "writer": "batch"}
    document = scenario | {"commit_interval": "60s", "horizon": "60s"}
    case = make_case(examine(document)[0], repetition=0, swept={})
    parts = data_files_of(case, shipped_profile(case)).parts_arriving(1)
    assert [len(part.share.rows) for part in parts] == 2 * MEASURED[target_bytes]
    assert [part.share.number for part in parts] == 2 * [*range(1, len(MEASURED[target_bytes]) + 1)]


def test_further_files_of_a_partition_are_numbered_after_first_ones():
    table = {
        "columns": [{"name": "a", "type": "double"}, {"name": "region", "type": "int", "values": 2}],
        "partition_by": [{"column": "region"}],
        "properties": {"write.target-file-size-bytes": "1000", "write.distribution-mode": "none"},
    }
    document = {"name": "s", "question": "?", "table": table, "workload": {"rows_per_second": 400}, "writer": "batch"}
    case = make_case(examine(document | {"commit_interval": "10s", "horizon": "10s"})[0], repetition=0, swept={})
    parts = data_files_of(case, shipped_profile(case)).parts_arriving(1)
    found = [(part.share.partition, part.share.number, len(part.share.rows)) for part in parts]
    firsts = {partition: number for partition, number, _ in reversed(found)}
    assert sorted(firsts.values()) == [1, 2]
    assert sorted(number for _, number, _ in found) == [*range(1, len(found) + 1)]
    assert len(found) > 3
    assert sum(rows for _, _, rows in found) == 4_000
    assert max(rows for _, _, rows in found) == 1_000


APART = [190, 235, 298, 454, 456, 458, 465, 472, 493]
TIMES = [1767225603800000, 1767225604700000, 1767225605960000, 1767225609080000, 1767225609120000]
TIMES += [1767225609160000, 1767225609300000, 1767225609440000, 1767225609860000]
TWICE = [92, 187, 377, 472, 700, 92, 969, 978]
TIMES_TWICE = [1767225600000000 + 20_000 * number for number in TWICE]


@pytest.mark.parametrize(
    ("values", "is_required", "written"),
    [(APART, True, 75), (TIMES, False, 95), (TWICE, True, 106), (TIMES_TWICE, False, 123)],
    ids=["numbers", "times, some may be null", "a number twice", "a time twice, some may be null"],
)
def test_a_column_is_within_a_byte_of_what_was_written(values: list[int], is_required: bool, written: int):
    assert number_column_bytes(np.array(values), is_required=is_required) == pytest.approx(written, abs=1)


@pytest.mark.parametrize("count", [63, 64, 8_191, 8_192, 300_000])
def test_random_numbers_of_any_count_stay_as_long(count: int):
    values = np.random.default_rng(1).integers(0, 2**62, count)
    assert number_column_bytes(values, is_required=False) == pytest.approx(8 * count + 44, rel=0.03)


# Of Spark's files of 2,667 rows
@pytest.mark.parametrize(("column", "real_bytes"), [({"length": 60}, 58), ({"length": 12, "values": 50}, 4.5)])
def test_pages_of_columns_without_samples_differ(column: dict[str, int], real_bytes: float) -> None:
    table = synthetic_case().table.model_copy(update={"columns": (Columns(name="text", type="string", **column),)})
    leaf = leaves(table, iceberg_schema(table))[-1]
    found = ColumnSizes(leaf, profile_named("spark_batch")).of(2667).deviation_bytes
    assert real_bytes / 2.5 < found < 2.5 * real_bytes
