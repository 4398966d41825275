"""The catalog of one table: a row of a SQLite file laid out as Iceberg's JDBC catalog does, swapped if unchanged.

pyiceberg's own SqlCatalog does the same through SQLAlchemy; the table's files do not depend on which it is.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, Table

from wasim.pyiceberg.recorder import Journal, RecordingFileIO

_TABLE = """CREATE TABLE iceberg_tables (
  catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,
  metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
  PRIMARY KEY (catalog_name, table_namespace, table_name))"""


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
