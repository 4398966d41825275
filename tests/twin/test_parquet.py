"""Data files and their columns: simulated as large as Spark's Parquet writer makes them, file by file."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wasim.bench.case import CaseContext
from wasim.iceberg import DataFileEntry, read_manifest
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.spark.drive import TABLE_NAME
from wasim.twin import shipped_profile, simulate_case
from wasim.twin.parquet_page_ends import page_ends
from wasim.twin.parquet_runs import runs_and_groups

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
Sizes = Counter[tuple[int, int, tuple[tuple[int, int], ...]]]  # rows and bytes of a file, bytes of its columns
LINEAGE = 2_147_483_000  # ids of the columns that v3 adds when rows are written again, and above
CASES: dict[str, dict[str, Any]] = {
    "a stream of few rows": {"writer": "streaming", "workload": {"rows_per_second": 20, "files_per_commit": 3}},
    "a batch of some hundreds": {"writer": "batch", "workload": {"rows_per_second": 700, "files_per_commit": 2}},
    "a stream that writes batches": {
        "writer": {"kind": "streaming", "sink": "foreach_batch"},
        "workload": {"rows_per_second": 9},
    },
}
REWRITTEN = {
    "writer": "batch",
    "workload": {"rows_per_second": 30},
    "changes": {"update": {"every": "2s", "rows": 5}},
    "maintenance": {"rewrite_data_files": {"when_small_files": 5}},
}


@pytest.mark.spark
@pytest.mark.parametrize("name", CASES)
def test_files_of_columns_of_every_type_are_as_large_as_sparks(
    name: str,
    small_case: Callable[..., Case],
    run_case: Callable[[Case], tuple[CaseRun, CaseContext]],
    tmp_path: Path,
) -> None:
    real, simulated = both(CASES[name], small_case, run_case, tmp_path)
    assert real.total() > 6
    assert simulated == real


@pytest.mark.spark
def test_rows_written_again_may_be_null_where_the_table_says_so(
    small_case: Callable[..., Case], run_case: Callable[[Case], tuple[CaseRun, CaseContext]], tmp_path: Path
) -> None:
    real, simulated = both(REWRITTEN, small_case, run_case, tmp_path)
    again = [sorted(one for one in files if one[0] > 30) for files in (real, simulated)]
    assert len(again[0]) > 2
    # in which order Spark reads the files is not simulated, and shows in how they deflate
    for (rows, size, sizes), (rows_simulated, size_simulated, sizes_simulated) in zip(*again, strict=True):
        assert rows == rows_simulated
        assert size_simulated == pytest.approx(size, rel=0.01)
        assert sum(dict(sizes_simulated).values()) == pytest.approx(sum(dict(sizes).values()), rel=0.01)
        assert dict(sizes_simulated) == pytest.approx(dict(sizes), rel=0.12)


def both(
    parts: dict[str, Any],
    small_case: Callable[..., Case],
    run_case: Callable[[Case], tuple[CaseRun, CaseContext]],
    folder: Path,
) -> tuple[Sizes, Sizes]:
    """What columns take in the files of a case, real and simulated."""
    parts = {"table": {"columns": EVERY_TYPE}, "horizon": "7s", **parts}
    case = small_case(**{key: json.dumps(part) for key, part in parts.items()})
    _, context = run_case(case)
    simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=folder / "emitted")
    warehouse = context.folder.warehouse(context.key).joinpath(*TABLE_NAME.split("."))
    return sizes_in(warehouse), sizes_in(folder / "emitted")


def sizes_in(table: Path) -> Sizes:
    """Sizes of every data file that the table's manifests tell of."""
    files: dict[str, DataFileEntry] = {}
    for path in sorted((table / "metadata").glob("*-m*.avro")):
        for entry in read_manifest(path.read_bytes(), source=path.name).entries:
            if not entry.file.content:
                files[entry.file.file_path] = entry.file
    found = []
    for file in files.values():
        columns = tuple((key, size) for key, size in (file.column_sizes or {}).items() if key < LINEAGE)
        found.append((file.record_count, file.file_size_bytes, columns))
    return Counter(found)


def test_numbers_alike_are_a_run_and_others_are_packed() -> None:
    assert runs_and_groups([1] * 20, 1) == bytes([20 << 1, 1])
    assert runs_and_groups([0, 1, 2, 3, 4, 5, 6, 7], 3) == bytes([1 << 1 | 1, 0x88, 0xC6, 0xFA])
    assert runs_and_groups([1] * 7, 1) == bytes([1 << 1 | 1, 0x7F])
    mixed = runs_and_groups([3, 1, 2, 0, 3, 1, 2, 0, *[2] * 9, 1], 2)
    assert mixed == bytes([1 << 1 | 1, 0x27, 0x27, 9 << 1, 2, 1 << 1 | 1, 0x01, 0x00])
    # 63 groups, and a header for the next
    assert len(runs_and_groups([0, 1] * 256, 1)) == 64 + 2


def test_pages_end_where_the_writer_looks_and_one_column_is_full() -> None:
    long, text = np.full(30_000, 8.0), np.full(30_000, 64.0)
    assert page_ends([long]) == [[20_000]]
    assert page_ends([long[:20_000], long[:20_000]]) == [[], []]
    # looks come at half of what the text still takes: 8,242, 12,313, 14,348 and 15,366 rows
    assert page_ends([long[:15_300], text[:15_300]]) == [[], []]
    assert page_ends([long[:15_400], text[:15_400]]) == [[], [15_366]]
