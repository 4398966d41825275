"""The lattice behind a page's sliders: which figure stands where, by a law instead of simulations."""

from dataclasses import replace
from math import inf, log

import numpy as np
import pytest
from support.by_hand import ByLaw, plain, some_figures
from support.plans import a_request
from support.synthetic import synthetic_case

from wasim.capacity import NO_MAINTENANCE, Figures, Maintenance, Setting
from wasim.capacity.explorer import _axes, _expiry_places
from wasim.capacity.lattice import (
    AGES_S,
    HORIZONS_S,
    METRICS,
    MOST_MERGING_COMMITS,
    OUTWEIGHS,
    PASSES,
    STOPS,
    WRITTEN,
    Axes,
    Lattice,
    Scale,
    axes_for,
    build_lattice,
    has_horizons,
    is_affordable,
    seldom_first,
    thinned,
)
from wasim.capacity.milestones import Milestones
from wasim.capacity.settings import case_of
from wasim.ledger import Kind
from wasim.scenario.changes import Changes
from wasim.scenario.parts import Upsert
from wasim.units import DAY_S, HOUR_S

MARKS = tuple(PASSES.values())
AXES = Axes(
    base=plain(60.0),
    intervals_s=(10.0, 60.0, 2 * DAY_S),
    periods_s=(None, DAY_S, HOUR_S),
    ages_s=(DAY_S, 30 * DAY_S),
    rewrites_s=(None, DAY_S),
    compactions_s=(None, HOUR_S),
    horizons_s=(DAY_S, 7 * DAY_S, 30 * DAY_S),
    gzips=(False, True),
)


def law(setting: Setting, rate: float, times: float = 1.0) -> Figures:
    """A month costs as many units as there are commits in an hour, half with gzip, ten times as many with jobs."""
    cost = times * HOUR_S / setting.interval_s * (0.5 if setting.gzips_json else 1.0)
    cost *= 10.0 if setting.maintenance.runs_per_day else 1.0
    written = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 5, Kind.DATA_MANIFEST: 7, Kind.DELETE_MANIFEST: 2}
    passed = dict.fromkeys(MARKS, None) | {MARKS[0]: 3.5}
    return some_figures(
        setting,
        cost,
        written_bytes=written | {Kind.DATA: 11, Kind.DELETE_FILE: 13},
        keeps_up_s=DAY_S / 2 if setting.interval_s == 10 else None,
        milestones=Milestones(json_passes=passed, metadata_outweighs=1.25 if setting.gzips_json else None),
    )


def by_days(figures: Figures, horizon_s: float) -> Figures:
    return replace(figures, values={**figures.values, "manifests": horizon_s / DAY_S})


def lattice_of(**given: object) -> Lattice:
    return build_lattice(AXES, ByLaw(request=a_request(), law=law, over=by_days), **given)  # type: ignore[arg-type]


def field_of(lattice: Lattice, name: str) -> np.ndarray:
    return lattice.values[..., lattice.fields.index(name)]


@pytest.fixture(scope="module")
def lattice() -> Lattice:
    return lattice_of(metrics=["manifests", "wa_total"])


def test_each_figure_stands_at_its_setting_and_horizon(lattice: Lattice):
    cost = field_of(lattice, "monthly_cost")
    assert cost.shape == (3, 2, 2, 1 + 2 * 2, 2, 2, 3)
    # by interval, rewriting, compaction, expiry, deletion of metadata.json, gzip and horizon
    assert cost[1, 0, 0, 0, 0, 0, 2] == 60
    assert cost[0, 0, 0, 0, 1, 1, 2] == 180
    assert cost[0, 1, 0, 0, 0, 0, 0] == cost[0, 0, 1, 0, 0, 0, 0] == cost[0, 0, 0, 3, 0, 0, 0] == 3600
    assert field_of(lattice, "manifests")[1, 0, 0, 0, 0, 0].tolist() == [1, 7, 30]


def test_fields_are_metrics_bytes_written_and_days(lattice: Lattice):
    assert lattice.fields == (*METRICS, "wa_total", *WRITTEN, STOPS, OUTWEIGHS, *PASSES)
    place = (1, 0, 0, 0, 0, 1, 2)
    written = {name: field_of(lattice, name)[place] for name in WRITTEN}
    assert written == {
        "written_json": 5,
        "written_lists": 0,
        "written_manifests": 9,
        "written_other": 0,
        "written_data": 24,
    }
    assert field_of(lattice, STOPS)[place] == inf
    assert field_of(lattice, STOPS)[0, 0, 0, 0, 0, 0, 0] == 0.5
    assert field_of(lattice, OUTWEIGHS)[place] == 1.25
    assert field_of(lattice, OUTWEIGHS)[1, 0, 0, 0, 0, 0, 2] == inf
    assert {name: size // 10**6 for name, size in PASSES.items()} == {
        f"passes_{size}mb_days": size for size in (5, 7, 10, 25, 50)
    }
    first, *others = (field_of(lattice, name)[place] for name in PASSES)
    assert first == 3.5
    assert {*others} == {inf}


def test_what_a_horizon_is_too_short_for_has_no_figure(lattice: Lattice):
    cost = field_of(lattice, "monthly_cost")
    assert np.isnan(cost[2, ..., 0]).all()  # commits every other day
    assert not np.isnan(cost[:2]).any()
    assert not np.isnan(cost[..., 1:]).any()
    as_long = build_lattice(
        replace(AXES, horizons_s=(2 * DAY_S,)), ByLaw(request=a_request(), law=law)
    )  # one commit at its end
    assert not np.isnan(field_of(as_long, "monthly_cost")).any()
    few = lattice_of(is_shown=lambda setting, horizon_s: horizon_s < 8 * DAY_S and not setting.gzips_json)
    shown = ~np.isnan(field_of(few, "monthly_cost"))
    assert not shown[..., 1, :].any()
    assert not shown[..., 2].any()
    assert shown[:2, :, :, :, :, 0, :2].all()


@pytest.mark.parametrize(
    ("intervals_s", "places"),
    [
        ((10.0, 60.0, 300.0), (0, 1)),  # six times shorter, and five times longer
        ((10.0, 60.0, 400.0), (1, 2)),
        ((60.0, 300.0), (0, 1)),
        ((10.0, 60.0), (0, 1)),
        ((60.0,), (0,)),
    ],
)
def test_scales_are_simulated_at_the_base_and_far_away(intervals_s: tuple[float, ...], places: tuple[int, ...]):
    axes = replace(AXES, intervals_s=intervals_s)
    assert build_lattice(axes, ByLaw(request=a_request(), law=law)).sparse.intervals == places


def test_scales_are_simulated_without_and_with_expiry(lattice: Lattice):
    assert lattice.sparse.expiries == (0, 1)
    assert lattice.sparse.horizons == (0, 1, 2)
    kept = Maintenance(expire_every_s=HOUR_S, older_than_s=30 * DAY_S, rewrite_every_s=None)
    expiring = replace(AXES, base=replace(AXES.base, maintenance=kept), horizons_s=(DAY_S, 2 * DAY_S))
    sparse = build_lattice(expiring, ByLaw(request=a_request(), law=law)).sparse
    assert expiring.expiries[sparse.expiries[1]] == (HOUR_S, 30 * DAY_S)
    assert sparse.horizons == (0, 1)


def test_ratios_are_logarithms_over_the_table_s_own_figures():
    def of_rate(times: float) -> ByLaw:
        return ByLaw(request=a_request(), law=lambda setting, rate: law(setting, rate, times), over=by_days)

    scale = Scale(key="rate", label="Rate", values=(1.0, 2.0, 4.0), at=1, simulated={2: of_rate(8.0), 0: of_rate(0.5)})
    found = lattice_of(scales=(scale,))
    (ratios,) = found.ratios
    # by simulated place, interval, rewriting, expiry, horizon and field
    assert ratios.shape == (2, 2, 2, 2, 3, len(found.fields))
    cost = ratios[..., found.fields.index("monthly_cost")]
    known = cost[cost != 0]
    assert {*np.round(cost[0].ravel(), 9)} == {round(log(0.5), 9), 0.0}
    assert {*np.round(cost[1].ravel(), 9)} == {round(log(8.0), 9), 0.0}
    assert len(known) == cost.size - 2 * 2 * 2  # but for the horizon of a day of the longest interval
    assert not ratios[..., found.fields.index("manifests")].any()  # which the rate does not change
    assert not ratios[..., found.fields.index("written_lists")].any()  # nothing over nothing
    assert not ratios[..., found.fields.index(STOPS)].any()


def test_statements_and_several_writers_have_one_horizon():
    case = synthetic_case(writer="batch")
    assert has_horizons(case)
    several = replace(case, writer=case.writer.model_copy(update={"writers": 2}))
    deletes = Changes.model_validate({"delete": {"every": 60.0, "rows": 5, "mode": "copy-on-write"}})
    upsert = Upsert.model_validate({"share": 0.1, "mode": "merge-on-read"})
    upserts = replace(case, writer=case.writer.model_copy(update={"upsert": upsert}))
    assert not any(has_horizons(one) for one in (several, replace(case, changes=deletes), upserts))


def test_merges_beside_jobs_are_shown_up_to_so_many_commits():
    merging = synthetic_case(writer="batch")
    streaming = synthetic_case(writer="streaming")
    assert (merging.merges, streaming.merges) == (True, False)
    for job in ("compact_every_s", "rewrite_every_s"):
        setting = replace(plain(2.0), maintenance=replace(plain().maintenance, **{job: DAY_S}))
        most_s = 2.0 * MOST_MERGING_COMMITS
        assert is_affordable(merging, setting, most_s)
        assert not is_affordable(merging, setting, most_s + 2)
        assert is_affordable(streaming, setting, most_s + 2)
    assert is_affordable(merging, plain(2.0), most_s + 2)


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
    start = {one.key: one.at for one in _axes(axes, 10 * DAY_S)}
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
