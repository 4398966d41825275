"""Where a case's table lives: its catalog and its store, as the scenario's environment names them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wasim.collect import list_table
from wasim.scenario import Case
from wasim.scenario.paths import SCHEMES_SINCE
from wasim.spark import (
    CATALOG_NAME,
    Catalog,
    HadoopCatalog,
    JdbcCatalog,
    MemoryCatalog,
    PostgresqlCatalog,
    RestCatalog,
    Session,
    drive,
)
from wasim.spark.buckets import list_objects
from wasim.spark.servers import Servers, below, jdbc_uri

_TABLE_FOLDER = drive.TABLE_NAME.replace(".", "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The catalog of one case's table, for as long as its servers run."""

    catalog: Catalog
    journal: Path  # a folder; what other processes than Spark write for the table is entered there too

    @property
    def table_root(self) -> str:
        """Where the table's files are: a path, or `s3://…`."""
        return f"{self.catalog.location}/{_TABLE_FOLDER}"

    @property
    def table_location(self) -> str:
        """The table's location as its metadata has it."""
        return f"{self.catalog.root}/{_TABLE_FOLDER}"

    def listing(self) -> dict[str, int]:
        """Bytes of every file of the table, by its path below `table_root`, as the store itself lists them."""
        if self.catalog.store is not None:
            return list_objects(self.catalog.store, _TABLE_FOLDER)
        return list_table(Path(self.table_root))

    def clear(self, session: Session) -> None:
        """Removes what an earlier attempt left in a store that is not local."""
        if self.catalog.store is not None:
            session.remove_objects(self.catalog.store)


@contextmanager
def open_place(case: Case, warehouse: Path, servers: Servers) -> Iterator[Place]:
    """The case's place for the block. `warehouse` is its local folder, in the folder of its run."""
    catalog: Catalog
    journal = warehouse / "journal"
    journal.mkdir(parents=True)
    names_scheme = case.table.format_version >= SCHEMES_SINCE
    root = servers.store(case.environment.store)
    run = warehouse.parent.parent
    # as long for every case of a run: locations stand in every metadata file
    store = root and below(root, run.parent.name, run.name, warehouse.name)
    match case.environment.catalog:
        case "rest":
            backend = JdbcCatalog(warehouse=warehouse, store=store, names_scheme=names_scheme).properties()
            with servers.rest_catalog(backend, journal, on_s3=store is not None) as server:
                catalog = RestCatalog(
                    warehouse=warehouse,
                    store=store,
                    names_scheme=names_scheme,
                    uri=server.uri,
                    credentials=server.credentials,
                )
                yield Place(catalog=catalog, journal=journal)
        case "postgresql":
            name = re.sub(r"\W", "_", f"{CATALOG_NAME}_{run.name}_{warehouse.name}")
            catalog = PostgresqlCatalog(
                warehouse=warehouse, store=store, names_scheme=names_scheme, uri=jdbc_uri(), name=name
            )
            yield Place(catalog=catalog, journal=journal)
        case other:
            catalog = _OWN[other](warehouse=warehouse, store=store, names_scheme=names_scheme)
            yield Place(catalog=catalog, journal=journal)


_OWN: dict[str, type[Catalog]] = {"jdbc": JdbcCatalog, "hadoop": HadoopCatalog, "in_memory": MemoryCatalog}
