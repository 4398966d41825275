"""The least catalog that pyiceberg writes tables through: a folder, and a file that says where metadata is."""

import json
from pathlib import Path
from typing import Any

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.io import load_file_io
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER


class FolderCatalog(MetastoreCatalog):
    """Tables below the property `warehouse`; one writer at a time."""

    def __init__(self, name: str, **properties: str) -> None:
        super().__init__(name, **properties)
        self._pointers = Path(properties["warehouse"].removeprefix("file://")) / "pointers.json"

    def create_namespace(self, namespace: Any, properties: Any = ()) -> None:
        """Nothing: any namespace is there."""

    def load_namespace_properties(self, namespace: Any) -> dict[str, str]:
        return {}

    def create_table(
        self,
        identifier: Any,
        schema: Any,
        location: str | None = None,
        partition_spec: Any = UNPARTITIONED_PARTITION_SPEC,
        sort_order: Any = UNSORTED_SORT_ORDER,
        properties: Any = None,
    ) -> Table:
        staged = self._create_staged_table(identifier, schema, location, partition_spec, sort_order, properties or {})
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        self._point(identifier, staged.metadata_location)
        return self.load_table(identifier)

    def load_table(self, identifier: Any) -> Table:
        known, name = self._known(), _name(identifier)
        if name not in known:
            raise NoSuchTableError(f"Table does not exist: {name}")
        io = load_file_io(self.properties, known[name])
        metadata = FromInputFile.table_metadata(io.new_input(known[name]))
        return Table(self.identifier_to_tuple(identifier), metadata, known[name], io, self)

    def commit_table(self, table: Table, requirements: Any, updates: Any) -> CommitTableResponse:
        current = self.load_table(table.name())
        staged = self._update_and_stage_table(current, table.name(), requirements, updates)
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        self._point(table.name(), staged.metadata_location)
        return CommitTableResponse(metadata=staged.metadata, metadata_location=staged.metadata_location)

    def _known(self) -> dict[str, str]:
        return json.loads(self._pointers.read_text()) if self._pointers.exists() else {}

    def _point(self, identifier: Any, metadata_location: str) -> None:
        self._pointers.parent.mkdir(parents=True, exist_ok=True)
        self._pointers.write_text(json.dumps(self._known() | {_name(identifier): metadata_location}))


def _name(identifier: Any) -> str:
    return identifier if isinstance(identifier, str) else ".".join(identifier)


# What these tests have no use for stays abstract in pyiceberg; it is never called.
FolderCatalog.__abstractmethods__ = frozenset()
