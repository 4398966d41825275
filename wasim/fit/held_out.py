"""How well a fit predicts commits that it was not fitted to: whole intervals, or the second half of every case."""

from collections.abc import Sequence

import numpy as np

from wasim.fit.cost import WriterFit, fit_group, predicted_total
from wasim.fit.groups import Group, Observed, observe
from wasim.fit.report import HeldOut
from wasim.units import format_duration

FEWEST_COMMITS = 4  # of a case whose second half is held out


def hold_out_intervals(group: Group) -> tuple[HeldOut, ...]:
    """Fit every other interval, from the shortest, and predict the rest. Empty with a single interval."""
    fitted, held = split_intervals(group)
    if not held:
        return ()
    writer = fit_group(group.restricted(fitted))
    return _compare(writer, intervals_of(fitted), intervals_of(held), [(one, 0) for one in held], "intervals")


def hold_out_second_half(group: Group) -> tuple[HeldOut, ...]:
    """Fit the first half of every case's commits and predict the second. Empty where no case is long enough."""
    long_enough = tuple(one for one in group.observed if len(one.ledger) >= FEWEST_COMMITS)
    if not long_enough:
        return ()
    halves = (observe(one.case, one.ledger.head(len(one.ledger) // 2), one.probes) for one in long_enough)
    writer = fit_group(group.restricted(tuple(halves)))
    words = ("first half of " + intervals_of(long_enough), "second half")
    return _compare(writer, *words, [(one, len(one.ledger) // 2) for one in long_enough], "second_half")


def split_intervals(group: Group) -> tuple[tuple[Observed, ...], tuple[Observed, ...]]:
    """The group's cases by alternating interval: those to fit, and those to hold out."""
    intervals = sorted({one.case.commit_interval_s for one in group.observed})
    held = set(intervals[1::2])
    return (
        tuple(one for one in group.observed if one.case.commit_interval_s not in held),
        tuple(one for one in group.observed if one.case.commit_interval_s in held),
    )


def intervals_of(observed: Sequence[Observed]) -> str:
    """The commit intervals of some cases, in words: `1s, 15s`."""
    return ", ".join(format_duration(s) for s in sorted({one.case.commit_interval_s for one in observed}))


def _compare(
    writer: WriterFit, fitted_on: str, predicted_for: str, held: list[tuple[Observed, int]], how: str
) -> tuple[HeldOut, ...]:
    """One row per kind: all commits after the `start` of each held-out case, pooled."""
    rows = []
    for kind_fit in writer.kinds:
        measured = sum(float(one.written(kind_fit.kind)[start:].sum()) for one, start in held)
        predicted = sum(predicted_total(writer, kind_fit, one.case, one.ledger.commit[start:]) for one, start in held)
        commits = sum(len(one.ledger) - start for one, start in held)
        rows.append(
            HeldOut(
                writer=writer.group.name,
                quantity=kind_fit.kind.value,
                unit="B",
                fitted_on=fitted_on,
                predicted_for=predicted_for,
                measured=measured,
                predicted=predicted,
                naive=kind_fit.naive_bytes * commits,
                how=how,
            )
        )
    return tuple(row for row in rows if np.isfinite(row.predicted) and row.measured > 0)
