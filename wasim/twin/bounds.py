"""Bounds of a column as Iceberg stores them: the least and greatest value as bytes, truncated by its metrics mode."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from wasim.twin.row_sets import RowSet
from wasim.twin.rows import (
    ALL_KEYS,
    DATE_SPAN_DAYS,
    EPOCH_DAYS,
    EPOCH_US,
    GROWING,
    TIME_SPAN_US,
    Rows,
    decimal_digits,
)  # fmt: skip
from wasim.twin.schema import Leaf

# In files of more rows, the extremes are drawn: the least of n even draws needs no n draws.
MOST_ROWS_COMPUTED = 20_000
_FEW_VALUES = 10_000
_MANY_TIMES = 2
_TEXTS = ("string", "binary")

_PACKED = {
    "boolean": struct.Struct("<?"),
    "int": struct.Struct("<i"),
    "date": struct.Struct("<i"),
    "long": struct.Struct("<q"),
    "timestamp": struct.Struct("<q"),
    "timestamptz": struct.Struct("<q"),
    "float": struct.Struct("<f"),
    "double": struct.Struct("<d"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """A column's bounds in one file."""

    lower: bytes
    upper: bytes | None  # None where truncation leaves nothing greater


def computed_bounds(rows: Rows, leaf: Leaf, held: RowSet, starts: Sequence[int]) -> list[Bounds]:
    """The bounds over each part of these rows; parts begin at these places."""
    return [_bounds(leaf, *pair) for pair in rows.extremes(leaf, held, starts)]


def column_bounds(
    rows: Rows, leaf: Leaf, held: RowSet, rng: np.random.Generator, most_computed: int = MOST_ROWS_COMPUTED
) -> Bounds:
    """The bounds over the rows that a file holds; drawn, not computed, where these are very many."""
    if len(held) <= most_computed or leaf.name in GROWING:
        return computed_bounds(rows, leaf, held, [0])[0]
    return drawn_bounds(rows, [leaf], len(held), rng)[leaf.field_id]


def drawn_bounds(rows: Rows, leaves: Sequence[Leaf], count: int, rng: np.random.Generator) -> dict[int, Bounds]:
    """The bounds of columns over `count` rows, none of which is looked at: drawn as distributed, by field id."""
    # how far the least and the greatest value stay from their ends, of 1
    shares = -np.expm1(np.log(rng.random((len(leaves), 2))) / count)
    return {
        leaf.field_id: _bounds(leaf, *_draw_extremes(rows, leaf, count, low, 1.0 - high, rng))
        for leaf, (low, high) in zip(leaves, shares.tolist(), strict=True)
    }


def _bounds(leaf: Leaf, low: Any, high: Any) -> Bounds:  # noqa: ANN401 - values of any column type
    kind = leaf.column.type
    return _truncated(leaf, single_value(kind, low), single_value(kind, high))


def single_value(type_name: str, value: Any) -> bytes:  # noqa: ANN401 - a value of any column type
    """A value as Iceberg's single-value serialization writes it."""
    packed = _PACKED.get(type_name)
    if packed is not None:
        return packed.pack(value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    return decimal_bytes(value)


def decimal_bytes(unscaled: int) -> bytes:
    """An unscaled number in as few big-endian bytes as hold it with its sign."""
    return unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)


def _truncated(leaf: Leaf, lower: bytes, upper: bytes) -> Bounds:
    length = leaf.bound_length or 0
    if leaf.column.type not in _TEXTS or not length or leaf.column.length <= length:
        return Bounds(lower=lower, upper=upper)
    # All strings are hexadecimal digits, so a character is a byte, and its successor is one too.
    head = upper[:length].rstrip(b"\xff")
    return Bounds(lower=lower[:length], upper=head[:-1] + bytes([head[-1] + 1]) if head else None)


def _draw_extremes(
    rows: Rows, leaf: Leaf, count: int, low: float, high: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """The least and the greatest of `count` values: of a column of many, those that stand so far along, from 0 to 1."""
    column, values = leaf.column, leaf.column.values
    if values is not None and values <= _FEW_VALUES:
        has_all = count >= _MANY_TIMES * values  # but for hardly any
        keys = np.arange(values) if has_all else rng.integers(values, size=count)
        return rows.extremes_of_keys(leaf, keys)[0]
    if column.type in _TEXTS:
        return _drawn_text(leaf, low, rng), _drawn_text(leaf, high, rng)
    if column.type in ("float", "double"):
        scale = (column.values or ALL_KEYS) / ALL_KEYS
        return low * scale, high * scale
    if column.type == "boolean":
        return False, True
    start, span = _span(column.type, column.values)
    finer = rng.integers(span >> 53, size=2).tolist() if span >> 53 else (0, 0)  # than a float tells numbers apart
    return start + int(low * span) + finer[0], start + min(int(high * span) + finer[1], span - 1)


@cache
def _span(kind: str, values: int | None) -> tuple[int, int]:
    keys = values or ALL_KEYS
    if kind.startswith("decimal"):
        return 0, min(keys, 10 ** min(decimal_digits(kind)[0], 18))
    start, span = {
        "int": (0, 2_147_483_647),
        "date": (EPOCH_DAYS, DATE_SPAN_DAYS),
        "timestamp": (EPOCH_US, TIME_SPAN_US),
        "timestamptz": (EPOCH_US, TIME_SPAN_US),
    }.get(kind, (0, ALL_KEYS))
    return start, min(keys, span)


def _drawn_text(leaf: Leaf, place: float, rng: np.random.Generator) -> str | bytes:
    column = leaf.column
    digest = int(place * 2**48).to_bytes(6, "big") + rng.bytes(26)
    if column.type == "binary":
        return (digest * -(-column.length // len(digest)))[: column.length]
    text = digest.hex()
    return (text * -(-column.length // len(text)))[: column.length]
