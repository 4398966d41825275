"""A table as a case: what it was made from comes out again."""

import numpy as np
import pytest
from support.paths import DATA
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.as_case import case_of
from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS, sum_events
from wasim.twin import Site, shipped_profile, simulate_case

NOW = InspectOptions(grace_s=0)
MERGING = {"commit.manifest.min-count-to-merge": "4", "write.metadata.previous-versions-max": "7"}


@pytest.mark.parametrize(
    "options",
    [
        {"files_per_commit": 2},
        {"writer": "batch", "properties": MERGING},
    ],
    ids=["streaming", "batch"],
)
def test_the_case_of_a_simulated_table_is_the_one_that_made_it(options, tmp_path):
    given = synthetic_case(horizon_s=30.0, **options)
    found = case_of(inspect_location(str(emit_tree(tmp_path / "t", given).root), NOW))
    expected = [name for column in given.table.columns for name in column.names]
    assert [column.name for column in found.case.table.columns] == expected
    assert found.case.table.properties == given.table.properties
    assert found.case.workload.files_per_commit == given.workload.files_per_commit
    assert (found.case.writer.kind, found.case.merges) == (given.writer.kind, given.merges)
    assert found.case.rows_per_commit == given.rows_per_commit
    # the table was written under the virtual clock: back to back
    assert 0.1 < found.case.commit_interval_s < 1


def test_a_simulation_of_the_case_writes_metadata_as_large_as_the_table_s(tmp_path):
    tree = emit_tree(tmp_path / "t", horizon_s=30.0)
    case = case_of(inspect_location(str(tree.root), NOW)).case
    again = simulate_case(case, shipped_profile(case), np.random.default_rng(1), site=Site(location=str(tree.root)))
    expected, found = (sum_events(one.events).written_bytes for one in (tree.simulated.recording, again))
    assert case.commits == 30
    for kind in METADATA_KINDS:
        if expected[kind]:
            assert found[kind] == pytest.approx(expected[kind], rel=0.02), kind


def test_a_table_without_two_commits_has_no_interval():
    with pytest.raises(WasimError, match="commit interval is unknown"):
        case_of(inspect_location(str(DATA / "tables" / "empty_v2"), NOW))


@pytest.mark.parametrize("table", ["api_types_v3", "identities", "nested_v3"])
def test_a_column_that_the_table_is_partitioned_by_has_as_many_values_as_are_seen(table):
    found = case_of(inspect_location(str(DATA / "tables" / table), NOW))
    columns = {column.name: column for column in found.case.table.columns}
    partitioned = [columns[one.column] for one in found.case.table.partition_by if one.transform == "identity"]
    assert partitioned
    assert all(column.type == "boolean" or column.values for column in partitioned)
    assert not any(column.type == "binary" for column in partitioned)
