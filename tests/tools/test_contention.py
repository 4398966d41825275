"""Races compared with recorded runs on real Spark, and with the figures that another simulator has published."""

from dataclasses import replace

import numpy as np
import pytest

from tools.contention import PUBLISHED_PER_S, PUBLISHED_S3, RECORDED, peer_request, raced, without_engine
from wasim.contention import commit_latency, sustained_rate
from wasim.iceberg.properties import TableProperties


@pytest.fixture(scope="module")
def races():
    """The race that stands for each recorded run, and the run."""
    return [(raced(one), one) for one in RECORDED]


def test_races_lose_what_real_runs_lost(races):
    lost = [race.lost_share - real.lost_share for race, real in races]
    assert np.max(np.abs(lost)) <= 0.13
    assert np.mean(np.abs(lost)) <= 0.05
    assert np.max([abs(race.failed_share - real.failed_share) for race, real in races]) <= 0.1


def test_races_land_as_many_commits_as_real_runs(races):
    rates = {real.writers: (race.landed_per_s, real.commits_per_s) for race, real in races if real.commits_per_s}
    errors = {writers: found / real - 1 for writers, (found, real) in rates.items()}
    assert max(abs(errors[4]), abs(errors[8])) <= 0.15
    assert abs(errors[2]) <= 0.35  # its times were measured on a busier machine


@pytest.mark.parametrize("interval_s", PUBLISHED_S3)
def test_as_many_commits_succeed_on_an_overloaded_table_as_published(interval_s):
    succeed, mean_ms, p99_ms = PUBLISHED_S3[interval_s]
    request = replace(peer_request("s3", interval_s), commits=4000)
    found = commit_latency(request, without_engine(swap_ms=10.0)).outcome
    assert 1 - found.failed_share == pytest.approx(succeed, abs=0.05)
    assert found.commit_ms.mean() == pytest.approx(mean_ms, rel=0.27)
    assert found.percentile_ms(99) == pytest.approx(p99_ms, rel=0.2)


def test_stores_sustain_about_as_many_commits_as_published_in_order():
    rates = {}
    for provider in PUBLISHED_PER_S:
        request = replace(peer_request(provider), properties=TableProperties(), commits=2000)
        rates[provider] = 1 / sustained_rate(request, without_engine()).interval_s
    assert sorted(rates, key=rates.__getitem__, reverse=True)[:2] == ["s3-express", "azure-premium"]
    assert min(rates, key=rates.__getitem__) == "gcs"
    for provider, published in PUBLISHED_PER_S.items():
        assert rates[provider] == pytest.approx(published, rel=0.45)
