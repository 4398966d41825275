"""How long a setting's commits take where the table lies, against other writers, and how many a second land."""

from dataclasses import replace

from wasim.capacity.figures import Figures
from wasim.capacity.request import PlanRequest
from wasim.contention import CommitLatency, LatencyRequest, SustainedRate, commit_latency, retry_policy, sustained_rate
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case

RACED = 1000  # commits of a race


def with_commits(figures: Figures, case: Case, request: PlanRequest) -> Figures:
    """The figures with the latency of commits at the end of the horizon, when metadata.json is largest."""
    return replace(figures, commit=commit_latency(_latency_request(figures, case, request)))


def sustained(commit: CommitLatency) -> SustainedRate:
    """How many such commits a second land at most, and the smallest interval at which they all do."""
    return sustained_rate(commit.request)


def _latency_request(figures: Figures, case: Case, request: PlanRequest) -> LatencyRequest:
    return LatencyRequest(
        provider=request.provider,
        footprint=figures.footprint,
        commit_interval_s=figures.setting.interval_s,
        writers=request.writers,
        catalog=case.environment.catalog,
        policy=retry_policy(TableProperties.read(case.table.properties)),
        commits=RACED,
    )
