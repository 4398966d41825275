"""Bytes of a Parquet column of whole numbers, computed from them: what parquet-java makes of them at zstd's level 3.

Numbers in sequence have a law (`file_sizes`); upserts bring numbers in no sequence. Measured on columns that Flink
wrote: tests/twin/test_number_columns.py.
"""

import numpy as np

from wasim.iceberg.codecs import pack
from wasim.units import Ints

_LEVEL = 3  # of zstd, as Parquet has it
_PAGE_BYTES, _DICTIONARY_BYTES = 26, 21  # around what is stored, and a byte more for each size that takes two
_TWO_BYTES_FROM = 64


def number_column_bytes(values: Ints, *, is_required: bool) -> int:
    """Bytes of a column chunk of these numbers, in the order of their rows: a page, and a dictionary where it pays."""
    levels = b"" if is_required else _levels(len(values))
    distinct = np.unique(values)
    if len(distinct) < len(values):
        packed = _packed(np.searchsorted(distinct, values), bits=max(1, (len(distinct) - 1).bit_length()))
        if distinct.nbytes + len(packed) < values.nbytes:
            in_order = values[np.sort(np.unique(values, return_index=True)[1])]
            return _DICTIONARY_BYTES + _stored(in_order.tobytes()) + _PAGE_BYTES + _stored(levels + packed)
    return _PAGE_BYTES + _stored(levels + values.tobytes())


def _levels(count: int) -> bytes:
    """That none of so many values is null, as a run."""
    run = _varint(count << 1) + bytes([1])
    return len(run).to_bytes(4, "little") + run


def _packed(places: Ints, bits: int) -> bytes:
    """Places in a dictionary, eight by eight in so many bits each, after their width and how many eights there are."""
    eights = -(-len(places) // 8)
    padded = np.zeros(8 * eights, dtype=np.int64)
    padded[: len(places)] = places
    of_bits = (padded[:, None] >> np.arange(bits)) & 1
    return bytes([bits]) + _varint(eights << 1 | 1) + np.packbits(of_bits, bitorder="little").tobytes()


def _varint(number: int) -> bytes:
    """The number, seven bits to a byte, low ones first."""
    low = bytes([number & 0x7F | (0x80 if number > 0x7F else 0)])
    return low + _varint(number >> 7) if number > 0x7F else low


def _stored(raw: bytes) -> int:
    stored = len(pack("zstandard", raw, _LEVEL))
    return stored + sum(size >= _TWO_BYTES_FROM for size in (len(raw), stored))
