"""Times of writers, measured from recordings whose every moment is known."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.contention import QUANTILES, measure_contention
from wasim.errors import SavedFileError
from wasim.ledger import Action, Kind, Recording
from wasim.ledger.events import CommitReports, FileEvents, StepRecords
from wasim.ledger.vocabulary import OUTSIDE_COMMITS
from wasim.scenario import Case

COUNT = 22  # of two writers, 11 each; as many quantiles as one has commits
BEGAN_S = 1_000.0
Event = tuple[int, int, str, str, float]  # commit, attempt, action, kind, when


def columns(of: type, count: int, given: Mapping[str, Sequence[object]]) -> dict[str, np.ndarray]:
    """Columns of a table, zero but for those given."""
    return {one.name: np.array(given.get(one.name, np.zeros(count, dtype=int))) for one in fields(of)}


def case_of(writers: int = 2, interval_s: float = 3.0) -> Case:
    case = synthetic_case(writer="batch", interval_s=interval_s)
    return replace(case, writer=case.writer.model_copy(update={"writers": writers}))


def recording_of(
    events: list[Event], ended_s: list[float], took_s: list[float], attempts: list[int], interval_s: float = 3.0
) -> Recording:
    commits, count = np.arange(1, len(ended_s) + 1), len(ended_s)
    commit, attempt, action, kind, at_s = (list(one) for one in zip(*events, strict=True))
    seen = {"commit": commit, "attempt": attempt, "action": action, "kind": kind, "seen_at_s": at_s}
    reports = {
        "step": np.ones(count, dtype=int),
        "event_time_s": commits * interval_s,
        "reported_at_s": ended_s,
        "commit_ms": np.array(took_s) * 1000,
        "attempts": attempts,
    }
    return Recording(
        events=FileEvents(**columns(FileEvents, len(events), seen)),
        reports=CommitReports(**columns(CommitReports, count, reports)),
        steps=StepRecords(**columns(StepRecords, 1, {"step": [1], "began_at_s": [BEGAN_S]})),
    )


def written(commit: int, attempt: int, at_s: float, lag_s: float = 0.05) -> list[Event]:
    """A list, and a metadata.json a little later."""
    return [
        (commit, attempt, Action.WRITE, Kind.MANIFEST_LIST, at_s - lag_s),
        (commit, attempt, Action.WRITE, Kind.METADATA_JSON, at_s),
    ]


def retried(without: frozenset[tuple[int, int]] = frozenset()) -> Recording:
    """Of each two writers commits of two attempts: the n-th one works for n s, and needs n hundredths more to write.

    Of the attempts `without`, no metadata.json was seen.
    """
    events: list[Event] = [
        (OUTSIDE_COMMITS, 1, Action.WRITE, Kind.METADATA_JSON, 5.0),
        (OUTSIDE_COMMITS, 1, Action.WRITE, Kind.MANIFEST_LIST, 1.0),
    ]
    ended_s, took_s = [], []
    free_s = [BEGAN_S, BEGAN_S]
    for commit in range(1, COUNT + 1):
        number = (commit - 1) // 2
        read_s = free_s[commit % 2] + number
        first_s = read_s + 0.5 + number / 100
        second_s = first_s + 0.1 + 0.3 + number / 100  # a tenth of a second is the first wait
        for attempt, at_s in ((1, first_s), (2, second_s)):
            events += written(commit, attempt, at_s)[: 1 if (commit, attempt) in without else 2]
        events += [(commit, 1, Action.DELETE, Kind.METADATA_JSON, second_s + 9.0)]
        ended_s.append(second_s + 0.2)
        took_s.append(ended_s[-1] - read_s)
        free_s[commit % 2] = ended_s[-1]
    return recording_of(events, ended_s, took_s, [2] * COUNT)


def every_other(least: float, step: float) -> list[float]:
    """Quantiles of values that are `step` apart, each there twice."""
    values = np.repeat(least + step * np.arange(COUNT // 2), 2)
    return np.quantile(values, np.linspace(0, 1, QUANTILES)).tolist()


def test_parts_of_a_commit_lie_between_its_moments():
    found = measure_contention(retried(), case_of())
    assert (found.catalog, found.writers, found.ms_per_mib) == (case_of().environment.catalog, 2, None)
    assert found.work_s == pytest.approx(every_other(0.0, 1.0), abs=6e-5)
    assert found.first_attempt_s == pytest.approx(every_other(0.5, 0.01), abs=6e-5)
    assert found.later_attempt_s == pytest.approx(every_other(0.3, 0.01), abs=6e-5)
    assert found.write_s == pytest.approx([0.05] * QUANTILES, abs=6e-5)
    assert found.finish_s == pytest.approx([0.2] * QUANTILES, abs=6e-5)


def test_a_refused_attempt_would_have_written_by_the_usual_lag():
    refused = frozenset((commit, 1) for commit in range(3, COUNT + 1))
    found, whole = (measure_contention(one, case_of()) for one in (retried(refused), retried()))
    for part in ("work_s", "first_attempt_s", "later_attempt_s", "finish_s"):
        assert getattr(found, part) == pytest.approx(getattr(whole, part), abs=6e-5)


def test_a_commit_whose_files_nobody_saw_is_left_out():
    whole = retried()
    events = whole.events
    slowest = events.commit > COUNT - 2
    left = replace(whole, events=events.where(~(slowest & (events.attempt == 2))))
    found = measure_contention(left, case_of())
    assert found.work_s[-1] == pytest.approx(COUNT / 2 - 2, abs=6e-5)
    assert found.first_attempt_s[-1] == pytest.approx(0.59, abs=6e-5)


def test_a_third_attempt_waits_twice_as_long():
    events, ended_s = [], []
    for commit in range(1, 7):
        read_s = BEGAN_S + 10 * commit
        moments_s = (read_s + 0.5, read_s + 0.5 + 0.1 + 0.3, read_s + 0.5 + 0.1 + 0.3 + 0.2 + 0.3)
        for attempt, at_s in enumerate(moments_s, 1):
            events += written(commit, attempt, at_s)
        ended_s.append(moments_s[-1] + 0.2)
    took_s = [1.6] * 6
    found = measure_contention(recording_of(events, ended_s, took_s, [3] * 6), case_of())
    assert found.later_attempt_s == pytest.approx([0.3] * QUANTILES, abs=6e-5)
    assert found.finish_s == pytest.approx([0.2] * QUANTILES, abs=6e-5)


@pytest.mark.parametrize(("commits", "is_enough"), [(4, False), (5, True)])
def test_five_times_of_each_part_are_needed(commits: int, is_enough: bool):
    events, ended_s = [], []
    for commit in range(1, commits + 1):
        at_s = BEGAN_S + 10 * commit
        events += [*written(commit, 1, at_s), *written(commit, 2, at_s + 1)]
        ended_s.append(at_s + 1.2)
    recording = recording_of(events, ended_s, [1.0] * commits, [2] * commits)
    if is_enough:
        # what cannot be, as clocks of two machines differ, counts as nothing
        assert min(measure_contention(recording, case_of()).first_attempt_s) == 0
    else:
        with pytest.raises(SavedFileError, match="too few commits"):
            measure_contention(recording, case_of())
    nothing = replace(recording, events=recording.events.where(recording.events.kind == Kind.DATA))
    with pytest.raises(SavedFileError, match="too few commits"):
        measure_contention(nothing, case_of())
