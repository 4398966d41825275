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

# Measured on files of 10 … 590 rows: a column of nothing but null; then what is told of rows, by column.
_NULLS_BYTES = 41
_PAGES_BYTES = 41
_ID_BYTES, _BYTES_PER_ID = 29, 1.1  # numbers mostly in sequence, as event_id's
_FOOTER_BYTES, _FOOTER_BYTES_OF_BOUNDS = 520, 63  # and where the column has bounds

Value = TypeVar("Value", int, bytes)


def with_lineage(file: DataFileEntry, rows: RowSet) -> DataFileEntry:
    """The entry of a file that holds these columns too."""
    columns = {ROW_ID: rows.row_ids, CHANGED_AT_ID: rows.changed_at}
    told = {number: values[values != INHERITED] for number, values in columns.items()}
    sizes = {ROW_ID: _id_bytes(told[ROW_ID]), CHANGED_AT_ID: _change_bytes(told[CHANGED_AT_ID])}
    lower = {number: single_value("long", int(values.min())) for number, values in told.items() if len(values)}
    upper = {number: single_value("long", int(values.max())) for number, values in told.items() if len(values)}
    footer_bytes = _FOOTER_BYTES + _FOOTER_BYTES_OF_BOUNDS * len(lower)
    return replace(
        file,
        file_size_bytes=file.file_size_bytes + sum(sizes.values()) + footer_bytes,
        column_sizes=_joined(file.column_sizes, sizes),
        value_counts=_joined(file.value_counts, dict.fromkeys(columns, len(rows))),
        null_value_counts=_joined(
            file.null_value_counts, {number: len(rows) - len(values) for number, values in told.items()}
        ),
        lower_bounds=_joined(file.lower_bounds, lower),
        upper_bounds=_joined(file.upper_bounds, upper),
    )


def _id_bytes(told: Ints) -> int:
    return _NULLS_BYTES + (round(_ID_BYTES + _BYTES_PER_ID * len(told)) if len(told) else 0)


def _change_bytes(told: Ints) -> int:
    """A dictionary of few numbers, and for each row its place there."""
    distinct = len(np.unique(told))
    index_bits = (distinct - 1).bit_length() if distinct else 0
    return _NULLS_BYTES + (round(_PAGES_BYTES + distinct + len(told) * index_bits / 8) if distinct else 0)


def _joined(values: Mapping[int, Value] | None, more: Mapping[int, Value]) -> dict[int, Value]:
    both = {**(values or {}), **more}
    return {key: both[key] for key in java_map_order(sorted(both))}
