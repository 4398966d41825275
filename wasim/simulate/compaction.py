"""Spark's rewrite_data_files by bin-packing: the small files of each partition in one new file."""

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.ledger import Kind
from wasim.simulate.commits import Moment
from wasim.simulate.data_files import DataFiles, FileNumbers
from wasim.simulate.filtering import FileChanges, Named, commit_changed_files
from wasim.simulate.identifiers import draw_uuid
from wasim.simulate.live_manifests import LiveEntry
from wasim.simulate.partitions import Partition, Share
from wasim.simulate.row_sets import all_rows
from wasim.simulate.table import SimulatedTable
from wasim.workload import Maintain

LEAST_SHARE, MOST_SHARE = 0.75, 1.8  # of the target size: files in between are left alone


def rewrite_data_files(
    table: SimulatedTable, files: DataFiles, step: Maintain, moment: Moment, *, first_task_id: int
) -> int:
    """Carries out the compaction; how many files it wrote. Where nothing is to be done, nothing is committed.

    WasimError for a partition that would become several files, and for a table of several partition specs.
    """
    groups = [group for group in _by_partition(table, step).values() if _is_taken(group, step)]
    if not groups:
        return 0
    planned_on = table.commits
    added = []
    for place, group in enumerate(groups):
        numbers = FileNumbers(
            location=table.rules.location,
            query_id=str(draw_uuid(table.rng)),
            epoch=0,
            first_task_id=first_task_id + place,
            wall_ms=moment.timestamp_ms,
        )
        added.append(_compacted(files, group, numbers, table.rng))
        table.books.write(Kind.DATA, table.relative(added[-1].file_path), added[-1].file_size_bytes)
    identity = table.begin()
    entries = [
        LiveEntry(
            file=file,
            snapshot_id=identity.snapshot_id,
            # rows keep the age that they had when the work was planned
            sequence_number=planned_on,
            file_sequence_number=identity.sequence_number,
        )
        for file in added
    ]
    removed = {file.file_path for group in groups for file in group}
    changes = FileChanges(removed=removed, added=entries)
    commit_changed_files(table, changes, Named(operation="replace"), identity, moment)
    return len(added)


def _by_partition(table: SimulatedTable, step: Maintain) -> dict[Partition, list[DataFileEntry]]:
    """Files that are too small or too large, by partition."""
    if len({one.file.partition_spec_id for one in table.manifests if one.live}) > 1:
        raise WasimError(
            "rewrite_data_files of files of several partition specs is not simulated. Take the evolution of the spec"
            " out, or use engine spark."
        )
    groups: dict[Partition, list[DataFileEntry]] = {}
    least, most = int(LEAST_SHARE * step.target_file_size_bytes), int(MOST_SHARE * step.target_file_size_bytes)
    for manifest in table.manifests:
        for entry in manifest.live:
            if not least <= entry.file.file_size_bytes <= most:
                groups.setdefault(entry.file.partition, []).append(entry.file)
    return groups


def _is_taken(group: list[DataFileEntry], step: Maintain) -> bool:
    total = sum(file.file_size_bytes for file in group)
    if total >= step.target_file_size_bytes:
        raise WasimError(
            f"rewrite_data_files of {total} B of small files in one partition would write several (the target is"
            f" {step.target_file_size_bytes} B), which is not simulated. Give a larger target_file_size_bytes, or use"
            " engine spark."
        )
    return len(group) > 1 and len(group) >= step.min_input_files


def _compacted(
    files: DataFiles, group: list[DataFileEntry], numbers: FileNumbers, rng: np.random.Generator
) -> DataFileEntry:
    rows = all_rows([files.rows_in[file.file_path] for file in group]).by_number()
    share = Share(partition=group[0].partition, rows=rows, number=1)
    return files.draw_one(share, numbers, rng)
