"""Appends by Iceberg's Java library alone: real metadata for data files that are described but not written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from wasim.drive.content_files import content_file_json
from wasim.drive.engine import Target
from wasim.drive.pace import Pace
from wasim.iceberg import DataFileEntry
from wasim.iceberg.schemas import Type
from wasim.workload import Append

# Handed to the JVM at once: enough to make handing over cheap, few enough for progress to move and text to stay small.
MOST_COMMITS = 32
MOST_ENTRIES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One commit as its writer would have made it: the files that it adds, and the summary keys that are its own."""

    files: Sequence[DataFileEntry]
    summary: Mapping[str, str]


class DataSource(Protocol):
    """Describes the data files of a case's commits."""

    @property
    def partition_types(self) -> Sequence[Type]:
        """Types of the partition tuple's fields."""

    def describe(self, commit: int, location: str) -> Described:
        """The commit with this number, 1-based, to a table at `location`. Commits are asked for in order."""


class CoreAppender:
    """Iceberg's FastAppend or MergeAppend, in a loop inside the JVM."""

    def __init__(self, target: Target, source: DataSource) -> None:
        self._target, self._source = target, source
        self._pace = Pace(target.case)
        self._table: Any = None

    def append(self, step: Append) -> None:
        """Carries out the step; under the real clock each commit waits for its time."""
        target = self._target
        if self._table is None:
            self._table = target.session.iceberg_table(target.table)
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
        location, types = self._table.location(), self._source.partition_types
        most = 1 if self._pace.is_real else MOST_COMMITS
        lines: list[str] = []
        entries, stop = 0, step.first_commit + step.commits
        for commit in range(step.first_commit, stop):
            described = self._source.describe(commit, location)
            files = [content_file_json(file, types) for file in described.files]
            lines.append(json.dumps({"summary": dict(described.summary), "files": files}, separators=(",", ":")))
            entries += len(files)
            if len(lines) == most or entries >= MOST_ENTRIES or commit == stop - 1:
                yield range(commit + 1 - len(lines), commit + 1), "\n".join(lines)
                lines, entries = [], 0

    def reshape(self) -> None:
        """Never asked for: `core` only appends."""

    def close(self) -> None:
        """Nothing runs between appends."""
