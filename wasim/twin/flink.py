"""Flink's upserts: at each checkpoint its subtasks write new rows, and delete their keys from all that came before.

The row before is not looked for: every row's key goes into an equality-delete file, a new row's too. Where a key
comes again within the checkpoint, the row that it had there is deleted by position. The files go through staged
manifests to the committer, which makes one RowDelta of each checkpoint.
Sources: apache/iceberg flink/v2.1 BaseDeltaTaskWriter, IcebergWriteAggregator, IcebergCommitter; core BaseTaskWriter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid5

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.hash_order import java_copy_order, java_string_hash
from wasim.iceberg.names import staged_manifest_name
from wasim.iceberg.record_fields import key_of
from wasim.iceberg.snapshots import Way
from wasim.twin.commits import Moment, new_entries
from wasim.twin.data_files import DATA_TEMPLATE, DataFiles, Part
from wasim.twin.delete_files import DeletedRows, equality_delete_file, write_position_deletes, write_vectors
from wasim.twin.hashing import murmur3_32_of_ints
from wasim.twin.identifiers import CommitIdentity, Locations
from wasim.twin.live_manifests import LiveManifest, ManifestWriter
from wasim.twin.partitions import Share, split_by_partition
from wasim.twin.row_sets import RowSet
from wasim.twin.rows import Values
from wasim.twin.schema import Leaf
from wasim.twin.snapshot_updates import FileChanges, append_files, commit_file_changes
from wasim.twin.summary import COUNTERS
from wasim.twin.table import SimulatedTable
from wasim.units import Ints

_LEAST_GROUPS, _MOST_GROUPS = 1 << 7, 1 << 15
_WORD = 0xFFFFFFFF


def subtasks_of_keys(keys: Sequence[tuple[str, Values]], subtasks: int) -> Ints:
    """The subtask of each row whose key has these columns, by type, in the order of the schema."""
    hashes = np.full(len(keys[0][1]), 41 * 97 + len(keys), dtype=np.int64)
    for kind, values in keys:
        hashes = (41 * hashes + _hashes(kind, values)) & _WORD
    return _subtasks_of(hashes, subtasks)


def subtasks_of_texts(texts: Iterable[str], subtasks: int) -> Ints:
    """The subtask of each of these texts: of the paths of partitions, where rows are distributed by hash."""
    return _subtasks_of(np.array([java_string_hash(text) for text in texts], dtype=np.int64), subtasks)


def _subtasks_of(hashes: Ints, subtasks: int) -> Ints:
    groups = max(_LEAST_GROUPS, min(_MOST_GROUPS, 1 << (subtasks + subtasks // 2 - 1).bit_length()))
    return np.abs(murmur3_32_of_ints(hashes)) % groups * subtasks // groups


def _hashes(kind: str, values: Values) -> Ints:
    """Iceberg's `JavaHash` of each value of a column, as numbers of which the low 32 bits count."""
    if kind == "boolean":
        return np.where(values, 1231, 1237)
    if kind != "string":
        return np.asarray(values ^ values >> 32 if kind.startswith(("long", "timestamp")) else values)
    letters = np.array(values, dtype=str)  # all as long
    hashes = np.full(len(letters), 177, dtype=np.int64)
    for code in letters.view(np.uint32).reshape(len(letters), -1).T:
        hashes = (31 * hashes + code) & _WORD
    return hashes


# Of staged manifests, whose files are of no snapshot yet: Flink gives the id 0, which no entry keeps.
_NO_SNAPSHOT = CommitIdentity(snapshot_id=0, uuid="", sequence_number=0)


@dataclass(slots=True, kw_only=True)
class RowDelta:
    """The files of a checkpoint, in the order in which they are written."""

    data: list[DataFileEntry] = field(default_factory=list)
    deletes: list[DataFileEntry] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Subtasks:
    """The writing subtasks of a Flink job. Each numbers its files on for as long as it lives."""

    files: DataFiles
    locations: Locations
    query_id: str
    counts: list[int]

    def write(self, rows: RowSet, rng: np.random.Generator) -> RowDelta:
        """The files that a checkpoint's rows, in the order of their arrival, become."""
        delta, places = RowDelta(), self.places(rows)
        for task in range(len(self.counts)):
            self._write(task, rows.take(places == task), delta, rng)
        return delta

    def places(self, rows: RowSet) -> Ints:
        """Which subtask each of these rows goes to: by key, or by partition if the job distributes by hash."""
        files, subtasks = self.files, len(self.counts)
        if not files.spec.fields or files.case.workload.distribution_mode != "hash":
            return subtasks_of_keys([(key.column.type, files.rows.values(key, rows)) for key in self.keys], subtasks)
        places = np.empty(len(rows), dtype=np.int64)
        numbered = replace(rows, row_ids=np.arange(len(rows)))  # each by its place
        for share in split_by_partition(files.rows, files.spec, files.leaves, numbered):
            places[share.rows.row_ids] = subtasks_of_texts([files.folder_of(share.partition)], subtasks)
        return places

    @property
    def keys(self) -> list[Leaf]:
        """The columns that tell rows apart, in the order of the schema."""
        return [leaf for leaf in self.files.leaves if leaf.field_id in self.files.schema.identifier_field_ids]

    def _write(self, task: int, rows: RowSet, delta: RowDelta, rng: np.random.Generator) -> None:
        """Adds the files of one subtask's rows to the delta: vectors last, as they delete from all partitions."""
        files, repeated = self.files, list[DeletedRows]()
        shares = split_by_partition(files.rows, files.spec, files.leaves, rows) if len(rows) else []
        # data and keys of every partition are opened, and so named, before any file of positions
        opened = [(share, self._path(task, share), self._path(task, share)) for share in shares]
        if not shares and not files.spec.fields:
            self.counts[task] += 2  # both files are opened before a row comes, and removed
        for share, data_path, keys_path in opened:
            data = files.entry(data_path, Part(share=share), rng)
            by_key = equality_delete_file(keys_path, self.keys, data, share.rows, files)
            files.keys_in[key_of(by_key)] = np.unique(share.rows.numbers)
            delta.data.append(data)
            delta.deletes.append(by_key)
            positions = repeated_places(share.rows.numbers)
            if not len(positions):
                continue
            deleted = DeletedRows(path=data_path, partition=share.partition, positions=positions)
            if files.case.table.format_version > 2:
                repeated.append(deleted)
            else:
                delta.deletes.append(write_position_deletes(files, self._path(task, share), [deleted], rng))
        if repeated:
            delta.deletes += write_vectors(files, self._path(task, None), repeated)

    def _path(self, task: int, share: Share | None) -> str:
        """The next file of the subtask, whatever it holds: all bear the name of a data file."""
        self.counts[task] += 1
        folder = self.files.folder_of(share.partition) if share is not None else ""
        name = self.files.profile.data_file.removeprefix(DATA_TEMPLATE).format(
            partition=folder, task=task, writer=uuid5(UUID(self.query_id), str(task)), count=self.counts[task]
        )
        return self.locations.data_file(folder, name)


def repeated_places(numbers: Ints) -> Ints:
    """Places of rows whose number is repeated later."""
    last = {number: place for place, number in enumerate(numbers.tolist())}
    return np.array([place for place, number in enumerate(numbers.tolist()) if last[number] != place], dtype=np.int64)


def commit_row_delta(table: SimulatedTable, delta: RowDelta, moment: Moment) -> None:
    """Commits a checkpoint: its files are staged, committed by one RowDelta, and the staged manifests deleted."""
    table.write_files(delta.data, delta.deletes)
    staged = [_stage(table, files, moment) for files in (delta.data, delta.deletes) if files]
    deletes = sorted(delta.deletes, key=lambda file: file.content_offset is None)  # vectors first
    # what is committed was read from the staged manifests, and copied map by map
    changes = FileChanges(
        way=Way.ROW_DELTA,
        operation="overwrite",
        added=[_copied(file) for file in delta.data],
        added_deletes={table.json.base.default_spec_id: [_copied(file) for file in deletes]},
        writer_keys=[key for key in table.rules.summary if key not in COUNTERS],
    )
    commit_file_changes(table, changes, moment)
    for manifest in staged:
        table.log.delete(manifest.kind, table.relative(manifest.file.manifest_path))


def commit_append(table: SimulatedTable, data: Sequence[DataFileEntry], moment: Moment) -> None:
    """Commits a checkpoint that deletes nothing: an append of staged files, whose staged manifest is then deleted."""
    staged = _stage(table, data, moment)
    append_files(table, [_copied(file) for file in data], moment)
    table.log.delete(staged.kind, table.relative(staged.file.manifest_path))


def _stage(table: SimulatedTable, files: Sequence[DataFileEntry], moment: Moment) -> LiveManifest:
    table.staged += 1
    texts = moment.texts
    name = staged_manifest_name(texts["job_hex"], texts["operator_hex"], int(texts["checkpoint"]), table.staged)
    path = table.manifest_path(name)
    data, manifest = staged_manifest(table, path, files, table.rng)
    table.log.write(manifest.kind, table.relative(path), data)
    return manifest


def staged_manifest(
    table: SimulatedTable, path: str, files: Sequence[DataFileEntry], rng: np.random.Generator
) -> tuple[bytes | int, LiveManifest]:
    """The manifest of a checkpoint's files that waits for the committer; the table's properties do not apply to it."""
    writer = ManifestWriter(header=table.writer_of(files[0]).header)
    return writer.write(path, new_entries(files, _NO_SNAPSHOT), _NO_SNAPSHOT, rng)


def _copied(file: DataFileEntry) -> DataFileEntry:
    """The file with its maps in the order of Java's copies of maps."""
    names = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
    maps = {name: getattr(file, name) for name in names}
    ordered: dict[str, Any] = {
        name: None if values is None else {key: values[key] for key in java_copy_order(values)}
        for name, values in maps.items()
    }
    return replace(file, **ordered)
