"""Engine `spark`: carries out steps on real Spark and real Iceberg tables."""

from wasim.drive.appends import Appender, Target, open_appender
from wasim.drive.queries import execution_ms, queries
from wasim.drive.rows import TABLE_NAME
from wasim.drive.table import create_table_sql

__all__ = ["TABLE_NAME", "Appender", "Target", "create_table_sql", "execution_ms", "open_appender", "queries"]
