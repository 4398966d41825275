"""Which tasks write the rows of a statement, and the delete files of one that merges on read.

Tasks are as many as write a commit, each with a mebibyte of data or more. Spark's own number depends on the cores and
shuffle partitions of its session. A mebibyte is what its adaptive execution leaves a task at least; where it has few
cores it makes fewer and larger ones.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.record_fields import FileKey
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.delete_files import DeletedRows, in_map_order, write_position_deletes, write_vectors
from wasim.twin.partitions import split_by_partition
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.scanning import Mask, ScannedFile

LEAST_TASK_BYTES = 1 << 20  # spark.sql.adaptive.coalescePartitions.minPartitionSize, its default
DELETED_ROW_BYTES = 7  # of a row that says what is deleted where: 6.4 … 7.5, measured


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaTask:
    """What one task of a merge-on-read statement writes: delete files of these data files' rows, and these rows."""

    deleted: Sequence[tuple[ScannedFile, Mask]]
    rows: RowSet


def tasks_of(files: DataFiles, rows: RowSet) -> list[RowSet]:
    """The rows of each task that writes them: by partition, or in their order where there is none."""
    count = _task_count(files, len(rows), 0)
    if count == 1:
        return [rows]
    if not files.spec.fields:
        return [rows.take(part) for part in np.array_split(np.arange(len(rows)), count)]
    shares = split_by_partition(files.rows, files.spec, files.leaves, rows)
    return [all_rows([share.rows for share in shares[task::count]]) for task in range(min(count, len(shares)))]


def delta_tasks(files: DataFiles, deleted: Sequence[tuple[ScannedFile, Mask]], rows: RowSet | None) -> list[DeltaTask]:
    """The tasks that delete these rows of data files and write those others.

    What concerns a partition is one task's. Without partitions it is data files that are dealt out, and all rows that
    are written are one task's, for they are of no file yet.
    """
    written = rows if rows is not None else new_rows(np.arange(0))
    count = _task_count(files, len(written), sum(int(np.count_nonzero(mask)) for _, mask in deleted))
    if count == 1:
        return [DeltaTask(deleted=deleted, rows=written)]
    shares = split_by_partition(files.rows, files.spec, files.leaves, written) if len(written) else []
    of_deleted = [
        (file.spec_id, file.entry.file.partition) if files.spec.fields else file.entry.file.file_path
        for file, _ in deleted
    ]
    of_rows = [(files.spec.spec_id, share.partition) if files.spec.fields else "" for share in shares]
    tasks = {place: number % count for number, place in enumerate(dict.fromkeys([*of_rows, *of_deleted]))}
    return [
        DeltaTask(
            deleted=[one for place, one in zip(of_deleted, deleted, strict=True) if tasks[place] == task],
            rows=all_rows([share.rows for place, share in zip(of_rows, shares, strict=True) if tasks[place] == task]),
        )
        for task in sorted(set(tasks.values()))
    ]


def _task_count(files: DataFiles, written: int, deleted: int) -> int:
    data_bytes = files.file_sizes.mean_column_bytes(written) + DELETED_ROW_BYTES * deleted
    return max(1, min(files.case.workload.files_per_commit, int(data_bytes // LEAST_TASK_BYTES)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFiles:
    """Delete files that a statement adds, by partition spec, and those that it replaces."""

    added: Mapping[int, Sequence[DataFileEntry]]
    replaced: Collection[FileKey]


def draw_delete_files(
    files: DataFiles, tasks: Sequence[DeltaTask], numbers: FileNumbers, rng: np.random.Generator, *, by_partition: bool
) -> DeleteFiles:
    """Delete files for the rows that each task deletes. In v2 one file covers a partition or, if not `by_partition`, a
    data file; in v3 a task writes one file of vectors.
    """
    uses_vectors = files.case.table.format_version > 2
    replaced = set[FileKey]()
    added: dict[int, list[DataFileEntry]] = {}
    for place, task in enumerate(tasks):
        held: dict[int, list[DeletedRows]] = {}
        spec_of: dict[str, int] = {}
        for file, mask in task.deleted:
            positions = np.flatnonzero(mask)
            if uses_vectors or not by_partition:
                positions = np.union1d(positions, file.deleted)
                replaced |= {entry.key for entry in file.own_deletes}
            path, partition = file.entry.file.file_path, file.entry.file.partition
            spec_of[path] = file.spec_id
            one = DeletedRows(path=path, partition=partition, positions=positions)
            held.setdefault(file.spec_id, []).append(one)
        task_name = f"{place:05d}-{numbers.first_task_id + place}-{numbers.query_id}"
        if uses_vectors:
            path = numbers.locations.data_file("", f"{task_name}-00001-deletes.puffin")
            for vector in write_vectors(files, path, [one for some in held.values() for one in some]):
                added.setdefault(spec_of[vector.referenced_data_file or ""], []).append(vector)
            continue
        for count, group in enumerate(_groups(held, by_partition=by_partition), 1):
            folder = files.folder_of(group[0].partition)
            path = numbers.locations.data_file(folder, f"{task_name}-{count:05d}-deletes.parquet")
            written = write_position_deletes(files, path, group, rng)
            added.setdefault(spec_of[group[0].path], []).append(written)
    return DeleteFiles(added=added, replaced=replaced)


def _groups(held: Mapping[int, Sequence[DeletedRows]], *, by_partition: bool) -> Iterator[Sequence[DeletedRows]]:
    """What one file deletes each, by partition spec, in the order of Iceberg's writer."""
    for _, rows in sorted(held.items()):
        for _, of_partition in groupby(in_map_order(rows), key=lambda one: one.partition):
            if by_partition:
                yield list(of_partition)
            else:
                yield from ([one] for one in of_partition)
