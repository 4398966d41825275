"""Readers by name, and what the times of each one hold: no two of them start and stop at the same place."""

from dataclasses import dataclass

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
