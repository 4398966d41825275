"""What the machine knows of a table: its rules and sizes in plain numbers."""

from collections.abc import Sequence
from math import inf
from typing import Any

from wasim.iceberg.properties import TableProperties
from wasim.rules.compaction import LARGE_FILE_SHARE, SMALL_FILE_SHARE, is_outside, largest_output_bytes
from wasim.scenario import Case
from wasim.scenario.case import microseconds
from wasim.twin.commits import merge_policy
from wasim.twin.lineage import mean_changed_at_bytes, mean_row_id_bytes
from wasim.twin.snapshot_updates import APPLICATION_KEY
from wasim.twin.statements import merge_counts
from wasim.twin.summary import CommitCounts, FileCounts, TableTotals
from wasim.workload import schedule
from wasim.years.arrivals import Arrivals, straddling, walk, whole
from wasim.years.jobs import Job
from wasim.years.machine.sizes import compacted_bytes
from wasim.years.machine.tables import *
from wasim.years.position_deletes import PositionDeletes
from wasim.years.shape import Shape
from wasim.years.snapshot_sizes import SnapshotBytes

MOST_NEW, MOST_KNOWN = 16, 128  # manifests of a commit, sizes
_STATEMENTS = {"update": UPDATE, "delete": DELETE, "merge": MERGE, "overwrite": OVERWRITE}
_PLACES = ("scattered", "newest", "oldest", "oldest_commits")
_OPERATIONS = ("append", "delete", "overwrite")


def laws_of(case: Case, shape: Shape, jobs: Sequence[Job]) -> Laws:
    """How large the files of a case's table are, and how its writer, its statements and these jobs work."""
    (parts, step), arrivals, deletes = walk(case), shape.arrivals, shape.position_deletes
    found = Laws(
        **_of_writer(case, shape),
        **_of_files(shape),
        **_lineage(shape),
        **_of_jobs(case, shape, jobs),
        **_of_snapshots(case, shape),
        **_of_statements(case, shape),
        partitions=arrivals.partitions,
        open_partitions=arrivals.open_partitions,
        walked=step / parts if parts else 1.0,
        walk_parts=parts,
        walk_step=step,
        lifetime=arrivals.lifetime_s / case.commit_interval_s,
        straddling=straddling(case, arrivals.lifetime_s),
        uneven=_uneven(case, arrivals),
        uses_vectors=int(deletes.uses_vectors),
        by_partition=int(deletes.by_partition),
        path_bytes=float(deletes.path_bytes),
        around_vectors=deletes.around_bytes,
        vector_footer=deletes.vector_footer_bytes,
        small_rows=inf,
        large_rows=inf,
    )
    found.small_rows = _rows_until(SMALL_FILE_SHARE * found.compaction_target, found)
    found.large_rows = _rows_until(LARGE_FILE_SHARE * found.compaction_target, found)
    return found


def _uneven(case: Case, arrivals: Arrivals) -> float:
    """The variance of how many files of a commit each partition has: one of each task that any of its rows falls to."""
    if any(walk(case)):  # each has files in turn
        return 0.0
    each, shuffles = arrivals.files / arrivals.open_partitions, case.workload.distribution_mode != "none"
    most = arrivals.pieces * (1.0 if shuffles else case.workload.files_per_commit)
    return arrivals.pieces * max(0.0, each * (1 - each / most))


def _of_writer(case: Case, shape: Shape) -> dict[str, Any]:
    """What a commit of the writer brings, and what it merges."""
    arrivals, of_data, deltas = shape.arrivals, shape.sizes.data_manifests, shape.sizes.row_deltas
    policy, new = merge_policy(TableProperties.read(case.table.properties)), of_data.of_commit(arrivals.files)
    by_merge_append = case.merges or bool(case.key_columns)
    return {
        "filters": int(by_merge_append),
        "merges": int(by_merge_append and policy.enabled),
        "packs": int(policy.enabled),
        "files": arrivals.files,
        "rows_per_commit": float(case.rows_per_commit),
        "file_bytes": shape.file_bytes.of(arrivals.rows_per_file),
        "new_kinds": len(new),
        "new_counts": _padded([float(one.count) for one in new], MOST_NEW),
        "new_files": _padded([one.files for one in new], MOST_NEW),
        "new_bytes": _padded([one.bytes for one in new], MOST_NEW),
        "deletes": int(deltas is not None),
        "delta_files": deltas.files if deltas else 0.0,
        "delta_bytes": deltas.bytes if deltas else 0.0,
        "keys": deltas.keys if deltas else 0.0,
        "positions": deltas.positions if deltas else 0.0,
        "first_files": deltas.first_files if deltas else 0.0,
        "first_bytes": deltas.first_bytes if deltas else 0.0,
        "target": float(policy.target_bytes),
        "least": float(policy.min_count),
    }


def _of_files(shape: Shape) -> dict[str, Any]:
    """Bytes of manifests, of their lists and of data files, by what they list or hold."""
    sizes, files = shape.sizes, shape.file_bytes
    of_data, both, lists = sizes.data_manifests, (sizes.data_manifests, sizes.delete_manifests), sizes.lists.by_count
    return {
        "staged": [one.staged for one in both],
        "delete_manifest": sizes.delete_manifests.new,
        "entries_known": [len(one.by_count.counts) for one in both],
        "entry_counts": [_padded(one.by_count.counts, MOST_KNOWN) for one in both],
        "entry_bytes": [_padded(one.by_count.sizes, MOST_KNOWN) for one in both],
        "sorted_more": [one.sorted_more for one in both],
        "in_partition": sizes.delete_manifests.in_partition,
        "each_partition": sizes.delete_manifests.each_partition,
        "first_more": of_data.first_more,
        "further_more": of_data.further_more,
        "lists_known": len(lists.counts),
        "list_counts": _padded(lists.counts, MOST_KNOWN),
        "list_bytes": _padded(lists.sizes, MOST_KNOWN),
        "list_sums": lists.sums,
        "sibling_saving": sizes.lists.sibling_saving,
        "partly_saved": sizes.lists.partly_saved,
        "rewritten_more": sizes.lists.rewritten_more,
        "deletes_more": sizes.lists.deletes_more,
        "rows_known": len(files.log_rows),
        "log_rows": _padded(files.log_rows, MOST_KNOWN),
        "log_bytes": _padded(files.log_bytes, MOST_KNOWN),
    }


def _of_jobs(case: Case, shape: Shape, jobs: Sequence[Job]) -> dict[str, Any]:
    """What maintenance takes, and how many files or manifests it waits for."""
    by_name = {job.operation: job for job in jobs}
    compaction, rewriting = by_name.get("rewrite_data_files"), by_name.get("rewrite_manifests")
    inherits = TableProperties.read(case.table.properties).snapshot_id_inheritance_enabled
    replaced = case.replaced_rows_per_commit if case.key_columns else 0
    return {
        **_of_compaction(case, shape),
        "new_share": 1 - replaced / case.rows_per_commit,
        "parts": 1 if compaction is None else compaction.parts,
        "by_chance": int(compaction is not None and compaction.by_chance),
        "least_files": float(compaction.least) if compaction is not None and compaction.runs is None else inf,
        "least_manifests": float(rewriting.least) if rewriting is not None and rewriting.runs is None else inf,
        "sorts": int(bool(case.table.partition_by)),
        "together": shape.arrivals.files,
        "copies": int(case.table.format_version == 1 and not inherits),
    }


def _of_snapshots(case: Case, shape: Shape) -> dict[str, Any]:
    """What snapshots take in metadata.json."""
    snapshots = shape.sizes.snapshots
    names, counts = int(snapshots.names_manifests), int(snapshots.counts_manifests)
    rewrite = snapshots.of_operation("replace", CommitCounts(entries_processed=0), TableTotals())
    return {
        "shortest": shortest_snapshot_bytes(case, shape),
        "epochs": snapshots.epochs,
        "sequences": snapshots.sequences,
        "has_row_ids": int(snapshots.has_row_ids),
        "counts_manifests": counts,
        "compaction_json": _around(snapshots, "replace"),
        "counter_json": _counters(snapshots, shape.position_deletes),
        "rewrite_json": rewrite - (8 + 3 * names),
        "names_manifests": names,
        "nothing_json": snapshots.of_nothing(CommitCounts(), 0) - 6 - counts,
    }


def _of_compaction(case: Case, shape: Shape) -> dict[str, Any]:
    """Which files compaction takes for their size, and how large it makes them."""
    step, sizes = case.maintenance.rewrite_data_files, shape.file_bytes
    target = inf if step is None else float(step.target_file_size_bytes)
    parts = _by_size(case, shape)
    settled = [] if step is None else [part for part in parts if not is_outside(sizes.of(part[1]), target)]
    settles = len(settled) == len(parts)
    both = _closed_and_rest(shape.arrivals)
    are_taken = step is not None and not settled and all(is_outside(sizes.of(rows), target) for _, rows in both)
    return {
        "settles": int(settles),
        "settled_files": float(sum(files for files, _ in settled)),
        "settled_rows": float(sum(files * rows for files, rows in settled)),
        "closed_share": both[0][0] / shape.arrivals.files if are_taken and len(both) > 1 else 0.0,
        "closed_rows": both[0][1],
        # files that no compaction takes are as they arrived
        "compacted_more": [
            0.0 if settles else shape.sizes.data_manifests.compacted_more,
            shape.sizes.delete_manifests.compacted_more,
        ],
        "together_more": 0.0 if settles else shape.sizes.data_manifests.together_more,
        "new_small": float(sum(files for files, rows in parts if sizes.of(rows) < SMALL_FILE_SHARE * target)),
        "compacts": int(step is not None),
        "compaction_target": target,
        "min_input_files": inf if step is None else float(step.min_input_files),
        "most_rows": inf if step is None else float(sizes.sizes.rows_until(int(largest_output_bytes(target)))),
    }


def _by_size(case: Case, shape: Shape) -> list[tuple[float, float]]:
    """Files of a commit and rows of each, by size. Where statements change rows, all are taken as equal."""
    arrivals = shape.arrivals
    return [(arrivals.files, arrivals.rows_per_file)] if case.changes_rows else _closed_and_rest(arrivals)


def _closed_and_rest(arrivals: Arrivals) -> list[tuple[float, float]]:
    """Files of a commit and rows of each: those that a task closes for their size, and what is left for the last."""
    if arrivals.pieces == 1:
        return [(arrivals.files, arrivals.rows_per_file)]
    tasks, full = arrivals.files / arrivals.pieces, arrivals.pieces - 1
    rest = arrivals.rows_per_file * arrivals.pieces - arrivals.piece_rows * full
    return [(tasks * full, arrivals.piece_rows), (tasks, rest)]


def _rows_until(size: float, laws: Laws) -> float:
    """Rows of a compacted file of so many bytes."""
    if size == inf:
        return inf
    low, high = 1.0, 1e12
    while high / low > 1 + NEGLIGIBLE:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if compacted_bytes(laws, middle) < size else (low, middle)
    return low


def shortest_snapshot_bytes(case: Case, shape: Shape) -> float:
    """Bytes of a snapshot of the writer's whose growing numbers have one digit each."""
    arrivals, deltas = shape.arrivals, shape.sizes.row_deltas
    by_key, by_position, added = 0.0, 0.0, arrivals.files * shape.file_bytes.of(arrivals.rows_per_file)
    if deltas is not None:
        by_position = deltas.files / 2 if deltas.positions else 0.0
        by_key, added = deltas.files - by_position, added + deltas.bytes
    counts = CommitCounts(
        manifests_created=1 if deltas is None else 2,
        added=FileCounts(
            files=whole(arrivals.files),
            records=whole(case.rows_per_commit),
            bytes=whole(added),
            equality_files=whole(by_key),
            position_files=whole(by_position),
            position_deletes=whole(deltas.positions) if deltas else 0,
            equality_deletes=whole(deltas.keys) if deltas else 0,
        ),
        changed_partitions=whole(arrivals.partitions),
    )
    return shape.sizes.snapshots.of_append(counts, operation="append" if deltas is None else "overwrite")


def _around(snapshots: SnapshotBytes, operation: str, kind: str = "") -> float:
    """Bytes of a snapshot of a job, or of a kind of statement, around its numbers; those that a MERGE leaves at 0 are
    none of them.
    """
    own, more, digits = ((APPLICATION_KEY,) if kind else ()), dict[str, str](), 7 + 3 * int(snapshots.names_manifests)
    if kind == "merge":
        more, digits = merge_counts(copied=0, updated=0, inserted=0), digits + 4
    elif kind == "dynamic":
        more = {"replace-partitions": "true"}
    return snapshots.of_operation(operation, CommitCounts(), TableTotals(), own, more) - digits


def _counters(snapshots: SnapshotBytes, deletes: PositionDeletes) -> list[float]:
    """What each counter that is left out where there is none takes without its number, as the machine has them."""
    nothing = snapshots.of_operation("replace", CommitCounts(), TableTotals())
    listed = FileCounts(vectors=1) if deletes.uses_vectors else FileCounts(position_files=1)
    each = (FileCounts(files=1), FileCounts(records=1), FileCounts(bytes=1), listed, FileCounts(position_deletes=1))
    both = [counts for one in each for counts in (CommitCounts(added=one), CommitCounts(removed=one))]
    found = [snapshots.of_operation("replace", one, TableTotals()) - nothing - 1 for one in both]
    return [
        size - (counts.added.delete_files + counts.removed.delete_files)
        for size, counts in zip(found, both, strict=True)
    ]


def _of_statements(case: Case, shape: Shape) -> dict[str, Any]:
    """When the statements of a case run, which rows they touch, and what their snapshots take."""
    changes = [[0.0] * CHANGE for _ in range(UPSERT + 1)]
    around = [[0.0] * len(_OPERATIONS) for _ in range(UPSERT + 1)]
    upsert = None if case.key_columns else case.writer.upsert
    found: list[tuple[int, Any]] = [(_STATEMENTS[name], change) for name, change in case.changes if change is not None]
    for number, change in [*found, *([(UPSERT, upsert)] if upsert is not None else [])]:
        row, kind = changes[number], "merge" if number in (MERGE, UPSERT) else "statement"
        row[IS_THERE], row[ON_READ] = 1.0, float(getattr(change, "mode", "") == "merge-on-read")
        row[PLACE] = float(_PLACES.index(getattr(change, "locality", "newest")))
        row[NEW_ROWS], row[SHARE_WANTED] = float(getattr(change, "new_rows", 0)), getattr(change, "share", None) or 0.0
        wanted = getattr(change, "rows", None)
        row[ROWS_WANTED] = inf if wanted is None else float(wanted)
        if number == OVERWRITE and change.kind == "dynamic":
            row[IS_DYNAMIC], kind = 1.0, "dynamic"
        if number != UPSERT:
            row[EVERY_US], row[RUNS] = microseconds(change.every), schedule(case, change).count
        around[number] = [_around(shape.sizes.snapshots, operation, kind) for operation in _OPERATIONS]
    replaced, workload = float(case.replaced_rows_per_commit), case.workload
    is_dealt = case.writer.kind == "streaming" or (case.table.partition_by and workload.distribution_mode != "none")
    tasks = 1 if is_dealt else workload.files_per_commit
    return {
        "changes_rows": len(found) + int(upsert is not None),
        "interval_us": microseconds(case.commit_interval_s),
        "changes": changes,
        "change_json": around,
        "upserts": int(upsert is not None),
        "replaced_per_commit": replaced,
        "new_rows": case.rows_per_commit - replaced,
        "deals_in_turn": int(case.writer.kind == "streaming"),
        "tasks_in_order": float(min(tasks, case.rows_per_commit)),
        "knows_rows": int(shape.file_bytes.knows_rows),
        "is_partitioned": int(bool(case.table.partition_by)),
        "tasks": float(workload.files_per_commit),
        "file_rows": _closed_at(case, shape) if found or upsert is not None else inf,
    }


def _closed_at(case: Case, shape: Shape) -> float:
    """Rows at which a task closes a file."""
    target = TableProperties.read(case.table.properties).write_target_file_size_bytes
    return float(shape.file_bytes.sizes.rows_until(target))


def _lineage(shape: Shape) -> dict[str, Any]:
    """What a compacted file takes to say where its rows came from: `machine.compacted_bytes`."""
    arrivals, sizes = shape.arrivals, shape.file_bytes
    together = arrivals.files / arrivals.partitions
    ids, changes = mean_row_id_bytes(0, 0), mean_changed_at_bytes(0, 0, 0)
    return {
        "lineage_footer": sizes.lineage_footer,
        "steps_back": 1 / together if sizes.deals_out and together > 1 else 0.0,
        "commits_of_row": arrivals.partitions / (arrivals.files * arrivals.rows_per_file),
        "row_id_bytes": mean_row_id_bytes(1, 0) - ids,
        "step_bytes": mean_row_id_bytes(0, 1) - ids,
        "lineage_bytes": ids + changes,
        "changed_at_bytes": mean_changed_at_bytes(0, 1, 0) - changes,
    }


def _padded(values: Sequence[float], count: int) -> list[float]:
    """The values in a list of this many."""
    if len(values) > count:
        msg = f"{len(values)} sizes are known, {count} have room"
        raise ValueError(msg)
    return [*map(float, values), *[0.0] * (count - len(values))]
