"""The order in which hash maps of the JVM hand out their keys: of Avro headers and of metric maps in entries.

Metrics come in Java's order from every writer seen, but Spark's rewrite_manifests passes them through Scala's maps. The
simulator leaves theirs in Java's order: a few deflated bytes.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from wasim.iceberg.record_fields import PartitionValue

_Key = TypeVar("_Key", str, int)
_Any = TypeVar("_Any")
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
    return hashed_order(keys, _java_hash)


def hashed_order(keys: Iterable[_Any], hash_of: Callable[[_Any], int]) -> list[_Any]:
    """The same of keys with these hash codes, unsigned."""
    ordered = list(dict.fromkeys(keys))
    capacity = 16
    while len(ordered) > capacity * 3 // 4:
        capacity *= 2
    return _by_bucket(ordered, capacity, hash_of)


def iceberg_text_hash(text: str) -> int:
    """Iceberg's hash of characters, `JavaHashes.hashCode`, by which it maps paths."""
    return (177 * pow(31, len(text.encode("utf-16-be")) // 2, 1 << 32) + java_string_hash(text)) & _WORD


def iceberg_partition_hash(partition: Sequence[PartitionValue]) -> int:
    """Iceberg's hash of a partition, `JavaHash` of its struct; booleans count as 0 and 1, floats and bytes as none."""
    value = 97 * 41 + len(partition)
    for one in partition:
        hashed = iceberg_text_hash(one) if isinstance(one, str) else _java_hash(one) if isinstance(one, int) else 0
        value = (value * 41 + hashed) & _WORD
    return value


def java_copy_order(keys: Iterable[_Key]) -> list[_Key]:
    """Distinct keys in the order of an empty HashMap into which a map, with the keys in this order, is put at once.

    It takes the least capacity, a power of two, that holds them (before Java 19, one more than need be).
    """
    ordered = list(dict.fromkeys(keys))
    capacity = 1
    while capacity < int(len(ordered) / 0.75 + 1):
        capacity *= 2
    return _by_bucket(ordered, capacity, _java_hash)


def _by_bucket(keys: list[_Any], capacity: int, hash_of: Callable[[_Any], int]) -> list[_Any]:
    def bucket(key: _Any) -> int:
        hashed = hash_of(key)
        return (hashed ^ hashed >> 16) & (capacity - 1)

    return sorted(keys, key=bucket)


def _java_hash(key: str | int) -> int:
    if isinstance(key, int) and key > _WORD:  # a Long, whose halves are folded
        key ^= key >> 32
    return java_string_hash(key) if isinstance(key, str) else key & _WORD
