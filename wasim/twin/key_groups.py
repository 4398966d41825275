"""Which of Flink's subtasks a key goes to: a hash of it names a key group, and the subtasks share the groups evenly.

Sources: apache/flink KeyGroupRangeAssignment, MathUtils.murmurHash; apache/iceberg flink/v2.1 EqualityFieldKeySelector,
PartitionKeySelector; api JavaHashes, StructLikeWrapper.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from wasim.iceberg.hash_order import java_string_hash
from wasim.twin.hashing import murmur3_32_of_ints
from wasim.twin.rows import Values
from wasim.units import Ints

_LEAST_GROUPS, _MOST_GROUPS = 1 << 7, 1 << 15
_WORD = 0xFFFFFFFF


def subtasks_of_keys(keys: Sequence[tuple[str, Values]], subtasks: int) -> Ints:
    """The subtask of each row whose key has these columns, by type, in the order of the schema."""
    hashes = np.full(len(keys[0][1]), 41 * 97 + len(keys), dtype=np.int64)
    for kind, values in keys:
        hashes = (41 * hashes + _hashes(kind, values)) & _WORD
    return _subtasks_of(hashes, subtasks)


def subtasks_of_texts(texts: Iterable[str], subtasks: int) -> Ints:
    """The subtask of each of these texts: of the paths of partitions, where rows are distributed by hash."""
    return _subtasks_of(np.array([java_string_hash(text) for text in texts], dtype=np.int64), subtasks)


def _subtasks_of(hashes: Ints, subtasks: int) -> Ints:
    groups = max(_LEAST_GROUPS, min(_MOST_GROUPS, 1 << (subtasks + subtasks // 2 - 1).bit_length()))
    return np.abs(murmur3_32_of_ints(hashes)) % groups * subtasks // groups


def _hashes(kind: str, values: Values) -> Ints:
    """Iceberg's `JavaHash` of each value of a column, as numbers of which the low 32 bits count."""
    if kind == "boolean":
        return np.where(values, 1231, 1237)
    if kind != "string":
        return np.asarray(values ^ values >> 32 if kind.startswith(("long", "timestamp")) else values)
    letters = np.array(values, dtype=str)  # all as long
    hashes = np.full(len(letters), 177, dtype=np.int64)
    for code in letters.view(np.uint32).reshape(len(letters), -1).T:
        hashes = (31 * hashes + code) & _WORD
    return hashes
