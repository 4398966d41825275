"""Equality deletes of scattered keys in a table that is partitioned by time: each commit writes into all partitions so
far, so it brings ever more files.

Their history is one of stages, in each of which as many partitions are written to as there are on average. In a stage
the table is as one with so many buckets of the key: to which one a row belongs is as good as chance.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import TYPE_CHECKING

from wasim.scenario import Case
from wasim.years.arrivals import Arrivals, growing_fields
from wasim.years.localities import upserts_spread_out

if TYPE_CHECKING:
    from wasim.years.shape import Shape

NEGLIGIBLE = 1e-9
GROWTH = 0.4  # of the partitions, from one stage to the next
SAMPLED = (3, 9, 28, 90)  # partitions of samples, off which others are read


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """From a commit on, as many partitions as there are on average until the next stage, and the shape with them."""

    since: float
    partitions: int
    shape: "Shape"


def stages_of(case: Case, horizon_s: float, shape_of: Callable[[int], "Shape"]) -> tuple[Stage, ...]:
    """The stages of a case over a horizon, in seconds, by the shape with so many partitions by time; none where the
    newest alone are written to.
    """
    if not upserts_spread_out(case):
        return ()
    lifetime_s, found = min(growing_fields(case).values()), list[Stage]()
    for first, last in _steps(ceil(horizon_s / lifetime_s)):
        partitions = (first + 1 + last) // 2
        since = floor(first * lifetime_s / case.commit_interval_s + NEGLIGIBLE)
        found.append(Stage(since=float(since), partitions=partitions, shape=shape_of(partitions)))
    return tuple(found)


def _steps(most: int) -> Iterator[tuple[int, int]]:
    """How many partitions there are before each stage and at its end."""
    last = 0
    while last < most:
        first, last = last, min(most, last + (int(last * GROWTH) | 1))  # of odd widths the mean is whole
        yield first, last


def nearest_sampled(partitions: int) -> int:
    """The partitions of the sample that has about as many."""
    return min(SAMPLED, key=lambda one: max(one / partitions, partitions / one))


def in_buckets(case: Case, partitions: int) -> Case:
    """The case with as many buckets of its key in the place of partitions by time."""
    table, growing = case.table, growing_fields(case)
    bucket = {"column": table.key_column, "transform": f"bucket[{partitions}]"}
    parts = [one.model_copy(update=bucket) if place in growing else one for place, one in enumerate(table.partition_by)]
    return replace(case, table=table.model_copy(update={"partition_by": tuple(parts)}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """What a commit brings to partitions by time: `files` are the files and the rows of each, for older partitions and
    for the newest; `repeating` is how many files may hold a row that the same commit writes again.
    """

    arrivals: Arrivals
    files: tuple[tuple[float, float], tuple[float, float]]
    repeating: float


def spread_over(case: Case, arrivals: Arrivals, partitions: int) -> Spread:
    """What a commit brings, where all of it came to one partition before: new rows to the newest, replaced ones evenly
    to all, of each some to every task, but to one where it has all rows of a partition. Repeated keys are the oldest.
    """
    rows, replaced = arrivals.rows_per_commit, case.replaced_rows_per_commit
    older, each = min(partitions - 1.0, replaced * (1 - 1 / partitions)), max(1.0, replaced / partitions)
    newest = rows - replaced * (1 - 1 / partitions)
    held, tasks = arrivals.open_partitions, case.workload.files_per_commit
    at_once = held if case.workload.distribution_mode == "hash" else held * tasks
    first, last = older * _touched(at_once, each), _touched(at_once, newest)
    repeats = 0.0 if case.writer.upsert is None else case.writer.upsert.repeats
    found = replace(
        arrivals,
        files=first + last,
        rows_per_file=rows / (first + last),
        partitions=older * _touched(held, each) + _touched(held, newest),
        open_partitions=held * partitions,
        lifetime_s=inf,
        spread=(),
    )
    return Spread(
        arrivals=found,
        files=((first, older * each / first), (last, newest / last)),
        repeating=at_once * max(1.0, repeats * partitions),
    )


def _touched(cells: float, rows: float) -> float:
    return cells * (1 - (1 - 1 / cells) ** rows) if cells > 1 else min(cells, rows)
