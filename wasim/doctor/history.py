"""The commits that a table's metadata still describes."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wasim.doctor.clock import GIVEN, commit_times
from wasim.doctor.tree import Tree
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.resolve import metadata_version
from wasim.iceberg.retention import has_expired, lineage
from wasim.iceberg.snapshots import Snapshot
from wasim.ledger import Kind
from wasim.profiles import writer_words
from wasim.units import Floats, Ints

LEAST_VERSIONS = 3
_TOOTH, _LEVEL = 0.25, 0.05  # of what values span: what falls take at least, and what rises less counts as level


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The known versions of metadata.json, oldest first, as equal-length columns.

    `updated_ms` are milliseconds since the epoch; `bytes` are as stored, NaN where the file is gone; `log_entries` is
    how many former versions each one names.
    """

    keys: tuple[str, ...]
    updated_ms: tuple[int, ...]
    bytes: Floats
    log_entries: Floats

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def per_hour(self) -> float | None:
        """How many an hour saw; None for too few, or all at once."""
        span_ms = max(self.updated_ms) - min(self.updated_ms)
        return (len(self) - 1) / span_ms * 3_600_000 if len(self) >= LEAST_VERSIONS and span_ms > 0 else None

    def growth(self, log_entry_bytes: float) -> float | None:
        """Stored bytes that a version adds to metadata.json once its log is full; None for too short a history.

        The lasting slope of the sizes without their log, which stops growing.
        """
        known = np.flatnonzero(~np.isnan(self.bytes))
        if len(known) < LEAST_VERSIONS:
            return None
        sizes = self.bytes[known] - log_entry_bytes * self.log_entries[known]
        return lasting_slope(known.astype(np.float64), sizes)


def lasting_slope(at: Floats, values: Floats) -> float:
    """The slope of a line through the points; of a saw-tooth, as expiry and merges make it, through those after falls.

    A fall takes back a quarter of all that the values span. After one alone that has not been made good nothing lasts,
    nor where points after falls are as good as level.
    """
    span = np.ptp(values)
    falls = 1 + np.flatnonzero(np.diff(values) < -_TOOTH * span)
    if len(falls) == 1 and values[-1] < values.max():
        return 0.0
    through = falls if len(falls) > 1 else np.arange(len(values))
    slope = float(np.polyfit(at[through], values[through], 1)[0])
    return slope if len(falls) < 2 or abs(slope) * np.ptp(at[through]) > _LEVEL * span else 0.0


def find_versions(tree: Tree) -> Versions:
    """The versions in the metadata log, those that left it and are still there, and the current one.

    Of several files of one version outside the log, which writers that raced left behind, none is known to be it.
    """
    metadata, opened = tree.opened.metadata, tree.opened
    counts = Counter(metadata_version(file.key) for file in tree.files if file.kind is Kind.METADATA_JSON)
    found = {tree.places.key(one.metadata_file): one.timestamp_ms for one in metadata.metadata_log}
    for key, head in tree.json_heads.items():
        version = metadata_version(key)
        if head is not None and version >= 0 and counts[version] == 1:
            found[key] = head.last_updated_ms
    found[opened.chosen.path] = metadata.last_updated_ms
    is_numbered = all(metadata_version(key) >= 0 for key in found)  # surer than clocks, of two in one millisecond
    order = sorted(found, key=lambda key: (metadata_version(key) if is_numbered else 0, found[key]))
    limit = TableProperties.read_leniently(metadata.properties).metadata_previous_versions_max
    sizes = [file.size_bytes if (file := opened.files.get(key)) is not None else np.nan for key in order]
    numbers = [max(place, metadata_version(key)) for place, key in enumerate(order)]
    return Versions(
        keys=tuple(order),
        updated_ms=tuple(found[key] for key in order),
        bytes=np.array(sizes, dtype=np.float64),
        log_entries=np.minimum(np.array(numbers, dtype=np.float64), limit),
    )


_MOST_WRITERS = 10
_MOST_LATE_MS = 5_000
"""metadata.json is stamped as it is built: the same millisecond as its snapshot, or a few later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a quantity spreads over commits."""

    median: float
    low: float  # 10th percentile
    high: float  # 90th percentile


@dataclass(frozen=True, slots=True, kw_only=True)
class Commits:
    """A row for each retained snapshot, oldest first, as equal-length columns.

    `event_time_s` are seconds from the first on; `data_bytes_live` what its snapshot holds; `written_bytes` what its
    commit wrote of a kind, as far as that is still there.
    """

    event_time_s: Floats
    data_bytes_live: Ints
    written_bytes: Mapping[Kind, Ints]

    def __len__(self) -> int:
        return len(self.event_time_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The commits whose snapshots are retained, oldest first, and all versions of metadata.json that are known.

    What `ledger` cannot know of a kind's bytes is 0 there, and False in `known`. `span_s` is from the first to the last
    of them. `without_snapshot` are versions that record no new snapshot but statistics, a tag, a branch, properties, a
    schema or an expiry, of the newest `judged` versions: an older one may have recorded a snapshot that has expired.
    `versions_per_commit` counts all from the first snapshot's on, for each of a snapshot, and `versions_per_hour` by
    their own times.
    """

    ledger: Commits
    known: Mapping[Kind, NDArray[np.bool_]]
    span_s: float
    commits_per_hour: float | None
    interval_s: Spread | None
    interval_source: str
    operations: Mapping[str, int]
    writers: Mapping[str, int]
    versions: Versions
    without_snapshot: int
    judged: int
    versions_per_commit: float
    versions_per_hour: float | None

    def bytes_per_commit(self, kind: Kind) -> Spread | None:
        """Bytes of a kind that a commit wrote, over the commits where they are known; None if there are none."""
        if kind is Kind.METADATA_JSON:  # each version is a commit, with a snapshot or without
            sizes = self.versions.bytes
            return _spread(sizes[~np.isnan(sizes)]) if not np.isnan(sizes).all() else None
        values = self.ledger.written_bytes[kind][self.known[kind]]
        return _spread(values.astype(np.float64)) if len(values) else None


def rebuild_history(tree: Tree, given_interval_s: float | None) -> History:
    """The history of a table's retained snapshots; a commit interval that is given replaces their timestamps."""
    index, snapshots = tree.index, tree.index.snapshots
    times = commit_times(tree, given_interval_s)
    gaps = times.gaps_s
    span = float(times.event_time_s[-1]) if len(times.event_time_s) else 0.0
    rate = len(gaps) / float(gaps.sum()) * 3600 if len(gaps) and gaps.sum() > 0 else None
    versions = find_versions(tree)
    versions_made = _versions_of_snapshots(tree, versions)
    made = list(versions_made.values())
    without, judged = _without_snapshot(tree, versions, made)
    per_commit = (len(versions) - versions.keys.index(made[0])) / len(made) if made else 1.0
    per_hour = None if rate is None else rate * per_commit
    properties = tree.opened.metadata.properties
    ledger, known = _commits(tree, times.event_time_s, versions_made)
    return History(
        ledger=ledger,
        known=known,
        span_s=span,
        commits_per_hour=rate,
        interval_s=_spread(gaps) if len(gaps) else None,
        interval_source=times.source,
        operations=Counter(one.operation or "unknown" for one in snapshots),
        writers=dict(Counter(writer_words(one, properties) for one in index.snapshots).most_common(_MOST_WRITERS)),
        versions=versions,
        without_snapshot=without,
        judged=judged,
        versions_per_commit=per_commit,
        versions_per_hour=per_hour if times.source == GIVEN else versions.per_hour or per_hour,
    )


def _without_snapshot(tree: Tree, versions: Versions, made: Sequence[str]) -> tuple[int, int]:
    """How many versions record no new snapshot, and of how many of the newest that is known; `made` are those that
    record a retained one.

    Where snapshots expired, sequence numbers say how many all versions recorded, if all are known; else what is older
    than the oldest that is left of main tells nothing.
    """
    metadata = tree.opened.metadata
    if not has_expired(metadata):
        return len(versions) - len(made), len(versions)
    if _are_all_numbered(tree) and len(versions) > metadata_version(tree.opened.chosen.path) >= 0:
        return max(0, len(versions) - metadata.last_sequence_number), len(versions)
    oldest_ms = lineage(metadata)[-1].timestamp_ms
    since = [key for key, at_ms in zip(versions.keys, versions.updated_ms, strict=True) if at_ms >= oldest_ms]
    return len(set(since) - set(made)), len(since)


def _are_all_numbered(tree: Tree) -> bool:
    """Whether each snapshot has a sequence number, which format version 1 lacks."""
    return all(one.sequence_number > 0 for one in tree.index.snapshots)


def snapshots_made(tree: Tree, history: History) -> int:
    """Snapshots since the table was made: sequence numbers count them, or else versions of metadata.json, at the pace
    of the snapshots that are left.
    """
    counted = max(len(tree.index.snapshots), tree.opened.metadata.last_sequence_number)
    if not is_counted_by_versions(tree):
        return counted
    return max(counted, round(metadata_version(tree.opened.chosen.path) / history.versions_per_commit))


def is_counted_by_versions(tree: Tree) -> bool:
    """Whether snapshots expired that had no sequence number, as in format version 1."""
    return has_expired(tree.opened.metadata) and not _are_all_numbered(tree)


def _spread(values: Floats) -> Spread:
    low, median, high = np.percentile(values, (10, 50, 90))
    return Spread(median=float(median), low=float(low), high=float(high))


def _commits(tree: Tree, times_s: Floats, made: Mapping[int, str]) -> tuple[Commits, dict[Kind, NDArray[np.bool_]]]:
    """The commits, and where it is known what they wrote of a kind; `made` are the versions by place."""
    index, snapshots = tree.index, tree.index.snapshots
    written = {kind: np.zeros(len(times_s), dtype=np.int64) for kind in Kind}
    known = {kind: np.zeros(len(times_s), dtype=bool) for kind in Kind}
    for kind, keys in ((Kind.MANIFEST_LIST, enumerate(index.list_keys)), (Kind.METADATA_JSON, made.items())):
        for place, key in keys:
            if (stored := tree.opened.files.get(key)) is not None:  # it is still there
                written[kind][place], known[kind][place] = stored.size_bytes, True
    places = {snapshot.snapshot_id: place for place, snapshot in enumerate(snapshots)}
    for manifest in index.manifests:  # those merged away before the commit ended left no trace
        if manifest.added_snapshot_id in places:
            kind = Kind.DELETE_MANIFEST if manifest.content == 1 else Kind.DATA_MANIFEST
            written[kind][places[manifest.added_snapshot_id]] += manifest.manifest_length
    known[Kind.DATA_MANIFEST] = known[Kind.DELETE_MANIFEST] = np.array(index.counts) >= 0
    written[Kind.DATA] = _numbers(snapshots, "added-files-size")
    # Iceberg adds delete files to the size of what was added: apart, both are known only where there are none.
    has_summary = np.array([bool(one.summary) for one in snapshots], dtype=bool)
    known[Kind.DATA] = known[Kind.DELETE_FILE] = has_summary & (_numbers(snapshots, "added-delete-files") == 0)
    live = _numbers(snapshots, "total-files-size")
    return Commits(event_time_s=times_s, data_bytes_live=live, written_bytes=written), known


def _numbers(snapshots: Sequence[Snapshot], key: str) -> Ints:
    return np.array([one.count_of(key) or 0 for one in snapshots], dtype=np.int64)


def _versions_of_snapshots(tree: Tree, versions: Versions) -> dict[int, str]:
    """The key of the version that records each retained snapshot, by the snapshot's place, where it is known.

    A version belongs to the newest snapshot that is no younger than it. One that comes late, or after another of that
    snapshot, records some other change.
    """
    stamps = sorted((one.timestamp_ms, place) for place, one in enumerate(tree.index.snapshots))
    seen, found = set[int](), dict[int, str]()
    for time_ms, key in zip(versions.updated_ms, versions.keys, strict=True):
        at = bisect_right(stamps, (time_ms, len(stamps))) - 1
        if at < 0 or at in seen:
            continue
        seen.add(at)
        if time_ms - stamps[at][0] <= _MOST_LATE_MS:
            found[stamps[at][1]] = key
    return found
