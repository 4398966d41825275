"""Columns of numbers as long as a Flink 2.1.1 with parquet-java 1.17.1 wrote them."""

import numpy as np
import pytest

from wasim.twin.number_columns import number_column_bytes

APART = [190, 235, 298, 454, 456, 458, 465, 472, 493]
TIMES = [1767225603800000, 1767225604700000, 1767225605960000, 1767225609080000, 1767225609120000]
TIMES += [1767225609160000, 1767225609300000, 1767225609440000, 1767225609860000]
TWICE = [92, 187, 377, 472, 700, 92, 969, 978]
TIMES_TWICE = [1767225600000000 + 20_000 * number for number in TWICE]


@pytest.mark.parametrize(
    ("values", "is_required", "written"),
    [(APART, True, 75), (TIMES, False, 95), (TWICE, True, 106), (TIMES_TWICE, False, 123)],
    ids=["numbers", "times, some may be null", "a number twice", "a time twice, some may be null"],
)
def test_a_column_is_within_a_byte_of_what_was_written(values: list[int], is_required: bool, written: int):
    assert number_column_bytes(np.array(values), is_required=is_required) == pytest.approx(written, abs=1)


@pytest.mark.parametrize("count", [63, 64, 8_191, 8_192, 300_000])
def test_random_numbers_of_any_count_stay_as_long_as_they_are(count: int):
    values = np.random.default_rng(1).integers(0, 2**62, count)
    assert number_column_bytes(values, is_required=False) == pytest.approx(8 * count + 44, rel=0.03)
