"""A writer's trigger as the interval that it comes to, as rows arrive evenly."""

from collections.abc import Iterator
from math import ceil

from wasim.iceberg.properties import TableProperties
from wasim.rules.trigger import first_s
from wasim.scenario.parts import Columns, Table, Trigger

_WIDTHS = {"boolean": 1, "int": 4, "float": 4, "date": 4}
_WIDEST = 8
_DECIMAL = 16
LEAST_S = 0.001  # intervals are whole milliseconds


def row_bytes(table: Table) -> float:
    """Bytes of a row before it is written: the widths of its columns, a string's or a binary's its length."""
    return float(sum(_width(column) for column in table.all_columns))


def _width(column: Columns) -> int:
    if column.fields:
        return sum(_width(field) for one in column.fields for field in one.each)
    if column.type in ("string", "binary"):
        return column.length
    return _DECIMAL if column.type.startswith("decimal") else _WIDTHS.get(column.type, _WIDEST)


def triggers_s(trigger: Trigger, table: Table, rows_per_second: float) -> Iterator[tuple[str, float]]:
    """After how many seconds each part of a trigger would fire alone, by its name."""
    target = TableProperties.read_leniently(table.properties).write_target_file_size_bytes
    per_second = rows_per_second * (trigger.row_bytes or row_bytes(table))
    counts = {
        "rows": (trigger.rows, rows_per_second),
        "bytes": (trigger.bytes, per_second),
        "files": (trigger.files and trigger.files * target, per_second),
    }
    yield from ((name, count / rate) for name, (count, rate) in counts.items() if count is not None)


def triggered_s(interval_s: float, trigger: Trigger | None, table: Table, rows_per_second: float) -> float:
    """Seconds between two commits, in whole milliseconds: the interval unless a part of the trigger fires first."""
    if trigger is None:
        return interval_s
    parts = [(seconds, 1.0) for _, seconds in triggers_s(trigger, table, rows_per_second)]
    return max(LEAST_S, min(interval_s, ceil(first_s(interval_s, parts) * 1000) / 1000))
