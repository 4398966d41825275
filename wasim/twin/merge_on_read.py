"""The delete files of a merge-on-read statement: new ones, and older ones whose positions they take over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import FileKey
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.delete_files import DeletedRows, write_position_deletes, write_vectors
from wasim.twin.writing_tasks import DeltaTask


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFiles:
    """Delete files that a statement adds, by partition spec, and those that it replaces."""

    added: Mapping[int, Sequence[DataFileEntry]]
    replaced: Collection[FileKey]


def draw_delete_files(
    files: DataFiles,
    tasks: Sequence[DeltaTask],
    numbers: FileNumbers,
    rng: np.random.Generator,
    *,
    by_partition: bool,
) -> DeleteFiles:
    """Delete files for the rows that each task deletes. In v2 one file covers a partition or, if not `by_partition`, a
    data file; in v3 a task writes one file of vectors.
    """
    uses_vectors = files.case.table.format_version > 2
    replaced = set[FileKey]()
    added: dict[int, list[DataFileEntry]] = {}
    for place, task in enumerate(tasks):
        groups: dict[object, list[DeletedRows]] = {}  # what one file deletes
        spec_of: dict[str, int] = {}
        for file, mask in task.deleted:
            positions = np.flatnonzero(mask)
            if uses_vectors or not by_partition:
                positions = np.union1d(positions, file.deleted)
                replaced |= {entry.key for entry in file.own_deletes}
            path, partition = file.entry.file.file_path, file.entry.file.partition
            spec_of[path] = file.spec_id
            key: object = "every" if uses_vectors else (file.spec_id, partition) if by_partition else path
            groups.setdefault(key, []).append(DeletedRows(path=path, partition=partition, positions=positions))
        task_name = f"{place:05d}-{numbers.first_task_id + place}-{numbers.query_id}"
        for count, group in enumerate(groups.values(), 1):
            if uses_vectors:
                path = numbers.locations.data_file("", f"{task_name}-{count:05d}-deletes.puffin")
                for vector in write_vectors(files, path, group):
                    added.setdefault(spec_of[vector.referenced_data_file or ""], []).append(vector)
            else:
                folder = files.folder_of(group[0].partition)
                path = numbers.locations.data_file(folder, f"{task_name}-{count:05d}-deletes.parquet")
                written = write_position_deletes(files, path, group, rng)
                added.setdefault(spec_of[group[0].path], []).append(written)
    return DeleteFiles(added=added, replaced=replaced)
