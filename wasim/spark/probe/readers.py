"""The readers that a scenario names, opened on a table."""

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wasim.errors import EnvironmentFault
from wasim.ledger import readers
from wasim.scenario.parts import Planning
from wasim.spark import Catalog, Session
from wasim.spark.probe.clickhouse import clickhouse_tables, open_clickhouse
from wasim.spark.probe.iceberg_java import DistributedPlanningTable, PlanningTable, open_planning_table
from wasim.spark.probe.reader import Query, Reader, TableState


def list_data_files(folders: Sequence[Path]) -> tuple[int, int]:
    """(directories listed, files found) below these folders; hidden names left out, as Hadoop's readers do.

    It opens nothing, and cannot know which of the files belong to the current snapshot.
    """
    listed = found = 0
    for files in _walk(folders):
        listed += 1
        found += files
    return listed, found


def _walk(folders: Sequence[Path]) -> Iterator[int]:
    waiting = [os.fspath(folder) for folder in folders]
    while waiting:
        files = 0
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                elif not entry.name.startswith((".", "_")):
                    files += 1
        yield files


Planned = tuple[Reader, Query]
PACKAGES = {readers.PYICEBERG: "pyiceberg", readers.CLICKHOUSE: "chdb"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """A table to be probed, at rest."""

    session: Session
    catalog: Catalog
    table_name: str
    local_root: Path | None  # None where it is on no local disk: ClickHouse is not asked there
    planning: PlanningTable
    state: TableState


def check_readers(names: Sequence[str]) -> None:
    """EnvironmentFault if a reader's package is not installed."""
    for name in names:
        package = PACKAGES.get(name)
        if package and importlib.util.find_spec(package) is None:
            raise EnvironmentFault(
                f"planning.readers names {name}, which needs the package {package}. "
                "Install it with pip install 'wasim[readers]', or take the reader out."
            )


@contextmanager
def open_readers(asked: Planning, probed: Probed) -> Iterator[tuple[Reader, ...]]:
    """The readers that a scenario asks for in its order, each in all its variants, for the block."""
    with ExitStack() as stack:
        yield tuple(reader for name in asked.readers for reader in _opened(name, asked, probed, stack))


def plans(opened: Sequence[Reader], queries: Sequence[Query]) -> tuple[Planned, ...]:
    """Every query by every reader that has something to say about it."""
    return tuple((reader, query) for reader in opened for query in queries if reader.asks(query))


def _opened(name: str, asked: Planning, probed: Probed, stack: ExitStack) -> Iterator[Reader]:
    """The reader of that name in all its variants; what ends them goes on the stack."""
    match name:
        case readers.ICEBERG_JAVA:
            yield probed.planning
            if asked.caches:
                jvm, catalog = probed.session.jvm, probed.catalog
                yield stack.enter_context(open_planning_table(jvm, catalog, probed.table_name, caches_manifests=True))
        case readers.ICEBERG_JAVA_DISTRIBUTED:
            yield DistributedPlanningTable(probed.planning, probed.session)
        case readers.PYICEBERG:
            from wasim.spark.probe.pyiceberg import PyicebergTable  # noqa: PLC0415 - an extra: only who asks needs it

            yield PyicebergTable(probed.state.metadata_location)
        case readers.CLICKHOUSE if probed.local_root is not None:
            yield from clickhouse_tables(stack.enter_context(open_clickhouse(probed.local_root)), caches=asked.caches)
