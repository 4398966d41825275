"""What carrying out a case needs; and its table probed, by every reader that its scenario names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wasim.bench.timing import PlanningTarget, PlanningTimes, time_planning
from wasim.iceberg.properties import WRITE_DATA_LOCATION
from wasim.ledger import DirectoryScan, PlanningProbe
from wasim.ledger.readers import ICEBERG_JAVA
from wasim.runs import RunFolder
from wasim.scenario import Case
from wasim.scenario.paths import DATA_FOLDER
from wasim.spark import Catalog, Session, drive
from wasim.spark.probe import (
    ColdTable,
    Occasion,
    PlanningTable,
    Probed,
    TableState,
    execution_ms,
    open_readers,
    plans,
    probe_cold,
    queries,
)  # fmt: skip
from wasim.spark.servers import Servers
from wasim.units import Floats
from wasim.workload import Probe


def _ignore(commits: int) -> None:
    """Takes no notice of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseContext:
    """Where a case is carried out, by which engine, under which key; `on_commits` takes the number of commits so far.

    `machine` is for pytest-benchmark's document.
    """

    session: Session
    folder: RunFolder
    key: str
    servers: Servers
    machine: Mapping[str, Any]
    on_commits: Callable[[int], None] = _ignore
    engine: drive.Engine = drive.SPARK

    @property
    def warehouse(self) -> Path:
        """The case's warehouse."""
        return self.folder.warehouse(self.key)

    @property
    def table_root(self) -> Path:
        """Where the case's table is when its store is local, under its warehouse."""
        return self.warehouse.joinpath(*drive.TABLE_NAME.split("."))


EXECUTION_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """Probes of a case's table while it is written, and what they found so far."""

    context: CaseContext
    catalog: Catalog
    target: drive.Target
    planning: PlanningTable
    probes: list[PlanningProbe] = field(default_factory=list)
    listings: list[DirectoryScan] = field(default_factory=list)

    @property
    def _local_root(self) -> Path | None:
        """The table's folder; None where it is on no local disk."""
        return self.context.table_root if self.catalog.store is None else None

    def probe(self, step: Probe) -> None:
        """Times planning by every reader and, at the end, a listing of directories and Spark's execution."""
        case, state = self.target.case, self.planning.state()
        asked = tuple(queries(self.target.session, case, step.table, after_commit=step.after_commit))
        probed = Probed(
            session=self.target.session,
            catalog=self.catalog,
            table_name=drive.TABLE_NAME,
            local_root=self._local_root,
            planning=self.planning,
            state=state,
        )
        at_end = step.final and self.context.engine.writes_data
        with open_readers(case.planning, probed) as readers:
            target = PlanningTarget(
                label=case.label,
                planned=plans(readers, asked),
                occasion=Occasion(state=state, after_commit=step.after_commit, temperature="warm"),
                rounds=case.planning.rounds_at_end if step.final else case.planning.rounds,
                data_folders=self._data_folders() if at_end and case.planning.listing else (),
            )
            seen = self._timed(target)
        spent: dict[str, Floats] = {}
        if at_end and case.planning.execution:
            spent = {
                query.name: execution_ms(self.target, step.table, query, rounds=EXECUTION_ROUNDS) for query in asked
            }
        self.probes.extend(_executed(probe, spent) for probe in seen.probes)
        self.listings.extend(seen.listings)

    def _data_folders(self) -> list[Path]:
        """Where the table's data files lie, or lay before a property moved them."""
        if self._local_root is None:
            return []
        given = (properties.get(WRITE_DATA_LOCATION, DATA_FOLDER) for properties in self.target.case.all_properties)
        names = {DATA_FOLDER, *given}
        outer = [name for name in sorted(names) if not any(name.startswith(f"{other}/") for other in names)]
        return [folder for folder in (self._local_root / name for name in outer) if folder.is_dir()]

    def _timed(self, target: PlanningTarget) -> PlanningTimes:
        folder = self.context.folder.unfinished_case(self.context.key)
        document = folder / f"benchmark-{target.occasion.after_commit:08d}.json"
        return time_planning(target, self.context.machine, document)


def _executed(probe: PlanningProbe, spent: Mapping[str, Floats]) -> PlanningProbe:
    """The probe with what Spark spent on its query, if it plans as Spark does: by Iceberg's library, as it comes."""
    own = probe.reader == ICEBERG_JAVA and not probe.variant and probe.query in spent
    return replace(probe, execution_ms=spent[probe.query]) if own else probe


def probe_fresh(case: Case, context: CaseContext, catalog: Catalog, state: TableState) -> list[PlanningProbe]:
    """The full scan of a finished case planned once by each reader in a fresh process, if the case asks for it."""
    table = ColdTable(
        jars=context.session.jars,
        catalog=catalog,
        table_name=drive.TABLE_NAME,
        table_root=context.table_root,
        state=state,
        after_commit=case.commits,
    )
    return list(probe_cold(case.planning.readers, table)) if case.planning.cold else []
