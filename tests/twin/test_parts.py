"""The parts of the simulated writer: rows, hashes, partitions, bins, profiles."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import DATA
from support.synthetic import synthetic_case

from wasim.errors import SavedFileError, WasimError
from wasim.iceberg import read_manifest, read_metadata_json
from wasim.iceberg.manifest_entries import Status
from wasim.iceberg.specs import PartitionField as SpecField
from wasim.iceberg.specs import PartitionSpec
from wasim.scenario import case_from_document
from wasim.scenario.parts import Columns, PartitionField, Table
from wasim.twin import measure_profile, read_profile, render_profile, shipped_profile, simulate_case, with_samples
from wasim.twin.bounds import column_bounds, decimal_bytes
from wasim.twin.hashing import murmur3_32
from wasim.twin.identifiers import LONG_MAX, draw_snapshot_id
from wasim.twin.measure import _deviation
from wasim.twin.merging import MergePolicy, bins_to_merge, pack_from_end
from wasim.twin.parquet_sizes import column_size
from wasim.twin.partitions import partition_folder, split_by_partition
from wasim.twin.row_sets import new_rows
from wasim.twin.rows import rows_of, split_rows
from wasim.twin.schema import iceberg_schema, last_column_id, leaves, new_fields, partition_spec

RECORDINGS = DATA / "recordings"


def recorded_case(name):
    return case_from_document(json.loads((RECORDINGS / name / "case.json").read_text()))


def added_entries(name):
    """Entries as commits added them, with the number of the commit."""
    folder = RECORDINGS / name / "table" / "metadata"
    newest = sorted(folder.glob("*.metadata.json"))[-1]
    snapshots = {one.snapshot_id: one for one in read_metadata_json(newest.read_bytes(), source="").snapshots}
    for path in sorted(folder.glob("*-m*.avro")):
        for entry in read_manifest(path.read_bytes(), source="").entries:
            if entry.status == Status.ADDED:
                yield snapshots[entry.snapshot_id].sequence_number, entry.file


@pytest.mark.parametrize("name", sorted(path.name for path in RECORDINGS.iterdir()))
def test_partitions_and_bounds_are_those_of_the_real_rows(name):
    case = recorded_case(name)
    schema = iceberg_schema(case.table)
    spec, found, rows = partition_spec(case.table, schema), leaves(case.table, schema), rows_of(case)
    rng = np.random.default_rng(0)
    checked = 0
    for commit, file in added_entries(name):
        tasks = map(new_rows, split_rows(case, commit))
        shares = [share for task in tasks for share in split_by_partition(rows, spec, found, task)]
        mine = [
            share
            for share in shares
            if share.partition == file.partition
            and int(share.rows.numbers[0]).to_bytes(8, "little") == file.lower_bounds[1]
        ]
        assert len(mine) == 1
        assert len(mine[0].rows) == file.record_count
        for leaf in found:
            bounds = column_bounds(rows, leaf, mine[0].rows, rng)
            assert (bounds.lower, bounds.upper) == (file.lower_bounds[leaf.field_id], file.upper_bounds[leaf.field_id])
            checked += 1
    assert checked > 50


def test_bucket_hashes_are_those_of_the_specification():
    assert murmur3_32((34).to_bytes(8, "little")) == 2017239379
    assert murmur3_32(b"iceberg") == 1210000089
    assert murmur3_32(bytes([0, 1, 2, 3])) == -188683207
    assert murmur3_32(decimal_bytes(1420)) == -500754589
    assert murmur3_32((17486).to_bytes(8, "little")) == -653330422


def test_drawn_bounds_lie_where_computed_ones_would(monkeypatch):
    case = synthetic_case(writer="batch")
    found, rows = leaves(case.table, iceberg_schema(case.table)), rows_of(case)
    numbers = new_rows(np.arange(19_000, dtype=np.int64))
    computed = [column_bounds(rows, leaf, numbers, np.random.default_rng(0)) for leaf in found]
    monkeypatch.setattr("wasim.twin.bounds.MOST_ROWS_COMPUTED", 10)
    drawn = [column_bounds(rows, leaf, numbers, np.random.default_rng(0)) for leaf in found]
    assert drawn[:2] == computed[:2]
    for one, other in zip(computed, drawn, strict=True):
        assert (len(one.lower), len(one.upper)) == (len(other.lower), len(other.upper))


NESTED = Table(
    columns=(
        Columns(
            name="actor",
            type="struct",
            fields=(
                Columns(name="net", type="struct", fields=(Columns(name="ip", type="string"),)),
                Columns(name="id", type="long"),
            ),
        ),
        Columns(name="flag", type="boolean"),
    )
)


def test_a_structs_fields_are_numbered_before_what_they_nest():
    schema = iceberg_schema(NESTED)
    assert [(leaf.name, leaf.field_id, leaf.salt) for leaf in leaves(NESTED, schema)] == [
        ("event_id", 1, "0"),
        ("event_time", 2, "1"),
        ("actor.net.ip", 7, "2.0.0"),
        ("actor.id", 6, "2.1"),
        ("flag", 4, "3"),
    ]
    assert last_column_id(schema) == 7


def test_metrics_modes_follow_the_properties():
    properties = {
        "write.metadata.metrics.default": "counts",
        "write.metadata.metrics.column.flag": "none",
        "write.metadata.metrics.column.actor.id": "truncate(4)",
    }
    table = NESTED.model_copy(update={"properties": properties})
    modes = {leaf.name: (leaf.has_counts, leaf.bound_length) for leaf in leaves(table, iceberg_schema(table))}
    assert modes["event_id"] == (True, None)
    assert modes["flag"] == (False, None)
    assert modes["actor.id"] == (True, 4)


def test_only_the_first_hundred_columns_get_metrics():
    table = Table(columns=(Columns(name="c", type="int", count=120),))
    assert sum(leaf.has_counts for leaf in leaves(table, iceberg_schema(table))) == 100


def test_columns_are_counted_level_by_level_whenever_they_came():
    part = Columns(name="part", type="struct", fields=(Columns(name="x", type="int"),))
    table = Table(columns=(part,), properties={"write.metadata.metrics.max-inferred-column-defaults": "3"})
    late = Columns(name="late", type="int")
    schema = iceberg_schema(table)
    schema = replace(schema, columns=(*schema.columns, *new_fields(late, count(last_column_id(schema) + 1))))
    evolved = table.model_copy(update={"columns": (part, late)})
    found = {leaf.name: leaf.has_counts for leaf in leaves(evolved, schema)}
    assert found == {"event_id": True, "event_time": True, "part.x": False, "late": True}


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


@given(
    sizes=st.lists(st.integers(min_value=1, max_value=50), max_size=40), target=st.integers(min_value=1, max_value=90)
)
def test_bins_cover_all_in_order_and_hold_the_target(sizes: Sequence[int], target: int):
    bins = pack_from_end(sizes, target)
    assert [place for places in bins for place in places] == list(range(len(sizes)))
    for places in bins:
        assert len(places) == 1 or sum(sizes[place] for place in places) <= target
    for newer, older in pairwise(bins):
        # the item before a full bin would not have fitted
        assert sum(sizes[place] for place in older) + sizes[newer.stop - 1] > target


def test_the_newest_bin_waits_for_its_count_and_older_ones_do_not():
    policy = MergePolicy(enabled=True, min_count=3, target_bytes=20)
    assert bins_to_merge([10, 10, 10, 10], policy) == [range(2, 4)]
    assert bins_to_merge([5, 5], policy) == []
    assert bins_to_merge([5, 5, 5], policy) == [range(3)]
    assert bins_to_merge([5, 5, 5], replace(policy, enabled=False)) == []


def test_merges_come_at_commits_100_and_199():
    case = synthetic_case(writer="batch", horizon_s=200.0)
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0)).reports
    assert (np.flatnonzero(reports.manifests_replaced) + 1).tolist() == [100, 199]


def test_snapshot_ids_fill_63_bits():
    rng = np.random.default_rng(0)
    drawn = np.array([draw_snapshot_id(rng) for _ in range(4000)])
    assert drawn.min() >= 0
    assert drawn.max() <= LONG_MAX
    assert abs(np.mean(drawn / LONG_MAX) - 0.5) < 0.03


@pytest.mark.parametrize(("name", "shipped"), [("merging_v3", "spark_batch"), ("streaming_v2", "spark_streaming")])
def test_a_measured_profile_is_the_shipped_one_but_for_samples_and_what_takes_several_writers(name, shipped):
    case = recorded_case(name)
    measured = measure_profile(RECORDINGS / name / "table", case, name=shipped)
    expected = shipped_profile(case)
    assert replace(measured, columns=(), footer=expected.footer, pace_s=expected.pace_s) == replace(
        expected, columns=(), together=(), sources={}
    )
    assert list(measured.summary) == list(expected.summary)
    assert set(with_samples(expected, measured).columns) == {*expected.columns, *measured.columns}


def test_a_profile_survives_its_file(tmp_path):
    profile = shipped_profile(synthetic_case())
    path = tmp_path / "profile.json"
    path.write_text(render_profile(profile))
    assert read_profile(path) == profile
    path.write_text(render_profile(profile).replace('"schema_version": 1', '"schema_version": 9'))
    with pytest.raises(SavedFileError, match="schema_version is 9"):
        read_profile(path)


def test_a_column_that_was_measured_gets_its_measured_size():
    case = synthetic_case()
    profile = shipped_profile(case)
    leaf = next(leaf for leaf in leaves(case.table, iceberg_schema(case.table)) if leaf.column.type == "double")
    for sample in profile.columns:
        if sample.type == "double":
            assert column_size(leaf, sample.rows, profile).mean_bytes == pytest.approx(sample.mean_bytes)


def test_a_file_too_large_for_its_target_is_refused():
    case = synthetic_case(properties={"write.target-file-size-bytes": "2000"}, horizon_s=2.0)
    with pytest.raises(WasimError, match=r"write\.target-file-size-bytes"):
        simulate_case(case, shipped_profile(case), np.random.default_rng(0))


def test_noise_is_told_from_drift_and_from_jumps():
    rng = np.random.default_rng(0)
    noisy = [round(1000 + 8 * step) for step in rng.standard_normal(400).tolist()]
    assert _deviation(noisy) == pytest.approx(8, rel=0.6)
    assert _deviation([1000] * 6 + [1080] * 9) == 0
    assert _deviation([1000, 1001, 1000, 1000, 1001, 1002, 1001, 1050, 1051, 1050, 1051, 1050]) < 1
    assert _deviation([1000]) == 0
