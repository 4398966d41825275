"""What becomes of a table's manifests and data files, as turns between which each snapshot lists one manifest more.

Turns and replacements that come round again are kept once (`recurring`), so that a history of millions is as small as
one of a few.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wasim.twin.fast.recurring import Column, Place, Recurring, Rows, Running
from wasim.units import Floats, Ints

REWRITE_MANIFESTS, REWRITE_DATA_FILES = 0, 1  # what a replacement is
TURN_WIDTH = 7  # numbers of a turn, in the order of its fields


@dataclass(frozen=True, kw_only=True)
class Turns:
    """Snapshots whose list is not merely their parent's with one manifest more, ascending.

    `live`: manifests in the list. `written`, `dropped`: manifests beside an append's own that the snapshot wrote, and
    those of its parent that it no longer lists, with their bytes. `spared` are bytes that this list and those until the
    next turn save, as manifests of one commit are listed alike. The first turn is snapshot 1.
    """

    rows: Recurring
    snapshot: Column
    live: Column
    written: Column
    written_bytes: Column
    dropped: Column
    dropped_bytes: Column
    spared: Column

    def through(self, snapshots: Ints) -> Place:
        """The last turn up to each of these snapshots."""
        return self.rows.place(self.snapshot, snapshots)

    @cached_property
    def running(self) -> Running:
        """Sums of manifests written, of their bytes, of manifests dropped, and of their bytes."""
        return Running(self.rows, self.written, self.written_bytes, self.dropped, self.dropped_bytes)

    @cached_property
    def _listed(self) -> Running:
        # steps of what stays as it is until the next turn, and each step times its snapshot
        ahead = Column(first=self.live.first - self.snapshot.first, more=self.live.more - self.snapshot.more)
        steps = [self.rows.steps(column) for column in (ahead, self.spared)]
        return Running(self.rows, *steps, *(self.snapshot.times(one.first) for one in steps))

    def listed_through(self, snapshots: int) -> tuple[float, float]:
        """Manifests in the lists of the first so many snapshots, all together, and bytes that those lists save."""
        # a step at snapshot s lasts for all of s … n
        sums = self._listed.through(self.through(np.array([snapshots])))[:, 0]
        ahead, spared = ((snapshots + 1) * sums[:2] - sums[2:]).tolist()
        return snapshots * (snapshots + 1) // 2 + ahead, spared

    def spans(self, snapshots: int) -> tuple[Floats, Floats, Ints]:
        """Snapshots from one turn to the next, of the first so many: manifests at its start, how many, how often.

        For histories whose lists are as long in every round.
        """
        rows, first, more = self.rows, self.snapshot.first, self.snapshot.more
        last = rows.first + rows.lengths - 1
        length = np.diff(first, append=0.0)
        length[last] = first[rows.first] + more[last] - first[last]  # until the next round
        times = np.repeat(rows.rounds, rows.lengths)
        times[last] -= 1
        final = first[last] + (rows.rounds - 1) * more[last]
        until = np.append(first[rows.first[1:]], snapshots + 1) - final
        live = np.concatenate([self.live.first, self.live.first[last]])
        return live, np.concatenate([length, until]), np.concatenate([times, np.ones_like(rows.rounds)])


def turns_of(rows: Rows) -> Turns:
    """Turns from rows of their numbers."""
    recurring, (snapshot, live, written, written_bytes, dropped, dropped_bytes, spared) = rows.recurring()
    return Turns(
        rows=recurring,
        snapshot=snapshot,
        live=live,
        written=written,
        written_bytes=written_bytes,
        dropped=dropped,
        dropped_bytes=dropped_bytes,
        spared=spared,
    )


@dataclass(frozen=True, kw_only=True)
class Replacements:
    """Snapshots of `replace`, ascending: what rewrites manifests or data files makes one.

    `commits`: the writer's so far. `digits`: of the numbers in its summary that grow with the table, the same in every
    round, as is the `kind`.
    """

    rows: Recurring
    snapshot: Column
    commits: Column
    event_time_s: Column
    kind: Ints
    digits: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def at(self) -> Running:
        """Sums of the writer's commits so far."""
        return Running(self.rows, self.commits)

    def place(self, snapshots: Ints) -> Place:
        """The last replacement among the first so many snapshots."""
        return self.rows.place(self.snapshot, snapshots)

    def through(self, snapshots: Ints) -> Ints:
        """Replacements among the first so many snapshots."""
        return self.rows.count(self.place(snapshots))

    def before_commits(self, commits: Ints) -> Ints:
        """Replacements before each of these commits of the writer."""
        return self.rows.count(self.rows.place(self.commits, commits - 1))

    def by(self, event_time_s: Floats) -> Ints:
        """Replacements up to each of these times."""
        return self.rows.count(self.rows.place(self.event_time_s, event_time_s))

    @cached_property
    def times(self) -> tuple[bytes, ...]:
        """The same for replacements of the same times, however rows that stand alone are gathered into rounds."""
        rows, time_s = self.rows, self.event_time_s
        if ((rows.lengths > 1) & (rows.rounds > 1)).any():
            return tuple(one.tobytes() for one in (rows.lengths, rows.rounds, time_s.first, time_s.more))
        # from each row to the next, and from round to round; like ones that follow each other in one
        rounds = np.repeat(rows.rounds, rows.lengths)
        apart = np.column_stack([rows.steps(time_s).first, time_s.more]).ravel()
        often = np.column_stack([np.ones_like(rounds), rounds - 1]).ravel()
        apart, often = apart[often > 0], often[often > 0]
        new = np.flatnonzero(np.diff(apart, prepend=np.nan) != 0)
        return apart[new].tobytes(), np.add.reduceat(often, new).tobytes() if len(new) else b""


def replacements_of(rows: Rows) -> Replacements:
    """Replacements from rows of their numbers."""
    recurring, (snapshot, commits, event_time_s, kind, digits) = rows.recurring()
    return Replacements(
        rows=recurring,
        snapshot=snapshot,
        commits=commits,
        event_time_s=event_time_s,
        kind=kind.first.astype(np.int64),
        digits=digits.first.astype(np.int64),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Compactions:
    """Compactions, oldest first: files and bytes that they took out, and those that are there after."""

    commits: Ints
    removed_files: Floats
    removed_bytes: Floats
    live_files: Floats
    live_bytes: Floats

    def __len__(self) -> int:
        return len(self.commits)


_NO_COUNTS, _NO_SIZES = np.zeros(0, dtype=np.int64), np.zeros(0)
NO_REPLACEMENTS = replacements_of(Rows(5))
NO_COMPACTIONS = Compactions(
    commits=_NO_COUNTS,
    removed_files=_NO_SIZES,
    removed_bytes=_NO_SIZES,
    live_files=_NO_SIZES,
    live_bytes=_NO_SIZES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHistory:
    """All that the table's snapshots did to its manifests and data files.

    `unused`: manifests that a commit wrote and deleted again. What compaction wrote is `data_…_rewritten`.
    """

    commits: int
    files_per_commit: int
    data_bytes_per_commit: float
    turns: Turns
    replacements: Replacements
    unused: int
    unused_bytes: float
    data_files_rewritten: int
    data_bytes_rewritten: float
    compactions: Compactions = NO_COMPACTIONS
    mean_digits: float = 0.0  # of numbers in a writer's summary that come and go with maintenance
    deletes: "TableHistory | None" = None  # the same of delete manifests, whose files are what a commit brings of them

    @property
    def snapshots(self) -> int:
        """Snapshots that were ever made."""
        return self.commits + len(self.replacements)

    def live_files_at(self, commits: Ints) -> Ints:
        """Data files that are there right after each of these commits of the writer."""
        return np.rint(self._live_at(commits, self.compactions.live_files, self.files_per_commit)).astype(np.int64)

    def live_bytes_at(self, commits: Ints) -> Floats:
        """Bytes of data files that are there right after each of these commits of the writer."""
        return self._live_at(commits, self.compactions.live_bytes, self.data_bytes_per_commit)

    @property
    def live_bytes(self) -> float:
        """Bytes of data files that are there at the end."""
        done = self.compactions
        left, at = (done.live_bytes[-1], done.commits[-1]) if len(done) else (0.0, 0)
        return float(left + self.data_bytes_per_commit * (self.commits - at))

    def _live_at(self, commits: Ints, left: Floats, each: float) -> Floats:
        earlier = np.searchsorted(self.compactions.commits, commits, side="left")
        since = np.concatenate([[0], self.compactions.commits])[earlier]
        return np.asarray(np.concatenate([[0.0], left])[earlier] + each * (commits - since))

    def live_at(self, snapshots: Ints) -> Ints:
        """Manifests that the list of each of these snapshots holds."""
        turns, place = self.turns, self.turns.through(snapshots)
        since = snapshots - turns.rows.at(turns.snapshot, place)
        of_deletes = 0 if self.deletes is None else self.deletes.live_at(snapshots)
        return np.asarray(turns.rows.at(turns.live, place) + since + of_deletes).astype(np.int64)

    def spared_at(self, snapshots: Ints) -> Floats:
        """Bytes that the list of each of these snapshots saves, as manifests of one commit are listed alike."""
        of_deletes = 0.0 if self.deletes is None else self.deletes.spared_at(snapshots)
        return np.asarray(self.turns.rows.at(self.turns.spared, self.turns.through(snapshots)) + of_deletes)

    def listed_through(self, snapshots: int) -> tuple[float, float]:
        """Manifests in the lists of the first so many snapshots, all together, and bytes that those lists save."""
        listed, spared = self.turns.listed_through(snapshots)
        if self.deletes is None:
            return listed, spared
        of_deletes = self.deletes.listed_through(snapshots)
        return listed + of_deletes[0], spared + of_deletes[1]

    def dropped_through(self, snapshots: int) -> tuple[int, float]:
        """Manifests, and their bytes, that no list after so many snapshots holds any more."""
        sums = self.turns.running.through(self.turns.through(np.array([snapshots])))[:, 0]
        return round(float(sums[2])), float(sums[3])

    def removed_through(self, snapshots: int) -> tuple[int, float]:
        """Data files, and their bytes, that the first so many snapshots took out."""
        done, replaced = self.compactions, self.replacements
        if not len(done):
            return 0, 0.0
        kinds = Column(first=(replaced.kind == REWRITE_DATA_FILES).astype(float), more=np.zeros(len(replaced.kind)))
        place = replaced.place(np.array([snapshots]))
        count = round(float(Running(replaced.rows, kinds).through(place)[0, 0]))
        return int(done.removed_files[:count].sum()), float(done.removed_bytes[:count].sum())
