"""Planning latency, apart from execution: table load and scan planning, warm and cold, one function per reader."""

from dataclasses import dataclass

from wasim.units import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningProbe:
    """One query planned for some rounds after some commit. All times in milliseconds, one element per round.

    `load_ms` is reading metadata.json; `planning_ms` Iceberg's ScanReport total planning duration; `execution_ms` the rest of
    the query on Spark, never mixed with the two (empty when not measured).
    """

    after_commit: int
    query: str  # full_scan | one_partition | statistics
    temperature: str  # warm: same process; cold: a fresh process
    reader: str
    load_ms: Floats
    planning_ms: Floats
    execution_ms: Floats
    manifests_total: int
    manifests_scanned: int
    manifests_skipped: int
    files_planned: int
    snapshots: int
    metadata_json_bytes: int
