"""What people change is read in the format in which they keep it; what is not read is named."""

import json

import pytest

from wasim.diff.read import is_scenario, period_s, read_settings

GZIP = {"write.metadata.compression-codec": "gzip"}

SQL = """
-- TBLPROPERTIES ('write.metadata.compression-codec'='none') in a comment
CREATE TABLE IF NOT EXISTS lake.web.`events` (price decimal(10, 2), note string COMMENT 'a (b; c')
USING iceberg PARTITIONED BY (days(at))
TBLPROPERTIES ('format-version' = '2', "write.metadata.compression-codec" = 'none');
ALTER TABLE lake.web.events SET TBLPROPERTIES ('write.metadata.compression-codec'='gzip');
ALTER TABLE lake.web.events UNSET TBLPROPERTIES IF EXISTS ('format-version');
"""
FLINK_SQL = """
SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (id BIGINT) WITH ('connector' = 'iceberg', 'write.metadata.compression-codec' = 'gzip');
"""
DBT_MODEL = """{{ config(materialized='incremental', table_properties={'write.metadata.compression-codec': 'gzip'}) }}
select * from {{ ref('raw') }}"""
DBT_PROJECT = """
models:
  shop:
    marts:
      +table_properties:
        write.metadata.compression-codec: gzip
"""
SPARK = """
# a job's
spark.sql.catalog.lake.table-default.write.metadata.compression-codec=gzip
trigger.processing-time=10 seconds
"""
FLINK_OPERATOR = """
spec:
  flinkConfiguration:
    execution.checkpointing.interval: 3min
"""
CONNECTOR = {
    "name": "events",
    "config": {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "iceberg.tables": "web.events",
        "iceberg.tables.auto-create-props.write.metadata.compression-codec": "gzip",
    },
}


def test_a_sink_has_as_many_tables_as_it_names() -> None:
    config = CONNECTOR["config"] | {"iceberg.tables": "a.b, c.d,e.f,"}
    (found,) = read_settings("sink.json", json.dumps(config)).settings
    assert (found.table, found.tables) == ("a.b,c.d,e.f", 3)


@pytest.mark.parametrize(
    ("name", "text", "table", "interval_s", "properties"),
    [
        ("events.sql", SQL, "lake.web.events", None, GZIP),
        ("orders.sql", FLINK_SQL, "orders", 60.0, {"connector": "iceberg", **GZIP}),
        ("model.sql", DBT_MODEL, "", None, GZIP),
        ("dbt_project.yml", DBT_PROJECT, "models.shop.marts", None, GZIP),
        ("job.properties", SPARK, "spark.sql.catalog.lake", 10.0, GZIP),
        ("flink.yaml", FLINK_OPERATOR, "spec.flinkConfiguration", 180.0, {}),
        ("sink.json", json.dumps(CONNECTOR), "web.events", 300.0, GZIP),
    ],
)
def test_settings_are_read_in_each_format(
    name: str, text: str, table: str, interval_s: float | None, properties: dict[str, str]
) -> None:
    reading = read_settings(name, text)
    assert reading.unread == ()
    (found,) = reading.settings
    assert (found.table, found.interval_s, found.properties) == (table, interval_s, properties)


@pytest.mark.parametrize(
    ("name", "text", "writer"),
    [
        ("sink.json", json.dumps(CONNECTOR), "kafka_connect"),
        ("sink.properties", "iceberg.control.commit.interval-ms=60000", "kafka_connect"),
        ("flink.yaml", FLINK_OPERATOR, "flink"),
        ("orders.sql", FLINK_SQL, "flink"),
        ("job.properties", SPARK, ""),
        ("events.sql", SQL, ""),
    ],
)
def test_the_file_says_whose_settings_they_are(name: str, text: str, writer: str) -> None:
    (found,) = read_settings(name, text).settings
    assert found.writer == writer


def test_a_connectors_own_interval_counts() -> None:
    config = CONNECTOR["config"] | {"iceberg.control.commit.interval-ms": 60_000}
    (found,) = read_settings("sink.json", json.dumps(config)).settings
    assert found.interval_s == 60.0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("job.py", "stream.trigger(processingTime='1 minute')", "1 minute')\" in a file of a kind that is not read"),
        ("sink.json", "{", "it is no JSON"),
        ("dbt.yml", "a: &b 1\nc: *b", "anchor"),
        ("t.sql", "ALTER TABLE t SET TBLPROPERTIES (${properties})", "the properties of t"),
    ],
)
def test_what_is_not_read_is_named(name: str, text: str, said: str) -> None:
    reading = read_settings(name, text)
    assert reading.settings == ()
    assert said in reading.unread[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("job.properties", "stream.trigger=availableNow"),
        ("job.properties", "stream.trigger.interval=never"),
        ("flink.sql", "SET 'execution.checkpointing.interval' = 'never';"),
    ],
)
def test_an_interval_that_is_no_period_is_set_and_named(name: str, text: str) -> None:
    reading = read_settings(name, text)
    (found,) = reading.settings
    assert found.interval_s is None
    assert found.not_a_period in reading.unread[0]


def test_files_about_other_things_say_nothing() -> None:
    for name, text in (
        ("a.sql", "SELECT 1; CREATE TABLE t AS SELECT ';' AS c"),
        ("package.json", '{"name": "x", "version": "1"}'),
        ("registry.properties", "schema.registry=http\nread.timeout=1"),
        ("a.py", "print(1)"),
        ("azure-pipelines.yml", "trigger: main"),
        ("gitlab-ci.yml", "deploy:\n  trigger: group/project"),
    ):
        reading = read_settings(name, text)
        assert (reading.settings, reading.unread) == ((), ()), name


def test_only_a_scenario_is_a_scenario() -> None:
    assert is_scenario("a.yaml", "table: {}\nworkload: {}\n")
    assert not is_scenario("a.yaml", DBT_PROJECT)
    assert not is_scenario("a.sql", "table: {}\nworkload: {}\n")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("10 seconds", 10.0), ("1 min", 60.0), ("PT1M", 60.0), ("ProcessingTime('2 hours')", 7200.0)),
        *(("300000", 300.0), ("500 ms", 0.5), ("1 day", 86_400.0), ("soon", None), ("0s", None), ("", None)),
        *(("PT1M30S", 90.0), ("P1DT2H", 93_600.0), ("1m30s", 90.0), ("1 day 2 hours", 93_600.0), ("1 second", 1.0)),
        *(("P1M", None), ("1 minute 5", None), ("pt", None)),
    ],
)
def test_periods_are_read_as_engines_write_them(text: str, seconds: float | None) -> None:
    assert period_s(text) == seconds
