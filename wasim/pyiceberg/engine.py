"""One case written through pyiceberg: its table made, its appends committed, all of it in the journal."""

import time
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot

from wasim.errors import WasimError
from wasim.iceberg.properties import MANIFEST_MERGE_ENABLED
from wasim.iceberg.schemas import ListType, PrimitiveType, StructType, Type, decimal_digits, parts_of, schema_json
from wasim.iceberg.specs import spec_json
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.pyiceberg.catalog import Journal, RecordedCatalog
from wasim.runner.written import Lines, Writer, unwritten
from wasim.scenario import Case
from wasim.scenario.settings import TABLE_NAME, whole_paths
from wasim.twin.row_sets import RowSet, new_rows
from wasim.twin.rows import rows_of
from wasim.twin.schema import Leaf, iceberg_schema, leaves, partition_spec
from wasim.workload import Append, plan_steps

PROFILE = "pyiceberg"
_TYPES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
}
CATALOG_NAME = "wasim"
_COUNTERS = (
    "added-data-files total-data-files total-delete-files added-records total-records added-files-size total-files-size"
)


def check_writable(case: Case) -> None:
    """Raises WasimError naming the first setting of the case that the engine does not carry out."""
    for refused, what in (
        (case.writer.profile != PROFILE, f"writer.profile is {case.writer.profile or 'none'}. Give {PROFILE}"),
        (case.writer.writers > 1, f"writer.writers is {case.writer.writers}. Give 1"),
        (case.writer.upsert is not None, "writer.upsert is no append. Take it out"),
        (
            any(change is not None for _, change in case.changes),
            "changes are Spark's statements. Take them out, or use engine spark",
        ),
        (case.has_maintenance, "maintenance is Spark's procedures. Take it out, or use engine spark"),
        (bool(case.evolution), "evolution is Spark's ALTER TABLE. Take it out, or use engine spark"),
        (
            case.workload.files_per_commit > 1,
            f"workload.files_per_commit is {case.workload.files_per_commit}. Table.append writes one for each"
            " partition: give 1",
        ),
        *unwritten(case),
        (MANIFEST_MERGE_ENABLED in case.table.properties, f"table.properties.{MANIFEST_MERGE_ENABLED}. Take it out"),
    ):
        if refused:
            raise WasimError(f"Engine pyiceberg is one writer that appends: {what}.")


class ArrivingRows:
    """The rows that a case's commits bring."""

    def __init__(self, case: Case) -> None:
        self._case, self._rows, self._schema = case, rows_of(case), iceberg_schema(case.table)
        self._leaves = {leaf.field_id: leaf for leaf in leaves(case.table, self._schema)}

    def of(self, commit: int) -> pa.Table:
        """The rows of the commit with this number, counted from 1."""
        count = self._case.rows_per_commit
        rows = new_rows(np.arange((commit - 1) * count, commit * count, dtype=np.int64))
        whole = StructType(self._schema.columns)
        return pa.Table.from_struct_array(self._array(0, whole, rows))  # only columns have ids, from 1

    def _array(self, field_id: int, kind: Type, rows: RowSet) -> pa.Array:
        arrays = [self._array(number, part, rows) for number, _, part in parts_of(kind)]
        if isinstance(kind, StructType):
            pairs = zip(kind.fields, arrays, strict=True)
            fields = [pa.field(one.name, array.type, nullable=not one.required) for one, array in pairs]
            return pa.StructArray.from_arrays(arrays, fields=fields)
        if isinstance(kind, PrimitiveType):
            leaf = self._leaves[field_id]
            values = self._rows.values(leaf, rows) if leaf.items is None else self._rows.items(leaf, rows).ravel()
            return _arrow(leaf, values)
        # all rows have as many items
        offsets = np.linspace(0, len(arrays[0]), len(rows) + 1).astype(np.int32)
        made = pa.ListArray if isinstance(kind, ListType) else pa.MapArray
        return made.from_arrays(offsets, *arrays)


def _arrow(leaf: Leaf, values: Any) -> pa.Array:
    kind = leaf.column.type
    if digits := decimal_digits(kind):
        unscaled = [Decimal(int(value)).scaleb(-digits[1]) for value in values]
        return pa.array(unscaled, pa.decimal128(*digits))
    if kind == "date":
        return pa.array(np.asarray(values, dtype=np.int32), pa.date32())
    return pa.array(values, _TYPES[kind])


def write_table(case: Case, warehouse: Path, journal: Journal) -> Table:
    """The case's table, written from nothing below the warehouse."""
    catalog = RecordedCatalog(CATALOG_NAME, warehouse / "catalog.db", journal)
    rows = ArrivingRows(case)
    journal.enter("step", step=0, operation=CREATE_TABLE, event_ms=0, every_ms=0, rows=0)
    location, schema = str(warehouse.joinpath(*TABLE_NAME.split("."))), iceberg_schema(case.table)
    table = catalog.create(
        TABLE_NAME,
        Schema.model_validate_json(schema_json(schema)),
        PartitionSpec.model_validate_json(spec_json(partition_spec(case.table, schema))),
        location,
        **whole_paths(case.table.properties, location),
    )
    journal.enter("done", snapshots=0)
    started_s = time.monotonic()
    for step in plan_steps(case):
        if isinstance(step, Append):
            for commit in range(step.first_commit, step.first_commit + step.commits):
                if case.clock == "real":
                    time.sleep(max(0.0, started_s + commit * case.commit_interval_s - time.monotonic()))
                _append(table, rows, case, step, commit, journal)
    return table


def _append(table: Table, rows: ArrivingRows, case: Case, step: Append, commit: int, journal: Journal) -> None:
    arriving = rows.of(commit)  # what making the rows took is no commit's
    journal.enter(
        "step",
        step=step.number + commit - step.first_commit,
        operation=step.operation(commit),
        event_ms=round(commit * case.commit_interval_s * 1000),
        every_ms=round(case.commit_interval_s * 1000),
        rows=step.rows_per_commit,
    )
    began_ns = time.perf_counter_ns()
    table.append(arriving)
    took_ns = time.perf_counter_ns() - began_ns
    snapshot = table.current_snapshot()
    if snapshot is not None:
        journal.enter("commit", report=_report(table, snapshot, took_ns))


def _report(table: Table, snapshot: Snapshot, took_ns: int) -> dict[str, object]:
    """What Iceberg's Java library reports of a commit; pyiceberg says it in the summary and the list."""
    summary = snapshot.summary
    said = dict(summary.additional_properties) if summary is not None else {}
    manifests = snapshot.manifests(table.io)
    created = sum(1 for one in manifests if one.added_snapshot_id == snapshot.snapshot_id)
    keys = {name: f"{name}-bytes" if name.endswith("size") else name for name in _COUNTERS.split()}
    numbers = {key: int(said[name]) for name, key in keys.items() if name in said}
    numbers |= {"attempts": 1, "manifests-created": created, "manifests-kept": len(manifests) - created}
    metrics: dict[str, object] = {key: {"value": number} for key, number in numbers.items()}
    metrics["total-duration"] = {"time-unit": "nanoseconds", "total-duration": took_ns}
    return {
        "operation": summary.operation.value if summary is not None else "",
        "snapshot-id": snapshot.snapshot_id,
        "sequence-number": snapshot.sequence_number or 0,
        "metrics": metrics,
    }


def _lines(case: Case, warehouse: Path) -> Lines:
    journal = Journal()
    write_table(case, warehouse, journal)
    return journal.lines


PYICEBERG = Writer(
    name="pyiceberg",
    versions=lambda: {name: version(name) for name in ("pyiceberg", "pyarrow")},
    check=check_writable,
    write=_lines,
    failures=(WasimError, CommitFailedException, OSError, NotImplementedError, ValueError, ModuleNotFoundError),
)
