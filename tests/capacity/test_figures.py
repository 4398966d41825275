"""Figures of a setting: what simulating it gives, with what lost attempts write."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS
from support.plans import a_plan, a_request, a_simulator

from wasim.capacity import (
    NO_MAINTENANCE,
    Requirements,
    Setting,
    SettingSimulator,
    request_from_file,
    request_from_flags,
)
from wasim.capacity.settings import case_of
from wasim.contention import LatencyRequest, commit_latency
from wasim.ledger import METADATA_KINDS, Kind
from wasim.twin import Site, shipped_profile
from wasim.years import simulate_years

PLAIN = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)


def test_the_recommended_setting_costs_what_simulating_gives_within_its_band():
    limited = {"prefer": "freshest", "metadata_json_bytes": "500KB"}
    asked, chosen = a_request(**limited), a_plan(**limited).chosen
    case = case_of(asked, chosen.setting)
    summed = simulate_years(case, shipped_profile(case), Site(location=asked.location))
    on_disk = sum(summed.totals.on_disk_bytes[kind] for kind in METADATA_KINDS)
    true = {
        "metadata_json_bytes": summed.live_bytes[Kind.METADATA_JSON],
        "metadata_on_disk_bytes": on_disk,
    }
    for metric, value in true.items():
        assert chosen.spreads[metric].final == pytest.approx(value, rel=0.02), metric
    assert chosen.values["metadata_bytes"] == pytest.approx(summed.totals.metadata_bytes, rel=0.02)
    assert chosen.values["metadata_json_bytes"] <= 500_000


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


def test_compressed_metadata_json_of_upserts_is_planned_as_simulated():
    requirements, overrides = (
        Requirements(freshness="1m"),
        {"writer": "{kind: batch, upsert: {share: 0.2, mode: merge-on-read}}"},
    )
    asked = request_from_file(SCENARIOS / "smoke.yaml", overrides, requirements, "30m")
    setting = replace(PLAIN, gzips_json=True)
    case = case_of(asked, setting)
    simulated = simulate_years(case, shipped_profile(case), Site(location=asked.location)).totals.written_bytes
    planned = SettingSimulator(request=asked).figures(setting).written_bytes
    assert planned[Kind.METADATA_JSON] == pytest.approx(simulated[Kind.METADATA_JSON], rel=0.01)


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
    small, other = simulator.evaluate([rarely, larger])
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
