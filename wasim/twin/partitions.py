"""Partition values of rows: transforms as Iceberg computes them, and the folder names that Spark gives their files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import itemgetter
from typing import Any
from urllib.parse import quote_plus

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg.avro_schemas import fixed_decimal_bytes
from wasim.iceberg.record_fields import PartitionValue
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema, decimal_digits
from wasim.iceberg.specs import PartitionField, PartitionSpec
from wasim.twin.bounds import decimal_bytes
from wasim.twin.hashing import murmur3_32, murmur3_32_of_longs
from wasim.twin.row_sets import RowSet
from wasim.twin.rows import Rows, Values, values_of_keys
from wasim.twin.schema import Leaf
from wasim.units import Ints

_WIDTH = re.compile(r"(bucket|truncate)\[(\d+)\]")
_US_PER_HOUR, _US_PER_DAY = 3_600_000_000, 86_400_000_000
_START = datetime(1970, 1, 1, tzinfo=UTC)

Partition = tuple[PartitionValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The rows of a task that fall into one partition; files are numbered from 1."""

    partition: Partition
    rows: RowSet
    number: int


def split_by_partition(rows: Rows, spec: PartitionSpec, leaves: tuple[Leaf, ...], written: RowSet) -> list[Share]:
    """The rows of a task by partition, in the order in which their first rows came."""
    if not spec.fields:
        return [Share(partition=(), rows=written, number=1)]
    if not len(written):
        return []
    fields, columns = _partitioned(spec, leaves), partition_values(rows, spec, leaves, written)
    _, first, codes = np.unique(numbered(columns, len(written)), return_index=True, return_inverse=True)
    places = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    keys = zip(*(values[first].tolist() for values in columns), strict=True)
    groups = sorted(zip(first.tolist(), keys, places, strict=True), key=itemgetter(0))
    return [
        Share(
            partition=tuple(_as_avro(leaf, field, value) for (leaf, field), value in zip(fields, key, strict=True)),
            rows=written.take(of_key),
            number=number,
        )
        for number, (_, key, of_key) in enumerate(groups, 1)
    ]


def numbered(columns: Sequence[Values], rows: int) -> Ints:
    """For each row the number of the combination of values that it has, from 0 on."""
    numbers = np.zeros(rows, dtype=np.int64)
    for column in columns:
        known: dict[object, int] = {}
        codes = (
            np.array([known.setdefault(value, len(known)) for value in column.tolist()], dtype=np.int64)
            if column.dtype.kind == "O"
            else np.unique(column, return_inverse=True)[1]
        )
        numbers = np.unique(numbers * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    return numbers


def partition_values(rows: Rows, spec: PartitionSpec, leaves: tuple[Leaf, ...], written: RowSet) -> list[Values]:
    """The transformed values of these rows, for each field."""
    return [_transformed(leaf, field, rows.values(leaf, written)) for leaf, field in _partitioned(spec, leaves)]


def _partitioned(spec: PartitionSpec, leaves: tuple[Leaf, ...]) -> list[tuple[Leaf, PartitionField]]:
    by_id = {leaf.field_id: leaf for leaf in leaves}
    return [(by_id[field.source_id], field) for field in spec.fields]


@lru_cache(maxsize=64)  # tables of other rows have the same columns
def values_by_partition(leaf: Leaf, field: PartitionField) -> Mapping[PartitionValue, Sequence[Any]]:
    """The values of a column, in order, by what a partition field makes of them."""
    values = values_of_keys(leaf, np.arange(leaf.column.values or 0))
    found: dict[PartitionValue, set[Any]] = {}
    for value, partition in zip(values.tolist(), _transformed(leaf, field, values).tolist(), strict=True):
        found.setdefault(_as_avro(leaf, field, partition), set()).add(value)
    return {partition: sorted(held) for partition, held in found.items()}


def _transformed(leaf: Leaf, field: PartitionField, values: Values) -> Values:
    if field.transform == "identity":
        return values
    if match := _WIDTH.fullmatch(field.transform):
        width = int(match[2])
        return _buckets(leaf, values, width) if match[1] == "bucket" else _truncated(leaf, values, width)
    per_day = 1 if leaf.column.type == "date" else _US_PER_DAY
    if field.transform == "hour":
        return values // _US_PER_HOUR
    days = values // per_day
    if field.transform == "day":
        return days
    unit = "datetime64[M]" if field.transform == "month" else "datetime64[Y]"
    return days.astype("datetime64[D]").astype(unit).astype(np.int64)


def _buckets(leaf: Leaf, values: Values, width: int) -> Ints:
    if values.dtype.kind == "i" and not leaf.column.type.startswith("decimal"):
        return np.asarray((murmur3_32_of_longs(values) & 0x7FFFFFFF) % width)
    made: dict[Any, int] = {}
    for value in values.tolist():
        if value not in made:
            made[value] = (murmur3_32(_hashed_bytes(leaf, value)) & 0x7FFFFFFF) % width
    return np.array([made[value] for value in values.tolist()], dtype=np.int64)


def _hashed_bytes(leaf: Leaf, value: Any) -> bytes:  # noqa: ANN401 - a value of any column type
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    if leaf.column.type.startswith("decimal"):
        return decimal_bytes(value)
    return int(value).to_bytes(8, "little", signed=True)


def _truncated(leaf: Leaf, values: Values, width: int) -> Values:
    if leaf.column.type in ("string", "binary"):
        return np.array([value[:width] for value in values], dtype=object)
    return np.asarray(values - values % width)


def _as_avro(leaf: Leaf, field: PartitionField, value: Any) -> PartitionValue:  # noqa: ANN401
    digits = decimal_digits(leaf.column.type)
    if digits is None or field.transform.startswith("bucket"):
        return value  # type: ignore[no-any-return]
    # of the type's length, unlike in bounds and in a list's summaries
    return int(value).to_bytes(fixed_decimal_bytes(digits[0]), "big", signed=True)


def partition_folder(spec: PartitionSpec, schema: Schema, partition: Partition) -> str:
    """`name=value/…/`, or nothing for an unpartitioned table."""
    columns = {column.field_id: column for column in schema.columns}
    pairs = zip(spec.fields, partition, strict=True)
    parts = (f"{quote_plus(f.name)}={quote_plus(_human(columns[f.source_id], f, value))}/" for f, value in pairs)
    return "".join(parts)


def _human(column: NestedField, field: PartitionField, value: PartitionValue) -> str:
    kind, type_name = field.transform, column.type.name if isinstance(column.type, PrimitiveType) else "struct"
    if isinstance(value, int) and not isinstance(value, bool) and not kind.startswith("bucket"):
        return _human_number(type_name, kind, value)
    digits = decimal_digits(type_name)
    if isinstance(value, bytes) and digits:
        unscaled, scale = int.from_bytes(value, "big", signed=True), digits[1]
        return f"{unscaled // 10**scale}.{unscaled % 10**scale:0{scale}d}" if scale else str(unscaled)
    if isinstance(value, bytes):
        raise WasimError(f"Partitioning by the binary column {column.name} is not simulated. Take another column.")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _human_number(type_name: str, transform: str, value: int) -> str:
    if transform == "year":
        return str(1970 + value)
    if transform == "month":
        return f"{1970 + value // 12}-{value % 12 + 1:02d}"
    if transform == "hour":
        return (_START + timedelta(hours=value)).strftime("%Y-%m-%d-%H")
    if transform == "day" or type_name == "date":
        return (_START + timedelta(days=value)).strftime("%Y-%m-%d")
    if type_name in ("timestamp", "timestamptz"):
        text = (_START + timedelta(microseconds=value)).replace(tzinfo=None).isoformat()
        return text + ("+00:00" if type_name == "timestamptz" else "")
    return str(value)
