"""Into how many tasks Spark's adaptive execution puts the rows that a statement writes again.

It hashes them into as many partitions as the session has, and joins neighbours up to a target: half of all bytes, for
two cores. A task of less than a mebibyte joins another, so few rows end in one. Of more, file names decide, which are
chance: then the number of tasks is as likely as the real one, not the same.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from wasim.iceberg.manifest_entries import PartitionValue
from wasim.twin.row_sets import RowSet, all_rows
from wasim.twin.schema import Leaf
from wasim.units import Ints

LEAST_TASK_BYTES = 1 << 20  # spark.sql.adaptive.coalescePartitions.minPartitionSize, its default
CORES = 2  # of the session: as many tasks as it aims at
PARTITIONS = 4  # of the session's shuffles
SPARK_SEED = 42
_MASK = 0xFFFFFFFF
_LONGS = ("long", "timestamp", "timestamptz", "decimal")

_ROW_BYTES = 19.0  # its number, time, file and position
_FEW_VALUES = 200
_REFERENCE_BYTES, _FEW_NUMBERS_BYTES, _LONG_BYTES = 6.6, 2.0, 8.3
_NUMBER_BYTES = {"int": 6.7, "float": 6.7, "date": 5.0, "boolean": 2.7}

Words = NDArray[np.uint32]


def shuffled_row_bytes(leaves: Iterable[Leaf]) -> float:
    """Bytes that a row takes in a shuffle, which LZ4 compresses; measured on 8,000 rows of each kind of column.

    What repeats within some hundreds of rows costs a reference, what does not its own bytes: LZ4 codes no entropy.
    """
    return _ROW_BYTES + sum(map(_value_bytes, leaves))


def _value_bytes(leaf: Leaf) -> float:
    column = leaf.column
    if leaf.name in ("event_id", "event_time"):
        return 0.0  # in _ROW_BYTES
    is_text = column.type in ("string", "binary")
    if column.values is not None and column.values <= _FEW_VALUES:
        return min(_REFERENCE_BYTES, float(column.length)) if is_text else _FEW_NUMBERS_BYTES
    return 1.02 * column.length if is_text else _NUMBER_BYTES.get(column.type, _LONG_BYTES)


def tasks_of(rows: RowSet, partitions: Ints, row_bytes: float) -> list[RowSet]:
    """The rows of each task that reads a shuffle, given the partition of each row."""
    sizes = [row_bytes * int(np.count_nonzero(partitions == place)) for place in range(PARTITIONS)]
    return [all_rows([rows.take(partitions == place) for place in places]) for places in joined_partitions(sizes)]


def joined_partitions(sizes: Sequence[float]) -> list[range]:
    """The partitions of a shuffle, of these sizes in bytes, that each task reads.

    Neighbours are joined up to the target; what is still less than a mebibyte goes to the smaller one beside it. Nobody
    reads nothing, unless all is empty.
    """
    target = sum(sizes) / CORES
    tasks: list[range] = []
    first, filled, before = 0, 0.0, 0.0
    for place, size in enumerate(sizes):
        if place > first and filled + size > target:
            if filled >= LEAST_TASK_BYTES:
                tasks.append(range(first, place))
                first, filled, before = place, 0.0, filled
            elif 0 < before < size:
                tasks[-1] = range(tasks[-1].start, place)
                first, filled, before = place, 0.0, before + filled
        filled += size
    if filled < LEAST_TASK_BYTES and before:
        tasks[-1] = range(tasks[-1].start, len(sizes))
    elif filled or not tasks:
        tasks.append(range(first, len(sizes)))
    return tasks


def partition_of_text(text: str) -> int:
    """The partition of a shuffle by a column of this text."""
    return spark_hash_of_text(text.encode()) % PARTITIONS


def partitions_of_longs(values: Ints) -> Ints:
    """The partition of a shuffle by a bigint column, for each of its values."""
    low, high = (values & _MASK).astype(np.uint32), (values >> 32 & _MASK).astype(np.uint32)
    with np.errstate(over="ignore"):
        words = _mixed_words(_mixed_words(np.full(len(values), SPARK_SEED, dtype=np.uint32), low), high)
        words ^= np.uint32(8)
        words = (words ^ words >> np.uint32(16)) * np.uint32(0x85EBCA6B)
        words = (words ^ words >> np.uint32(13)) * np.uint32(0xC2B2AE35)
        words ^= words >> np.uint32(16)
    return words.view(np.int32).astype(np.int64) % PARTITIONS


def _mixed_words(state: Words, words: Words) -> Words:
    words = words * np.uint32(0xCC9E2D51)
    words = (words << np.uint32(15) | words >> np.uint32(17)) * np.uint32(0x1B873593)
    state = state ^ words
    return (state << np.uint32(13) | state >> np.uint32(19)) * np.uint32(5) + np.uint32(0xE6546B64)


def partition_of_values(values: Sequence[PartitionValue], types: Sequence[str]) -> int:
    """The partition of a shuffle by a table's partition fields, whose types are named, for these values of theirs."""
    state = SPARK_SEED
    for value, kind in zip(values, types, strict=True):
        if isinstance(value, str | bytes):
            state = spark_hash_of_text(value.encode() if isinstance(value, str) else value, state & _MASK)
        elif value is not None:
            state = _hash_of_number(int(value), state & _MASK, is_long=kind in _LONGS)
    return state % PARTITIONS


def _hash_of_number(value: int, seed: int, *, is_long: bool) -> int:
    state = _mixed(seed, value & _MASK)
    return _finished(_mixed(state, value >> 32 & _MASK), 8) if is_long else _finished(state, 4)


def spark_hash_of_text(text: bytes, seed: int = SPARK_SEED) -> int:
    """`hash(text)` of Spark SQL, signed: Murmur3, but for a tail whose bytes are mixed in one by one."""
    state, whole = seed, len(text) // 4 * 4
    for position in range(0, whole, 4):
        state = _mixed(state, int.from_bytes(text[position : position + 4], "little"))
    for byte in text[whole:]:
        state = _mixed(state, (byte - 256 if byte > 127 else byte) & _MASK)
    return _finished(state, len(text))


def _mixed(state: int, word: int) -> int:
    word = word * 0xCC9E2D51 & _MASK
    word = (word << 15 | word >> 17) & _MASK
    state ^= word * 0x1B873593 & _MASK
    state = (state << 13 | state >> 19) & _MASK
    return state * 5 + 0xE6546B64 & _MASK


def _finished(state: int, length: int) -> int:
    state ^= length
    state = (state ^ state >> 16) * 0x85EBCA6B & _MASK
    state = (state ^ state >> 13) * 0xC2B2AE35 & _MASK
    state ^= state >> 16
    return state - (1 << 32) if state >= 1 << 31 else state
