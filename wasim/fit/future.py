"""Extrapolations of a fit: bytes over other horizons, a line for charts, and one sum written out term by term."""

from dataclasses import replace

import numpy as np

from wasim.fit.cost import WriterFit, predict_horizon
from wasim.fit.groups import Group, name_without_interval
from wasim.fit.report import Extrapolation, TermShare, WorkedSum
from wasim.model import design_matrix, drivers_through, known_bytes
from wasim.scenario.case import Case
from wasim.units import DAY_S, HOUR_S, MONTH_S, YEAR_S

HORIZONS_S = (HOUR_S, DAY_S, 7 * DAY_S, MONTH_S, YEAR_S)
_LINE_POINTS = 33


def extrapolate(writer: WriterFit) -> tuple[Extrapolation, ...]:
    """Metadata written over an hour, 1, 7, 30 and 365 days by each table at each interval that the group ran."""
    tables = cases_by_table(writer.group)
    return tuple(row for cases in tables for case in cases for row in predict_horizon(writer, case, HORIZONS_S))


def extrapolate_line(writer: WriterFit) -> tuple[Extrapolation, ...]:
    """The model at the run's own horizon, over intervals from half the shortest to twice the longest, by table."""
    return tuple(row for cases in cases_by_table(writer.group) for row in _line(writer, cases))


def _line(writer: WriterFit, cases: list[Case]) -> list[Extrapolation]:
    horizon = max(case.horizon_s for case in cases)
    most, fewest = 2 * horizon / cases[0].commit_interval_s, horizon / cases[-1].commit_interval_s / 2
    # whole numbers of commits only, lest the line have teeth where one commit more fits into the horizon
    counts = np.unique(np.rint(np.geomspace(max(1.0, fewest), max(1.0, most), _LINE_POINTS)))[::-1]
    line = [replace(cases[0], commit_interval_s=float(horizon / count), horizon_s=horizon) for count in counts]
    return [row for case in line for row in predict_horizon(writer, case, (horizon,))]


def write_out_sum(writer: WriterFit, case: Case, horizon_s: float) -> WorkedSum:
    """The case's metadata over a horizon in seconds, a line per coefficient; the lines add up to the total."""
    commits = np.array([max(1, int(horizon_s / case.commit_interval_s + 1e-4))], dtype=np.int64)
    appends = writer.appends_of(case)
    drivers = drivers_through(appends, commits)
    lines: list[TermShare] = []
    for one in writer.kinds:
        counts = design_matrix(one.terms, drivers)[0].tolist()
        for term, coefficient, count in zip(one.terms, one.fit.coefficients.tolist(), counts, strict=True):
            lines.append(
                TermShare(kind=one.kind, name=term.name, unit=term.unit, coefficient=coefficient, driver=count)
            )
        if digits := float(known_bytes(one.kind, drivers, gzip_json=appends.gzip_json)[0]):
            lines.append(TermShare(kind=one.kind, name="digits", unit="B, known", coefficient=1.0, driver=digits))
    return WorkedSum(
        writer=writer.group.name,
        case=name_without_interval(case),
        commit_interval_s=case.commit_interval_s,
        horizon_s=horizon_s,
        terms=tuple(lines),
    )


def cases_by_table(group: Group) -> list[list[Case]]:
    """One case per interval, shortest first, for each of the tables and workloads that share the fit."""
    tables: dict[str, dict[float, Case]] = {}
    for one in group.observed:
        case = one.case
        tables.setdefault(name_without_interval(case), {}).setdefault(case.commit_interval_s, case)
    return [[cases[interval] for interval in sorted(cases)] for cases in tables.values()]
