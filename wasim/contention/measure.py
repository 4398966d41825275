"""Times of concurrent writers, from the recording of a real case."""

from itertools import pairwise
from typing import Any

import numpy as np

from wasim.contention.conflicts import wait_ms
from wasim.contention.writer_times import PARTS, QUANTILES, Quantiles, WriterTimes
from wasim.errors import SavedFileError
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Action, Kind, Recording
from wasim.ledger.vocabulary import OUTSIDE_COMMITS
from wasim.scenario import Case

LEAST_TIMES = 5


def measure_contention(recording: Recording, case: Case) -> WriterTimes:
    """Quantiles of each part of a commit, over the case's successful commits.

    A commit's report gives its end, and its duration since it first read the table. Its work begins where the same
    writer's previous commit ended, or else at its step's line. An attempt ends when its metadata.json is written, by
    the file event; where a server refused to write one, it would have followed the manifest list by the median lag of
    the others. A commit with an attempt that wrote neither is left out. SavedFileError where fewer than `LEAST_TIMES`
    of any part are left.
    """
    reports = recording.reports
    began_at_s = dict(zip(recording.steps.step.tolist(), recording.steps.began_at_s.tolist(), strict=True))
    commits = np.round(reports.event_time_s / case.commit_interval_s).astype(int)
    ended = dict(zip(commits.tolist(), reports.reported_at_s.tolist(), strict=True))
    own = TableProperties.read(case.table.properties)
    at_s, listed_s = (_written_s(recording, kind) for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST))
    lags_s = [at_s[one] - listed_s[one] for one in at_s.keys() & listed_s.keys()]
    if not lags_s:
        raise _too_few(case)
    lag_s = float(np.median(lags_s))
    come_s = {one: seen_s + lag_s for one, seen_s in listed_s.items()} | at_s
    found: dict[str, list[float]] = {part: [] for part in PARTS} | {"write_s": lags_s}
    for row, attempts in enumerate(reports.attempts.tolist()):
        tried = [(row + 1, attempt) for attempt in range(1, attempts + 1)]
        if not come_s.keys() >= set(tried):
            continue
        ended_s = float(reports.reported_at_s[row])
        read_s = ended_s - float(reports.commit_ms[row]) / 1000
        written_s = [come_s[one] for one in tried]
        before = ended.get(int(commits[row]) - case.writer.writers)
        found["work_s"].append(read_s - (before or began_at_s[int(reports.step[row])]))
        found["first_attempt_s"].append(written_s[0] - read_s)
        for number, (earlier, later) in enumerate(pairwise(written_s), 1):
            waited_ms = wait_ms(number, own.commit_min_retry_wait_ms, own.commit_max_retry_wait_ms)
            found["later_attempt_s"].append(later - earlier - waited_ms / 1000)
        found["finish_s"].append(ended_s - written_s[-1])
    if min(map(len, found.values())) < LEAST_TIMES:
        raise _too_few(case)
    times: dict[str, Any] = {part: _quantiles(seen) for part, seen in found.items()}
    return WriterTimes(catalog=case.environment.catalog, writers=case.writer.writers, **times)


def _too_few(case: Case) -> SavedFileError:
    return SavedFileError(
        f"{case.label}: too few commits, or too few second attempts, to measure writers by. Give a longer horizon."
    )


def _written_s(recording: Recording, kind: Kind) -> dict[tuple[int, int], float]:
    """When each attempt of each reported commit, both from 1, wrote its file of that kind."""
    events = recording.events
    chosen = (events.action == Action.WRITE) & (events.kind == kind) & (events.commit != OUTSIDE_COMMITS)
    attempts = zip(events.commit[chosen].tolist(), events.attempt[chosen].tolist(), strict=True)
    return dict(zip(attempts, events.seen_at_s[chosen].tolist(), strict=True))


def _quantiles(seen_s: list[float]) -> Quantiles:
    quantiles = np.quantile(np.maximum(seen_s, 0.0), np.linspace(0, 1, QUANTILES))
    return tuple(round(float(one), 4) for one in quantiles)
