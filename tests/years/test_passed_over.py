"""What sums leave out is said, once and by its name."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.synthetic import synthetic_case

from wasim.scenario import Case
from wasim.scenario.parts import PartitionField
from wasim.twin import shipped_profile
from wasim.years.passed_over import passed_over


def said(case: Case) -> tuple[str, ...]:
    return passed_over(case, shipped_profile(case))


def test_a_plain_case_is_simulated_as_it_stands():
    assert said(synthetic_case()) == ()


@pytest.mark.parametrize("name", ["create_tag", "create_branch"])
def test_references_are_named_and_columns_said_to_have_been_there(name: str, small_case: Callable[..., Case]):
    added = "{name: %s, type: long}"
    columns = [f"{{at: {at}s, add_column: {added % column}}}" for at, column in ((1, "a"), (2, "b"))]
    case = small_case(evolution=f"[{', '.join(columns)}, {{at: 3s, {name}: one}}]")
    of_columns, of_reference = said(case)
    assert "from the beginning" in of_columns
    assert of_reference == f"Not simulated: evolution's {name}."


def test_each_setting_that_changes_bytes_is_named():
    case = synthetic_case()
    spark = {"spark.sql.iceberg.handle-timestamp-without-timezone": "true", "spark.driver.memory": "1g"}
    found = said(replace(case, environment=case.environment.model_copy(update={"spark": spark})))
    assert found == (f"Not simulated: environment.spark.{next(iter(spark))}.",)


def test_a_property_that_nothing_simulates_is_quoted():
    properties = {"write.parquet.row-group-size-bytes": "1000", "commit.manifest.min-count-to-merge": "9"}
    (found,) = said(synthetic_case(properties=properties))
    assert "table.properties.write.parquet.row-group-size-bytes" in found
    assert '"1000"' in found


def test_rows_cut_by_a_sample_are_taken_as_if_not():
    case = synthetic_case()
    case = replace(case, workload=case.workload.model_copy(update={"distribution_mode": "range"}))
    assert said(case) == ()
    by = (PartitionField(column="event_id", transform="bucket[3]"),)
    (found,) = said(replace(case, table=case.table.model_copy(update={"partition_by": by})))
    assert "distribution_mode range" in found
