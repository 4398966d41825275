"""Iceberg's statements as people paste them, in the SQL of Spark, of Trino and of Athena."""

from collections.abc import Iterator, Mapping

from wasim.units import DAY_S, DURATION_UNITS_S


def call_procedure(procedure: str, table: str, arguments: str = "", *, in_lines: bool = False) -> str:
    """`CALL catalog.system.procedure(table => 'namespace.table', …)`; `table` is `catalog.namespace.table`."""
    catalog, _, rest = table.partition(".")
    given = [f"table => {literal(rest)}", *([arguments] if arguments else [])]
    return f"CALL {catalog}.system.{procedure}{_listed(given, in_lines=in_lines)}"


def set_properties(table: str, properties: Mapping[str, str], *, in_lines: bool = False) -> str:
    """`ALTER TABLE table SET TBLPROPERTIES ('key'='value', …)`."""
    given = [f"{literal(key)}={literal(value)}" for key, value in properties.items()]
    return f"ALTER TABLE {table} SET TBLPROPERTIES {_listed(given, in_lines=in_lines)}"


def _listed(given: list[str], *, in_lines: bool) -> str:
    """In brackets, each in a line of its own if so asked."""
    return "(\n  " + ",\n  ".join(given) + ")" if in_lines else "(" + ", ".join(given) + ")"


def literal(text: str) -> str:
    """A string literal. Before Spark 4 two quotes are no quote but join two literals, so quotes get a backslash."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


LEAST_RETENTION_S = 7 * DAY_S  # Trino's default: it refuses less
PROCEDURES = {
    "expire_snapshots": "expire_snapshots",
    "rewrite_manifests": "optimize_manifests",
    "rewrite_data_files": "optimize",
    "remove_orphan_files": "remove_orphan_files",
}
"""Trino's procedures by the names of Iceberg's."""


def execute_procedure(procedure: str, table: str, age_s: float | None = None) -> str:
    """`ALTER TABLE table EXECUTE procedure(…)`, by the name of Iceberg's procedure, which keeps what is younger than
    `age_s` seconds. Where that is less than the catalog allows by default, a line before it sets it for the session.
    """
    if age_s is None:
        return f"ALTER TABLE {_quoted(table)} EXECUTE {PROCEDURES[procedure]}"
    units = ((DURATION_UNITS_S[unit], unit) for unit in ("d", "h", "m"))  # of one number: 1d12h is none of Trino's
    age = next((f"{age_s / size:.0f}{unit}" for size, unit in units if age_s % size == 0), f"{age_s:g}s")
    call = f"ALTER TABLE {_quoted(table)} EXECUTE {PROCEDURES[procedure]}(retention_threshold => '{age}')"
    if age_s >= LEAST_RETENTION_S:
        return call
    catalog = _quoted(table).partition(".")[0]
    return f"SET SESSION {catalog}.{procedure}_min_retention = '{age}'; -- in the same session\n{call}"


def set_extra_properties(table: str, properties: Mapping[str, str]) -> str:
    """`ALTER TABLE table SET PROPERTIES extra_properties = MAP(ARRAY[…], ARRAY[…])`.

    The catalog must allow them: `iceberg.allowed-extra-properties`.
    """
    keys, values = (", ".join(map(_literal, texts)) for texts in (properties.keys(), properties.values()))
    return f"ALTER TABLE {_quoted(table)} SET PROPERTIES extra_properties = MAP(\n  ARRAY[{keys}],\n  ARRAY[{values}])"


def _quoted(table: str) -> str:
    return table.replace("`", '"')


def _literal(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def maintain(job: str, table: str) -> str:
    """`VACUUM` or `OPTIMIZE … REWRITE DATA`; for a job that Athena has no statement for, a comment that says so."""
    statements = {
        "expire_snapshots": f"VACUUM {table}",
        "remove_orphan_files": f"VACUUM {table}",
        "rewrite_data_files": f"OPTIMIZE {table} REWRITE DATA USING BIN_PACK",
    }
    return statements.get(job, f"-- {job}: not in Athena's SQL, call it from Spark")


def set_vacuum(table: str, older_than_s: float | None, properties: Mapping[str, str]) -> Iterator[str]:
    """The age that VACUUM expires by, if any, and the properties that Athena refuses to set, as a comment."""
    named = ", ".join(f"{key} = {value}" for key, value in properties.items())
    yield f"-- not in Athena's SQL, set them from Spark: {named}"
    if older_than_s is not None:
        yield f"ALTER TABLE {table} SET TBLPROPERTIES (\n  'vacuum_max_snapshot_age_seconds' = '{older_than_s:.0f}');"
