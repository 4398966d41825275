"""Statements that maintain a table in Trino's SQL: procedures executed on it, properties that Trino has no name for."""

from collections.abc import Mapping

PROCEDURES = {
    "expire_snapshots": "expire_snapshots",
    "rewrite_manifests": "optimize_manifests",
    "rewrite_data_files": "optimize",
}
"""Trino's procedures by the names of Iceberg's."""


def execute_procedure(procedure: str, table: str, arguments: str = "") -> str:
    """`ALTER TABLE table EXECUTE procedure(arguments)`, by the name of Iceberg's procedure."""
    given = f"({arguments})" if arguments else ""
    return f"ALTER TABLE {_quoted(table)} EXECUTE {PROCEDURES[procedure]}{given}"


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
