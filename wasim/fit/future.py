"""What follows from a fit: bytes over longer horizons, a line for charts, and the smallest interval that holds."""

from dataclasses import replace

import numpy as np

from wasim.fit.cost import WriterFit, predict_horizon
from wasim.fit.groups import Group
from wasim.fit.report import Estimate, Extrapolation, SustainableInterval
from wasim.fit.robust import RobustFit
from wasim.ledger import Kind
from wasim.model import smallest_sustainable_interval_s
from wasim.model.cadence import ENDLESS
from wasim.model.drivers import appends_cadence
from wasim.scenario.case import Case

DAY_S = 86_400.0
HORIZONS_S = (DAY_S, 7 * DAY_S, 30 * DAY_S, 365 * DAY_S)
_LINE_POINTS = 33


def extrapolate(writer: WriterFit) -> tuple[Extrapolation, ...]:
    """Metadata written over 1, 7, 30 and 365 days at each interval that the group ran."""
    return tuple(
        row for case in _one_case_per_interval(writer.group) for row in predict_horizon(writer, case, HORIZONS_S)
    )


def draw_out_line(writer: WriterFit) -> tuple[Extrapolation, ...]:
    """The model at the run's own horizon, over intervals from half the shortest to twice the longest."""
    cases = _one_case_per_interval(writer.group)
    horizon = max(case.horizon_s for case in cases)
    most, fewest = 2 * horizon / cases[0].commit_interval_s, horizon / cases[-1].commit_interval_s / 2
    # whole numbers of commits only, lest the line have teeth where one commit more fits into the horizon
    counts = np.unique(np.rint(np.geomspace(max(1.0, fewest), max(1.0, most), _LINE_POINTS)))[::-1]
    line = [replace(cases[0], commit_interval_s=float(horizon / count), horizon_s=horizon) for count in counts]
    return tuple(row for case in line for row in predict_horizon(writer, case, (horizon,)))


def find_sustainable(writer: WriterFit, step: RobustFit, load_ms_per_mb: float) -> tuple[SustainableInterval, ...]:
    """The smallest interval that still holds at the end of each horizon; low and high from the law's draws.

    Every commit reads metadata.json before it writes the next, so a snapshot costs it at least what the run's own table
    loads say that the snapshot's bytes take to read. A run too short to see commits slow down is held to that.
    """
    case = _one_case_per_interval(writer.group)[0]
    laws = np.vstack([step.coefficients, step.draws])
    laws[:, 1] = np.maximum(laws[:, 1], load_ms_per_mb * _snapshot_bytes(writer, case) / 1e6)
    rows = []
    for horizon in HORIZONS_S:
        at_rest, per_commit = _manifests_at_end(writer, case, horizon)
        intervals = smallest_sustainable_interval_s(
            base_ms=laws[:, 0] + laws[:, 2] * at_rest,
            commit_ms=laws[:, 1] + laws[:, 2] * per_commit,
            row_ms=laws[:, 3],
            rows_per_second=case.workload.rows_per_second,
            horizon_s=horizon,
        )
        low, high = np.percentile(intervals[1:], [2.5, 97.5])
        best = float(intervals[0])
        rows.append(
            SustainableInterval(
                writer=writer.group.name,
                horizon_s=horizon,
                interval_s=Estimate(low=min(float(low), best), best=best, high=max(float(high), best)),
            )
        )
    return tuple(rows)


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


def _one_case_per_interval(group: Group) -> list[Case]:
    by_interval: dict[float, Case] = {}
    for one in group.observed:
        by_interval.setdefault(one.case_run.case.commit_interval_s, one.case_run.case)
    return [by_interval[interval] for interval in sorted(by_interval)]
