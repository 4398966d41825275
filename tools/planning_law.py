"""How long a full scan takes to plan, by manifests, files and bytes: Iceberg's own library, to 100,000 files.

`make planning-law` runs it and prints, for each table, what was measured and what the law says, then the law. Tables
are written by engine core and planned warm, as `wasim bench` plans them. Reading costs processor time, which is counted
over all threads of the JVM, since other work on the machine delays it; waiting costs time on the clock alone.
"""

import math
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from wasim.core import CORE
from wasim.ledger import FULL_SCAN
from wasim.ledger.machine import Machine
from wasim.processes import available_cores
from wasim.scenario import Case, load_scenario
from wasim.spark import DEFAULT_MASTER, JdbcCatalog, Journal, Session, drive, open_session
from wasim.spark.probe import Query, open_planning_table, timed_load
from wasim.units import MEGABYTE
from wasim.workload import Append, plan_steps

SHAPES = (  # commits, files of each, columns
    (40, 1, 8),
    (200, 1, 8),
    (600, 1, 8),
    (40, 250, 40),
    (30, 100, 200),
    (20, 5000, 8),
)
WARM_UP_ROUNDS, ROUNDS = 6, 9
SMALL_BYTES = 50e3  # of a manifest that is read within the wait
SCENARIO = """
name: planning_law
question: How long does a full scan take to plan?
table:
  columns: [{{name: reading, type: double, count: {columns}}}]
workload: {{rows_per_second: {files}, files_per_commit: {files}}}
horizon: {commits}s
commit_interval: 1s
writer: streaming
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A table, and medians of planning a full scan of it: `planning_ms` on the clock, `processor_ms` on processors."""

    columns: int
    manifests: int
    files: int
    manifest_bytes: int
    metadata_json_bytes: int
    load_ms: float
    planning_ms: float
    processor_ms: float


def measure_planning(session: Session, folder: Path, shapes: tuple[tuple[int, int, int], ...]) -> list[Timed]:
    """Writes and plans a table of each shape; the first one twice, so that the library is warm."""
    catalog = JdbcCatalog(name="law", warehouse=folder / "warehouse")
    for needed in ("warehouse", "journal"):
        (folder / needed).mkdir(parents=True)
    journal = session.journal(folder / "journal")
    session.add_catalog(catalog, journal, sets_permissions=False)
    timed = []
    for place, (commits, files, columns) in enumerate((shapes[0], *shapes)):
        path = folder / f"{place}.yaml"
        path.write_text(SCENARIO.format(commits=commits, files=files, columns=columns))
        case = load_scenario(path).cases()[0]
        _write(session, case, catalog, journal, f"db.shape_{place}")
        timed.append(_timed(session, catalog, f"db.shape_{place}", columns))
    return timed[1:]


def _write(session: Session, case: Case, catalog: JdbcCatalog, journal: Journal, name: str) -> None:
    """Makes all commits of the case with engine core."""
    table, location = f"{catalog.name}.{name}", f"{catalog.location}/{name.replace('.', '/')}"
    session.spark.sql(drive.create_table_sql(case, table, location))
    target = drive.Target(
        session=session,
        case=case,
        table=table,
        location=location,
        journal=journal,
        checkpoint=catalog.warehouse / "checkpoint",
        on_commits=lambda commits: None,
    )
    appender = CORE.open(target).appender
    for step in plan_steps(case):
        if isinstance(step, Append):
            appender.append(step)


def _timed(session: Session, catalog: JdbcCatalog, name: str, columns: int) -> Timed:
    jvm: Any = session.spark.sparkContext._jvm
    loads_ms, plannings_ms, processors_ms = [], [], []
    with open_planning_table(jvm, catalog, name) as planning:
        for _ in range(WARM_UP_ROUNDS + ROUNDS):
            table, load_ms = timed_load(planning)
            before_ms = _processor_ms(session)
            plan = planning.plan(table, Query(name=FULL_SCAN))
            processors_ms.append(_processor_ms(session) - before_ms)
            plannings_ms.append(plan.planning_ms)
            loads_ms.append(load_ms or 0.0)
        _, data_bytes, _ = planning.live_manifests(table)
        state = planning.state()
    return Timed(
        columns=columns,
        manifests=plan.manifests_scanned or 0,
        files=plan.files or 0,
        manifest_bytes=data_bytes,
        metadata_json_bytes=state.metadata_json_bytes,
        load_ms=float(np.median(loads_ms[-ROUNDS:])),
        planning_ms=float(np.median(plannings_ms[-ROUNDS:])),
        processor_ms=float(np.mean(processors_ms[-ROUNDS:])),
    )


def _processor_ms(session: Session) -> float:
    """Processor time of the JVM so far."""
    gateway: Any = session.spark.sparkContext._gateway
    user, system = Path(f"/proc/{gateway.proc.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") * 1000


def fit_machine(timed: list[Timed], threads: int) -> Machine:
    """The law of these tables: reading from the processor time, waiting from tables of small manifests."""
    design = [[1.0, one.manifests, one.files, one.manifest_bytes / MEGABYTE] for one in timed]
    weights = np.array([1 / one.processor_ms for one in timed])  # relative errors
    measured = np.array([one.processor_ms for one in timed])
    (_, per_manifest, per_file, per_megabyte), _ = nnls(np.array(design) * weights[:, None], measured * weights)
    waiting = [one for one in timed if one.manifest_bytes < SMALL_BYTES * one.manifests]
    looks = [[1.0, math.ceil(one.manifests / (2 * threads))] for one in waiting]
    slept = np.array([1 / one.planning_ms for one in waiting])
    (base, per_look), _ = nnls(np.array(looks) * slept[:, None], np.ones(len(waiting)))
    sizes = np.array([[1.0, one.metadata_json_bytes / MEGABYTE] for one in timed])
    (load, per_json_megabyte), _ = nnls(sizes, np.array([one.load_ms for one in timed]))
    return Machine(
        words=f"this machine, {threads} threads",
        load_ms=float(load),
        load_ms_per_megabyte=float(per_json_megabyte),
        planning_ms=float(base),
        wait_ms=float(per_look),
        ms_per_manifest=float(per_manifest),
        ms_per_file=float(per_file),
        ms_per_manifest_megabyte=float(per_megabyte),
        threads=threads,
        commit_ms=0.0,
        most_json_bytes=max(one.metadata_json_bytes for one in timed),
        most_manifests=max(one.manifests for one in timed),
        most_files=max(one.files for one in timed),
    )


def main() -> None:
    """Measures tables of its own, and prints them and the law."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_session({}, master=DEFAULT_MASTER, log=folder / "spark.log") as session:
            timed = measure_planning(session, folder, SHAPES)
    machine = fit_machine(timed, max(2, available_cores()))
    print("| columns | manifests | files | bytes of manifests | processor | planning | by the law | off |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for one in timed:
        said = machine.scanning_ms(one.manifests, one.files, one.manifest_bytes)
        print(
            f"| {one.columns} | {one.manifests:,} | {one.files:,} | {one.manifest_bytes:,} | {one.processor_ms:.0f} ms"
            f" | {one.planning_ms:.0f} ms | {said:.0f} ms | {said / one.planning_ms - 1:+.0%} |"
        )
    print(f"\n{machine}")


if __name__ == "__main__":
    main()
