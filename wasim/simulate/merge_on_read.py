"""The delete files of a merge-on-read statement: new ones, and older ones whose positions they take over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import FileKey, key_of
from wasim.simulate.data_files import DataFiles, FileNumbers
from wasim.simulate.delete_files import DeletedRows, deletion_vectors, position_delete_file
from wasim.simulate.live_manifests import LiveEntry
from wasim.simulate.scanning import Mask, ScannedFile

CREATOR_KEY = "iceberg-version"  # of a summary: what writes Puffin files signs them with it


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFiles:
    """Delete files that a statement adds, by partition spec, and those that it replaces."""

    added: Mapping[int, Sequence[DataFileEntry]]
    replaced: Collection[FileKey]


def draw_delete_files(
    files: DataFiles, hits: Sequence[tuple[ScannedFile, Mask]], numbers: FileNumbers, *, by_partition: bool
) -> DeleteFiles:
    """Deletes the rows of these files for which the masks hold. In v2 one file deletes those of a partition or, if not
    `by_partition`, of a data file.
    """
    uses_vectors = files.case.table.format_version > 2
    takes_over = uses_vectors or not by_partition
    deleted: dict[int, list[DeletedRows]] = {}
    replaced: list[LiveEntry] = []
    for file, mask in hits:
        positions = np.flatnonzero(mask)
        if takes_over:
            positions = np.union1d(positions, file.deleted)
            replaced += file.own_deletes
        rows = DeletedRows(path=file.entry.file.file_path, partition=file.entry.file.partition, positions=positions)
        deleted.setdefault(file.spec_id, []).append(rows)
    added: dict[int, list[DataFileEntry]] = {}
    count = 0
    for spec_id, listed in deleted.items():
        if uses_vectors:
            continue
        for group in _groups(listed, by_partition=by_partition):
            count += 1
            folder = files.folder_of(group[0].partition)
            file_entry = position_delete_file(_path(numbers, folder, f"{count:05d}-deletes.parquet"), group)
            _remember(files, file_entry, group)
            added.setdefault(spec_id, []).append(file_entry)
    if uses_vectors and deleted:
        created_by = files.profile.summary.get(CREATOR_KEY, "")
        spec_of = {rows.path: spec_id for spec_id, listed in deleted.items() for rows in listed}
        every = [rows for listed in deleted.values() for rows in listed]
        by_path = {rows.path: rows for rows in every}
        for vector in deletion_vectors(_path(numbers, "", "00001-deletes.puffin"), every, created_by):
            path = vector.referenced_data_file or ""
            _remember(files, vector, [by_path[path]])
            added.setdefault(spec_of[path], []).append(vector)
    return DeleteFiles(added=added, replaced={entry.key for entry in replaced})


def _path(numbers: FileNumbers, folder: str, end: str) -> str:
    return numbers.locations.data_file(folder, f"00000-{numbers.first_task_id}-{numbers.query_id}-{end}")


def _groups(listed: Sequence[DeletedRows], *, by_partition: bool) -> list[list[DeletedRows]]:
    if not by_partition:
        return [[rows] for rows in listed]
    groups: dict[tuple[object, ...], list[DeletedRows]] = {}
    for rows in listed:
        groups.setdefault(rows.partition, []).append(rows)
    return list(groups.values())


def _remember(files: DataFiles, file: DataFileEntry, group: Sequence[DeletedRows]) -> None:
    files.positions_in[key_of(file)] = {rows.path: rows.positions for rows in group}
