"""The places of a page's sliders, and what lies between them."""

from dataclasses import replace

from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Maintenance, Setting
from wasim.capacity.axes import AGES_S, HORIZONS_S, Axes, axes_for, seldom_first, thinned
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


def test_manifests_are_rewritten_only_where_appends_do_not_merge():
    def rewrites(kind: str, every_s: float | None = None) -> tuple[float | None, ...]:
        request = a_request()
        request = replace(request, document={**request.document, "writer": kind})
        base = replace(BASE, maintenance=replace(KEPT, rewrite_every_s=every_s))
        case = case_of(request, base)
        return axes_for(case, base, [], time_travel_s=DAY_S, horizon_s=DAY_S).rewrites_s

    assert rewrites("streaming") == (None, DAY_S)
    assert rewrites("streaming", 7 * DAY_S) == (None, 7 * DAY_S)
    assert rewrites("batch") == (None,)
    assert rewrites("batch", HOUR_S) == (None, HOUR_S)


def test_a_setting_stands_at_its_places_of_the_axes():
    axes = replace(axes_of(), gzips=(False, True), compactions_s=(None, HOUR_S))
    found = axes.setting(2, 1, 1, 5, 0, 1)
    kept = found.maintenance
    assert (found.interval_s, found.deletes_json, found.gzips_json) == (300, False, True)
    assert (kept.rewrite_every_s, kept.compact_every_s) == (DAY_S, HOUR_S)
    assert (kept.expire_every_s, kept.older_than_s) == axes.expiries[5] == (HOUR_S, 2 * DAY_S)
    never = axes.setting(0, 0, 0, 0, 1, 0)
    assert never == replace(BASE, interval_s=10.0, maintenance=NO_MAINTENANCE)
    assert axes.shape == (3, 2, 2, 7, 2, 2)


def test_page_horizons_reach_a_year_and_ages_a_month():
    assert [one / DAY_S for one in HORIZONS_S] == [1, 7, 30, 365]
    assert [one / DAY_S for one in AGES_S] == [1, 30]
    assert thinned([3.0, 1.0, 2.0], 2.0, most=3) == [1, 2, 3]
    assert thinned([1.0, 4.0], 2.0, most=3) == [1, 4]  # the own one need not be among them
    assert thinned([1.0, 4.0, 5.0], 2.0, most=3) == [1, 5]
