"""Spark's rewrite_data_files by bin-packing: the small files of each partition in one new file.

Which files are compacted and what they become (`groups_to_rewrite`, `compact`) depends on data files alone, so that
engine `core` describes the compactions of real tables with it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg.updates import Way
from wasim.rules.compaction import groups_per_commit, is_much_deleted, is_outside, is_rewritten, output_files
from wasim.twin.commits import Moment
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.identifiers import draw_uuid
from wasim.twin.locations import Locations
from wasim.twin.partitions import Partition
from wasim.twin.row_sets import all_rows
from wasim.twin.scanning import ScannedFile, live_files, scan_files
from wasim.twin.snapshot_updates import FileChanges, write_and_commit
from wasim.twin.table import SimulatedTable
from wasim.workload import Maintain


def rewrite_data_files(
    table: SimulatedTable, files: DataFiles, step: Maintain, moments: Iterator[Moment], *, first_task_id: int
) -> None:
    """Carries out the compaction, a commit at each of the moments.

    Where nothing is to be done, nothing is committed. WasimError for a partition that would become several files, and
    for a table of several partition specs.
    """
    groups = groups_to_rewrite(scan_files(live_files(table), files), step)
    planned_on, moment = table.commits, next(moments)
    for place, batch in enumerate(batches_to_commit(groups, step.partial_progress_commits)):
        if place:
            moment = next(moments)
        changes = compact(
            files,
            batch,
            locations=table.rules.locations,
            first_task_id=first_task_id,
            wall_ms=moment.timestamp_ms,
            rng=table.rng,
        )
        write_and_commit(table, replace(changes, planned_on=planned_on), moment)


def batches_to_commit(groups: Sequence[list[ScannedFile]], most_commits: int | None) -> list[list[list[ScannedFile]]]:
    """The groups that each commit takes: all of them in one, or by partial progress as many as make `most_commits`."""
    each = groups_per_commit(len(groups), most_commits or 1)
    return [list(groups[first : first + each]) for first in range(0, len(groups), each)]


def groups_to_rewrite(scanned: Iterable[ScannedFile], step: Maintain) -> list[list[ScannedFile]]:
    """Groups of live files to rewrite into one file each, by partition: files that are too small or too large, or of
    which too many rows are deleted.

    WasimError where Spark would do what is not modelled: several files of a partition, or of several partition specs.
    """
    live = list(scanned)
    if len({file.spec_id for file in live}) > 1:
        raise WasimError(
            "rewrite_data_files of files of several partition specs is not modelled. Take the evolution of the spec"
            " out, or use engine spark."
        )
    groups: dict[Partition, list[ScannedFile]] = {}
    for file in live:
        if is_outside(file.entry.file.file_size_bytes, step.target_file_size_bytes) or _is_much_deleted(file):
            groups.setdefault(file.entry.file.partition, []).append(file)
    return [group for group in groups.values() if _is_taken(group, step)]


def compact(
    files: DataFiles,
    groups: Sequence[Sequence[ScannedFile]],
    *,
    locations: Locations,
    first_task_id: int,
    wall_ms: int,
    rng: np.random.Generator,
) -> FileChanges:
    """The changes that rewrite each of these groups into one file, by a job of its own.

    Their rows keep the age that they had when the work was planned.
    """
    added = []
    for place, group in enumerate(groups):
        numbers = FileNumbers(
            locations=locations,
            query_id=draw_uuid(rng),
            epoch=0,
            first_task_id=first_task_id + place,
            wall_ms=wall_ms,
        )
        rows = all_rows([file.rows.take(file.live) for file in group]).by_number()
        added += files.write([rows], numbers, rng, rewrites=True)
    taken = [file for group in groups for file in group]
    return FileChanges(
        way=Way.REWRITE_FILES,
        operation="replace",
        added=added,
        removed={file.entry.file.file_path for file in taken},
        removed_deletes={entry.key for file in taken for entry in file.vectors},
        writer_keys=(),
    )


def _is_taken(group: list[ScannedFile], step: Maintain) -> bool:
    total = sum(file.entry.file.file_size_bytes for file in group)
    if output_files(total, step.target_file_size_bytes) > 1:
        raise WasimError(
            f"rewrite_data_files of {total} B of files in one partition would write several (the target is"
            f" {step.target_file_size_bytes} B), which is not modelled. Give a larger target_file_size_bytes, or use"
            " engine spark."
        )
    is_enough = is_rewritten(len(group), total, step.min_input_files, step.target_file_size_bytes)
    return is_enough or any(map(_is_much_deleted, group))


def _is_much_deleted(file: ScannedFile) -> bool:
    own = sum(entry.file.record_count for entry in file.own_deletes)
    return is_much_deleted(own, file.entry.file.record_count)
