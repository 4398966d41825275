"""Until when a case's writer keeps up: by the fit, or by the size of its simulated metadata.json."""

from collections.abc import Sequence

from wasim.contention import commit_slowing
from wasim.fit.groups import name_without_interval
from wasim.fit.report import FitReport, KeepsUp
from wasim.ledger import Kind
from wasim.report.modelled import parts_for_table
from wasim.runs import CaseRun


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
    late = commit_slowing().first_late(run.ledger.written_bytes[Kind.METADATA_JSON], interval_s)
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
