"""Which settings are tried, and which of them is preferred."""

from dataclasses import replace
from typing import Any

import pytest
from support.by_hand import FREE, ByLaw, Law, at_most, plain, some_figures
from support.plans import a_plan, a_request

from wasim.capacity import (
    NO_MAINTENANCE,
    Figures,
    PlanRequest,
    Requirements,
    Setting,
    SettingSimulator,
    make_plan,
    request_from_flags,
)
from wasim.capacity.plan import search_for
from wasim.capacity.search import (
    COMPACTIONS_S,
    LARGE_MANIFEST_BYTES,
    Search,
    excess_of,
    preferred,
    simplest_of_cheapest,
)
from wasim.capacity.settings import Maintenance, case_of
from wasim.ledger import Kind
from wasim.scenario.metrics import Limit
from wasim.units import DAY_S, HOUR_S

PLAIN = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
DAILY = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None)


def test_an_unsustained_setting_is_taken_only_where_none_is_sustained():
    flags = {"rows_per_second": "500", "horizon": "5d", "writers": "8"}
    asked = request_from_flags(flags, Requirements(freshness="3s", time_travel="1h", provider="s3"))
    simulator = SettingSimulator(request=asked)
    rarely = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None)
    often = replace(rarely, expire_every_s=3600.0, older_than_s=3600.0)
    settings = (Setting(interval_s=3.0, maintenance=kept, gzips_json=kept is often) for kept in (rarely, often))
    slow, fast = map(simulator.figures, settings)
    assert not slow.sustained
    assert fast.sustained
    costlier = replace(fast, values={**fast.values, "monthly_cost": slow.monthly_cost * 2})
    assert preferred((slow, costlier), ()) is costlier
    assert preferred((slow,), ()) is slow
    assert search_for(case_of(asked, slow.setting), simulator, ()).best_at(3.0).sustained


def test_an_unsustained_interval_is_shown_with_the_smallest_metadata_json():
    lost, *others = a_plan(freshness="5s", wa_metadata="1e6").best
    assert not lost.keeps_up
    assert lost.setting.upkeep_words == "expire hourly, gzip"
    assert all(one.keeps_up for one in others)


def test_manifests_are_rewritten_or_merged_by_appends_but_not_both():
    asked = request_from_flags({"rows_per_second": "500"}, Requirements(freshness="30s"))
    kept = replace(NO_MAINTENANCE, compact_every_s=DAY_S, rewrite_every_s=DAY_S)
    both = Setting(interval_s=10.0, maintenance=kept, appends="merge")
    search = search_for(case_of(asked, both), SettingSimulator(request=asked), ())
    assert replace(search, merges=False).allowed(both) == replace(both, appends=None)
    merging = replace(both, maintenance=replace(kept, rewrite_every_s=None))
    assert replace(search, merges=True, may_append_otherwise=False).allowed(both) == merging
    assert search.allowed(merging) == merging


def test_a_batch_writer_of_many_commits_is_told_to_compact():
    asked = request_from_flags(
        {"rows_per_second": "5000", "writer": "batch", "partitions": "8"}, Requirements(freshness="30s")
    )
    best = search_for(case_of(asked, PLAIN), SettingSimulator(request=asked), ()).best_at(30.0)
    assert best.setting.maintenance.compact_every_s is not None


def test_few_manifests_are_not_sought_where_planning_is_free():
    asked = replace(a_request(), queries_per_hour=0.01)
    search = search_for(case_of(asked, PLAIN), SettingSimulator(request=asked), ())
    found = search.best_at(PLAIN.interval_s)
    assert found.cost.planning < 0.5
    assert found.setting.maintenance.rewrite_every_s is None
    assert search.simulator.evaluated <= 7  # gzip, three expiries, compaction
    busy = replace(asked, queries_per_hour=1000.0)
    searched = search_for(case_of(busy, PLAIN), SettingSimulator(request=busy), ())
    assert searched.best_at(PLAIN.interval_s).values["manifests"] < found.values["manifests"]
    assert searched.simulator.evaluated > search.simulator.evaluated


def test_a_tenth_of_the_data_is_aimed_at_where_free():
    asked = request_from_flags({"rows_per_second": "10"}, Requirements(freshness="30s"))
    plan = make_plan(asked, explains=False)
    (least,) = asked.aims
    simulator = SettingSimulator(request=asked)
    plain = simulator.figures(replace(plan.chosen.setting, gzips_json=False))
    assert plan.chosen.values[least.metric] < plain.values[least.metric] / 5
    assert plan.chosen.monthly_cost < plain.monthly_cost + 1.0


def test_an_interval_beyond_limits_shows_its_unlimited_cost():
    requirements = Requirements(freshness="1m", limits={"wa_metadata": "1"})
    asked = request_from_flags({"rows_per_second": "19", "writer": "batch"}, requirements)
    simulator, case = SettingSimulator(request=asked), case_of(asked, PLAIN)
    within, free = (search_for(case, simulator, limits) for limits in (asked.limits, ()))
    for interval_s in (30.0, 60.0):
        found = within.best_at(interval_s)
        assert found.broken(asked.limits)
        assert found.monthly_cost <= 1.15 * free.best_at(interval_s).monthly_cost + 0.5


def test_the_smallest_metadata_json_decides_what_is_out_of_reach():
    asked = request_from_flags({"rows_per_second": "10"}, Requirements(freshness="30s", provider="s3"))
    found = make_plan(asked, explains=False).best[1]
    assert found.keeps_up
    plain = replace(found.setting, gzips_json=False, maintenance=NO_MAINTENANCE)
    simulator = SettingSimulator(request=asked)
    assert not simulator.with_commits(simulator.figures(plain)).keeps_up


def test_metadata_json_is_compressed_at_every_interval_or_at_none():
    asked = a_request()
    own = {**asked.document["table"], "properties": {"write.metadata.compression-codec": "none"}}
    uncompressed = make_plan(replace(asked, document={**asked.document, "table": own}), explains=False)
    for plan, gzips in ((a_plan(), True), (uncompressed, False)):
        assert {one.setting.gzips_json for one in plan.best} == {gzips}


def test_the_compaction_of_a_scenario_is_kept_at_its_period():
    asked = a_request()
    jobs = {"rewrite_data_files": {"every": "2h"}}
    plan = make_plan(replace(asked, document={**asked.document, "maintenance": jobs}), explains=False)
    assert {one.setting.maintenance.compact_every_s for one in plan.best} == {7200}


@pytest.mark.parametrize("writer", ["batch", "flink"])
def test_nothing_costs_less_than_its_least_or_keeps_up_unreachably(writer: str):
    flags = {"rows_per_second": "900", "files_per_commit": "3", "partitions": "2", "writer": writer, "horizon": "9d"}
    simulator = SettingSimulator(request=request_from_flags(flags, Requirements(freshness="10m")))
    for compact_every_s in (None, DAY_S, HOUR_S):
        kept = replace(DAILY, compact_every_s=compact_every_s)
        found = simulator.figures(Setting(interval_s=600.0, maintenance=kept))
        least = simulator.least_cost(found.setting)
        assert found.cost.opening / (1 if compact_every_s is None else 4) < least * 1.001 <= found.cost.opening * 1.002
    reached = [(s, simulator.is_out_of_reach(replace(PLAIN, interval_s=s), DAY_S)) for s in (0.05, 0.1, 0.5, 600.0)]
    kept = replace(DAILY, expire_every_s=HOUR_S)
    for interval_s, is_out in reached:
        assert not is_out or not simulator.figures(Setting(interval_s=interval_s, maintenance=kept)).keeps_up
    assert {is_out for _, is_out in reached} == {True, False}


def test_what_cannot_be_preferred_is_not_simulated():
    asked = a_request(freshness="5m")
    search = search_for(case_of(asked, PLAIN), simulator := SettingSimulator(request=asked), ())
    search.best_at(300.0)
    found = search.best_at(60.0)
    kept = found.setting.maintenance
    assert (kept.compact_every_s, found.keeps_up) == (HOUR_S, True)
    known = simulator.evaluated
    simulator.figures(replace(found.setting, maintenance=replace(kept, compact_every_s=None)))
    assert simulator.evaluated == known + 1  # only the longest interval began with that


def test_what_the_shortest_metadata_json_cannot_reach_is_not_simulated():
    asked = a_request()
    search = search_for(case_of(asked, PLAIN), simulator := SettingSimulator(request=asked), ())
    tried = [replace(PLAIN, interval_s=round(0.05 * 1.7**step, 3)) for step in range(9)]
    by_day, by_horizon = (
        [simulator.is_out_of_reach(one, kept_s) for one in tried] for kept_s in (DAY_S, asked.horizon_s)
    )
    assert [search._is_out_of_reach(one.interval_s) for one in tried] == by_day
    assert by_day == sorted(by_day, reverse=True)
    assert sum(by_horizon) > sum(by_day) > 0
    several = SettingSimulator(request=replace(asked, writers=4))  # of whom a race decides
    assert not any(several.is_out_of_reach(one, asked.horizon_s) for one in tried[:2])
    changes = {"delete": {"every": "1h", "rows": 10, "mode": "copy-on-write"}}
    changing = SettingSimulator(request=replace(asked, document={**asked.document, "changes": changes}))
    assert not changing.is_out_of_reach(tried[0], asked.horizon_s)
    assert changing.least_cost(PLAIN) == several.least_cost(PLAIN) == 0 < simulator.least_cost(PLAIN)


def searching(law: Law, *limits: Limit, request: PlanRequest | None = None, **given: Any) -> Search:
    """A search whose settings' figures a law gives, of ten days and a day of time travel; and its simulator."""
    request = request or a_request()
    of = {name: given.pop(name) for name in ("least", "reachable_s", "full") if name in given}
    simulator = ByLaw(request=request, law=law, **of)
    return replace(search_for(case_of(request, PLAIN), simulator, limits), **given)


def asked(search: Search) -> list[Setting]:
    return [setting for setting, _ in search.simulator.asked]


def compacts(setting: Setting, rate: float) -> Figures:
    """40 a month without compaction, 35 of which queries pay for opening files; 8 of hourly, 31 of daily compaction."""
    hours = (setting.maintenance.compact_every_s or 33 * HOUR_S) / HOUR_S
    return paying(setting, 7 + hours, hours + 2)


def paying(setting: Setting, cost: float, opening: float, **given: Any) -> Figures:
    return some_figures(setting, cost, **{"cost": replace(FREE, opening=opening, storage=cost - opening)} | given)


@pytest.mark.parametrize("best_s", COMPACTIONS_S)
def test_the_cheapest_period_of_compaction_is_found(best_s: float):
    def law(setting: Setting, rate: float) -> Figures:
        every_s = setting.maintenance.compact_every_s
        return paying(setting, 90.0 if every_s is None else 10 * (every_s / best_s + best_s / every_s), 15.0)

    search = searching(law)
    assert search.best_at(60.0).setting.maintenance.compact_every_s == best_s
    assert search.best_at(30.0).setting.maintenance.compact_every_s == best_s
    assert search.best_at(120.0).setting.maintenance.compact_every_s == best_s


@pytest.mark.parametrize(("opening", "tried"), [(0.49, False), (0.51, False), (1.01, True)])
def test_hourly_compaction_is_tried_where_opening_files_costs_something(opening: float, tried: bool):
    search = searching(lambda setting, rate: paying(setting, 20.0, opening))  # a twentieth is within the band
    search.best_at(30.0)
    assert any(one.maintenance.compact_every_s == HOUR_S for one in asked(search)) == tried
    assert any(one.maintenance.compact_every_s == DAY_S for one in asked(search))


def by_rewriting(none: float, daily: float, hourly: float) -> Law:
    """Manifests without rewriting, and with; each job costs three units a month, and planning matters."""

    def law(setting: Setting, rate: float) -> Figures:
        every_s = setting.maintenance.rewrite_every_s
        count = 9e3 if setting.appends else {None: none, DAY_S: daily, HOUR_S: hourly}[every_s]
        cost = 10.0 + 3 * len(setting.maintenance.periods_s)
        parts = replace(FREE, planning=2.0, storage=cost - 2)
        return some_figures(setting, cost, manifests=count, cost=parts)

    return law


@pytest.mark.parametrize(("bound", "every_s"), [(100, None), (99, DAY_S), (40, DAY_S), (39, HOUR_S), (10, HOUR_S)])
def test_manifests_are_rewritten_as_often_as_their_limit_asks(bound: float, every_s: float | None):
    found = searching(by_rewriting(100, 40, 10), at_most("manifests", bound)).best_at(30.0)
    assert found.setting.maintenance.rewrite_every_s == every_s
    assert not found.broken([at_most("manifests", bound)])


def test_beyond_all_reach_what_an_interval_costs_is_shown():
    limit = at_most("manifests", 9)
    search = searching(by_rewriting(100, 40, 10), limit)
    nearest, best = search.nearest_at(30.0), search.best_at(30.0)
    assert nearest.setting.maintenance.rewrite_every_s == HOUR_S
    assert (best.setting.maintenance.rewrite_every_s, best.monthly_cost) == (None, 13)

    # where the nearest costs about as much, it is taken
    def free(setting: Setting, rate: float) -> Figures:
        found = by_rewriting(100, 40, 10)(setting, rate)
        return replace(found, values={**found.values, "monthly_cost": 11.0})

    close = searching(free, limit)
    assert close.best_at(30.0) == close.nearest_at(30.0)


def test_preferred_is_first_kept_up_with_then_near_then_cheap():
    limits = [at_most("manifests", 100), at_most("snapshots", 4)]
    late = some_figures(10.0, 1.0, keeps_up_s=5.0)
    far, near, cheap, kept = (
        some_figures(float(place), cost, manifests=manifests, snapshots=snapshots)
        for place, (cost, manifests, snapshots) in enumerate(
            [(1, 150, 9), (9, 200, 4), (2, 200.05, 4), (50, 100, 4)], 11
        )
    )
    assert excess_of(far, limits) == pytest.approx(0.5 + 1.25)
    assert excess_of(kept, limits) == 0
    assert preferred([late, far, near, kept], limits) is kept
    assert preferred([late, far, near], limits) is near
    assert preferred([late, far, near, cheap], limits) is cheap  # half a thousandth further is as near
    assert preferred([late], limits) is late
    assert preferred([near, far, late], ()) is far  # without limits the cheapest that is kept up with


def test_of_about_equal_costs_the_simplest_setting_is_taken():
    expiring = replace(PLAIN, maintenance=DAILY)
    kept = some_figures(expiring, 100.0)  # in a band of a twentieth
    plain, costlier = some_figures(PLAIN, 104.9), some_figures(PLAIN, 105.1)
    assert simplest_of_cheapest([kept, plain]) is plain
    assert simplest_of_cheapest([kept, costlier]) is kept
    cheaper = some_figures(PLAIN, 101.0)
    assert simplest_of_cheapest([plain, cheaper]) is cheaper  # alike but for the cost


@pytest.mark.parametrize(
    ("setting", "negligible"),  # half a unit of money for each job and property
    [(PLAIN, 0.5), (replace(PLAIN, maintenance=DAILY), 0.5), (replace(PLAIN, gzips_json=True, appends="merge"), 1.5)],
)
def test_for_little_money_no_job_or_property_is_set(setting: Setting, negligible: float):
    cheapest = some_figures(setting, 2.0, bands={})
    near, costlier = (some_figures(PLAIN, 2.0 + negligible + more, bands={}) for more in (-0.01, 0.01))
    assert simplest_of_cheapest([cheapest, costlier]) is cheapest
    assert simplest_of_cheapest([cheapest, near]) is (cheapest if setting == PLAIN else near)


def test_an_aim_is_come_near_to_where_that_costs_nothing():
    aim = at_most("wa_metadata", 0.1)
    expiring = replace(PLAIN, maintenance=DAILY)
    plain, near = some_figures(PLAIN, 10.0, wa_metadata=0.5), some_figures(expiring, 10.2, wa_metadata=0.2)
    assert simplest_of_cheapest([plain, near], [aim]) is near
    assert simplest_of_cheapest([plain, some_figures(expiring, 10.2, wa_metadata=0.47)], [aim]) is plain  # a tenth
    dear = some_figures(expiring, 12.0, wa_metadata=0.05)
    assert simplest_of_cheapest([plain, dear], [aim]) is plain
    assert preferred([plain, near], (), [aim]) is near


@pytest.mark.parametrize(
    ("travel_s", "horizon_s", "found"),
    [
        (DAY_S, 10 * DAY_S, [(DAY_S, DAY_S), (6 * HOUR_S, DAY_S), (HOUR_S, DAY_S)]),
        (HOUR_S, 10 * DAY_S, [(DAY_S, HOUR_S), (6 * HOUR_S, HOUR_S), (HOUR_S, HOUR_S)]),
        (HOUR_S, DAY_S, [(6 * HOUR_S, HOUR_S), (HOUR_S, HOUR_S)]),  # a day is no period of a day
        (DAY_S, DAY_S, [(None, None)]),
    ],
)
def test_snapshots_expire_at_their_age_within_the_horizon(travel_s: float, horizon_s: float, found: list[object]):
    search = searching(compacts, time_travel_s=travel_s, horizon_s=horizon_s)
    assert [*search._expiries()] == found
    plain, lean = search._plain(30.0), search.lean(PLAIN)
    assert (plain.maintenance.expire_every_s, plain.maintenance.older_than_s) == found[0]
    assert (lean.maintenance.expire_every_s, lean.maintenance.older_than_s) == found[-1]
    assert plain.gzips_json
    assert lean.gzips_json


def test_expiry_is_tried_more_often_only_where_it_could_pay():
    def search_of(cost: float, *limits: Limit, **values: float) -> set[float | None]:
        search = searching(lambda setting, rate: some_figures(setting, cost, **values), *limits, time_travel_s=HOUR_S)
        search.best_at(30.0)
        return {one.maintenance.expire_every_s for one in asked(search)}

    # of a day and a half of snapshots, nine hours less a quarter, or an hour and a half less a twenty-fourth, are left
    assert search_of(10.0) == {DAY_S, 6 * HOUR_S, HOUR_S}
    assert search_of(0.5) == {DAY_S}
    assert search_of(0.6) == {DAY_S, HOUR_S}  # hourly saves 0.575, every six hours 0.45
    assert search_of(0.5, at_most("snapshots", 9)) == {DAY_S, 6 * HOUR_S, HOUR_S}


def test_what_costs_more_at_least_is_not_simulated():
    def law(setting: Setting, rate: float) -> Figures:
        return paying(setting, 10.0 if setting.maintenance.compact_every_s else 40.0, 9.0)

    def tried(least: float) -> set[float | None]:
        search = searching(law, least=lambda one: 0.0 if one.maintenance.compact_every_s != DAY_S else least)
        search.best_at(30.0)
        return {one.maintenance.compact_every_s for one in asked(search)}

    # hourly compaction's 10 and a quarter of that, against three quarters of what it costs at least
    assert tried(16.0) - tried(17.0) == {DAY_S}


@pytest.mark.parametrize(("changes_rows", "tried"), [(False, {HOUR_S, 3 * HOUR_S}), (True, {HOUR_S})])
def test_beside_statements_shorter_intervals_compact_as_often_at_least(changes_rows: bool, tried: set[float | None]):
    search = searching(compacts, changes_rows=changes_rows)
    search.best_at(60.0)
    search.best_at(30.0)
    assert {one.maintenance.compact_every_s for one in asked(search) if one.interval_s == 30.0} == tried
    search.best_at(120.0)
    assert {one.maintenance.compact_every_s for one in asked(search) if one.interval_s == 120.0} > {HOUR_S}


def test_a_search_goes_on_from_the_nearest_interval_known():
    def law(setting: Setting, rate: float) -> Figures:
        return paying(setting, 10.0 if setting.maintenance.compact_every_s == DAY_S else 20.0, 5.0)

    search = searching(law)
    known = search.best_at(60.0).setting
    before = len(asked(search))
    search.best_at(30.0)
    assert asked(search)[before] == known.at_interval(30.0)
    search._nearest[7.0] = replace(search._nearest[60.0], setting=plain(7.0))
    assert search._start(14.0) == plain(14.0)  # twice as long, where 60 is four times
    assert search._start(22.0) == known.at_interval(22.0)
    beginning = searching(law, begin_with=known)
    assert beginning._start(5.0) == known.at_interval(5.0)


def test_an_unreachable_interval_has_the_smallest_metadata_json():
    late = searching(lambda setting, rate: some_figures(setting, keeps_up_s=5.0))
    found = late.best_at(30.0)
    assert found.setting == late.lean(late._plain(30.0))
    assert len(asked(late)) == 2  # the plain setting, and that
    unreachable = searching(compacts, reachable_s=30.1)
    assert unreachable.best_at(30.0).setting == unreachable.lean(unreachable._plain(30.0))
    assert len(asked(unreachable)) == 1
    assert len(asked(searching(compacts, reachable_s=30.0))) == 0

    def by_age(setting: Setting, rate: float) -> Figures:  # kept up with where snapshots expire hourly
        return some_figures(setting, keeps_up_s=None if setting.maintenance.expire_every_s == HOUR_S else 5.0)

    assert searching(by_age).best_at(30.0).keeps_up


def test_long_simulations_are_made_ahead():
    daily = replace(PLAIN, maintenance=replace(NO_MAINTENANCE, compact_every_s=DAY_S))
    hourly = replace(PLAIN, maintenance=replace(NO_MAINTENANCE, compact_every_s=HOUR_S))
    each = [(one, 1.0) for one in (PLAIN, daily, hourly)]
    for given, ahead in (
        ({"horizon_s": 2000 * HOUR_S}, []),
        ({"horizon_s": 2000 * HOUR_S + 1}, [hourly]),
        ({"changes_rows": True}, [PLAIN, daily, hourly]),
    ):
        search = searching(compacts, **given)
        search.simulate_ahead(each)
        assert [one for one, _ in search.simulator.ahead] == ahead
    search = searching(compacts, changes_rows=True, reachable_s=20.0)
    search.prepare([10.0, 30.0], [(daily, 2.0)])
    assert search.simulator.ahead == [(daily, 2.0), (search._plain(30.0), 1.0)]


def test_larger_manifests_are_tried_where_manifests_fill():
    def targets(law: Law, **given: Any) -> set[int | None]:
        search = searching(law, may_append_otherwise=False, **given)
        search.best_at(30.0)
        return {one.manifest_target_bytes for one in asked(search)}

    law = by_rewriting(100, 40, 10)
    assert targets(law, merges=True, full=True) == {None, LARGE_MANIFEST_BYTES}
    assert targets(law, merges=True, full=False) == {None}
    assert targets(lambda setting, rate: some_figures(setting, 10.0), merges=True, full=True) == {None}  # no planning
    assert targets(law, merges=False, full=True) == {None}  # rewriting is worth nothing here


def test_fewer_manifests_pay_by_planning_or_by_shorter_lists():
    limits = [at_most("metadata_bytes_per_day", 10)]
    search = searching(compacts, *limits)

    def pays(lists: int, planning: float = 0.0, **values: float) -> bool:
        written = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 100 - lists, Kind.MANIFEST_LIST: lists}
        parts = replace(FREE, planning=planning, storage=20 - planning)
        return search._fewer_manifests_pay(some_figures(PLAIN, 20.0, cost=parts, written_bytes=written, **values))

    assert [pays(0, planning) for planning in (0.9, 1.0, 1.1)] == [False, False, True]
    assert [pays(lists, metadata_bytes_per_day=11) for lists in (2, 3)] == [False, True]
    assert not pays(3, metadata_bytes_per_day=10)
    of_manifests = searching(compacts, at_most("manifests", 5))
    assert of_manifests._fewer_manifests_pay(some_figures(PLAIN, 20.0, manifests=6))
    assert not of_manifests._fewer_manifests_pay(some_figures(PLAIN, 20.0, manifests=5))
    assert search._fewer_manifests_pay(some_figures(PLAIN, 20.0, keeps_up_s=5.0))


def test_rewriting_seldom_enough_leaves_no_need_to_do_so_often():
    search = searching(compacts)

    def enough(setting: Setting, *found: Figures) -> bool:
        return search._is_enough_without(setting, found)

    def rewriting(every_s: float | None) -> Setting:
        return replace(PLAIN, maintenance=replace(NO_MAINTENANCE, rewrite_every_s=every_s))

    assert enough(rewriting(HOUR_S), some_figures(PLAIN, 20.0))
    assert enough(rewriting(HOUR_S), some_figures(rewriting(DAY_S), 20.0))
    assert not enough(rewriting(DAY_S), some_figures(rewriting(HOUR_S), 20.0))
    assert not enough(rewriting(DAY_S), some_figures(rewriting(DAY_S), 20.0))
    assert not enough(PLAIN, some_figures(PLAIN, 20.0))
    assert not enough(rewriting(DAY_S), some_figures(replace(PLAIN, gzips_json=True), 20.0))
    assert not enough(rewriting(DAY_S), some_figures(PLAIN, 20.0, keeps_up_s=5.0))
    paid = some_figures(PLAIN, 20.0, cost=replace(FREE, planning=5.0, storage=15.0))
    assert not enough(rewriting(DAY_S), paid)
    limited = searching(compacts, at_most("snapshots", 4))
    assert not limited._is_enough_without(rewriting(DAY_S), [some_figures(PLAIN, 20.0, snapshots=5)])


def test_an_aim_is_rewritten_for_only_where_lists_have_part():
    search = replace(searching(compacts), aims=[at_most("wa_metadata", 0.5)])
    rewriting = replace(PLAIN, maintenance=replace(NO_MAINTENANCE, rewrite_every_s=DAY_S))

    def is_enough(lists: int) -> bool:
        written = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 100 - lists, Kind.MANIFEST_LIST: lists}
        return search._is_enough_without(rewriting, [some_figures(PLAIN, 20.0, written_bytes=written, wa_metadata=1)])

    assert [is_enough(lists) for lists in (2, 3)] == [True, False]
    search.aims = [at_most("manifests", 0.5)]
    assert not is_enough(0)


def test_later_searches_leave_out_ways_to_more_manifests():
    law = by_rewriting(100, 40, 10)
    rewriting = replace(PLAIN, maintenance=replace(NO_MAINTENANCE, rewrite_every_s=DAY_S))
    best = replace(law(rewriting, 1.0), cost=replace(FREE, planning=5.0))
    each, later = (searching(law, tries_each=one, merges=False, may_append_otherwise=True) for one in (True, False))
    ways = [(one.maintenance.rewrite_every_s, one.appends) for one in each._manifests(best)]
    assert ways == [(None, None), (DAY_S, None), (None, "merge"), (DAY_S, "merge")]
    fewer = [(one.maintenance.rewrite_every_s, one.appends) for one in later._manifests(best)]
    assert fewer == [(DAY_S, None), (None, "merge"), (DAY_S, "merge")]
    compacted = replace(
        best, setting=replace(rewriting, maintenance=replace(rewriting.maintenance, compact_every_s=1.0))
    )
    long = replace(each, horizon_s=30.0 * 1_000_000 + 1)
    assert {one.appends for one in long._manifests(compacted)} == {None}
    assert {one.appends for one in replace(each, horizon_s=3e7)._manifests(compacted)} == {None, "merge"}


def test_a_scenario_s_own_jobs_are_in_every_setting():
    jobs = {"rewrite_data_files": {"every": "2h"}, "remove_orphan_files": {"every": "3d", "older_than": "3d"}}
    request = replace(a_request(), document={**a_request().document, "maintenance": jobs})
    search = searching(lambda setting, rate: paying(setting, 20.0, 15.0), request=request)
    search.best_at(30.0)
    assert {one.maintenance.compact_every_s for one in asked(search)} == {2 * HOUR_S}
    assert {one.maintenance.own for one in asked(search)} == {("remove orphan files every 3d",)}


@pytest.mark.parametrize(
    ("band", "tried"), [(0.14, {DAY_S, 6 * HOUR_S, HOUR_S}), (0.15, {DAY_S, HOUR_S}), (0.2, {DAY_S})]
)
def test_expiry_has_to_save_more_than_two_bands(band: float, tried: set[float]):
    # of 100 a month and a day and a half of snapshots every six hours save 25, hourly 32; bands take 24.6, 26.1 and 33
    search = searching(lambda setting, rate: some_figures(setting, 100.0, bands={"monthly_cost": band}))
    search.best_at(30.0)
    assert {one.maintenance.expire_every_s for one in asked(search)} == tried
