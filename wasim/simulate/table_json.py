"""The metadata.json of the simulated table: rendered whole where its text is needed, else measured in parts."""

from collections import deque
from dataclasses import dataclass, field, replace

from wasim.iceberg import TableMetadata
from wasim.iceberg.gzip_files import GZIP_HEADER, gzip_bytes
from wasim.iceberg.json_text import pretty_json
from wasim.iceberg.metadata_json import metadata_log_entry_json, render_metadata_json
from wasim.iceberg.releases import COMPACT_JSON_SINCE, NEWEST, Release
from wasim.iceberg.snapshots import MetadataLogEntry, Snapshot, SnapshotLogEntry, SnapshotRef, snapshot_json

_LOG_ENTRY = '{{"timestamp-ms":{},"snapshot-id":{}}}'


@dataclass(slots=True, kw_only=True)
class TableJson:
    """What every metadata.json repeats: the snapshots so far, rendered once each, and both logs.

    A history of n commits would render n²/2 snapshots. Their texts never change, so where only the size is wanted (no
    gzip, nothing emitted) the items of the growing arrays are counted, and the rest of the document is rendered.
    """

    base: TableMetadata
    log_limit: int
    is_gzip: bool
    needs_text: bool
    release: Release = NEWEST
    snapshots: list[str] = field(default_factory=list)
    snapshot_log: list[SnapshotLogEntry] = field(default_factory=list)
    metadata_log: deque[MetadataLogEntry] = field(default_factory=deque)
    item_bytes: int = 0  # of all snapshots and log entries, without what stands between them
    dropped: str | None = None  # the file that the last commit took out of the log

    def _add(self, snapshot: Snapshot) -> None:
        text = snapshot_json(snapshot)
        self.snapshots.append(text)
        entry = SnapshotLogEntry(timestamp_ms=snapshot.timestamp_ms, snapshot_id=snapshot.snapshot_id)
        self.snapshot_log.append(entry)
        logged = _LOG_ENTRY.format(entry.timestamp_ms, entry.snapshot_id)
        self.item_bytes += self._bytes_of(text) + self._bytes_of(logged)
        self.base = replace(
            self.base,
            last_sequence_number=snapshot.sequence_number,
            current_snapshot_id=snapshot.snapshot_id,
            next_row_id=self.base.next_row_id + (snapshot.added_rows or 0),
            refs={"main": SnapshotRef(snapshot_id=snapshot.snapshot_id)},
        )

    def _log(self, entry: MetadataLogEntry) -> None:
        if len(self.metadata_log) == self.log_limit:
            oldest = self.metadata_log.popleft()
            self.dropped = oldest.metadata_file
            self.item_bytes -= self._bytes_of(metadata_log_entry_json(oldest))
        self.metadata_log.append(entry)
        self.item_bytes += self._bytes_of(metadata_log_entry_json(entry))

    def _bytes_of(self, text: str) -> int:
        return len((text if self.is_compact else pretty_json(text, depth=1)).encode())

    def _between(self, items: int) -> int:
        """Bytes that an array of the document spends on commas and spaces, beyond those of an empty one."""
        if self.is_compact:
            return max(items - 1, 0)
        return 2 * items - 1 if items else 0  # `[ ]` holds one space already

    @property
    def is_compact(self) -> bool:
        """Whether the document is written without spaces."""
        return self.release >= COMPACT_JSON_SINCE

    def log_and_add(self, previous_file: str, snapshot: Snapshot, updated_ms: int) -> None:
        """Notes in the metadata log where the metadata so far lies, then adds the snapshot."""
        self.dropped = None
        self._log(MetadataLogEntry(timestamp_ms=self.base.last_updated_ms, metadata_file=previous_file))
        self._add(snapshot)
        self.base = replace(self.base, last_updated_ms=updated_ms)

    def content(self) -> bytes | int:
        """The file's bytes, or their number."""
        if self.is_gzip or self.needs_text:
            whole = replace(self.base, snapshot_log=tuple(self.snapshot_log), metadata_log=tuple(self.metadata_log))
            data = render_metadata_json(whole, snapshot_texts=self.snapshots, release=self.release).encode()
            return gzip_bytes(data, GZIP_HEADER) if self.is_gzip else data
        around = render_metadata_json(self.base, snapshot_texts=(), release=self.release)
        between = 2 * self._between(len(self.snapshots)) + self._between(len(self.metadata_log))
        return len(around.encode()) + self.item_bytes + between
