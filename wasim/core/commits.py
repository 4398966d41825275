"""A commit as a value, and as the line of JSON that the JVM's side reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import FileContent, FileKey, PartitionValue
from wasim.iceberg.schemas import PrimitiveType, Type, decimal_digits
from wasim.iceberg.updates import Way

_CONTENT = {
    FileContent.DATA: "data",
    FileContent.POSITION_DELETES: "position-deletes",
    FileContent.EQUALITY_DELETES: "equality-deletes",
}
_START = datetime(1970, 1, 1, tzinfo=UTC)


def content_file_json(file: DataFileEntry, partition_types: Sequence[Type], *, spec_id: int = 0) -> dict[str, Any]:
    """The object of a file of that partition spec. Maps keep their order."""
    values = zip(file.partition, partition_types, strict=True)
    members = {
        "spec-id": spec_id,
        "content": _CONTENT[FileContent(file.content)],
        "file-path": file.file_path,
        "file-format": file.file_format,
        "partition": [_single_value(value, kind) for value, kind in values] or None,
        "file-size-in-bytes": file.file_size_bytes,
        "record-count": file.record_count,
        "column-sizes": _map(file.column_sizes),
        "value-counts": _map(file.value_counts),
        "null-value-counts": _map(file.null_value_counts),
        "nan-value-counts": _map(file.nan_value_counts),
        "lower-bounds": _map(_hex(file.lower_bounds)),
        "upper-bounds": _map(_hex(file.upper_bounds)),
        "split-offsets": file.split_offsets,
        "equality-ids": file.equality_ids,
        "sort-order-id": file.sort_order_id,
        "first-row-id": file.first_row_id,
        "referenced-data-file": file.referenced_data_file,
        "content-offset": file.content_offset,
        "content-size-in-bytes": file.content_size_bytes,
    }
    return {name: value for name, value in members.items() if value is not None}


def _map(values: Mapping[int, int | str] | Mapping[int, int] | Mapping[int, str] | None) -> dict[str, Any] | None:
    return None if values is None else {"keys": list(values), "values": list(values.values())}


def _hex(values: Mapping[int, bytes] | None) -> dict[int, str] | None:
    return None if values is None else {key: value.hex().upper() for key, value in values.items()}


def _single_value(value: PartitionValue, kind: Type) -> Any:
    """A partition value in the specification's JSON single-value serialization."""
    name = kind.name if isinstance(kind, PrimitiveType) else ""
    if isinstance(value, bytes):
        digits = decimal_digits(PrimitiveType(name))
        if digits is None:
            return value.hex().upper()
        return str(Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-digits[1]))
    if name == "date" and isinstance(value, int):
        return (_START + timedelta(days=value)).date().isoformat()
    if name.startswith("timestamp") and isinstance(value, int):
        moment = _START + timedelta(microseconds=value)
        text = moment.replace(tzinfo=None).isoformat(timespec="microseconds")
        return text + ("+00:00" if name == "timestamptz" else "")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedCommit:
    """One commit as its writer would have made it: the data files and delete files that it adds, those that it takes
    out by name, the summary keys that are its own, and the operation of Iceberg's that commits it.

    `rows` is the range of row numbers of which `delete_files` drops all files. `planned_before` is how many commits
    were made since the work of `rewrite_files` was planned.
    """

    way: Way = Way.APPEND
    files: Sequence[DataFileEntry] = ()
    deletes: Sequence[DataFileEntry] = ()
    removed: Sequence[FileKey] = ()
    rows: tuple[int, int] = (0, 0)
    summary: Mapping[str, str] = field(default_factory=dict)
    planned_before: int = 0


def commit_line(described: DescribedCommit, partition_types: Sequence[Type], *, spec_id: int) -> str:
    """The commit as one line; its files are of the partition spec with that id."""
    files, deletes = (
        [content_file_json(file, partition_types, spec_id=spec_id) for file in entries]
        for entries in (described.files, described.deletes)
    )
    line = {
        "way": described.way,
        "summary": dict(described.summary),
        "files": files,
        "deletes": deletes,
        "removed": [f"{'-' if offset is None else offset}\t{path}" for path, offset in described.removed],
        "rows": described.rows,
        "planned_before": described.planned_before,
    }
    return json.dumps(line, separators=(",", ":"))
