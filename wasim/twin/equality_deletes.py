"""Equality-delete files: the keys of rows, in Parquet, as manifests describe them."""

from collections.abc import Sequence

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.manifest_entries import FileContent
from wasim.iceberg.schemas import Schema
from wasim.twin.data_files import DataFiles
from wasim.twin.file_sizes import MOST_ROWS_ENCODED
from wasim.twin.parquet_footers import MAGIC_BYTES, FileBytes, file_bytes
from wasim.twin.parquet_pages import ColumnValues, encoded_columns
from wasim.twin.parquet_sizes import column_size
from wasim.twin.row_sets import RowSet
from wasim.twin.schema import Leaf


def equality_delete_file(
    path: str, keys: Sequence[Leaf], written: DataFileEntry, rows: RowSet, files: DataFiles
) -> DataFileEntry:
    """A file that deletes the keys of these rows, which a subtask has `written`: each once, where it came first.

    Its statistics are those of the data file.
    """
    deleted = rows.take(np.sort(np.unique(rows.numbers, return_index=True)[1]))
    sizes = _sizes(keys, deleted, files)
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


def _sizes(keys: Sequence[Leaf], deleted: RowSet, files: DataFiles) -> FileBytes:
    """Bytes of the file. That of many keys has columns as the profile's law says, and else what a smaller one has."""
    encoded = deleted.take(np.arange(min(len(deleted), MOST_ROWS_ENCODED)))
    columns = encoded_columns(
        [ColumnValues(leaf=key, values=files.rows.values(key, encoded), depth=key.depth) for key in keys]
    )
    texts = {"delete-type": "equality", "delete-field-ids": ", ".join(str(key.field_id) for key in keys)}
    sizes = file_bytes(columns, len(deleted), _schema_of(keys, files.schema), texts)
    if len(encoded) == len(deleted):
        return sizes
    by_law = {key.field_id: round(column_size(key, len(deleted), files.profile).mean_bytes) for key in keys}
    return FileBytes(columns=by_law, around=sizes.around)


def _schema_of(keys: Sequence[Leaf], schema: Schema) -> Schema:
    """The table's schema if keys are all that it has, else theirs alone."""
    numbers = {key.field_id for key in keys}
    columns = tuple(one for one in schema.columns if one.field_id in numbers)
    return schema if columns == schema.columns else Schema(columns=columns)
