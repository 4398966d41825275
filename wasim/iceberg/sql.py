"""Iceberg's statements as people paste them, in the SQL of Spark, of Flink, of Trino and of Athena."""

import re
from collections.abc import Collection, Iterable, Mapping

from wasim.units import DAY_S, DURATION_UNITS_S

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED_IN_TRINO = frozenset(
    "alter and as between by case cast constraint create cross cube current_catalog current_date current_path "
    "current_role current_schema current_time current_timestamp current_user deallocate delete describe distinct drop "
    "else end escape except execute exists extract false for from full group grouping having in inner insert intersect "
    "into is join json_array json_exists json_object json_query json_table json_value left like listagg localtime "
    "localtimestamp natural normalize not null on or order outer prepare recursive right rollup select skip table then "
    "trim true uescape union unnest using values when where with".split()
)


def parts_of(table: str) -> list[str]:
    """The parts of a table's name, without backquotes."""
    return [one.strip("`") for one in re.findall(r"`[^`]+`|\w+", table)]


def _joined(parts: Iterable[str], mark: str = "`", reserved: Collection[str] = _RESERVED_IN_TRINO) -> str:
    """A name with marks around each part that is no identifier without them."""
    return ".".join(
        one if _PLAIN.fullmatch(one) and one.lower() not in reserved else f"{mark}{one}{mark}" for one in parts
    )


def spark_name(table: str) -> str:
    """A table's name in Spark, which reserves no word."""
    return _joined(parts_of(table), reserved=())


def athena_name(table: str) -> str:
    """The name in Athena, whose grammar is Trino's: by database and table alone."""
    return _joined(parts_of(table)[-2:])


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


def execute_procedure(
    procedure: str, table: str, age_s: float | None, *, retain_last: int, sizes: tuple[int, int] | None
) -> str:
    """`ALTER TABLE table EXECUTE procedure(…)`, by the name of Iceberg's procedure, which keeps what is younger than
    `age_s` seconds, and the last snapshots whatever their age. Of `sizes` in bytes files below the first are rewritten,
    into files of the second at most. What no argument says, lines before it set for the session.
    """
    given, session = dict[str, str](), dict[str, str]()
    if age_s is not None:
        units = ((DURATION_UNITS_S[unit], unit) for unit in ("d", "h", "m"))  # of one number: 1d12h is none of Trino's
        age = next((f"{age_s / size:.0f}{unit}" for size, unit in units if age_s % size == 0), f"{age_s:g}s")
        given["retention_threshold"] = _literal(age)
        if age_s < LEAST_RETENTION_S:
            session[f"{procedure}_min_retention"] = _literal(age)
    if retain_last > 1:
        given["retain_last"] = str(retain_last)
    if sizes is not None:
        given["file_size_threshold"], session["target_max_file_size"] = (
            _literal(f"{size >> 20}MB" if size % (1 << 20) == 0 else f"{size}B") for size in sizes
        )
    catalog = _joined(parts_of(table)[:1], '"')
    lines = [f"SET SESSION {catalog}.{key} = {value}; -- in the same session" for key, value in session.items()]
    arguments = ", ".join(f"{name} => {value}" for name, value in given.items())
    call = f"ALTER TABLE {_quoted(table)} EXECUTE {PROCEDURES[procedure]}"
    return "\n".join([*lines, f"{call}({arguments})" if arguments else call])


def set_extra_properties(table: str, properties: Mapping[str, str]) -> str:
    """`ALTER TABLE table SET PROPERTIES extra_properties = MAP(ARRAY[…], ARRAY[…])`.

    The catalog must allow them: `iceberg.allowed-extra-properties`.
    """
    keys, values = (", ".join(map(_literal, texts)) for texts in (properties.keys(), properties.values()))
    return f"ALTER TABLE {_quoted(table)} SET PROPERTIES extra_properties = MAP(\n  ARRAY[{keys}],\n  ARRAY[{values}])"


def _quoted(table: str) -> str:
    """The name in Trino, which has one schema for nested namespaces."""
    catalog, *namespaces, name = parts_of(table)
    return _joined([catalog, ".".join(namespaces), name] if namespaces else [catalog, name], '"')


def _literal(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


ATHENA = {
    "rewrite_data_files": "OPTIMIZE {} REWRITE DATA USING BIN_PACK",
    **dict.fromkeys(("expire_snapshots", "remove_orphan_files"), "VACUUM {}"),
}
"""Athena's statements by the names of Iceberg's procedures."""


def maintain(job: str, table: str) -> str:
    """`VACUUM`, which expires snapshots and removes orphan files, or `OPTIMIZE … REWRITE DATA`."""
    return ATHENA[job].format(table)


_COMMITS, _FILES, _BYTES = "commit-count", "data-file-count", "data-file-size"
FLINK_TASKS = {
    "rewrite_data_files": ("rewrite", (_COMMITS, _FILES, _BYTES)),
    "expire_snapshots": ("expire-snapshots", (_COMMITS,)),
    "remove_orphan_files": ("delete-orphan-files", ()),
}
"""What Flink's sink does after its commits, by the names of Iceberg's procedures, and what starts it: apart from time
these, whichever comes first.
"""
FLINK_SINK = (
    "-- before the INSERT: its sink then maintains the table (Iceberg 1.11 or newer)\n"
    "SET 'table.exec.iceberg.use-v2-sink' = 'true';"
)
_NEVER, _NEVER_BYTES = 2**31 - 1, 2**63 - 1  # the most that the settings take


def set_options(table: str, properties: Mapping[str, str]) -> str:
    """Flink's ``ALTER TABLE `table` SET ('key'='value', …)``: it reserves hundreds of words."""
    given = [f"{_literal(key)}={_literal(value)}" for key, value in properties.items()]
    name = ".".join(f"`{one}`" for one in parts_of(table))
    return f"ALTER TABLE {name} SET {_listed(given, in_lines=True)}"


def flink_key(job: str, option: str) -> str:
    """The key of an option of a task, by the name of Iceberg's procedure: `flink-maintenance.rewrite.enabled`."""
    return f"flink-maintenance.{FLINK_TASKS[job][0]}.{option}"


def set_task(job: str, options: Mapping[str, str], *, every_s: float | None, files: int | None, said: str) -> str:
    """`SET 'key' = 'value';` in lines that let Flink's sink do a task every so many seconds, or as soon as so many
    files have come; `said` in words.
    """
    starts = {one: str(_NEVER_BYTES if one == _BYTES else _NEVER) for one in FLINK_TASKS[job][1]}
    starts |= {"interval-second": str(_NEVER) if every_s is None else f"{every_s:.0f}"}
    if files is not None:
        starts[_FILES] = str(files)
    settings = {"enabled": "true", **{f"schedule.{name}": value for name, value in starts.items()}, **options}
    first, *rest = (f"SET '{flink_key(job, name)}' = '{value}';" for name, value in settings.items())
    return "\n".join([f"{first} -- {said}", *rest])
