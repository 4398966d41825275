"""The writers of the league: facts of each that its profile does not hold, with source and day."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CHECKED = "2026-11-25"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A writer. `writer` is the scenario's field, whose profile holds what else it does; `every` the commit interval
    that it ships with, None where the caller decides; `says` how each change is said in its own settings, by change.
    """

    name: str
    release: str
    writer: Mapping[str, str]
    every: str | None
    trigger: str
    source: str
    says: Mapping[str, str] = field(default_factory=dict)


ENTRIES = (
    Entry(
        name="Spark Structured Streaming",
        release="Spark 4.1, Iceberg 1.12",
        writer={"kind": "streaming"},
        every=None,
        trigger="as soon as the batch before is done; Iceberg's documentation advises a minute at least",
        source="apache/iceberg docs/docs/spark-structured-streaming.md",
    ),
    Entry(
        name="Flink sink",
        release="Flink 2.1, Iceberg 1.12",
        writer={"kind": "flink", "append": "merge"},
        every=None,
        trigger="each checkpoint; checkpointing is off by default",
        source="apache/iceberg flink/v2.1 IcebergCommitter.java",
        says={
            "expiry": "expireSnapshots in the sink's maintenance, or Spark's `expire_snapshots` daily, older than 1 d"
        },
    ),
    Entry(
        name="Kafka Connect sink",
        release="Iceberg 1.12",
        writer={"kind": "batch", "profile": "kafka_connect", "append": "merge"},
        every="5m",
        trigger="`iceberg.control.commit.interval-ms`, 300,000",
        source="apache/iceberg kafka-connect CoordinatorConfig.java (COMMIT_INTERVAL_MS_DEFAULT)",
    ),
    Entry(
        name="Trino INSERT",
        release="Trino 476, Iceberg 1.9.1",
        writer={"kind": "batch", "profile": "trino"},
        every=None,
        trigger="each statement",
        source="trinodb/trino IcebergMetadata.finishInsert",
        says={"expiry": "`ALTER TABLE … EXECUTE expire_snapshots(retention_threshold => '1d')` daily"},
    ),
    Entry(
        name="pyiceberg",
        release="0.12",
        writer={"kind": "batch", "profile": "pyiceberg"},
        every=None,
        trigger="each `Table.append`",
        source="apache/iceberg-python pyiceberg/table/__init__.py",
        says={"expiry": "`table.maintenance.expire_snapshots().older_than(…).commit()` daily, 1 d ago; files stay"},
    ),
    Entry(
        name="iceberg-go",
        release="August 2026",
        writer={"kind": "batch", "profile": "iceberg_go"},
        every=None,
        trigger="the caller's",
        source="apache/iceberg-go table/properties.go",
    ),
    Entry(
        name="Redpanda topic",
        release="26.1; commits by its source of December 2024",
        writer={"kind": "batch", "profile": "redpanda"},
        every="1m",
        trigger="`iceberg_target_lag_ms`, 1 minute",
        source="redpanda-data/docs redpanda-properties-v26.1.14.json; redpanda src/v/iceberg/merge_append_action.cc",
        says={"older": "`history.expire.max-snapshot-age-ms` = `3600000`, which its own expiry reads"},
    ),
    Entry(
        name="AutoMQ table topic",
        release="f1ce98ec89",
        writer={"kind": "batch", "profile": "automq"},
        every="1m",
        trigger="`automq.table.topic.commit.interval.ms`, 60,000",
        source="AutoMQ/automq LogConfig.java, TableCoordinator.java",
    ),
)
