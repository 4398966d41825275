"""Catalogs that a case's table can live in, as Spark and Iceberg's own library open them."""

import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Store:
    """Objects below `location` (`s3://bucket/prefix`, no slash at the end) of AWS, or of the `endpoint` that is named.

    `credentials` names a file as `write_secrets` makes it, with `access_key_id` and `secret_access_key`; without one,
    AWS's own chain finds them: environment, profile, role.
    """

    location: str
    endpoint: str | None
    region: str
    credentials: Path | None

    def properties(self) -> dict[str, str]:
        """What Iceberg's S3FileIO needs to reach it."""
        found = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO", "client.region": self.region}
        if self.endpoint is not None:
            # an endpoint of one's own seldom has a host name for every bucket
            found |= {"s3.endpoint": self.endpoint, "s3.path-style-access": "true"}
        if self.credentials is not None:
            found |= {
                "client.credentials-provider": "wasim.s3.FileCredentials",
                "client.credentials-provider.file": str(self.credentials),
            }
        return found


def write_secrets(folder: Path, values: Mapping[str, str]) -> Path:
    """A new file in `folder` that only its owner may read, with `values` as Java's properties."""
    descriptor, path = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "w") as file:
        file.writelines(f"{key}={value}\n" for key, value in values.items())
    return Path(path)


def read_secrets(path: Path) -> dict[str, str]:
    """What `write_secrets` wrote."""
    lines = path.read_text().splitlines()
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def random_secret() -> str:
    """Forty hex digits that nobody can guess; they need no quoting anywhere."""
    return secrets.token_hex(20)


CATALOG_NAME = "wasim"


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """A catalog. What it keeps itself is in the local folder `warehouse`; its tables are there too, or in `store`."""

    warehouse: Path
    store: S3Store | None = None
    name: str = CATALOG_NAME
    names_scheme: bool = False  # of local locations: what format version 4 asks for, and paths of other versions lack

    @property
    def location(self) -> str:
        """Below which its tables lie: a path, or `s3://…`."""
        return str(self.warehouse) if self.store is None else self.store.location

    @property
    def root(self) -> str:
        """The location as its tables' metadata has it."""
        return f"file:{self.location}" if self.names_scheme and self.store is None else self.location

    def properties(self) -> dict[str, str]:
        """What Iceberg needs to open it, from Spark or without. They hold no credentials."""
        return {"warehouse": self.root, **self._own(), **(self.store.properties() if self.store else {})}

    def _own(self) -> dict[str, str]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcCatalog(Catalog):
    """Iceberg's JDBC catalog on a SQLite file in `warehouse`. The name is part of every table's key in that file."""

    def _own(self) -> dict[str, str]:
        return {
            "type": "jdbc",
            "uri": f"jdbc:sqlite:file:{self.warehouse / 'catalog.db'}",
            "jdbc.schema-version": "V1",  # V0 lacks views and is only for old databases
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlCatalog(Catalog):
    """Iceberg's JDBC catalog on PostgreSQL at `uri`; user and password come from the environment of the process.

    The database is shared, so that the name, part of every table's key, must tell this case's table from all others.
    """

    uri: str

    def _own(self) -> dict[str, str]:
        return {"catalog-impl": "wasim.recorder.EnvironmentJdbcCatalog", "uri": self.uri, "jdbc.schema-version": "V1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HadoopCatalog(Catalog):
    """Iceberg's HadoopCatalog: folders and a version hint are all that it keeps."""

    def _own(self) -> dict[str, str]:
        return {"type": "hadoop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RestCatalog(Catalog):
    """A REST catalog at `uri`, which only those may ask who know what the file `credentials` says."""

    uri: str
    credentials: Path

    def _own(self) -> dict[str, str]:
        return {
            "catalog-impl": "wasim.recorder.GuardedRestCatalog",
            "uri": self.uri,
            "rest.auth.type": "basic",
            "wasim.secrets": str(self.credentials),
            # REST would choose one by the location's scheme, which is one more layer than other catalogs have
            "io-impl": "org.apache.iceberg.hadoop.HadoopFileIO",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCatalog(Catalog):
    """Iceberg's InMemoryCatalog with its files on disk or in `store`. Its tables' names end with the JVM."""

    def _own(self) -> dict[str, str]:
        return {"catalog-impl": "wasim.recorder.MemoryCatalog"}
