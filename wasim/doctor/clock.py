"""When a table's commits were made: by their snapshots' stamps, or, under wasim's virtual clock, by event time."""

import json
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from wasim.doctor.opening import OpenedTable
from wasim.doctor.tree import Tree
from wasim.storage import StorageError
from wasim.units import Floats

STAMPS, METADATA_LOG, GIVEN = "snapshots", "metadata log", "given"
_LEAST_STAMPS = 3
_MOST_CASE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitTimes:
    """Seconds from the first commit on, one per snapshot, and the gaps between commits. `source` says whence."""

    event_time_s: Floats
    gaps_s: Floats
    source: str


def commit_times(tree: Tree, given_interval_s: float | None) -> CommitTimes:
    """The times of the retained snapshots.

    An interval that is given stands for every commit that added data; so does that of the case that a run of wasim's
    virtual clock carried out, found next to the table. A table whose snapshots are nearly all expired takes its
    gaps from the metadata log, which counts every change of its metadata.
    """
    snapshots = tree.index.snapshots
    interval_s = given_interval_s or virtual_interval_s(tree.opened)
    if interval_s is not None:
        commits = np.cumsum([one.adds_data for one in snapshots], dtype=np.float64)
        times = (commits - commits[0]) * interval_s if len(commits) else commits
        gaps = np.full(max(0, len(snapshots) - 1), interval_s)
        return CommitTimes(event_time_s=times, gaps_s=gaps, source=GIVEN)
    stamps = np.array([one.timestamp_ms / 1000 for one in snapshots], dtype=np.float64)
    times = stamps - stamps[0] if len(stamps) else stamps
    metadata = tree.opened.metadata
    logged = [*(one.timestamp_ms for one in metadata.metadata_log), metadata.last_updated_ms]
    if len(snapshots) < _LEAST_STAMPS <= len(logged):
        return CommitTimes(event_time_s=times, gaps_s=_gaps(np.array(logged) / 1000), source=METADATA_LOG)
    return CommitTimes(event_time_s=times, gaps_s=_gaps(stamps), source=STAMPS)


def virtual_interval_s(opened: OpenedTable) -> float | None:
    """The commit interval of the case that made a table under wasim's virtual clock; None for any other table.

    A run keeps a case's table below `warehouse/<key>` and the case in `cases/<key>/case.json`.
    """
    parts = PurePosixPath(opened.root).parts
    for place in range(len(parts) - 1, 0, -1):
        if parts[place - 1] != "warehouse":
            continue
        case = PurePosixPath(*parts[: place - 1], "cases", parts[place], "case.json")
        try:
            document = json.loads(opened.storage.read(str(case), most_bytes=_MOST_CASE_BYTES))["case"]
            return float(document["commit_interval_s"]) if document["clock"] == "virtual" else None
        except (FileNotFoundError, StorageError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return None


def _gaps(stamps_s: Floats) -> Floats:
    gaps = np.diff(stamps_s)
    return gaps[gaps >= 0]
