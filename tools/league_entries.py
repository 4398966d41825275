"""The writers of the league, by their profiles, which hold their facts; and each change in words of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wasim.twin import WriterProfile, profile_named

CHECKED = "2026-11-25"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A writer, by its profile. `says` is how a change is said in its own settings, by change."""

    profile: str
    kind: str = "batch"
    says: Mapping[str, str] = field(default_factory=dict)

    @property
    def writer(self) -> Mapping[str, str]:
        """The scenario's field."""
        return {"kind": "streaming"} if self.kind == "streaming" else {"kind": self.kind, "profile": self.profile}

    @property
    def facts(self) -> WriterProfile:
        """What is public of it."""
        return profile_named(self.profile)


EXPIRED_BY_TRINO = "`ALTER TABLE … EXECUTE expire_snapshots(retention_threshold => '1d')` daily"
ENTRIES = (
    Entry(profile="spark_streaming", kind="streaming"),
    Entry(
        profile="flink",
        kind="flink",
        says={
            "expiry": "expireSnapshots in the sink's maintenance, or Spark's `expire_snapshots` daily, older than 1 d"
        },
    ),
    Entry(profile="kafka_connect"),
    Entry(profile="trino", says={"expiry": EXPIRED_BY_TRINO}),
    Entry(profile="athena", says={"expiry": "`VACUUM` daily, `vacuum_max_snapshot_age_seconds` = `86400`"}),
    Entry(profile="duckdb"),
    Entry(
        profile="pyiceberg",
        says={"expiry": "`table.maintenance.expire_snapshots().older_than(…).commit()` daily, 1 d ago; files stay"},
    ),
    Entry(profile="iceberg_go"),
    Entry(profile="redpanda_connect"),
    Entry(profile="estuary"),
    Entry(profile="debezium"),
    Entry(profile="olake"),
    Entry(profile="fluss"),
    Entry(profile="firehose"),
    Entry(
        profile="redpanda",
        says={"older": "`history.expire.max-snapshot-age-ms` = `3600000`, which its own expiry reads"},
    ),
    Entry(profile="automq"),
)
