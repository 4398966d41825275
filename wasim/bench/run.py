"""A scenario's cases carried out on real Iceberg tables, group by group of those that share a Spark session."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from wasim import spark
from wasim.bench.case import carry_out, warm_up
from wasim.bench.probing import CaseContext
from wasim.core import CORE
from wasim.errors import WasimError
from wasim.estimate import case_s
from wasim.runner import Job, Outcome, run_cases
from wasim.runs import RunFolder, key_versions, note_provenance
from wasim.scenario import Case, LoadedScenario
from wasim.spark.drive import SPARK, Engine
from wasim.spark.probe import check_readers
from wasim.spark.servers import case_jars, check_environment, open_servers
from wasim.units import format_duration

ENGINES = {engine.name: engine for engine in (SPARK, CORE)}


def engine_named(name: str) -> Engine:
    """The engine with that name. WasimError if there is none."""
    if name not in ENGINES:
        raise WasimError(f"--engine is {name!r}. Give {' or '.join(ENGINES)}; bench takes pyiceberg and flink too.")
    return ENGINES[name]


class _TimeLeft(ProgressColumn):
    """How long a task will still take, or how long it took."""

    def render(self, task: Task) -> Text:
        if task.finished:
            return Text(f"took {format_duration(round(task.finished_time or 0) or 1)}")
        left_s = task.time_remaining
        return Text("" if left_s is None else f"{format_duration(round(left_s) or 1)} left")


class BenchProgress:
    """Progress over the cases that are to be carried out, by key. To be used in a with-block."""

    def __init__(self, console: Console, cases: Mapping[str, Case]) -> None:
        self._console, self._cases = console, cases
        self._all_commits = sum(case.commits for case in cases.values())
        self._finished_cases = self._finished_commits = 0
        self._began_s = time.monotonic()
        self._bars = Progress(
            # with these widths 80 columns hold the count and the time, however long a label is
            TextColumn("{task.description}", markup=False, table_column=Column(max_width=40, no_wrap=True)),
            BarColumn(bar_width=12),
            MofNCompleteColumn(),
            _TimeLeft(),
            console=console,
            disable=not cases or not console.is_terminal,
        )
        self._whole = self._bars.add_task("all cases", total=self._all_commits, visible=len(cases) > 1)
        self._tasks: dict[str, TaskID] = {
            key: self._bars.add_task(case.label, total=case.commits, start=False) for key, case in cases.items()
        }

    def __enter__(self) -> "BenchProgress":
        self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bars.stop()

    def say(self, line: str, style: str = "") -> None:
        """Prints a line above the bars."""
        self._console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def case(self, key: str) -> Iterator[Callable[[int], None]]:
        """The time in which a case is carried out; gives what takes the number of its commits so far."""
        began_s, task, commits = time.monotonic(), self._tasks[key], self._cases[key].commits
        self._bars.start_task(task)

        def take(done: int) -> None:
            self._bars.update(task, completed=done)
            self._bars.update(self._whole, completed=self._finished_commits + done)

        try:
            yield take
        finally:
            self._finished_cases += 1
            self._finished_commits += commits
        if not self._console.is_terminal:
            took = format_duration(round(time.monotonic() - began_s) or 1)
            self.say(f"{self._cases[key].label}: {commits:,} commits in {took}. {self._rest()}")

    def _rest(self) -> str:
        """The number of cases done, and the time that the others may take: as long per commit as these."""
        done = f"{self._finished_cases} of {len(self._cases)} cases done"
        left = self._all_commits - self._finished_commits
        if not left:
            return f"{done}."
        per_commit_s = (time.monotonic() - self._began_s) / self._finished_commits
        return f"{done}, about {format_duration(round(left * per_commit_s) or 1)} left."


WARM_UP = "warm-up"  # the key of what is not a case of the run
MOST_COMMITS = 100_000  # of one case, unless more are asked for


SessionOpener = Callable[..., AbstractContextManager[spark.Session]]
"""What is called as `wasim.spark.open_session` is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """How a scenario is to be run."""

    results: Path
    master: str = spark.DEFAULT_MASTER
    fresh: bool = False
    engine: Engine = SPARK
    prices: Path | None = None  # of cases on S3; None: those that wasim ships
    long: bool = False  # whether cases of more than MOST_COMMITS are wanted all the same


def keyed_cases(scenario: LoadedScenario, engine: Engine) -> dict[str, Case]:
    """The scenario's cases in order, by the key that names each on that engine."""
    versions = key_versions({jar.name: jar.sha256 for jar in spark.PINNED_JARS}) | {"engine": engine.name}
    return {case.key(versions | _own_versions(case)): case for case in scenario.cases()}


def _own_versions(case: Case) -> dict[str, str]:
    jars = case_jars(case)
    return {jar.coordinates: jar.sha256 for jar in (*jars.spark, *jars.servers)}


def bench(
    scenario: LoadedScenario, options: BenchOptions, console: Console, sessions: SessionOpener = spark.open_session
) -> Outcome:
    """Runs the scenario, or what is left of an unfinished run of it; `console` takes progress and notes.

    `sessions` opens the Spark session for a group of cases with like Spark settings.

    CaseFailed if no case could be finished; EnvironmentFault if the machine lacks something; WasimError if the engine
    does not model a case.
    """
    engine, cases = options.engine, keyed_cases(scenario, options.engine)
    for case in cases.values():
        engine.check(case)
        check_readers(case.planning.readers)
    check_environment(cases.values())
    if not options.long:
        _check_length(cases.values(), engine)
    spark.find_java()  # before a folder is made: without Java there is nothing to run

    def carry_out_left(left: Mapping[str, Case], folder: RunFolder) -> dict[str, str]:
        failures: dict[str, str] = {}
        with open_servers(folder.path / "warehouse" / "s3") as servers, BenchProgress(console, left) as progress:
            progress.say(f"Results go to {folder.path}, and what Spark prints to spark.log there.")
            # all that any case needs: a process has one JVM, whose class path is fixed by its first session
            jars = tuple(dict.fromkeys(jar for case in left.values() for jar in case_jars(case).spark))
            log = folder.path / "spark.log"
            for settings, group in groupby(left.items(), key=lambda item: item[1].environment.spark):
                progress.say(f"Starting Spark on {options.master}.")
                with sessions(settings, master=options.master, log=log, extra_jars=jars) as session:
                    notes = _note_provenance(folder, options, session, left.values())
                    context = CaseContext(
                        session=session, folder=folder, key=WARM_UP, servers=servers, machine=notes, engine=engine
                    )
                    failures |= _carry_out(dict(group), context, progress)
        return failures

    job = Job(scenario=scenario, cases=cases, results=options.results, fresh=options.fresh, prices=options.prices)
    return run_cases(job, carry_out_left, console)


def _check_length(cases: Iterable[Case], engine: Engine) -> None:
    """WasimError if a case has more commits than anybody would wait for without a warning."""
    longest = max(cases, key=lambda case: case.commits)
    if longest.commits > MOST_COMMITS:
        hours = case_s(longest, engine.name) / 3600
        raise WasimError(
            f"{longest.label} makes {longest.commits:,} commits, which take engine {engine.name} {hours:,.0f} hours or"
            " more. Give --long to run it all the same, or a shorter horizon, or use wasim simulate."
        )


def _carry_out(cases: Mapping[str, Case], context: CaseContext, progress: BenchProgress) -> dict[str, str]:
    failures: dict[str, str] = {}
    _warm_up(cases.values(), context, progress)
    for key, case in cases.items():
        try:
            with progress.case(key) as on_commits:
                carry_out(case, replace(context, key=key, on_commits=on_commits))
        except spark.ENGINE_ERRORS as error:
            spark.raise_interrupt_before(error)
            failures[case.label] = _with_remedy(spark.essential_line(error), context.folder.path)
            progress.say(f"failed: {case.label}: {failures[case.label]}", style="red")
    return failures


def _warm_up(cases: Iterable[Case], context: CaseContext, progress: BenchProgress) -> None:
    """Warms the JVM up with commits of each kind of writer. Without that a case runs too, but slower at first."""
    by_writer = {case.writer_name: case for case in reversed(tuple(cases)) if case.environment.warm_up_commits}
    for writer, case in reversed(by_writer.items()):
        commits = case.environment.warm_up_commits
        progress.say(f"Warming up: {commits} commits by the writer {writer}, to a table that is thrown away.")
        try:
            warm_up(case, context)
        except spark.ENGINE_ERRORS as error:  # the case itself will fail and be named; the others can do without
            spark.raise_interrupt_before(error)
            progress.say(
                f"Warm-up skipped: {spark.essential_line(error)}. The first commits by the writer {writer} may take"
                " longer.",
                style="yellow",
            )


def _note_provenance(
    folder: RunFolder, options: BenchOptions, session: spark.Session, cases: Iterable[Case]
) -> dict[str, object]:
    of_servers = {jar.file_name: jar.sha256 for case in cases for jar in case_jars(case).servers}
    return note_provenance(
        folder.path,
        engine={
            "name": options.engine.name,
            "data": "written" if options.engine.writes_data else "described only",
            "java": spark.find_java().version,
            "master": options.master,
        },
        jars={jar.name: spark.file_sha256(jar) for jar in session.jars} | of_servers,
    )


def _with_remedy(line: str, folder: Path) -> str:
    if "No space left on device" in line:
        return f"{line}. Free space for {folder}, then run the same command: finished cases are kept."
    return line
