"""The event log of a simulated case: file events and commit reports, as a real engine's journal would yield them."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wasim.ledger import Action, CommitReports, FileEvents, Kind, Recording, StepRecords
from wasim.ledger.events import columns_from, columns_from_rows
from wasim.ledger.vocabulary import DATA_KINDS, OUTSIDE_COMMITS

EVENT_COLUMNS = [one.name for one in fields(FileEvents)]


class Written(NamedTuple):
    """A file as it was written."""

    kind: Kind
    bytes: int
    at_s: float


@dataclass(slots=True, kw_only=True)
class EventLog:
    """Collects events of the current step and commit; with a `folder`, files are written there too."""

    folder: Path | None
    step: int = 0
    commit: int = OUTSIDE_COMMITS
    operation: str = ""
    attempt: int = 1  # of the current commit
    at_s: float = 0.0
    record: dict[str, Any] = field(default_factory=dict)  # of the current step
    steps: list[dict[str, Any]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, Written] = field(default_factory=dict)  # that are there, by path within the table

    def begin(self, step: int, operation: str, at_s: float, *, commits: bool) -> None:
        """What the next events belong to: the next commit to be reported, or none."""
        self.step, self.operation, self.at_s = step, operation, at_s
        self.commit = len(self.reports) + 1 if commits else OUTSIDE_COMMITS

    def resume(self, record: dict[str, Any], at_s: float, *, commit: int, attempt: int = 1) -> None:
        """Switches to an attempt of the step `record`, one of several in flight, whose commit has this number."""
        self.record, self.step, self.operation = record, record["step"], record["operation"]
        self.at_s, self.commit, self.attempt = at_s, commit, attempt

    def enter_step(self, number: int, operation: str, *, event_time_s: float, rows_arrived: int, at_s: float) -> None:
        """A step about to be carried out; what it takes is not simulated."""
        self.record = {
            "step": number,
            "operation": operation,
            "event_time_s": event_time_s,
            "commits": 0,
            "rows_arrived": rows_arrived,
            "began_at_s": at_s,
            "wall_ms": np.nan,
            "error": "",
        }
        self.steps.append(self.record)

    def write(self, kind: Kind, file: str, data: bytes | int) -> None:
        """A file written: its bytes, or their number where nobody needs them."""
        size = len(data) if isinstance(data, bytes) else data
        self.files[file] = Written(kind, size, self.at_s)
        self._note(Action.WRITE, kind, size, file)
        if self.folder is not None and isinstance(data, bytes):
            path = self.folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def delete(self, kind: Kind, file: str) -> None:
        """A file deleted that was written before."""
        self._note(Action.DELETE, kind, self.files.pop(file).bytes, file)
        if self.folder is not None and kind not in DATA_KINDS:
            (self.folder / file).unlink()

    def _note(self, action: Action, kind: Kind, size: int, file: str) -> None:
        attempt = self._attempt(action, kind, file)
        self.events.append(
            (self.step, self.commit, attempt, self.operation, str(action), str(kind), size, self.at_s, file)
        )

    def _attempt(self, action: Action, kind: Kind, file: str) -> int:
        """The attempt that a file belongs to: a list's name says it; metadata.json belongs to the current one."""
        if kind == Kind.MANIFEST_LIST:
            return int(file.rpartition("snap-")[2].split("-", 2)[1])
        return self.attempt if kind == Kind.METADATA_JSON and action == Action.WRITE else 1

    def report(self, row: dict[str, Any]) -> None:
        """A commit's report; what follows in the same step is outside commits."""
        self.commit = OUTSIDE_COMMITS
        self.record["commits"] += 1
        self.reports.append({"step": self.step, "operation": self.operation, "reported_at_s": self.at_s} | row)

    def recording(self) -> Recording:
        """The recording of everything so far."""
        by_event = zip(*self.events, strict=True) if self.events else [()] * len(EVENT_COLUMNS)
        return Recording(
            events=columns_from(FileEvents, dict(zip(EVENT_COLUMNS, by_event, strict=True))),
            reports=columns_from_rows(CommitReports, self.reports),
            steps=columns_from_rows(StepRecords, self.steps),
        )
