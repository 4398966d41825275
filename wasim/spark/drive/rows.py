"""A case's table and rows in Spark SQL: CREATE TABLE, and expressions over `value`, the row number.

Everything is derived from the row number, the seed and the column's place, so that every writer writes the same rows.
"""

from collections.abc import Mapping

from wasim.iceberg.properties import FORMAT_VERSION, WRITE_DISTRIBUTION_MODE
from wasim.iceberg.schemas import decimal_digits
from wasim.iceberg.sql import literal
from wasim.scenario import Case
from wasim.scenario.parts import Columns, PartitionField, Table
from wasim.scenario.settings import whole_paths

EPOCH_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z: event time starts at a whole day

_SPARK_TYPES = {"long": "bigint", "timestamp": "timestamp_ntz", "timestamptz": "timestamp"}
_TIME_TRANSFORMS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


def spark_type(column: Columns) -> str:
    """A column's type in Spark SQL: `long` → `bigint`, what is nested included."""
    parts = [spark_type(part) for part in column.parts]
    if column.container == "struct":
        return f"struct<{', '.join(f'`{part.name}`: {kind}' for part, kind in zip(column.parts, parts, strict=True))}>"
    if column.container is not None:
        return f"{'array' if column.container == 'list' else 'map'}<{', '.join(parts)}>"
    return _SPARK_TYPES.get(column.type, column.type)


def places_of(table: Table) -> dict[str, int]:
    """The place of each column, by its name."""
    return {column.name: place for place, column in enumerate(table.all_columns)}


def select_list(
    case: Case, table: Table, places: Mapping[str, int], *, version: int = 0, late_s: float = 0.0
) -> list[str]:
    """One SQL expression per column of the table as it then is, over a frame with the bigint column `value`. What a
    column holds depends on its place at first, by its name, wherever it now stands.

    Another `version` gives other values to all columns but a row's number, time and rotating partition. Rows with
    negative numbers, which merges insert, arrive at `late_s` of event time.
    """
    expressions = []
    for column in table.all_columns:
        place = places[column.name]
        if column.name == table.key_column:
            expression = "value"
        elif column.name == table.time_column:
            late_us = EPOCH_US + round(late_s * 1e6)
            expression = event_time(case)
            if late_s:
                expression = f"CASE WHEN value < 0 THEN timestamp_micros({late_us}) ELSE {expression} END"
            expression = f"CAST({expression} AS {spark_type(column)})"
        elif place == case.rotating_place:
            expression = _value_of(column, _rotating_key(case, column), f"{place}")
        else:
            expression = column_value(column, case.seed + version, f"{place}")
        expressions.append(f"{expression} AS `{column.name}`")
    return expressions


def event_time(case: Case) -> str:
    """SQL for a row's event time: rows arrive evenly, as many in each commit interval as a commit brings new ones."""
    us_per_row = case.commit_interval_s * 1e6 / (case.rows_per_commit - case.replaced_rows_per_commit)
    return f"timestamp_micros({EPOCH_US} + CAST(floor(value * {us_per_row!r}D) AS BIGINT))"


def _rotating_key(case: Case, column: Columns) -> str:
    per_commit = case.workload.partitions_per_commit
    commit = f"(value div {case.rows_per_commit})"
    return f"pmod({commit} * {per_commit} + pmod(value, {per_commit}), {column.values})"


def column_value(column: Columns, seed: int, salt: str, row: str = "value", *, is_item: bool = False) -> str:
    """SQL for a column's value in the row whose number `row` gives; for that of the item `i` of a list or a map."""
    if column.container == "struct":
        pairs = (
            f"'{f.name}', {column_value(f, seed, f'{salt}.{i}', row, is_item=is_item)}"
            for i, f in enumerate(column.parts)
        )
        return f"named_struct({', '.join(pairs)})"
    if column.container is not None:
        value = column_value(column.parts[-1], seed, f"{salt}.{len(column.parts) - 1}", row, is_item=True)
        values = _items(column, value)
        if column.container == "list":
            return values
        keys = _items(column, _value_of(column.parts[0], "CAST(i AS BIGINT)", f"{salt}.0"))
        return f"map_from_arrays({keys}, {values})"
    # the salt is hashed as text: nested fields have places such as 4.1
    place = f"concat('{salt}.', i)" if is_item else f"'{salt}'"
    key = f"pmod(xxhash64({row}, {seed}, {place}), {column.values or 2**62})"
    return _value_of(column, key, salt)


def _items(column: Columns, value: str) -> str:
    """SQL for the array of a value's items, numbered `i` from 0."""
    return f"transform(sequence(0, {column.items - 1}), i -> {value})"


def _value_of(column: Columns, key: str, salt: str) -> str:
    """SQL for a value of the column's type that depends on `key`, a non-negative bigint, alone."""
    if digits := decimal_digits(column.type):
        return _decimal(f"({key} % {10 ** min(digits[0], 18)})", *digits)
    digest = f"sha2(concat({key}, '/{salt}'), 256)"
    text = f"substring(repeat({digest}, {-(-column.length // 64)}), 1, {column.length})"
    simple = {
        "boolean": f"({key} % 2 = 0)",
        "int": f"CAST({key} % 2147483647 AS INT)",
        "long": key,
        "float": f"CAST({key} / 4611686018427387904D AS FLOAT)",
        "double": f"({key} / 4611686018427387904D)",
        "date": f"date_add(DATE'2026-01-01', CAST({key} % 3650 AS INT))",
        "timestamp": f"CAST(timestamp_micros({EPOCH_US} + {key} % 315360000000000) AS TIMESTAMP_NTZ)",
        "timestamptz": f"timestamp_micros({EPOCH_US} + {key} % 315360000000000)",
        "string": text,
        "binary": f"unhex(substring(repeat({digest}, {-(-column.length // 32)}), 1, {2 * column.length}))",
    }
    return simple[column.type]


def _decimal(unscaled: str, precision: int, scale: int) -> str:
    """SQL for the decimal with this unscaled value. By its digits: Spark's division keeps six of them and no more."""
    if scale == 0:
        digits = f"CAST({unscaled} AS STRING)"
    elif scale > 18:  # beyond any bigint
        digits = f"concat('0.', lpad(CAST({unscaled} AS STRING), {scale}, '0'))"
    else:
        fraction = f"lpad(CAST({unscaled} % {10**scale} AS STRING), {scale}, '0')"
        digits = f"concat({unscaled} div {10**scale}, '.', {fraction})"
    return f"CAST({digits} AS DECIMAL({precision}, {scale}))"


def create_table_sql(case: Case, name: str, location: str) -> str:
    """The CREATE TABLE statement of the case's table under `name`, which its catalog will put at `location`."""
    columns = ", ".join(
        f"`{column.name}` {spark_type(column)}{' NOT NULL' if column.required else ''}"
        for column in case.table.all_columns
    )
    partitions = ", ".join(partition_sql(field) for field in case.table.partition_by)
    properties = {
        FORMAT_VERSION: str(case.table.format_version),
        WRITE_DISTRIBUTION_MODE: case.workload.distribution_mode,
        **case.change_modes,
        **whole_paths(case.table.properties, location),
    }
    listed = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in properties.items())
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
