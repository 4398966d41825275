"""The places of a page's sliders, and what lies between them."""

from dataclasses import replace

from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Maintenance, Setting
from wasim.capacity.axes import Axes, axes_for, seldom_first, thinned
from wasim.capacity.explorer import _expiry_places, _start
from wasim.capacity.settings import case_of
from wasim.units import DAY_S, HOUR_S

KEPT = Maintenance(expire_every_s=HOUR_S, older_than_s=2 * DAY_S, rewrite_every_s=None, compact_every_s=6 * HOUR_S)
BASE = Setting(interval_s=60.0, maintenance=KEPT)


def axes_of(base: Setting = BASE) -> Axes:
    case = case_of(a_request(), base)
    return axes_for(case, base, [10.0, 300.0], time_travel_s=DAY_S, horizon_s=10 * DAY_S)


def test_axes_go_through_the_base_setting():
    axes = axes_of()
    assert axes.intervals_s == (10, 60, 300)
    assert axes.periods_s == (None, DAY_S, HOUR_S)
    assert axes.ages_s == (DAY_S, 2 * DAY_S, 30 * DAY_S)
    assert axes.horizons_s == (DAY_S, 7 * DAY_S, 10 * DAY_S, 30 * DAY_S, 365 * DAY_S)
    assert len(axes.expiries) == 1 + 2 * 3
    start = _start(axes, 10 * DAY_S)
    expiry = _expiry_places(axes)[start["expire"]][start["keep"]]
    found = axes.setting(start["interval"], start["rewrite"], start["compact"], expiry, start["oldjson"], start["gzip"])
    assert found == BASE
    assert start["horizon"] == 2
    assert axes.shape == (3, 2, 1, 7, 2, 1)
    plain = axes_of(replace(BASE, maintenance=NO_MAINTENANCE))
    assert (plain.periods_s, plain.ages_s) == ((None, DAY_S), (DAY_S, 30 * DAY_S))


def test_intervals_are_thinned_where_they_lie_closest():
    assert thinned([1, 2, 4, 5, 100], 4.0, most=4) == [1, 4, 5, 100]
    assert thinned([1.0, 10, 11, 100], 1.0, most=3) == [1, 10, 100]
    found = thinned([float(2**power) for power in range(10)], 8.0, most=5)
    assert {1.0, 8.0, 512.0} <= {*found}
    assert len(found) == 5
    assert seldom_first({3.0, None, 20.0}) == (None, 20.0, 3.0)
