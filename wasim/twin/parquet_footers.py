"""What a Parquet file holds beside its columns: its magic bytes, the indexes of its pages, and the footer.

All of it is Thrift's compact protocol: a byte before each field, numbers as zig-zag varints, one byte to end a struct.
Facts from Parquet.thrift and parquet-java (ParquetFileWriter, ParquetMetadataConverter); files of one row group, as
Iceberg writes them, have exactly these sizes (tests/test_simulate_parquet.py, tests/test_simulate_delete_files.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from wasim.iceberg.schemas import NestedField, Schema, StructType, schema_json
from wasim.twin.parquet_pages import Column, number_bytes, varint_bytes
from wasim.twin.schema import Leaf

MAGIC_BYTES = 4
_LENGTH_BYTES = 4  # of the footer's length at its end
_SCHEMA_KEY = "iceberg.schema"
_CREATED_BY = len(
    "parquet-mr version 1.17.1 (build 78a8d3230eb4769db93de5f2f2e18363c04cae81)"
)  # as long in 1.15 and 1.16
_ROOT_NAME = "table"
_NO_METADATA: Mapping[str, str] = MappingProxyType({})
_END = 1
_SMALL_LIST = 15  # from so many on, a list's length is a number of its own
_UNSIGNED = ("string", "binary", "decimal")  # types whose bounds older readers cannot compare


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBytes:
    """Bytes of a file: of its columns by field id, and of what is `around` them."""

    columns: dict[int, int]
    around: int

    @property
    def total(self) -> int:
        """Bytes of the file."""
        return sum(self.columns.values()) + self.around


def file_bytes(
    columns: Sequence[Column], rows: int, schema: Schema, metadata: Mapping[str, str] = _NO_METADATA
) -> FileBytes:
    """Bytes of a file of so many rows in these columns.

    `schema` is the one that the writer was given, `metadata` what the footer tells beside it.
    """
    stored = {column.leaf.field_id: column.chunk.stored for column in columns}
    return FileBytes(columns=stored, around=_bytes_around(columns, rows, schema, metadata))


def _bytes_around(columns: Sequence[Column], rows: int, schema: Schema, metadata: Mapping[str, str]) -> int:
    start, places = MAGIC_BYTES, []
    for column in columns:
        places.append(start)
        start += column.chunk.stored
    data_end = start
    indexes = [_column_index(column) for column in columns]
    offsets = [_offset_index(column, place) for column, place in zip(columns, places, strict=True)]
    chunks = 0
    offset_at = data_end + sum(indexes)
    index_at = data_end
    for column, place, index, offset in zip(columns, places, indexes, offsets, strict=True):
        of_indexes = sum(map(_number, (offset_at, offset, index_at, index)))
        chunks += 2 + 1 + _column_meta(column, place, rows) + of_indexes + _END
        index_at, offset_at = index_at + index, offset_at + offset
    group = _list(len(columns)) + chunks
    stored, raw = data_end - MAGIC_BYTES, sum(column.chunk.raw for column in columns)
    group += _number(raw) + _number(rows) + _number(MAGIC_BYTES) + _number(stored) + _number(0) + _END
    footer = (
        _number(1)
        + _schema_elements(columns, schema)
        + _number(rows)
        + (_list(1) + group)
        + _texts_by_key({_SCHEMA_KEY: schema_json(schema), **metadata})
        + _text(_CREATED_BY)
        + (_list(len(columns)) + 3 * len(columns))
        + _END
    )
    return MAGIC_BYTES + sum(indexes) + sum(offsets) + footer + _LENGTH_BYTES + MAGIC_BYTES


def _texts_by_key(texts: Mapping[str, str]) -> int:
    return _list(len(texts)) + sum(
        _text(len(key.encode())) + _text(len(text.encode())) + _END for key, text in texts.items()
    )


def _column_meta(column: Column, place: int, rows: int) -> int:
    chunk = column.chunk
    encodings = 3 if column.depth else 2  # of values, and of levels if there are any
    path = column.leaf.name.split(".")
    size = _number(0) + _list(encodings) + encodings  # the type, and how values are encoded
    size += _list(len(path)) + sum(_text(len(part.encode())) - 1 for part in path)
    size += _number(0) + sum(map(_number, (rows, chunk.raw, chunk.stored, place + chunk.dictionary_bytes)))
    size += _number(place) if chunk.dictionary else 0
    kinds = [1, len(chunk.pages)] if chunk.dictionary else [len(chunk.pages)]  # how many pages of each
    statistics_of_pages = _list(len(kinds)) + sum(2 * _number(1) + _number(pages) + _END for pages in kinds)
    return size + _statistics(column) + statistics_of_pages + _size_statistics(column, rows) + _END


def _statistics(column: Column) -> int:
    """Both bounds, and once more for older readers where these cannot misunderstand them."""
    chunk = column.chunk
    times = 1 if column.leaf.column.type.startswith(_UNSIGNED) and not chunk.is_constant else 2
    return 1 + times * sum(map(_text, chunk.bounds or ())) + _number(chunk.nulls) + _END


def _size_statistics(column: Column, rows: int) -> int:
    size = _number(column.chunk.text) if column.chunk.text else 0
    return 1 + size + _levels(column, [rows]) + _END


def _levels(column: Column, rows: Sequence[int]) -> int:
    """How often each level comes in each part of so many rows: told only where there are more than two."""
    if column.depth < 2:
        return 0
    return _list(len(rows) * (column.depth + 1)) + sum(column.depth + _item(count) for count in rows)


def _column_index(column: Column) -> int:
    pages = column.chunk.pages
    lengths = [length for page in pages for length in page.bounds or (0, 0)]
    bounds = 2 * _list(len(pages)) + sum(varint_bytes(length) + length for length in lengths)
    nulls = _list(len(pages)) + sum(_item(page.nulls) for page in pages)
    is_null = _list(len(pages)) + len(pages)
    return is_null + bounds + _number(1) + nulls + _levels(column, [page.rows for page in pages]) + _END


def _offset_index(column: Column, place: int) -> int:
    pages = column.chunk.pages
    size, row, texts = _list(len(pages)), 0, 0
    place += column.chunk.dictionary_bytes
    for page in pages:
        size += _number(place) + _number(page.stored) + _number(row) + _END
        place, row = place + page.stored, row + page.rows
        texts += _item(page.text)
    return size + (_list(len(pages)) + texts if column.chunk.text else 0) + _END


def _schema_elements(columns: Sequence[Column], schema: Schema) -> int:
    leaves = {column.leaf.field_id: column.leaf for column in columns}
    root = _text(len(_ROOT_NAME)) + _number(len(schema.columns)) + _END
    found = [size for field in schema.columns for size in _elements(field, leaves)]
    return _list(1 + len(found)) + root + sum(found)


def _elements(field: NestedField, leaves: dict[int, Leaf]) -> list[int]:
    """Bytes of the schema elements of a field, and of those within it."""
    size = _number(0) + _text(len(field.name.encode())) + _number(field.field_id) + _END
    if isinstance(field.type, StructType):
        inner = [one for part in field.type.fields for one in _elements(part, leaves)]
        return [size + _number(len(field.type.fields)), *inner]
    return [size + _number(0) + _annotation(leaves[field.field_id])]


def _annotation(leaf: Leaf) -> int:
    """What says more of a type than how it is stored: an older and a newer form."""
    kind = leaf.column.type
    if kind in ("string", "date"):
        return _number(0) + 4
    if kind.startswith("timestamp"):
        return _number(0) + 9
    if kind.startswith("decimal"):
        length = _number(0) if number_bytes(leaf) > 8 else 0  # of a fixed one
        # scale and precision, which take a byte each, in both forms
        return length + 3 * _number(0) + 2 + 2 * _number(0) + 2
    return 0


def _number(value: int) -> int:
    """Bytes of a field that is a number, not negative."""
    return 1 + _item(value)


def _item(value: int) -> int:
    """Bytes of a number, not negative, in a list."""
    return varint_bytes(value << 1)


def _text(length: int) -> int:
    """Bytes of a field that is a text of so many bytes."""
    return 1 + varint_bytes(length) + length


def _list(items: int) -> int:
    """Bytes before the items of a field that is a list."""
    return 2 if items < _SMALL_LIST else 2 + varint_bytes(items)
