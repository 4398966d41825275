"""Reader Iceberg Java in distributed planning mode: Spark's executors read the manifests, the driver collects."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from wasim.ledger.readers import ICEBERG_JAVA_DISTRIBUTED
from wasim.spark import Session
from wasim.spark.probe.iceberg_java import PlanningTable
from wasim.spark.probe.queries import Query
from wasim.spark.probe.reader import ScanPlan

_MODES = ("spark.sql.iceberg.data-planning-mode", "spark.sql.iceberg.delete-planning-mode")


class DistributedPlanningTable:
    """The table of a PlanningTable, planned by Spark's distributed scan whatever mode the table itself asks for."""

    name = ICEBERG_JAVA_DISTRIBUTED
    variant = ""
    loads_apart = True

    def __init__(self, planning: PlanningTable, session: Session) -> None:
        self._planning, self._session = planning, session
        self._is_local = str(session.spark.sparkContext.master).startswith("local")

    def asks(self, query: Query) -> bool:
        """Every query."""
        return True

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
