"""Bytes of data files: what Parquet gives each column and the footer, by a law that a profile's samples correct.

    plain      = page + rows · value
    dictionary = 2 pages + distinct · value + rows · ⌈log₂ distinct⌉ / 8,   if that is less before compression

`value` is a value's bytes under zstd: half of its hexadecimal digits and 1.2 for a string, its entropy for a number.
Measured over 12 columns and files of 200 … 12 000 rows, the law alone is within 12 %, and a profile with samples of the
same kind of column takes the rest away. Decimals of up to 18 digits that a profile has no samples of are drawn and
compressed instead.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import ceil, exp, log, log2, sqrt

import numpy as np

from wasim.iceberg.codecs import pack
from wasim.iceberg.schemas import Schema, decimal_digits, schema_json
from wasim.scenario.parts import Columns
from wasim.twin.lineage import LINEAGE_FIELDS, lineage_sizes
from wasim.twin.profile import ColumnSample, WriterProfile
from wasim.twin.row_sets import RowSet
from wasim.twin.rows import Rows, span_of
from wasim.twin.schema import Leaf
from wasim.units import Floats, Ints

_LEVEL = 3  # of zstd, as Parquet has it
ROWS_BETWEEN_LOOKS = 1_000  # at how large a file has become: RollingFileWriter.ROWS_DIVISOR
_PAGE_ROWS, _PAGE_RAW_BYTES = 20_000, 1 << 20  # of a page of a column, at most
_NUMBERS_PAGE_BYTES, _DICTIONARY_BYTES = 26, 21  # around what is stored, and a byte more for each size that takes two
_TWO_BYTES_FROM = 64


def number_column_bytes(values: Ints, *, is_required: bool) -> int:
    """Bytes of a column chunk of these numbers, in the order of their rows: a page, and a dictionary where it pays."""
    levels = b"" if is_required else _levels(len(values))
    distinct = np.unique(values)
    if len(distinct) < len(values):
        packed = _packed(np.searchsorted(distinct, values), bits=max(1, (len(distinct) - 1).bit_length()))
        if distinct.nbytes + len(packed) < values.nbytes:
            in_order = values[np.sort(np.unique(values, return_index=True)[1])]
            return _DICTIONARY_BYTES + _stored(in_order.tobytes()) + _NUMBERS_PAGE_BYTES + _stored(levels + packed)
    return _NUMBERS_PAGE_BYTES + _stored(levels + values.tobytes())


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


_DIGITS_OF_LONG = 18
_ROWS_DRAWN, _FILES_DRAWN = (1, 4, 20, 60, 200, 600, 2000), 8
MAGIC_BYTES = 4  # at the start of every Parquet file
_PAGE_BYTES = 45.0
_DICTIONARY_PAGES_BYTES = 90.0
_TEXT_OVERHEAD_BYTES = 1.2  # of a string's length and of what zstd leaves above four bits a digit
_NUMBER_OVERHEAD_BYTES = 0.5
FOOTER_BYTES_PER_COLUMN = 170.0  # apart from the schema: 1,018 B for 5 columns, 2,299 for 12, 3,738 for 21
_EXACT_ROWS, _NEAR = 64, 0.1
MOST_COMPRESSED = 1 << 13  # rows of upserts: larger files are mostly compacted, and sums know them by the law
_LEAST_DEVIATION_BYTES = 0.25  # a page's checksum takes a byte less once in sixteen files
_DEVIATION_BY_ROOT = 0.1  # what zstd makes of a page differs by so much of its bytes' square root: 0.04 … 0.2, measured
_ENTROPY_BYTES = {"double": 7.53, "float": 3.9, "timestamp": 7.18, "timestamptz": 7.18, "boolean": 0.125}
_PLAIN_BYTES = {"boolean": 0.125, "int": 4, "date": 4, "float": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBytes:
    """Bytes of a file: of its columns by field id, and of what is `around` them, the footer above all."""

    columns: dict[int, int]
    around: int

    @property
    def total(self) -> int:
        """Bytes of the file."""
        return sum(self.columns.values()) + self.around


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLaw:
    """Bytes of a column in files of the same number of rows."""

    mean_bytes: float
    deviation_bytes: float


Kind = tuple[str, int | None, int | None]  # type, length, values


def kind_of(leaf: Leaf) -> Kind:
    """What decides a column's size apart from its rows: type, length, values. Key and time are kinds of their own."""
    if leaf.role is not None:
        return leaf.role, None, None
    sized = leaf.column.type in ("string", "binary")
    return leaf.column.type, leaf.column.length if sized else None, leaf.column.values


class ColumnSizes:
    """Mean and deviation of a column's bytes, by the rows of a file: the law, as a profile's samples correct it."""

    def __init__(self, leaf: Leaf, profile: WriterProfile) -> None:
        self._leaf, kind = leaf, kind_of(leaf)
        samples = [sample for sample in profile.columns if (sample.type, sample.length, sample.values) == kind]
        samples = samples or drawn_samples(kind[0], kind[2])
        samples.sort(key=lambda sample: sample.rows)
        self._places = np.log([sample.rows for sample in samples])
        self._spreads = [one.deviation_bytes / one.mean_bytes for one in samples]
        if not samples and kind[0] not in ("string", "binary"):
            samples = [sample for sample in profile.columns if sample.type == kind[0]]
        self._ratios = [_ratio(leaf, sample) for sample in samples]

    def mean(self, rows: int) -> float:
        """Mean in a file of `rows` rows."""
        law = law_bytes(self._leaf, rows)
        if self._spreads:
            return law * float(np.interp(np.log(rows), self._places, self._ratios))
        return law * (float(np.mean(self._ratios)) if self._ratios else 1.0)

    def of(self, rows: int) -> SizeLaw:
        """Mean and deviation in a file of `rows` rows."""
        mean_bytes = self.mean(rows)
        if not self._spreads:
            return SizeLaw(mean_bytes=mean_bytes, deviation_bytes=_deviation_bytes(self._leaf, rows))
        spread = float(np.interp(np.log(rows), self._places, self._spreads))
        return SizeLaw(mean_bytes=mean_bytes, deviation_bytes=mean_bytes * spread)


@cache
def drawn_samples(kind: str, values: int | None) -> list[ColumnSample]:
    """Samples of a decimal that Parquet stores as a number, of which a profile has none: drawn, and then compressed."""
    digits, _ = decimal_digits(kind) or (_DIGITS_OF_LONG + 1, 0)
    if digits > _DIGITS_OF_LONG:
        return []
    rng = np.random.default_rng(digits)
    samples = []
    for rows in _ROWS_DRAWN:
        sizes = []
        for _ in range(_FILES_DRAWN):
            pool = rng.integers(0, 10**digits, values or rows)
            drawn = pool if values is None else rng.choice(pool, rows)
            sizes.append(number_column_bytes(drawn.astype(f"<i{_decimal_bytes(digits):.0f}"), is_required=False))
        mean, deviation = float(np.mean(sizes)), float(np.std(sizes))
        samples.append(
            ColumnSample(type=kind, length=None, values=values, rows=rows, mean_bytes=mean, deviation_bytes=deviation)
        )
    return samples


def _ratio(leaf: Leaf, sample: ColumnSample) -> float:
    column = leaf.column.model_copy(update={"values": sample.values, "length": sample.length or leaf.column.length})
    return sample.mean_bytes / law_bytes(replace(leaf, column=column), sample.rows)


def law_bytes(leaf: Leaf, rows: int) -> float:
    """The law alone."""
    if leaf.role == "event_id":
        return 70.0 + 1.1 * rows  # numbers in sequence
    if leaf.role == "event_time":
        return 110.0 + 2.0 * rows
    column = leaf.column
    value, _ = _value_bytes(column)
    if not _has_dictionary(column, rows):
        return _PAGE_BYTES + rows * value
    distinct = _distinct(column, rows)
    return _DICTIONARY_PAGES_BYTES + distinct * value + _index_bytes(distinct, rows)


def _has_dictionary(column: Columns, rows: int) -> bool:
    raw, distinct = _value_bytes(column)[1], _distinct(column, rows)
    return column.type != "boolean" and distinct * raw + _index_bytes(distinct, rows) < rows * raw


def _distinct(column: Columns, rows: int) -> float:
    """Expected number of different values in `rows` rows."""
    keys = _keys(column)
    return max(1.0, -keys * float(np.expm1(rows * np.log1p(-1.0 / keys)))) if keys > 1 else 1.0


def _index_bytes(distinct: float, rows: int) -> float:
    return rows * ceil(log2(distinct)) / 8 if distinct > 1 else 0.0


def _deviation_bytes(leaf: Leaf, rows: int) -> float:
    """By how much the column's bytes differ between files: as many values more or fewer as its dictionary holds, and
    as zstd makes more or less of a page.
    """
    column = leaf.column
    if leaf.role is not None:
        return _LEAST_DEVIATION_BYTES
    has_dictionary, variance = _has_dictionary(column, rows), 0.0
    if has_dictionary:
        keys = _keys(column)
        missing = exp(-rows / keys)  # share of the values that no row has
        variance = keys * missing * (1 - (1 + rows / keys) * missing)
    value = _value_bytes(column)[0]
    page_bytes = _index_bytes(_distinct(column, rows), rows) if has_dictionary else rows * value
    of_values, of_page = value * sqrt(max(0.0, variance)), _DEVIATION_BY_ROOT * sqrt(page_bytes)
    return max(_LEAST_DEVIATION_BYTES, of_values, of_page)


def _values_in(leaf: Leaf, rows: int) -> int:
    """Values of a column in so many rows; a map's keys, the same in all, count as if of one row."""
    return max(1, (1 if leaf.is_map_key else rows) * (leaf.items or 1))


def _keys(column: Columns) -> float:
    return float(len(span_of(column.type)[: column.values]))


def _value_bytes(column: Columns) -> tuple[float, float]:
    """Bytes of a value under zstd, and before."""
    if column.type in ("string", "binary"):
        digits = min(column.length, 64) / 2 if column.type == "string" else min(column.length, 32)
        return digits + _TEXT_OVERHEAD_BYTES, column.length + 4.0
    raw = float(_PLAIN_BYTES.get(column.type, 8))
    if of_decimal := decimal_digits(column.type):
        raw = _decimal_bytes(of_decimal[0])
    entropy = log2(_keys(column)) / 8 + _NUMBER_OVERHEAD_BYTES
    return min(raw, entropy, _ENTROPY_BYTES.get(column.type, raw)), raw


def _decimal_bytes(precision: int) -> float:
    if precision <= 18:
        return 4.0 if precision <= 9 else 8.0
    return float(ceil((precision * log2(10) + 1) / 8))


def footer_bytes(schema: Schema, columns: int, profile: WriterProfile) -> float:
    """Bytes of a file apart from its columns: footer, page indexes, and the JSON of its schema. Never negative."""
    seen = profile.footer
    return max(
        0.0,
        seen.mean_bytes
        + FOOTER_BYTES_PER_COLUMN * (columns - seen.columns)
        + (len(schema_json(schema).encode()) - seen.schema_bytes),
    )


@cache
def lineage_footer_bytes() -> float:
    """By how much the footer of a file that has the columns of row lineage is larger."""
    in_schema = len(schema_json(Schema(columns=LINEAGE_FIELDS))) - len(schema_json(Schema(columns=()))) + len(",")
    return FOOTER_BYTES_PER_COLUMN * len(LINEAGE_FIELDS) + in_schema


@dataclass(frozen=True, kw_only=True)
class FileSizes:
    """Sizes of a table's data files, which differ from file to file as the profile's writer's do.

    `constant` are the field ids of columns that have one value in each file: the table is partitioned by them. Where
    rows come `scattered`, their numbers and times are in no sequence.
    """

    schema: Schema
    leaves: tuple[Leaf, ...]
    constant: frozenset[int]
    rows: Rows
    profile: WriterProfile
    scattered: bool = False
    laws: dict[tuple[int, ...], tuple[Floats, Floats]] = field(default_factory=dict)  # by values of each column
    kinds: dict[Kind, ColumnSizes] = field(default_factory=dict)
    full: dict[int, int] = field(default_factory=dict)  # rows of a file that is closed for its size, by target

    @cached_property
    def footer_bytes(self) -> float:
        """Bytes around the columns of a file."""
        return footer_bytes(self.schema, len(self.leaves), self.profile)

    def mean_column_bytes(self, rows: int) -> float:
        """Bytes of the columns of a file of `rows` rows, on average."""
        return sum(count * self.mean_bytes(leaf, rows) for _, leaf, count in self._of_each_kind) * (rows > 0)

    def mean_bytes(self, leaf: Leaf, rows: int) -> float:
        """Bytes of one column of a file of `rows` rows, on average."""
        return self.kinds[self._kind_of(leaf)].mean(_values_in(leaf, rows))

    def rows_of_one(self, rows: float, target_bytes: int) -> float:
        """Rows of the first file that a task makes of so many: all of them, where they cannot come to the target."""
        return rows if rows * self.raw_row_bytes < target_bytes else min(rows, self.rows_until(target_bytes))

    def rows_until(self, target_bytes: int) -> int:
        """Rows after which Iceberg's writer in Java closes a file for its size: the first thousands at which what
        Parquet holds comes to the target: of each column its pages compressed, and the page under way as it is.
        pyiceberg goes by rows as they are in memory.
        """
        if target_bytes not in self.full:
            self.full[target_bytes] = self._rows_until(target_bytes)
        return self.full[target_bytes]

    def _rows_until(self, target_bytes: int) -> int:
        if self.profile.release.library == "python":
            return max(1, int(target_bytes // self.raw_row_bytes))
        columns = Counter(zip(self._kind_of_each, self._raw_bytes, strict=True))
        row_bytes = self.mean_column_bytes(_PAGE_ROWS) / _PAGE_ROWS
        rows = np.arange(1, ceil(target_bytes / row_bytes / ROWS_BETWEEN_LOOKS) + 2) * ROWS_BETWEEN_LOOKS
        held = np.zeros(len(rows))
        for (kind, raw_bytes), count in columns.items():
            in_page = min(_PAGE_ROWS, ceil(_PAGE_RAW_BYTES / raw_bytes))
            page_bytes = self.kinds[kind].of(in_page).mean_bytes
            held += count * (rows // in_page * page_bytes + rows % in_page * raw_bytes)
        last = len(rows) - 1
        return int(rows[min(int(np.searchsorted(np.maximum.accumulate(held), target_bytes)), last)])

    @cached_property
    def raw_row_bytes(self) -> float:
        """Bytes of a row, not compressed."""
        return sum(self._raw_bytes)

    @cached_property
    def _raw_bytes(self) -> list[float]:
        """Bytes of a row's values of each column, not compressed."""
        return [
            (8.0 if leaf.role is not None else _value_bytes(leaf.column)[1]) * (leaf.items or 1) for leaf in self.leaves
        ]

    def draw(self, rows: RowSet, rng: np.random.Generator, *, has_lineage: bool = False) -> FileBytes:
        """Bytes of a file that holds these rows; with `has_lineage`, their lineage columns too."""
        columns = self._draw_columns(tuple(len(rows) - self.rows.nulls(leaf, rows) for leaf in self.leaves), rng)
        if self.scattered and len(rows) <= MOST_COMPRESSED:
            columns |= {
                leaf.field_id: self.number_bytes(leaf, self.rows.values(leaf, rows))
                for leaf in self.leaves
                if leaf.role is not None
            }
        if not has_lineage:
            return FileBytes(columns=columns, around=round(self.footer_bytes))
        around = round(self.footer_bytes + lineage_footer_bytes())
        return FileBytes(columns=columns | lineage_sizes(rows), around=around)

    def number_bytes(self, leaf: Leaf, values: Ints) -> int:
        """Bytes of a column of these whole numbers."""
        return number_column_bytes(values, is_required=leaf.field_id in self._required)

    @cached_property
    def _required(self) -> frozenset[int]:
        return frozenset(one.field_id for one in self.schema.columns if one.required)

    def draw_full(self, rows: int, rng: np.random.Generator) -> FileBytes:
        """Bytes of a file of `rows` rows, each of which has every column.

        The law of each column is looked up at a round number of rows near by: looking it up is what takes time.
        """
        near = rows if rows < _EXACT_ROWS else round(exp(round(log(rows) / _NEAR) * _NEAR))
        columns = self._draw_columns((near,) * len(self.leaves), rng)
        if near != rows:
            columns = {key: round(size * rows / near) for key, size in columns.items()}
        return FileBytes(columns=columns, around=round(self.footer_bytes))

    def _draw_columns(self, counts: tuple[int, ...], rng: np.random.Generator) -> dict[int, int]:
        """Bytes of columns that hold these numbers of values, by field id."""
        if counts not in self.laws:
            values = [_values_in(leaf, count) for leaf, count in zip(self.leaves, counts, strict=True)]
            columns = list(zip(self._kind_of_each, values, strict=True))
            of_kind = {one: self.kinds[one[0]].of(one[1]) for one in dict.fromkeys(columns)}
            laws = [of_kind[one] for one in columns]
            deviations = np.array([law.deviation_bytes for law in laws])
            self.laws[counts] = np.rint([law.mean_bytes for law in laws]), deviations
        # both are whole: most files have the same bytes, as real ones have
        means, deviations = self.laws[counts]
        sizes = np.maximum(1, means + np.rint(deviations * rng.standard_normal(len(means)))).astype(np.int64)
        return dict(zip(self._field_ids, sizes.tolist(), strict=True))

    @cached_property
    def _field_ids(self) -> tuple[int, ...]:
        return tuple(leaf.field_id for leaf in self.leaves)

    @cached_property
    def _of_each_kind(self) -> list[tuple[Kind, Leaf, int]]:
        """Kinds of columns, one of each that has as many values a row, and how many there are."""
        groups: dict[tuple[Kind, int | None, bool], list[Leaf]] = {}
        for leaf, kind in zip(self.leaves, self._kind_of_each, strict=True):
            groups.setdefault((kind, leaf.items, leaf.is_map_key), []).append(leaf)
        return [(kind, held[0], len(held)) for (kind, _, _), held in groups.items()]

    def within_file(self, leaf: Leaf) -> Leaf:
        """The column with as many values as one file may hold."""
        if leaf.field_id not in self.constant:
            return leaf
        return replace(leaf, column=leaf.column.model_copy(update={"values": 1}))

    @cached_property
    def _kind_of_each(self) -> list[Kind]:
        return [self._kind_of(leaf) for leaf in self.leaves]

    def _kind_of(self, leaf: Leaf) -> Kind:
        """The kind of the leaf's column, with as many values as one file may hold; its law is then in `kinds`."""
        leaf = self.within_file(leaf)
        kind = kind_of(leaf)
        if kind not in self.kinds:
            self.kinds[kind] = ColumnSizes(leaf, self.profile)
        return kind
