"""Iceberg's properties and Spark's settings: names that a scenario may not give, since a measurement rests on them; and
those that say where a table's files lie, which it gives below the table, whatever the run.
"""

import re
from collections.abc import Iterator, Mapping

from wasim.iceberg.properties import (
    FORMAT_VERSION,
    OBJECT_STORE_PATH,
    WRITE_DATA_LOCATION,
    WRITE_DISTRIBUTION_MODE,
    WRITE_FOLDER_STORAGE_LOCATION,
    WRITE_LOCATION_PROVIDER_IMPL,
    WRITE_METADATA_LOCATION,
    PropertyError,
    property_of,
)
from wasim.scenario.faults import Draft, Fault, Place, quote

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


_OWN_FIELD = {FORMAT_VERSION: "table.format_version", WRITE_DISTRIBUTION_MODE: "workload.distribution_mode"}
_ELSEWHERE = "would put files where no measurement finds them"
_GONE = "is refused by Iceberg, which has another property for it"
_RESERVED = "is reserved: Spark or Iceberg sets it, or refuses it"
_REFUSED_PROPERTIES = {
    "location": _ELSEWHERE,
    WRITE_LOCATION_PROVIDER_IMPL: _ELSEWHERE,
    **dict.fromkeys(("provider", "owner", "external", "is_managed_location", "uuid", "snapshot-count"), _RESERVED),
    **dict.fromkeys(("current-snapshot-id", "current-snapshot-summary", "current-snapshot-timestamp-ms"), _RESERVED),
    **dict.fromkeys(("current-schema", "default-partition-spec", "default-sort-order"), _RESERVED),
}

_RENAMED_PROPERTIES = (WRITE_FOLDER_STORAGE_LOCATION, OBJECT_STORE_PATH)

_SETTING = re.compile(r"spark(\.[A-Za-z0-9_-]+)+")
_REFUSED_SETTINGS = tuple(
    """
    spark.api.mode spark.app spark.archives spark.driver.bindAddress spark.driver.defaultJavaOptions
    spark.driver.extraClassPath spark.driver.extraJavaOptions spark.driver.extraLibraryPath spark.driver.host
    spark.driver.userClassPathFirst spark.executor.extraClassPath spark.executor.extraJavaOptions
    spark.executor.userClassPathFirst spark.extraListeners spark.files spark.jars spark.master spark.plugins
    spark.remote spark.sql.caseSensitive spark.sql.catalog spark.sql.defaultCatalog spark.sql.extensions
    spark.sql.session.timeZone spark.sql.variable spark.sql.warehouse.dir spark.submit spark.ui.enabled
    spark.ui.showConsoleProgress
    """.split()
)
"""Each with all that lies below it. They choose the program, its tables or its clock, not how it is tuned."""


def check_properties(draft: Draft) -> Iterator[Fault]:
    """Properties have names and values that Iceberg can parse, repeat no field, and leave files where they belong."""
    for name, value in draft.scenario.table.properties.items():
        yield from property_faults(("table", "properties"), name, value)


def property_faults(properties: Place, name: str, value: str) -> Iterator[Fault]:
    """What is wrong with a table property of that name and value, given among `properties`."""
    place = (*properties, name)
    if not name.strip():
        problem, remedy = "has an empty name", "Give the property's name, or take it out."
        yield Fault(place=properties, problem=problem, remedy=remedy)
    elif name in _OWN_FIELD:
        remedy = f"Write {_OWN_FIELD[name]} instead."
        yield Fault(place=place, problem="has a field of its own", remedy=remedy)
    elif name in _REFUSED_PROPERTIES:
        yield Fault(place=place, problem=_REFUSED_PROPERTIES[name], remedy="Take it out.", at_key=True)
    elif name in _RENAMED_PROPERTIES:
        yield Fault(place=place, problem=_GONE, remedy=f"Write {WRITE_DATA_LOCATION} instead.", at_key=True)
    elif name in PATH_PROPERTIES and not is_below_table(value):
        problem = f"is {quote(value)}, which is no folder below the table"
        remedy = "Give one such as files or lake/files: the table's own location comes before it."
        yield Fault(place=place, problem=problem, remedy=remedy)
    elif (row := property_of(name)) is not None:
        try:
            row.parse(value)
        except PropertyError as error:
            yield Fault(place=place, problem=f"is {quote(value)}", remedy=error.remedy)


def check_spark_settings(draft: Draft) -> Iterator[Fault]:
    """Spark settings are named as Spark names them, and leave alone what wasim sets and measures by."""
    for name in draft.scenario.environment.spark:
        place = ("environment", "spark", name)
        if not _SETTING.fullmatch(name):
            problem = f"names {quote(name)}, which is no Spark setting"
            remedy = "Give a name that starts with spark., such as spark.sql.shuffle.partitions."
            yield Fault(place=place if name else place[:2], problem=problem, remedy=remedy, at_key=True)
        elif name == "spark.master":
            remedy = "Take it out, and give --master to wasim bench."
            yield Fault(place=place, problem="is not the scenario's to set", remedy=remedy, at_key=True)
        elif any(name == refused or name.startswith(f"{refused}.") for refused in _REFUSED_SETTINGS):
            remedy = "Take it out: wasim sets it, or measures by its default."
            yield Fault(place=place, problem="is not the scenario's to set", remedy=remedy, at_key=True)
