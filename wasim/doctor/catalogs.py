"""A table by its name in a catalog, through pyiceberg's own configuration; wasim itself needs no pyiceberg."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wasim.errors import WasimError
from wasim.storage import S3Options

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

_CATALOG = re.compile(r"[\w-]+(\.[\w-]+)?")
_NAME = re.compile(r"[\w-]+(\.[\w-]+){2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTable:
    """Where a catalog says a table is. `s3` holds the catalog's own settings for S3, by pyiceberg's names."""

    metadata_location: str
    location: str
    s3: dict[str, str]

    def s3_options(self, given: S3Options | None) -> S3Options:
        """The options that reach S3: those given, and for the others the catalog's."""
        given = given or S3Options()
        return replace(
            given,
            endpoint=given.endpoint or self.s3.get("s3.endpoint"),
            region=given.region or self.s3.get("s3.region") or self.s3.get("client.region"),
            profile=given.profile or self.s3.get("s3.profile-name") or self.s3.get("client.profile-name"),
            anonymous=given.anonymous or self.s3.get("s3.anonymous", "").lower() == "true",
            access_key=self.s3.get("s3.access-key-id") or self.s3.get("client.access-key-id"),
            secret_key=self.s3.get("s3.secret-access-key") or self.s3.get("client.secret-access-key"),
            session_token=self.s3.get("s3.session-token") or self.s3.get("client.session-token"),
        )


def is_table_name(location: str) -> bool:
    """Whether a location is `catalog.namespace.table`, and not a path."""
    return bool(_NAME.fullmatch(location)) and not Path(location).exists()


def tables_of(location: str) -> tuple[str, ...]:
    """The tables of a catalog, or of a namespace of one, by name; empty where the location is no such name."""
    if not _CATALOG.fullmatch(location) or Path(location).exists():
        return ()
    name, _, namespace = location.partition(".")
    try:
        if _settings_of(location, name) is None:
            return ()
    except ImportError:
        return ()
    try:
        catalog = _catalog(name)
        namespaces = [tuple(namespace.split("."))] if namespace else catalog.list_namespaces()
        return tuple(sorted(".".join((name, *table)) for one in namespaces for table in catalog.list_tables(one)))
    except Exception as error:  # whatever a catalog of pyiceberg's raises
        raise WasimError(f"{location}: pyiceberg cannot list it: {_reason(error)}.") from error


def _settings_of(location: str, name: str) -> Mapping[str, Any] | None:
    """What pyiceberg's configuration says of a catalog; None if nothing. WasimError if it is malformed, which names
    the location; ImportError without pyiceberg.
    """
    from pyiceberg.utils.config import Config  # noqa: PLC0415 - an extra

    try:
        return Config().get_catalog_config(name)
    except Exception as error:  # strictyaml's, or whatever else comes of reading it
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise WasimError(
            f"{location}: pyiceberg cannot read its configuration: {where}{problem or _reason(error)}. Correct"
            " .pyiceberg.yaml, in the home folder or this one, or where PYICEBERG_HOME says."
        ) from error


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _catalog(name: str) -> "Catalog":
    """The catalog of that name in pyiceberg's configuration. Whatever error it raises."""
    from pyiceberg.catalog import PY_CATALOG_IMPL, load_catalog  # noqa: PLC0415 - an extra

    # A catalog of one's own is taken from arguments alone, not from the configuration.
    own = (_settings_of(name, name) or {}) if name else {}
    return load_catalog(name, **(own if PY_CATALOG_IMPL in own else {}))


def load_named(name: str) -> NamedTable:
    """The table of that name. WasimError if pyiceberg is absent, or knows no such catalog or table."""
    catalog_name, _, identifier = name.partition(".")
    try:
        _settings_of(name, catalog_name)  # before its catalogs are imported, which read it at once
        import pyiceberg.catalog  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise WasimError(
            f"{name}: tables by name need pyiceberg. Install wasim[readers], or give the table's folder."
        ) from error
    try:
        catalog = _catalog(catalog_name)
        table = catalog.load_table(identifier)
    except Exception as error:  # whatever a catalog of pyiceberg's raises
        raise WasimError(
            f"{name}: pyiceberg cannot load it: {_reason(error)}. Its catalogs are set in ~/.pyiceberg.yaml."
        ) from error
    properties: dict[str, Any] = catalog.properties
    return NamedTable(
        metadata_location=table.metadata_location,
        location=table.metadata.location,
        s3={key: str(value) for key, value in properties.items() if key.startswith(("s3.", "client."))},
    )
