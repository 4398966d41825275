"""Delete files as manifests describe them: position deletes in Parquet (v2), deletion vectors in Puffin files (v3), and
equality deletes, the keys of rows in Parquet.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import hashed_order, iceberg_partition_hash, iceberg_text_hash, java_map_order
from wasim.iceberg.record_fields import FileContent, PartitionValue, key_of
from wasim.iceberg.schemas import Schema
from wasim.twin.bounds import single_value
from wasim.twin.data_files import DataFiles
from wasim.twin.delete_sizes import (
    BITMAPS_BYTES,
    POSITIONS_BYTES,
    VECTOR_BYTES,
    bitmap_header_bytes,
    container_sizes,
    position_delete_bytes,
)
from wasim.twin.file_sizes import MAGIC_BYTES, ColumnSizes, FileBytes, footer_bytes
from wasim.twin.row_sets import RowSet
from wasim.twin.schema import Leaf
from wasim.units import Ints

CREATOR_KEY = "iceberg-version"  # of a summary: what writes Puffin files signs them with it
PATH_ID, POSITION_ID = 2147483546, 2147483545
_PATHS_DEVIATION_BYTES = 1.2  # random names deflate to more or less
_POSITIONS_DEVIATION = 0.02
_DELETE_TYPE_BYTES = 60  # of the footer's `delete-type` and `delete-field-ids`
_ROW_POSITION_ID = 2147483645
PUFFIN_MAGIC_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedRows:
    """Positions, ascending, that are deleted from one data file."""

    path: str
    partition: tuple[PartitionValue, ...]
    positions: Ints


def in_map_order(deleted: Sequence[DeletedRows]) -> list[DeletedRows]:
    """By partition, and by path, in the order in which Iceberg's writer closes the files that delete from them: that of
    its hash maps.
    """
    by_partition: dict[tuple[PartitionValue, ...], dict[str, DeletedRows]] = {}
    for one in deleted:
        by_partition.setdefault(one.partition, {})[one.path] = one
    in_order = [by_partition[key] for key in hashed_order(by_partition, iceberg_partition_hash)]
    return [rows[path] for rows in in_order for path in hashed_order(rows, iceberg_text_hash)]


def position_delete_file(path: str, deleted: Sequence[DeletedRows], rng: np.random.Generator) -> DataFileEntry:
    """A Parquet file that deletes rows of these files of one partition, in the order of their paths."""
    in_order = sorted(deleted, key=lambda one: one.path)
    positions = np.concatenate([one.positions for one in in_order])
    sizes = _position_delete_bytes(in_order, rng)
    lower = upper = None  # of several files Iceberg keeps no bounds
    if len(in_order) == 1:
        lower, upper = (
            {PATH_ID: in_order[0].path.encode(), POSITION_ID: single_value("long", int(bound))}
            for bound in (positions.min(), positions.max())
        )
    return DataFileEntry(
        file_path=path,
        record_count=len(positions),
        file_size_bytes=sizes.total,
        content=FileContent.POSITION_DELETES,
        partition=deleted[0].partition,
        column_sizes=sizes.columns,
        lower_bounds=lower,
        upper_bounds=upper,
        split_offsets=(MAGIC_BYTES,),
    )


def _position_delete_bytes(deleted: Sequence[DeletedRows], rng: np.random.Generator) -> FileBytes:
    rows = sum(len(one.positions) for one in deleted)
    span = sum(int(one.positions[-1]) - int(one.positions[0]) + 1 for one in deleted)
    path_bytes = len(deleted[0].path.encode())
    paths, positions, around = position_delete_bytes(len(deleted), path_bytes, rows, span)
    deviation = _POSITIONS_DEVIATION * (positions - POSITIONS_BYTES)
    noise = rng.standard_normal(2) * (_PATHS_DEVIATION_BYTES, deviation)
    columns = {PATH_ID: round(paths) + round(float(noise[0])), POSITION_ID: round(positions) + round(float(noise[1]))}
    return FileBytes(columns=columns, around=round(around))


def deletion_vectors(path: str, deleted: Sequence[DeletedRows], created_by: str) -> list[DataFileEntry]:
    """The vectors that one task writes into one Puffin file, which holds them in the order of Java's map."""
    by_path = {one.path: one for one in deleted}
    vectors, offset = [], PUFFIN_MAGIC_BYTES
    for name in java_map_order(by_path):
        one = by_path[name]
        size = VECTOR_BYTES + BITMAPS_BYTES + bitmap_bytes(one.positions)
        vectors.append(
            DataFileEntry(
                file_path=path,
                record_count=len(one.positions),
                file_size_bytes=0,  # all vectors of a file carry its final size
                content=FileContent.POSITION_DELETES,
                file_format="PUFFIN",
                partition=one.partition,
                referenced_data_file=name,
                content_offset=offset,
                content_size_bytes=size,
            )
        )
        offset += size
    blobs = [
        {
            "type": "deletion-vector-v1",
            "fields": [_ROW_POSITION_ID],
            "snapshot-id": -1,
            "sequence-number": -1,
            "offset": one.content_offset,
            "length": one.content_size_bytes,
            "properties": {"referenced-data-file": one.referenced_data_file, "cardinality": str(one.record_count)},
        }
        for one in vectors
    ]
    file_bytes = offset + puffin_footer_bytes(blobs, created_by)
    return [replace(vector, file_size_bytes=file_bytes) for vector in vectors]


def puffin_footer_bytes(blobs: Sequence[Mapping[str, object]], created_by: str) -> int:
    """Bytes of a Puffin file's footer: uncompressed JSON, and four each for magic, length, flags and magic again."""
    footer = {"blobs": blobs, "properties": {"created-by": created_by}}
    return len(json.dumps(footer, separators=(",", ":"), ensure_ascii=False).encode()) + 16


def bitmap_bytes(positions: Ints) -> int:
    """Size of the Roaring bitmap of these positions, ascending, its containers run-length encoded where that is less.

    Source: the portable format of the Roaring bitmaps' specification.
    """
    highs, starts = np.unique(positions >> 16, return_index=True)
    groups = np.split(positions, starts[1:])
    encoded = [container_sizes(len(group), 1 + int(np.count_nonzero(np.diff(group) > 1))) for group in groups]
    header = bitmap_header_bytes(len(highs), any(is_run for _, is_run in encoded))
    return round(header + sum(size for size, _ in encoded))


def write_position_deletes(
    files: DataFiles, path: str, deleted: Sequence[DeletedRows], rng: np.random.Generator
) -> DataFileEntry:
    """A file that deletes these rows of one partition, which `files` know from then on."""
    written = position_delete_file(path, deleted, rng)
    files.positions_in[key_of(written)] = {one.path: one.positions for one in deleted}
    return written


def write_vectors(files: DataFiles, path: str, deleted: Sequence[DeletedRows]) -> list[DataFileEntry]:
    """The vectors of one Puffin file that delete these rows, which `files` know from then on."""
    positions = {one.path: one.positions for one in deleted}
    vectors = deletion_vectors(path, deleted, files.profile.summary.get(CREATOR_KEY, ""))
    for vector in vectors:
        name = vector.referenced_data_file or ""
        files.positions_in[key_of(vector)] = {name: positions[name]}
    return vectors


def equality_delete_file(
    path: str, keys: Sequence[Leaf], written: DataFileEntry, rows: RowSet, files: DataFiles
) -> DataFileEntry:
    """A file that deletes the keys of these rows, which a subtask has `written`: each once, where it came first.

    Its statistics are the data file's; its bytes follow the profile's law, but its rows' numbers are compressed.
    """
    once = rows.take(np.sort(np.unique(rows.numbers, return_index=True)[1]))
    count, written_bytes = len(once), equality_delete_bytes(keys, once, files)
    sizes = written_bytes.columns
    counted = {number: sizes[number] for number in java_map_order(sizes) if number in (written.value_counts or {})}
    return DataFileEntry(
        file_path=path,
        record_count=count,
        file_size_bytes=written_bytes.total,
        content=FileContent.EQUALITY_DELETES,
        partition=written.partition,
        column_sizes=counted,
        value_counts=dict.fromkeys(counted, count),
        null_value_counts=dict.fromkeys(counted, 0),
        nan_value_counts={},
        lower_bounds={key: bound for key, bound in (written.lower_bounds or {}).items() if key in counted},
        upper_bounds={key: bound for key, bound in (written.upper_bounds or {}).items() if key in counted},
        split_offsets=(MAGIC_BYTES,),
        equality_ids=tuple(key.field_id for key in keys),
        sort_order_id=0,
    )


def equality_delete_bytes(keys: Sequence[Leaf], rows: RowSet, files: DataFiles) -> FileBytes:
    """Bytes of a Parquet file that deletes different rows by their keys."""
    sizes, profile = files.file_sizes, files.profile
    columns = {
        key.field_id: round(ColumnSizes(sizes.within_file(key), profile).of(len(rows)).mean_bytes)
        if key.role is None
        else sizes.number_bytes(key, files.rows.values(key, rows))
        for key in keys
    }
    around = round(footer_bytes(_schema_of(keys, files.schema), len(keys), profile)) + _DELETE_TYPE_BYTES
    return FileBytes(columns=columns, around=round(around))


def _schema_of(keys: Sequence[Leaf], schema: Schema) -> Schema:
    """The table's schema if keys are all that it has, else theirs alone."""
    numbers = {key.field_id for key in keys}
    columns = tuple(one for one in schema.columns if one.field_id in numbers)
    return schema if columns == schema.columns else Schema(columns=columns)
