"""Catalogs that a case's table can live in, as Spark and Iceberg's own library open them."""

from dataclasses import dataclass
from pathlib import Path

CATALOG_NAME = "wasim"


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcCatalog:
    """Iceberg's JDBC catalog on a SQLite file in `warehouse`. The name is part of every table's key in that file."""

    warehouse: Path
    name: str = CATALOG_NAME

    def properties(self) -> dict[str, str]:
        """What Iceberg needs to open it, from Spark or without."""
        return {
            "type": "jdbc",
            "uri": f"jdbc:sqlite:file:{self.warehouse / 'catalog.db'}",
            "warehouse": str(self.warehouse),
            "jdbc.schema-version": "V1",  # V0 lacks views and is only for old databases
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCatalog:
    """Iceberg's InMemoryCatalog with its files in `warehouse`. Its tables' names end with the JVM."""

    warehouse: Path
    name: str = CATALOG_NAME

    def properties(self) -> dict[str, str]:
        """What Iceberg needs to open it, from Spark or without."""
        return {
            "catalog-impl": "wasim.recorder.MemoryCatalog",
            "warehouse": str(self.warehouse),
        }


Catalog = JdbcCatalog | MemoryCatalog
