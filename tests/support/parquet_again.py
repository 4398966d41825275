"""A Parquet file sized again from what is in it: its values, its schema and what its footer tells."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from wasim.iceberg.schemas import NestedField, StructType, read_schema
from wasim.scenario.parts import Columns
from wasim.twin.parquet_footers import FileBytes, file_bytes
from wasim.twin.parquet_pages import ColumnValues, encoded_columns
from wasim.twin.rows import decimal_digits
from wasim.twin.schema import Leaf


def sizes_of(path: Path) -> FileBytes:
    """Bytes of the file as it is."""
    with pq.ParquetFile(path) as file:
        group = file.metadata.row_group(0)
        assert file.metadata.num_row_groups == 1
        chunks = [group.column(place) for place in range(group.num_columns)]
        ids = [_leaf.field_id for _leaf in _leaves(_schema(file).columns)]
    sizes = {number: chunk.total_compressed_size for number, chunk in zip(ids, chunks, strict=True)}
    return FileBytes(columns=sizes, around=path.stat().st_size - sum(sizes.values()))


def sizes_again(path: Path) -> FileBytes:
    """Bytes of the file as the simulator would have it of these rows."""
    with pq.ParquetFile(path) as file:
        schema, table = _schema(file), file.read()
        texts = {key.decode(): text.decode() for key, text in (file.metadata.metadata or {}).items()}
    columns = encoded_columns([_values(leaf, table) for leaf in _leaves(schema.columns)])
    del texts["iceberg.schema"]
    return file_bytes(columns, table.num_rows, schema, texts)


def _schema(file: pq.ParquetFile):
    return read_schema(file.metadata.metadata[b"iceberg.schema"], source="")


def _leaves(fields: tuple[NestedField, ...], before: str = "", depth: int = 0) -> Iterator[Leaf]:
    for field in fields:
        name, nulls = before + field.name, depth + (not field.required)
        if isinstance(field.type, StructType):
            yield from _leaves(field.type.fields, f"{name}.", nulls)
        else:
            column = Columns.model_construct(name=name, type=field.type.name.replace(" ", ""))
            yield Leaf(
                field_id=field.field_id,
                name=name,
                column=column,
                salt="",
                has_counts=True,
                bound_length=0,
                depth=nulls,
            )


def _values(leaf: Leaf, table: pa.Table) -> ColumnValues:
    first, *inner = leaf.name.split(".")
    values = table.column(first).combine_chunks()
    for name in inner:
        values = values.field(name)
    told = values.is_valid().to_numpy(zero_copy_only=False)
    kind, values = leaf.column.type, values.drop_null()
    if kind.startswith("decimal"):
        scale = decimal_digits(leaf.column)[1]
        made = np.array([int(value.scaleb(scale)) for value in values.to_pylist()], dtype=object)
    elif kind.startswith("timestamp"):
        made = values.cast(pa.int64()).to_numpy()
    elif kind == "date":
        made = values.cast(pa.int32()).to_numpy()
    elif kind in ("string", "binary"):
        made = np.array(values.to_pylist(), dtype=object)
    else:
        made = values.to_numpy(zero_copy_only=False)
    return ColumnValues(leaf=leaf, values=made, depth=leaf.depth, told=told)
