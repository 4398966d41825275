"""The simulated table as CREATE TABLE makes it."""

from dataclasses import dataclass

import numpy as np

from wasim.iceberg import ManifestHeader, TableMetadata
from wasim.iceberg.hash_order import java_copy_order, java_map_order
from wasim.iceberg.properties import FORMAT_VERSION, UPSERT_ENABLED, WRITE_DISTRIBUTION_MODE, TableProperties
from wasim.iceberg.specs import SortOrder
from wasim.scenario import Case
from wasim.scenario.paths import whole_paths
from wasim.twin.commits import TableRules
from wasim.twin.data_files import DataFiles
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_uuid
from wasim.twin.live_manifests import ManifestWriter
from wasim.twin.locations import locations_of
from wasim.twin.profile import WriterProfile
from wasim.twin.schema import FIRST_PARTITION_FIELD_ID, last_column_id
from wasim.twin.summary import CHANGED_PARTITIONS
from wasim.twin.table import SimulatedTable
from wasim.twin.table_json import TableJson

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
    return SimulatedTable(
        rules=TableRules(
            locations=locations_of(site.location, properties),
            format_version=case.table.format_version,
            appends_merge=case.merges,
            properties=properties,
            names="hadoop" if case.environment.catalog == "hadoop" else profile.names,
            release=profile.release,
            summary=_summary(case, profile),
            keeps_history=not case.only_appends,
        ),
        writer=ManifestWriter(
            header=ManifestHeader(
                schema=files.schema,
                spec=files.spec,
                format_version=case.table.format_version,
                release=profile.release,
            ),
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


def _summary(case: Case, profile: WriterProfile) -> dict[str, str]:
    """The templates of the writer's summaries of such a table."""
    is_counted = profile.recipe.counts_no_partition or bool(case.table.partition_by)
    return {key: text for key, text in profile.summary.items() if is_counted or key != CHANGED_PARTITIONS}


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
