"""The delete files of a merge-on-read statement: new ones, and older ones whose positions they take over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import FileKey, key_of
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.delete_files import DeletedRows, deletion_vectors, position_delete_file
from wasim.twin.live_manifests import LiveEntry
from wasim.twin.writing_tasks import DeltaTask

CREATOR_KEY = "iceberg-version"  # of a summary: what writes Puffin files signs them with it


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
    takes_over = uses_vectors or not by_partition
    replaced: list[LiveEntry] = []
    added: dict[int, list[DataFileEntry]] = {}
    for place, task in enumerate(tasks):
        deleted: dict[str, tuple[int, DeletedRows]] = {}
        for file, mask in task.deleted:
            positions = np.flatnonzero(mask)
            if takes_over:
                positions = np.union1d(positions, file.deleted)
                replaced += file.own_deletes
            path = file.entry.file.file_path
            rows = DeletedRows(path=path, partition=file.entry.file.partition, positions=positions)
            deleted[path] = file.spec_id, rows
        writer = _Task(files=files, numbers=numbers, place=place, rng=rng)
        drawn = writer.vectors(deleted) if uses_vectors else writer.positions(deleted, by_partition=by_partition)
        for spec_id, one in drawn:
            added.setdefault(spec_id, []).append(one)
    return DeleteFiles(added=added, replaced={entry.key for entry in replaced})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A task that writes delete files, each with its partition spec; `place` is its own among those of the job."""

    files: DataFiles
    numbers: FileNumbers
    place: int
    rng: np.random.Generator

    def positions(
        self, deleted: Mapping[str, tuple[int, DeletedRows]], *, by_partition: bool
    ) -> list[tuple[int, DataFileEntry]]:
        drawn = []
        for count, (spec_id, group) in enumerate(_groups(list(deleted.values()), by_partition=by_partition), 1):
            folder = self.files.folder_of(group[0].partition)
            file = position_delete_file(self._path(folder, f"{count:05d}-deletes.parquet"), group, self.rng)
            _remember(self.files, file, group)
            drawn.append((spec_id, file))
        return drawn

    def vectors(self, deleted: Mapping[str, tuple[int, DeletedRows]]) -> list[tuple[int, DataFileEntry]]:
        if not deleted:
            return []
        created_by = self.files.profile.summary.get(CREATOR_KEY, "")
        every, drawn = [rows for _, rows in deleted.values()], []
        for vector in deletion_vectors(self._path("", "00001-deletes.puffin"), every, created_by):
            spec_id, rows = deleted[vector.referenced_data_file or ""]
            _remember(self.files, vector, [rows])
            drawn.append((spec_id, vector))
        return drawn

    def _path(self, folder: str, end: str) -> str:
        numbers = self.numbers
        task = f"{self.place:05d}-{numbers.first_task_id + self.place}"
        return numbers.locations.data_file(folder, f"{task}-{numbers.query_id}-{end}")


def _groups(listed: Sequence[tuple[int, DeletedRows]], *, by_partition: bool) -> list[tuple[int, list[DeletedRows]]]:
    """What one file deletes each, with its partition spec."""
    if not by_partition:
        return [(spec_id, [rows]) for spec_id, rows in listed]
    groups: dict[tuple[object, ...], tuple[int, list[DeletedRows]]] = {}
    for spec_id, rows in listed:
        groups.setdefault((spec_id, rows.partition), (spec_id, []))[1].append(rows)
    return list(groups.values())


def _remember(files: DataFiles, file: DataFileEntry, group: Sequence[DeletedRows]) -> None:
    files.positions_in[key_of(file)] = {rows.path: rows.positions for rows in group}
