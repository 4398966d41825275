"""The order in which hash maps of the JVM hand out their keys: of Avro headers and of metric maps in entries.

Metrics come in Java's order from every writer seen, but Spark's rewrite_manifests passes them through Scala's maps. The
simulator leaves theirs in Java's order: a few deflated bytes.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

_Key = TypeVar("_Key", str, int)
_WORD = 0xFFFFFFFF


@lru_cache(maxsize=4096)
def java_string_hash(text: str) -> int:
    """`String.hashCode()` as an unsigned 32-bit number, over UTF-16 code units."""
    units = text.encode("utf-16-be")
    value = 0
    for position in range(0, len(units), 2):
        value = (value * 31 + (units[position] << 8 | units[position + 1])) & _WORD
    return value


def java_map_order(keys: Iterable[_Key]) -> list[_Key]:
    """Distinct keys in the order in which a java.util.HashMap, filled in the order given, iterates over them.

    Buckets come by `hash ^ hash >>> 16` under a mask; a bucket keeps insertion order, also through growth by doubling.
    (A bucket of eight or more becomes a tree; the keys of Iceberg's files never fill one.)
    """
    ordered = list(dict.fromkeys(keys))
    capacity = 16
    while len(ordered) > capacity * 3 // 4:
        capacity *= 2
    return _by_bucket(ordered, capacity)


def java_copy_order(keys: Iterable[_Key]) -> list[_Key]:
    """Distinct keys in the order of an empty HashMap into which a map, with the keys in this order, is put at once.

    It takes the least capacity, a power of two, that holds them (before Java 19, one more than need be).
    """
    ordered = list(dict.fromkeys(keys))
    capacity = 1
    while capacity < int(len(ordered) / 0.75 + 1):
        capacity *= 2
    return _by_bucket(ordered, capacity)


def _by_bucket(keys: list[_Key], capacity: int) -> list[_Key]:
    return sorted(keys, key=lambda key: _java_spread(key) & (capacity - 1))


def _java_spread(key: str | int) -> int:
    if isinstance(key, int) and key > _WORD:  # a Long, whose halves are folded
        key ^= key >> 32
    value = java_string_hash(key) if isinstance(key, str) else key & _WORD
    return value ^ value >> 16
