"""A column of a small data file, byte for byte as Iceberg's Parquet writer lays it out, to know its size.

One data page of version 1, after a dictionary page where that takes less room before compression:

    page  = header · zstd(levels · values)
    plain = the values one after the other; of texts each after its length
    coded = bit width · places in the dictionary, as runs and packed groups of eight

Facts from parquet-java (ParquetProperties, FallbackValuesWriter, RunLengthBitPackingHybridEncoder, Parquet.thrift).
Columns of files that Spark wrote have exactly these sizes (tests/test_simulate_parquet.py).
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import zstandard

from wasim.iceberg.avro_encoding import encode_long
from wasim.simulate.rows import Values, decimal_digits
from wasim.simulate.schema import Leaf

MOST_ROWS = 20_000  # of a page
MOST_PAGE_BYTES = 1 << 19  # half of what a page holds, as the writer looks at its size now and then only

_LEVEL = 3
_GROUP, _MOST_GROUPS = 8, 63
_NUMBERS = {"int": "<i4", "date": "<i4", "float": "<f4", "double": "<f8"}  # all others are long
_SMALL_DECIMAL, _LONG_DECIMAL = 9, 18  # digits that four and eight bytes hold
# Bytes of a page header beside its numbers: fields' ids and types, encodings, and the ends of both structs.
_DATA_HEADER, _DICTIONARY_HEADER = 15, 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Bytes of a column in one file: as `stored`, and before compression (`raw`), both with the pages' headers.

    Of the stored ones, a `dictionary` may take some. `text` are bytes of strings or binaries alone. Where it
    `is_constant`, all values are one.
    """

    stored: int
    raw: int
    dictionary: int = 0
    text: int = 0
    is_constant: bool = False


def column_chunk(leaf: Leaf, values: Values, *, depth: int) -> Chunk | None:
    """The column of a file of these values, none of them null.

    `depth` is how many of the column and what it lies in may be null. None where it takes more than one page.
    """
    each, plain = _plain(leaf, values)
    count = len(each)
    if count > MOST_ROWS or len(plain) > MOST_PAGE_BYTES:
        return None
    levels = _levels(count, depth)
    text = sum(map(len, each)) if leaf.column.type in ("string", "binary") else 0  # type: ignore[arg-type]
    places: dict[int | bytes, int] = {}
    coded = [places.setdefault(value, len(places)) for value in each]
    if leaf.column.type != "boolean" and len(places) < count:
        first = np.unique(coded, return_index=True)[1]
        dictionary = _plain(leaf, values[first])[1]
        width = (len(places) - 1).bit_length()
        index = bytes([width]) + runs_and_groups(coded, width)
        if len(dictionary) + len(index) < len(plain):
            words = _page(dictionary, len(places), _DICTIONARY_HEADER)
            page = _page(levels + index, count, _DATA_HEADER)
            return Chunk(
                stored=words[0] + page[0],
                raw=words[1] + page[1],
                dictionary=words[0],
                text=text,
                is_constant=len(places) == 1,
            )
    stored, raw = _page(levels + plain, count, _DATA_HEADER)
    return Chunk(stored=stored, raw=raw, text=text, is_constant=len(places) == 1)


def value_bytes(leaf: Leaf) -> int:
    """Bytes of one value without its length, as bounds hold it."""
    kind = leaf.column.type
    if kind in ("string", "binary"):
        return leaf.column.length
    if kind == "boolean":
        return 1
    if kind.startswith("decimal"):
        precision = decimal_digits(leaf.column)[0]
        return _fixed_bytes(precision) if precision > _LONG_DECIMAL else 4 if precision <= _SMALL_DECIMAL else 8
    return 4 if kind in ("int", "date", "float") else 8


def varint_bytes(number: int) -> int:
    """Bytes of a number, not negative, that is written seven bits to a byte."""
    return max(1, -(-number.bit_length() // 7))


def runs_and_groups(values: Sequence[int], width: int) -> bytes:
    """Numbers of so many bits: eight or more alike as a run, others packed in groups of eight."""
    runs = _Runs(width=width)
    for value in values:
        runs.add(value)
    return runs.end()


@dataclass(slots=True, kw_only=True)
class _Runs:
    """What is written of some numbers, and what waits: a run that may go on, a group, groups since the last run."""

    width: int
    written: bytearray = field(default_factory=bytearray)
    group: list[int] = field(default_factory=list)
    packed: list[bytes] = field(default_factory=list)
    run: int = 0
    before: int = 0  # the value that the run is of

    def add(self, value: int) -> None:
        """The next number."""
        if value == self.before:
            self.run += 1
            if self.run >= _GROUP:
                return
        else:
            if self.run >= _GROUP:
                self._end_run()
            self.run, self.before = 1, value
        self.group.append(value)
        if len(self.group) == _GROUP:
            self._end_group()
            self.run = 0

    def end(self) -> bytes:
        """All that is written, once no number follows."""
        if self.run >= _GROUP:
            self._end_run()
        elif self.group:
            self._end_group()
        self._end_groups()
        return bytes(self.written)

    def _end_run(self) -> None:
        self._end_groups()
        self.written.extend(encode_long(self.run) + self.before.to_bytes(-(-self.width // 8), "little"))
        self.group.clear()

    def _end_group(self) -> None:
        if len(self.packed) == _MOST_GROUPS:
            self._end_groups()
        bits = sum(value << place * self.width for place, value in enumerate(self.group))
        self.packed.append(bits.to_bytes(self.width, "little"))
        self.group.clear()

    def _end_groups(self) -> None:
        if self.packed:
            self.written.append(len(self.packed) << 1 | 1)
            self.written.extend(b"".join(self.packed))
            self.packed.clear()


def _plain(leaf: Leaf, values: Values) -> tuple[Sequence[int] | Sequence[bytes], bytes]:
    """The values in a form that compares, and encoded one after the other."""
    kind = leaf.column.type
    if kind in ("string", "binary"):
        texts = [value.encode() if isinstance(value, str) else value for value in values.tolist()]
        return texts, b"".join([len(text).to_bytes(4, "little") + text for text in texts])
    if kind == "boolean":
        return values.tolist(), np.packbits(values.astype(bool), bitorder="little").tobytes()
    if kind.startswith("decimal"):
        precision = decimal_digits(leaf.column)[0]
        if precision > _LONG_DECIMAL:
            length = _fixed_bytes(precision)
            fixed = [value.to_bytes(length, "big", signed=True) for value in values.tolist()]
            return fixed, b"".join(fixed)
        numbers = values.astype("<i4" if precision <= _SMALL_DECIMAL else "<i8")
    else:
        numbers = values.astype(_NUMBERS.get(kind, "<i8"))
    return numbers.tolist(), numbers.tobytes()


def _fixed_bytes(precision: int) -> int:
    """Bytes that hold any decimal of so many digits."""
    largest: int = 10**precision - 1
    return (largest.bit_length() + 8) // 8


def _levels(count: int, depth: int) -> bytes:
    """Definition levels of values none of which is null, after their length."""
    if not depth:
        return b""
    levels = runs_and_groups([depth] * count, depth.bit_length())
    return len(levels).to_bytes(4, "little") + levels


def _page(raw: bytes, count: int, header_bytes: int) -> tuple[int, int]:
    """Bytes of a page with its header, as stored and before compression."""
    stored = _compressed(raw)
    checksum = zlib.crc32(stored)
    signed = checksum << 1 if checksum < 1 << 31 else ((1 << 32) - checksum << 1) - 1  # zig-zag
    numbers = (len(raw) << 1, len(stored) << 1, count << 1, signed)
    header = header_bytes + sum(map(varint_bytes, numbers))
    return header + len(stored), header + len(raw)


def _compressed(raw: bytes) -> bytes:
    """One zstd frame as Hadoop's codec streams it: flushed, then ended by an empty block."""
    stream = _COMPRESSOR.compressobj()
    flushed = stream.compress(raw) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return flushed + stream.flush()


_COMPRESSOR = zstandard.ZstdCompressor(level=_LEVEL)
