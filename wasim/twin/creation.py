"""The simulated table as CREATE TABLE makes it, and what evolution makes of it, as Iceberg's UpdateSchema does.

New data files have the new schema and spec of an evolution, older ones keep theirs.
"""

from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import ManifestHeader, TableMetadata
from wasim.iceberg.hash_order import java_copy_order, java_map_order
from wasim.iceberg.properties import FORMAT_VERSION, UPSERT_ENABLED, WRITE_DISTRIBUTION_MODE, TableProperties
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema, primitive_type
from wasim.iceberg.snapshots import SnapshotRef
from wasim.iceberg.specs import PartitionField, PartitionSpec, SortOrder
from wasim.scenario import Case
from wasim.scenario.parts import Columns
from wasim.scenario.settings import whole_paths
from wasim.twin.commits import Held, Moment, TableRules
from wasim.twin.data_files import DataFiles
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_uuid, locations_of
from wasim.twin.live_manifests import ManifestWriter
from wasim.twin.profile import WriterProfile
from wasim.twin.schema import FIRST_PARTITION_FIELD_ID, last_column_id, leaves, new_field, partition_field_name
from wasim.twin.summary import CHANGED_PARTITIONS
from wasim.twin.table import SimulatedTable
from wasim.twin.table_json import TableJson, with_ref
from wasim.workload import Evolve

OWNER = "wasim"  # of a simulated table
_RESERVED = frozenset({FORMAT_VERSION})  # of CREATE TABLE's properties, kept elsewhere in the metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where and when the table is made: what neither scenario nor profile knows, but its files repeat.

    `provider` is the store whose latencies several writers race with; None: that of the case's store, or local files.
    """

    location: str = "file:/warehouse/db/events"
    started_s: float = 1_767_225_600.0  # 2026-01-01, by the simulated wall clock
    provider: str | None = None


def new_table(
    case: Case, profile: WriterProfile, files: DataFiles, *, site: Site, log: EventLog, rng: np.random.Generator
) -> SimulatedTable:
    """The table before its CREATE TABLE is carried out."""
    properties = TableProperties.read(case.table.properties)
    is_counted = profile.recipe.counts_no_partition or bool(case.table.partition_by)
    return SimulatedTable(
        rules=TableRules(
            locations=locations_of(site.location, properties),
            format_version=case.table.format_version,
            appends_merge=case.merges,
            properties=properties,
            names="hadoop" if case.environment.catalog == "hadoop" else profile.names,
            release=profile.release,
            summary={key: text for key, text in profile.summary.items() if is_counted or key != CHANGED_PARTITIONS},
            keeps_history=not case.only_appends,
        ),
        writer=ManifestWriter(
            header=ManifestHeader(
                schema=files.schema, spec=files.spec, format_version=case.table.format_version, release=profile.release
            )
        ).with_properties(properties),
        json=TableJson(
            base=_first_metadata(case, files, site, _properties(case, profile, site.location), rng),
            properties=properties,
            needs_text=log.folder is not None,
            release=profile.release,
        ),
        log=log,
        rng=rng,
    )


def _first_metadata(
    case: Case, files: DataFiles, site: Site, properties: dict[str, str], rng: np.random.Generator
) -> TableMetadata:
    return TableMetadata(
        format_version=case.table.format_version,
        table_uuid=draw_uuid(rng),
        location=site.location,
        last_updated_ms=round(site.started_s * 1000),
        last_column_id=last_column_id(files.schema),
        schemas=(files.schema,),
        current_schema_id=0,
        partition_specs=(files.spec,),
        default_spec_id=0,
        last_partition_id=FIRST_PARTITION_FIELD_ID - 1 + len(files.spec.fields),
        sort_orders=(SortOrder(),),
        default_sort_order_id=0,
        properties=properties,
        refs={},
    )


def _properties(case: Case, profile: WriterProfile, location: str) -> dict[str, str]:
    """The scenario's properties, and those that the writer adds, in the order of Java's maps, one copied."""
    added = {key: value.format(owner=OWNER) for key, value in profile.properties.items()}
    scenario = {
        WRITE_DISTRIBUTION_MODE: case.workload.distribution_mode,
        **case.change_modes,
        **({UPSERT_ENABLED: "true"} if case.key_columns else {}),
        **case.table.properties,
    }
    whole = whole_paths(scenario, location)
    both = {**added, **{key: value for key, value in whole.items() if key not in _RESERVED}}
    return {key: both[key] for key in java_copy_order(java_map_order(both))}


def evolve_table(table: SimulatedTable, step: Evolve, moment: Moment) -> None:
    """Carries out one thing of the table's evolution."""
    commits = step.evolution.rollback_commits
    if commits is not None:
        held = table.history.get(table.snapshot_id) if table.snapshot_id is not None else None
        for _ in range(commits):
            parent = None if held is None else held.parent_snapshot_id
            held = None if parent is None else table.history.get(parent)
        if held is None:
            raise WasimError(f"The table has no snapshot {commits} commits back to roll back to: none yet, or expired.")
        roll_back_to(table, held, moment)
        return
    changed = evolve_metadata(table.json.base, step)
    table.apply_properties(TableProperties.read(step.table.properties))
    if changed != table.json.base:  # properties that the table has already: Iceberg commits nothing
        table.commit_metadata(changed, moment.updated_ms)


def roll_back_to(table: SimulatedTable, held: Held, moment: Moment) -> None:
    """Makes an earlier snapshot main's again: a metadata.json, and no new snapshot."""
    table.commit_metadata(table.json.point_main(held.snapshot_id, moment.updated_ms), moment.updated_ms)
    table.manifests, table.totals, table.snapshot_id = list(held.manifests), held.totals, held.snapshot_id


def evolve_metadata(metadata: TableMetadata, step: Evolve) -> TableMetadata:
    """The metadata after the step, which is no rollback. WasimError for what is not simulated."""
    asked = step.evolution
    match step.operation:
        case "set_properties":
            both = {**metadata.properties, **whole_paths(asked.set_properties or {}, metadata.location)}
            return replace(metadata, properties={key: both[key] for key in java_map_order(both)})
        case "create_tag":
            return _with_ref(metadata, "tag", asked.create_tag or "")
        case "create_branch":
            return _with_ref(metadata, "branch", asked.create_branch or "")
        case "add_partition_field" | "drop_partition_field":
            return _with_spec(metadata, step)
    return _with_schema(metadata, step)


def _with_schema(metadata: TableMetadata, step: Evolve) -> TableMetadata:
    """The schema in force is the one with the table's columns: an earlier one if it is the same, else a new one."""
    renaming, ids = step.evolution.rename_column, count(metadata.last_column_id + 1)
    known = {one.name: one for one in metadata.current_schema().columns}
    if renaming is not None:
        known[renaming.to] = known.pop(renaming.column)
    columns = tuple(
        _altered(known.pop(column.name) if column.name in known else new_field(column, ids), column)
        for column in step.table.all_columns
    )
    sources = {field.source_id for spec in metadata.partition_specs for field in spec.fields}
    for dropped in known.values():
        if dropped.field_id in sources:
            raise WasimError(
                f"Dropping the column {dropped.name}, by which the table was partitioned once, is not simulated. Keep"
                " it, or use engine spark."
            )
    same = next((one for one in metadata.schemas if one.columns == columns), None)
    if same is None:
        same = Schema(columns=columns, schema_id=max(one.schema_id for one in metadata.schemas) + 1)
        metadata = replace(metadata, schemas=(*metadata.schemas, same))
    last_id = max(metadata.last_column_id, last_column_id(same))
    return replace(metadata, current_schema_id=same.schema_id, last_column_id=last_id)


def _altered(field: NestedField, column: Columns) -> NestedField:
    kind = primitive_type(column.type) if isinstance(field.type, PrimitiveType) else field.type
    return replace(field, name=column.name, type=kind, required=column.required)


def _with_spec(metadata: TableMetadata, step: Evolve) -> TableMetadata:
    """The spec in force is the one with the table's fields: an earlier one if it is the same, else a new one."""
    if metadata.format_version == 1 and step.operation == "drop_partition_field":
        raise WasimError("Dropping a partition field of a v1 table is not simulated. Use v2, or engine spark.")
    source_ids = {one.name: one.field_id for one in metadata.current_schema().columns}
    # a field that the table had before comes back under its own id
    known = {(one.source_id, one.transform): one for spec in metadata.partition_specs for one in spec.fields}
    fields = tuple(
        known.get((source_ids[wanted.column], wanted.transform))
        or PartitionField(
            name=partition_field_name(wanted.column, wanted.transform),
            transform=wanted.transform,
            source_id=source_ids[wanted.column],
            field_id=metadata.last_partition_id + 1,
        )
        for wanted in step.table.partition_by
    )
    same = next((one for one in metadata.partition_specs if one.fields == fields), None)
    if same is None:
        same = PartitionSpec(spec_id=max(one.spec_id for one in metadata.partition_specs) + 1, fields=fields)
        metadata = replace(metadata, partition_specs=(*metadata.partition_specs, same))
    last_id = max([metadata.last_partition_id, *(field.field_id for field in fields)])
    return replace(metadata, default_spec_id=same.spec_id, last_partition_id=last_id)


def _with_ref(metadata: TableMetadata, kind: str, name: str) -> TableMetadata:
    if metadata.current_snapshot_id is None:
        raise WasimError(f"The {kind} {name} of a table without a snapshot is not simulated. Create it later.")
    ref = SnapshotRef(snapshot_id=metadata.current_snapshot_id, type=kind)
    return replace(metadata, refs=with_ref(metadata.refs, name, ref))


def evolved_files(files: DataFiles, step: Evolve, schema: Schema, spec: PartitionSpec) -> DataFiles:
    """The data files of the table as the step has made it. Rows from before do not have the columns that it adds."""
    case = replace(files.case, table=step.table)
    commits = case.commits_by(step.event_time_s)
    since = case.rows_through(commits), commits + 1 if case.writer.upsert is not None else step.number
    known = {leaf.field_id for leaf in files.leaves}
    added = {leaf.field_id: since for leaf in leaves(case.table, schema) if leaf.field_id not in known}
    rows = replace(files.rows, added={**files.rows.added, **added})
    return replace(files, case=case, rows=rows, schema=schema, spec=spec)
