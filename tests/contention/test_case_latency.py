"""The latency of a case's commits, from the sizes in its ledger."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.paths import SCENARIOS
from support.synthetic import synthetic_case

from wasim.contention import (
    Footprint,
    LatencyRequest,
    ModelledLatency,
    PeriodicStatement,
    Setup,
    commit_latency,
    footprint_at,
    model_latency,
    provider_of,
    times_of,
)
from wasim.contention.case_latency import (
    JOB_S,
    MOST_RACE_COMMITS,
    STATEMENT_RUNS,
    _long_enough,
    ledger_manifests,
    statements_of,
)
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind, Ledger
from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import Changes, Maintenance
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


def test_writers_all_at_once_do_not_keep_up():
    """They come no more often than the table takes, but a third never land."""
    case = case_of("commit_interval", 8, "1d")
    writer = case.writer.model_copy(update={"kind": "batch", "writers": 8, "arrivals": "at_once"})
    found = modelled(replace(case, writer=writer), provider="s3")
    assert found.comes_slowly
    assert found.failed_share > 0.2
    assert not found.sustains


def test_a_footprint_is_that_of_the_commit_asked_about():
    case = case_of("commit_interval", 8, "30d")
    ledger = simulate_years(case, shipped_profile(case), Site()).ledger
    last, half = footprint_at(ledger, 1.0), footprint_at(ledger, 0.5)
    assert last.metadata_json_bytes == ledger.written_bytes[Kind.METADATA_JSON][-1]
    assert half.metadata_json_bytes == pytest.approx(last.metadata_json_bytes / 2, rel=0.05)
    assert last.manifests_written == 1


def test_commits_take_the_catalog_that_they_are_raced_in():
    case = case_of("commit_interval", 8, "1d")
    found = {name: modelled(replace(case, raced_in=name), provider="s3") for name in (None, "glue", "unity")}
    assert found[None].p50_ms < found["glue"].p50_ms < 600
    assert 5_000 < found["unity"].p50_ms < 5_600
    assert "the swap of a unity catalog as derived (2026-08-13)" in found["unity"].basis[0]


def test_several_writers_race_as_bench_on_local_files_only():
    case = case_of("contention", 2, "40s")
    as_bench, elsewhere = modelled(case), modelled(case, provider="s3")
    assert (as_bench.arrivals, elsewhere.arrivals) == ("when_free", "at_random")
    assert as_bench.lost_share == pytest.approx(0.53, abs=0.06)  # of 40 real commits, 51 % and 53 %
    assert elsewhere.writers == 4
    assert modelled(case_of("contention", 0, "40s"), provider="s3").lost_share == 0


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
    policy = TableProperties.read({"commit.retry.num-retries": "3"})
    asked = LatencyRequest(
        provider="s3",
        footprint=size,
        commit_interval_s=10.0,
        properties=policy,
        statements=tuple(jobs),
        arrivals="evenly",
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


def ledger_of(case: Case, written: dict[Kind, list[float]], **more) -> Ledger:
    """The first commits of a case's ledger, with what they wrote by hand."""
    count = len(written[Kind.METADATA_JSON])
    ledger = simulate_years(case, shipped_profile(case), Site()).ledger.head(count)
    sizes = {kind: np.array(written.get(kind, [0.0] * count)) for kind in ledger.written_bytes}
    columns = {"commit": range(1, count + 1), "attempts": [1.0] * count, **more}
    return replace(ledger, written_bytes=sizes, **{name: np.array([*one]) for name, one in columns.items()})


SMALL = synthetic_case(interval_s=60.0, horizon_s=600.0)
WRITTEN = {
    Kind.METADATA_JSON: [100.0, 200.0, 300.0, 400.0],
    Kind.MANIFEST_LIST: [10.0, 20.0, 30.0, 90.0],
    Kind.DATA_MANIFEST: [7.0, 9.0, 5.0, 9.0],
}


def test_a_footprint_lies_between_two_commits_of_a_ledger():
    ledger = ledger_of(SMALL, WRITTEN)
    found = footprint_at(ledger, 0.625)  # between the second and the third of four commits
    assert (found.metadata_json_bytes, found.manifest_list_bytes) == (250, 25)
    assert (found.manifest_bytes, found.manifests_written, found.json_text_bytes) == (8, 1, 0)  # the median
    zipped = footprint_at(ledger, 0.5, lambda size, commits: 7 * size + commits)
    assert (zipped.metadata_json_bytes, zipped.json_text_bytes) == (200, 7 * 200 + 2)
    with_deletes = footprint_at(ledger_of(SMALL, WRITTEN | {Kind.DELETE_MANIFEST: [30.0, 40.0, 40.0, 50.0]}), 1.0)
    assert (with_deletes.manifests_written, with_deletes.manifest_bytes) == (2, 40)


def test_footprints_are_of_one_attempt_at_the_commonest_operation():
    jobs = ["append", "replace", "append", "append"]
    found = footprint_at(ledger_of(SMALL, WRITTEN, operation=jobs, attempts=[1.0, 9.0, 2.0, 4.0]), 1.0)
    assert (found.metadata_json_bytes, found.manifest_list_bytes) == (100, 22.5)
    half = footprint_at(ledger_of(SMALL, WRITTEN, operation=jobs, attempts=[np.nan] * 4), 0.5)
    assert half.metadata_json_bytes == 200  # halfway from the first append to the second, past the job's


def test_manifests_are_the_most_of_the_later_half():
    live = [90, 1, 5, 4]
    assert ledger_manifests(ledger_of(SMALL, WRITTEN, live_manifests=live)) == 5
    assert ledger_manifests(ledger_of(SMALL, WRITTEN, live_manifests=[1, 2, 7, 4])) == 7


@pytest.mark.parametrize(
    ("manifests", "mebibytes", "first", "later"),
    [
        (90, 1.0, 90 / 4 + 8, 2),  # bins of eight: eleven are full, and two manifests are in the newest
        (96, 1.0, 96 / 4 + 8, 0),
        (90, 0.5, 90 / 4 + 16, 10),
        (5, 1.0, 5 / 4 + 5, 5),
        (1, 1.0, 1 / 4, 0),  # too few to merge
        (8, 1.0, 8 / 4 + 8, 0),
    ],
)
def test_later_attempts_read_the_newest_bin_alone(manifests: float, mebibytes: float, first: float, later: float):
    properties = {"commit.manifest.min-count-to-merge": "2", "commit.manifest.target-size-bytes": str(8 << 20)}
    unmerged = {**properties, "commit.manifest-merge.enabled": "false"}
    for own, reads in ((properties, (first, later)), (unmerged, (manifests / 4, 0))):
        kept = Maintenance.model_validate({"rewrite_data_files": {"every": 3600.0}})
        (job,) = statements_of(replace(synthetic_case(properties=own), maintenance=kept), manifests, mebibytes * 2**20)
        assert (job.first_reads, job.later_reads) == reads


def test_each_job_and_change_races_as_what_it_is():
    jobs = {
        "expire_snapshots": {"every": 3600.0, "older_than": 86400.0, "takes": 12.0},
        "rewrite_data_files": {"every": 7200.0},
        "rewrite_manifests": {"every": 86400.0},
    }
    changes = Changes.model_validate({"delete": {"every": 600.0, "rows": 5, "mode": "copy-on-write", "takes": 90.0}})
    case = replace(SMALL, maintenance=Maintenance.model_validate(jobs), changes=changes)
    found = {one.name: one for one in statements_of(case, 40.0, 8e3)}
    assert [*found] == ["expire_snapshots", "rewrite_data_files", "rewrite_manifests", "delete"]
    assert [one.every_s for one in found.values()] == [3600, 7200, 86400, 600]
    assert [one.work_s for one in found.values()] == [12, JOB_S, JOB_S, 90]
    assert [one.validates for one in found.values()] == [False, True, True, True]
    assert [one.redoes for one in found.values()] == [False, False, False, True]
    assert [one.clash for one in found.values()] == [0, 0, 0, 0]  # a stream's own appends do not merge
    assert [one.first_reads > 0 for one in found.values()] == [False, True, False, True]
    merging = replace(case, writer=case.writer.model_copy(update={"append": "merge"}))
    clashes = {one.name: one.clash for one in statements_of(merging, 40.0, 8e3)}
    assert clashes == {"expire_snapshots": 0, "rewrite_data_files": 0, "rewrite_manifests": 0.01, "delete": 0}
    counted = Maintenance.model_validate({"rewrite_data_files": {"when_small_files": 9}})
    assert [*statements_of(replace(SMALL, maintenance=counted), 40.0, 8e3)] == []


def test_a_race_lasts_until_the_rarest_job_has_run_often():
    asked = LatencyRequest(
        provider="s3", footprint=footprint_at(ledger_of(SMALL, WRITTEN), 1.0), commit_interval_s=10.0
    )
    asked = replace(asked, commits=1000)

    def commits(*every_s: float) -> int:
        jobs = tuple(PeriodicStatement(name="job", every_s=one, work_s=1.0) for one in every_s)
        return _long_enough(replace(asked, statements=jobs)).commits

    assert commits() == commits(60.0) == 1000
    assert commits(60.0, 3600.0) == STATEMENT_RUNS * 360
    assert commits(86_400.0) == MOST_RACE_COMMITS


def test_a_case_sustains_its_interval_where_as_many_land():
    found = modelled(SMALL)
    at = replace(found, sustainable_interval_s=2.0)
    assert [replace(at, offered_per_s=rate).sustains for rate in (0.4, 0.5, 0.6)] == [True, True, False]
    assert (found.provider, found.writers, found.offered_per_s) == ("local", 1, pytest.approx(1 / 60))
    assert (found.lost_share, found.failed_share) == (0, 0)
    assert found.p50_ms <= found.p95_ms <= found.p99_ms
    assert found.end_p50_ms <= found.end_p95_ms <= found.end_p99_ms
    assert found.ceiling_per_s * found.sustainable_interval_s == pytest.approx(1)
    assert model_latency(SMALL, ledger_of(SMALL, WRITTEN).head(0), Setup()) is None


def test_a_case_has_times_of_its_catalog_and_writers():
    footprint = Footprint(metadata_json_bytes=1e6, manifest_list_bytes=1e4, manifest_bytes=1e4)
    several = replace(SMALL, writer=SMALL.writer.model_copy(update={"kind": "batch", "writers": 3}))
    found = times_of(several, "s3", footprint)
    assert (found.catalog, found.writers, found.work_s) == (SMALL.environment.catalog, 3, (0.0, 0.0))
    assert np.median(found.first_attempt_s) > np.median(times_of(several, "local", footprint).first_attempt_s)
    assert [provider_of(SMALL, named) for named in (None, "gcs")] == [None, "gcs"]
    in_s3 = replace(SMALL, environment=SMALL.environment.model_copy(update={"store": "s3"}))
    assert [provider_of(in_s3, named) for named in (None, "gcs")] == ["s3", "gcs"]


def test_commits_of_unchanging_size_take_as_long_throughout():
    even = ledger_of(SMALL, {kind: [5e3] * 4 for kind in WRITTEN}, live_manifests=[3] * 4)
    found = model_latency(SMALL, even, Setup(provider="s3"))
    assert found is not None
    throughout, at_the_end = (
        tuple(getattr(found, f"{of}{name}") for name in ("p50_ms", "p95_ms", "p99_ms")) for of in ("", "end_")
    )
    assert throughout == pytest.approx(at_the_end, rel=1e-3)
    assert throughout[0] < throughout[1] < throughout[2]
    assert found.statements == {}
    assert len(found.basis) == 1


def test_jobs_race_where_time_passes_or_a_store_is_named():
    kept = Maintenance.model_validate({"rewrite_manifests": {"every": 120.0}})
    case = replace(SMALL, maintenance=kept)
    ledger = ledger_of(case, WRITTEN)

    def raced(clock: str, provider: str | None) -> list[str]:
        found = model_latency(replace(case, clock=clock), ledger, Setup(provider=provider))
        assert found is not None
        assert len(found.basis) == 1 + bool(found.statements)
        return [*found.statements]

    assert raced("virtual", None) == []
    assert raced("virtual", "s3") == raced("real", None) == raced("real", "s3") == ["rewrite_manifests"]


def test_a_commit_of_deletes_alone_writes_one_manifest():
    only = ledger_of(SMALL, {**WRITTEN, Kind.DATA_MANIFEST: [0.0] * 4, Kind.DELETE_MANIFEST: [40.0] * 4})
    found = footprint_at(only, 1.0)
    assert (found.manifests_written, found.manifest_bytes) == (1, 40)
    neither = footprint_at(ledger_of(SMALL, {**WRITTEN, Kind.DATA_MANIFEST: [0.0] * 4}), 1.0)
    assert neither.manifests_written == 0
