"""The cycles over which what a table writes is averaged."""

from dataclasses import replace

import numpy as np
import pytest
from support.plans import a_simulator

from wasim.capacity import Maintenance, Setting
from wasim.scenario.cycles import (
    MOMENTS,
    MOMENTS_OF_FILLING,
    Window,
    _cycles_of,
    filling_since_s,
    moments_of,
    window_of,
)
from wasim.units import DAY_S, HOUR_S

KEPT = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None, compact_every_s=HOUR_S)
SETTING = Setting(interval_s=60.0, maintenance=KEPT)
HOURS = Setting(interval_s=3600.0, maintenance=replace(KEPT, compact_every_s=None))


@pytest.mark.parametrize(
    ("written", "turns"),
    [
        ([5.0] * 9, 0),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], 0),  # grows
        ([9, 9, 9, 5, 5, 5, 5, 5], 3),  # since it began with the table
        ([1, 2, 9, 1, 2, 9, 1, 2, 9, 1, 2], 3),
        ([1, 2, 9, 1, 5, 9, 1, 5, 5, 9, 1, 2], 4),  # the last one; what is neither ends nothing
        ([100, 1, 2, 1, 2, 9, 1, 2, 9, 1, 2, 9, 1], 3),  # the later half tells them apart
        ([1, 1, 1, 1, 1, 9], 6),  # a burst that has yet to end
        ([], 0),
    ],
)
def test_cycles_end_where_less_is_written(written: list[float], turns: int):
    assert _cycles_of(np.array(written, dtype=float), at_least=1) == turns


def test_as_many_cycles_are_seen_as_are_asked_for():
    written = np.array([1.0, 2.0, 9.0] * 10)
    assert [_cycles_of(written, at_least=least) for least in (1, 3, 4, 10, 99)] == [3, 3, 6, 9, 9]


def test_merges_take_as_many_commits_as_they_merge_manifests():
    plain = a_simulator().case(HOURS)
    merging = a_simulator().case(replace(HOURS, appends="merge"))
    assert (plain.merging_s, merging.merging_s) == (0, 100 * 3600)
    window = window_of(merging)
    assert window.length_s == 5 * DAY_S  # a hundred hours, in whole days
    grown = a_simulator().shape(HOURS).manifest_growth
    assert filling_since_s(plain, grown, window) is None
    # of eight megabytes and some hundreds of bytes an hour it takes longer than there is: half of the history
    long = replace(merging, horizon_s=100 * DAY_S)
    assert filling_since_s(long, grown, window_of(long)) == pytest.approx(100 * DAY_S / 2)
    assert filling_since_s(merging, grown, window) == 0  # eight merges take longer than ten days
    rewritten = a_simulator().case(replace(HOURS, appends="merge", maintenance=replace(KEPT, rewrite_every_s=DAY_S)))
    assert filling_since_s(rewritten, grown, window) is None  # compaction takes away what they merge
    kept = replace(KEPT, rewrite_every_s=DAY_S, compact_every_s=None)
    rewritten = a_simulator().case(replace(HOURS, appends="merge", maintenance=kept))
    assert filling_since_s(rewritten, grown, window) == window.start_s


def test_moments_are_those_about_a_merge_and_a_filling():
    merging = a_simulator().case(replace(HOURS, appends="merge"))
    grown, window = a_simulator().shape(HOURS).manifest_growth, window_of(merging)
    plain = moments_of(a_simulator().case(HOURS), grown, window)
    assert plain == [120, 240]  # of five days of hours: the start and the end
    found = moments_of(merging, grown, window)
    assert found == sorted({*found})
    assert {0.0, 240.0, 140.0, 20.0} <= {*found}  # a hundred commits before the end, and before the middle
    assert len([one for one in found if one >= 140]) >= MOMENTS
    assert len(found) >= MOMENTS_OF_FILLING


@pytest.mark.parametrize(
    ("kept", "horizon_s", "expected"),
    [
        # cycles of a day, which end at the horizon or near it
        (replace(KEPT, compact_every_s=None), 10 * DAY_S, (9 * DAY_S, 10 * DAY_S)),
        (KEPT, 10.6 * DAY_S, (10 * DAY_S, 11 * DAY_S)),
        (replace(KEPT, expire_every_s=7 * HOUR_S), 2 * DAY_S, (DAY_S, 2 * DAY_S)),
        # as long as the rarest job's period, in whole days
        (replace(KEPT, rewrite_every_s=60 * HOUR_S), 10 * DAY_S, (6 * DAY_S, 9 * DAY_S)),
        (replace(KEPT, rewrite_every_s=20 * DAY_S), 10 * DAY_S, (9 * DAY_S, 10 * DAY_S)),
        (replace(KEPT, expire_every_s=None), 5 * DAY_S, (4 * DAY_S, 5 * DAY_S)),
        (KEPT, 30 * HOUR_S, (0, DAY_S)),
        (KEPT, 6 * HOUR_S, (0, 6 * HOUR_S)),
    ],
)
def test_a_cycle_is_as_long_as_its_rarest_job(kept: Maintenance, horizon_s: float, expected: tuple[float, ...]):
    window = window_of(a_simulator().case(replace(SETTING, maintenance=kept)), horizon_s)
    assert (window.start_s, window.end_s) == expected
    assert Window(start_s=3.0, end_s=8.0).length_s == 5
