"""A case's steps carried out on real Iceberg tables, and engine `spark`, which writes their data."""

from wasim.scenario.settings import TABLE_NAME
from wasim.spark.drive.appends import append_batch
from wasim.spark.drive.engine import Engine, EngineSession, Operation, Target, carry_out_steps
from wasim.spark.drive.operations import SPARK, operate, refuse_other_writers
from wasim.spark.drive.rows import create_table_sql
