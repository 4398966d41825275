"""Iceberg's statements for Spark SQL, as people paste them: procedures called, properties set."""

from collections.abc import Mapping


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
