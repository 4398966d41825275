"""Totals of a case, of an operation and of a long horizon, and the amplification that they mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wasim.iceberg import Kind
from wasim.ledger.commits import Ledger
from wasim.ledger.contention import Contention
from wasim.ledger.events import FileEvents, Recording, StepRecords
from wasim.ledger.vocabulary import DATA_KINDS, METADATA_KINDS, OUTSIDE_COMMITS, Action
from wasim.units import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Bytes and files by kind over a whole case, events outside commits included."""

    written_bytes: dict[Kind, int]
    deleted_bytes: dict[Kind, int]
    files_written: dict[Kind, int]
    files_deleted: dict[Kind, int]

    @property
    def on_disk_bytes(self) -> dict[Kind, int]:
        """Bytes that the events leave on disk: written minus deleted."""
        return {kind: self.written_bytes[kind] - self.deleted_bytes[kind] for kind in Kind}

    @property
    def metadata_on_disk_bytes(self) -> int:
        """Bytes of metadata that the events leave on disk."""
        return sum(self.written_bytes[kind] - self.deleted_bytes[kind] for kind in METADATA_KINDS)

    def times(self, tables: int) -> "Totals":
        """The totals of so many tables that are the same."""
        by_name = {name: getattr(self, name) for name in self.__slots__}
        return Totals(**{name: {kind: one[kind] * tables for kind in one} for name, one in by_name.items()})

    @property
    def metadata_bytes(self) -> int:
        """All metadata written."""
        return sum(self.written_bytes[kind] for kind in METADATA_KINDS)

    @property
    def data_bytes(self) -> int:
        """All data written."""
        return sum(self.written_bytes[kind] for kind in DATA_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAmplification:
    """Bytes written ÷ data bytes first ingested, over a stated horizon; WA_total = WA_data + WA_metadata."""

    horizon_s: float
    data: float
    metadata: float

    @property
    def total(self) -> float:
        """WA_data + WA_metadata."""
        return self.data + self.metadata


def sum_events(events: FileEvents) -> Totals:
    """Totals of all events, whatever commit they belong to."""
    written, deleted = events.action == Action.WRITE, events.action == Action.DELETE
    of_kind = {kind: events.kind == kind for kind in Kind}
    return Totals(
        written_bytes={kind: int(events.bytes[written & mask].sum()) for kind, mask in of_kind.items()},
        deleted_bytes={kind: int(events.bytes[deleted & mask].sum()) for kind, mask in of_kind.items()},
        files_written={kind: int((written & mask).sum()) for kind, mask in of_kind.items()},
        files_deleted={kind: int((deleted & mask).sum()) for kind, mask in of_kind.items()},
    )


def amplification(totals: Totals, *, ingested_bytes: int, horizon_s: float) -> WriteAmplification:
    """WA_data and WA_metadata of `totals` for `ingested_bytes` of data first written. Ingest must be positive."""
    return WriteAmplification(
        horizon_s=horizon_s, data=totals.data_bytes / ingested_bytes, metadata=totals.metadata_bytes / ingested_bytes
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationTotals:
    """All steps of one operation: how often, what they wrote and deleted, and how long they took.

    `wall_s` is NaN where nothing was timed. For appends it is the writer's own time, probes taken out.
    """

    operation: str
    steps: int
    commits: int
    totals: Totals
    wall_s: float


def sum_by_operation(recording: Recording) -> tuple[OperationTotals, ...]:
    """One element per operation, in the order in which they first came."""
    steps, events = recording.steps, recording.events
    return tuple(
        OperationTotals(
            operation=name,
            steps=int(mine.sum()),
            commits=int(steps.commits[mine].sum()),
            totals=sum_events(events.where(events.operation == name)),
            wall_s=float(steps.wall_ms[mine].sum() / 1e3),
        )
        for name in dict.fromkeys(steps.operation)
        for mine in [steps.operation == name]
    )


def written_by(recording: Recording, times_s: Floats, kinds: frozenset[Kind]) -> Floats:
    """Bytes of these kinds written by event times in seconds, with CREATE TABLE's."""
    events = recording.events
    counted = (events.action == Action.WRITE) & np.isin(events.kind, [str(kind) for kind in kinds])
    so_far = np.append(0, np.cumsum(np.where(counted, events.bytes, 0)))
    return np.asarray(so_far[_event_times_s(recording).searchsorted(times_s, side="right")], dtype=float)


def _records_of(steps: StepRecords, step: Ints) -> NDArray[np.intp]:
    """The place of the record that each of these steps belongs to."""
    return np.searchsorted(steps.step, step, side="right") - 1


def _event_times_s(recording: Recording) -> Floats:
    """The event time of each file event, ascending: its commit's; its step's, as an expiry's, where it is of none."""
    events, steps, reports = recording.events, recording.steps, recording.reports
    found: Floats = steps.event_time_s[_records_of(steps, events.step)]
    is_within = events.commit != OUTSIDE_COMMITS
    found[is_within] = reports.event_time_s[events.commit[is_within] - 1]
    return np.maximum.accumulate(found)


def peaks_of(recording: Recording, since_s: float) -> dict[str, float]:
    """The most that a table held of what it holds, by metric, from an event time in seconds on."""
    events, reports = recording.events, recording.reports
    is_late = reports.event_time_s > since_s
    if not is_late.any():
        return {}
    is_metadata = np.isin(events.kind, [str(kind) for kind in METADATA_KINDS])
    is_written = events.action == Action.WRITE
    on_disk = np.cumsum(np.where(is_written, 1, -1) * is_metadata * events.bytes)
    is_since = _event_times_s(recording) > since_s
    is_done = np.append(np.diff(events.commit) != 0, True)  # of a commit: before, what it replaces is there as well
    json = (events.kind == Kind.METADATA_JSON) & is_written
    return {
        "metadata_json_bytes": float(events.bytes[is_since & json].max()),
        "metadata_on_disk_bytes": float(on_disk[is_since & is_done].max()),
        "manifests": float((reports.manifests_created + reports.manifests_kept)[is_late].max()),
        "snapshots": float(reports.snapshots_retained[is_late].max()),
        "files": float((reports.files_live + reports.delete_files_live)[is_late].max()),
        "delete_files": float(reports.delete_files_live[is_late].max()),
    }


def ingested_bytes(recording: Recording) -> int:
    """Data bytes first ingested: of what each step committed, the share of its rows that arrived with it.

    All rows of an append arrive; of a copy-on-write MERGE only the source's, its other rows are written again; an
    UPDATE brings none. What was written and never committed (a stream's last batch given twice, a lost attempt) is
    written, not ingested.
    """
    steps, reports = recording.steps, recording.reports
    of = _records_of(steps, reports.step)
    rows = np.bincount(of, weights=reports.records_added, minlength=len(steps))
    committed = np.bincount(of, weights=reports.data_bytes_added, minlength=len(steps))  # delete files among them
    share = np.divide(steps.rows_arrived, rows, out=np.zeros(len(steps)), where=rows > 0)
    return round(float((committed * (1 - _share_of_deletes(recording)) * np.minimum(share, 1.0)).sum()))


def _share_of_deletes(recording: Recording) -> Floats:
    """Of the bytes of data files and delete files that each step wrote, the share of the latter."""
    steps, events = recording.steps, recording.events
    written = events.where(events.action == Action.WRITE)
    of, data, deletes = (
        _records_of(steps, written.step),
        written.bytes * (written.kind == Kind.DATA),
        written.bytes * (written.kind == Kind.DELETE_FILE),
    )
    every, found = (np.bincount(of, weights=one, minlength=len(steps)) for one in (data + deletes, deletes))
    return np.divide(found, every, out=np.zeros(len(steps)), where=every > 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summed:
    """The sums of a whole case, and some of its commits.

    `totals` are written and deleted bytes and files by kind over the horizon, CREATE TABLE included. `ledger` holds
    some of the writer's commits, evenly spaced in the logarithm, the last one among them; columns that the engine does
    not know are NaN. `band` is the relative half-width, by kind, of the band that holds the true written bytes: 0.01
    is ±1 %, and a kind that is not there is exact. `approximated` are plain sentences: what was replaced by its mean.
    """

    totals: Totals
    live_bytes: dict[Kind, int]  # reachable from the current snapshot (and the current metadata.json)
    ledger: Ledger
    ingested_bytes: int  # data bytes of rows when they first arrived
    operations: tuple[OperationTotals, ...]  # may be empty
    band: dict[Kind, float] = field(default_factory=dict)
    approximated: tuple[str, ...] = ()
    contention: Contention | None = None  # of several writers
    settled: Mapping[str, float] = field(default_factory=dict)  # by metric: the most it holds, what its days write
