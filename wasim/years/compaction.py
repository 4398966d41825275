"""Data files by partition, and what rewrite_data_files makes of them on average.

Partitions that receive rows at the same time are alike, so one cohort stands for all of them. Which files are taken,
and how many come of them, are the rules of Iceberg's SizeBasedFileRewritePlanner.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import floor, inf
from typing import NamedTuple

from wasim.rules.compaction import MOST_DELETED, SMALL_FILE_SHARE, output_files
from wasim.units import Floats
from wasim.years.arrivals import Arrivals, FileBytes
from wasim.years.flows import CHANGES_WIDTH

NEGLIGIBLE = 1e-9
ByClass = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
"""Files and their rows: as they arrived, rewritten, and those that no compaction takes."""
MOST_COHORTS = 24  # those of partitions that closed earlier are counted as alike
FEW_UNITS = 16  # of time: while partitions are of so few, those of one more change what statements write
LEAST_LIVE = 1 - MOST_DELETED  # share of rows: files with less are compacted whatever their size
SETTLED_ROWS = -CHANGES_WIDTH - 2  # the last but one of the values of files, in a state's `values`
MEDIAN = 0.5  # a mean count of files by this much below a whole one is that one or more, as often as not


def is_much_deleted(live: float) -> bool:
    """Whether files of whose rows this share is live are compacted whatever their size."""
    return live <= LEAST_LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRule:
    """Options of rewrite_data_files."""

    target_bytes: int
    min_input_files: int


@dataclass(slots=True, kw_only=True)
class Cohort:
    """Partitions alike: the files below the target in each, as they came or compacted, and the rows in them."""

    partitions: float
    small_files: float = 0.0
    small_rows: float = 0.0
    partial_files: float = 0.0
    partial_rows: float = 0.0


class Compacted(NamedTuple):
    """What one compaction does, in all partitions: files taken, files made; and the shares of each kind it took.

    `partial_squares` are the squares of the rows of each partial file made, added up. `groups` are the partitions with
    something to do. `left_small` and `left_partial` are files of closed partitions
    that no compaction will take any more.
    """

    taken_files: float
    taken_bytes: float
    partial_made: float
    settled_made: float
    made_bytes: float
    partial_squares: float
    small_share: float
    partial_share: float
    groups: float
    left_small: float
    left_partial: float


@dataclass(kw_only=True)
class DataFilesByPartition:
    """The live data files that a compaction may take, and those that it leaves alone."""

    arrivals: Arrivals
    sizes: FileBytes
    commit_interval_s: float
    rule: CompactionRule | None
    new_share: float = 1.0  # of the rows that arrive, those that replace none: what a compaction leaves of them
    cohorts: list[Cohort] = field(default_factory=list)
    counted_commits: float = 0.0
    settled_files: float = 0.0
    settled_rows: float = 0.0
    left_files: float = 0.0  # small ones in partitions where no compaction has anything to do any more
    brings_files: bool = True  # whether commits of the writer do, rather than statements
    changes_rows: bool = False  # whether statements do, which write a file for each partition that they touch
    adds_anywhere: bool = False  # whether statements leave files where they are and write others, in any partition
    small_live: float = 1.0  # share of the rows of files as they arrived that no delete file names
    partial_live: float = 1.0  # the same of compacted and rewritten ones
    unit: float = 0.0  # of the partition field that grows with time, at the last compaction
    filled: bool = False  # whether compaction has made files that no other will take, since this was last asked

    def has_filled(self) -> bool:
        """Whether compaction has made files that no other will take, since this was last asked."""
        filled, self.filled = self.filled, False
        return filled

    @property
    def partition_commits(self) -> float:
        """Commits for which a partition stays open."""
        return self.arrivals.lifetime_s / self.commit_interval_s

    @property
    def partitions(self) -> float:
        """Partitions into which rows have come so far."""
        arrivals, interval_s = self.arrivals, self.commit_interval_s
        if arrivals.lifetime_s <= interval_s:
            return arrivals.partitions * max(1.0, self.counted_commits)
        begun = floor(max(0.0, self.counted_commits - 1) * interval_s / arrivals.lifetime_s + NEGLIGIBLE) + 1
        return begun * arrivals.open_partitions

    def has_rolled_over(self) -> bool:
        """Whether partitions have closed since this was last asked; never, where that makes no difference."""
        if not self._rolls_over(1.0):
            return False
        before, self.unit = self.unit, self._unit
        return self.unit > before

    def _rolls_over(self, period: float) -> bool:
        """Whether partitions close after more than this many commits, and that makes a difference."""
        if not period * self.commit_interval_s < self.arrivals.lifetime_s < inf:
            return False
        return self.rule is not None or (self.changes_rows and self._unit <= FEW_UNITS)

    @property
    def _unit(self) -> int:
        """How many partitions have closed, one after the other."""
        return floor(self.counted_commits * self.commit_interval_s / self.arrivals.lifetime_s + NEGLIGIBLE)

    def next_rollover(self, period: float) -> float:
        """The commit at which partitions close next, or the last one if they just did; infinite unless that is a longer
        cycle than `period` commits.
        """
        if not self._rolls_over(period):
            return inf
        return self.counted_commits if self._begins_unit() else (self._unit + 1) * self.partition_commits

    def arrive(self, commits: float) -> None:
        """Deals the files of all commits up to this one out to the partitions that were open when they came."""
        arrivals, interval_s = self.arrivals, self.commit_interval_s
        files, rows = arrivals.files, arrivals.files * arrivals.rows_per_file
        if not self.cohorts:
            self.cohorts.append(Cohort(partitions=arrivals.open_partitions))
        if arrivals.lifetime_s == inf or self.rule is None:
            self._into_newest(commits - self.counted_commits, files, rows)
            self.counted_commits = commits
            return
        while self.counted_commits < commits - NEGLIGIBLE:
            until = floor(self.counted_commits * interval_s / arrivals.lifetime_s + NEGLIGIBLE) + 1
            last = min(commits, max(self.counted_commits + 1, floor(until * arrivals.lifetime_s / interval_s)))
            if self.counted_commits and self._begins_unit():
                if len(self.cohorts) > MOST_COHORTS:
                    self.cohorts[:2] = [_together(*self.cohorts[:2])]
                self.cohorts.append(Cohort(partitions=arrivals.open_partitions))
            if last < commits and arrivals.lifetime_s <= interval_s:
                # every commit opens partitions of its own
                each = Cohort(partitions=arrivals.partitions * (commits - self.counted_commits))
                self.cohorts[-1] = each
                last = commits
            self._into_newest(last - self.counted_commits, files, rows)
            self.counted_commits = last

    def _begins_unit(self) -> bool:
        """Whether the next commit is the first one into other partitions."""
        position, commit = self.counted_commits / self.partition_commits, 1 / self.partition_commits
        return position - floor(position + NEGLIGIBLE) < commit - NEGLIGIBLE

    def _into_newest(self, commits: float, files: float, rows: float) -> None:
        if not self.brings_files:
            return
        newest = self.cohorts[-1]
        if self.is_small(rows / files):
            newest.small_files += commits * files / newest.partitions
            newest.small_rows += commits * rows / newest.partitions
        else:
            self.settled_files += commits * files
            self.settled_rows += commits * rows

    def is_small(self, rows: float) -> bool:
        """Whether compaction would take a file of these rows for its size."""
        return rows < self.small_rows_at_most

    @property
    def small_files(self) -> float:
        """Files below the target, compacted ones and those of closed partitions too."""
        return self.left_files + sum(one.partitions * (one.small_files + one.partial_files) for one in self.cohorts)

    @property
    def by_class(self) -> ByClass:
        """Files and their rows in all partitions: as they arrived, rewritten, and those that no compaction takes."""
        small = small_rows = partial = partial_rows = 0.0
        for one in self.cohorts:
            small += one.partitions * one.small_files
            small_rows += one.partitions * one.small_rows
            partial += one.partitions * one.partial_files
            partial_rows += one.partitions * one.partial_rows
        return (small, small_rows), (partial, partial_rows), (self.settled_files, self.settled_rows)

    @property
    def live_bytes(self) -> float:
        """Bytes of all files, where none was written but by the writer and by compaction."""
        settled = self._compacted_bytes(self.settled_rows / self.settled_files) if self.settled_files else 0.0
        return sum(one.partitions * self._bytes_of(one) for one in self.cohorts) + self.settled_files * settled

    def reopen(self) -> None:
        """Counts the files that no compaction takes as compacted ones again: too many of their rows are deleted."""
        closed = self.arrivals.lifetime_s < inf
        among = Cohort(partitions=self.partitions) if closed else self.cohorts[-1]
        among.partial_files += self.settled_files / among.partitions
        among.partial_rows += self.settled_rows / among.partitions
        if closed:
            self.cohorts.insert(0, among)
        self.settled_files = self.settled_rows = self.left_files = 0.0
        self.filled = True

    def compact(self, by_class: ByClass, share: float = 1.0) -> Compacted:
        """Compacts every partition that has enough to do; with a `share` below one, only that part of them. `by_class`
        are the files before.
        """
        (smalls, _), (partials, _), _ = by_class
        taken_small = taken_partial = taken_bytes = made_partial = made_settled = made_bytes = squares = groups = 0.0
        for one in self.cohorts:
            rows = one.small_rows * self.new_share * self.small_live + one.partial_rows * self.partial_live
            if not self._is_due(one):
                continue
            part = one.partitions * share
            outputs, each_rows = self._outputs(rows)
            size = self._compacted_bytes(each_rows)
            taken_small += part * one.small_files
            taken_partial += part * one.partial_files
            taken_bytes += part * self._bytes_of(one)
            made_bytes += part * outputs * size
            groups += part
            if self.is_small(each_rows):
                made_partial += part * outputs
                squares += part * outputs * each_rows**2
                kept = Cohort(partitions=part, partial_files=outputs, partial_rows=rows)
            else:
                made_settled += part * outputs
                self.filled = True
                self.settled_files += part * outputs
                self.settled_rows += part * rows
                kept = Cohort(partitions=part)
            _mix(one, kept, share)
        left_small, left_partial = self._drop_closed()
        return Compacted(
            taken_files=taken_small + taken_partial,
            taken_bytes=taken_bytes,
            partial_made=made_partial,
            settled_made=made_settled,
            made_bytes=made_bytes,
            partial_squares=squares,
            small_share=taken_small / smalls if smalls > NEGLIGIBLE else 0.0,
            partial_share=taken_partial / partials if partials > NEGLIGIBLE else 0.0,
            groups=groups,
            left_small=left_small,
            left_partial=left_partial,
        )

    def _is_due(self, one: Cohort) -> bool:
        """Iceberg's test of a group: enough files, enough content, or a file with many deleted rows."""
        assert self.rule is not None  # noqa: S101 - there is no compaction without its rule
        files = one.small_files + one.partial_files
        if (one.small_files and is_much_deleted(self.small_live)) or (
            one.partial_files and is_much_deleted(self.partial_live)
        ):
            return True
        if files <= 1 + NEGLIGIBLE:
            return False
        return files >= self.rule.min_input_files - MEDIAN or self._bytes_of(one) > self.rule.target_bytes

    def _bytes_of(self, one: Cohort) -> float:
        small = one.small_files * self.sizes.of(one.small_rows / one.small_files) if one.small_files else 0.0
        if not one.partial_files:
            return small
        return small + one.partial_files * self._compacted_bytes(one.partial_rows / one.partial_files)

    def _compacted_bytes(self, rows: float) -> float:
        return self.sizes.of_compacted(rows, self.arrivals)

    def _outputs(self, rows: float) -> tuple[float, float]:
        """Files that a group with these rows becomes, and the rows of each (`expectedOutputFiles`)."""
        assert self.rule is not None  # noqa: S101
        count = float(output_files(self.sizes.of(rows), self.rule.target_bytes))
        return count, rows / count

    def _drop_closed(self) -> tuple[float, float]:
        """Forgets partitions that have closed and hold nothing to do; how many small and partial files they had."""
        kept, left_small, left_partial = [], 0.0, 0.0
        for one in self.cohorts[:-1]:
            if self._is_due(one):
                kept.append(one)
                continue
            if self.adds_anywhere:  # further files come, and then they are compacted again
                kept = [_together(*kept, one)]
                continue
            left_small += one.partitions * one.small_files
            left_partial += one.partitions * one.partial_files
            self.settled_rows += one.partitions * (one.small_rows + one.partial_rows)
        self.settled_files += left_small + left_partial
        self.left_files += left_small + left_partial
        self.cohorts = [*kept, *self.cohorts[-1:]]
        return left_small, left_partial

    @cached_property
    def small_rows_at_most(self) -> float:
        """Rows of the largest file that compaction takes for its size; infinite without a compaction."""
        if self.rule is None:
            return inf
        low, high, least = 1.0, 1e12, SMALL_FILE_SHARE * self.rule.target_bytes
        while high / low > 1 + NEGLIGIBLE:
            middle = (low * high) ** 0.5
            low, high = (middle, high) if self.sizes.of(middle) < least else (low, middle)
        return low

    def room(self, values: Floats, change: Floats) -> float:
        """Cycles that each change these `values` by as much, until files are too large to be compacted again."""
        room = inf
        for place in range(4, 5 * len(self.cohorts), 5):
            if self.rule is not None and change[place] > NEGLIGIBLE:
                most = self.small_rows_at_most * max(1.0, values[place - 1])  # in that many files
                room = min(room, floor((most - values[place]) / change[place]))
        return room

    def reshape(self, cohorts: int) -> None:
        """Makes room for the numbers of a state with this number of cohorts."""
        self.cohorts = [Cohort(partitions=1.0) for _ in range(cohorts)]

    def values(self) -> list[float]:
        """The numbers that make up the state."""
        found = list[float]()
        for one in self.cohorts:
            found += one.partitions, one.small_files, one.small_rows, one.partial_files, one.partial_rows
        found += self.counted_commits, self.settled_files, self.settled_rows, self.left_files
        return found

    def restore(self, values: Iterator[float]) -> None:
        """Takes over the numbers of a state of the same structure."""
        self.cohorts = [
            Cohort(
                partitions=next(values),
                small_files=next(values),
                small_rows=next(values),
                partial_files=next(values),
                partial_rows=next(values),
            )
            for _ in self.cohorts
        ]
        self.counted_commits, self.settled_files = next(values), next(values)
        self.settled_rows, self.left_files = next(values), next(values)
        self.unit = self._unit


def _together(*cohorts: Cohort) -> Cohort:
    """Partitions as they are on average in these cohorts."""
    every = sum(one.partitions for one in cohorts)
    means = {
        name: sum(one.partitions * getattr(one, name) for one in cohorts) / every
        for name in ("small_files", "small_rows", "partial_files", "partial_rows")
    }
    return Cohort(partitions=every, **means)


def _mix(one: Cohort, kept: Cohort, share: float) -> None:
    """What is left of partitions of which a share was compacted, on average."""
    one.small_files = one.small_files * (1 - share) + kept.small_files * share
    one.small_rows = one.small_rows * (1 - share) + kept.small_rows * share
    one.partial_files = one.partial_files * (1 - share) + kept.partial_files * share
    one.partial_rows = one.partial_rows * (1 - share) + kept.partial_rows * share
