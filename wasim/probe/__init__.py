"""Planning latency, apart from execution: table load and scan planning, warm and cold, one module per reader."""

from wasim.probe.iceberg_java import ICEBERG_JAVA, PlanningTable, Round, ScanPlan, open_planning_table, probe_cold
from wasim.probe.queries import Predicate, Query, execution_ms, queries

__all__ = [
    "ICEBERG_JAVA",
    "PlanningTable",
    "Predicate",
    "Query",
    "Round",
    "ScanPlan",
    "execution_ms",
    "open_planning_table",
    "probe_cold",
    "queries",
]
