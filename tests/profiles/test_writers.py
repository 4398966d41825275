"""Who made a snapshot: signs as the writers themselves leave them."""

import pytest

from wasim.iceberg.snapshots import Snapshot
from wasim.profiles.writers import KNOWN_WRITERS, writer_of, writer_words
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
        ({"engine-name": "athena"}, 1, "athena"),
        (None, 1, "unknown"),
    ],
)
def test_summary_and_list_name_tell_who_wrote(summary, attempt, words):
    assert writer_words(snapshot(summary, attempt)) == words


def test_every_known_writer_has_a_shipped_profile():
    assert {one.profile for one in KNOWN_WRITERS} <= set(SHIPPED)


@pytest.mark.parametrize("name", ["trino", "automq", "redpanda", "kafka_connect", "flink", "spark_batch", "iceberg_go"])
def test_a_profiles_own_summary_is_recognised_as_its_writers(name):
    assert [one.profile for one in KNOWN_WRITERS if one is writer_of(snapshot(dict(profile_named(name).summary)))] == [
        name
    ]
