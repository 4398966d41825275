"""A scenario's changes and upserts as statements: which rows, and whether rows are looked at or whole files dropped."""

import struct
from collections.abc import Iterable
from functools import partial

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.updates import Way
from wasim.scenario import Case
from wasim.twin.file_changes import FileChanges
from wasim.twin.hashing import spark_xxhash64_of_ints
from wasim.twin.rows import task_edges
from wasim.twin.scanning import is_chosen
from wasim.twin.statements import Statement, delete, find_hits, merge, overwrite, update
from wasim.units import Ints
from wasim.workload import Append, ChangeRows, RowChoice

EVENT_ID = 1  # field id of the row number, the first column of each table
_LONG = struct.Struct("<q")


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
    return int(_LONG.unpack(lower)[0]), int(_LONG.unpack(upper)[0])
