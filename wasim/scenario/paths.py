"""Properties that say where a table's files lie. A scenario gives them below the table, whatever the run."""

import re
from collections.abc import Mapping

from wasim.iceberg.properties import WRITE_DATA_LOCATION, WRITE_METADATA_LOCATION

TABLE_NAME = "db.events"  # of every table that an engine writes
DATA_FOLDER = "data"  # where data lies unless a property says otherwise
SCHEMES_SINCE = 4  # the format version whose tables must say `file:` where they lie on disk
PATH_PROPERTIES = (WRITE_DATA_LOCATION, WRITE_METADATA_LOCATION)
# Spark's removal of orphans passes over names that begin with a dot or an underscore.
_BELOW = re.compile(r"[A-Za-z0-9][\w.=-]*(/[A-Za-z0-9][\w.=-]*)*")


def is_below_table(path: str) -> bool:
    """Whether a path names a folder below the table's."""
    return bool(_BELOW.fullmatch(path))


def whole_paths(properties: Mapping[str, str], location: str) -> dict[str, str]:
    """The properties as Iceberg takes them, which asks for whole paths, of the table at `location`."""
    return {key: f"{location}/{value}" if key in PATH_PROPERTIES else value for key, value in properties.items()}
