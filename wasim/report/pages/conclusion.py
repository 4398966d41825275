"""The one sentence that a run comes down to, computed from its numbers."""

from wasim.fit.report import Extrapolation, FitReport
from wasim.report.charts.modelled import standing_for
from wasim.report.charts.palette import KIND_NAMES
from wasim.report.charts.series import Group, group_cases, kinds_written
from wasim.runs import CaseRun, Run
from wasim.units import format_bytes, format_duration

SHARE_WORTH_NAMING = 0.5


def conclude(run: Run, fit: FitReport) -> str:
    """What the commit interval cost in metadata, in one plain sentence; the writer it cost most leads."""
    if not run.cases:
        return "No case finished, so there is nothing to conclude."
    groups = sorted(group_cases(run), key=lambda group: -_ratio(group))
    leading = groups[0]
    sentence = _of_intervals(leading, groups[1:]) if len(leading.intervals_s) > 1 else _of_cases(run)
    clear = len(leading.intervals_s) > 1 or len(run.cases) == 1
    return f"{sentence}{_outlook(leading, fit, alone=len(groups) == 1) if clear else ''}."


def _of_intervals(leading: Group, others: list[Group]) -> str:
    finest, coarsest = leading.finest, leading.coarsest
    name, share = _largest_kind(finest)
    made_of = f", {share * 100:.0f} % of it {name}," if share >= SHARE_WORTH_NAMING else ""
    beside = "; ".join(f"{group.name}: {_times(_ratio(group))}" for group in others if len(group.intervals_s) > 1)
    horizon = format_duration(finest.amplification.horizon_s)
    return (
        f"Over {horizon} of event time, {leading.name} with a commit every {_interval(finest)} wrote "
        f"{_times(_ratio(leading))} the metadata of one every {_interval(coarsest)}{f' ({beside})' if beside else ''}: "
        f"{format_bytes(finest.totals.metadata_bytes)}{made_of} against {format_bytes(coarsest.totals.metadata_bytes)} "
        f"for the same rows, a WA_metadata over {horizon} of {finest.amplification.metadata:.3g} against "
        f"{coarsest.amplification.metadata:.3g}"
    )


def _of_cases(run: Run) -> str:
    most, least = (pick(run.cases, key=lambda case: case.totals.metadata_bytes) for pick in (max, min))
    horizon = format_duration(most.amplification.horizon_s)
    stated = f"{format_bytes(most.totals.metadata_bytes)} of metadata, WA_metadata {most.amplification.metadata:.3g}"
    if most is least:
        name, share = _largest_kind(most)
        return f"Over {horizon}, {most.case.label} wrote {stated}, {share * 100:.0f} % of it {name}"
    return (
        f"Over {horizon}, {most.case.label} wrote the most, {stated}, and {least.case.label} the least, "
        f"{format_bytes(least.totals.metadata_bytes)}, WA_metadata {least.amplification.metadata:.3g}"
    )


def _outlook(group: Group, fit: FitReport, *, alone: bool) -> str:
    """What the model expects of a month without maintenance, at the finest and the coarsest interval."""
    expected = [month_ahead(case, fit) for case in (group.finest, group.coarsest)]
    finest, coarsest = expected
    if finest is None or coarsest is None:
        return ""
    if group.finest is group.coarsest:
        amounts = format_bytes(finest.metadata_bytes.best)
    else:
        amounts = f"{format_bytes(finest.metadata_bytes.best)} against {format_bytes(coarsest.metadata_bytes.best)}"
    whose = "" if alone else f" ({group.name})"
    return f"; in {format_duration(finest.horizon_s)} without maintenance the model expects {amounts}{whose}"


def month_ahead(run: CaseRun, fit: FitReport) -> Extrapolation | None:
    """What the model expects of 30 days of a case without maintenance; None where the fit does not say."""
    return next(
        (
            e
            for e in standing_for(fit.extrapolations, run)
            if e.horizon_s == 30 * 86_400 and e.commit_interval_s == run.case.commit_interval_s
        ),
        None,
    )


def _ratio(group: Group) -> float:
    least = group.coarsest.totals.metadata_bytes
    return group.finest.totals.metadata_bytes / least if least else 0.0


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"


def _largest_kind(run: CaseRun) -> tuple[str, float]:
    kinds = kinds_written((run,))
    largest = max(kinds, key=lambda kind: run.totals.written_bytes[kind])
    return KIND_NAMES[largest], run.totals.written_bytes[largest] / run.totals.metadata_bytes


def _interval(run: CaseRun) -> str:
    return format_duration(run.case.commit_interval_s)
