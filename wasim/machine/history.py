"""A history: a table, and what it is stepped by."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from wasim.machine.columns import (
    COHORT_COLUMNS,
    COMMITS,
    EVENTS,
    FLOWS,
    HITS,
    MANIFEST_COLUMNS,
    NUMBERS,
    SAMPLE_COLUMNS,
    SAMPLED,
    SEED,
    STATE,
    SUMS,
    Column,
    Laws,
    Matrix,
    Table,
)
from wasim.machine.compiled import compiled_run, is_compiled_already
from wasim.machine.memory import MOST_COHORTS, LawArrays, TableArrays, of_laws, of_table
from wasim.machine.stepping import DONE, FULL, run
from wasim.units import Floats

FIRST_ROOM, FIRST_SAMPLES = 256, 512
# Events in plain Python, which take about as long as numba and what it compiled before take to load, or to compile
PATIENCE, PATIENCE_TO_COMPILE = 10_000, 250_000
LONG = 300_000  # events that take plain Python some five seconds or more


@dataclass(slots=True, kw_only=True)
class History:
    """Steps a table through its commits.

    `places` are commits to sample at, ascending; `jobs` by columns. With `is_compiled` it is compiled from the start,
    or never; by default once it has taken PATIENCE events.
    """

    laws: Laws
    jobs: Matrix
    places: Sequence[float]
    seed: int = 0
    is_compiled: bool | None = None
    table: Table = field(init=False)
    _arrays: tuple[TableArrays, LawArrays] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        state = [0.0] * STATE
        state[SEED : SEED + 3] = (float((self.seed * prime + 1) % 30_000 + 1) for prime in (7919, 6007, 4391))
        self.table = Table(
            manifests=[_matrix(MANIFEST_COLUMNS, FIRST_ROOM) for _ in range(3)],
            cohorts=_matrix(COHORT_COLUMNS, MOST_COHORTS),
            state=state,
            flows=[0.0] * FLOWS,
            samples=_matrix(FIRST_SAMPLES, SAMPLE_COLUMNS),
            jobs=self.jobs,
            numbers=[0.0] * NUMBERS,
            hits=[0.0] * HITS,
            classes=_matrix(3, 3),
            sums=[0.0] * 2 * SUMS,
            places=[float(place) for place in self.places],
        )

    @property
    def events(self) -> int:
        """Events stepped through so far."""
        return int(self.table.state[EVENTS])

    def until(self, commits: float, most_events: float = inf) -> Floats:
        """Steps on to this commit, or through so many events; the samples so far."""
        if self.is_compiled and self._arrays is None:
            self._compile()
        patience = PATIENCE if is_compiled_already() else PATIENCE_TO_COMPILE
        begun = self.events
        while True:
            waits = self._arrays is None and self.is_compiled is None
            most = min(most_events, begun + max(0, patience - _plain[0])) if waits else most_events
            status = self._step(float(commits), float(most))
            if status == FULL:
                self._make_room()
            elif status == DONE or self.events >= most_events:
                break
            elif waits:
                self._compile()
        if self._arrays is None:
            _plain[0] += self.events - begun
        if self._arrays is None and self.events > LONG:
            warnings.warn(SLOW, stacklevel=2)
        return np.array(self.table.samples)[: int(self.table.state[SAMPLED])]

    @property
    def commits(self) -> float:
        """Commits stepped through so far."""
        return float(self.table.state[COMMITS])

    def _compile(self) -> None:
        """Turns lists into arrays, if there is compiled code for them."""
        laws = None if compiled_run() is None else of_laws(self.laws)
        if laws is None:
            self.is_compiled = False
            return
        arrays, self.table = of_table(self.table)
        self._arrays = arrays, laws

    def _step(self, commits: float, most_events: float) -> int:
        if self._arrays is None:
            return run(self.table, self.laws, commits, most_events)
        step = compiled_run()
        assert step is not None  # noqa: S101 - else nothing is an array
        return step(*self._arrays, commits, most_events)

    def _make_room(self) -> None:
        """Twice as much of whatever may be full."""
        table = self.table
        room: dict[str, Any] = {}
        if self._arrays is not None:
            room["manifests"] = np.concatenate([table.manifests, np.zeros_like(table.manifests)], axis=2)
        else:
            room["manifests"] = [[one + [0.0] * len(one) for one in columns] for columns in table.manifests]
        more: Any = _matrix(len(table.samples), SAMPLE_COLUMNS)
        room["samples"] = np.concatenate([table.samples, more]) if self._arrays is not None else table.samples + more
        self.table = table._replace(**room)
        if self._arrays is not None:
            arrays, laws = self._arrays
            self._arrays = arrays._replace(**room), laws


_plain = [0]  # events that this process stepped through in plain Python
SLOW = "Long histories take a tenth of the time with numba: pip install 'wasim[fast]'."


def _matrix(columns: int, rows: int) -> list[Column]:
    return [[0.0] * rows for _ in range(columns)]
