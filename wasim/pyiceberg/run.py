"""A scenario's cases written by pyiceberg, one after the other, into a run's folder."""

import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from pyiceberg.exceptions import CommitFailedException
from rich.console import Console

from wasim.collect import audit, list_table, read_journal
from wasim.errors import CaseFailed, WasimError
from wasim.pyiceberg.checks import check_writable
from wasim.pyiceberg.engine import live_bytes, write_table
from wasim.pyiceberg.recorder import Journal
from wasim.runner import Job, Outcome, run_cases
from wasim.runs import CaseRun, RunFolder, key_versions, make_durable, provenance, save_case, write_atomically
from wasim.scenario import Case, LoadedScenario
from wasim.scenario.paths import TABLE_NAME

ENGINE_NAME = "pyiceberg"
_FAILURES = (WasimError, CommitFailedException, OSError, NotImplementedError, ValueError, ModuleNotFoundError)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a scenario is to be written."""

    results: Path
    fresh: bool = False
    prices: Path | None = None


def write_scenario(scenario: LoadedScenario, options: WriteOptions, console: Console) -> Outcome:
    """Writes the scenario's tables, or what is left of an unfinished run; `console` takes progress.

    WasimError if pyiceberg does not write a case; CaseFailed if no case could be finished.
    """
    versions = key_versions({}) | {name: version(name) for name in ("pyiceberg", "pyarrow")} | {"engine": ENGINE_NAME}
    cases = {case.key(versions): case for case in scenario.cases()}
    for case in cases.values():
        check_writable(case)

    def write_left(left: Mapping[str, Case], folder: RunFolder) -> dict[str, str]:
        engine = {"name": ENGINE_NAME, "data": "written", "pyiceberg": versions["pyiceberg"]}
        notes = provenance(engine=engine, jars={}, folder=folder.path)
        write_atomically(folder.path / "provenance.json", json.dumps(notes, indent=1))
        failures = {}
        for key, case in left.items():
            try:
                _write(case, key, folder)
            except _FAILURES as error:
                failures[case.label] = next(iter(str(error).splitlines()), type(error).__name__)
            said = f"failed: {failures[case.label]}" if case.label in failures else f"{case.commits:,} commits."
            console.print(f"{case.label}: {said}", markup=False, highlight=False, soft_wrap=True)
        return failures

    job = Job(scenario=scenario, cases=cases, results=options.results, fresh=options.fresh, prices=options.prices)
    return run_cases(job, write_left, console)


def _write(case: Case, key: str, folder: RunFolder) -> None:
    """Writes the case from nothing and saves it. CaseFailed or AuditMismatch if its books do not balance."""
    started_s, warehouse, journal = time.monotonic(), folder.warehouse(key), Journal()
    shutil.rmtree(warehouse, ignore_errors=True)
    warehouse.mkdir(parents=True)
    table = write_table(case, warehouse, journal, lambda commits: None)
    root = warehouse.joinpath(*TABLE_NAME.split("."))
    recording = read_journal(journal.lines, table_root=root).recording
    audit(recording.events, list_table(root))
    if len(recording.reports) != case.commits:
        raise CaseFailed(f"The table has {len(recording.reports)} commits, not {case.commits}.")
    finished = CaseRun.of_recording(
        case,
        recording,
        key=key,
        engine=ENGINE_NAME,
        live_bytes=live_bytes(table),
        wall_s=time.monotonic() - started_s,
    )
    finished = replace(finished, location=table.location())
    unfinished = folder.unfinished_case(key)
    unfinished.mkdir(parents=True)
    save_case(finished, recording, unfinished)
    make_durable(unfinished, folder.case(key))
