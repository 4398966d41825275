"""The order in which Java's HashMap hands out its keys: that of Avro headers and of metric maps."""

from collections.abc import Iterable
from typing import TypeVar

_Key = TypeVar("_Key", str, int)


def java_string_hash(text: str) -> int:
    """`String.hashCode()` as an unsigned 32-bit number, over UTF-16 code units."""
    units = text.encode("utf-16-be")
    value = 0
    for position in range(0, len(units), 2):
        value = (value * 31 + (units[position] << 8 | units[position + 1])) & 0xFFFFFFFF
    return value


def java_hash_map_order(keys: Iterable[_Key]) -> list[_Key]:
    """Distinct keys in the order in which a HashMap, filled in the order given, iterates over them.

    Buckets come by `hash ^ hash >>> 16` under a mask; a bucket keeps insertion order, also through growth by doubling.
    (A bucket of eight or more becomes a tree; the keys of Iceberg's files never fill one.)
    """
    ordered = list(dict.fromkeys(keys))
    capacity = 16
    while len(ordered) > capacity * 3 // 4:
        capacity *= 2
    return sorted(ordered, key=lambda key: _spread_hash(key) & (capacity - 1))


def _spread_hash(key: str | int) -> int:
    value = java_string_hash(key) if isinstance(key, str) else key & 0xFFFFFFFF
    return value ^ value >> 16
