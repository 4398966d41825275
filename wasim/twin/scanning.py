"""What a statement finds in a table: each live data file, its rows, and which of them are deleted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from wasim.iceberg.record_fields import FileContent
from wasim.twin.data_files import DataFiles
from wasim.twin.hashing import spark_xxhash64
from wasim.twin.live_manifests import LiveEntry
from wasim.twin.row_sets import INHERITED, RowSet
from wasim.twin.table import SimulatedTable
from wasim.units import Ints
from wasim.workload import SCATTER, RowChoice

Mask = NDArray[np.bool_]
_SPLIT_BYTES = 16 << 20  # of Iceberg's adaptive splits, the least
_LEAST_FILE_BYTES = 4 << 20  # as which a smaller file counts: read.split.open-file-cost, its default


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFiles:
    """The files of a table's current snapshot, in the order of its manifests: data files, each with its partition
    spec id, and delete files.
    """

    data: Sequence[tuple[LiveEntry, int]]
    deletes: Sequence[LiveEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """A live data file with its rows, of which delete files have `deleted` those at some positions.

    Of its rows, those that are `outdated` have a key which was deleted after they came.
    """

    entry: LiveEntry
    spec_id: int
    rows: RowSet
    deleted: Ints  # positions, ascending
    own_deletes: tuple[LiveEntry, ...]  # delete files that delete from it alone
    outdated: Mask | None = None

    @property
    def live(self) -> Mask:
        """Which rows are there still."""
        mask = np.ones(len(self.rows), dtype=np.bool_)
        mask[self.deleted] = False
        return mask if self.outdated is None else mask & ~self.outdated

    @property
    def vectors(self) -> list[LiveEntry]:
        """Its deletion vector, if it has one."""
        return [entry for entry in self.own_deletes if entry.file.referenced_data_file is not None]


def live_files(table: SimulatedTable) -> LiveFiles:
    """The files that the simulated table holds."""
    return LiveFiles(
        data=[
            (entry, manifest.file.partition_spec_id)
            for manifest in table.manifests
            if not manifest.has_deletes
            for entry in manifest.live
        ],
        deletes=[entry for manifest in table.manifests if manifest.has_deletes for entry in manifest.live],
    )


def scan_tasks(live: LiveFiles) -> int:
    """How many of Spark's tasks read these files if bounds pass over none."""
    entries = [*(entry for entry, _ in live.data), *live.deletes]
    return ceil(sum(max(entry.file.file_size_bytes, _LEAST_FILE_BYTES) for entry in entries) / _SPLIT_BYTES)


def scan_files(live: LiveFiles, files: DataFiles) -> list[ScannedFile]:
    """All live data files in the order of the manifest list; `files` know what is in them."""
    by_path: dict[str, list[LiveEntry]] = {}
    by_key = [entry for entry in live.deletes if entry.file.content == FileContent.EQUALITY_DELETES]
    for entry in live.deletes:
        if entry.file.content != FileContent.EQUALITY_DELETES:
            for path in files.positions_in[entry.key]:
                by_path.setdefault(path, []).append(entry)
    keys, deleted_at = _deleted_keys(files, by_key)
    return [
        ScannedFile(
            entry=entry,
            spec_id=spec_id,
            rows=_with_lineage(files.rows_in[entry.file.file_path], entry),
            deleted=_positions(files, entry.file.file_path, by_path.get(entry.file.file_path, [])),
            own_deletes=tuple(
                one for one in by_path.get(entry.file.file_path, []) if len(files.positions_in[one.key]) == 1
            ),
            outdated=_outdated(files.rows_in[entry.file.file_path].numbers, entry.sequence_number, keys, deleted_at),
        )
        for entry, spec_id in live.data
    ]


def _positions(files: DataFiles, path: str, deletes: list[LiveEntry]) -> Ints:
    found = [files.positions_in[entry.key][path] for entry in deletes]
    return np.unique(np.concatenate(found)) if found else np.arange(0)


def _deleted_keys(files: DataFiles, by_key: list[LiveEntry]) -> tuple[Ints, Ints]:
    """Row numbers whose keys were deleted, ascending, and the sequence number of the last commit that did so."""
    numbers = [files.keys_in[entry.key] for entry in by_key]
    if not numbers:
        return np.arange(0), np.arange(0)
    every = np.concatenate(numbers)
    since = np.repeat([entry.sequence_number for entry in by_key], [len(one) for one in numbers])
    order = np.lexsort((since, every))
    every, since = every[order], since[order]
    last = np.append(every[1:] != every[:-1], True)
    return every[last], since[last]


def _outdated(numbers: Ints, sequence_number: int, keys: Ints, deleted_at: Ints) -> Mask | None:
    """Which of these rows of a file, of that sequence number, were deleted by key in a later commit.

    Keys hold the columns that the table is partitioned by, so nothing of another partition has the same.
    """
    if not len(keys):
        return None
    places = np.minimum(np.searchsorted(keys, numbers), len(keys) - 1)
    return np.asarray((keys[places] == numbers) & (deleted_at[places] > sequence_number))


def _with_lineage(rows: RowSet, entry: LiveEntry) -> RowSet:
    """The rows as a reader of v3 sees them: an id and a last change of their own, from the file where it has none."""
    first = entry.file.first_row_id
    if first is None:
        return rows
    own_ids = first + np.arange(len(rows))
    return replace(
        rows,
        row_ids=np.where(rows.row_ids == INHERITED, own_ids, rows.row_ids),
        changed_at=np.where(rows.changed_at == INHERITED, entry.sequence_number, rows.changed_at),
    )


def is_chosen(rows: RowChoice, numbers: Ints) -> Mask:
    """Which of these row numbers a change means."""
    chosen = (numbers >= rows.first) & (numbers < rows.stop)
    if rows.is_scattered:
        chosen &= spark_xxhash64(numbers, rows.salt) % SCATTER < rows.parts
    return chosen
