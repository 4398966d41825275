"""Equality-delete files: the keys of rows, in Parquet, as manifests describe them."""

from collections.abc import Sequence

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.manifest_entries import FileContent
from wasim.iceberg.schemas import Schema, schema_json
from wasim.simulate.data_files import DataFiles
from wasim.simulate.parquet_footers import MAGIC_BYTES
from wasim.simulate.parquet_pages import value_bytes
from wasim.simulate.parquet_sizes import column_size
from wasim.simulate.schema import Leaf

# Of the footer beside the keys' schema and bounds: measured on files of 1 … 20,000 rows and one or two columns, ±20 B.
_FOOTER_BYTES, _FOOTER_BYTES_PER_COLUMN = 190, 113
_BOUNDS_IN_FOOTER = 4  # each column's least and greatest value, twice


def equality_delete_file(
    path: str, keys: Sequence[Leaf], written: DataFileEntry, deletes: int, files: DataFiles
) -> DataFileEntry:
    """A file that deletes the keys of the rows that a subtask has `written`, `deletes` different ones.

    Its columns are those of the data file, and so are their statistics; where keys came again it holds them once.
    """
    sizes = {key.field_id: _column_bytes(key, written, deletes, files) for key in keys}
    counted = [key for number in java_map_order(sizes) for key in keys if key.field_id == number and key.has_counts]
    bounded = {key.field_id for key in counted}
    return DataFileEntry(
        file_path=path,
        record_count=deletes,
        file_size_bytes=sum(sizes.values()) + _footer_bytes(keys, files.schema),
        content=FileContent.EQUALITY_DELETES,
        partition=written.partition,
        column_sizes={key.field_id: sizes[key.field_id] for key in counted},
        value_counts={key.field_id: deletes for key in counted},
        null_value_counts={key.field_id: 0 for key in counted},
        nan_value_counts={},
        lower_bounds={key: bound for key, bound in (written.lower_bounds or {}).items() if key in bounded},
        upper_bounds={key: bound for key, bound in (written.upper_bounds or {}).items() if key in bounded},
        split_offsets=(MAGIC_BYTES,),
        equality_ids=tuple(key.field_id for key in keys),
        sort_order_id=0,
    )


def _column_bytes(key: Leaf, written: DataFileEntry, deletes: int, files: DataFiles) -> int:
    if deletes == written.record_count and key.field_id in (written.column_sizes or {}):
        return (written.column_sizes or {})[key.field_id]
    return round(column_size(key, deletes, files.profile).mean_bytes)


def _footer_bytes(keys: Sequence[Leaf], schema: Schema) -> int:
    numbers = {key.field_id for key in keys}
    of_keys = Schema(columns=tuple(one for one in schema.columns if one.field_id in numbers))
    bounds = sum(map(value_bytes, keys))
    fixed = _FOOTER_BYTES + _FOOTER_BYTES_PER_COLUMN * len(keys)
    return fixed + len(schema_json(of_keys).encode()) + _BOUNDS_IN_FOOTER * bounds
