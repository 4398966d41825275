"""Bytes of data files and their columns: encoded as Parquet would be, as in files like them, or by a profile's law."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wasim.iceberg.schemas import NestedField, Schema, StructType
from wasim.scenario.parts import Writer
from wasim.twin.lineage import lineage_columns, with_lineage_fields
from wasim.twin.parquet_footers import FileBytes, file_bytes
from wasim.twin.parquet_pages import Column, ColumnValues, encoded_columns
from wasim.twin.parquet_sizes import SizeLaw, column_size, footer_bytes
from wasim.twin.profile import WriterProfile
from wasim.twin.row_sets import RowSet
from wasim.twin.rows import Rows
from wasim.twin.schema import Leaf

MOST_ROWS_ENCODED = 4_096  # of a file; larger ones hardly differ from each other, and the law has measured samples
MOST_FILES_ENCODED = 64  # of like ones, with as many rows
_ROWS_OF_LIKE_FILES = 16_384  # encoded at most, unless one file has more
_NO_COLUMNS = Schema(columns=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Encoded:
    """A file's columns, the schema that its writer was given, and what both come to."""

    columns: list[Column]
    schema: Schema
    sizes: FileBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSizes:
    """Sizes of a table's data files.

    The first files of so many rows, as many of them written in each shape of the table, are encoded, each for itself;
    later ones take after one of those. What may be null in rows that arrive is what their query knows: structs never
    are, nor is a batch's `event_id`; a stream to the table minds no NOT NULL.
    """

    schema: Schema
    leaves: tuple[Leaf, ...]
    rows: Rows
    profile: WriterProfile
    writer: Writer
    encoded: dict[tuple[bool, int, tuple[int, ...]], list[_Encoded]] = field(default_factory=dict)  # of like files
    laws: dict[tuple[int, ...], list[SizeLaw]] = field(default_factory=dict)  # by values of each column

    def of(self, rows: RowSet, rng: np.random.Generator, *, arrives: bool, has_lineage: bool = False) -> FileBytes:
        """Bytes of a file that holds these rows, which arrive or were in the table before."""
        lineage = lineage_columns(rows) if has_lineage else []
        count = len(rows)
        if count > MOST_ROWS_ENCODED:
            return self._by_law(rows, lineage, rng)
        alike = self.encoded.setdefault((arrives, count, self.rows.ages(rows)), [])
        if len(alike) < max(1, min(MOST_FILES_ENCODED, _ROWS_OF_LIKE_FILES // count)):
            one = self._encode(rows, arrives=arrives)
            alike.append(one)
        else:
            one = alike[int(rng.integers(len(alike)))]
        if not has_lineage:
            return one.sizes
        return file_bytes([*one.columns, *lineage], count, with_lineage_fields(one.schema))

    def _encode(self, rows: RowSet, *, arrives: bool) -> _Encoded:
        columns = encoded_columns([self._values(leaf, rows, arrives=arrives) for leaf in self.leaves])
        schema = self.schema
        if arrives:
            optional = {column.leaf.field_id for column in columns if column.depth}
            schema = replace(schema, columns=tuple(_as_asked(one, optional) for one in schema.columns))
        return _Encoded(columns=columns, schema=schema, sizes=file_bytes(columns, len(rows), schema))

    def _values(self, leaf: Leaf, rows: RowSet, *, arrives: bool) -> ColumnValues:
        told = self.rows.told(leaf, rows)
        return ColumnValues(
            leaf=leaf,
            values=self.rows.values(leaf, rows if told is None else rows.take(told)),
            depth=self._depth_of_new(leaf) if arrives else leaf.depth,
            told=told,
        )

    def _depth_of_new(self, leaf: Leaf) -> int:
        if self.writer.kind == "batch":
            return 0 if leaf.column.required or leaf.name == "event_id" else 1
        return 0 if leaf.column.required and self.writer.sink == "foreach_batch" else 1

    def _by_law(self, rows: RowSet, lineage: Sequence[Column], rng: np.random.Generator) -> FileBytes:
        count = len(rows)
        told = tuple(count - self.rows.nulls(leaf, rows) for leaf in self.leaves)
        if told not in self.laws:
            pairs = zip(self.leaves, told, strict=True)
            self.laws[told] = [column_size(leaf, max(1, values), self.profile) for leaf, values in pairs]
        noise = rng.standard_normal(len(self.leaves))
        columns = {
            leaf.field_id: max(1, round(law.mean_bytes + law.deviation_bytes * float(z)))
            for leaf, law, z in zip(self.leaves, self.laws[told], noise, strict=True)
        }
        around = max(0, round(footer_bytes(self.schema, len(self.leaves), self.profile)))
        if lineage:
            alone = file_bytes(lineage, count, with_lineage_fields(_NO_COLUMNS))
            columns |= alone.columns
            around += alone.around - file_bytes([], count, _NO_COLUMNS).around
        return FileBytes(columns=columns, around=around)


def _as_asked(column: NestedField, optional: Collection[int]) -> NestedField:
    """The column as a query gives it: what may be null are these simple ones."""
    if isinstance(column.type, StructType):
        inner = StructType(tuple(_as_asked(one, optional) for one in column.type.fields))
        return replace(column, type=inner, required=True)
    return replace(column, required=column.field_id not in optional)
