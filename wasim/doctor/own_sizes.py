"""What an inspected table's own files and commits say, for a forecast to start from."""

from dataclasses import replace

import numpy as np

from wasim.doctor.history import snapshots_made
from wasim.doctor.inspection import Inspection
from wasim.doctor.upkeep import expiry_places
from wasim.forecast.of_table import FoundFiles, FoundJson, Observed, band_of
from wasim.iceberg.retention import Expiry, has_expired, retained_snapshots
from wasim.ledger import Kind

_GROWING = ("snapshots", "snapshot-log", "refs")
_STATISTICS = ("statistics", "partition-statistics")
_LEAST_REFS = 3  # from which on branches and tags count as growing with the snapshots


def observe(inspection: Inspection) -> Observed:
    """The table's own sizes, and what its commits do that no case can say: those that add no data and are no
    maintenance, versions without a snapshot, and what branches and tags hold.
    """
    index = inspection.tree.index
    simulated = [one.adds_data or one.operation == "replace" for one in index.snapshots]
    others = simulated.count(False) / max(1, simulated.count(True))
    return Observed(
        made=float(snapshots_made(inspection.tree)),
        json=_found_json(inspection),
        lists=_found_lists(inspection),
        manifests=_found_manifests(inspection),
        others=others,
        other_manifests=_other_manifests(inspection, simulated),
        versions=_versions_per_snapshot(inspection, others),
        held_share=_held_share(inspection),
    )


def _found_json(inspection: Inspection) -> FoundJson:
    opened, parts = inspection.tree.opened, inspection.parts.bytes
    metadata = opened.metadata
    growing = [part for part in _GROWING if part != "refs" or len(metadata.refs) >= _LEAST_REFS]
    has_statistics = bool(metadata.statistics or metadata.partition_statistics)
    growing_bytes = sum(parts[part] for part in growing)
    statistics_bytes = sum(parts[part] for part in _STATISTICS) if has_statistics else 0
    around = len(opened.json_text) - growing_bytes - statistics_bytes - parts["metadata-log"]
    count, logged = max(1, len(metadata.snapshots)), len(metadata.metadata_log)
    # of a log with fewer entries than there are snapshots, as after a branch, each further one has as many bytes
    unlogged = parts["snapshot-log"] * (1 / max(1, len(metadata.snapshot_log)) - 1 / count)
    return FoundJson(
        around=float(around),
        log_entry=parts["metadata-log"] / logged if logged else 0.0,
        snapshot=growing_bytes / count + unlogged,
        statistics=statistics_bytes / count,
        snapshots=count,
        logged=logged,
        stored_bytes=opened.json_bytes,
        is_compressed=opened.is_compressed,
        band=_json_band(inspection, float(around), (growing_bytes + statistics_bytes) / count),
    )


def _json_band(inspection: Inspection, around: float, snapshot: float) -> float:
    """How far 90 % of the versions whose snapshots are all still known are from what the current one says of them."""
    versions, tree = inspection.history.versions, inspection.tree
    log = len(tree.opened.metadata.metadata_log)
    log_entry = inspection.parts.bytes["metadata-log"] / log if log else 0.0
    stamps = np.sort([one.timestamp_ms for one in tree.index.snapshots])
    held = np.searchsorted(stamps, np.array(versions.updated_ms), side="right")
    sizes = tree.stored_share * (around + held * snapshot + log_entry * versions.log_entries)
    known = ~np.isnan(versions.bytes) & (held > 0)
    if has_expired(tree.opened.metadata):
        known[: max(expiry_places(versions), default=len(known))] = False
    if not known.any():
        return 0.0
    return band_of(sizes[known], versions.bytes[known])


def _found_lists(inspection: Inspection) -> FoundFiles:
    counts = np.array(inspection.tree.index.counts, dtype=np.float64)
    written = inspection.history.ledger.written_bytes[Kind.MANIFEST_LIST]
    known = inspection.history.known[Kind.MANIFEST_LIST.value] & (counts > 0)
    return FoundFiles(counts=counts[known], new=counts[known], bytes=written[known].astype(np.float64))


def _found_manifests(inspection: Inspection) -> FoundFiles:
    """Manifests of data. Those that list entries as deleted are of commits that a case does not have."""
    rows = [
        (one.added_files_count + one.existing_files_count, one.added_files_count, one.manifest_length)
        for one in inspection.tree.index.manifests
        if one.content == 0
        and one.added_files_count is not None
        and one.existing_files_count is not None
        and not one.deleted_files_count
        and one.added_files_count + one.existing_files_count > 0 < one.manifest_length
    ]
    counts, new, sizes = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return FoundFiles(counts=counts, new=new, bytes=sizes)


def _other_manifests(inspection: Inspection, simulated: list[bool]) -> float:
    """Bytes of manifests that other commits wrote, for each byte that commits which a case has wrote of manifests."""
    written = inspection.history.ledger.written_bytes
    sizes = (written[Kind.DATA_MANIFEST] + written[Kind.DELETE_MANIFEST]).astype(np.float64)
    is_simulated = np.array(simulated, dtype=bool)
    return float(sizes[~is_simulated].sum() / max(1.0, sizes[is_simulated].sum()))


def _versions_per_snapshot(inspection: Inspection, others: float) -> float | None:
    """metadata.json for each snapshot that a case has, without what expiries write, which is simulated on its own."""
    history = inspection.history
    made = int(history.known[Kind.METADATA_JSON.value].sum())
    if not made:
        return None
    since = len(history.versions) - round(history.versions_per_commit * made)
    expired = sum(place >= since for place in expiry_places(history.versions))
    return max(1.0, history.versions_per_commit - expired / made) * (1 + others)


def _held_share(inspection: Inspection) -> float:
    """The share of all snapshots ever made that branches and tags beside main hold, whatever expires."""
    metadata = inspection.tree.opened.metadata
    now_ms = round(inspection.tree.opened.listed_at_s * 1000)
    newest_ms = max((one.timestamp_ms for one in metadata.snapshots), default=0)
    expiry = Expiry(now_ms=now_ms, older_than_ms=max(now_ms, newest_ms) + 1, retain_last=1)
    main = replace(metadata, refs={name: ref for name, ref in metadata.refs.items() if name == "main"})
    held = retained_snapshots(metadata, expiry) - retained_snapshots(main, expiry)
    return len(held) / max(1, snapshots_made(inspection.tree))
