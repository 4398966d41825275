"""The metadata of a table as CREATE TABLE makes it."""

from wasim.iceberg import TableMetadata
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.specs import SortOrder
from wasim.scenario import Case
from wasim.simulate.data_files import DataFiles
from wasim.simulate.profile import WriterProfile
from wasim.simulate.schema import FIRST_PARTITION_FIELD_ID, last_column_id

_RESERVED = frozenset({"format-version"})  # of CREATE TABLE's properties, kept elsewhere in the metadata


def first_metadata(
    case: Case,
    profile: WriterProfile,
    files: DataFiles,
    *,
    table_uuid: str,
    location: str,
    owner: str,
    created_ms: int,
) -> TableMetadata:
    """The case's table before its first snapshot."""
    return TableMetadata(
        format_version=case.table.format_version,
        table_uuid=table_uuid,
        location=location,
        last_updated_ms=created_ms,
        last_column_id=last_column_id(files.schema),
        schemas=(files.schema,),
        current_schema_id=0,
        partition_specs=(files.spec,),
        default_spec_id=0,
        last_partition_id=FIRST_PARTITION_FIELD_ID - 1 + len(files.spec.fields),
        sort_orders=(SortOrder(),),
        default_sort_order_id=0,
        properties=_properties(case, profile, owner),
        refs={},
    )


def _properties(case: Case, profile: WriterProfile, owner: str) -> dict[str, str]:
    """The scenario's properties, and those that the writer adds, in the order of Java's map."""
    added = {key: value.format(owner=owner) for key, value in profile.properties.items()}
    scenario = {"write.distribution-mode": case.workload.distribution_mode, **case.table.properties}
    both = {**added, **{key: value for key, value in scenario.items() if key not in _RESERVED}}
    return {key: both[key] for key in java_map_order(both)}
