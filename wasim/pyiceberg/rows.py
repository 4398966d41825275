"""The rows of a commit as an Arrow table: those of engine `spark`, row by row, of the same row numbers and seed."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from wasim.iceberg.schemas import ListType, NestedField, PrimitiveType, StructType, Type, parts_of
from wasim.scenario import Case
from wasim.twin.row_sets import RowSet, new_rows
from wasim.twin.rows import decimal_digits, rows_of
from wasim.twin.schema import Leaf, iceberg_schema, leaves


class ArrivingRows:
    """The rows that a case's commits bring."""

    def __init__(self, case: Case) -> None:
        self._case, self._rows, self._schema = case, rows_of(case), iceberg_schema(case.table)
        self._leaves = {leaf.field_id: leaf for leaf in leaves(case.table, self._schema)}

    def of(self, commit: int) -> pa.Table:
        """Those of the commit with this number, counted from 1."""
        count = self._case.rows_per_commit
        rows = new_rows(np.arange((commit - 1) * count, commit * count, dtype=np.int64))
        columns = self._schema.columns
        arrays = [self._array(one.field_id, one.type, rows) for one in columns]
        return pa.table(arrays, schema=pa.schema(_fields(columns, arrays)))

    def _array(self, field_id: int, kind: Type, rows: RowSet) -> pa.Array:
        arrays = [self._array(number, part, rows) for number, _, part in parts_of(kind)]
        if isinstance(kind, StructType):
            return pa.StructArray.from_arrays(arrays, fields=_fields(kind.fields, arrays))
        if isinstance(kind, PrimitiveType):
            leaf = self._leaves[field_id]
            values = self._rows.values(leaf, rows) if leaf.items is None else self._rows.items(leaf, rows).ravel()
            return _arrow(leaf, values)
        # all rows have as many items
        offsets = np.linspace(0, len(arrays[0]), len(rows) + 1).astype(np.int32)
        made = pa.ListArray if isinstance(kind, ListType) else pa.MapArray
        return made.from_arrays(offsets, *arrays)


def _fields(columns: Sequence[NestedField], arrays: Sequence[pa.Array]) -> list[pa.Field]:
    pairs = zip(columns, arrays, strict=True)
    return [pa.field(one.name, array.type, nullable=not one.required) for one, array in pairs]


def _arrow(leaf: Leaf, values: Any) -> pa.Array:
    kind = leaf.column.type
    if kind.startswith("decimal"):
        precision, scale = decimal_digits(kind)
        unscaled = [Decimal(int(value)).scaleb(-scale) for value in values]
        return pa.array(unscaled, pa.decimal128(precision, scale))
    if kind == "date":
        return pa.array(np.asarray(values, dtype=np.int32), pa.date32())
    return pa.array(values, _TYPES[kind])


_TYPES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
}
