"""Maintenance and evolution of the simulated table."""

from collections.abc import Iterator

from wasim.errors import WasimError
from wasim.iceberg.properties import TableProperties
from wasim.twin.commits import Held, Moment
from wasim.twin.compaction import rewrite_data_files
from wasim.twin.data_files import DataFiles
from wasim.twin.evolving import evolve_metadata
from wasim.twin.expiry import expire_snapshots, remove_orphan_files
from wasim.twin.manifest_rewriting import rewrite_manifests
from wasim.twin.table import SimulatedTable
from wasim.workload import Evolve, Maintain


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
    return count >= step.condition.least


def maintain(
    table: SimulatedTable, files: DataFiles, step: Maintain, moments: Iterator[Moment], *, first_task_id: int
) -> int:
    """Carries out one maintenance operation, a commit at each of the moments; how many data files it wrote."""
    if step.operation == "rewrite_data_files":
        return rewrite_data_files(table, files, step, moments, first_task_id=first_task_id)
    moment = next(moments)
    match step.operation:
        case "expire_snapshots":
            older_than_ms = wall_ms_at(table, step, moment)
            expire_snapshots(
                table, older_than_ms=older_than_ms, retain_last=step.retain_last, updated_ms=moment.updated_ms
            )
        case "rewrite_manifests":
            rewrite_manifests(table, moment)
        case "remove_orphan_files":
            remove_orphan_files(table, older_than_ms=wall_ms_at(table, step, moment))
    return 0


def wall_ms_at(table: SimulatedTable, step: Maintain, moment: Moment) -> int:
    """Wall time, in milliseconds, of the oldest snapshot that is younger than the step's age in event time."""
    since_s = step.event_time_s - step.age_s
    young = (held.timestamp_ms for held in table.history.values() if held.event_time_s >= since_s - 1e-9)
    return next(young, moment.timestamp_ms)


def evolve_table(table: SimulatedTable, step: Evolve, moment: Moment) -> None:
    """Carries out one thing of the table's evolution."""
    if step.evolution.rollback_commits is not None:
        _roll_back(table, step.evolution.rollback_commits, moment)
        return
    changed = evolve_metadata(table.json.base, step)
    table.apply_properties(TableProperties.read(step.table.properties))
    table.commit_metadata(changed, moment.updated_ms)


def _roll_back(table: SimulatedTable, commits: int, moment: Moment) -> None:
    held = table.history.get(table.snapshot_id) if table.snapshot_id is not None else None
    for _ in range(commits):
        held = table.history.get(held.parent_id) if held is not None and held.parent_id is not None else None
    if held is None:
        raise WasimError(f"The table has no snapshot {commits} commits back to roll back to: none yet, or expired.")
    roll_back_to(table, held, moment)


def roll_back_to(table: SimulatedTable, held: Held, moment: Moment) -> None:
    """Makes an earlier snapshot main's again: a metadata.json, and no new snapshot."""
    table.commit_metadata(table.json.point_main(held.snapshot_id, moment.updated_ms), moment.updated_ms)
    table.manifests, table.totals, table.snapshot_id = list(held.manifests), held.totals, held.snapshot_id
