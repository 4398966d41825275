"""Readers by name, what the times of each one hold, and the plans of scans that they measured."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wasim.units import Floats

FULL_SCAN = "full_scan"
LEAST_FOR_A_PERCENTILE = 20  # times, that the 95th is more than their maximum


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


def warm_full_scans(probes: Sequence[PlanningProbe]) -> tuple[PlanningProbe, ...]:
    """Warm probes of the full scan by the first reader, in the order measured."""
    first = of_first_reader(probes)
    return tuple(probe for probe in first if probe.query == FULL_SCAN and probe.temperature == "warm")


def of_first_reader(probes: Sequence[PlanningProbe]) -> tuple[PlanningProbe, ...]:
    """The probes of the reader that the scenario names first, in its first variant: figures that name none are its."""
    return tuple(probe for probe in probes if (probe.reader, probe.variant) == (probes[0].reader, probes[0].variant))


def percentile_ms(rounds_ms: Floats, percent: float) -> float | None:
    """A percentile in milliseconds; None below 20 rounds, where a tail would be a guess."""
    enough = len(rounds_ms) >= LEAST_FOR_A_PERCENTILE
    return float(np.percentile(rounds_ms, percent)) if enough else None


ICEBERG_JAVA = "iceberg_java"
ICEBERG_JAVA_DISTRIBUTED = "iceberg_java_distributed"
PYICEBERG = "pyiceberg"
CLICKHOUSE = "clickhouse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """What a reader's times hold, in words for a report, and how it is known what it opened."""

    brief: str  # for a chart: what its time holds, in a line
    load: str  # empty: it has no load apart from planning
    planning: str
    opened: str


_JAVA_LOAD = "the catalog's pointer, and metadata.json read and parsed, by a call from outside the JVM"
_JAVA_OPENED = "counted by a FileIO around the table's own"
BOUNDARIES = {
    ICEBERG_JAVA: Boundary(
        brief="catalog, metadata.json; planning in the JVM",
        load=_JAVA_LOAD,
        planning="manifest list and manifests read, a task made of every file; Iceberg's own clock inside the JVM, "
        "its ScanReport's total planning duration",
        opened=_JAVA_OPENED,
    ),
    ICEBERG_JAVA_DISTRIBUTED: Boundary(
        brief="the same, with a Spark job to read manifests",
        load=_JAVA_LOAD,
        planning="as iceberg_java, but a Spark job reads the manifests, one task each, and its results travel to the "
        "driver: the job's scheduling is in it; the same clock",
        opened=f"{_JAVA_OPENED}, in a local Spark; on a cluster executors count where it is not seen",
    ),
    PYICEBERG: Boundary(
        brief="metadata.json, no catalog; plan_files in Python",
        load="metadata.json read and parsed, its path being known: no catalog is asked",
        planning="manifest list and manifests read, a task made of every file; Python's clock around plan_files",
        opened="counted by a FileIO around pyiceberg's own",
    ),
    CLICKHOUSE: Boundary(
        brief="a whole count(): all that the query takes",
        load="",
        planning="a whole count() query, by a clock in ClickHouse's own process: SQL parsed, the metadata folder "
        "listed for its newest metadata.json, that, manifest list and manifests read; without a predicate the count is "
        "in the manifests, with one the data files that are left are read too",
        opened="the kernel's notes of files opened in the metadata folder (inotify; on Linux only)",
    ),
}
