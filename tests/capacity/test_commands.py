"""What to paste: options of writers."""

from dataclasses import replace

import pytest
from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Maintenance, Requirements, Setting, request_from_flags
from wasim.capacity.commands import sql_of, writer_options
from wasim.capacity.settings import case_of

SETTING = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
TRIGGER = '.trigger(processingTime="30000 milliseconds")'


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        (SETTING, f"{TRIGGER}  # Spark, 30s"),
        (
            replace(SETTING, appends="merge"),
            f"{TRIGGER}.foreachBatch(append)  # Spark, 30s; appends of batches merge",
        ),
    ],
)
def test_a_stream_is_triggered_by_the_interval_in_milliseconds(setting: Setting, told: str):
    assert writer_options(case_of(a_request(), setting), setting) == told


def test_several_writers_are_started_in_turn():
    request = request_from_flags({"rows_per_second": "1000", "writers": "3"}, Requirements())
    words = writer_options(case_of(request, SETTING), SETTING, request.writers)
    assert words == "Start the batch job every 30s, on one of the 3 writers in turn."


def test_trino_is_given_its_own_statements():
    daily = Maintenance(expire_every_s=86_400.0, older_than_s=432_000.0, rewrite_every_s=3_600.0)
    properties, expiry, rewriting = sql_of("lake.db.events", replace(SETTING, maintenance=daily), "trino")
    assert "SET PROPERTIES extra_properties = MAP(\n  ARRAY['write.metadata.delete-after-commit.enabled']" in properties
    assert expiry.endswith("ALTER TABLE lake.db.events EXECUTE expire_snapshots(retention_threshold => '5d');")
    assert rewriting == "-- hourly\nALTER TABLE lake.db.events EXECUTE optimize_manifests;"


def test_each_writer_is_given_its_interval_in_its_own_setting():
    request = a_request().written_by("automq")
    assert writer_options(case_of(request, SETTING), SETTING) == "automq.table.topic.commit.interval.ms=30000  # AutoMQ"
