"""UPDATE, DELETE, MERGE INTO and INSERT OVERWRITE, as a scenario's changes and upserts: which rows and which files of a
table each touches, and what it writes.

Rows that are rewritten are written by as many tasks as `writing_tasks` says.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.snapshots import Way
from wasim.scenario import Case
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.hashing import spark_xxhash64_of_ints
from wasim.twin.identifiers import Locations, draw_uuid
from wasim.twin.row_sets import AS_ARRIVED, RowSet, all_rows, new_rows
from wasim.twin.rows import task_edges
from wasim.twin.scanning import LiveFiles, Mask, ScannedFile, is_chosen, scan_files
from wasim.twin.snapshot_updates import FileChanges
from wasim.twin.writing_tasks import delta_tasks, draw_delete_files, tasks_of
from wasim.units import Ints
from wasim.workload import Append, ChangeRows, RowChoice

EVENT_ID = 1  # field id of the row number, the first column of each table


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
    rows_in = statement.files.rows_in
    masks = [is_chosen(rows_in[entry.file.file_path].numbers) for entry, _ in statement.live.data]
    chosen = [(one, mask) for one, mask in zip(statement.live.data, masks, strict=True) if mask.any()]
    scanned = scan_files(replace(statement.live, data=[one for one, _ in chosen]), statement.files)
    found = [Hit(file=file, mask=mask & file.live) for file, (_, mask) in zip(scanned, chosen, strict=True)]
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
    ordered = np.sort(source)  # once: np.isin would sort it for each of many small files
    hits = find_hits(
        statement, lambda numbers: np.searchsorted(ordered, numbers, "right") > np.searchsorted(ordered, numbers)
    )
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
    by_partition = statement.properties.delete_granularity == "partition"
    deletes = draw_delete_files(files, tasks, numbers, statement.rng, by_partition=by_partition)
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


def change_rows(statement: Statement, step: ChangeRows) -> FileChanges | None:
    """What one change makes of the files; None where nothing is committed."""
    match step.operation:
        case "update":
            return update(statement, find_hits(statement, partial(is_chosen, step.rows)))
        case "delete":
            whole_files = _deletes_whole_files(statement, step)
            return whole_files or delete(statement, find_hits(statement, partial(is_chosen, step.rows)))
        case "merge":
            statement.files.rows.late_s[step.number] = step.event_time_s
            numbers = np.arange(step.rows.first, step.rows.stop)
            source = np.concatenate([numbers[is_chosen(step.rows, numbers)], np.arange(*step.new_rows)])
            return merge(statement, source, step.number)
        case "overwrite":
            edges = task_edges(step.rows.first, step.rows.stop, statement.files.case.workload.files_per_commit)
            tasks = [np.arange(low, high) for low, high in edges]
            return overwrite(statement, tasks, step.number, is_dynamic=step.dynamic)


def upsert(statement: Statement, step: Append, commit: int) -> FileChanges:
    """A commit of the writer that merges: its first rows have numbers of earlier ones, the others are new."""
    return merge(statement, upserted_numbers(statement.files.case, step, commit), commit)


def upserted_numbers(case: Case, step: Append, commit: int) -> Ints:
    """The row numbers of an upserting commit, as drive/changes.py defines them.

    Keys repeated within it, `repeats`, are Flink's alone, and defined here.
    """
    replaced, before = step.replaced_per_commit, case.rows_through(commit - 1)
    offsets = np.arange(step.rows_per_commit)
    if not before:
        return offsets
    if case.writer.upsert is not None and case.writer.upsert.locality == "newest":
        earlier = before - replaced + offsets
    else:
        stretch = before // replaced
        earlier = offsets * stretch + spark_xxhash64_of_ints(commit, case.seed) % stretch
    repeats = case.writer.upsert.repeats if case.writer.upsert is not None else 0.0
    different = max(1, replaced - round(repeats * replaced))  # of the repeated keys
    return np.where(offsets < replaced, earlier[offsets % different], before - replaced + offsets)


def upserted_rows(case: Case, step: Append, commit: int) -> RowSet:
    """The rows of a commit that deletes by key, as they arrive; the table's first commit brings new ones."""
    version = commit if step.operation(commit) == "upsert" else AS_ARRIVED
    return new_rows(upserted_numbers(case, step, commit), version)


def _deletes_whole_files(statement: Statement, step: ChangeRows) -> FileChanges | None:
    """The delete by metadata alone, where that will do."""
    removed = files_of_rows((entry.file for entry, _ in statement.live.data), step.rows)
    if removed is None:
        return None
    # by filter: manifests of deletes are opened, but no delete file is known to hold such rows alone
    return FileChanges(way=Way.DELETE_FILES, operation="delete", removed=removed, drops_delete=lambda file: False)


def files_of_rows(live: Iterable[DataFileEntry], rows: RowChoice) -> set[str] | None:
    """Paths of the files, of a table's live ones, that hold these rows and no others, as Iceberg finds them by bounds.

    None where a file may hold others too: then metadata alone does not delete them.
    """
    if rows.is_scattered:  # by a hash, of which bounds know nothing
        return None
    found = set()
    for file in live:
        bounds = _row_numbers(file)
        if bounds is None:
            return None
        low, high = bounds
        if low >= rows.first and high < rows.stop:
            found.add(file.file_path)
        elif low < rows.stop and high >= rows.first:
            return None
    return found


def _row_numbers(file: DataFileEntry) -> tuple[int, int] | None:
    """The least and the greatest row number in a file, by which Iceberg too decides."""
    lower, upper = (file.lower_bounds or {}).get(EVENT_ID), (file.upper_bounds or {}).get(EVENT_ID)
    if lower is None or upper is None:
        return None
    return int.from_bytes(lower, "little", signed=True), int.from_bytes(upper, "little", signed=True)
