"""Figures of a setting: what simulating it gives, with what lost attempts write."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.by_hand import at_most, some_figures
from support.paths import SCENARIOS
from support.plans import a_plan, a_request, a_simulator

from wasim.capacity import (
    NO_MAINTENANCE,
    Figures,
    Requirements,
    Setting,
    SettingSimulator,
    request_from_file,
    request_from_flags,
)
from wasim.capacity.cost import opening_cost
from wasim.capacity.figures import _bands, _is_late
from wasim.capacity.request import request_from_scenario
from wasim.capacity.settings import case_of
from wasim.contention import LatencyRequest, commit_latency, commit_slowing, footprint_at
from wasim.ledger import METADATA_KINDS, Kind, view_by_commit
from wasim.scenario.load import scenario_of
from wasim.scenario.metrics import METRICS
from wasim.twin import Site, shipped_profile, simulate_case
from wasim.units import DAY_S, HOUR_S
from wasim.years import simulate_years
from wasim.years.laws import shortest_snapshot_bytes

PLAIN = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)


def test_the_recommended_setting_costs_what_simulating_gives_within_its_band():
    limited = {"prefer": "freshest", "metadata_json_bytes": "500KB"}
    asked, chosen = a_request(**limited), a_plan(**limited).chosen
    case = case_of(asked, chosen.setting)
    summed = simulate_years(case, shipped_profile(case), Site(location=asked.location))
    on_disk = sum(summed.totals.on_disk_bytes[kind] for kind in METADATA_KINDS)
    manifests = summed.live_bytes[Kind.DATA_MANIFEST]
    true = {"metadata_json_bytes": summed.live_bytes[Kind.METADATA_JSON], "manifest_bytes": manifests}
    true |= {"metadata_on_disk_bytes": on_disk}
    for metric, value in true.items():
        assert chosen.spreads[metric].final == pytest.approx(value, rel=0.02), metric
    assert chosen.values["metadata_bytes"] == pytest.approx(summed.totals.metadata_bytes, rel=0.02)
    assert chosen.values["metadata_json_bytes"] <= 500_000


def test_every_limit_of_a_scenario_is_judged_or_named():
    lines = "\n".join(f'  {metric}: "< 2000000"' for metric in METRICS)
    text = (SCENARIOS / "wide_table.yaml").read_text().partition("\nsweep:")[
        0
    ] + f"\nwriter: batch\ncommit_interval: 18s\nlimits:\n{lines}\n"
    asked = request_from_scenario(scenario_of(text.encode(), {}), "s.yaml", Requirements())
    figures = SettingSimulator(request=asked).figures(Setting(interval_s=HOUR_S))
    named = [line.partition(" ")[0] for line in asked.not_judged]
    assert sorted([*named, *(limit.metric for limit in asked.limits)]) == sorted(METRICS)
    assert all(figures.judged(limit.metric) >= 0 for limit in asked.limits)


def test_what_lost_attempts_write_is_in_what_a_plan_says():
    asked = request_from_flags({"rows_per_second": "50", "horizon": "2h", "writers": "8"}, Requirements())
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


def test_rows_deleted_on_read_are_planned_with_delete_files():
    requirements = Requirements(freshness="1m")
    overrides = {
        "table.format_version": "2",
        "changes.update.mode": "merge-on-read",
        "changes.update.locality": "newest",
    }
    asked = request_from_file(SCENARIOS / "cow_vs_mor.yaml", overrides, requirements, "10m")
    setting = Setting(interval_s=20.0, maintenance=NO_MAINTENANCE)
    case = case_of(asked, setting)
    exact = simulate_years(case, shipped_profile(case), Site(location=asked.location)).totals
    figures = SettingSimulator(request=asked).figures(setting)
    for kind in (Kind.DELETE_FILE, Kind.DELETE_MANIFEST):
        assert figures.written_bytes[kind] > 0
        assert figures.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.03)
    # none is ever taken away
    assert figures.spreads["delete_files"].final == pytest.approx(exact.files_written[Kind.DELETE_FILE], rel=0.03)


def test_metadata_of_upserts_is_planned_as_simulated():
    requirements, overrides = (
        Requirements(freshness="1m"),
        {"writer": "{kind: batch, upsert: {share: 0.2, mode: merge-on-read}}"},
    )
    asked = request_from_file(SCENARIOS / "smoke.yaml", overrides, requirements, "30m")
    setting = replace(PLAIN, gzips_json=True)
    case = case_of(asked, setting)
    simulated = simulate_years(case, shipped_profile(case), Site(location=asked.location))
    written, planned = simulated.totals.written_bytes, SettingSimulator(request=asked).figures(setting)
    assert planned.written_bytes[Kind.METADATA_JSON] == pytest.approx(written[Kind.METADATA_JSON], rel=0.01)
    recorded = view_by_commit(simulate_case(case, shipped_profile(case), np.random.default_rng(1)))
    exact = footprint_at(recorded, 1.0)  # of data files and of delete files
    assert planned.footprint.manifests_written == exact.manifests_written == 2
    assert planned.footprint.manifest_bytes == pytest.approx(exact.manifest_bytes, rel=0.03)


def test_a_table_is_planned_as_its_evolution_leaves_it():
    evolution = "[{at: 10m, add_column: {name: extra, type: string, count: 20}}]"
    asked = request_from_file(
        SCENARIOS / "smoke.yaml", {"evolution": evolution, "writer": "batch"}, Requirements(freshness="1m"), "30m"
    )
    case = case_of(asked, PLAIN)
    simulated = simulate_years(case, shipped_profile(case), Site(location=asked.location))
    planned = SettingSimulator(request=asked).figures(PLAIN)
    for kind in (Kind.DATA_MANIFEST, Kind.METADATA_JSON):
        assert planned.written_bytes[kind] == pytest.approx(simulated.totals.written_bytes[kind], rel=0.01), kind
    assert any("as its evolution leaves it" in one for one in planned.approximated)


def test_a_table_that_gzips_already_loads_its_json():
    setting, request = Setting(interval_s=HOUR_S, gzips_json=True), a_request()
    own = {**request.document["table"], "properties": {"write.metadata.compression-codec": "gzip"}}
    gzipped = SettingSimulator(request=replace(request, document={**request.document, "table": own})).figures(setting)
    planned = a_simulator().figures(setting)
    assert gzipped.values["load_p50_ms"] == pytest.approx(planned.values["load_p50_ms"], rel=0.001)
    assert gzipped.footprint.json_text_bytes == pytest.approx(planned.footprint.json_text_bytes, rel=0.001)


def test_statistics_that_trino_s_commits_add_are_in_metadata_json():
    asked = request_from_flags({"rows_per_second": "50", "horizon": "6h"}, Requirements()).written_by("trino")
    case = case_of(asked, PLAIN)
    simulated = simulate_years(case, shipped_profile(case), Site(location=asked.location))
    planned = SettingSimulator(request=asked).figures(PLAIN).spreads["metadata_json_bytes"].final
    assert planned == pytest.approx(simulated.live_bytes[Kind.METADATA_JSON], rel=0.01)


def test_larger_manifest_targets_are_tried_only_near_the_tables_own():
    rarely = replace(PLAIN, interval_s=600.0, appends="merge")
    larger = replace(rarely, manifest_target_bytes=32 << 20)
    simulator = a_simulator()
    small, other = simulator.figures(rarely), simulator.figures(larger)
    assert not simulator.fills_manifests(rarely)
    assert replace(other, setting=rarely) == small
    often = replace(rarely, interval_s=1.0)
    assert simulator.fills_manifests(often)
    assert simulator.figures(often).values != simulator.figures(replace(larger, interval_s=1.0)).values


def test_metadata_json_holds_entries_of_statistics():
    request = request_from_flags({"rows_per_second": "10", "horizon": "2d"}, Requirements())
    request = replace(request, document={**request.document, "writer": {"kind": "batch", "profile": "trino"}})
    setting = Setting(interval_s=600.0, maintenance=NO_MAINTENANCE)
    case = case_of(request, setting)
    summed = simulate_years(case, shipped_profile(case), Site(location=request.location))
    size = SettingSimulator(request=request).figures(setting).values["metadata_json_bytes"]
    assert size == pytest.approx(summed.live_bytes[Kind.METADATA_JSON], rel=0.01)


@pytest.mark.parametrize("sustains", [None, True, False])
def test_a_writer_keeps_up_only_where_nothing_says_otherwise(sustains: bool | None):
    figures = a_simulator().figures(PLAIN)
    request = LatencyRequest(provider="s3", footprint=figures.footprint, commit_interval_s=30.0 if sustains else 1e-3)
    commit = None if sustains is None else commit_latency(request)
    for keeps_up_s in (None, 5.0):
        for sustained in (True, False):
            one = replace(figures, keeps_up_s=keeps_up_s, sustained=sustained, commit=commit)
            assert one.keeps_up == (keeps_up_s is None and sustained and sustains is not False)


HOURLY = Setting(interval_s=3600.0, maintenance=NO_MAINTENANCE)


@pytest.fixture(scope="module")
def hourly() -> Figures:
    """Of a commit each hour over ten days, nothing of which is ever maintained: the last day is the cycle."""
    return a_simulator().figures(HOURLY)


def test_a_day_of_hourly_commits_writes_four_files_each(hourly: Figures):
    values = hourly.values
    assert values["files_written_per_day"] == 24 * 4  # of data, a manifest, a list and a metadata.json
    assert values["metadata_bytes_per_event_hour"] == pytest.approx(values["metadata_bytes_per_day"] / 24)
    assert values["wa_data"] == pytest.approx(1)
    assert values["wa_total"] == pytest.approx(values["wa_data"] + values["wa_metadata"])
    assert values["metadata_bytes"] == sum(hourly.written_bytes[kind] for kind in METADATA_KINDS)
    assert hourly.metadata_bytes_per_day == values["metadata_bytes_per_day"]
    assert values["wa_metadata"] == pytest.approx(values["metadata_bytes"] / hourly.written_bytes[Kind.DATA], rel=1e-3)


def test_a_cycle_holds_a_day_of_commits_more(hourly: Figures):
    manifests, snapshots, files = (hourly.spreads[name] for name in ("manifests", "snapshots", "files"))
    for held in (manifests, snapshots, files):
        assert (held.most, held.final) == (240, 240)
        assert held.mean == pytest.approx(228, abs=1)
    json = hourly.spreads["metadata_json_bytes"]
    assert json.most == json.final == hourly.values["metadata_json_bytes"]
    assert json.mean == pytest.approx(json.most * 228 / 240, rel=0.02)
    assert hourly.spreads["delete_files"].most == 0
    on_disk = hourly.spreads["metadata_on_disk_bytes"].final
    assert on_disk == sum(hourly.on_disk_bytes[kind] for kind in METADATA_KINDS)


def test_times_follow_the_machine_s_law_of_what_is_held(hourly: Figures):
    machine, held = a_request().machine, hourly.spreads
    loading = {of: machine.loading_ms(getattr(held["metadata_json_bytes"], of)) for of in ("mean", "most", "final")}
    assert held["load_p50_ms"].most == pytest.approx(loading["most"])
    assert held["load_p50_ms"].mean == pytest.approx(loading["mean"])
    planning = held["planning_p50_ms"]
    waiting_ms = machine.wait_ms * 240 / (2 * machine.threads)
    assert planning.most == pytest.approx(loading["most"] + machine.planning_ms + waiting_ms, rel=0.01)
    assert hourly.bands["planning_p50_ms"] == pytest.approx(max(0.15, 20 / planning.most))
    assert not hourly.extrapolated


def test_a_month_s_cost_is_the_sum_of_its_parts(hourly: Figures):
    assert hourly.monthly_cost == hourly.cost.total == pytest.approx(sum(hourly.cost.parts().values()))
    # queries open the files of a day: 24 of them, 10 queries an hour
    prices = a_request().prices
    assert hourly.cost.opening == pytest.approx(opening_cost(24, prices, 10.0), rel=0.01)
    assert hourly.cost.maintenance == 0
    held = hourly.spreads["metadata_on_disk_bytes"].mean
    assert hourly.cost.storage == pytest.approx(held / 2**30 * prices.storage_per_gib_month)


def test_values_move_within_their_bands():
    one = some_figures(30.0, 10.0, manifests=100, bands={"manifests": 0.2})
    assert [one.at("manifests", shift=shift) for shift in (-1.0, 0.0, 0.5, 1.0)] == pytest.approx([80, 100, 110, 120])
    assert one.at("monthly_cost", shift=1.0) == 10  # whose band is not known
    limits = [at_most("manifests", 100), at_most("manifests", 100, "<"), at_most("monthly_cost", 9)]
    assert one.broken(limits) == (limits[1], limits[2])
    assert one.broken(limits[:2], shift=1.0) == (limits[0], limits[1])
    assert one.broken(limits, shift=-1.0) == (limits[2],)


def test_bands_show_what_the_bytes_of_manifests_decide():
    """How many commits fill a manifest of this table decides how much merges write again."""
    flags = {"rows_per_second": "30000", "columns": "96", "files_per_commit": "16", "partitions": "4"}
    simulator = SettingSimulator(request=request_from_flags({**flags, "writer": "batch"}, Requirements(freshness="1h")))
    setting = Setting(interval_s=3600.0, maintenance=NO_MAINTENANCE)
    read_off = simulator.figures(setting)
    simulator.encode(3600.0)
    own = simulator.figures(setting)
    metric = "metadata_bytes_per_day"
    moved = abs(read_off.values[metric] / own.values[metric] - 1)
    measured = simulator.with_measured_bands(own)
    assert own.bands[metric] < moved < measured.bands[metric]
    assert measured.bands["metadata_json_bytes"] == own.bands["metadata_json_bytes"]
    assert replace(measured, bands=own.bands) == own


def test_one_other_size_of_manifests_never_full_shows_their_bands(monkeypatch: pytest.MonkeyPatch):
    simulator = SettingSimulator(request=a_request())
    figures = simulator.figures(HOURLY)
    found, bands = replace(figures, bands=dict.fromkeys(figures.bands, 0.0)), []
    for fills in (False, True):
        monkeypatch.setattr(SettingSimulator, "fills_manifests", lambda *_, fills=fills: fills)
        bands.append(simulator.with_measured_bands(found).bands)
    assert bands[0] == pytest.approx(bands[1], rel=0.01)  # bytes are whole numbers


def test_bands_are_weighted_by_what_each_kind_writes():
    written = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 300, Kind.MANIFEST_LIST: 100, Kind.DATA: 5_000}
    band = dict.fromkeys(Kind, 0.0) | {Kind.METADATA_JSON: 0.1, Kind.MANIFEST_LIST: 0.5, Kind.DATA: 0.01}
    totals = SimpleNamespace(written_bytes=written, metadata_bytes=400)
    found = _bands(SimpleNamespace(totals=totals, band=band | {Kind.DATA_MANIFEST: 0.7}))
    metadata = (0.1 * 300 + 0.5 * 100) / 400
    for name in ("metadata_bytes_per_day", "wa_metadata", "metadata_on_disk_bytes", "wa_data"):
        assert found[name] == pytest.approx(metadata)
    assert (found["metadata_json_bytes"], found["manifests"]) == (0.1, 0.7)
    sure = _bands(SimpleNamespace(totals=totals, band=dict.fromkeys(Kind, 0.0) | {Kind.DATA: 0.3}))
    assert (sure["wa_total"], sure["wa_metadata"]) == (0.3, 0)


@pytest.mark.parametrize(("changes", "least", "most"), [(None, 0.0, 0.02), ("copy-on-write", 0.03, 0.2)])
def test_a_cost_has_the_band_of_its_bytes(changes: str | None, least: float, most: float):
    document = dict(a_request().document) | {"horizon": "4d"}
    if changes is not None:
        document["changes"] = {"delete": {"every": "6h", "share": 0.01, "mode": changes}}
    found = a_simulator(replace(a_request(), document=document)).figures(HOURLY)
    assert least <= found.cost_band <= most
    assert found.bands["monthly_cost"] == max(0.05, found.cost_band)


def test_a_commit_is_late_where_machine_or_store_take_longer():
    megabytes = np.array([0.0, 1e6, 3e6])
    slow = replace(a_request().machine, commit_ms=500.0, load_ms=0.0, load_ms_per_megabyte=100.0)
    request = replace(a_request(), machine=slow)
    assert _is_late(megabytes, 0.6, request).tolist() == [False, False, True]  # as long as that is not late
    assert _is_late(megabytes, 0.599, request).tolist() == [False, True, True]
    quick = replace(a_request(), machine=replace(slow, commit_ms=0.0, load_ms_per_megabyte=0.0))
    sizes = np.array([0.0, 4.0]) * 2**20
    between_s = float(commit_slowing().commit_s(sizes).mean())
    assert _is_late(sizes, between_s, quick).tolist() == [False, True]


@pytest.mark.parametrize(("interval_s", "compact_every_s", "files"), [(60.0, None, 1440), (60.0, 3600.0, 30)])
def test_a_setting_costs_what_opening_its_newest_files_does(interval_s: float, compact_every_s: float, files: float):
    setting = Setting(interval_s=interval_s, maintenance=replace(NO_MAINTENANCE, compact_every_s=compact_every_s))
    simulator = a_simulator()
    assert simulator.least_cost(setting) == pytest.approx(opening_cost(files, a_request().prices, 10.0))


def test_a_simulator_remembers_what_it_simulated():
    simulator = a_simulator()
    once = simulator.figures(HOURLY)
    assert simulator.figures(HOURLY) is once
    assert simulator.evaluated == 1
    day, ten = simulator.figures_over(HOURLY, [DAY_S, 10 * DAY_S])
    assert ten is once
    assert day.values["manifests"] == 24
    assert simulator.evaluated == 1  # one setting, over another horizon
    twice = simulator.figures(HOURLY, rate=2.0)
    assert simulator.evaluated == 2
    assert twice.written_bytes[Kind.DATA] > 1.5 * once.written_bytes[Kind.DATA]
    assert simulator.files_per_commit(HOURLY) == 1


def test_an_encoded_interval_is_simulated_anew_and_no_other():
    simulator = a_simulator()
    other = replace(HOURLY, interval_s=7200.0)
    before, kept = simulator.figures(HOURLY), simulator.figures(other)
    simulator.encode(3600.0)
    after = simulator.figures(HOURLY)
    assert after is not before
    assert simulator.figures(other) is kept
    assert after.values["metadata_bytes"] == pytest.approx(before.values["metadata_bytes"], rel=0.02)
    assert after.values["manifests"] == before.values["manifests"]
    simulator.encode(3600.0)
    assert simulator.figures(HOURLY) is after
    read_off = a_simulator()  # sizes at another rate are, as no files of that were encoded
    manifests = [
        [one.shape(HOURLY, rate).sizes.data_manifests.by_count.at(100) for one in (simulator, read_off)]
        for rate in (1.0, 2.0)
    ]
    assert [own == other for own, other in manifests] == [False, True]


def test_a_commit_is_timed_where_metadata_json_is_largest(hourly: Figures):
    merging = a_simulator().figures(replace(HOURLY, appends="merge"))
    assert hourly.footprint.metadata_json_bytes == hourly.values["metadata_json_bytes"]
    assert hourly.footprint.manifest_list_bytes > merging.footprint.manifest_list_bytes


def test_what_costs_nothing_at_least_is_what_may_cost_anything():
    request = a_request()
    changes = {"delete": {"every": "1h", "rows": 10, "mode": "copy-on-write"}}
    counted = {"rewrite_data_files": {"when_small_files": 9}}
    for document in ({"changes": changes}, {"maintenance": counted}, {"writer": {"kind": "batch", "tables": 3}}):
        other = replace(request, document={**request.document, **document})
        assert SettingSimulator(request=other).least_cost(HOURLY) == 0
    assert SettingSimulator(request=replace(request, writers=2)).least_cost(HOURLY) == 0
    assert a_simulator().least_cost(HOURLY) == pytest.approx(opening_cost(24, request.prices, 10.0))
    short = replace(request, document={**request.document, "horizon": "6h"})  # of which a day has a quarter
    assert a_simulator(short).least_cost(HOURLY) == pytest.approx(opening_cost(6, request.prices, 10.0))


def test_intervals_whose_snapshots_alone_are_late_are_unreachable():
    simulator, kept_s = a_simulator(), DAY_S
    setting = replace(HOURLY, interval_s=0.25)
    shape, case = simulator.shape(setting), simulator.case(setting)
    each = shortest_snapshot_bytes(case, shape) + shape.sizes.json.snapshot_log_entry
    slowing = commit_slowing()
    # the most seconds of snapshots whose metadata.json is written in a quarter of a second
    most = (250 - slowing.base_ms) / slowing.ms_per_mib * 2**20 / each
    assert not simulator.is_out_of_reach(setting, (most + 0.5) * 0.25)
    assert simulator.is_out_of_reach(setting, (most + 2.5) * 0.25)
    assert simulator.is_out_of_reach(setting, kept_s)
    assert not simulator.is_out_of_reach(HOURLY, kept_s)
    for snapshots, is_out in ((most + 0.5, False), (most + 2.5, True)):  # half of the horizon at least has passed then
        short = replace(a_request(), document={**a_request().document, "horizon": f"{2 * snapshots * 0.25:g}s"})
        assert a_simulator(short).is_out_of_reach(setting, kept_s) == is_out
    several = SettingSimulator(request=replace(a_request(), writers=2), shapes=simulator.shapes)
    assert not several.is_out_of_reach(setting, kept_s)


def test_planning_beyond_what_was_measured_has_a_wide_band():
    request = a_request()
    narrow = replace(request, machine=replace(request.machine, most_manifests=239))
    found = a_simulator(narrow).figures(HOURLY)
    assert found.extrapolated
    assert found.bands["planning_p50_ms"] == 0.5
    reading = replace(request, machine=replace(request.machine, wait_ms=0.01))  # where reading takes longer than waits
    assert a_simulator(reading).figures(HOURLY).bands["planning_p50_ms"] == 0.5


def test_like_commits_are_raced_once():
    simulator = a_simulator()
    figures = simulator.figures(HOURLY)
    first = simulator.with_commits(figures)
    again = simulator.with_commits(replace(figures, keeps_up_s=5.0))
    assert again.commit is first.commit is not None
    larger = replace(figures, footprint=replace(figures.footprint, metadata_json_bytes=9e7))
    assert simulator.with_commits(larger).commit.p50_ms > first.commit.p50_ms
    assert first.values == figures.values


def test_commits_longer_than_their_interval_fall_behind():
    slow = replace(a_request(), machine=replace(a_request().machine, commit_ms=3_600_000.0))
    late = a_simulator(slow).figures(HOURLY)
    assert late.keeps_up_s == pytest.approx(3600, abs=3600)  # from the first commit on
    assert not late.keeps_up
    just = replace(a_request(), machine=replace(a_request().machine, commit_ms=3_599_000.0))
    assert a_simulator(just).figures(HOURLY).keeps_up_s is None


@pytest.mark.parametrize("order", [(True, False), (False, True)])
def test_metadata_json_lists_the_properties_of_its_own_setting(order: tuple[bool, ...]):
    """Where old ones are kept, which is Iceberg's default, the table has no property that says so."""
    simulator = a_simulator()
    settings = {deletes: replace(HOURLY, deletes_json=deletes) for deletes in order}
    found = {deletes: simulator.figures(one).spreads["metadata_json_bytes"] for deletes, one in settings.items()}
    text = '"write.metadata.delete-after-commit.enabled":"true",'
    assert found[True].final - found[False].final == len(text)
    assert found[True].most - found[False].most == len(text)


def test_no_figure_goes_by_which_settings_were_looked_at_before():
    """gzip shares a history with plain metadata.json, and other jobs leave other snapshots to compress."""
    hourly, daily = (replace(HOURLY.maintenance, compact_every_s=every_s) for every_s in (3600.0, DAY_S))
    settings = [
        replace(HOURLY, interval_s=120.0, gzips_json=gzips_json, maintenance=kept)
        for kept in (daily, hourly)
        for gzips_json in (False, True)
    ]
    found = []
    for some in (settings, settings[::-1]):
        simulator = a_simulator()
        found.append({one: simulator.figures(one).values for one in some})
    assert found[0] == found[1]


def test_settings_for_other_processes_take_their_sizes_along():
    simulator = a_simulator()
    zipped = replace(HOURLY, interval_s=1800.0)
    few = simulator.for_settings([HOURLY, zipped])
    assert {key[0] for key in few._shape_of} == {3600.0, 1800.0}
    assert few.figures(HOURLY).values == simulator.figures(HOURLY).values
    assert (few.evaluated, simulator.evaluated) == (1, 1)
    ahead = a_simulator()
    ahead.simulate_ahead([(HOURLY, 1.0)])
    assert ahead.evaluated == 0
    assert ahead.figures(HOURLY).values == simulator.figures(HOURLY).values
