"""Commit latency of a setting in the request's store, with its concurrent writers, and the bytes of lost attempts."""

from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

from wasim.capacity.request import PlanRequest
from wasim.contention import (
    CommitLatency,
    Footprint,
    LatencyRequest,
    SustainedRate,
    commit_latency,
    retry_policy,
    sustained_rate,
)
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.twin import shipped_profile

if TYPE_CHECKING:
    from wasim.capacity.figures import Figures

RACE_COMMITS = 1000  # commits of a race


def with_commits(figures: "Figures", case: Case, request: PlanRequest) -> "Figures":
    """The figures with the latency of commits at the end of the horizon, when metadata.json is largest."""
    asked = latency_request(figures.footprint, figures.setting.interval_s, case, request)
    return replace(figures, commit=commit_latency(asked))


def sustained(commit: CommitLatency) -> SustainedRate:
    """The most such commits a second that land, and the shortest interval at which 95 % of them do."""
    return sustained_rate(commit.request)


def latency_request(footprint: Footprint, interval_s: float, case: Case, request: PlanRequest) -> LatencyRequest:
    """What to model: commits of this footprint by the request's writers; `case` is any of the request's cases."""
    return LatencyRequest(
        provider=request.provider,
        footprint=footprint,
        commit_interval_s=interval_s,
        writers=request.writers,
        catalog=case.environment.catalog,
        policy=retry_policy(TableProperties.read(case.table.properties)),
        arrivals=request.arrivals,
        measured=shipped_profile(case).together,
        commits=RACE_COMMITS,
    )


def rounded(footprint: Footprint) -> Footprint:
    """The footprint with sizes rounded to powers of two, so that settings of similar footprints share a race."""

    def nearest(size: float) -> float:
        return 2.0 ** round(log2(max(size, 1.0)))

    return replace(
        footprint,
        metadata_json_bytes=nearest(footprint.metadata_json_bytes),
        json_text_bytes=nearest(footprint.json_text_bytes),
        manifest_list_bytes=nearest(footprint.manifest_list_bytes),
        manifest_bytes=nearest(footprint.manifest_bytes),
    )
