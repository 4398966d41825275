"""Reader pyiceberg: `plan_files` over the current metadata.json, in Python."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyiceberg.exceptions import ValidationError
from pyiceberg.expressions import AlwaysTrue, BooleanExpression, EqualTo, GreaterThanOrEqual
from pyiceberg.io import PY_IO_IMPL, InputStream
from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO
from pyiceberg.manifest import ManifestContent, clear_manifest_cache
from pyiceberg.table import StaticTable

from wasim.errors import CaseFailed
from wasim.ledger.readers import PYICEBERG
from wasim.spark.probe.reader import Query, Reader, ScanPlan

_COMPARISONS = {"equal": EqualTo, "greaterThanOrEqual": GreaterThanOrEqual}


class CountedFile(PyArrowFile):
    """A file whose opening is noted; the stream is the real one."""

    def __init__(self, real: PyArrowFile, opened: list[str]) -> None:
        super().__init__(real.location, real._path, real._filesystem, real._buffer_size)
        self._opened = opened

    def open(self, seekable: bool = True) -> InputStream:
        """The file opened to be read."""
        self._opened.append(self.location)
        return super().open(seekable=seekable)


class CountingFileIO(PyArrowFileIO):
    """pyiceberg's FileIO on pyarrow, with the files opened to be read noted in `opened`."""

    def __init__(self, properties: dict[str, str] | None = None) -> None:
        super().__init__(properties or {})
        self.opened: list[str] = []

    def new_input(self, location: str) -> PyArrowFile:
        """A file that notes when it is opened."""
        return CountedFile(super().new_input(location), self.opened)


class PyicebergTable(Reader):
    """A table by its metadata.json, without a catalog."""

    name = PYICEBERG

    def __init__(self, metadata_location: str) -> None:
        self._location = metadata_location
        self._data_manifests: set[str] | None = None  # asked for once, after the first plan: a cold one must be cold

    def load(self) -> StaticTable:
        """The table, its metadata.json just read; what pyiceberg keeps of manifest lists is forgotten."""
        clear_manifest_cache()
        return StaticTable.from_metadata(self._location, {PY_IO_IMPL: f"{__name__}.{CountingFileIO.__name__}"})

    def plan(self, table: StaticTable, query: Query) -> ScanPlan:
        """Plans `query` over a loaded table. CaseFailed where pyiceberg cannot plan what is in the table."""
        opened = _opened(table)
        opened.clear()
        with _refusals():
            started_s = time.perf_counter()
            tasks = list(table.scan(row_filter=_row_filter(query)).plan_files())
            planning_ms = (time.perf_counter() - started_s) * 1e3
        manifests = [location for location in opened if not location.rsplit("/", 1)[-1].startswith("snap-")]
        if self._data_manifests is None:
            self._data_manifests = _data_manifests(table)
        scanned = len(self._data_manifests.intersection(manifests))
        return ScanPlan(
            planning_ms=planning_ms,
            manifests_opened=len(manifests),
            manifests_scanned=scanned,
            manifests_skipped=len(self._data_manifests) - scanned,
            files=len(tasks),
        )


def _data_manifests(table: StaticTable) -> set[str]:
    snapshot = table.current_snapshot()
    manifests = snapshot.manifests(table.io) if snapshot else []
    return {each.manifest_path for each in manifests if each.content == ManifestContent.DATA}


def _opened(table: StaticTable) -> list[str]:
    if not isinstance(table.io, CountingFileIO):
        raise TypeError(f"pyiceberg opened the table with {type(table.io).__name__}")
    return table.io.opened


def _row_filter(query: Query) -> BooleanExpression:
    if query.predicate is None:
        return AlwaysTrue()
    comparison: Any = _COMPARISONS[query.predicate.comparison]
    found: BooleanExpression = comparison(query.predicate.column, query.predicate.value)
    return found


@contextmanager
def _refusals() -> Iterator[None]:
    """What pyiceberg does not support, such as equality deletes, is a failed case and no bug of ours."""
    try:
        yield
    except (ValidationError, NotImplementedError, ValueError) as error:
        raise CaseFailed(
            f"pyiceberg cannot plan this table: {str(error).splitlines()[0]}. Take it out of planning.readers."
        ) from error
