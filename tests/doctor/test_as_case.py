"""A table as a case: what it was made from comes out again."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.paths import DATA
from support.synthetic import synthetic_case
from support.trees import emit_tree, newest_json

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.as_case import case_of
from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS, sum_events
from wasim.scenario.changes import Maintenance
from wasim.scenario.parts import Writer
from wasim.twin import Site, shipped_profile, simulate_case

NOW = InspectOptions(grace_s=0)
MERGING = {"commit.manifest.min-count-to-merge": "4", "write.metadata.previous-versions-max": "7"}


@pytest.mark.parametrize(
    "options", [{"files_per_commit": 2}, {"writer": "batch", "properties": MERGING}], ids=["streaming", "batch"]
)
def test_a_simulated_tables_case_is_the_one_that_made_it(options, tmp_path):
    given = synthetic_case(horizon_s=30.0, **options)
    found = case_of(inspect_location(str(emit_tree(tmp_path / "t", given).root), NOW))
    assert found.case.table.unlisted == ()
    assert [column.name for column in found.case.table.columns] == [one.name for one in given.table.all_columns]
    assert found.case.table.properties == given.table.properties
    assert found.case.workload.files_per_commit == given.workload.files_per_commit
    assert (found.case.writer.kind, found.case.merges) == (given.writer.kind, given.merges)
    assert found.case.rows_per_commit == given.rows_per_commit
    # the table was written under the virtual clock: back to back
    assert 0.1 < found.case.commit_interval_s < 1


@pytest.mark.parametrize("writer", ["streaming", "batch"])
@pytest.mark.parametrize("job", ["rewrite_data_files", "rewrite_manifests"])
def test_fewer_manifests_by_maintenance_are_not_merging_appends(writer, job, tmp_path):
    given = synthetic_case(
        horizon_s=60.0, writer=writer, interval_s=2.0, properties=MERGING if writer == "batch" else {}
    )
    given = replace(given, maintenance=Maintenance.model_validate({job: {"every": 20.0}}))
    found = case_of(inspect_location(str(emit_tree(tmp_path / "t", given).root), NOW))
    assert (found.case.writer.kind, found.case.merges) == (writer, given.merges)


def test_columns_of_a_table_keep_their_names_types_and_order():
    table = case_of(inspect_location(str(DATA / "tables" / "nested_v3"), NOW)).case.table
    assert [column.name for column in table.all_columns] == ["id", "day", "who", "tags", "counts", "keyed", "v"]
    assert (table.key_column, table.time_column) == ("id", None)
    types = {column.name: column.type for column in table.all_columns}
    assert [types[name] for name in ("tags", "counts", "keyed")] == [
        "list<string>",
        "map<string, long>",
        "map<int, struct>",
    ]


def test_simulating_the_case_gives_metadata_of_the_tables_size(tmp_path):
    tree = emit_tree(tmp_path / "t", horizon_s=30.0)
    case = case_of(inspect_location(str(tree.root), NOW)).case
    again = simulate_case(case, shipped_profile(case), np.random.default_rng(1), site=Site(location=str(tree.root)))
    expected, found = (sum_events(one.events).written_bytes for one in (tree.simulated.recording, again))
    assert case.commits == 30
    for kind in METADATA_KINDS:
        if expected[kind]:
            assert found[kind] == pytest.approx(expected[kind], rel=0.02), kind


def test_a_trino_table_s_case_says_it_is_trino_s(tmp_path):
    given = replace(synthetic_case(horizon_s=6.0), writer=Writer(kind="batch", profile="trino"))
    found = case_of(inspect_location(str(emit_tree(tmp_path / "t", given).root), NOW))
    assert (found.case.writer.profile, found.case.merges) == ("trino", True)
    assert any("trino 476, Apache Iceberg 1.9.1: the profile trino" in note for note in found.notes)


def test_a_table_of_pyiceberg_is_taken_as_never_merged(tmp_path):
    given = replace(synthetic_case(horizon_s=6.0), writer=Writer(kind="batch", profile="pyiceberg"))
    root = emit_tree(tmp_path / "t", given).root
    for path in (root / "metadata").glob("snap-*"):  # whose attempts pyiceberg counts from 0
        path.rename(path.with_name(path.name.replace("-1-", "-0-", 1)))
    newest = Path(newest_json(root))
    newest.write_text(re.sub(r"(snap-[0-9]+)-1-", r"\1-0-", newest.read_text()))
    found = case_of(inspect_location(str(root), NOW))
    assert (found.case.writer.profile, found.case.merges) == ("pyiceberg", False)


def test_an_unknown_writer_is_said_to_be_unknown(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=6.0).root
    newest = Path(newest_json(root))
    newest.write_text(re.sub(r'"(spark|engine|iceberg-version|app)[a-zA-Z.-]*":"[^"]*",?', "", newest.read_text()))
    newest.write_text(newest.read_text().replace(",}", "}"))
    found = case_of(inspect_location(str(root), NOW))
    assert "its writer is unknown; a batch of Spark's stands for it" in found.notes


def test_a_table_without_two_commits_has_no_interval():
    with pytest.raises(WasimError, match="commit interval is unknown"):
        case_of(inspect_location(str(DATA / "tables" / "empty_v2"), NOW))


@pytest.mark.parametrize("table", ["api_types_v3", "identities", "nested_v3"])
def test_a_partition_column_has_as_many_values_as_seen(table):
    found = case_of(inspect_location(str(DATA / "tables" / table), NOW))
    columns = {column.name: column for column in found.case.table.columns}
    partitioned = [columns[one.column] for one in found.case.table.partition_by if one.transform == "identity"]
    assert partitioned
    assert all(column.type == "boolean" or column.values for column in partitioned)
    assert not any(column.type == "binary" for column in partitioned)
