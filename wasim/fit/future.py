"""What follows from a fit: bytes over longer horizons, a line for charts, and the smallest interval that holds."""

from dataclasses import replace

import numpy as np

from wasim.fit.cost import WriterFit, predict_horizon
from wasim.fit.groups import Group, name_without_interval
from wasim.fit.report import Estimate, Extrapolation, Slope, SustainableInterval
from wasim.fit.robust import RobustFit
from wasim.ledger import Kind
from wasim.model import smallest_sustainable_interval_s
from wasim.model.cadence import ENDLESS
from wasim.model.drivers import appends_cadence
from wasim.scenario.case import Case
from wasim.units import Floats

DAY_S = 86_400.0
HORIZONS_S = (DAY_S, 7 * DAY_S, 30 * DAY_S, 365 * DAY_S)
_LINE_POINTS = 33


def extrapolate(writer: WriterFit) -> tuple[Extrapolation, ...]:
    """Metadata written over 1, 7, 30 and 365 days by each table at each interval that the group ran."""
    tables = _cases_by_table(writer.group)
    return tuple(row for cases in tables for case in cases for row in predict_horizon(writer, case, HORIZONS_S))


def draw_out_line(writer: WriterFit) -> tuple[Extrapolation, ...]:
    """The model at the run's own horizon, over intervals from half the shortest to twice the longest, by table."""
    return tuple(row for cases in _cases_by_table(writer.group) for row in _line(writer, cases))


def _line(writer: WriterFit, cases: list[Case]) -> list[Extrapolation]:
    horizon = max(case.horizon_s for case in cases)
    most, fewest = 2 * horizon / cases[0].commit_interval_s, horizon / cases[-1].commit_interval_s / 2
    # whole numbers of commits only, lest the line have teeth where one commit more fits into the horizon
    counts = np.unique(np.rint(np.geomspace(max(1.0, fewest), max(1.0, most), _LINE_POINTS)))[::-1]
    line = [replace(cases[0], commit_interval_s=float(horizon / count), horizon_s=horizon) for count in counts]
    return [row for case in line for row in predict_horizon(writer, case, (horizon,))]


def find_sustainable(writer: WriterFit, step: RobustFit, load: RobustFit | None) -> tuple[SustainableInterval, ...]:
    """The smallest interval that still holds at the end of each horizon, by table; low and high from the laws' draws.

    Every commit reads metadata.json before it writes the next, so a snapshot costs it at least what the run's own table
    loads say that the snapshot's bytes take to read: ms per snapshot ≥ ms per MB · bytes per snapshot. Where the
    slope's interval does not lie above that, the run was too short to see commits slow down, and that is what counts.
    """
    return tuple(
        row for cases in _cases_by_table(writer.group) for row in _sustainable_table(writer, cases[0], step, load)
    )


def _sustainable_table(
    writer: WriterFit, case: Case, step: RobustFit, load: RobustFit | None
) -> list[SustainableInterval]:
    laws = np.vstack([step.coefficients, step.draws])
    reading_ms = _reading_ms(writer, case, load, len(laws))
    slope: Slope = "measured"
    if np.percentile(step.draws[:, 1], 2.5) <= reading_ms[0]:
        slope, laws[0, 1] = "reading" if load else "unseen", reading_ms[0]
    laws[:, 1] = np.maximum(laws[:, 1], reading_ms)
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
                case=name_without_interval(case),
                horizon_s=horizon,
                interval_s=Estimate(low=min(float(low), best), best=best, high=max(float(high), best)),
                slope=slope,
                r_squared=step.r_squared,
            )
        )
    return rows


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


def _cases_by_table(group: Group) -> list[list[Case]]:
    """One case per interval, shortest first, for each of the tables and workloads that share the fit."""
    tables: dict[str, dict[float, Case]] = {}
    for one in group.observed:
        case = one.case_run.case
        tables.setdefault(name_without_interval(case), {}).setdefault(case.commit_interval_s, case)
    return [[cases[interval] for interval in sorted(cases)] for cases in tables.values()]
