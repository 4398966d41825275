"""Maintenance of the simulated table: when it is due; compaction, expiry, removal of orphans, manifests rewritten.

Which files are compacted and what they become (`groups_to_rewrite`, `compact`) depends on data files alone, so that
engine `core` describes the compactions of real tables with it.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.iceberg.names import manifest_name, rewritten_manifest_name
from wasim.iceberg.retention import Expiry, retained_of
from wasim.iceberg.snapshots import SnapshotRef, Way
from wasim.ledger import Kind
from wasim.rules import compaction, maintenance
from wasim.twin.commits import Change, Held, Merged, Moment, count_commit
from wasim.twin.data_files import DataFiles, FileNumbers
from wasim.twin.identifiers import CommitIdentity, Locations, draw_uuid
from wasim.twin.live_manifests import LiveManifest
from wasim.twin.partitions import Partition
from wasim.twin.row_sets import RowSet, all_rows
from wasim.twin.rows import task_edges
from wasim.twin.scanning import ScannedFile, live_files, scan_files
from wasim.twin.snapshot_updates import FileChanges, write_and_commit
from wasim.twin.summary import content_bytes, operation_summary
from wasim.twin.table import HINT, SimulatedTable
from wasim.workload import Maintain


def rewrite_data_files(
    table: SimulatedTable, files: DataFiles, step: Maintain, moments: Iterator[Moment], *, first_task_id: int
) -> None:
    """Carries out the compaction, a commit at each of the moments.

    Where nothing is to be done, nothing is committed. WasimError for a table of several partition specs.
    """
    groups = groups_to_rewrite(scan_files(live_files(table), files), step)
    planned_on, moment = table.commits, next(moments)
    for place, batch in enumerate(batches_to_commit(groups, step.partial_progress_commits)):
        if place:
            moment = next(moments)
        changes = compact(
            files,
            batch,
            target_bytes=step.target_file_size_bytes,
            locations=table.rules.locations,
            first_task_id=first_task_id,
            wall_ms=moment.timestamp_ms,
            rng=table.rng,
        )
        write_and_commit(table, replace(changes, planned_on=planned_on), moment)
        files.forget(changes.removed)


def batches_to_commit(groups: Sequence[list[ScannedFile]], most_commits: int | None) -> list[list[list[ScannedFile]]]:
    """The groups that each commit takes: all of them in one, or by partial progress as many as make `most_commits`."""
    each = compaction.groups_per_commit(len(groups), most_commits or 1)
    return [list(groups[first : first + each]) for first in range(0, len(groups), each)]


def groups_to_rewrite(scanned: Iterable[ScannedFile], step: Maintain) -> list[list[ScannedFile]]:
    """Groups of live files to rewrite, by partition: files that are too small or too large, or of which too many rows
    are deleted. WasimError where they are of several partition specs, which is not modelled.
    """
    live = list(scanned)
    if len({file.spec_id for file in live}) > 1:
        raise WasimError(
            "rewrite_data_files of files of several partition specs is not modelled. Take the evolution of the spec"
            " out, or use engine spark."
        )
    groups: dict[Partition, list[ScannedFile]] = {}
    for file in live:
        if compaction.is_outside(file.entry.file.file_size_bytes, step.target_file_size_bytes) or _is_much_deleted(
            file
        ):
            groups.setdefault(file.entry.file.partition, []).append(file)
    return [group for group in groups.values() if _is_taken(group, step)]


def compact(
    files: DataFiles,
    groups: Sequence[Sequence[ScannedFile]],
    *,
    target_bytes: int,
    locations: Locations,
    first_task_id: int,
    wall_ms: int,
    rng: np.random.Generator,
) -> FileChanges:
    """The changes that rewrite each of these groups into files of about the target size, by a job of its own.

    Their rows keep the age that they had when the work was planned.
    """
    added = list[DataFileEntry]()
    for group in groups:
        tasks = _tasks(group, target_bytes)
        numbers = FileNumbers(
            locations=locations, query_id=draw_uuid(rng), epoch=0, first_task_id=first_task_id, wall_ms=wall_ms
        )
        most_bytes = int(compaction.largest_output_bytes(target_bytes))
        added += files.write(tasks, numbers, rng, rewrites=True, most_bytes=most_bytes)
        first_task_id += len(tasks)
    taken = [file for group in groups for file in group]
    return FileChanges(
        way=Way.REWRITE_FILES,
        operation="replace",
        added=added,
        removed={file.entry.file.file_path for file in taken},
        removed_deletes={entry.key for file in taken for entry in file.vectors},
        writer_keys=(),
    )


def _tasks(group: Sequence[ScannedFile], target_bytes: int) -> list[RowSet]:
    """The rows that each task reads of a group's files, whose row groups are splits."""
    splits = list[tuple[int, RowSet]]()
    for scanned in group:
        rows, file = scanned.rows.take(scanned.live), scanned.entry.file
        parts = len(file.split_offsets or (0,))
        size = (file.file_size_bytes + sum(map(content_bytes, (one.file for one in scanned.own_deletes)))) // parts
        splits += [(size, rows.take(np.arange(low, high))) for low, high in task_edges(0, len(rows), parts)]
    total = sum(scanned.entry.file.file_size_bytes for scanned in group)
    tasks = compaction.tasks_of([size for size, _ in splits], compaction.task_bytes(total, target_bytes))
    return [all_rows([splits[place][1] for place in places]).by_number() for places in tasks]


def _is_taken(group: list[ScannedFile], step: Maintain) -> bool:
    total = sum(file.entry.file.file_size_bytes for file in group)
    is_enough = compaction.is_rewritten(len(group), total, step.min_input_files, step.target_file_size_bytes)
    return is_enough or any(map(_is_much_deleted, group))


def _is_much_deleted(file: ScannedFile) -> bool:
    own = sum(entry.file.record_count for entry in file.own_deletes)
    return compaction.is_much_deleted(own, file.entry.file.record_count)


def is_due(table: SimulatedTable, step: Maintain) -> bool:
    """Whether the table has come to the step's condition; without one it always has."""
    if step.condition is None:
        return True
    match step.condition.measure:
        case "snapshots":
            count = len(table.json.snapshots)
        case "manifests":
            count = len(table.manifests)
        case "small_files":
            data = (manifest for manifest in table.manifests if not manifest.has_deletes)
            live = (entry.file for manifest in data for entry in manifest.live)
            count = sum(1 for file in live if file.file_size_bytes < step.small_file_bytes)
    return maintenance.is_due(count, step.condition.least)


def maintain(
    table: SimulatedTable, files: DataFiles, step: Maintain, moments: Iterator[Moment], *, first_task_id: int
) -> None:
    """Carries out one maintenance operation, a commit at each of the moments."""
    match step.operation:
        case "rewrite_data_files":
            rewrite_data_files(table, files, step, moments, first_task_id=first_task_id)
        case "expire_snapshots":
            expire_snapshots(table, step, next(moments))
        case "rewrite_manifests":
            rewrite_manifests(table, next(moments))
        case "remove_orphan_files":
            moment = next(moments)
            older_than_ms = wall_ms_at(table, step.event_time_s - step.age_s, moment)
            remove_orphan_files(table, older_than_ms=older_than_ms)


def wall_ms_at(table: SimulatedTable, since_s: float, moment: Moment) -> int:
    """Wall time, in milliseconds, of the oldest snapshot since an event time, whether it has expired or not; where
    there is none, of the moment.
    """
    young = bisect_left(table.times, since_s - 1e-9, key=lambda times: times[0])
    return table.times[young][1] if young < len(table.times) else moment.timestamp_ms


def expire_snapshots(table: SimulatedTable, step: Maintain, moment: Moment) -> None:
    """Removes the expired snapshots from the metadata, then deletes the files that no other snapshot refers to.

    Where none expires, Iceberg commits nothing. metadata.json files stay, whatever the snapshots that they name.
    """
    older_than_ms = wall_ms_at(table, step.event_time_s - step.age_s, moment)
    expiry = Expiry(now_ms=moment.timestamp_ms, older_than_ms=older_than_ms, retain_last=step.retain_last)
    expired = expired_by(table, table.json.base.refs, expiry)
    if not expired:
        return
    table.json.remove([held.snapshot_id for held in expired])
    table.commit_metadata(table.json.base, moment.updated_ms)
    forget(table, expired)


def expired_by(table: SimulatedTable, refs: Mapping[str, SnapshotRef], expiry: Expiry) -> list[Held]:
    """The snapshots that expire, oldest first."""
    retained = retained_of(table.history, refs, expiry, table.rules.properties)
    return [held for snapshot_id, held in table.history.items() if snapshot_id not in retained]


def forget(table: SimulatedTable, expired: list[Held]) -> None:
    """Deletes the files that no snapshot refers to any longer, once these are out of the metadata."""
    if not expired:
        return
    for held in expired:
        del table.history[held.snapshot_id]
    manifests = {manifest.file.manifest_path for held in table.history.values() for manifest in held.manifests}
    gone = {
        manifest.file.manifest_path: manifest
        for held in expired
        for manifest in held.manifests
        if manifest.file.manifest_path not in manifests
    }
    # a manifest that goes may list files that another one lists too, since a rewrite
    candidates = {entry.file.file_path: one.content_kind for one in gone.values() for entry in one.live}
    if candidates:
        kept = {id(one): one for held in table.history.values() for one in held.manifests}
        for manifest in kept.values():
            for entry in manifest.live:
                candidates.pop(entry.file.file_path, None)
    for path, kind in candidates.items():
        table.log.delete(kind, table.relative(path))
    for path, manifest in gone.items():
        table.log.delete(manifest.kind, table.relative(path))
    for held in expired:
        table.log.delete(Kind.MANIFEST_LIST, held.list_file)


def remove_orphan_files(table: SimulatedTable, *, older_than_ms: int) -> None:
    """Deletes files written before that wall time which neither a retained snapshot nor the metadata log names."""
    reached = {table.relative(entry.metadata_file) for entry in table.json.metadata_log}
    reached |= {table.relative(table.json_file), HINT}
    seen = {id(one): one for held in table.history.values() for one in held.manifests}
    for held in table.history.values():
        reached.add(held.list_file)
    for manifest in seen.values():
        reached.add(table.relative(manifest.file.manifest_path))
        reached |= {table.relative(entry.file.file_path) for entry in manifest.entries}
    for file, written in list(table.log.files.items()):
        if file not in reached and round(written.at_s * 1000) < older_than_ms:
            table.log.delete(written.kind, file)


def rewrite_manifests(table: SimulatedTable, moment: Moment) -> None:
    """Replaces the manifests of the spec in force, of data and of deletes, by as few as their bytes need.

    Nothing is committed where there is but one of each already. WasimError where a partitioned table's would
    take several: Spark cuts them by a sample of the entries. Entries of an unpartitioned one are dealt out evenly, as
    Dataset.repartition does; which goes where is Spark's.
    """
    spec_id = table.json.base.default_spec_id
    matching = [one for one in table.manifests if one.file.partition_spec_id == spec_id]
    groups = [[one for one in matching if one.has_deletes == has_deletes] for has_deletes in (False, True)]
    rewritten = [group for group in groups if len(group) > 1 or (group and _parts(table, group) > 1)]
    if not rewritten:
        return
    identity = table.begin()
    made = [one for group in rewritten for one in _rewrite(table, group, identity)]
    # what a v1 commit lists it must have written itself: it copies what Spark's tasks wrote, which then is deleted
    copies = not (table.rules.format_version > 1 or table.rules.properties.snapshot_id_inheritance_enabled)
    new = made
    if copies:
        names = [manifest_name(identity.uuid, number) for number in range(len(made))]
        new = [
            table.write_manifest(name, one.entries, identity, plain=True) for name, one in zip(names, made, strict=True)
        ]
    replaced = {id(one) for group in rewritten for one in group}
    manifests = [*new, *(one for one in table.manifests if id(one) not in replaced)]
    counted = count_commit(Merged(manifests=manifests, replaced=len(replaced)), identity)
    counts = counted._replace(entries_processed=0).after(table.totals)
    summary = operation_summary(table.rules.summary, counts, moment.texts, own=())
    table.publish(Change(operation="replace", manifests=manifests, counts=counts, summary=summary), identity, moment)
    for staged in made if copies else ():
        table.log.delete(Kind.DATA_MANIFEST, table.relative(staged.file.manifest_path))


def _parts(table: SimulatedTable, group: Sequence[LiveManifest]) -> int:
    target_bytes, total_bytes = table.rules.policy.target_bytes, sum(one.file.manifest_length for one in group)
    if total_bytes > target_bytes and table.json.base.default_spec().fields:
        raise WasimError(  # Spark cuts them by a sample of the entries
            f"rewrite_manifests of {total_bytes:,.0f} B of manifests of a partitioned table would write several (the"
            f" target is {target_bytes} B), which is not simulated. Give a larger commit.manifest.target-size-bytes, or"
            " use engine spark."
        )
    return maintenance.rewritten_manifests(total_bytes, sum(len(one.live) for one in group), target_bytes)


def _rewrite(table: SimulatedTable, group: Sequence[LiveManifest], identity: CommitIdentity) -> list[LiveManifest]:
    entries = [entry for manifest in group for entry in manifest.live]
    entries.sort(key=lambda entry: [(value is not None, value) for value in entry.file.partition])  # null first
    parts = _parts(table, group)
    names = [rewritten_manifest_name(draw_uuid(table.rng)) for _ in range(parts)]
    # Spark's writer of these ignores the table's properties
    return [table.write_manifest(name, entries[part::parts], identity, plain=True) for part, name in enumerate(names)]
