"""At which interval a writer keeps up with a table that ages, and until when it does at the intervals of the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from wasim.fit.cost import WriterFit, predict_horizon
from wasim.fit.future import DAY_S, MONTH_S, YEAR_S, cases_by_table
from wasim.fit.groups import name_without_interval
from wasim.fit.report import Estimate, HeldOut, KeepsUp, Slope, SustainableInterval
from wasim.fit.robust import RobustFit
from wasim.ledger import Kind
from wasim.model import keeps_up_for_s, smallest_sustainable_interval_s
from wasim.model.cadence import ENDLESS
from wasim.model.drivers import appends_cadence
from wasim.scenario.case import Case
from wasim.units import Floats

HORIZONS_S = (DAY_S, 7 * DAY_S, MONTH_S, YEAR_S)
MOST_METADATA_BYTES_PER_S = 2.0**30  # what no writer is taken to sustain
_FAR = 100_001  # commits, by when a commit grows in proportion to its number
LEAST_R_SQUARED_OF_LOADS = 0.5  # below it, loads are as long for a small metadata.json as for a large one
LEAST_R_SQUARED = 0.1  # below it, a law of steps explains no more than one constant does


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLaw:
    """What a step costs as the table ages: best law first, then one per draw, in ms as in `latency._TERMS`.

    Where the run saw no slowing down, the milliseconds per snapshot are those of reading metadata.json alone.
    """

    laws: Floats
    slope: Slope
    r_squared: float


def find_sustainable(
    writer: WriterFit, step: RobustFit, load: RobustFit | None, held_out: Sequence[HeldOut] = ()
) -> tuple[tuple[SustainableInterval, ...], tuple[KeepsUp, ...]]:
    """The smallest interval that still holds at the end of each horizon, by table, and until when each interval does.

    Every commit reads metadata.json before it writes the next, so a snapshot costs it at least what the run's own table
    loads say that the snapshot's bytes take to read: ms per snapshot ≥ ms per MB · bytes per snapshot. Where the
    slope's interval does not lie above that, or the law of steps predicts no better than one constant (`held_out` are
    its predictions), the run was too short to see commits slow down, and reading is what counts: a lower bound.
    """
    load = load if load is not None and load.r_squared >= LEAST_R_SQUARED_OF_LOADS else None
    skilled = step.r_squared >= LEAST_R_SQUARED and all(abs(row.error) < abs(row.naive_error) for row in held_out)
    intervals: list[SustainableInterval] = []
    keeping: list[KeepsUp] = []
    for cases in cases_by_table(writer.group):
        law = _law_of_steps(writer, cases[0], step, load, skilled=skilled)
        intervals += [_smallest_interval(writer, cases[0], law, horizon) for horizon in HORIZONS_S]
        keeping += [_keeps_up(writer, case, law) for case in cases]
    return tuple(intervals), tuple(keeping)


def assume_writable(writer: WriterFit) -> tuple[KeepsUp, ...]:
    """Until when a commit of each case writes no more than any writer is taken to sustain; where no commit was timed.

    Commits grow by the same bytes each, nearly: the n-th writes n/m of what the m-th does, for large m.
    """
    cases = [case for cases in cases_by_table(writer.group) for case in cases]
    return tuple(_writable(writer, case) for case in cases)


def _writable(writer: WriterFit, case: Case) -> KeepsUp:
    """Where no slowing down was seen, and no load that would bound it."""
    interval_s = case.commit_interval_s
    before, after = predict_horizon(writer, case, ((_FAR - 1) * interval_s, _FAR * interval_s))
    written = after.metadata_bytes.best - before.metadata_bytes.best
    until_s = _FAR * interval_s * MOST_METADATA_BYTES_PER_S * interval_s / max(written, 1.0)
    return KeepsUp(
        writer=writer.group.name,
        case=name_without_interval(case),
        commit_interval_s=interval_s,
        until_s=until_s,
        slope="writing",
        commits_seen=_commits_seen(writer),
        metadata_bytes=predict_horizon(writer, case, (min(until_s, YEAR_S),))[0].metadata_bytes,
    )


def _law_of_steps(writer: WriterFit, case: Case, step: RobustFit, load: RobustFit | None, *, skilled: bool) -> StepLaw:
    laws = np.vstack([step.coefficients, step.draws])
    reading_ms = _reading_ms(writer, case, load, len(laws))
    slope: Slope = "measured"
    if not skilled or np.percentile(step.draws[:, 1], 2.5) <= reading_ms[0]:
        slope = "reading" if load else "unseen"
        laws[:, 1] = reading_ms
    else:
        laws[:, 1] = np.maximum(laws[:, 1], reading_ms)
    return StepLaw(laws=laws, slope=slope, r_squared=step.r_squared)


def _smallest_interval(writer: WriterFit, case: Case, law: StepLaw, horizon_s: float) -> SustainableInterval:
    at_rest, per_commit = _manifests_at_end(writer, case, horizon_s)
    intervals = smallest_sustainable_interval_s(
        base_ms=law.laws[:, 0] + law.laws[:, 2] * at_rest,
        commit_ms=law.laws[:, 1] + law.laws[:, 2] * per_commit,
        row_ms=law.laws[:, 3],
        rows_per_second=case.workload.rows_per_second,
        horizon_s=horizon_s,
    )
    low, high = np.percentile(intervals[1:], [2.5, 97.5])
    best = float(intervals[0])
    measured = Estimate(low=min(float(low), best), best=best, high=max(float(high), best))
    return SustainableInterval(
        writer=writer.group.name,
        case=name_without_interval(case),
        horizon_s=horizon_s,
        interval_s=measured if law.slope == "measured" else Estimate(low=best, best=best, high=inf),
        slope=law.slope,
        r_squared=law.r_squared,
        commits_seen=_commits_seen(writer),
    )


def _commits_seen(writer: WriterFit) -> int:
    return max(len(one.ledger) for one in writer.group.observed)


def _keeps_up(writer: WriterFit, case: Case, law: StepLaw) -> KeepsUp:
    if law.slope == "unseen":
        return _writable(writer, case)
    at_rest, per_commit = _manifests_at_end(writer, case, YEAR_S)
    until_s = keeps_up_for_s(
        commit_interval_s=case.commit_interval_s,
        base_ms=float(law.laws[0, 0] + law.laws[0, 2] * at_rest + law.laws[0, 3] * case.rows_per_commit),
        commit_ms=float(law.laws[0, 1] + law.laws[0, 2] * per_commit),
    )
    ends_s = min(until_s, YEAR_S)
    written = predict_horizon(writer, case, (ends_s,))[0].metadata_bytes if ends_s >= case.commit_interval_s else None
    return KeepsUp(
        writer=writer.group.name,
        case=name_without_interval(case),
        commit_interval_s=case.commit_interval_s,
        until_s=until_s,
        slope=law.slope,
        commits_seen=_commits_seen(writer),
        metadata_bytes=written,
    )


def _reading_ms(writer: WriterFit, case: Case, load: RobustFit | None, laws: int) -> Floats:
    """What reading one more snapshot's bytes of metadata.json takes: best, then by draw. Zero without timed loads."""
    if load is None:
        return np.zeros(laws)
    ms_per_mb = np.concatenate([load.coefficients[1:2], load.draws[:, 1]])
    return np.asarray(ms_per_mb * _snapshot_bytes(writer, case) / 1e6)


def _snapshot_bytes(writer: WriterFit, case: Case) -> float:
    """Bytes that one more retained snapshot adds to metadata.json: the end of a long history, per commit."""
    commits = (10_000, 10_001, 10_002)
    horizons = tuple(count * case.commit_interval_s for count in commits)
    written = [row.written_bytes[Kind.METADATA_JSON].best for row in predict_horizon(writer, case, horizons)]
    return float(np.diff(written, n=2)[0])


def _manifests_at_end(writer: WriterFit, case: Case, horizon_s: float) -> tuple[float, float]:
    """Live manifests after n commits at most, as constant and slope: small ones that wait, one sealed per cycle."""
    appends = writer.appends_of(case)
    if not appends.merges:
        return 0.0, 1.0
    cadence = appends_cadence(appends, np.array([int(horizon_s)]))
    sealed = 0.0 if cadence.cycle_commits == ENDLESS else 1 / cadence.cycle_commits
    return float(appends.min_count_to_merge - 1), sealed
