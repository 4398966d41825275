"""Property values parsed as Iceberg parses them, at the ends of what it takes."""

import pytest

from wasim.iceberg.property_values import (
    AT_LEAST_ONE,
    COUNT,
    DEFAULT_INFERRED_COLUMNS,
    INFERRED_COLUMNS,
    INT,
    LONG,
    METRICS_MODE,
)


@pytest.mark.parametrize(
    ("kind", "least", "most"), [(INT, -(2**31), 2**31 - 1), (LONG, -(2**63), 2**63 - 1), (COUNT, 0, 2**31 - 1)]
)
def test_a_number_is_taken_from_its_least_to_its_most(kind, least, most):
    for number in (least, 0, most):
        assert kind.parse(str(number)) == number
    for number in (least - 1, most + 1, "1.0", "", " 1", "1_0"):
        with pytest.raises(ValueError, match="Give a whole number"):
            kind.parse(str(number))


@pytest.mark.parametrize(("text", "number"), [("-1", DEFAULT_INFERRED_COLUMNS), ("0", 0), ("1", 1), ("100", 100)])
def test_negative_inferred_columns_are_the_default_and_none_is_none(text, number):
    assert DEFAULT_INFERRED_COLUMNS == 100
    assert INFERRED_COLUMNS.parse(text) == number


@pytest.mark.parametrize(("text", "number"), [("-5", 1), ("0", 1), ("1", 1), ("2", 2)])
def test_what_is_at_least_one_is_raised_to_it(text, number):
    assert AT_LEAST_ONE.parse(text) == number


@pytest.mark.parametrize(
    ("text", "length"), [("truncate(1)", 1), ("Truncate(16)", 16), (f"truncate({2**31 - 1})", 2**31 - 1)]
)
def test_bounds_are_truncated_to_a_length_above_zero(text, length):
    assert METRICS_MODE.parse(text).bound_length == length
    for wrong in ("truncate(0)", f"truncate({2**31})", "truncate()", "some"):
        with pytest.raises(ValueError, match="with any length above zero"):
            METRICS_MODE.parse(wrong)
