"""File sizes of a fleet's tables, interpolated between other tables."""

from dataclasses import dataclass, replace
from math import log2

import pytest

from wasim.capacity import Requirements, Setting, SettingSimulator
from wasim.capacity.fleet_options import Asked, answer, request_of
from wasim.capacity.fleet_shapes import (
    CHANGED_COLUMNS,
    COLUMNS,
    FEW_COLUMNS,
    FILES,
    PARTITIONS,
    _around,
    _arrivals,
    _between,
    _by_columns,
    _changed_as,
    _Layout,
    nearness,
    shapes_of,
)
from wasim.capacity.request import request_from_flags
from wasim.capacity.settings import NO_MAINTENANCE, case_of
from wasim.capacity.shapes import Shapes
from wasim.scenario.fleet import FleetTable
from wasim.twin import Site, shipped_profile
from wasim.years.growth import SizeByCount
from wasim.years.manifest_sizes import ManifestBytes


def table(columns: int, files: int, partitions: int, writer: str = "streaming") -> FleetTable:
    return FleetTable(
        name="a.b", rows_per_second=1000, columns=columns, files_per_commit=files, partitions=partitions, writer=writer
    )


@pytest.mark.parametrize(
    ("columns", "files", "partitions", "writer"),
    [
        (9, 1, 0, "streaming"),
        (148, 3, 60, "streaming"),
        (35, 4, 32, "flink"),  # stages a manifest of as many files as a commit brings
        pytest.param(82, 12, 7, "streaming", marks=pytest.mark.slow),
        pytest.param(300, 40, 0, "streaming", marks=pytest.mark.slow),
    ],
)
def test_files_weigh_what_those_of_the_table_itself_do(columns: int, files: int, partitions: int, writer: str):
    own = table(columns, files, partitions, writer)
    request = request_of(own, Requirements())
    plain, gzipped = (
        case_of(request, Setting(interval_s=300.0, maintenance=NO_MAINTENANCE, gzips_json=gzips_json))
        for gzips_json in (False, True)
    )
    exact, read_off = (
        one.with_json_of(gzipped, one.of(plain))
        for one in (Shapes(profile=shipped_profile(plain), site=Site(location=request.location)), shapes_of(own))
    )
    assert read_off.arrivals.files == pytest.approx(exact.arrivals.files, rel=0.01)
    rows = exact.arrivals.rows_per_file
    assert read_off.file_bytes.of(rows) == pytest.approx(exact.file_bytes.of(rows), rel=0.05)
    ours, theirs = read_off.sizes, exact.sizes
    assert ours.lists.by_count.at(1000) == pytest.approx(theirs.lists.by_count.at(1000), rel=0.03)
    for count in (1, 10, 1000):
        at = ours.data_manifests.by_count.at(count)
        assert at == pytest.approx(theirs.data_manifests.by_count.at(count), rel=0.03)
    ours_new, theirs_new = (one.data_manifests.of_files(exact.arrivals.files) for one in (ours, theirs))
    assert ours_new.new == pytest.approx(theirs_new.new, rel=0.03)
    assert ours_new.staged == pytest.approx(theirs_new.staged, rel=0.03)
    assert ours.json.around == pytest.approx(theirs.json.around, rel=0.01)
    zipped, as_zipped = ours.json.zipped, theirs.json.over(gzipped).zipped
    assert zipped is not None
    assert as_zipped is not None
    assert zipped.by_item_bytes.at(1e6) == pytest.approx(as_zipped.by_item_bytes.at(1e6), rel=0.04)


def test_manifests_of_large_files_weigh_as_encoded_between_others_too():
    """Files of more rows than one holds have the split offsets of those that they are split into."""
    flags = {"rows_per_second": "12000", "columns": "24", "files_per_commit": "2"}
    request = request_from_flags(flags, Requirements())
    case = case_of(request, Setting(interval_s=300.0, maintenance=NO_MAINTENANCE))
    profile, site = shipped_profile(case), Site(location=request.location)
    exact, between = (
        Shapes(profile=profile, site=site, encodes_each=each).of(case).sizes.data_manifests for each in (True, False)
    )
    assert between.by_count.at(100) == pytest.approx(exact.by_count.at(100), rel=0.03)
    for more in ("compacted_more", "together_more"):
        found, encoded = (one.by_count.at(100) + 99 * getattr(one, more) for one in (between, exact))
        assert found == pytest.approx(encoded, rel=0.03)
    assert between.new_of(2) == pytest.approx(exact.new_of(2), rel=0.01)


def test_a_table_has_nearly_its_own_files_options():
    asked = Asked(
        table=table(37, 3, 1), requirements=Requirements(), intervals_s=(60.0, 600.0, 3600.0), is_read_off=True
    )
    read_off = answer(asked).options
    request = request_of(asked.table, Requirements())
    simulator = SettingSimulator(request=request)
    assert [one.setting.interval_s for one in read_off] == [3600.0, 600.0, 60.0]
    for one in read_off:
        like = simulator.figures(one.setting)
        assert one.metadata_bytes_per_day == pytest.approx(like.metadata_bytes_per_day, rel=0.04)
        assert one.monthly_cost == pytest.approx(like.monthly_cost, rel=0.02, abs=0.01)


@dataclass(frozen=True)
class Number:
    """What lies between two of them."""

    value: float

    def between(self, other: "Number", share: float) -> "Number":
        return Number(self.value + share * (other.value - self.value))


@pytest.mark.parametrize(
    ("value", "found"),
    [(1, (1, 1, 0.0)), (2, (2, 2, 0.0)), (9, (2, 16, 0.5)), (16, (16, 16, 0.0)), (99, (16, 16, 0.0)), (0, (1, 1, 0.0))],
)
def test_a_value_lies_between_the_known_ones_about_it(value: float, found: tuple[int, int, float]):
    assert _around(value, (1, 2, 16)) == found


def test_a_share_is_taken_on_the_scale_asked_for():
    assert _around(4, (1, 2, 16), log2) == (2, 16, pytest.approx(1 / 3))
    assert _around(3, (0, 1, 2, 16)) == (2, 16, pytest.approx(1 / 14))


def test_what_differs_before_and_after_is_added():
    one, before, after = (
        ManifestBytes(new=new, staged=staged, by_count=SizeByCount([1], [new]), files=4.0, per_new=2.0)
        for new, staged in ((100.0, 0.0), (7.0, 0.0), (10.0, 9.0))
    )
    found = _changed_as(one, before, after)
    assert (found.new, found.by_count.at(1), found.staged) == (
        103.0,
        103.0,
        102.0,
    )  # one less than `new`, as in `after`
    assert _changed_as(one, before, before).new == 100.0


def test_what_is_known_itself_is_not_read_off():
    def never() -> Number:
        raise AssertionError

    assert _between(Number(3.0), never, 0.0) == Number(3.0)
    assert _between(Number(3.0), lambda: Number(5.0), 0.25) == Number(3.5)
    layout = _Layout(columns=9, files=1, partitions=0, writer="streaming")
    found = _by_columns(layout, (4, 8, 12), lambda one: Number(float(one.columns) ** 2))
    assert found == Number(64 + 0.25 * (144 - 64))
    exact = _by_columns(replace(layout, columns=12), (4, 8, 12), lambda one: Number(float(one.columns)))
    assert exact == Number(12.0)


def test_tables_between_the_same_ones_are_near_each_other():
    flat, wide, few, many = (
        table(columns, 1, partitions) for columns, partitions in ((9, 0), (20, 1), (9, 2), (9, 60))
    )
    assert sorted([many, wide, few, flat], key=nearness) == [flat, wide, many, few]
    assert nearness(few) == nearness(many) == (True, 9, "streaming")
    assert nearness(wide)[0] is False


def test_known_columns_files_and_partitions_ascend():
    for known in (COLUMNS, FEW_COLUMNS, CHANGED_COLUMNS, FILES, PARTITIONS):
        assert [*known] == sorted({*known})
    assert {COLUMNS[0], COLUMNS[-1]} == {FEW_COLUMNS[0], FEW_COLUMNS[-1]} == {4, 2000}  # what a fleet's file takes


def test_a_commit_writes_its_files_to_each_partition():
    for partitions, files in ((0, 3), (1, 3), (5, 15)):
        layout = _Layout(columns=4, files=3, partitions=partitions, writer="streaming")
        found = _arrivals(layout, 7.0)
        assert (found.files, found.rows_per_file) == (files, 7)
