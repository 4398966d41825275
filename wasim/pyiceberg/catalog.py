"""The catalog of one table, and the journal of what pyiceberg writes there: each file and commit, as it happens."""

import sqlite3
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.io import InputFile, OutputFile, OutputStream
from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, Table

_TABLE = """CREATE TABLE iceberg_tables (
  catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,
  metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
  PRIMARY KEY (catalog_name, table_namespace, table_name))"""


class Journal:
    """Lines in the order seen, in the form that `wasim.collect` reads. pyiceberg writes from threads of a pool."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._turn = threading.Lock()

    def enter(self, what: str, **members: object) -> None:
        """One more line."""
        with self._turn:
            self.lines.append({"do": what, "at_us": time.time_ns() // 1000, **members})


class _RecordedStream:
    """pyiceberg's stream, whose first close enters the file with its bytes."""

    def __init__(self, real: OutputStream, file: "_RecordedFile") -> None:
        self._real, self._file, self._is_open = real, file, True

    def write(self, data: bytes) -> int:
        """Writes as the real stream does."""
        return self._real.write(data)

    def close(self) -> None:
        """Closes the real stream."""
        self._real.close()
        if self._is_open:
            self._is_open = False
            self._file.enter_written()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __enter__(self) -> "_RecordedStream":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _RecordedFile(PyArrowFile):
    """pyiceberg's file on pyarrow, recorded when it is written."""

    def __init__(self, real: PyArrowFile, journal: Journal) -> None:
        super().__init__(real.location, real._path, real._filesystem, real._buffer_size)
        self._journal = journal

    def create(self, overwrite: bool = False) -> Any:
        """The stream that writes the file."""
        return _RecordedStream(super().create(overwrite=overwrite), self)

    def enter_written(self) -> None:
        """Enters the file as written, with the bytes that it has on disk."""
        self._journal.enter("write", file=self.location, bytes=len(self))


class RecordingFileIO(PyArrowFileIO):
    """pyiceberg's FileIO on pyarrow, with all that is written and deleted entered into a journal."""

    def __init__(self, properties: dict[str, str], journal: Journal) -> None:
        super().__init__(properties)
        self._journal = journal

    def new_output(self, location: str) -> PyArrowFile:
        """A file that is recorded when it is written."""
        return _RecordedFile(super().new_output(location), self._journal)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Deletes the file, and enters that."""
        super().delete(location)
        self._journal.enter("delete", file=location if isinstance(location, str) else location.location)


class RecordedCatalog(MetastoreCatalog, NoopCatalog):
    """Holds one table; what it does not define, nothing here asks of it."""

    def __init__(self, name: str, database: Path, journal: Journal) -> None:
        super().__init__(name)
        self._database, self._journal = database, journal

    def _load_file_io(self, properties: Mapping[str, str] | None = None, location: str | None = None) -> Any:
        return RecordingFileIO(dict(properties or {}), self._journal)

    def create(self, identifier: str, schema: Schema, spec: PartitionSpec, location: str, **properties: str) -> Table:
        """The new table at that location, its first metadata.json written."""
        staged = self._create_staged_table(identifier, schema, location, partition_spec=spec, properties=properties)
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        row = (self.name, *self.identifier_to_database_and_table(identifier), staged.metadata_location, None, "TABLE")
        with closing(sqlite3.connect(self._database)) as database, database:
            database.execute(_TABLE)
            database.execute("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, ?, ?)", row)
        return self.load_table(identifier)

    def load_table(self, identifier: Any) -> Table:
        """The table as it now is. NoSuchTableError if there is none."""
        key = (self.name, *self.identifier_to_database_and_table(identifier))
        with closing(sqlite3.connect(self._database)) as database:
            row = database.execute(
                "SELECT metadata_location FROM iceberg_tables"
                " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?",
                key,
            ).fetchone()
        if row is None:
            raise NoSuchTableError(f"Table does not exist: {identifier}")
        io = self._load_file_io(location=row[0])
        metadata = FromInputFile.table_metadata(io.new_input(row[0]))
        return Table(self.identifier_to_tuple(identifier), metadata, row[0], io, self)

    def commit_table(self, table: Table, requirements: Any, updates: Any) -> CommitTableResponse:
        """Writes the changed metadata and swaps it in. CommitFailedException if another was first."""
        name = table.name()
        current = self.load_table(name)
        staged = self._update_and_stage_table(current, name, requirements, updates)
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        with closing(sqlite3.connect(self._database)) as database, database:
            swapped = database.execute(
                "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
                " WHERE catalog_name = ? AND metadata_location = ?",
                (staged.metadata_location, current.metadata_location, self.name, current.metadata_location),
            ).rowcount
        if not swapped:
            raise CommitFailedException(f"Table was changed meanwhile: {name}")
        return CommitTableResponse(metadata=staged.metadata, metadata_location=staged.metadata_location)
