"""What the rows that tasks write become: a part for each partition, with the bounds of its columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from wasim.iceberg.specs import PartitionSpec
from wasim.scenario import Case
from wasim.twin.bounds import Bounds, computed_bounds
from wasim.twin.partitions import Share, split_by_partition
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.rows import Rows, split_rows
from wasim.twin.schema import Leaf

# Looked at together, at most, unless one commit has more.
_ROWS_AHEAD, _BOUNDS_AHEAD = 1 << 11, 1 << 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a task writes into one of the partitions that it writes `of`, with bounds that are computed, by field id.

    None is for a column that no row has.
    """

    share: Share
    task: int = 0
    of: int = 1
    bounds: dict[int, Bounds | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileParts:
    """Deals out the rows of a case. Columns that are `bounded` get bounds, in files of no more than `most_rows`."""

    case: Case
    rows: Rows
    spec: PartitionSpec
    leaves: tuple[Leaf, ...]
    bounded: tuple[Leaf, ...]
    most_rows: int
    ahead: dict[int, list[Part]] = field(default_factory=dict)  # by commit, as they will be asked for

    def arriving(self, commit: int) -> list[Part]:
        """Those of the rows that a commit brings, task by task.

        Of few rows, many commits together take as long as one: numpy takes longer to begin than to compare them.
        """
        if commit not in self.ahead:
            self.ahead.clear()
            bounds = len(self.bounded) * self.case.workload.files_per_commit
            count = min(_ROWS_AHEAD // self.case.rows_per_commit, _BOUNDS_AHEAD // max(bounds, 1))
            commits = range(commit, min(commit + max(count, 1), max(commit, self.case.commits) + 1))
            dealt = [self.shuffled([new_rows(task) for task in split_rows(self.case, one)]) for one in commits]
            self.ahead.update(zip(commits, self._with_bounds(dealt), strict=True))
        return self.ahead[commit]

    def of(self, tasks: Sequence[RowSet]) -> list[Part]:
        """Those of the rows that these tasks write."""
        return self._with_bounds([tasks])[0]

    def shuffled(self, tasks: Sequence[RowSet]) -> Sequence[RowSet]:
        """The rows of an insert as its writing tasks get them: by partition, each meets in one task, whichever."""
        is_shuffled = self.spec.fields and self.case.workload.distribution_mode != "none"
        return [all_rows(tasks).by_number()] if is_shuffled else tasks

    def _with_bounds(self, commits: Sequence[Sequence[RowSet]]) -> list[list[Part]]:
        found = [self._split(tasks) for tasks in commits]
        few = [part for parts in found for part in parts if len(part.share.rows) <= self.most_rows]
        held = all_rows([part.share.rows for part in few])
        starts = list(accumulate((len(part.share.rows) for part in few[:-1]), initial=0))
        for leaf in self.bounded if few else ():
            for part, bounds in zip(few, computed_bounds(self.rows, leaf, held, starts), strict=True):
                part.bounds[leaf.field_id] = bounds
        return found

    def _split(self, tasks: Sequence[RowSet]) -> list[Part]:
        return [
            Part(share=share, task=task, of=len(shares))
            for task, written in enumerate(tasks)
            if len(written)
            for shares in [split_by_partition(self.rows, self.spec, self.leaves, written)]
            for share in shares
        ]
