"""Statements that maintain a table in the SQL of Athena, whose VACUUM expires by a property of its own."""

from collections.abc import Iterator, Mapping


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
