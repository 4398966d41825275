"""Reader Iceberg Java: table load and scan planning as its own ScanReport times them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from wasim.ledger.readers import ICEBERG_JAVA, ICEBERG_JAVA_DISTRIBUTED
from wasim.spark import Catalog, Session
from wasim.spark.probe.reader import Query, Reader, ScanPlan, TableState
from wasim.spark.recorder import java_map

MANIFEST_CACHE = "manifest cache on"  # off is how Iceberg comes


class PlanningTable(Reader):
    """A table seen through Iceberg's Java library, by a catalog of its own: nothing is cached between loads.

    With `caches_manifests`, Iceberg keeps what it reads of manifests and lists for as long as this is open.
    """

    name = ICEBERG_JAVA

    def __init__(self, jvm: Any, catalog: Catalog, table_name: str, *, caches_manifests: bool = False) -> None:
        self.variant = MANIFEST_CACHE if caches_manifests else ""
        self._jvm = jvm
        self._count = jvm.wasim.recorder.CountingFiles.manifestsOpened
        properties = java_map(jvm, _counted(catalog.properties(), caches_manifests=caches_manifests))
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        self._catalog = jvm.org.apache.iceberg.CatalogUtil.buildIcebergCatalog(catalog.name, properties, configuration)
        self._delete_bytes = jvm.wasim.recorder.LiveFiles.deleteBytes
        self._size_of = jvm.org.apache.iceberg.relocated.com.google.common.collect.Iterables.size
        self._identifier = jvm.org.apache.iceberg.catalog.TableIdentifier.parse(table_name)

    def register(self, metadata_location: str) -> None:
        """Names the table by its metadata.json, for a catalog whose names ended with the JVM that gave them."""
        self._catalog.registerTable(self._identifier, metadata_location)

    def forget(self) -> None:
        """Takes the table's name out of the catalog, if it is there; its files stay."""
        self._catalog.dropTable(self._identifier, False)

    def load(self) -> Any:
        """The table, its metadata.json just read."""
        return self._catalog.loadTable(self._identifier)

    def plan(self, table: Any, query: Query) -> ScanPlan:
        """Plans `query` over a loaded table to its last task, inside the JVM."""
        return self.plan_scan(table.newScan(), query)

    def plan_scan(self, scan: Any, query: Query) -> ScanPlan:
        """Plans `query` with a scan that reads everything so far."""
        metrics = self._jvm.org.apache.iceberg.metrics.InMemoryMetricsReporter()
        scan = scan.metricsReporter(metrics)
        if query.predicate is not None:
            build = getattr(self._jvm.org.apache.iceberg.expressions.Expressions, query.predicate.comparison)
            scan = scan.filter(build(query.predicate.column, query.predicate.value))
        opened_before = self._count()
        tasks = scan.planFiles()
        # drained where it is: a call per task over py4j would be timed as planning
        self._size_of(tasks)
        tasks.close()
        seen = metrics.scanReport().scanMetrics()
        return ScanPlan(
            planning_ms=seen.totalPlanningDuration().totalDuration().toNanos() / 1e6,
            manifests_opened=int(self._count() - opened_before),
            manifests_scanned=int(seen.scannedDataManifests().value()),
            manifests_skipped=int(seen.skippedDataManifests().value()),
            files=int(seen.resultDataFiles().value()),
            files_skipped=int(seen.skippedDataFiles().value()),
        )

    def state(self) -> TableState:
        """What the table now is."""
        table = self.load()
        location, snapshot = table.operations().current().metadataFileLocation(), table.currentSnapshot()
        return TableState(
            metadata_location=str(location),
            metadata_json_bytes=int(table.io().newInputFile(location).getLength()),
            snapshots=int(self._size_of(table.snapshots())),
            manifests=int(self._size_of(snapshot.dataManifests(table.io()))) if snapshot else 0,
        )

    def live_manifests(self, table: Any) -> tuple[int, int, int]:
        """Bytes of the current manifest list, of the live data manifests and of the live delete manifests."""
        snapshot, io = table.currentSnapshot(), table.io()
        return (
            int(io.newInputFile(snapshot.manifestListLocation()).getLength()),
            sum(int(manifest.length()) for manifest in snapshot.dataManifests(io)),
            sum(int(manifest.length()) for manifest in snapshot.deleteManifests(io)),
        )

    def live_files(self, table: Any) -> tuple[int, int]:
        """Bytes of the data files and of the delete files that the current snapshot reaches."""
        deletes, counted = self._delete_bytes(table)
        return int(table.currentSnapshot().summary().get("total-files-size")) - int(counted), int(deletes)

    def close(self) -> None:
        """Closes the catalog's connections."""
        self._catalog.close()


def _counted(properties: dict[str, str], *, caches_manifests: bool) -> dict[str, str]:
    """The catalog's properties with a FileIO around its own that counts the manifests opened."""
    return {
        **properties,
        "io-impl": "wasim.recorder.CountingFiles",
        "wasim.counted-io-impl": properties.get("io-impl", "org.apache.iceberg.hadoop.HadoopFileIO"),
        "io.manifest.cache-enabled": str(caches_manifests).lower(),
    }


@contextmanager
def open_planning_table(
    jvm: Any, catalog: Catalog, table_name: str, *, caches_manifests: bool = False
) -> Iterator[PlanningTable]:
    """A PlanningTable for the block."""
    table = PlanningTable(jvm, catalog, table_name, caches_manifests=caches_manifests)
    try:
        yield table
    finally:
        table.close()


_MODES = ("spark.sql.iceberg.data-planning-mode", "spark.sql.iceberg.delete-planning-mode")


class DistributedPlanningTable(Reader):
    """The table of a PlanningTable, planned by Spark's distributed scan whatever mode the table itself asks for."""

    name = ICEBERG_JAVA_DISTRIBUTED

    def __init__(self, planning: PlanningTable, session: Session) -> None:
        self._planning, self._session = planning, session
        self._is_local = str(session.spark.sparkContext.master).startswith("local")

    def load(self) -> Any:
        """The table, its metadata.json just read."""
        return self._planning.load()

    def plan(self, table: Any, query: Query) -> ScanPlan:
        """Plans `query` in a Spark job; manifests that executors in other processes open go uncounted."""
        java, spark = self._session.jvm, self._session.spark._jsparkSession
        settings = java.org.apache.iceberg.spark.SparkReadConf(spark, table)
        with _distributed(self._session):
            scan = java.org.apache.iceberg.SparkDistributedDataScan(spark, table, settings)
            plan = self._planning.plan_scan(scan, query)
        return plan if self._is_local else replace(plan, manifests_opened=None)


@contextmanager
def _distributed(session: Session) -> Iterator[None]:
    """Spark's session asks for distributed planning in the block only: the bench's other queries plan as ever."""
    for mode in _MODES:
        session.spark.conf.set(mode, "distributed")
    try:
        yield
    finally:
        for mode in _MODES:
            session.spark.conf.unset(mode)
