"""The metadata.json of the simulated table: rendered whole where its text is needed, else measured in parts."""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wasim.iceberg import TableMetadata
from wasim.iceberg.codecs import GZIP_HEADER, gzip_bytes
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.json_text import pretty_json
from wasim.iceberg.metadata_json import metadata_log_entry_json, render_metadata_json, snapshot_log_entry_json
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.releases import COMPACT_JSON_SINCE, NEWEST, Release
from wasim.iceberg.snapshots import (
    MetadataLogEntry,
    Snapshot,
    SnapshotLogEntry,
    SnapshotRef,
    StatisticsFile,
    snapshot_json,
    statistics_json,
)
from wasim.rules.maintenance import log_entries_dropped

MAIN = "main"


@dataclass(slots=True, kw_only=True)
class TableJson:
    """What every metadata.json repeats: the snapshots so far, rendered once each, and both logs.

    A history of n commits would render n²/2 snapshots. Their texts never change, so where only the size is wanted (no
    gzip, nothing emitted) the items of the growing arrays are counted, and the rest of the document is rendered.
    """

    base: TableMetadata
    properties: TableProperties
    needs_text: bool
    release: Release = NEWEST
    snapshots: dict[int, str] = field(default_factory=dict)  # by id, in the order of the file
    statistics: dict[int, StatisticsFile] = field(default_factory=dict)  # by snapshot
    snapshot_log: list[SnapshotLogEntry] = field(default_factory=list)
    metadata_log: deque[MetadataLogEntry] = field(default_factory=deque)
    item_bytes: int = 0  # of all snapshots, statistics and log entries, without what stands between them
    dropped: list[str] = field(default_factory=list)  # files that the last commit took out of the log
    is_measured: bool = True  # whether anyone asks how large metadata.json and lists are; else they count as empty

    @property
    def is_gzip(self) -> bool:
        """Whether metadata.json is compressed."""
        return self.properties.metadata_compression == "gzip"

    def commit(self, previous_file: str, changed: TableMetadata, updated_ms: int) -> None:
        """Puts changed metadata in force, and notes in the metadata log where the metadata so far lies."""
        self.dropped = []
        self._log(MetadataLogEntry(timestamp_ms=self.base.last_updated_ms, metadata_file=previous_file))
        self.base = replace(changed, last_updated_ms=updated_ms)

    def add(self, snapshot: Snapshot) -> TableMetadata:
        """The metadata with one more snapshot, which is main's."""
        text = snapshot_json(snapshot)
        self.snapshots[snapshot.snapshot_id] = text
        self.item_bytes += self.bytes_of(text)
        return replace(
            self.base,
            last_sequence_number=snapshot.sequence_number,
            next_row_id=self.base.next_row_id + (snapshot.added_rows or 0),
            **self._main_at(snapshot.snapshot_id, snapshot.timestamp_ms),
        )

    def add_statistics(self, added: StatisticsFile) -> None:
        """Puts a statistics file in; a snapshot has one."""
        self.statistics[added.snapshot_id] = added
        self.item_bytes += self.bytes_of(statistics_json(added))

    def point_main(self, snapshot_id: int, at_ms: int) -> TableMetadata:
        """The metadata with main at an earlier snapshot, as the snapshot log then says."""
        return replace(self.base, **self._main_at(snapshot_id, at_ms))

    def _main_at(self, snapshot_id: int, at_ms: int) -> dict[str, Any]:
        entry = SnapshotLogEntry(timestamp_ms=at_ms, snapshot_id=snapshot_id)
        self.snapshot_log.append(entry)
        self.item_bytes += self.bytes_of(snapshot_log_entry_json(entry))
        refs = with_ref(self.base.refs, MAIN, SnapshotRef(snapshot_id=snapshot_id))
        return {"current_snapshot_id": snapshot_id, "refs": refs}

    def remove(self, snapshot_ids: Collection[int]) -> None:
        """Takes snapshots out with their statistics; of the snapshot log goes all up to its newest entry of any."""
        for snapshot_id in snapshot_ids:
            self.item_bytes -= self.bytes_of(self.snapshots.pop(snapshot_id))
            if snapshot_id in self.statistics:
                self.item_bytes -= self.bytes_of(statistics_json(self.statistics.pop(snapshot_id)))
        gone = [place for place, entry in enumerate(self.snapshot_log) if entry.snapshot_id not in self.snapshots]
        kept = gone[-1] + 1 if gone else 0
        self.item_bytes -= sum(self.bytes_of(snapshot_log_entry_json(entry)) for entry in self.snapshot_log[:kept])
        del self.snapshot_log[:kept]

    def _log(self, entry: MetadataLogEntry) -> None:
        limit = self.properties.metadata_previous_versions_max  # may have become less
        for _ in range(log_entries_dropped(len(self.metadata_log), limit)):
            oldest = self.metadata_log.popleft()
            self.dropped.append(oldest.metadata_file)
            self.item_bytes -= self.bytes_of(metadata_log_entry_json(oldest))
        self.metadata_log.append(entry)
        self.item_bytes += self.bytes_of(metadata_log_entry_json(entry))

    def bytes_of(self, text: str) -> int:
        """Bytes of an item of one of the growing arrays, in the layout of the document."""
        return len((text if self.is_compact else pretty_json(text, depth=1)).encode())

    def _between(self, items: int) -> int:
        """Bytes that an array of the document spends on commas and spaces, beyond an empty one's."""
        if self.is_compact:
            return max(items - 1, 0)
        return 2 * items - 1 if items else 0  # `[ ]` holds one space already

    @property
    def is_compact(self) -> bool:
        """Whether the document is written without spaces."""
        return self.release >= COMPACT_JSON_SINCE

    def content(self) -> bytes | int:
        """The file's bytes, or their number."""
        if not self.is_measured:
            return 0
        if self.is_gzip or self.needs_text:
            whole = replace(
                self.base,
                statistics=tuple(self.statistics[key] for key in java_map_order(self.statistics)),
                snapshot_log=tuple(self.snapshot_log),
                metadata_log=tuple(self.metadata_log),
            )
            texts = tuple(self.snapshots.values())
            data = render_metadata_json(whole, snapshot_texts=texts, release=self.release).encode()
            return gzip_bytes(data, GZIP_HEADER) if self.is_gzip else data
        items = len(self.snapshots), len(self.statistics), len(self.snapshot_log), len(self.metadata_log)
        around = len(render_metadata_json(self.base, snapshot_texts=(), release=self.release).encode())
        return around + self.item_bytes + sum(map(self._between, items))


def with_ref(refs: Mapping[str, SnapshotRef], name: str, ref: SnapshotRef) -> dict[str, SnapshotRef]:
    """The references with one more, or another, in the order of Java's map."""
    both = {**refs, name: ref}
    return {key: both[key] for key in java_map_order(both)}
