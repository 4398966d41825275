"""The simulated table: creation and appends as Iceberg 1.12 commits them, down to the bytes and the order of files."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry, ManifestFile
from wasim.iceberg.containers import container_bytes
from wasim.iceberg.manifest_lists import ManifestListHeader, manifest_file_encoder, manifest_list_header_values
from wasim.iceberg.names import (
    bare_metadata_name,
    hadoop_metadata_name,
    manifest_list_name,
    manifest_name,
    metastore_metadata_name,
)
from wasim.iceberg.releases import Release
from wasim.iceberg.snapshots import Snapshot
from wasim.ledger import Kind
from wasim.simulate.books import Books
from wasim.simulate.identifiers import CommitIdentity, draw_identity, draw_uuid
from wasim.simulate.live_manifests import SYNC_BYTES, LiveEntry, LiveManifest, ManifestWriter, assign_row_ids
from wasim.simulate.merging import MergePolicy, bins_to_merge
from wasim.simulate.profile import Names
from wasim.simulate.summary import AppendCounts, summary_counters
from wasim.simulate.table_json import TableJson

ROLLING_FILES = 250  # a manifest writer looks at its length after so many entries
PARALLEL_FILES = 15_000  # from so many files on, several writers share them
_HINT = "metadata/version-hint.text"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """What decides how a table commits."""

    location: str
    format_version: int
    policy: MergePolicy
    names: Names
    release: Release
    delete_after_commit: bool
    summary: dict[str, str]  # templates in order


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One append under way: what the writer brings to it."""

    files: Sequence[DataFileEntry]
    event_time_s: float
    timestamp_ms: int  # of the snapshot
    updated_ms: int  # of the metadata, a moment later
    texts: dict[str, str]  # for the summary's templates: query_id, epoch …


@dataclass(slots=True, kw_only=True)
class SimulatedTable:
    """State that commits advance. Manifests stand newest first, as in the list."""

    rules: TableRules
    writer: ManifestWriter
    json: TableJson
    books: Books
    rng: np.random.Generator
    manifests: list[LiveManifest] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)  # of `manifests`, as lists hold them
    version: int = -1
    commits: int = 0
    files: int = 0
    rows: int = 0
    bytes: int = 0
    json_file: str = ""
    snapshot_id: int | None = None

    def create(self) -> None:
        """CREATE TABLE: the first metadata.json."""
        self._write_json()

    def append(self, commit: Commit) -> None:
        """FastAppend, or MergeAppend where the policy says so."""
        self.commits += 1
        identity = draw_identity(self.commits, self.rng)
        for file in commit.files:
            self.books.write(Kind.DATA, self._relative(file.file_path), file.file_size_bytes)
        new = self._write_new(commit.files, identity)
        replaced, wasted = self._merge(new, identity)
        counts = self._count(commit.files, identity, replaced)
        self._publish(commit, identity, counts)
        self._write_json()
        if wasted:
            self.books.delete(Kind.DATA_MANIFEST, self._relative(new.file.manifest_path))
        self._report(commit, counts)

    def _write_new(self, files: Sequence[DataFileEntry], identity: CommitIdentity) -> LiveManifest:
        entries = [
            LiveEntry(file=file, snapshot_id=identity.snapshot_id, sequence_number=identity.sequence_number)
            for file in files
        ]
        new = self._write_manifest(0, entries, identity)
        _refuse_rolling(new.file, self.rules.policy.target_bytes)
        return new

    def _write_manifest(self, number: int, entries: Sequence[LiveEntry], identity: CommitIdentity) -> LiveManifest:
        name = manifest_name(identity.uuid, number)
        data, manifest = self.writer.write(f"{self.rules.location}/metadata/{name}", entries, identity, self.rng)
        self.books.write(Kind.DATA_MANIFEST, f"metadata/{name}", data)
        return manifest

    def _merge(self, new: LiveManifest, identity: CommitIdentity) -> tuple[int, bool]:
        """Puts the new manifest first and merges bins; how many older ones that replaced, and if the new one too."""
        before = [new, *self.manifests]
        records = [b"", *self.records]
        bins = bins_to_merge([one.file.manifest_length for one in before], self.rules.policy)
        replaced, wasted = 0, False
        # From the oldest bin, so that the places before it stay what they are.
        for number, places in enumerate(reversed(bins), 1):
            entries = [entry for place in places for entry in before[place].entries]
            merged = self._write_manifest(number, entries, identity)
            before[places.start : places.stop] = [merged]
            records[places.start : places.stop] = [b""]
            replaced += len(places) - (places.start == 0)
            wasted = wasted or places.start == 0
        self.manifests, self.records = before, records
        return replaced, wasted

    def _count(self, files: Sequence[DataFileEntry], identity: CommitIdentity, replaced: int) -> AppendCounts:
        created = sum(1 for one in self.manifests if one.file.added_snapshot_id == identity.snapshot_id)
        added_rows, added_bytes = sum(f.record_count for f in files), sum(f.file_size_bytes for f in files)
        self.files, self.rows, self.bytes = self.files + len(files), self.rows + added_rows, self.bytes + added_bytes
        return AppendCounts(
            manifests_created=created,
            manifests_kept=len(self.manifests) - created,
            manifests_replaced=replaced,
            added_files=len(files),
            added_records=added_rows,
            added_bytes=added_bytes,
            changed_partitions=len({file.partition for file in files}),
            total_files=self.files,
            total_records=self.rows,
            total_bytes=self.bytes,
        )

    def _assign_row_ids(self) -> tuple[int | None, int | None]:
        """v3: every manifest new to the list takes a range for all of its rows, those of existing files too."""
        if self.rules.format_version < 3:
            return None, None
        first = row_id = self.json.base.next_row_id
        for place, manifest in enumerate(self.manifests):
            if manifest.file.first_row_id is None:
                self.manifests[place] = assign_row_ids(manifest, row_id)
                row_id += (manifest.file.added_rows_count or 0) + (manifest.file.existing_rows_count or 0)
        return first, row_id - first

    def _publish(self, commit: Commit, identity: CommitIdentity, counts: AppendCounts) -> None:
        """Writes the list, and makes its snapshot main's."""
        first_row_id, added_rows = self._assign_row_ids()
        name = manifest_list_name(identity.snapshot_id, 1, identity.uuid)
        self._write_list(name, identity, first_row_id)
        values = commit.texts | summary_counters(counts)
        snapshot = Snapshot(
            snapshot_id=identity.snapshot_id,
            timestamp_ms=commit.timestamp_ms,
            manifest_list=f"{self.rules.location}/metadata/{name}",
            parent_snapshot_id=self.snapshot_id,
            sequence_number=identity.sequence_number if self.rules.format_version > 1 else 0,
            operation="append",
            summary={key: template.format_map(values) for key, template in self.rules.summary.items()},
            schema_id=0,
            first_row_id=first_row_id,
            added_rows=added_rows,
        )
        self.snapshot_id = identity.snapshot_id
        self.json.log_and_add(self.json_file, snapshot, commit.updated_ms)

    def _write_list(self, name: str, identity: CommitIdentity, first_row_id: int | None) -> None:
        version = self.rules.format_version
        encode = manifest_file_encoder(version, self.rules.release)
        for place, record in enumerate(self.records):
            if not record:
                self.records[place] = encode(self.manifests[place].file)
        header = ManifestListHeader(
            snapshot_id=identity.snapshot_id,
            parent_snapshot_id=self.snapshot_id,
            sequence_number=identity.sequence_number,
            first_row_id=first_row_id,
            format_version=version,
            release=self.rules.release,
        )
        sync_marker = self.rng.bytes(SYNC_BYTES)
        data = container_bytes(manifest_list_header_values(header), self.records, sync_marker=sync_marker)
        self.books.write(Kind.MANIFEST_LIST, f"metadata/{name}", data)

    def _write_json(self) -> None:
        self.version += 1
        name = self._json_name(str(draw_uuid(self.rng)))
        self.books.write(Kind.METADATA_JSON, f"metadata/{name}", self.json.content())
        self.json_file = f"{self.rules.location}/metadata/{name}"
        if self.rules.names == "hadoop":
            hint = str(self.version + 1).encode()
            if self.version:
                self.books.delete(Kind.VERSION_HINT, _HINT)
            self.books.write(Kind.VERSION_HINT, _HINT, hint)
        if self.rules.delete_after_commit and self.json.dropped is not None:
            self.books.delete(Kind.METADATA_JSON, self._relative(self.json.dropped))

    def _json_name(self, uuid: str) -> str:
        gzipped = self.json.is_gzip
        match self.rules.names:
            case "hadoop":
                return hadoop_metadata_name(self.version + 1, is_gzip=gzipped)
            case "bare":
                return bare_metadata_name(uuid, is_gzip=gzipped)
            case "metastore":
                return metastore_metadata_name(self.version, uuid, is_gzip=gzipped)

    def _report(self, commit: Commit, counts: AppendCounts) -> None:
        self.books.report(
            {
                "snapshot_operation": "append",
                "snapshot_id": self.snapshot_id,
                "event_time_s": commit.event_time_s,
                # The simulator knows nothing of time that passes, and says so.
                "commit_ms": np.nan,
                "step_ms": np.nan,
                "attempts": 1,
                "manifests_created": counts.manifests_created,
                "manifests_kept": counts.manifests_kept,
                "manifests_replaced": counts.manifests_replaced,
                "entries_processed": 0,
                "files_added": counts.added_files,
                "files_removed": 0,
                "delete_files_added": 0,
                "files_live": counts.total_files,
                "delete_files_live": 0,
                "records_added": counts.added_records,
                "records_live": counts.total_records,
                "data_bytes_live": counts.total_bytes,
                "snapshots_retained": self.commits,
            }
        )

    def _relative(self, path: str) -> str:
        return path.removeprefix(f"{self.rules.location}/")


def _refuse_rolling(new: ManifestFile, target_bytes: int) -> None:
    """Iceberg splits the manifest of a commit that adds very many files; that is not modelled."""
    files = new.added_files_count or 0
    if files >= PARALLEL_FILES or (files >= ROLLING_FILES and new.manifest_length >= target_bytes):
        raise WasimError(
            f"A commit of {files} files would write several manifests (one would have {new.manifest_length} B; the"
            f" target is {target_bytes} B), which is not simulated. Give fewer files per commit, or a larger target."
        )
