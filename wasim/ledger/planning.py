"""What was seen when a query was planned: the record of a probe, whatever reader made it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wasim.units import Floats

FULL_SCAN = "full_scan"
LEAST_ROUNDS_FOR_A_PERCENTILE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningProbe:
    """One query planned for some rounds after some commit. All times in milliseconds, one element per round.

    What `load_ms` and `planning_ms` hold is the reader's: see `wasim.ledger.readers`; `load_ms` is empty where a reader
    has no load apart from planning. `execution_ms` is the rest of the query on Spark, never mixed with the two (empty
    when not measured). Counts are the last round's, and None where the reader lets nobody see them.
    """

    after_commit: int
    query: str  # full_scan | one_partition | statistics
    temperature: str  # warm: same process; cold: a fresh process
    reader: str
    variant: str  # what was switched on or off in the reader, such as "manifest cache on"; empty: as it comes
    load_ms: Floats
    planning_ms: Floats
    execution_ms: Floats
    manifests_total: int
    manifests_scanned: int | None
    manifests_skipped: int | None
    manifests_opened: int | None  # read from storage, not from a cache; of deletes too
    files_planned: int | None
    files_skipped: int | None  # entries that partitions or statistics ruled out
    snapshots: int
    metadata_json_bytes: int

    @property
    def together_ms(self) -> Floats:
        """Load and planning together, per round."""
        return self.load_ms + self.planning_ms if len(self.load_ms) == len(self.planning_ms) else self.planning_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryScan:
    """The table's data files found by listing directories, without metadata, for some rounds after some commit."""

    after_commit: int
    list_calls: int  # one for each directory, as on a local disk; per 1,000 objects on S3
    files: int
    scan_ms: Floats


def of_first_reader(probes: Sequence[PlanningProbe]) -> tuple[PlanningProbe, ...]:
    """The probes of the reader that the scenario names first, in its first variant: figures that name none are its."""
    return tuple(probe for probe in probes if (probe.reader, probe.variant) == (probes[0].reader, probes[0].variant))


def percentile_ms(rounds_ms: Floats, percent: float) -> float | None:
    """A percentile in milliseconds; None below 20 rounds, where a tail would be a guess."""
    enough = len(rounds_ms) >= LEAST_ROUNDS_FOR_A_PERCENTILE
    return float(np.percentile(rounds_ms, percent)) if enough else None
