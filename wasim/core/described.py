"""The commits of a case: the files that Spark would have written, described by a profile, as lines of JSON."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from wasim.iceberg import DataFileEntry, TableMetadata
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.record_fields import FileContent, FileKey, PartitionValue, key_of
from wasim.iceberg.schemas import PrimitiveType, Type, decimal_digits
from wasim.iceberg.snapshots import Way
from wasim.iceberg.specs import partition_type
from wasim.scenario import Case
from wasim.spark import Session
from wasim.twin import shipped_profile
from wasim.twin.creation import evolved_files
from wasim.twin.data_files import FileNumbers, data_files_of
from wasim.twin.identifiers import Locations, draw_uuid, locations_of
from wasim.twin.live_manifests import LiveEntry
from wasim.twin.maintenance import batches_to_commit, compact, groups_to_rewrite
from wasim.twin.scanning import LiveFiles, ScannedFile, scan_files
from wasim.twin.snapshot_updates import APPLICATION_KEY, FileChanges
from wasim.twin.statements import Statement, change_rows, upsert
from wasim.workload import Append, ChangeRows, Evolve, Maintain

_CONTENT = {
    FileContent.DATA: "data",
    FileContent.POSITION_DELETES: "position-deletes",
    FileContent.EQUALITY_DELETES: "equality-deletes",
}
_START = datetime(1970, 1, 1, tzinfo=UTC)
_NONE = "-"
_SPARKS_OWN = "spark."  # what Spark adds to a summary; all other keys are the library's


def content_file_json(file: DataFileEntry, partition_types: Sequence[Type], *, spec_id: int = 0) -> dict[str, Any]:
    """The object of a file of that partition spec. Maps keep their order."""
    values = zip(file.partition, partition_types, strict=True)
    members = {
        "spec_id": spec_id,
        "content": _CONTENT[FileContent(file.content)],
        "partition": [_single_value(value, kind) for value, kind in values] or None,
        **{one.name: _json_value(getattr(file, one.name)) for one in fields(file) if one.name not in _OTHERWISE},
    }
    given = {name: value for name, value in members.items() if value is not None}
    return {name.replace("_bytes", "-in-bytes").replace("_", "-"): value for name, value in given.items()}


_OTHERWISE = ("content", "partition", "block_size_bytes")


def _json_value(value: Any) -> Any:
    """A map as its keys and values, bytes in hex; all else as it is."""
    if not isinstance(value, Mapping):
        return value
    shown = [one.hex().upper() if isinstance(one, bytes) else one for one in value.values()]
    return {"keys": list(value), "values": shown}


def _single_value(value: PartitionValue, kind: Type) -> Any:
    """A partition value in the specification's JSON single-value serialization."""
    name = kind.name if isinstance(kind, PrimitiveType) else ""
    if isinstance(value, bytes):
        digits = decimal_digits(name)
        if digits is None:
            return value.hex().upper()
        return str(Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-digits[1]))
    if name == "date" and isinstance(value, int):
        return (_START + timedelta(days=value)).date().isoformat()
    if name.startswith("timestamp") and isinstance(value, int):
        moment = _START + timedelta(microseconds=value)
        text = moment.replace(tzinfo=None).isoformat(timespec="microseconds")
        return text + ("+00:00" if name == "timestamptz" else "")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedCommit:
    """One commit as its writer would have made it: the data files and delete files that it adds, those that it takes
    out by name, the summary keys that are its own, and the operation of Iceberg's that commits it.

    `rows` is the range of row numbers of which `delete_files` drops all files. `planned_before` is how many commits
    were made since the work of `rewrite_files` was planned.
    """

    way: Way = Way.APPEND
    files: Sequence[DataFileEntry] = ()
    deletes: Sequence[DataFileEntry] = ()
    removed: Sequence[FileKey] = ()
    rows: tuple[int, int] = (0, 0)
    summary: Mapping[str, str] = field(default_factory=dict)
    planned_before: int = 0


def commit_line(described: DescribedCommit, partition_types: Sequence[Type], *, spec_id: int) -> str:
    """The commit as one line; its files are of the partition spec with that id."""
    files, deletes = (
        [content_file_json(file, partition_types, spec_id=spec_id) for file in entries]
        for entries in (described.files, described.deletes)
    )
    line = {
        "way": described.way,
        "summary": dict(described.summary),
        "files": files,
        "deletes": deletes,
        "removed": [f"{'-' if offset is None else offset}\t{path}" for path, offset in described.removed],
        "rows": described.rows,
        "planned_before": described.planned_before,
    }
    return json.dumps(line, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A live file; of deletion vectors, whose files hold several, the offset within tells which."""

    path: str
    has_deletes: bool
    spec_id: int
    sequence_number: int
    first_row_id: int | None = None
    content_offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a statement on a table starts from. The live files are in the order of its manifests."""

    location: str
    properties: Mapping[str, str]
    live: Sequence[Listed]


def list_files(session: Session, table: Any) -> Listing:
    """An Iceberg table as it now is."""
    live = [
        Listed(
            path=path,
            has_deletes=content == "deletes",
            spec_id=int(spec_id),
            sequence_number=int(sequence_number),
            first_row_id=_number(first_row_id),
            content_offset=_number(offset),
        )
        for content, spec_id, sequence_number, first_row_id, offset, path in session.live_files(table)
    ]
    properties = {str(key): str(value) for key, value in table.properties().items()}
    return Listing(location=str(table.location()), properties=properties, live=live)


def _number(text: str) -> int | None:
    return None if text == _NONE else int(text)


class DescribedData:
    """The files and summary keys of a case's commits, as the profile of its writer has them; drawn from its seed."""

    def __init__(self, case: Case, application_id: str) -> None:
        self._case = case
        self._profile = shipped_profile(case)
        self._files = data_files_of(case, self._profile)
        self._rng = np.random.default_rng(case.seed)
        self._streams = "{epoch}" in self._profile.data_file
        self._query_id = draw_uuid(self._rng)
        self._application_id = application_id
        self._task_id = 0
        # what is taken up later; a long history of appends keeps none
        self._keeps = bool(case.changes_rows or case.maintenance.rewrite_data_files)
        self._known: dict[FileKey, DataFileEntry] = {}

    @property
    def partition_types(self) -> Sequence[Type]:
        """Types of the partition tuple's fields."""
        return [field.type for field in partition_type(self._files.spec, self._files.schema).fields]

    @property
    def spec_id(self) -> int:
        """Id of the partition spec that new files have."""
        return self._files.spec.spec_id

    def describe(self, commit: int, location: str) -> DescribedCommit:
        """The commit with this number. A stream is one query; a batch is a query of its own."""
        if not self._streams:
            self._query_id = draw_uuid(self._rng)
        numbers = FileNumbers(
            locations=self._locations(location),
            query_id=self._query_id,
            epoch=commit - 1 if self._streams else 0,
            first_task_id=self._task_id,
        )
        self._task_id += self._case.workload.files_per_commit
        files = self._files.draw(commit, numbers, self._rng)
        self._keep(files)
        return DescribedCommit(files=files, summary=self._summary(commit))

    def describe_upsert(self, step: Append, commit: int, table: Listing) -> DescribedCommit:
        """The files and the summary of a commit that replaces rows of the table."""
        return self._described(upsert(self._statement(table), step, commit))

    def describe_change(self, step: ChangeRows, table: Listing) -> DescribedCommit | None:
        """The change to rows of the table; None where nothing is committed. WasimError as the simulator's."""
        planned = change_rows(self._statement(table), step)
        if planned is None:
            return None
        return replace(self._described(planned), rows=(step.rows.first, step.rows.stop))

    def describe_compaction(self, step: Maintain, table: Listing) -> list[DescribedCommit]:
        """The commits of the table's compaction; none where nothing is to be done. WasimError as the simulator's."""
        groups = groups_to_rewrite(scan_files(self._live(table), self._files), step)
        batches = batches_to_commit(groups, step.partial_progress_commits)
        target = step.target_file_size_bytes
        return [self._rewritten(batch, target, table.location, place) for place, batch in enumerate(batches)]

    def _rewritten(
        self, batch: Sequence[Sequence[ScannedFile]], target_bytes: int, location: str, planned_before: int
    ) -> DescribedCommit:
        changes = compact(
            self._files,
            batch,
            target_bytes=target_bytes,
            locations=self._locations(location),
            first_task_id=self._task_id,
            wall_ms=_wall_ms(),
            rng=self._rng,
        )
        return replace(self._described(changes), planned_before=planned_before)

    def _statement(self, table: Listing) -> Statement:
        return Statement(
            locations=self._locations(table.location),
            properties=TableProperties.read(table.properties),
            live=self._live(table),
            files=self._files,
            rng=self._rng,
            task_id=self._task_id,
            wall_ms=_wall_ms(),
        )

    def _described(self, changes: FileChanges) -> DescribedCommit:
        """Planned changes as a commit. What they drop by filter or partition, Iceberg itself finds."""
        named = [(path, None) for path in sorted(changes.removed)] if changes.drops_delete is None else []
        deletes = [file for files in changes.added_deletes.values() for file in files]
        self._keep(changes.added)
        self._keep(deletes)
        own = {key: text for key, text in changes.summary.items() if key.startswith(_SPARKS_OWN)}
        return DescribedCommit(
            way=changes.way,
            files=changes.added,
            deletes=deletes,
            removed=[*named, *changes.removed_deletes],
            summary={**dict.fromkeys(changes.writer_keys, self._application_id), **own},
        )

    def reshape(self, step: Evolve, metadata: TableMetadata) -> None:
        """New files follow the table as it has become."""
        self._files = evolved_files(self._files, step, metadata.current_schema(), metadata.default_spec())

    def _locations(self, location: str) -> Locations:
        return locations_of(location, self._files.properties)

    def _keep(self, files: Sequence[DataFileEntry]) -> None:
        if self._keeps:
            self._known |= {key_of(file): file for file in files}

    def _live(self, table: Listing) -> LiveFiles:
        """The files as they were described, with the numbers that Iceberg has given them."""
        return LiveFiles(
            data=[(self._entry(listed), listed.spec_id) for listed in table.live if not listed.has_deletes],
            deletes=[self._entry(listed) for listed in table.live if listed.has_deletes],
        )

    def _entry(self, listed: Listed) -> LiveEntry:
        file = self._known[listed.path, listed.content_offset]
        if listed.first_row_id is not None:
            file = replace(file, first_row_id=listed.first_row_id)
        return LiveEntry(file=file, snapshot_id=0, sequence_number=listed.sequence_number)

    def _summary(self, commit: int) -> dict[str, str]:
        texts = {"query_id": self._query_id, "epoch": str(commit - 1)}
        own = {key: value for key, value in self._profile.summary.items() if key.startswith(_SPARKS_OWN)}
        return {
            key: self._application_id if key == APPLICATION_KEY else value.format_map(texts)
            for key, value in own.items()
        }


def _wall_ms() -> int:
    return round(time.time() * 1000)
