"""The latency of a case's commits, from the sizes in its ledger."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.paths import SCENARIOS

from wasim.contention import (
    Footprint,
    LatencyRequest,
    ModelledLatency,
    Setup,
    commit_latency,
    footprint_at,
    model_latency,
    retry_policy,
)
from wasim.contention.case_latency import statements_of
from wasim.iceberg.properties import TableProperties
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


def test_commits_slow_with_metadata_json_and_with_the_store():
    case = case_of("commit_interval", 8, "30d")
    local, remote = modelled(case), modelled(case, provider="gcs")
    assert local.p50_ms < local.p95_ms < local.end_p95_ms
    assert local.end_p50_ms < remote.end_p50_ms
    assert local.band < remote.band
    assert remote.sustains == (remote.sustainable_interval_s <= case.commit_interval_s)


def test_a_footprint_is_that_of_the_commit_asked_about():
    case = case_of("commit_interval", 8, "30d")
    ledger = simulate_years(case, shipped_profile(case), Site()).ledger
    last, half = footprint_at(ledger, 1.0), footprint_at(ledger, 0.5)
    assert last.metadata_json_bytes == ledger.written_bytes[Kind.METADATA_JSON][-1]
    assert half.metadata_json_bytes == pytest.approx(last.metadata_json_bytes / 2, rel=0.05)
    assert last.manifests_written == 1


def test_several_writers_race_as_bench_on_local_files_only():
    case = case_of("contention", 2, "40s")
    as_bench, elsewhere = modelled(case), modelled(case, provider="s3")
    assert (as_bench.arrivals, elsewhere.arrivals) == ("when_free", "at_random")
    assert as_bench.lost_share == pytest.approx(0.53, abs=0.06)  # of 40 real commits, 51 % and 53 %
    assert elsewhere.writers == 4
    assert modelled(case, provider="s3", writers=1).lost_share == 0


def test_maintenance_of_a_busy_table_is_given_up():
    case = case_of("remedies", 1, "7d")
    assert modelled(case).statements == {}
    busy, calm = modelled(case, provider="s3"), modelled(replace(case, commit_interval_s=600.0), provider="s3")
    assert busy.statements["rewrite_manifests"]["failed_share"] > 0.1
    assert calm.statements["rewrite_manifests"]["failed_share"] < 0.05
    assert "rewrite_manifests" in busy.basis[-1]


@pytest.mark.parametrize(("manifests", "least", "most"), [(90, 0.0, 0.05), (900, 0.9, 1.0)])
def test_compaction_merging_many_manifests_never_lands_beside_a_fast_stream(manifests, least, most):
    case = case_of("remedies", 2, "7d")
    size = Footprint(metadata_json_bytes=1e5, manifest_list_bytes=2e4, manifest_bytes=8e3)
    jobs = [replace(one, every_s=3600.0) for one in statements_of(case, manifests, size.manifest_bytes)]
    policy = retry_policy(TableProperties.read({"commit.retry.num-retries": "3"}))
    asked = LatencyRequest(
        provider="s3", footprint=size, commit_interval_s=10.0, policy=policy, statements=tuple(jobs), arrivals="evenly"
    )
    found = commit_latency(replace(asked, commits=9000)).statements["rewrite_data_files"]
    assert least <= found.failed_share <= most
    assert found.commits >= 10


def test_a_job_takes_what_the_scenario_says():
    case = case_of("remedies", 2, "7d")
    compacts = case.maintenance.rewrite_data_files.model_copy(update={"takes": 600.0})
    longer = replace(case, maintenance=case.maintenance.model_copy(update={"rewrite_data_files": compacts}))
    took_s = [next(statements_of(one, 100, 8e3)).work_s for one in (case, longer)]
    assert took_s == [30.0, 600.0]
