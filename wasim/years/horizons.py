"""One case at several horizons, for the price of little more than its longest."""

from collections.abc import Sequence
from dataclasses import replace

from wasim.ledger import Summed
from wasim.scenario import Case
from wasim.scenario.case import covered_s
from wasim.scenario.changes import Maintenance
from wasim.years.history import Samples
from wasim.years.summed import Shape, history_of, sum_history


def histories_at(case: Case, shape: Shape, horizons_s: Sequence[float]) -> tuple[Samples, ...]:
    """The histories of a case until each of these horizons, ascending, in seconds; each goes on from the one before.

    The first is what a simulation of that horizon alone comes to. Expiry is not part of a history.
    """
    history = history_of(replace(case, horizon_s=horizons_s[-1]), shape)
    found = []
    for horizon_s in horizons_s:
        history.commits = float(_until(case, horizon_s).commits)
        found.append(history.run())
    return tuple(found)


def sums_at(
    case: Case, shape: Shape, histories: Sequence[Samples], horizons_s: Sequence[float], maintenance: Maintenance
) -> tuple[Summed, ...]:
    """The sums of a case at the end of each history, with the expiry that `maintenance` says."""
    kept = replace(case, maintenance=maintenance)
    return tuple(
        sum_history(_until(kept, horizon_s), shape, samples)
        for horizon_s, samples in zip(horizons_s, histories, strict=True)
    )


def _until(case: Case, horizon_s: float) -> Case:
    return replace(case, horizon_s=covered_s(horizon_s=horizon_s, commit_interval_s=case.commit_interval_s))
