"""The truth of the program: every file written or deleted, and every commit that the table reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from wasim.units import Floats, Ints, Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEvents:
    """Files written or deleted, in the order seen, as equal-length columns.

    `step` numbers the workload's steps (0 is CREATE TABLE) and `operation` says what that step was to do, and so what
    paid for the file; `commit` is the 1-based commit that the event belongs to, or OUTSIDE_COMMITS; `attempt` counts
    tries of that commit from 1. `bytes` of a delete is the size that the file
    had. `seen_at_s` is wall time, in seconds since the epoch. `file` is relative to the table's location.
    """

    step: Ints
    commit: Ints
    attempt: Ints
    operation: Texts
    action: Texts
    kind: Texts
    bytes: Ints
    seen_at_s: Floats
    file: Texts

    def __len__(self) -> int:
        return len(self.step)

    def where(self, mask: np.ndarray) -> "FileEvents":
        """The events at which the boolean `mask` holds."""
        return FileEvents(**{f.name: getattr(self, f.name)[mask] for f in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitReports:
    """What the writer itself says of each commit, oldest first, as equal-length columns.

    From Iceberg's CommitReport (real engines) or the simulated writer's state. `operation` is the step's,
    `snapshot_operation` what Iceberg calls the snapshot: append, overwrite, delete or replace. `event_time_s` is
    seconds of event time since the table was created; `reported_at_s` wall time since the epoch; `commit_ms` the
    report's total duration; `step_ms` the time from the previous commit's report to this one with pauses taken out:
    what one commit costs its writer.
    """

    step: Ints
    operation: Texts
    snapshot_operation: Texts
    snapshot_id: Ints
    event_time_s: Floats
    reported_at_s: Floats
    commit_ms: Floats
    step_ms: Floats
    attempts: Ints
    manifests_created: Ints
    manifests_kept: Ints
    manifests_replaced: Ints
    entries_processed: Ints
    files_added: Ints
    files_removed: Ints
    delete_files_added: Ints
    files_live: Ints
    delete_files_live: Ints
    records_added: Ints
    records_live: Ints
    data_bytes_added: Ints
    data_bytes_live: Ints
    snapshots_retained: Ints

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecords:
    """What was done to the table, in order, as equal-length columns; a run of appends in one stream is one record.

    `step` is the number of its first commit's step; `commits` how many it made; `rows_arrived` how many rows it brought
    from outside; `began_at_s` wall time since the epoch; `wall_ms` until it was done, NaN where nothing was timed.
    `error` is how its commit failed for good, in Iceberg's word, and empty where none did.
    """

    step: Ints
    operation: Texts
    event_time_s: Floats
    commits: Ints
    rows_arrived: Ints
    began_at_s: Floats
    wall_ms: Floats
    error: Texts

    def __len__(self) -> int:
        return len(self.step)


Columns = TypeVar("Columns", FileEvents, CommitReports, StepRecords)


def columns_from_rows(columns_of: type[Columns], rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Columns of what each row holds under their names."""
    return columns_from(columns_of, {f.name: [row[f.name] for row in rows] for f in fields(columns_of)})


def columns_from(columns_of: type[Columns], values: Mapping[str, Sequence[Any]]) -> Columns:
    """Columns of these values, each of its type."""
    types: dict[Any, type] = {Texts: object, Floats: np.float64, Ints: np.int64}
    return columns_of(**{f.name: np.array(values[f.name], dtype=types[f.type]) for f in fields(columns_of)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What an engine yields: the file events, the commit reports and the steps of one case."""

    events: FileEvents
    reports: CommitReports
    steps: StepRecords
