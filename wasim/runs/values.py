"""Runs as values: what one finished case, and one finished run, consists of."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.ledger import (
    Contention,
    DirectoryScan,
    Kind,
    Ledger,
    OperationTotals,
    PlanningProbe,
    Requests,
    Totals,
    WriteAmplification,
)
from wasim.scenario import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """One case, carried out. Measured and simulated ones differ in `engine` and provenance alone."""

    key: str
    case: Case
    engine: str  # spark | core | sim
    ledger: Ledger
    totals: Totals
    live_bytes: dict[Kind, int]  # reachable from the current snapshot (and the current metadata.json)
    operations: tuple[OperationTotals, ...]  # what each kind of step cost; none of a fast simulation
    ingested_bytes: int  # data bytes of rows when they first arrived
    amplification: WriteAmplification
    probes: tuple[PlanningProbe, ...]
    wall_s: float
    requests: Requests | None = None  # to S3; None where the store is local
    listings: tuple[DirectoryScan, ...] = ()  # none where there is no data to list
    contention: Contention | None = None  # None where no writers were: of a simulation

    @property
    def commits(self) -> int:
        """Commits in all. The ledger of a long fast simulation holds only some of them, the last among them."""
        return int(self.ledger.commit[-1]) if len(self.ledger) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run of a scenario: its cases in the sweep's order."""

    folder: Path
    scenario: str
    question: str
    provenance: dict[str, Any]
    cases: tuple[CaseRun, ...]
    failures: dict[str, str]  # case label → the essential line of its error
