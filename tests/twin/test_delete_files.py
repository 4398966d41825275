"""Delete files and the columns of row lineage: described as Spark's writers do, and about as large."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from wasim.iceberg import DataFileEntry, read_manifest
from wasim.iceberg.record_fields import FileContent
from wasim.scenario import Case
from wasim.twin.delete_files import DeletedRows, position_delete_file
from wasim.twin.lineage import CHANGED_AT_ID, LINEAGE_FIELDS, ROW_ID, lineage_sizes
from wasim.twin.row_sets import INHERITED, new_rows

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
    "a file of many rows": {
        "changes": {"delete": {"every": "2s", "rows": 25_000, "locality": "newest", "mode": "merge-on-read"}},
        "workload": {"rows_per_second": 30_000, "files_per_commit": 1},
        "horizon": "2s",
    },
}

LINEAGE_NAMES = tuple(field.name for field in LINEAGE_FIELDS)
SLOW = {"a file for each data file", "a file of many rows"}


# What Spark's writer made of positions so far apart, on average, in so many data files with paths of 108 bytes.
@pytest.mark.parametrize(
    ("data_files", "positions", "gap", "real_bytes"),
    [
        (1, 1, 1, 1472),
        (1, 20, 10, 1566),
        (1, 1000, 1, 2598),
        (1, 1000, 100, 3158),
        (1, 10_000, 10, 12_952),
        (3, 20, 10, 1479),
        (3, 100, 100, 1953),
        (10, 5, 1, 1513),
        (10, 100, 1, 3045),
    ],
)
def test_position_deletes_are_about_as_large_as_measured(
    data_files: int, positions: int, gap: int, real_bytes: int
) -> None:
    rng = np.random.default_rng(0)
    deleted = [
        DeletedRows(
            path=f"{number:0108d}",
            partition=(),
            positions=np.sort(rng.choice(positions * gap, positions, replace=False)),
        )
        for number in range(data_files)
    ]
    assert position_delete_file("deletes", deleted, rng).file_size_bytes == pytest.approx(real_bytes, rel=0.25)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
def test_position_deletes_are_described_as_sparks(name: str, small_case: Callable[..., Case], run_case) -> None:
    table = run(CASES[name], small_case, run_case)
    deletes = [file for file in files_of(table) if file.content == FileContent.POSITION_DELETES]
    for real in deletes:
        again = described_again(real)
        assert again.file_size_bytes == pytest.approx(real.file_size_bytes, rel=0.1)
        assert replace(again, file_size_bytes=0, column_sizes=None) == replace(
            real, file_size_bytes=0, column_sizes=None
        )
        assert again.column_sizes.keys() == real.column_sizes.keys()
    paths = [len(rows_deleted(real)) for real in deletes]
    assert max(paths) > 1 if "partition" in name else set(paths) == {1}
    assert max(real.record_count for real in deletes) > 2


def described_again(real: DataFileEntry) -> DataFileEntry:
    """The entry of a file that deletes what this one does."""
    deleted = [
        DeletedRows(path=path, partition=real.partition, positions=positions)
        for path, positions in rows_deleted(real).items()
    ]
    return position_delete_file(real.file_path, deleted, np.random.default_rng(0))


def rows_deleted(file: DataFileEntry) -> dict[str, np.ndarray]:
    rows = pq.ParquetFile(file.file_path.removeprefix("file:")).read()
    paths, positions = rows["file_path"].to_numpy(), rows["pos"].to_numpy()
    return {path: positions[paths == path] for path in sorted(set(paths.tolist()), reverse=True)}


def test_rows_written_again_in_v3_take_what_lineage_takes(small_case: Callable[..., Case], run_case) -> None:
    parts = {"table": {"columns": COLUMNS, "format_version": 3}, "changes": COPY_ON_WRITE}
    real_bytes, bytes_by_law = 0, 0
    for real in files_of(run(parts, small_case, run_case)):
        sizes = real.column_sizes or {}
        if ROW_ID in sizes:
            lineage = pq.read_table(real.file_path.removeprefix("file:"), columns=list(LINEAGE_NAMES)).to_pydict()
            ids, changes = (
                np.array([INHERITED if one is None else one for one in lineage[name]]) for name in LINEAGE_NAMES
            )
            rows = replace(new_rows(np.arange(real.record_count)), row_ids=ids, changed_at=changes)
            real_bytes += sizes[ROW_ID] + sizes[CHANGED_AT_ID]
            bytes_by_law += sum(lineage_sizes(rows).values())
    assert real_bytes
    assert bytes_by_law == pytest.approx(real_bytes, rel=0.2)


def run(parts: dict[str, Any], small_case: Callable[..., Case], run_case) -> Path:
    """Where the table of a case is that Spark has written."""
    given = {"table": {"columns": COLUMNS}, "writer": "batch", "workload": FILES, "horizon": "3s", **parts}
    _, context = run_case(small_case(**{key: json.dumps(part) for key, part in given.items()}))
    return context.table_root


def files_of(table: Path) -> Iterator[DataFileEntry]:
    """Every file that the table's manifests tell of and that is there."""
    found: dict[str, DataFileEntry] = {}
    for path in sorted((table / "metadata").glob("*-m*.avro")):
        for entry in read_manifest(path.read_bytes(), source=path.name).entries:
            found[entry.file.file_path] = entry.file
    yield from (file for file in found.values() if Path(file.file_path.removeprefix("file:")).exists())
