"""A fit's predictions for a case: lines through the measured points, and how long the writer keeps up."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from wasim.contention import commit_slowing
from wasim.fit.groups import name_without_interval
from wasim.fit.report import FitReport, KeepsUp, LatencyFit, ModelPoint, SustainableInterval
from wasim.ledger import Kind
from wasim.runs import CaseRun
from wasim.scenario.case import whole_commits
from wasim.twin.profile import tables_in_turn
from wasim.units import Floats

Foreseen = TypeVar("Foreseen", bound=KeepsUp | ModelPoint | SustainableInterval)
Fitted = TypeVar("Fitted", bound=KeepsUp | LatencyFit | ModelPoint | SustainableInterval)


def parts_for_writer(parts: Iterable[Fitted], run: CaseRun) -> list[Fitted]:
    """The parts of a fit report that apply to the case's writer, the most specific first.

    A part names its writer, with the swept values that its fit is for (`streaming table.format_version=3`). None means
    all writers.
    """
    case = run.case
    words = set(" ".join([case.writer_name, *(f"{field}={value}" for field, value in case.swept.items())]).split())
    fitting = [part for part in parts if part.writer is None or words.issuperset(part.writer.split())]
    return sorted(fitting, key=lambda part: -len((part.writer or "").split()))


def parts_for_table(parts: Iterable[Foreseen], run: CaseRun) -> list[Foreseen]:
    """The predictions for the case's table and workload, at any interval."""
    name = name_without_interval(run.case)
    return [part for part in parts_for_writer(parts, run) if part.case == name]


def written_line(fit: FitReport, run: CaseRun) -> tuple[Floats, Floats]:
    """(intervals in seconds, metadata bytes) by the model, over the case's own horizon.

    What the case wrote outside its commits, such as CREATE TABLE's metadata.json, is added as measured. Intervals
    between H/(n+1) and H/n make the same n commits; the one that divides the horizon best stands for them.
    """
    outside = run.totals.metadata_bytes - int(run.ledger.metadata_bytes.sum())
    by_commits: dict[int, tuple[float, float]] = {}
    parts = [part for part in parts_for_table(fit.model_line, run) if part.horizon_s == run.case.horizon_s]
    for part in sorted(parts, key=lambda part: part.commit_interval_s):
        commits = whole_commits(horizon_s=part.horizon_s, commit_interval_s=part.commit_interval_s)
        if commits:
            by_commits[commits] = (part.commit_interval_s, (part.metadata_bytes + outside) * run.case.writer.tables)
    line = sorted(by_commits.values())
    return np.array([interval for interval, _ in line]), np.array([size for _, size in line])


def latency_fit(fit: FitReport, latency: str, run: CaseRun) -> LatencyFit | None:
    """The fit of one latency that applies to the case, if any."""
    return next(iter(parts_for_writer((part for part in fit.latencies if part.latency == latency), run)), None)


def modelled_ms(fitted: LatencyFit, drivers: dict[str, Floats]) -> Floats | None:
    """The fitted latency at these drivers, each named as its coefficient is; None if one is not among them.

    A coefficient without an estimate adds nothing: its driver grew in step with another, whose coefficient has both.
    """
    total = np.zeros(max(len(driver) for driver in drivers.values()))
    for coefficient in fitted.coefficients:
        if coefficient.estimate is None:
            continue
        if coefficient.name not in drivers:
            return None
        total = total + coefficient.estimate.best * drivers[coefficient.name]
    return total


def floor_r_squared(value: float) -> str:
    """R² to two digits, never rounded up to 1."""
    return f"{np.floor(value * 100) / 100:.2f}"


def find_keeps_up(run: CaseRun, fit: FitReport) -> KeepsUp | None:
    """Until when the case's writer keeps up: by the fit, or by its commits' bytes where only those are known."""
    interval_s = run.case.commit_interval_s
    fitted = (one for one in parts_for_table(fit.keeps_up, run) if one.commit_interval_s == interval_s)
    return next(fitted, None) or stops_keeping_up(run)


def stops_keeping_up(run: CaseRun) -> KeepsUp | None:
    """When commits of a case simulated in sums become slower than its interval (`commit_slowing`); None if never."""
    if not run.is_sampled:
        return None
    interval_s = run.case.commit_interval_s
    most_s = interval_s / tables_in_turn(run.case)
    late = commit_slowing().first_late(run.ledger.written_bytes[Kind.METADATA_JSON], most_s)
    if late is None:
        return None
    return KeepsUp(
        writer=run.case.writer_name,
        case=run.case.label,
        commit_interval_s=interval_s,
        until_s=float(run.ledger.commit[late]) * interval_s,
        slope="untimed",
        commits_seen=run.commits,
    )


def keeps_up_by_simulation(simulated: Sequence[CaseRun]) -> KeepsUp | None:
    """Until when a case keeps up by its simulations, ascending by horizon: when one stops, else the last's end."""
    if not simulated:
        return None
    stops = (stop for run in simulated if (stop := stops_keeping_up(run)) is not None)
    longest = simulated[-1]
    return next(stops, None) or KeepsUp(
        writer=longest.case.writer_name,
        case=name_without_interval(longest.case),
        commit_interval_s=longest.case.commit_interval_s,
        until_s=longest.case.horizon_s,
        slope="simulated",
        commits_seen=longest.commits,
    )
