"""Races compared with what was measured and published: `python -m tools.contention`.

Three tables in Markdown: attempts a second; recorded runs on real Spark; the figures that the one public simulator of
commit contention has published (C. Douglas, endive; its posts of March 2026 as corrected on 2026-06-09).
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from wasim.contention import (
    CONFLICT_RULES,
    Footprint,
    LatencyRequest,
    Outcome,
    Providers,
    RaceRules,
    WriterGroup,
    commit_latency,
    load_providers,
    outcome_of,
    race,
    races,
    sustained_rate,
    times_among,
)
from wasim.iceberg.properties import TableProperties
from wasim.twin import profile_named

COMMITS, MANY_COMMITS = 8_000, 80_000  # of a race, and of one whose speed is measured
MANY = 4000  # writers, so that no commit waits for its own


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """A real run of 40 commits: shares of attempts and commits; commits a second where the machine was quiet."""

    catalog: str
    writers: int
    retries: int
    lost_share: float
    failed_share: float
    commits_per_s: float | None = None


RECORDED = (
    RecordedRun(catalog="jdbc", writers=2, retries=1, lost_share=0.26, failed_share=0, commits_per_s=5.5),
    RecordedRun(catalog="jdbc", writers=4, retries=1, lost_share=0.51, failed_share=9 / 40, commits_per_s=4.7),
    RecordedRun(catalog="jdbc", writers=8, retries=1, lost_share=0.69, failed_share=16 / 40, commits_per_s=4.2),
    RecordedRun(catalog="in_memory", writers=2, retries=1, lost_share=0.25, failed_share=0),
    RecordedRun(catalog="in_memory", writers=4, retries=1, lost_share=0.57, failed_share=9 / 40),
    RecordedRun(catalog="in_memory", writers=8, retries=1, lost_share=0.69, failed_share=18 / 40),
    RecordedRun(catalog="hadoop", writers=2, retries=5, lost_share=0.15, failed_share=0),
    RecordedRun(catalog="hadoop", writers=4, retries=5, lost_share=0.40, failed_share=0),
    RecordedRun(catalog="rest", writers=2, retries=5, lost_share=0.20, failed_share=0),
    RecordedRun(catalog="rest", writers=4, retries=5, lost_share=0.60, failed_share=0),
)
"""From docs/decisions/0009 and docs/scenarios.md: a virtual clock, waits of 5 to 20 ms, two cores."""

PUBLISHED_PER_S = {"s3-express": 14.6, "azure-premium": 2.4, "s3": 1.8, "azure": 1.8, "gcs": 0.4}
"""Commits a second that one table takes with over 95 % success, fast appends alone: the last of some rates tried."""

PUBLISHED_S3 = {0.02: (0.139, 1443, 2767), 0.1: (0.559, 1337, 2792)}
"""By mean seconds between commits, on S3 with a swap of 10 ms: share that succeeds, mean and 99th percentile in ms."""

PEER_POLICY = TableProperties(
    commit_num_retries=10, commit_min_retry_wait_ms=0, commit_max_retry_wait_ms=0, commit_total_retry_time_ms=1_800_000
)
PEER_FOOTPRINT = Footprint(
    metadata_json_bytes=10_240, manifest_list_bytes=10_240, manifest_bytes=0, manifests_written=0
)


def raced(one: RecordedRun, commits: int = COMMITS) -> Outcome:
    """The race that stands for a recorded run, over thousands of commits."""
    policy = replace(
        TableProperties(), commit_num_retries=one.retries, commit_min_retry_wait_ms=5, commit_max_retry_wait_ms=20
    )
    times = times_among(profile_named("spark_batch").together, one.catalog, one.writers)
    rules = RaceRules(
        groups=(WriterGroup(writers=one.writers, times=times),), properties=policy, rule=CONFLICT_RULES[one.catalog]
    )
    attempts = race(range(1, commits + 1), np.zeros(commits), rules, np.random.default_rng(0))
    return outcome_of(attempts, skip=commits // 20)


def without_engine(*, swap_ms: float | None = None) -> Providers:
    """The shipped providers as the public simulator has them: an engine takes no time; S3's swap, if given, so long."""
    providers = load_providers()
    engine = providers.engine.model_copy(update={"p50_ms": 0.0, "p99_ms": 0.0, "ms_per_mib": 0.0})
    stores = dict(providers.stores)
    if swap_ms is not None:
        swap = stores["s3"].swap.model_copy(update={"p50_ms": swap_ms, "p99_ms": swap_ms})
        stores["s3"] = stores["s3"].model_copy(update={"swap": swap})
    return providers.model_copy(update={"engine": engine, "stores": stores})


def peer_request(provider: str, commit_interval_s: float = 1.0) -> LatencyRequest:
    """The public simulator's single table: a catalog in the store, independent writers, ten retries at once."""
    return LatencyRequest(
        provider=provider,
        footprint=PEER_FOOTPRINT,
        commit_interval_s=commit_interval_s,
        writers=MANY,
        catalog="storage",
        properties=PEER_POLICY,
        commits=COMMITS,
    )


def _speed() -> Iterator[str]:
    yield "| writers | attempts | CPU | attempts a second |"
    yield "|--:|--:|--:|--:|"
    for compiled in (False, True):
        races.BEFORE_LOADING = races.BEFORE_COMPILING = 0 if compiled else MANY_COMMITS**2
        raced(RECORDED[0])  # what was compiled is loaded
        for one in RECORDED[:3]:
            started_s = time.process_time()
            attempts = raced(one, MANY_COMMITS).attempts
            spent_s = time.process_time() - started_s
            how = ", compiled" if compiled else ""
            yield f"| {one.writers}{how} | {attempts:,} | {spent_s:.2f} s | {attempts / spent_s:,.0f} |"


def _beside_recorded() -> Iterator[str]:
    yield "| catalog, writers | lost, real | lost, raced | failed, real | failed, raced | commits/s, real | raced |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for one in RECORDED:
        found = raced(one)
        rate = "" if one.commits_per_s is None else f"{one.commits_per_s:.1f}"
        yield (
            f"| {one.catalog}, {one.writers} | {one.lost_share:.0%} | {found.lost_share:.0%} | {one.failed_share:.0%}"
            f" | {found.failed_share:.0%} | {rate} | {found.landed_per_s:.1f} |"
        )


def _beside_published() -> Iterator[str]:
    free, shipped = without_engine(), load_providers()
    yield "| commits/s sustained | published | requests, their retries | requests, Iceberg's | with the engine too |"
    yield "|---|--:|--:|--:|--:|"
    for provider, published in PUBLISHED_PER_S.items():
        theirs = peer_request(provider)
        icebergs = replace(theirs, properties=TableProperties())
        whole = replace(icebergs, footprint=replace(PEER_FOOTPRINT, manifest_bytes=10_240, manifests_written=1))
        rates = [
            1 / sustained_rate(request, providers).interval_s
            for request, providers in ((theirs, free), (icebergs, free), (whole, shipped))
        ]
        cells = " | ".join(f"{rate:.1f}" for rate in rates)
        yield f"| {provider} | {published} | {cells} |"
    yield ""
    yield "| S3, swap of 10 ms, a commit every | succeed, published | raced | mean | raced | p99 | raced |"
    yield "|--:|--:|--:|--:|--:|--:|--:|"
    for interval_s, (succeed, mean_ms, p99_ms) in PUBLISHED_S3.items():
        found = commit_latency(peer_request("s3", interval_s), without_engine(swap_ms=10.0)).outcome
        yield (
            f"| {1000 * interval_s:.0f} ms | {succeed:.1%} | {1 - found.failed_share:.1%} | {mean_ms:,} ms"
            f" | {found.commit_ms.mean():,.0f} ms | {p99_ms:,} ms | {found.percentile_ms(99):,.0f} ms |"
        )


def main() -> None:
    """Prints the three tables."""
    for part in (_speed, _beside_recorded, _beside_published):
        print("\n".join(part()), end="\n\n")


if __name__ == "__main__":
    main()
