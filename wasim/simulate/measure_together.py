"""Times of several writers at work at once, from the recording of a real case."""

from itertools import pairwise

import numpy as np

from wasim.errors import SavedFileError
from wasim.ledger import Action, Kind, Recording
from wasim.scenario import Case
from wasim.simulate.race import retry_policy
from wasim.simulate.writer_times import PARTS, QUANTILES, Quantiles, WriterTimes

LEAST_TIMES = 5


def measure_together(recording: Recording, case: Case) -> WriterTimes:
    """What the case's writers took, each part of a commit, over its commits that came about.

    A commit's report says when it ended and how long it took since it first read the table; the end of its writer's
    commit before, or else its step's line, when its work began; the time of each attempt's metadata.json is in its
    event. One that a server refused to write would have come as long after its list as others did, and one that takes
    the version by being written is the end of its attempt. SavedFileError where too few commits tell.
    """
    reports = recording.reports
    began_at_s = dict(zip(recording.steps.step.tolist(), recording.steps.began_at_s.tolist(), strict=True))
    commits = np.round(reports.event_time_s / case.commit_interval_s).astype(int)
    ended = dict(zip(commits.tolist(), reports.reported_at_s.tolist(), strict=True))
    policy = retry_policy(case.table.properties)
    lag_s = _lag_s(recording)
    found: dict[str, list[float]] = {part: [] for part in PARTS}
    for row, attempts in enumerate(reports.attempts.tolist()):
        ended_s = float(reports.reported_at_s[row])
        read_s = ended_s - float(reports.commit_ms[row]) / 1000
        at_s = _written_s(recording, row + 1, Kind.METADATA_JSON)
        listed_s = _written_s(recording, row + 1, Kind.MANIFEST_LIST)
        written_s = [at_s.get(attempt, listed_s[attempt] + lag_s) for attempt in range(1, attempts + 1)]
        before = ended.get(int(commits[row]) - case.writer.writers)
        found["work_s"].append(read_s - (before or began_at_s[int(reports.step[row])]))
        found["first_attempt_s"].append(written_s[0] - read_s)
        for number, (earlier, later) in enumerate(pairwise(written_s), 1):
            found["later_attempt_s"].append(later - earlier - policy.wait_ms(number) / 1000)
        found["finish_s"].append(ended_s - written_s[-1])
    if min(map(len, found.values())) < LEAST_TIMES:
        raise SavedFileError(
            f"{case.label}: too few commits, or too few second attempts, to tell the writers' times. Give a longer"
            " horizon."
        )
    times = {part: _quantiles(seen) for part, seen in found.items()}
    return WriterTimes(catalog=case.environment.catalog, writers=case.writer.writers, **times)


def _written_s(recording: Recording, commit: int, kind: Kind) -> dict[int, float]:
    """When each attempt of a commit wrote its file of that kind."""
    events = recording.events
    chosen = (events.action == Action.WRITE) & (events.kind == kind) & (events.commit == commit)
    return dict(zip(events.attempt[chosen].tolist(), events.seen_at_s[chosen].tolist(), strict=True))


def _lag_s(recording: Recording) -> float:
    """How long after its list a metadata.json is written, in the middle."""
    lags = []
    for commit in range(1, len(recording.reports) + 1):
        listed_s = _written_s(recording, commit, Kind.MANIFEST_LIST)
        lags += [at_s - listed_s[one] for one, at_s in _written_s(recording, commit, Kind.METADATA_JSON).items()]
    return float(np.median(lags))


def _quantiles(seen_s: list[float]) -> Quantiles:
    quantiles = np.quantile(np.maximum(seen_s, 0.0), np.linspace(0, 1, QUANTILES))
    return tuple(round(float(one), 4) for one in quantiles)
