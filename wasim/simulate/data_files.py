"""The data files of one commit as a manifest describes them, without writing any."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID, uuid5

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.manifest_entries import FileKey
from wasim.iceberg.schemas import Schema
from wasim.iceberg.specs import PartitionSpec
from wasim.scenario import Case
from wasim.scenario.parts import Table
from wasim.simulate.bounds import MOST_ROWS_COMPUTED, column_bounds
from wasim.simulate.file_sizes import FileSizes
from wasim.simulate.lineage import with_lineage
from wasim.simulate.locations import Locations
from wasim.simulate.parquet_footers import MAGIC_BYTES, FileBytes
from wasim.simulate.parquet_sizes import column_size, footer_bytes, kind_of
from wasim.simulate.partitions import Partition, Share, partition_folder, split_by_partition
from wasim.simulate.profile import WriterProfile
from wasim.simulate.row_sets import RowSet, all_rows, new_rows
from wasim.simulate.rows import Rows, rows_of, split_rows
from wasim.simulate.schema import Leaf, iceberg_schema, leaves, partition_spec
from wasim.units import Floats, Ints

ROW_GROUP_BYTES = 128 << 20
TARGET_FILE_BYTES = 512 << 20
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
class DataFiles:
    """Draws the data files of a case, commit by commit."""

    case: Case
    profile: WriterProfile
    schema: Schema
    spec: PartitionSpec
    leaves: tuple[Leaf, ...]
    counted: tuple[Leaf, ...]  # in the order of Java's maps
    rows: Rows
    file_sizes: FileSizes
    most_rows_computed: int = MOST_ROWS_COMPUTED
    keeps_rows: bool = False
    rows_in: dict[str, RowSet] = field(default_factory=dict)  # of each file, if they are kept
    positions_in: dict[FileKey, Mapping[str, Ints]] = field(default_factory=dict)  # of each delete file, by data file
    keys_in: dict[FileKey, Ints] = field(default_factory=dict)  # row numbers whose keys each equality-delete file holds

    def draw(self, commit: int, numbers: FileNumbers, rng: np.random.Generator) -> list[DataFileEntry]:
        """The files that a commit adds, in the order of its tasks."""
        return self.write(self._tasks([new_rows(task) for task in split_rows(self.case, commit)]), commit, numbers, rng)

    def write(
        self,
        tasks: Sequence[RowSet],
        commit: int,
        numbers: FileNumbers,
        rng: np.random.Generator,
        *,
        rewrites: bool = False,
    ) -> list[DataFileEntry]:
        """The files that these tasks write, by partition; those that it `rewrites` take along in v3 what tells rows."""
        has_lineage = rewrites and self.case.table.format_version > 2
        found = []
        for task, written in enumerate(tasks):
            shares = split_by_partition(self.rows, self.spec, self.leaves, written) if len(written) else []
            for share in shares:
                path = self._path(share, numbers, task=task, count=(commit - 1) * len(shares) + share.number)
                found.append(self.entry(path, share, rng, arrives=not rewrites, has_lineage=has_lineage))
        return found

    def write_new(self, tasks: Sequence[RowSet], numbers: FileNumbers, rng: np.random.Generator) -> list[DataFileEntry]:
        """The files of an insert of rows that these tasks bring."""
        return self.write(self._tasks(tasks), 1, numbers, rng)

    def folder_of(self, partition: Partition) -> str:
        """Where files of a partition lie below `data/`."""
        return partition_folder(self.spec, self.schema, partition)

    def _path(self, share: Share, numbers: FileNumbers, *, task: int, count: int) -> str:
        template = DELTA_FILE if numbers.is_delta else self.profile.data_file
        is_movable = template.startswith(DATA_TEMPLATE)
        folder = self.folder_of(share.partition)
        name = template.removeprefix(DATA_TEMPLATE).format(
            writer=uuid5(UUID(numbers.query_id), str(task)),
            random=uuid5(UUID(numbers.query_id), f"{task}/{share.number}"),
            count=count,
            wall_ms=numbers.wall_ms,
            partition=folder,
            task=task,
            task_id=numbers.first_task_id + task,
            query_id=numbers.query_id,
            epoch=numbers.epoch,
            file=share.number,
        )
        return numbers.locations.data_file(folder, name) if is_movable else f"{numbers.locations.table}/{name}"

    def _tasks(self, tasks: Sequence[RowSet]) -> Sequence[RowSet]:
        # Shuffled by partition, each partition's rows meet in one task, whichever.
        shuffled = self.spec.fields and self.case.workload.distribution_mode != "none"
        return [all_rows(tasks).by_number()] if shuffled else tasks

    def entry(
        self, path: str, share: Share, rng: np.random.Generator, *, arrives: bool, has_lineage: bool = False
    ) -> DataFileEntry:
        """The file at that path that holds these rows of one partition, which arrive or were in the table before."""
        rows = share.rows
        if self.keeps_rows:
            self.rows_in[path] = rows
        sizes = self._checked(self.file_sizes.of(rows, rng, arrives=arrives, has_lineage=has_lineage))
        bounded = [leaf for leaf in self.counted if leaf.bound_length is not None]
        bounds = {leaf.field_id: column_bounds(self.rows, leaf, rows, rng, self.most_rows_computed) for leaf in bounded}
        ids = [leaf.field_id for leaf in self.counted]
        file = DataFileEntry(
            file_path=path,
            record_count=len(rows),
            file_size_bytes=sizes.total,
            partition=share.partition,
            column_sizes={leaf.field_id: sizes.columns[leaf.field_id] for leaf in self.counted},
            value_counts=dict.fromkeys(ids, len(rows)),
            null_value_counts=dict.fromkeys(ids, 0),
            nan_value_counts={leaf.field_id: 0 for leaf in self.counted if leaf.column.type in ("float", "double")},
            lower_bounds={number: one.lower for number, one in bounds.items()},
            upper_bounds={number: one.upper for number, one in bounds.items() if one.upper is not None},
            split_offsets=_split_offsets(sizes.total),
            sort_order_id=0,
        )
        return with_lineage(file, rows, sizes.columns) if has_lineage else file

    def _checked(self, sizes: FileBytes) -> FileBytes:
        target = int(self.case.table.properties.get("write.target-file-size-bytes", TARGET_FILE_BYTES))
        if sizes.total > target:
            raise WasimError(
                f"A data file of {sizes.total} B would exceed write.target-file-size-bytes ({target}) and be split,"
                " which is not simulated. Give more files per commit, or a larger target."
            )
        return sizes


def _split_offsets(file_bytes: int) -> tuple[int, ...]:
    groups = max(1, round(file_bytes / ROW_GROUP_BYTES))
    return tuple(MAGIC_BYTES + group * (file_bytes // groups) for group in range(groups))


def data_files_of(case: Case, profile: WriterProfile, *, most_rows_computed: int = MOST_ROWS_COMPUTED) -> DataFiles:
    """The data files of a case as the writer of that profile would write them into its table as it was created.

    In files of more rows than `most_rows_computed`, bounds are drawn as they are distributed, not computed from rows.
    """
    schema = iceberg_schema(case.table, case.key_columns)
    found, rows = leaves(case.table, schema), rows_of(case)
    return DataFiles(
        case=case,
        profile=profile,
        schema=schema,
        spec=partition_spec(case.table, schema),
        leaves=found,
        counted=_counted(found),
        rows=rows,
        file_sizes=FileSizes(schema=schema, leaves=found, rows=rows, profile=profile, writer=case.writer),
        most_rows_computed=most_rows_computed,
        keeps_rows=not case.only_appends,
    )


def mean_file_bytes(case: Case, profile: WriterProfile, rows: Sequence[float]) -> Floats:
    """Bytes of data files of so many rows, in the mean."""
    schema = iceberg_schema(case.table)
    found = leaves(case.table, schema)
    alike = Counter(kind_of(leaf) for leaf in found)
    of_kind = {kind_of(leaf): leaf for leaf in found}
    columns = [
        sum(alike[kind] * column_size(leaf, max(1, round(count)), profile).mean_bytes for kind, leaf in of_kind.items())
        for count in rows
    ]
    return np.array(columns) + max(footer_bytes(schema, len(found), profile), 0.0)


def evolved_files(files: DataFiles, table: Table, schema: Schema, spec: PartitionSpec) -> DataFiles:
    """The same for the table as it has become. Rows stay what they are, but for columns that come, go or change."""
    found = leaves(table, schema)
    case = replace(files.case, table=table)
    sizes = FileSizes(schema=schema, leaves=found, rows=files.rows, profile=files.profile, writer=case.writer)
    return replace(files, case=case, schema=schema, spec=spec, leaves=found, counted=_counted(found), file_sizes=sizes)


def _counted(found: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    by_id = {leaf.field_id: leaf for leaf in found}
    return tuple(by_id[number] for number in java_map_order(sorted(by_id)) if by_id[number].has_counts)
