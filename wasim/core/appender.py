"""Described commits handed to Iceberg's Java library, step by step; what no description covers is refused."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from wasim.core.described import DescribedCommit, DescribedData, Listing, commit_line, list_files
from wasim.errors import CaseFailed, WasimError
from wasim.iceberg import read_metadata_json
from wasim.iceberg.properties import property_of
from wasim.scenario import Case
from wasim.spark.drive import Engine, EngineSession, Operation, Target, operate, refuse_other_writers
from wasim.spark.drive.engine import Pace
from wasim.twin.supported import check_rewriting, is_cut_by_sample
from wasim.workload import Append, ChangeRows, Evolve, Maintain

_REFUSED_SETTINGS = "spark.sql.iceberg."
# Handed to the JVM at once: enough to make handing over cheap, few enough for progress to move and text to stay small.
MOST_COMMITS = 32
MOST_ENTRIES = 2000


def check_describable(case: Case) -> None:
    """Raises WasimError naming the first setting that changes data files in a way that no profile describes."""
    refuse_other_writers(case)
    if case.writer.writers > 1:
        raise WasimError(
            f"Engine core is one writer, not {case.writer.writers}. Give writer.writers 1, or use engine spark."
        )
    if case.writer.tables > 1:
        raise WasimError(f"Engine core writes one table, not {case.writer.tables:,}. Give 1, or use engine spark.")
    check_rewriting(case)
    _check_properties("table.properties", case.table.properties)
    for evolution in case.evolution:
        _check_properties("set_properties", evolution.set_properties or {})
    for key in case.environment.spark:
        if key.startswith(_REFUSED_SETTINGS):
            raise WasimError(
                f"environment.spark.{key} is not modelled by engine core. Take it out or use engine spark."
            )
    if is_cut_by_sample(case):
        raise WasimError(
            "workload.distribution_mode range is not modelled by engine core: its cuts depend on a sample of the rows."
            " Give none or hash, or use engine spark."
        )


def _check_properties(where: str, properties: Mapping[str, str]) -> None:
    for key, value in properties.items():
        row = property_of(key)
        if row is not None and "data" in row.changes and not row.simulates(value):
            raise WasimError(
                f'{where}.{key} is "{value}"; engine core does not model what it does to data files.'
                " Take it out, or use engine spark."
            )


class CoreAppender:
    """Iceberg's appends in a loop inside the JVM, and what else changes data files, commit by commit."""

    def __init__(self, target: Target, source: DescribedData) -> None:
        self._target, self._source = target, source
        self._pace = Pace(target.case)
        self._opened: Any = None

    @property
    def _table(self) -> Any:
        if self._opened is None:
            self._opened = self._target.session.iceberg_table(self._target.table)
        return self._opened

    def append(self, step: Append) -> None:
        """Carries out the step; under the real clock each commit waits for its time."""
        target = self._target
        if step.replaced_per_commit:
            with _refusals_fail_the_case():
                self._upsert(step)
            return
        for commits, text in self._batches(step):
            self._pace.wait_for(commits.start)
            # Marks the time too: what describing the files took is no commit's
            target.begin(step, commits.start, "append", is_run=True)
            target.session.commit_appends(self._table, text, merges=step.merges, journal=target.journal)
            target.on_commits(commits.stop - 1)

    def _upsert(self, step: Append) -> None:
        """Carries out the step commit by commit: an upsert touches files that the one before it wrote."""
        target, last = self._target, step.first_commit + step.commits - 1
        streams = target.case.writer.kind == "streaming"
        for commit in range(step.first_commit, last + 1):
            self._pace.wait_for(commit)
            # a run of a stream's commits has one name
            target.begin(step, commit, step.operation(last if streams else commit), is_run=True)
            if step.operation(commit) == "upsert":
                self._commit(self._source.describe_upsert(step, commit, self._listing()))
            else:
                line = self._line(self._source.describe(commit, self._table.location()))
                target.session.commit_appends(self._table, line, merges=step.merges, journal=target.journal)
            target.on_commits(commit)

    def _batches(self, step: Append) -> Iterator[tuple[range, str]]:
        """Runs of commits, and the lines that describe them."""
        location = self._table.location()
        most = 1 if self._pace.is_real else MOST_COMMITS
        lines: list[str] = []
        entries, stop = 0, step.first_commit + step.commits
        for commit in range(step.first_commit, stop):
            described = self._source.describe(commit, location)
            lines.append(self._line(described))
            entries += len(described.files)
            if len(lines) == most or entries >= MOST_ENTRIES or commit == stop - 1:
                yield range(commit + 1 - len(lines), commit + 1), "\n".join(lines)
                lines, entries = [], 0

    def _line(self, described: DescribedCommit) -> str:
        return commit_line(described, self._source.partition_types, spec_id=self._source.spec_id)

    def operate(self, step: Operation) -> None:
        """Carries out a step that is no append: what writes no data files as engine spark does, by the same code."""
        with _refusals_fail_the_case():
            operate(self._target, step, change=self._change, compact=self._compact)

    def _compact(self, target: Target, step: Maintain) -> None:
        for described in self._source.describe_compaction(step, self._listing()):
            self._commit(described)

    def _change(self, target: Target, step: ChangeRows) -> None:
        self._commit(self._source.describe_change(step, self._listing()))

    def _listing(self) -> Listing:
        return list_files(self._target.session, self._table)

    def _commit(self, described: DescribedCommit | None) -> None:
        if described is not None:
            self._target.session.commit_change(self._table, self._line(described), journal=self._target.journal)

    def reshape(self, step: Evolve) -> None:
        """New files follow the table as it is now."""
        text = self._target.session.metadata_json(self._table)
        self._source.reshape(step, read_metadata_json(text.encode(), source=self._target.table))

    def close(self) -> None:
        """Nothing runs between appends."""


@contextmanager
def _refusals_fail_the_case() -> Iterator[None]:
    """What cannot be described shows only as the case runs; others go on."""
    try:
        yield
    except WasimError as error:
        raise CaseFailed(str(error)) from error


def _open(target: Target) -> EngineSession:
    appender = CoreAppender(target, DescribedData(target.case, target.session.application_id))
    return EngineSession(appender=appender, operate=appender.operate)


CORE = Engine(name="core", writes_data=False, check=check_describable, open=_open)
