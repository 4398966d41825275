"""The view of a recording by operation: what each kind of step cost in bytes, files and time."""

from dataclasses import dataclass

import numpy as np

from wasim.ledger.events import Recording
from wasim.ledger.totals import Totals, sum_events


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationTotals:
    """All steps of one operation: how often, what they wrote and deleted, and how long they took.

    `wall_s` is NaN where nothing was timed. For appends it is the writer's own time, probes taken out.
    """

    operation: str
    steps: int
    commits: int
    totals: Totals
    wall_s: float


def sum_by_operation(recording: Recording) -> tuple[OperationTotals, ...]:
    """One element per operation, in the order in which they first came."""
    steps, events = recording.steps, recording.events
    return tuple(
        OperationTotals(
            operation=name,
            steps=int(mine.sum()),
            commits=int(steps.commits[mine].sum()),
            totals=sum_events(events.where(events.operation == name)),
            wall_s=float(steps.wall_ms[mine].sum() / 1e3),
        )
        for name in dict.fromkeys(steps.operation)
        for mine in [steps.operation == name]
    )


def ingested_bytes(recording: Recording) -> int:
    """Data bytes first ingested: of what each step committed, the share of its rows that arrived with it.

    All rows of an append arrive; of a copy-on-write MERGE only the source's, its other rows are written again; an
    UPDATE brings none. What was written and never committed (a stream's last batch given twice, a lost attempt) is
    written, not ingested.
    """
    steps, reports = recording.steps, recording.reports
    of = _record_of(reports.step, steps.step)
    rows = np.bincount(of, weights=reports.records_added, minlength=len(steps))
    committed = np.bincount(of, weights=reports.data_bytes_added, minlength=len(steps))
    share = np.divide(steps.rows_arrived, rows, out=np.zeros(len(steps)), where=rows > 0)
    return round(float((committed * np.minimum(share, 1.0)).sum()))


def _record_of(step: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The place of the record that each step number belongs to; records begin at the numbers `steps`, ascending."""
    return np.searchsorted(steps, step, side="right") - 1
