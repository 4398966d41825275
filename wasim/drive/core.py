"""Engine `core`: Iceberg's Java library alone, with real metadata for data files that are described but not written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from wasim.drive.content_files import content_file_json
from wasim.drive.engine import Operation, Target
from wasim.drive.operations import operate
from wasim.drive.pace import Pace
from wasim.errors import CaseFailed, WasimError
from wasim.iceberg import DataFileEntry, TableMetadata, read_metadata_json
from wasim.iceberg.schemas import Type
from wasim.scenario.parts import Table
from wasim.workload import Append, ChangeRows, Maintain

# Handed to the JVM at once: enough to make handing over cheap, few enough for progress to move and text to stay small.
MOST_COMMITS = 32
MOST_ENTRIES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One commit as its writer would have made it: the files that it adds, the paths of those that it takes out, and
    the summary keys that are its own.
    """

    files: Sequence[DataFileEntry]
    summary: Mapping[str, str]
    removed: Sequence[str] = ()


class DataSource(Protocol):
    """Describes the data files of a case's commits."""

    @property
    def partition_types(self) -> Sequence[Type]:
        """Types of the partition tuple's fields."""

    @property
    def spec_id(self) -> int:
        """Id of the partition spec that new files have."""

    def describe(self, commit: int, location: str) -> Described:
        """The commit with this number, 1-based, to a table at `location`. Commits are asked for in order."""

    def describe_compaction(self, step: Maintain, live: Sequence[str], location: str) -> Described | None:
        """The compaction of a table with these `live` data files; None where nothing is to be done."""

    def describe_change(self, step: ChangeRows, live: Sequence[str]) -> Described:
        """The change to rows of a table with these `live` data files."""

    def reshape(self, table: Table, metadata: TableMetadata) -> None:
        """New files are those of the table as it has become."""


class CoreAppender:
    """Iceberg's appends in a loop inside the JVM, and what else changes data files, commit by commit."""

    def __init__(self, target: Target, source: DataSource) -> None:
        self._target, self._source = target, source
        self._pace = Pace(target.case)
        self._opened: Any = None
        self._is_reshaped = False

    @property
    def _table(self) -> Any:
        if self._opened is None:
            self._opened = self._target.session.iceberg_table(self._target.table)
        return self._opened

    def append(self, step: Append) -> None:
        """Carries out the step; under the real clock each commit waits for its time."""
        target = self._target
        if self._is_reshaped:
            metadata = read_metadata_json(target.session.metadata_json(self._table).encode(), source=target.table)
            self._source.reshape(step.table, metadata)
            self._is_reshaped = False
        for commits, text in self._batches(step):
            self._pace.wait_for(commits.start)
            # Marks the time too: what describing the files took is no commit's
            interval_s = target.case.commit_interval_s
            target.journal.step(
                step.number + commits.start - step.first_commit,
                "append",
                event_time_s=commits.start * interval_s,
                every_s=interval_s,
                rows=step.rows_per_commit,
            )
            target.session.commit_appends(self._table, text, merges=step.merges, journal=target.journal)
            target.on_commits(commits.stop - 1)

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

    def _line(self, described: Described) -> str:
        types, spec_id = self._source.partition_types, self._source.spec_id
        files = [content_file_json(file, types, spec_id=spec_id) for file in described.files]
        line = {"summary": dict(described.summary), "files": files, "removed": list(described.removed)}
        return json.dumps(line, separators=(",", ":"))

    def operate(self, step: Operation) -> None:
        """Carries out a step that is no append: what writes no data files as engine spark does, by the same code."""
        try:
            operate(self._target, step, change=self._change, compact=self._compact)
        except WasimError as error:  # what cannot be described shows only now, and other cases go on
            raise CaseFailed(str(error)) from error

    def _compact(self, target: Target, step: Maintain) -> None:
        live = target.session.live_data_files(self._table)
        described = self._source.describe_compaction(step, live, self._table.location())
        if described is not None:
            target.session.commit_rewrite(self._table, self._line(described), journal=target.journal)

    def _change(self, target: Target, step: ChangeRows) -> None:
        live = target.session.live_data_files(self._table)
        target.session.commit_delete(self._table, self._line(self._source.describe_change(step, live)))

    def reshape(self) -> None:
        """The files of the next append are those of the table as it then is."""
        self._is_reshaped = True

    def close(self) -> None:
        """Nothing runs between appends."""
