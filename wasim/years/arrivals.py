"""What one commit of the writer brings, from a sample of its rows: how many files, how large, into which partitions."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil, exp, expm1, floor, gcd, inf, log, log1p

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.rules.compaction import output_files
from wasim.scenario import Case
from wasim.twin import WriterProfile
from wasim.twin.data_files import data_files_of
from wasim.twin.file_sizes import MOST_COMPRESSED, FileSizes, lineage_footer_bytes
from wasim.twin.partitions import numbered, partition_values
from wasim.twin.row_sets import all_rows, new_rows
from wasim.twin.rows import split_rows
from wasim.units import Floats, Ints

SAMPLED_ROWS = 4_096  # of one commit, at most
SAMPLED_IN_ALL = 24_576
MOST_SAMPLED_COMMITS = 512
_UNITS_S = {"hour": 3_600.0, "day": 86_400.0, "month": 30.4375 * 86_400, "year": 365.25 * 86_400}
_SIZES_AT = np.unique(np.rint(np.geomspace(1, 1e10, 121)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """One commit of the writer, on average.

    It adds `files` data files of `rows_per_file` rows to `partitions` partitions. `open_partitions` receive rows at the
    same time, each for `lifetime_s` seconds of event time (infinite where no partition ever closes). Where chance
    decides how many files a commit brings, `spread` holds the shares of commits that bring none, one, two … What a task
    writes into a partition takes so many `pieces`, files that are closed for their size at `piece_rows`, but for the
    last, which has the rest.
    """

    files: float
    rows_per_file: float
    partitions: float
    open_partitions: float
    lifetime_s: float
    spread: tuple[float, ...] = ()
    pieces: int = 1
    piece_rows: float = 0.0

    @property
    def rows_per_commit(self) -> int:
        """Rows of one commit."""
        return whole(self.files * self.rows_per_file)

    def with_files(self, files: float) -> "Arrivals":
        """The same rows in another number of files."""
        return replace(self, files=files, rows_per_file=self.files * self.rows_per_file / files, spread=())

    def chance(self, commits: int, least: float) -> float:
        """How likely it is that this many commits bring this number of files at least."""
        return float(_brought(self.spread, commits)[max(0, ceil(least)) :].sum())


def compacted_files(case: Case, arrivals: Arrivals, file_bytes: float) -> int:
    """Files that a compaction is to make of what comes to a partition from one to the next, in files of so many bytes;
    one that waits for a count, of one commit's. 1 without any.
    """
    step = case.maintenance.rewrite_data_files
    if step is None:
        return 1
    commits = 1.0 if step.every is None else max(1.0, step.every / case.commit_interval_s)
    return output_files(commits * arrivals.files / arrivals.partitions * file_bytes, step.target_file_size_bytes)


@cache
def _brought(spread: tuple[float, ...], commits: int) -> Floats:
    """The shares of runs of this many commits that bring none, one, two … files."""
    return np.convolve(_brought(spread, commits - 1), spread) if commits else np.ones(1)


def with_rows(case: Case, rows: int) -> Case:
    """The case with at most this many rows in a commit, over the same event time."""
    return case if case.rows_per_commit <= rows else of_rows(case, rows)


def of_rows(case: Case, rows: int) -> Case:
    """The case with this many rows in a commit, over the same event time."""
    workload = case.workload.model_copy(update={"rows_per_second": rows / case.commit_interval_s})
    return replace(case, workload=workload)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """Partitions that sampled commits wrote to, on average, without the fields whose values only ever grow."""

    tasks: int
    per_task: float
    touched: float
    seen: float  # in all of them together
    files: float  # of a commit, counted by all of its fields
    spread: tuple[float, ...]  # shares of commits by their files


@dataclass(slots=True, kw_only=True)
class CommitSamples:
    """Samples of the commits of one table's writer, shared by its cases at all intervals and rates."""

    profile: WriterProfile
    _cells: dict[tuple[int, float], _Cells] = field(default_factory=dict)

    def arrivals(self, case: Case) -> Arrivals:
        """What a commit of the case's writer brings. Cost does not grow with its rows."""
        tasks, rows = case.workload.files_per_commit, case.rows_per_commit
        if not case.table.partition_by:
            files = float(min(tasks, rows))
            return Arrivals(
                files=files, rows_per_file=rows / files, partitions=1.0, open_partitions=1.0, lifetime_s=inf
            )
        sampled, growing = with_rows(case, SAMPLED_ROWS), growing_fields(case)
        lifetime_s = min(growing.values(), default=inf)
        of_sample = sampled.rows_per_commit
        is_whole = of_sample == rows and sampled_commits(rows) * case.commit_interval_s > lifetime_s
        key = of_sample, case.commit_interval_s if is_whole else 0.0
        if key not in self._cells:
            self._cells[key] = _sampled_cells(sampled, self.profile, growing)
        cells = self._cells[key]
        writing = cells.tasks
        files = writing * _scaled(cells.per_task / writing, of_sample / writing, rows / writing)
        partitions = _scaled(cells.touched, of_sample, rows)
        parts, step = walk(case)
        walked = min(1.0, step / parts * sampled_commits(of_sample)) if parts else 1.0
        open_partitions = max(cells.seen / walked, partitions)
        takes_turns = case.writer.kind == "streaming" and writing > 1
        files = min(files * _values_touched(case, lifetime_s, 1 if takes_turns else writing), float(rows))
        partitions *= _values_touched(case, lifetime_s, 1)
        if is_whole:
            files = cells.files
        return Arrivals(
            files=files,
            rows_per_file=rows / files,
            partitions=partitions,
            open_partitions=open_partitions,
            lifetime_s=lifetime_s,
            spread=cells.spread if of_sample == rows else (),
        )


def even_arrivals(case: Case) -> Arrivals:
    """What a commit brings, without a sample, to a table without partitions or with one of each value of a column, all
    equally likely: the expectation.
    """
    tasks, rows = min(case.workload.files_per_commit, case.rows_per_commit), case.rows_per_commit
    named = [part.column for part in case.table.partition_by]
    values = next((float(one.values or 1) for one in case.table.columns if one.name in named), 1.0)

    def touched(count: int) -> float:
        return -values * expm1(count * log1p(-1 / values)) if values > 1 else 1.0

    fewer, longer = divmod(rows, tasks)
    files = longer * touched(fewer + 1) + (tasks - longer) * touched(fewer)
    return Arrivals(
        files=files, rows_per_file=rows / files, partitions=touched(rows), open_partitions=values, lifetime_s=inf
    )


def walk(case: Case) -> tuple[int, int]:
    """Of how many equal parts of all partitions a commit takes how many that follow the last one's; 0 where none do."""
    taken, rotating = case.workload.partitions_per_commit, case.table.rotating_column
    if taken is None or rotating is None or rotating.values is None or rotating.values == taken:
        return 0, 0
    together = gcd(rotating.values, taken)
    return rotating.values // together, taken // together


def sampled_commits(rows: int) -> int:
    """Commits of this many rows that are looked at."""
    return max(2, min(MOST_SAMPLED_COMMITS, SAMPLED_IN_ALL // rows))


def _sampled_cells(case: Case, profile: WriterProfile, growing: Mapping[int, float]) -> _Cells:
    drawn = data_files_of(case, profile, most_rows_computed=0)
    commits = sampled_commits(case.rows_per_commit)
    by_commit = [drawn.shuffled([new_rows(task) for task in split_rows(case, one)]) for one in range(1, commits + 1)]
    tasks = [task for shared in by_commit for task in shared]
    lengths = [len(task) for task in tasks]
    task_of = np.repeat(np.arange(len(tasks)), lengths)
    commit_of = np.repeat(np.repeat(np.arange(commits), [len(shared) for shared in by_commit]), lengths)
    values = partition_values(drawn.rows, drawn.spec, drawn.leaves, all_rows(tasks))
    cell_of = numbered([one for place, one in enumerate(values) if place not in growing], len(task_of))
    written = _per_group(task_of, numbered(values, len(task_of)), len(tasks))
    per_task = _per_group(task_of, cell_of, len(tasks))
    commit_of_task = np.repeat(np.arange(commits), [len(shared) for shared in by_commit])
    files = np.bincount(commit_of_task, written, commits)
    is_by_time = straddling(case, min(growing.values(), default=inf)) > 0  # which commits are in two is no chance
    by_chance = np.bincount(commit_of_task, per_task, commits) if is_by_time else files
    return _Cells(
        tasks=len(by_commit[0]),
        per_task=float(per_task.sum() / commits),
        touched=float(np.mean(_per_group(commit_of, cell_of, commits))),
        seen=float(cell_of.max() + 1),
        files=float(np.mean(files)),
        spread=tuple(np.bincount(by_chance.astype(np.int64)) / commits) if len(set(by_chance)) > 1 else (),
    )


def _per_group(groups: Ints, numbers: Ints, count: int) -> Ints:
    each = int(numbers.max()) + 1
    return np.bincount(np.unique(groups * each + numbers) // each, minlength=count)


def growing_fields(case: Case) -> dict[int, float]:
    """Places of partition fields whose value grows with time, and how long one value of each lasts, in seconds."""
    growing = {}
    for place, part in enumerate(case.table.partition_by):
        if part.column == case.table.time_column and part.transform in _UNITS_S:
            unit_s = _UNITS_S[part.transform]
            growing[place] = unit_s if case.rests is None else case.rests.lasting_s(unit_s)
        elif part.column == case.table.key_column and part.transform.startswith("truncate"):
            growing[place] = int(part.transform[9:-1]) * case.commit_interval_s / case.rows_per_commit
    return growing


def straddling(case: Case, lifetime_s: float) -> float:
    """The share of commits whose rows fall into partitions of two times, each of which lasts so many seconds; none
    where a commit's last no longer than it, or where statements change rows, as of these means are known alone.
    """
    if case.changes_rows or lifetime_s <= case.commit_interval_s:
        return 0.0
    return _values_touched(case, lifetime_s, 1) - 1


def _values_touched(case: Case, lifetime_s: float, tasks: int) -> float:
    """Values of growing fields that a task's rows have, on average, where tasks share a commit's time between them."""
    if lifetime_s == inf:
        return 1.0
    span_s = case.commit_interval_s / tasks
    starts = np.arange(512 * tasks) * span_s
    between_rows_s = case.commit_interval_s / case.rows_per_commit
    last = np.floor((starts + span_s - between_rows_s / 2) / lifetime_s)
    return float(np.mean(last - np.floor(starts / lifetime_s + 1e-9) + 1))


def _scaled(found: float, sampled_rows: float, rows: float) -> float:
    """Cells that `rows` rows fall into, if `sampled_rows` rows fell into `found`, all equally likely."""
    if rows <= sampled_rows or found < 1:
        return found
    share = found / sampled_rows
    if share < 0.02:
        return found
    low, high = found, 1e12
    for _ in range(80):  # cells c with c · (1 − exp(−sampled/c)) = found
        cells = (low * high) ** 0.5
        low, high = (cells, high) if cells * (1 - exp(-sampled_rows / cells)) < found else (low, cells)
    return low * (1 - exp(-rows / low))


class FileBytes:
    """Bytes of data files by their rows, on average, as the writer's profile has them."""

    def __init__(self, case: Case, profile: WriterProfile) -> None:
        self.lineage_footer = lineage_footer_bytes() if case.table.format_version > 2 else 0.0
        # Spark's rate source deals rows out to its tasks in turn, so rows of one commit stand in another order than ids
        self.deals_out = case.writer.kind == "streaming"
        self.sizes = sizes = data_files_of(case, profile).file_sizes
        self._parts: tuple[tuple[float, FileSizes], ...] = ((1.0, sizes),)
        self._apart = 0.0
        # whether files' bounds say which rows they hold
        self.knows_rows = any(one.role == "event_id" and one.bound_length is not None for one in sizes.leaves)
        self.log_rows = np.log(_SIZES_AT).tolist()
        self.log_bytes = [log(self._exactly(int(rows))) for rows in _SIZES_AT.tolist()]

    def _exactly(self, rows: int) -> float:
        apart = self._apart * rows * (rows <= MOST_COMPRESSED)
        return apart + sum(part * (one.mean_column_bytes(rows) + one.footer_bytes) for part, one in self._parts)

    def between(self, other: "FileBytes", share: float) -> "FileBytes":
        """The bytes between these and a like writer's: `share` of the way."""
        found = copy(self)
        found.log_bytes = np.log(np.exp(self.log_bytes) * (1 - share) + np.exp(other.log_bytes) * share).tolist()
        parts = [(part * (1 - share), one) for part, one in self._parts]
        found._parts = (*parts, *((part * share, one) for part, one in other._parts))
        return found

    def with_rows_apart(self, more: float) -> "FileBytes":
        """The same where a row's key and time, which follow no others, take so much more."""
        found = copy(self)
        found._apart = more
        found.log_bytes = [log(found._exactly(int(rows))) for rows in _SIZES_AT.tolist()]
        return found

    def knowing(self, arrivals: Arrivals) -> "FileBytes":
        """The same with the bytes of such a writer's own files as they are, not read off between others: how many of
        them a task of a compaction takes is a whole number.
        """
        found, own = copy(self), (arrivals.rows_per_file, arrivals.piece_rows)
        found.log_rows, found.log_bytes = [*self.log_rows], [*self.log_bytes]
        for rows in {int(each) + more for each in own for more in (0, 1) if each >= 1}:
            place = bisect_left(found.log_rows, log(rows))
            if found.log_rows[place] != log(rows):
                found.log_rows.insert(place, log(rows))
                found.log_bytes.insert(place, log(self._exactly(rows)))
        return found

    def of(self, rows: float) -> float:
        """Bytes of a file with this number of rows."""
        place, at, found = log(max(rows, 1.0)), self.log_rows, self.log_bytes
        low = min(bisect_right(at, place) - 1, len(at) - 2)
        share = min(1.0, (place - at[low]) / (at[low + 1] - at[low]))
        return exp(found[low] + share * (found[low + 1] - found[low]))


def rolled(arrivals: Arrivals, case: Case, sizes: FileBytes) -> Arrivals:
    """The arrivals of a writer that begins another file as soon as one has the target size."""
    target = TableProperties.read(case.table.properties).write_target_file_size_bytes
    each = sizes.sizes.rows_of_one(arrivals.rows_per_file, target)
    pieces = ceil(arrivals.rows_per_file / each - 1e-9)
    if pieces <= 1:
        return arrivals
    return replace(arrivals.with_files(arrivals.files * pieces), pieces=pieces, piece_rows=each)


def whole(value: float) -> int:
    """The nearest whole number."""
    return floor(value + 0.5)
