"""Partition values of rows, and the folders named by them."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.iceberg.specs import PartitionField as SpecField
from wasim.iceberg.specs import PartitionSpec
from wasim.scenario.parts import Columns, PartitionField, Table
from wasim.twin import shipped_profile, simulate_table
from wasim.twin.live_manifests import partition_extremes
from wasim.twin.partitions import partition_folder, split_by_partition
from wasim.twin.row_sets import new_rows
from wasim.twin.rows import rows_of
from wasim.twin.schema import iceberg_schema, leaves, partition_spec


@pytest.mark.parametrize(
    ("transform", "value", "folder"),
    [
        ("hour", 490_896, "event_time_hour=2026-01-01-00/"),
        ("day", 20_454, "event_time_day=2026-01-01/"),
        ("month", 672, "event_time_month=2026-01/"),
        ("year", 56, "event_time_year=2026/"),
        ("bucket[4]", 3, "event_time_bucket=3/"),
    ],
)
def test_partition_folders_are_named_as_spark_names_them(transform, value, folder):
    table = Table(
        columns=(Columns(name="flag", type="boolean"),),
        partition_by=(PartitionField(column="event_time", transform=transform),),
    )
    schema = iceberg_schema(table)
    assert partition_folder(partition_spec(table, schema), schema, (value,)) == folder


def test_rows_fall_into_the_month_and_year_of_their_time():
    case = replace(synthetic_case(writer="batch"), commit_interval_s=86_400.0 * 40, horizon_s=86_400.0 * 400)
    schema = iceberg_schema(case.table)
    fields = tuple(
        SpecField(name=name, transform=name, source_id=2, field_id=1000 + place)
        for place, name in enumerate(("month", "year"))
    )
    numbers = new_rows(np.array([0, case.rows_per_commit * 9], dtype=np.int64))
    found = leaves(case.table, schema)
    shares = split_by_partition(rows_of(case), PartitionSpec(fields=fields), found, numbers)
    assert {share.partition for share in shares} == {(672, 56), (683, 56)}


def test_decimal_partitions_are_full_in_manifests_minimal_in_lists():
    amount = Columns(name="amount", type="decimal(20,3)", values=5)
    table = Table(columns=(amount,), partition_by=(PartitionField(column="amount"),))
    case = replace(synthetic_case(writer="batch"), table=table)
    schema = iceberg_schema(table)
    numbers = new_rows(np.array([0, 40], dtype=np.int64))
    shares = split_by_partition(rows_of(case), partition_spec(table, schema), leaves(table, schema), numbers)
    values = [value for share in shares for value in share.partition]
    assert {len(value) for value in values} == {9}
    low, high = partition_extremes(values, "decimal(20, 3)")
    assert [int.from_bytes(one, "big", signed=True) for one in (low, high)] == [
        edge(int.from_bytes(value, "big", signed=True) for value in values) for edge in (min, max)
    ]
    assert len(low) < 9


@pytest.mark.parametrize("most_rows_computed", [0, 1_000])
@pytest.mark.parametrize("transform", ["identity", "truncate[1]"])
def test_bounds_of_partition_columns_are_values_of_the_partition(most_rows_computed: int, transform: str) -> None:
    """Whether they are drawn, as in files of many rows, or computed."""
    column, spec = (
        Columns(name="kind", type="string", length=6, values=40),
        PartitionField(column="kind", transform=transform),
    )
    case = replace(synthetic_case(writer="batch"), table=Table(columns=(column,), partition_by=(spec,)))
    rng = np.random.default_rng(1)
    table = simulate_table(case, shipped_profile(case), rng, most_rows_computed=most_rows_computed).table
    files = [entry.file for manifest in table.manifests for entry in manifest.live]
    assert len({file.partition for file in files}) > 10
    kind = 3  # after event_id and event_time
    for file in files:
        bounds = [file.lower_bounds[kind].decode(), file.upper_bounds[kind].decode()]
        assert all(bound.startswith(str(file.partition[0])) for bound in bounds), (file.partition, bounds)
