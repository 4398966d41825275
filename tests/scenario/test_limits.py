"""Limits are upper bounds on known metrics, in the metric's unit."""

from math import inf, nan

import pytest

from wasim.scenario.metrics import METRICS, format_value, limit_wanted, parse_limit


@pytest.mark.parametrize(
    ("metric", "text", "bound"),
    [
        ("wa_metadata", "< 0.5", 0.5),
        ("manifests", "<=100", 100),
        ("planning_p95_ms", "< 800", 800),
        ("planning_p95_ms", "< 800 ms", 800),
        ("commit_p95_ms", "<= 2s", 2000),
        ("metadata_bytes", "< 10 GiB", 10 * 1024**3),
        ("metadata_bytes", "< 10GB", 10**10),
        ("snapshots", "< 9223372036854775808", 2**63),
        ("commit_p95_ms", "<= 1w", 604_800_000),
        ("metadata_bytes_per_event_hour", "<= 5000000", 5_000_000),
    ],
)
def test_a_bound_is_in_the_unit_of_its_metric(metric: str, text: str, bound: float) -> None:
    assert parse_limit(metric, text).bound == bound


@pytest.mark.parametrize(
    ("metric", "text"),
    [
        ("wa_total", "0.5"),
        ("wa_total", "> 1"),
        ("wa_total", "< 1 GiB"),
        ("manifests", "< 5s"),
        ("wa_data", ""),
        ("metadata_bytes", "< 1 gb"),
        ("load_p95_ms", "< 1 KiB"),
        ("snapshots", "< -1"),
        ("snapshots", "< nan"),
        ("load_p95_ms", "<= 0s"),
        ("snapshots", "< ٣"),
        ("wa_total", "< " + "9" * 400),
        ("commit_p95_ms", "< " + "9" * 400 + "s"),
        ("metadata_bytes", "< " + "9" * 400 + " PiB"),
    ],
)
def test_anything_else_is_refused_with_what_is_wanted(metric: str, text: str) -> None:
    with pytest.raises(ValueError, match="an upper bound, such as"):
        parse_limit(metric, text)


def test_less_than_excludes_the_bound_and_at_most_includes_it() -> None:
    assert not parse_limit("manifests", "< 5").holds(5)
    assert parse_limit("manifests", "<= 5").holds(5)
    assert parse_limit("manifests", "< 5").holds(4.9)


@pytest.mark.parametrize("value", [nan, inf])
def test_what_could_not_be_measured_keeps_no_limit(value: float) -> None:
    assert not parse_limit("wa_total", "< 5").holds(value)


@pytest.mark.parametrize("metric", METRICS)
def test_the_example_given_for_a_metric_is_a_limit(metric: str) -> None:
    example = limit_wanted(metric).split('"')[1]
    assert parse_limit(metric, example).metric == metric


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("planning_p95_ms", 10.105204188320636, "10.1 ms"),
        ("commit_p95_ms", 12345.6, "12,346 ms"),
        ("metadata_bytes", 1.5 * 1024**3, "1.50 GiB"),
        ("snapshots", 2016.0, "2,016"),
        ("wa_metadata", 0.0001234, "0.000123"),
        ("wa_metadata", 4044.4, "4,044"),
        ("wa_data", 1.0, "1"),
    ],
)
def test_values_are_shown_with_their_unit_and_three_figures(metric: str, value: float, text: str) -> None:
    assert format_value(metric, value) == text
