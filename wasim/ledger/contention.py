"""Cost of commit conflicts: lost attempts, failed commits and orphan files.

An attempt is lost when another commit has landed since it read the table: its manifest list and metadata.json are
wasted, and the commit is tried again on the new table. A commit whose retries are exhausted fails, and all that it
wrote is wasted. What nobody deletes of that is an orphan: on disk, and reachable from no table.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from wasim.iceberg import Kind
from wasim.ledger.events import FileEvents, Recording
from wasim.ledger.vocabulary import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Contention:
    """Counts over a whole case. Bytes are by kind; `failed` counts failed commits by Iceberg's word for the failure."""

    attempts: int
    lost_attempts: int
    failed: dict[str, int]
    lost_bytes: dict[Kind, int]  # written by lost attempts and failed commits
    orphan_bytes: dict[Kind, int]  # what of it is still there
    orphan_files: int

    @property
    def failed_commits(self) -> int:
        """Commits that were given up."""
        return sum(self.failed.values())

    @property
    def lost_share(self) -> float:
        """The share of attempts that were lost."""
        return self.lost_attempts / max(1, self.attempts)


def sum_contention(recording: Recording) -> Contention:
    """The contention of a case. Where one writer is alone, every commit has one attempt, and nothing is lost."""
    events, steps = recording.events, recording.steps
    failed = [str(error) for error in steps.error if error]
    lost = lost_files(recording)
    written, orphans = events.where(lost), events.where(lost & _remain(events))
    attempts = int(recording.reports.attempts.sum()) + _failed_attempts(recording)
    return Contention(
        attempts=attempts,
        lost_attempts=attempts - len(recording.reports),
        failed=dict(Counter(failed)),
        lost_bytes=_by_kind(written),
        orphan_bytes=_by_kind(orphans),
        orphan_files=len(orphans),
    )


def lost_files(recording: Recording) -> np.ndarray:
    """Which events are writes of files that came to nothing: of lost attempts, or of failed commits."""
    events, reports = recording.events, recording.reports
    attempts = np.concatenate([[0], reports.attempts])  # by commit; 0 for what is outside
    lists = (events.kind == Kind.MANIFEST_LIST) & (events.attempt < attempts[np.maximum(events.commit, 0)])
    writes: np.ndarray = events.action == Action.WRITE
    # a catalog's server may try again by itself, which is no attempt of the writer's: but the last one counted
    tries = np.flatnonzero(writes & (events.kind == Kind.METADATA_JSON) & (events.commit > 0))
    counted = {int(events.commit[row]): row for row in tries}
    overtaken = np.isin(np.arange(len(events)), np.setdiff1d(tries, list(counted.values())))
    lost: np.ndarray = writes & (lists | overtaken | np.isin(events.step, _failed_steps(recording)))
    return lost


def _failed_steps(recording: Recording) -> np.ndarray:
    failed: np.ndarray = recording.steps.step[recording.steps.error != ""]
    return failed


def _failed_attempts(recording: Recording) -> int:
    """Attempts of failed commits: each wrote its own manifest list."""
    events = recording.events
    lists = (events.action == Action.WRITE) & (events.kind == Kind.MANIFEST_LIST)
    return int((lists & np.isin(events.step, _failed_steps(recording))).sum())


def _remain(events: FileEvents) -> np.ndarray:
    last = {file: place for place, file in enumerate(events.file)}
    mask = np.zeros(len(events), dtype=bool)
    mask[list(last.values())] = True
    remain: np.ndarray = mask & (events.action == Action.WRITE)
    return remain


def _by_kind(events: FileEvents) -> dict[Kind, int]:
    return {kind: int(events.bytes[events.kind == kind].sum()) for kind in Kind}
