"""Every metadata.json that a table's log and folder still name: each commit writes one, also without a snapshot."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from wasim.doctor.opening import metadata_version
from wasim.doctor.tree import Tree
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind
from wasim.units import Floats

LEAST_VERSIONS = 3


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

        The slope of a line through the sizes without their log, which stops growing: a file that expiry cuts back now
        and then has that of its middle.
        """
        known = np.flatnonzero(~np.isnan(self.bytes))
        if len(known) < LEAST_VERSIONS:
            return None
        sizes = self.bytes[known] - log_entry_bytes * self.log_entries[known]
        return float(np.polyfit(known, sizes, 1)[0])


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
