"""How close a simulated recording comes to a real one, kind by kind."""

from dataclasses import dataclass

import numpy as np

from wasim.ledger import Action, Kind, Recording, sum_events
from wasim.ledger.events import FileEvents
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.units import Ints

GOAL_SHARE = 0.005  # of the bytes of each metadata kind over a case; file counts must agree exactly


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFidelity:
    """One kind of file: counts and bytes, real and simulated. `worst_commit_error` is the largest in any one commit."""

    kind: Kind
    files_real: int
    files_simulated: int
    deleted_real: int
    deleted_simulated: int
    bytes_real: int
    bytes_simulated: int
    worst_commit_error: float

    @property
    def error(self) -> float:
        """Simulated over real bytes, less one."""
        return self.bytes_simulated / self.bytes_real - 1 if self.bytes_real else float(self.bytes_simulated > 0)

    @property
    def counts_agree(self) -> bool:
        """Whether as many files were written and deleted."""
        return (self.files_real, self.deleted_real) == (self.files_simulated, self.deleted_simulated)

    @property
    def meets_goal(self) -> bool:
        """Whether counts agree and the error is within the goal. Data sizes are a profile's matter and have none."""
        is_metadata = self.kind in METADATA_KINDS
        return self.counts_agree and (not is_metadata or abs(self.error) <= GOAL_SHARE)


def compare(real: Recording, simulated: Recording) -> tuple[KindFidelity, ...]:
    """Fidelity of every kind that either recording holds."""
    there, here = sum_events(real.events), sum_events(simulated.events)
    return tuple(
        KindFidelity(
            kind=kind,
            files_real=there.files_written[kind],
            files_simulated=here.files_written[kind],
            deleted_real=there.files_deleted[kind],
            deleted_simulated=here.files_deleted[kind],
            bytes_real=there.written_bytes[kind],
            bytes_simulated=here.written_bytes[kind],
            worst_commit_error=_worst(_by_commit(real.events, kind), _by_commit(simulated.events, kind)),
        )
        for kind in Kind
        if there.files_written[kind] or here.files_written[kind]
    )


def _by_commit(events: FileEvents, kind: Kind) -> Ints:
    chosen = events.where((events.action == Action.WRITE) & (events.kind == kind) & (events.commit > 0))
    return np.bincount(chosen.commit, weights=chosen.bytes).astype(np.int64)


def _worst(real: Ints, simulated: Ints) -> float:
    length = min(len(real), len(simulated))
    wrote = real[:length] > 0
    if not wrote.any():
        return 0.0
    errors = simulated[:length][wrote] / real[:length][wrote] - 1
    return float(errors[np.argmax(np.abs(errors))])
