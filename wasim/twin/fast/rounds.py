"""What comes round again: a table that finds itself as it was, some commits later, goes through the same once more.

Nothing but the sizes of compacted files and the commits' numbers differ from one round to the next, so as many rounds
as are alike are written down at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wasim.twin.fast.history import REWRITE_DATA_FILES, TURN_WIDTH
from wasim.twin.fast.runs import ManifestRun
from wasim.units import Floats, Ints

if TYPE_CHECKING:
    from wasim.twin.fast.replayed_table import ReplayedTable

ROWS_AT_ONCE = 1 << 14
MOST_REMEMBERED = 256  # states; periods that do not meet sooner are replayed one by one


@dataclass(slots=True, kw_only=True)
class Sums:
    """What commits wrote in vain, and what compaction wrote."""

    unused: int = 0
    unused_bytes: float = 0.0
    data_files: int = 0
    data_bytes: float = 0.0

    def add_rounds(self, before: Sums, rounds: int, data_bytes: float) -> None:
        """Adds as much as has come since `before`, so many times, but for the bytes that compaction wrote."""
        self.unused += rounds * (self.unused - before.unused)
        self.unused_bytes += rounds * (self.unused_bytes - before.unused_bytes)
        self.data_files += rounds * (self.data_files - before.data_files)
        self.data_bytes += data_bytes


@dataclass(slots=True, kw_only=True)
class Waiting:
    """What falls due by period, in order, and how many of it are past."""

    all_commits: Ints
    all_times_s: Floats
    all_kinds: Ints
    past: int = 0

    @property
    def holds(self) -> bool:
        """Whether anything is left."""
        return self.past < len(self.all_commits)

    @property
    def commits(self) -> int:
        """The writer's commits when the next falls due."""
        return int(self.all_commits[self.past])

    @property
    def event_time_s(self) -> float:
        """When the next falls due."""
        return float(self.all_times_s[self.past])

    @property
    def kind(self) -> int:
        """What falls due next."""
        return int(self.all_kinds[self.past])

    def pass_by(self) -> None:
        """The next is done."""
        self.past += 1

    def comes_before(self, commits: int, event_time_s: float, place: int) -> bool:
        """Whether the next comes before something of that time, which has that place among those of one time."""
        mine = (self.commits, self.event_time_s, int(self.kind != REWRITE_DATA_FILES))
        return mine < (commits, event_time_s, place)

    def rounds_alike(self, first: int, commits: int) -> int:
        """How often the dues since number `first` come again, each time so many commits later."""
        count = self.past - first
        if not count:
            return 0 if self.holds else 1 << 62
        later, earlier = self.all_commits[self.past :], self.all_commits[first : len(self.all_commits) - count]
        kinds, before = self.all_kinds[self.past :], self.all_kinds[first : len(self.all_kinds) - count]
        unlike = np.flatnonzero((later - earlier != commits) | (kinds != before))
        alike = int(unlike[0]) if len(unlike) else len(later)
        return alike // count


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """How far everything had come when the table was in some state."""

    turns: list[int]  # of each track
    replacements: int
    commits: int
    snapshots: int
    past: int
    sums: list[Sums]  # of the table, and of each track


class Rounds:
    """Looks for a state that was there before, and skips the rounds that would follow."""

    def __init__(self, table: ReplayedTable, waiting: Waiting) -> None:
        self.table, self.waiting = table, waiting
        self._marks: dict[tuple[object, ...], _Mark] = {}
        self._seen = 0

    def skip(self) -> None:
        """After a replacement: where the table is as it was before, skips the rounds that are like the one past."""
        table = self.table
        if len(table.replacements) == self._seen:
            return
        self._seen = len(table.replacements)
        state = table.state()
        mark = self._marks.get(state)
        if mark is not None:
            rounds = self._alike(mark)
            if rounds > 0:
                self._repeat(mark, rounds)
                self._marks.clear()
                self._seen = len(table.replacements)
                return
        if len(self._marks) >= MOST_REMEMBERED:
            self._marks.clear()
        self._marks[state] = _Mark(
            turns=[len(track.turns) for track in table.tracks],
            replacements=len(table.replacements),
            commits=table.commits,
            snapshots=table.snapshots,
            past=self.waiting.past,
            sums=[replace(table.sums), *(replace(track.sums) for track in table.tracks)],
        )

    def _alike(self, mark: _Mark) -> int:
        commits = self.table.commits - mark.commits
        if commits <= 0:
            return 0
        rounds = min(
            (self.table.model.upkeep.commits - self.table.commits) // commits,
            self.waiting.rounds_alike(mark.past, commits),
        )
        return self.table.rounds_until_large(self._compactions(mark)[:, 1], commits, rounds)

    def _compactions(self, mark: _Mark) -> Floats:
        done = self.table.replacements.since(mark.replacements)
        return np.asarray(done[done[:, 3] == REWRITE_DATA_FILES])

    def _repeat(self, mark: _Mark, rounds: int) -> None:
        table = self.table
        commits, snapshots = table.commits - mark.commits, table.snapshots - mark.snapshots
        turn_steps = np.zeros(TURN_WIDTH)
        turn_steps[0] = snapshots
        for track, first, sums in zip(table.tracks, mark.turns, mark.sums[1:], strict=True):
            track.turns.again(track.turns.since(first) + turn_steps, turn_steps.tolist(), rounds)
            track.sums.add_rounds(sums, rounds, 0.0)
        done = table.replacements.since(mark.replacements)
        steps = np.zeros(done.shape[1])
        steps[0], steps[1], steps[2] = snapshots, commits, commits * table.model.upkeep.commit_interval_s
        before, made_bytes = done, 0.0
        at_once = max(1, ROWS_AT_ONCE // len(done))
        for past in range(0, rounds, at_once):
            number = np.arange(past + 1, min(past + at_once, rounds) + 1, dtype=np.float64)[:, None, None]
            again = (done[None] + number * steps).reshape(-1, done.shape[1])
            made_bytes += table.resize(again, before=before)
            table.replace_again(again.reshape(-1, *done.shape), steps)
            before = again
        table.sums.add_rounds(mark.sums[0], rounds, made_bytes)
        table.commits += rounds * commits
        table.snapshots += rounds * snapshots
        self.waiting.past += rounds * (self.waiting.past - mark.past)


def state_of(runs: Sequence[ManifestRun], *others: float) -> tuple[object, ...]:
    """What decides all that follows: the runs of manifests, and other numbers."""
    return (*((run.count, *run.each) for run in runs), *others)
