"""What merge-on-read statements write to delete rows, on average: position deletes (v2) or deletion vectors (v3)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.twin import CaseWriter, Site, WriterProfile
from wasim.twin.commits import new_entries
from wasim.twin.data_files import FileNumbers, data_files_of
from wasim.twin.delete_files import CREATOR_KEY, DeletedRows, deletion_vectors, in_map_order, position_delete_file
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_identity, draw_uuid
from wasim.twin.live_manifests import LiveEntry
from wasim.units import Ints
from wasim.workload import CreateTable
from wasim.years.arrivals import with_rows
from wasim.years.json_sizes import UUID
from wasim.years.localities import places_of
from wasim.years.manifest_sizes import NO_MANIFESTS, ManifestBytes, by_count_of, written_bytes

SAMPLED = 128
POSITIONS = 8  # of each sampled file
TASKS = SAMPLED // 4  # of Spark's, that read as many small files: each statement numbers them before its own


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


NO_POSITION_DELETES = PositionDeletes(manifests=NO_MANIFESTS, uses_vectors=False, by_partition=False, path_bytes=0)


def read_position_deletes(case: Case, profile: WriterProfile, site: Site) -> PositionDeletes:
    """Sizes of delete files and their manifests, from a handful that the exact twin describes for the case's table.
    Commits of few rows have files enough.
    """
    rng, few = np.random.default_rng(case.seed), with_rows(case, max(4 * SAMPLED, 64 * case.workload.files_per_commit))
    files = data_files_of(few, profile, most_rows_computed=0)
    writer = CaseWriter(case=few, profile=profile, files=files, site=site, rng=rng, log=EventLog(folder=None))
    writer.create(CreateTable())
    is_scattered, uses_vectors = "scattered" in places_of(case), case.table.format_version > 2
    of_commit = [part.share.partition for part in files.parts_arriving(1)]
    in_order = not is_scattered and case.writer.kind == "batch" and len({*of_commit}) == 1
    touched = _touched_of_commit(case, len(of_commit), is_scattered=is_scattered, in_order=in_order)
    described = _described(writer, of_each_commit=touched)
    by_chance = is_scattered or len({*of_commit}) > 1
    positions = rng.integers(1, 2 * POSITIONS, SAMPLED) if by_chance else np.full(SAMPLED, POSITIONS)
    deleted = [
        DeletedRows(path=one.file_path, partition=one.partition, positions=_positions(case, count, rng))
        for one, count in zip(described, positions, strict=True)
    ]
    together, apart = _Statement(writer, draw_uuid(rng)), [_Statement(writer, draw_uuid(rng)) for _ in deleted]
    of_one = together.delete_files(deleted)
    # as statements name the files that each wrote
    named = [replace(one, path=re.sub(UUID, draw_uuid(rng), one.path)) for one in deleted]
    of_each, of_named = (
        [statement.delete_files([one])[0] for statement, one in zip(apart, some, strict=True)]
        for some in (deleted, named)
    )
    around = footer = 0.0
    if uses_vectors:
        alone, own = of_each[0].file_size_bytes, sum(one.content_size_bytes or 0 for one in of_one) / SAMPLED
        footer = (of_one[0].file_size_bytes - alone) / (SAMPLED - 1) - own
        around = alone - own - footer
    return PositionDeletes(
        manifests=_manifests(writer, of_one, (of_each, of_named), min(touched, len(of_commit))),
        uses_vectors=uses_vectors,
        by_partition=TableProperties.read(case.table.properties).delete_granularity == "partition",
        path_bytes=len(described[0].file_path.encode()),
        around_bytes=around,
        vector_footer_bytes=footer,
    )


def _touched_of_commit(case: Case, files: int, *, is_scattered: bool, in_order: bool) -> int:
    """How many of the `files` of a commit a statement on scattered rows touches by chance when it first does, or on the
    newest ones, which may fill files `in_order`; the oldest ones are of all in the end. Their paths share most.
    """
    there, share = case.rows_per_commit, float(case.writer.upsert is not None and not is_scattered)
    for _, change in case.changes:
        if change is None:
            continue
        rows = there * (max(1.0, (change.every or 0.0) / case.commit_interval_s) if is_scattered else 1.0)
        touched = (getattr(change, "share", None) or 0.0) if is_scattered else 1.0
        if change.rows and (is_scattered or getattr(change, "locality", "") == "newest"):
            touched = change.rows / rows
        share = max(share, touched)
    share = min(1.0, share)
    return max(1, ceil(files * share) if in_order else round(files * (1 - (1 - share) ** (there // files))))


def _positions(case: Case, count: int, rng: np.random.Generator) -> Ints:
    """Positions of this many rows of a file, by chance: equal ones would compress too well as bounds."""
    rows = max(count, case.rows_per_commit // case.workload.files_per_commit)
    return np.sort(rng.choice(rows, count, replace=False))


def _described(writer: CaseWriter, *, of_each_commit: int) -> list[DataFileEntry]:
    keeps_names, query_id, found, commit = writer.profile.keeps_names, draw_uuid(writer.rng), list[DataFileEntry](), 0
    while len(found) < SAMPLED:
        commit += 1
        numbers = FileNumbers(
            locations=writer.table.rules.locations,
            query_id=query_id if keeps_names else draw_uuid(writer.rng),
            epoch=commit if keeps_names else 0,
            first_task_id=commit * (writer.case.workload.files_per_commit + TASKS),
            wall_ms=writer.wall_ms,
        )
        parts = writer.files.parts_arriving(commit)[:of_each_commit]
        found += [writer.files.described(part, commit, numbers, POSITIONS, writer.rng) for part in parts]
    return found[:SAMPLED]


@dataclass(frozen=True, slots=True)
class _Statement:
    """What merge-on-read statements with this id write to delete rows."""

    writer: CaseWriter
    query_id: str

    def delete_files(self, deleted: Sequence[DeletedRows]) -> list[DataFileEntry]:
        """A vector, or a file of position deletes, for each data file."""
        writer = self.writer
        if writer.case.table.format_version > 2:
            created_by = writer.profile.summary.get(CREATOR_KEY, "")
            return deletion_vectors(self._path("", "00001-deletes.puffin"), deleted, created_by)
        deleted = in_map_order(deleted)
        folders = [writer.files.folder_of(one.partition) for one in deleted]
        paths = [self._path(folder, f"{number:05d}-deletes.parquet") for number, folder in enumerate(folders, 1)]
        return [position_delete_file(path, [one], writer.rng) for path, one in zip(paths, deleted, strict=True)]

    def _path(self, folder: str, end: str) -> str:
        return self.writer.table.rules.locations.data_file(folder, f"00000-{SAMPLED}-{self.query_id}-{end}")


def _manifests(
    writer: CaseWriter, of_one: list[DataFileEntry], of_each: Sequence[list[DataFileEntry]], of_commit: int
) -> ManifestBytes:
    """Bytes of manifests by their entries: of one statement the more of them are `sorted`, of a statement each else,
    which name files as they arrived, or files of a statement each; the first follow each other `of_commit` by
    `of_commit`.
    """
    table = writer.table
    together = new_entries(of_one, draw_identity(table.commits + 1, table.rng))
    identities = [draw_identity(table.commits + 1 + number, table.rng) for number in range(SAMPLED)]
    apart, named = (
        [new_entries([file], identity)[0] for file, identity in zip(some, identities, strict=True)] for some in of_each
    )
    by_count = by_count_of(table, apart)

    def more_of(entries: list[LiveEntry]) -> float:
        return (written_bytes(table, entries) - by_count.at(len(entries))) / max(1, len(entries) - 1)

    saved, within = more_of(together), more_of([one for one in together if one.file.partition == of_one[0].partition])
    return ManifestBytes(
        new=written_bytes(table, together[:1], is_new=True),
        staged=0.0,
        by_count=by_count,
        compacted_more=more_of(named) - more_of(apart),
        sorted_more=saved,
        in_partition=within / saved,
        each_partition=(within - more_of(apart[::of_commit])) / saved,
    )
