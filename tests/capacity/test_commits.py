"""Commits of a plan: what they cost the maintenance that runs beside them."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.by_hand import some_figures

from wasim.capacity import Requirements, SettingSimulator, request_from_file, request_from_flags
from wasim.capacity.commits import MOST_FAILED, RACE_COMMITS, RETRIES, latency_request, losing_jobs, rounded, sustained
from wasim.capacity.settings import Maintenance, Setting, case_of
from wasim.contention import CommitLatency, Footprint, LatencyRequest, commit_latency


def test_jobs_lose_beside_fast_commits_in_a_slow_store_only():
    found = {}
    for provider, interval_s in (("local", 2.0), ("gcs", 2.0), ("gcs", 300.0)):
        requirements = Requirements(freshness="5m", provider=provider)
        request = request_from_flags({"rows_per_second": "200", "horizon": "2d"}, requirements)
        simulator = SettingSimulator(request=request)
        kept = Maintenance(rewrite_every_s=None, expire_every_s=3600.0, older_than_s=86400.0)
        setting = Setting(interval_s=interval_s, maintenance=kept)
        found[provider, interval_s] = losing_jobs(simulator.figures(setting), simulator.case(setting), request)
    assert found["local", 2.0] == found["gcs", 300.0] == ()
    (job,) = found["gcs", 2.0]
    assert job.name == "expire_snapshots"
    assert 0.05 < job.share <= 1
    assert job.share_retried < job.share


def test_sizes_are_rounded_to_powers_of_two():
    size = Footprint(metadata_json_bytes=1_500.0, manifest_list_bytes=1_400.0, manifest_bytes=0.0)
    found = rounded(replace(size, json_text_bytes=5_000.0))
    assert (found.metadata_json_bytes, found.manifest_list_bytes) == (2_048, 1_024)  # 1,448 lies between the two
    assert (found.manifest_bytes, found.json_text_bytes) == (1, 4_096)
    assert found.manifests_written == 1
    assert rounded(found) == found


def test_commits_are_modelled_by_store_writers_and_retries():
    request = request_from_flags({"rows_per_second": "200", "writers": "3"}, Requirements(provider="gcs"))
    case = case_of(request, Setting(interval_s=5.0, retries=9))
    size = Footprint(metadata_json_bytes=1e5, manifest_list_bytes=1e4, manifest_bytes=1e4)
    found = latency_request(size, 7.0, case, request)
    assert (found.provider, found.writers, found.commit_interval_s, found.footprint) == ("gcs", 3, 7, size)
    assert (found.properties.commit_num_retries, found.catalog, found.commits) == (
        9,
        case.environment.catalog,
        RACE_COMMITS,
    )


@pytest.mark.parametrize(("said", "raced"), [(None, "at_random"), ("when_free", "at_random"), ("at_once", "at_once")])
def test_writers_arrive_as_their_scenario_says(tmp_path: Path, said: str | None, raced: str):
    file = tmp_path / "several.yaml"
    writer = {"kind": "batch", "writers": 8} | ({} if said is None else {"arrivals": said})
    table, workload = {"columns": [{"name": "n", "type": "int"}]}, {"rows_per_second": 80}
    own = {"name": "several", "question": "?", "table": table, "workload": workload, "writer": writer}
    file.write_text(json.dumps({**own, "commit_interval": "10s", "horizon": "1h"}))
    request = request_from_file(file, {}, Requirements())
    size = Footprint(metadata_json_bytes=1e5, manifest_list_bytes=1e4, manifest_bytes=1e4)
    found = latency_request(size, 10.0, case_of(request, Setting(interval_s=10.0)), request)
    assert (found.writers, found.arrivals) == (8, raced)


def test_commits_take_the_catalog_that_is_asked_for():
    size = Footprint(metadata_json_bytes=1e5, manifest_list_bytes=1e4, manifest_bytes=1e4)
    sustained_s = {}
    for catalog in (None, "glue", "unity"):
        flags = {"rows_per_second": "200", "writers": "2"}
        request = request_from_flags(flags, Requirements(provider="s3", catalog=catalog))
        case = case_of(request, Setting(interval_s=30.0))
        asked = latency_request(size, 30.0, case, request)
        assert asked.catalog == (catalog or "jdbc")
        sustained_s[catalog] = sustained(commit_latency(asked), case).interval_s
    assert 2 * sustained_s[None] < 2 * sustained_s["glue"] < 5 < sustained_s["unity"]


def test_commits_to_several_tables_have_their_share_of_the_interval():
    request = request_from_flags({"rows_per_second": "200"}, Requirements(provider="s3"))
    several = replace(request, document={**request.document, "writer": {"kind": "batch", "tables": 12}})
    simulators = [SettingSimulator(request=asked) for asked in (request, several)]
    case, twelve = (simulator.case_at_longest for simulator in simulators)
    one, many = (simulator.with_commits(some_figures(60.0)).commit for simulator in simulators)
    assert (one.request.commit_interval_s, many.request.commit_interval_s) == (60, 5)
    alone, all_of_them = sustained(one, case), sustained(many, twelve)
    assert all_of_them.interval_s == pytest.approx(12 * alone.interval_s)
    assert all_of_them.ceiling_per_s == pytest.approx(alone.ceiling_per_s)


def test_jobs_that_lose_are_named_the_worst_first():
    request = request_from_flags({"rows_per_second": "200"}, Requirements(provider="gcs", time_travel="1d"))
    kept = Maintenance(expire_every_s=3600.0, older_than_s=86400.0, rewrite_every_s=3600.0, compact_every_s=3600.0)
    setting = Setting(interval_s=2.0, maintenance=kept)
    figures, case = some_figures(setting, manifests=400), case_of(request, setting)
    found = losing_jobs(figures, case, request)
    shares = [one.share for one in found]
    assert len(found) >= 2
    assert shares == sorted(shares, reverse=True)
    assert min(shares) > MOST_FAILED
    assert "rewrite_data_files" in {one.name for one in found}  # which reads hundreds of manifests in each attempt
    assert losing_jobs(figures, case, replace(request, provider="local")) == ()
    plain = some_figures(Setting(interval_s=2.0))
    assert losing_jobs(plain, case_of(request, plain.setting), request) == ()


@pytest.mark.parametrize(
    ("interval_s", "takes_s", "every_s", "commits"),
    [
        (10.0, 30.0, 120.0, 1000),  # four times what a job takes; sixty runs are 720 commits
        (2.0, 30.0, 120.0, 3600),
        (1.0, 30.0, 120.0, 4000),  # of 7,200
        (60.0, 30.0, 240.0, 1000),  # four intervals
    ],
)
def test_jobs_are_raced_sixty_times_without_overlapping(
    monkeypatch: pytest.MonkeyPatch, interval_s: float, takes_s: float, every_s: float, commits: int
):
    asked: list[LatencyRequest] = []

    def watched(request: LatencyRequest) -> CommitLatency:
        asked.append(request)
        return commit_latency(replace(request, commits=50))

    monkeypatch.setattr("wasim.capacity.commits.commit_latency", watched)
    request = request_from_flags({"rows_per_second": "200"}, Requirements(provider="s3", time_travel="1d"))
    kept = Maintenance(expire_every_s=3600.0, older_than_s=86400.0, rewrite_every_s=None)
    setting = Setting(interval_s=interval_s, maintenance=kept)
    losing_jobs(some_figures(setting), case_of(request, setting), request)
    (job,) = asked[0].statements
    assert (job.work_s, job.every_s, asked[0].commits) == (takes_s, every_s, commits)


def test_jobs_beyond_one_run_in_twenty_lose(monkeypatch: pytest.MonkeyPatch):
    failed = {"expire_snapshots": 5, "rewrite_data_files": 6, "rewrite_manifests": 40}  # of a hundred runs

    def by_law(request: LatencyRequest) -> SimpleNamespace:
        patient = request.properties.commit_num_retries >= RETRIES
        counts = {name: count // 2 if patient else count for name, count in failed.items()}
        return SimpleNamespace(statements={name: SimpleNamespace(failed_share=n / 100) for name, n in counts.items()})

    monkeypatch.setattr("wasim.capacity.commits.commit_latency", by_law)
    request = request_from_flags({"rows_per_second": "200"}, Requirements(provider="s3"))
    setting = Setting(interval_s=10.0)
    case = case_of(request, setting)
    found = losing_jobs(some_figures(setting), case, request)
    assert [(one.name, one.share, one.share_retried) for one in found] == [
        ("rewrite_manifests", 0.4, 0.2),
        ("rewrite_data_files", 0.06, 0.03),
    ]
    failed.update(rewrite_data_files=5, rewrite_manifests=0)
    assert losing_jobs(some_figures(setting), case, request) == ()
    failed.update(rewrite_manifests=40)
    patient = case_of(request, replace(setting, retries=RETRIES))  # which has them already
    assert [one.share for one in losing_jobs(some_figures(setting), patient, request)] == [0.2]
