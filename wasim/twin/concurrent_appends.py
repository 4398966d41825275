"""Several writers appending to one simulated table at once: what their attempts write, and what is left of lost ones.

`wasim.contention` says who wins. An attempt writes a manifest list and a metadata.json for the table as it read it.
Where another commit has landed since, both are of no use: Iceberg deletes the list once the commit is made or given up.
What becomes of the metadata.json depends on the catalog (`ConflictRule`): most leave it behind as an orphan, Hadoop's
deletes what is a temporary file still, and a REST server may have refused to write it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from wasim.contention import Attempt, ConflictRule
from wasim.iceberg import DataFileEntry
from wasim.ledger import Kind
from wasim.ledger.vocabulary import COMMIT_FAILED, OUTSIDE_COMMITS
from wasim.twin.commits import Moment, new_entries
from wasim.twin.event_log import EVENT_COLUMNS, EventLog
from wasim.twin.identifiers import CommitIdentity, draw_identity
from wasim.twin.live_manifests import LiveManifest, MergedBefore, stamped
from wasim.twin.snapshot_updates import append_manifests
from wasim.twin.table import SimulatedTable
from wasim.workload import Append


@dataclass(slots=True, kw_only=True)
class _Commit:
    """A commit in flight."""

    record: dict[str, Any]  # the step's, as it was entered
    number: int  # that its report will have, or OUTSIDE_COMMITS
    files: Sequence[DataFileEntry]
    identity: CommitIdentity
    manifests: Sequence[LiveManifest]
    merged: MergedBefore = field(default_factory=dict)
    lists: list[str] = field(default_factory=list)  # of attempts that were lost


class DiscardedAttemptLog(EventLog):
    """The log of an attempt that was lost: what it wrote stays; it deletes nothing and reports nothing."""

    def delete(self, kind: Kind, file: str) -> None:
        """Nothing: a catalog deletes only after a commit."""

    def report(self, row: dict[str, Any]) -> None:
        """Nothing."""


class RefusedAttemptLog(DiscardedAttemptLog):
    """The log of an attempt that was lost because a server refused to write its metadata.json."""

    def write(self, kind: Kind, file: str, data: bytes | int) -> None:
        """A file written, if it came to that."""
        if kind != Kind.METADATA_JSON:
            super().write(kind, file, data)


@dataclass(slots=True, kw_only=True)
class ConcurrentAppends:
    """Carries out a run of appends whose attempts are known.

    `draw` gives a commit's files and `moment` what its summary says, both of a commit and a wall time in seconds.
    """

    table: SimulatedTable
    step: Append
    rule: ConflictRule
    started_s: float
    commit_interval_s: float
    draw: Callable[[int, float], Sequence[DataFileEntry]]
    moment: Callable[[int, float], Moment]
    in_flight: dict[int, _Commit] = field(default_factory=dict)

    def append(self, attempts: Iterable[Attempt]) -> None:
        """Writes what the attempts write, each for the table that it read; then puts all events into their order."""
        log, before = self.table.log, self.table.commits
        first_event, first_step, reported = len(log.events), len(log.steps), len(log.reports)
        landed = (attempt.commit for attempt in attempts if attempt.won)
        numbers = {commit: reported + place for place, commit in enumerate(landed, 1)}
        # a lost attempt runs while the table is still as it read it; the one that wins changes the table
        for attempt in sorted(attempts, key=lambda one: (one.base, one.won, one.swap_s)):
            if self.table.commits != before + attempt.base:
                raise AssertionError("each attempt finds the table that it read")
            if attempt.number == 1:
                self._begin(attempt, numbers.get(attempt.commit, OUTSIDE_COMMITS))
            self._try(attempt, self.in_flight[attempt.commit])
        log.events[first_event:] = sorted(log.events[first_event:], key=seen_at_s)
        log.steps[first_step:] = sorted(log.steps[first_step:], key=lambda step: int(step["step"]))

    def _begin(self, attempt: Attempt, number: int) -> None:
        """The commit's data files and its manifest, which all of its attempts share."""
        table, commit, at_s = self.table, attempt.commit, self.started_s + attempt.read_s
        fails = number == OUTSIDE_COMMITS
        table.log.enter_step(
            self.step.number + commit - self.step.first_commit,
            "append",
            event_time_s=commit * self.commit_interval_s,
            rows_arrived=0 if fails else self.step.rows_per_commit,
            at_s=self.started_s + attempt.began_s,
        )
        record = table.log.steps[-1]
        record["error"] = COMMIT_FAILED if fails else ""
        table.log.resume(record, at_s, commit=number)
        files = self.draw(commit, at_s)
        table.write_files(files)
        identity = draw_identity(table.commits + 1, table.rng)
        manifests = table.write_new_manifests(0, new_entries(files, identity), identity)
        self.in_flight[commit] = _Commit(
            record=record, number=number, files=files, identity=identity, manifests=manifests
        )

    def _try(self, attempt: Attempt, commit: _Commit) -> None:
        table, log, at_s = self.table, self.table.log, self.started_s + attempt.swap_s
        moment = self.moment(attempt.commit, at_s)
        log.resume(commit.record, at_s, commit=commit.number, attempt=attempt.number)
        identity = replace(commit.identity, sequence_number=table.commits + 1)
        manifests = [stamped(one, identity) for one in commit.manifests]
        tried = table if attempt.won else self._discarding(refused=attempt.refused)
        append_manifests(tried, manifests, commit.files, identity, moment, attempt=attempt.number, made=commit.merged)
        if attempt.won:
            table.commits += 1
            log.resume(commit.record, at_s, commit=commit.number)
            self._clean(commit, {one.file.manifest_path for one in table.manifests})
        else:
            commit.lists.append(_newest(log, Kind.MANIFEST_LIST))
            if self.rule.deletes_losers:
                log.delete(Kind.METADATA_JSON, _newest(log, Kind.METADATA_JSON))
        if attempt.failed:
            self._clean(commit, set())
            for file in commit.files:  # Spark's own doing
                log.delete(Kind.DATA, table.relative(file.file_path))

    def _discarding(self, *, refused: bool) -> SimulatedTable:
        """A copy of the table for an attempt that will be lost: of what it does, the log keeps the files written."""
        table, json = self.table, self.table.json
        log_type = RefusedAttemptLog if refused else DiscardedAttemptLog
        return replace(
            table,
            # what Hadoop's catalog would rename is named by nothing but a UUID
            rules=replace(table.rules, names="bare") if self.rule.swaps_by_writing else table.rules,
            json=replace(
                json,
                snapshots=dict(json.snapshots),
                snapshot_log=list(json.snapshot_log),
                metadata_log=deque(json.metadata_log),
                dropped=[],
            ),
            log=log_type(**{one.name: getattr(table.log, one.name) for one in fields(table.log)}),
            manifests=list(table.manifests),
            history=dict(table.history),
            times=list(table.times),
        )

    def _clean(self, commit: _Commit, listed: set[str]) -> None:
        """Deletes the commit's own manifests that its list does not hold, and the lists of its lost attempts."""
        log, table = self.table.log, self.table
        for one in (*commit.manifests, *commit.merged.values()):
            file = table.relative(one.file.manifest_path)
            if one.file.manifest_path not in listed and file in log.files:
                log.delete(Kind.DATA_MANIFEST, file)
        for file in commit.lists:
            log.delete(Kind.MANIFEST_LIST, file)


def seen_at_s(event: tuple[Any, ...]) -> float:
    """When an event of the log was seen."""
    return float(event[EVENT_COLUMNS.index("seen_at_s")])


def _newest(log: EventLog, kind: Kind) -> str:
    return next(file for file, written in reversed(log.files.items()) if written.kind == kind)
