"""Journal ─► requests to S3, by the commit and the step that needed them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wasim.ledger import Requests, request_kind
from wasim.ledger.vocabulary import OUTSIDE_COMMITS

OUTSIDE_STEPS = -1  # the step number of a request that no step needed: a probe's


@dataclass(slots=True)
class _Reader:
    counts: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    pending: Counter[str] = field(default_factory=Counter)
    commits: int = 0
    step: int = OUTSIDE_STEPS
    first_commit: int = 0  # commits reported before the step under way
    is_run: bool = False  # the step under way is the first of a run of appends, each a step of its own

    def read(self, line: dict[str, Any]) -> None:
        match line["do"]:
            case "request":
                self.pending[line["request"]] += 1
            case "commit":
                number = self.step + (self.commits - self.first_commit if self.is_run else 0)
                self.commits += 1
                self.claim(self.commits, number)
            case "done":
                self.claim(OUTSIDE_COMMITS, self.step)
                self.step = OUTSIDE_STEPS
            case "step":
                self.leave()
                self.step, self.first_commit, self.is_run = line["step"], self.commits, bool(line["every_ms"])
            case "resume":
                self.leave()

    def claim(self, commit: int, step: int) -> None:
        for request, count in self.pending.items():
            self.counts[commit, step, request] += count
        self.pending.clear()

    def leave(self) -> None:
        """What is left belongs to the step only if that has reported no commit, as CREATE TABLE; else to a probe."""
        self.claim(OUTSIDE_COMMITS, self.step if self.commits == self.first_commit else OUTSIDE_STEPS)


def read_requests(lines: Iterable[dict[str, Any]]) -> Requests:
    """The requests that a journal tells: all up to a commit's report belong to it, unless a step began between."""
    reader = _Reader()
    for line in lines:
        reader.read(line)
    reader.leave()
    rows = sorted(reader.counts.items())
    return Requests(
        commit=np.array([commit for (commit, _, _), _ in rows], dtype=np.int64),
        step=np.array([step for (_, step, _), _ in rows], dtype=np.int64),
        kind=np.array([str(request_kind(request)) for (_, _, request), _ in rows], dtype=object),
        request=np.array([request for (_, _, request), _ in rows], dtype=object),
        count=np.array([count for _, count in rows], dtype=np.int64),
    )
