"""Equality-delete files: the keys of rows, in Parquet, as manifests describe them."""

from collections.abc import Sequence

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.manifest_entries import FileContent
from wasim.iceberg.schemas import Schema
from wasim.twin.data_files import DataFiles
from wasim.twin.file_sizes import MAGIC_BYTES, ColumnSizes, FileBytes, footer_bytes
from wasim.twin.row_sets import RowSet
from wasim.twin.schema import Leaf

_DELETE_TYPE_BYTES = 60  # of the footer's `delete-type` and `delete-field-ids`


def equality_delete_file(
    path: str, keys: Sequence[Leaf], written: DataFileEntry, rows: RowSet, files: DataFiles
) -> DataFileEntry:
    """A file that deletes the keys of these rows, which a subtask has `written`: each once, where it came first.

    Its statistics are those of the data file.
    """
    deleted = rows.take(np.sort(np.unique(rows.numbers, return_index=True)[1]))
    sizes = _sizes(keys, len(deleted), files)
    counted = [
        key for number in java_map_order(sizes.columns) for key in keys if key.field_id == number and key.has_counts
    ]
    bounded = {key.field_id for key in counted}
    return DataFileEntry(
        file_path=path,
        record_count=len(deleted),
        file_size_bytes=sizes.total,
        content=FileContent.EQUALITY_DELETES,
        partition=written.partition,
        column_sizes={key.field_id: sizes.columns[key.field_id] for key in counted},
        value_counts={key.field_id: len(deleted) for key in counted},
        null_value_counts={key.field_id: 0 for key in counted},
        nan_value_counts={},
        lower_bounds={key: bound for key, bound in (written.lower_bounds or {}).items() if key in bounded},
        upper_bounds={key: bound for key, bound in (written.upper_bounds or {}).items() if key in bounded},
        split_offsets=(MAGIC_BYTES,),
        equality_ids=tuple(key.field_id for key in keys),
        sort_order_id=0,
    )


def _sizes(keys: Sequence[Leaf], rows: int, files: DataFiles) -> FileBytes:
    """Bytes of a file of `rows` keys, by the profile's law."""
    columns = {key.field_id: round(ColumnSizes(key, files.profile).of(rows).mean_bytes) for key in keys}
    around = footer_bytes(_schema_of(keys, files.schema), len(keys), files.profile)
    return FileBytes(columns=columns, around=round(around) + _DELETE_TYPE_BYTES)


def _schema_of(keys: Sequence[Leaf], schema: Schema) -> Schema:
    """The table's schema if keys are all that it has, else theirs alone."""
    numbers = {key.field_id for key in keys}
    columns = tuple(one for one in schema.columns if one.field_id in numbers)
    return schema if columns == schema.columns else Schema(columns=columns)
