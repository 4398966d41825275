"""Which of Flink's writing subtasks a row goes to, and in which order a subtask closes its partitions: Java's hashes.

`keyBy` hashes a key, folds the hash into one of the operator's key groups, and each subtask has a range of those.
Sources: apache/flink KeyGroupRangeAssignment, MathUtils.murmurHash; apache/iceberg flink EqualityFieldKeySelector,
PartitionKeySelector, PartitionedDeltaWriter, StructTransform.hashCode.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from wasim.iceberg.hash_order import java_string_hash
from wasim.iceberg.manifest_entries import PartitionValue
from wasim.twin.hashing import murmur3_32
from wasim.twin.partitions import hash_map_order, struct_hash
from wasim.twin.rows import Values
from wasim.units import Ints

_LEAST_KEY_GROUPS, _MOST_KEY_GROUPS = 1 << 7, 1 << 15
_WORD = 0xFFFFFFFF


def subtasks_of_keys(columns: Sequence[Values], subtasks: int) -> Ints:
    """The subtask of each row, by its key, whose columns are given in the order of the schema."""
    return _subtasks((struct_hash(key) for key in zip(*[one.tolist() for one in columns], strict=True)), subtasks)


def subtasks_of_folders(folders: Iterable[str], subtasks: int) -> Ints:
    """The subtask of each row, by the folder of its partition."""
    return _subtasks((java_string_hash(folder.removesuffix("/")) for folder in folders), subtasks)


def _subtasks(hashes: Iterable[int], subtasks: int) -> Ints:
    groups = _key_groups(subtasks)
    made: dict[int, int] = {}
    for key in (found := list(hashes)):
        if key not in made:
            made[key] = abs(murmur3_32(key.to_bytes(4, "little"))) % (1 << 31) % groups * subtasks // groups
    return np.array([made[key] for key in found], dtype=np.int64)


def _key_groups(subtasks: int) -> int:
    """How many key groups an operator has, unless its job says."""
    wanted = subtasks + subtasks // 2
    power = 1 << max(0, wanted - 1).bit_length()
    return min(max(power, _LEAST_KEY_GROUPS), _MOST_KEY_GROUPS)


def partition_key_order(partitions: Sequence[tuple[PartitionValue, ...]], types: Sequence[str]) -> list[int]:
    """Places of the partitions in the order in which a hash map of Iceberg's partition keys iterates over them."""
    return hash_map_order([_partition_key_hash(partition, types) for partition in partitions])


def _partition_key_hash(partition: tuple[PartitionValue, ...], types: Sequence[str]) -> int:
    result = 1
    for value, kind in zip(partition, types, strict=True):
        result = (31 * result + _flink_value_hash(value, kind)) & _WORD
    return result


def _flink_value_hash(value: PartitionValue, kind: str) -> int:
    if isinstance(value, bool):
        return 1231 if value else 1237
    if isinstance(value, int):
        return value & _WORD if kind in ("int", "date") else (value ^ value >> 32) & _WORD
    return java_string_hash(str(value))
