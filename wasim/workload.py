"""Case ─► steps. The only place that interprets what a scenario intends; engines see nothing but steps.

A run of like appends is one step with a count, so that an engine may carry it out as one streaming query, and a
simulator as one closed form.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wasim.scenario.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    """CREATE TABLE: one metadata.json, no snapshot."""

    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """`commits` appends in a row, alike but for their rows. `number` is the step number of the first."""

    number: int
    first_commit: int
    commits: int
    rows_per_commit: int
    merges: bool

    @property
    def first_row(self) -> int:
        """Row number at which the first of these commits starts."""
        return (self.first_commit - 1) * self.rows_per_commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Pause the writer and measure planning; writes nothing and has no number."""

    after_commit: int
    final: bool


Step = CreateTable | Append | Probe


def plan_steps(case: Case) -> Iterator[Step]:
    """The steps of a case, in order: CREATE, then appends with a probe at every checkpoint."""
    yield CreateTable()
    done = 0
    for stop in _checkpoints(case):
        yield Append(
            number=done + 1,
            first_commit=done + 1,
            commits=stop - done,
            rows_per_commit=case.rows_per_commit,
            merges=case.merges,
        )
        yield Probe(after_commit=stop, final=stop == case.commits)
        done = stop


def _checkpoints(case: Case) -> list[int]:
    shares = {*case.planning.checkpoints, 1.0}
    return sorted({max(1, round(share * case.commits)) for share in shares})
