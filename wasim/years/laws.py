"""What the machine needs to know of a case: settings, sizes by count, and jobs, as flat arrays."""

from functools import cache
from math import log

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.machine import columns as at
from wasim.machine.columns import Laws, Matrix
from wasim.rules.compaction import groups_per_commit, is_outside, small_file_bytes
from wasim.scenario import Case
from wasim.scenario.case import microseconds
from wasim.scenario.changes import Change, MaintenanceJob, Merge, Overwrite, RewriteDataFiles
from wasim.twin.commits import merge_policy
from wasim.twin.delete_files import position_delete_bytes, positions_bytes
from wasim.twin.summary import CommitCounts, FileCounts
from wasim.workload import schedule
from wasim.years.arrivals import Arrivals, whole
from wasim.years.shape import Shape

FEW_COMMITS = 8  # of whose files chance decides how many they are
SAMPLES = 2_000  # of maintenance, over a history
_LISTED = 512
_KINDS = {"update": at.UPDATE, "delete": at.DELETE, "merge": at.MERGE}
_PLACES = {"scattered": at.SCATTERED, "newest": at.NEWEST, "oldest": at.OLDEST, "oldest_commits": at.OLDEST_COMMITS}


def laws_of(case: Case, shape: Shape) -> Laws:
    """Settings and sizes of a case's table."""
    sizes, files = shape.sizes, shape.file_bytes
    lists, data, deletes = sizes.lists, sizes.data_manifests.by_count, sizes.delete_manifests.by_count
    around, key_bytes, key_numbers = sizes.snapshots.law
    compacted = [log(files.of_compacted(rows, shape.arrivals)) for rows in np.exp(files.log_rows).tolist()]
    return Laws(
        settings=_settings(case, shape),
        list_sums=lists.sums,
        list_counts=lists.counts,
        list_sizes=lists.sizes,
        data_counts=data.counts,
        data_sizes=data.sizes,
        delete_counts=deletes.counts,
        delete_sizes=deletes.sizes,
        log_rows=files.log_rows,
        log_bytes=files.log_bytes,
        log_compacted=compacted,
        around=list(around),
        key_bytes=list(key_bytes),
        key_numbers=list(key_numbers),
        chances=_chances(shape.arrivals),
    )


def _settings(case: Case, shape: Shape) -> list[float]:
    found = [0.0] * at.SETTINGS
    for values in (_of_table(case, shape), _of_sizes(shape), _of_statements(case, shape)):
        for place, value in values.items():
            found[place] = float(value)
    return found


def _of_table(case: Case, shape: Shape) -> dict[int, float]:
    properties, arrivals = TableProperties.read(case.table.properties), shape.arrivals
    policy, rule, each = merge_policy(properties), case.maintenance.rewrite_data_files, arrivals.rows_per_file
    target = rule.target_file_size_bytes if rule else 0
    size = shape.file_bytes.of(each)
    return {
        at.INTERVAL_US: microseconds(case.commit_interval_s),
        at.APPENDS_MERGE: (case.merges or bool(case.key_columns)) and policy.enabled,
        at.MERGE_ENABLED: policy.enabled,
        at.LEAST_MERGED: policy.min_count,
        at.MANIFEST_TARGET: policy.target_bytes,
        at.FILES: arrivals.files,
        at.ROWS_PER_COMMIT: arrivals.files * each,
        at.OPEN_PARTITIONS: arrivals.open_partitions,
        at.PARTITIONS_TOUCHED: arrivals.partitions,
        at.LIFETIME_COMMITS: arrivals.lifetime_s / case.commit_interval_s,
        at.HAS_RULE: rule is not None,
        at.TARGET: target,
        at.MIN_INPUT: rule.min_input_files if rule else 0,
        at.SETTLES: rule is not None and not is_outside(size, target),
        at.WRITES_SMALL: rule is None or size < small_file_bytes(target),
        at.FILE_BYTES: size,
        at.NEW_SHARE: 1 - case.replaced_rows_per_commit / case.rows_per_commit if case.key_columns else 1.0,
        at.SORTS: bool(case.table.partition_by),
        at.COPIES: case.table.format_version == 1 and not properties.snapshot_id_inheritance_enabled,
        at.SPACING: case.commits / SAMPLES,
    }


def _of_sizes(shape: Shape) -> dict[int, float]:
    sizes, snapshots = shape.sizes, shape.sizes.snapshots
    data, deletes, deltas = sizes.data_manifests, sizes.delete_manifests, sizes.row_deltas
    found: dict[int, float] = {
        at.LIST_SLOPE: sizes.lists.slope,
        at.LIST_LAST: sizes.lists.at(_LISTED),
        at.SIBLING_SAVING: sizes.sibling_saving,
        at.REWRITTEN_MORE: sizes.rewritten_more,
        at.NEW_DATA: data.new,
        at.STAGED_DATA: data.staged,
        at.NEW_DELETES: deletes.new,
        at.STAGED_DELETES: deletes.staged,
        at.SORTED_MORE_DATA: data.sorted_more,
        at.SORTED_MORE_DELETES: deletes.sorted_more,
        at.FIRST_MORE: data.first_more,
        at.FURTHER_MORE: data.further_more,
        at.SHORTEST: _shortest_snapshot_bytes(shape),
        at.EPOCHS: snapshots.epochs,
        at.SEQUENCES: snapshots.sequences,
        at.COUNTS_MANIFESTS: snapshots.counts_manifests,
        at.HAS_ROW_IDS: snapshots.has_row_ids,
        at.DELETES_BY_KEY: deltas is not None,
    }
    if deltas is not None:
        found |= {
            at.DELTA_FILES: deltas.files,
            at.DELTA_BYTES: deltas.bytes,
            at.DELTA_KEYS: deltas.keys,
            at.DELTA_POSITIONS: deltas.positions,
            at.FIRST_FILES: deltas.first_files,
            at.FIRST_BYTES: deltas.first_bytes,
        }
    return found


def _of_statements(case: Case, shape: Shape) -> dict[int, float]:
    deletes, upsert = shape.position_deletes, case.writer.upsert
    paths, positions, around = position_delete_bytes(files=1, path_bytes=deletes.path_bytes, rows=1.0, span=1.0)
    by_statements = upsert is not None and not case.key_columns
    return {
        at.USES_VECTORS: deletes.uses_vectors,
        at.BY_PARTITION: deletes.by_partition,
        at.PATH_BYTES: paths + positions + around - positions_bytes(1.0, 1.0),
        at.AROUND_BYTES: deletes.around_bytes,
        at.VECTOR_FOOTER: deletes.vector_footer_bytes,
        at.REPLACED_PER_COMMIT: case.replaced_rows_per_commit,
        at.TASKS: case.workload.files_per_commit,
        at.IN_TURN: case.writer.kind == "streaming",
        at.TARGET_FILE: TableProperties.read(case.table.properties).write_target_file_size_bytes,
        at.IS_PARTITIONED: bool(case.table.partition_by),
        at.UPSERTS: by_statements,
        at.UPSERTS_NEWEST: upsert is not None and upsert.locality == "newest",
        at.UPSERTS_ON_READ: upsert is not None and upsert.mode == "merge-on-read",
    }


def _shortest_snapshot_bytes(shape: Shape) -> float:
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
            records=whole(arrivals.files * arrivals.rows_per_file),
            bytes=whole(added),
            equality_files=whole(by_key),
            position_files=whole(by_position),
            position_deletes=whole(deltas.positions) if deltas else 0,
            equality_deletes=whole(deltas.keys) if deltas else 0,
        ),
        changed_partitions=whole(arrivals.partitions),
    )
    return shape.sizes.snapshots.of_append(counts, operation="append" if deltas is None else "overwrite")


@cache
def _chances_of(spread: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    found, shares = [], np.ones(1)
    for _ in range(FEW_COMMITS + 1):
        found.append(np.cumsum(shares[::-1])[::-1])
        shares = np.convolve(shares, spread)
    width = len(found[-1]) + 1
    return tuple(tuple(np.pad(one, (0, width - len(one))).tolist()) for one in found)


def _chances(arrivals: Arrivals) -> Matrix:
    """The probability that 0, 1 … commits bring 0, 1 … files at least."""
    return [list(row) for row in _chances_of(arrivals.spread)] if arrivals.spread else [[0.0]]


def jobs_of(case: Case, arrivals: Arrivals) -> Matrix:
    """Statements and maintenance that make snapshots, in the order in which they run, by columns."""
    jobs = [_change(case, name, change) for name, change in case.changes if change is not None]
    compaction, rewriting = case.maintenance.rewrite_data_files, case.maintenance.rewrite_manifests
    if compaction is not None:
        least = compaction.when_small_files or 0
        by_chance = bool(arrivals.spread) and 0 < least <= FEW_COMMITS * arrivals.files
        parts = _parts(compaction, arrivals.open_partitions)
        own = {at.KIND: at.COMPACT, at.LEAST: least, at.PARTS: parts, at.BY_CHANCE: by_chance, at.AIM: 0.5}
        jobs.append(_timed(case, compaction) | own)
    if rewriting is not None:
        own = {at.KIND: at.REWRITE_MANIFESTS, at.LEAST: rewriting.when_manifests or 0}
        jobs.append(_timed(case, rewriting) | own)
    return [[float(job.get(column, 0.0)) for job in jobs] for column in range(at.JOB_COLUMNS)]


def _timed(case: Case, job: Change | MaintenanceJob) -> dict[int, float]:
    if job.every is None:
        return {}
    found = schedule(case, job)
    return {at.EVERY_US: microseconds(found.every_s), at.TURNS: found.count}


def _change(case: Case, name: str, change: Change) -> dict[int, float]:
    is_dynamic = isinstance(change, Overwrite) and change.kind == "dynamic"
    overwrite = at.DYNAMIC_OVERWRITE if is_dynamic else at.STATIC_OVERWRITE
    return _timed(case, change) | {
        at.KIND: _KINDS.get(name, overwrite),
        at.WANTED_ROWS: -1.0 if change.rows is None else change.rows,
        at.SHARE: change.share or 0.0,
        at.PLACE: _PLACES[getattr(change, "locality", "scattered")],
        at.NEW_ROWS: change.new_rows if isinstance(change, Merge) else 0.0,
        at.ON_READ: getattr(change, "mode", "") == "merge-on-read",
    }


def _parts(compaction: RewriteDataFiles, groups: float) -> int:
    """Commits that partial progress makes of one compaction."""
    if compaction.partial_progress_commits is None:
        return 1
    number = max(1, whole(groups))
    return -(-number // groups_per_commit(number, compaction.partial_progress_commits))
