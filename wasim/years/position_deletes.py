"""What merge-on-read statements write to delete rows, in the mean: position deletes (v2) or deletion vectors (v3)."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.twin import CaseWriter, Site, WriterProfile
from wasim.twin.commits import new_entries
from wasim.twin.data_files import FileNumbers, data_files_of
from wasim.twin.delete_files import (
    DeletedRows,
    deletion_vectors,
    position_delete_bytes,
    position_delete_file,
    vector_bytes,
)
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_identity, draw_uuid
from wasim.twin.merge_on_read import CREATOR_KEY
from wasim.workload import CreateTable
from wasim.years.manifest_sizes import NO_MANIFESTS, ManifestBytes, by_count_of, written_bytes

SAMPLED = 32
POSITIONS = 8  # of each sampled file
CONTAINER_ROWS = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionDeletes:
    """Bytes of delete files and of the manifests that list them.

    A Puffin file takes `around_bytes`, and `vector_footer_bytes` for each of its vectors.
    """

    manifests: ManifestBytes
    uses_vectors: bool
    by_partition: bool
    path_bytes: int
    around_bytes: float = 0.0
    vector_footer_bytes: float = 0.0

    def content_bytes(self, positions: float, span: float, *, scattered: bool) -> float:
        """Bytes of a position-delete file, or of a vector within its file, of so many positions among `span` rows."""
        if positions <= 0:
            return 0.0
        if not self.uses_vectors:
            paths, listed, around = position_delete_bytes(
                files=1, path_bytes=self.path_bytes, rows=positions, span=max(span, positions)
            )
            return paths + listed + around
        containers = max(1, ceil(span / CONTAINER_ROWS))
        each = positions / containers
        runs = max(1.0, each * (1 - positions / max(span, positions))) if scattered else 1.0
        return vector_bytes(containers, each, runs)


NO_POSITION_DELETES = PositionDeletes(manifests=NO_MANIFESTS, uses_vectors=False, by_partition=False, path_bytes=0)


def read_position_deletes(case: Case, profile: WriterProfile, site: Site) -> PositionDeletes:
    """Sizes of delete files and their manifests, from a handful that the exact twin describes for the case's table."""
    rng = np.random.default_rng(case.seed)
    files = data_files_of(case, profile, most_rows_computed=0)
    writer = CaseWriter(case=case, profile=profile, files=files, site=site, rng=rng, log=EventLog(folder=None))
    writer.create(CreateTable())
    described = [_described(writer, number) for number in range(SAMPLED)]
    uses_vectors = case.table.format_version > 2
    deleted = [
        DeletedRows(path=one.file_path, partition=one.partition, positions=np.arange(POSITIONS) * 5)
        for one in described
    ]
    around = footer = 0.0
    if uses_vectors:
        created_by = profile.summary.get(CREATOR_KEY, "")
        path = described[0].file_path
        entries = deletion_vectors(path, deleted, created_by)
        sizes = [deletion_vectors(path, deleted[:count], created_by)[0].file_size_bytes for count in (1, SAMPLED)]
        own = sum(one.content_size_bytes or 0 for one in entries) / SAMPLED
        footer = (sizes[1] - sizes[0]) / (SAMPLED - 1) - own
        around = sizes[0] - own - footer
    else:
        entries = [position_delete_file(_beside(one.path, number), [one], rng) for number, one in enumerate(deleted)]
    return PositionDeletes(
        manifests=_manifests(writer, entries),
        uses_vectors=uses_vectors,
        by_partition=TableProperties.read(case.table.properties).delete_granularity == "partition",
        path_bytes=len(described[0].file_path.encode()),
        around_bytes=around,
        vector_footer_bytes=footer,
    )


def _described(writer: CaseWriter, number: int) -> DataFileEntry:
    parts = writer.files.parts_arriving(number + 1)
    numbers = FileNumbers(
        locations=writer.table.rules.locations,
        query_id=draw_uuid(writer.rng),
        epoch=0,
        first_task_id=number,
        wall_ms=writer.wall_ms,
    )
    return writer.files.described(parts[0], number + 1, numbers, POSITIONS, writer.rng)


def _beside(path: str, number: int) -> str:
    return path.rpartition(".")[0] + f"-{number + 1:05d}-deletes.parquet"


def _manifests(writer: CaseWriter, files: list[DataFileEntry]) -> ManifestBytes:
    table = writer.table
    identity = draw_identity(table.commits + 1, table.rng)
    entries = new_entries(files, identity)
    one = written_bytes(table, entries[:1], is_new=True)
    return ManifestBytes(new=one, staged=0.0, by_count=by_count_of(table, entries))
