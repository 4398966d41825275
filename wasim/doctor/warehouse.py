"""Many tables at once: those below a folder or in a catalog, inspected over the cores, a row each, the worst first."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from typing import Any

from wasim.doctor.catalogs import tables_of
from wasim.doctor.configuration import Configuration
from wasim.doctor.findings import Severity, find, live_data_bytes, measures, thresholds_with
from wasim.doctor.inspection import InspectOptions, read_states
from wasim.doctor.opening import open_table
from wasim.doctor.table_files import State
from wasim.errors import WasimError
from wasim.iceberg.resolve import is_metadata_json
from wasim.ledger import METADATA_KINDS, Kind
from wasim.processes import map_in_processes
from wasim.report.tables import TextTable
from wasim.storage import S3Options, StorageError, open_storage, plain_path
from wasim.units import format_bytes

MOST_DEPTH = 8
_MOST_TIMEOUTS = 15  # of a store's silence, until all folders are listed: five minutes
_METADATA = "metadata"
_ABSENT = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A table in short. Where it could not be inspected, `error` says why, and there are no figures.

    `findings` are the identities of those that count; `accepted` ones are suppressed.
    """

    table: str
    severity: Severity | None = None
    findings: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    measures: tuple[tuple[str, float], ...] = ()
    metadata_bytes: int = 0
    live_data_bytes: int | None = None
    orphan_bytes: int = 0
    error: str = ""


def find_tables(location: str, s3: S3Options) -> tuple[str, ...]:
    """The locations of the tables below a folder that is none itself; empty where it is one, or holds none.

    A location that names a catalog, or a namespace of one, has that one's tables by name.
    """
    named = tables_of(location)
    if named:
        return named
    storage = open_storage(location, s3)
    root = plain_path(location)
    if storage.find(root) is not None:
        return ()
    prefix = "" if storage.scheme == "file" else f"{storage.scheme}://"
    found = []
    todo, listed, ends_at_s = [(root, 0)], 0, time.monotonic() + _MOST_TIMEOUTS * s3.timeout_s
    while todo:
        if listed >= s3.most_files or time.monotonic() > ends_at_s:
            raise StorageError(f"{location}: its folders had no end after {listed:,}. Name one below it, or a table.")
        listed += 1
        folder, depth = todo.pop()
        folders = storage.children(folder).folders
        metadata = next((one for one in folders if one.rstrip("/").rpartition("/")[2] == _METADATA), None)
        if metadata is not None and any(is_metadata_json(one.path) for one in storage.children(metadata).files):
            if folder == root:
                return ()
            found.append(f"{prefix}{folder.rstrip('/')}")
        elif depth < MOST_DEPTH:
            todo += [(one, depth + 1) for one in folders]
    return tuple(sorted(found))


def inspect_tables(
    tables: Sequence[str], options: InspectOptions, configuration: Configuration, today: date
) -> tuple[TableRow, ...]:
    """A row for each table, the worst first: what could not be inspected, then by severity and bytes of metadata."""
    work = partial(_row, options=options, configuration=configuration, today=today)
    return tuple(sorted(map_in_processes(work, tables), key=_badness))


def _badness(row: TableRow) -> tuple[bool, int, int, str]:
    severity = -1 if row.severity is None else int(row.severity)
    return not row.error, -severity, -row.metadata_bytes, row.table


def _row(table: str, options: InspectOptions, configuration: Configuration, today: date) -> TableRow:
    try:
        tree, totals = read_states(open_table(table, options.choice, options.s3), options)
    except WasimError as error:
        return TableRow(table=table, error=str(error))
    findings = find(tree, totals, thresholds_with(options.thresholds))
    counted = configuration.counted(findings, table, today)
    return TableRow(
        table=table,
        severity=max((one.severity for one in counted), default=None),
        findings=tuple(one.identity for one in counted),
        accepted=tuple(one.identity for one in findings if one not in counted),
        measures=tuple(measures(tree, totals).items()),
        metadata_bytes=totals.of_kinds(METADATA_KINDS).bytes,
        live_data_bytes=live_data_bytes(tree),
        orphan_bytes=totals.of_kinds(tuple(Kind), State.ORPHAN).bytes,
    )


def tables_table(rows: Sequence[TableRow], location: str) -> TextTable:
    """A row for each table, and one for all of them."""
    figures = ("metadata", "data", "json", "snapshots", "manifests", "orphans")
    whole = TableRow(
        table=f"{len(rows)} tables",
        metadata_bytes=sum(row.metadata_bytes for row in rows),
        live_data_bytes=sum(row.live_data_bytes or 0 for row in rows),
        orphan_bytes=sum(row.orphan_bytes for row in rows),
    )
    return TextTable(
        caption=f"Tables of {location}, worst first",
        head=("table", *figures, "findings"),
        rows=tuple(_cells(row, location) for row in (*rows, whole)),
        figures=figures,
    )


def _cells(row: TableRow, location: str) -> tuple[str, ...]:
    name = plain_path(row.table).removeprefix(f"{plain_path(location)}/") if "/" in row.table else row.table
    if row.error:
        return name, *[_ABSENT] * 6, "not inspected"
    values = dict(row.measures)
    data = _ABSENT if row.live_data_bytes is None else format_bytes(row.live_data_bytes)
    json = format_bytes(values["metadata_json_bytes"]) if "metadata_json_bytes" in values else ""
    counts = (f"{values[name]:,.0f}" if name in values else "" for name in ("snapshots", "manifests"))
    worst = "" if row.severity is None else f"{row.severity.name.lower()}: {' '.join(sorted(row.findings))}"
    return name, format_bytes(row.metadata_bytes), data, json, *counts, format_bytes(row.orphan_bytes), worst


def tables_document(rows: Sequence[TableRow], location: str) -> dict[str, Any]:
    """All rows as plain JSON values."""
    return {
        "schema_version": 1,
        "location": location,
        "tables": [
            asdict(row)
            | {
                "severity": None if row.severity is None else row.severity.name.lower(),
                "measures": dict(row.measures),
                "error": row.error or None,
            }
            for row in rows
        ],
        "metadata_bytes": sum(row.metadata_bytes for row in rows),
        "orphan_bytes": sum(row.orphan_bytes for row in rows),
    }
