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

Value = TypeVar("Value", int, bytes)


def lineage_sizes(rows: RowSet) -> dict[int, int]:
    """Bytes of both columns, by field id, in a file of these rows; less where rows stand in the order of their ids.

    Measured on files of 5 … 4,000 rows that 1 … 20 commits changed: within a quarter, on most within an eighth.
    """
    ids, changes = (values[values != INHERITED] for values in (rows.row_ids, rows.changed_at))
    distinct = len(np.unique(changes))
    index_bits = len(changes) * max(0, distinct - 1).bit_length()
    null_bits = [len(rows) if len(values) < len(rows) else 0 for values in (ids, changes)]
    return {
        ROW_ID: round(70 + 1.3 * len(ids) + 2 * int(np.count_nonzero(np.diff(ids) < 0)) + null_bits[0] / 8),
        CHANGED_AT_ID: round(
            82 + 4 * distinct + min(index_bits / 8, 2 * int(np.count_nonzero(np.diff(changes)))) + null_bits[1] / 8
        ),
    }


def _values(rows: RowSet) -> dict[int, Ints]:
    return {ROW_ID: rows.row_ids, CHANGED_AT_ID: rows.changed_at}


def with_lineage_fields(schema: Schema) -> Schema:
    """The schema of a file that holds these columns too."""
    return replace(schema, columns=(*schema.columns, *LINEAGE_FIELDS))


def with_lineage(file: DataFileEntry, rows: RowSet, sizes: Mapping[int, int]) -> DataFileEntry:
    """The entry of a file that holds these columns too, of these `sizes`."""
    written = {number: values[values != INHERITED] for number, values in _values(rows).items()}
    lower = {number: single_value("long", int(values.min())) for number, values in written.items() if len(values)}
    upper = {number: single_value("long", int(values.max())) for number, values in written.items() if len(values)}
    return replace(
        file,
        column_sizes=_joined(file.column_sizes, {number: sizes[number] for number in written}),
        value_counts=_joined(file.value_counts, dict.fromkeys(written, len(rows))),
        null_value_counts=_joined(
            file.null_value_counts, {number: len(rows) - len(values) for number, values in written.items()}
        ),
        lower_bounds=_joined(file.lower_bounds, lower),
        upper_bounds=_joined(file.upper_bounds, upper),
    )


def _joined(values: Mapping[int, Value] | None, more: Mapping[int, Value]) -> dict[int, Value]:
    both = {**(values or {}), **more}
    return {key: both[key] for key in java_map_order(sorted(both))}
