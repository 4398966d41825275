"""Which settings are tried, and which of them is preferred."""

from dataclasses import replace

import pytest
from support.plans import a_plan, a_request

from wasim.capacity import NO_MAINTENANCE, Requirements, Setting, SettingSimulator, make_plan, request_from_flags
from wasim.capacity.commits import with_commits
from wasim.capacity.plan import search_for
from wasim.capacity.search import preferred
from wasim.capacity.settings import Maintenance, case_of
from wasim.units import DAY_S, HOUR_S

PLAIN = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
DAILY = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None)


def test_an_unsustained_setting_is_taken_only_where_none_is_sustained():
    flags = {"rows_per_second": "500", "horizon": "5d", "writers": "8"}
    asked = request_from_flags(flags, Requirements(freshness="3s", time_travel="1h", provider="s3"))
    simulator = SettingSimulator(request=asked)
    rarely = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None)
    often = replace(rarely, expire_every_s=3600.0, older_than_s=3600.0)
    slow, fast = simulator.evaluate(
        [Setting(interval_s=3.0, maintenance=kept, gzips_json=kept is often) for kept in (rarely, often)]
    )
    assert not slow.sustained
    assert fast.sustained
    costlier = replace(fast, values={**fast.values, "monthly_cost": slow.monthly_cost * 2})
    assert preferred((slow, costlier), ()) is costlier
    assert preferred((slow,), ()) is slow
    assert make_plan(asked, explains=False).best[-1].sustained


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
    requirements = Requirements(freshness="5m", limits={"wa_metadata": "1"})
    asked = request_from_flags({"rows_per_second": "19", "writer": "batch"}, requirements)
    plan = make_plan(asked, explains=False)
    search = search_for(plan.case, SettingSimulator(request=asked), ())
    for one in plan.best:
        if one.broken(plan.limits):
            assert one.monthly_cost <= 1.15 * search.best_at(one.setting.interval_s).monthly_cost + 0.5
    assert sum(bool(one.broken(plan.limits)) for one in plan.best) >= 3


def test_the_smallest_metadata_json_decides_what_is_out_of_reach():
    asked = request_from_flags({"rows_per_second": "10"}, Requirements(freshness="30s", provider="s3"))
    found = make_plan(asked, explains=False).best[1]
    assert found.keeps_up
    plain = replace(found.setting, gzips_json=False, maintenance=NO_MAINTENANCE)
    case = case_of(asked, plain)
    assert not with_commits(SettingSimulator(request=asked).figures(plain), case, asked).keeps_up


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
    plan = make_plan(asked, simulator := SettingSimulator(request=asked), explains=False)
    hourly = [one.setting for one in plan.best if one.keeps_up and one.setting.maintenance.compact_every_s == HOUR_S]
    known = simulator.evaluated
    seldom = [replace(one, maintenance=replace(one.maintenance, compact_every_s=None)) for one in hourly[:-1]]
    simulator.evaluate(seldom)  # the longest interval began with that
    assert simulator.evaluated == known + len(seldom) > known


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
