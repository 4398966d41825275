"""What carrying out a case needs; and its table probed by every reader of its scenario: load, planning, listing.

What was timed, in the process that holds the session, is written as pytest-benchmark writes it, so that
`pytest-benchmark compare` reads it.
"""

import gc
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest_benchmark
from pytest_benchmark.stats import Stats

from wasim.iceberg.properties import WRITE_DATA_LOCATION
from wasim.ledger import DirectoryScan, PlanningProbe
from wasim.ledger.readers import ICEBERG_JAVA
from wasim.runs import RunFolder, write_atomically
from wasim.scenario import Case
from wasim.scenario.settings import DATA_FOLDER
from wasim.spark import Catalog, Session, drive, probe
from wasim.spark.servers import Servers
from wasim.units import Floats
from wasim.workload import Probe

WARM_UP_ROUNDS = 2
Times = tuple[list[PlanningProbe], list[DirectoryScan]]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningTarget:
    """What is planned: queries of a table by readers on some occasion, and how often.

    The data files below `data_folders` are found by listing directories too, if any are given.
    """

    label: str
    planned: Sequence[probe.Planned]
    occasion: probe.Occasion
    rounds: int
    data_folders: Sequence[Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    """One benchmark: what was timed of what, in `seconds` a round."""

    group: str
    what: str
    of: str
    seconds: Sequence[float]
    extra_info: Mapping[str, Any]


def time_planning(target: PlanningTarget, machine: Mapping[str, Any], json_path: Path) -> Times:
    """Load, planning and listing, timed; a JSON file takes every round. Raises what a query raised."""
    planned = [_time_plan(reader, query, target) for reader, query in target.planned]
    # variants load in the same way: the first of each reader stands for all
    loading = {reader.name: reader for reader, _ in reversed(target.planned) if reader.loads_apart}
    loads = [_time_load(reader, target.rounds) for reader in loading.values()]
    listings = [_time_listing(target)] if target.data_folders else []
    timed = [*(one for one, _ in planned), *loads, *(one for one, _ in listings)]
    write_atomically(json_path, json.dumps(_document(timed, target, machine), indent=1))
    return [one for _, one in planned], [scan for _, scan in listings]


def _time_plan(reader: probe.Reader, query: probe.Query, target: PlanningTarget) -> tuple[_Timed, PlanningProbe]:
    """Scan planning of one query, each round on a table loaded afresh; loading is timed apart."""

    def plan_once() -> tuple[probe.Round, float]:
        table, load_ms = probe.timed_load(reader)
        plan, spent_s = _stopwatch(partial(reader.plan, table, query))
        return probe.Round(load_ms=load_ms, plan=plan), spent_s

    rounds, seconds = zip(*_repeat(plan_once, target.rounds), strict=True)
    loads_ms = [one.load_ms for one in rounds if one.load_ms is not None]
    last = rounds[-1].plan
    info = {
        "after_commit": target.occasion.after_commit,
        "reader": reader.name,
        "variant": reader.variant,
        "manifests_opened": last.manifests_opened,
        "manifests_scanned": last.manifests_scanned,
        "manifests_skipped": last.manifests_skipped,
        "load_median_ms": statistics.median(loads_ms) if loads_ms else None,
        "planning_median_ms": statistics.median(one.plan.planning_ms for one in rounds),
    }
    of = " ".join(part for part in (reader.name, reader.variant, query.name) if part)
    timed = _Timed(group=f"plan {query.name}", what="plan", of=of, seconds=seconds, extra_info=info)
    return timed, probe.probe_of(reader, query, rounds, target.occasion)


def _time_load(reader: probe.Reader, rounds: int) -> _Timed:
    """Table load again and again with no planning in between, which caches favour: not the load before each plan."""
    _, seconds = zip(*_repeat(partial(_stopwatch, reader.load), rounds), strict=True)
    return _Timed(group="load alone", what="load_alone", of=reader.name, seconds=seconds, extra_info={})


def _time_listing(target: PlanningTarget) -> tuple[_Timed, DirectoryScan]:
    listing = partial(probe.list_data_files, target.data_folders)
    found, seconds = zip(*_repeat(partial(_stopwatch, listing), target.rounds), strict=True)
    list_calls, files = found[-1]
    info = {"after_commit": target.occasion.after_commit, "list_calls": list_calls, "files": files}
    return (
        _Timed(group="list data files", what="list", of="data", seconds=seconds, extra_info=info),
        DirectoryScan(**info, scan_ms=np.array(seconds) * 1e3),
    )


def _repeat(action: Callable[[], _T], rounds: int) -> list[_T]:
    """What each round gives; rounds that warm up are left out."""
    return [action() for _ in range(WARM_UP_ROUNDS + rounds)][WARM_UP_ROUNDS:]


def _stopwatch(action: Callable[[], _T]) -> tuple[_T, float]:
    """What the action gives, and the seconds that it takes with the garbage collector off."""
    collects = gc.isenabled()
    gc.disable()
    try:
        started_s = time.perf_counter()
        found = action()
        return found, time.perf_counter() - started_s
    finally:
        if collects:
            gc.enable()


def _document(timed: Sequence[_Timed], target: PlanningTarget, machine: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "machine_info": machine,
        "commit_info": {"id": machine.get("git_commit", "unversioned"), "dirty": False},
        "benchmarks": [_benchmark(one, target) for one in timed],
        "datetime": datetime.now(UTC).isoformat(),
        "version": pytest_benchmark.__version__,
    }


def _benchmark(timed: _Timed, target: PlanningTarget) -> dict[str, Any]:
    param = f"{target.label} @{target.occasion.after_commit}-{timed.of}"
    name = f"test_{timed.what}[{param}]"
    return {
        "group": timed.group,
        "name": name,
        "fullname": f"planning.py::{name}",  # as runs are named that pytest itself timed
        "params": {"case": target.label},
        "param": param,
        "extra_info": dict(timed.extra_info),
        "options": {"disable_gc": True, "timer": "perf_counter", "warmup": WARM_UP_ROUNDS},
        "stats": _stats(timed.seconds),
    }


def _stats(seconds: Sequence[float]) -> dict[str, Any]:
    stats = Stats()
    for one in seconds:
        stats.update(one)
    return {**stats.as_dict(), "data": list(seconds), "iterations": 1}


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
    on_commits: Callable[[int], None] = lambda _: None
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
    planning: probe.PlanningTable
    probes: list[PlanningProbe] = field(default_factory=list)
    listings: list[DirectoryScan] = field(default_factory=list)

    @property
    def _local_root(self) -> Path | None:
        """The table's folder; None where it is on no local disk."""
        return self.context.table_root if self.catalog.store is None else None

    def probe(self, step: Probe) -> None:
        """Times planning by every reader and, at the end, a listing of directories and Spark's execution."""
        case, state = self.target.case, self.planning.state()
        asked = tuple(probe.queries(self.target, step.table, after_commit=step.after_commit))
        probed = probe.Probed(
            session=self.target.session,
            catalog=self.catalog,
            table_name=drive.TABLE_NAME,
            local_root=self._local_root,
            planning=self.planning,
            state=state,
        )
        at_end = step.final and self.context.engine.writes_data
        with probe.open_readers(case.planning, probed) as readers:
            target = PlanningTarget(
                label=case.label,
                planned=probe.plans(readers, asked),
                occasion=probe.Occasion(state=state, after_commit=step.after_commit, temperature="warm"),
                rounds=case.planning.rounds_at_end if step.final else case.planning.rounds,
                data_folders=self._data_folders() if at_end and case.planning.listing else (),
            )
            folder = self.context.folder.unfinished_case(self.context.key)
            probes, listings = time_planning(
                target, self.context.machine, folder / f"benchmark-{step.after_commit:08d}.json"
            )
        spent: dict[str, Floats] = {}
        if at_end and case.planning.execution:
            spent = {
                query.name: probe.execution_ms(self.target, step.table, query, rounds=EXECUTION_ROUNDS)
                for query in asked
            }
        self.probes.extend(_executed(one, spent) for one in probes)
        self.listings.extend(listings)

    def _data_folders(self) -> list[Path]:
        """Where the table's data files lie, or lay before a property moved them."""
        if self._local_root is None:
            return []
        given = (properties.get(WRITE_DATA_LOCATION, DATA_FOLDER) for properties in self.target.case.all_properties)
        names = {DATA_FOLDER, *given}
        outer = [name for name in sorted(names) if not any(name.startswith(f"{other}/") for other in names)]
        return [folder for folder in (self._local_root / name for name in outer) if folder.is_dir()]


def _executed(one: PlanningProbe, spent: Mapping[str, Floats]) -> PlanningProbe:
    """The probe with what Spark spent on its query, if it plans as Spark does: by Iceberg's library, as it comes."""
    own = one.reader == ICEBERG_JAVA and not one.variant and one.query in spent
    return replace(one, execution_ms=spent[one.query]) if own else one


def probe_fresh(case: Case, context: CaseContext, catalog: Catalog, state: probe.TableState) -> list[PlanningProbe]:
    """The full scan of a finished case planned once by each reader in a fresh process, if the case asks for it."""
    table = probe.ColdTable(
        jars=context.session.jars,
        catalog=catalog,
        table_name=drive.TABLE_NAME,
        table_root=context.table_root,
        occasion=probe.Occasion(state=state, after_commit=case.commits, temperature="cold"),
    )
    return list(probe.probe_cold(case.planning.readers, table)) if case.planning.cold else []
