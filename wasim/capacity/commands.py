"""Commands to paste: SQL that maintains the table, and the commit interval as Spark or Flink configure it."""

from collections.abc import Iterator

from wasim.capacity.settings import Maintenance, Setting, period_words, properties_of
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS
from wasim.iceberg.spark_sql import call_procedure, set_properties
from wasim.iceberg.trino_sql import execute_procedure, set_extra_properties
from wasim.scenario import Case
from wasim.units import format_duration

FLINK, TRINO = "flink", "trino"
OTHER_TRIGGERS = {
    TRINO: "Run the INSERT every {interval}; of Trino's statistics: SET SESSION catalog"
    ".collect_extended_statistics_on_write = false writes one metadata.json instead of two.",
    "kafka_connect": "iceberg.control.commit.interval-ms={ms}  # Kafka Connect",
    "redpanda": "iceberg_target_lag_ms={ms}  # Redpanda",
    "automq": "automq.table.topic.commit.interval.ms={ms}  # AutoMQ",
    "pyiceberg": "Call table.append() every {interval}  # pyiceberg",
    "iceberg_go": "Commit a transaction every {interval}  # iceberg-go",
}
"""How writers other than Spark and Flink are told their interval, by profile."""


def sql_of(table: str, setting: Setting, profile: str | None = None) -> tuple[str, ...]:
    """Statements for Spark SQL, or Trino's where its profile writes: properties once, then each job with a comment that
    says how often.
    """
    kept, properties = setting.maintenance, properties_of(setting)
    if profile == TRINO:
        return _trino_sql(table, setting)
    if kept.older_than_s is not None:  # CALL takes no computed age: expiry without older_than goes by this property
        properties[MAX_SNAPSHOT_AGE_MS] = str(round(kept.older_than_s * 1000))
    calls = [
        f"-- {period_words(every_s)}\n{call_procedure(procedure, table, in_lines=True)};"
        for procedure, every_s in _jobs(kept)
        if every_s is not None
    ]
    return f"{set_properties(table, properties, in_lines=True)};", *calls


def _jobs(kept: Maintenance) -> tuple[tuple[str, float | None], ...]:
    return (
        ("expire_snapshots", kept.expire_every_s),
        ("rewrite_manifests", kept.rewrite_every_s),
        ("rewrite_data_files", kept.compact_every_s),
    )


def _trino_sql(table: str, setting: Setting) -> tuple[str, ...]:
    age = format_duration(setting.maintenance.older_than_s or 0.0)
    arguments = {"expire_snapshots": f"retention_threshold => '{age}'"}
    notes = {"expire_snapshots": f"; iceberg.expire-snapshots.min-retention must be at most {age}"}
    calls = [
        f"-- {period_words(every_s)}{notes.get(job, '')}\n{execute_procedure(job, table, arguments.get(job, ''))};"
        for job, every_s in _jobs(setting.maintenance)
        if every_s is not None
    ]
    allowed = "-- once; iceberg.allowed-extra-properties must name them"
    return f"{allowed}\n{set_extra_properties(table, properties_of(setting))};", *calls


def writer_options(case: Case, setting: Setting, writers: int = 1) -> str:
    """The line that sets the interval of the writers together, and their append mode where the setting has another than
    their default.
    """
    if case.writer.profile == FLINK:
        return f"{flink_option(setting)}  -- Flink"
    if case.writer.profile in OTHER_TRIGGERS:
        return OTHER_TRIGGERS[case.writer.profile].format(
            interval=format_duration(setting.interval_s), ms=round(setting.interval_s * 1000)
        )
    interval, milliseconds = format_duration(setting.interval_s), round(setting.interval_s * 1000)
    if case.writer.kind == "batch":
        in_turn = f", on one of the {writers} writers in turn" if writers > 1 else ""
        return f"Start the batch job every {interval}{in_turn}."
    trigger = f'.trigger(processingTime="{milliseconds} milliseconds")'
    if setting.appends == "merge":
        return f"{trigger}.foreachBatch(append)  # Spark, {interval}; appends of batches merge"
    return f"{trigger}  # Spark, {interval}"


def flink_option(setting: Setting) -> str:
    """The SQL that sets a Flink job's checkpoint interval, which is its commit interval."""
    return f"SET 'execution.checkpointing.interval' = '{round(setting.interval_s * 1000)} ms';"


def counts_of(setting: Setting, files_per_commit: float) -> Iterator[tuple[str, int]]:
    """The maintenance as thresholds: each job, and the snapshots, manifests or small files at which to start it."""
    kept, commits_per_s = setting.maintenance, 1 / setting.interval_s
    if kept.expire_every_s is not None and kept.older_than_s is not None:
        yield "expire_snapshots", max(2, round((kept.expire_every_s + kept.older_than_s) * commits_per_s))
    if kept.rewrite_every_s is not None:
        yield "rewrite_manifests", max(2, round(kept.rewrite_every_s * commits_per_s))
    if kept.compact_every_s is not None:
        yield "rewrite_data_files", max(2, round(kept.compact_every_s * commits_per_s * files_per_commit))
