"""Spark's `xxhash64` over columns of numbers, from which rows are derived, and Iceberg's hash for buckets."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from wasim.units import Ints

Words = NDArray[np.uint64]

SPARK_SEED: Final = 42
_P1 = np.uint64(0x9E3779B185EBCA87)
_P2 = np.uint64(0xC2B2AE3D27D4EB4F)
_P3 = np.uint64(0x165667B19E3779F9)
_P4 = np.uint64(0x85EBCA77C2B2AE63)
_P5 = np.uint64(0x27D4EB2F165667C5)
_M1, _M2 = 0xCC9E2D51, 0x1B873593  # Murmur3's
_LONGEST_TEXT = 31  # from 32 bytes on, xxHash works in stripes, which no salt needs


def spark_xxhash64(values: Ints, *literals: int | str) -> Ints:
    """`xxhash64(value, 7, 'text')` of Spark SQL for each value and these literals, ints or texts."""
    with np.errstate(over="ignore"):
        words = _hash_long(values.astype(np.int64).view(np.uint64), np.full(len(values), SPARK_SEED, dtype=np.uint64))
        for one in literals:
            words = _hash_int(one, words) if isinstance(one, int) else _hash_text(one.encode(), words)
        return words.view(np.int64)


def spark_xxhash64_of_ints(first: int, second: int) -> int:
    """`xxhash64(first, second)` of Spark SQL for int literals."""
    with np.errstate(over="ignore"):
        words = _hash_int(second, _hash_int(first, np.full(1, SPARK_SEED, dtype=np.uint64)))
        return int(words.view(np.int64)[0])


def _rotate(words: Words, bits: int) -> Words:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def _hash_long(values: Words, seeds: Words) -> Words:
    mixed = (seeds + _P5 + np.uint64(8)) ^ (_rotate(values * _P2, 31) * _P1)
    return _avalanche(_rotate(mixed, 27) * _P1 + _P4)


def _hash_int(value: int, seeds: Words) -> Words:
    mixed = (seeds + _P5 + np.uint64(4)) ^ (np.uint64(value & 0xFFFFFFFF) * _P1)
    return _avalanche(_rotate(mixed, 23) * _P2 + _P3)


def _hash_text(text: bytes, seeds: Words) -> Words:
    if len(text) > _LONGEST_TEXT:
        raise ValueError(f"a salt of {len(text)} bytes; {_LONGEST_TEXT} at most")
    words = seeds + _P5 + np.uint64(len(text))
    position = 0
    while position + 8 <= len(text):
        part = np.full(1, int.from_bytes(text[position : position + 8], "little"), dtype=np.uint64)
        words = _rotate(words ^ (_rotate(part * _P2, 31) * _P1), 27) * _P1 + _P4
        position += 8
    if position + 4 <= len(text):
        part = np.full(1, int.from_bytes(text[position : position + 4], "little"), dtype=np.uint64)
        words = _rotate(words ^ (part * _P1), 23) * _P2 + _P3
        position += 4
    for byte in text[position:]:
        words = _rotate(words ^ (np.full(1, byte, dtype=np.uint64) * _P5), 11) * _P1
    return _avalanche(words)


def _avalanche(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(33))) * _P2
    words = (words ^ (words >> np.uint64(29))) * _P3
    return words ^ (words >> np.uint64(32))


def murmur3_32(data: bytes) -> int:
    """Murmur3 (x86, 32 bits, seed 0) as a signed number: Iceberg's hash of a value's bytes for `bucket`."""
    mask, state = 0xFFFFFFFF, 0
    whole = len(data) // 4 * 4
    for position in range(0, whole, 4):
        state ^= _scramble(int.from_bytes(data[position : position + 4], "little"))
        state = ((state << 13 | state >> 19) & mask) * 5 + 0xE6546B64 & mask
    if whole < len(data):
        state ^= _scramble(int.from_bytes(data[whole:], "little"))
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & mask
    state = (state ^ state >> 13) * 0xC2B2AE35 & mask
    state ^= state >> 16
    return state - (1 << 32) if state >= 1 << 31 else state


def murmur3_32_of_longs(values: Ints) -> Ints:
    """Murmur3 of many numbers, each as the eight bytes that Iceberg hashes of a whole number or a time."""
    return _murmur3(values, values.astype(np.int64) >> 32)


def murmur3_32_of_ints(values: Ints) -> Ints:
    """Murmur3 of the low 32 bits of many numbers."""
    return _murmur3(values)


def _murmur3(*columns: Ints) -> Ints:
    """Murmur3 of rows of words, of each number its low 32 bits."""
    state = np.zeros(len(columns[0]), dtype=np.uint32)
    for half in (one.astype(np.int64).view(np.uint64).astype(np.uint32) for one in columns):
        state = _rotated(state ^ _rotated(half * np.uint32(_M1), 15) * np.uint32(_M2), 13) * np.uint32(5)
        state += np.uint32(0xE6546B64)
    state ^= np.uint32(4 * len(columns))
    state = (state ^ state >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    state = (state ^ state >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return np.asarray((state ^ state >> np.uint32(16)).view(np.int32).astype(np.int64))


def _rotated(words: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    rotated: NDArray[np.uint32] = words << np.uint32(bits) | words >> np.uint32(32 - bits)
    return rotated


def _scramble(word: int) -> int:
    word = word * _M1 & 0xFFFFFFFF
    return ((word << 15 | word >> 17) & 0xFFFFFFFF) * _M2 & 0xFFFFFFFF
