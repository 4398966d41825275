"""What to paste: SQL with its schedules, and options of writers."""

from dataclasses import replace
from typing import Any

import pytest
from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Maintenance, Requirements, Setting, request_from_document, request_from_flags
from wasim.capacity.commands import counts_of, cron_of, sql_of, statements_of, writer_options
from wasim.capacity.plan import make_plan
from wasim.capacity.settings import able_intervals, case_of
from wasim.errors import WasimError
from wasim.twin.profile import DIALECTS, Dialect
from wasim.units import DAY_S, HOUR_S

SETTING = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
TRIGGER = '.trigger(processingTime="30000 milliseconds")'
TABLE_TARGET = {"write.target-file-size-bytes": str(64 << 20)}
ALL_JOBS = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=DAY_S, compact_every_s=HOUR_S)


def test_a_stream_is_triggered_by_the_interval_in_milliseconds():
    request = a_request()
    assert writer_options(request, case_of(request, SETTING), SETTING) == ("PySpark", (f"{TRIGGER}  # 30s",))


def test_a_merging_stream_appends_in_batches_at_least_once():
    request, setting = a_request(), replace(SETTING, appends="merge")
    _, lines = writer_options(request, case_of(request, setting), setting)
    assert lines[0].startswith("def append(rows, batch_id):  # at least once")
    assert lines[-1].endswith(f"{TRIGGER}.foreachBatch(append)")


def test_several_writers_are_started_in_turn():
    request = request_from_flags({"rows_per_second": "1000", "writers": "3"}, Requirements())
    _, words = writer_options(request, case_of(request, SETTING), SETTING)
    assert words == ("Start the batch job every 30s, on one of the 3 writers in turn.",)


def test_jobs_come_in_the_order_of_least_work():
    _, *calls = sql_of(a_request(), replace(SETTING, maintenance=ALL_JOBS))
    assert [call.split(".system.")[1].split("(")[0] for call in calls] == [
        "rewrite_data_files",
        "rewrite_manifests",
        "expire_snapshots",
    ]
    assert [call.split("; -- ")[1] for call in calls] == ["0 * * * *", "20 0 * * *", "40 0 * * *"]


@pytest.mark.parametrize(
    ("every_s", "cron"),
    [(DAY_S, "5 0 * * *"), (6 * HOUR_S, "5 */6 * * *"), (900.0, "*/15 * * * *"), (7 * HOUR_S, None), (90.0, None)],
)
def test_a_period_that_cron_cannot_say_has_no_fields(every_s: float, cron: str | None):
    assert cron_of(every_s, 5) == cron


def test_a_scenarios_jobs_are_in_the_sql_with_options():
    document = {
        **a_request().document,
        "maintenance": {
            "rewrite_data_files": {"when_small_files": 200, "min_input_files": 2, "partial_progress_commits": 5},
            "remove_orphan_files": {"every": "1d", "older_than": "36h"},
        },
    }
    request = request_from_document("a scenario", document, Requirements())
    _, compaction, orphans = sql_of(request, SETTING)
    assert "map('min-input-files', '2', 'partial-progress.enabled', 'true', " in compaction
    assert compaction.endswith("-- as soon as there are 200 small files")
    assert orphans.startswith("-- with older_than => TIMESTAMP '…', 1d12h before each run\nCALL ")
    _, compaction, orphans = sql_of(request.written_by("trino"), SETTING)
    assert compaction.endswith("; without min-input-files and partial-progress, which the figures have")
    assert orphans.endswith("EXECUTE remove_orphan_files(retention_threshold => '36h'); -- 50 0 * * *")


COMPACTING = {"rewrite_data_files": {"every": "1h", "target_file_size_bytes": "128MiB", "min_input_files": 2}}
PARTIAL = {"rewrite_data_files": {**COMPACTING["rewrite_data_files"], "partial_progress_commits": 5}}
COMPACTS = replace(SETTING, maintenance=replace(NO_MAINTENANCE, compact_every_s=HOUR_S))


@pytest.mark.parametrize(
    ("dialect", "jobs", "own", "said"),
    [
        ("trino", COMPACTING, {}, "lake.target_max_file_size = '128MB'; -- in the same session\n"),
        ("trino", COMPACTING, {}, "EXECUTE optimize(file_size_threshold => '96MB'); -- 0 * * * *"),
        ("trino", {}, {}, "EXECUTE optimize(file_size_threshold => '384MB')"),  # simulated so; its own default is 100MB
        ("athena", COMPACTING, {}, "'write_target_data_file_size_bytes'='134217728'"),
        ("athena", PARTIAL, {}, "USING BIN_PACK; -- 0 * * * *; without partial-progress, which the figures have"),
        ("athena", COMPACTING, {}, "'optimize_rewrite_data_file_threshold'='2'"),
        ("spark", COMPACTING, {}, "map('target-file-size-bytes', '134217728', 'min-input-files', '2')"),
        ("spark", {"rewrite_data_files": {"every": "1h"}}, TABLE_TARGET, "'target-file-size-bytes', '536870912'"),
    ],
)
def test_compaction_is_given_its_sizes(dialect: str, jobs: dict[str, Any], own: dict[str, str], said: str):
    document = {**a_request().document, "maintenance": jobs}
    document["table"] = {**document["table"], "properties": own}
    request = request_from_document("a scenario", document, Requirements())
    request = request if dialect == "spark" else request.written_by(dialect)
    assert said in "\n".join(sql_of(request, COMPACTS, "lake.db.t"))


def test_compaction_goes_by_the_target_of_the_table():
    request = replace(a_request(), own_properties=TABLE_TARGET)
    compaction = case_of(request, COMPACTS).maintenance.rewrite_data_files
    assert compaction is not None
    assert compaction.target_file_size_bytes == 64 << 20
    assert "options" not in sql_of(request, COMPACTS)[1]


def test_one_vacuum_expires_and_removes_orphan_files():
    document = {**a_request().document, "maintenance": {"remove_orphan_files": {"every": "1d", "older_than": "3d"}}}
    request = request_from_document("a scenario", document, Requirements()).written_by("athena")
    for setting in (SETTING, replace(SETTING, maintenance=ALL_JOBS)):
        assert [line.count("\nVACUUM") for line in sql_of(request, setting) if "VACUUM" in line] == [1]


def test_each_language_has_a_block_of_its_own():
    request = a_request()
    found = list(statements_of(request, case_of(request, SETTING), SETTING))
    assert [one.language for one in found] == ["Spark SQL", "PySpark"]
    assert not any(TRIGGER in line for line in found[0].lines)


def test_trino_is_given_its_own_statements():
    daily = Maintenance(expire_every_s=86_400.0, older_than_s=432_000.0, rewrite_every_s=3_600.0)
    request = a_request().written_by("trino")
    properties, rewriting, expiry = sql_of(request, replace(SETTING, maintenance=daily), "lake.db.events")
    assert "SET PROPERTIES extra_properties = MAP(\n  ARRAY['write.metadata.delete-after-commit.enabled']" in properties
    session, call = expiry.split("\n")
    assert session == "SET SESSION lake.expire_snapshots_min_retention = '5d'; -- in the same session"
    assert call == "ALTER TABLE lake.db.events EXECUTE expire_snapshots(retention_threshold => '5d'); -- 40 0 * * *"
    assert rewriting == "ALTER TABLE lake.db.events EXECUTE optimize_manifests; -- 20 * * * * (Trino 470 or newer)"
    weekly = replace(daily, older_than_s=604_800.0)  # which the catalog takes as it ships
    *_, expiry = sql_of(request, replace(SETTING, maintenance=weekly), "lake.db.events")
    assert expiry.startswith("ALTER TABLE")


def test_athena_is_given_its_own_statements():
    daily = Maintenance(expire_every_s=86_400.0, older_than_s=432_000.0, rewrite_every_s=3_600.0)
    request = a_request().written_by("athena")
    age, expiry, others, rewriting = sql_of(request, replace(SETTING, maintenance=daily), "lake.db.events")
    assert age.endswith("'vacuum_max_snapshot_age_seconds'='432000');")
    assert expiry == "VACUUM db.events; -- 40 0 * * *"
    assert others.startswith(
        "-- in Spark: Athena sets no such properties and rewrites no manifests\nALTER TABLE lake.db"
    )
    assert "delete-after-commit" in others
    assert "max-snapshot-age-ms" not in others  # VACUUM goes by its own
    assert rewriting == "CALL lake.system.rewrite_manifests(table => 'db.events'); -- 20 * * * *"
    *_, rewriting = sql_of(request, replace(SETTING, maintenance=daily), "db.events")
    assert rewriting.startswith("CALL catalog.system.rewrite_manifests(table => 'db.events')")


FLINK_COMPACTION = """SET 'flink-maintenance.rewrite.enabled' = 'true'; -- hourly
SET 'flink-maintenance.rewrite.schedule.commit-count' = '2147483647';
SET 'flink-maintenance.rewrite.schedule.data-file-count' = '2147483647';
SET 'flink-maintenance.rewrite.schedule.data-file-size' = '9223372036854775807';
SET 'flink-maintenance.rewrite.schedule.interval-second' = '3600';"""
FLINK_EXPIRY = """SET 'flink-maintenance.expire-snapshots.enabled' = 'true'; -- daily
SET 'flink-maintenance.expire-snapshots.schedule.commit-count' = '2147483647';
SET 'flink-maintenance.expire-snapshots.schedule.interval-second' = '86400';
SET 'flink-maintenance.expire-snapshots.max-snapshot-age-seconds' = '86400';
SET 'flink-maintenance.expire-snapshots.retain-last' = '1';"""


def test_flink_maintains_what_its_own_sink_writes():
    request = a_request().written_by("flink")
    properties, sink, compaction, expiry, rewriting = sql_of(request, replace(SETTING, maintenance=ALL_JOBS))
    assert properties.startswith(
        "ALTER TABLE `catalog`.`namespace`.`table` SET (\n  'write.metadata.delete-after-commit"
    )
    assert sink.endswith("SET 'table.exec.iceberg.use-v2-sink' = 'true';")
    assert (compaction, expiry) == (FLINK_COMPACTION, FLINK_EXPIRY)
    first, call = rewriting.split("\n")
    assert first == "-- in Spark: Flink's sink has no task for this"
    assert call == "CALL catalog.system.rewrite_manifests(table => 'namespace.table'); -- 20 0 * * *"
    assert request_from_flags({"rows_per_second": "5", "writer": "flink"}, Requirements()).sql == "flink"
    blocks = statements_of(request, case_of(request, SETTING), replace(SETTING, maintenance=ALL_JOBS))
    assert [one.language for one in blocks] == ["Flink SQL", "Flink SQL", "Spark SQL", "Flink SQL"]


def test_flink_maintains_no_table_that_another_engine_writes():
    request = replace(a_request(), dialect="flink")
    properties, first, *calls = sql_of(request, replace(SETTING, maintenance=ALL_JOBS))
    assert "SET (\n" in properties
    assert "'history.expire.max-snapshot-age-ms'='86400000'" in properties  # which Spark's expiry goes by
    assert first.startswith("-- in Spark: Flink SQL maintains only what it writes itself\nCALL ")
    assert [first.partition("\n")[2], *calls] == [*sql_of(a_request(), replace(SETTING, maintenance=ALL_JOBS))[1:]]


def test_flinks_compaction_has_the_scenarios_options():
    own = {"when_small_files": 200, "min_input_files": 2, "target_file_size_bytes": "128MiB"}
    document = {**a_request().document, "maintenance": {"rewrite_data_files": {**own, "partial_progress_commits": 5}}}
    request = request_from_document("a scenario", document, Requirements()).written_by("flink")
    properties, _, compaction = sql_of(request, SETTING)
    for option in ("target-file-size-bytes'='134217728", "min-input-files'='2", "partial-progress.max-commits'='5"):
        assert f"'flink-maintenance.rewrite.{option}'" in properties
    assert "schedule.data-file-count' = '200';" in compaction
    assert compaction.split("\n")[0].endswith("-- as soon as there are 200 small files")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("writer", ["spark_batch", "flink", "athena"])
def test_no_job_is_lost_in_any_dialect(dialect: Dialect, writer: str):
    orphans = {"remove_orphan_files": {"every": "1d"}}
    document = {**a_request().document, "maintenance": orphans}
    request = request_from_document("a scenario", document, Requirements(dialect=dialect)).written_by(writer)
    said = "\n".join(sql_of(request, replace(SETTING, maintenance=ALL_JOBS)))
    of_each = {
        "compaction": ("rewrite_data_files", "EXECUTE optimize(", "OPTIMIZE ", "maintenance.rewrite.enabled"),
        "rewriting": ("rewrite_manifests", "EXECUTE optimize_manifests"),
        "expiry": ("expire_snapshots", "VACUUM ", "maintenance.expire-snapshots.enabled"),
        "orphans": ("remove_orphan_files", "removes orphan files", "delete-orphan-files.enabled"),
        "properties": ("'write.metadata.delete-after-commit.enabled'",),
    }
    for words in of_each.values():
        assert any(word in said for word in words)
    assert request.sql == dialect
    assert replace(request, dialect=None).sql == {"spark_batch": "spark"}.get(writer, writer)


def test_no_interval_is_longer_than_the_writer_takes():
    request = a_request().written_by("firehose")
    assert replace(request, freshness_s=3_600.0).longest_s == 900.0
    assert able_intervals([600.0, 900.0, 901.0], request) == (600.0, 900.0)


def test_no_interval_is_shorter_than_the_writer_takes():
    request = a_request().written_by("redpanda")
    assert able_intervals([5.0, 10.0, 60.0], request) == (10.0, 60.0)
    with pytest.raises(WasimError, match=r"commits every 10s at most\. Give 10s or more\."):
        make_plan(replace(request, freshness_s=5.0))


def test_snapshots_that_the_scenario_retains_stay():
    request = a_request()
    kept = {"expire_snapshots": {"every": "1d", "older_than": "5d", "retain_last": 10}}
    request = replace(request, document={**request.document, "maintenance": kept})
    setting = replace(
        SETTING, maintenance=Maintenance(expire_every_s=DAY_S, older_than_s=5 * DAY_S, rewrite_every_s=None)
    )
    expiry = case_of(request, setting).maintenance.expire_snapshots
    assert expiry is not None
    assert expiry.retain_last == 10
    assert "'history.expire.min-snapshots-to-keep'='10'" in sql_of(request, setting)[0]
    assert "'vacuum_min_snapshots_to_keep'='10'" in sql_of(request.written_by("athena"), setting)[0]
    assert "=> '5d', retain_last => 10)" in sql_of(request.written_by("trino"), setting)[-1]


def test_each_writer_is_given_its_interval_in_its_own_setting():
    request = a_request().written_by("automq")
    _, lines = writer_options(request, case_of(request, SETTING), SETTING)
    assert lines == ("automq.table.topic.commit.interval.ms=30000  # AutoMQ",)


@pytest.mark.parametrize(
    ("every_s", "minute", "cron"),
    [
        (7 * DAY_S, 40, "40 0 * * 0"),
        (DAY_S, 40, "40 0 * * *"),
        (HOUR_S, 20, "20 * * * *"),
        (2 * HOUR_S, 20, "20 */2 * * *"),
        (12 * HOUR_S, 0, "0 */12 * * *"),
        (60.0, 5, "*/1 * * * *"),
        (1800.0, 5, "*/30 * * * *"),
        (2 * DAY_S, 5, None),
        (5 * HOUR_S, 5, None),
        (2400.0, 5, None),
        (1.0, 5, None),
        (HOUR_S / 2 + 60, 5, None),
    ],
)
def test_cron_says_periods_that_divide_an_hour_or_day(every_s: float, minute: int, cron: str | None):
    assert cron_of(every_s, minute) == cron


def test_maintenance_as_counts_is_what_comes_in_a_period():
    kept = Maintenance(expire_every_s=HOUR_S, older_than_s=2 * HOUR_S, rewrite_every_s=1800.0, compact_every_s=600.0)
    setting = Setting(interval_s=30.0, maintenance=kept)
    assert [*counts_of(setting, 4.0)] == [
        ("rewrite_data_files", 80),
        ("rewrite_manifests", 60),
        ("expire_snapshots", 360),
    ]
    rare = Setting(interval_s=3600.0, maintenance=kept)
    assert [*counts_of(rare, 1.0)] == [("rewrite_data_files", 2), ("rewrite_manifests", 2), ("expire_snapshots", 3)]
    assert [*counts_of(SETTING, 4.0)] == []


def test_a_period_that_cron_cannot_say_is_said_in_words():
    kept = replace(NO_MAINTENANCE, compact_every_s=5 * HOUR_S)
    _, call = sql_of(a_request(), replace(SETTING, maintenance=kept))
    assert call.endswith("; -- every 5h")


def test_a_long_call_goes_over_several_lines():
    table = "catalog.a_namespace_of_a_long_name.a_table_of_an_even_longer_name"
    kept = replace(NO_MAINTENANCE, compact_every_s=HOUR_S)
    request = a_request()
    _, short = sql_of(request, replace(SETTING, maintenance=kept))
    assert "\n" not in short
    _, long = sql_of(request, replace(SETTING, maintenance=kept), table + "_with_more")
    assert "\n" in long
    assert "system.rewrite_data_files" in long


def test_only_an_expiry_of_its_own_keeps_more_snapshots():
    request = replace(a_request(), own_properties={"history.expire.min-snapshots-to-keep": "10"})
    kept = Maintenance(expire_every_s=DAY_S, older_than_s=5 * DAY_S, rewrite_every_s=None)
    setting = replace(SETTING, maintenance=kept)
    assert request.retain_last == 10
    assert "min-snapshots-to-keep" not in sql_of(request, setting)[0]  # the table has it
    assert "'history.expire.max-snapshot-age-ms'='432000000'" in sql_of(request, setting)[0]
    assert "vacuum_min_snapshots_to_keep'='10'" in sql_of(request.written_by("athena"), setting)[0]
    one = a_request().written_by("athena")
    assert "vacuum_min_snapshots_to_keep" not in sql_of(one, setting)[0]
    assert "max-snapshot-age-ms" not in sql_of(a_request(), SETTING)[0]


def test_sizes_of_athena_are_given_where_it_compacts_otherwise():
    kept = replace(SETTING, maintenance=replace(NO_MAINTENANCE, compact_every_s=HOUR_S))
    request = a_request().written_by("athena")
    assert "write_target_data_file_size_bytes" not in "\n".join(sql_of(request, kept))
    smaller = replace(request, own_properties=TABLE_TARGET)
    assert "'write_target_data_file_size_bytes'='67108864'" in "\n".join(sql_of(smaller, kept))
    assert "write_target_data_file_size_bytes" not in "\n".join(sql_of(smaller, SETTING))


def test_writers_are_set_to_the_interval_by_kind():
    batch = request_from_flags({"rows_per_second": "1000", "writer": "batch"}, Requirements())
    case = case_of(batch, SETTING)
    assert writer_options(batch, case, SETTING) == ("Writer", ("Start the batch job every 30s.",))
    other = replace(a_request(), writer_is_spark=False)
    assert writer_options(other, case_of(other, SETTING), SETTING) == ("Writer", ("Append every 30s.",))
    fast = replace(SETTING, interval_s=0.25, appends="fast")
    _, (line,) = writer_options(a_request(), case_of(a_request(), fast), fast)
    assert '"250 milliseconds"' in line
