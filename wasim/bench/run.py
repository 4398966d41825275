"""A scenario's cases carried out on real Iceberg tables, group by group of those that share a Spark session."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from wasim.bench.case import CaseContext, carry_out, warm_up
from wasim.runner import Job, Outcome, run_cases
from wasim.runs import RunFolder, key_versions, provenance, write_atomically
from wasim.scenario import Case, LoadedScenario
from wasim.spark import (
    DEFAULT_MASTER,
    ENGINE_ERRORS,
    PINNED_JARS,
    PinnedJar,
    Session,
    essential_line,
    file_sha256,
    find_java,
    open_session,
)  # fmt: skip
from wasim.spark.drive import SPARK, Engine
from wasim.spark.probe import check_readers
from wasim.spark.servers import Servers, case_jars, check_environment, open_servers


class SessionOpener(Protocol):
    """How `wasim.spark.open_session` is called."""

    def __call__(
        self, settings: Mapping[str, str], *, master: str, log: Path, extra_jars: Sequence[PinnedJar]
    ) -> AbstractContextManager[Session]:
        """A session for a with-block."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """How a scenario is to be run."""

    results: Path
    master: str = DEFAULT_MASTER
    fresh: bool = False
    engine: Engine = SPARK
    prices: Path | None = None  # of cases on S3; None: those that wasim ships


def keyed_cases(scenario: LoadedScenario, engine: Engine = SPARK) -> dict[str, Case]:
    """The scenario's cases in order, by the key that names each on that engine."""
    versions = key_versions({jar.name: jar.sha256 for jar in PINNED_JARS}) | {"engine": engine.name}
    return {case.key(versions | _own_versions(case)): case for case in scenario.cases()}


def _own_versions(case: Case) -> dict[str, str]:
    jars = case_jars(case)
    return {jar.coordinates: jar.sha256 for jar in (*jars.spark, *jars.servers)}


def bench(
    scenario: LoadedScenario, options: BenchOptions, console: Console, sessions: SessionOpener = open_session
) -> Outcome:
    """Runs the scenario, or what is left of an unfinished run of it; `console` takes progress and notes.

    `sessions` opens the Spark session for a group of cases with like Spark settings.

    CaseFailed if no case could be finished; EnvironmentFault if the machine lacks something; WasimError if the engine
    does not model a case.
    """
    cases = keyed_cases(scenario, options.engine)
    for case in cases.values():
        options.engine.check(case)
        check_readers(case.planning.readers)
    check_environment(cases.values())
    find_java()  # before a folder is made: without Java there is nothing to run

    def carry_out_left(left: Mapping[str, Case], folder: RunFolder) -> dict[str, str]:
        with open_servers(folder.path / "warehouse" / "s3") as servers:
            run = _Run(folder=folder, options=options, console=console, sessions=sessions, servers=servers)
            return _carry_out_all(left, run)

    job = Job(scenario=scenario, cases=cases, results=options.results, fresh=options.fresh, prices=options.prices)
    return run_cases(job, carry_out_left, console)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    folder: RunFolder
    options: BenchOptions
    console: Console
    sessions: SessionOpener
    servers: Servers


def _carry_out_all(left: Mapping[str, Case], run: _Run) -> dict[str, str]:
    """Carries out the cases that are left; returns the failed ones' labels with their essential line."""
    failures: dict[str, str] = {}
    columns = (
        # with these widths 80 columns hold the count and the time, however long a label is
        TextColumn("{task.description}", markup=False, table_column=Column(max_width=45, no_wrap=True)),
        BarColumn(bar_width=16),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=run.console, disable=not left) as progress:
        bars = {key: progress.add_task(case.label, total=case.commits, start=False) for key, case in left.items()}
        for settings, group in groupby(left.items(), key=lambda item: item[1].environment.spark):
            # all that any case needs: a process has one JVM, whose class path is that of its first session
            jars = tuple(dict.fromkeys(jar for case in left.values() for jar in case_jars(case).spark))
            log = run.folder.path / "spark.log"
            with run.sessions(settings, master=run.options.master, log=log, extra_jars=jars) as session:
                notes = _note_provenance(run, session, left.values())
                cases = list(group)
                _warm_up([case for _, case in cases], run, session)
                for key, case in cases:
                    moves = _moves(progress, bars[key])
                    context = CaseContext(
                        session=session,
                        folder=run.folder,
                        key=key,
                        machine=notes,
                        on_commits=moves,
                        servers=run.servers,
                        engine=run.options.engine,
                    )
                    try:
                        carry_out(case, context)
                    except ENGINE_ERRORS as error:
                        failures[case.label] = _with_remedy(essential_line(error), run.folder.path)
                        run.console.print(f"failed: {case.label}: {failures[case.label]}", style="red", markup=False)
    return failures


def _warm_up(cases: Sequence[Case], run: _Run, session: Session) -> None:
    for case in {case.writer_name: case for case in reversed(cases)}.values():
        if case.environment.warm_up_commits:
            context = CaseContext(
                session=session,
                folder=run.folder,
                key="warm-up",
                machine={},
                on_commits=lambda commits: None,
                servers=run.servers,
                engine=run.options.engine,
            )
            try:
                warm_up(case, context)
            except ENGINE_ERRORS as error:  # the case itself will fail and be named; the others can do without
                run.console.print(f"not warmed up: {essential_line(error)}", style="yellow", markup=False)


def _moves(progress: Progress, bar: TaskID) -> Callable[[int], None]:
    progress.start_task(bar)
    return lambda commits: progress.update(bar, completed=commits)


def _note_provenance(run: _Run, session: Session, cases: Iterable[Case]) -> dict[str, object]:
    of_servers = {jar.file_name: jar.sha256 for case in cases for jar in case_jars(case).servers}
    notes = provenance(
        engine={
            "name": run.options.engine.name,
            "data": "written" if run.options.engine.writes_data else "described only",
            "java": find_java().version,
            "master": run.options.master,
        },
        jars={jar.name: file_sha256(jar) for jar in session.jars} | of_servers,
        folder=run.folder.path,
    )
    write_atomically(run.folder.path / "provenance.json", json.dumps(notes, indent=1))
    return notes


def _with_remedy(line: str, folder: Path) -> str:
    if "No space left on device" in line:
        return f"{line}. Free space for {folder}, then run the same command: finished cases are kept."
    return line
