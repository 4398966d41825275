"""The data files of one commit as a manifest describes them, without writing any."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import ceil
from typing import Any
from uuid import UUID, uuid5

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.avro_encoding import SharedMap
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.property_values import MetricsMode
from wasim.iceberg.record_fields import FileKey, PartitionValue
from wasim.iceberg.schemas import Schema
from wasim.iceberg.specs import PartitionSpec
from wasim.rules.compaction import row_groups
from wasim.scenario import Case
from wasim.twin.bounds import MOST_ROWS_COMPUTED, Bounds, ColumnDraws, column_bounds, computed_bounds, is_few
from wasim.twin.file_sizes import MAGIC_BYTES, FileBytes, FileSizes
from wasim.twin.identifiers import Locations, trino_query
from wasim.twin.lineage import with_lineage
from wasim.twin.partitions import Partition, Share, partition_folder, split_by_partition, values_by_partition
from wasim.twin.profile import WriterProfile
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.rows import Rows, rows_of, split_rows
from wasim.twin.schema import Leaf, iceberg_schema, leaves, partition_spec
from wasim.units import Ints

DELTA_FILE = "data/{partition}{task:05d}-{task_id}-{query_id}-{file:05d}.parquet"
DATA_TEMPLATE = "data/{partition}"  # in templates: where Iceberg puts a table's data, unless properties say otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNumbers:
    """What names a commit's data files. `is_delta` says that they come with delete files, from one task of Spark's."""

    locations: Locations
    query_id: str
    epoch: int
    first_task_id: int
    wall_ms: int = 0
    is_delta: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a task writes into one of the partitions that it writes `of`; `bounds` are those computed so far, by field
    id.
    """

    share: Share
    task: int = 0
    of: int = 1
    bounds: dict[int, Bounds] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DataFiles:
    """Draws the data files of a case, commit by commit, for its table as it is.

    Bounds of files of more than `most_rows_computed` rows are drawn as they are distributed, not computed from rows;
    none are known unless it `has_bounds`. What a task writes into a partition becomes so many `pieces`, or where that
    is 0 as many files as its rows take.
    """

    case: Case
    profile: WriterProfile
    schema: Schema
    spec: PartitionSpec
    rows: Rows
    most_rows_computed: int = MOST_ROWS_COMPUTED
    has_bounds: bool = True
    pieces: int = 0
    keeps_rows: bool = False
    rows_in: dict[str, RowSet] = field(default_factory=dict)  # of each file, if they are kept
    positions_in: dict[FileKey, Mapping[str, Ints]] = field(default_factory=dict)  # of each delete file, by data file
    keys_in: dict[FileKey, Ints] = field(default_factory=dict)  # row numbers whose keys each equality-delete file holds
    values_in: dict[int, SharedMap] = field(default_factory=dict)  # of the last file, by its rows

    @cached_property
    def properties(self) -> TableProperties:
        """The table's properties."""
        return TableProperties.read(self.case.table.properties)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The table's primitive columns."""
        return leaves(self.case.table, self.schema)

    @cached_property
    def sized(self) -> tuple[Leaf, ...]:
        """Columns with sizes, in the order of Java's maps."""
        by_id = {leaf.field_id: leaf for leaf in self.leaves}
        return tuple(by_id[number] for number in java_map_order(sorted(by_id)) if by_id[number].has_counts)

    @cached_property
    def counted(self) -> tuple[Leaf, ...]:
        """Columns with counts, in the same order: Java keeps none of what is in a list or a map, pyiceberg does."""
        return tuple(leaf for leaf in self.sized if leaf.items is None or self._is_python)

    def _values_in(self, rows: int) -> SharedMap:
        """The values of each column with counts in so many rows; most files have as many as the one before."""
        if rows not in self.values_in:
            self.values_in.clear()
            self.values_in[rows] = SharedMap({leaf.field_id: rows * (leaf.items or 1) for leaf in self.counted})
        return self.values_in[rows]

    @cached_property
    def bounded(self) -> tuple[Leaf, ...]:
        """Columns with bounds."""
        return tuple(leaf for leaf in self.counted if leaf.bound_length is not None and self.has_bounds)

    @property
    def lineage_mode(self) -> MetricsMode:
        """Which metrics the columns of row lineage have."""
        return self.properties.metrics_mode_of_others(len(self.leaves))

    @property
    def _is_python(self) -> bool:
        """Whether pyiceberg writes them, which counts no NaN and names no order."""
        return self.profile.release.library == "python"

    @cached_property
    def _none(self) -> SharedMap:
        """A count of nothing for each column with counts."""
        return SharedMap({leaf.field_id: 0 for leaf in self.counted})

    @cached_property
    def _no_nan(self) -> SharedMap:
        floats = () if self._is_python else (leaf for leaf in self.counted if leaf.column.type in ("float", "double"))
        return SharedMap({leaf.field_id: 0 for leaf in floats})

    @cached_property
    def _constant(self) -> frozenset[int]:
        """Columns that have one value in each file: the table is partitioned by them."""
        return frozenset(field.source_id for field in self.spec.fields if field.transform == "identity")

    @cached_property
    def _known_and_drawn(self) -> tuple[tuple[Leaf, ...], ColumnDraws]:
        """Columns with bounds that few rows of a file suffice for, as they grow or repeat; and all others."""
        known = tuple(one for one in self.bounded if one.role is not None or one.field_id in self._constant)
        return known, ColumnDraws([leaf for leaf in self.bounded if leaf not in known], self._divided)

    @cached_property
    def _divided(self) -> dict[int, tuple[int, Mapping[PartitionValue, Sequence[Any]], int]]:
        """Columns of few values that partitions share between them, by id: the place of the field, each one's values,
        and how many there are in all.
        """
        few = {leaf.field_id: leaf for leaf in self.bounded if leaf.role is None and is_few(leaf)}
        return {
            field.source_id: (place, of_each, sum(map(len, of_each.values())))
            for place, field in enumerate(self.spec.fields)
            if field.source_id in few and field.source_id not in self._constant
            for of_each in [values_by_partition(few[field.source_id], field)]
        }

    def share_of(self, partition: Partition) -> float:
        """How many rows come into a partition where the mean one has 1: as many more as it has values of a column."""
        found = 1.0
        for place, of_each, values in self._divided.values():
            found *= len(of_each[partition[place]]) * len(of_each) / values
        return found

    @cached_property
    def file_sizes(self) -> FileSizes:
        """Sizes of the files."""
        return FileSizes(
            schema=self.schema,
            leaves=self.leaves,
            constant=self._constant,
            rows=self.rows,
            profile=self.profile,
            scattered=bool(self.case.key_columns),
        )

    def draw(self, commit: int, numbers: FileNumbers, rng: np.random.Generator) -> list[DataFileEntry]:
        """The files that a commit adds, in the order of its tasks."""
        return self.files_of(self.parts_arriving(commit), commit, numbers, rng)

    def write(
        self,
        tasks: Sequence[RowSet],
        numbers: FileNumbers,
        rng: np.random.Generator,
        *,
        rewrites: bool = False,
        most_bytes: int | None = None,
    ) -> list[DataFileEntry]:
        """The files that these tasks write, by partition, of so many bytes at most, or as large as the table's target;
        those that it `rewrites` keep row lineage in v3.
        """
        return self.files_of(self.parts_of(tasks, most_bytes), 1, numbers, rng, rewrites=rewrites)

    def shuffled(self, tasks: Sequence[RowSet]) -> Sequence[RowSet]:
        """The rows of an insert as its writing tasks get them: by partition, each meets in one task, whichever."""
        return [all_rows(tasks).by_number()] if self._is_shuffled else tasks

    @property
    def _is_shuffled(self) -> bool:
        return bool(self.spec.fields) and self.case.workload.distribution_mode != "none"

    def parts_arriving(self, commit: int, most_tasks: int | None = None) -> list[Part]:
        """What the rows that a commit brings become, task by task; of the first `most_tasks` unless they shuffle."""
        tasks = split_rows(self.case, commit)
        written = tasks if self._is_shuffled else tasks[:most_tasks]
        return self.parts_of(self.shuffled([new_rows(task) for task in written]))

    def parts_of(self, tasks: Sequence[RowSet], most_bytes: int | None = None) -> list[Part]:
        """What the rows that each of these tasks writes become, in files of so many bytes at most, or of the target."""
        target_bytes = most_bytes or self.properties.write_target_file_size_bytes
        most_rows = int(self.file_sizes.rows_of_one(max(map(len, tasks), default=0), target_bytes))
        return [
            Part(share=share, task=task, of=len(shares))
            for task, written in enumerate(tasks)
            if len(written)
            for shares in [self._rolled(split_by_partition(self.rows, self.spec, self.leaves, written), most_rows)]
            for share in shares
        ]

    def _rolled(self, shares: list[Share], most_rows: int) -> list[Share]:
        """What a task writes, by file of so many rows at most: further ones of a partition are numbered after the first
        of all.
        """
        found, number = list[Share](), len(shares)
        for share in shares:
            rows = len(share.rows)
            most = ceil(rows / self.pieces) if self.pieces else min(rows, most_rows)
            for first in range(0, rows, most):
                number += first > 0
                held = share.rows.take(np.arange(first, min(first + most, rows))) if most < rows else share.rows
                found.append(replace(share, rows=held, number=number if first else share.number))
        return found

    def files_of(
        self,
        parts: Sequence[Part],
        commit: int,
        numbers: FileNumbers,
        rng: np.random.Generator,
        *,
        rewrites: bool = False,
    ) -> list[DataFileEntry]:
        """The files that parts become."""
        self._compute_bounds([part for part in parts if len(part.share.rows) <= self.most_rows_computed], self.bounded)
        has_lineage = rewrites and self.case.table.format_version > 2
        return [self.entry(self._path(part, commit, numbers), part, rng, has_lineage=has_lineage) for part in parts]

    def _compute_bounds(self, parts: Sequence[Part], leaves: Sequence[Leaf]) -> None:
        """Computes what bounds parts lack, together: numpy takes as long to begin as for hundreds."""
        for leaf in leaves:
            missing = [part for part in parts if leaf.field_id not in part.bounds]
            if not missing:
                continue
            held = all_rows([part.share.rows for part in missing])
            starts = list(accumulate((len(part.share.rows) for part in missing[:-1]), initial=0))
            for part, bounds in zip(missing, computed_bounds(self.rows, leaf, held, starts), strict=True):
                part.bounds[leaf.field_id] = bounds

    def entry(self, path: str, part: Part, rng: np.random.Generator, *, has_lineage: bool = False) -> DataFileEntry:
        """The file at that path that holds these rows of one partition."""
        rows = part.share.rows
        if self.keeps_rows:
            self.rows_in[path] = rows
        sizes = self.file_sizes.draw(rows, rng, has_lineage=has_lineage)
        nulls = {leaf.field_id: self.rows.nulls(leaf, rows) for leaf in self.counted}
        bounds = {
            leaf.field_id: part.bounds.get(leaf.field_id) or self._bounds(leaf, part.share, rng)
            for leaf in self.bounded
            if nulls[leaf.field_id] < len(rows)
        }
        file = self._entry(path, part.share.partition, sizes, nulls, bounds, rows=len(rows))
        return with_lineage(file, rows, sizes.columns, self.lineage_mode) if has_lineage else file

    def _bounds(self, leaf: Leaf, share: Share, rng: np.random.Generator) -> Bounds:
        """A column's bounds in one file; in one of very many rows drawn of the values that its partition has."""
        rows, number = share.rows, leaf.field_id
        if len(rows) > self.most_rows_computed and number in self._constant:
            return computed_bounds(self.rows, leaf, rows.take(np.arange(1)), [0])[0]
        if len(rows) > self.most_rows_computed and number in self._divided:
            place, of_each, _ = self._divided[number]
            return ColumnDraws([leaf], [number]).draw(len(rows), rng, {number: of_each[share.partition[place]]})[number]
        return column_bounds(self.rows, leaf, rows, rng, self.most_rows_computed)

    def forget(self, paths: Iterable[str]) -> None:
        """Forgets the rows of files that are live no more: nothing reads them again."""
        for path in paths:
            self.rows_in.pop(path, None)

    def know(self, parts: Sequence[Part]) -> None:
        """Computes what `described` needs of the rows of each of these parts, all together."""
        self._compute_bounds(parts, self._known_and_drawn[0])

    def described(
        self, part: Part, commit: int, numbers: FileNumbers, rows: int, rng: np.random.Generator
    ) -> DataFileEntry:
        """A file of `rows` rows in the place of this part, of whose rows there are few: all that grows is drawn."""
        sizes = self.file_sizes.draw_full(rows, rng)
        known, others = self._known_and_drawn
        held = part.share.rows
        if rows < len(held):
            part = replace(part, share=replace(part.share, rows=held.take(np.arange(rows))), bounds={})
        self._compute_bounds([part], known)
        values = {number: of_each[part.share.partition[at]] for number, (at, of_each, _) in self._divided.items()}
        found = others.draw(rows, rng, values)
        ids = (leaf.field_id for leaf in self.bounded)
        bounds = {number: found.get(number) or part.bounds[number] for number in ids}
        path = self._path(part, commit, numbers)
        return self._entry(path, part.share.partition, sizes, self._none, bounds, rows=rows)

    def _entry(
        self,
        path: str,
        partition: Partition,
        sizes: FileBytes,
        nulls: Mapping[int, int],
        bounds: Mapping[int, Bounds],
        *,
        rows: int,
    ) -> DataFileEntry:
        return DataFileEntry(
            file_path=path,
            record_count=rows,
            file_size_bytes=sizes.total,
            partition=partition,
            column_sizes={leaf.field_id: sizes.columns[leaf.field_id] for leaf in self.sized},
            value_counts=self._values_in(rows),
            null_value_counts=nulls,
            nan_value_counts=self._no_nan,
            lower_bounds={number: lower for number, (lower, _) in bounds.items()},
            upper_bounds={number: upper for number, (_, upper) in bounds.items() if upper is not None},
            split_offsets=_split_offsets(min(sizes.total, self.properties.write_target_file_size_bytes)),
            sort_order_id=None if self._is_python else 0,
        )

    def folder_of(self, partition: Partition) -> str:
        """Where files of a partition lie below `data/`."""
        return partition_folder(self.spec, self.schema, partition)

    def _path(self, part: Part, commit: int, numbers: FileNumbers) -> str:
        share, task = part.share, part.task
        template = DELTA_FILE if numbers.is_delta else self.profile.data_file
        folder = self.folder_of(share.partition)
        name = template.removeprefix(DATA_TEMPLATE).format(
            writer=uuid5(UUID(numbers.query_id), str(task)) if "{writer}" in template else "",
            random=uuid5(UUID(numbers.query_id), f"{task}/{share.number}") if "{random}" in template else "",
            count=(commit - 1) * part.of + share.number,
            wall_ms=numbers.wall_ms,
            trino_query=trino_query(numbers.wall_ms, commit) if "{trino_query}" in template else "",
            partition=folder,
            task=task,
            task_id=numbers.first_task_id + task,
            query_id=numbers.query_id,
            epoch=numbers.epoch,
            file=share.number,
        )
        is_movable = template.startswith(DATA_TEMPLATE)
        return numbers.locations.data_file(folder, name) if is_movable else f"{numbers.locations.table}/{name}"


def _split_offsets(file_bytes: int) -> tuple[int, ...]:
    groups = row_groups(file_bytes)
    return tuple(MAGIC_BYTES + group * (file_bytes // groups) for group in range(groups))


def data_files_of(
    case: Case, profile: WriterProfile, *, most_rows_computed: int = MOST_ROWS_COMPUTED, has_bounds: bool = True
) -> DataFiles:
    """The data files of a case as the writer of that profile would write them into its table as it was created."""
    schema = iceberg_schema(case.table, case.key_columns)
    return DataFiles(
        case=case,
        profile=profile,
        schema=schema,
        spec=partition_spec(case.table, schema),
        rows=rows_of(case),
        most_rows_computed=most_rows_computed,
        has_bounds=has_bounds,
        keeps_rows=case.changes_rows or case.maintenance.rewrite_data_files is not None,
    )
