"""How long commits take, and how many a table sustains, by provider."""

from dataclasses import replace

import numpy as np
import pytest
from support.races import constant

from wasim.contention import (
    Footprint,
    LatencyRequest,
    PeriodicStatement,
    Providers,
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


def even(p50_ms: float, known: str = "measured", ms_per_mib: float = 0.0) -> dict[str, object]:
    """A request that always takes as long."""
    about = {"known": known, "source": "by hand", "as_of": "2026-01-01"}
    return {"p50_ms": p50_ms, "p99_ms": p50_ms, "ms_per_mib": ms_per_mib, **about}


EVEN = Providers.model_validate(
    {
        "version": 1,
        "engine": even(100, "estimated"),
        "stores": {
            "even": {"title": "Even", "get": even(10), "put": even(20), "swap": even(30, "derived")},
            "local": {"title": "Here", "get": even(0), "put": even(0), "swap": even(0)},
        },
        "catalogs": {"jdbc": even(40)},
    }
)
# engine; GETs of metadata.json and list; PUTs of list and metadata.json, and of the manifest; the swap
RETRY_MS, FIRST_MS = 100 + 20 + 40 + 40, 100 + 20 + 60 + 40
ALONE = LatencyRequest(
    provider="even", footprint=SMALL, commit_interval_s=10.0, arrivals="evenly", commits=100, catalog="jdbc"
)


def test_a_lone_commit_of_even_requests_takes_their_sum():
    found = commit_latency(ALONE, EVEN)
    assert (found.p50_ms, found.p95_ms, found.p99_ms) == pytest.approx((FIRST_MS,) * 3)
    assert found.band == pytest.approx((0.5 * 100 + 0.15 * (20 + 60 + 40)) / FIRST_MS, abs=1e-3)
    assert (found.outcome.commits, found.outcome.lost) == (95, 0)  # one in twenty warms up
    assert found.statements == {}
    rate = sustained_rate(ALONE, EVEN)
    assert (rate.interval_s, rate.ceiling_per_s) == pytest.approx((FIRST_MS / 1000, 1000 / FIRST_MS))
    swapped = commit_latency(replace(ALONE, catalog="storage"), EVEN)  # whose swap is the store's
    assert swapped.p50_ms == pytest.approx(FIRST_MS - 10)


def test_jobs_before_commits_are_no_part_of_their_latency():
    busy = commit_latency(replace(ALONE, work_s=(3.0, 3.0)), EVEN)
    assert busy.p50_ms == pytest.approx(FIRST_MS)
    every_s = 2.0  # of three seconds of work: commits queue up
    assert not commit_latency(replace(ALONE, work_s=(3.0, 3.0), commit_interval_s=every_s), EVEN).sustains
    assert commit_latency(replace(ALONE, commit_interval_s=every_s), EVEN).sustains


def test_two_writers_land_as_often_as_one_swap_leaves_room():
    asked = replace(
        ALONE,
        writers=2,
        commits=1500,
        properties=replace(ALONE.properties, commit_min_retry_wait_ms=5, commit_max_retry_wait_ms=15),
    )
    rate = sustained_rate(asked, EVEN)
    # no commit lands sooner after another than a retry takes
    assert 1000 / FIRST_MS < rate.ceiling_per_s <= 1000 / RETRY_MS * 1.001
    assert rate.interval_s >= RETRY_MS / 1000
    landed = commit_latency(replace(asked, commit_interval_s=rate.interval_s), EVEN).outcome
    assert landed.landed_per_s * rate.interval_s > 0.94
    assert sustained_rate(replace(asked, commit_interval_s=77.0), EVEN) == rate  # whatever interval was asked for
    seen = commit_latency(replace(asked, commit_interval_s=rate.interval_s), EVEN)
    twice = replace(seen.outcome, seconds=seen.outcome.seconds / 2)
    half_s = rate.interval_s / 2
    seen = replace(seen, request=replace(asked, commit_interval_s=half_s), outcome=twice)
    held = sustained_rate(asked, EVEN, seen=seen)
    assert (held.interval_s, held.ceiling_per_s) == (half_s, twice.landed_per_s)


def test_local_writers_take_measured_times_and_their_json_s():
    providers = EVEN.model_copy(update={"engine": EVEN.engine.model_copy(update={"ms_per_mib": 50.0})})
    measured = replace(constant(work_s=2.0, first_s=0.4, finish_s=0.1), writers=2)
    large = replace(SMALL, metadata_json_bytes=2.0 * 2**20)
    asked = replace(ALONE, provider="local", writers=2, measured=(measured,), footprint=large)
    found = commit_latency(asked, providers)
    assert found.p50_ms == pytest.approx(400 + 2 * 50 + 100)
    assert found.band == pytest.approx(0.3)
    assert "own runs" in found.basis[0]
    busy = replace(asked, commit_interval_s=1.0, commits=400)  # two seconds of work each, of two writers
    assert not commit_latency(busy, providers).sustains
    assert commit_latency(replace(busy, work_s=(0.1, 0.1)), providers).sustains
    alone = commit_latency(replace(asked, writers=1), providers)  # which was not measured, but modelled
    assert alone.p50_ms == pytest.approx(100 + 2 * 50 + 40)
    elsewhere = commit_latency(replace(asked, provider="even", footprint=SMALL), EVEN)
    assert elsewhere.p50_ms == pytest.approx(FIRST_MS)
    assert "requests to Even as published (reads 2026-01-01" in elsewhere.basis[0]


def test_a_statement_takes_its_manifests_and_looks_at_what_landed():
    job = PeriodicStatement(name="compact", every_s=100.0, work_s=25.0, first_reads=8.0, later_reads=2.0)
    found = commit_latency(replace(ALONE, statements=(job,)), EVEN).statements["compact"]
    # three commits land while it works, and one while it does for the last time; each is validated by two GETs
    reading_ms = 8 * 10 + 20
    assert found.commit_ms == pytest.approx([FIRST_MS + reading_ms + commits * 20 for commits in (1, *(9 * [3]))])
    assert found.lost == 0
    blind = replace(job, validates=False)
    ends = commit_latency(replace(ALONE, statements=(blind, replace(job, name="later", every_s=170.0))), EVEN)
    assert ends.statements["compact"].commit_ms == pytest.approx([FIRST_MS + reading_ms] * 10)
    assert [(name, one.commits) for name, one in ends.statements.items()] == [("compact", 10), ("later", 5)]
    assert ends.outcome.commits == 95


def test_a_statement_that_clashes_fails_or_begins_again():
    job = PeriodicStatement(name="update", every_s=100.0, work_s=25.0, clash=1.0)
    fails = commit_latency(replace(ALONE, statements=(replace(job, redoes=False),)), EVEN).statements["update"]
    assert (fails.failed_share, fails.redone) == (1.0, 0)
    again = commit_latency(replace(ALONE, statements=(job,), commit_interval_s=60.0), EVEN).statements["update"]
    assert again.failed == 0
    assert again.redone > 0
    harmless = commit_latency(replace(ALONE, statements=(replace(job, clash=0.0),)), EVEN).statements["update"]
    assert harmless.redone == harmless.failed == 0


def test_percentiles_are_of_all_commits_that_landed():
    found = commit_latency(replace(REQUEST, commits=2000))
    landed_ms = np.sort(found.outcome.commit_ms)
    for percent, ms in ((50, found.p50_ms), (95, found.p95_ms), (99, found.p99_ms)):
        assert ms == pytest.approx(landed_ms[round((len(landed_ms) - 1) * percent / 100)], rel=2e-3)
