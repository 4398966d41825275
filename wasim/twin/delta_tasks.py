"""Which tasks of Spark's write what of a merge-on-read statement.

What is deleted is shuffled by file or, where the table has partitions, by those; rows that come by the table's
partitions, or all to one place, for they are of no file yet. Adaptive execution joins partitions of the shuffle.
Sources: Iceberg's SparkWriteUtil.positionDeltaRequirements, Spark's HashExpression.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wasim.iceberg.specs import partition_type
from wasim.twin.data_files import DataFiles
from wasim.twin.partitions import split_by_partition
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.scanning import Mask, ScannedFile
from wasim.twin.shuffling import (
    LEAST_TASK_BYTES,
    PARTITIONS,
    SPARK_SEED,
    joined_partitions,
    partition_of_values,
    shuffled_row_bytes,
)
from wasim.units import Ints

DELETED_ROW_BYTES = 7.0  # of a shuffled row that says what is deleted where: 6.4 … 7.5 of 9,000 and of 108,000 rows
_OF_NO_FILE = SPARK_SEED % PARTITIONS  # nulls leave a hash as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaTask:
    """What one task writes: delete files of these data files' rows, and these rows."""

    deleted: Sequence[tuple[ScannedFile, Mask]]
    rows: RowSet


def delta_tasks(files: DataFiles, deleted: Sequence[tuple[ScannedFile, Mask]], rows: RowSet | None) -> list[DeltaTask]:
    """The tasks that delete these rows of data files and write those others."""
    written = rows if rows is not None else new_rows(np.arange(0))
    row_bytes = shuffled_row_bytes(files.leaves) - DELETED_ROW_BYTES  # rows that come have neither file nor position
    deleted_bytes = [DELETED_ROW_BYTES * int(np.count_nonzero(mask)) for _, mask in deleted]
    if sum(deleted_bytes) + row_bytes * len(written) <= LEAST_TASK_BYTES:
        return [DeltaTask(deleted=deleted, rows=written)]
    places = [_place_of_deleted(files, file) for file, _ in deleted]
    written, places_of_rows = _placed(files, written)
    sizes = row_bytes * np.bincount(places_of_rows, minlength=PARTITIONS)
    sizes += np.bincount(np.array(places, dtype=np.int64), weights=deleted_bytes, minlength=PARTITIONS)
    return [
        DeltaTask(
            deleted=[one for place, one in zip(places, deleted, strict=True) if place in joined],
            rows=written.take((places_of_rows >= joined.start) & (places_of_rows < joined.stop)),
        )
        for joined in joined_partitions(sizes.tolist())
    ]


def _place_of_deleted(files: DataFiles, file: ScannedFile) -> int:
    values = file.entry.file.partition if files.spec.fields else (file.entry.file.file_path,)
    types = _partition_types(files) if files.spec.fields else ["string"]
    return partition_of_values((file.spec_id, *values), ["int", *types])


def _placed(files: DataFiles, rows: RowSet) -> tuple[RowSet, Ints]:
    """The rows by the table's partitions, and the partition of the shuffle that each is in."""
    if not files.spec.fields:
        return rows, np.full(len(rows), _OF_NO_FILE)
    shares = split_by_partition(files.rows, files.spec, files.leaves, rows) if len(rows) else []
    places = [partition_of_values(share.partition, _partition_types(files)) for share in shares]
    return all_rows([share.rows for share in shares]), np.repeat(
        np.array(places, dtype=np.int64), [len(share.rows) for share in shares]
    )


def _partition_types(files: DataFiles) -> list[str]:
    return [str(getattr(one.type, "name", "")) for one in partition_type(files.spec, files.schema).fields]
