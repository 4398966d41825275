"""The rows of a commit as an Arrow table: those of engine `spark`, row by row, of the same row numbers and seed."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from wasim.iceberg.schemas import NestedField, StructType
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
        return pa.table(
            [self._array(field, rows) for field in self._schema.columns],
            schema=pa.schema(list(self._fields())),
        )

    def _fields(self) -> Iterator[pa.Field]:
        empty = new_rows(np.arange(0))
        for field in self._schema.columns:
            yield pa.field(field.name, self._array(field, empty).type, nullable=not field.required)

    def _array(self, field: NestedField, rows: RowSet) -> pa.Array:
        if isinstance(field.type, StructType):
            inner = field.type.fields
            return pa.StructArray.from_arrays(
                [self._array(one, rows) for one in inner],
                fields=[pa.field(one.name, self._array(one, rows).type, nullable=not one.required) for one in inner],
            )
        leaf = self._leaves[field.field_id]
        return _arrow(leaf, self._rows.values(leaf, rows) if len(rows) else [])


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
