"""The delete files of a merge-on-read statement: new ones, and older ones whose positions they take over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.ledger import Kind
from wasim.simulate.data_files import DataFiles, FileNumbers
from wasim.simulate.delete_files import DeletedRows, deletion_vectors, position_delete_file
from wasim.simulate.live_manifests import FileKey, LiveEntry, key_of
from wasim.simulate.scanning import Mask, ScannedFile
from wasim.simulate.table import SimulatedTable

_GRANULARITY = "write.delete.granularity"
CREATOR_KEY = "iceberg-version"  # of a summary: what writes Puffin files signs them with it


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFiles:
    """Delete files that a statement adds, by partition spec, and those that it replaces."""

    added: Mapping[int, Sequence[DataFileEntry]]
    replaced: Collection[FileKey]


def write_delete_files(
    table: SimulatedTable, files: DataFiles, hits: Sequence[tuple[ScannedFile, Mask]], numbers: FileNumbers
) -> DeleteFiles:
    """Deletes the rows of these files for which the masks hold."""
    by_partition = table.json.base.properties.get(_GRANULARITY, "file").lower() == "partition"
    uses_vectors = table.rules.format_version > 2
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
            stem = _stem(numbers, files.folder_of(group[0].partition))
            file_entry = position_delete_file(f"{stem}-{count:05d}-deletes.parquet", group)
            _remember(files, file_entry, group)
            added.setdefault(spec_id, []).append(file_entry)
    if uses_vectors and deleted:
        created_by = table.rules.summary.get(CREATOR_KEY, "")
        spec_of = {rows.path: spec_id for spec_id, listed in deleted.items() for rows in listed}
        every = [rows for listed in deleted.values() for rows in listed]
        by_path = {rows.path: rows for rows in every}
        for vector in deletion_vectors(f"{_stem(numbers, '')}-00001-deletes.puffin", every, created_by):
            path = vector.referenced_data_file or ""
            _remember(files, vector, [by_path[path]])
            added.setdefault(spec_of[path], []).append(vector)
    _write(table, [file_entry for listed in added.values() for file_entry in listed])
    return DeleteFiles(added=added, replaced={entry.key for entry in replaced})


def _stem(numbers: FileNumbers, folder: str) -> str:
    return f"{numbers.location}/data/{folder}00000-{numbers.first_task_id}-{numbers.query_id}"


def _groups(listed: Sequence[DeletedRows], *, by_partition: bool) -> list[list[DeletedRows]]:
    if not by_partition:
        return [[rows] for rows in listed]
    groups: dict[tuple[object, ...], list[DeletedRows]] = {}
    for rows in listed:
        groups.setdefault(rows.partition, []).append(rows)
    return list(groups.values())


def _remember(files: DataFiles, file: DataFileEntry, group: Sequence[DeletedRows]) -> None:
    files.positions_in[key_of(file)] = {rows.path: rows.positions for rows in group}


def _write(table: SimulatedTable, added: Sequence[DataFileEntry]) -> None:
    sizes = {file.file_path: file.file_size_bytes for file in added}  # vectors share their file
    for path, size in sizes.items():
        table.books.write(Kind.DELETE_FILE, table.relative(path), size)
