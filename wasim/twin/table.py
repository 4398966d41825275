"""The simulated table: its creation, and what every commit of Iceberg 1.12 does to it, down to the bytes and the order
of files. Other modules (`snapshot_updates`, `maintenance`, `flink` …) decide what goes into a commit.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wasim.iceberg import DataFileEntry, TableMetadata
from wasim.iceberg.containers import container_bytes
from wasim.iceberg.manifest_lists import ManifestListHeader, manifest_file_encoder, manifest_list_header_values
from wasim.iceberg.names import (
    bare_metadata_name,
    hadoop_metadata_name,
    manifest_list_name,
    manifest_name,
    metastore_metadata_name,
)
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.record_fields import FileKey, ManifestContent
from wasim.iceberg.snapshots import Snapshot
from wasim.ledger import Kind
from wasim.rules.merging import bins_to_merge, is_listed, places_by_spec
from wasim.twin.commits import Change, Held, Merged, Moment, TableRules, report_row
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import CommitIdentity, draw_identity, draw_uuid
from wasim.twin.list_sizes import ListSizes
from wasim.twin.live_manifests import (
    SYNC_BYTES,
    LiveEntry,
    LiveManifest,
    ManifestWriter,
    MergedBefore,
    assign_row_ids,
    refuse_rolling,
    stamped,
)
from wasim.twin.summary import TableTotals
from wasim.twin.table_json import TableJson

HINT = "metadata/version-hint.text"


@dataclass(slots=True, kw_only=True)
class SimulatedTable:
    """State that commits advance. Manifests stand newest first, as in the list: of data, then of deletes."""

    rules: TableRules
    writer: ManifestWriter
    json: TableJson
    log: EventLog
    rng: np.random.Generator
    manifests: list[LiveManifest] = field(default_factory=list)
    history: dict[int, Held] = field(default_factory=dict)  # by snapshot id, of snapshots that are retained
    times: list[tuple[float, int]] = field(default_factory=list)  # of all: in event time, seconds, and wall time, ms
    totals: TableTotals = field(default_factory=TableTotals)
    version: int = -1
    commits: int = 0
    staged: int = 0  # manifests that Flink staged
    json_file: str = ""
    snapshot_id: int | None = None
    list_sizes: ListSizes = field(default_factory=ListSizes)
    within: Callable[["SimulatedTable", TableMetadata, Snapshot, Moment], TableMetadata] | None = None
    """What else the metadata.json of the next commit that makes a snapshot holds, by the writer's recipe."""

    def create(self) -> None:
        """CREATE TABLE: the first metadata.json."""
        self._write_json()

    def apply_properties(self, properties: TableProperties) -> None:
        """Carries out what follows under these properties."""
        self.rules = self.rules.with_properties(properties)
        self.writer = self.writer.with_properties(properties)
        self.json.properties = properties

    def begin(self) -> CommitIdentity:
        """The identity of a commit that makes a snapshot."""
        self.commits += 1
        return draw_identity(self.commits, self.rng)

    def write_files(self, data: Iterable[DataFileEntry], deletes: Iterable[DataFileEntry] = ()) -> None:
        """Logs data files and delete files as written."""
        for file in data:
            self.log.write(Kind.DATA, self.relative(file.file_path), file.file_size_bytes)
        for path, size in {
            file.file_path: file.file_size_bytes for file in deletes
        }.items():  # vectors share their file
            self.log.write(Kind.DELETE_FILE, self.relative(path), size)

    def write_manifest(
        self,
        name: str,
        entries: Sequence[LiveEntry],
        identity: CommitIdentity,
        *,
        spec_id: int | None = None,
        removed: frozenset[FileKey] = frozenset(),
        plain: bool = False,
    ) -> LiveManifest:
        """Writes a manifest of a partition spec, or of the one in force; a `plain` one ignores properties, and is Avro.

        It is one of deletes if its entries are.
        """
        path = self.rules.locations.metadata_file(name) if plain else self.manifest_path(name)
        writer = self.writer_of(entries[0].file, spec_id)
        writer = ManifestWriter(header=writer.header, always_avro=True) if plain else writer
        data, manifest = writer.write(path, entries, identity, self.rng, removed=removed)
        self.log.write(manifest.kind, self.relative(path), data)
        return manifest

    def write_new_manifests(
        self, first_number: int, entries: Sequence[LiveEntry], identity: CommitIdentity, *, spec_id: int | None = None
    ) -> list[LiveManifest]:
        """Writes the manifests of files that a commit adds, all of data or all delete files: one, unless they are very
        many.
        """
        writer = self.writer_of(entries[0].file, spec_id)
        target_bytes, found = self.rules.policy.target_bytes, list[LiveManifest]()
        for number, part in enumerate(writer.parts(entries, identity, target_bytes), first_number):
            found.append(self.write_manifest(manifest_name(identity.uuid, number), part, identity, spec_id=spec_id))
            refuse_rolling(found[-1].file, target_bytes)
        return found

    def manifest_path(self, name: str) -> str:
        """Where a manifest lies whose name is this, but for its format."""
        in_format = name.removesuffix(".avro") + ".parquet" if self.writer.is_parquet else name
        return self.rules.locations.metadata_file(in_format)

    def writer_of(self, file: DataFileEntry, spec_id: int | None = None) -> ManifestWriter:
        """What writes manifests of files like this one, data or deletes: of a partition spec, or of the one in force,
        under the schema in force whatever the spec.
        """
        header, base = self.writer.header, self.json.base
        content = ManifestContent.DELETES if file.content else ManifestContent.DATA
        spec_id = base.default_spec_id if spec_id is None else spec_id
        bound = (header.spec.spec_id, header.schema.schema_id, header.content)
        if bound != (spec_id, base.current_schema_id, content):
            spec = next(spec for spec in base.partition_specs if spec.spec_id == spec_id)
            header = replace(header, schema=base.current_schema(), spec=spec, content=content)
            self.writer = replace(self.writer, header=header)
        return self.writer

    def merge(
        self,
        manifests: Sequence[LiveManifest],
        identity: CommitIdentity,
        *,
        first_number: int,
        made: MergedBefore | None = None,
    ) -> Merged:
        """What a merging commit makes of the manifests that its list would hold: dead ones go, bins become one.

        Manifests of data and of deletes merge among themselves. New ones are numbered from `first_number`; one that was
        `made` before of the same ones is taken as it is.
        """
        made = {} if made is None else made
        kept = [
            one for one in manifests if is_listed(one.listed_files, one.file.added_snapshot_id == identity.snapshot_id)
        ]
        result: list[LiveManifest] = []
        replaced: list[LiveManifest] = []
        number = first_number
        for of_kind in ([one for one in kept if not one.has_deletes], [one for one in kept if one.has_deletes]):
            for places in places_by_spec([one.file.partition_spec_id for one in of_kind], self.rules.policy):
                group = [of_kind[place] for place in places]
                lengths = [one.file.manifest_length for one in group]
                # From the oldest bin, so that the places before it stay what they are.
                for bin_places in reversed(bins_to_merge(lengths, self.rules.policy, holds_first=places[0] == 0)):
                    taken = group[bin_places.start : bin_places.stop]
                    key = tuple(one.file.manifest_path for one in taken)
                    if key not in made:
                        made[key] = self._merged(number, taken, identity)
                        number += 1
                    group[bin_places.start : bin_places.stop] = [stamped(made[key], identity)]
                    replaced += taken
                result += group
        unused = [one for one in replaced if one.file.added_snapshot_id == identity.snapshot_id]
        return Merged(manifests=result, replaced=len(replaced) - len(unused), unused=unused)

    def _merged(self, number: int, taken: Sequence[LiveManifest], identity: CommitIdentity) -> LiveManifest:
        own = [one for one in taken if one.file.added_snapshot_id == identity.snapshot_id]
        entries = [entry for one in taken for entry in (one.entries if one in own else one.live)]
        removed = frozenset().union(*(one.removed for one in own))
        name, spec_id = manifest_name(identity.uuid, number), taken[0].file.partition_spec_id
        return self.write_manifest(name, entries, identity, spec_id=spec_id, removed=removed)

    def publish(
        self,
        change: Change,
        identity: CommitIdentity,
        moment: Moment,
        *,
        unused: Sequence[LiveManifest] = (),
        attempt: int = 1,
    ) -> None:
        """Writes the list of a new snapshot, makes it main's, deletes own manifests that the list does not hold."""
        self.manifests = list(change.manifests)
        first_row_id, added_rows = self._assign_row_ids()
        path = self.rules.locations.metadata_file(manifest_list_name(identity.snapshot_id, attempt, identity.uuid))
        self._write_list(self.relative(path), identity, first_row_id)
        snapshot = Snapshot(
            snapshot_id=identity.snapshot_id,
            timestamp_ms=moment.timestamp_ms,
            manifest_list=path,
            parent_snapshot_id=self.snapshot_id,
            sequence_number=identity.sequence_number if self.rules.format_version > 1 else 0,
            operation=change.operation,
            summary=change.summary,
            schema_id=self.json.base.current_schema_id,
            first_row_id=first_row_id,
            added_rows=added_rows,
        )
        self._hold(snapshot, self.relative(path), moment, change.counts.totals)
        changed = self.json.add(snapshot)
        if self.within is not None:
            changed = self.within(self, changed, snapshot, moment)
        self.commit_metadata(changed, moment.updated_ms)
        for manifest in unused:
            self.log.delete(manifest.kind, self.relative(manifest.file.manifest_path))
        self.log.report(
            report_row(change, moment, snapshot_id=identity.snapshot_id, attempts=attempt)
            | {"snapshots_retained": len(self.json.snapshots)}
        )

    def _hold(self, snapshot: Snapshot, list_file: str, moment: Moment, totals: TableTotals) -> None:
        if self.rules.keeps_history:
            self.times.append((moment.event_time_s, snapshot.timestamp_ms))
            self.history[snapshot.snapshot_id] = Held(
                snapshot_id=snapshot.snapshot_id,
                parent_snapshot_id=self.snapshot_id,
                timestamp_ms=snapshot.timestamp_ms,
                event_time_s=moment.event_time_s,
                list_file=list_file,
                manifests=tuple(self.manifests),
                totals=totals,
            )
        self.snapshot_id, self.totals = snapshot.snapshot_id, totals

    def commit_metadata(self, changed: TableMetadata, updated_ms: int) -> None:
        """Puts changed metadata in force and writes its metadata.json; what left the log goes, if the rules say so."""
        self.json.commit(self.json_file, changed, updated_ms)
        self._write_json()

    def _assign_row_ids(self) -> tuple[int | None, int | None]:
        """v3: every manifest new to the list takes a range for all of its rows, existing files' too."""
        if self.rules.format_version < 3:
            return None, None
        first = row_id = self.json.base.next_row_id
        for place, manifest in enumerate(self.manifests):
            if manifest.file.first_row_id is None and not manifest.has_deletes:
                self.manifests[place] = assign_row_ids(manifest, row_id)
                row_id += (manifest.file.added_rows_count or 0) + (manifest.file.existing_rows_count or 0)
        return first, row_id - first

    def _write_list(self, file: str, identity: CommitIdentity, first_row_id: int | None) -> None:
        version = self.rules.format_version
        header = ManifestListHeader(
            snapshot_id=identity.snapshot_id,
            parent_snapshot_id=self.snapshot_id,
            sequence_number=identity.sequence_number,
            first_row_id=first_row_id,
            format_version=version,
            release=self.rules.release,
        )
        sync = self.rng.bytes(SYNC_BYTES)
        if not self.json.is_measured:
            self.log.write(Kind.MANIFEST_LIST, file, 0)
            return
        encode = manifest_file_encoder(version, self.rules.release)
        records = [manifest.record or manifest.encoded(encode) for manifest in self.manifests]
        values = manifest_list_header_values(header)
        if self.log.folder is None:
            self.log.write(Kind.MANIFEST_LIST, file, self.list_sizes.of(values, records))
        else:
            self.log.write(Kind.MANIFEST_LIST, file, container_bytes(values, records, sync_marker=sync))

    def _write_json(self) -> None:
        self.version += 1
        self.json_file = self.rules.locations.metadata_file(self.json_name(self.version, draw_uuid(self.rng)))
        self.log.write(Kind.METADATA_JSON, self.relative(self.json_file), self.json.content())
        if self.rules.names == "hadoop":
            hint = str(self.version + 1).encode()
            if self.version:
                self.log.delete(Kind.VERSION_HINT, HINT)
            self.log.write(Kind.VERSION_HINT, HINT, hint)
        if self.rules.properties.metadata_delete_after_commit_enabled:
            for file in self.json.dropped:
                self.log.delete(Kind.METADATA_JSON, self.relative(file))

    def json_name(self, version: int, uuid: str) -> str:
        """The name of a metadata.json; Hadoop's catalog counts versions from one, others from zero."""
        gzipped = self.json.is_gzip
        match self.rules.names:
            case "hadoop":
                return hadoop_metadata_name(version + 1, is_gzip=gzipped)
            case "bare":
                return bare_metadata_name(uuid, is_gzip=gzipped)
            case "metastore":
                return metastore_metadata_name(version, uuid, is_gzip=gzipped)

    def relative(self, path: str) -> str:
        """The path of a file within the table."""
        return self.rules.locations.relative(path)
