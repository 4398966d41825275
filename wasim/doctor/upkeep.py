"""The maintenance that a table's history shows: expiry by what is gone, rewriting by the snapshots that it left."""

from collections.abc import Sequence

import numpy as np

from wasim.doctor.history import History
from wasim.doctor.lists import ManifestIndex
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.snapshots import Snapshot
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteDataFiles, RewriteManifests
from wasim.units import DAY_S

_LEAST_SPAN_S = 1.0
DEFAULT_TARGET_BYTES = 512 << 20
"""As rewrite_data_files has it where the table says nothing."""


def maintenance_of(index: ManifestIndex, history: History, properties: TableProperties) -> Maintenance:
    """The maintenance jobs, each with the period that its traces have.

    Expiry leaves a first snapshot whose parent is gone: what is older than the retained span expires, daily or four
    times in that span. Rewriting leaves snapshots of operation `replace`; where a single one is left, its period is
    taken to be the span.
    """
    snapshots, span_s = index.snapshots, max(history.span_s, _LEAST_SPAN_S)
    jobs: dict[str, object] = {}
    if snapshots and snapshots[0].parent_snapshot_id is not None:
        every_s = min(DAY_S, span_s / 4)
        jobs["expire_snapshots"] = ExpireSnapshots(every=every_s, older_than=max(span_s - every_s / 2, every_s))
    times_s = history.ledger.event_time_s
    manifests = [float(at) for at, one in zip(times_s, snapshots, strict=True) if _rewrites_manifests(one)]
    if manifests:
        jobs["rewrite_manifests"] = RewriteManifests(every=_period_s(manifests, span_s))
    files = [float(at) for at, one in zip(times_s, snapshots, strict=True) if _rewrites_files(one)]
    if files:
        target_bytes = properties.write_target_file_size_bytes or DEFAULT_TARGET_BYTES
        jobs["rewrite_data_files"] = RewriteDataFiles(
            every=_period_s(files, span_s), target_file_size_bytes=target_bytes
        )
    return Maintenance.model_validate(jobs)


def _rewrites_manifests(snapshot: Snapshot) -> bool:
    """Only rewrite_manifests says how many entries it processed."""
    return snapshot.operation == "replace" and "entries-processed" in (snapshot.summary or {})


def _rewrites_files(snapshot: Snapshot) -> bool:
    summary = snapshot.summary or {}
    return snapshot.operation == "replace" and summary.get("deleted-data-files", "0") != "0"


def _period_s(times_s: Sequence[float], span_s: float) -> float:
    gaps = np.diff(times_s)
    gaps = gaps[gaps > 0]
    # Three calls by hand within a minute are no job of every twenty seconds: in the rest of the span nothing ran.
    return max(float(np.median(gaps)), span_s / (len(times_s) + 1)) if len(gaps) else span_s
