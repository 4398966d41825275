"""The figures of a table and of its writing that have a name: in limits, thresholds, plans, comparisons and JSON.

A name has its unit in it, `bytes` or `ms`; without one it is a count or a ratio.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Dimension: TypeAlias = Literal["bytes", "ms", "money", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure by name: in `words` for tables, and what it is. `flag` is the option of `wasim plan` that limits it."""

    name: str
    words: str
    meaning: str
    flag: str = ""

    @property
    def dimension(self) -> Dimension:
        """What it is measured in; empty for counts and ratios."""
        return dimension_of(self.name)


METRICS: Mapping[str, Metric] = {
    one.name: one
    for one in (
        Metric(
            name="wa_data",
            words="data ÷ rows' data",
            meaning="Data bytes written ÷ those that the same rows take at the longest interval, over the horizon.",
        ),
        Metric(
            name="wa_metadata",
            words="metadata ÷ data",
            meaning="Metadata bytes written ÷ the same, over the horizon.",
            flag="--wa-metadata",
        ),
        Metric(name="wa_total", words="all bytes ÷ data", meaning="All bytes written ÷ the same, over the horizon."),
        Metric(name="metadata_bytes", words="metadata written", meaning="Metadata bytes written over the horizon."),
        Metric(
            name="metadata_bytes_per_event_hour",
            words="metadata an hour",
            meaning="Metadata bytes written per hour; the model's hour where the horizon is shorter.",
        ),
        Metric(
            name="metadata_bytes_per_day",
            words="metadata a day",
            meaning="Metadata bytes written per day; the model's day where the horizon is shorter.",
            flag="--metadata-per-day",
        ),
        Metric(
            name="metadata_json_bytes",
            words="metadata.json",
            meaning="Size of metadata.json at the end, as stored.",
            flag="--metadata-json",
        ),
        Metric(
            name="metadata_on_disk_bytes",
            words="metadata on disk",
            meaning="Metadata on disk at the end.",
            flag="--metadata-on-disk",
        ),
        Metric(name="manifest_bytes", words="bytes of manifests", meaning="Bytes of the live manifests at the end."),
        Metric(name="data_bytes", words="data written", meaning="Data bytes written over the horizon."),
        Metric(
            name="planning_p50_ms",
            words="planning",
            meaning="Median of load and scan planning together: full scan, warm, at the end.",
            flag="--planning",
        ),
        Metric(name="planning_p95_ms", words="planning p95", meaning="95th percentile of the same."),
        Metric(
            name="load_p50_ms",
            words="loading",
            meaning="Median of the table load alone, which every query begins with: warm, at the end.",
        ),
        Metric(
            name="load_p95_ms",
            words="load p95",
            meaning="95th percentile of the table load alone: full scan, warm, at the end.",
        ),
        Metric(name="commit_p50_ms", words="commit", meaning="Median of Iceberg's commit duration."),
        Metric(name="commit_p95_ms", words="commit p95", meaning="95th percentile of Iceberg's commit duration."),
        Metric(name="manifests", words="manifests", meaning="Live manifests at the end.", flag="--manifests"),
        Metric(name="snapshots", words="snapshots", meaning="Retained snapshots at the end."),
        Metric(name="files", words="files", meaning="Live data and delete files at the end."),
        Metric(
            name="monthly_cost",
            words="cost a month",
            meaning="Money a month, at the prices; `wasim plan` judges it, a run does not.",
            flag="--monthly-cost",
        ),
    )
}
"""Every metric that can be limited. In a scenario each is judged in every case, and the worst case counts."""


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


def metric_words(metrics: Iterable[str]) -> str:
    """`metadata.json and manifests`."""
    return " and ".join(METRICS[metric].words for metric in metrics)
