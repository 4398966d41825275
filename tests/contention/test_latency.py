"""How long commits take, and how many a table sustains, by provider."""

from dataclasses import replace

import numpy as np
import pytest

from wasim.contention import (
    Footprint,
    LatencyRequest,
    PeriodicStatement,
    commit_latency,
    load_providers,
    sustained_rate,
)
from wasim.errors import WasimError

SMALL = Footprint(metadata_json_bytes=20_000, manifest_list_bytes=5_000, manifest_bytes=7_000)
REQUEST = LatencyRequest(provider="s3", footprint=SMALL, commit_interval_s=5.0, writers=4)


def test_a_lone_writer_takes_its_requests_and_engine_s_time():
    alone = commit_latency(replace(REQUEST, writers=1, commit_interval_s=60.0, catalog="storage"))
    # engine, GET of metadata.json and list, PUT of manifest, list and metadata.json, swap: medians, in milliseconds
    assert alone.p50_ms == pytest.approx(82 + 2 * 26.8 + 3 * 60 + 60.8, rel=0.06)
    assert alone.p50_ms < alone.p95_ms < alone.p99_ms
    assert (alone.outcome.lost, alone.outcome.failed) == (0, 0)
    assert 0 < alone.band < 0.5


def test_larger_metadata_takes_longer():
    large = replace(REQUEST, footprint=replace(SMALL, metadata_json_bytes=20e6), writers=1, commit_interval_s=60.0)
    small = replace(REQUEST, writers=1, commit_interval_s=60.0)
    assert commit_latency(large).p50_ms - commit_latency(small).p50_ms == pytest.approx(
        (20 + 20 + 24) * (20e6 - 20e3) / 2**20, rel=0.1
    )


def test_providers_differ_as_their_requests_do():
    p50 = {name: commit_latency(replace(REQUEST, provider=name)).p50_ms for name in load_providers().stores}
    assert p50["local"] < p50["s3-express"] < p50["s3"] < p50["gcs"]


def test_a_table_sustains_as_many_commits_as_successive_attempts():
    few, many = (sustained_rate(replace(REQUEST, writers=writers)) for writers in (1, 16))
    alone_s = commit_latency(replace(REQUEST, writers=1, commit_interval_s=60.0)).p50_ms / 1000
    assert many.interval_s > few.interval_s == pytest.approx(alone_s, rel=0.15)
    below, above = (replace(REQUEST, writers=16, commit_interval_s=many.interval_s * factor) for factor in (0.6, 1.5))
    assert commit_latency(above).sustains
    assert not commit_latency(below).sustains


def test_a_lone_writer_sustains_a_commit_after_the_other():
    alone = replace(REQUEST, writers=1, catalog="storage", commit_interval_s=60.0)  # whose swap is a PUT
    found = sustained_rate(alone)
    assert found.interval_s == pytest.approx(np.mean(commit_latency(alone).outcome.commit_ms) / 1000, rel=0.03)
    assert found.ceiling_per_s * found.interval_s == pytest.approx(1)


def test_shorter_intervals_and_more_writers_lose_more():
    lost = [commit_latency(replace(REQUEST, commit_interval_s=every_s)).outcome.lost_share for every_s in (60, 5, 1)]
    assert lost == sorted(lost)
    assert lost[0] < 0.05 < lost[2]


def test_statements_commit_alongside_the_writers_and_cost_them_attempts():
    update = PeriodicStatement(name="overwrite", every_s=30.0, work_s=20.0, clash=0.05)
    beside = commit_latency(replace(REQUEST, statements=(update,), commit_interval_s=2.0))
    assert beside.statements["overwrite"].redone > 0
    assert beside.statements["overwrite"].percentile_ms(50) > beside.p50_ms
    assert beside.outcome.lost_share > commit_latency(replace(REQUEST, commit_interval_s=2.0)).outcome.lost_share


def test_an_unknown_provider_is_refused_by_name():
    with pytest.raises(WasimError, match=r"'minio' is unknown. Give local, s3,"):
        commit_latency(replace(REQUEST, provider="minio"))
    with pytest.raises(WasimError, match=r"'nessie' is unknown. Give jdbc,"):
        commit_latency(replace(REQUEST, catalog="nessie"))
