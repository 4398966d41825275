"""Sizes that grow with a count: read off between those measured, and added up."""

import pytest

from wasim.years.growth import TABULATED, SizeByCount

SIZES = SizeByCount([1, 3, 7], [10.0, 30.0, 38.0])


def test_sizes_lie_on_lines_between_and_beyond_those_measured():
    assert [SIZES.at(count) for count in (0, 1, 2, 3, 5, 7, 11)] == [0, 10, 20, 30, 34, 38, 46]
    assert SIZES.slope == 2
    assert [SizeByCount([4], [9.0]).at(count) for count in (0, 4, 9)] == [9, 9, 9]


def test_sums_are_those_of_each_count():
    assert SIZES.sums[:5] == [0, 10, 30, 60, 92]
    assert len(SIZES.sums) == TABULATED + 1


def test_sizes_between_two_tables_lie_between():
    other = SizeByCount([2, 3], [10.0, 14.0])
    between = SIZES.mean(other, 0.25)
    for count in (1, 2, 3, 5, 7):
        assert between.at(count) == pytest.approx(0.75 * SIZES.at(count) + 0.25 * other.at(count))
    assert [SIZES.fitted(5.0, 2.0).at(count) for count in (1, 2, 7)] == [25, 45, 81]
