"""The maintenance that a table's history shows: expiry by what is gone, rewriting by the snapshots that it left."""

from collections.abc import Sequence

import numpy as np

from wasim.doctor.clock import GIVEN
from wasim.doctor.history import History, Versions
from wasim.doctor.tree import Tree
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.retention import has_expired, lineage
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteDataFiles, RewriteManifests
from wasim.units import DAY_S, Floats

_LEAST_SPAN_S = 1.0
_NEARLY = 0.02


def maintenance_of(tree: Tree, history: History) -> Maintenance:
    """The maintenance jobs, each with the period that its traces have.

    Expiry leaves a first snapshot of main whose parent is gone, and versions of metadata.json that are smaller than the
    ones before them. Rewriting leaves snapshots of operation `replace`; where a single one is left, its period is taken
    to be the span.
    """
    snapshots, span_s = tree.index.snapshots, max(history.span_s, _LEAST_SPAN_S)
    properties = TableProperties.read_leniently(tree.opened.metadata.properties)
    jobs: dict[str, object] = {}
    if has_expired(tree.opened.metadata):
        jobs["expire_snapshots"] = _expiry(tree, history, properties)
    dated = zip(history.ledger.event_time_s.tolist(), snapshots, strict=True)
    replaced = [(at, one.summary or {}) for at, one in dated if one.operation == "replace"]
    # only rewrite_manifests says how many entries it processed
    manifests = [at for at, summary in replaced if "entries-processed" in summary]
    if manifests:
        jobs["rewrite_manifests"] = RewriteManifests(every=_period_s(manifests, span_s))
    files = [at for at, summary in replaced if summary.get("deleted-data-files", "0") != "0"]
    if files:
        own_bytes = properties.write_target_file_size_bytes  # below 1 KiB a scenario may not say it
        target_bytes = own_bytes if own_bytes >= 1024 else TableProperties().write_target_file_size_bytes
        jobs["rewrite_data_files"] = RewriteDataFiles(
            every=_period_s(files, span_s), target_file_size_bytes=target_bytes
        )
    return Maintenance.model_validate(jobs)


def expiry_places(versions: Versions) -> list[int]:
    """The versions that are smaller than the one before, by more than half of what versions mostly add."""
    steps = np.diff(versions.bytes)
    grown = steps[steps > 0]
    least = float(np.median(grown)) / 2 if len(grown) else 0.0
    return [int(place) + 1 for place in np.flatnonzero(steps < -least)]


def _expiry(tree: Tree, history: History, properties: TableProperties) -> ExpireSnapshots:
    """The expiry that was found: its age is what the last one left. One alone says no period: daily is taken. Without a
    trace of it, what is older than main's retained span goes, daily or four times in that span.
    """
    metadata, index = tree.opened.metadata, tree.index
    own = metadata.refs.get("main")
    least = properties.min_snapshots_to_keep
    least = max(1, least if own is None or own.min_snapshots_to_keep is None else own.min_snapshots_to_keep)
    stamps = np.array([one.timestamp_ms for one in index.snapshots], dtype=np.float64)
    times_s = history.ledger.event_time_s
    oldest_s = float(np.interp(lineage(metadata)[-1].timestamp_ms, stamps, times_s))
    span_s = max(float(times_s[-1]) - oldest_s, _LEAST_SPAN_S)
    versions = history.versions
    expired_ms = np.array([versions.updated_ms[place] for place in expiry_places(versions)], dtype=np.float64)
    expired_s = np.interp(expired_ms, stamps, times_s, left=np.nan)
    expired_s = expired_s[expired_s >= oldest_s]
    *traces_s, seen_s = _version_times_s(history)[[*expiry_places(versions), -1]].tolist()
    if len(expired_s) > 1:  # snapshots tell their times better than versions do
        first_s = float(np.interp(versions.updated_ms[0], stamps, times_s))  # the log has fewer versions than snapshots
        traces_s, seen_s = expired_s.tolist(), float(times_s[-1]) - max(oldest_s, first_s)
    if len(traces_s) > 1:
        interval_s = history.interval_s.median if history.interval_s is not None else 0.0
        every_s = _in_commits(_period_s(traces_s, seen_s), interval_s)
    elif traces_s:
        every_s = max(DAY_S, seen_s - traces_s[0])
    else:
        every_s = max(_LEAST_SPAN_S, min(DAY_S, span_s / 4))
    age_s = float(expired_s[-1]) - oldest_s if len(expired_s) else span_s - every_s / 2
    return ExpireSnapshots(every=every_s, older_than=max(age_s, _LEAST_SPAN_S), retain_last=least)


def _version_times_s(history: History) -> Floats:
    """Seconds from the first known version to each: by their stamps, or at the commit interval that is given."""
    versions = history.versions
    if history.interval_source == GIVEN and history.interval_s is not None:
        return np.arange(len(versions)) / history.versions_per_commit * history.interval_s.median
    return (np.array(versions.updated_ms, dtype=np.float64) - versions.updated_ms[0]) / 1000


def _in_commits(period_s: float, interval_s: float) -> float:
    """The period in whole commits, if it nearly is that: jobs are stamped a little after what they follow."""
    commits = round(period_s / interval_s) if interval_s > 0 else 0
    return commits * interval_s if commits and abs(commits * interval_s / period_s - 1) < _NEARLY else period_s


def _period_s(times_s: Sequence[float], span_s: float) -> float:
    gaps = np.diff(times_s)
    gaps = gaps[gaps > 0]
    # Three calls by hand within a minute are no job of every twenty seconds: in the rest of the span nothing ran.
    return max(float(np.median(gaps)), span_s / (len(times_s) + 1)) if len(gaps) else span_s
