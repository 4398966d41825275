"""A column of a file, byte for byte as Iceberg's Parquet writer lays it out, to know its size.

Data pages of version 1, after a dictionary page where that takes less room before compression:

    page  = header · zstd(levels · values)
    plain = the values one after the other; of texts each after its length
    coded = bit width · places in the dictionary, as runs and packed groups of eight

Facts from parquet-java (ParquetProperties, ColumnWriteStoreBase, FallbackValuesWriter) and Parquet.thrift. Columns of
files that Spark wrote have exactly these sizes (tests/test_simulate_parquet.py).
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import zstandard
from numpy.typing import NDArray

from wasim.twin.parquet_page_ends import FULL_BYTES, MOST_ROWS, page_ends
from wasim.twin.parquet_runs import runs_and_groups
from wasim.twin.rows import Values, decimal_digits
from wasim.twin.schema import Leaf
from wasim.units import Floats

_LEVEL = 3
_INDEXED_TEXT_BYTES = 64  # of a bound in a column index, at most
Mask = NDArray[np.bool_]

_TEXTS = ("string", "binary")
_LENGTH_BYTES = 4  # before a text, and counted before decimals of fixed length
_NUMBERS = {"int": "<i4", "date": "<i4", "float": "<f4", "double": "<f8"}  # all others are long
_SMALL_DECIMAL, _LONG_DECIMAL = 9, 18  # digits that four and eight bytes hold
_LONG_BYTES = 8
# Bytes of a page header beside its numbers: fields' ids and types, encodings, and the ends of both structs.
_DATA_HEADER, _DICTIONARY_HEADER = 15, 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Bytes of a page: as `stored`, and before compression (`raw`), both with its header.

    Of its `rows`, some are `nulls`. `text` are bytes of strings or binaries alone. `bounds` are the lengths of the
    least and the greatest value as the column index holds them, None where all are null.
    """

    stored: int
    raw: int
    rows: int
    nulls: int = 0
    text: int = 0
    bounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A column in one file: its data `pages`, and the `dictionary` before them if there is one.

    `bounds` are those of all its values. Where it `is_constant`, all values are one.
    """

    pages: tuple[Page, ...]
    dictionary: Page | None = None
    bounds: tuple[int, int] | None = None
    is_constant: bool = False

    @property
    def dictionary_bytes(self) -> int:
        """Stored bytes before the data pages."""
        return self.dictionary.stored if self.dictionary is not None else 0

    @property
    def stored(self) -> int:
        """Bytes in the file."""
        return self.dictionary_bytes + sum(page.stored for page in self.pages)

    @property
    def raw(self) -> int:
        """Bytes before compression."""
        return (self.dictionary.raw if self.dictionary is not None else 0) + sum(page.raw for page in self.pages)

    @property
    def text(self) -> int:
        """Bytes of strings or binaries alone."""
        return sum(page.text for page in self.pages)

    @property
    def nulls(self) -> int:
        """How many rows have no value."""
        return sum(page.nulls for page in self.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnValues:
    """What a column of one file is to hold, and how many of it and of what it lies in may be null (`depth`).

    If rows are null, `told` says which are not: the values are theirs.
    """

    leaf: Leaf
    values: Values
    depth: int
    told: Mask | None = None

    @property
    def present(self) -> Mask:
        """Which rows have a value."""
        return np.ones(len(self.values), dtype=np.bool_) if self.told is None else self.told


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of one file. `chunk` is what is stored of it, `depth` how many of it and what it lies in may be null."""

    leaf: Leaf
    chunk: Chunk
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The values of one page: in a form that compares, the different ones in order, and encoded one after the other.

    `counted` are their bytes as the writer counts them, before it knows how they will be encoded.
    """

    each: Sequence[int] | Sequence[bytes]
    distinct: dict[int | bytes, None]
    plain: bytes
    counted: int


def encoded_columns(given: Sequence[ColumnValues]) -> list[Column]:
    """The columns of one file of these values."""
    forms = [_form(one.leaf, one.values) for one in given]
    if len(given[0].present) <= MOST_ROWS and all(form.counted < FULL_BYTES for form in forms):
        ends: list[list[int]] = [[] for _ in given]
    else:
        ends = page_ends([_gathered(one, form) for one, form in zip(given, forms, strict=True)])
    return [
        Column(leaf=one.leaf, depth=one.depth, chunk=_chunk(one, form, ended))
        for one, form, ended in zip(given, forms, ends, strict=True)
    ]


def _gathered(given: ColumnValues, form: _Form) -> Floats:
    gathered = np.zeros(len(given.present))
    is_text = given.leaf.column.type in _TEXTS
    each = [_LENGTH_BYTES + len(text) for text in form.each] if is_text else form.counted / max(1, len(form.each))  # type: ignore[arg-type]
    gathered[given.present] = each
    return gathered


def _chunk(given: ColumnValues, whole: _Form, ends: Sequence[int]) -> Chunk:
    leaf, parts, forms = given.leaf, [given.present], [whole]
    if ends:
        parts = np.split(given.present, ends)
        values_before = np.cumsum([int(np.count_nonzero(part)) for part in parts])[:-1]
        forms = [_form(leaf, one) for one in np.split(given.values, values_before)]
    dictionary, bodies = _coded(leaf, given.values, forms)
    pages = []
    for part, form, body in zip(parts, forms, bodies, strict=True):
        stored, raw = _page(_levels(part, given.depth) + body, len(part), _DATA_HEADER)
        text = sum(map(len, form.each)) if leaf.column.type in _TEXTS else 0  # type: ignore[arg-type]
        nulls = len(part) - len(form.each)
        bounds = _bounds(leaf, form.distinct, _INDEXED_TEXT_BYTES)
        pages.append(Page(stored=stored, raw=raw, rows=len(part), nulls=nulls, text=text, bounds=bounds))
    return Chunk(
        pages=tuple(pages),
        dictionary=dictionary,
        bounds=_bounds(leaf, whole.distinct),
        is_constant=len(whole.distinct) == 1,
    )


def _coded(leaf: Leaf, values: Values, forms: Sequence[_Form]) -> tuple[Page | None, list[bytes]]:
    """The dictionary page, if the first data page is less with it, and what data pages hold beside their levels."""
    first, plain = forms[0], [form.plain for form in forms]
    if leaf.column.type == "boolean" or len(first.distinct) >= len(first.each):
        return None, plain
    places: dict[int | bytes, int] = {}
    words, bodies = np.arange(0), []
    for form in forms:
        for value in form.distinct:
            places.setdefault(value, len(places))
        width = (len(places) - 1).bit_length()
        codes = [places[value] for value in form.each]
        bodies.append(bytes([width]) + runs_and_groups(codes, width))
        words = np.append(words, codes)
        if form is first or len(words) == len(values):
            dictionary = _dictionary(leaf, values, words)
        if form is first and len(dictionary) + len(bodies[0]) >= form.counted:
            return None, plain
    stored, raw = _page(dictionary, len(places), _DICTIONARY_HEADER)
    return Page(stored=stored, raw=raw, rows=len(places)), bodies


def _dictionary(leaf: Leaf, values: Values, codes: NDArray[np.int64]) -> bytes:
    """Each value once, in the order of their places."""
    return _form(leaf, values[np.unique(codes, return_index=True)[1]]).plain


def _bounds(leaf: Leaf, distinct: dict[int | bytes, None], most: int | None = None) -> tuple[int, int] | None:
    """Bytes of the least and the greatest value, of texts at most so many."""
    if not distinct:
        return None
    if leaf.column.type in _TEXTS:
        least, greatest = _cut(leaf, min(distinct), most), _cut(leaf, max(distinct), most)  # type: ignore[arg-type]
        return least, greatest
    return number_bytes(leaf), number_bytes(leaf)


def _cut(leaf: Leaf, text: bytes, most: int | None) -> int:
    """Bytes of a text of which no more than `most` are kept, and of a string's characters none in part."""
    if most is None or len(text) <= most:
        return len(text)
    if leaf.column.type == "binary":
        return most
    return len(text[:most].decode(errors="ignore").encode())


def number_bytes(leaf: Leaf) -> int:
    """Bytes of one value of what is no text, as bounds hold it."""
    kind = leaf.column.type
    if kind == "boolean":
        return 1
    if kind.startswith("decimal"):
        precision = decimal_digits(leaf.column)[0]
        return _fixed_bytes(precision) if precision > _LONG_DECIMAL else 4 if precision <= _SMALL_DECIMAL else 8
    return 4 if kind in ("int", "date", "float") else 8


def varint_bytes(number: int) -> int:
    """Bytes of a number, not negative, that is written seven bits to a byte."""
    return max(1, -(-number.bit_length() // 7))


def _form(leaf: Leaf, values: Values) -> _Form:
    each, plain = _plain(leaf, values)
    is_fixed = leaf.column.type.startswith("decimal") and number_bytes(leaf) > _LONG_BYTES
    counted = len(plain) + (_LENGTH_BYTES * len(each) if is_fixed else 0)
    return _Form(each=each, distinct=dict.fromkeys(each), plain=plain, counted=counted)


def _plain(leaf: Leaf, values: Values) -> tuple[Sequence[int] | Sequence[bytes], bytes]:
    """The values in a form that compares, and encoded one after the other."""
    kind = leaf.column.type
    if kind in _TEXTS:
        texts = [value.encode() if isinstance(value, str) else value for value in values.tolist()]
        return texts, b"".join([len(text).to_bytes(_LENGTH_BYTES, "little") + text for text in texts])
    if kind == "boolean":
        return values.tolist(), np.packbits(values.astype(bool), bitorder="little").tobytes()
    if kind.startswith("decimal"):
        length = number_bytes(leaf)
        if length > _LONG_BYTES:
            fixed = [value.to_bytes(length, "big", signed=True) for value in values.tolist()]
            return fixed, b"".join(fixed)
        numbers = values.astype(f"<i{length}")
    else:
        numbers = values.astype(_NUMBERS.get(kind, "<i8"))
    return numbers.tolist(), numbers.tobytes()


def _fixed_bytes(precision: int) -> int:
    """Bytes that hold any decimal of so many digits."""
    largest: int = 10**precision - 1
    return (largest.bit_length() + 8) // 8


def _levels(present: Mask, depth: int) -> bytes:
    """Definition levels, after their length: all of them where there is a value, and 0 where there is none."""
    if not depth:
        return b""
    levels = runs_and_groups((present * depth).tolist(), depth.bit_length())
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
