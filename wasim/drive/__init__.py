"""Engine `spark`: carries out steps on real Spark and real Iceberg tables."""

from wasim.drive.appends import Appender, Target, append_batch, open_appender
from wasim.drive.rows import TABLE_NAME
from wasim.drive.table import create_table_sql

__all__ = ["TABLE_NAME", "Appender", "Target", "append_batch", "create_table_sql", "open_appender"]
