"""An engine: what carries out a case's steps on a table, and when. Nothing downstream knows which one did."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.scenario import Case
from wasim.spark import Journal, Session
from wasim.spark.drive.rows import create_table_sql
from wasim.workload import Append, ChangeRows, CreateTable, Evolve, Maintain, Probe, plan_steps

Progress = Callable[[int], None]
Operation = ChangeRows | Evolve | Maintain


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a case's steps go."""

    session: Session
    case: Case
    table: str  # catalog.db.table
    location: str
    journal: Journal
    checkpoint: Path  # of the stream
    on_commits: Progress  # called with the number of commits so far
    others: tuple[str, ...] = ()  # tables like it that the same job commits to, which nothing records
    # the place that each column had at first, by its name as it now is: the id that Iceberg gave it, from 0 on
    places: dict[str, int] = field(default_factory=dict)

    def find_places(self) -> None:
        """Asks the table, once it was made or its columns have changed, for the places of its columns."""
        self.places.clear()
        self.places.update({one.name(): one.fieldId() - 1 for one in self.iceberg_table().schema().columns()})

    def begin(self, step: Append, commit: int, operation: str, *, is_run: bool = False) -> None:
        """Enters into the journal that a commit of the step begins, or the run of commits that it is the first of."""
        interval_s = self.case.commit_interval_s
        self.journal.step(
            step.number + commit - step.first_commit,
            operation,
            event_time_s=commit * interval_s,
            every_s=interval_s if is_run else 0.0,
            rows=step.rows_per_commit,
        )

    def iceberg_table(self) -> Any:
        """The table as Iceberg's Java library has it, as it now is."""
        table = self.session.iceberg_table(self.table)
        table.refresh()
        return table

    def call(self, procedure: str, arguments: str = "") -> None:
        """Calls one of Iceberg's procedures on the table, with further `arguments` as SQL: `, older_than => …`."""
        catalog, _, name = self.table.partition(".")
        self.session.run(f"CALL {catalog}.system.{procedure}(table => '{name}'{arguments})")


class Appender(Protocol):
    """Carries out Append steps in order; `close` ends whatever still runs."""

    def append(self, step: Append) -> None:
        """Carries out the step; returns when its last commit is done and nothing is under way."""

    def reshape(self, step: Evolve) -> None:
        """Tells the writer that this step has changed the table since its last append."""

    def close(self) -> None:
        """Ends the writer; safe to call twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSession:
    """An engine at work on one target: what appends, and what carries out all else."""

    appender: Appender
    operate: Callable[[Operation], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One way to carry out steps; each leaves its file events and commit reports in the target's journal.

    `writes_data` says whether the data files of its commits exist; if not, their events say what the entries claim.
    `check` raises the WasimError that names the first setting of a case that the engine does not model.
    """

    name: str
    writes_data: bool
    check: Callable[[Case], None]
    open: Callable[[Target], EngineSession]


def carry_out_steps(engine: Engine, target: Target, on_probe: Callable[[Probe], None]) -> None:
    """Carries out all steps of the target's case; `on_probe` measures while nothing is under way."""
    session = engine.open(target)
    appender = session.appender
    try:
        for step in plan_steps(target.case):
            match step:
                case CreateTable():
                    target.journal.step(step.number, CREATE_TABLE)
                    for table in (target.table, *target.others):
                        location = f"{target.location.rpartition('/')[0]}/{table.rpartition('.')[2]}"
                        target.session.spark.sql(create_table_sql(target.case, table, location))
                    target.journal.done(snapshots=0)
                    target.find_places()
                case Append():
                    appender.append(step)
                case Probe():
                    on_probe(step)
                case _:
                    session.operate(step)
                    if isinstance(step, Evolve):
                        target.find_places()
                        appender.reshape(step)
    finally:
        appender.close()


class Pace:
    """Waits for commits' times, counted from its making."""

    def __init__(self, case: Case) -> None:
        self.is_real = case.clock == "real"
        self._interval_s = case.commit_interval_s
        self._started_s = time.monotonic()

    def wait_for(self, commit: int) -> None:
        """Returns when the commit with this number is due."""
        if self.is_real:
            due_s = self._started_s + commit * self._interval_s
            time.sleep(max(0.0, due_s - time.monotonic()))
