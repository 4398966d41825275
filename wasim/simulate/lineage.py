"""The columns that v3 adds to files of rows which other files held before: each row's id, and when it last changed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.simulate.bounds import single_value
from wasim.simulate.row_sets import INHERITED, RowSet
from wasim.units import Ints

ROW_ID, CHANGED_AT_ID = 2147483540, 2147483539  # of the columns _row_id and _last_updated_sequence_number
_PAGE_BYTES = 41.0  # of a column that holds nothing but null
FOOTER_BYTES = 300

Value = TypeVar("Value", int, bytes)


def with_lineage(file: DataFileEntry, rows: RowSet) -> DataFileEntry:
    """The entry of a file that holds these columns too."""
    columns = {ROW_ID: rows.row_ids, CHANGED_AT_ID: rows.changed_at}
    told = {number: values[values != INHERITED] for number, values in columns.items()}
    sizes = {number: _column_bytes(values) for number, values in told.items()}
    lower = {number: single_value("long", int(values.min())) for number, values in told.items() if len(values)}
    upper = {number: single_value("long", int(values.max())) for number, values in told.items() if len(values)}
    return replace(
        file,
        file_size_bytes=file.file_size_bytes + sum(sizes.values()) + FOOTER_BYTES,
        column_sizes=_joined(file.column_sizes, sizes),
        value_counts=_joined(file.value_counts, dict.fromkeys(columns, len(rows))),
        null_value_counts=_joined(
            file.null_value_counts, {number: len(rows) - len(values) for number, values in told.items()}
        ),
        lower_bounds=_joined(file.lower_bounds, lower),
        upper_bounds=_joined(file.upper_bounds, upper),
    )


def _column_bytes(values: Ints) -> int:
    """Measured on TODO."""
    return round(_PAGE_BYTES + (8 if len(values) else 0) + 1.1 * len(np.unique(values)))


def _joined(values: Mapping[int, Value] | None, more: Mapping[int, Value]) -> dict[int, Value]:
    both = {**(values or {}), **more}
    return {key: both[key] for key in java_map_order(sorted(both))}
