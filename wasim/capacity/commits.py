"""Commit latency of a setting in the request's store, with its concurrent writers, and the bytes of lost attempts."""

from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING

from wasim.capacity.request import PlanRequest
from wasim.contention import (
    LOCAL,
    CommitLatency,
    Footprint,
    LatencyRequest,
    SustainedRate,
    arrivals_of,
    commit_latency,
    statements_of,
    sustained_rate,
)
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.twin import shipped_profile
from wasim.twin.profile import tables_in_turn

if TYPE_CHECKING:
    from wasim.capacity.figures import Figures

RACE_COMMITS = 1000  # commits of a race
RACED_EVERY, JOB_RUNS, MOST_COMMITS = 4, 60, 4000  # the pace of raced jobs, in intervals or their own time; their runs
MOST_FAILED = 0.05  # of a job's runs
RETRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LosingJob:
    """A maintenance job that loses some of its races with the writers' commits.

    `share` of its runs fail; with `RETRIES` retries instead of the table's own it is `share_retried`.
    """

    name: str
    share: float
    share_retried: float


def losing_jobs(figures: "Figures", case: Case, request: PlanRequest) -> tuple[LosingJob, ...]:
    """The case's jobs of which more than `MOST_FAILED` fail, at the end of the horizon, the worst first; none on local
    files, where attempts take milliseconds.
    """
    if request.provider == LOCAL:
        return ()
    size, interval_s = figures.footprint, figures.setting.interval_s
    # how often a job runs does not decide how it ends, as long as its runs do not overlap
    jobs = tuple(
        replace(one, every_s=max(RACED_EVERY * interval_s, RACED_EVERY * one.work_s))
        for one in statements_of(case, figures.values["manifests"], size.manifest_bytes)
    )
    asked = latency_request(size, interval_s, case, request)
    commits = int(max((one.every_s for one in jobs), default=0.0) * JOB_RUNS / interval_s)
    asked = replace(asked, statements=jobs, commits=min(max(commits, RACE_COMMITS), MOST_COMMITS))
    ends = commit_latency(asked).statements
    if all(one.failed_share <= MOST_FAILED for one in ends.values()):
        return ()
    retries = max(RETRIES, asked.properties.commit_num_retries)
    patient = replace(asked, properties=replace(asked.properties, commit_num_retries=retries))
    retried = commit_latency(patient).statements
    losing = (
        LosingJob(name=name, share=one.failed_share, share_retried=retried[name].failed_share)
        for name, one in ends.items()
        if one.failed_share > MOST_FAILED
    )
    return tuple(sorted(losing, key=lambda one: -one.share))


def sustained(commit: CommitLatency, case: Case) -> SustainedRate:
    """The most such commits a second that land, and the shortest interval at which 95 % of the case's do: its own, if
    they do there.
    """
    rate = sustained_rate(commit.request, seen=commit)
    return replace(rate, interval_s=rate.interval_s * tables_in_turn(case))


def latency_request(footprint: Footprint, interval_s: float, case: Case, request: PlanRequest) -> LatencyRequest:
    """What to model: commits of this footprint by the request's writers; `case` is any of the request's cases.

    They arrive as the scenario says; at random, too, where each came as soon as its writer is free: a plan sets when.
    """
    arrivals = arrivals_of(case, request.provider)
    return LatencyRequest(
        provider=request.provider,
        footprint=footprint,
        commit_interval_s=interval_s,
        writers=request.writers,
        arrivals="at_random" if arrivals == "when_free" else arrivals,
        catalog=case.catalog,
        properties=TableProperties.read(case.table.properties),
        measured=shipped_profile(case).together,
        commits=RACE_COMMITS,
    )


def rounded(footprint: Footprint) -> Footprint:
    """The footprint with sizes rounded to powers of two, so that settings of similar footprints share a race."""
    names = ("metadata_json_bytes", "json_text_bytes", "manifest_list_bytes", "manifest_bytes")
    return replace(footprint, **{name: 2.0 ** round(log2(max(getattr(footprint, name), 1.0))) for name in names})
