"""Bounds of a column as Iceberg stores them: the least and greatest value as bytes, truncated by its metrics mode."""

import struct
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wasim.twin.row_sets import RowSet
from wasim.twin.rows import ALL_KEYS, Rows, span_of, texts_of_ranks
from wasim.twin.schema import Leaf

# In files of more rows, the extremes are drawn: the least of n even draws needs no n draws.
MOST_ROWS_COMPUTED = 20_000
_FEW_VALUES = 10_000
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


class Bounds(NamedTuple):
    """A column's bounds in one file."""

    lower: bytes
    upper: bytes | None  # None where truncation leaves nothing greater


def computed_bounds(rows: Rows, leaf: Leaf, held: RowSet, starts: Sequence[int]) -> list[Bounds]:
    """The bounds over each part of these rows; parts begin at these places."""
    return _bounds(leaf, rows.extremes(leaf, held, starts))


def column_bounds(
    rows: Rows, leaf: Leaf, held: RowSet, rng: np.random.Generator, most_computed: int = MOST_ROWS_COMPUTED
) -> Bounds:
    """The bounds over the rows that a file holds; drawn, not computed, where these are very many."""
    if len(held) <= most_computed or leaf.role is not None:
        return computed_bounds(rows, leaf, held, [0])[0]
    return ColumnDraws([leaf]).draw(len(held), rng)[leaf.field_id]


class ColumnDraws:
    """Draws the bounds of columns in files of many rows, none of which is looked at, as they are distributed.

    Of `listed` columns, given by their ids, the values that a file may have are given with it, in their order.
    """

    def __init__(self, leaves: Sequence[Leaf], listed: Collection[int] = ()) -> None:
        self._leaves = leaves
        self._listed = [place for place, leaf in enumerate(leaves) if leaf.field_id in listed]
        places = [place for place in range(len(leaves)) if place not in self._listed]
        self._ranked = [place for place in places if is_few(leaves[place]) and leaves[place].column.type in _TEXTS]
        self._counts = np.array([[leaves[place].column.values or 1] for place in self._ranked], ndmin=2).reshape(-1, 1)
        self._of_ranks: dict[tuple[int, int, int], Bounds] = {}  # by a column's place, and the ranks of both ends
        doubles = [place for place in places if leaves[place].column.type == "double"]
        self._reals = [place for place in doubles if leaves[place].column.values is None]
        self._others = [place for place in places if place not in {*self._ranked, *self._reals}]

    def draw(
        self, count: int, rng: np.random.Generator, values: Mapping[int, Sequence[Any]] = MappingProxyType({})
    ) -> dict[int, Bounds]:
        """The bounds over `count` rows, by field id; of listed columns, of these `values`."""
        shares = _least_of(rng.standard_exponential((len(self._leaves), 2)) / np.maximum([count, count - 1], 1))
        # of the others, even above the least, the greatest; a single row's value is both
        shares[:, 1] = 1.0 - shares[:, 1] * (1.0 - shares[:, 0]) if count > 1 else shares[:, 0]
        leaves, of_ranks = self._leaves, self._of_ranks
        packed = shares[self._reals].astype("<f8").tobytes()
        found = {
            leaves[place].field_id: Bounds(packed[at : at + 8], packed[at + 8 : at + 16])
            for place, at in zip(self._reals, range(0, len(packed), 16), strict=True)
        }
        ranks = np.minimum((shares[self._ranked] * self._counts).astype(np.int64), self._counts - 1)
        for place, (low, high) in zip(self._ranked, ranks.tolist(), strict=True):
            leaf, key = leaves[place], (place, low, high)
            if key not in of_ranks:
                of_ranks[key] = _bounds(leaf, [texts_of_ranks(leaf, low, high)])[0]
            found[leaf.field_id] = of_ranks[key]
        for place in self._listed:
            known = values[leaves[place].field_id]
            low, high = (known[int(share * len(known))] for share in shares[place])
            found[leaves[place].field_id] = _bounds(leaves[place], [(low, high)])[0]
        for place in self._others:
            extremes = _drawn_extremes(leaves[place], shares[place].tolist(), rng)
            found[leaves[place].field_id] = _bounds(leaves[place], [extremes])[0]
        return found


def _least_of(waits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least of n even draws from 0 to 1, of exponential ones over n: 1 - exp(-x), from the series at x / 64.

    In sums and products alone: the last digit of numpy's own functions differs from processor to processor.
    """
    part = waits / 64.0
    least = part * (1.0 - part / 2.0 * (1.0 - part / 3.0 * (1.0 - part / 4.0)))
    for _ in range(6):
        least *= 2.0 - least
    return np.asarray(least)


def _bounds(leaf: Leaf, extremes: Iterable[tuple[Any, Any]]) -> list[Bounds]:
    kind = leaf.column.type
    if kind in _PACKED:
        pack = _PACKED[kind].pack
        return [Bounds(pack(low), pack(high)) for low, high in extremes]
    return [_truncated(leaf, single_value(kind, low), single_value(kind, high)) for low, high in extremes]


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
        return Bounds(lower, upper)
    # All strings are hexadecimal digits, so a character is a byte, and its successor is one too.
    head = upper[:length].rstrip(b"\xff")
    return Bounds(lower[:length], head[:-1] + bytes([head[-1] + 1]) if head else None)


def is_few(leaf: Leaf) -> bool:
    """Whether the column has so few values that their order is known."""
    return leaf.column.values is not None and leaf.column.values <= _FEW_VALUES


def _drawn_extremes(leaf: Leaf, shares: Sequence[float], rng: np.random.Generator) -> tuple[Any, Any]:
    """The values of a column that stand so far along, from 0 to 1; one value where both are the same."""
    column, (low, high) = leaf.column, shares
    if column.type in _TEXTS:
        text = _drawn_text(leaf, low, rng)
        return text, _drawn_text(leaf, high, rng) if high > low else text
    if column.type in ("float", "double"):
        keys = column.values or ALL_KEYS
        return int(low * keys) / ALL_KEYS, int(high * keys) / ALL_KEYS
    if column.type == "boolean":
        return (False, True) if high > low else (low > 0.5, low > 0.5)
    span = span_of(column.type)[: column.values]
    rest = len(span) >> 53  # of each number that a float tells apart from the next
    finer = rng.integers(rest, size=2).tolist() if rest else (0, 0)
    lowest = span.start + int(low * len(span)) + finer[0]
    return lowest, min(span.start + int(high * len(span)) + finer[1], span[-1]) if high > low else lowest


def _drawn_text(leaf: Leaf, place: float, rng: np.random.Generator) -> str | bytes:
    column, rest = leaf.column, rng.bytes(26)
    if column.values is not None:  # one text stands there whenever it is drawn
        rank = int(place * column.values)
        place, rest = rank / column.values, sha256(f"{rank}".encode()).digest()[:26]
    digest = int(place * 2**48).to_bytes(6, "big") + rest
    if column.type == "binary":
        return (digest * -(-column.length // len(digest)))[: column.length]
    text = digest.hex()
    return (text * -(-column.length // len(text)))[: column.length]
