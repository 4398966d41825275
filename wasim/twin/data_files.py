"""The data files of one commit as a manifest describes them, without writing any."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.manifest_entries import FileKey
from wasim.iceberg.properties import WRITE_TARGET_FILE_SIZE_BYTES, TableProperties
from wasim.iceberg.schemas import Schema
from wasim.iceberg.specs import PartitionSpec
from wasim.scenario import Case
from wasim.twin.bounds import MOST_ROWS_COMPUTED, column_bounds, drawn_bounds
from wasim.twin.file_parts import FileParts, Part
from wasim.twin.file_sizes import FileSizes
from wasim.twin.lineage import LINEAGE_FIELDS, with_lineage, with_lineage_fields
from wasim.twin.locations import Locations
from wasim.twin.parquet_sizes import MAGIC_BYTES, ColumnSizes, FileBytes, footer_bytes, kind_of
from wasim.twin.partitions import Partition, partition_folder
from wasim.twin.profile import WriterProfile
from wasim.twin.row_sets import RowSet
from wasim.twin.rows import GROWING, Rows, rows_of
from wasim.twin.schema import Leaf, iceberg_schema, leaves, partition_spec
from wasim.units import Floats, Ints

ROW_GROUP_BYTES = 128 << 20
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


class _NamedLater(NamedTuple):
    """A UUID that follows from a query's, made only where a file's name holds it."""

    query_id: str
    name: str

    def __format__(self, _spec: str) -> str:
        """The UUID."""
        return str(uuid5(UUID(self.query_id), self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFiles:
    """Draws the data files of a case, commit by commit."""

    case: Case
    properties: TableProperties
    profile: WriterProfile
    schema: Schema
    spec: PartitionSpec
    leaves: tuple[Leaf, ...]
    counted: tuple[Leaf, ...]  # in the order of Java's maps
    rows: Rows
    parts: FileParts
    file_sizes: FileSizes
    most_rows_computed: int = MOST_ROWS_COMPUTED
    keeps_rows: bool = False
    rows_in: dict[str, RowSet] = field(default_factory=dict)  # of each file, if they are kept
    positions_in: dict[FileKey, Mapping[str, Ints]] = field(default_factory=dict)  # of each delete file, by data file
    keys_in: dict[FileKey, Ints] = field(default_factory=dict)  # row numbers whose keys each equality-delete file holds

    def draw(self, commit: int, numbers: FileNumbers, rng: np.random.Generator) -> list[DataFileEntry]:
        """The files that a commit adds, in the order of its tasks."""
        parts = self.parts.arriving(commit)
        return [self.file_of(part, commit, numbers, rng) for part in parts]

    def write(
        self,
        tasks: Sequence[RowSet],
        commit: int,
        numbers: FileNumbers,
        rng: np.random.Generator,
        *,
        rewrites: bool = False,
    ) -> list[DataFileEntry]:
        """The files that these tasks write, by partition; those that it `rewrites` keep row lineage in v3."""
        return [self.file_of(part, commit, numbers, rng, rewrites=rewrites) for part in self.parts.of(tasks)]

    def write_new(self, tasks: Sequence[RowSet], numbers: FileNumbers, rng: np.random.Generator) -> list[DataFileEntry]:
        """The files of an insert of rows that these tasks bring."""
        return self.write(self.parts.shuffled(tasks), 1, numbers, rng)

    def file_of(
        self, part: Part, commit: int, numbers: FileNumbers, rng: np.random.Generator, *, rewrites: bool = False
    ) -> DataFileEntry:
        """The file that a part becomes."""
        path = self._path(part, numbers, count=(commit - 1) * part.of + part.share.number)
        return self.entry(path, part, rng, has_lineage=rewrites and self.case.table.format_version > 2)

    def described(
        self, part: Part, commit: int, numbers: FileNumbers, rows: int, rng: np.random.Generator
    ) -> DataFileEntry:
        """A file of `rows` rows in the place of this part, of whose rows there are few: all that grows is drawn."""
        path = self._path(part, numbers, count=(commit - 1) * part.of + part.share.number)
        sizes = self.file_sizes.draw_full(rows, rng)
        bounds = {
            leaf.field_id: column_bounds(self.rows, leaf, part.share.rows, rng, rows)
            if leaf.name in GROWING
            else drawn_bounds(self.rows, leaf, rows, rng)
            for leaf in self.parts.bounded
        }
        found = {number: one for number, one in bounds.items() if one is not None}
        ids = [leaf.field_id for leaf in self.counted]
        return DataFileEntry(
            file_path=path,
            record_count=rows,
            file_size_bytes=sizes.total,
            partition=part.share.partition,
            column_sizes={number: sizes.columns[number] for number in ids},
            value_counts=dict.fromkeys(ids, rows),
            null_value_counts=dict.fromkeys(ids, 0),
            nan_value_counts={leaf.field_id: 0 for leaf in self.counted if leaf.column.type in ("float", "double")},
            lower_bounds={number: one.lower for number, one in found.items()},
            upper_bounds={number: one.upper for number, one in found.items() if one.upper is not None},
            split_offsets=_split_offsets(sizes.total),
            sort_order_id=0,
        )

    def folder_of(self, partition: Partition) -> str:
        """Where files of a partition lie below `data/`."""
        return partition_folder(self.spec, self.schema, partition)

    def _path(self, part: Part, numbers: FileNumbers, *, count: int) -> str:
        share, task = part.share, part.task
        template = DELTA_FILE if numbers.is_delta else self.profile.data_file
        is_movable = template.startswith(DATA_TEMPLATE)
        folder = self.folder_of(share.partition)
        name = template.removeprefix(DATA_TEMPLATE).format(
            writer=_NamedLater(numbers.query_id, str(task)),
            random=_NamedLater(numbers.query_id, f"{task}/{share.number}"),
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

    def entry(self, path: str, part: Part, rng: np.random.Generator, *, has_lineage: bool = False) -> DataFileEntry:
        """The file at that path that holds these rows of one partition."""
        rows = part.share.rows
        if self.keeps_rows:
            self.rows_in[path] = rows
        sizes = self._checked(self.file_sizes.draw(rows, rng, has_lineage=has_lineage))
        found = {
            leaf.field_id: part.bounds[leaf.field_id]
            if leaf.field_id in part.bounds
            else column_bounds(self.rows, leaf, rows, rng, self.most_rows_computed)
            for leaf in self.parts.bounded
        }
        bounds = {number: one for number, one in found.items() if one is not None}
        ids = [leaf.field_id for leaf in self.counted]
        file = DataFileEntry(
            file_path=path,
            record_count=len(rows),
            file_size_bytes=sizes.total,
            partition=part.share.partition,
            column_sizes={leaf.field_id: sizes.columns[leaf.field_id] for leaf in self.counted},
            value_counts=dict.fromkeys(ids, len(rows)),
            null_value_counts={leaf.field_id: self.rows.nulls(leaf, rows) for leaf in self.counted},
            nan_value_counts={leaf.field_id: 0 for leaf in self.counted if leaf.column.type in ("float", "double")},
            lower_bounds={number: one.lower for number, one in bounds.items()},
            upper_bounds={number: one.upper for number, one in bounds.items() if one.upper is not None},
            split_offsets=_split_offsets(sizes.total),
            sort_order_id=0,
        )
        return with_lineage(file, rows, sizes.columns) if has_lineage else file

    def _checked(self, sizes: FileBytes) -> FileBytes:
        target = self.properties.write_target_file_size_bytes
        if sizes.total > target:
            raise WasimError(
                f"A data file of {sizes.total} B would exceed {WRITE_TARGET_FILE_SIZE_BYTES} ({target}) and be split,"
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
    schema, rows = iceberg_schema(case.table, case.key_columns), rows_of(case)
    spec = partition_spec(case.table, schema)
    return DataFiles(
        profile=profile,
        rows=rows,
        most_rows_computed=most_rows_computed,
        keeps_rows=not case.only_appends,
        **of_shape(case, profile, rows, schema, spec, most_rows_computed),
    )


def of_shape(
    case: Case, profile: WriterProfile, rows: Rows, schema: Schema, spec: PartitionSpec, most_rows: int
) -> dict[str, Any]:
    """What of a table's data files depends on its columns and partition fields."""
    found = leaves(case.table, schema)
    counted = _counted(found)
    bounded = tuple(leaf for leaf in counted if leaf.bound_length is not None)
    constant = frozenset(field.source_id for field in spec.fields if field.transform == "identity")
    return {
        "case": case,
        "properties": TableProperties.read(case.table.properties),
        "schema": schema,
        "spec": spec,
        "leaves": found,
        "counted": counted,
        "parts": FileParts(case=case, rows=rows, spec=spec, leaves=found, bounded=bounded, most_rows=most_rows),
        "file_sizes": FileSizes(schema=schema, leaves=found, constant=constant, rows=rows, profile=profile),
    }


def lineage_footer_bytes(case: Case, profile: WriterProfile) -> float:
    """By how much the footer of a file that has the columns of row lineage is larger."""
    schema = iceberg_schema(case.table)
    columns, both = len(leaves(case.table, schema)), with_lineage_fields(schema)
    return footer_bytes(both, columns + len(LINEAGE_FIELDS), profile) - footer_bytes(schema, columns, profile)


def mean_file_bytes(case: Case, profile: WriterProfile, rows: Sequence[float]) -> Floats:
    """Bytes of data files of so many rows, in the mean."""
    schema = iceberg_schema(case.table)
    constant = {field.source_id for field in partition_spec(case.table, schema).fields if field.transform == "identity"}
    found = [
        replace(leaf, column=leaf.column.model_copy(update={"values": 1})) if leaf.field_id in constant else leaf
        for leaf in leaves(case.table, schema)
    ]
    alike = Counter(kind_of(leaf) for leaf in found)
    of_kind = {kind_of(leaf): ColumnSizes(leaf, profile) for leaf in found}
    columns = [
        sum(alike[kind] * sizes.of(max(1, round(count))).mean_bytes for kind, sizes in of_kind.items())
        for count in rows
    ]
    return np.array(columns) + footer_bytes(schema, len(found), profile)


def _counted(found: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    by_id = {leaf.field_id: leaf for leaf in found}
    return tuple(by_id[number] for number in java_map_order(sorted(by_id)) if by_id[number].has_counts)
