"""What was seen when a query was planned: the record of a probe, whatever reader made it."""

from dataclasses import dataclass

import numpy as np

from wasim.units import Floats

FULL_SCAN = "full_scan"
LEAST_ROUNDS_FOR_A_PERCENTILE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningProbe:
    """One query planned for some rounds after some commit. All times in milliseconds, one element per round.

    `load_ms` is reading metadata.json through the catalog; `planning_ms` Iceberg's ScanReport total planning duration;
    `execution_ms` the rest of the query on Spark, never mixed with the two (empty when not measured).
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


def percentile_ms(rounds_ms: Floats, percent: float) -> float | None:
    """A percentile in milliseconds; None below 20 rounds, where a tail would be a guess."""
    enough = len(rounds_ms) >= LEAST_ROUNDS_FOR_A_PERCENTILE
    return float(np.percentile(rounds_ms, percent)) if enough else None
