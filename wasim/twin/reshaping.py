"""A table's data files after its evolution: new files have the new schema and spec, older ones keep theirs."""

from collections.abc import Mapping
from dataclasses import replace

from wasim.errors import WasimError
from wasim.iceberg.schemas import Schema
from wasim.iceberg.specs import PartitionSpec
from wasim.scenario.change_checks import changed_column
from wasim.scenario.parts import Columns
from wasim.twin.data_files import DataFiles
from wasim.twin.row_shapes import Shape
from wasim.twin.rows import Rows
from wasim.twin.schema import Leaf, leaves
from wasim.workload import Evolve


def evolved_files(files: DataFiles, step: Evolve, schema: Schema, spec: PartitionSpec) -> DataFiles:
    """The data files of the table as the step has made it.

    WasimError if UPDATE would change another column from now on.
    """
    case = replace(files.case, table=step.table)
    rows = _evolved_rows(files, step, {leaf.field_id: leaf for leaf in leaves(case.table, schema)})
    return replace(files, case=case, rows=rows, schema=schema, spec=spec)


def _evolved_rows(files: DataFiles, step: Evolve, after: Mapping[int, Leaf]) -> Rows:
    rows, case, before = files.rows, files.case, {leaf.field_id: leaf for leaf in files.leaves}
    if _definitions(before) == _definitions(after):
        return rows
    changed = changed_column(step.table.columns, step.table.partition_by)
    if case.changes.update is not None and _id_of(rows.changed, before) != _id_of(changed, after):
        raise WasimError(
            f"changes.update would give another column ({changed}) new values after the {step.operation} at"
            f" {step.event_time_s:g} s, which is not modelled. Take one of them out, or use engine spark."
        )
    commits = case.commits_by(step.event_time_s)
    version = commits + 1 if case.writer.upsert is not None else step.number
    shape = Shape(number=case.rows_through(commits), version=version, leaves=after)
    return rows.evolved(shape, before, changed)


def _definitions(columns: Mapping[int, Leaf]) -> dict[int, tuple[str, str, Columns]]:
    return {number: (leaf.name, leaf.salt, leaf.column) for number, leaf in columns.items()}


def _id_of(name: str | None, columns: Mapping[int, Leaf]) -> int | None:
    return next((leaf.field_id for leaf in columns.values() if leaf.name == name), None)
