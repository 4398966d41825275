"""Digits and bytes in the machine, against counting them one by one."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.machine import simple_laws, table_with

from wasim.twin.lineage import mean_changed_at_bytes, mean_row_id_bytes
from wasim.years.growth import SizeByCount
from wasim.years.machine.sizes import (
    at,
    bytes_of_rows,
    compacted_bytes,
    digits,
    digits_through,
    is_any,
    is_rewritten_for_size,
    manifest_bytes,
    through,
)
from wasim.years.machine.tables import AS_CAME

LAWS = simple_laws()


def test_what_is_left_by_rounding_is_none():
    assert [is_any(amount) for amount in (-1.0, 1e-9, 2e-9, 1.0)] == [False, False, True, True]


@pytest.mark.parametrize("power", range(1, 14))
def test_digits_are_those_of_the_nearest_whole_number(power: int):
    for value in (10**power - 1, 10**power - 0.51, 10**power - 0.5, 10**power, 2 * 10**power):
        assert digits(value) == len(str(int(value + 0.5)))
    assert digits(0) == digits(-5) == 1


@example(start=0, step=9, count=20)
@example(start=9, step=1, count=1)
@example(start=0, step=1, count=10)
@given(start=st.integers(0, 10**7), step=st.integers(0, 5_000), count=st.integers(1, 400))
def test_digits_of_a_run_are_those_of_each_number(start: int, step: int, count: int):
    each = [len(str(start + step * number)) for number in range(1, count + 1)]
    assert digits_through(float(start), float(step), float(count)) == sum(each)


@given(value=st.floats(0, 500), known=st.lists(st.integers(0, 300), min_size=1, max_size=8, unique=True))
def test_sizes_are_read_off_between_and_beyond_those_measured(value: float, known: list[int]):
    counts = [float(count) for count in sorted(known)]
    sizes = [100 + 3 * count + count**1.5 for count in counts]
    expected = SizeByCount(counts, sizes).at(value)
    assert at(value, [*counts, 0.0], [*sizes, 0.0], len(counts)) == pytest.approx(expected)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 300, 511, 512, 513, 1_000, 5_000])
def test_lists_together_take_what_each_takes(count: int):
    each = (at(float(one), LAWS.list_counts, LAWS.list_bytes, LAWS.lists_known) for one in range(1, count + 1))
    assert through(LAWS, float(count)) == pytest.approx(sum(each))
    assert through(LAWS, count + 0.5) == pytest.approx((through(LAWS, count) + through(LAWS, count + 1)) / 2, rel=1e-4)


@pytest.mark.parametrize("rows", [0.0, 1.0, 3.0, 17.0, 1_000.0, 12_345.0, 1e8, 1e12])
def test_bytes_of_data_files_follow_their_rows(rows: float):
    known = slice(LAWS.rows_known)
    expected = exp(np.interp(log(max(1.0, rows)), LAWS.log_rows[known], LAWS.log_bytes[known]))
    assert bytes_of_rows(LAWS, rows) == compacted_bytes(LAWS, rows) == pytest.approx(expected)


def test_files_from_small_to_large_are_left_alone():
    laws = replace(LAWS, small_rows=75.0, large_rows=180.0)
    assert [is_rewritten_for_size(laws, rows) for rows in (74, 75, 180, 181)] == [True, False, False, True]


@pytest.mark.parametrize("together", [25.0, 1.0])
@pytest.mark.parametrize("rows", [1.0, 4.0, 50.0, 900.0, 100_000.0])
def test_compacted_files_say_where_their_rows_came_from(rows: float, together: float):
    """So many rows of each commit, each stepping back once in four."""
    ids, changes = mean_row_id_bytes(0, 0), mean_changed_at_bytes(0, 0, 0)
    laws = replace(LAWS, lineage_footer=40.0, steps_back=0.25, commits_of_row=1 / together, lineage_bytes=ids + changes)
    laws = replace(laws, row_id_bytes=1.3, step_bytes=2.0, changed_at_bytes=4.0)
    commits = max(1.0, rows / together)
    expected = mean_row_id_bytes(rows, rows / 4) + mean_changed_at_bytes(rows, commits, commits - 1)
    assert compacted_bytes(laws, rows) - bytes_of_rows(laws, rows) == pytest.approx(40 + expected)


def test_entries_of_rewritten_and_sorted_files_take_more():
    table, laws = table_with([]), replace(LAWS, sorted_more=[2.0, 0.0])
    table.compacted_more[0] = 5.0
    sizes = [
        manifest_bytes(table, laws, 0, *counts) for counts in ((8, 0, 0, 0), (8, 0, 0, 3), (6, 2, 0, 0), (0, 8, 0, 0))
    ]
    # the first of rewritten files without others beside it takes no more
    assert [size - sizes[0] for size in sizes] == pytest.approx([0, 2 * 3, 5 * 2, 5 * 7])
    plain = manifest_bytes(table, laws, 1, 3, 5, 0, 0)
    table.compacted_more[1] = 5.0  # nor does the first of any of deletes
    assert manifest_bytes(table, laws, 1, 3, 5, 0, 0) - plain == pytest.approx(5 * 7)
    table.numbers[AS_CAME] = 0.25  # of eight that stay two came so
    assert manifest_bytes(table, laws, 0, 0, 0, 8, 0) - sizes[0] == pytest.approx(5 * 6)
