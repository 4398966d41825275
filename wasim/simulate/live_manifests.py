"""Manifests of the simulated table: written from new files, or merged from others, byte for byte."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wasim.iceberg import DataFileEntry, ManifestEntry, ManifestFile, ManifestHeader
from wasim.iceberg.containers import DEFLATE_LEVEL, container_bytes
from wasim.iceberg.manifest_lists import PartitionFieldSummary
from wasim.iceberg.manifests import Status, entry_encoder, manifest_header_values
from wasim.iceberg.specs import partition_type
from wasim.simulate.bounds import single_value
from wasim.simulate.identifiers import CommitIdentity

SYNC_BYTES = 16


@dataclass(slots=True, kw_only=True)
class LiveEntry:
    """A file in a manifest. Once it is EXISTING its record never changes, and is kept."""

    file: DataFileEntry
    snapshot_id: int
    sequence_number: int
    existing: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveManifest:
    """A manifest that the current snapshot lists."""

    file: ManifestFile
    entries: tuple[LiveEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestWriter:
    """Writes the manifests of one table."""

    header: ManifestHeader
    codec: str = "deflate"
    level: int = DEFLATE_LEVEL

    def write(
        self, path: str, entries: Sequence[LiveEntry], commit: CommitIdentity, rng: np.random.Generator
    ) -> tuple[bytes, LiveManifest]:
        """A manifest of these entries, in order; those that `commit` added are ADDED, the others EXISTING."""
        partition = partition_type(self.header.spec, self.header.schema)
        encode = entry_encoder(self.header.format_version, partition, self.header.release)
        records = []
        for entry in entries:
            if entry.snapshot_id == commit.snapshot_id:
                added = ManifestEntry(status=Status.ADDED, file=entry.file, snapshot_id=commit.snapshot_id)
                records.append(encode(added))
                continue
            if entry.existing is None:
                entry.existing = encode(_existing(entry, self.header.format_version))
            records.append(entry.existing)
        data = container_bytes(
            manifest_header_values(self.header, self.codec),
            records,
            sync_marker=rng.bytes(SYNC_BYTES),
            level=self.level,
        )
        return data, LiveManifest(file=self._listed(path, len(data), entries, commit), entries=tuple(entries))

    def _listed(self, path: str, length: int, entries: Sequence[LiveEntry], commit: CommitIdentity) -> ManifestFile:
        added = [entry for entry in entries if entry.snapshot_id == commit.snapshot_id]
        added_rows = sum(entry.file.record_count for entry in added)
        has_sequence = self.header.format_version > 1
        return ManifestFile(
            manifest_path=path,
            manifest_length=length,
            partition_spec_id=self.header.spec.spec_id,
            added_snapshot_id=commit.snapshot_id,
            min_sequence_number=min(entry.sequence_number for entry in entries) if has_sequence else 0,
            sequence_number=commit.sequence_number if has_sequence else 0,
            added_files_count=len(added),
            existing_files_count=len(entries) - len(added),
            deleted_files_count=0,
            added_rows_count=added_rows,
            existing_rows_count=sum(entry.file.record_count for entry in entries) - added_rows,
            deleted_rows_count=0,
            partitions=self._partitions(entries),
        )

    def _partitions(self, entries: Sequence[LiveEntry]) -> tuple[PartitionFieldSummary, ...]:
        fields = partition_type(self.header.spec, self.header.schema).fields
        return tuple(
            PartitionFieldSummary(contains_null=False, contains_nan=False, lower_bound=low, upper_bound=high)
            for place, field in enumerate(fields)
            for low, high in [
                _extremes([entry.file.partition[place] for entry in entries], str(getattr(field.type, "name", "")))
            ]
        )


def _extremes(values: list[object], type_name: str) -> tuple[bytes, bytes]:
    kind = type_name.partition("(")[0]
    if kind == "decimal":
        numbers = sorted(values, key=lambda value: int.from_bytes(value, "big", signed=True))  # type: ignore[arg-type]
        return numbers[0], numbers[-1]  # type: ignore[return-value]
    low, high = min(values), max(values)  # type: ignore[type-var]
    return single_value(type_name, low), single_value(type_name, high)


def _existing(entry: LiveEntry, format_version: int) -> ManifestEntry:
    sequence = entry.sequence_number if format_version > 1 else None
    return ManifestEntry(
        status=Status.EXISTING,
        file=entry.file,
        snapshot_id=entry.snapshot_id,
        sequence_number=sequence,
        file_sequence_number=sequence,
    )


def assign_row_ids(manifest: LiveManifest, first_row_id: int) -> LiveManifest:
    """The manifest with its range of row ids (v3); its entries without one take theirs from it, in order."""
    row_id = first_row_id
    for entry in manifest.entries:
        if entry.file.first_row_id is None:
            # What the manifest itself holds is null still; whoever rewrites the entry writes it out.
            entry.file = replace(entry.file, first_row_id=row_id)
            row_id += entry.file.record_count
    return replace(manifest, file=replace(manifest.file, first_row_id=first_row_id))
