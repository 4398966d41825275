"""Intervals that are tried."""

from dataclasses import replace

from support.plans import a_request

from wasim.capacity.settings import NO_MAINTENANCE, Setting, able_intervals, intervals_of
from wasim.units import DAY_S, HOUR_S


def test_intervals_end_at_the_longest():
    assert intervals_of(30.0) == (1.0, 5.0, 10.0, 30.0)
    assert intervals_of(90.0)[-2:] == (60.0, 90.0)
    assert intervals_of(0.3) == (0.1, 0.3)
    assert len(intervals_of(86400.0)) == 8


def test_the_simplest_setting_has_least_to_set_and_to_start():
    plain = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
    kept = replace(NO_MAINTENANCE, expire_every_s=DAY_S, older_than_s=DAY_S, compact_every_s=6 * HOUR_S)
    assert kept.runs_per_day == 1 + 4
    each = (plain, replace(plain, gzips_json=True), replace(plain, maintenance=kept), replace(plain, appends="merge"))
    assert [one.complexity for one in each] == [(0, 0), (1, 0), (2, 5), (2, 0)]
    assert replace(plain, maintenance=kept, gzips_json=True, deletes_json=False, retries=20).words == (
        "30s, expire daily, compact every 6h, gzip, old metadata.json kept, 20 retries"
    )
    assert plain.upkeep_words == "no maintenance"


def test_intervals_beyond_a_writer_or_its_horizon_are_left_out():
    request = a_request()
    assert able_intervals([0.0005, 1.0, 60.0, 40 * DAY_S], request) == (1, 60)  # of ten days
