"""What to paste: options of writers."""

from dataclasses import replace

import pytest
from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Requirements, Setting, request_from_flags
from wasim.capacity.commands import writer_options
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
