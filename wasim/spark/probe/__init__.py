"""Planning latency, apart from execution: table load and scan planning, warm and cold, one module per reader."""

from wasim.spark.probe.cold import ColdTable, probe_cold
from wasim.spark.probe.iceberg_java import PlanningTable, open_planning_table
from wasim.spark.probe.reader import (
    Occasion,
    Predicate,
    Query,
    Reader,
    Round,
    ScanPlan,
    TableState,
    execution_ms,
    probe_of,
    queries,
    timed_load,
)
from wasim.spark.probe.readers import Planned, Probed, check_readers, list_data_files, open_readers, plans
