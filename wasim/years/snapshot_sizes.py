"""Bytes that snapshots take in metadata.json, by what made them."""

from collections.abc import Collection, Mapping

from wasim.iceberg.snapshots import Snapshot, snapshot_json
from wasim.twin.commits import Moment
from wasim.twin.summary import COUNTERS, CommitCounts, operation_summary, summary_counters
from wasim.twin.table import SimulatedTable

_LIST_NAME = "snap-9000000000000000000-1-00000000-0000-4000-8000-000000000000.avro"


class SnapshotBytes:
    """Bytes that snapshots take in metadata.json, by what made them."""

    def __init__(self, *, table: SimulatedTable, moment: Moment) -> None:
        self._table, self._moment = table, moment
        self._numbers_jobs = [
            key for key, text in table.rules.summary.items() if "{epoch}" in text or "{checkpoint}" in text
        ]
        self._around: dict[tuple[str, ...], int] = {}
        self.between = 1 if table.json.is_compact else 2

    def of_append(self, counts: CommitCounts, *, operation: str = "append") -> float:
        """Bytes of a snapshot that the writer made, its growing numbers of one digit each."""
        rules = self._table.rules
        values = self._moment.texts | summary_counters(counts)
        summary = {key: template.format_map(values) for key, template in rules.summary.items()}
        if operation != "append":
            own = [key for key in rules.summary if key not in COUNTERS]
            summary = operation_summary(rules.summary, counts, self._moment.texts, own=own)
        longer = sum(len(summary[key]) - 1 for key in self._numbers_jobs)
        return self._rendered(operation, summary, counts.added.records) - longer

    def of_operation(
        self, operation: str, counts: CommitCounts, own: Collection[str] = (), more: Mapping[str, str] | None = None
    ) -> float:
        """Bytes of a snapshot that a statement or maintenance made; numbers in `counts` are as large as they are."""
        summary = operation_summary(self._table.rules.summary, counts, self._moment.texts, own, more)
        kind, values_bytes = (operation, *summary), sum(map(len, summary.values()))
        if kind not in self._around:
            self._around[kind] = self._rendered(operation, summary, 0) - values_bytes
        return self._around[kind] + values_bytes

    def _rendered(self, operation: str, summary: dict[str, str], added_rows: int) -> int:
        version, json = self._table.rules.format_version, self._table.json
        snapshot = Snapshot(
            snapshot_id=10**18 * 9,
            timestamp_ms=self._moment.timestamp_ms,
            manifest_list=self._table.rules.locations.metadata_file(_LIST_NAME),
            parent_snapshot_id=10**18 * 9,
            sequence_number=1 if version > 1 else 0,
            operation=operation,
            summary=summary,
            schema_id=json.base.current_schema_id,
            first_row_id=0 if version > 2 else None,
            added_rows=added_rows if version > 2 else None,
        )
        return json.bytes_of(snapshot_json(snapshot)) + self.between

    @property
    def epochs(self) -> int:
        """How many numbers of a writer's snapshot count its commits."""
        return len(self._numbers_jobs)

    @property
    def sequences(self) -> int:
        """One where snapshots have a sequence number: not in format version 1."""
        return int(self._table.rules.format_version > 1)

    @property
    def counts_manifests(self) -> bool:
        """Whether summaries say how many manifests there are."""
        return "manifests-kept" in self._table.rules.summary

    @property
    def has_row_ids(self) -> bool:
        """Whether snapshots say where the ids of their rows begin (v3)."""
        return self._table.rules.format_version > 2
