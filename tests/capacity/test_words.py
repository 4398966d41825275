"""A plan's values as text: what is said of a limit that is relaxed is enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.by_hand import at_most

from wasim.capacity.words import (
    bound_words,
    limit_names,
    limit_words,
    now_and_then_words,
    pasted_words,
    rounded_up,
    time_words,
    value_words,
)
from wasim.scenario.metrics import COUNTS, parse_limit
from wasim.units import duration_of_flag_s

METRICS = ("metadata_json_bytes", "manifests", "monthly_cost", "planning_p50_ms", "wa_metadata")


@pytest.mark.parametrize("metric", METRICS)
@given(exponent=st.floats(0.1, 9.0))
def test_a_bound_is_rounded_up_to_what_is_said(metric: str, exponent: float):
    value = float(round(10**exponent)) if "bytes" in metric else 10**exponent
    bound = rounded_up(metric, value)
    assert value <= bound <= max(value * 1.2, value + (metric in COUNTS))
    assert rounded_up(metric, bound) == pytest.approx(bound, rel=0.01)
    said = value_words(metric, bound, "").replace(",", "").split()
    if metric == "metadata_json_bytes":
        unit = 1024 ** ("B", "KiB", "MiB", "GiB").index(said[1])
        assert float(said[0]) * unit == pytest.approx(bound, rel=1e-9)
    elif metric != "planning_p50_ms":
        assert float(said[0]) == pytest.approx(bound, rel=1e-9)


TIMES = {0.5: "0.500s", 4.394: "4.39s", 59.9: "59.9s", 94.4: "1m34s", 599.0: "9m59s", 740.0: "12m", 27_990: "7h46m"}


@pytest.mark.parametrize(("seconds", "words"), TIMES.items())
def test_times_are_said_to_three_figures(seconds: float, words: str):
    assert time_words(seconds) == words
    assert duration_of_flag_s("--planning", words) == pytest.approx(seconds, rel=0.03)


def test_what_is_now_and_then_differs_by_what_is_said():
    assert now_and_then_words("monthly_cost", 5.0, 14.2, "USD") == ("5.00 USD", "14.20 USD", "+9.20 USD")
    assert now_and_then_words("monthly_cost", 1_400.0, 900.0, "USD") == ("1,400 USD", "900.00 USD", "−500.00 USD")
    assert now_and_then_words("manifests", None, 30.0, "USD")[::2] == ("", "")
    assert now_and_then_words("manifests", 176.956, 176.0, "USD") == ("177", "176", "−1")
    assert now_and_then_words("wa_metadata", 1.5, 1.75, "USD")[2] == "+0.250"
    assert pasted_words("monthly_cost", 1_234.0) == "1234"
    assert [value_words("load_p50_ms", ms, "") for ms in (999.0, 1_000.0)] == ["999 ms", "1.00s"]


@pytest.mark.parametrize(
    ("metric", "value", "words"),
    [
        ("monthly_cost", 0.0, "0.00 USD"),
        ("monthly_cost", 0.0004, "<0.01 USD"),
        ("monthly_cost", 999.994, "999.99 USD"),
        ("monthly_cost", 1_000.0, "1,000 USD"),
        ("planning_p50_ms", 1_234.0, "1.23s"),
        ("planning_p50_ms", 61_000.0, "1m1s"),
        ("metadata_json_bytes", 10.25 * 2**20, "10.2 MiB"),
        ("metadata_json_bytes", 9.996 * 2**20, "10.0 MiB"),
        ("manifests", 2_016.0, "2,016"),
        ("wa_metadata", 0.0123, "0.0123"),
    ],
)
def test_a_value_is_said_in_its_unit(metric: str, value: float, words: str):
    assert value_words(metric, value, "USD") == words


@pytest.mark.parametrize(
    ("metric", "value", "bound"),
    [
        ("monthly_cost", 1.231, 1.24),
        ("monthly_cost", 1_000.2, 1_001.0),
        ("manifests", 7.0, 7.0),
        ("wa_metadata", 0.12341, 0.124),
        ("planning_p50_ms", 12.34, 12.4),
        ("planning_p50_ms", 1_234.0, 1_240.0),
        ("planning_p50_ms", 61_200.0, 62_000.0),  # said in seconds from a minute on
        ("planning_p50_ms", 601_000.0, 660_000.0),  # and in minutes from ten
        ("metadata_json_bytes", 999.0, 999.0),
        ("metadata_json_bytes", 1_500.0, 1.47 * 1024),
        ("metadata_json_bytes", 123.41 * 1024, 124.0 * 1024),
    ],
)
def test_a_bound_is_the_least_that_is_said_so(metric: str, value: float, bound: float):
    assert rounded_up(metric, value) == pytest.approx(bound, rel=1e-12)


def test_equal_costs_then_and_now_differ_by_nothing():
    assert now_and_then_words("monthly_cost", 5.0, 5.0, "USD")[2] == "+0.00 USD"
    assert now_and_then_words("monthly_cost", 5.0, 4.999, "USD")[2] == "+0.00 USD"
    assert now_and_then_words("metadata_bytes_per_day", 5.3, 5.1, "USD")[2] == "+0 B"
    assert now_and_then_words("manifests", 30.0, 12.0, "USD") == ("30", "12", "−18")


def test_limits_and_figures_are_said_by_their_metric():
    limits = (at_most("metadata_json_bytes", 2**20), at_most("manifests", 40))
    assert limit_names(limits) == "metadata.json and manifests"
    assert [bound_words(one, "USD") for one in limits] == ["1.00 MiB", "40"]
    assert [limit_words(one, "USD") for one in (limits[1], parse_limit("manifests", "< 40"))] == [
        "at most 40",
        "below 40",
    ]
    assert value_words("monthly_cost", 4.5, "EUR") == "4.50 EUR"
