"""Who made a snapshot: signs as the writers themselves leave them."""

from dataclasses import replace

import pytest

from wasim.iceberg.snapshots import Snapshot
from wasim.profiles import KNOWN_WRITERS, writer_of, writer_words
from wasim.twin.profile import SHIPPED, profile_named

UUID = "0f5a4a1e-8d2c-4c69-9a0e-6f3f6f1d2a33"
# pyiceberg 0.12 and iceberg-go 0.6, of a table without partitions
OF_PYICEBERG = (
    "added-files-size added-data-files added-records total-data-files total-delete-files total-records total-files-size"
    " total-position-deletes total-equality-deletes"
)


def snapshot(summary, attempt=1):
    listed = f"s3://lake/t/metadata/snap-7-{attempt}-{UUID}.avro"
    return Snapshot(snapshot_id=7, timestamp_ms=1, manifest_list=listed, operation="append", summary=summary)


@pytest.mark.parametrize(
    ("summary", "attempt", "words"),
    [
        ({"trino_query_id": "1", "engine-name": "trino", "engine-version": "476"}, 1, "trino 476"),
        (
            {"trino_query_id": "1", "iceberg-version": "Apache Iceberg 1.9.1 (commit f4)"},
            1,
            "trino, Apache Iceberg 1.9.1",
        ),
        ({"spark.sql.streaming.queryId": "q", "spark.app.id": "a", "engine-name": "spark"}, 1, "spark streaming"),
        ({"engine-name": "spark", "engine-version": "4.1.4"}, 1, "spark 4.1.4"),
        ({"automq.commit.id": "x", "iceberg-version": "Apache Iceberg 1.9.1"}, 1, "automq, Apache Iceberg 1.9.1"),
        ({"redpanda.commit-metadata": "{}"}, 0, "redpanda"),
        (dict.fromkeys(OF_PYICEBERG.split(), "1"), 0, "pyiceberg"),
        (dict.fromkeys(sorted(OF_PYICEBERG.split()), "1"), 0, "iceberg-go"),
        ({"iceberg-version": "Apache Iceberg Go 0.7"}, 0, "iceberg-go, Apache Iceberg Go 0.7"),
        ({"iceberg-version": "Apache Iceberg 1.12.0"}, 1, "iceberg's java library, Apache Iceberg 1.12.0"),
        (dict.fromkeys(OF_PYICEBERG.split(), "1"), 1, "unknown"),
        ({"redpanda-connect.commit-id": "x"} | dict.fromkeys(sorted(OF_PYICEBERG.split()), "1"), 0, "redpanda connect"),
        ({"fluss-offsets": "s3://f", "iceberg-version": "Apache Iceberg 1.10.1"}, 1, "fluss, Apache Iceberg 1.10.1"),
        ({"engine-name": "athena"}, 1, "athena"),
        (None, 1, "unknown"),
    ],
)
def test_summary_and_list_name_tell_who_wrote(summary, attempt, words):
    assert writer_words(snapshot(summary, attempt)) == words


def test_a_table_s_property_tells_writers_of_one_library_apart():
    java, go = {"iceberg-version": "Apache Iceberg 1.10.2"}, {"iceberg-version": "Apache Iceberg Go 0.6"}
    assert writer_of(snapshot(java), {"olake_2pc": "{}"}).name == "olake"
    assert writer_of(snapshot(go), {"flow_checkpoints_v1": "{}"}).name == "estuary"
    assert writer_of(snapshot(go), {"olake_2pc": "{}"}).name == "iceberg-go"


def test_a_list_named_without_an_attempt_is_duckdbs():
    made = snapshot({"total-records": "1"})
    assert writer_of(replace(made, manifest_list=made.manifest_list.replace("-1-", "-"))).profile == "duckdb"
    assert writer_of(made) is None


def test_every_known_writer_has_a_shipped_profile():
    assert {one.profile for one in KNOWN_WRITERS} <= set(SHIPPED)


OWN_SUMMARY = (
    "trino automq redpanda kafka_connect flink spark_batch iceberg_go redpanda_connect fluss debezium olake estuary"
)


@pytest.mark.parametrize("name", OWN_SUMMARY.split())
def test_a_profiles_own_summary_is_recognised_as_its_writers(name):
    profile = profile_named(name)
    attempt = 1 if profile.sources.keys() >= {"iceberg"} else 0
    assert writer_of(snapshot(dict(profile.summary), attempt), profile.recipe.sets).profile == name
