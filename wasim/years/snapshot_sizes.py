"""Bytes that snapshots take in metadata.json, by what made them."""

from collections.abc import Collection, Mapping

from wasim.iceberg.snapshots import Snapshot, snapshot_json
from wasim.twin.commits import Moment
from wasim.twin.summary import (
    COUNTERS,
    CommitCounts,
    TableTotals,
    counted,
    operation_summary,
    summary_counters,
    unknown_counters,
)
from wasim.twin.table import SimulatedTable

_LIST_NAME = "snap-9000000000000000000-1-00000000-0000-4000-8000-000000000000.avro"


class SnapshotBytes:
    """Bytes that snapshots take in metadata.json, by what made them."""

    def __init__(self, *, table: SimulatedTable, moment: Moment) -> None:
        rules = table.rules
        self.summary, self._version, self._json, self._moment = rules.summary, rules.format_version, table.json, moment
        self._list_file = rules.locations.metadata_file(_LIST_NAME)
        self._numbers_jobs = [key for key, text in rules.summary.items() if "{epoch}" in text or "{checkpoint}" in text]
        self._unknown = unknown_counters(rules.summary)
        self._around: dict[tuple[str, ...], int] = {}
        self.between = 1 if table.json.is_compact else 2
        self.epochs = len(self._numbers_jobs)  # numbers of a writer's snapshot that count its commits
        self.sequences = int(self._version > 1)  # one where snapshots have a sequence number
        self.names_manifests = not self._unknown  # whether snapshots of jobs do; an older Iceberg's do not
        self.counts_manifests = "manifests-kept" in rules.summary  # whether summaries say how many there are
        self.has_row_ids = self._version > 2  # whether snapshots say where the ids of their rows begin

    def of_append(self, counts: CommitCounts, *, operation: str = "append") -> float:
        """Bytes of a snapshot that the writer made, its growing numbers of one digit each."""
        values = self._moment.texts | summary_counters(counts)
        summary = {key: template.format_map(values) for key, template in self.summary.items()}
        if operation != "append":
            own = [key for key in self.summary if key not in COUNTERS]
            summary = operation_summary(self.summary, counts, self._moment.texts, own=own)
        longer = sum(len(summary[key]) - 1 for key in self._numbers_jobs)
        return self._rendered(operation, summary, counts.added.records) - longer

    def of_nothing(self, counts: CommitCounts, job_digits: int) -> float:
        """Bytes of a snapshot that the writer made without rows; numbers that count its commits have so many digits."""
        numbers = summary_counters(counts)
        values = self._moment.texts | numbers
        keys = [key for key in self.summary if key not in COUNTERS or key in numbers]
        summary = {key: self.summary[key].format_map(values) for key in keys}
        longer = sum(len(summary[key]) - job_digits for key in self._numbers_jobs)
        return self._rendered("append", summary, 0) - longer

    def of_operation(
        self,
        operation: str,
        counts: CommitCounts,
        totals: TableTotals,
        own: Collection[str] = (),
        more: Mapping[str, str] | None = None,
    ) -> float:
        """Bytes of a snapshot that a statement or maintenance made, and of the table after it; all numbers are as large
        as they are. Snapshots with the same keys differ by the digits of their numbers alone.
        """
        numbers, more = counted(counts, totals), more or {}
        for key in self._unknown:
            numbers.pop(key, None)
        kind = operation, *own, *more, *numbers
        digits = len("".join(map(str, numbers.values()))) + len("".join(more.values()))
        if kind not in self._around:
            whole = counts._replace(totals=totals)
            summary = operation_summary(self.summary, whole, self._moment.texts, own, more)
            self._around[kind] = self._rendered(operation, summary, 0) - digits
        return self._around[kind] + digits

    def _rendered(self, operation: str, summary: dict[str, str], added_rows: int) -> int:
        version, json = self._version, self._json
        snapshot = Snapshot(
            snapshot_id=10**18 * 9,
            timestamp_ms=self._moment.timestamp_ms,
            manifest_list=self._list_file,
            parent_snapshot_id=10**18 * 9,
            sequence_number=1 if version > 1 else 0,
            operation=operation,
            summary=summary,
            schema_id=json.base.current_schema_id,
            first_row_id=0 if version > 2 else None,
            added_rows=added_rows if version > 2 else None,
        )
        return json.bytes_of(snapshot_json(snapshot)) + self.between
