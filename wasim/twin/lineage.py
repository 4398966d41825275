"""The two lineage columns of v3 files whose rows are rewritten: each row's id, and the commit that last changed it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.schemas import NestedField, Schema, primitive_type
from wasim.twin.bounds import single_value
from wasim.twin.row_sets import INHERITED, RowSet
from wasim.units import Ints

ROW_ID, CHANGED_AT_ID = 2147483540, 2147483539
LINEAGE_FIELDS = (
    NestedField(
        field_id=ROW_ID,
        name="_row_id",
        type=primitive_type("long"),
        doc="Implicit row ID that is automatically assigned",
    ),
    NestedField(
        field_id=CHANGED_AT_ID,
        name="_last_updated_sequence_number",
        type=primitive_type("long"),
        doc="Sequence number when the row was last updated",
    ),
)

# Measured on files of 5 … 4,000 rows, changed by 1 … 40 commits: within an eighth.
_ROW_ID_PAGE_BYTES, _ROW_ID_BYTES = 66.0, 1.1
_CHANGED_AT_PAGES_BYTES, _CHANGE_BYTES = 78.0, 4.0

Value = TypeVar("Value", int, bytes)


def lineage_sizes(rows: RowSet) -> dict[int, int]:
    """Bytes of both columns, by field id, in a file of these rows: ids grow, and few commits changed them."""
    changes = rows.changed_at[rows.changed_at != INHERITED]
    null_bits = len(rows) if len(changes) < len(rows) else 0
    return {
        ROW_ID: round(_ROW_ID_PAGE_BYTES + _ROW_ID_BYTES * int(np.count_nonzero(rows.row_ids != INHERITED))),
        CHANGED_AT_ID: round(_CHANGED_AT_PAGES_BYTES + _CHANGE_BYTES * len(np.unique(changes)) + null_bits / 8),
    }


def _values(rows: RowSet) -> dict[int, Ints]:
    return {ROW_ID: rows.row_ids, CHANGED_AT_ID: rows.changed_at}


def with_lineage_fields(schema: Schema) -> Schema:
    """The schema of a file that holds these columns too."""
    return replace(schema, columns=(*schema.columns, *LINEAGE_FIELDS))


def with_lineage(file: DataFileEntry, rows: RowSet, sizes: Mapping[int, int]) -> DataFileEntry:
    """The entry of a file that holds these columns too, of these `sizes`."""
    told = {number: values[values != INHERITED] for number, values in _values(rows).items()}
    lower = {number: single_value("long", int(values.min())) for number, values in told.items() if len(values)}
    upper = {number: single_value("long", int(values.max())) for number, values in told.items() if len(values)}
    return replace(
        file,
        column_sizes=_joined(file.column_sizes, {number: sizes[number] for number in told}),
        value_counts=_joined(file.value_counts, dict.fromkeys(told, len(rows))),
        null_value_counts=_joined(
            file.null_value_counts, {number: len(rows) - len(values) for number, values in told.items()}
        ),
        lower_bounds=_joined(file.lower_bounds, lower),
        upper_bounds=_joined(file.upper_bounds, upper),
    )


def _joined(values: Mapping[int, Value] | None, more: Mapping[int, Value]) -> dict[int, Value]:
    both = {**(values or {}), **more}
    return {key: both[key] for key in java_map_order(sorted(both))}
