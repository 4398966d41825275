"""Journal ─► requests to S3, by the commit and the step that needed them."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wasim.ledger import Requests, request_kind
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
