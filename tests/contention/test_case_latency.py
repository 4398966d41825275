"""The latency of a case's commits, from the sizes in its ledger."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.paths import SCENARIOS

from wasim.contention import ModelledLatency, Setup, footprint_at, model_latency
from wasim.ledger import Kind
from wasim.scenario import Case, load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import simulate_years


def case_of(name: str, number: int, horizon: str) -> Case:
    return load_scenario(Path(SCENARIOS / f"{name}.yaml"), {"horizon": horizon}).cases()[number]


def modelled(case: Case, **setup) -> ModelledLatency:
    profile = shipped_profile(case)
    ledger = simulate_years(case, profile, Site()).ledger
    found = model_latency(case, ledger, Setup(measured=profile.together, **setup))
    assert found is not None
    return found


def test_commits_take_longer_as_metadata_json_grows_and_longer_in_a_slower_store():
    case = case_of("commit_interval", 8, "30d")
    local, remote = modelled(case), modelled(case, provider="gcs")
    assert local.p50_ms < local.p95_ms < local.end_p95_ms
    assert local.end_p50_ms < remote.end_p50_ms
    assert local.band < remote.band
    assert remote.sustains == (remote.sustainable_interval_s <= case.commit_interval_s)


def test_a_footprint_is_that_of_the_commit_that_is_asked_about():
    case = case_of("commit_interval", 8, "30d")
    ledger = simulate_years(case, shipped_profile(case), Site()).ledger
    last, half = footprint_at(ledger, 1.0), footprint_at(ledger, 0.5)
    assert last.metadata_json_bytes == ledger.written_bytes[Kind.METADATA_JSON][-1]
    assert half.metadata_json_bytes == pytest.approx(last.metadata_json_bytes / 2, rel=0.05)
    assert last.manifests_written == 1


def test_several_writers_on_local_files_race_as_bench_has_them_and_elsewhere_at_their_interval():
    case = case_of("contention", 2, "40s")
    as_bench, elsewhere = modelled(case), modelled(case, provider="s3")
    assert (as_bench.arrivals, elsewhere.arrivals) == ("at_once", "random")
    assert as_bench.lost_share == pytest.approx(0.53, abs=0.06)  # of 40 real commits, 51 % and 53 %
    assert elsewhere.writers == 4
    assert modelled(case, provider="s3", writers=1).lost_share == 0


def test_maintenance_of_a_busy_table_is_given_up_where_a_provider_is_asked_about():
    case = case_of("remedies", 1, "7d")
    assert modelled(case).statements == {}
    busy, calm = modelled(case, provider="s3"), modelled(replace(case, commit_interval_s=600.0), provider="s3")
    assert busy.statements["rewrite_manifests"]["failed_share"] > 0.1
    assert calm.statements["rewrite_manifests"]["failed_share"] < 0.05
    assert "rewrite_manifests" in busy.basis[-1]
