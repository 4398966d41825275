"""The figures of a table and of its writing that have a name: in limits, thresholds, plans, comparisons and JSON.

A name has its unit in it, `bytes` or `ms`; without one it is a count or a ratio. A limit is what no case of a scenario
may exceed, such as `wa_metadata: "< 0.5"` or `metadata_bytes: "<= 10 GiB"`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Literal, NamedTuple, TypeAlias

from wasim.units import (
    BYTE_UNITS,
    DAY_S,
    DURATION_UNITS_S,
    HOUR_S,
    format_bytes,
    format_figure,
    parse_bytes,
    parse_duration_s,
)

Dimension: TypeAlias = Literal["bytes", "ms", "money", ""]


class Metric(NamedTuple):
    """A figure by name: in `words` for tables, and what it is. `flag` is the option of `wasim plan` that limits it."""

    name: str
    words: str
    meaning: str
    flag: str = ""


_MOST = "the most in the later half of the horizon"

METRICS: Mapping[str, Metric] = {
    one.name: one
    for one in (
        Metric(
            "wa_data",
            "data ÷ rows' data",
            "Data bytes written ÷ those that the same rows take at the longest interval, over the horizon.",
        ),
        Metric(
            "wa_metadata", "metadata ÷ data", "Metadata bytes written ÷ the same, over the horizon.", "--wa-metadata"
        ),
        Metric("wa_total", "all bytes ÷ data", "All bytes written ÷ the same, over the horizon."),
        Metric("metadata_bytes", "metadata written", "Metadata bytes written over the horizon."),
        Metric(
            "metadata_bytes_per_event_hour",
            "metadata an hour",
            "Metadata bytes written per hour of the last full cycle; the first hour's where the horizon is shorter.",
        ),
        Metric(
            "metadata_bytes_per_day",
            "metadata a day",
            "Metadata bytes written per day of the last full cycle; the first day's where the horizon is shorter.",
            "--metadata-per-day",
        ),
        Metric("metadata_json_bytes", "metadata.json", f"Size of metadata.json as stored, {_MOST}.", "--metadata-json"),
        Metric("metadata_on_disk_bytes", "metadata on disk", f"Metadata on disk, {_MOST}.", "--metadata-on-disk"),
        Metric("manifest_bytes", "bytes of manifests", "Bytes of the live manifests at the end."),
        Metric("data_bytes", "data written", "Data bytes written over the horizon."),
        Metric(
            "planning_p50_ms",
            "planning",
            "Median of load and scan planning together: full scan, warm, at the end.",
            "--planning",
        ),
        Metric("planning_p95_ms", "planning p95", "95th percentile of the same."),
        Metric(
            "load_p50_ms", "loading", "Median of the table load alone, which every query begins with: warm, at the end."
        ),
        Metric("load_p95_ms", "load p95", "95th percentile of the table load alone: full scan, warm, at the end."),
        Metric("commit_p50_ms", "commit", "Median of Iceberg's commit duration."),
        Metric("commit_p95_ms", "commit p95", "95th percentile of Iceberg's commit duration."),
        Metric("manifests", "manifests", f"Live manifests, {_MOST}.", "--manifests"),
        Metric("snapshots", "snapshots", f"Retained snapshots, {_MOST}."),
        Metric("files", "files", f"Live data and delete files, {_MOST}."),
        Metric("delete_files", "delete files", f"Live delete files, {_MOST}.", "--delete-files"),
        Metric(
            "monthly_cost",
            "cost a month",
            "Money a month, at the prices; `wasim plan` judges it, a run does not.",
            "--monthly-cost",
        ),
    )
}
"""Every metric that can be limited. In a scenario each is judged in every case, and the worst case counts."""


COUNTS = frozenset(["manifests", "snapshots", "files", "delete_files"])
"""Metrics that are whole numbers, of which a plan may know the mean of many tables."""

PERIODS_S: Mapping[str, float] = {"metadata_bytes_per_event_hour": HOUR_S, "metadata_bytes_per_day": DAY_S}
"""Metrics of metadata written in a period, and its seconds."""

_OF_METADATA = ("metadata_bytes", "metadata_bytes_per_event_hour", "metadata_bytes_per_day", "metadata_on_disk_bytes")
ADDING_UP = frozenset([*_OF_METADATA, "data_bytes", "monthly_cost", "files_written_per_day"])
"""Figures that are of all tables that a job commits to, as one limit on them is; every other is of each."""


def tables_counted(metric: str, tables: int) -> int:
    """How many times one table's figure the figure of a job is that commits to so many."""
    return tables if metric in ADDING_UP else 1


def figure_name(metric: str, tables: int) -> str:
    """A metric in words: `metadata a day, all 12` where it adds up over several tables."""
    return METRICS[metric].words + all_words(tables_counted(metric, tables))


def all_words(tables: int) -> str:
    """`, all 12` after what a figure is, where it is of so many tables."""
    return f", all {tables:,}" if tables > 1 else ""


def dimension_of(metric: str) -> Dimension:
    """What a metric of that name is measured in."""
    if metric == "monthly_cost":
        return "money"
    return "ms" if metric.endswith("_ms") else "bytes" if "bytes" in metric else ""


MOST_BOUND = 2.0**63

PERCENTILES_OF_PLANNING = ("planning_p95_ms", "load_p95_ms")

_LIMIT = re.compile(r"(<=|<)\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A bound on one metric, in the metric's own unit; `text` is the bound as written."""

    metric: str
    comparison: Literal["<", "<="]
    bound: float
    text: str

    def holds(self, value: float) -> bool:
        """Whether the value keeps the limit. A value that is not a number keeps none."""
        if isnan(value):
            return False
        return value < self.bound if self.comparison == "<" else value <= self.bound


def parse_limit(metric: str, text: str) -> Limit:
    """The limit that a scenario wrote. ValueError, completing `Give …`, if it is none."""
    match = _LIMIT.fullmatch(text.strip())
    if not match:
        raise ValueError(limit_wanted(metric))
    number, unit = match[2], match[3]
    try:
        bound = float(number) if not unit else _with_unit(metric, number + unit)
    except ValueError:
        raise ValueError(limit_wanted(metric)) from None
    if bound > MOST_BOUND:
        raise ValueError(f"{limit_wanted(metric)}; nothing reaches this one")
    if bound == 0:
        raise ValueError(f"{limit_wanted(metric)}; nothing keeps this one")
    comparison: Literal["<", "<="] = "<" if match[1] == "<" else "<="
    return Limit(metric=metric, comparison=comparison, bound=bound, text=text)


def limit_wanted(metric: str) -> str:
    """What a limit on this metric looks like."""
    examples = {"bytes": '"< 10 GiB" or "<= 5000000"', "ms": '"< 800" (milliseconds) or "<= 2s"'}
    example = examples.get(dimension_of(metric), '"< 0.5" or "<= 100"')
    return f"an upper bound, such as {example}"


def limit_pattern(metric: str) -> str:
    """The regular expression that editors hold a limit against."""
    units = {"bytes": f"({BYTE_UNITS})?", "ms": f"({'|'.join(DURATION_UNITS_S)})?"}
    return rf"^\s*(<=|<)\s*[0-9]+(\.[0-9]+)?\s*{units.get(dimension_of(metric), '')}\s*$"


def format_value(metric: str, value: float) -> str:
    """A value of the metric for people, with its unit and three figures: `10.1 ms`, `1.50 GiB`, `2,016`."""
    dimension = dimension_of(metric)
    if dimension == "bytes":
        return format_bytes(value)
    if metric in COUNTS:
        return f"{value:,.0f}"
    number = f"{value:,.0f}" if value.is_integer() else format_figure(value)
    return f"{number} ms" if dimension == "ms" else number


def _with_unit(metric: str, amount: str) -> float:
    if dimension_of(metric) == "bytes":
        return float(parse_bytes(amount))
    if dimension_of(metric) == "ms":
        return parse_duration_s(amount) * 1000
    raise ValueError(amount)
