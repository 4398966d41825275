"""`wasim plan`: the setting that it recommends, the limits that it judges, and what it prints."""

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.paths import DATA, ROOT, SCENARIOS
from typer.testing import CliRunner

from wasim.capacity import (
    NO_MAINTENANCE,
    Figures,
    Plan,
    PlanRequest,
    Setting,
    SettingSimulator,
    Wishes,
    make_plan,
    request_from_file,
    request_from_run,
)
from wasim.capacity import request_from_flags as from_flags
from wasim.capacity.cost import files_of_a_day
from wasim.capacity.from_table import request_from_table
from wasim.capacity.latency import SHIPPED_MACHINE
from wasim.capacity.plan import search_for
from wasim.capacity.search import preferred
from wasim.capacity.settings import Maintenance, case_of, intervals_of
from wasim.cli import app
from wasim.contention import load_providers
from wasim.errors import WasimError
from wasim.ledger import FULL_SCAN, METADATA_KINDS, Kind
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S, format_duration
from wasim.years import simulate_years

PLAIN = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
WORKLOAD = ("--rows-per-second", "500", "--freshness", "30s", "--horizon", "10d", "--time-travel", "1d")


def run(*arguments):
    return CliRunner().invoke(app, ["plan", *arguments])


def request(freshness: str | None = "30s", **limits: str) -> PlanRequest:
    wishes = Wishes(freshness=freshness, time_travel="1d", limits=limits)
    return from_flags({"rows_per_second": "500", "horizon": "10d"}, wishes)


@cache
def plan(freshness: str | None = "30s", **limits: str) -> Plan:
    return make_plan(request(freshness, **limits))


def test_a_looser_limit_never_gives_a_longer_interval_and_a_stricter_one_is_kept():
    chosen = [plan(metadata_bytes_per_day=bound).chosen for bound in ("3GB", "30GB", "300GB")]
    assert all(one is not None for one in chosen)
    intervals = [one.setting.interval_s for one in chosen]
    assert intervals == sorted(intervals, reverse=True)
    assert intervals[0] > intervals[-1]
    assert [one.per_day_bytes <= bound for one, bound in zip(chosen, (3e9, 30e9, 300e9), strict=True)] == [True] * 3


def test_the_recommended_setting_costs_what_simulating_it_gives_within_its_band():
    asked = request(manifests="1000")
    chosen = plan(manifests="1000").chosen
    case = case_of(asked, chosen.setting)
    summed = simulate_years(case, shipped_profile(case), Site())
    on_disk = sum(summed.totals.on_disk_bytes[kind] for kind in METADATA_KINDS)
    true = {
        "metadata_bytes": summed.totals.metadata_bytes,
        "metadata_json_bytes": summed.live_bytes[Kind.METADATA_JSON],
        "metadata_on_disk_bytes": on_disk,
    }
    for metric, value in true.items():
        assert chosen.values[metric] == pytest.approx(value, rel=0.02), metric
    assert chosen.values["manifests"] <= 1000


def test_within_limits_nothing_shorter_does_and_the_limit_that_binds_is_named():
    found = plan(metadata_json_bytes="2MB", wa_metadata="1000")
    assert found.because == "limits"
    shorter = [one for one in found.best if one.setting.interval_s < found.chosen.setting.interval_s]
    assert all(one.broken(found.limits) for one in shorter)
    assert {limit.metric for limit in found.stopped_by} == {"metadata_json_bytes"}


def test_freshness_alone_gives_the_cheapest_setting_that_fresh():
    found = plan()
    assert found.because == "freshness"
    assert found.chosen.monthly_cost == min(one.monthly_cost for one in found.best if one.keeps_up)
    assert found.shorter.monthly_cost > found.chosen.monthly_cost


def test_nothing_given_gives_a_knee_with_no_more_metadata_than_data():
    found = plan(None)
    assert found.because == "knee"
    assert found.chosen.values["wa_metadata"] <= 1
    assert found.frontier[0].setting.interval_s <= found.chosen.setting.interval_s < found.request.longest_s
    kept, gone = found.keeping_json, found.chosen
    assert kept.values["metadata_bytes"] == gone.values["metadata_bytes"]
    assert kept.values["metadata_on_disk_bytes"] > gone.values["metadata_on_disk_bytes"]


def test_a_default_limit_that_nothing_can_keep_is_dropped():
    few = from_flags({"rows_per_second": "1", "horizon": "10d"}, Wishes(freshness="5s"))
    found = make_plan(few)
    assert found.chosen is not None
    assert found.default_limit_dropped
    assert found.chosen.values["wa_metadata"] > 1


def test_a_setting_that_several_writers_do_not_keep_up_with_is_taken_only_where_none_does():
    flags = {"rows_per_second": "500", "horizon": "5d", "writers": "8"}
    asked = from_flags(flags, Wishes(freshness="2s", time_travel="1h", provider="s3"))
    simulator = SettingSimulator(request=asked)
    rarely = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None)
    often = replace(rarely, expire_every_s=3600.0, older_than_s=3600.0)
    slow, fast = simulator.evaluate(
        [Setting(interval_s=1.0, maintenance=kept, gzips_json=kept is often) for kept in (rarely, often)]
    )
    assert not slow.sustained
    assert fast.sustained
    costlier = replace(fast, values={**fast.values, "monthly_cost": slow.monthly_cost * 2})
    assert preferred((slow, costlier), ()) is costlier
    assert preferred((slow,), ()) is slow
    assert all(one.sustained for one in make_plan(asked).best)


def test_impossible_limits_end_in_1_and_relaxing_as_advised_is_enough():
    result = run(*WORKLOAD, "--manifests", "3", "--metadata-per-day", "1TB", "--json")
    assert result.exit_code == 1
    (relaxed,) = json.loads(result.output)["relax"]
    assert relaxed["metric"] == "manifests"
    assert "Relax manifests from 3 to" in run(*WORKLOAD, "--manifests", "3").output
    assert run(*WORKLOAD, "--manifests", str(int(relaxed["to"])), "--metadata-per-day", "1TB").exit_code == 0


def test_the_terminal_shows_the_figures_of_the_json():
    limits = ("--metadata-json", "30MB", "--planning", "1h", "--monthly-cost", "500")
    document = json.loads(run(*WORKLOAD, *limits, "--json").output)
    lines = run(*WORKLOAD, *limits).output.splitlines()
    assert document["schema_version"] == 1
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"Commit every {format_duration(document['recommended']['commit_interval_s'])},")
    assert [one["metric"] for one in document["limits"]] == [
        "planning_p50_ms",
        "metadata_json_bytes",
        "monthly_cost",
        "wa_metadata",
    ]
    assert sum("%" in line and "  " in line for line in lines) >= len(document["limits"])
    for one in document["intervals"]:
        if one["keeps_up_until_s"] is None:
            every = format_duration(one["commit_interval_s"])
            (row,) = [line for line in lines if line.removeprefix("→ ").split(" ")[0] == every and "▇" in line]
            assert f"{one['figures']['monthly_cost']:,.2f}" in row
    around = [document[one]["figures"] for one in ("shorter", "recommended", "longer")]
    (manifests,) = [line.split() for line in lines if re.match(r"manifests +[\d,]+ ", line)]
    assert manifests[1:4] == [f"{one['manifests']:,.0f}" for one in around]
    assert all(line in lines for statement in document["sql"] for line in statement.splitlines())


def test_a_choice_that_the_band_could_change_is_called_close():
    chosen = plan(metadata_json_bytes="20MB").chosen
    size = chosen.values["metadata_json_bytes"]
    tight = make_plan(request(metadata_json_bytes=f"{size * 1.0001:.0f}B"))
    assert tight.chosen.setting == chosen.setting
    assert tight.or_within_band


def test_a_scenario_gives_its_table_and_limits_and_a_flag_replaces_one():
    overrides = {"limits.manifests": "<= 9", "limits.commit_p95_ms": "< 9", "limits.metadata_bytes": "<= 1GB"}
    read = request_from_file(
        SCENARIOS / "smoke.yaml", overrides | {"writer": "batch"}, Wishes(limits={"manifests": "7"})
    )
    assert [limit.bound for limit in read.limits if limit.metric == "manifests"] == [7]
    assert [text.split(" ")[0] for text in read.not_judged] == ["commit_p95_ms", "metadata_bytes"]
    assert read.document["table"]["columns"]
    assert case_of(read, Setting(interval_s=60.0, maintenance=NO_MAINTENANCE)).horizon_s == 30 * DAY_S


def test_a_table_that_exists_is_planned_for_as_it_is_written():
    read = request_from_table(str(DATA / "tables" / "evolving_v2"), Wishes())
    assert [column["name"] for column in read.document["table"]["columns"]]
    assert float(read.document["workload"]["rows_per_second"]) > 0
    assert make_plan(read).chosen is not None


def test_a_run_gives_its_scenario_and_its_machine():
    (folder,) = (ROOT / "results" / "sample" / "smoke").iterdir()
    read = request_from_run(folder, {"writer": "batch"}, Wishes())
    summary = json.loads((folder / "summary.json").read_text())
    fitted = {one["latency"]: one for one in summary["fit"]["latencies"]}
    (megabyte,) = [one for one in fitted["load"]["coefficients"] if one["name"] == "metadata_megabyte"]
    machine = read.machine
    assert machine.load_ms_per_megabyte == megabyte["estimate"]["best"]
    probes = [probe for case in summary["cases"] for probe in case["planning"] if probe["query"] == FULL_SCAN]
    warm = [probe for probe in probes if probe["temperature"] == "warm"]
    ratios = [probe["planning_ms"]["median"] / machine.scanning(probe["manifests_scanned"], 1, 1) for probe in warm]
    assert np.median(ratios) == pytest.approx(1, rel=0.02)
    assert machine.is_beyond(1e9, 1, 1)
    assert machine.is_beyond(1e3, 1, 1e9)
    assert not machine.is_beyond(1e3, 1, 1)


def test_small_manifests_cost_planning_a_wait_for_each_four_and_large_ones_their_reading():
    machine = SHIPPED_MACHINE
    few, more = (machine.scanning(manifests, manifests, 7000 * manifests) for manifests in (5, 8))
    assert few == more
    assert machine.scanning(9, 9, 9 * 7000) - more == pytest.approx(machine.wait_ms)
    assert machine.scanning(1, 1, 7000) < machine.scanning(2, 2, 2 * 7000)
    large = machine.scanning(8, 800_000, 60e6)
    assert large - machine.planning_ms == pytest.approx(machine.reading(8, 800_000, 60e6) / machine.threads)
    assert replace(machine, threads=8).scanning(400, 400, 400 * 7000) < machine.scanning(400, 400, 400 * 7000) / 3


def test_planning_from_a_store_waits_for_every_object_that_it_reads():
    flags, wishes = {"rows_per_second": "100"}, Wishes(freshness="5m")
    local, remote = (from_flags(flags, replace(wishes, provider=name)).machine for name in ("local", "s3"))
    get_ms = load_providers().store("s3").get.p50_ms
    assert local == SHIPPED_MACHINE
    assert remote.planning(0, 1, 0, 0) - local.planning(0, 1, 0, 0) == pytest.approx(3 * get_ms)  # JSON, list, manifest
    many = remote.planning(0, 200, 0, 0) - local.load_ms - local.planning_ms
    assert many == pytest.approx(2 * get_ms + (200 * get_ms + local.reading(200, 0, 0)) / local.threads)
    assert not remote.waits(200, 0, 0)


def test_small_files_are_compacted_where_queries_would_pay_to_open_them():
    flags = {"rows_per_second": "5000", "columns": "40", "files_per_commit": "8", "partitions": "24"}

    def chosen(queries: str) -> Figures:
        found = make_plan(from_flags(flags, Wishes(freshness="5m", queries_per_hour=queries))).chosen
        assert found is not None
        return found

    asked, unasked = chosen("10"), chosen("0")
    assert asked.setting.maintenance.compact_every_s is not None
    assert asked.values["files"] < 100_000
    assert unasked.setting.maintenance.compact_every_s is None
    assert unasked.cost.opening == 0
    left = SettingSimulator(request=from_flags(flags, Wishes(freshness="5m"))).figures(unasked.setting)
    opened = 24 * 8 * DAY_S / 300  # a day's
    per_file = 0.04194304 * 0.05 / 3600 + 2 * 0.0004 / 1000  # 4 MiB at 100 MB a second of a core, and two GETs
    assert left.cost.opening == pytest.approx(7200 * opened * per_file, rel=1e-3)


def test_a_query_opens_the_small_files_of_half_a_period_of_compaction_and_a_day_s_compacted_ones():
    all_of_them = files_of_a_day(3000.0, 0.0, horizon_s=30 * DAY_S, compact_every_s=None)
    daily, hourly = (
        files_of_a_day(3000.0, 60.0, horizon_s=30 * DAY_S, compact_every_s=every_s) for every_s in (DAY_S, 3600.0)
    )
    assert (all_of_them, daily) == pytest.approx((100, 52))
    assert hourly == pytest.approx(100 / 48 + 2)
    assert files_of_a_day(3000.0, 60.0, horizon_s=30 * DAY_S, compact_every_s=30 * DAY_S) == 100
    assert files_of_a_day(50.0, 0.0, horizon_s=3600.0, compact_every_s=None) == 50


def test_against_other_writers_the_intervals_that_are_not_sustained_are_out():
    asked = {"rows_per_second": "500", "horizon": "10d", "writers": "8"}
    wishes = Wishes(freshness="30s", provider="gcs", limits={"wa_metadata": "10000"})
    request = from_flags(asked, wishes)
    alone, several = make_plan(replace(request, writers=1)), make_plan(request)
    assert several.chosen.commit.outcome.lost_share > alone.chosen.commit.outcome.lost_share
    assert several.chosen.setting.interval_s >= several.sustained.interval_s
    assert several.out_of_reach
    assert several.chosen.setting.interval_s > max(several.out_of_reach)


def test_an_interval_that_no_writer_keeps_up_with_takes_the_setting_of_a_longer_one():
    lost, *others, longest = plan(freshness="5s", wa_metadata="1e6").best
    assert not lost.keeps_up
    assert lost.setting == longest.setting.at_interval(lost.setting.interval_s)
    assert all(one.keeps_up for one in (*others, longest))


def test_what_lost_attempts_write_is_in_what_a_plan_says():
    asked = from_flags({"rows_per_second": "50", "horizon": "2h", "writers": "8"}, Wishes())
    setting = Setting(interval_s=2.0, maintenance=NO_MAINTENANCE)
    alone, several = (
        SettingSimulator(request=request).figures(setting) for request in (replace(asked, writers=1), asked)
    )
    more = {kind: several.written_bytes[kind] / alone.written_bytes[kind] for kind in (Kind.MANIFEST_LIST, Kind.DATA)}
    assert 1.02 < more[Kind.MANIFEST_LIST] < 2  # one list for each attempt
    assert more[Kind.DATA] == 1
    assert several.monthly_cost > alone.monthly_cost
    lists = more[Kind.MANIFEST_LIST]
    jsons = several.written_bytes[Kind.METADATA_JSON] / alone.written_bytes[Kind.METADATA_JSON]
    assert jsons == pytest.approx(lists, rel=1e-3)


def test_rows_that_are_deleted_on_read_are_planned_for_with_their_delete_files():
    wishes = Wishes(freshness="1m")
    overrides = {
        "table.format_version": "2",
        "changes.update.mode": "merge-on-read",
        "changes.update.locality": "newest",
    }
    asked = request_from_file(SCENARIOS / "cow_vs_mor.yaml", overrides, wishes, "10m")
    setting = Setting(interval_s=20.0, maintenance=NO_MAINTENANCE)
    case = case_of(asked, setting)
    exact = simulate_years(case, shipped_profile(case), Site()).totals.written_bytes
    planned = SettingSimulator(request=asked).figures(setting).written_bytes
    for kind in (Kind.DELETE_FILE, Kind.DELETE_MANIFEST):
        assert planned[kind] > 0
        assert planned[kind] == pytest.approx(exact[kind], rel=0.03)


def test_a_scenario_that_sweeps_more_than_intervals_is_refused():
    with pytest.raises(WasimError, match=r"sweep\..* makes several cases"):
        request_from_file(SCENARIOS / "expire_and_rewrite.yaml", {}, Wishes(limits={}))


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        ((), "--rows-per-second"),
        (("--rows-per-second", "-5"), "--rows-per-second"),
        (("--rows-per-second", "5", "--columns", "3"), "--columns"),
        (("--rows-per-second", "5", "--freshness", "60d"), "--freshness"),
        (("--rows-per-second", "5", "--freshness", "20s", "--horizon", "40s"), "--horizon 40s has no room"),
        (("--rows-per-second", "5", "--metadata-per-day", "0"), "--metadata-per-day"),
        (("--rows-per-second", "5", "--wa-metadata", "nan"), "--wa-metadata"),
        (("--rows-per-second", "5", "--planning", "5"), "--planning"),
        (("--rows-per-second", "5", "--monthly-cost", "-1"), "--monthly-cost"),
        (("--rows-per-second", "5", "--queries-per-hour", "many"), "--queries-per-hour"),
        (("--rows-per-second", "5", "--provider", "floppy"), "--provider"),
        (("--rows-per-second", "5", "--prices", "none.yaml"), "none.yaml"),
        (("--rows-per-second", "5", "--prices", str(SCENARIOS / "smoke.yaml")), "is not a file of prices"),
        (("--rows-per-second", "5", "--writer", "fax"), "--writer"),
        (("--rows-per-second", "5", "--set", "horizon=1d"), "--set"),
        (("--rows-per-second", "5", "--html", "no/such/folder/page.html"), "--html"),
        (("--from-run", "no/such/run"), "no/such/run: no run is there"),
        ((str(SCENARIOS / "smoke.yaml"), "--columns", "9"), "--columns"),
        ((str(SCENARIOS / "smoke.yaml"), "--from-run", "latest"), "--from-run"),
    ],
)
def test_nonsense_is_one_line_that_names_the_flag(arguments, flag):
    result = run(*arguments)
    assert isinstance(result.exception, WasimError)
    assert int(result.exception.exit_code) == 2
    assert flag in str(result.exception)
    assert "\n" not in str(result.exception)


def test_intervals_end_at_the_longest():
    assert intervals_of(30.0) == (1.0, 5.0, 10.0, 30.0)
    assert intervals_of(90.0)[-2:] == (60.0, 90.0)
    assert intervals_of(0.3) == (0.1, 0.3)
    assert len(intervals_of(86400.0)) == 8


def test_where_appends_that_merge_go_with_no_compaction_manifests_are_rewritten_instead():
    asked = from_flags({"rows_per_second": "500"}, Wishes(freshness="30s"))
    kept = replace(NO_MAINTENANCE, compact_every_s=DAY_S)
    merging = Setting(interval_s=10.0, maintenance=kept, appends="merge")
    search = search_for(case_of(asked, merging), SettingSimulator(request=asked), ())
    search = replace(search, merges=False)
    assert search.allowed(merging) == replace(merging, maintenance=replace(kept, rewrite_every_s=DAY_S), appends=None)
    rarely = merging.at_interval(600.0)
    assert search.allowed(rarely) == rarely


def test_a_larger_manifest_target_is_tried_only_where_manifests_come_near_the_table_s_own():
    rarely = replace(PLAIN, interval_s=600.0, appends="merge")
    larger = replace(rarely, manifest_target_bytes=32 << 20)
    simulator = SettingSimulator(request=request())
    small, other = simulator.evaluate([rarely, larger])
    assert not simulator.fills_manifests(rarely)
    assert replace(other, setting=rarely) == small
    often = replace(rarely, interval_s=1.0)
    assert simulator.fills_manifests(often)
    assert simulator.figures(often).values != simulator.figures(replace(larger, interval_s=1.0)).values


def test_ways_to_keep_manifests_few_are_not_tried_where_planning_costs_next_to_nothing():
    asked = replace(request(), queries_per_hour=0.01)
    search = search_for(case_of(asked, PLAIN), SettingSimulator(request=asked), ())
    found = search.best_at(PLAIN.interval_s)
    assert found.cost.planning < 0.5
    assert found.setting.maintenance.rewrite_every_s is None
    assert search.simulator.evaluated <= 7  # gzip, three expiries, compaction
    busy = replace(asked, queries_per_hour=1000.0)
    searched = search_for(case_of(busy, PLAIN), SettingSimulator(request=busy), ())
    assert searched.best_at(PLAIN.interval_s).values["manifests"] < found.values["manifests"]
    assert searched.simulator.evaluated > search.simulator.evaluated
