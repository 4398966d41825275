"""Which data files statements that change rows touch, on average.

The rules are those of `wasim.twin.statements`, for expected numbers of files: a statement that touches the share p of
all rows, scattered, touches a file of n rows with the probability 1 − (1 − p)ⁿ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log1p
from typing import Literal

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.units import Floats
from wasim.years.state import TableState

SMALL, PARTIAL, SETTLED = range(3)  # as data files arrived; rewritten; beyond what a compaction takes
NEGLIGIBLE = 1e-9
SLACK = 1e-6  # of a file
AGES = (np.arange(16) + 0.5) / 16
LEAST_VARIANCE = 1e-4  # of rows in files, relative to the square of their mean
Place = Literal["scattered", "newest", "oldest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """Data files of one class: how many, their records, and how many of those are live."""

    files: float
    records: float
    live: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The data files that a statement touches, by class, and how many live rows it touches in them.

    Where it takes whole partitions, the `together` files of one commit in one partition all go or all stay.
    """

    place: Place
    files: tuple[float, float, float]
    shares: tuple[float, float, float]  # of all files of the class
    row_shares: tuple[float, float, float]  # of the rows of the class that are in those files
    rows: tuple[float, float, float]
    squares_left: float = 0.0  # of the rewritten files that were not hit
    together: float = 1.0
    in_step: float = (
        0.0  # the share of files that it has in common with an earlier statement where both hit every n-th row
    )

    @property
    def count(self) -> float:
        """Files touched."""
        return sum(self.files)

    @property
    def touched(self) -> float:
        """Rows touched."""
        return sum(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """How rows arrive and are written: what statements need to know of a case."""

    rows_per_commit: float
    replaced_per_commit: float
    tasks: int
    deals_in_turn: bool  # rows to the files of a commit, as streaming does
    target_file_bytes: int
    is_partitioned: bool

    @property
    def replaced_per_new_row(self) -> float:
        """Earlier rows that a commit replaces, for each row that it adds."""
        return self.replaced_per_commit / max(1.0, self.new_rows_per_commit)

    @property
    def new_rows_per_commit(self) -> float:
        """Rows of a commit that replace no earlier ones."""
        return self.rows_per_commit - self.replaced_per_commit

    def rows_through(self, commits: float) -> float:
        """Row numbers given out by that number of commits."""
        if commits < 1:
            return 0.0
        return self.rows_per_commit + (commits - 1) * self.new_rows_per_commit

    def whole_commits(self, row: float, commits: float) -> float:
        """The last row, not beyond this one, at which a commit ends; that of one commit at least."""
        return self.rows_through(min(commits, max(1.0, (row - self.replaced_per_commit) // self.new_rows_per_commit)))


@dataclass(slots=True, kw_only=True)
class TouchedFiles:
    """Finds the files of a table that hold the rows of a statement."""

    workload: Workload

    def classes(self, state: TableState) -> list[Class]:
        """The live data files by class."""
        counts = state.files.by_class
        live = [max(0.0, rows - dead) for (_, rows), dead in zip(counts, state.left.dead, strict=True)]
        if any(state.left.dead):  # small differences of large numbers: how many rows there are is known otherwise
            there = self.workload.rows_through(state.commits) - state.left.gone + state.left.net
            factor = max(0.0, there) / sum(live) if sum(live) else 0.0
            live = [min(one * factor, rows) for one, (_, rows) in zip(live, counts, strict=True)]
        return [Class(files=count, records=rows, live=one) for (count, rows), one in zip(counts, live, strict=True)]

    def scattered(self, state: TableState, share: float, *, evenly: bool = False) -> Hits:
        """What touches this share of all rows; `evenly` where it is every n-th row."""
        is_stride = evenly and not self.workload.is_partitioned
        files, shares, row_shares, rows, squares = [], [], [], [], 0.0
        for number, one in enumerate(self.classes(state)):
            each = one.live / one.files if one.files > NEGLIGIBLE else 0.0
            if is_stride:
                hit = of_rows = _hit_by_stride(each * share, self.workload.replaced_per_new_row)
            elif number == PARTIAL and each > 0:
                squares = max(state.left.squares, each * one.live)  # of files alike at least
                hit, of_rows, kept = _hit_of_unlike(share, each, squares / one.files)
                squares *= kept
            else:
                hit = of_rows = 1.0 - (1.0 - min(share, 1.0)) ** each
            files.append(one.files * hit)
            shares.append(hit)
            row_shares.append(of_rows)
            rows.append(one.live * share)
        return Hits(
            place="scattered",
            files=three(files),
            shares=three(shares),
            row_shares=three(row_shares),
            rows=three(rows),
            squares_left=squares,
            in_step=1 / (1 + self.workload.replaced_per_new_row) ** 2 if is_stride else 0.0,  # neither row moved
        )

    def at_end(self, state: TableState, wanted: float, place: Place) -> Hits:
        """What touches that number of the newest, or of the oldest, rows."""
        classes, left = self.classes(state), wanted
        files, rows = [0.0] * 3, [0.0] * 3
        edge = self.edge(state)
        queue = self._newest_first(state, classes) if place == "newest" else self._oldest_first(state, classes)
        for number, count, live in queue:
            if left <= NEGLIGIBLE or count <= NEGLIGIBLE:
                continue
            taken = min(left, live)
            if taken >= live - NEGLIGIBLE:
                hit = count
            elif self.workload.is_partitioned and count == state.left.edge_files:  # a file for each partition
                hit = drawn(count, taken)
            elif number == SMALL:
                hit = min(count, self.arrived_files(state, classes[SMALL], taken, place)[0])
            else:
                hit = min(count, float(ceil(taken / (live / count) - SLACK)))
            files[number] += hit
            rows[number] += taken
            left -= taken
        shares = [hit / one.files if one.files > NEGLIGIBLE else 0.0 for hit, one in zip(files, classes, strict=True)]
        row_shares = list(shares)
        if edge == PARTIAL and place == "newest" and files[edge] >= state.left.edge_files - NEGLIGIBLE and rows[edge]:
            row_shares[edge] = min(1.0, max(rows[edge], state.left.edge_rows) / classes[edge].live)
        return Hits(
            place=place,
            files=three(files),
            shares=three(shares),
            row_shares=three(row_shares),
            rows=three(rows),
            squares_left=state.left.squares * (1 - shares[PARTIAL]),
        )

    def _newest_first(self, state: TableState, classes: Sequence[Class]) -> list[tuple[int, float, float]]:
        """Files by class with their live rows, those of the newest rows first: what came since the last statement, then
        what that wrote.
        """
        small, left = classes[SMALL], state.left
        each = small.records / small.files if small.files > NEGLIGIBLE else 0.0
        fresh = max(0.0, small.files - left.small_seen)
        seen = (SMALL, small.files - fresh, max(0.0, small.live - fresh * each))
        edge, *others = self._edge_first(state, classes)
        later = [*others, seen] if state.files.rule is not None else [seen, *others]
        return [(SMALL, fresh, min(fresh * each, small.live)), edge, *later]

    def _oldest_first(self, state: TableState, classes: Sequence[Class]) -> list[tuple[int, float, float]]:
        """The same, those of the oldest rows first: what the last statement on them wrote is the oldest."""
        small = classes[SMALL]
        each = small.records / small.files if small.files > NEGLIGIBLE else 1.0
        alive = min(small.files, small.live / each)  # the oldest ones have no live row any more
        edge, *others = self._edge_first(state, classes)
        arrived = (SMALL, alive, small.live)
        return [edge, *others, arrived] if state.files.rule is not None else [edge, arrived, *others]

    def _edge_first(self, state: TableState, classes: Sequence[Class]) -> list[tuple[int, float, float]]:
        """What the last statement on the same end of the table wrote, and all else that was rewritten: by compaction,
        or else by earlier such statements, so that few of its rows are live.
        """
        edge, left = self.edge(state), state.left
        files, live = min(left.edge_files, classes[edge].files), min(left.edge_rows, classes[edge].live)
        found = [(edge, files, live)]
        for number in (PARTIAL, SETTLED):
            own = number == edge
            found.append((number, classes[number].files - own * files, classes[number].live - own * live))
        return found

    def arrived_files(self, state: TableState, small: Class, rows: float, place: Place) -> tuple[float, float]:
        """Files as they arrived that hold `rows` rows at an end of the table, and those of them that hold rows too
        which are not live any more: the first of a commit of which a part is touched already.
        """
        each, per_commit = small.records / small.files, self.workload.rows_per_commit
        begun = (small.records - small.live) % per_commit if place == "oldest" else 0.0
        of_first = min(rows, per_commit - begun)
        commits, rest = divmod(rows - of_first, per_commit)
        by_chance = state.arrivals.open_partitions > 1
        found, again = self._files_of_commit(begun, begun + of_first, per_commit / each, by_chance=by_chance)
        last, _ = self._files_of_commit(0.0, rest, per_commit / each, by_chance=by_chance)
        return found + commits * per_commit / each + last, again

    def _files_of_commit(self, first: float, stop: float, files: float, *, by_chance: bool) -> tuple[float, float]:
        """Of `files` files of a commit, those that hold its rows from the first one on, and which of them hold earlier
        ones too: rows fall into partitions by chance, are dealt to the files in turn, or fill one file after another.
        """
        rows = stop - first
        if by_chance:
            found = drawn(files, rows)
            return found, found * drawn(files, first) / files
        if self.workload.deals_in_turn:
            found = min(files, rows)
            return found, max(0.0, min(first, files) + found - files)
        each = self.workload.rows_per_commit / files
        found = ceil(stop / each - SLACK) - floor(first / each + SLACK)
        return float(found), float(found > 0 and abs(first / each - round(first / each)) > SLACK)

    def edge(self, state: TableState) -> int:
        """The class of what the last statement on the newest, or the oldest, rows wrote."""
        each = state.left.edge_rows / state.left.edge_files if state.left.edge_files else 0.0
        return PARTIAL if state.files.is_small(each) else SETTLED

    def ends_with_files(self, state: TableState, row: float) -> bool:
        """Whether the oldest rows up to this number are all that some files hold, which metadata alone then deletes."""
        workload, (_, *rewritten) = self.workload, state.files.by_class
        if row >= workload.rows_through(state.commits):
            return True
        if any(files > SLACK for files, _ in rewritten) or any(state.left.dead):
            return False
        files = 1.0 if workload.is_partitioned or workload.deals_in_turn else state.arrivals.files
        return row % (workload.rows_per_commit / files) == 0

    def live_in(self, state: TableState, hits: Hits) -> float:
        """Live rows of the files that were hit, touched or not."""
        return sum(one.live * share for one, share in zip(self.classes(state), hits.row_shares, strict=True))


def workload_of(case: Case) -> Workload:
    """What statements need to know of a case."""
    properties = TableProperties.read(case.table.properties)
    return Workload(
        rows_per_commit=float(case.rows_per_commit),
        replaced_per_commit=float(case.replaced_rows_per_commit),
        tasks=case.workload.files_per_commit,
        deals_in_turn=case.writer.kind == "streaming",
        target_file_bytes=properties.write_target_file_size_bytes,
        is_partitioned=bool(case.table.partition_by),
    )


def _hit_of_unlike(share: float, mean: float, mean_square: float) -> tuple[float, float, float]:
    """Of files whose rows are distributed by a gamma law: the share that is hit where this share of all rows is, the
    share of rows in those, and the share of the squares of the rows of those that are not.
    """
    variance = max(mean_square - mean * mean, LEAST_VARIANCE * mean * mean)
    shape = mean * mean / variance
    left = 1 + -log1p(-min(share, 1 - NEGLIGIBLE)) * mean / shape
    return 1 - left**-shape, 1 - left ** -(shape + 1), left ** -(shape + 2)


def _hit_by_stride(touched: float, replaced_per_new_row: float) -> float:
    """The share of files that a commit hits which replaces every n-th row of the table, this many of a file's.

    A file that was written when the table had the share u of its commits has kept u^a of its new rows, which follow
    each other, and of the rows that it replaced, which lie anywhere; a is how many are replaced for each new one.
    """
    kept = _kept(replaced_per_new_row)
    whole, part = divmod(touched, 1.0)
    missed = (1 - part * kept) * np.exp(-replaced_per_new_row * touched * kept)
    if whole:
        missed *= (1 - kept) ** whole
    return 1 - float(missed.sum()) / len(AGES)


@lru_cache(maxsize=8)
def _kept(replaced_per_new_row: float) -> Floats:
    found: Floats = AGES**replaced_per_new_row
    return found


def drawn(boxes: float, things: float) -> float:
    """How many of these boxes at least one of the things falls into by chance."""
    return boxes * (1 - (1 - 1 / boxes) ** things) if boxes > 1 else min(boxes, things)


def three(values: list[float]) -> tuple[float, float, float]:
    """Figures of the three classes."""
    small, partial, settled = values
    return small, partial, settled
