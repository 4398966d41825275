"""A scenario's cases written by an engine without Spark, one after the other: each recorded, audited and saved."""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from wasim.collect import audit, list_table, read_journal
from wasim.collect.audit import local_path
from wasim.errors import CaseFailed, WasimError
from wasim.iceberg import ManifestFile, read_manifest, read_manifest_list
from wasim.ledger import Action, Kind, Recording
from wasim.runner.conclude import Job, Outcome, run_cases
from wasim.runs import CaseRun, RunFolder, keep_case, key_versions, note_provenance
from wasim.scenario import Case, LoadedScenario
from wasim.scenario.settings import TABLE_NAME

Lines = Iterable[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """An engine: the versions that decide its bytes, what it refuses, and what writes a case's table below a warehouse
    and returns the journal's lines. `failures` are its errors that end a case and no more.
    """

    name: str
    versions: Callable[[], Mapping[str, str]]
    check: Callable[[Case], None]
    write: Callable[[Case, Path], Lines]
    failures: tuple[type[Exception], ...] = (WasimError,)


def unwritten(case: Case, *, versions: Sequence[int] = (2,)) -> tuple[tuple[bool, str], ...]:
    """What no engine without Spark writes: whether the case asks for it, and the words that say so.

    `versions` of the format are those in which the engine was compared.
    """
    place, version = case.environment, case.table.format_version
    return (
        (case.writer.tables > 1, f"writer.tables is {case.writer.tables:,}. Give 1, or simulate them"),
        (case.workload.active is not None, "workload.active is simulated only. Take it out"),
        (place.catalog != "jdbc", f"environment.catalog is {place.catalog}. Give jdbc"),
        (place.store != "local", f"environment.store is {place.store}. Give local"),
        (version not in versions, f"table.format_version is {version}. Give {' or '.join(map(str, versions))}"),
    )


def write_scenario(
    writer: Writer,
    scenario: LoadedScenario,
    results: Path,
    console: Console,
    *,
    fresh: bool = False,
    prices: Path | None = None,
) -> Outcome:
    """Writes the scenario's tables, or what is left of an unfinished run; `console` takes progress.

    WasimError for a case that the engine does not write; CaseFailed if no case could be finished.
    """
    versions = writer.versions()
    cases = {case.key(key_versions(versions) | {"engine": writer.name}): case for case in scenario.cases()}
    for case in cases.values():
        writer.check(case)

    def write_left(left: Mapping[str, Case], folder: RunFolder) -> dict[str, str]:
        note_provenance(folder.path, engine={"name": writer.name, "data": "written"}, jars=versions)
        failures = {}
        for key, case in left.items():
            try:
                _write(writer, case, key, folder)
            except writer.failures as error:
                failures[case.label] = next(iter(str(error).splitlines()), type(error).__name__)
            said = f"failed: {failures[case.label]}" if case.label in failures else f"{case.commits:,} commits."
            console.print(f"{case.label}: {said}", markup=False, highlight=False, soft_wrap=True)
        return failures

    return run_cases(
        Job(scenario=scenario, cases=cases, results=results, fresh=fresh, prices=prices), write_left, console
    )


def recording_of(case: Case, lines: Lines, root: Path) -> Recording:
    """What a journal says of the case's table. AuditMismatch, or CaseFailed for other commits, if books do not balance.

    A commit that took other rows than its own is not the scenario's. What manifests list as delete files is that in the
    recording: names do not always tell.
    """
    recording = read_journal(lines, table_root=root).recording
    audit(recording.events, list_table(root))
    rows = recording.reports.records_added.tolist()
    if rows != [case.rows_per_commit] * case.commits:
        odd = next((one for one in rows if one != case.rows_per_commit), case.rows_per_commit)
        raise CaseFailed(
            f"{len(rows)} commits were made, one of {odd} rows, not {case.commits} of {case.rows_per_commit} each."
            " Run the case again, on an idle machine."
        )
    deletes = {
        os.path.relpath(local_path(entry.file.file_path), root)
        for one in _listed(recording, root)
        if one.content == 1
        for entry in read_manifest(Path(local_path(one.manifest_path)).read_bytes(), source=one.manifest_path).entries
    }
    kind = recording.events.kind.copy()
    kind[[file in deletes for file in recording.events.file]] = Kind.DELETE_FILE
    return replace(recording, events=replace(recording.events, kind=kind))


def _write(writer: Writer, case: Case, key: str, folder: RunFolder) -> None:
    started_s, warehouse = time.monotonic(), folder.warehouse(key)
    shutil.rmtree(warehouse, ignore_errors=True)
    warehouse.mkdir(parents=True)
    root = warehouse.joinpath(*TABLE_NAME.split("."))
    recording = recording_of(case, writer.write(case, warehouse), root)
    finished = CaseRun.of_recording(
        case,
        recording,
        key=key,
        engine=writer.name,
        live_bytes=_live_bytes(recording, root),
        wall_s=time.monotonic() - started_s,
    )
    keep_case(folder, replace(finished, location=str(root)), recording)


def _listed(recording: Recording, root: Path) -> Sequence[ManifestFile]:
    """The manifests of the last snapshot: all that were committed, merged or not, as the tables only grow."""
    place = _newest(recording, Kind.MANIFEST_LIST, root)
    return read_manifest_list(place.read_bytes(), source=str(place)).manifests


def _newest(recording: Recording, kind: Kind, root: Path) -> Path:
    events = recording.events
    return root / str(events.file[(events.kind == kind) & (events.action == Action.WRITE)][-1])


def _live_bytes(recording: Recording, root: Path) -> dict[Kind, int]:
    """Bytes reachable from the last snapshot, and of the last metadata.json, by kind."""
    live = dict.fromkeys(Kind, 0)
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST):
        live[kind] = _newest(recording, kind, root).stat().st_size
    for one in _listed(recording, root):
        kind = Kind.DELETE_MANIFEST if one.content == 1 else Kind.DATA_MANIFEST
        live[kind] += one.manifest_length
    live[Kind.DELETE_FILE] = int(recording.events.bytes[recording.events.kind == Kind.DELETE_FILE].sum())
    live[Kind.DATA] = int(recording.reports.data_bytes_live[-1]) - live[Kind.DELETE_FILE]
    return live
