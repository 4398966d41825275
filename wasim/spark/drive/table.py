"""CREATE TABLE as a scenario describes it, in Spark SQL."""

from wasim.iceberg.properties import FORMAT_VERSION, WRITE_DISTRIBUTION_MODE
from wasim.scenario import Case
from wasim.scenario.parts import Columns, PartitionField
from wasim.scenario.paths import whole_paths
from wasim.spark.drive.rows import spark_type

_TIME_TRANSFORMS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


def create_table_sql(case: Case, name: str, location: str) -> str:
    """The CREATE TABLE statement of the case's table under `name`, which its catalog will put at `location`."""
    columns = ", ".join(_column_sql(column) for column in case.table.all_columns)
    partitions = ", ".join(partition_sql(field) for field in case.table.partition_by)
    properties = {
        FORMAT_VERSION: str(case.table.format_version),
        WRITE_DISTRIBUTION_MODE: case.workload.distribution_mode,
        **case.change_modes,
        **whole_paths(case.table.properties, location),
    }
    listed = ", ".join(f"{quoted(key)} = {quoted(value)}" for key, value in properties.items())
    partitioned = f" PARTITIONED BY ({partitions})" if partitions else ""
    return f"CREATE TABLE {name} ({columns}) USING iceberg{partitioned} TBLPROPERTIES ({listed})"


def partition_sql(field: PartitionField) -> str:
    """A partition field as Spark SQL writes its transform."""
    column, transform = f"`{field.column}`", field.transform
    if transform == "identity":
        return column
    if transform in _TIME_TRANSFORMS:
        return f"{_TIME_TRANSFORMS[transform]}({column})"
    name, width = transform.rstrip("]").split("[")
    return f"{name}({width}, {column})"


def _column_sql(column: Columns) -> str:
    return f"`{column.name}` {spark_type(column)}{' NOT NULL' if column.required else ''}"


def quoted(text: str) -> str:
    """Text as a string literal of Spark SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
