"""Intervals that are tried, and what a forecast says in one figure."""

from dataclasses import replace

from support.synthetic import synthetic_case

from wasim.forecast import forecast
from wasim.forecast.ahead import longer_steps, shorter_step, steps_between
from wasim.ledger import METADATA_KINDS
from wasim.twin import Site
from wasim.units import DAY_S, HOUR_S


def test_intervals_step_along_the_ladder_and_beyond():
    assert steps_between(60.0, 300.0) == [90.0, 120.0, 180.0, 240.0]
    assert [shorter_step(one) for one in (0.5, 1.0, 1.5, 5.0)] == [None, None, 1.0, 1.0]
    assert [longer_steps(one)[0] for one in (21_600.0, 86_400.0, 604_800.0)] == [86_400.0, 604_800.0, 1_209_600.0]


def test_a_forecast_adds_up_kinds_and_tables():
    case = synthetic_case(writer="batch", interval_s=600.0)
    hour, day = forecast(case, Site(), (HOUR_S, DAY_S))
    written = day.run.totals.written_bytes
    assert day.written_bytes == sum(written[kind] for kind in METADATA_KINDS) > 20 * hour.written_bytes
    bands = [day.run.band[kind] for kind in METADATA_KINDS if written[kind]]
    assert min(bands) <= day.band <= max(bands)
    assert (hour.most("manifests"), day.most("manifests")) == (6, 99)  # merged once there are a hundred
    several = replace(case, writer=case.writer.model_copy(update={"tables": 3}))
    (all_of_three,) = forecast(several, Site(), (HOUR_S,))
    assert all_of_three.written_bytes == 3 * hour.written_bytes
    assert all_of_three.most("metadata_on_disk_bytes") == 3 * hour.most("metadata_on_disk_bytes")
