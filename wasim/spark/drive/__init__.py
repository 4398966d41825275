"""Engines `spark` and `core`: a case's steps carried out on real Iceberg tables, with and without their data."""

from wasim.spark.drive.appends import open_appender
from wasim.spark.drive.batch import append_batch
from wasim.spark.drive.core import CoreAppender, DataSource, Described
from wasim.spark.drive.engine import Appender, Crew, Engine, Operation, Target, carry_out_steps
from wasim.spark.drive.listing import Listed, Listing
from wasim.spark.drive.operations import operate
from wasim.spark.drive.rows import TABLE_NAME
from wasim.spark.drive.table import create_table_sql

__all__ = [
    "TABLE_NAME",
    "Appender",
    "CoreAppender",
    "Crew",
    "DataSource",
    "Described",
    "Engine",
    "Listed",
    "Listing",
    "Operation",
    "Target",
    "append_batch",
    "carry_out_steps",
    "create_table_sql",
    "open_appender",
    "operate",
]
