"""Journal ─► recording and requests: each file, report and request given to its step and commit.

Where several write, a writer's own thread and the tasks that it started name their step in each line. What the threads
of pools write or delete is known by its name: manifests and lists carry the UUID of their commit, and a deleted file
was written before. A metadata.json from a catalog's server, which knows no steps, says in itself which snapshot it was
written for.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wasim.collect.audit import classify, local_path
from wasim.iceberg.names import commit_of_manifest, parse_manifest_list_name
from wasim.ledger import Action, CommitReports, FileEvents, Kind, Recording, Requests, StepRecords, request_kind
from wasim.ledger.events import columns_from_rows
from wasim.ledger.vocabulary import OUTSIDE_COMMITS

OUTSIDE_STEPS = -1  # the step number of a request that no step needed: a probe's


@dataclass(slots=True)
class RequestTally:
    """Counts the requests in a journal: all up to a commit's report belong to it, unless a step began between."""

    _counts: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    _pending: Counter[str] = field(default_factory=Counter)
    _commits: int = 0
    _step: int = OUTSIDE_STEPS
    _first_commit: int = 0  # commits reported before the step under way
    _is_run: bool = False  # the step under way is the first of a run of appends, each a step of its own

    def take(self, line: dict[str, Any]) -> None:
        """Takes the journal's next line."""
        match line["do"]:
            case "request":
                self._pending[line["request"]] += 1
            case "commit":
                number = self._step + (self._commits - self._first_commit if self._is_run else 0)
                self._commits += 1
                self._claim(self._commits, number)
            case "done":
                self._claim(OUTSIDE_COMMITS, self._step)
                self._step = OUTSIDE_STEPS
            case "step":
                self._leave()
                self._step, self._first_commit, self._is_run = line["step"], self._commits, bool(line["every_ms"])
            case "resume":
                self._leave()

    def requests(self) -> Requests:
        """What was counted; the journal has no further line."""
        self._leave()
        rows = sorted(self._counts.items())
        return Requests(
            commit=np.array([commit for (commit, _, _), _ in rows], dtype=np.int64),
            step=np.array([step for (_, step, _), _ in rows], dtype=np.int64),
            kind=np.array([str(request_kind(request)) for (_, _, request), _ in rows], dtype=object),
            request=np.array([request for (_, _, request), _ in rows], dtype=object),
            count=np.array([count for _, count in rows], dtype=np.int64),
        )

    def _claim(self, commit: int, step: int) -> None:
        for request, count in self._pending.items():
            self._counts[commit, step, request] += count
        self._pending.clear()

    def _leave(self) -> None:
        """What is left belongs to the step only if that has reported no commit, as CREATE TABLE; else to a probe."""
        self._claim(OUTSIDE_COMMITS, self._step if self._commits == self._first_commit else OUTSIDE_STEPS)


_LIST = re.compile(r"snap-\d+-(\d+)-")
_COUNTERS = {
    "attempts": "attempts",
    "manifests_created": "manifests-created",
    "manifests_kept": "manifests-kept",
    "manifests_replaced": "manifests-replaced",
    "entries_processed": "manifest-entries-processed",
    "files_added": "added-data-files",
    "files_removed": "removed-data-files",
    "delete_files_added": "added-delete-files",
    "files_live": "total-data-files",
    "delete_files_live": "total-delete-files",
    "records_added": "added-records",
    "records_live": "total-records",
    "data_bytes_added": "added-files-size-bytes",
    "data_bytes_live": "total-files-size-bytes",
}
Line = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Takes the journal line by line. File events of a step, up to and including a commit's report, are that commit's.

    What several writers did at once is walked as if they had come in turn, in the order of the table's snapshots.
    """

    root: str
    steps: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    pending: int = 0  # index of the first event that no commit has claimed yet
    previous_us: int = 0
    retained: int = 0
    attempt: int = 1  # of the commit under way: the one whose manifest list was written last
    sizes: dict[str, tuple[int, Kind]] = field(default_factory=dict)
    section: list[dict[str, Any]] | None = None  # of what several writers are doing at once

    def take(self, line: dict[str, Any]) -> None:
        if line["do"] == "together":
            self.section = []
        elif line["do"] == "apart":
            section, self.section = self.section or [], None
            self._together(section)
        elif self.section is not None:
            self.section.append(line)
        elif line["do"] != "request":
            _HANDLERS[line["do"]](self, line)

    def _resume(self, line: dict[str, Any]) -> None:
        self.previous_us = line["at_us"]

    def _together(self, section: list[dict[str, Any]]) -> None:
        first_event, first_step, sizes = len(self.events), len(self.steps), dict(self.sizes)
        for line in in_turn(section):
            self.take(line)
        # back into the order seen: one file may have come and gone under the hands of several
        seen = sorted(self.events[first_event:], key=lambda event: event["place"])
        del self.events[first_event:]
        for event in seen:
            if event["action"] == Action.WRITE:
                sizes[event["file"]] = (event["bytes"], event["kind"])
            elif event["file"] in sizes:
                event["bytes"], event["kind"] = sizes.pop(event["file"])
            else:
                continue
            self.events.append(event)
        self.pending, self.sizes = len(self.events), sizes
        self.steps[first_step:] = sorted(self.steps[first_step:], key=lambda step: step["step"])

    def _step(self, line: dict[str, Any]) -> None:
        self.pending = len(self.events)  # what no commit has claimed stays outside commits
        self.previous_us = line["at_us"]
        self.steps.append(
            {
                "step": line["step"],
                "operation": line["operation"],
                "event_time_s": line["event_ms"] / 1e3,
                "every_s": line["every_ms"] / 1e3,
                "commits": 0,
                "rows": line["rows"],
                "rows_arrived": line["rows"] if not line["every_ms"] else 0,
                "began_at_s": line["at_us"] / 1e6,
                "wall_ms": 0.0,
                "error": "",
            }
        )
        self.attempt = 1

    def _failed(self, line: dict[str, Any]) -> None:
        """The step's commit came to nothing: its files stay outside commits, and its rows have not arrived."""
        self._lasted_until(line)
        self.steps[-1] |= {"error": line["error"], "rows_arrived": 0}
        self.pending = len(self.events)

    def _done(self, line: dict[str, Any]) -> None:
        self._lasted_until(line)
        self.retained = line["snapshots"]

    def _lasted_until(self, line: dict[str, Any]) -> None:
        step = self.steps[-1]
        step["wall_ms"] = line["at_us"] / 1e3 - step["began_at_s"] * 1e3

    def _number(self) -> int:
        """Number of the step under way: a run of appends has one for each of its commits."""
        step = self.steps[-1]
        return int(step["step"] + (step["commits"] if step["every_s"] else 0))

    def _file(self, line: dict[str, Any]) -> None:
        file = os.path.relpath(local_path(line["file"]), self.root)
        if line["do"] == "write":
            self.sizes[file] = (line["bytes"], classify(file, deletes=line.get("deletes", False)))
        elif file not in self.sizes and "place" not in line:
            return  # S3 confirms the deletion of what is not there
        known = self.sizes.get(file, (0, classify(file)))  # of several writers, another may have written it
        size, kind = known if line["do"] == "write" else self.sizes.pop(file, known)
        attempt = _LIST.search(file)
        if attempt and line["do"] == "write":
            self.attempt = int(attempt[1])
        own = self.attempt if kind == Kind.METADATA_JSON and line["do"] == "write" else 1
        self.events.append(
            {
                "step": self._number(),
                "commit": OUTSIDE_COMMITS,
                "attempt": int(attempt[1]) if attempt else own,
                "operation": self.steps[-1]["operation"],
                "action": Action(line["do"]),
                "kind": kind,
                "bytes": size,
                "seen_at_s": line["at_us"] / 1e6,
                "file": file,
                "place": line.get("place", 0),
            }
        )

    def _rename(self, line: dict[str, Any]) -> None:
        """The file is known by its last name only, and enters there: what it replaces was deleted just before."""
        before, after = (os.path.relpath(local_path(line[key]), self.root) for key in ("from", "file"))
        self.sizes[after] = (self.sizes.pop(before)[0], classify(after))
        written = next(i for i in reversed(range(len(self.events))) if self.events[i]["file"] == before)
        moved = {"file": after, "kind": classify(after), "place": line.get("place", 0)}
        self.events.append(self.events.pop(written) | moved)

    def _commit(self, line: dict[str, Any]) -> None:
        report, commit, step = line["report"], len(self.reports) + 1, self.steps[-1]
        for event in self.events[self.pending :]:
            event["commit"] = commit
        self.pending, self.attempt = len(self.events), 1
        number, event_time_s = self._number(), step["event_time_s"] + step["commits"] * step["every_s"]
        step["commits"] += 1
        if step["every_s"]:
            step["rows_arrived"] += step["rows"]
        self._lasted_until(line)
        previous_us, self.previous_us = self.previous_us, line["at_us"]
        self.retained += 1
        self.reports.append(
            _report_row(report["metrics"])
            | {
                "step": number,
                "operation": step["operation"],
                "snapshot_operation": report["operation"],
                "snapshot_id": report["snapshot-id"],
                "event_time_s": event_time_s,
                "reported_at_s": line["at_us"] / 1e6,
                "step_ms": (line["at_us"] - previous_us) / 1e3,
                "snapshots_retained": self.retained,
            }
        )


_HANDLERS: dict[str, Callable[[_Reader, dict[str, Any]], None]] = {
    "write": _Reader._file,
    "delete": _Reader._file,
    "rename": _Reader._rename,
    "step": _Reader._step,
    "done": _Reader._done,
    "commit": _Reader._commit,
    "failed": _Reader._failed,
    "resume": _Reader._resume,
}


def _report_row(metrics: dict[str, Any]) -> dict[str, Any]:
    """Columns that CommitReport's metrics give; a counter that is absent counted nothing."""
    row: dict[str, Any] = {name: metrics.get(key, {}).get("value", 0) for name, key in _COUNTERS.items()}
    duration = metrics["total-duration"]
    per_ms = {"nanoseconds": 1e6, "microseconds": 1e3, "milliseconds": 1.0, "seconds": 1e-3}[duration["time-unit"]]
    return row | {"commit_ms": duration["total-duration"] / per_ms}


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalContents:
    """What a journal holds of one table; `requests` is empty where the store is local."""

    recording: Recording
    requests: Requests


def read_journal(lines: Iterable[dict[str, Any]], *, table_root: Path | str) -> JournalContents:
    """What a journal's lines say of the table under `table_root`: a folder, or `s3://…`."""
    reader, tally = _Reader(root=str(table_root)), RequestTally()
    for line in lines:
        reader.take(line)
        tally.take(line)
    recording = Recording(
        events=columns_from_rows(FileEvents, reader.events),
        reports=columns_from_rows(CommitReports, reader.reports),
        steps=columns_from_rows(StepRecords, reader.steps),
    )
    return JournalContents(recording=recording, requests=tally.requests())


def in_turn(section: Sequence[Line]) -> Iterator[Line]:
    """The section's lines step by step: first those that committed, in the order of the table's snapshots, then the
    failed ones, last what is nobody's. Each line gets its place in the section as `place`.
    """
    owners = _Owners(section)
    by_step: dict[int | None, list[Line]] = {}
    sequence: dict[int | None, int] = {}
    for place, line in enumerate(section):
        step = owners.of(line)
        by_step.setdefault(step, []).append(line | {"place": place})
        if line["do"] == "commit":
            # sequence numbers of format version 1 are all 0, where reports come in order at least
            sequence[step] = line["report"].get("sequence-number", 0)
    committed = sorted(sequence, key=lambda step: sequence[step])
    failed = [step for step in by_step if step is not None and step not in sequence]
    for step in (*committed, *failed, None):
        yield from by_step.get(step, [])


class _Owners:
    """Finds the step of each line of a section."""

    def __init__(self, section: Sequence[Line]) -> None:
        self._of_commit: dict[str, int] = {}  # by the UUID that is in the names of a commit's lists and manifests
        self._of_snapshot: dict[int, int] = {}
        self._of_file: dict[str, int] = {}
        for line in section:
            name = parse_manifest_list_name(_name(line))
            if name is not None and line["do"] == "write" and "by" in line:
                self._of_commit[name.commit_uuid] = self._of_snapshot[name.snapshot_id] = line["by"]

    def of(self, line: Line) -> int | None:
        """The step that the line belongs to, None if nothing tells. Lines must be asked for in order."""
        if line["do"] == "step":
            return int(line["step"])
        step = line.get("by")
        if step is None and "file" in line:
            step = self._by_name(line)
        if step is not None and "file" in line:
            self._of_file[local_path(line["file"])] = step
        return step

    def _by_name(self, line: Line) -> int | None:
        path, name = local_path(line["file"]), _name(line)
        named = parse_manifest_list_name(name)
        commit = commit_of_manifest(name) if named is None else named.commit_uuid
        if commit in self._of_commit:
            return self._of_commit[commit]
        before = local_path(line["from"]) if line["do"] == "rename" else path
        if before in self._of_file:
            return self._of_file[before]
        return self._of_snapshot.get(_snapshot_in(Path(path))) if name.endswith(".metadata.json") else None


def _name(line: Line) -> str:
    return str(line.get("file", "")).rsplit("/", 1)[-1]


def _snapshot_in(metadata_json: Path) -> int:
    """The current snapshot that a metadata.json names, −1 if it is gone or names none."""
    try:
        return int(json.loads(metadata_json.read_bytes())["current-snapshot-id"])
    except (OSError, ValueError, KeyError, TypeError):
        return -1
