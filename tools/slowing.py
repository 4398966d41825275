"""How much longer a commit takes with every MiB of metadata.json: Iceberg's own library, to 10,000 snapshots.

`make slowing` runs it and prints milliseconds per commit by the table's age, and the line through them. Each age is a
table of its own, whose metadata.json holds that many snapshots, never committed; then real appends by engine core
are timed. The JVM's processor time counts, all threads together, since other work on the machine delays commits.
"""

import json
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wasim.core import CORE
from wasim.scenario import Case, load_scenario
from wasim.spark import DEFAULT_MASTER, JdbcCatalog, Journal, Session, drive, open_session
from wasim.workload import Append, plan_steps

AGES = (0, 1_000, 2_500, 5_000, 7_500, 10_000)
COMMITS, WARM_UP_COMMITS = 120, 300
MIB = 2**20
SCENARIO = """
name: slowing
question: How much longer does a commit take with every MiB of metadata.json?
table:
  columns: [{name: sensor, type: string, length: 12, values: 40}, {name: reading, type: double}]
workload: {rows_per_second: 1}
horizon: 1h
commit_interval: 1s
writer: batch
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aged:
    """Commits to a table of this many snapshots: the size of its metadata.json in bytes, and milliseconds of a commit.

    `commit_ms` is the median on the clock, `processor_ms` the mean on the processors.
    """

    snapshots: int
    metadata_json_bytes: float
    commit_ms: float
    processor_ms: float


def measure_slowing(session: Session, case: Case, folder: Path) -> tuple[Aged, ...]:
    """Times appends to a table of each age in turn, after a warm-up of the library."""
    catalog = JdbcCatalog(name="slowing", warehouse=folder / "warehouse")
    for needed in ("warehouse", "journal"):
        (folder / needed).mkdir(parents=True)
    journal = session.journal(folder / "journal")
    session.add_catalog(catalog, journal, sets_permissions=False)
    first = _Table(session=session, case=case, catalog=catalog, name="db.young", folder=folder, journal=journal)
    session.spark.sql(drive.create_table_sql(case, first.full_name, first.location))
    first.append(1, WARM_UP_COMMITS)
    young = json.loads(session.metadata_json(session.iceberg_table(first.full_name)))
    return tuple(_measure(first, young, age) for age in AGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    session: Session
    case: Case
    catalog: JdbcCatalog
    name: str
    folder: Path
    journal: Journal

    @property
    def full_name(self) -> str:
        return f"{self.catalog.name}.{self.name}"

    @property
    def location(self) -> str:
        return f"{self.catalog.location}/{self.name.replace('.', '/')}"

    def append(self, first_commit: int, commits: int) -> tuple[float, float]:
        """Makes these commits of the case with engine core; milliseconds of one on the clock, and on the processors."""
        target = drive.Target(
            session=self.session,
            case=self.case,
            table=self.full_name,
            location=self.location,
            journal=self.journal,
            checkpoint=self.folder / "checkpoint",
            on_commits=lambda commits: None,
        )
        step = next(step for step in plan_steps(self.case) if isinstance(step, Append))
        started_s = self._processor_s()
        CORE.open(target).appender.append(replace(step, first_commit=first_commit, commits=commits))
        spent_ms = (self._processor_s() - started_s) * 1000 / commits
        written = [line for line in self.journal.lines() if line.get("do") == "write"]
        ends_us = [line["at_us"] for line in written if line["file"].endswith(".metadata.json")]
        return float(np.median(np.diff(ends_us[-commits:]))) / 1000, spent_ms

    def _processor_s(self) -> float:
        """Processor seconds of the JVM so far."""
        gateway: Any = self.session.spark.sparkContext._gateway
        user, system = Path(f"/proc/{gateway.proc.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _measure(first: _Table, young: dict[str, Any], age: int) -> Aged:
    """Registers a table with `age` snapshots more than the young one, and times appends to it."""
    session, table = first.session, replace(first, name=f"db.aged_{age}")
    text = json.dumps(with_more_snapshots(young, age), separators=(",", ":"))
    path = first.folder / f"{age}.metadata.json"
    path.write_text(text)
    session.run(f"CALL {first.catalog.name}.system.register_table('{table.name}', '{path}')")
    commit_ms, processor_ms = table.append(WARM_UP_COMMITS + 1, COMMITS)
    return Aged(snapshots=age, metadata_json_bytes=float(len(text)), commit_ms=commit_ms, processor_ms=processor_ms)


def with_more_snapshots(document: dict[str, Any], count: int) -> dict[str, Any]:
    """The table's metadata with that many further snapshots before its own: copies of its first."""
    first = document["snapshots"][0]
    ids = range(1, count + 1)
    older = [{**first, "snapshot-id": number, "sequence-number": 0} for number in ids]
    log = [{"timestamp-ms": first["timestamp-ms"], "snapshot-id": number} for number in ids]
    return {
        **document,
        "snapshots": [*older, *document["snapshots"]],
        "snapshot-log": [*log, *document["snapshot-log"]],
    }


def fit_line(aged: tuple[Aged, ...]) -> tuple[float, float]:
    """(milliseconds of a commit to an empty table, milliseconds for each MiB of metadata.json)."""
    sizes = np.array([one.metadata_json_bytes for one in aged]) / MIB
    per_mib, base = np.polyfit(sizes, [one.processor_ms for one in aged], 1)
    return float(base), float(per_mib)


def main() -> None:
    """Measures on tables of its own and prints the line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slowing.yaml").write_text(SCENARIO)
        case = load_scenario(folder / "slowing.yaml").cases()[0]
        with open_session({}, master=DEFAULT_MASTER, log=folder / "spark.log") as session:
            aged = measure_slowing(session, case, folder)
    for one in aged:
        size = f"{one.metadata_json_bytes / MIB:.2f} MiB"
        spent = f"{one.processor_ms:.1f} ms of processor time, {one.commit_ms:.1f} ms on the clock"
        print(f"{one.snapshots:>6,} snapshots, {size}: {spent}")
    base, per_mib = fit_line(aged)
    print(f"a commit takes {base:.0f} ms and {per_mib:.1f} ms more for each MiB of metadata.json")


if __name__ == "__main__":
    main()
