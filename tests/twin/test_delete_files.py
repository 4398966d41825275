"""Delete files and the columns of row lineage: simulated as large as Spark's writers make them, file by file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.parquet_again import sizes_again, sizes_of

from wasim.bench.case import CaseContext
from wasim.iceberg import DataFileEntry, read_manifest
from wasim.iceberg.manifest_entries import FileContent
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.spark.drive import TABLE_NAME
from wasim.twin.delete_files import DeletedRows, position_delete_file
from wasim.twin.lineage import CHANGED_AT_ID, ROW_ID
from wasim.twin.parquet_page_ends import MOST_ROWS

COLUMNS = [{"name": "region", "type": "string", "values": 3}, {"name": "reading", "type": "double"}]
MERGE_ON_READ = {
    "update": {"every": "3s", "rows": 9, "locality": "scattered", "mode": "merge-on-read"},
    "delete": {"every": "2s", "rows": 11, "locality": "scattered", "mode": "merge-on-read"},
}
COPY_ON_WRITE = {
    "update": {"every": "2s", "rows": 9, "locality": "scattered"},
    "merge": {"every": "3s", "rows": 5, "new_rows": 4, "locality": "scattered"},
}
FILES = {"rows_per_second": 60, "files_per_commit": 3}
CASES: dict[str, dict[str, Any]] = {
    "a file for each data file": {"changes": MERGE_ON_READ},
    "a file for each partition": {
        "table": {
            "columns": COLUMNS,
            "partition_by": [{"column": "region"}],
            "properties": {"write.delete.granularity": "partition"},
        },
        "changes": MERGE_ON_READ,
    },
    "a file of more rows than a page holds": {
        "changes": {"delete": {"every": "2s", "rows": 25_000, "locality": "newest", "mode": "merge-on-read"}},
        "workload": {"rows_per_second": 30_000, "files_per_commit": 1},
        "horizon": "2s",
    },
}

SLOW = {"a file for each data file", "a file of more rows than a page holds"}


@pytest.mark.spark
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
def test_position_deletes_are_as_large_as_sparks(
    name: str, small_case: Callable[..., Case], run_case: Callable[[Case], tuple[CaseRun, CaseContext]]
) -> None:
    table = run(CASES[name], small_case, run_case)
    deletes = [file for file in files_of(table) if file.content == FileContent.POSITION_DELETES]
    for real in deletes:
        assert described_again(real) == real
    paths = [len(rows_deleted(real)) for real in deletes]
    assert max(paths) > 1 if "partition" in name else set(paths) == {1}
    assert max(real.record_count for real in deletes) > (MOST_ROWS if "page" in name else 2)


def described_again(real: DataFileEntry) -> DataFileEntry:
    """The entry of a file that deletes what this one does."""
    deleted = [
        DeletedRows(path=path, partition=real.partition, positions=positions)
        for path, positions in rows_deleted(real).items()
    ]
    return position_delete_file(real.file_path, deleted)


def rows_deleted(file: DataFileEntry) -> dict[str, np.ndarray]:
    rows = pq.ParquetFile(file.file_path.removeprefix("file:")).read()
    paths, positions = rows["file_path"].to_numpy(), rows["pos"].to_numpy()
    return {path: positions[paths == path] for path in sorted(set(paths.tolist()), reverse=True)}


@pytest.mark.spark
def test_rows_written_again_in_v3_take_what_lineage_takes(
    small_case: Callable[..., Case], run_case: Callable[[Case], tuple[CaseRun, CaseContext]]
) -> None:
    parts = {"table": {"columns": COLUMNS, "format_version": 3}, "changes": COPY_ON_WRITE}
    told = 0
    for real in files_of(run(parts, small_case, run_case)):
        path = Path(real.file_path.removeprefix("file:"))
        again = sizes_again(path)
        assert again == sizes_of(path)
        assert (real.file_size_bytes, real.column_sizes) == (again.total, again.columns)
        if ROW_ID in again.columns:
            told += 0 < (real.null_value_counts or {})[CHANGED_AT_ID] < real.record_count
    assert told > 2


def run(
    parts: dict[str, Any],
    small_case: Callable[..., Case],
    run_case: Callable[[Case], tuple[CaseRun, CaseContext]],
) -> Path:
    """Where the table of a case is that Spark has written."""
    given = {"table": {"columns": COLUMNS}, "writer": "batch", "workload": FILES, "horizon": "6s", **parts}
    _, context = run_case(small_case(**{key: json.dumps(part) for key, part in given.items()}))
    return context.folder.warehouse(context.key).joinpath(*TABLE_NAME.split("."))


def files_of(table: Path) -> Iterator[DataFileEntry]:
    """Every file that the table's manifests tell of and that is there."""
    found: dict[str, DataFileEntry] = {}
    for path in sorted((table / "metadata").glob("*-m*.avro")):
        for entry in read_manifest(path.read_bytes(), source=path.name).entries:
            found[entry.file.file_path] = entry.file
    yield from (file for file in found.values() if Path(file.file_path.removeprefix("file:")).exists())
