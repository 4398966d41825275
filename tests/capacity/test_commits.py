"""Commits of a plan: what they cost the maintenance that runs beside them."""

from wasim.capacity import Requirements, SettingSimulator, request_from_flags
from wasim.capacity.commits import losing_jobs
from wasim.capacity.settings import Maintenance, Setting


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
