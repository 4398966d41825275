"""UPDATE, DELETE, MERGE INTO and INSERT OVERWRITE: which files of a table each touches, and what it writes.

Rows that are rewritten are written by as many tasks as `writing_tasks` says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.iceberg.updates import Way
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.file_changes import FileChanges
from wasim.twin.identifiers import draw_uuid
from wasim.twin.locations import Locations
from wasim.twin.merge_on_read import draw_delete_files
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.scanning import LiveFiles, Mask, ScannedFile, scan_files
from wasim.twin.writing_tasks import delta_tasks, tasks_of
from wasim.units import Ints

TASKS_OF_STATEMENT = 5  # that scan, match and at last write


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement about to run: on which files of a table with these properties, as which job."""

    locations: Locations
    properties: TableProperties
    live: LiveFiles
    files: DataFiles
    rng: np.random.Generator
    task_id: int
    wall_ms: int

    def numbers(self, *, is_delta: bool) -> FileNumbers:
        """What names the files of its job."""
        return FileNumbers(
            locations=self.locations,
            query_id=draw_uuid(self.rng),
            epoch=0,
            first_task_id=self.task_id,
            wall_ms=self.wall_ms,
            is_delta=is_delta,
        )

    @property
    def deletes_by_partition(self) -> bool:
        """Whether one file deletes from all data files of a partition."""
        return self.properties.delete_granularity == "partition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A file of which the statement touches some rows, and which: none that was deleted before."""

    file: ScannedFile
    mask: Mask

    @property
    def kept(self) -> RowSet:
        """Its rows that are there and not touched."""
        return self.file.rows.take(self.file.live & ~self.mask)

    @property
    def touched(self) -> RowSet:
        """Its rows that are touched."""
        return self.file.rows.take(self.mask)


def find_hits(statement: Statement, is_chosen: Callable[[Ints], Mask]) -> list[Hit]:
    """Files that hold rows whose numbers are chosen."""
    found = [
        Hit(file=file, mask=is_chosen(file.rows.numbers) & file.live)
        for file in scan_files(statement.live, statement.files)
    ]
    return [hit for hit in found if hit.mask.any()]


def update(statement: Statement, hits: Sequence[Hit]) -> FileChanges:
    """UPDATE: the touched rows get another value in one column."""
    if statement.properties.is_merge_on_read("update"):
        changed = all_rows([hit.touched for hit in hits])
        return _delta(statement, hits, changed.updated(np.ones(len(changed), dtype=np.bool_)))
    written = [hit.file.rows.updated(hit.mask).take(hit.file.live) for hit in hits]
    return _rewritten(statement, hits, tasks_of(statement.files, all_rows(written)))


def delete(statement: Statement, hits: Sequence[Hit]) -> FileChanges:
    """DELETE of rows, some of whose files hold others."""
    if statement.properties.is_merge_on_read("delete"):
        return _delta(statement, hits, None)
    return _rewritten(statement, hits, tasks_of(statement.files, all_rows([hit.kept for hit in hits])))


def merge(statement: Statement, source: Ints, version: int) -> FileChanges:
    """MERGE INTO: rows of the source that the table has are replaced, the others are inserted."""
    hits = find_hits(statement, lambda numbers: np.isin(numbers, source))
    matched = all_rows([hit.touched for hit in hits])
    inserted = new_rows(source[~np.isin(source, matched.numbers)], version)
    is_delta = statement.properties.is_merge_on_read("merge")
    copied = 0 if is_delta else sum(len(hit.kept) for hit in hits)
    more = merge_counts(copied=copied, updated=len(matched), inserted=len(inserted))
    written = all_rows([matched.replaced(version), inserted]).by_number()
    if is_delta:
        return _delta(statement, hits, written, more)
    joined = all_rows([*[hit.kept for hit in hits], written]).by_number()
    return _rewritten(statement, hits, tasks_of(statement.files, joined), more)


def merge_counts(*, copied: int, updated: int, inserted: int) -> dict[str, str]:
    """What the summary of a MERGE counts, apart from Iceberg's own counters."""
    counts = {
        "copied": copied,
        "deleted": 0,
        "updated": updated,
        "inserted": inserted,
        "matched-updated": updated,
        "matched-deleted": 0,
        "not-matched-by-source-updated": 0,
        "not-matched-by-source-deleted": 0,
    }
    return {f"spark.merge-into.num-target-rows-{key}": str(count) for key, count in counts.items()}


def _rewritten(
    statement: Statement, hits: Sequence[Hit], tasks: Sequence[RowSet], summary: dict[str, str] | None = None
) -> FileChanges:
    """Copy-on-write: the files that were hit go, and what is left of their rows is written again."""
    numbers = statement.numbers(is_delta=False)
    added = statement.files.write(tasks, numbers, statement.rng, rewrites=True)
    operation = "overwrite"
    if bool(hits) != bool(added):
        operation = "delete" if hits else "append"
    return FileChanges(
        way=Way.OVERWRITE_FILES,
        operation=operation,
        added=added,
        removed={hit.file.entry.file.file_path for hit in hits},
        # only vectors are named: they are of no use without their file
        removed_deletes={entry.key for hit in hits for entry in hit.file.vectors},
        summary=summary or {},
    )


def _delta(
    statement: Statement, hits: Sequence[Hit], written: RowSet | None, summary: dict[str, str] | None = None
) -> FileChanges:
    """Merge-on-read: delete files remove the old rows, data files add changed and new ones."""
    files, numbers = statement.files, statement.numbers(is_delta=True)
    tasks = delta_tasks(files, [(hit.file, hit.mask) for hit in hits], written)
    added = []
    if written is not None:
        added = files.write([task.rows for task in tasks], numbers, statement.rng, rewrites=True)
    deletes = draw_delete_files(files, tasks, numbers, statement.rng, by_partition=statement.deletes_by_partition)
    operation = "overwrite"
    if bool(added) != bool(deletes.added):
        operation = "append" if added else "delete"
    return FileChanges(
        way=Way.ROW_DELTA,
        operation=operation,
        added=added,
        added_deletes=deletes.added,
        removed_deletes=deletes.replaced,
        summary=summary or {},
    )


def overwrite(statement: Statement, tasks: Sequence[Ints], version: int, *, is_dynamic: bool) -> FileChanges | None:
    """INSERT OVERWRITE: rows that tasks bring replace all of the table, or the partitions that they are of."""
    files = statement.files
    numbers = statement.numbers(is_delta=False)
    shuffled = files.shuffled([new_rows(task, version) for task in tasks])
    added = files.write(shuffled, numbers, statement.rng)
    partitions = {file.partition for file in added}
    replaces_all = not is_dynamic or not files.spec.fields
    if is_dynamic and not added:
        return None
    removed = {
        entry.file.file_path
        for entry, spec_id in statement.live.data
        if replaces_all or (spec_id == files.spec.spec_id and entry.file.partition in partitions)
    }
    return FileChanges(
        way=Way.REPLACE_PARTITIONS if is_dynamic else Way.OVERWRITE_ALL,
        operation="overwrite" if added else "delete",
        added=added,
        removed=removed,
        drops_delete=lambda file: replaces_all or file.partition in partitions,
        summary={"replace-partitions": "true"} if is_dynamic else {},
    )
