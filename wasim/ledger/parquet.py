"""Events, reports and ledgers as Parquet with a schema version; an unknown version is refused by name."""

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from wasim.errors import SavedFileError
from wasim.iceberg import Kind
from wasim.ledger.commits import Ledger
from wasim.ledger.events import CommitReports, FileEvents, StepRecords
from wasim.ledger.vocabulary import SCHEMA_VERSION, Requests
from wasim.storage.access import read_regular

TEXT_COLUMNS = frozenset({"operation", "snapshot_operation", "action", "kind", "file", "error", "request"})
COLUMNS_BY_KIND = frozenset({"written_bytes", "deleted_bytes", "files_written"})
_ABSENT = {"error": ""}  # what a column holds throughout where a file was saved before there was such a column
_VERSION_KEY = b"wasim.schema_version"
Columns = TypeVar("Columns", FileEvents, CommitReports, StepRecords, Ledger, Requests)


def save_columns(columns: FileEvents | CommitReports | StepRecords | Ledger | Requests, path: Path) -> None:
    """Write the columns to `path`; a column by kind becomes one column per kind, `written_bytes.metadata_json` …

    What is unknown, and so NaN, is null there.
    """
    import pyarrow as pa  # noqa: PLC0415 - takes as long to load as a small answer to find
    import pyarrow.parquet as pq  # noqa: PLC0415

    arrays: dict[str, pa.Array] = {}
    for field in fields(columns):
        value = getattr(columns, field.name)
        if isinstance(value, dict):
            arrays |= {f"{field.name}.{kind}": pa.array(array, from_pandas=True) for kind, array in value.items()}
        else:
            arrays[field.name] = pa.array(value, from_pandas=True)
    table = pa.table(arrays).replace_schema_metadata({_VERSION_KEY: str(SCHEMA_VERSION).encode()})
    pq.write_table(table, path, compression="zstd")


def read_columns(path: Path, columns_of: type[Columns]) -> Columns:
    """Read what `save_columns` wrote. SavedFileError for a missing, damaged or unknown file."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        table = pq.read_table(pa.BufferReader(read_regular(path)))
    except (OSError, pa.ArrowInvalid) as error:
        raise SavedFileError(f"{path}: cannot be read ({error}). Run the bench again to make it.") from error
    version = (table.schema.metadata or {}).get(_VERSION_KEY, b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise SavedFileError(
            f"{path}: schema_version is {version}; this wasim reads {SCHEMA_VERSION}. Use the wasim that wrote it."
        )

    def column(name: str) -> np.ndarray:
        if name not in table.column_names and name in _ABSENT:
            return np.full(len(table), _ABSENT[name], dtype=object)
        if name not in table.column_names:
            raise SavedFileError(f"{path}: lacks the column {name}. Run the bench again to make it.")
        array: np.ndarray = table.column(name).to_numpy(zero_copy_only=False)
        if name in TEXT_COLUMNS or np.issubdtype(array.dtype, np.number):
            return array
        raise SavedFileError(f"{path}: column {name} holds no numbers. Run the bench again to make it.")

    columns: dict[str, Any] = {
        f.name: {kind: column(f"{f.name}.{kind}") for kind in Kind} if f.name in COLUMNS_BY_KIND else column(f.name)
        for f in fields(columns_of)
    }
    return columns_of(**columns)
