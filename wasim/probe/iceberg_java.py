"""Reader Iceberg Java: table load and scan planning as its own ScanReport times them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wasim.ledger import FULL_SCAN, PlanningProbe
from wasim.probe.queries import Query
from wasim.spark import Catalog, MemoryCatalog, short_lived_jvm

ICEBERG_JAVA = "iceberg-java"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPlan:
    """What Iceberg's ScanReport says of one planned scan."""

    planning_ms: float
    manifests_total: int
    manifests_scanned: int
    manifests_skipped: int
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One table load and the plan made on what it loaded."""

    load_ms: float
    plan: ScanPlan


class PlanningTable:
    """A table seen through Iceberg's Java library, by a catalog of its own: nothing is cached between loads."""

    def __init__(self, jvm: Any, catalog: Catalog, table_name: str) -> None:
        self._jvm = jvm
        properties = jvm.java.util.HashMap()
        for key, value in catalog.properties().items():
            properties.put(key, value)
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        self._catalog = jvm.org.apache.iceberg.CatalogUtil.buildIcebergCatalog(catalog.name, properties, configuration)
        self._size_of = jvm.org.apache.iceberg.relocated.com.google.common.collect.Iterables.size
        self._identifier = jvm.org.apache.iceberg.catalog.TableIdentifier.parse(table_name)

    def metadata_location(self) -> str:
        """Where the table's current metadata.json is."""
        return str(self.load().operations().current().metadataFileLocation())

    def register(self, metadata_location: str) -> None:
        """Names the table by its metadata.json, for a catalog whose names ended with the JVM that gave them."""
        self._catalog.registerTable(self._identifier, metadata_location)

    def forget(self) -> None:
        """Takes the table's name out of the catalog, if it is there; its files stay."""
        self._catalog.dropTable(self._identifier, False)

    def load(self) -> Any:
        """The table, its metadata.json just read."""
        return self._catalog.loadTable(self._identifier)

    def timed_load(self) -> tuple[Any, float]:
        """The table and the milliseconds that loading it took."""
        started_s = time.perf_counter()
        table = self.load()
        return table, (time.perf_counter() - started_s) * 1e3

    def plan(self, table: Any, query: Query) -> ScanPlan:
        """Plans `query` over a loaded table to its last task, inside the JVM."""
        metrics = self._jvm.org.apache.iceberg.metrics.InMemoryMetricsReporter()
        scan = table.newScan().metricsReporter(metrics)
        if query.predicate is not None:
            build = getattr(self._jvm.org.apache.iceberg.expressions.Expressions, query.predicate.comparison)
            scan = scan.filter(build(query.predicate.column, query.predicate.value))
        tasks = scan.planFiles()
        # drained where it is: a call per task over py4j would be timed as planning
        self._size_of(tasks)
        tasks.close()
        seen = metrics.scanReport().scanMetrics()
        return ScanPlan(
            planning_ms=seen.totalPlanningDuration().totalDuration().toNanos() / 1e6,
            manifests_total=int(seen.totalDataManifests().value()),
            manifests_scanned=int(seen.scannedDataManifests().value()),
            manifests_skipped=int(seen.skippedDataManifests().value()),
            files=int(seen.resultDataFiles().value()),
        )

    def describe(self, table: Any) -> tuple[int, int]:
        """Snapshots retained, and bytes of the current metadata.json."""
        location = table.operations().current().metadataFileLocation()
        size = table.io().newInputFile(location).getLength()
        return int(self._size_of(table.snapshots())), int(size)

    def probe(self, query: Query, rounds: Sequence[Round], *, after_commit: int, temperature: str) -> PlanningProbe:
        """The record of a query's rounds on the table as it now is; counts are those of the last round."""
        snapshots, json_bytes = self.describe(self.load())
        plan = rounds[-1].plan
        return PlanningProbe(
            after_commit=after_commit,
            query=query.name,
            temperature=temperature,
            reader=ICEBERG_JAVA,
            load_ms=np.array([each.load_ms for each in rounds]),
            planning_ms=np.array([each.plan.planning_ms for each in rounds]),
            execution_ms=np.empty(0),
            manifests_total=plan.manifests_total,
            manifests_scanned=plan.manifests_scanned,
            manifests_skipped=plan.manifests_skipped,
            files_planned=plan.files,
            snapshots=snapshots,
            metadata_json_bytes=json_bytes,
        )

    def live_manifests(self, table: Any) -> tuple[int, int, int]:
        """Bytes of the current manifest list, of the live data manifests and of the live delete manifests."""
        snapshot, io = table.currentSnapshot(), table.io()
        return (
            int(io.newInputFile(snapshot.manifestListLocation()).getLength()),
            sum(int(manifest.length()) for manifest in snapshot.dataManifests(io)),
            sum(int(manifest.length()) for manifest in snapshot.deleteManifests(io)),
        )

    def live_data_bytes(self, table: Any) -> int:
        """Bytes of the data and delete files that the current snapshot reaches, as its summary says."""
        return int(table.currentSnapshot().summary().get("total-files-size"))

    def close(self) -> None:
        """Closes the catalog's connections."""
        self._catalog.close()


@contextmanager
def open_planning_table(jvm: Any, catalog: Catalog, table_name: str) -> Iterator[PlanningTable]:
    """A PlanningTable for the block."""
    table = PlanningTable(jvm, catalog, table_name)
    try:
        yield table
    finally:
        table.close()


def probe_cold(
    jars: Sequence[Path], catalog: Catalog, table_name: str, after_commit: int, *, metadata_location: str
) -> PlanningProbe:
    """The full scan planned once in a fresh JVM: no class, no table, no connection is warm (the page cache may be).

    `metadata_location` is what a catalog in memory, which ended with its JVM, is told anew.
    """
    with (
        short_lived_jvm(jars) as gateway,
        open_planning_table(gateway.jvm, catalog, table_name) as planning,
    ):
        if isinstance(catalog, MemoryCatalog):
            planning.register(metadata_location)
        table, load_ms = planning.timed_load()
        query = Query(name=FULL_SCAN)
        rounds = [Round(load_ms=load_ms, plan=planning.plan(table, query))]
        return planning.probe(query, rounds, after_commit=after_commit, temperature="cold")
