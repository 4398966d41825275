"""The intervals at which a writer keeps up as commits slow down, and until when it does at the run's own; in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wasim.contention import commit_slowing
from wasim.fit.cost import WriterFit
from wasim.fit.groups import cases_by_table, name_without_interval
from wasim.fit.report import Estimate, HeldOut, KeepsUp, Slope, SustainableInterval
from wasim.fit.robust import RobustFit
from wasim.ledger import Kind
from wasim.model import drivers_at, keeps_up_for_s, smallest_sustainable_interval_s
from wasim.model.appends import ENDLESS
from wasim.model.drivers import appends_cadence
from wasim.scenario.case import Case
from wasim.twin.profile import tables_in_turn
from wasim.units import DAY_S, DURATION_UNITS_S, MIB, MONTH_S, YEAR_S, Floats, format_duration

HORIZONS_S = (DAY_S, 7 * DAY_S, MONTH_S, YEAR_S)
LEAST_R_SQUARED = 0.1  # below it, a law of steps explains no more than one constant does


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLaw:
    """The law of a step's milliseconds, the best first, then one per draw; columns are `latency._TERMS`.

    Where the run saw no slowing down, the milliseconds per snapshot are Iceberg's library's (`commit_slowing`).
    """

    laws: Floats
    slope: Slope
    r_squared: float


def find_sustainable(
    writer: WriterFit, step: RobustFit, held_out: Sequence[HeldOut] = ()
) -> tuple[tuple[SustainableInterval, ...], tuple[KeepsUp, ...]]:
    """The smallest interval that still holds at the end of each horizon, by table, and until when each interval does.

    Every commit reads metadata.json and writes it again, so a snapshot costs it what Iceberg's library was measured to
    take for the snapshot's bytes. Where the law of steps has no slope that lies above zero, explains next to nothing,
    or predicts no better than one constant (`held_out` are its predictions), the run was too short to see commits slow
    down, and the library's slope counts.
    """
    skilled = step.r_squared >= LEAST_R_SQUARED and all(abs(row.error) < abs(row.naive_error) for row in held_out)
    intervals: list[SustainableInterval] = []
    keeping: list[KeepsUp] = []
    for cases in cases_by_table(writer.group):
        law = _law_of_steps(writer, cases[0], step, skilled=skilled)
        intervals += [_smallest_interval(writer, cases[0], law, horizon) for horizon in HORIZONS_S]
        keeping += [_keeps_up(writer, case, law) for case in cases]
    return tuple(intervals), tuple(keeping)


def expect_slowing(writer: WriterFit) -> tuple[KeepsUp, ...]:
    """Until when each case's commits fit into their interval, by the library's slowing alone: none was timed."""
    slowing = commit_slowing()
    law = np.array([[slowing.base_ms, 0.0, 0.0, 0.0]])
    found = []
    for cases in cases_by_table(writer.group):
        law[0, 1] = slowing.ms_per_mib * _snapshot_bytes(writer, cases[0]) / MIB
        laws = law * tables_in_turn(cases[0])
        found += [_keeps_up(writer, case, StepLaw(laws=laws, slope="untimed", r_squared=0.0)) for case in cases]
    return tuple(found)


def _law_of_steps(writer: WriterFit, case: Case, step: RobustFit, *, skilled: bool) -> StepLaw:
    laws = np.vstack([step.coefficients, step.draws])
    if skilled and np.percentile(step.draws[:, 1], 2.5) > 0:
        return StepLaw(laws=laws, slope="measured", r_squared=step.r_squared)
    slowing = commit_slowing()
    spread = np.concatenate([[0.0], np.linspace(-slowing.width, slowing.width, len(step.draws))])
    laws[:, 1] = slowing.ms_per_mib * (1 + spread) * _snapshot_bytes(writer, case) / MIB * tables_in_turn(case)
    return StepLaw(laws=laws, slope="library", r_squared=step.r_squared)


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
    return SustainableInterval(
        writer=writer.group.name,
        case=name_without_interval(case),
        horizon_s=horizon_s,
        interval_s=Estimate(low=min(float(low), best), best=best, high=max(float(high), best)),
        slope=law.slope,
        r_squared=law.r_squared,
        commits_seen=_commits_seen(writer),
    )


def _commits_seen(writer: WriterFit) -> int:
    return max(len(one.ledger) for one in writer.group.observed)


def _keeps_up(writer: WriterFit, case: Case, law: StepLaw) -> KeepsUp:
    at_rest, per_commit = _manifests_at_end(writer, case, YEAR_S)
    until_s = keeps_up_for_s(
        commit_interval_s=case.commit_interval_s,
        base_ms=float(law.laws[0, 0] + law.laws[0, 2] * at_rest + law.laws[0, 3] * case.rows_per_commit),
        commit_ms=float(law.laws[0, 1] + law.laws[0, 2] * per_commit),
    )
    return KeepsUp(
        writer=writer.group.name,
        case=name_without_interval(case),
        commit_interval_s=case.commit_interval_s,
        until_s=until_s,
        slope=law.slope,
        commits_seen=_commits_seen(writer),
    )


def _snapshot_bytes(writer: WriterFit, case: Case) -> float:
    """Bytes that one more retained snapshot adds to metadata.json: the end of a long history, per commit."""
    appends = writer.appends_of(case)
    fitted = next(one for one in writer.kinds if one.kind is Kind.METADATA_JSON)
    before, after = fitted.bytes_of(drivers_at(appends, np.array([10_001, 10_002])), appends)
    return float(after - before)


def _manifests_at_end(writer: WriterFit, case: Case, horizon_s: float) -> tuple[float, float]:
    """Upper bound of live manifests after n commits, as constant and slope: unmerged ones, and one sealed per cycle."""
    appends = writer.appends_of(case)
    if not appends.merges:
        return 0.0, 1.0
    cadence = appends_cadence(appends, np.array([int(horizon_s)]))
    sealed = 0.0 if cadence.cycle_commits == ENDLESS else 1 / cadence.cycle_commits
    return float(appends.min_count_to_merge - 1), sealed


def describe_interval(row: SustainableInterval) -> str:
    """`3.0s (2.5s to 3.5s)`; with `about` where no slowing was seen."""
    best = row.interval_s.best
    if not math.isfinite(best):
        return "none: rows alone outrun the writer"
    about, figures = ("", 3) if row.slope == "measured" else ("about ", 2)
    low, high = (max(row.interval_s.low, 0.0), row.interval_s.high)
    upper = round_duration(high, figures=figures) if math.isfinite(high) else "no upper bound"
    return f"{about}{round_duration(best, figures=figures)} ({round_duration(low, figures=figures)} to {upper})"


def describe_slope(row: SustainableInterval | KeepsUp) -> str:
    """What a sustainable interval rests on, in words."""
    return {
        "measured": "commits slowed down measurably",
        "library": f"no slowing within {row.commits_seen:,} commits; {_slowing()}",
        "untimed": f"commits were not timed; {_slowing()}",
        "simulated": f"simulated for {row.commits_seen:,} commits, under the case's own maintenance",
    }[row.slope]


def describe_keeping_up(one: KeepsUp) -> str:
    """`stops after 17h`, with `about` where no slowing was seen; `keeps up for a year or more`."""
    if one.until_s < one.commit_interval_s:
        return "does not keep up from the start"
    if one.slope == "simulated":
        return f"keeps up for {round_duration(one.until_s, figures=2)} or more"
    if one.until_s >= YEAR_S:
        return "keeps up for a year or more"
    return f"stops after {'' if one.slope == 'measured' else 'about '}{round_duration(one.until_s, figures=2)}"


def _slowing() -> str:
    slowing = commit_slowing()
    return f"Iceberg's library takes {slowing.ms_per_mib:.2g} ms longer with each MiB of metadata.json"


def round_duration(seconds: float, *, figures: int = 3) -> str:
    """A duration to a few significant figures, in its largest unit alone: `5.92s`, `17h`, `21d`."""
    if seconds < 1:
        return format_duration(float(f"{max(seconds, 0.0):.{figures}g}"))
    unit = next(unit for unit in ("d", "h", "m", "s") if seconds >= DURATION_UNITS_S[unit])
    count = seconds / DURATION_UNITS_S[unit]
    digits = max(figures - 1 - math.floor(math.log10(count)), 0)
    return f"{round(count, digits):g}{unit}"
