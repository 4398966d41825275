"""Table metadata after one thing of its evolution, as Iceberg's UpdateSchema and UpdatePartitionSpec make it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from wasim.errors import WasimError
from wasim.iceberg import TableMetadata
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.schemas import NestedField, Schema, primitive_type
from wasim.iceberg.snapshots import SnapshotRef
from wasim.iceberg.specs import PartitionField, PartitionSpec
from wasim.scenario.changes import Moving, Renaming, Widening
from wasim.scenario.parts import Columns
from wasim.scenario.parts import PartitionField as FieldWanted
from wasim.scenario.paths import whole_paths
from wasim.twin.schema import last_column_id, new_fields, partition_field_name
from wasim.twin.table_json import with_ref
from wasim.workload import Evolve


def evolve_metadata(metadata: TableMetadata, step: Evolve) -> TableMetadata:
    """The metadata after the step, which is no rollback. WasimError for what is not simulated."""
    value = getattr(step.evolution, step.operation)
    return _STEPS[step.operation](metadata, value)


def map_in_java_order(pairs: Mapping[str, str]) -> dict[str, str]:
    """Properties in the order of Java's map."""
    return {key: pairs[key] for key in java_map_order(pairs)}


def _with_columns(metadata: TableMetadata, columns: tuple[NestedField, ...], last_id: int = 0) -> TableMetadata:
    """The schema in force is the one with these columns: an earlier one if it is the same, else a new one."""
    same = next((one for one in metadata.schemas if one.columns == columns), None)
    if same is None:
        same = Schema(columns=columns, schema_id=max(one.schema_id for one in metadata.schemas) + 1)
        metadata = replace(metadata, schemas=(*metadata.schemas, same))
    return replace(metadata, current_schema_id=same.schema_id, last_column_id=max(metadata.last_column_id, last_id))


def _columns(metadata: TableMetadata) -> tuple[NestedField, ...]:
    return metadata.current_schema().columns


def _changed(metadata: TableMetadata, name: str, change: Callable[[NestedField], NestedField]) -> TableMetadata:
    return _with_columns(metadata, tuple(change(one) if one.name == name else one for one in _columns(metadata)))


def _rename_column(metadata: TableMetadata, value: Renaming) -> TableMetadata:
    return _changed(metadata, value.column, lambda column: replace(column, name=value.to))


def _widen_column(metadata: TableMetadata, value: Widening) -> TableMetadata:
    return _changed(metadata, value.column, lambda column: replace(column, type=primitive_type(value.type)))


def _make_optional(metadata: TableMetadata, name: str) -> TableMetadata:
    return _changed(metadata, name, lambda column: replace(column, required=False))


def _add_column(metadata: TableMetadata, value: Columns) -> TableMetadata:
    added = new_fields(value, count(metadata.last_column_id + 1))
    columns = (*_columns(metadata), *added)
    return _with_columns(metadata, columns, last_column_id(Schema(columns=added)))


def _drop_column(metadata: TableMetadata, name: str) -> TableMetadata:
    dropped = next(one for one in _columns(metadata) if one.name == name)
    if any(field.source_id == dropped.field_id for spec in metadata.partition_specs for field in spec.fields):
        raise WasimError(
            f"Dropping the column {name}, by which the table was partitioned once, is not simulated. Keep it, or use"
            " engine spark."
        )
    return _with_columns(metadata, tuple(one for one in _columns(metadata) if one is not dropped))


def _move_column(metadata: TableMetadata, value: Moving) -> TableMetadata:
    columns = list(_columns(metadata))
    moved = columns.pop(next(place for place, one in enumerate(columns) if one.name == value.column))
    columns.insert(next(place for place, one in enumerate(columns) if one.name == value.after) + 1, moved)
    return _with_columns(metadata, tuple(columns))


def _with_spec(metadata: TableMetadata, fields: tuple[PartitionField, ...]) -> TableMetadata:
    """The spec in force is the one with these fields: an earlier one if it is the same, else a new one."""
    same = next((one for one in metadata.partition_specs if one.fields == fields), None)
    if same is None:
        same = PartitionSpec(spec_id=max(one.spec_id for one in metadata.partition_specs) + 1, fields=fields)
        metadata = replace(metadata, partition_specs=(*metadata.partition_specs, same))
    last_id = max([metadata.last_partition_id, *(field.field_id for field in fields)])
    return replace(metadata, default_spec_id=same.spec_id, last_partition_id=last_id)


def _add_partition_field(metadata: TableMetadata, value: FieldWanted) -> TableMetadata:
    source_id = next(one.field_id for one in _columns(metadata) if one.name == value.column)
    old = [field for spec in metadata.partition_specs for field in spec.fields]
    known = [one for one in old if (one.source_id, one.transform) == (source_id, value.transform)]
    # from v2 on, a field that the table had before comes back under its own id
    reused = known[0] if known and metadata.format_version > 1 else None
    added = reused or PartitionField(
        name=partition_field_name(value.column, value.transform),
        transform=value.transform,
        source_id=source_id,
        field_id=metadata.last_partition_id + 1,
    )
    return _with_spec(metadata, (*metadata.default_spec().fields, added))


def _drop_partition_field(metadata: TableMetadata, value: FieldWanted) -> TableMetadata:
    source_id = next(one.field_id for one in _columns(metadata) if one.name == value.column)
    if metadata.format_version == 1:
        raise WasimError("Dropping a partition field of a v1 table is not simulated. Use v2, or engine spark.")
    fields = metadata.default_spec().fields
    return _with_spec(
        metadata, tuple(one for one in fields if (one.source_id, one.transform) != (source_id, value.transform))
    )


def _set_properties(metadata: TableMetadata, value: dict[str, str]) -> TableMetadata:
    whole = whole_paths(value, metadata.location)
    return replace(metadata, properties=map_in_java_order({**metadata.properties, **whole}))


def _create_ref(kind: str) -> Callable[[TableMetadata, str], TableMetadata]:
    def create(metadata: TableMetadata, name: str) -> TableMetadata:
        if metadata.current_snapshot_id is None:
            raise WasimError(f"The {kind} {name} of a table without a snapshot is not simulated. Create it later.")
        ref = SnapshotRef(snapshot_id=metadata.current_snapshot_id, type=kind)
        return replace(metadata, refs=with_ref(metadata.refs, name, ref))

    return create


_STEPS: dict[str, Callable[[TableMetadata, Any], TableMetadata]] = {
    "add_column": _add_column,
    "drop_column": _drop_column,
    "rename_column": _rename_column,
    "widen_column": _widen_column,
    "move_column": _move_column,
    "make_optional": _make_optional,
    "add_partition_field": _add_partition_field,
    "drop_partition_field": _drop_partition_field,
    "set_properties": _set_properties,
    "create_tag": _create_ref("tag"),
    "create_branch": _create_ref("branch"),
}
