"""A plan's values as text: what is said of a limit that is relaxed is enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasim.capacity.words import now_and_then_words, pasted_words, rounded_up, time_words, value_words
from wasim.units import duration_of_flag_s

METRICS = ("metadata_json_bytes", "manifests", "monthly_cost", "planning_p50_ms", "wa_metadata")


@pytest.mark.parametrize("metric", METRICS)
@given(exponent=st.floats(0.1, 9.0))
def test_a_bound_is_rounded_up_to_what_is_said(metric: str, exponent: float):
    value = float(round(10**exponent)) if "bytes" in metric else 10**exponent
    bound = rounded_up(metric, value)
    assert value <= bound <= value * 1.2
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
    assert pasted_words("monthly_cost", 1_234.0) == "1234"
    assert [value_words("load_p50_ms", ms, "") for ms in (999.0, 1_000.0)] == ["999 ms", "1.00s"]
