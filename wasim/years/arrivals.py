"""What one commit of the writer brings, from a sample of its rows: how many files, how large, into which partitions."""

from dataclasses import dataclass, replace
from math import exp, floor, inf, log

import numpy as np

from wasim.scenario import Case
from wasim.twin import WriterProfile
from wasim.twin.data_files import DataFiles, data_files_of, mean_file_bytes
from wasim.twin.partitions import Partition, split_by_partition
from wasim.twin.row_sets import new_rows
from wasim.twin.rows import split_rows

SAMPLED_ROWS = 4_096  # of one commit, at most
SAMPLED_IN_ALL = 24_576
MOST_SAMPLED_COMMITS = 48
_UNITS_S = {"hour": 3_600.0, "day": 86_400.0, "month": 30.4375 * 86_400, "year": 365.25 * 86_400}
_SIZES_AT = np.unique(np.rint(np.geomspace(1, 1e10, 61)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """One commit of the writer, in the mean.

    It adds `files` data files of `rows_per_file` rows to `partitions` partitions. `open_partitions` receive rows at the
    same time, each for `lifetime_s` seconds of event time (infinite where no partition ever closes).
    """

    files: float
    rows_per_file: float
    partitions: float
    open_partitions: float
    lifetime_s: float


def with_rows(case: Case, rows: int) -> Case:
    """The case with at most so many rows in a commit, over the same event time."""
    if case.rows_per_commit <= rows:
        return case
    workload = case.workload.model_copy(update={"rows_per_second": rows / case.commit_interval_s})
    return replace(case, workload=workload)


def read_arrivals(case: Case, profile: WriterProfile) -> Arrivals:
    """What a commit of the case's writer brings. Cost does not grow with its rows."""
    tasks, rows = case.workload.files_per_commit, case.rows_per_commit
    if not case.table.partition_by:
        files = float(min(tasks, rows))
        return Arrivals(files=files, rows_per_file=rows / files, partitions=1.0, open_partitions=1.0, lifetime_s=inf)
    sampled = with_rows(case, SAMPLED_ROWS)
    drawn = data_files_of(sampled, profile, most_rows_computed=0)
    growing, lifetime_s, units = _growing_fields(case)
    commits = max(2, min(MOST_SAMPLED_COMMITS, SAMPLED_IN_ALL // sampled.rows_per_commit))
    per_task, seen, touched = [], set[Partition](), []
    for commit in range(1, commits + 1):
        shared = drawn.parts.shuffled([new_rows(task) for task in split_rows(sampled, commit)])
        cells = [_cells(drawn, task, growing) for task in shared]
        per_task.append(sum(len(one) for one in cells))
        touched.append(len(set[Partition]().union(*cells)))
        seen.update(*cells)
    writing = len(shared)
    files = writing * _scaled(float(np.mean(per_task)) / writing, sampled.rows_per_commit / writing, rows / writing)
    partitions = _scaled(float(np.mean(touched)), sampled.rows_per_commit, rows)
    files, partitions = min(files * units, float(rows)), partitions * units
    open_partitions = max(float(len(seen)), partitions / units)
    return Arrivals(
        files=files,
        rows_per_file=rows / files,
        partitions=partitions,
        open_partitions=open_partitions,
        lifetime_s=lifetime_s,
    )


def _cells(files: DataFiles, task: object, growing: set[int]) -> set[Partition]:
    """Partitions that a task writes to, without the fields whose values only ever grow."""
    shares = split_by_partition(files.rows, files.spec, files.leaves, task)  # type: ignore[arg-type]
    return {
        tuple(value for place, value in enumerate(share.partition) if place not in growing) or ("",) for share in shares
    }


def _growing_fields(case: Case) -> tuple[set[int], float, float]:
    """Places of partition fields whose value grows with time, how long one value lasts, and values a commit touches."""
    growing, lifetime_s = set[int](), inf
    for place, field in enumerate(case.table.partition_by):
        if field.column == "event_time" and field.transform in _UNITS_S:
            unit_s = _UNITS_S[field.transform]
        elif field.column == "event_id" and field.transform.startswith("truncate"):
            unit_s = int(field.transform[9:-1]) * case.commit_interval_s / case.rows_per_commit
        else:
            continue
        growing.add(place)
        lifetime_s = min(lifetime_s, unit_s)
    if lifetime_s == inf:
        return growing, inf, 1.0
    interval_s = case.commit_interval_s
    ends = np.arange(1, 513) * interval_s
    values = np.floor((ends - interval_s / case.rows_per_commit / 2) / lifetime_s) - np.floor(
        (ends - interval_s) / lifetime_s + 1e-9
    )
    return growing, lifetime_s, float(np.mean(values + 1))


def _scaled(found: float, sampled_rows: float, rows: float) -> float:
    """Cells that `rows` rows fall into, if `sampled_rows` rows fell into so many, all equally likely."""
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
    """Bytes of data files by their rows, in the mean, as the writer's profile has them."""

    def __init__(self, case: Case, profile: WriterProfile) -> None:
        self._log_rows = np.log(_SIZES_AT)
        self._log_bytes = np.log(mean_file_bytes(case, profile, _SIZES_AT.tolist()))

    def of(self, rows: float) -> float:
        """Bytes of a file of so many rows."""
        return exp(float(np.interp(log(max(rows, 1.0)), self._log_rows, self._log_bytes)))


def whole(value: float) -> int:
    """The nearest whole number."""
    return floor(value + 0.5)
